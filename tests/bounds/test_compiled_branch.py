"""The search in machine code gives the bounds of the one in NumPy: of a box to rounding, of a proof within its gap."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.bounds.box import Box
from dalembert.bounds.branch import Branch, Run
from dalembert.bounds.compiled_branch import DEGREE, CompiledRun, compiled_run
from dalembert.bounds.waves import Wave, collected
from dalembert.compile import build


@pytest.fixture(autouse=True)
def compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(build.SWITCH, raising=False)


def random_wave(rng: np.random.Generator, n: int, degree: int, slides: list[int]) -> Wave:
    terms = 6
    k, p = rng.integers(-degree, degree + 1, (terms, n)), np.zeros((terms, n), np.int64)
    for joint in slides:
        k[:, joint], p[:, joint] = 0, rng.integers(0, 3, terms)
    k[rng.random(k.shape) < 0.4] = 0
    return collected(k, p, rng.normal(size=terms) + 1j * rng.normal(size=terms))


def random_problem(seed: int) -> tuple[Branch, np.ndarray, np.ndarray]:
    """f = base - sum |w| over a random box; positions, and f there."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    slides = [j for j in range(n) if rng.random() < 0.2]
    lower, upper, circle = -rng.uniform(0.1, 3, n), rng.uniform(0.1, 3, n), np.zeros(n, bool)
    for j in range(n):
        if j not in slides and rng.random() < 0.4:
            lower[j], upper[j], circle[j] = -np.pi, np.pi, True
    box = Box(lower, upper, circle)
    base = random_wave(rng, n, 2, slides) if rng.random() < 0.6 else None
    fewest = 0 if base is not None else 1
    others = [random_wave(rng, n, int(rng.integers(1, 4)), slides) for _ in range(int(rng.integers(fewest, 4)))]
    q = box.samples(2000, seed)
    return Branch(base, others, box), q, sum((-np.abs(w(q)) for w in others), base(q) if base is not None else 0)


def runs(seed: int) -> tuple[Run, CompiledRun, float]:
    """Both searches from the best of random samples, and that value, scaled as the searches have it."""
    branch, q, values = random_problem(seed)
    best = float(np.ldexp(values.min(), -branch.exponent))
    at = q[int(values.argmin())][branch.joints]
    native = compiled_run(branch, best, at)
    assert native is not None
    return Run(branch, best, at), native, best


@pytest.mark.parametrize("seed", range(30))
def test_the_bound_of_a_box_is_that_of_numpy(seed: int) -> None:
    numpy, native, _ = runs(seed)
    assert native.whole() == pytest.approx(numpy.whole(), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("seed", range(30))
def test_a_proof_is_within_its_gap_and_below_every_value(seed: int) -> None:
    numpy, native, best = runs(seed)
    gap = 0.01 * abs(best)
    bounds = [run.proved(gap, 3e8) for run in (numpy, native)]
    for run, bound in zip((numpy, native), bounds, strict=True):
        assert bound is not None
        assert run.best - gap <= bound + 1e-9
        assert bound <= min(numpy.best, native.best) + 1e-12
    assert native.best <= best


def test_corners_improve_the_incumbent_and_say_where() -> None:
    branch, _, _ = random_problem(3)
    native = compiled_run(branch, 1e3, branch.box.centre[branch.joints])
    assert native is not None
    assert native.proved(1e-3, 1e8) is not None
    x = branch.box.centre.copy()
    x[branch.joints] = native.at
    assert np.all(x >= branch.box.lower - 1e-12)
    assert np.all(x <= branch.box.upper + 1e-12)
    forms = [form for group in branch.groups for form in group]
    value = sum(
        float(form.wave(x)) if plain else -abs(float(form.wave(x)))
        for form, plain in zip(forms, branch.plain, strict=True)
    )
    assert native.best == pytest.approx(value, abs=1e-11)


def test_a_search_stops_at_its_work_limit_and_can_go_on_with_another_gap() -> None:
    branch, q, values = random_problem(2)
    native = compiled_run(
        branch, float(np.ldexp(values.min(), -branch.exponent)), q[int(values.argmin())][branch.joints]
    )
    assert native is not None
    assert native.proved(1e-9, 1e3) is None
    assert native.used > 1e3
    assert native.proved(0.5 * abs(native.best), 1e9) is not None


def test_the_same_search_has_the_same_answer_again() -> None:
    first, second = (runs(7)[1] for _ in range(2))
    assert first.proved(1e-3, 1e8) == second.proved(1e-3, 1e8)
    assert first.used == second.used


@pytest.mark.parametrize("degree", [DEGREE, DEGREE + 1])
@pytest.mark.parametrize("slides", [False, True])
def test_the_highest_degree_there_is_room_for_has_the_bound_of_numpy(degree: int, slides: bool) -> None:
    """One more is left to NumPy. Waves of two degrees, so that the lower is raised to the higher."""
    rng, none = np.random.default_rng(degree), np.zeros((degree + 1, 1), np.int64)
    orders = np.arange(degree + 1)[:, None]
    terms = (none, orders) if slides else (orders, none)
    high = Wave(*terms, rng.normal(size=degree + 1).astype(np.complex128))
    low = Wave(*(table[:3] for table in terms), rng.normal(size=3).astype(np.complex128))
    box = Box(np.array([-0.7]), np.array([0.9]), np.array([False]))
    branch = Branch(high, [low], box)
    native = compiled_run(branch, 1e3, box.centre)
    if degree > DEGREE:
        assert native is None
        return
    assert native is not None
    numpy = Run(branch, 1e3, box.centre)
    assert native.whole() == pytest.approx(numpy.whole(), rel=1e-11, abs=1e-11)
    bounds = [run.proved(1e-6, 1e8) for run in (numpy, native)]
    assert bounds[0] == pytest.approx(bounds[1], abs=1e-6)


def test_more_joints_than_there_is_room_for_are_left_to_numpy() -> None:
    k = np.eye(13, dtype=np.int64)
    wave = Wave(k, np.zeros_like(k), np.ones(13, np.complex128))
    box = Box(np.full(13, -0.1), np.full(13, 0.1), np.zeros(13, bool))
    assert compiled_run(Branch(wave, (), box), 13.0, np.zeros(13)) is None


def test_without_a_compiler_numpy_proves_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    branch, q, values = random_problem(4)
    start = float(values.min()), q[int(values.argmin())]
    native = branch.least(*start, 0.01 * abs(start[0]), 1e8)
    monkeypatch.setenv(build.SWITCH, "0")
    plain = branch.least(*start, 0.01 * abs(start[0]), 1e8)
    assert native.bound == pytest.approx(plain.bound, abs=0.01 * abs(start[0]))

"""Sums of magnitudes on grids: the bound holds everywhere, is near what is attained, and says what it cost."""

from __future__ import annotations

import re
from fractions import Fraction
from types import ModuleType

import flint
import numpy as np
import pytest

from dalembert.arm.errors import ArmError
from dalembert.bounds import compiled_branch, compiled_grid
from dalembert.bounds.box import Box
from dalembert.bounds.compiled_grid import CompiledGridSearch, searched, to_real
from dalembert.bounds.grid import SumOfMagnitudes, largest_sum
from dalembert.bounds.grid_axis import CELLS
from dalembert.bounds.grid_search import CLIMB, GridSearch
from dalembert.bounds.waves import Wave, collected
from dalembert.compile import build

GAP = 0.05


def random_waves(rng: np.random.Generator, joints: int, count: int, slides: bool) -> list[Wave]:
    """Waves of degree up to two in every joint; the last joint slides where asked for."""
    waves = []
    for _ in range(count):
        k, p = rng.integers(-2, 3, (12, joints)), np.zeros((12, joints), np.int64)
        if slides:
            k[:, -1] = 0
            p[:, -1] = rng.integers(0, 3, 12)
        waves.append(collected(k, p, rng.normal(size=12) + 1j * rng.normal(size=12)))
    return waves


def random_box(rng: np.random.Generator, joints: int, circle: bool) -> Box:
    if circle:
        return Box(np.full(joints, -np.pi), np.full(joints, np.pi), np.ones(joints, bool))
    middle, half = rng.uniform(-2, 2, joints), rng.uniform(0.2, 1.5, joints)
    return Box(middle - half, middle + half, np.zeros(joints, bool))


def sums(waves: list[Wave], q: np.ndarray) -> np.ndarray:
    return np.sum([np.abs(wave(q)) for wave in waves], axis=0)


def climbed(waves: list[Wave], box: Box, rng: np.random.Generator) -> float:
    """A value near the largest, by random steps that shrink."""
    q = box.samples(4000, int(rng.integers(1 << 30)))
    q = q[np.argsort(-sums(waves, q))[:40]]
    for step in 0.3 * 0.8 ** np.arange(30):
        near = np.repeat(q, 12, axis=0)
        near = np.clip(near + step * rng.standard_normal(near.shape), box.lower, box.upper)
        everything = np.concatenate([q, near])
        q = everything[np.argsort(-sums(waves, everything))[:40]]
    return float(sums(waves, q).max())


@pytest.mark.parametrize("slides", [False, True])
@pytest.mark.parametrize("circle", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_no_position_exceeds_the_bound_and_some_come_near(seed: int, circle: bool, slides: bool) -> None:
    rng = np.random.default_rng(seed)
    waves, box = random_waves(rng, 3, 4, slides), random_box(rng, 3, circle)
    if slides and circle:
        box = Box(np.r_[box.lower[:-1], 0.2], np.r_[box.upper[:-1], 0.9], np.r_[box.circle[:-1], False])
    known = float(sums(waves, box.samples(5)).max())
    found = largest_sum(waves, box, known, GAP, 1e9)
    top = climbed(waves, box, rng)
    assert found.searched
    assert top <= found.bound <= (1 + 2.5 * GAP) * top
    if found.at is not None:
        assert np.all(found.at >= box.lower - 1e-12)
        assert np.all(found.at <= box.upper + 1e-12)
        assert known < sums(waves, found.at[None])[0] <= found.bound


def test_a_bound_without_work_is_the_sum_of_the_moduli() -> None:
    rng = np.random.default_rng(5)
    waves, box = random_waves(rng, 5, 3, False), random_box(rng, 5, True)
    found = largest_sum(waves, box, 1.0, GAP, 10.0)
    assert not found.searched
    assert found.bound == pytest.approx(sum(wave.most(box.reach) for wave in waves))


@pytest.mark.usefixtures("compiled_kernels")
def test_high_orders_of_seven_joints_are_gone_through_all_the_same() -> None:
    """Eight waves of seven joints, orders up to three: 8 7^7 coefficients. |cos 3x - cos x| is at most 8/sqrt(27)."""
    k = np.vstack([3 * np.eye(7, dtype=np.int64), np.eye(7, dtype=np.int64)[:1]])
    none = np.zeros_like(k)
    bent = collected(k[[0, 7]], none[:2], np.array([1.0, -1.0]))
    small = [collected(k[[j]], none[:1], np.array([1e-3])) for j in range(7)]
    result = largest_sum([bent, *small], random_box(np.random.default_rng(0), 7, circle=True), 1.5, GAP, 1e10)
    largest = 8 / 27**0.5
    assert result.searched
    assert largest <= result.bound <= (1 + GAP) * (largest + 7e-3)


def test_a_position_without_end_is_refused() -> None:
    square = collected(np.array([[0]]), np.array([[2]]), np.array([1 + 0j]))
    endless = Box(np.array([-np.inf]), np.array([np.inf]), np.array([False]))
    with pytest.raises(ArmError, match="goes without end"):
        largest_sum([square], endless, 1.0, 0.1, 1e6)


def test_limits_of_a_joint_are_seen() -> None:
    """|cos x| + |cos x / 2| is at most 3/2 cos 1 between 1 and 2."""
    wave = collected(np.array([[1]]), np.zeros((1, 1), np.int64), np.array([1.0 + 0j]))
    box = Box(np.array([1.0]), np.array([2.0]), np.zeros(1, bool))
    found = largest_sum([wave, wave.times(0.5)], box, 0.8, 0.01, 1e7)
    assert 1.5 * np.cos(1.0) <= found.bound <= 1.5 * np.cos(1.0) * 1.02


def test_the_tensor_gives_the_values_of_the_waves() -> None:
    rng = np.random.default_rng(7)
    waves, box = random_waves(rng, 3, 2, True), random_box(rng, 3, False)
    question = SumOfMagnitudes(waves, box)
    q = box.samples(6)
    for position in q:
        net = question.tensor
        for axis in question.axes:
            x = position[axis.joint] / (question.reach[axis.joint] if axis.slides else 1.0)
            net = np.tensordot(axis.basis(np.array([x]))[0], net, (0, 0))
        assert np.abs(net).sum() == pytest.approx(sums(waves, position[None])[0], rel=1e-5)


def second_derivative(wave: Wave, joint: int) -> Wave:
    """That of waves without powers of positions: -k^2 times every coefficient."""
    return Wave(wave.k, wave.p, -(wave.k[:, joint] ** 2) * wave.c)


def test_second_derivatives_are_bounded_along_the_first_axes() -> None:
    rng = np.random.default_rng(9)
    waves, box = random_waves(rng, 3, 3, False), random_box(rng, 3, True)
    question = SumOfMagnitudes(waves, box, interpolated=True)
    q, bounds = box.samples(20_000), question.curvature(1e8)
    for axis, bound in zip(question.axes, bounds, strict=True):
        bent = sum(np.abs(second_derivative(wave, axis.joint)(q)) for wave in waves)
        assert bent.max() <= bound <= 3 * bent.max()


def test_a_peak_between_the_ends_of_a_sliding_joint_is_not_missed() -> None:
    """(1 - (x - d)^2)^7 bends most at its peak, 14, and hardly at its ends: x^p has p (p - 1) x^(p - 2)."""
    box = Box(np.array([-1, -np.pi, -1.0]), np.array([1, np.pi, 1.0]), np.array([False, True, False]))
    for d in (-0.13, 0.05, 0.21):
        powers = (np.polynomial.Polynomial([1 - d * d, 2 * d, -1]) ** 7).coef
        k, p = np.zeros((17, 3), np.int64), np.zeros((17, 3), np.int64)
        p[:15, 0], k[15, 1], k[16, 2] = np.arange(15), 1, 1
        wave = collected(k, p, np.r_[powers, 0.01, 0.01].astype(complex))
        known = float(sums([wave], box.samples(8)).max())
        assert largest_sum([wave], box, known, 0.002, 1e8).bound >= 1.02
        question = SumOfMagnitudes([wave], box, interpolated=True)
        along = [axis.joint for axis in question.axes].index(0)
        assert question.curvature(1e7)[along] >= 13.9


def test_a_sliding_joint_may_stand_still_at_zero() -> None:
    """x + cos y / 2 at x = 0."""
    k, p = np.array([[0, 0], [0, 1]]), np.array([[1, 0], [0, 0]])
    box = Box(np.array([0.0, -1]), np.array([0.0, 1]), np.zeros(2, bool))
    found = largest_sum([collected(k, p, np.array([1, 0.5 + 0j]))], box, 0.4, 0.01, 1e6)
    assert 0.5 <= found.bound <= 0.51


def test_angles_far_from_zero_are_off_by_their_last_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """cos 7x between X and X + 0.02, largest at one end of the range; X beside 1e13 rad."""
    monkeypatch.setattr(flint.ctx, "prec", 200)
    for far in 1e13 + 0.25 * np.arange(12) + 2.0**-9:
        box = Box(np.array([far]), np.array([far + 2.0**-6 + 2.0**-8]), np.zeros(1, bool))
        for end in (float(box.lower[0]), float(box.upper[0])):
            wave = collected(np.array([[7]]), np.zeros((1, 1), np.int64), np.array([1 + 0j]))
            value = abs(_value(wave, [_ball(end)]))
            known = float(sums([wave], box.samples(8)).min())
            assert float(value.mid()) <= largest_sum([wave], box, known, 1e-5, 1e7).bound


@pytest.mark.parametrize("exponent", [-600, 400])
def test_a_bound_scales_with_the_waves(exponent: int) -> None:
    rng = np.random.default_rng(11)
    waves, box = random_waves(rng, 3, 3, False), random_box(rng, 3, True)
    known = float(sums(waves, box.samples(5)).max())
    usual = largest_sum(waves, box, known, GAP, 1e8).bound
    scaled = largest_sum([wave.scaled(exponent) for wave in waves], box, float(np.ldexp(known, exponent)), GAP, 1e8)
    assert scaled.bound == pytest.approx(float(np.ldexp(usual, exponent)))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_a_number_is_refused(value: float) -> None:
    wave = Wave(np.array([[1]]), np.zeros((1, 1), np.int64), np.array([value + 0j]))
    with pytest.raises(ArmError, match="not a finite number"):
        largest_sum([wave], Box(np.zeros(1), np.ones(1), np.zeros(1, bool)), 1.0, GAP, 1e6)


@pytest.mark.parametrize("circle", [False, True])
def test_numpy_and_machine_code_show_the_same(circle: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(build.SWITCH, raising=False)
    if not build.available():
        pytest.skip("no C compiler")
    rng = np.random.default_rng(13)
    waves, box = random_waves(rng, 3, 3, True), random_box(rng, 3, False)
    box = Box(box.lower, box.upper, np.array([circle, circle, False]))
    question = SumOfMagnitudes(waves, box)
    grid = question.grid()
    code, plain = searched(grid), GridSearch(grid)
    assert isinstance(code, CompiledGridSearch)
    for width in (2, CLIMB):
        for search in (code, plain):
            search.climb(width)
        assert code.best == pytest.approx(plain.best, rel=1e-5)
    # a little above the largest sum both show it, a little below neither does
    top = max(climbed(waves, box, rng), code.best)
    for search in (code, plain):
        assert search.show(1.05 * top, 1e9)
        assert not search.show(0.97 * top, 1e9)
        assert search.best <= 1.0001 * top + 3 * question.rounding


@pytest.mark.parametrize("search", [compiled_grid, compiled_branch], ids=["grid", "branch"])
def test_constants_of_the_search_stand_in_one_place(search: ModuleType) -> None:
    """Machine code has those of Python, and none of its own."""
    texts = [source.read_text(encoding="utf-8") for source in search.SOURCES]
    assert all("#define" not in text for text in texts)
    assert all(any(re.search(rf"\b{name}\b", text) for text in texts) for name in search.DEFINED)


def test_exponentials_become_sines_and_cosines_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(17)
    dense = rng.normal(size=(2, 5, 3, 7)) + 1j * rng.normal(size=(2, 5, 3, 7))
    monkeypatch.delenv(build.SWITCH, raising=False)
    code = to_real(dense.copy(), [2, None, 3])
    monkeypatch.setenv(build.SWITCH, "0")
    assert np.array_equal(code, to_real(dense.copy(), [2, None, 3]))


@pytest.mark.parametrize("seed", range(4))
def test_values_in_float32_are_within_their_budget_by_sixty_digits(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The raised sum at points of the grid, and its bounds without positions, against balls of 200 bits."""
    rng = np.random.default_rng(seed)
    waves, box = random_waves(rng, 4, 5, bool(seed % 2)), random_box(rng, 4, False)
    question = SumOfMagnitudes(waves, box)
    search = GridSearch(question.grid())
    place = rng.integers(0, 20, (60, 4))
    monkeypatch.setattr(flint.ctx, "prec", 200)
    for row in place:
        net, q = question.tensor[None], [flint.arb(0)] * 4
        factors, raised = [np.ones(3)] * 4, np.ones(1)
        for number, (axis, at) in enumerate(zip(question.axes, row, strict=True)):
            x, table = axis.grids[23]
            if 0 < at < len(x) - 1 and not axis.slides:
                factors[axis.joint] = axis.raised(int(CELLS[23]))[::2]
            raised = raised * axis.raised(int(CELLS[23])).max()
            net = search._at_points(net, table[at : at + 1])
            scale = float(question.reach[axis.joint]) if axis.slides else 1.0
            q[axis.joint] = _ball(float(x[at])) * _ball(scale)
            if number == 2:
                before = search._below(net, 3, 0.0, raised)[0]
        value = search._below(net, 4, 0.0, raised)[0]
        exact = sum((abs(_value(_raised(wave, factors), q)) for wave in waves), flint.arb(0))
        off = value[0] - float(exact.mid())
        assert 0 <= off <= 2 * float(raised[0]) * question.rounding + 2 * (question.relative - 1) * value[0]
        assert float(exact.mid()) <= before[0]


def _raised(wave: Wave, factors: list[np.ndarray]) -> Wave:
    """A wave with the factors of the orders of each joint."""
    by_term = np.prod([each[np.abs(wave.k[:, joint])] for joint, each in enumerate(factors)], axis=0)
    return Wave(wave.k, wave.p, wave.c * by_term)


def _ball(x: float) -> flint.arb:
    exact = Fraction(x)
    return flint.arb(flint.fmpq(exact.numerator, exact.denominator))


def _value(wave: Wave, q: list[flint.arb]) -> flint.arb:
    total = flint.arb(0)
    for k, p, c in zip(wave.k, wave.p, wave.c, strict=True):
        angle = sum((int(n) * x for n, x in zip(k, q, strict=True)), flint.arb(0))
        term = _ball(float(c.real)) * angle.cos() - _ball(float(c.imag)) * angle.sin()
        for power, x in zip(p, q, strict=True):
            term *= x ** int(power)
        total += term
    return total

"""Bernstein forms enclose the function on every box, meet it at corners, and get better as the square of the width."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.bounds.bernstein import arc, arc_halves, elevation, line, line_halves
from dalembert.bounds.box import Box
from dalembert.bounds.branch import Branch
from dalembert.bounds.ranges import range_of, trimmed
from dalembert.bounds.waves import Wave, constant, turning
from dalembert.reduction.coefficient_waves import CoefficientWaves
from random_arms import random_arm


@pytest.mark.parametrize("degree", [1, 2, 4])
@pytest.mark.parametrize("half", [1e-6, 0.2, 1.0])
def test_control_values_of_waves_on_an_arc_average_to_the_wave(degree: int, half: float) -> None:
    rng = np.random.default_rng(degree)
    c = rng.standard_normal(2 * degree + 1) + 1j * rng.standard_normal(2 * degree + 1)
    t = np.linspace(-half, half, 41)
    values = (np.exp(1j * (0.7 + t)[:, None] * np.arange(-degree, degree + 1)) @ c).real
    net = (arc(degree, 0.7, half) @ c).real
    assert net.min() <= values.min() + 1e-12
    assert net.max() >= values.max() - 1e-12
    assert np.allclose([net[0], net[-1]], [values[0], values[-1]], atol=1e-12)


@pytest.mark.parametrize("degree", [1, 2, 4])
@pytest.mark.parametrize("half", [1e-4, 0.3, 1.04])
def test_halving_an_arc_gives_the_control_values_of_its_halves(degree: int, half: float) -> None:
    left, right = arc_halves(degree, half)
    whole = arc(degree, 0.4, half)
    assert np.allclose(left @ whole, arc(degree, 0.4 - half / 2, half / 2), atol=1e-11)
    assert np.allclose(right @ whole, arc(degree, 0.4 + half / 2, half / 2), atol=1e-11)
    for matrix in (left, right):
        assert np.all(matrix >= 0)
        assert np.allclose(matrix.sum(axis=1), 1, atol=1e-14)


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_halving_a_line_gives_the_control_values_of_its_halves(degree: int) -> None:
    left, right = line_halves(degree)
    assert np.allclose(left @ line(degree, -0.3, 0.9), line(degree, -0.3, 0.3))
    assert np.allclose(right @ line(degree, -0.3, 0.9), line(degree, 0.3, 0.9))


@pytest.mark.parametrize(("low", "high"), [(1, 2), (1, 4), (2, 3)])
def test_raising_the_degree_gives_the_control_values_of_the_same_function(low: int, high: int) -> None:
    own = slice(high - low, high + low + 1)
    assert np.allclose(elevation(low, high, 0.7) @ arc(low, 0.4, 0.7), arc(high, 0.4, 0.7)[:, own], atol=1e-12)
    assert np.allclose(elevation(low, high, None) @ line(low, -0.3, 0.9), line(high, -0.3, 0.9)[:, : low + 1])


def test_rounding_covers_what_the_floats_of_control_values_are_off() -> None:
    """The control values of exp(ikx) on an arc, by sixty digits, against those the bound is read from.

    At first, and after every one of forty halvings to random sides.
    """
    mpmath = pytest.importorskip("mpmath")
    rng = np.random.default_rng(2)
    k = np.arange(1, 5)[:, None]
    wave = Wave(k, np.zeros_like(k), rng.normal(size=4) + 1j * rng.normal(size=4))
    box = Box(np.array([0.3]), np.array([1.9]), np.zeros(1, bool))
    branch = Branch(wave, (), box)
    boxes, width, worst = branch.first(), 0.8, 0.0
    with mpmath.workdps(60):
        half, centre = (mpmath.mpf(1.9) - mpmath.mpf(0.3)) / 2, (mpmath.mpf(1.9) + mpmath.mpf(0.3)) / 2

        def product(factors: list[list[object]]) -> list[object]:
            found = [mpmath.mpf(1)]
            for factor in factors:
                grown = [mpmath.mpf(0)] * (len(found) + 2)
                for i, a in enumerate(found):
                    for j, b in enumerate(factor):
                        grown[i + j] += a * b
                found = grown
            return found

        for halvings in range(41):
            one = [mpmath.mpf(1), 2 * mpmath.cos(half), mpmath.mpf(1)]
            turn = [mpmath.expj(-half), mpmath.mpf(2), mpmath.expj(half)]
            weights = product([one] * 4)
            exact = [mpmath.mpf(0)] * 9
            for (m,), c in zip(wave.k.tolist(), wave.c, strict=True):
                for i, value in enumerate(product([turn] * m + [one] * (4 - m))):
                    exact[i] += (mpmath.mpc(complex(c)) * value / weights[i] * mpmath.expj(m * centre)).real
            scaled = [value * mpmath.mpf(2) ** -branch.exponent for value in exact]
            net = boxes.nets[0].reshape(-1)
            off = max(abs(mpmath.mpf(float(a)) - b) for a, b in zip(net, scaled, strict=True))
            budget = branch.rounding + halvings * branch.per_halving
            assert 0 < off <= budget
            worst = max(worst, float(off / budget))
            side = int(rng.integers(2))
            boxes = branch._in_halves(boxes, 0, width)[side]
            width, half = width / 2, half / 2
            centre += (2 * side - 1) * half
    assert worst > 1e-4, "a budget that is far too large would make every proof loose"
    assert branch.rounding < 1e-10


def test_a_bound_on_a_wave_is_one_on_every_function_within_its_slack() -> None:
    box = Box(np.array([0.5]), np.array([1.0]), np.zeros(1, bool))
    wave = turning(1, 0)
    loose = Wave(wave.k, wave.p, wave.c, slack=0.01)
    found = range_of(loose, box, 0.05)
    assert found.lower <= np.cos(1.0) - 0.01
    assert found.upper >= np.cos(0.5) + 0.01
    branch = Branch(None, [loose], box)
    assert np.ldexp(branch.bounded(branch.first())[0].min(), branch.exponent) <= -np.cos(0.5) - 0.01


@pytest.mark.parametrize("shift", [-3.0, 0.0, 3.0])
def test_the_bound_of_a_whole_box_holds_before_any_search_whatever_the_signs(shift: float) -> None:
    """base - |w1| - |w2| with magnitudes of functions that are negative, positive or both."""
    base, first, second = turning(2, 0), turning(2, 1) + shift, turning(2, 0, 0.5j) - shift
    box = Box(np.array([-1.0, -0.8]), np.array([0.9, 1.0]), np.zeros(2, bool))
    q = np.stack(np.meshgrid(np.linspace(-1.0, 0.9, 191), np.linspace(-0.8, 1.0, 181)), -1).reshape(-1, 2)
    for plain, magnitudes in ((base, [first]), (base, [first, second]), (None, [first]), (None, [first, second])):
        branch = Branch(plain, magnitudes, box)
        values = (plain(q) if plain is not None else 0.0) - sum(np.abs(w(q)) for w in magnitudes)
        assert np.ldexp(branch.bounded(branch.first())[0].min(), branch.exponent) <= values.min() + 1e-12
        worst = int(values.argmax())
        found = branch.least(float(values[worst]), q[worst], 1e-3, 1e8)
        assert found.bound <= values.min() + 1e-12
        assert values.min() <= found.bound + 2e-3


def test_a_function_is_proved_not_to_be_negative_only_if_it_is_not() -> None:
    box = Box(np.array([-1.0]), np.array([1.0]), np.zeros(1, bool))
    for value, never in ((1.0, True), (-1.0, False)):
        assert Branch(constant(value, 1), (), box).never_negative(1e6) is never
    assert Branch(turning(1, 0) - 0.5, (), box).never_negative(1e6)
    assert not Branch(turning(1, 0) - 0.6, (), box).never_negative(1e6)


def narrow(n: int, centre: np.ndarray, half: float) -> Box:
    return Box(centre - half, centre + half, np.zeros(n, bool))


@pytest.mark.parametrize("seed", [2, 3, 5])
def test_the_bound_of_a_small_box_holds_and_gets_better_with_the_square_of_its_width(seed: int) -> None:
    model = CoefficientWaves(random_arm(seed, 3))
    wave = next(w for w in (model.wave(name) for name in ("D11", "D12", "G1", "G2")) if len(w.joints) > 1)
    rng = np.random.default_rng(seed)
    centre = rng.uniform(-1, 1, 3)
    gaps = []
    for half in (0.2, 0.1, 0.05):
        box = narrow(3, centre, half)
        branch = Branch(wave, (), box)
        lowest = float(np.ldexp(branch.bounded(branch.first())[0].min(), branch.exponent))
        values = wave(box.samples(20_000, seed))
        assert lowest <= values.min()
        fine = np.stack(np.meshgrid(*(np.linspace(a, b, 21) for a, b in zip(box.lower, box.upper, strict=True))), -1)
        gaps.append(max(float(wave(fine).min()) - lowest, 1e-12))
    assert gaps[2] <= gaps[0] / 8 or gaps[2] < 1e-9


@pytest.mark.parametrize("seed", [2, 4])
def test_sums_of_magnitudes_are_bounded_by_what_no_sample_exceeds(seed: int) -> None:
    arm = random_arm(seed, 3)
    model = CoefficientWaves(arm)
    box = Box(np.full(3, -1.2), np.full(3, 1.4), np.zeros(3, bool))
    waves = [w for w in (model.wave(name) for name in ("D12", "D13", "G1", "C112")) if len(w)]
    q = box.samples(100_000, seed)
    total = sum(np.abs(w(q)) for w in waves)
    best = int(total.argmax())
    found = Branch(None, waves, box).least(-float(total[best]), q[best], 0.01 * float(total[best]), 1e9)
    assert -found.bound >= total.max()
    assert -found.bound <= 1.02 * -found.value
    assert np.isclose(-found.value, sum(abs(float(w(found.at))) for w in waves))


def test_what_is_trimmed_stays_below_what_was_allowed() -> None:
    wave = CoefficientWaves(random_arm(3, 4)).wave("D11")
    box = Box(np.full(4, -1.0), np.full(4, 1.0), np.zeros(4, bool))
    amount = 0.05 * wave.most(box.reach)
    small, rest = trimmed(wave, box, amount)
    q = box.samples(5000)
    assert len(small) < len(wave)
    assert np.abs(wave(q) - small(q)).max() <= rest <= amount


def test_what_is_trimmed_from_a_proof_is_taken_off_its_bound() -> None:
    """cos(q) is least at the end of the box, where the trimmed - 0.001 cos(5 q) lowers it further."""
    k = np.array([[1], [5]])
    wave = Wave(k, np.zeros_like(k), np.array([1.0, -1e-3], complex))
    box = Box(np.array([0.5]), np.array([1.0]), np.zeros(1, bool))
    assert len(trimmed(wave, box, 0.1 / 8)[0]) == 1
    found = range_of(wave, box, 0.1)
    assert found.lower <= np.cos(1.0) - 1e-3 * np.cos(5.0)
    assert found.upper >= wave(box.samples(1000)).max()


def test_work_that_runs_out_leaves_a_true_if_wider_bound() -> None:
    wave = CoefficientWaves(random_arm(1, 5, kinds=("revolute",))).wave("D11")
    box = Box(np.full(5, -np.pi), np.full(5, np.pi), np.ones(5, bool))
    q = box.samples(20_000)
    values = wave(q)
    best = int(values.argmin())
    bounds = [Branch(wave, (), box).least(float(values[best]), q[best], 1e-6, work).bound for work in (0, 3e6, 3e7)]
    assert bounds[0] <= bounds[1] <= bounds[2] <= values.min()
    assert bounds[0] < bounds[2]


@pytest.mark.parametrize("seed", [2, 3, 6])
def test_a_joint_that_is_held_and_one_that_slides_through_zero_are_bounded_like_any_other(seed: int) -> None:
    model = CoefficientWaves(random_arm(seed, 4))
    box = Box(np.array([-2.0, 0.4, -0.5, -3.0]), np.array([2.5, 0.4, 0.8, 3.0]), np.zeros(4, bool))
    for name in ("D11", "D12", "D22", "G1", "G2"):
        wave = model.wave(name)
        found = range_of(wave, box)
        values = wave(box.samples(30_000, seed))
        assert found.certified
        assert found.lower <= values.min()
        assert values.max() <= found.upper
        assert found.at_minimum[1] == found.at_maximum[1] == 0.4

"""Sums whose factors are squares and products of speeds: bounds hold for all of them, and know which signs exclude each
other.
"""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement

import flint
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalembert.bounds.box import Box
from dalembert.bounds.compiled_grid import CompiledGridSearch, searched
from dalembert.bounds.grid import SumOfMagnitudes, largest_sum
from dalembert.bounds.grid_search import GridSearch
from dalembert.bounds.products import MOST_SIGNED, Factor, SpeedProducts, products
from dalembert.bounds.waves import Wave, collected
from dalembert.compile import build
from dalembert.reduction.certify import together


def factors_of(speeds: int) -> list[Factor]:
    """Those of a torque with so many speeds and two accelerations."""
    return [(), None, None, *combinations_with_replacement(range(speeds), 2)]


def plain(factors: list[Factor]) -> SpeedProducts:
    found = products([[(factor, 1.0)] for factor in factors], np.ones(len(factors)))
    assert found is not None
    return found


def sums(factors: list[Factor], values: np.ndarray, x: np.ndarray) -> np.ndarray:
    """|sum y w| with the best free factors, for values (waves, points) and speeds (states, speeds)."""
    free = [row for row, factor in enumerate(factors) if factor is None]
    fixed = [row for row, factor in enumerate(factors) if factor is not None]
    y = np.array([np.prod([x[:, j] for j in factors[row] or ()], axis=0) * np.ones(len(x)) for row in fixed])
    return np.abs(values[free]).sum(axis=0) + np.abs(y.T @ values[fixed])


def best_speeds(factors: list[Factor], values: np.ndarray, speeds: int, rng: np.random.Generator) -> float:
    """The largest sum at one position: one speed after the other is set where it is largest, from many starts."""
    form, g = np.zeros((speeds, speeds)), 0.0
    for factor, value in zip(factors, values, strict=True):
        if factor == ():
            g += value
        elif factor is not None:
            form[factor[0], factor[1]] += value / 2
            form[factor[1], factor[0]] += value / 2
    best = abs(g)
    for sign in (1, -1):
        x = rng.choice([-1.0, -0.3, 0.0, 0.3, 1.0], (300, speeds))
        for j in [*range(speeds)] * 12:
            slope, bend = 2 * sign * (x @ form[j] - form[j, j] * x[:, j]), sign * form[j, j]
            x[:, j] = np.clip(-slope / (2 * bend), -1, 1) if bend < 0 else np.where(slope >= 0, 1, -1)
        best = max(best, float((sign * (g + np.einsum("pi,ij,pj->p", x, form, x))).max()))
    return best + float(np.abs(values[[row for row, factor in enumerate(factors) if factor is None]]).sum())


@given(st.integers(1, MOST_SIGNED), st.integers(0, 2**32 - 1))
def test_no_speeds_give_more_than_the_largest_sum_and_some_come_near(speeds: int, seed: int) -> None:
    rng, factors = np.random.default_rng(seed), factors_of(speeds)
    values = rng.normal(size=(len(factors), 6)) * 10.0 ** rng.integers(-3, 1, (len(factors), 6))
    bound, attained = plain(factors).largest(values.T)
    corners = sums(factors, values, rng.choice([-1.0, 1.0], (200, speeds)))
    assert np.all(corners.max(axis=0) <= attained * (1 + 1e-12))
    for point in range(values.shape[1]):
        most = best_speeds(factors, values[:, point], speeds, rng)
        assert attained[point] <= most * (1 + 1e-12)
        assert most <= bound[point] * (1 + 1e-12)
        squares = [abs(values[row, point]) for row, f in enumerate(factors) if f and f[0] == f[1]]
        # a quarter of all squares but the largest, and those that are too little to be looked at
        allowed = (sum(squares) - max(squares)) / 4 + 0.002 * speeds * np.abs(values[:, point]).sum()
        assert bound[point] <= most + allowed + 1e-12


def test_signs_of_products_exclude_each_other() -> None:
    """x1 x2 + x2 x3 - x1 x3 is between -3 and 1: with a load of 1 at most 2 in magnitude, not 4."""
    three: list[Factor] = [(), (0, 1), (1, 2), (0, 2)]
    values = np.array([[1.0, 1.0, 1.0, -1.0], [-1.0, 1.0, 1.0, -1.0], [1.0, 1.0, 1.0, 1.0], [0.5, 1.0, 1.0, -1.0]])
    assert plain(three).largest(values)[0] == pytest.approx([2.0, 4.0, 4.0, 2.5])
    # x1^2 with a load of its own sign, and of the other one
    load: list[Factor] = [(), (0, 0)]
    assert plain(load).largest(np.array([[1.0, -1.0], [1.0, 1.0], [-1.0, 3.0]]))[0] == pytest.approx([1.0, 2.0, 2.0])
    # 2 x1 x2 - x1^2 - x2^2 = -(x1 - x2)^2 is never above zero, and four where the signs differ
    assert plain([(0, 0), (1, 1), (0, 1)]).largest(np.array([[-1.0, -1.0, 2.0]]))[0][0] == pytest.approx(4.0)


@given(st.integers(1, MOST_SIGNED), st.integers(0, 2**32 - 1))
def test_with_one_square_that_bends_downwards_the_bound_is_attained(speeds: int, seed: int) -> None:
    """By a speed below its limit, where corners are less."""
    rng, factors = np.random.default_rng(seed), factors_of(speeds)
    values = rng.uniform(-1, 1, len(factors))
    values[0] = 20.0  # the load has the sign of the largest sum
    for row, factor in enumerate(factors):
        if factor and factor[0] == factor[1]:
            values[row] = rng.uniform(-2, -1) if factor[0] == 0 else abs(values[row])
    bound, attained = plain(factors).largest(values[None])
    assert attained[0] == pytest.approx(bound[0], rel=1e-12)
    assert attained[0] <= best_speeds(factors, values, speeds, rng) * (1 + 1e-12)


def test_free_factors_and_second_waves_of_a_factor_count_with_their_magnitudes() -> None:
    assert products([[(None, 1.0)], [(None, 1.0)]], np.ones(2)) is None
    assert products([[((0, 1), 1.0)], [(None, 1.0)]], np.ones(2)) is None
    assert plain([(0, 1), (0, 1), ()]).largest(np.array([[1.0, -1.0, 0.5]]))[0][0] == pytest.approx(2.5)
    many: list[Factor] = [*combinations(range(MOST_SIGNED + 2), 2)]
    values = np.random.default_rng(3).normal(size=(1, len(many)))
    corners = np.random.default_rng(4).choice([-1.0, 1.0], (4000, MOST_SIGNED + 2))
    bound = plain(many).largest(values)[0][0]
    assert sums(many, values.T, corners).max() <= bound < np.abs(values).sum()


def test_parts_of_one_wave_have_the_signs_they_have() -> None:
    """Half of a wave with x1^2 and minus half of it with 1: together at most half of it; so the other way round."""
    for sign in (1, -1):
        found = products([[((0, 0), 0.5 * sign), ((), -0.5 * sign)]], np.ones(1))
        assert found is not None
        assert found.largest(np.array([[1.0], [-3.0]]))[0] == pytest.approx([0.5, 1.5])


def random_question(
    rng: np.random.Generator, joints: int, factors: list[Factor], slides: bool
) -> tuple[list[Wave], Box]:
    waves = []
    for _ in factors:
        k, p = rng.integers(-2, 3, (8, joints)), np.zeros((8, joints), np.int64)
        if slides:
            k[:, -1], p[:, -1] = 0, rng.integers(0, 3, 8)
        waves.append(collected(k, p, rng.normal(size=8) + 1j * rng.normal(size=8)))
    middle, half = rng.uniform(-2, 2, joints), rng.uniform(0.2, 1.5, joints)
    return waves, Box(middle - half, middle + half, np.zeros(joints, bool))


def climbed(waves: list[Wave], factors: list[Factor], speeds: int, box: Box, rng: np.random.Generator) -> float:
    """A sum near the largest, over positions and speeds, by random steps that shrink."""

    def value(state: np.ndarray) -> np.ndarray:
        values = np.array([wave(state[:, speeds:]) for wave in waves])
        x = state[:, :speeds]
        y = np.array([np.ones(len(x)) if not f else np.prod([x[:, j] for j in f], axis=0) for f in factors])
        free = np.array([f is None for f in factors])
        return np.abs(values[free]).sum(axis=0) + np.abs((y[~free] * values[~free]).sum(axis=0))

    low, high = np.r_[-np.ones(speeds), box.lower], np.r_[np.ones(speeds), box.upper]
    state = rng.uniform(low, high, (6000, len(low)))
    state[:3000, :speeds] = np.sign(state[:3000, :speeds])
    for step in 0.5 * 0.8 ** np.arange(32):
        state = state[np.argsort(-value(state))[:60]]
        near = np.repeat(state, 20, axis=0)
        moved = step * (high - low) * rng.standard_normal(near.shape) * (rng.random(near.shape) < 0.5)
        state = np.concatenate([state, np.clip(near + moved, low, high)])
    return float(value(state).max())


@pytest.mark.parametrize("slides", [False, True])
@pytest.mark.parametrize("compiled", [False, True])
def test_no_state_exceeds_a_bound_on_grids_and_some_come_near(
    slides: bool, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if compiled:
        monkeypatch.delenv(build.SWITCH, raising=False)
    else:
        monkeypatch.setenv(build.SWITCH, "0")
    rng, factors = np.random.default_rng(7 + slides), factors_of(5)
    waves, box = random_question(rng, 2, factors, slides)
    top = climbed(waves, factors, 5, box, rng)
    found = largest_sum(waves, box, 0.5 * top, 0.03, 1e9, products=plain(factors))
    assert top <= found.bound <= 1.06 * top
    assert found.bound < 0.97 * largest_sum(waves, box, 0.5 * top, 0.03, 1e9).bound
    assert top <= together(waves, factors, box).bound <= 1.08 * top


@pytest.mark.parametrize("compiled", [False, True])
def test_a_sum_that_is_largest_below_the_limits_of_speeds_is_bounded_on_grids(
    compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sixth above all corners, and far below the sum of the magnitudes: gaps are counted from what speeds attain."""
    if compiled:
        monkeypatch.delenv(build.SWITCH, raising=False)
    else:
        monkeypatch.setenv(build.SWITCH, "0")
    factors: list[Factor] = [(), *combinations_with_replacement(range(3), 2)]
    sizes = {
        (): 0.0056,
        (0, 0): 0.0696,
        (1, 1): 0.0186,
        (2, 2): -0.0504,
        (0, 1): 0.0039,
        (0, 2): -0.0056,
        (1, 2): -0.033,
    }
    values = np.array([sizes[factor] for factor in factors if factor is not None])
    k, p, box = np.array([[0], [1]]), np.zeros((2, 1), np.int64), Box(np.zeros(1), np.array([0.01]), np.zeros(1, bool))
    waves = [collected(k, p, np.array([0.9 * value, 0.1 * value], complex)) for value in values]
    top, corners = (
        best_speeds(factors, values, 3, np.random.default_rng(3)),
        plain(factors).largest(values[None], 1.0)[1],
    )
    assert top > 1.16 * corners[0]
    found = together(waves, factors, box)
    assert top * (1 - 1e-5) <= found.bound <= 1.04 * top
    assert found.attained == pytest.approx(top, rel=1e-5)


@pytest.mark.parametrize("speeds", range(1, MOST_SIGNED + 1))
def test_numpy_and_machine_code_find_the_same_sums(speeds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(build.SWITCH, raising=False)
    if not build.available():
        pytest.skip("no C compiler")
    for seed in range(24 if speeds == MOST_SIGNED else 6):
        rng, factors = np.random.default_rng(seed), factors_of(speeds)
        waves, box = random_question(rng, 1, factors, False)
        question = SumOfMagnitudes(waves, box, plain(factors))
        code, numpy = searched(question.grid()), GridSearch(question.grid())
        assert isinstance(code, CompiledGridSearch)
        for search in (code, numpy):
            search.climb()
        assert code.best == pytest.approx(numpy.best, rel=1e-5)
        turned = searched(SumOfMagnitudes([-wave for wave in waves], box, plain(factors)).grid())
        turned.climb()
        assert turned.best == pytest.approx(code.best, rel=1e-5)
        # knots may be a little above what any speeds attain: the bound is near the largest of theirs
        q = np.linspace(box.lower, box.upper, 500)
        top = plain(factors).largest(np.array([wave(q) for wave in waves]).T)[0].max()
        for search in (code, numpy):
            assert search.show(1.02 * top, 1e8)
            assert not search.show(0.98 * code.best, 1e8)


def test_values_with_factors_are_within_their_budget_by_sixty_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums at points of a grid with their allowance, against balls of 200 bits and every corner."""
    rng, factors = np.random.default_rng(5), factors_of(3)
    waves, box = random_question(rng, 2, factors, False)
    question = SumOfMagnitudes(waves, box, plain(factors))
    search = GridSearch(question.grid())
    monkeypatch.setattr(flint.ctx, "prec", 200)
    corners = np.array(np.meshgrid(*([-1, 0, 1],) * 3)).reshape(3, -1).T
    for row in rng.integers(0, 20, (15, 2)):
        net, q = question.tensor[None], [flint.arb(0)] * 2
        for axis, at in zip(question.axes, row, strict=True):
            x = axis.grids[23][0]
            net = search._at_points(net, axis.basis(x[at : at + 1]).astype(np.float32))
            q[axis.joint] = flint.arb(float(x[at]))
        bound = search._below(net, 2, 0.0, np.ones(1))[0][0]
        values = [_value(wave, q) for wave in waves]
        free = sum((abs(v) for f, v in zip(factors, values, strict=True) if f is None), flint.arb(0))
        for x in corners.tolist():
            moving = sum(
                (v * int(np.prod([x[j] for j in f])) for f, v in zip(factors, values, strict=True) if f is not None),
                flint.arb(0),
            )
            assert free + abs(moving) <= flint.arb(float(bound))


def _value(wave: Wave, q: list[flint.arb]) -> flint.arb:
    total = flint.arb(0)
    for k, c in zip(wave.k, wave.c, strict=True):
        angle = sum((int(n) * x for n, x in zip(k, q, strict=True)), flint.arb(0))
        total += flint.arb(float(c.real)) * angle.cos() - flint.arb(float(c.imag)) * angle.sin()
    return total

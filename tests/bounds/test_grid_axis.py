"""Grids of one joint: no function exceeds its raised values at the points by more than is allowed for."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.bounds.grid_axis import CELLS, WIDEST, GridAxis, unmatched

FINE = 2_001


def random_axis(rng: np.random.Generator, degree: int) -> GridAxis:
    """An angle that goes all the way round, or between limits."""
    if rng.random() < 0.4:
        return GridAxis(0, degree, False, -np.pi, np.pi, True)
    low = rng.uniform(-4, 4)
    return GridAxis(0, degree, False, low, low + rng.uniform(0.05, 6.0), False)


def random_function(rng: np.random.Generator, degree: int) -> np.ndarray:
    """Coefficients of 1, cos x, sin x, ..., orders of very different weight."""
    return rng.normal(size=2 * degree + 1) * np.repeat(10.0 ** rng.uniform(-2, 0, degree + 1), 2)[1:]


def above_the_points(axis: GridAxis, coefficients: np.ndarray, table: np.ndarray) -> float:
    """By how much a function exceeds the largest entry of its table."""
    x = np.linspace(axis.low, axis.low + axis.length, FINE)
    return float((axis.basis(x) @ coefficients).max() - (table @ coefficients).max())


def allowed(axis: GridAxis, cells: int, coefficients: np.ndarray) -> float:
    moduli = np.hypot(coefficients[1::2], coefficients[2::2])
    return axis.lost(cells) * float(moduli @ axis.weights[1:])


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_no_function_is_above_its_raised_values_by_more_than_is_lost(degree: int) -> None:
    rng = np.random.default_rng(degree)
    for _ in range(400):
        axis, coefficients = random_axis(rng, degree), random_function(rng, degree)
        usable = CELLS[degree * axis.length / CELLS / 2 <= WIDEST]
        cells = int(rng.choice(usable[:8]))
        most = allowed(axis, cells, coefficients)
        over = above_the_points(axis, coefficients, axis.table(cells))
        assert over <= most + 1e-9 * np.abs(coefficients).sum()


def test_without_raised_functions_it_would_not_hold() -> None:
    rng = np.random.default_rng(5)
    axis, missed = GridAxis(0, 2, False, -np.pi, np.pi, True), 0
    for _ in range(300):
        coefficients = random_function(rng, 2)
        over = above_the_points(axis, coefficients, axis.basis(axis.points(14)))
        missed += over > allowed(axis, 14, coefficients) + 1e-9
    assert missed > 0


def test_flat_maxima_are_above_the_raised_values_and_within_what_is_lost() -> None:
    """m cos x + 2 sin x - sin 2x is about m - m x^2 / 2 + x^3: of a short range the top may be all but flat."""
    rng, bare, closest = np.random.default_rng(6), 0, 0.0
    for _ in range(2000):
        low, length, side = -rng.uniform(0, 0.8), rng.uniform(0.05, 1.0), rng.choice([-1.0, 1.0])
        axis, cells = GridAxis(0, 2, False, low, low + length, False), int(rng.integers(2, 4))
        coefficients = np.array([0.0, 10 ** rng.uniform(-2.5, 0.3), 2 * side, 0.0, -side])
        over, most = above_the_points(axis, coefficients, axis.table(cells)), allowed(axis, cells, coefficients)
        assert over <= most + 1e-12
        bare, closest = bare + (over > 1e-6), max(closest, over / most)
    assert bare > 5
    assert closest > 0.2


def test_the_ends_of_a_range_are_seen_as_they_are() -> None:
    """A parabola that opens upwards is largest at an end, where raised functions are less than it is."""
    axis, coefficients = GridAxis(0, 1, False, np.pi - 0.8, np.pi + 0.8, False), np.array([1.0, 0.7, 0.0])
    table = axis.table(4)
    assert (table @ coefficients).max() >= 1 + 0.7 * np.cos(np.pi - 0.8) - 1e-12
    assert (table[1:-1] @ coefficients).max() < 1 + 0.7 * np.cos(np.pi - 0.8)


def test_one_wave_is_met_exactly_in_the_middle_of_its_points() -> None:
    """1 / cos(kh/2) is what it takes."""
    for k, cells in ((1, 7), (2, 14), (3, 21)):
        axis = GridAxis(0, k, False, -np.pi, np.pi, True)
        coefficients = np.zeros(2 * k + 1)
        coefficients[-2] = 1.0
        assert ((axis.table(cells) @ coefficients).max()) >= 1.0 - 1e-12


def test_what_is_left_over_is_of_third_order() -> None:
    for k in (2, 3, 4):
        coarse, fine = unmatched(k, 0.02), unmatched(k, 0.01)
        assert coarse / fine == pytest.approx(8.0, rel=0.05)
        exact = (k**3 - k) * 0.01**3 / 24 * 2 / 3**1.5
        assert exact <= fine <= 1.05 * exact


def test_a_sliding_position_is_interpolated() -> None:
    axis = GridAxis(0, 2, True, -0.5, 1.0, False)
    coefficients = np.array([0.3, 0.4, -0.8])
    x = np.linspace(-0.5, 1.0, FINE)
    for cells in (1, 2, 5):
        over = (axis.basis(x) @ coefficients).max() - (axis.table(cells) @ coefficients).max()
        assert over <= axis.lost(cells) * 2 * 0.8

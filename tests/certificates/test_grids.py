"""What grids show holds everywhere: between their points, for all speeds, and to the last digit of rounding."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from dalembert.arm.errors import ArmError
from dalembert.certificates.grid_growth import GridGrowth
from dalembert.certificates.grids import ROOM, ErrorAxis, ErrorGrid, GridProof, cells_of, largest_error, magnitudes
from dalembert.certificates.nets import Variable
from exact_series import at, random_series, two_turns_and_a_slide

KEYS = [
    ("D", 0, 0),
    ("D", 0, 1),
    ("G", 0),
    ("C", 0, 0, 0),
    ("C", 0, 1, 1),
    ("C", 0, 0, 1),
    ("C", 0, 0, 2),
    ("C", 0, 1, 2),
]


def some_functions(seed, count, terms=6):
    rng, variables = np.random.default_rng(seed), two_turns_and_a_slide()
    return rng, variables, [random_series(rng, variables, terms) for _ in range(count)]


def positions(variables, rng, count):
    low, width = ([float(getattr(v, name).mid()) for v in variables] for name in ("lower", "width"))
    return np.array(low) + np.array(width) * rng.uniform(1e-9, 1 - 1e-9, (count, len(low)))


def exact(bound):
    return fmpq(*float(bound).as_integer_ratio())


@pytest.mark.parametrize("width", [0, 1e-200, 1e-9])
def test_a_slide_that_hardly_moves_has_a_curvature(width):
    axis = ErrorAxis(Variable(0, arb(0), arb(width), 3, True))
    assert axis.reach >= width
    assert np.all(np.isfinite(axis.bend))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("known", [False, True])
def test_no_sum_of_magnitudes_is_above_what_a_grid_shows(seed, known):
    rng, variables, functions = some_functions(seed, 3)
    grid = ErrorGrid.of(functions, variables)
    bends = [np.inf] * 3
    if known:
        for axis in range(3):
            curved = grid.curved(axis)
            most = 0.8 * float(curved.moduli(0, curved.tensor[None])[0][0])
            levels = GridGrowth(curved, np.full(3, np.inf), magnitudes, 1e6).levels(most)
            if levels is not None:
                GridProof(curved, levels, [np.inf] * 3, magnitudes).verify(exact(most))
                bends[axis] = most
    most, shown = float(grid.moduli(0, grid.tensor[None])[0][0]), None
    while (levels := GridGrowth(grid, np.array(bends), magnitudes, 3e5).levels(0.97 * most)) is not None:
        most, shown = 0.97 * most, levels
    assert shown is not None
    assert GridProof(grid, shown, bends, magnitudes).verify(exact(most)) > 1
    values = [sum(abs(at(f, q, variables)) for f in functions) for q in positions(variables, rng, 60)]
    assert all(value <= arb(most) for value in values)
    # what is claimed and not shown is refused
    with pytest.raises(ArmError, match="a part of the box shows"):
        GridProof(grid, shown, bends, magnitudes).verify(exact(0.9 * most))


def test_values_at_the_ends_of_cells_are_right_to_the_error_allowed():
    _, variables, functions = some_functions(5, 2)
    grid = ErrorGrid.of(functions, variables)
    net, cells = grid.tensor, (7, 5, 3)
    for axis, count in zip(grid.axes, cells, strict=True):
        net = np.moveaxis(np.tensordot(axis.table(count), net, (1, 0)), 0, -2)
    worst = 0.0
    with ctx.workprec(200):
        for place in product(*(range(count + 1) for count in cells)):
            q = [v.lower + v.width * i / count for v, i, count in zip(variables, place, cells, strict=True)]
            off = sum(
                (abs(at(f, q, variables) - arb(float(net[(*place, k)]))) for k, f in enumerate(functions)), arb(0)
            )
            assert off < arb(grid.allowed)
            worst = max(worst, float(off.mid()))
    assert worst < grid.allowed < 1e-12 * float(np.abs(grid.tensor).sum())


def second(series, axis, slides):
    found = {}
    for k, (re, im) in series.items():
        factor = k[axis] * (k[axis] - 1) if slides else -(k[axis] ** 2)
        if factor:
            less = 2 if slides else 0
            found[(*k[:axis], k[axis] - less, *k[axis + 1 :])] = re * factor, im * factor
    return found


@pytest.mark.parametrize("axis", range(3))
def test_curved_grids_have_the_second_derivatives_in_magnitude(axis):
    _, variables, functions = some_functions(7, 3)
    found = ErrorGrid.of(functions, variables).curved(axis)
    other = ErrorGrid.of([second(f, axis, variables[axis].slides) for f in functions], variables)
    assert np.abs(found.tensor) == pytest.approx(np.abs(other.tensor), rel=1e-12, abs=1e-12)
    assert found.allowed >= np.abs(np.abs(found.tensor) - np.abs(other.tensor)).sum()


@pytest.mark.parametrize("seed", range(20))
def test_no_state_has_a_larger_error_than_the_largest(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(1, len(KEYS))) * 10.0 ** rng.uniform(-2, 1, len(KEYS))
    most = float(largest_error(KEYS)(values, np.array([-np.inf]))[0])
    assert most <= np.abs(values).sum()
    x = rng.uniform(-1, 1, (4000, 3))
    x[2000:] = np.sign(x[2000:]) * (np.abs(x[2000:]) > 0.3)
    factors = [rng.choice([-1, 1], 4000), rng.choice([-1, 1], 4000), np.ones(4000)]
    factors += [x[:, key[2]] * x[:, key[3]] for key in KEYS[3:]]
    assert np.abs(np.array(factors).T @ values[0]).max() <= ROOM * most
    none = largest_error(KEYS[:3])(values[:, :3], np.array([-np.inf]))
    assert none == pytest.approx(np.abs(values[:, :3]).sum())


def test_speeds_that_cannot_all_be_against_each_other_make_an_error_smaller():
    """Of x1 x2, x2 x3 and -x1 x3 one is at least as much below zero as another is above it."""
    keys = [("G", 0), ("C", 0, 0, 1), ("C", 0, 1, 2), ("C", 0, 0, 2)]
    assert largest_error(keys)(np.array([[2.0, 1.0, 1.0, -1.0]]), np.zeros(1)) == pytest.approx(3.0)
    # -x^2 + x y is a quarter at most: knots show it, corners do not
    keys = [("G", 0), ("C", 0, 0, 0), ("C", 0, 0, 1)]
    assert largest_error(keys)(np.array([[10.0, -1.0, 1.0]]), np.zeros(1)) == pytest.approx(10.25)


def test_what_is_no_number_shows_nothing():
    _, variables, functions = some_functions(1, 2)
    grid = ErrorGrid.of(functions, variables)
    grid.tensor[0] = np.nan
    for levels in ([".", "", ""], ["/", "..", ""]):
        with pytest.raises(ArmError):
            GridProof(grid, levels, [np.inf] * 3, magnitudes).verify(fmpq(10**9))


def test_symbols_stand_for_numbers_of_cells():
    assert cells_of("./9~").tolist() == [0, 1, 11, 220]
    for wrong in ("-", "\x7f"):
        with pytest.raises(ArmError, match="symbol"):
            cells_of(wrong)


@pytest.mark.parametrize("cells", [1, 3, 5, 9])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_maximum_between_the_points_of_a_grid_is_not_overlooked(cells, order):
    """cos kx over +- 0.5, whose largest value is at zero: what lies below it is refused, what lies above it shown."""
    half = fmpq(1, 2)
    functions = [{(order,): (half, fmpq(0)), (-order,): (half, fmpq(0))}]
    grid = ErrorGrid.of(functions, [Variable(0, arb(-0.5), arb(1), order, False)])
    nearest = float(np.cos(order * 0.5 / cells))
    proof = GridProof(grid, [chr(ord(".") + cells)], [np.inf], magnitudes)
    with pytest.raises(ArmError, match="a part of the box shows"):
        proof.verify(exact((1 + nearest) / 2))
    with pytest.raises(ArmError, match="a part of the box shows"):
        proof.verify(exact(1 - 1e-6))
    assert proof.verify(exact(nearest + order**2 / cells**2 / 8 + 1e-6)) == cells + 1

"""What grids show holds everywhere: between their points, at open joints, and to the last digit of rounding."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from dalembert.arm.errors import ArmError
from dalembert.certificates.grid_growth import GridGrowth
from dalembert.certificates.grids import (
    CELLS,
    LOST,
    WHOLE,
    CellAxis,
    Division,
    FunctionGrid,
    GridProof,
    exact,
    magnitudes,
    value,
)
from exact_series import at, random_series, two_turns_and_a_slide

SYMBOLS = {n: symbol for symbol, n in CELLS.items()}


def some_functions(seed, count, terms=6):
    rng, axes = np.random.default_rng(seed), two_turns_and_a_slide()
    return rng, axes, [random_series(rng, axes, terms) for _ in range(count)]


def positions(axes, rng, count):
    low, width = ([float(getattr(axis, name).mid()) for axis in axes] for name in ("lower", "range"))
    return np.array(low) + np.array(width) * rng.uniform(1e-9, 1 - 1e-9, (count, len(low)))


@pytest.mark.parametrize("width", [0, 1e-200, 1e-9])
def test_a_slide_that_hardly_moves_has_a_curvature(width):
    axis = CellAxis(0, arb(0), arb(width), 3, True)
    assert axis.reach >= width
    assert axis.width <= 2
    assert np.all(np.isfinite(axis.bend))


def test_a_slide_has_one_reach_at_every_precision():
    """Coefficients are multiplied by its powers and positions are divided by it, in balls of other precisions."""
    for low, width in ((fmpq(1, 3), fmpq(2, 7)), (fmpq(-5, 9), fmpq(1, 11)), (fmpq(0), fmpq(10, 3))):
        with ctx.workprec(128):
            axis = CellAxis(0, arb(low), arb(width), 9, True)
        reaches = set()
        for bits in (53, 64, 128, 400):
            with ctx.workprec(bits):
                reaches.add(axis.reach)
        [reach] = reaches
        assert exact(reach) >= max(abs(low), abs(low + width))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("measure", [magnitudes, value])
def test_nothing_is_above_what_a_grid_shows(seed, measure):
    rng, axes, functions = some_functions(seed, 3 if measure is magnitudes else 1)
    grid = FunctionGrid.of(functions, axes)
    nets = grid.tensor[None]
    most = float(grid.open_bound(nets, grid.moduli(0, nets)[0], np.zeros(1), measure)[0])
    shown, step = None, 0.03 * abs(most)
    while (words := GridGrowth(grid, measure, 3e5).words(most - step)) is not None:
        most, shown = most - step, words
    assert shown is not None
    assert GridProof(grid, shown, measure).verify(exact(most)) > 1
    for q in positions(axes, rng, 60):
        values = [at(f, q, axes) for f in functions]
        assert sum(map(abs, values), arb(0)) <= arb(most) if measure is magnitudes else values[0] <= arb(most)
    # what is claimed and not shown is refused
    with pytest.raises(ArmError, match="a part of the box shows"):
        GridProof(grid, shown, measure).verify(exact(most - 3 * step))


def test_bounds_close_in_on_the_function():
    """To a millionth of its size, at an end of the box and inside of it, with cells of very different widths."""
    rng, axes, (function,) = some_functions(3, 1)
    grid = FunctionGrid.of([function], axes)
    low, high = (np.array([float((a.lower + a.range * end).mid()) for a in axes]) for end in (0, 1))
    q = positions(axes, rng, 400)
    for narrowed in range(12):
        values = np.array([float(at(function, x, axes).mid()) for x in q])
        best = q[np.argsort(-values)[:20]]
        q = np.repeat(best, 20, axis=0) + rng.normal(0, 0.3 * 0.5**narrowed, (400, 3)) * (high - low)
        q = np.clip(q, low, high)
        q[:20] = best
    largest = max(float(at(function, x, axes).mid()) for x in q)
    words = GridGrowth(grid, value, 1e7).words(largest + 1e-6 * float(np.abs(grid.tensor).sum()))
    assert words is not None
    widths = {CELLS[symbol] for symbol in words[0]}
    assert max(widths) > 20 * min(widths)
    GridProof(grid, words, value).verify(exact(largest + 1.0001e-6 * float(np.abs(grid.tensor).sum())))


def test_values_at_the_ends_of_cells_are_right_to_the_rounding_allowed():
    _, axes, functions = some_functions(5, 2)
    grid = FunctionGrid.of(functions, axes)
    net, cells = grid.tensor, (7, 5, 3)
    for axis, count in zip(grid.axes, cells, strict=True):
        table = axis.table(np.arange(count + 1) * (WHOLE // count))
        net = np.moveaxis(np.tensordot(table, net, (1, 0)), 0, -2)
    worst = 0.0
    with ctx.workprec(200):
        for place in product(*(range(count + 1) for count in cells)):
            q = [axis.lower + axis.range * i / count for axis, i, count in zip(axes, place, cells, strict=True)]
            off = sum((abs(at(f, q, axes) - arb(float(net[(*place, k)]))) for k, f in enumerate(functions)), arb(0))
            assert off < arb(grid.rounding)
            worst = max(worst, float(off.mid()))
    assert worst < grid.rounding < 1e-12 * float(np.abs(grid.tensor).sum())


def second(series, axis, slides):
    """The second derivative; of a sliding joint along x/reach, and so times reach^2."""
    derivative = {}
    for k, (re, im) in series.items():
        factor = k[axis] * (k[axis] - 1) * slides**2 if slides else -(k[axis] ** 2)
        if factor:
            less = 2 if slides else 0
            derivative[(*k[:axis], k[axis] - less, *k[axis + 1 :])] = re * factor, im * factor
    return derivative


@pytest.mark.parametrize("axis", range(3))
def test_moduli_bound_the_values_and_the_second_derivatives(axis):
    rng, axes, functions = some_functions(7, 3)
    order = [axis, *(other for other in range(3) if other != axis)]
    turned = [{tuple(k[i] for i in order): c for k, c in f.items()} for f in functions]
    grid = FunctionGrid.of(turned, [axes[i] for i in order])
    sums, bent = grid.moduli(0, grid.tensor[None])
    curved = [second(f, axis, axes[axis].slides and exact(axes[axis].reach)) for f in functions]
    for q in positions(axes, rng, 100):
        assert sum((abs(at(f, q, axes)) for f in functions), arb(0)) <= arb(float(sums[0]))
        assert sum((abs(at(f, q, axes)) for f in curved), arb(0)) <= arb(float(bent[0]))


def test_what_is_no_number_shows_nothing():
    _, axes, functions = some_functions(1, 2)
    grid = FunctionGrid.of(functions, axes)
    grid.tensor[0] = np.nan
    for words in ([".", "", ""], ["0", "..", ""]):
        with pytest.raises(ArmError):
            GridProof(grid, words, magnitudes).verify(fmpq(10**9))


def test_tiny_functions_keep_a_rounding_above_what_underflow_takes():
    _, axes, (function,) = some_functions(2, 1)
    small = {k: (re / 10**400, im / 10**400) for k, (re, im) in function.items()}
    grid = FunctionGrid.of([small], axes)
    assert grid.rounding >= LOST
    with pytest.raises(ArmError, match="a part of the box shows"):
        GridProof(grid, [".", "", ""], value).verify(fmpq(0))
    assert GridProof(FunctionGrid.of([{}], []), [], value).verify(fmpq(0)) == 1


def test_functions_beyond_floats_show_nothing():
    """-2.9e308 cos x + 1.7e308 sin x is above 1.4e308 at 3/2, while the coefficient of cos x is minus infinity."""
    re, im = fmpq(-17 * 10**307), fmpq(-17 * 10**307, 2)
    with np.errstate(over="ignore", invalid="ignore"):
        grid = FunctionGrid.of([{(1,): (re, im), (-1,): (re, -im)}], [CellAxis(0, arb(0), arb(1.5), 1, False)])
        with pytest.raises(ArmError, match="larger than floats"):
            GridProof(grid, ["0"], value).verify(fmpq(0))


def test_a_bound_below_zero_that_is_nearest_to_zero_is_below_zero():
    nothing = FunctionGrid.of([{}], [])
    for bound in (fmpq(-1, 10**400), fmpq(-1, 10**320)):
        with pytest.raises(ArmError, match="a part of the box shows"):
            GridProof(nothing, [], value).verify(bound)


@pytest.mark.parametrize("reach", [fmpq(1, 10**50), fmpq(1), fmpq(10**153)])
def test_the_curvature_of_a_slide_counts_however_far_it_goes(reach):
    """-x^2 is zero in the middle and -reach^2 at both ends, which alone are looked at with one cell."""
    square = {(2,): (-fmpq(1, 10**20) / reach**2, fmpq(0))}
    with ctx.workprec(200):
        axis = CellAxis(0, arb(-reach), arb(2 * reach), 2, True)
    grid = FunctionGrid.of([square], [axis])
    with pytest.raises(ArmError, match="a part of the box shows"):
        GridProof(grid, ["0"], value).verify(fmpq(-1, 2 * 10**20))
    assert GridProof(grid, ["0"], value).verify(fmpq(1, 10**25)) == 2


def test_basis_functions_at_positions_without_end_are_refused_before_they_are_computed():
    finest, order = max(CELLS.values()), 60
    functions = [{(1, order): (fmpq(1, 2), fmpq(0)), (-1, -order): (fmpq(1, 2), fmpq(0))}]
    grid = FunctionGrid.of(
        functions, [CellAxis(0, arb(0), arb(1), 1, False), CellAxis(1, arb(0), arb(1), order, False)]
    )
    unit, step = WHOLE // finest, WHOLE // 81920
    # the finest cells from positions that are no multiples of their width, and what is left at the end
    shifted = [SYMBOLS[81920] * k + SYMBOLS[finest] * (finest - 6 * k // 5) for k in range(0, 10, 5)]
    assert 5 * step == 6 * unit
    words = [SYMBOLS[1], "".join(shifted)]
    assert len(GridProof(grid, words, value).divisions) == 2
    first, second = (SYMBOLS[81920] * k + SYMBOLS[finest] * (finest - 6) + SYMBOLS[81920] * (5 - k) for k in (1, 2))
    with pytest.raises(ArmError, match="more than 17179869184 numbers"):
        GridProof(grid, [SYMBOLS[3] * 3, shifted[0] + first + second + shifted[1]], value)


def test_words_make_up_the_range_of_each_place():
    division = Division.of("." + SYMBOLS[2] + SYMBOLS[6] * 3 + SYMBOLS[1], 3)
    assert division.is_open.tolist() == [True, False, False]
    assert division.place.tolist() == [1, 1, 1, 1, 1, 2, 2]
    assert (division.position * 6 // WHOLE).tolist() == [0, 3, 4, 5, 6, 0, 6]
    assert (division.widest * 6 // WHOLE).tolist() == [3, 3, 1, 1, 1, 6, 6]
    assert division.first.tolist() == [0, 0, 5, 7]
    narrow_first = Division.of(SYMBOLS[6] * 3 + SYMBOLS[2], 1)
    assert (narrow_first.widest * 6 // WHOLE).tolist() == [1, 1, 1, 3, 3]
    assert Division.of("", 0).first.tolist() == [0]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("", 1),
        ("0", 0),
        ("0", 2),
        ("00", 1),
        ("1", 1),
        ("111", 1),
        ("211", 2),
        ("21122", 2),
        ("121", 2),
        ("-", 1),
        ("/", 1),
        ("~", 1),
    ],
)
def test_words_that_do_not_make_up_the_range_of_each_place_are_refused(text, places):
    with pytest.raises(ArmError, match="not one word for each place"):
        Division.of(text, places)


@pytest.mark.parametrize("cells", [1, 3, 5, 10])
@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("measure", [magnitudes, value])
def test_a_maximum_between_the_points_of_a_grid_is_not_overlooked(cells, order, measure):
    """cos kx over +- 0.5, whose largest value is at zero: what lies below it is refused, what lies above it shown."""
    half = fmpq(1, 2)
    functions = [{(order,): (half, fmpq(0)), (-order,): (half, fmpq(0))}]
    grid = FunctionGrid.of(functions, [CellAxis(0, arb(-0.5), arb(1), order, False)])
    # the end nearest to zero; between two ends the sag counts
    nearest = 1.0 if cells % 2 == 0 else float(np.cos(order * 0.5 / cells))
    proof = GridProof(grid, [SYMBOLS[cells] * cells], measure)
    with pytest.raises(ArmError, match="a part of the box shows"):
        proof.verify(exact((1 + nearest) / 2))
    with pytest.raises(ArmError, match="a part of the box shows"):
        proof.verify(exact(1 - 1e-6))
    proof.parts = 0
    assert proof.verify(exact(nearest + order**2 / cells**2 / 8 + 1e-6)) == cells + 1


def test_the_wider_of_two_cells_counts_at_the_end_between_them():
    """cos x over -1 .. 0 in cells of 1/2 and twice 1/4: the sag of the wide cell counts where cos x is smaller."""
    half = fmpq(1, 2)
    grid = FunctionGrid.of([{(1,): (half, fmpq(0)), (-1,): (half, fmpq(0))}], [CellAxis(0, arb(-1), arb(1), 1, False)])
    word = SYMBOLS[2] + SYMBOLS[4] * 2
    sag = 1 / 8 / 16
    with pytest.raises(ArmError, match="a part of the box shows"):
        GridProof(grid, [word], value).verify(exact(1 + sag * 0.99))
    middle = float(np.cos(0.5))
    assert middle + 1 / 32 < 1 + sag
    assert GridProof(grid, [word], value).verify(exact(1 + sag * 1.01)) == 4
    with pytest.raises(ArmError, match="a part of the box shows"):
        GridProof(grid, [SYMBOLS[4] * 2 + SYMBOLS[2]], value).verify(exact(1 + sag * 1.01))

"""Coupling of the joints: the coefficient k_ij (Tourassis and Neuman 1985, eqs 32 to 35), its range and its maps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arm.description import ArmDescription
from ...design.coupling_tables import CouplingRow, coupling_table
from ...design.dominance import Dominance
from ...design.shares import PartShare
from ...markup.data_tables import Column, DataTable
from ...markup.elements import Html, with_symbols
from ...markup.numbers import formatted, joint_label, percent, shown_position, unit
from ...reduction.coefficient_waves import CoefficientWaves
from ..arm3d import travel
from ..charts.figures import ChartAxis, Figure
from ..charts.grid_chart import GridChart
from ..section import Section, paragraph
from ..sweeps import Array, Sweep, by_effect

CELLS = 33
"""Cells of a map along each side."""


@dataclass(frozen=True)
class Pair:
    """The coupling of joints i < j (counted from 0): k_ij = D_ij / sqrt(D_ii D_jj) over all poses.

    ``largest`` is its largest magnitude, found at ``pose``; ``bound`` is proved (None where it is not), and ``loading``
    and ``kinematic`` are its factors at that pose.
    """

    i: int
    j: int
    largest: float
    pose: tuple[float, ...]
    bound: float | None = None
    loading: float | None = None
    kinematic: float | None = None


def section(
    names: Sequence[str],
    pairs: Sequence[Pair],
    maps: Sequence[GridChart] = (),
    extra: Sequence[Html | DataTable | Figure] = (),
) -> Section:
    """Matrix and table of the coupling of ``pairs``, then ``maps`` over two joints and ``extra`` parts."""
    ranked = sorted(pairs, key=lambda pair: -pair.largest)
    weak = [pair for pair in pairs if pair.bound is not None and pair.bound < 0.05]
    if ranked and ranked[0].largest > 0:
        top = ranked[0]
        alone = (
            f", and {len(weak)} of the {len(pairs)} pairs never {'exceeds' if len(weak) == 1 else 'exceed'} "
            f"{percent(0.05)}: those joints hardly feel each other"
            if weak
            else f", and every one of the {len(pairs)} pairs couples"
            if len(pairs) > 1
            else ""
        )
        strength = formatted(top.largest, 2)
        meaning = f"Joints {top.i + 1} and {top.j + 1} couple most, up to {strength} on a scale from 0 to 1{alone}."
    else:
        meaning = "No joint couples with another, so each can be controlled as if alone."
    return Section(
        "coupling",
        "Coupling of the joints",
        meaning,
        (matrix(names, pairs), coupling_table([row(pair) for pair in ranked]), *maps, *extra),
    )


def matrix(names: Sequence[str], pairs: Sequence[Pair]) -> GridChart:
    """Largest |k_ij| over all poses, for every pair of joints."""
    n = len(names)
    values: list[list[float | None]] = [[None] * n for _ in range(n)]
    for pair in pairs:
        values[pair.i][pair.j] = values[pair.j][pair.i] = pair.largest
    return GridChart(
        "coupling-matrix",
        "Largest coupling of each pair of joints",
        "0: the joints never feel each other; 1: one moves as if clamped to the other.",
        names=tuple(f"{k + 1} {name}" for k, name in enumerate(names)),
        values=tuple(map(tuple, values)),
        quantity="coupling",
        low=0.0,
        high=1.0,
    )


def row(pair: Pair) -> CouplingRow:
    """The pair as a row of the table, its joints by number."""
    joints = f"{pair.i + 1} and {pair.j + 1}"
    return CouplingRow(joints, pair.largest, pair.pose, pair.bound, pair.loading, pair.kinematic)


def coupling_map(arm: ArmDescription, pair: Pair, waves: CoefficientWaves) -> GridChart | None:
    """The coupling of one pair over the two joints that change it most, the others as in its strongest pose."""
    mutual, diagonal = waves.inertia(pair.i, pair.j), (waves.inertia(pair.i, pair.i), waves.inertia(pair.j, pair.j))
    joints = tuple(sorted({*mutual.joints, *diagonal[0].joints, *diagonal[1].joints}))
    if len(joints) < 2:
        return None

    def values(q: Array) -> Array:
        return np.asarray(np.abs(mutual(q)) / np.sqrt(np.maximum(diagonal[0](q) * diagonal[1](q), 1e-300)))

    title = f"Coupling of joints {pair.i + 1} and {pair.j + 1} over two joints"
    first, second = by_effect(arm, Sweep(values, joints, "coupling", title, ""))[:2]
    (left, right), (low, high) = travel(arm.moving[first]), travel(arm.moving[second])
    x, y = np.linspace(left, right, CELLS), np.linspace(low, high, CELLS)
    q = np.tile(np.array(pair.pose), (CELLS, CELLS, 1))
    q[:, :, first], q[:, :, second] = x[None, :], y[:, None]
    field = values(q)
    return GridChart(
        f"coupling-map-{pair.i + 1}-{pair.j + 1}",
        title,
        "The other joints stand in the pose of strongest coupling.",
        x_axis=axis(arm, first),
        y_axis=axis(arm, second),
        columns=tuple(shown_position(arm.moving[first], float(value)) for value in x),
        rows=tuple(shown_position(arm.moving[second], float(value)) for value in y),
        values=tuple(tuple(float(value) for value in row) for row in field),
        quantity="coupling",
        low=None if field.max() / 2 < field.min() < 0.98 * field.max() else 0.0,
    )


def axis(arm: ArmDescription, joint: int) -> ChartAxis:
    """Chart axis of a joint position, in deg or m."""
    return ChartAxis(joint_label(joint, arm.joint_names[joint]), unit(arm.moving[joint], "shown"))


def parts_table(shares: Sequence[PartShare]) -> DataTable:
    """Translation and rotation (Lee, Lee and Nigam 1982)."""
    columns = (
        Column("coefficient", "coefficient", kind="name"),
        Column("rms", "RMS", kind="number"),
        Column("translational", "of translation", kind="number"),
        Column("rotational", "of rotation", kind="number"),
        Column("unit", "", kind="unit"),
        Column("share", "share of translation", kind="share"),
    )
    rows = tuple(
        (share.name, share.whole, share.translational, share.rotational, share.unit.replace("^2", "²"), share.share)
        for share in sorted(shares, key=lambda share: -share.whole)
    )
    note = "Root mean squares over all poses; a share near 100 % lets the rotation of the bodies be left out."
    return DataTable(
        "translation-rotation",
        "Where inertia comes from: motion of the mass centres, or turning",
        columns,
        rows,
        note,
        first=10,
    )


def dominance_table(rows: Sequence[Dominance]) -> DataTable:
    """Where the diagonal of D outweighs the rest of its row."""
    columns = (
        Column("joint", "joint"),
        Column("margin", "least margin", kind="number"),
        Column("pose", "", kind="pose"),
        Column("proved", "proved margin", kind="number floor"),
        Column("dominant", "diagonal dominates everywhere"),
    )
    verdicts = {True: "yes", False: "no", None: "not shown"}
    cells = tuple(
        (joint_label(k, row.joint), row.least, tuple(map(float, row.at)), row.proved, verdicts[row.dominant])
        for k, row in enumerate(rows)
    )
    note = with_symbols(
        "Margin: (D_ii less the sum of |D_ij|) over D_ii, in SI units. The least margin is reached at its pose, which "
        "settles a no; a yes is proved, for every choice of signs of the D_ij."
    )
    return DataTable("dominance", "Diagonal dominance of the inertia matrix", columns, cells, note)


NOTE = paragraph(
    with_symbols(
        "Coupling is |D_ij| over the root of D_ii D_jj: a number between 0 and 1 without unit. A dash for a proved "
        "bound: the value is found by search and not proved; for a factor: the joints do not couple."
    ),
    kind="note",
)

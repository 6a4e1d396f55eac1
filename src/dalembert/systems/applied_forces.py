"""Forces and moments on the links of an arm as loads at its joints, on arrays (Freeman 1985, eq. 2-147).

With their slopes to the positions, since points and axes move with the arm (2-206) to (2-208), and to the components of
the forces themselves, [G]^T, by which a deviation of a force is an input (2-227).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.force import Force
from ..formulations import applied_loads
from ..formulations.system import SystemOverRing
from ..rings.dual import Duals, slope_of
from ..rings.real import REAL
from ..rings.ring import Ring, Scalar
from .arrays import evaluate

Array = NDArray[np.float64]


Load = Callable[..., list[Scalar]]
Components = Sequence[list[Scalar]]


def force_load(arm: ArmDescription, system: SystemOverRing, q: Array, forces: Sequence[Force]) -> Array:
    """Q ``(..., n)`` of ``forces``, each one vector or one per state; ``system`` is the arm over the reals."""
    load, arrays = _load_function(arm, system, q, forces)
    return evaluate(lambda q, *wrenches: load(REAL, q, wrenches), arrays)


def force_slopes(arm: ArmDescription, system: SystemOverRing, q: Array, forces: Sequence[Force]) -> Array:
    """dQ/dq ``(..., n, n)`` of ``forces`` that keep their components; points and link axes move (2-206)."""
    load, arrays = _load_function(arm, system, q, forces)
    duals = Duals(REAL)

    def slopes(q: list[Scalar], *wrenches: list[Scalar]) -> list[list[Scalar]]:
        loads = load(duals, [duals.variable(value, k) for k, value in enumerate(q)], wrenches)
        return [[slope_of(entry, k) for k in range(len(q))] for entry in loads]

    return evaluate(slopes, arrays)


def force_columns(arm: ArmDescription, system: SystemOverRing, q: Array, forces: Sequence[Force]) -> Array:
    """dQ/d(force, moment) ``(..., n, 6 k)`` (2-227): of each force its three components, then those of its moment."""
    load, arrays = _load_function(arm, system, q, forces)
    units = [[int(i == k) for i in range(3)] for k in range(3)]
    none = [[0, 0, 0]] * (2 * len(forces))

    def columns(q: list[Scalar], *_: list[Scalar]) -> list[list[Scalar]]:
        unit_loads = [
            load(REAL, q, [*none[:component], unit, *none[component + 1 :]])
            for component in range(len(none))
            for unit in units
        ]
        return [[column[n] for column in unit_loads] for n in range(len(q))]

    return evaluate(columns, arrays)


def _load_function(
    arm: ArmDescription, system: SystemOverRing, q: Array, forces: Sequence[Force]
) -> tuple[Load, list[tuple[str, Array]]]:
    """Q as a function of a ring over the reals, positions and components, and the arrays that it is evaluated on."""
    anchors = []
    arrays: list[tuple[str, Array]] = [("q", q)]
    if isinstance(forces, Force):
        raise ArmError(f"forces are a list; write forces=[{forces!r}]")
    for number, force in enumerate(forces):
        if not isinstance(force, Force):
            raise ArmError(f"a force is a Force, such as Force({arm.tool_link!r}, (0, 0, -10)); got {force!r}")
        force.check(arm)
        anchors.append((*applied_loads.link_in_body(arm, REAL, force.link), force))
        arrays.append((f"force {number}", np.asarray(force.force, dtype=float)))
        arrays.append((f"moment {number}", np.asarray(force.moment, dtype=float)))

    def load(ring: Ring, q: Sequence[Scalar], wrenches: Components) -> list[Scalar]:
        applied = []
        for k, (body, frame, force) in enumerate(anchors):
            x, y, z = (float(c) for c in force.point)
            push, twist = (tuple(wrenches[2 * k + half]) for half in (0, 1))
            applied.append(applied_loads.AppliedForce(body, frame, (x, y, z), push, twist, force.axes != "link"))
        coupling = system.coupling
        return coupling.load(applied_loads.force_load(system.links, ring, coupling.joints(q), applied))

    return load, arrays

"""Forces and moments on the links of an arm as loads at its joints, on arrays (Freeman 1985, eq. 2-147)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.force import Force
from ..formulations import applied_loads
from ..formulations.system import SystemOverRing
from ..rings.real import REAL
from ..rings.ring import Scalar
from .arrays import evaluate

Array = NDArray[np.float64]


def force_load(arm: ArmDescription, system: SystemOverRing, q: Array, forces: Sequence[Force]) -> Array:
    """Q ``(..., n)`` of ``forces``, each one vector or one per state; ``system`` is the arm over the reals."""
    places = []
    arrays: list[tuple[str, Array]] = [("q", q)]
    if isinstance(forces, Force):
        raise ArmError(f"forces are a list; write forces=[{forces!r}]")
    for number, force in enumerate(forces):
        if not isinstance(force, Force):
            raise ArmError(f"a force is a Force, such as Force({arm.tool_link!r}, (0, 0, -10)); got {force!r}")
        force.check(arm)
        places.append((*applied_loads.link_in_body(arm, REAL, force.link), force))
        arrays.append((f"force {number}", np.asarray(force.force, dtype=float)))
        arrays.append((f"moment {number}", np.asarray(force.moment, dtype=float)))

    def load(q: list[Scalar], *wrenches: list[Scalar]) -> list[Scalar]:
        applied = []
        for k, (body, frame, force) in enumerate(places):
            x, y, z = (float(c) for c in force.point)
            push, twist = (tuple(wrenches[2 * k + part]) for part in (0, 1))
            applied.append(applied_loads.AppliedForce(body, frame, (x, y, z), push, twist, force.axes != "link"))
        coupling = system.coupling
        return coupling.load(applied_loads.force_load(system.links, REAL, coupling.joints(q), applied))

    return evaluate(load, arrays)

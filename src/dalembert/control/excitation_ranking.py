"""Which of many motions tell more about an arm: a quick order of candidates, before some are judged exactly.

The equations of joint j hold the inertial parameters of the links it moves and its own friction and rotor, so that

    W^T W = sum_j A_j^T A_j

is a sum over joints of narrow tables A_j: machine code writes their entries that are not zero, in float32, and their
products are summed. The order is by log det of W^T W with columns of equal length (D-optimality; Swevers et al. 1997),
from one Cholesky factor a candidate, at every second moment. It orders; conditions are worked out in float64.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..compile.function import Function, Tables
from ..compile.functions import system_facts
from ..compile.kernel import Kernel
from ..formulations.system import SystemOverRing
from ..identification.observations import Unknowns
from ..rings.graph import Graph
from ..systems.arm_system import ArmSystem

Narrow = NDArray[Any]
"""An array of float32."""
LIFT = 1e-5
"""Added to the diagonal of one, above the rounding of float32: tables without a Cholesky factor get one."""


@dataclass(frozen=True)
class JointColumns:
    """The unknowns in the equation of a joint: a run of inertial ones, then its own friction and rotor.

    ``run`` and ``drive`` are their places among all base columns in the order of the ranking.
    """

    columns: tuple[int, ...]
    run: slice
    drive: slice
    signed: tuple[tuple[int, str], ...]
    """Places in the table, and terms of friction, that no graph has: they hold the sign of a speed."""

    def add(self, gram: Narrow, product: Narrow) -> None:
        """Add A_j^T A_j to the rows and columns of all."""
        width = self.run.stop - self.run.start
        gram[:, self.run, self.run] += product[:, :width, :width]
        gram[:, self.run, self.drive] = product[:, :width, width:]
        gram[:, self.drive, self.run] = product[:, width:, :width]
        gram[:, self.drive, self.drive] = product[:, width:, width:]


class ExcitationRanking:
    """The base columns of an arm with friction and rotors, joint by joint in float32."""

    def __init__(self, arm: ArmSystem, unknowns: Unknowns, columns: NDArray[Any], transition: float) -> None:
        self.unknowns, self.count = unknowns, len(columns)
        self.wide: Narrow = np.full(1, transition, dtype=np.float32)
        self.joints = _joints(arm, unknowns, columns)
        self.kernel = Kernel(_function(arm, unknowns, self.joints), "float32")

    def scores(self, q: Narrow, qd: Narrow, qdd: Narrow) -> NDArray[np.float64]:
        """-log det of motions ``(k, times, n)``: the smaller, the more they tell; infinite where they tell nothing."""
        count, times, n = q.shape
        states: list[Narrow] = [np.ascontiguousarray(x, dtype=np.float32).reshape(-1, n) for x in (q, qd, qdd)]
        outputs = self.kernel(*states)
        tables = outputs if isinstance(outputs, tuple) else (outputs,)
        gram: Narrow = np.zeros((count, self.count, self.count), dtype=np.float32)
        for joint, (table, columns) in enumerate(zip(tables, self.joints, strict=True)):
            for k, name in columns.signed:
                table[:, k] = self.unknowns.friction.column(name, states[1][:, joint], self.wide, 5 * self.wide, None)
            rows = table.reshape(count, times, -1)
            columns.add(gram, np.swapaxes(rows, 1, 2) @ rows)
        diagonal = np.einsum("kii->ki", gram)
        length = 1 / np.sqrt(np.maximum(diagonal, np.float32(1e-30)))
        gram *= length[:, :, None] * length[:, None, :]
        diagonal += np.float32(LIFT)
        try:
            factors = np.linalg.cholesky(gram)
        except np.linalg.LinAlgError:  # one of them has none: its smallest eigenvalue is below the rounding
            return np.array([_log_det(table) for table in gram])
        return np.asarray(-2 * np.log(np.einsum("kii->ki", factors)).sum(axis=1), dtype=float)


def _log_det(gram: Narrow) -> float:
    sign, size = np.linalg.slogdet(gram.astype(float))
    return -float(size) if sign > 0 else np.inf


def _joints(arm: ArmSystem, unknowns: Unknowns, columns: NDArray[Any]) -> list[JointColumns]:
    """The columns of each joint: what can be other than zero in its equation is seen at random states."""
    states = np.random.default_rng(0).uniform(-2, 2, (3, 5, arm.n))
    magnitude = np.abs(arm.regressor(*states)).max(axis=0)
    inertial = sorted(int(c) for c in columns if c < unknowns.inertial)
    drive_columns = [int(c) for c in columns if c >= unknowns.inertial]
    terms, start, joints = unknowns.friction.names, len(inertial), []
    for joint in range(arm.n):
        drive = [c for c in drive_columns if _joint_of(c, unknowns) == joint]
        nonzero = [k for k, c in enumerate(inertial) if magnitude[joint, c] > 1e-12 * magnitude.max(initial=1.0)]
        run = slice(nonzero[0], nonzero[-1] + 1) if nonzero else slice(0, 0)
        wide = run.stop - run.start
        signed = tuple(
            (wide + k, name)
            for k, c in enumerate(drive)
            if c < unknowns.rotor_column(0)
            and (name := terms[(c - unknowns.inertial) % len(terms)]) not in ("viscous", "offset")
        )
        joints.append(JointColumns((*inertial[run], *drive), run, slice(start, start + len(drive)), signed))
        start += len(drive)
    return joints


def _joint_of(column: int, unknowns: Unknowns) -> int:
    if column >= unknowns.rotor_column(0):
        return column - unknowns.rotor_column(0)
    return (column - unknowns.inertial) // len(unknowns.friction.names)


def _function(arm: ArmSystem, unknowns: Unknowns, joints: list[JointColumns]) -> Function:
    n = arm.n
    facts = system_facts(arm)
    key = f"{[of_joint.columns for of_joint in joints]!r} {unknowns.friction.names!r} {unknowns.rotors!r}"
    return Function(
        "excitation_rows",
        (("q", n), ("qd", n), ("qdd", n)),
        tuple((f"row{joint + 1}", (len(of_joint.columns),)) for joint, of_joint in enumerate(joints)),
        partial(_tables, arm, unknowns, joints),
        label=arm.name,
        facts=f"{facts}\0{key}" if facts else "",
        joints=arm.joint_names,
    )


def _tables(arm: ArmDescription, unknowns: Unknowns, joints: list[JointColumns]) -> Tables:
    graph = Graph()
    q, qd, qdd = (graph.inputs(f"{name}_", arm.n) for name in ("q", "qd", "qdd"))
    table = SystemOverRing(arm, graph).regressor(graph, q, qd, qdd)
    terms = unknowns.friction.names

    def entry(joint: int, column: int) -> object:
        if column < unknowns.inertial:
            return table[joint][column]
        if column >= unknowns.rotor_column(0):
            return qdd[joint]
        return {"viscous": qd[joint], "offset": 1}.get(terms[(column - unknowns.inertial) % len(terms)], 0)

    return tuple([entry(joint, column) for column in of_joint.columns] for joint, of_joint in enumerate(joints))

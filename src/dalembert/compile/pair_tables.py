"""D, C and the derivatives of the torques of long arms: what each joint does compiled, all pairs of joints by NumPy.

The way out and the way back of ``formulations/composite_motion.py`` grow with the joints and are kernels (the stages of
``stages.py``); the products of pairs grow with their square, and as straight-line code would be longer than any cache.
Here each of these is one operation on arrays over all pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.array_input import real_array
from ..arm.description import ArmDescription
from ..arm.lazy_arrays import is_lazy, mapped
from ..formulations.composite_motion import LOADS, MOVES, Loads, Screw, joint_screw, pushed, pushed_back, screw_of
from ..formulations.kinematics import Frame
from ..rings.algebra import as_matrix
from .derivative_functions import links_alone
from .function import Function, Tables
from .functions import FUNCTIONS
from .kernel import Kernel
from .stages import torque_derivative_stages

Array = NDArray[np.float64]

NAMES = {"mass_matrix": 1, "coriolis_matrix": 2, "inverse_dynamics_derivatives": 3}
"""Functions that are had this way, and how many of q, qd, qdd they take."""
FEW = 1800
"""States times joints that are worked out one by one first: n^2 of work each, where the stages are n of it to make."""
PAIRS = 1 << 18
"""Pairs of joints, of all states together, that are worked out at a time."""


class PairTables:
    """One of ``NAMES`` of an arm of links alone."""

    def __init__(
        self, arm: ArmDescription, name: str, refuse: Callable[..., None] | None, beside: PairTables | None = None
    ) -> None:
        """``beside`` is another function of the same arm, whose stages serve this one too."""
        self.name, self.n, self._refuse = name, arm.n, refuse
        self._asked = 0
        entry = FUNCTIONS["inverse_dynamics_derivatives"]
        results = tuple((result, size(arm.n, len(arm.bodies))) for result, size in entry.results)
        # Only its stages are built, never the whole of it.
        whole = Function(name, tuple((x, arm.n) for x in entry.arguments), results, _whole, label=arm.name)
        made = [Kernel(stage, patient=True) for stage in torque_derivative_stages(arm, whole)[:2]]
        self._stages: list[Kernel] = beside._stages if beside is not None else made
        self.revolute = np.array([joint.kind == "revolute" for joint in arm.moving])
        self.carries = np.zeros((arm.n, arm.n), dtype=bool)
        for j, body in enumerate(arm.bodies):
            if body.parent >= 0:
                self.carries[:, j] = self.carries[:, body.parent]
            self.carries[j, j] = True

    @staticmethod
    def fits(arm: ArmDescription, name: str) -> bool:
        """Whether this function of the arm can be had in this way."""
        return name in NAMES and links_alone(arm)

    def worth(self, q: Any) -> bool:
        """Whether as many states have been asked for, with these, as take as long one by one as the stages to make."""
        if not is_lazy(q):
            self._asked += max(np.size(q) // self.n, 1)
        return is_lazy(q) or self._asked * self.n > FEW

    def __call__(self, *arrays: Any) -> Any:
        """The tables of any batch of states."""
        if is_lazy(*arrays):
            return mapped(self, *arrays)
        count = NAMES[self.name]
        names = ["q", "qd", "qdd"][:count]
        given = [real_array(x, values, "numbers, one per joint") for x, values in zip(names, arrays, strict=True)]
        if any(array.shape[-1:] != (self.n,) or not np.isfinite(array).all() for array in given) and self._refuse:
            self._refuse(**dict(zip(names, given, strict=True)))
        batch = np.broadcast_shapes(*(array.shape[:-1] for array in given))
        still = [np.zeros(self.n)] * (3 - count)
        rows = [np.broadcast_to(x, (*batch, self.n)).reshape(-1, self.n) for x in (*given, *still)]
        step = max(1, PAIRS // self.n**2)
        parts = [
            self._tables(*(x[first : first + step] for x in rows)) for first in range(0, max(len(rows[0]), 1), step)
        ]
        tables = [np.concatenate(part).reshape(*batch, self.n, self.n) for part in zip(*parts, strict=True)]
        if self._refuse and not all(np.isfinite(table).all() for table in tables):
            self._refuse(**dict(zip(names, given, strict=True)))
        return tuple(tables) if len(tables) > 1 else tables[0]

    def _tables(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, ...]:
        moves = np.asarray(self._stages[0](q, qd, qdd)).reshape(len(q), self.n, MOVES)
        loads = np.asarray(self._stages[1](moves.reshape(len(q), -1))).reshape(len(q), self.n, LOADS)
        x = [moves[:, :, None, k] for k in range(MOVES)]
        frame: Frame = (as_matrix((x[0:3], x[3:6], x[6:9])), (x[9], x[10], x[11]))
        kinds = self.revolute[:, None]
        pairs = zip(joint_screw(True, frame), joint_screw(False, frame), strict=True)
        own: Screw = tuple(  # type: ignore[assignment]
            tuple(np.where(kinds, turn, slide) for turn, slide in zip(*parts, strict=True)) for parts in pairs
        )
        load = Loads.of([loads[:, None, :, k] for k in range(LOADS)])
        mirrored = partial(_mirrored, self.carries & ~np.eye(self.n, dtype=bool))
        if self.name == "mass_matrix":
            mass = np.where(self.carries, pushed(own, load.asked), 0.0)
            return (mass + mirrored(mass),)
        back_q, back_qd = pushed_back(own, screw_of(x[24:30]), screw_of(x[30:36]), load)
        to_qd = np.where(self.carries, pushed(own, load.by_speed), 0.0) + mirrored(back_qd)
        if self.name == "coriolis_matrix":  # half the slope of the torques to the velocities
            return (to_qd / 2,)
        to_q = np.where(self.carries, pushed(own, load.by_place), 0.0)
        to_q[:, range(self.n), range(self.n)] = loads[:, :, LOADS - 1]  # S_j . S_j x* f_j = 0, exactly
        mass = np.where(self.carries, pushed(own, load.asked), 0.0)
        return to_q + mirrored(back_q), to_qd, mass + mirrored(mass)


def _whole() -> Tables:
    raise AssertionError("the tables of all pairs are not built as one graph")


def _mirrored(below: NDArray[np.bool_], table: Any) -> Array:
    """Entries of pairs, in the places of their mirror images."""
    return np.swapaxes(np.where(below, table, 0.0), 1, 2)

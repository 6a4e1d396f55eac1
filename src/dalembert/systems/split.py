"""Torques and energy taken apart: by their causes, and by translation and rotation (Lee, Lee and Nigam 1982)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError
from ..formulations import coefficients, generalized_dalembert
from ..formulations.system import SystemOverRing
from ..rings.algebra import matvec
from ..rings.real import REAL
from ..rings.ring import Scalar
from .arrays import evaluate, joint_array

if TYPE_CHECKING:
    from ..arm.description import ArmDescription

Array = NDArray[np.float64]
MOST_WORK = 400_000
"""Squares of the joints before each body, added up: some 100 joints in a row."""


@dataclass(frozen=True)
class Share:
    """The part of the torques that one kind of motion causes (Lee, Lee and Nigam 1982): arrays ``(..., n)``."""

    inertia: Array
    centrifugal: Array
    coriolis: Array

    @property
    def velocity(self) -> Array:
        """H^tran or H^rot (eqs 31, 32): centrifugal and Coriolis torques together."""
        return self.centrifugal + self.coriolis


@dataclass(frozen=True)
class TorqueParts:
    """The torques taken apart: arrays ``(..., n)`` that add up to ``total``.

    ``translational`` and ``rotational`` split the first three once more, by the motion of the mass centres and
    the turning of the bodies (and rotors) about them; gravity is all translational. ``friction`` is that of the
    drives, ``elastic`` what springs and dampers ask for; both are zero where there are none.
    """

    inertia: Array
    centrifugal: Array
    coriolis: Array
    gravity: Array
    friction: Array
    elastic: Array
    translational: Share
    rotational: Share

    @property
    def velocity(self) -> Array:
        """Centrifugal and Coriolis torques together: h(q, qd)."""
        return self.centrifugal + self.coriolis

    @property
    def total(self) -> Array:
        """tau = D qdd + h + G + F - Q."""
        return self.inertia + self.velocity + self.gravity + self.friction + self.elastic


@dataclass(frozen=True)
class EnergyParts:
    """K^tran and K^rot (J): arrays of the batch shape. Rotors that turn with the joints count as rotation."""

    translational: Array
    rotational: Array

    @property
    def total(self) -> Array:
        """The kinetic energy."""
        return self.translational + self.rotational


def causes(
    matrix: list[list[Scalar]], symbols: coefficients.Christoffel, qd: list[Scalar], qdd: list[Scalar]
) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
    """D qdd, and the torques of squares and of products of speeds, of coefficients."""
    return list(matvec(matrix, qdd)), coefficients.centrifugal(symbols, qd), coefficients.coriolis(symbols, qd)


def torque_parts(
    arm: ArmDescription, system: SystemOverRing, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike
) -> TorqueParts:
    """The torques of ``arm``, which is ``system`` over floats, by their causes."""
    work = sum(len(path) ** 2 for path in system.links.paths)
    if work > MOST_WORK:
        raise ArmError(
            f"{arm.where}{arm.name}: the work of splitting torques by their causes grows with the cube of the joints, "
            f"and {arm.n} are too many; ask for inverse_dynamics, or lock joints"
        )

    def split(q: list[Scalar], qd: list[Scalar], qdd: list[Scalar]) -> tuple[list[Scalar], ...]:
        placed = system.frames(REAL, q)
        bodies = generalized_dalembert.centred_bodies(system.links, placed)
        matrices = map(system.coupling.matrix, generalized_dalembert.inertia(system.links, bodies))
        speeds = generalized_dalembert.velocity_split(system.links, placed, bodies, qd)
        torques: list[list[Scalar]] = []
        for matrix, squares_and_products in zip(matrices, speeds, strict=True):
            torques += [list(matvec(matrix, qdd)), *squares_and_products]
        if system.train is not None:
            moved = causes(*system.drive_translation(REAL, q), qd, qdd)
            driven = causes(system.drive_matrix(REAL, q), system.drive_christoffel(REAL, q), qd, qdd)
            turned = [[a - b for a, b in zip(r, s, strict=True)] for r, s in zip(driven, moved, strict=True)]
            added = (*moved, *turned)
            torques = [[a + b for a, b in zip(r, s, strict=True)] for r, s in zip(torques, added, strict=True)]
        rubbing = system.friction(REAL, q, qd, qdd)
        pull = system.elastic_load(REAL, q, qd) if system.elastics else [0] * system.n
        return (*torques, system.gravity(REAL, q), rubbing, [0.0 - x for x in pull])

    states = [(name, joint_array(arm, name, values)) for name, values in (("q", q), ("qd", qd), ("qdd", qdd))]
    *six, gravity, friction, elastic = evaluate(split, states)
    translational, rotational = Share(*six[:3]), Share(*six[3:])
    sums = [a + b for a, b in zip(six[:3], six[3:], strict=True)]
    return TorqueParts(sums[0], sums[1], sums[2], gravity, friction, elastic, translational, rotational)

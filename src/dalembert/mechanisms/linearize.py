"""Small motions about a motion or a rest: the linear model of a mechanism in its coordinates, exact.

    dT = I* dq'' + (dT/dq') dq' + (dT/dq) dq,

from the derivatives of the open chains' torques (2-201 ff) and the influence coefficients of first to third order
(3-47), since T_q = X^T T_phi, phi' = X q' and phi'' = X q'' + q'.X2 q'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..arm.errors import ArmError
from ..systems.arrays import vector_array
from . import transfer
from .batch import Array
from .coordinate_kinematics import joint_motion

if TYPE_CHECKING:
    from .mechanism import Mechanism


@dataclass(frozen=True)
class Linear:
    """dT = ``inertia`` dq'' + ``damping`` dq' + ``stiffness`` dq, about loads ``torque``.

    With x = (dq, dq'), x' = ``a`` x + ``b`` dT.
    """

    inertia: Array
    damping: Array
    stiffness: Array
    torque: Array

    @property
    def a(self) -> Array:
        """State matrix [[0, 1], [-I*^-1 stiffness, -I*^-1 damping]], ``(2 n, 2 n)``."""
        n = len(self.inertia)
        lower = -np.linalg.solve(self.inertia, np.hstack([self.stiffness, self.damping]))
        return np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), lower])

    @property
    def b(self) -> Array:
        """Input matrix [[0], [I*^-1]], ``(2 n, n)``."""
        n = len(self.inertia)
        return np.vstack([np.zeros((n, n)), np.linalg.inv(self.inertia)])


def linearize(mechanism: Mechanism, phi: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Linear:
    """The linear model about joints ``phi``, coordinate rates ``qd`` and accelerations ``qdd``; no outer forces."""
    turns = [c.name for c in mechanism.assembly.coordinates if not c.has_position]
    if turns:
        raise ArmError(
            f"coordinate {turns[0]!r} is a turn and has no position to deviate from; choose joints or positions"
        )
    at = vector_array(mechanism.m, "phi", phi)[None]
    rate, rate2 = (vector_array(mechanism.n, name, v, "coordinate")[None] for name, v in (("qd", qd), ("qdd", qdd)))
    carried = mechanism.assembly.carried(at, 3)
    moving, speeding = joint_motion(carried, rate, rate2)
    by_position, by_rate, by_acceleration, load = (np.zeros((mechanism.m, k)) for k in (*(mechanism.m,) * 3, 1))
    for numbers, part in zip(mechanism.chains.numbers, mechanism.chains.slices, strict=True):
        slopes = numbers.torque_slopes(at[:, part], moving[:, part], speeding[:, part])
        for total, slope in zip((by_position, by_rate, by_acceleration), slopes, strict=True):
            total[part, part] = slope[0]
        load[part, 0] = numbers.torque(at[:, part], moving[:, part], speeding[:, part])[0]
    x, x2, x3 = carried.x[0], carried.x2[0], carried.x3
    assert x3 is not None
    bend = np.einsum("mij,j->mi", x2, rate[0])
    bend2 = np.einsum("mij,j->mi", x2, rate2[0]) + np.einsum("mijk,j,k->mi", x3[0], rate[0], rate[0])
    own = np.einsum("mij,m->ij", x2, load[:, 0])
    return Linear(
        x.T @ by_acceleration @ x,
        x.T @ (by_rate @ x + by_acceleration @ (2 * bend)),
        own + x.T @ (by_position @ x + by_rate @ bend + by_acceleration @ bend2),
        transfer.load(load[None, :, 0], carried.x)[0],
    )

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
        """State matrix [[0, 1], [-I*^-1 stiffness, -I*^-1 damping]], ``(..., 2 n, 2 n)``."""
        lower = -np.linalg.solve(self.inertia, np.concatenate([self.stiffness, self.damping], axis=-1))
        upper = np.zeros_like(lower)
        n = self.inertia.shape[-1]
        upper[..., n:] = np.eye(n)
        return np.concatenate([upper, lower], axis=-2)

    @property
    def b(self) -> Array:
        """Input matrix [[0], [I*^-1]], ``(..., 2 n, n)``."""
        return np.concatenate([np.zeros_like(self.inertia), np.linalg.inv(self.inertia)], axis=-2)


def linearize(mechanism: Mechanism, phi: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Linear:
    """The linear model about joints ``phi``, coordinate rates ``qd`` and accelerations ``qdd``; no outer forces."""
    turns = [c.name for c in mechanism.assembly.coordinates if not c.has_position]
    if turns:
        raise ArmError(
            f"coordinate {turns[0]!r} is a turn and has no position to deviate from; choose joints or positions"
        )

    def tables(phi: Array, qd: Array, qdd: Array) -> tuple[Array, ...]:
        carried = mechanism.assembly.carried(phi, 3)
        moving, speeding = joint_motion(carried, qd, qdd)
        by_position, by_rate, by_acceleration = np.zeros((3, len(phi), mechanism.m, mechanism.m))
        for numbers, part in zip(mechanism.chains.numbers, mechanism.chains.slices, strict=True):
            slopes = numbers.torque_slopes(phi[:, part], moving[:, part], speeding[:, part])
            for total, slope in zip((by_position, by_rate, by_acceleration), slopes, strict=True):
                total[:, part, part] = slope
        load = mechanism.joint_loads(phi, moving, speeding, [()] * len(mechanism.chains.numbers))
        x, x2, x3 = carried.x, carried.x2, carried.x3
        assert x3 is not None
        turned = transfer.transposed(x)
        bend = np.einsum("bmij,bj->bmi", x2, qd)
        bend2 = np.einsum("bmij,bj->bmi", x2, qdd) + np.einsum("bmijk,bj,bk->bmi", x3, qd, qd)
        return (
            turned @ by_acceleration @ x,
            turned @ (by_rate @ x + by_acceleration @ (2 * bend)),
            np.einsum("bmij,bm->bij", x2, load) + turned @ (by_position @ x + by_rate @ bend + by_acceleration @ bend2),
            transfer.load(load, x),
        )

    rates = ((name, values, mechanism.n, "coordinate") for name, values in (("qd", qd), ("qdd", qdd)))
    return Linear(*mechanism.batched(tables, ("phi", phi, mechanism.m, "joint"), *rates))

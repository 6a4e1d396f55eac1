"""Where a mechanism rests: the loads at the coordinates hold weight, springs and outer forces.

Newton's method on T_q(phi) = tau with the exact stiffness dT/dq (Freeman 1985, eqs 2-201 ff), each step put back onto
the closures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..arm.errors import ArmError
from . import position
from .batch import Array

if TYPE_CHECKING:
    from .mechanism import Forces, Mechanism

STEPS = 60
LONGEST = 0.3
"""Longest step of a joint (rad or m)."""
HELD = 1e-11
"""Largest lack of balance, against the loads that balance each other."""


def equilibrium(mechanism: Mechanism, tau: Array, phi: Array, forces: Forces) -> Array:
    """Joints ``(m,)`` near ``phi`` at which loads ``tau`` hold the mechanism without motion."""
    zero, zero_rate = np.zeros(mechanism.n), np.zeros((1, mechanism.m))
    joints = mechanism.closed_near(phi)

    def imbalance_at(configuration: Array) -> Array:
        return tau - mechanism.inverse_dynamics(configuration, zero, zero, forces)

    imbalance = imbalance_at(joints)
    for _ in range(STEPS):
        # what the single chains carry sets the rounding of their sum
        chain_loads = mechanism.joint_loads(joints[None], zero_rate, zero_rate, mechanism._forces(forces))
        if np.abs(imbalance).max(initial=0.0) <= HELD * (1 + np.abs(chain_loads).max()):
            return joints
        stiffness = mechanism.inverse_dynamics_derivatives(joints, zero, zero, forces)[0]
        step = mechanism.influence(joints).first @ np.linalg.lstsq(stiffness, imbalance, rcond=1e-12)[0]
        step *= min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-300))
        for _ in range(12):
            near, residual = position.newton(mechanism.assembly, (joints + step)[None], None)
            if position.closed(residual)[0] and np.linalg.norm(imbalance_at(near[0])) < np.linalg.norm(imbalance):
                break
            step /= 2
        else:
            break
        joints, imbalance = near[0], imbalance_at(near[0])
    worst = int(np.argmax(np.abs(imbalance)))
    raise ArmError(
        f"{mechanism.name}: no equilibrium was found near there; {mechanism.coordinates[worst]!r} keeps a load of "
        f"{imbalance[worst]:.3g} too much; start nearer, or give it loads that can hold it"
    )

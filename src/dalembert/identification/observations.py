"""Logs as linear equations: effort = W x, x the inertial parameters, friction and reflected rotor inertias.

    tau_j = Y_j(q, qd, qdd) pi + sum of friction terms of joint j + I_a,j qdd_j

All of it passes the filter of the efforts: Y, which is smooth, at fewer samples, friction, which changes sharply where
a joint turns round, at every one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arm.description import ArmDescription
from ..arm.inertia import PARAMETERS, Load
from ..systems.arm_system import ArmSystem
from .friction_terms import FrictionTerms
from .log import Array
from .smoothing import Smoothed

TRANSITIONS = np.array([1e-3, 3e-3, 6e-3, 1e-2, 2e-2, 3e-2, 5e-2])
"""Speeds (rad/s, m/s) within which the sign of a speed may pass through zero; searched for the best."""
STRIBECK = np.array([0.02, 0.05, 0.1, 0.2, 0.4])
"""Stribeck speeds (rad/s, m/s) searched."""


@dataclass(frozen=True)
class Unknowns:
    """What is estimated: ten inertial parameters a body, friction terms a joint, a reflected inertia a joint."""

    arm: ArmDescription
    friction: FrictionTerms
    rotors: bool

    @property
    def inertial(self) -> int:
        """Number of inertial parameters."""
        return 10 * len(self.arm.bodies)

    def friction_column(self, joint: int, term: int) -> int:
        """Column of a friction term of a joint."""
        return self.inertial + joint * len(self.friction.names) + term

    def rotor_column(self, joint: int) -> int:
        """Column of the reflected inertia of a joint."""
        return self.inertial + self.arm.n * len(self.friction.names) + joint

    @property
    def count(self) -> int:
        """Number of unknowns."""
        return self.rotor_column(self.arm.n if self.rotors else 0)

    def matrix(self, smooth: Array, friction: Array, acceleration: Array) -> Array:
        """W ``(..., n, unknowns)`` of Y ``(..., n, 10 bodies)``, friction ``(..., n, terms)`` and accelerations."""
        found = np.zeros((*smooth.shape[:-1], self.count))
        found[..., : self.inertial] = smooth
        for joint in range(self.arm.n):
            for term in range(friction.shape[-1]):
                found[..., joint, self.friction_column(joint, term)] = friction[..., joint, term]
            if self.rotors:
                found[..., joint, self.rotor_column(joint)] = acceleration[..., joint]
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns: m1, mx1, ..., coulomb1, ..., rotor1, ..."""
        system = self.arm
        found = [f"{name}{i + 1}" for i in range(len(system.bodies)) for name in PARAMETERS]
        found += [f"{term}{i + 1}" for i in range(system.n) for term in self.friction.names]
        found += [f"rotor{i + 1}" for i in range(system.n)] if self.rotors else []
        return tuple(found)

    @property
    def units(self) -> tuple[str, ...]:
        """Their units."""
        inertial = ("kg", *("kg m",) * 3, *("kg m^2",) * 6)
        found = [unit for _ in self.arm.bodies for unit in inertial]
        found += [self.friction.units(joint.kind)[term] for joint in self.arm.moving for term in self.friction.names]
        found += ["kg m^2" if joint.kind == "revolute" else "kg" for joint in self.arm.moving] if self.rotors else []
        return tuple(found)


@dataclass(frozen=True, eq=False)
class Shape:
    """The numbers in which friction is not linear, one of each for every joint."""

    transition: Array
    stribeck: Array


class Observations:
    """The equations of all logs: ``effort`` ``(m, n)``, ``smooth`` ``(m, n, 10 bodies)``, friction for a ``Shape``."""

    def __init__(self, system: ArmSystem, unknowns: Unknowns, logs: Sequence[Smoothed], known: Sequence[Array]) -> None:
        self.system, self.unknowns, self.logs = system, unknowns, logs
        self.effort = np.concatenate([log.reduced(log.effort - load) for log, load in zip(logs, known, strict=True)])
        self.smooth = np.concatenate([log.evaluated(system.regressor) for log in logs])
        self.acceleration = np.concatenate([log.evaluated(lambda q, qd, qdd: qdd) for log in logs])
        sizes = [len(log.thinned(log.t)) for log in logs]
        self.log_of = np.repeat(np.arange(len(logs)), sizes)

    def __len__(self) -> int:
        return len(self.effort)

    def friction(self, shape: Shape, inertial: Array | None) -> Array:
        """Friction columns ``(m, n, terms)``; ``inertial`` are the parameters whose torques are the load."""
        terms = self.unknowns.friction
        made = []
        for log in self.logs:
            load = None
            if inertial is not None and "load" in terms.names:
                load = link_torques(self.system, log, inertial)
            made.append(log.reduced(terms.columns(log.qd, shape.transition, shape.stribeck, load)))
        return np.concatenate(made)

    def matrix(self, friction: Array) -> Array:
        """W ``(m, n, unknowns)``."""
        return self.unknowns.matrix(self.smooth, friction, self.acceleration)


def load_torques(system: ArmSystem, log: Smoothed, load: Load | None) -> Array:
    """What a known load in the hand adds to the torques, at every sample."""
    if load is None:
        return np.zeros_like(log.effort)
    state = log.q, log.qd, log.qdd
    return np.asarray(system.holding(load).inverse_dynamics(*state) - system.holding(None).inverse_dynamics(*state))


def link_torques(system: ArmSystem, log: Smoothed, inertial: Array) -> Array:
    """Torques of links with these parameters at every sample, in pieces that fit into memory."""
    piece = 20_000
    rows = range(0, len(log.t), piece)
    parts = [system.regressor(*(x[k : k + piece] for x in (log.q, log.qd, log.qdd))) @ inertial for k in rows]
    return np.concatenate(parts)

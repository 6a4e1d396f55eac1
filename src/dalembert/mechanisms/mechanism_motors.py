"""The motors of a mechanism: those of its chains whose drives count, then its own, seen from all joints phi.

A motor turns at N(phi) phi'; its torque F_a loads the joints by N^T F_a, and the coordinates by X^T N^T F_a. A joint of
whose drive nothing is described has no motor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arm.description import listed
from ..arm.drives import Actuator
from ..arm.errors import ArmError
from ..arm.motor_units import is_force
from ..arm.moving_parts import NO_ROTOR
from ..rings.ring import Scalar
from ..systems.arm_system import ArmSystem
from .batch import Array
from .own_drives import drive_coordinate

if TYPE_CHECKING:
    from .mechanism import Mechanism
    from .transfer_over_field import TransferOverField


def is_motor(actuator: Actuator) -> bool:
    """True if something of a motor is described: a rotor, a gear, constants, a torque; not friction alone."""
    geared = len(actuator.ratios) != 1 or actuator.ratios[0][1] != 1
    described = (actuator.motor, actuator.stall, actuator.body)
    return geared or actuator.rotor != NO_ROTOR or any(part is not None for part in described)


class MechanismMotors:
    """All motors of a mechanism, chain by chain."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.actuators: list[Actuator] = []
        self.names: tuple[str, ...] = ()
        self.units: tuple[str, ...] = ()
        self.of_chain: list[list[int]] = []
        for chain, arm in mechanism.chains.arms.items():
            own = [k for k, a in enumerate(arm.drives.actuators) if arm.counts_drives and is_motor(a)]
            self.of_chain.append(own)
            self.actuators += [arm.drives.actuators[k] for k in own]
            self.names += tuple(f"{chain}.{arm.drives.actuators[k].name}" for k in own)
            self.units += tuple("N" if is_force(arm, k) else "N m" for k in own)
        drives = mechanism.parts.drives
        self.own = [drive_coordinate(drive, mechanism.chains) for drive in drives]
        self.actuators += drives
        self.names += tuple(drive.name for drive in drives)
        self.units += tuple("N" if drive.kind == "linear" else "N m" for drive in drives)
        if not self.names:
            raise ArmError(
                f"{mechanism.name}: no motor of its chains counts; describe their drives and ask mechanism.driven"
            )

    def rows(self, phi: Array) -> Array:
        """N ``(b, motors, m)``: the motors' speeds per joint rate."""
        found = np.zeros((len(phi), len(self.names), self.mechanism.m))
        first = 0
        for arm, part, own in self._parts():
            found[:, first : first + len(own), part] = arm.transmission(phi[:, part])[:, own]
            first += len(own)
        for k, jet, joints in self._jets(phi, 1):
            found[:, first + k, joints] = jet.first[:, 0]
        return found

    def rows_over(self, transfer: TransferOverField, phi: Sequence[Scalar]) -> list[list[Scalar]]:
        """N as rows of m numbers of the field of ``transfer``."""
        found: list[list[Scalar]] = []
        for system, part, own in zip(transfer.systems, transfer.chains.slices, self.of_chain, strict=True):
            if not own:
                continue
            assert system.train is not None, "motors of chains count"
            first = system.train.transmission(transfer.field, phi[part]).first
            for k in own:
                full: list[Scalar] = [0] * transfer.chains.m
                full[part] = list(first[k])
                found.append(full)
        return [*found, *(transfer.slopes(coordinate, phi) for coordinate in self.own)]

    def row_slopes(self, phi: Array) -> Array:
        """dN_aj/dphi_k ``(b, motors, m, m)``; zeros for constant ratios."""
        found = np.zeros((len(phi), len(self.names), self.mechanism.m, self.mechanism.m))
        first = 0
        for arm, part, own in self._parts():
            found[:, first : first + len(own), part, part] = arm.transmission_slopes(phi[:, part])[:, own]
            first += len(own)
        for k, jet, joints in self._jets(phi, 2):
            # the first index of a jet is that of its derivative
            table = np.zeros((len(phi), self.mechanism.m, self.mechanism.m))
            table[:, joints[:, None], joints] = np.swapaxes(jet.second[:, 0], 1, 2)
            found[:, first + k] = table
        return found

    def _jets(self, phi: Array, order: int) -> list[tuple[int, Any, Any]]:
        placed = self.mechanism.chains.place(phi) if self.own else None
        return [(k, own.jet(placed, order), own.joints) for k, own in enumerate(self.own) if placed is not None]

    def _parts(self) -> Sequence[tuple[ArmSystem, slice, list[int]]]:
        chains = self.mechanism.chains
        return [
            (arm, part, own)
            for arm, part, own in zip(chains.arms.values(), chains.slices, self.of_chain, strict=True)
            if own
        ]

    def torques(self, phi: Array, tau: Array) -> Array:
        """F_a ``(motors,)`` of least squares that load the coordinates by ``tau`` ``(n,)`` (Freeman 1985, eq. 4-85)."""
        lever = (self.rows(phi[None])[0] @ self.mechanism.first_influence(phi[None])[0]).T
        found, *_ = np.linalg.lstsq(lever, tau, rcond=1e-12)
        off = np.abs(lever @ found - tau)
        if off.max(initial=0.0) > 1e-9 * (1 + np.abs(tau).max(initial=0.0)):
            name = self.mechanism.coordinates[int(np.argmax(off))]
            raise ArmError(
                f"{self.mechanism.name}: the motors {listed(self.names)} cannot give the load "
                f"{tau[np.argmax(off)]:.6g} at coordinate {name!r}; add a motor for it, or name it passive"
            )
        return np.asarray(found, dtype=np.float64)

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
            counted = [k for k, a in enumerate(arm.drives.actuators) if arm.counts_drives and is_motor(a)]
            self.of_chain.append(counted)
            self.actuators += [arm.drives.actuators[k] for k in counted]
            self.names += tuple(f"{chain}.{arm.drives.actuators[k].name}" for k in counted)
            self.units += tuple("N" if is_force(arm, k) else "N m" for k in counted)
        drives = mechanism.parts.drives
        self.drive_coordinates = [drive_coordinate(drive, mechanism.chains) for drive in drives]
        self.actuators += drives
        self.names += tuple(drive.name for drive in drives)
        self.units += tuple("N" if drive.kind == "linear" else "N m" for drive in drives)
        if not self.names:
            raise ArmError(
                f"{mechanism.name}: no motor of its chains counts; describe their drives and ask mechanism.driven"
            )

    def rows(self, phi: Array) -> Array:
        """N ``(b, motors, m)``: the motors' speeds per joint rate."""
        transmission = np.zeros((len(phi), len(self.names), self.mechanism.m))
        start = 0
        for arm, chain_joints, motors in self._chain_motors():
            transmission[:, start : start + len(motors), chain_joints] = arm.transmission(phi[:, chain_joints])[
                :, motors
            ]
            start += len(motors)
        for k, jet, joints in self._jets(phi, 1):
            transmission[:, start + k, joints] = jet.first[:, 0]
        return transmission

    def rows_over(self, transfer: TransferOverField, phi: Sequence[Scalar]) -> list[list[Scalar]]:
        """N as rows of m numbers of the field of ``transfer``."""
        rows: list[list[Scalar]] = []
        for system, part, chain_motors in zip(transfer.systems, transfer.chains.slices, self.of_chain, strict=True):
            if not chain_motors:
                continue
            assert system.train is not None, "motors of chains count"
            first = system.train.transmission(transfer.field, phi[part]).first
            for k in chain_motors:
                joint_row: list[Scalar] = [0] * transfer.chains.m
                joint_row[part] = list(first[k])
                rows.append(joint_row)
        return [*rows, *(transfer.slopes(coordinate, phi) for coordinate in self.drive_coordinates)]

    def row_slopes(self, phi: Array) -> Array:
        """dN_aj/dphi_k ``(b, motors, m, m)``; zeros for constant ratios."""
        slopes = np.zeros((len(phi), len(self.names), self.mechanism.m, self.mechanism.m))
        start = 0
        for arm, chain_joints, motors in self._chain_motors():
            slopes[:, start : start + len(motors), chain_joints, chain_joints] = arm.transmission_slopes(
                phi[:, chain_joints]
            )[:, motors]
            start += len(motors)
        for k, jet, joints in self._jets(phi, 2):
            # the first index of a jet is that of its derivative
            table = np.zeros((len(phi), self.mechanism.m, self.mechanism.m))
            table[:, joints[:, None], joints] = np.swapaxes(jet.second[:, 0], 1, 2)
            slopes[:, start + k] = table
        return slopes

    def _jets(self, phi: Array, order: int) -> list[tuple[int, Any, Any]]:
        placed = self.mechanism.chains.place(phi) if self.drive_coordinates else None
        return [
            (k, coordinate.jet(placed, order), coordinate.joints)
            for k, coordinate in enumerate(self.drive_coordinates)
            if placed is not None
        ]

    def _chain_motors(self) -> Sequence[tuple[ArmSystem, slice, list[int]]]:
        chains = self.mechanism.chains
        return [
            (arm, chain_joints, motors)
            for arm, chain_joints, motors in zip(chains.arms.values(), chains.slices, self.of_chain, strict=True)
            if motors
        ]

    def torques(self, phi: Array, tau: Array) -> Array:
        """F_a ``(motors,)`` of least squares that load the coordinates by ``tau`` ``(n,)`` (Freeman 1985, eq. 4-85)."""
        lever = (self.rows(phi[None])[0] @ self.mechanism.first_influence(phi[None])[0]).T
        torques, *_ = np.linalg.lstsq(lever, tau, rcond=1e-12)
        residual = np.abs(lever @ torques - tau)
        if residual.max(initial=0.0) > 1e-9 * (1 + np.abs(tau).max(initial=0.0)):
            name = self.mechanism.coordinates[int(np.argmax(residual))]
            raise ArmError(
                f"{self.mechanism.name}: the motors {listed(self.names)} cannot give the load "
                f"{tau[np.argmax(residual)]:.6g} at coordinate {name!r}; add a motor for it, or name it passive"
            )
        return np.asarray(torques, dtype=np.float64)

"""What is found beside the parameters of the arm: gains of drives from a known load, and the direction of gravity.

With currents i_j and gains g_j,  g_j i_j = W_j x + tau_load,j: the known load sets the scale. A start comes from the
linear equations W x - g i = - tau_load, whose columns i are noisy (Gautier and Briot 2014 take total least squares for
that reason); then Gauss-Newton steps on i_j = (W_j x + tau_load,j) / g_j, where the noise of the currents stands on the
side it belongs to. Gravity is turned about two axes across it by steps of the same kind. Errors of both are part of
the covariance of all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ..arm.errors import ArmError
from ..systems.arm_system import ArmSystem
from .any_gravity import AnyGravity
from .log import Array
from .observations import Observations
from .smoothing import Smoothed

STEPS, SETTLED = 30, 1e-7
"""Most Gauss-Newton steps, and the change at which they end."""


def read_gains(gains: ArrayLike | str | Sequence[float | None] | None, n: int) -> tuple[Array | None, Array]:
    """Gains with ones where they are to be found, and which those are; None where efforts are torques."""
    if gains is None:
        return None, np.zeros(n, dtype=bool)
    if isinstance(gains, str):
        if gains != "find":
            raise ArmError(f'gains are numbers (N m/A), one for each joint, or "find"; got {gains!r}')
        return np.ones(n), np.ones(n, dtype=bool)
    try:
        table = np.asarray(gains, dtype=object)
        values = np.array([np.nan if x is None else float(x) for x in table.reshape(-1)]).reshape(table.shape)
    except (TypeError, ValueError):
        raise ArmError(f"gains are numbers (N m/A), one for each joint; got {gains!r}") from None
    if values.shape not in ((), (n,)) or np.isinf(values).any() or (values == 0).any():
        raise ArmError(f"gains are one number for each of {n} joints (N m/A), none of them zero; got {gains!r}")
    values = np.broadcast_to(values, (n,))
    unknown = np.isnan(values)
    return np.where(unknown, 1.0, values), unknown


def gained(logs: Sequence[Smoothed], gains: Array) -> list[Smoothed]:
    """The same logs with efforts times gains."""
    return [replace(log, effort=log.effort * gains) for log in logs]


@dataclass(frozen=True, eq=False)
class CurrentColumns:
    """Columns -i of the gains in W x - g i = - tau_load, at the joints whose gain is to be found."""

    logs: Sequence[Smoothed]
    joints: Sequence[int]

    @property
    def names(self) -> tuple[str, ...]:
        """One for each joint."""
        return tuple(f"gain{j + 1}" for j in self.joints)

    def columns(self, piece: Smoothed, log_index: int, rows: slice, base: Array) -> Array:
        """Minus the current, at its joint."""
        columns = np.zeros((*base.shape[:2], len(self.joints)))
        for k, joint in enumerate(self.joints):
            columns[:, joint, k] = -piece.reduced(self.logs[log_index].effort[rows, joint])
        return columns


@dataclass(frozen=True, eq=False)
class GainColumns:
    """Columns of relative changes of gains: the torques that the present estimate ``values`` predicts."""

    values: Array
    known: Sequence[Array]
    joints: Sequence[int]

    @property
    def names(self) -> tuple[str, ...]:
        """One for each joint."""
        return tuple(f"gain{j + 1}" for j in self.joints)

    def columns(self, piece: Smoothed, log_index: int, rows: slice, base: Array) -> Array:
        """W_j x + tau_load,j, at its joint."""
        columns = np.zeros((*base.shape[:2], len(self.joints)))
        torque = base @ self.values + piece.reduced(self.known[log_index][rows])
        for k, joint in enumerate(self.joints):
            columns[:, joint, k] = torque[:, joint]
        return columns


@dataclass(frozen=True, eq=False)
class TiltColumns:
    """Columns of turns of gravity about two axes across it."""

    arm: AnyGravity
    inertial: Array
    axes: Array
    names: tuple[str, ...] = ("tilt1", "tilt2")

    def columns(self, piece: Smoothed, log_index: int, rows: slice, base: Array) -> Array:
        """Torques of a unit turn."""

        def turned(q: Array, qd: Array, qdd: Array) -> Array:
            return np.stack([self.arm.turned(q, axis, self.inertial) for axis in self.axes], axis=-1)

        return piece.evaluated(turned)


def across(vector: Array) -> Array:
    """Two unit vectors across a vector and each other, as rows."""
    _, _, rows = np.linalg.svd(vector[None, :])
    return np.asarray(rows[1:])


def rotated(vector: Array, turn: Array) -> Array:
    """A vector turned by a rotation vector (Rodrigues)."""
    angle = float(np.linalg.norm(turn))
    if angle == 0:
        return vector
    axis = turn / angle
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(c * vector + s * np.cross(axis, vector) + (1 - c) * (axis @ vector) * axis)


def converge(step: Callable[[], float], unknowns: str) -> None:
    """Gauss-Newton steps until the largest change is below ``SETTLED``; refused where they do not converge."""
    size = np.inf
    for _ in range(STEPS):
        size = step()
        if size < SETTLED:
            return
    if not size < 1e-3:
        raise ArmError(f"{unknowns} were not found: the steps do not settle; give them, or logs of richer motion")


DIRECTIONS = np.array([[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)])
"""Directions from which the search for gravity starts."""


def generic(arm: ArmSystem) -> ArmSystem:
    """The arm under a gravity that favours no direction: its base parameters serve for all of them."""
    return arm.with_gravity((3.0, -5.0, -7.875))


def under(observations: Observations, gravity: Array) -> Observations:
    """The same equations under another gravity."""
    assert isinstance(observations.system, AnyGravity)
    arm = observations.system.under(gravity)
    return Observations(
        arm, observations.unknowns, observations.base, observations.logs, observations.known, observations.instruments
    )

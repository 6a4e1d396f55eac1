"""Which frame of an arm is asked about, and in which axes its velocity is written.

    "base"     the velocity of the frame's origin, and the angular velocity, in base axes
    "frame"    the same two vectors in the frame's own axes
    "spatial"  base axes, and the velocity of the point of the body that passes the base origin (a twist)

Pinocchio calls them LOCAL_WORLD_ALIGNED, LOCAL and WORLD.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription, listed
from ..arm.drives import DriveTrain
from ..arm.errors import ArmError
from ..arm.placement import Placement

if TYPE_CHECKING:
    from .arm_kinematics import MovingArm

Array = NDArray[np.float64]
AskedFrame: TypeAlias = str | tuple[str, Placement]
"""A frame of an arm: a link, or a link and a placement in its frame."""
AXES = ("base", "frame", "spatial")


def check_axes(axes: str) -> None:
    """Refuse axes that are not known."""
    if axes not in AXES:
        raise ArmError(f"axes can be {listed(AXES)}, not {axes!r}")


def framed_arm(arm: MovingArm, frame: AskedFrame | None) -> MovingArm:
    """The joints and links of ``arm`` alone, with its tool in ``frame``: what the kinematics of a frame depends on."""
    from .arm_kinematics import MovingArm

    link, tool = (arm.tool_link, arm.tool) if frame is None else (frame, Placement())
    if isinstance(frame, tuple):
        if len(frame) != 2 or not isinstance(frame[1], Placement):
            raise ArmError(
                f'a frame is a link, or a link and a Placement in it, as in ("hand", placement); got {frame!r}'
            )
        link, tool = frame
    if not isinstance(link, str):
        raise ArmError(f"a frame is the name of a link, or a link and a Placement in it; got {frame!r}")
    values = {field.name: getattr(arm, field.name) for field in fields(ArmDescription)}
    values |= {"loads": (), "elastic": (), "drives": DriveTrain(), "drive_model": "none"}
    return MovingArm(**(values | {"tool": tool, "tool_link": arm.link(link).name}))


def skew(v: Array) -> Array:
    """[v]x with [v]x u = v x u, ``(..., 3, 3)``."""
    matrix = np.zeros((*v.shape[:-1], 3, 3))
    for (i, j), k, sign in (((1, 0), 2, 1), ((2, 0), 1, -1), ((2, 1), 0, 1)):
        matrix[..., i, j] = sign * v[..., k]
        matrix[..., j, i] = -sign * v[..., k]
    return matrix


def turned(turn: Array, rows: Array) -> Array:
    """Linear and angular rows, each turned."""
    return np.concatenate([turn @ rows[..., :3, :], turn @ rows[..., 3:, :]], axis=-2)


def jacobian_in(axes: str, pose: Array, jacobian: Array) -> Array:
    """A Jacobian in base axes as one in ``axes``."""
    if axes == "frame":
        return turned(np.swapaxes(pose[..., :3, :3], -1, -2), jacobian)
    spatial = jacobian.copy()
    # v at the base origin = v - omega x p
    spatial[..., :3, :] += skew(pose[..., :3, 3]) @ jacobian[..., 3:, :]
    return spatial


def rate_in(axes: str, pose: Array, jacobian: Array, rate: Array, qd: Array) -> Array:
    """The rate of a Jacobian in base axes as that of one in ``axes``, by the product rule."""
    moving = np.einsum("...ij,...j->...i", jacobian, qd)
    if axes == "frame":
        turn_t = np.swapaxes(pose[..., :3, :3], -1, -2)
        return turned(turn_t, rate - turned(skew(moving[..., 3:]), jacobian))
    spatial_rate = rate.copy()
    spatial_rate[..., :3, :] += skew(pose[..., :3, 3]) @ rate[..., 3:, :] + skew(moving[..., :3]) @ jacobian[..., 3:, :]
    return spatial_rate

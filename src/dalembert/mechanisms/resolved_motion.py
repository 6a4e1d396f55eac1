"""Resolved motion: joints, rates, accelerations and jerks for a motion of the hand (Freeman 1985, after 3-47).

With the hand's freedoms as coordinates, phi' by (3-14), phi'' by (3-18) and phi''' by (3-46). Put into (2-240) they
give the voltages for the motion, inductance included: "resolved-jerk control". Turns have no position; where the hand
is to be, its poses say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ..arm.errors import ArmError
from .batch import Array
from .position import LARGEST_STEP, TOLERANCE

if TYPE_CHECKING:
    from .assembly import Assembly
    from .chain_frames import Carrier
    from .coordinate_kinematics import CoordinateKinematics


class JointMotion(NamedTuple):
    """Joints ``(t, m)`` with their first, second and third derivatives in time."""

    phi: Array
    rate: Array
    acceleration: Array
    jerk: Array


def resolved(
    mechanism: CoordinateKinematics, poses: Array, rates: tuple[Array, Array, Array], guess: Array
) -> JointMotion:
    """The joints along ``poses`` ``(t, 4, 4)`` of the frame whose freedoms are the coordinates."""
    if poses.ndim != 3 or poses.shape[1:] != (4, 4):
        raise ArmError(f"poses of the hand are an array (t, 4, 4); got shape {poses.shape}")
    frame, rows = _hand(mechanism.assembly)
    joints = []
    for index, pose in enumerate(poses):
        guess = _posed(mechanism.assembly, frame, rows, pose, guess, index)
        joints.append(guess)
    phi = np.array(joints)
    rate, acceleration = mechanism.joint_motion(phi, *rates[:2])
    return JointMotion(phi, rate, acceleration, mechanism.joint_jerk(phi, *rates))


def _hand(assembly: Assembly) -> tuple[Carrier, list[int]]:
    """The frame whose freedoms the coordinates are, and which of x, y, z, rx, ry, rz."""
    terms = [coordinate.terms for coordinate in assembly.coordinates]
    alone = [
        summands[0]
        for summands in terms
        if len(summands) == 1 and summands[0].frame is not None and summands[0].weight == 1
    ]
    frames = [term.frame for term in alone if term.frame is not None]
    frame_keys = {(frame.chain, frame.body, str(frame.exact)) for frame in frames}
    if len(alone) < len(terms) or len(frame_keys) != 1:
        raise ArmError(
            "a motion of the hand is resolved in coordinates that are freedoms of one frame, such as x(tool), "
            "rz(tool); choose them with with_coordinates([...])"
        )
    return frames[0], [term.freedom for term in alone]


def _posed(assembly: Assembly, frame: Carrier, rows: list[int], pose: Array, guess: Array, index: int) -> Array:
    """The joints at which the frame has this pose in the freedoms ``rows``, near ``guess``, by Newton's method."""
    phi = guess.copy()
    for _ in range(30):
        turn, origin = (part[0] for part in assembly.chains.place(phi[None]).pose(frame))
        error = np.concatenate([origin - pose[:3, 3], Rotation.from_matrix(turn @ pose[:3, :3].T).as_rotvec()])[rows]
        value, g = (part[0] for part in assembly.first_order(phi[None], as_error=True))
        value[: assembly.n] = error
        if np.abs(value).max() < TOLERANCE * (1 + np.abs(pose).max()):
            return phi
        step = np.linalg.lstsq(g, value, rcond=1e-9)[0]
        phi -= step * min(1.0, LARGEST_STEP / max(float(np.abs(step).max()), 1e-300))
    raise ArmError(
        f"the hand does not reach pose {index} from the one before: it stays off by {np.abs(error).max():.3g} (m, "
        f"rad); take shorter steps, or keep away from the edge of its reach"
    )

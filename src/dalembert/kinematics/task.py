"""What is asked of a frame: which parts of its pose, how they weigh, how close is close enough."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.array_input import real_array
from ..arm.description import listed
from ..arm.errors import ArmError
from .pose_errors import FORMULATIONS, TASKS, rotation_vector

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Task:
    """A pose, position or orientation, with ``weights`` of the six directions in ``axes``.

    ``length`` (m) makes positions comparable with angles: it weighs errors, and decides nothing.
    """

    kind: str
    weights: Array
    axes: str
    error: str
    position_tolerance: float
    orientation_tolerance: float
    length: float

    @classmethod
    def of(
        cls, kind: str, weights: ArrayLike | None, axes: str, error: str, tolerance: float | tuple[float, float],
        length: float,
    ) -> Task:  # fmt: skip
        """The task, checked."""
        if kind not in TASKS:
            raise ArmError(f"a task is {listed(TASKS)}, not {kind!r}")
        if axes not in ("base", "frame"):
            raise ArmError(f'weights are along the axes of the "base" or of the "frame", not {axes!r}')
        if error not in FORMULATIONS:
            raise ArmError(f"the error of a rotation can be {listed(FORMULATIONS)}, not {error!r}")
        checked = np.ones(6) if weights is None else real_array("weights", weights)
        if checked.shape != (6,) or not (np.isfinite(checked).all() and (checked >= 0).all()):
            raise ArmError("weights are six numbers of zero or more: x, y, z, then rotations about x, y, z")
        active = checked * {"pose": (1, 1, 1, 1, 1, 1), "position": (1,) * 3 + (0,) * 3}.get(kind, (0,) * 3 + (1,) * 3)
        if not active.any():
            raise ArmError(f"all weights of the {kind} are zero, so that nothing is asked for; give one above zero")
        close = real_array("tolerance", tolerance)
        if close.shape not in ((), (1,), (2,)) or not (close > 0).all():
            raise ArmError("a tolerance is above zero: one number, or one in m and one in rad")
        near, turn = (float(x) for x in np.broadcast_to(close, (2,)))
        return cls(kind, active, axes, error, near, turn, length)

    @property
    def rows(self) -> int:
        """How many of the six directions count."""
        return int((self.weights > 0).sum())

    @cached_property
    def scaled(self) -> Array:
        """Weights of the squared error, positions in units of ``length``."""
        return self.weights * np.array([self.length**-2] * 3 + [1.0] * 3)

    @cached_property
    def turns_with_frame(self) -> bool:
        """Whether the weights in base axes depend on how the frame stands."""
        alike = np.ptp(self.weights[:3]) == 0 and np.ptp(self.weights[3:]) == 0
        return self.axes == "frame" and not alike

    def errors(self, pose: Array, target: Array) -> tuple[Array, Array, Array]:
        """The error vector ``(..., 6)`` in base axes, and the distances (m, rad) that count for the tolerances.

        Distances are over the directions whose weight is above zero.
        """
        turn_t = np.swapaxes(pose[..., :3, :3], -1, -2)
        turned, angle = rotation_vector(target[..., :3, :3] @ turn_t, self.error)
        error = np.concatenate([target[..., :3, 3] - pose[..., :3, 3], turned], axis=-1)
        counted = self.weights > 0
        if counted.all():
            return error, np.linalg.norm(error[..., :3], axis=-1), angle
        counted_error = error
        if self.error == "sine":  # vanishes at half a turn, where nothing is reached
            about_axis, _ = rotation_vector(target[..., :3, :3] @ turn_t)
            counted_error = np.concatenate([error[..., :3], about_axis], axis=-1)
        if self.axes == "frame":
            counted_error = np.concatenate(
                [
                    np.einsum("...ij,...j->...i", turn_t, counted_error[..., part])
                    for part in (slice(0, 3), slice(3, 6))
                ],
                axis=-1,
            )
        counted_error = counted_error * counted
        about = angle if counted[3:].all() else np.linalg.norm(counted_error[..., 3:], axis=-1)
        return error, np.linalg.norm(counted_error[..., :3], axis=-1), np.where(counted[3:].any(), about, 0.0)

    def cost(self, error: Array, weight: Array) -> Array:
        """e . W e / 2 of errors with the weights of ``weight_blocks``."""
        if not self.turns_with_frame:
            return np.asarray(0.5 * (error**2 @ self.scaled))
        total = np.zeros(error.shape[:-1])
        for begin, part in ((0, error[..., :3]), (6, error[..., 3:])):
            block = weight[..., begin : begin + 6]
            total += np.einsum("...i,...i,...i->...", block[..., :3], part, part)
            for k, (i, j) in enumerate(((0, 1), (0, 2), (1, 2)), start=3):
                total += 2 * block[..., k] * part[..., i] * part[..., j]
        return 0.5 * total

    def weight_blocks(self, pose: Array) -> Array:
        """W in base axes as twelve numbers for each pose: xx, yy, zz, xy, xz, yz of position, then of rotation."""
        blocks = np.zeros((*pose.shape[:-2], 12))
        if not self.turns_with_frame:
            blocks[..., :3], blocks[..., 6:9] = self.scaled[:3], self.scaled[3:]
            return blocks
        turn = pose[..., :3, :3]
        for begin, part in ((0, self.scaled[:3]), (6, self.scaled[3:])):
            block = (turn * part) @ np.swapaxes(turn, -1, -2)
            for k, (i, j) in enumerate(((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))):
                blocks[..., begin + k] = block[..., i, j]
        return blocks

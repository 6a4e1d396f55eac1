"""A frame of a mechanism brought near a pose: the coordinates follow by steps of least squares, the loops stay closed.

With J the influence coefficients of the frame in q and e its error (position, and turn where the position alone does
not take all freedoms), a step is dq = J^T (J J^T + d^2)^-1 e (damped least squares, Wampler 1986), cut to the limits,
halved where the loops do not close.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from ..arm.errors import ArmError
from ..mechanisms.chain_frames import FrameOn
from ..mechanisms.mechanism import Mechanism

Array = NDArray[np.float64]
STEPS, HALVINGS = 12, 4
DAMPING = 1e-3
LONGEST = 0.3
"""Longest step of a coordinate (rad or m)."""
NEAR = 1e-6


def dragged(
    mechanism: Mechanism, phi: Array, frame: FrameOn | str, target: Array, spans: tuple[Array, Array], length: float
) -> tuple[Array, float]:
    """Joints phi with the frame as near ``target`` (4, 4) as coordinates within ``spans`` bring it, and how far (m).

    ``length`` (m) is what a turn of one radian counts for.
    """
    position_alone = _takes_all(mechanism, phi, frame)
    error = _error(mechanism, phi, frame, target, position_alone, length)
    for _ in range(STEPS):
        if np.linalg.norm(error) < NEAR * length:
            break
        influence = mechanism.frame_influence(phi, frame).first
        j = influence[:3] if position_alone else np.concatenate([influence[:3], length * influence[3:]])
        step = j.T @ np.linalg.solve(j @ j.T + (DAMPING * length) ** 2 * np.eye(len(j)), error)
        step *= min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-12))
        improved = _better(
            mechanism, phi, step, frame, target, spans, position_alone, length, float(np.linalg.norm(error))
        )
        if improved is None:
            break
        phi, error = improved
    reached = mechanism.frame(phi, frame)
    return phi, float(np.linalg.norm(target[:3, 3] - reached[:3, 3]))


def _better(
    mechanism: Mechanism, phi: Array, step: Array, frame: FrameOn | str, target: Array, spans: tuple[Array, Array],
    position_alone: bool, length: float, error_before: float,
) -> tuple[Array, Array] | None:  # fmt: skip
    """The joints after the step, or a shorter one, where it closes and brings the frame nearer; else None."""
    q = mechanism.coordinates_of(phi)
    for _ in range(HALVINGS):
        try:
            moved = mechanism.position(np.clip(q + step, *spans), phi)
        except ArmError:  # the loops do not close there
            step = step / 2
            continue
        error = _error(mechanism, moved, frame, target, position_alone, length)
        if np.linalg.norm(error) < error_before:
            return moved, error
        step = step / 2
    return None


def _takes_all(mechanism: Mechanism, phi: Array, frame: FrameOn | str) -> bool:
    """Whether the position of the frame determines all coordinates."""
    j = mechanism.frame_influence(phi, frame).first[:3]
    return bool(np.linalg.matrix_rank(j, tol=1e-6 * max(float(np.abs(j).max(initial=0.0)), 1e-12)) == mechanism.n)


def _error(
    mechanism: Mechanism, phi: Array, frame: FrameOn | str, target: Array, position_alone: bool, length: float
) -> Array:
    pose = mechanism.frame(phi, frame)
    shift = target[:3, 3] - pose[:3, 3]
    if position_alone:
        return shift
    return np.concatenate([shift, length * Rotation.from_matrix(target[:3, :3] @ pose[:3, :3].T).as_rotvec()])

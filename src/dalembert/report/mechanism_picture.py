"""A mechanism as a picture: its skeleton in SVG, in its plane or as seen from a corner of the room."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..mechanisms.mechanism import Mechanism
from ..mechanisms.skeleton import Skeleton
from .skeleton_picture import Array, SkeletonPicture, from_a_corner


def view_of(mechanism: Mechanism) -> Array:
    """Two rows that project points to the picture: x and y of a planar mechanism, else from a corner and above."""
    axes = np.concatenate(
        [
            mechanism.chains.place(mechanism.home[None]).frames(k)[0][0, :, :, 2]
            for k in range(len(mechanism.chains.names))
        ]
    )
    if np.allclose(np.abs(axes[:, 2]), 1.0) and mechanism.chains.revolute.all():
        return np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    return from_a_corner()


def mechanism_picture(mechanism: Mechanism, phi: Any) -> SkeletonPicture:
    """The skeleton at joints ``phi``; each chain has a colour."""
    skeleton = Skeleton(mechanism)
    points = skeleton.positions(np.asarray(phi, dtype=float)[None])[0]
    return SkeletonPicture(
        mechanism.name, points, view_of(mechanism), skeleton.bars, skeleton.plates, skeleton.joints
    )  # fmt: skip


def write_mechanism_picture(mechanism: Mechanism, path: str | Path, phi: Any = None) -> None:
    """Write the picture at joints ``phi`` (home); SVG only."""
    mechanism_picture(mechanism, mechanism.home if phi is None else phi).write(path)

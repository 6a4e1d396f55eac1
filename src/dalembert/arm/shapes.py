"""What links look like: boxes, balls, rods and meshes in the frame of their link; nothing of the dynamics."""

from __future__ import annotations

from dataclasses import dataclass

from .placement import Placement

Colour = tuple[float, float, float, float]
SIZES = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2, "ellipsoid": 3, "mesh": 3}
"""The kinds of shapes, and how many numbers the size of each has."""


@dataclass(frozen=True)
class LinkShape:
    """A shape of a link, placed in the frame of the link.

    ``size`` (m) is, of a box its edges, of a sphere its radius, of a cylinder about z its radius and length, of a
    capsule its radius and the length between its half balls, of an ellipsoid its half axes, and of a mesh by how much
    the lengths of its file are multiplied. A point p of a mesh file is at ``placement`` (size * (``origin``^-1 p)).
    """

    kind: str
    size: tuple[float, ...]
    placement: Placement = Placement()
    file: str = ""
    """The file of a mesh, as the file of the arm refers to it, or below its folder; never opened by a reader."""
    origin: Placement = Placement()
    colour: Colour | None = None
    """Red, green, blue and opacity, from 0 to 1."""
    fault: str = ""
    """Why this shape cannot be shown, where the file of the arm does not say it properly."""

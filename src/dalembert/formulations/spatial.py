"""Spatial vectors over any ring, as pairs about one common origin (Featherstone 2008, chapter 2).

A motion is a pair of an angular and a linear part, a force a pair of a moment and a force. The axis of a joint is a
motion, too: its screw S, so that a body moves against the one before it at S qd.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..rings.algebra import ZERO, Vec, add, column, cross, dot, plus, scale
from ..rings.ring import Scalar
from .kinematics import Frame

Screw = tuple[Vec, Vec]
"""The angular and the linear part of a motion, or the moment and the force of a load."""
ZERO_SCREW: Screw = (ZERO, ZERO)


def joint_screw(revolute: bool, frame: Frame) -> Screw:
    """S of a joint whose frame stands there."""
    axis = column(frame[0], 2)
    return (axis, cross(frame[1], axis)) if revolute else (ZERO, axis)


def screw_of(x: Sequence[Scalar]) -> Screw:
    """Six numbers as a pair of vectors."""
    return (x[0], x[1], x[2]), (x[3], x[4], x[5])


def motion_cross(a: Screw, b: Screw) -> Screw:
    """a x b of two motions."""
    return cross(a[0], b[0]), plus(cross(a[0], b[1]), cross(a[1], b[0]))


def force_cross(a: Screw, load: Screw) -> Screw:
    """a x* f: how a load changes that is carried along by a motion."""
    return plus(cross(a[0], load[0]), cross(a[1], load[1])), cross(a[0], load[1])


def screw_sum(a: Screw, b: Screw) -> Screw:
    """a + b."""
    return plus(a[0], b[0]), plus(a[1], b[1])


def screw_scale(factor: Scalar, a: Screw) -> Screw:
    """c a."""
    return scale(factor, a[0]), scale(factor, a[1])


def power(a: Screw, b: Screw) -> Scalar:
    """S . f: the power of a load on a motion, in either order."""
    return add(dot(a[0], b[0]), dot(a[1], b[1]))

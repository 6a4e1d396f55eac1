"""Where the bodies are: frames of the tree, tool frame, Jacobian and its rate.

A body's joint frame stands in its parent's at ``rotation Rot_z(q), position`` (revolute) or
``rotation, position + q z`` (prismatic); products of these along the path give the base frame.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..rings.algebra import EYE, ZERO, Mat, Vec, column, cross, matmul, matvec, minus, plus, scale
from ..rings.dual import Dual, Duals, slope_of
from ..rings.ring import Ring, Scalar
from .chain import Chain, Segment

Frame = tuple[Mat, Vec]


def joint_frame(segment: Segment, ring: Ring, q: Scalar) -> Frame:
    """The joint frame in the joint frame of its parent, at position ``q``."""
    if segment.revolute:
        sin, cos = ring.sincos(q)
        turn = ((cos, -sin, 0), (sin, cos, 0), (0, 0, 1))
        return matmul(segment.rotation, turn), segment.position
    return segment.rotation, plus(segment.position, scale(q, column(segment.rotation, 2)))


def relative_frames(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> list[Frame]:
    """Each joint frame in its parent's."""
    return [joint_frame(segment, ring, value) for segment, value in zip(chain.segments, q, strict=True)]


def compose(a: Frame, b: Frame) -> Frame:
    """Frame ``b``, given in ``a``, seen from where ``a`` is seen."""
    return matmul(a[0], b[0]), plus(a[1], matvec(a[0], b[1]))


def frames(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> list[Frame]:
    """Each joint frame in the base: T_0^j = T_0^1 T_1^2 ... (Bejczy 1974, eq. 4)."""
    base_frames: list[Frame] = []
    for segment, step in zip(chain.segments, relative_frames(chain, ring, q), strict=True):
        base_frames.append(step if segment.parent < 0 else compose(base_frames[segment.parent], step))
    return base_frames


def link_frames(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> list[Frame]:
    """Each moving link's own frame in the base."""
    return [compose(frame, s.link) for frame, s in zip(frames(chain, ring, q), chain.segments, strict=True)]


def tool_frame(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> Frame:
    """The tool frame in the base."""
    base: Frame = (EYE, ZERO)
    return compose(frames(chain, ring, q)[chain.tool_body] if chain.tool_body >= 0 else base, chain.tool)


def jacobian(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """Six rows, linear then angular velocity of the tool in the base frame, per joint.

    First-order influence coefficients of the tool (Freeman 1985, eqs 2-56 and 2-66).
    """
    joint_frames = frames(chain, ring, q)
    linear, angular = [ZERO] * chain.n, [ZERO] * chain.n
    if chain.tool_body >= 0:
        _, tip = compose(joint_frames[chain.tool_body], chain.tool)
        for joint in chain.paths[chain.tool_body]:
            turn, origin = joint_frames[joint]
            axis = column(turn, 2)
            if chain.segments[joint].revolute:
                linear[joint], angular[joint] = cross(axis, minus(tip, origin)), axis
            else:
                linear[joint] = axis
    return [[v[row] for v in linear] for row in range(3)] + [[w[row] for w in angular] for row in range(3)]


def jacobian_rate(chain: Chain, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[list[Scalar]]:
    """dJ/dt along the motion, so that the tool accelerates by J qdd + dJ/dt qd: one tangent, along qd.

    The same as qd . H with the second-order influence coefficients (Freeman 1985, Tables 2-3 and 2-4).
    """
    moving = [Dual(x, {0: v}) for x, v in zip(q, qd, strict=True)]
    return [[slope_of(entry, 0) for entry in row] for row in jacobian(chain, Duals(ring), moving)]


def homogeneous(frame: Frame) -> list[list[Scalar]]:
    """A frame as a 4x4 matrix."""
    turn, shift = frame
    return [[*turn[i], shift[i]] for i in range(3)] + [[0, 0, 0, 1]]

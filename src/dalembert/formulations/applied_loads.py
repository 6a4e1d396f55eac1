"""Applied loads: forces and moments on links, springs and dampers (Freeman 1985, eq. 2-147).

A force f at a point P and a moment m on a body load the joints with Q_n = f . g_n^P + m . g_n, g being the
first-order influence coefficients of the point and of the rotation. The torque a drive must supply is that
of the bare arm less Q.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..arm.description import ArmDescription
from ..arm.elastic import JointDamper, JointSpring, PointSpring
from ..arm.exact import exact, exact_vector
from ..arm.following import amount
from ..rings.algebra import ZERO, Vec, add, dot, matvec, minus, mul, plus, scale, sub
from ..rings.ring import Field, Ring, Scalar
from .chain import Chain, placed
from .influence import PointInfluence
from .kinematics import Frame, frames


@dataclass(frozen=True)
class AppliedForce:
    """A force at a point and a moment, over the ring; ``link`` is the link frame in the body's joint frame."""

    body: int
    link: Frame
    point: Vec
    force: Vec
    moment: Vec
    in_base_axes: bool


@dataclass(frozen=True)
class Elastics:
    """Springs and dampers over the ring: at joints (index, stiffness, rest, damping) and between points."""

    joints: tuple[tuple[int, Scalar, Scalar, Scalar], ...]
    points: tuple[tuple[tuple[int, Vec], tuple[int, Vec], Scalar, Scalar, Scalar], ...]

    def __bool__(self) -> bool:
        return bool(self.joints or self.points)


def link_in_body(
    arm: ArmDescription, ring: Ring, link: str, parameters: Mapping[str, Scalar] | None = None
) -> tuple[int, Frame]:
    """The body a link belongs to (-1: the base) and the link's frame in the body's joint frame.

    ``parameters`` are lengths and twists in place of those of the description, by name.
    """
    body, frame = arm.body_of[link]
    return body, placed(arm.bodies[body].after @ frame if body >= 0 else frame, ring, parameters or {})


def elastics(arm: ArmDescription, ring: Ring, parameters: Mapping[str, Scalar] | None = None) -> Elastics:
    """The arm's springs and dampers over the ring."""

    def number(value: float) -> Scalar:
        return ring.number(exact(value))

    def point(link: str, xyz: tuple[float, float, float]) -> tuple[int, Vec]:
        body, (turn, shift) = link_in_body(arm, ring, link, parameters)
        offset: Vec = tuple(ring.number(c) for c in exact_vector(xyz, "point"))
        return body, plus(shift, matvec(turn, offset))

    joints, points = [], []
    joint_index = {joint.name: index for index, joint in enumerate(arm.all_moving)}
    for element in arm.elastic:
        if isinstance(element, JointSpring):
            # The offset of a joint that follows another stands in its placement: its motion begins there.
            rest = ring.number(exact(element.rest) - amount(arm.couplings[joint_index[element.joint]].offset))
            joints.append((joint_index[element.joint], number(element.stiffness), rest, 0))
        elif isinstance(element, JointDamper):
            joints.append((joint_index[element.joint], 0, 0, number(element.damping)))
        elif isinstance(element, PointSpring):
            ends = point(element.link_a, element.point_a), point(element.link_b, element.point_b)
            points.append((*ends, number(element.stiffness), number(element.rest), number(element.damping)))
    return Elastics(tuple(joints), tuple(points))


def force_load(chain: Chain, ring: Ring, q: Sequence[Scalar], forces: Sequence[AppliedForce]) -> list[Scalar]:
    """Q of forces and moments (2-147)."""
    joint_frames = frames(chain, ring, q)
    load: list[Scalar] = [0] * chain.n
    for applied in forces:
        turn, shift = applied.link
        influence = PointInfluence(chain, joint_frames, applied.body, plus(shift, matvec(turn, applied.point)))
        force, moment = applied.force, applied.moment
        if not applied.in_base_axes:
            force, moment = matvec(turn, force), matvec(turn, moment)
            if applied.body >= 0:
                force, moment = (
                    matvec(joint_frames[applied.body][0], force),
                    matvec(joint_frames[applied.body][0], moment),
                )
        for n in influence.path:
            load[n] = add(load[n], add(dot(force, influence.shift(n)), dot(moment, influence.turn(n))))
    return load


def elastic_load(
    chain: Chain, field: Field, q: Sequence[Scalar], qd: Sequence[Scalar], elements: Elastics
) -> list[Scalar]:
    """Q of springs and dampers.

    A spring from a to b with d = b - a pulls a with k (1 - rest/|d|) d, and its damper with c (d.d')/(d.d) d;
    b gets the opposite. With rest and c zero nothing is divided.
    """
    joint_frames = frames(chain, field, q)
    load: list[Scalar] = [0] * chain.n
    for joint, stiffness, rest, damping in elements.joints:
        pull = add(mul(stiffness, sub(q[joint], rest)) if not _zero(stiffness) else 0, mul(damping, qd[joint]))
        load[joint] = sub(load[joint], pull)
    for start, end, stiffness, rest, damping in elements.points:
        a, b = (PointInfluence(chain, joint_frames, *anchor) for anchor in (start, end))
        span = minus(b.position, a.position)
        rate = 0 if _zero(damping) else dot(span, minus(_velocity(b, qd), _velocity(a, qd)))
        pull = scale(span_tension(field, span, rate, stiffness, rest, damping), span)
        for n in a.path:
            load[n] = add(load[n], dot(pull, a.shift(n)))
        for n in b.path:
            load[n] = sub(load[n], dot(pull, b.shift(n)))
    return load


def elastic_energy(chain: Chain, field: Field, q: Sequence[Scalar], elements: Elastics) -> Scalar:
    """Energy stored in the springs: k (q - rest)^2 / 2 and k (|d| - rest)^2 / 2."""
    joint_frames = frames(chain, field, q)
    energy: Scalar = 0
    for joint, stiffness, rest, _ in elements.joints:
        if not _zero(stiffness):
            stretch = sub(q[joint], rest)
            energy = add(energy, mul(stiffness, mul(stretch, stretch)))
    for start, end, stiffness, rest, _ in elements.points:
        a, b = (PointInfluence(chain, joint_frames, *anchor) for anchor in (start, end))
        energy = add(energy, mul(stiffness, stretch_square(field, minus(b.position, a.position), rest)))
    return mul(field.number(Fraction(1, 2)), energy)


def spans(chain: Chain, field: Field, q: Sequence[Scalar], elements: Elastics) -> list[Vec]:
    """d = b - a of springs and dampers between points."""
    joint_frames = frames(chain, field, q)
    ends = ([PointInfluence(chain, joint_frames, *anchor).position for anchor in part[:2]] for part in elements.points)
    return [minus(b, a) for a, b in ends]


def span_tension(field: Field, span: Vec, rate: Scalar, stiffness: Scalar, rest: Scalar, damping: Scalar) -> Scalar:
    """What a spring and a damper pull per length of their span d (N/m): k (1 - rest/|d|) + c (d.d')/(d.d).

    ``rate`` is d.d'. With rest and c structural zeros nothing is divided.
    """
    factor = stiffness
    if not _zero(rest):
        factor = sub(stiffness, field.divide(mul(stiffness, rest), field.sqrt(dot(span, span))))
    if not _zero(damping):
        factor = add(factor, field.divide(mul(damping, rate), dot(span, span)))
    return factor


def stretch_square(field: Field, span: Vec, rest: Scalar) -> Scalar:
    """(|d| - rest)^2."""
    square = dot(span, span)
    if _zero(rest):
        return square
    stretch = sub(field.sqrt(square), rest)
    return mul(stretch, stretch)


def _velocity(point: PointInfluence, qd: Sequence[Scalar]) -> Vec:
    velocity = ZERO
    for n in point.path:
        velocity = plus(velocity, scale(qd[n], point.shift(n)))
    return velocity


def _zero(value: Scalar) -> bool:
    return type(value) is int and value == 0

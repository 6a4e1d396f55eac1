"""An arm as the formulations see it: bodies in a tree, with the numbers of one ring.

Each body is seen from its joint frame, which moves with the body and has the joint axis as z. Whatever
convention wrote the arm, in this frame a revolute joint is Rot_z(q) and a prismatic one Trans_z(q).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..arm.description import ArmDescription
from ..arm.exact import Angle
from ..arm.inertia import ENTRIES, PARAMETERS, Inertia, moved
from ..arm.placement import Matrix, Placement
from ..rings.algebra import EYE, ZERO, Mat, Vec, add, as_matrix, matmul, matplus, matvec, mul, plus, transpose
from ..rings.rational import Rationals
from ..rings.ring import Ring, Scalar
from .coordinate_map import ONE_TO_ONE, CoordinateMap

_KEPT = "_rational_chain"
CENTRAL = ("m", "x", "y", "z", "Cxx", "Cxy", "Cxz", "Cyy", "Cyz", "Czz")
"""Parameters of a body by its mass centre (x, y, z) and the inertia tensor C about it."""


@dataclass(frozen=True)
class Segment:
    """One moving body and its joint.

    ``rotation`` and ``position`` place the joint frame at q = 0 in the joint frame of the parent; ``link``
    places the link frame in the joint frame. ``mass``, ``moment`` (mass times mass centre) and ``tensor`` are
    about the joint frame. ``com`` and ``central`` are mass centre and inertia tensor about it; they are None where the
    parameters are moments of the ring, since a ring does not divide by the mass.
    """

    parent: int
    revolute: bool
    rotation: Mat
    position: Vec
    link: tuple[Mat, Vec]
    mass: Scalar
    moment: Vec
    tensor: Mat
    com: Vec | None
    central: Mat | None


@dataclass(frozen=True)
class Chain:
    """All moving bodies, parents first, gravity in the base frame, and the tool frame on its body.

    ``coupling`` says how the joints go with the coordinates of the arm, where some follow others.
    """

    segments: tuple[Segment, ...]
    gravity: Vec
    tool_body: int
    tool: tuple[Mat, Vec]
    coupling: CoordinateMap = ONE_TO_ONE

    @property
    def n(self) -> int:
        """Number of moving bodies, and of joints."""
        return len(self.segments)

    @cached_property
    def paths(self) -> tuple[tuple[int, ...], ...]:
        """For each body, the joints that move it: from the base out to its own."""
        paths: list[tuple[int, ...]] = []
        for index, segment in enumerate(self.segments):
            paths.append((*(paths[segment.parent] if segment.parent >= 0 else ()), index))
        return tuple(paths)

    def below(self, i: int, j: int) -> bool:
        """True if joint ``i`` moves body ``j``."""
        return i in self.paths[j]


def placed(placement: Placement, ring: Ring, parameters: Mapping[str, Scalar]) -> tuple[Mat, Vec]:
    """A placement over the ring: rotation and position, named amounts taken from ``parameters`` where it has them.

    An angle among them is a pair (sine, cosine), a length a number; a step "-a" is the opposite of a.
    """
    if not parameters or not any(step.stem in parameters for step in placement.steps):
        rotation, position = placement.exact
        return _constants(rotation, ring), tuple(ring.number(p) for p in position)
    turn, shift = EYE, ZERO
    for step in placement.steps:
        if isinstance(step.amount, Angle):
            sin, cos = parameters.get(step.stem) or (ring.number(step.amount.sin), ring.number(step.amount.cos))
            sin = -sin if step.is_opposite and step.stem in parameters else sin
            turn = matmul(turn, about_axis(step.axis, sin, cos))
        else:
            length = parameters[step.stem] if step.stem in parameters else ring.number(step.amount)
            length = -length if step.is_opposite and step.stem in parameters else length
            shift = plus(shift, tuple(mul(row[step.axis], length) for row in turn))
    return turn, shift


def about_axis(axis: int, sin: Scalar, cos: Scalar) -> Mat:
    """Rotation matrix about coordinate axis 0, 1 or 2."""
    rows: list[list[Scalar]] = [[int(i == j) for j in range(3)] for i in range(3)]
    j, k = (axis + 1) % 3, (axis + 2) % 3
    rows[j][j] = rows[k][k] = cos
    rows[j][k], rows[k][j] = -sin, sin
    return as_matrix(rows)


def chain(arm: ArmDescription, ring: Ring, parameters: Mapping[str, Scalar] | None = None) -> Chain:
    """The arm over ``ring``.

    ``parameters`` replaces numbers of the arm by numbers of the ring, by name, bodies counted from 1: inertial
    parameters about the link frame ("m1", "mx1", ..., "Izz1"), or about the mass centre ("m1", "x1", "Cxx1"),
    named lengths and twists ("a2", "d3", "alpha1" as a pair of sine and cosine), gravity ("gx", "gy", "gz"),
    and the load in the tool frame ("mL", "mxL", ..., "IzzL").
    """
    return over(_rational(arm), ring) if not parameters else _chain(arm, ring, parameters)


def _rational(arm: ArmDescription) -> Chain:
    """The arm over the rationals: its frames and inertias are worked out once, whatever the rings that ask for them."""
    kept = vars(arm)  # where a description keeps what it has worked out
    if _KEPT not in kept:
        kept[_KEPT] = _chain(arm, Rationals(), {})
    rational: Chain = kept[_KEPT]
    return rational


def over(chain: Chain, ring: Ring) -> Chain:
    """A chain of rationals converted to another ring."""
    if isinstance(ring, Rationals):
        return chain

    def numbers(values: Any) -> Any:
        if isinstance(values, tuple):
            return tuple(numbers(value) for value in values)
        return None if values is None else ring.number(Fraction(values) if type(values) is int else values)

    segments = tuple(
        Segment(
            s.parent, s.revolute, numbers(s.rotation), numbers(s.position), numbers(s.link),
            numbers(s.mass), numbers(s.moment), numbers(s.tensor), numbers(s.com), numbers(s.central),
        )
        for s in chain.segments
    )  # fmt: skip
    return Chain(segments, numbers(chain.gravity), chain.tool_body, numbers(chain.tool), chain.coupling.over(ring))


def _chain(arm: ArmDescription, ring: Ring, parameters: Mapping[str, Scalar]) -> Chain:
    bodies = arm.bodies
    segments: list[Segment] = []
    links = [placed(body.after, ring, parameters) for body in bodies]
    for index, body in enumerate(bodies):
        before = body.before if body.parent < 0 else bodies[body.parent].after @ body.before
        rotation, position = placed(before, ring, parameters)
        inertia = _in_joint_frame(arm, index, ring, parameters, links[index])
        segments.append(Segment(body.parent, body.joint.kind == "revolute", rotation, position, links[index], *inertia))
    gravity = tuple(
        parameters[name] if name in parameters else ring.number(value)
        for name, value in zip(("gx", "gy", "gz"), arm.gravity, strict=True)
    )
    tool_body, frame = arm.body_of[arm.tool_link]
    after = bodies[tool_body].after if tool_body >= 0 else Placement()
    tool = placed(after @ frame @ arm.tool, ring, parameters)
    return Chain(tuple(segments), gravity, tool_body, tool, CoordinateMap.of(arm, ring))


def _constants(rows: Matrix, ring: Ring) -> Mat:
    return as_matrix([ring.number(x) for x in row] for row in rows)


def _named(
    names: tuple[str, ...], values: tuple[Fraction, ...], tag: str, ring: Ring, parameters: Mapping[str, Scalar]
) -> list[Scalar]:
    return [
        parameters[f"{name}{tag}"] if f"{name}{tag}" in parameters else ring.number(value)
        for name, value in zip(names, values, strict=True)
    ]


def _symmetric(entries: list[Scalar]) -> Mat:
    rows: list[list[Scalar]] = [[0] * 3 for _ in range(3)]
    for (_, i, j), value in zip(ENTRIES, entries, strict=True):
        rows[i][j] = rows[j][i] = value
    return as_matrix(rows)


def _in_joint_frame(
    arm: ArmDescription, index: int, ring: Ring, parameters: Mapping[str, Scalar], link: tuple[Mat, Vec]
) -> tuple[Scalar, Vec, Mat, Vec | None, Mat | None]:
    """Mass, moment and tensor about the joint frame; mass centre and central tensor where the numbers give them."""
    body, tag = arm.bodies[index], str(index + 1)
    symbolic = any(step.stem in parameters for step in body.after.steps)
    if any(f"{name}{tag}" in parameters for name in CENTRAL[1:]):
        mass, com, central = _about_com(body.inertia, tag, ring, parameters)
        com, central = plus(link[1], matvec(link[0], com)), matmul(matmul(link[0], central), transpose(link[0]))
        return (*moved(mass, ZERO, central, EYE, com), com, central)
    loaded = _load_is_symbolic(arm, index, parameters)
    if not symbolic and not loaded and not any(f"{name}{tag}" in parameters for name in PARAMETERS):
        # Moved as rationals: one rounding at the end, and zeros stay structural.
        inertia = body.inertia.placed(body.after)
        mass, (x, y, z), tensor = inertia.mass, inertia.moment, inertia.tensor
        numbers = ring.number(mass), (ring.number(x), ring.number(y), ring.number(z)), _constants(tensor, ring)
        if not mass and any(inertia.moment):
            return (*numbers, None, None)
        return (*numbers, tuple(ring.number(c) for c in inertia.com), _constants(inertia.central, ring))
    inertia = (arm.holding(None) if loaded else arm).bodies[index].inertia
    mass, moment, tensor = moved(*_about_frame(inertia, tag, ring, parameters), *link)
    if loaded:
        payload = dict(arm.loads).get(arm.tool_link)
        load = _about_frame(payload.body if payload is not None else Inertia(), "L", ring, parameters)
        extra = moved(*load, *placed(body.after @ arm.body_of[arm.tool_link][1] @ arm.tool, ring, parameters))
        mass, moment, tensor = add(mass, extra[0]), plus(moment, extra[1]), matplus(tensor, extra[2])
    return mass, moment, tensor, None, None


def _about_frame(inertia: Inertia, tag: str, ring: Ring, parameters: Mapping[str, Scalar]) -> tuple[Scalar, Vec, Mat]:
    mass, x, y, z, *entries = _named(PARAMETERS, inertia.parameters, tag, ring, parameters)
    return mass, (x, y, z), _symmetric(entries)


def _about_com(inertia: Inertia, tag: str, ring: Ring, parameters: Mapping[str, Scalar]) -> tuple[Scalar, Vec, Mat]:
    values = (inertia.mass, *inertia.com, *(inertia.central[i][j] for _, i, j in ENTRIES))
    mass, x, y, z, *entries = _named(CENTRAL, values, tag, ring, parameters)
    return mass, (x, y, z), _symmetric(entries)


def _load_is_symbolic(arm: ArmDescription, index: int, parameters: Mapping[str, Scalar]) -> bool:
    return arm.body_of[arm.tool_link][0] == index and any(f"{name}L" in parameters for name in PARAMETERS)

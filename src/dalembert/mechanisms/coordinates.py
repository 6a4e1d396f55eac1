"""Coordinates of a mechanism, written as text: joints, positions of frames, turns, and sums of these.

"left.elbow"                 a joint (or "elbow" where one chain alone has it)
"x(plate)", "z(left:wrist)"  where the origin of a frame is, along an axis of the world
"rz(plate)"                  a turn of a frame about an axis of the world: a rate only, it has no position
"z(nut, screw)", "rz(b, a)"  the same of frame b against frame a, in the axes of a
"rz(pin)"                    of a closure: its frame b against its frame a, the motion of the joint that it makes
"left.a + left.b - 2*right.a"
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..arm.exact import exact
from . import jets
from .chain_frames import Carrier, ChainFrames, JointFrames
from .jets import Jet
from .loop_closures import FREEDOMS

TERM = re.compile(r"\s*([+-])?\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)\s*\*\s*)?")
FREEDOM = re.compile(r"(r?[xyz])\(([^()]+)\)")


@dataclass(frozen=True)
class CoordinateTerm:
    """A weight times a joint (``joint`` >= 0) or a freedom of a frame, against ``reference`` or the world."""

    weight: Fraction
    joint: int
    frame: Carrier | None = None
    freedom: int = 0
    reference: Carrier | None = None

    @property
    def joints(self) -> NDArray[np.intp]:
        """Indices in phi of the joints that the term depends on."""
        if self.frame is None:
            return np.array([self.joint], dtype=np.intp)
        return self.frame.joints if self.reference is None else np.union1d(self.frame.joints, self.reference.joints)


class Coordinate:
    """One coordinate: a weighted sum of joints and freedoms of frames."""

    def __init__(self, text: str, system: ChainFrames, terms: tuple[CoordinateTerm, ...] | None = None) -> None:
        """``terms`` where they are known; else they are read from the text."""
        self.name = " ".join(str(text).split())
        self.chains = system
        self.terms = _terms(self.name, system) if terms is None else terms
        self.joints = np.unique(np.concatenate([term.joints for term in self.terms])).astype(np.intp)

    def scaled(self, factor: Fraction) -> Coordinate:
        """``factor`` times this coordinate."""
        terms = tuple(replace(term, weight=factor * term.weight) for term in self.terms)
        return Coordinate(f"{float(factor):g} ({self.name})", self.chains, terms)

    def plus(self, other: Coordinate) -> Coordinate:
        """The sum of two coordinates."""
        return Coordinate(f"{self.name} + {other.name}", self.chains, self.terms + other.terms)

    @property
    def has_position(self) -> bool:
        """False for a turn, whose rate is no derivative of a position."""
        return all(term.frame is None or term.freedom < 3 for term in self.terms)

    @property
    def joint(self) -> int:
        """Index in phi of a coordinate that is a joint; -1 for any other."""
        alone = len(self.terms) == 1 and self.terms[0].frame is None and self.terms[0].weight == 1
        return self.terms[0].joint if alone else -1

    def is_angle(self, revolute: NDArray[np.bool_]) -> bool:
        """True of a coordinate in rad, False of one in m; ``revolute`` tells the joints apart."""
        angles = {bool(revolute[t.joint]) if t.frame is None else t.freedom >= 3 for t in self.terms}
        if len(angles) > 1:
            raise ArmError(f"coordinate {self.name!r} adds angles to lengths; its value has no unit")
        return angles == {True}

    @property
    def facts(self) -> str:
        """What makes the code of this coordinate what it is."""
        frames = (None if t.frame is None else (t.frame.chain, t.frame.body, t.frame.exact) for t in self.terms)
        references = [
            None if t.reference is None else (t.reference.chain, t.reference.body, t.reference.exact)
            for t in self.terms
        ]
        return repr(
            (references, [(t.weight, t.joint, t.freedom, end) for t, end in zip(self.terms, frames, strict=True)])
        )

    def jet(self, placed: JointFrames, order: int) -> Jet:
        """Value and influence coefficients in ``joints``."""
        width = len(self.joints)
        total: Jet | None = None
        for term in self.terms:
            if term.frame is None:
                value = placed.phi[:, term.joint, None]
                coefficients = [value, np.ones((placed.count, 1, 1))]
                coefficients += [np.zeros((placed.count, 1, *(1,) * k)) for k in range(2, order + 1)]
                jet = Jet(*coefficients[: order + 1])
            elif term.reference is not None:
                jet = _relative(placed, term.frame, term.reference, term.freedom, order)
            elif term.freedom < 3:
                jet = placed.point(term.frame, order).picked([term.freedom])
            else:
                jet = placed.turning(term.frame, order).picked([term.freedom - 3])
            jet = jet.embedded(np.searchsorted(self.joints, term.joints), width).scaled(float(term.weight))
            total = jet if total is None else total + jet
        assert total is not None
        return total


def _relative(placed: JointFrames, b: Carrier, a: Carrier, freedom: int, order: int) -> Jet:
    """A freedom of frame b in the axes of frame a: e_a . (p_b - p_a), or the rate e_a . (Omega_b - Omega_a)."""
    joints = np.union1d(a.joints, b.joints)

    def spread(jet: Jet, carrier: Carrier) -> Jet:
        return jet.embedded(np.searchsorted(joints, carrier.joints), len(joints))

    axis = spread(placed.axis(a, freedom % 3, order), a)
    if freedom < 3:
        return jets.product(axis, spread(placed.point(b, order), b) - spread(placed.point(a, order), a))
    return jets.turn_about(axis, spread(placed.turning(b, order), b) - spread(placed.turning(a, order), a))


def _frames(text: str, system: ChainFrames) -> tuple[Carrier, Carrier | None]:
    """The frame whose freedom is meant, and the one against which: "b", "b, a", or the name of a closure."""
    if text in system.joined:
        a, b = system.joined[text]
        return system.carrier(b), system.carrier(a)
    first, comma, second = text.rpartition(",")
    if comma and text not in system.frames:
        return system.carrier(first.strip()), system.carrier(second.strip())
    return system.carrier(text), None


def _terms(text: str, system: ChainFrames) -> tuple[CoordinateTerm, ...]:
    """The terms of a sum such as "left.a + 2*right.b - x(plate)", read from left to right."""
    terms: list[CoordinateTerm] = []
    cursor = 0
    while cursor < len(text):
        head = TERM.match(text, cursor)
        assert head is not None
        if terms and not head.group(1):
            raise ArmError(f"coordinate {text!r}: write + or - between its parts")
        weight = exact(head.group(2) or 1, f"coordinate {text!r}") * (-1 if head.group(1) == "-" else 1)
        cursor = head.end()
        frame = FREEDOM.match(text, cursor)
        if frame:
            try:
                carrier, reference = _frames(frame.group(2).strip(), system)
            except ArmError as fault:
                raise ArmError(f"coordinate {text!r}: {fault}") from None
            term = CoordinateTerm(weight, -1, carrier, FREEDOMS.index(frame.group(1)), reference)
            if not len(term.joints):
                raise ArmError(f"coordinate {text!r}: no joint moves {frame.group(2).strip()!r}; name a moving frame")
            terms.append(term)
            cursor = frame.end()
        else:
            name = _joint_name(text, cursor, system)
            try:
                terms.append(CoordinateTerm(weight, system.joint_index(name.strip())))
            except ArmError as fault:
                raise ArmError(f"coordinate {text!r}: {fault}") from None
            cursor += len(name)
        while cursor < len(text) and text[cursor] == " ":
            cursor += 1
    if not terms:
        raise ArmError("a coordinate is empty; name a joint, or a freedom of a frame such as x(tool)")
    return tuple(terms)


def _joint_name(text: str, cursor: int, system: ChainFrames) -> str:
    """The longest joint name at this position of the text; names may contain any character."""
    names = {*system.joint_names, *(name.split(".", 1)[1] for name in system.joint_names)}
    fitting = [name for name in names if text.startswith(name, cursor)]
    if fitting:
        return max(fitting, key=len)
    end = re.compile(r"\s[+-]\s|$").search(text, cursor)
    assert end is not None
    return text[cursor : end.start()]

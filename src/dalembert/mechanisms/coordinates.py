"""Coordinates of a mechanism, written as text: joints, positions of frames, turns, and sums of these.

"left.elbow"                 a joint (or "elbow" where one chain alone has it)
"x(plate)", "z(left:wrist)"  where the origin of a frame is, along an axis of the world
"rz(plate)"                  a turn of a frame about an axis of the world: a rate only, it has no position
"left.a + left.b - 2*right.a"
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from .chain_frames import Carrier, ChainFrames, Placed
from .jets import Jet
from .loop_closures import FREEDOMS

TERM = re.compile(r"\s*([+-])?\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)\s*\*\s*)?")
FREEDOM = re.compile(r"(r?[xyz])\(([^()]+)\)")


@dataclass(frozen=True)
class CoordinateTerm:
    """A weight times a joint (``joint`` >= 0) or a freedom of a frame."""

    weight: float
    joint: int
    frame: Carrier | None = None
    freedom: int = 0

    @property
    def joints(self) -> NDArray[np.intp]:
        """Indices in phi of the joints that the term depends on."""
        return np.array([self.joint], dtype=np.intp) if self.frame is None else self.frame.joints


class Coordinate:
    """One coordinate: a weighted sum of joints and freedoms of frames."""

    def __init__(self, text: str, system: ChainFrames) -> None:
        self.name = " ".join(str(text).split())
        self.terms = _terms(self.name, system)
        self.joints = np.unique(np.concatenate([term.joints for term in self.terms])).astype(np.intp)

    @property
    def has_position(self) -> bool:
        """False for a turn, whose rate is no derivative of a position."""
        return all(term.frame is None or term.freedom < 3 for term in self.terms)

    @property
    def joint(self) -> int:
        """Index in phi of a coordinate that is a joint; -1 for any other."""
        alone = len(self.terms) == 1 and self.terms[0].frame is None and self.terms[0].weight == 1
        return self.terms[0].joint if alone else -1

    @property
    def facts(self) -> str:
        """What makes the code of this coordinate what it is."""
        ends = (None if t.frame is None else (t.frame.chain, t.frame.body, t.frame.exact) for t in self.terms)
        return repr([(t.weight, t.joint, t.freedom, end) for t, end in zip(self.terms, ends, strict=True)])

    def jet(self, placed: Placed, order: int) -> Jet:
        """Value and influence coefficients in ``joints``."""
        width = len(self.joints)
        total: Jet | None = None
        for term in self.terms:
            if term.frame is None:
                value = placed.phi[:, term.joint, None]
                parts = [value, np.ones((placed.count, 1, 1))]
                parts += [np.zeros((placed.count, 1, *(1,) * k)) for k in range(2, order + 1)]
                jet = Jet(*parts[: order + 1])
            elif term.freedom < 3:
                jet = placed.point(term.frame, order).picked([term.freedom])
            else:
                jet = placed.turning(term.frame, order).picked([term.freedom - 3])
            jet = jet.embedded(np.searchsorted(self.joints, term.joints), width).scaled(term.weight)
            total = jet if total is None else total + jet
        assert total is not None
        return total


def _terms(text: str, system: ChainFrames) -> tuple[CoordinateTerm, ...]:
    found: list[CoordinateTerm] = []
    place = 0
    while place < len(text):
        head = TERM.match(text, place)
        assert head is not None
        if found and not head.group(1):
            raise ArmError(f"coordinate {text!r}: write + or - between its parts")
        weight = float(head.group(2) or 1) * (-1 if head.group(1) == "-" else 1)
        place = head.end()
        frame = FREEDOM.match(text, place)
        if frame:
            try:
                carrier = system.carrier(frame.group(2).strip())
            except ArmError as fault:
                raise ArmError(f"coordinate {text!r}: {fault}") from None
            if not len(carrier.joints):
                raise ArmError(f"coordinate {text!r}: no joint moves {frame.group(2).strip()!r}; name a moving frame")
            found.append(CoordinateTerm(weight, -1, carrier, FREEDOMS.index(frame.group(1))))
            place = frame.end()
        else:
            name = _joint_name(text, place, system)
            try:
                found.append(CoordinateTerm(weight, system.joint_index(name.strip())))
            except ArmError as fault:
                raise ArmError(f"coordinate {text!r}: {fault}") from None
            place += len(name)
        while place < len(text) and text[place] == " ":
            place += 1
    if not found:
        raise ArmError("a coordinate is empty; name a joint, or a freedom of a frame such as x(tool)")
    return tuple(found)


def _joint_name(text: str, place: int, system: ChainFrames) -> str:
    """The longest joint name at this position of the text; names may contain any character."""
    names = {*system.joint_names, *(name.split(".", 1)[1] for name in system.joint_names)}
    fitting = [name for name in names if text.startswith(name, place)]
    if fitting:
        return max(fitting, key=len)
    end = re.compile(r"\s[+-]\s|$").search(text, place)
    assert end is not None
    return text[place : end.start()]

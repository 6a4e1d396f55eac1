"""What a file says that an arm does not have, and that may be left out on request, by kind."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..description import listed
from ..errors import ArmError, SkippedWarning, caller_level

KINDS: Mapping[str, str] = {
    "actuator": "armature and damping of actuators",
    "contact": "pairs of geoms that touch",
    "equality": "equality constraints",
    "flex": "flexible bodies",
    "fluid": "the fluid around the arm",
    "gravcomp": "weight taken off bodies",
    "mocap": "motion of bodies from outside; they stand where the file has them",
    "plugin": "plugins",
    "tendon": "tendons with stiffness, damping, friction or armature",
}
"""Kinds of things that ``skip`` may name, and what is then left out."""


@dataclass
class Omissions:
    """The kinds that may be left out of one file, and what was left out of it."""

    origin: str
    kinds: frozenset[str] = frozenset()
    left_out: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, origin: str, kinds: Iterable[str]) -> Omissions:
        """These kinds; raises ArmError for one that is not known."""
        words = frozenset((kinds,) if isinstance(kinds, str) else kinds)
        for word in sorted(words - set(KINDS)):
            raise ArmError(f"skip cannot name {word!r}; what can be left out is {listed(KINDS)}")
        return cls(origin, words)

    def allow(self, kind: str, what: str) -> bool:
        """Whether ``what`` may be left out; it is then remembered."""
        if kind in self.kinds:
            self.left_out[f"{kind}: {what}"] += 1
        return kind in self.kinds

    def refused(self, sentence: str, kind: str) -> str:
        """The sentence of an error, with the way to leave out what cannot be modelled."""
        return f'{sentence}, or leave it out with skip=["{kind}"] (--skip {kind} on the command line)'

    def tell(self) -> None:
        """One warning that names what was left out."""
        if self.left_out:
            parts = listed(f"{what} ({count} times)" if count > 1 else what for what, count in self.left_out.items())
            warnings.warn(f"{self.origin}: left out as asked: {parts}", SkippedWarning, caller_level())

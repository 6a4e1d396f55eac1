"""Arms of three joints: all ways to a point, and all ways to an orientation."""

from __future__ import annotations

from dataclasses import dataclass

from ...rings.algebra import Mat, Vec, matvec, plus
from ...rings.ring import Field
from .screw_chain import CommonNormal, Screw, ScrewChain, perpendicular
from .spherical_wrist import Candidate, rotation
from .subproblems import JointAxis, Value, vector
from .three_joints import QUARTIC, JointPair, pair_kind, reach


@dataclass(frozen=True, eq=False)
class ThreeJointsToPoint:
    """Three joints that bring the tool's origin to a point."""

    chain: ScrewChain
    common: CommonNormal
    remaining: Screw
    backwards: bool

    @property
    def numeric(self) -> bool:
        """Whether an equation of fourth degree is left."""
        return pair_kind(self.common) in QUARTIC

    @property
    def words(self) -> str:
        """What it is, for people."""
        return "three joints to a point" + (", an equation of fourth degree" if self.numeric else "")

    def candidates(self, field: Field, turn: Mat, shift: Vec, preferred: list[Value]) -> list[Candidate]:
        """All values that bring the tool's origin where T' M brings it."""
        pair, remaining = JointPair.of(field, self.common, preferred), JointAxis.of(field, self.remaining, preferred)
        home = vector(field, self.chain.shift)
        moved_home = plus(matvec(turn, home), shift)
        start, goal = (moved_home, home) if self.backwards else (home, moved_home)
        order = (2, 1, 0) if self.backwards else (0, 1, 2)
        return [
            (dict(zip(order, values, strict=True)), free) for values, free in reach(field, pair, remaining, start, goal)
        ]


@dataclass(frozen=True, eq=False)
class ThreeJointsToOrientation:
    """Three joints that turn the tool."""

    chain: ScrewChain
    numeric = False
    words = "three joints to an orientation"

    def candidates(self, field: Field, turn: Mat, shift: Vec, preferred: list[Value]) -> list[Candidate]:
        """All values whose rotation is that of T'."""
        axes = [JointAxis.of(field, screw, preferred) for screw in self.chain.screws]
        spoke = vector(field, perpendicular(self.chain.screws[-1].direction))
        branches = rotation(field, axes, spoke, turn)
        return [(dict(enumerate(values)), free) for values, free in branches]

"""Three axes in a row that meet in a point: position and orientation part ways (Pieper 1968; Elias and Wen 2022).

The three joints leave the point p in which they meet where it is. With T' = T M^-1 = e1 ... e6 the other three joints
alone bring it to its place,

    axes 4, 5, 6 meet     e1 e2 e3 p = T' p
    axes 3, 4, 5 meet     e2^-1 e1^-1 T' e6^-1 p = p

and what is left is a rotation R4 R5 R6 = R_w by three axes: h4 . R5 h6 = h4 . R_w h6 gives the middle one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...rings.algebra import Mat, Vec, add, dot, matmul, matvec, minus, transpose
from ...rings.ring import Field, Scalar
from .screw_chain import CommonNormal, Screw, ScrewChain, meeting_point, perpendicular
from .subproblems import JointAxis, Value, onto, to_plane, undone, vector
from .three_joints import QUARTIC, JointPair, pair_kind, reach, simpler

Array = NDArray[np.float64]
Candidate = tuple[dict[int, Value], Scalar]
"""Values by joints, and how many of them are free."""


def turned_back(axes: list[tuple[JointAxis, Value]], v: Vec) -> Vec:
    """The direction before the motions of all."""
    for axis, value in axes:
        v = axis.turned(undone(value), v)
    return v


def rotation(
    field: Field, axes: list[JointAxis], spoke: Vec, turn: Mat
) -> list[tuple[tuple[Value, Value, Value], Scalar]]:
    """All values of three axes whose rotation is ``turn``; ``spoke`` is perpendicular to the last of them."""
    first, middle, last = axes
    goal = matvec(turn, last.h)
    branches = []
    for value2, free in to_plane(field, middle, first.h, last.h, dot(first.h, goal)):
        value1, loose = onto(field, first, middle.turned(value2, last.h), goal)
        before = turned_back([(first, value1), (middle, value2)], matvec(turn, spoke))
        value3, slack = onto(field, last, spoke, before)
        branches.append(((value1, value2, value3), add(free, add(loose, slack))))
    return branches


@dataclass(frozen=True, eq=False)
class SphericalWrist:
    """Six joints of which those from ``begin`` (2 or 3) to ``begin`` + 2 meet in ``point``."""

    chain: ScrewChain
    begin: int
    point: Array
    common: CommonNormal
    remaining: Screw
    backwards: bool

    @classmethod
    def of(cls, chain: ScrewChain) -> SphericalWrist | None:
        """The decomposition, if the axes meet so."""
        screws = chain.screws
        point = meeting_point(screws[3:])
        if point is not None:
            return cls(chain, 3, point, *simpler(*screws[:3]))
        point = meeting_point(screws[2:5])
        if point is not None:
            # e1'^-1 e0'^-1 e5^-1 p = T'^-1 p: the pair that stands to each other as built comes first
            common = CommonNormal.of(screws[1].reversed(), screws[0].reversed())
            return cls(chain, 2, point, common, screws[5].reversed(), True)
        return None

    @property
    def numeric(self) -> bool:
        """Whether an equation of fourth degree is left, which only floats solve."""
        return pair_kind(self.common) in QUARTIC

    @property
    def words(self) -> str:
        """What it is, for people."""
        return "three axes meet in a point" + (", an equation of fourth degree" if self.numeric else "")

    def candidates(self, field: Field, turn: Mat, shift: Vec, preferred: list[Value]) -> list[Candidate]:
        """All values of the joints that bring about the displacement T' = (turn, shift)."""
        axes = [JointAxis.of(field, screw, preferred) for screw in self.chain.screws]
        pair, remaining = JointPair.of(field, self.common, preferred), JointAxis.of(field, self.remaining, preferred)
        point = vector(field, self.point)
        wrist = axes[self.begin : self.begin + 3]
        spoke = vector(field, perpendicular(np.asarray(self.chain.screws[self.begin + 2].direction)))
        turn_t = transpose(turn)
        if self.begin == 3:
            moved_point = tuple(add(a, b) for a, b in zip(matvec(turn, point), shift, strict=True))
            endpoints = (moved_point, point) if self.backwards else (point, moved_point)
            order = (2, 1, 0) if self.backwards else (0, 1, 2)
        else:
            moved_point = matvec(turn_t, minus(point, shift))
            pair = pair.placed(turn_t, matvec(turn_t, minus((0, 0, 0), shift)))
            endpoints, order = (point, moved_point), (1, 0, 5)
        solutions: list[Candidate] = []
        for values, free in reach(field, pair, remaining, *endpoints):
            by_joint = dict(zip(order, values, strict=True))
            before = [(axes[k], by_joint[k]) for k in range(self.begin)]
            after = [(axes[k], by_joint[k]) for k in range(self.begin + 3, 6)]
            # columns of R_w = R_before^T R R_after^T
            units: list[Vec] = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
            columns = [turned_back(before, matvec(turn, turned_back(after, unit))) for unit in units]
            for angles, loose in rotation(field, wrist, spoke, transpose(tuple(columns))):
                joints = by_joint | {self.begin + k: value for k, value in enumerate(angles)}
                solutions.append((joints, add(free, loose)))
        return solutions


@dataclass(frozen=True, eq=False)
class ThreeSlides:
    """Six joints of which three slide: the others turn the tool, and the slides are left (Pieper 1968)."""

    chain: ScrewChain
    numeric = False
    words = "three joints slide"

    @classmethod
    def of(cls, chain: ScrewChain) -> ThreeSlides | None:
        """The decomposition, if three joints slide along directions of space at the base."""
        return cls(chain) if chain.letters in ("PPPRRR", "RRRPPP") else None

    def candidates(self, field: Field, turn: Mat, shift: Vec, preferred: list[Value]) -> list[Candidate]:
        """All values of the joints that bring about the displacement (turn, shift)."""
        axes = [JointAxis.of(field, screw, preferred) for screw in self.chain.screws]
        turning = [k for k, axis in enumerate(axes) if axis.revolute]
        sliding = [k for k, axis in enumerate(axes) if not axis.revolute]
        spoke = vector(field, perpendicular(np.asarray(self.chain.screws[turning[-1]].direction)))
        directions = np.stack([self.chain.screws[k].direction for k in sliding], axis=1)
        inverse = [vector(field, row) for row in np.linalg.pinv(directions)]
        solutions: list[Candidate] = []
        for angles, free in rotation(field, [axes[k] for k in turning], spoke, turn):
            by_joint = dict(zip(turning, angles, strict=True))
            moved: Vec = (0, 0, 0)
            for k in reversed(turning):
                moved = axes[k].moved(by_joint[k], moved)
            offset = minus(shift, moved)
            if sliding[0] != 0:  # the slides are carried by the turning joints
                offset = turned_back([(axes[k], by_joint[k]) for k in turning], offset)
            solutions.append(
                (by_joint | {k: (dot(row, offset), 1) for k, row in zip(sliding, inverse, strict=True)}, free)
            )
        return solutions


def displacement(field: Field, chain: ScrewChain, pose: list[Scalar]) -> tuple[Mat, Vec]:
    """T' = T M^-1 from the twelve numbers of T, rows of rotation and position (positions as parts of the length)."""
    rows = [pose[4 * i : 4 * i + 4] for i in range(3)]
    turn: Mat = tuple(tuple(row[:3]) for row in rows)  # type: ignore[assignment]
    home = tuple(vector(field, row) for row in chain.turn.T)
    turn_home = matmul(turn, home)
    carried = matvec(turn_home, vector(field, chain.shift))
    return turn_home, minus((rows[0][3], rows[1][3], rows[2][3]), carried)

"""Three joints that bring a point to a point: e1 e2 e3 w = c, all solutions (Pieper 1968).

The first joint keeps what it keeps: the height along its axis and the distance from it, or where it slides two
coordinates across. Together with what the second keeps this leaves one equation in the third:

    axes 1 and 2 intersect in p      |e3 w - p| = |c - p|
    axes 1 and 2 parallel to h       h . e3 w = h . c
    axes 1 and 2 skew                ((|c - p1|^2 - |f - p2|^2 - a^2) / 2a)^2 + ((h1 . (c - p1) - cos h2 . f) / sin)^2
                                     = |f|^2 - (h2 . f)^2,   f = e3 w - p2: degree four in the half tangent

with the common normal of length a between p1 and p2, and the sine and cosine of the twist. Where a joint slides,
heights take the place of distances. Read backwards, e3^-1 e2^-1 e1^-1 c = w is the same question, so that a simple pair
at either end serves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...rings.algebra import Mat, Vec, add, cross, dot, matvec, minus, mul, plus, scale, sub
from ...rings.ring import Field, Scalar
from .quartics import roots
from .screw_chain import CommonNormal, Screw
from .subproblems import JointAxis, Value, number, onto, to_height, to_plane, to_sphere, vector

Branch = tuple[tuple[Value, Value, Value], Scalar]
"""Values of the three joints, and how many of them are free."""


@dataclass(frozen=True)
class JointPair:
    """The first two joints, by their common normal; ``kind`` is what they are to each other."""

    first: JointAxis
    second: JointAxis
    normal: Vec
    third: Vec
    distance: Scalar
    cosine: Scalar
    sine: Scalar
    kind: str

    @classmethod
    def of(cls, field: Field, common: CommonNormal, preferred: list[Value]) -> JointPair:
        """The pair over the field."""
        return cls(
            JointAxis.of(field, common.first, preferred), JointAxis.of(field, common.second, preferred),
            vector(field, common.normal), vector(field, common.third), number(field, common.distance),
            number(field, common.cosine), number(field, common.sine), pair_kind(common),
        )  # fmt: skip

    def placed(self, turn: Mat, shift: Vec) -> JointPair:
        """The pair after a displacement."""
        return replace(
            self, first=self.first.placed(turn, shift), second=self.second.placed(turn, shift),
            normal=matvec(turn, self.normal), third=matvec(turn, self.third),
        )  # fmt: skip


def pair_kind(common: CommonNormal) -> str:
    """What the two joints are to each other: the letters of their kinds, and how their axes lie."""
    letters = ("R" if common.first.revolute else "P") + ("R" if common.second.revolute else "P")
    if letters == "RR":
        relation = "parallel" if common.parallel else "intersecting" if common.intersect else "skew"
    elif letters == "PP":
        relation = "sliding"
    else:
        relation = "parallel" if common.parallel else "perpendicular" if common.cosine == 0 else "skew"
    return f"{letters} {relation}"


QUARTIC = ("RR skew", "RP parallel", "PR parallel", "RP skew", "PR skew")
"""Pairs that leave an equation of fourth degree."""


def simpler(first: Screw, second: Screw, third: Screw) -> tuple[CommonNormal, Screw, bool]:
    """The pair and the joint that is left, forwards or (True) backwards, as leaves the lower degree."""
    ahead = CommonNormal.of(first, second)
    behind = CommonNormal.of(third.reversed(), second.reversed())
    if pair_kind(ahead) in QUARTIC and pair_kind(behind) not in QUARTIC:
        return behind, first.reversed(), True
    return ahead, third, False


def reach(field: Field, pair: JointPair, third: JointAxis, w: Vec, c: Vec) -> list[Branch]:
    """All (first, second, third) with e1 e2 e3 w = c."""
    branches = []
    for last, free in _third(field, pair, third, w, c):
        f = third.moved(last, w)
        for middle, loose in _second(field, pair, f, c):
            x = pair.second.moved(middle, f)
            if pair.first.revolute:
                first, slack = onto(field, pair.first, minus(x, pair.first.p), minus(c, pair.first.p))
            else:
                first, slack = (dot(pair.first.h, minus(c, x)), 1), 0
            branches.append(((first, middle, last), add(free, add(loose, slack))))
    return branches


def _third(field: Field, pair: JointPair, third: JointAxis, w: Vec, c: Vec) -> list[tuple[Value, Scalar]]:
    """The joint that is left."""
    first_axis, second_axis = pair.first, pair.second
    if pair.kind == "RR intersecting":
        offset = minus(c, first_axis.p)
        return to_sphere(field, third, first_axis.p, w, dot(offset, offset))
    if pair.kind in ("RR parallel", "RP perpendicular"):
        return to_height(field, third, first_axis.h, w, dot(first_axis.h, c))
    if pair.kind == "PR perpendicular":
        return to_height(field, third, second_axis.h, w, dot(second_axis.h, c))
    if pair.kind == "PP sliding":
        return to_height(field, third, pair.normal, w, dot(pair.normal, c))
    return roots(third, lambda value: _eliminated(field, pair, third.moved(value, w), c))


def _eliminated(field: Field, pair: JointPair, f: Vec, c: Vec) -> Scalar:
    """What is zero where the third joint brings w to a point f from which the first two reach c."""
    first_axis, second_axis = pair.first, pair.second
    if pair.kind in ("RP parallel", "PR parallel"):
        turning = first_axis if first_axis.revolute else second_axis
        a, b = cross(turning.h, minus(f, turning.p)), cross(turning.h, minus(c, turning.p))
        return sub(dot(a, a), dot(b, b))
    if pair.kind == "RP skew":
        x, b = minus(second_axis.moved(_slid(field, pair, f, c), f), first_axis.p), minus(c, first_axis.p)
        return sub(dot(x, x), dot(b, b))
    along, across = _components(field, pair, f, c)
    outer = cross(second_axis.h, minus(f, second_axis.p))
    return sub(add(mul(along, along), mul(across, across)), dot(outer, outer))


def _slid(field: Field, pair: JointPair, f: Vec, c: Vec) -> Value:
    """How far the second joint slides to the height of c along the axis of the first."""
    return field.divide(dot(pair.first.h, minus(c, f)), pair.cosine), 1


def _components(field: Field, pair: JointPair, f: Vec, c: Vec) -> tuple[Scalar, Scalar]:
    """Of R2 (f - p2), along the common normal and across it."""
    first_axis, second_axis = pair.first, pair.second
    v = minus(f, second_axis.p)
    if first_axis.revolute:
        offset = minus(c, first_axis.p)
        a = pair.distance
        square = sub(sub(dot(offset, offset), dot(v, v)), mul(a, a))
        along = field.divide(mul(number(field, 0.5), square), a)
        # h1 = cos h2 - sin (normal x h2) = cos h2 + sin third, third = h2 x normal
        across = field.divide(sub(dot(first_axis.h, offset), mul(pair.cosine, dot(second_axis.h, v))), pair.sine)
        return along, across
    offset = minus(c, second_axis.p)
    flat = cross(first_axis.h, pair.normal)
    height = sub(dot(flat, offset), mul(dot(flat, second_axis.h), dot(second_axis.h, v)))
    return dot(pair.normal, offset), field.divide(height, dot(flat, pair.third))


def _second(field: Field, pair: JointPair, f: Vec, c: Vec) -> list[tuple[Value, Scalar]]:
    """The second joint, once the third is known."""
    first_axis, second_axis = pair.first, pair.second
    if pair.kind == "RR intersecting":
        return to_plane(
            field, second_axis, first_axis.h, minus(f, second_axis.p), dot(first_axis.h, minus(c, first_axis.p))
        )
    if pair.kind in ("RR parallel", "RP perpendicular"):
        offset = minus(c, first_axis.p)
        return to_sphere(field, second_axis, first_axis.p, f, dot(offset, offset))
    if pair.kind == "PR perpendicular":
        return to_plane(
            field, second_axis, pair.normal, minus(f, second_axis.p), dot(pair.normal, minus(c, second_axis.p))
        )
    if pair.kind == "PR parallel":
        return [onto(field, second_axis, minus(f, second_axis.p), minus(c, second_axis.p))]
    if pair.kind in ("RP parallel", "RP skew"):
        return [(_slid(field, pair, f, c), 0)]
    if pair.kind == "PP sliding":
        flat = minus(second_axis.h, scale(pair.cosine, first_axis.h))
        return [((field.divide(dot(flat, minus(c, f)), mul(pair.sine, pair.sine)), 1), 0)]
    along, across = _components(field, pair, f, c)
    return [
        onto(field, second_axis, minus(f, second_axis.p), plus(scale(along, pair.normal), scale(across, pair.third)))
    ]

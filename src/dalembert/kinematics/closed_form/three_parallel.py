"""Three parallel axes in the middle, as in the UR arms (Hawkins 2013; Elias and Wen 2022).

Joints 2, 3, 4 about axes along h move every point across h alone. With T' = T M^-1 = e1 ... e6, of every point x

    h . e5 e6 x = h . e1^-1 T' x

A point on axis 6 and its direction give two equations without joint 6, linear in the sine and cosine of joint 5:

    h . R5 (p6 - p5) = h . e1^-1 T' p6 - h . p5,    h . R5 h6 = h . R1^T R' h6

If axes 5 and 6 intersect or are parallel, the first or the second holds joint 1 alone; else the sum of the squares of
what they say is an equation of fourth degree in it. The three parallel joints are then a triangle in the plane.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...rings.algebra import Mat, Vec, add, cross, dot, matvec, minus, mul, plus, scale, sub
from ...rings.ring import Field, Scalar
from .quartics import roots
from .screw_chain import CommonNormal, ScrewChain, perpendicular
from .spherical_wrist import Candidate, turned_back
from .subproblems import JointAxis, Value, back, number, onto, to_plane, to_sphere, vector


@dataclass(frozen=True, eq=False)
class ThreeParallel:
    """Six turning joints of which the second, third and fourth are parallel."""

    chain: ScrewChain
    common: CommonNormal

    @classmethod
    def of(cls, chain: ScrewChain) -> ThreeParallel | None:
        """The decomposition, if the axes lie so."""
        if chain.letters != "RRRRRR":
            return None
        screws = chain.screws
        pairs = [CommonNormal.of(screws[1], screws[2]), CommonNormal.of(screws[2], screws[3])]
        if not all(pair.parallel and pair.distance > 0 for pair in pairs):
            return None
        return cls(chain, CommonNormal.of(screws[4], screws[5]))

    @property
    def numeric(self) -> bool:
        """Whether an equation of fourth degree is left, which only floats solve."""
        return not (self.common.parallel or self.common.intersect)

    @property
    def words(self) -> str:
        """What it is, for people."""
        return "three axes are parallel" + (", an equation of fourth degree" if self.numeric else "")

    def candidates(self, field: Field, turn: Mat, shift: Vec, preferred: list[Value]) -> list[Candidate]:
        """All values of the joints that bring about the displacement T' = (turn, shift)."""
        axes = [JointAxis.of(field, screw, preferred) for screw in self.chain.screws]
        axes[4], axes[5] = (
            JointAxis.of(field, self.common.first, preferred),
            JointAxis.of(field, self.common.second, preferred),
        )
        first, five, six = axes[0], axes[4], axes[5]
        h = axes[1].h
        there = plus(matvec(turn, six.p), shift)
        along = matvec(turn, six.h)
        found: list[Candidate] = []
        for one, free in self._first(field, first, five, six, h, there, along):
            for fifth, loose in self._fifth(field, one, first, five, six, h, there, along):
                # R6 (R'^T R1 h) = R5^T h
                from_here = matvec(tuple(zip(*turn, strict=True)), first.turned(one, h))
                sixth, slack = onto(field, six, from_here, five.turned(back(five, fifth), h))
                known = {0: one, 4: fifth, 5: sixth}
                for angles, odd in self._triangle(field, axes, known, turn, shift):
                    found.append((known | angles, add(add(free, loose), add(slack, odd))))
        return found

    def _first(
        self, field: Field, first: JointAxis, five: JointAxis, six: JointAxis, h: Vec, there: Vec, along: Vec
    ) -> list[tuple[Value, Scalar]]:
        """Joint 1."""
        undone = replace(first, h=scale(-1, first.h))
        if self.common.intersect:
            height = sub(dot(h, six.p), dot(h, first.p))
            return to_plane(field, undone, h, minus(there, first.p), height)
        if self.common.parallel:
            return to_plane(field, undone, h, along, dot(h, six.h))

        def left(value: Value) -> Scalar:
            a, b = self._components(field, value, first, five, h, there, along)
            outer = cross(five.h, h)
            return sub(add(mul(a, a), mul(b, b)), dot(outer, outer))

        return roots(first, left)

    def _components(
        self, field: Field, one: Value, first: JointAxis, five: JointAxis, h: Vec, there: Vec, along: Vec
    ) -> tuple[Scalar, Scalar]:
        """Of R5^T h, along the common normal of axes 5 and 6 and across it."""
        common = self.common
        height = sub(dot(h, first.moved(back(first, one), there)), dot(h, five.p))
        lean = dot(h, first.turned(back(first, one), along))
        # h6 = cos h5 + sin (n x h5)
        across = sub(lean, mul(number(field, common.cosine), dot(h, five.h)))
        return field.divide(height, number(field, common.distance)), field.divide(across, number(field, common.sine))

    def _fifth(
        self,
        field: Field,
        one: Value,
        first: JointAxis,
        five: JointAxis,
        six: JointAxis,
        h: Vec,
        there: Vec,
        along: Vec,
    ) -> list[tuple[Value, Scalar]]:
        """Joint 5, once joint 1 is known."""
        if self.common.intersect:
            return to_plane(field, five, h, six.h, dot(h, first.turned(back(first, one), along)))
        if self.common.parallel:
            height = sub(dot(h, first.moved(back(first, one), there)), dot(h, five.p))
            return to_plane(field, five, h, minus(six.p, five.p), height)
        a, b = self._components(field, one, first, five, h, there, along)
        normal = vector(field, self.common.normal)
        across = cross(normal, five.h)
        return [onto(field, five, plus(scale(a, normal), scale(b, across)), h)]

    def _triangle(
        self, field: Field, axes: list[JointAxis], known: dict[int, Value], turn: Mat, shift: Vec
    ) -> list[tuple[dict[int, Value], Scalar]]:
        """Joints 2, 3, 4, whose displacement is e1^-1 T' e6^-1 e5^-1."""
        h = axes[1].h
        flat = [minus(axis.p, scale(dot(h, axis.p), h)) for axis in axes[1:4]]
        point = flat[2]
        for k in (4, 5):
            point = axes[k].moved(back(axes[k], known[k]), point)
        point = axes[0].moved(back(axes[0], known[0]), plus(matvec(turn, point), shift))
        goal = minus(point, scale(dot(h, point), h))
        off = minus(goal, flat[0])
        two, three, four = (replace(axis, h=h, p=p) for axis, p in zip(axes[1:4], flat, strict=True))
        spoke = vector(field, perpendicular(self.chain.screws[1].direction))
        after = [(axes[k], known[k]) for k in (4, 5)]
        ahead = axes[0].turned(back(axes[0], known[0]), matvec(turn, turned_back(after, spoke)))
        signs = [1 if self.chain.screws[k].direction @ self.chain.screws[1].direction > 0 else -1 for k in (1, 2, 3)]
        found = []
        for middle, free in to_sphere(field, _as(three, axes[2], signs[1]), two.p, flat[2], dot(off, off)):
            elbow = minus(three.moved(middle, flat[2]), two.p)
            base, loose = onto(field, two, elbow, off)
            last, slack = onto(
                field, _as(four, axes[3], signs[2]), spoke, turned_back([(two, base), (three, middle)], ahead)
            )
            values = (base, middle, last)
            angles = {
                k + 1: (mul(sign, value[0]), value[1])
                for k, (sign, value) in enumerate(zip(signs, values, strict=True))
            }
            found.append((angles, add(free, add(loose, slack))))
        return found


def _as(axis: JointAxis, own: JointAxis, sign: int) -> JointAxis:
    """The axis along h, with the preference of a joint that may run the other way."""
    return replace(axis, preferred=(mul(sign, own.preferred[0]), own.preferred[1]))

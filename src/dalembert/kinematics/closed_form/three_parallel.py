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
from .subproblems import JointAxis, Value, number, onto, to_plane, to_sphere, undone, vector


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
        point6 = plus(matvec(turn, six.p), shift)
        along = matvec(turn, six.h)
        solutions: list[Candidate] = []
        for value1, free in self._first(field, first, five, six, h, point6, along):
            for fifth, loose in self._fifth(field, value1, first, five, six, h, point6, along):
                # R6 (R'^T R1 h) = R5^T h
                rotated = matvec(tuple(zip(*turn, strict=True)), first.turned(value1, h))
                sixth, slack = onto(field, six, rotated, five.turned(undone(fifth), h))
                by_joint = {0: value1, 4: fifth, 5: sixth}
                for angles, odd in self._triangle(field, axes, by_joint, turn, shift):
                    solutions.append((by_joint | angles, add(add(free, loose), add(slack, odd))))
        return solutions

    def _first(
        self, field: Field, first: JointAxis, five: JointAxis, six: JointAxis, h: Vec, point6: Vec, along: Vec
    ) -> list[tuple[Value, Scalar]]:
        """Joint 1."""
        inverse_axis = replace(first, h=scale(-1, first.h))
        if self.common.intersect:
            height = sub(dot(h, six.p), dot(h, first.p))
            return to_plane(field, inverse_axis, h, minus(point6, first.p), height)
        if self.common.parallel:
            return to_plane(field, inverse_axis, h, along, dot(h, six.h))

        def residual(value: Value) -> Scalar:
            a, b = self._components(field, value, first, five, h, point6, along)
            outer = cross(five.h, h)
            return sub(add(mul(a, a), mul(b, b)), dot(outer, outer))

        return roots(first, residual)

    def _components(
        self, field: Field, value1: Value, first: JointAxis, five: JointAxis, h: Vec, point6: Vec, along: Vec
    ) -> tuple[Scalar, Scalar]:
        """Of R5^T h, along the common normal of axes 5 and 6 and across it."""
        common = self.common
        height = sub(dot(h, first.moved(undone(value1), point6)), dot(h, five.p))
        lean = dot(h, first.turned(undone(value1), along))
        # h6 = cos h5 + sin (n x h5)
        across = sub(lean, mul(number(field, common.cosine), dot(h, five.h)))
        return field.divide(height, number(field, common.distance)), field.divide(across, number(field, common.sine))

    def _fifth(
        self,
        field: Field,
        value1: Value,
        first: JointAxis,
        five: JointAxis,
        six: JointAxis,
        h: Vec,
        point6: Vec,
        along: Vec,
    ) -> list[tuple[Value, Scalar]]:
        """Joint 5, once joint 1 is known."""
        if self.common.intersect:
            return to_plane(field, five, h, six.h, dot(h, first.turned(undone(value1), along)))
        if self.common.parallel:
            height = sub(dot(h, first.moved(undone(value1), point6)), dot(h, five.p))
            return to_plane(field, five, h, minus(six.p, five.p), height)
        a, b = self._components(field, value1, first, five, h, point6, along)
        normal = vector(field, self.common.normal)
        across = cross(normal, five.h)
        return [onto(field, five, plus(scale(a, normal), scale(b, across)), h)]

    def _triangle(
        self, field: Field, axes: list[JointAxis], by_joint: dict[int, Value], turn: Mat, shift: Vec
    ) -> list[tuple[dict[int, Value], Scalar]]:
        """Joints 2, 3, 4, whose displacement is e1^-1 T' e6^-1 e5^-1."""
        h = axes[1].h
        flat = [minus(axis.p, scale(dot(h, axis.p), h)) for axis in axes[1:4]]
        point = flat[2]
        for k in (4, 5):
            point = axes[k].moved(undone(by_joint[k]), point)
        point = axes[0].moved(undone(by_joint[0]), plus(matvec(turn, point), shift))
        goal = minus(point, scale(dot(h, point), h))
        offset = minus(goal, flat[0])
        two, three, four = (replace(axis, h=h, p=p) for axis, p in zip(axes[1:4], flat, strict=True))
        spoke = vector(field, perpendicular(self.chain.screws[1].direction))
        after = [(axes[k], by_joint[k]) for k in (4, 5)]
        ahead = axes[0].turned(undone(by_joint[0]), matvec(turn, turned_back(after, spoke)))
        signs = [1 if self.chain.screws[k].direction @ self.chain.screws[1].direction > 0 else -1 for k in (1, 2, 3)]
        triangles = []
        for middle, free in to_sphere(field, _as(three, axes[2], signs[1]), two.p, flat[2], dot(offset, offset)):
            elbow = minus(three.moved(middle, flat[2]), two.p)
            base, loose = onto(field, two, elbow, offset)
            last, slack = onto(
                field, _as(four, axes[3], signs[2]), spoke, turned_back([(two, base), (three, middle)], ahead)
            )
            values = (base, middle, last)
            angles = {
                k + 1: (mul(sign, value[0]), value[1])
                for k, (sign, value) in enumerate(zip(signs, values, strict=True))
            }
            triangles.append((angles, add(free, add(loose, slack))))
        return triangles


def _as(axis: JointAxis, joint: JointAxis, sign: int) -> JointAxis:
    """The axis along h, with the preference of a joint that may run the other way."""
    return replace(axis, preferred=(mul(sign, joint.preferred[0]), joint.preferred[1]))

"""Any serial arm as Denavit-Hartenberg rows: the inverse of ``dh.from_dh``.

The frame before joint i + 1 is moved along and turned about its own axis, which changes nothing about the motion,
until its x lies on the common normal of axes i and i + 1. Then what is left between two axes is
Rot_z(theta) Trans_z(d) Trans_x(a) Rot_x(alpha) (Denavit and Hartenberg 1955; Bejczy 1974, eq. D.1). The positions q
keep their meaning; link frames move, so inertias are re-expressed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from ..axes import on_circle, short, turned
from ..description import EARTH, ArmDescription, Body
from ..drives import DriveTrain, Rotor
from ..elastic import Elastic, PointSpring
from ..errors import ArmError
from ..exact import Angle
from ..placement import Matrix, Placement, Step, apply, translate
from .dh import DHRow, from_dh

TOLERANCE = 1e-9
FARTHEST = 1000
"""Frames farther from the arm than this many times its own lengths cost too many digits."""
ROOT_DIGITS = 40


@dataclass(frozen=True)
class DHForm:
    """An arm as rows, with its base before the first and its tool after the last.

    ``turned`` (rad) and ``shifted`` (m) are the largest amounts by which an axis was made parallel to its
    neighbour, or made to meet it; zero where the rows say exactly what the arm is (to 1e-15).
    """

    rows: tuple[DHRow, ...]
    convention: str
    base: Placement
    tool: Placement
    elastic: tuple[Elastic, ...] = ()
    drives: DriveTrain = DriveTrain()
    turned: float = 0.0
    shifted: float = 0.0

    def arm(self, name: str = "arm", gravity: object = None, physical: str = "warn", **about: object) -> ArmDescription:
        """The arm of these rows, by ``from_dh``."""
        return from_dh(
            self.rows,
            self.convention,
            name=name,
            gravity=EARTH if gravity is None else gravity,
            base=self.base,
            tool=self.tool,
            physical=physical,
            elastic=self.elastic,
            drives=self.drives,
            **about,
        )


@dataclass(frozen=True)
class _Between:
    """What lies between two axes, and how the next joint frame moves along its own axis to meet it."""

    theta: Angle
    d: Fraction
    a: Fraction
    alpha: Angle
    along: Placement
    turned: float
    shifted: float

    @property
    def to_normal(self) -> Placement:
        return Placement.of(Step("rotate", 2, self.theta), translate("z", self.d))

    @property
    def over_normal(self) -> Placement:
        return Placement.of(translate("x", self.a), Step("rotate", 0, self.alpha))


def to_dh(arm: ArmDescription, convention: str = "standard", tolerance: float = TOLERANCE) -> DHForm:
    """The rows of a serial arm, "standard" or "modified".

    Axes within ``tolerance`` (rad) of parallel are taken as parallel and distances below it (m) as zero, since
    files that write 1.570796327 for a right angle would otherwise put frames kilometres away; the form says by
    how much. Loads become part of the links that carry them. A tree is refused.
    """
    if convention not in ("standard", "modified"):
        raise ArmError(f'the DH convention is "standard" or "modified", not {convention!r}')
    bodies = arm.bodies
    _refuse_tree(arm)
    tool_body, tool_frame = arm.body_of[arm.tool_link]
    if tool_body != arm.n - 1:
        raise ArmError(
            f"{arm.where}{arm.name}: the tool stands on link {arm.tool_link!r}, but rows carry it on the last link; "
            f"move it there with with_tool(placement, {bodies[-1].joint.child!r}) first"
        )
    found: list[_Between] = []
    frames: list[Placement] = []
    start = Placement()
    for index, body in enumerate(bodies):
        onward = bodies[index + 1].before if index + 1 < arm.n else Placement()
        onto = bodies[index + 1].joint.name if index + 1 < arm.n else f"link {body.joint.child!r}"
        step = _between(start.inverse() @ body.after @ onward, tolerance, arm, body.joint.name, onto)
        end = start @ step.to_normal
        if convention == "standard":
            end = end @ step.over_normal
        frames.append(_plain(end.inverse() @ body.after))
        found.append(step)
        start = step.along
    names = _link_names(arm)
    rows = tuple(_row(body, found, index, frames[index], names[index], convention) for index, body in enumerate(bodies))
    return DHForm(
        rows,
        convention,
        _plain(bodies[0].before),
        _plain(frames[-1] @ tool_frame @ arm.tool),
        tuple(_moved(part, arm, frames, names) for part in arm.elastic),
        _moved_drives(arm, frames, names),
        max(step.turned for step in found),
        max(step.shifted for step in found),
    )


def _refuse_tree(arm: ArmDescription) -> None:
    if not arm.n:
        raise ArmError(f"{arm.where}{arm.name}: has no moving joint, so it has no rows")
    for parent in range(-1, arm.n):
        carried = [body.joint.name for body in arm.bodies if body.parent == parent]
        if len(carried) > 1:
            link = arm.bodies[parent].joint.child if parent >= 0 else arm.base
            raise ArmError(
                f"{arm.where}{arm.name}: link {link!r} carries joints {', '.join(map(repr, carried))}, and rows "
                f"describe only a serial arm; take one branch with subarm(first, last)"
            )


def _between(between: Placement, tolerance: float, arm: ArmDescription, name: str, onto: str) -> _Between:
    """From one axis, z of the frame reached, to the next, z of the frame at ``between``."""
    turn, p = between.exact
    w = turn[0][2], turn[1][2], turn[2][2]
    tilt, lean = _root(w[0] ** 2 + w[1] ** 2), 0.0
    if tilt <= tolerance:
        lean = float(tilt)
        away = _root(p[0] ** 2 + p[1] ** 2)
        # Any normal of parallel axes will do: the one at the next frame's own origin keeps its numbers.
        if away > tolerance:
            x, across = _toward_front(p[0] / away, p[1] / away, away), Angle.quarters(0 if w[2] > 0 else 2)
            t, d = Fraction(0), p[2]
            a = p[0] * x[0] + p[1] * x[1]
            return _Between(on_circle(*x), _neat(d), _neat(a), across, _screw(turn, x, t), lean, 0.0)
        size = _root(turn[0][0] ** 2 + turn[1][0] ** 2)
        x = turn[0][0] / size, turn[1][0] / size
        across = Angle.quarters(0 if w[2] > 0 else 2)
        return _Between(
            on_circle(*x), _neat(p[2]), Fraction(0), across, _screw(turn, x, Fraction(0)), lean, float(away)
        )
    x = -w[1] / tilt, w[0] / tilt
    x = _toward_front(*x, p[0] * x[0] + p[1] * x[1])
    sin = x[1] * w[0] - x[0] * w[1]
    t = (p[1] * x[0] - p[0] * x[1]) / sin
    reach = 1 + max(abs(length) for length in p)
    if abs(t) > FARTHEST * reach:
        raise ArmError(
            f"{arm.where}{arm.name}: the axes of joint {name!r} and {onto} are {float(tilt):.2g} rad from parallel, "
            f"which would put a frame {float(abs(t)):.2g} m away; make them parallel in the file, "
            f"or call to_dh with tolerance={2 * float(tilt):.0e}"
        )
    a, off = p[0] * x[0] + p[1] * x[1], 0.0
    if abs(a) <= tolerance:
        a, off = Fraction(0), float(abs(a))
    d = p[2] + t * w[2]
    return _Between(on_circle(*x), _neat(d), _neat(a), on_circle(w[2], sin), _screw(turn, x, t), 0.0, off)


def _toward_front(x: Fraction, y: Fraction, a: Fraction) -> tuple[Fraction, Fraction]:
    """Of the two directions of a normal, the one that turns least; of two quarter turns, the one with a positive."""
    back = a < 0 if abs(x) < Fraction(1, 10**12) else x < 0
    return (-x, -y) if back else (x, y)


def _screw(turn: Matrix, x: tuple[Fraction, Fraction], t: Fraction) -> Placement:
    """Along and about the next axis, to where x lies on the normal."""
    cos, sin = turn[0][0] * x[0] + turn[1][0] * x[1], turn[0][1] * x[0] + turn[1][1] * x[1]
    return Placement.of(translate("z", _neat(t)), Step("rotate", 2, on_circle(cos, sin)))


def _row(body: Body, found: list[_Between], index: int, frame: Placement, link: str, convention: str) -> DHRow:
    joint, own = body.joint, found[index]
    across = own if convention == "standard" else (found[index - 1] if index else None)
    return DHRow(
        a=across.a if across else Fraction(0),
        alpha=across.alpha if across else Angle.quarters(0),
        d=own.d,
        theta=own.theta,
        type=joint.kind,
        body=body.inertia.placed(frame) if frame.steps else body.inertia,
        name=joint.name,
        link=link,
        lower=joint.limits.lower,
        upper=joint.limits.upper,
        velocity=joint.limits.velocity,
        effort=joint.limits.effort,
    )


def _link_names(arm: ArmDescription) -> list[str]:
    """Names of the moving links; rows call the base "base", so no other link may be."""
    names = [body.joint.child for body in arm.bodies]
    while "base" in names:
        other = "base_link"
        while other in names:
            other += "_"
        names[names.index("base")] = other
    return names


def _moved(part: Elastic, arm: ArmDescription, frames: list[Placement], names: list[str]) -> Elastic:
    """A spring between the same points, in the new link frames."""
    if not isinstance(part, PointSpring):
        return part
    ends: list[tuple[str, tuple[float, float, float]]] = []
    for link, point in ((part.link_a, part.point_a), (part.link_b, part.point_b)):
        body, frame = arm.body_of[link]
        there = frames[body] @ frame if body >= 0 else frame
        turn, shift = there.exact
        x, y, z = (float(p + s) for p, s in zip(apply(turn, tuple(map(Fraction, point))), shift, strict=True))  # type: ignore[arg-type]
        ends.append((names[body] if body >= 0 else "base", (x, y, z)))
    (link_a, point_a), (link_b, point_b) = ends
    return replace(part, link_a=link_a, point_a=point_a, link_b=link_b, point_b=point_b)


def _moved_drives(arm: ArmDescription, frames: list[Placement], names: list[str]) -> DriveTrain:
    """The same drives with their rotors in the new link frames."""

    def moved(rotor: Rotor) -> Rotor:
        if not rotor.link:
            return rotor
        body, frame = arm.body_of[rotor.link]
        turn, shift = (frames[body] @ frame if body >= 0 else frame).exact
        x, y, z = (p + s for p, s in zip(apply(turn, rotor.position), shift, strict=True))
        return replace(
            rotor, link=names[body] if body >= 0 else "base", axis=apply(turn, rotor.axis), position=(x, y, z)
        )

    train = arm.drives
    return replace(
        train,
        actuators=tuple(replace(part, rotor=moved(part.rotor)) for part in train.actuators),
        elements=tuple(replace(part, rotor=moved(part.rotor)) for part in train.elements),
    )


def _root(square: Fraction) -> Fraction:
    """The square root: exact where it is rational, else to 40 digits."""
    over, under = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if over * over == square.numerator and under * under == square.denominator:
        return Fraction(over, under)
    scale = 10**ROOT_DIGITS
    return Fraction(math.isqrt(square.numerator * scale * scale // square.denominator), scale)


def _neat(length: Fraction) -> Fraction:
    """A length as it is if short, else to the 17 digits of a float."""
    return length if short(length) else Fraction(repr(float(length)))


def _plain(placement: Placement) -> Placement:
    """The same placement in few steps where that is exact, and without names, which belong to the rows."""
    rotation, position = placement.exact
    few = Placement.of(*(translate(axis, p) for axis, p in zip("xyz", position, strict=True))) @ turned(rotation)
    if few.exact == placement.exact:
        return few
    return Placement(tuple(replace(step, name="") for step in placement.steps))

"""Any serial arm as Denavit-Hartenberg rows: the inverse of ``dh.from_dh``.

The frame before joint i + 1 is translated along and rotated about its own axis, which does not change the motion,
until its x axis lies on the common normal of axes i and i + 1. The transformation between two axes is then
Rot_z(theta) Trans_z(d) Trans_x(a) Rot_x(alpha) (Denavit and Hartenberg 1955; Bejczy 1974, eq. D.1). The positions q
keep their meaning; link frames move, so inertias, springs, rotors and shapes are re-expressed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction

from ..axes import on_circle, short, turned
from ..description import ArmDescription, Body, Joint, Link
from ..drives import DriveTrain
from ..elastic import Elastic, PointSpring
from ..errors import ArmError
from ..exact import Angle
from ..moving_parts import MovingBody, Rotor
from ..placement import Matrix, Placement, Step, apply, translate
from ..shapes import LinkShape
from .angle_reading import AS_WRITTEN
from .dh import DHRow, from_dh

TOLERANCE = 1e-9
"""Below this angle (rad) axes count as parallel, below this distance (m) as intersecting."""
FARTHEST = 1000
"""A frame farther away than this many times the lengths of the arm is refused: it would cost too many digits."""
ROOT_DIGITS = 40
"""Decimals of a square root that is not rational."""


@dataclass(frozen=True)
class DHForm:
    """An arm as rows, with its base before the first and its tool after the last.

    ``turned`` (rad) and ``shifted`` (m) are the largest corrections by which an axis was made parallel to its
    neighbour, or made to intersect it; both are zero where the rows describe the arm exactly (to 1e-15).
    """

    rows: tuple[DHRow, ...]
    convention: str
    base: Placement
    tool: Placement
    source: ArmDescription = field(repr=False)
    elastic: tuple[Elastic, ...] = ()
    drives: DriveTrain = DriveTrain()
    turned: float = 0.0
    shifted: float = 0.0
    frames: tuple[Placement, ...] = field(default=(), repr=False)
    """Where the body frames of the source stand in the new link frames."""

    def arm(self, name: str = "", gravity: object = None, physical: str = "warn", **about: object) -> ArmDescription:
        """The arm of these rows, by ``from_dh``: of the kind, and by default with name and gravity, of its source."""
        arm = from_dh(
            self.rows,
            self.convention,
            name=name or self.source.name,
            gravity=self.source.gravity if gravity is None else gravity,
            base=self.base,
            tool=self.tool,
            physical=physical,
            angles=AS_WRITTEN,
            elastic=self.elastic,
            drives=self.drives,
            drive_model=self.source.drive_model,
            **about,
        )
        arm = replace(arm, links=tuple(self._with_shapes(link, number - 1) for number, link in enumerate(arm.links)))
        arm = self._with_locked_joints(arm)
        return type(self.source)(**{entry.name: getattr(arm, entry.name) for entry in fields(ArmDescription)})

    def _with_locked_joints(self, arm: ArmDescription) -> ArmDescription:
        """The arm with the locked joints that drives name: no rows, but where the motors stand goes by them."""
        named = {name for part in self.drives.parts for name, _ in part.ratios}
        locked = [joint for joint in self.source.joints if not joint.moves and joint.name in named]
        links, joints = list(arm.links), list(arm.joints)
        names = set(arm.link_names)
        for joint in locked:
            child = joint.child
            while child in names:
                child += "_"
            names.add(child)
            links.append(Link(child))
            joints.append(Joint(joint.name, "fixed", arm.links[-1].name, child, held=joint.held))
        return replace(arm, links=tuple(links), joints=tuple(joints), drives=self.drives) if locked else arm

    def _with_shapes(self, link: Link, body: int) -> Link:
        """A link with what the links of its body (-1: the base) look like, and the meshes they refer to."""
        meshes: list[str] = []
        shapes: list[LinkShape] = []
        for source_link in self.source.links:
            body_index, frame = _new_frame(self.source, self.frames, source_link.name)
            if body_index == body:
                meshes += source_link.meshes
                shapes += (replace(shape, placement=frame @ shape.placement) for shape in source_link.shapes)
        return replace(link, meshes=tuple(dict.fromkeys(meshes)), shapes=tuple(shapes))

    def __repr__(self) -> str:
        moved = f", axes turned by {self.turned:.2g} rad" if self.turned else ""
        return f"<DHForm: {len(self.rows)} {self.convention} rows{moved}>"

    def _repr_html_(self) -> str:
        from ...markup.notebook import framed, note
        from ..dh_table import dh_table

        corrected = f"Axes were turned by up to {self.turned:.2g} rad and moved by up to {self.shifted:.2g} m to fit."
        table = dh_table(self.rows, self.convention)
        return framed(table, note(corrected)) if self.turned or self.shifted else framed(table)


@dataclass(frozen=True)
class _CommonNormal:
    """The DH parameters between two axes, and the motion of the next frame along its own axis to the normal."""

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
    bodies = arm.counting_drives("none").bodies  # rotors stay in the drives, which have them too
    _refuse_tree(arm)
    tool_body, tool_frame = arm.body_of[arm.tool_link]
    if tool_body != arm.n - 1:
        raise ArmError(
            f"{arm.where}{arm.name}: the tool stands on link {arm.tool_link!r}, but rows carry it on the last link; "
            f"move it there with with_tool(placement, {bodies[-1].joint.child!r}) first"
        )
    normals: list[_CommonNormal] = []
    frames: list[Placement] = []
    start = Placement()
    for index, body in enumerate(bodies):
        next_before = bodies[index + 1].before if index + 1 < arm.n else Placement()
        next_name = bodies[index + 1].joint.name if index + 1 < arm.n else f"link {body.joint.child!r}"
        normal = _common_normal(start.inverse() @ body.after @ next_before, tolerance, arm, body.joint.name, next_name)
        end = start @ normal.to_normal
        if convention == "standard":
            end = end @ normal.over_normal
        frames.append(_simplified(end.inverse() @ body.after))
        normals.append(normal)
        start = normal.along
    names = _link_names(arm)
    rows = tuple(
        _row(body, normals, index, frames[index], names[index], convention) for index, body in enumerate(bodies)
    )
    return DHForm(
        rows,
        convention,
        _simplified(bodies[0].before),
        _simplified(frames[-1] @ tool_frame @ arm.tool),
        arm,
        tuple(_in_new_frames(part, arm, frames, names) for part in arm.elastic),
        _moved_drives(arm, frames, names),
        max(normal.turned for normal in normals),
        max(normal.shifted for normal in normals),
        tuple(frames),
    )


def _refuse_tree(arm: ArmDescription) -> None:
    """Raises ArmError for a tree or an arm without a moving joint."""
    if not arm.n:
        raise ArmError(f"{arm.where}{arm.name}: has no moving joint, so it has no rows")
    for joint in arm.followers:
        raise ArmError(
            f"{arm.where}{arm.name}: joint {joint.name!r} stands at {joint.follows}, and rows have no place for joints "
            f'that follow others; load the arm with mimic="hold" or mimic="free"'
        )
    for parent in range(-1, arm.n):
        children = [body.joint.name for body in arm.bodies if body.parent == parent]
        if len(children) > 1:
            link = arm.bodies[parent].joint.child if parent >= 0 else arm.base
            raise ArmError(
                f"{arm.where}{arm.name}: link {link!r} carries joints {', '.join(map(repr, children))}, and rows "
                f"describe only a serial arm; take one branch with subarm(first, last)"
            )


def _common_normal(placement: Placement, tolerance: float, arm: ArmDescription, name: str, onto: str) -> _CommonNormal:
    """DH parameters from the z axis of the current frame to the z axis of the frame at ``placement``."""
    turn, p = placement.exact
    w = turn[0][2], turn[1][2], turn[2][2]
    tilt, correction = _root(w[0] ** 2 + w[1] ** 2), 0.0
    if tilt <= tolerance:
        correction = float(tilt)
        distance = _root(p[0] ** 2 + p[1] ** 2)
        # Parallel axes have many normals: the one through the next frame's origin leaves its numbers unchanged.
        if distance > tolerance:
            x, alpha = _toward_front(p[0] / distance, p[1] / distance, distance), Angle.quarters(0 if w[2] > 0 else 2)
            t, d = Fraction(0), p[2]
            a = p[0] * x[0] + p[1] * x[1]
            return _CommonNormal(on_circle(*x), _rounded(d), _rounded(a), alpha, _screw(turn, x, t), correction, 0.0)
        size = _root(turn[0][0] ** 2 + turn[1][0] ** 2)
        x = turn[0][0] / size, turn[1][0] / size
        alpha = Angle.quarters(0 if w[2] > 0 else 2)
        return _CommonNormal(
            on_circle(*x), _rounded(p[2]), Fraction(0), alpha, _screw(turn, x, Fraction(0)), correction, float(distance)
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
    return _CommonNormal(on_circle(*x), _rounded(d), _rounded(a), on_circle(w[2], sin), _screw(turn, x, t), 0.0, off)


def _toward_front(x: Fraction, y: Fraction, a: Fraction) -> tuple[Fraction, Fraction]:
    """The direction of a normal with the smaller |theta|; at a right angle, the one with positive a."""
    back = a < 0 if abs(x) < Fraction(1, 10**12) else x < 0
    return (-x, -y) if back else (x, y)


def _screw(turn: Matrix, x: tuple[Fraction, Fraction], t: Fraction) -> Placement:
    """The motion along and about the next axis after which its frame has x on the normal."""
    cos, sin = turn[0][0] * x[0] + turn[1][0] * x[1], turn[0][1] * x[0] + turn[1][1] * x[1]
    return Placement.of(translate("z", _rounded(t)), Step("rotate", 2, on_circle(cos, sin)))


def _row(body: Body, normals: list[_CommonNormal], index: int, frame: Placement, link: str, convention: str) -> DHRow:
    """The DH row of one joint and the link after it."""
    joint, normal = body.joint, normals[index]
    along_x = normal if convention == "standard" else (normals[index - 1] if index else None)
    return DHRow(
        a=along_x.a if along_x else Fraction(0),
        alpha=along_x.alpha if along_x else Angle.quarters(0),
        d=normal.d,
        theta=normal.theta,
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
    """Names of the moving links; "base" is reserved for the base of the rows."""
    names = [body.joint.child for body in arm.bodies]
    while "base" in names:
        free_name = "base_link"
        while free_name in names:
            free_name += "_"
        names[names.index("base")] = free_name
    return names


def _new_frame(arm: ArmDescription, frames: Sequence[Placement], link: str) -> tuple[int, Placement]:
    """The body of a link (-1: the base), and where the frame of the link stands in the new frame of that body."""
    body, frame = arm.body_of[link]
    return body, frames[body] @ frame if body >= 0 else frame


def _in_new_frames(part: Elastic, arm: ArmDescription, frames: list[Placement], names: list[str]) -> Elastic:
    """A spring with its end points expressed in the new link frames."""
    if not isinstance(part, PointSpring):
        return part
    ends: list[tuple[str, tuple[float, float, float]]] = []
    for link, point in ((part.link_a, part.point_a), (part.link_b, part.point_b)):
        body, frame = _new_frame(arm, frames, link)
        turn, shift = frame.exact
        x, y, z = (float(p + s) for p, s in zip(apply(turn, tuple(map(Fraction, point))), shift, strict=True))  # type: ignore[arg-type]
        ends.append((names[body] if body >= 0 else "base", (x, y, z)))
    (link_a, point_a), (link_b, point_b) = ends
    return replace(part, link_a=link_a, point_a=point_a, link_b=link_b, point_b=point_b)


def _moved_drives(arm: ArmDescription, frames: list[Placement], names: list[str]) -> DriveTrain:
    """The same drives with their rotors in the new link frames."""

    def moved(rotor: Rotor) -> Rotor:
        if not rotor.link:
            return rotor
        body, frame = _new_frame(arm, frames, rotor.link)
        turn, shift = frame.exact
        x, y, z = (p + s for p, s in zip(apply(turn, rotor.position), shift, strict=True))
        return replace(
            rotor, link=names[body] if body >= 0 else "base", axis=apply(turn, rotor.axis), position=(x, y, z)
        )

    def carried(part: MovingBody | None) -> MovingBody | None:
        if part is None:
            return None
        body, frame = _new_frame(arm, frames, part.link or arm.base)
        return replace(part, link=names[body] if body >= 0 else "base", mount=frame @ part.mount)

    train = arm.drives
    return replace(
        train,
        actuators=tuple(replace(part, rotor=moved(part.rotor), body=carried(part.body)) for part in train.actuators),
        elements=tuple(replace(part, rotor=moved(part.rotor), body=carried(part.body)) for part in train.elements),
    )


def _root(square: Fraction) -> Fraction:
    """The square root: exact where it is rational, else to 40 digits."""
    numerator, denominator = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if numerator * numerator == square.numerator and denominator * denominator == square.denominator:
        return Fraction(numerator, denominator)
    scale = 10**ROOT_DIGITS
    return Fraction(math.isqrt(square.numerator * scale * scale // square.denominator), scale)


def _rounded(length: Fraction) -> Fraction:
    """A length unchanged if it is short, else rounded to the 17 digits of a float."""
    return length if short(length) else Fraction(repr(float(length)))


def _simplified(placement: Placement) -> Placement:
    """The same placement in at most six steps where that is exact, and without names, which belong to the rows."""
    rotation, position = placement.exact
    steps = Placement.of(*(translate(axis, p) for axis, p in zip("xyz", position, strict=True))) @ turned(rotation)
    if steps.exact == placement.exact:
        return steps
    return Placement(tuple(replace(step, name="") for step in placement.steps))

"""An arm as a TOML arm file that reads back to an equal arm: every number exactly, every placement step by step.

A joint is written in the shortest way that gives its placements back: a Denavit-Hartenberg row, an origin
(xyz, rpy, axis), or the list of its steps.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import fields
from fractions import Fraction

from ..axes import along
from ..description import EARTH, ArmDescription, Joint, Limits, Link
from ..elastic import Elastic, JointDamper, JointSpring
from ..errors import ArmError
from ..exact import Angle, exact
from ..inertia import ENTRIES, Inertia
from ..placement import Matrix, Placement, Step, Vector
from .dh import DHRow, placements
from .expression import quantity
from .toml_drives import write_drives

DIRECTIONS: tuple[Vector, ...] = tuple(
    (Fraction(sign * (axis == 0)), Fraction(sign * (axis == 1)), Fraction(sign * (axis == 2)))
    for sign in (1, -1)
    for axis in (2, 0, 1)
)
Pairs = list[tuple[str, str]]


def write_toml(arm: ArmDescription) -> str:
    """The arm as the text of a TOML arm file."""
    if not arm.joints:
        raise ArmError(f"{arm.where}{arm.name} has no joints, and an arm file needs one")
    convention, foot = shared_frame(arm)
    top: Pairs = [("name", quoted(arm.name))]
    top += [(key, quoted(value)) for key, value in (("title", arm.title), ("notes", arm.notes)) if value]
    top += [("sources", "[\n" + "".join(f"  {quoted(s)},\n" for s in arm.sources) + "]")] if arm.sources else []
    top += [("gravity", numbers(arm.gravity))] if arm.gravity != EARTH else []
    top += [("convention", quoted(convention))] if convention else []
    base = (placement_pairs(foot) if foot.steps else []) + base_link(arm)
    top += [("base", inline(base))] if base else []
    tool = placement_pairs(arm.tool) if arm.tool.steps else []
    tool += [("link", quoted(arm.tool_link))] if arm.tool_link != arm.default_tool_link else []
    top += [("tool", inline(tool))] if tool else []
    blocks = [lines(top)]
    previous = arm.base
    for joint in arm.joints:
        blocks.append("[[joints]]\n" + lines(joint_pairs(arm, joint, previous, convention, foot)))
        previous = joint.child
    blocks += ["[[springs]]\n" + lines(spring_pairs(part)) for part in arm.elastic]
    for name, load in arm.loads:
        blocks.append("[[loads]]\n" + lines([("link", quoted(name)), *body_pairs(load.body)]))
    if arm.drives:
        blocks.append(write_drives(arm.drives, "drives."))
    return "\n".join(blocks)


# -- placements -------------------------------------------------------------------------------------


def shared_frame(arm: ArmDescription) -> tuple[str, Placement]:
    """The DH convention of most joints, if they have one, and the placement all joints on the base begin with."""
    choices = []
    for convention in ("standard", "modified"):
        feet = {foot_of(arm, joint, convention) for joint in arm.joints if joint.parent == arm.base}
        foot = feet.pop() if len(feet) == 1 else None
        count = sum(row_of(arm, joint, convention, foot or Placement()) is not None for joint in arm.joints)
        choices.append((count, convention, foot or Placement()))
    count, convention, foot = max(choices, key=lambda choice: choice[0])
    return (convention, foot) if count else ("", Placement())


def foot_of(arm: ArmDescription, joint: Joint, convention: str) -> Placement | None:
    """The shortest beginning of ``before`` whose rest is a DH row."""
    for cut in range(len(joint.before.steps) + 1):
        foot = Placement(joint.before.steps[:cut])
        if row_of(arm, joint, convention, foot) is not None:
            return foot
    return None


def row_of(arm: ArmDescription, joint: Joint, convention: str, foot: Placement) -> DHRow | None:
    """The DH row that gives exactly this joint's placements, or None."""
    if not joint.moves:
        return None
    before = joint.before.steps
    if joint.parent == arm.base:
        if before[: len(foot.steps)] != foot.steps:
            return None
        before = before[len(foot.steps) :]
    place = str(arm.moving.index(joint) + 1)
    amounts: dict[str, object] = {}
    for step in (*before, *joint.after.steps):
        key = step.name.removesuffix(place)
        if key not in ("a", "alpha", "d", "theta") or key in amounts:
            return None
        amounts[key] = step.amount
    row = DHRow(**amounts, type=joint.kind)  # type: ignore[arg-type]
    try:
        same = placements(row, int(place), convention) == (Placement(before), joint.after)
    except ArmError:  # a length where the row has an angle: some other list of steps with the names of a row
        return None
    return row if same else None


def joint_place(arm: ArmDescription, joint: Joint, convention: str, foot: Placement) -> Pairs:
    row = row_of(arm, joint, convention, foot) if convention else None
    if row is not None:
        given: Pairs = [("a", number(exact(row.a))), ("alpha", angle(Angle.of(row.alpha)))]
        given += [("d", number(exact(row.d))), ("theta", angle(Angle.of(row.theta)))]
        return [("dh", inline([(key, value) for key, value in given if value != "0"]))]
    # A foot is only there where every joint on the base begins with it.
    before = Placement(joint.before.steps[len(foot.steps) :]) if joint.parent == arm.base else joint.before
    for axis in (*DIRECTIONS, slanted(joint)):
        turn = along(axis)
        if joint.after != turn.inverse() or before.steps[len(before.steps) - len(turn.steps) :] != turn.steps:
            continue
        origin = origin_pairs(Placement(before.steps[: len(before.steps) - len(turn.steps)]))
        if origin is not None:
            return origin + ([("axis", numbers(axis))] if turn.steps else [])
    return [(key, steps(place)) for key, place in (("before", before), ("after", joint.after)) if place.steps]


def slanted(joint: Joint) -> Vector:
    """The direction that the joint's z axis seems to have in the axes of its link, its largest entry 1."""
    # z of the joint seen from the link: the last row of the rotation that leads from the joint to the link.
    row = [float(x) for x in joint.after.rotation[2]]
    size = max(map(abs, row))
    x, y, z = (exact(round(entry / size, 12)) for entry in row)
    return x, y, z


def origin_pairs(placement: Placement) -> Pairs | None:
    """xyz and rpy where they give exactly these steps, else None."""
    xyz, rpy = [Fraction(0)] * 3, [Angle.quarters(0)] * 3
    for step in placement.steps:
        if isinstance(step.amount, Angle):
            rpy[step.axis] = step.amount
        else:
            xyz[step.axis] = step.amount
    if Placement.from_xyz_rpy(xyz, rpy) != placement:
        return None
    return [("xyz", numbers(xyz))] * any(xyz) + [("rpy", listing(angle(turn) for turn in rpy))] * any(rpy)


def placement_pairs(placement: Placement) -> Pairs:
    origin = origin_pairs(placement)
    return [("steps", steps(placement))] if origin is None else origin


def steps(placement: Placement) -> str:
    return listing(inline(step_pairs(step)) for step in placement.steps)


def step_pairs(step: Step) -> Pairs:
    by = angle(step.amount) if isinstance(step.amount, Angle) else number(step.amount)
    return [(step.kind, quoted("xyz"[step.axis])), ("by", by)] + ([("name", quoted(step.name))] if step.name else [])


# -- joints, links, springs -------------------------------------------------------------------------


def joint_pairs(arm: ArmDescription, joint: Joint, previous: str, convention: str, foot: Placement) -> Pairs:
    pairs: Pairs = [("name", quoted(joint.name)), ("type", quoted(joint.kind))]
    pairs += [("parent", quoted(joint.parent))] if joint.parent != previous else []
    pairs += joint_place(arm, joint, convention, foot)
    limits = limit_pairs(joint.limits, joint.kind == "revolute")
    pairs += [("limits", inline(limits))] if limits else []
    return [*pairs, ("link", inline(link_pairs(arm.link(joint.child))))]


def limit_pairs(limits: Limits, turns: bool) -> Pairs:
    pairs = []
    for field in fields(limits):
        value = float(getattr(limits, field.name))
        # The other infinity is no "unlimited" but a bound that nothing meets, so it must be said.
        if value != field.default:
            pairs.append((field.name, real(value, turns and field.name != "effort")))
    return pairs


def base_link(arm: ArmDescription) -> Pairs:
    pairs = link_pairs(arm.link(arm.base))
    return [("link", inline(pairs))] if pairs != [("name", quoted("base"))] else []


def link_pairs(link: Link) -> Pairs:
    meshes = [("meshes", listing(map(quoted, link.meshes)))] if link.meshes else []
    return [("name", quoted(link.name)), *body_pairs(link.inertia), *meshes]


def body_pairs(body: Inertia) -> Pairs:
    """Mass, mass centre and inertia: about the mass centre or the frame, whichever is shorter."""
    if not body:
        return []
    mass = [("mass", number(body.mass))] if body.mass else []
    if not body.mass and any(body.moment):
        return [("first_moment", numbers(body.moment)), ("inertia", tensor(body.tensor)), ("about", quoted("frame"))]
    com = [("com", numbers(body.com))] if any(body.com) else []
    central = tensor(body.central)
    about_com = [("inertia", central)] if any(map(any, body.central)) else []
    about_frame = [("inertia", tensor(body.tensor)), ("about", quoted("frame"))]
    return mass + com + min(about_com, about_frame, key=lambda pairs: len(lines(pairs)))


def tensor(matrix: Matrix) -> str:
    if any(matrix[i][j] for _, i, j in ENTRIES if i != j):
        return inline([(key, number(matrix[i][j])) for key, i, j in ENTRIES if matrix[i][j]])
    return numbers([matrix[i][i] for i in range(3)])


def spring_pairs(part: Elastic) -> Pairs:
    if isinstance(part, JointSpring):
        rest = [("rest", real(part.rest))] if part.rest else []
        return [("joint", quoted(part.joint)), ("stiffness", real(part.stiffness)), *rest]
    if isinstance(part, JointDamper):
        return [("joint", quoted(part.joint)), ("damping", real(part.damping))]
    pairs = [
        (key, inline([("link", quoted(link)), ("point", listing(map(real, point)))]))
        for key, link, point in (("from", part.link_a, part.point_a), ("to", part.link_b, part.point_b))
    ]
    pairs += [("stiffness", real(part.stiffness))]
    return pairs + [(key, real(value)) for key, value in (("rest", part.rest), ("damping", part.damping)) if value]


# -- TOML -------------------------------------------------------------------------------------------


def lines(pairs: Pairs) -> str:
    return "".join(f"{key} = {value}\n" for key, value in pairs)


def inline(pairs: Pairs) -> str:
    return "{" + ", ".join(f"{key} = {value}" for key, value in pairs) + "}"


def listing(values: Iterable[str]) -> str:
    return "[" + ", ".join(values) + "]"


def quoted(text: str) -> str:
    """A TOML string; JSON escapes the same way but for the delete character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def number(value: Fraction) -> str:
    """A decimal where it is finite, a fraction in quotes where it is not."""
    rest = value.denominator
    twos, fives = 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    if rest != 1 or places > 40:
        return f'"{value.numerator}/{value.denominator}"'
    digits = str(abs(value.numerator) * 10**places // value.denominator)
    sign = "-" if value < 0 else ""
    if not places:
        return sign + (digits if len(digits) < 19 else digits + ".0")
    digits = digits.rjust(places + 1, "0")
    if places > 9 and abs(value) < 1e-4:
        bare = digits.lstrip("0")
        return f"{sign}{bare}e-{places}"
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def numbers(values: Sequence[Fraction]) -> str:
    return listing(number(value) for value in values)


def real(value: object, turns: bool = False) -> str:
    """A float as TOML; an angle in degrees where that says exactly the same."""
    value = float(value)  # type: ignore[arg-type]
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if turns:
        degrees = short_degrees(value)
        if float(quantity(degrees, "limit")) == value:
            return quoted(degrees)
    return number(exact(value))


def short_degrees(radians: float) -> str:
    return f"{number(exact(round(math.degrees(radians), 9)))} deg"


def angle(value: Angle) -> str:
    """An angle in the first of these that gives it back exactly: multiples of pi, degrees, radians, cosine and sine."""
    if not value and not value.radians:
        return "0"
    quarters = round(value.radians / (math.pi / 2))
    if value == Angle.quarters(quarters):
        sign, count = ("-" if quarters < 0 else ""), abs(quarters)
        over = "/2" if count % 2 else ""
        count = count if over else count // 2
        return quoted(f"{sign}{f'{count}*' if count != 1 else ''}pi{over}")
    degrees = short_degrees(value.radians)
    if quantity(degrees, "angle").angle == value:
        return quoted(degrees)
    if Angle.of(value.radians) == value:
        return number(exact(value.radians))
    return inline([("cos", number(value.cos)), ("sin", number(value.sin)), ("radians", number(exact(value.radians)))])

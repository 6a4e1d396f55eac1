"""Writer of TOML arm files; reading the text restores an equal arm, with exact numbers and placements step by step.

A joint is written in the shortest notation that restores its placements: a Denavit-Hartenberg row, an origin
(xyz, rpy, axis), or the list of its steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields
from decimal import Context, Decimal
from fractions import Fraction

from ..axes import along
from ..description import EARTH, ArmDescription, Joint, Limits, Link
from ..elastic import Elastic, JointDamper, JointSpring
from ..errors import ArmError
from ..exact import LARGEST_EXPONENT, Angle, exact
from ..following import Follows
from ..inertia import ENTRIES, Inertia
from ..placement import Matrix, Placement, Step, Vector
from ..rounded import spelled_out
from .angle_reading import AS_MEANT, AngleReading
from .dh import DHRow, placements
from .expression import quantity
from .toml_drives import write_drives
from .toml_shapes import Value, shape_entries
from .toml_text import quoted

DIRECTIONS: tuple[Vector, ...] = tuple(
    (Fraction(sign * (axis == 0)), Fraction(sign * (axis == 1)), Fraction(sign * (axis == 2)))
    for sign in (1, -1)
    for axis in (2, 0, 1)
)
Pairs = list[tuple[str, str]]
KEPT_DIGITS = 60
"""Digits of a number whose exact value is longer than what a file is read with."""


def write_toml(arm: ArmDescription, prefix: str = "") -> str:
    """The arm as the text of a TOML arm file; ``prefix="chain.left."`` as a table of a mechanism file.

    There the world has the gravity.
    """
    if not arm.joints:
        raise ArmError(f"{arm.where}{arm.name} has no joints, and an arm file needs one")
    convention, base_placement = shared_frame(arm)
    top: Pairs = [("name", quoted(arm.name))]
    top += [(key, quoted(value)) for key, value in (("title", arm.title), ("notes", arm.notes)) if value]
    top += [("sources", "[\n" + "".join(f"  {quoted(s)},\n" for s in arm.sources) + "]")] if arm.sources else []
    top += [("gravity", numbers(arm.gravity))] if arm.gravity != EARTH and not prefix else []
    top += [("convention", quoted(convention))] if convention else []
    base = (placement_pairs(base_placement) if base_placement.steps else []) + base_link(arm)
    top += [("base", inline(base))] if base else []
    tool = placement_pairs(arm.tool) if arm.tool.steps else []
    tool += [("link", quoted(arm.tool_link))] if arm.tool_link != arm.default_tool_link else []
    top += [("tool", inline(tool))] if tool else []
    blocks = [lines(top)]
    previous = arm.base
    for joint in arm.joints:
        blocks.append(f"[[{prefix}joints]]\n" + lines(joint_pairs(arm, joint, previous, convention, base_placement)))
        previous = joint.child
    blocks += [f"[[{prefix}springs]]\n" + lines(spring_pairs(part)) for part in arm.elastic]
    for name, load in arm.loads:
        link = [] if name == arm.tool_link else [("link", quoted(name))]
        blocks.append(f"[[{prefix}loads]]\n" + lines([*link, *body_pairs(load.body)]))
    if arm.drives:
        blocks.append(write_drives(arm.drives, f"{prefix}drives."))
    return "\n".join(blocks)


# -- placements -------------------------------------------------------------------------------------


def shared_frame(arm: ArmDescription) -> tuple[str, Placement]:
    """The DH convention of most joints, if any, and the placement with which all joints on the base begin."""
    choices = []
    for convention in ("standard", "modified"):
        prefixes = {base_prefix(arm, joint, convention) for joint in arm.joints if joint.parent == arm.base}
        base_placement = prefixes.pop() if len(prefixes) == 1 else None
        count = sum(row_of(arm, joint, convention, base_placement or Placement()) is not None for joint in arm.joints)
        choices.append((count, convention, base_placement or Placement()))
    count, convention, base_placement = max(choices, key=lambda choice: choice[0])
    return (convention, base_placement) if count else ("", Placement())


def base_prefix(arm: ArmDescription, joint: Joint, convention: str) -> Placement | None:
    """The shortest prefix of ``before`` whose remaining steps are those of a DH row, or None."""
    for cut in range(len(joint.before.steps) + 1):
        prefix = Placement(joint.before.steps[:cut])
        if row_of(arm, joint, convention, prefix) is not None:
            return prefix
    return None


def row_of(arm: ArmDescription, joint: Joint, convention: str, base_placement: Placement) -> DHRow | None:
    """The DH row with exactly this joint's placements, or None."""
    if not joint.moves:
        return None
    before = joint.before.steps
    if joint.parent == arm.base:
        if before[: len(base_placement.steps)] != base_placement.steps:
            return None
        before = before[len(base_placement.steps) :]
    number = str(arm.all_moving.index(joint) + 1)
    amounts: dict[str, object] = {}
    for step in (*before, *joint.after.steps):
        key = step.name.removesuffix(number)
        if key not in ("a", "alpha", "d", "theta") or key in amounts:
            return None
        amounts[key] = step.amount
    row = DHRow(**amounts, type=joint.kind)  # type: ignore[arg-type]
    try:
        matches = placements(row, int(number), convention) == (Placement(before), joint.after)
    except ArmError:  # a length in place of an angle: other steps that happen to have the names of a DH row
        return None
    return row if matches else None


def joint_placement(arm: ArmDescription, joint: Joint, convention: str, base_placement: Placement) -> Pairs:
    """The placements of a joint: as a DH row, as an origin with an axis, or as steps."""
    row = row_of(arm, joint, convention, base_placement) if convention else None
    if row is not None:
        entries: Pairs = [("a", number(exact(row.a))), ("alpha", angle(Angle.of(row.alpha)))]
        entries += [("d", number(exact(row.d))), ("theta", angle(Angle.of(row.theta)))]
        return [("dh", inline([(key, value) for key, value in entries if value != "0"]))]
    # There is a base placement only where every joint on the base begins with it.
    before = Placement(joint.before.steps[len(base_placement.steps) :]) if joint.parent == arm.base else joint.before
    for axis in (*DIRECTIONS, slanted(joint)):
        turn = along(axis)
        if joint.after != turn.inverse() or before.steps[len(before.steps) - len(turn.steps) :] != turn.steps:
            continue
        origin = origin_pairs(Placement(before.steps[: len(before.steps) - len(turn.steps)]))
        if origin is not None:
            return origin + ([("axis", numbers(axis))] if turn.steps else [])
    return [
        (key, steps(placement)) for key, placement in (("before", before), ("after", joint.after)) if placement.steps
    ]


def slanted(joint: Joint) -> Vector:
    """The direction of the joint axis in the link frame, scaled so that its largest entry is 1."""
    # z of the joint in link axes is the last row of the rotation from joint to link.
    row = [float(x) for x in joint.after.rotation[2]]
    size = max(map(abs, row))
    x, y, z = (exact(round(entry / size, 12)) for entry in row)
    return x, y, z


def origin_pairs(placement: Placement) -> Pairs | None:
    """xyz and rpy where they restore exactly these steps, else None."""
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
    """A placement as xyz and rpy, or as steps."""
    origin = origin_pairs(placement)
    return [("steps", steps(placement))] if origin is None else origin


def steps(placement: Placement) -> str:
    """The steps of a placement as a list."""
    return listing(inline(step_pairs(step)) for step in placement.steps)


def step_pairs(step: Step) -> Pairs:
    """One step as an inline table."""
    amount = angle(step.amount) if isinstance(step.amount, Angle) else number(step.amount)
    return [(step.kind, quoted("xyz"[step.axis])), ("by", amount)] + (
        [("name", quoted(step.name))] if step.name else []
    )


# -- joints, links, springs -------------------------------------------------------------------------


def joint_pairs(arm: ArmDescription, joint: Joint, previous: str, convention: str, base_placement: Placement) -> Pairs:
    """The entries of a [[joints]] table."""
    pairs: Pairs = [("name", quoted(joint.name)), ("type", quoted(joint.kind))]
    pairs += [("parent", quoted(joint.parent))] if joint.parent != previous else []
    pairs += joint_placement(arm, joint, convention, base_placement)
    limits = limit_pairs(joint.limits, joint.kind == "revolute")
    pairs += [("limits", inline(limits))] if limits else []
    pairs += [("held", repr(joint.held))] if joint.held else []
    pairs += [("follows", inline(follows_pairs(joint.follows)))] if joint.follows is not None else []
    return [*pairs, ("link", inline(link_pairs(arm.link(joint.child))))]


def follows_pairs(follows: Follows) -> Pairs:
    """The joint that another follows, and how."""
    offset = follows.offset
    offset_text = angle(offset) if isinstance(offset, Angle) else number(offset)
    pairs = [("joint", quoted(follows.joint)), ("multiplier", number(follows.multiplier))]
    return pairs + ([("offset", offset_text)] if offset_text != "0" else [])


def limit_pairs(limits: Limits, is_angle: bool) -> Pairs:
    """The limits that differ from their defaults."""
    pairs = []
    for field in fields(limits):
        value = float(getattr(limits, field.name))
        # The opposite infinity does not mean "unlimited" but a limit that no position meets, so it is written.
        if value != field.default:
            pairs.append((field.name, real(value, is_angle and field.name != "effort")))
    return pairs


def base_link(arm: ArmDescription) -> Pairs:
    """The base link, unless it is empty and named "base"."""
    pairs = link_pairs(arm.link(arm.base))
    return [("link", inline(pairs))] if pairs != [("name", quoted("base"))] else []


def link_pairs(link: Link) -> Pairs:
    """The entries of a link."""
    meshes = [("meshes", listing(map(quoted, link.meshes)))] if link.meshes else []
    drawable = [shape_entries(shape) for shape in link.shapes if not shape.fault]
    shapes = [("shapes", listing(map(value_of, drawable)))] if drawable else []
    return [("name", quoted(link.name)), *body_pairs(link.inertia), *meshes, *shapes]


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
    """A symmetric matrix: three moments where it is diagonal, else a table of its entries."""
    if any(matrix[i][j] for _, i, j in ENTRIES if i != j):
        return inline([(key, number(matrix[i][j])) for key, i, j in ENTRIES if matrix[i][j]])
    return numbers([matrix[i][i] for i in range(3)])


def spring_pairs(part: Elastic) -> Pairs:
    """The entries of a [[springs]] table."""
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
    """Key-value pairs as lines."""
    return "".join(f"{key} = {value}\n" for key, value in pairs)


def inline(pairs: Pairs) -> str:
    """Key-value pairs as an inline table."""
    return "{" + ", ".join(f"{key} = {value}" for key, value in pairs) + "}"


def listing(values: Iterable[str]) -> str:
    """Values as a list."""
    return "[" + ", ".join(values) + "]"


def value_of(value: Value) -> str:
    """A string, a float, a list of floats, or a table of such."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return inline([(key, value_of(part)) for key, part in value])
    return listing(map(real, value)) if isinstance(value, tuple) else real(value)


def number(value: Fraction) -> str:
    """A decimal where it is finite, else a fraction in quotes; to 60 digits where it is longer than files may have."""
    if max(abs(value.numerator), value.denominator) >= 10**LARGEST_EXPONENT:
        return str(Context(prec=KEPT_DIGITS).divide(Decimal(value.numerator), Decimal(value.denominator)))
    cofactor = value.denominator
    twos, fives = 0, 0
    while cofactor % 2 == 0:
        cofactor, twos = cofactor // 2, twos + 1
    while cofactor % 5 == 0:
        cofactor, fives = cofactor // 5, fives + 1
    decimals = max(twos, fives)
    if cofactor != 1 or decimals > 40:
        return f'"{value.numerator}/{value.denominator}"'
    digits = str(abs(value.numerator) * 10**decimals // value.denominator)
    sign = "-" if value < 0 else ""
    if not decimals:
        return sign + (digits if len(digits) < 19 else digits + ".0")
    digits = digits.rjust(decimals + 1, "0")
    if decimals > 9 and abs(value) < 1e-4:
        significant = digits.lstrip("0")
        return f"{sign}{significant}e-{decimals}"
    return f"{sign}{digits[:-decimals]}.{digits[-decimals:]}"


def numbers(values: Sequence[Fraction]) -> str:
    """Exact numbers as a list."""
    return listing(number(value) for value in values)


def real(value: object, is_angle: bool = False) -> str:
    """A float; an angle in degrees where that restores the same float."""
    value = float(value)  # type: ignore[arg-type]
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if is_angle:
        degrees = short_degrees(value)
        if float(quantity(degrees, "limit")) == value:
            return quoted(degrees)
    return number(exact(value))


def short_degrees(radians: float) -> str:
    """An angle in degrees to nine decimals."""
    return f"{number(exact(round(math.degrees(radians), 9)))} deg"


def angle(value: Angle) -> str:
    """An angle in the first notation that restores it exactly: multiples of pi, degrees, radians, cosine and sine."""
    if not value and not value.radians:
        return "0"
    quarters = round(value.radians / (math.pi / 2))
    if value == Angle.quarters(quarters):
        sign, count = ("-" if quarters < 0 else ""), abs(quarters)
        divisor = "/2" if count % 2 else ""
        count = count if divisor else count // 2
        return quoted(f"{sign}{f'{count}*' if count != 1 else ''}pi{divisor}")
    degrees = short_degrees(value.radians)
    if quantity(degrees, "angle").angle == value:
        return quoted(degrees)
    radians = number(exact(value.radians))
    if not radians.startswith('"'):
        radians = spelled_out(radians)
        if AngleReading(AS_MEANT).angle(Decimal(radians), "angle") == value:
            return radians
    return inline([("cos", number(value.cos)), ("sin", number(value.sin)), ("radians", number(exact(value.radians)))])

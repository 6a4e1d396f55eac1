"""Writer of URDF.

URDF requires the axis of a joint to pass through the origin of the child link's frame. Where ``after`` moves the origin
off the axis, as in standard Denavit-Hartenberg frames, the link is written in its joint frame, with its inertia and
everything it carries transformed; the motion and the torques stay the same.
"""

from __future__ import annotations

import math
import re
from decimal import Context, Decimal
from fractions import Fraction
from xml.etree.ElementTree import Comment, Element, SubElement, indent, tostring

from ..axes import roll_pitch_yaw
from ..description import EARTH, ArmDescription, Joint, listed
from ..drives import Actuator
from ..drives import Element as DriveElement
from ..errors import ArmError
from ..exact import Angle
from ..following import Follows
from ..inertia import ENTRIES, Inertia
from ..placement import Placement, Step
from ..rounded import spelled_out
from ..shaft_friction import Friction
from .urdf_shape_writer import add_shapes, unsaid_shapes, visual_meshes

EXACT_DIGITS = 40
FLOAT_DIGITS = 17
NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def write_urdf(arm: ArmDescription) -> str:
    """The arm as a URDF file; ``read_urdf`` gives back an arm with the same dynamics.

    Loads become separate links, fixed to the link that carries them. Shapes of links are written as ``<visual>``, as
    far as URDF has them. Gravity, the tool and references to other meshes are written to one ``<dalembert>`` element,
    which other readers ignore. Springs and dampers cannot be expressed in URDF and are refused; drives are omitted, and
    a comment says so.
    """
    if arm.elastic:
        raise ArmError(
            f"{arm.where}{arm.name}: URDF cannot hold springs and dampers; take them off first (without_elastic(), "
            "--no-springs on the command line)"
        )
    robot = Element("robot", name=_text(arm.name))
    for remark in _remarks(arm):
        robot.append(Comment(f" {_valid(remark).replace('--', '- -')} "))
    names = {link.name for link in arm.links} | {joint.name for joint in arm.joints}
    frames = _frames(arm)
    for link in arm.links:
        element = _add_link(robot, link.name, link.inertia, frames[link.name])
        add_shapes(element, link, frames[link.name], _add_origin, _text)
    for joint in arm.joints:
        element = _add_joint(robot, joint, frames[joint.parent] @ joint.before, shifted=bool(frames[joint.child].steps))
        if joint.follows is not None:
            SubElement(element, "mimic", _mimic(joint.follows))
        dynamics = _dynamics(arm, joint)
        if dynamics:
            SubElement(element, "dynamics", {key: repr(float(value)) for key, value in dynamics.items()})
    for carrier, load in arm.loads:
        placement = frames[carrier] @ arm.load_frame(carrier)
        _add_fixed(robot, _fresh(f"{carrier}_load", names), carrier, placement, load.body)
    tool = arm.tool_link
    placement = frames[tool] @ arm.tool
    if not placement.is_identity():
        tool = _fresh("tool", names)
        _add_fixed(robot, tool, arm.tool_link, placement, Inertia())
    _add_extension(robot, arm, tool)
    indent(robot)
    text = tostring(robot, encoding="unicode")
    # What would steer a terminal or hide in an editor is spelled out.
    spelled = "".join(c if c.isprintable() or c == "\n" else f"&#{ord(c)};" for c in text)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + spelled + "\n"


def _remarks(arm: ArmDescription) -> list[str]:
    """Title and sources of the arm, and what is omitted, for comments."""
    remarks = [arm.title] if arm.title else []
    return [*remarks, *(f"source: {source}" for source in arm.sources), *omissions(arm)]


def omissions(arm: ArmDescription) -> list[str]:
    """What of the arm has no place in URDF, a sentence for the drives and one for shapes."""
    remarks = []
    omitted = [actuator.name for actuator in arm.drives.actuators if not _is_armature(actuator)]
    omitted += [element.name for element in arm.drives.elements if not _is_armature(element)]
    omitted += [f"friction of {joint}" for joint, friction in arm.drives.joint_friction if not _is_plain(friction)]
    if omitted or arm.drives.turns is not None:
        remarks.append(
            f"left out, for URDF has no place for them: the drives ({', '.join(omitted) or 'their transmission'})"
        )
    unsaid = unsaid_shapes(arm)
    if unsaid:
        remarks.append(f"left out, for URDF has no such shapes: {listed(unsaid, 8)}")
    return remarks


def _is_armature(part: Actuator | DriveElement) -> bool:
    """True if URDF can say all of this motor or element: an inertia at one joint, nothing else."""
    inertia_only = part.body is None and not part.rotor.link and len(part.ratios) == 1 and part.ratios[0][1] == 1
    if not isinstance(part, Actuator):
        return inertia_only
    return inertia_only and not part.friction and part.motor is None and part.stall is None


def _mimic(follows: Follows) -> dict[str, str]:
    """The attributes of <mimic>."""
    offset = follows.offset
    offset_text = repr(offset.radians + 0.0) if isinstance(offset, Angle) else spelled(offset)
    return {"joint": _text(follows.joint), "multiplier": spelled(follows.multiplier), "offset": offset_text}


def _is_plain(friction: Friction) -> bool:
    """True if URDF can say all of this friction: one Coulomb figure both ways, and viscous friction."""
    level = friction.moving[0] == friction.moving[1] and friction.starting in (None, friction.moving[0])
    return level and not friction.model.varies


def _dynamics(arm: ArmDescription, joint: Joint) -> dict[str, float]:
    """Damping, friction and armature of a joint; empty where all are zero."""
    if not joint.moves:
        return {}
    friction = arm.drives.friction_of(joint.name)
    armature = sum(
        float(part.rotor.inertia) for part in arm.drives.parts if _is_armature(part) and part.ratios[0][0] == joint.name
    )
    coulomb = friction.moving[0] if _is_plain(friction) else 0.0
    values = {"damping": friction.viscous, "friction": coulomb, "armature": armature}
    # urdfdom refuses a <dynamics> with neither damping nor friction, so that an armature alone brings them along.
    return {key: value for key, value in values.items() if value or (armature and key != "armature")}


def _frames(arm: ArmDescription) -> dict[str, Placement]:
    """For each link, its own frame relative to the frame it has in the URDF."""
    frames = {arm.base: Placement()}
    for joint in arm.joints:
        x, y, _ = joint.after.position
        frames[joint.child] = joint.after if joint.kind == "revolute" and (x or y) else Placement()
    return frames


def _add_link(robot: Element, name: str, inertia: Inertia, frame: Placement) -> Element:
    """Appends a <link> with its inertia expressed in ``frame``."""
    link = SubElement(robot, "link", name=_text(name))
    if not inertia:
        return link
    if not inertia.mass and any(inertia.moment):
        raise ArmError(f"link {name!r} has a first moment but no mass, which URDF cannot say; give it a mass")
    body = inertia.placed(frame) if frame.steps else inertia
    inertial = SubElement(link, "inertial")
    SubElement(inertial, "origin", xyz=_numbers(body.com))
    SubElement(inertial, "mass", value=spelled(body.mass))
    central = body.central
    SubElement(inertial, "inertia", {f"i{key}": spelled(central[i][j]) for key, i, j in ENTRIES})
    return link


def _add_joint(robot: Element, joint: Joint, before: Placement, *, shifted: bool) -> Element:
    """Appends a <joint>; ``shifted`` marks a child link that is written in its joint frame."""
    limits = joint.limits
    unlimited = math.isinf(limits.lower) and math.isinf(limits.upper)
    type_ = "continuous" if joint.kind == "revolute" and unlimited else joint.kind
    element = SubElement(robot, "joint", name=_text(joint.name), type=type_)
    _add_origin(element, before if shifted else before @ joint.after)
    SubElement(element, "parent", link=_text(joint.parent))
    SubElement(element, "child", link=_text(joint.child))
    if joint.moves:
        axis = (0, 0, 1) if shifted else joint.after.rotation[2]
        SubElement(element, "axis", xyz=_numbers(axis))
        entries = {"effort": limits.effort, "velocity": limits.velocity}
        if type_ != "continuous":
            entries |= {"lower": limits.lower, "upper": limits.upper}
        if any(math.isfinite(value) for value in entries.values()) or type_ != "continuous":
            SubElement(element, "limit", {key: _limit(value) for key, value in entries.items()})
    return element


def _add_fixed(robot: Element, name: str, parent: str, placement: Placement, inertia: Inertia) -> None:
    """Appends a link fixed to ``parent``."""
    _add_link(robot, name, inertia, Placement())
    _add_joint(robot, Joint(f"{name}_joint", "fixed", parent, name), placement, shifted=False)


def _add_origin(element: Element, placement: Placement) -> None:
    """Appends an <origin>."""
    # Adding zero turns -0.0 into 0.0.
    angles = _original_angles(placement) or roll_pitch_yaw(placement.rotation)
    rpy = " ".join(spelled_out(repr(angle + 0.0)) for angle in angles)
    SubElement(element, "origin", xyz=_numbers(placement.position), rpy=rpy)


def _original_angles(placement: Placement) -> tuple[float, float, float] | None:
    """Roll, pitch and yaw as given in the arm, where the steps of the placement still are these rotations."""
    remaining: list[Step] = []
    for step in placement.steps:
        if remaining and (step.kind, step.axis, -step.amount) == (
            remaining[-1].kind,
            remaining[-1].axis,
            remaining[-1].amount,
        ):
            remaining.pop()
        elif step:
            remaining.append(step)
    rotations = [step for step in remaining if step.kind == "rotate"]
    if remaining[len(remaining) - len(rotations) :] != rotations or [step.axis for step in rotations] != sorted(
        {step.axis for step in rotations}, reverse=True
    ):
        return None
    angles = [0.0, 0.0, 0.0]
    for step in rotations:
        angles[step.axis] = step.amount.radians  # type: ignore[union-attr]
    return angles[0], angles[1], angles[2]


def _add_extension(robot: Element, arm: ArmDescription, tool: str) -> None:
    """Appends the <dalembert> element where it has content."""
    meshes = [(link.name, mesh) for link in arm.links for mesh in link.meshes if mesh not in visual_meshes(link)]
    entries = {}
    if arm.gravity != EARTH:
        entries["gravity"] = _numbers(arm.gravity)
    if tool != arm.default_tool_link or arm.loads:
        entries["tool"] = _text(tool)
    if entries or meshes:
        element = SubElement(robot, "dalembert", entries)
        for link, mesh in meshes:
            SubElement(element, "mesh", link=_text(link), filename=_text(mesh))


def _fresh(name: str, taken: set[str]) -> str:
    """A name that no link has, nor, with ``_joint`` appended, a joint."""
    number, unique = 1, name
    while unique in taken or f"{unique}_joint" in taken:
        number += 1
        unique = f"{name}{number}"
    taken |= {unique, f"{unique}_joint"}
    return unique


def _numbers(values: object) -> str:
    return " ".join(spelled(Fraction(value)) for value in values)  # type: ignore[attr-defined]


def spelled(number: Fraction) -> str:
    """A decimal, exact if that takes at most 40 digits, else with the 17 digits that determine a float."""
    for digits in (EXACT_DIGITS, FLOAT_DIGITS):
        rounded = Context(prec=digits).divide(Decimal(number.numerator), Decimal(number.denominator))
        if digits == FLOAT_DIGITS or Fraction(rounded) == number:
            break
    rounded = rounded.normalize(Context(prec=EXACT_DIGITS))
    return format(rounded, "f") if -7 < rounded.adjusted() < 16 else str(rounded)


def _limit(value: float) -> str:
    """URDF has no notation for an unlimited joint and readers require a number: 1e16, as in SDF."""
    return repr(math.copysign(1e16, value) if math.isinf(value) else float(value))


def _text(value: str) -> str:
    """The string, which must be valid in XML, and no expression to those who read URDF as xacro."""
    if "${" in value or "$(" in value:
        raise ArmError(f"the name {value!r} is an expression of xacro to readers of URDF, ours too; rename it")
    return _valid(value)


def _valid(value: str) -> str:
    """The string, which must be valid in XML."""
    if NO_XML.search(value):
        raise ArmError(f"the name {value!r} holds characters that XML cannot; rename it")
    return value

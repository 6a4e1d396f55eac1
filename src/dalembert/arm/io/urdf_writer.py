"""An arm to URDF.

URDF wants the axis of a joint to run through the origin of the child link's frame. Where ``after`` leads off the
axis, as in standard Denavit-Hartenberg frames, the link is written in its joint frame, with its inertia and
everything it carries moved along; the motion and the torques stay the same.
"""

from __future__ import annotations

import math
import re
from decimal import Context, Decimal
from fractions import Fraction
from xml.etree.ElementTree import Comment, Element, SubElement, indent, tostring

from ..axes import roll_pitch_yaw
from ..description import EARTH, ArmDescription, Joint
from ..drives import Actuator, Friction
from ..errors import ArmError
from ..inertia import ENTRIES, Inertia
from ..placement import Placement, Step

EXACT_DIGITS = 40
FLOAT_DIGITS = 17
NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def write_urdf(arm: ArmDescription) -> str:
    """The arm as a URDF file; ``read_urdf`` gives back an arm with the same dynamics.

    Loads become links of their own, fixed to what carries them. Gravity, the tool and references to meshes go
    into one ``<dalembert>`` element, which other readers pass over. Springs and dampers have no place in URDF
    and are refused; drives are left out, and a comment says so.
    """
    if arm.elastic:
        raise ArmError(
            f"{arm.where}{arm.name}: URDF cannot hold springs and dampers; take them off with without_elastic() first"
        )
    robot = Element("robot", name=_text(arm.name))
    for remark in _remarks(arm):
        robot.append(Comment(f" {_text(remark).replace('--', '- -')} "))
    names = {link.name for link in arm.links} | {joint.name for joint in arm.joints}
    frames = _frames(arm)
    for link in arm.links:
        _add_link(robot, link.name, link.inertia, frames[link.name])
    for joint in arm.joints:
        element = _add_joint(robot, joint, frames[joint.parent] @ joint.before, shifted=bool(frames[joint.child].steps))
        dynamics = _dynamics(arm, joint)
        if dynamics:
            SubElement(element, "dynamics", {key: repr(float(value)) for key, value in dynamics.items()})
    for carrier, load in arm.loads:
        there = frames[carrier] @ (arm.tool if carrier == arm.tool_link else Placement())
        _add_fixed(robot, _fresh(f"{carrier}_load", names), carrier, there, load.body)
    tool = arm.tool_link
    there = frames[tool] @ arm.tool
    if not there.is_identity():
        tool = _fresh("tool", names)
        _add_fixed(robot, tool, arm.tool_link, there, Inertia())
    _add_extension(robot, arm, tool)
    indent(robot)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(robot, encoding="unicode") + "\n"


def _remarks(arm: ArmDescription) -> list[str]:
    found = [arm.title] if arm.title else []
    found += [f"source: {source}" for source in arm.sources]
    left = [actuator.name for actuator in arm.drives.actuators if not _is_armature(actuator)]
    left += [element.name for element in arm.drives.elements]
    left += [f"friction of {joint}" for joint, friction in arm.drives.joint_friction if not _is_plain(friction)]
    if left or arm.drives.turns is not None:
        found.append(
            f"left out, for URDF has no place for them: the drives ({', '.join(left) or 'their transmission'})"
        )
    return found


def _is_armature(actuator: Actuator) -> bool:
    """True if URDF can say all of this motor: an inertia at one joint, nothing else."""
    bare = not actuator.friction and actuator.motor is None and actuator.stall is None and not actuator.rotor.link
    return bare and len(actuator.ratios) == 1 and actuator.ratios[0][1] == 1


def _is_plain(friction: Friction) -> bool:
    """True if URDF can say all of this friction: one Coulomb figure both ways, and viscous friction."""
    return friction.moving[0] == friction.moving[1] and friction.starting in (None, friction.moving[0])


def _dynamics(arm: ArmDescription, joint: Joint) -> dict[str, float]:
    """Damping, friction and armature of a joint, those that are not zero."""
    if not joint.moves:
        return {}
    friction = arm.drives.friction_of(joint.name)
    armature = sum(
        float(actuator.rotor.inertia)
        for actuator in arm.drives.actuators
        if _is_armature(actuator) and actuator.ratios[0][0] == joint.name
    )
    coulomb = friction.moving[0] if _is_plain(friction) else 0.0
    values = {"damping": friction.viscous, "friction": coulomb, "armature": armature}
    return {key: value for key, value in values.items() if value}


def _frames(arm: ArmDescription) -> dict[str, Placement]:
    """For each link, its own frame in the frame it has in the URDF."""
    frames = {arm.base: Placement()}
    for joint in arm.joints:
        x, y, _ = joint.after.position
        frames[joint.child] = joint.after if joint.kind == "revolute" and (x or y) else Placement()
    return frames


def _add_link(robot: Element, name: str, inertia: Inertia, frame: Placement) -> None:
    link = SubElement(robot, "link", name=_text(name))
    if not inertia:
        return
    if not inertia.mass and any(inertia.moment):
        raise ArmError(f"link {name!r} has a first moment but no mass, which URDF cannot say; give it a mass")
    body = inertia.placed(frame) if frame.steps else inertia
    inertial = SubElement(link, "inertial")
    SubElement(inertial, "origin", xyz=_numbers(body.com))
    SubElement(inertial, "mass", value=spelled(body.mass))
    central = body.central
    SubElement(inertial, "inertia", {f"i{key}": spelled(central[i][j]) for key, i, j in ENTRIES})


def _add_joint(robot: Element, joint: Joint, before: Placement, *, shifted: bool) -> Element:
    limits = joint.limits
    endless = math.isinf(limits.lower) and math.isinf(limits.upper)
    type_ = "continuous" if joint.kind == "revolute" and endless else joint.kind
    element = SubElement(robot, "joint", name=_text(joint.name), type=type_)
    _add_origin(element, before if shifted else before @ joint.after)
    SubElement(element, "parent", link=_text(joint.parent))
    SubElement(element, "child", link=_text(joint.child))
    if joint.moves:
        axis = (0, 0, 1) if shifted else joint.after.rotation[2]
        SubElement(element, "axis", xyz=_numbers(axis))
        known = {"effort": limits.effort, "velocity": limits.velocity}
        if type_ != "continuous":
            known |= {"lower": limits.lower, "upper": limits.upper}
        if any(math.isfinite(value) for value in known.values()) or type_ != "continuous":
            SubElement(element, "limit", {key: _limit(value) for key, value in known.items()})
    return element


def _add_fixed(robot: Element, name: str, parent: str, there: Placement, inertia: Inertia) -> None:
    _add_link(robot, name, inertia, Placement())
    _add_joint(robot, Joint(f"{name}_joint", "fixed", parent, name), there, shifted=False)


def _add_origin(element: Element, placement: Placement) -> None:
    # Adding zero turns -0.0 into 0.0.
    rpy = " ".join(repr(angle + 0.0) for angle in _given_angles(placement) or roll_pitch_yaw(placement.rotation))
    SubElement(element, "origin", xyz=_numbers(placement.position), rpy=rpy)


def _given_angles(placement: Placement) -> tuple[float, float, float] | None:
    """Roll, pitch and yaw as they were given, where the placement is still made of them."""
    left: list[Step] = []
    for step in placement.steps:
        if left and (step.kind, step.axis, -step.amount) == (left[-1].kind, left[-1].axis, left[-1].amount):
            left.pop()
        elif step:
            left.append(step)
    turns = [step for step in left if step.kind == "rotate"]
    if left[len(left) - len(turns) :] != turns or [step.axis for step in turns] != sorted(
        {step.axis for step in turns}, reverse=True
    ):
        return None
    angles = [0.0, 0.0, 0.0]
    for step in turns:
        angles[step.axis] = step.amount.radians  # type: ignore[union-attr]
    return angles[0], angles[1], angles[2]


def _add_extension(robot: Element, arm: ArmDescription, tool: str) -> None:
    meshes = [(link.name, mesh) for link in arm.links for mesh in link.meshes]
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
    """A name that neither a link nor, with ``_joint`` added, a joint has yet."""
    number, made = 1, name
    while made in taken or f"{made}_joint" in taken:
        number += 1
        made = f"{name}{number}"
    taken |= {made, f"{made}_joint"}
    return made


def _numbers(values: object) -> str:
    return " ".join(spelled(Fraction(value)) for value in values)  # type: ignore[attr-defined]


def spelled(number: Fraction) -> str:
    """The number as a decimal: exactly if that is short, else with the 17 digits that fix a float."""
    for digits in (EXACT_DIGITS, FLOAT_DIGITS):
        rounded = Context(prec=digits).divide(Decimal(number.numerator), Decimal(number.denominator))
        if digits == FLOAT_DIGITS or Fraction(rounded) == number:
            break
    rounded = rounded.normalize(Context(prec=EXACT_DIGITS))
    return format(rounded, "f") if -7 < rounded.adjusted() < 16 else str(rounded)


def _limit(value: float) -> str:
    """URDF has no word for unlimited and its readers want a number: 1e16, as in SDF."""
    return repr(math.copysign(1e16, value) if math.isinf(value) else float(value))


def _text(value: str) -> str:
    if NO_XML.search(value):
        raise ArmError(f"the name {value!r} holds characters that XML cannot; rename it")
    return value

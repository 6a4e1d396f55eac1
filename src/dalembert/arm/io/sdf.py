"""SDF (SDFormat 1.7 and later, the format of Gazebo) to an arm; ``docs/urdf-mjcf.md`` says what is read and refused.

Links and joints stand anywhere in the model, by poses that are relative to other frames; a joint moves about or along
an axis of its own frame. The base of the arm is what a joint ties to the world; without such a joint it is the root
link.
"""

from __future__ import annotations

import math
import warnings
from decimal import Decimal
from fractions import Fraction

from ..axes import along
from ..description import EARTH, ArmDescription, Joint, Kind, Limits, Link, listed
from ..elastic import JointSpring
from ..errors import ArmError, SkippedWarning, caller_level
from ..inertia import Inertia
from ..placement import Placement
from .angle_reading import AS_MEANT, AngleReading
from .joint_drives import JointDrive, train_of_joints
from .mimic import Mimic, check_mode, followers, treated
from .sdf_poses import SdfFrames, attributes, of_text, read_pose, word
from .sdf_shapes import shapes_of_link
from .xml_text import MOST_LINKS, XmlNode, parse, shortened, tell_skipped

TYPES: dict[str, Kind] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
}
MODEL_TAGS = (
    "link", "joint", "frame", "pose", "plugin", "static", "self_collide", "allow_auto_disable", "enable_wind",
    "gripper",
)  # fmt: skip
LINK_TAGS = (
    "pose", "inertial", "visual", "collision", "sensor", "light", "gravity", "kinematic", "must_be_base_link",
    "self_collide", "enable_wind", "velocity_decay", "projector", "audio_source", "battery", "particle_emitter",
)  # fmt: skip
JOINT_TAGS = ("pose", "parent", "child", "axis", "physics", "sensor", "plugin")
AXIS_TAGS = ("xyz", "limit", "dynamics", "mimic", "use_parent_model_frame")
OLDEST = (1, 7)


def read_sdf(
    text: str, origin: str = "SDF", physical: str = "warn", mimic: str = "refuse", angles: str = AS_MEANT
) -> ArmDescription:
    """The arm of the one model of an SDF file; the options are those of ``read_urdf``."""
    check_mode(mimic)
    reading = AngleReading(angles)
    root = XmlNode(parse(text, origin), origin)
    model, gravity = _model(root)
    frames = SdfFrames(origin)
    world = read_pose(model.one("pose"), reading)
    model.known_tags(MODEL_TAGS)
    if word(model, "static", "false") in ("true", "1"):
        raise model.fault("is static, so that nothing of it moves; take <static> off")
    for tag in ("include", "model"):
        if model.one(tag) is not None:
            raise model.fault(
                f"holds <{tag}>, whose parts are in another file or scope; flatten it: gz sdf -p model.sdf"
            )
    links = [_link(node, frames, reading) for node in model.all("link")]
    if not links:
        raise model.fault("has no <link>; give it links and joints")
    if len(links) > MOST_LINKS:
        raise root.fault(f"has {len(links)} links; at most {MOST_LINKS} are read, leave out what is not the arm")
    for node in model.all("frame"):
        node.known_attributes(("name", "attached_to"))
        pose = node.one("pose")
        on = (pose.element.get("relative_to", "") if pose is not None else "") or node.element.get("attached_to", "")
        frames.add(node.text("name"), on, read_pose(pose, reading))
        frames.carrier[node.text("name")] = node.element.get("attached_to", "")
    rows = [_joint(node, frames, reading, origin) for node in model.all("joint")]
    for row in rows:
        frames.add(row.name, row.relative_to or row.child, row.pose)
    joints = treated([row.joint(frames, world) for row in rows], [m for row in rows if (m := row.mimic)], mimic)
    links, joints = _grounded(links, joints, frames, world, model)
    moving = {joint.name for joint in joints if joint.moves}
    springs = tuple(
        JointSpring(row.name, row.stiffness, row.rest) for row in rows if row.stiffness and row.name in moving
    )
    try:
        arm = ArmDescription(
            model.name() or "arm", tuple(links), tuple(joints), gravity,  # type: ignore[arg-type]
            drives=train_of_joints([row.drive for row in rows if row.name in moving], origin, followers(joints)),
            elastic=springs, origin=origin,
        )  # fmt: skip
    except ArmError as fault:
        raise fault if str(fault).startswith(f"{origin}: ") else root.fault(str(fault)) from None
    tell_skipped(root, caller_level())
    bare = [
        name for node in model.all("link") if node.one("inertial") is None and (name := node.text("name")) != arm.base
    ]
    if bare:
        warnings.warn(
            f"{origin}: no <inertial> at {listed(bare)}: 1 kg and 1 kg m^2 about each axis, as the format says",
            SkippedWarning,
            caller_level(),
        )
    reading.tell(origin)
    return arm.checked(physical)


def _model(root: XmlNode) -> tuple[XmlNode, object]:
    """The one model of the file, and gravity where a world says it."""
    if root.tag != "sdf":
        raise root.fault(f"is not SDF: its outermost element is <{root.tag}>; give a file with <sdf>")
    version = root.element.get("version", "")
    try:
        parts = tuple(int(part) for part in version.split(".")[:2])
    except ValueError:
        parts = ()
    if len(parts) != 2 or parts[0] != 1 or parts < OLDEST:
        raise root.fault(
            f"has version {shortened(version)}; 1.7 and later are read, where poses say what they are relative to: "
            "convert it with gz sdf -p"
        )
    worlds = list(root.all("world"))
    holders = worlds or [root]
    models = [(holder, node) for holder in holders for node in holder.all("model")]
    if len(models) != 1:
        raise root.fault(f"has {len(models)} models; an arm is one: leave the others out")
    holder, node = models[0]
    name = node.text("name")
    node = XmlNode(node.element, f"{root.where}: model {name!r}", root.skipped)
    gravity = holder.one("gravity") if worlds else None
    if gravity is None:
        # The default of the format is -9.8, that of this package and of URDF -9.81: a model alone says nothing of it.
        return node, EARTH
    return node, of_text(gravity).vector("value")


def _link(node: XmlNode, frames: SdfFrames, reading: AngleReading) -> Link:
    """The link of a <link> element."""
    name = node.text("name")
    node = XmlNode(node.element, f"{frames.origin}: link {name!r}", node.skipped)
    node.known_tags(LINK_TAGS)
    for tag, usual in (("gravity", ("true", "1")), ("kinematic", ("false", "0"))):
        if word(node, tag, usual[0]) not in usual:
            raise node.fault(f"<{tag}> is {word(node, tag)!r}, which an arm cannot have; take it off")
    decay = node.one("velocity_decay")
    if decay is not None and any(of_text(part).number("value") for part in decay.children()):
        raise node.fault("<velocity_decay> slows it in a way that is not modelled; take it off")
    pose = node.one("pose")
    frames.add(name, pose.element.get("relative_to", "") if pose is not None else "", read_pose(pose, reading))
    frames.carrier[name] = name
    uris = (
        uri.text or "" for tag in ("visual", "collision") for uri in node.element.iterfind(f"{tag}/geometry/mesh/uri")
    )
    meshes = tuple(dict.fromkeys(uri.strip() for uri in uris if uri.strip()))
    return Link(name, _inertia(node, reading), meshes, shapes_of_link(node))


def _inertia(node: XmlNode, reading: AngleReading) -> Inertia:
    """The inertia about the link frame; what is missing has the values of the format, 1 kg and 1 kg m^2."""
    inertial = node.one("inertial")
    if inertial is None:
        return Inertia.of(1, inertia={"xx": 1, "yy": 1, "zz": 1})
    if inertial.element.get("auto", "false") in ("true", "1"):
        raise inertial.fault("auto inertia is worked out from meshes by another program; write the numbers")
    inertial.known_tags(("mass", "pose", "inertia", "density", "fluid_added_mass"))
    if inertial.one("fluid_added_mass") is not None:
        raise inertial.fault("<fluid_added_mass> is not modelled; take it off")
    pose = inertial.one("pose")
    if pose is not None and pose.element.get("relative_to"):
        raise inertial.fault("its <pose> is in the frame of the link; take relative_to off")
    mass, table = inertial.one("mass"), inertial.one("inertia")
    moments: dict[str, Fraction] = {"xx": Fraction(1), "yy": Fraction(1), "zz": Fraction(1)}
    for pair in ("xx", "yy", "zz", "xy", "xz", "yz"):
        entry = table.one(f"i{pair}") if table is not None else None
        if entry is not None:
            moments[pair] = of_text(entry).number("value")
    mass_value = of_text(mass).number("value") if mass is not None else Fraction(1)
    inertia = Inertia.of(mass_value, inertia=moments, what=inertial.where)
    placement = read_pose(pose, reading)
    return inertia.placed(placement) if placement.steps else inertia


class _Row:
    """A <joint> element as read, before all frames are known."""

    def __init__(self, name: str, kind: Kind, parent: str, child: str) -> None:
        self.name, self.kind, self.parent, self.child = name, kind, parent, child
        self.pose, self.relative_to = Placement(), ""
        self.axis: tuple[Fraction, ...] = (Fraction(0), Fraction(0), Fraction(1))
        self.expressed_in = ""
        self.limits, self.drive = Limits(), JointDrive(name)
        self.mimic: Mimic | None = None
        self.stiffness, self.rest, self.where = 0.0, 0.0, ""

    def joint(self, frames: SdfFrames, world: Placement) -> Joint:
        """The joint between the frames of its links."""
        before = frames.between(self.parent, self.name, world)
        after = frames.between(self.name, self.child, world)
        if self.kind != "fixed":
            x, y, z = self.axis
            if self.expressed_in:
                turn = frames.between(self.name, self.expressed_in, world).rotation
                x, y, z = (sum((a * b for a, b in zip(row, (x, y, z), strict=True)), Fraction(0)) for row in turn)
            to_axis = along((x, y, z), f"{self.where}: axis")
            before, after = before @ to_axis, to_axis.inverse() @ after
        return Joint(self.name, self.kind, self.parent, self.child, before, after, self.limits)


def _joint(node: XmlNode, frames: SdfFrames, reading: AngleReading, origin: str) -> _Row:
    """The row of a <joint> element."""
    name, type_ = node.text("name"), node.text("type")
    node = XmlNode(node.element, f"{origin}: joint {name!r}", node.skipped)
    node.known_tags(JOINT_TAGS)
    if type_ not in TYPES:
        raise node.fault(f"has type {shortened(type_)}; the types that are read are {listed(TYPES)}")
    ends = [word(node, tag) for tag in ("parent", "child")]
    for tag, end in zip(("parent", "child"), ends, strict=True):
        if not end or (end != "world" and end not in frames.declared) or (tag == "child" and end == "world"):
            raise node.fault(f"its <{tag}> is {shortened(end)}; name a link of the model")
    row = _Row(name, TYPES[type_], *(frames.link_of(end) for end in ends))
    row.where = node.where
    pose = node.one("pose")
    row.pose = read_pose(pose, reading)
    row.relative_to = pose.element.get("relative_to", "") if pose is not None else ""
    axis = node.one("axis")
    if axis is None or row.kind == "fixed":
        return row
    axis.known_tags(AXIS_TAGS)
    if word(axis, "use_parent_model_frame", "false") in ("true", "1"):
        raise axis.fault("use_parent_model_frame is of older files; write <xyz expressed_in='__model__'>")
    xyz = axis.one("xyz")
    if xyz is not None:
        xyz.known_attributes(("expressed_in",))
        numbers = of_text(xyz).decimals("value", 3) or ()
        row.axis, row.expressed_in = reading.unit(numbers), xyz.element.get("expressed_in", "")
    _losses(row, axis, type_)
    mimic = axis.one("mimic")
    if mimic is not None:
        ratio, offset, start = (
            of_text(child).number("value") if (child := mimic.one(tag)) is not None else Fraction(default)
            for tag, default in (("multiplier", 1), ("offset", 0), ("reference", 0))
        )
        zero_offset = offset - ratio * start
        meant = (
            reading.angle(Decimal(str(float(zero_offset))), f"{mimic.where}: offset")
            if row.kind == "revolute"
            else None
        )
        row.mimic = Mimic(name, mimic.element.get("joint", ""), ratio, zero_offset, node.where, meant)
    return row


def _losses(row: _Row, axis: XmlNode, type_: str) -> None:
    """Limits, damping, friction and spring of a joint."""
    limit = axis.one("limit")
    if limit is not None:
        limit.known_tags(("lower", "upper", "effort", "velocity", "stiffness", "dissipation"))
        node = attributes(limit, {tag: tag for tag in ("lower", "upper", "effort", "velocity")})
        lower, upper = node.limit("lower", -math.inf), node.limit("upper", math.inf)
        # The format writes no limit as -1.
        effort, velocity = (x if x >= 0 else math.inf for x in (node.limit("effort", -1), node.limit("velocity", -1)))
        turns = type_ == "continuous"
        try:
            row.limits = Limits(-math.inf if turns else lower, math.inf if turns else upper, velocity, effort)
        except ArmError as fault:
            raise axis.fault(str(fault)) from None
    dynamics = axis.one("dynamics")
    if dynamics is not None:
        dynamics.known_tags(("damping", "friction", "spring_stiffness", "spring_reference"))
        names = {
            "damping": "damping",
            "friction": "friction",
            "spring_stiffness": "stiffness",
            "spring_reference": "rest",
        }
        node = attributes(dynamics, names)
        row.drive = JointDrive(row.name, damping=node.not_negative("damping"), friction=node.not_negative("friction"))
        row.stiffness, row.rest = node.not_negative("stiffness"), float(node.number("rest", 0))


def _grounded(
    links: list[Link], joints: list[Joint], frames: SdfFrames, world: Placement, model: XmlNode
) -> tuple[list[Link], list[Joint]]:
    """With the world as base where a joint is tied to it, or where the root link does not stand in its origin."""
    if any(joint.parent == "world" for joint in joints):
        return [Link("world"), *links], joints
    children = {joint.child for joint in joints}
    roots = [link.name for link in links if link.name not in children]
    warnings.warn(
        f"{model.where}: no joint ties it to the world, where it would fall; its root {listed(roots[:1])} is taken as "
        "fixed",
        SkippedWarning,
        caller_level(),
    )
    if len(roots) != 1:
        return links, joints  # the description says what is wrong with several roots
    root_placement = world @ frames.in_model(roots[0])
    if root_placement.is_identity():
        return links, joints
    name = "world_joint"
    while any(joint.name == name for joint in joints):
        name += "_"
    return [Link("world"), *links], [Joint(name, "fixed", "world", roots[0], root_placement), *joints]

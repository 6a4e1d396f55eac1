"""URDF to an arm, with exact numbers; ``docs/urdf-mjcf.md`` says what is read, kept and refused.

A URDF joint is an origin on the parent link and a motion about or along an axis of the child's own frame. With
R the rotation whose z points along that axis, the joint is ``before = origin R``, a motion about z, and
``after = R^-1``: the frame of the link is URDF's own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from xml.etree.ElementTree import Element

from ..axes import along
from ..description import EARTH, ArmDescription, Joint, Kind, Limits, Link, listed
from ..errors import ArmError, caller_level
from ..inertia import Inertia
from ..placement import Placement, Vector
from .angle_reading import AS_MEANT, AngleReading
from .joint_drives import JointDrive, train_of_joints
from .mimic import Mimic, check_mode, followers, treated
from .urdf_origin import read_origin
from .urdf_shapes import Materials, materials_of, shapes_of_link
from .urdf_writer import write_urdf
from .xml_text import MOST_LINKS, XmlNode, parse, shortened, tell_skipped

__all__ = ["read_urdf", "write_urdf"]

TYPES: Mapping[str, Kind] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
}
ALONG_X: Vector = (Fraction(1), Fraction(0), Fraction(0))
LINK_TAGS = ("inertial", "visual", "collision", "contact")
JOINT_TAGS = (
    "origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "calibration", "safety_controller",
)  # fmt: skip
IGNORED = ("material", "transmission", "gazebo", "sensor", "ros2_control", "mujoco")
"""Elements beside links and joints that do not affect the dynamics of the arm."""


def read_urdf(
    text: str, origin: str = "URDF", physical: str = "warn", mimic: str = "refuse", angles: str = AS_MEANT
) -> ArmDescription:
    """The arm that a URDF file describes. ``origin`` names the file; ``physical`` as in ``ArmDescription.checked``.

    ``mimic`` is the treatment of a joint that mimics another: "refuse" the file, "hold" the joint at its position for
    the other at zero, let it move "free" of the other, or "couple" it exactly. ``angles`` says whether
    rounded angles are read "as meant" or "as written".
    """
    check_mode(mimic)
    reading = AngleReading(angles)
    root = XmlNode(_root(text, origin), origin)
    if root.tag != "robot":
        remedy = "load it as MJCF" if root.tag == "mujoco" else "give a file whose outermost element is <robot>"
        raise root.fault(f"is not URDF: its outermost element is <{root.tag}>; {remedy}")
    links, joints, mimics = [], [], []
    materials = materials_of(root)
    for child in root.children():
        if child.tag == "link":
            links.append(_link(child, origin, reading, materials))
        elif child.tag == "joint":
            joint, drive, follows = _joint(child, origin, reading)
            joints.append((joint, drive))
            mimics += [follows] if follows is not None else []
        elif child.tag not in (*IGNORED, "dalembert"):
            _hides_nothing(child)
    if len(links) > MOST_LINKS:
        raise root.fault(f"has {len(links)} links; at most {MOST_LINKS} are read, leave out what is not the arm")
    if not links:
        raise root.fault("has no <link>, so there is no arm in it; name the file that describes the robot")
    treated_joints = treated([joint for joint, _ in joints], mimics, mimic)
    moving = {joint.name for joint in treated_joints if joint.moves}
    gravity, tool, meshes = _extension(root)
    links = [replace(link, meshes=link.meshes + meshes.pop(link.name, ())) for link in links]
    if meshes:
        raise root.fault(f"<dalembert> names link {next(iter(meshes))!r}, which is not there")
    try:
        arm = ArmDescription(
            root.name() or "arm",
            tuple(links),
            tuple(treated_joints),
            gravity,  # type: ignore[arg-type]
            tool_link=tool,
            drives=train_of_joints(
                [drive for joint, drive in joints if joint.name in moving], origin, followers(treated_joints)
            ),
            origin=origin,
        )
    except ArmError as fault:
        raise fault if str(fault).startswith(f"{origin}: ") else root.fault(str(fault)) from None
    tell_skipped(root, caller_level())
    reading.tell(origin)
    return arm.checked(physical)


def read_mimics(text: str, origin: str = "URDF") -> list[Mimic]:
    """The joints of a URDF file that follow others."""
    joints = XmlNode(_root(text, origin), origin).all("joint")
    return [follows for node in joints if (follows := _joint(node, origin, AngleReading())[2]) is not None]


def _root(text: str, origin: str) -> Element:
    """The root element; a xacro template is refused."""
    remedy = "is a xacro file, a template of a URDF; make the URDF first: xacro file.xacro > file.urdf"
    try:
        root = parse(text, origin)
    except ArmError:
        if "<xacro:" in text:
            raise ArmError(f"{origin}: {remedy}") from None
        raise
    for element in root.iter():
        template = any("${" in value or "$(" in value for value in element.attrib.values())
        # The output of xacro still declares the namespace, but has no element in it.
        if template or (element.tag.startswith("{") and "xacro" in element.tag.partition("}")[0]):
            raise ArmError(f"{origin}: {remedy}")
    return root


def _hides_nothing(node: XmlNode) -> None:
    """Raises ArmError for a link or joint nested in an unknown element."""
    for inner in node.element.iter():
        if inner is not node.element and inner.tag in ("link", "joint") and len(inner):
            raise node.fault(
                f"holds a <{inner.tag}>, which URDF reads only directly inside <robot>; move it there, or remove it"
            )


def _named(node: XmlNode, origin: str) -> XmlNode:
    """The node under its own name, which is required."""
    name = node.name()
    if not name:
        raise ArmError(f"{origin}: a <{node.tag}> has no name; give every {node.tag} one")
    return XmlNode(node.element, f"{origin}: {node.tag} {name!r}", node.skipped)


def _link(node: XmlNode, origin: str, reading: AngleReading, materials: Materials) -> Link:
    """The link of a <link> element."""
    node = _named(node, origin)
    node.known_attributes(("name", "type"))
    node.known_tags(LINK_TAGS)
    meshes = dict.fromkeys(
        mesh.get("filename", "")
        for tag in ("visual", "collision")
        for mesh in node.element.iterfind(f"{tag}/geometry/mesh")
    )
    inertial = node.one("inertial")
    inertia = _inertia(inertial, reading) if inertial is not None else Inertia()
    mesh_files = tuple(mesh for mesh in meshes if mesh)
    return Link(node.element.get("name", ""), inertia, mesh_files, shapes_of_link(node, materials))


def _inertia(node: XmlNode, reading: AngleReading) -> Inertia:
    """The inertia of an <inertial> element about the link frame."""
    node.known_tags(("origin", "mass", "inertia"))
    mass, moments = node.needed("mass"), node.needed("inertia")
    mass.known_attributes(("value",))
    moments.known_attributes(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    entries = {f"{a}{a}": moments.number(f"i{a}{a}") for a in "xyz"}
    entries |= {pair: moments.number(f"i{pair}", 0) for pair in ("xy", "xz", "yz")}
    origin = read_origin(node, reading)
    body = Inertia.of(mass.number("value"), inertia=entries, what=node.where)
    return body.placed(origin) if origin.steps else body


def _joint(node: XmlNode, origin: str, reading: AngleReading) -> tuple[Joint, JointDrive, Mimic | None]:
    """The joint of a <joint> element, its drive, and the joint that it follows."""
    node = _named(node, origin)
    node.known_attributes(("name", "type"))
    node.known_tags(JOINT_TAGS)
    name, type_ = node.text("name"), node.text("type")
    if type_ in ("floating", "planar"):
        raise node.fault(
            f"is {type_}, which a joint of an arm cannot be; make it fixed, or replace it by "
            f"prismatic and revolute joints with massless links between them"
        )
    if type_ not in TYPES:
        raise node.fault(f"has type {shortened(type_)}; the types are {listed(TYPES)}")
    mimic = node.one("mimic")
    if mimic is not None:
        mimic.known_attributes(("joint", "multiplier", "offset"))
    parent, child = _end(node, "parent"), _end(node, "child")
    before, after = read_origin(node, reading), Placement()
    kind = TYPES[type_]
    axis, limit, dynamics = node.one("axis"), node.one("limit"), node.one("dynamics")
    if axis is not None:
        axis.known_attributes(("xyz",))
    if kind != "fixed":
        written = axis.decimals("xyz", 3) if axis is not None else None
        x, y, z = reading.unit(written) if written is not None else ALONG_X
        turn = along((x, y, z), f"{node.where}: axis")
        before, after = before @ turn, turn.inverse()
    loss = {"damping": 0.0, "friction": 0.0, "armature": 0.0}
    if dynamics is not None:
        dynamics.known_attributes(tuple(loss))
        loss = {entry: dynamics.not_negative(entry) for entry in loss}
    try:
        limits = _limits(limit, type_) if limit is not None and kind != "fixed" else Limits()
    except ArmError as fault:
        raise fault if str(fault).startswith(f"{origin}: ") else node.fault(str(fault)) from None
    joint = Joint(name, kind, parent, child, before, after, limits)
    drive = JointDrive(name, armature=loss["armature"], damping=loss["damping"], friction=loss["friction"])
    if mimic is None:
        return joint, drive, None
    ratio, (offset,) = mimic.number("multiplier", 1), mimic.decimals("offset", 1) or (Decimal(0),)
    meant = reading.angle(offset, f"{mimic.where}: offset") if kind == "revolute" else None
    return joint, drive, Mimic(name, mimic.element.get("joint", ""), ratio, Fraction(offset), node.where, meant)


def _end(node: XmlNode, tag: str) -> str:
    """The link named by <parent> or <child>."""
    end = node.needed(tag)
    end.known_attributes(("link",))
    return end.text("link")


def _limits(node: XmlNode, type_: str) -> Limits:
    """The limits of a <limit> element."""
    node.known_attributes(("lower", "upper", "velocity", "effort"))
    lower, upper = -math.inf, math.inf
    # Without either attribute the range is unknown; with one of them the other defaults to zero, as in the format.
    if type_ != "continuous" and ("lower" in node.element.attrib or "upper" in node.element.attrib):
        lower, upper = node.limit("lower", 0.0), node.limit("upper", 0.0)
    return Limits(lower, upper, node.limit("velocity", math.inf), node.limit("effort", math.inf))


def _extension(root: XmlNode) -> tuple[object, str, dict[str, tuple[str, ...]]]:
    """The element that ``write_urdf`` adds for data outside URDF: gravity, tool link, mesh references."""
    node = root.one("dalembert")
    if node is None:
        return EARTH, "", {}
    node.only_attributes(("gravity", "tool"))
    node.only_tags(("mesh",))
    meshes: dict[str, tuple[str, ...]] = {}
    for mesh in node.all("mesh"):
        mesh.only_attributes(("link", "filename"))
        link = mesh.text("link")
        meshes[link] = (*meshes.get(link, ()), mesh.text("filename"))
    return node.vector("gravity", EARTH), node.short("tool", node.element.get("tool", "")), meshes

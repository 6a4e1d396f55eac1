"""The tree of bodies of an MJCF file: bodies, frames, joints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction

from ..axes import along
from ..description import Joint, Kind, Limits, Link
from ..elastic import JointSpring
from ..errors import ArmError
from ..placement import Placement, Step
from .joint_drives import JointDrive
from .mjcf_compiler import Settings
from .mjcf_defaults import MAIN, Defaults
from .mjcf_frames import ALONG_Z, POSE, at
from .omissions import Omissions
from .xml_text import MOST_LINKS, XmlNode, read_limit, read_number, shortened

KINDS: Mapping[str, Kind] = {"hinge": "revolute", "slide": "prismatic"}
BODY = ("name", "childclass", *POSE, "mocap", "gravcomp", "sleep", "simple", "fuse", "user")
FRAME = ("name", "childclass", *POSE)
JOINT = (
    "name", "class", "type", "group", "pos", "axis", "springdamper", "limited", "actuatorfrclimited", "solreflimit",
    "solimplimit", "solreffriction", "solimpfriction", "stiffness", "range", "actuatorfrcrange", "actuatorgravcomp",
    "margin", "ref", "springref", "springyield", "armature", "damping", "frictionloss", "user",
)  # fmt: skip
IGNORED = ("geom", "site", "camera", "light")
REMEDIES = {
    "freejoint": "a free body is no arm; remove the joint to fix the body, or build it of slides and hinges",
    "composite": "write the bodies out, or let MuJoCo do it: load the file there and save it with mj_saveLastXML",
    "replicate": "write the bodies out, or let MuJoCo do it: load the file there and save it with mj_saveLastXML",
    "attach": "write the bodies out, or let MuJoCo do it: load the file there and save it with mj_saveLastXML",
}
SKIPPABLE = {"flexcomp": ("flex", "flexible bodies are not modelled"), "plugin": ("plugin", "plugins are not run")}
"""Elements that can be left out on request: the kind to name, and why they are not read."""


@dataclass
class Tree:
    """Links, joints and springs in depth-first order, the order in which MuJoCo numbers them."""

    origin: str
    defaults: Defaults
    settings: Settings
    taken: set[str]
    omissions: Omissions
    gears: Mapping[str, Fraction] = field(default_factory=dict)
    """Gear of the actuator of a joint, where one alone drives it."""
    links: list[Link] = field(default_factory=lambda: [Link("world")])
    joints: list[Joint] = field(default_factory=list)
    springs: list[JointSpring] = field(default_factory=list)
    drives: list[JointDrive] = field(default_factory=list)
    refs: dict[str, float] = field(default_factory=dict)
    """Position of each joint in which the file has its body (rad or m)."""

    def fresh(self, name: str) -> str:
        """``name``, with a number appended where it is taken."""
        unique, number = name, 1
        while unique in self.taken:
            number += 1
            unique = f"{name}{number}"
        self.taken.add(unique)
        return unique

    def world(self, node: XmlNode) -> None:
        """Reads the <worldbody> section."""
        node.only_attributes(("name",))
        items = list(self.inside(node, Placement(), MAIN))
        world = self.links[0]
        shapes = self.settings.shapes.of_body(f"{self.origin}: world", items)
        self.links[0] = replace(world, shapes=world.shapes + shapes)
        for item, frame, class_name in items:
            if item.tag in ("joint", "inertial"):
                raise item.fault("the world does not move; put it into a <body>")
            if item.tag == "body":
                self.body(item, "world", frame, class_name, moving=False)

    def inside(self, node: XmlNode, frame: Placement, class_name: str) -> Iterator[tuple[XmlNode, Placement, str]]:
        """The elements of a body with their frame and default class; nested <frame> elements are resolved."""
        for child in node.children():
            child = XmlNode(child.element, f"{node.where}: <{child.tag}>")
            if child.tag == "frame":
                child.only_attributes(FRAME)
                name = self.defaults.check(child.element.get("childclass", class_name), child)
                yield from self.inside(child, frame @ self.settings.angles.placement(child), name)
            elif child.tag in ("body", "joint", "inertial", *IGNORED):
                yield child, frame, class_name
            elif child.tag in SKIPPABLE:
                kind, why = SKIPPABLE[child.tag]
                if not self.omissions.allow(kind, f"<{child.tag}> in {node.where.removeprefix(self.origin + ': ')}"):
                    raise node.fault(self.omissions.refused(f"<{child.tag}> is not read: {why}; remove it", kind))
            else:
                remedy = REMEDIES.get(child.tag, "it is not known; remove it")
                raise node.fault(f"<{child.tag}> is not read: {remedy}")

    def body(self, node: XmlNode, parent: str, frame: Placement, class_name: str, *, moving: bool) -> None:
        """Reads a body with its joints, inertia and child bodies."""
        name = node.name() or self.fresh(f"body{len(self.links)}")
        node = XmlNode(node.element, f"{self.origin}: body {name!r}")
        if len(self.links) > MOST_LINKS:
            raise node.fault(f"is one body too many; at most {MOST_LINKS} are read, leave out what is not the arm")
        node.only_attributes(BODY)
        if node.element.get("mocap") == "true" and not self.omissions.allow("mocap", f"motion of body {name!r}"):
            raise node.fault(
                self.omissions.refused("is moved from outside (mocap), which no arm is; remove it", "mocap")
            )
        if node.number("gravcomp", 0) and not self.omissions.allow("gravcomp", f"of body {name!r}"):
            sentence = "gravcomp takes part of its weight off, which is not modelled; remove the attribute"
            raise node.fault(self.omissions.refused(sentence, "gravcomp"))
        class_name = self.defaults.check(node.element.get("childclass", class_name), node)
        items = list(self.inside(node, Placement(), class_name))
        placement = frame @ self.settings.angles.placement(node)
        joints = [item for item in items if item[0].tag == "joint"]
        inertia = self.settings.inertia.of(node, items, self.defaults, needed=moving or bool(joints))
        for number, (joint, joint_frame, class_) in enumerate(joints, start=1):
            last = number == len(joints)
            motion = self.joint(joint, class_, parent, placement @ joint_frame, joint_frame.inverse())
            child = name if last else self.fresh(f"{name}_{motion.name}")
            self.joints.append(replace(motion, child=child))
            if not last:
                self.links.append(Link(child))
            parent, placement = child, Placement()
        if not joints:
            self.joints.append(Joint(self.fresh(f"{name}_fixed"), "fixed", parent, name, placement))
        meshes = [item[0].element.get("mesh", "") for item in items if item[0].tag == "geom"]
        files = dict.fromkeys(self.settings.meshes.file(mesh) for mesh in meshes if mesh)
        self.links.append(Link(name, inertia, tuple(files), self.settings.shapes.of_body(node.where, items)))
        for item, joint_frame, class_ in items:
            if item.tag == "body":
                self.body(item, name, joint_frame, class_, moving=moving or bool(joints))

    def joint(self, node: XmlNode, class_name: str, parent: str, before: Placement, after: Placement) -> Joint:
        """The joint; ``before`` leads to the frame it is written in, ``after`` from there to the body."""
        name = node.name() or self.fresh(f"joint{len(self.joints) + 1}")
        node = self.defaults.applied(XmlNode(node.element, f"{self.origin}: joint {name!r}"), class_name)
        node.only_attributes(JOINT)
        type_ = node.choice("type", ("hinge", "slide", "ball", "free"), "hinge")
        if type_ not in KINDS:
            remedy = "three hinges in one body" if type_ == "ball" else "slides and hinges, or none to fix the body"
            raise node.fault(f"is a {type_} joint, which has no single angle; write {remedy}")
        hinge = type_ == "hinge"
        if any(node.numbers("springdamper", 2) or ()):
            raise node.fault("springdamper leaves stiffness and damping to MuJoCo; write stiffness and damping")
        turn = along(self.settings.angles.direction(node, "axis", ALONG_Z), f"{node.where}: axis")
        anchor = at(node) if hinge else Placement()
        (ref,) = node.decimals("ref", 1) or (Decimal(0),)
        offset = (
            Step("rotate", 2, -self.settings.angles.angle(ref, f"{node.where}: ref"))
            if hinge
            else Step("translate", 2, -Fraction(ref))
        )
        self.refs[name] = self.in_radians(float(ref), hinge)
        stiffness = self.single(node, "stiffness")
        if stiffness:
            if any(node.numbers("springyield", 1) or ()):
                raise node.fault("springyield is not modelled; remove it")
            rest = self.in_radians(float(node.number("springref", 0)), hinge)
            self.springs.append(JointSpring(name, stiffness, rest))
        try:
            limits = self.limits(node, hinge)
        except ArmError as fault:
            raise fault if str(fault).startswith(node.where) else node.fault(str(fault)) from None
        self.drives.append(
            JointDrive(
                name, self.gears.get(name), armature=node.not_negative("armature"),
                damping=self.single(node, "damping"), friction=node.not_negative("frictionloss"),
            )
        )  # fmt: skip
        return Joint(
            name, KINDS[type_], parent, "", before @ anchor @ turn,
            Placement.of(offset) @ turn.inverse() @ anchor.inverse() @ after, limits,
        )  # fmt: skip

    def single(self, node: XmlNode, attribute: str) -> float:
        """A coefficient that newer files may write as a polynomial in the motion; only a constant is modelled."""
        words = node.element.get(attribute, "0").split()
        constant, *higher = (
            (read_number(word, f"{node.where}: {attribute}") for word in words) if words else (Fraction(0),)
        )
        if any(higher):
            raise node.fault(f"{attribute} has more than one coefficient; only a constant one is modelled")
        if constant < 0:
            raise node.fault(f"{attribute} is negative ({float(constant):g}); give a value of at least zero")
        return float(constant)

    def in_radians(self, value: float, hinge: bool) -> float:
        """An angle of the file in radians; lengths unchanged."""
        return math.radians(value) if hinge and self.settings.angles.degrees else value

    def limits(self, node: XmlNode, hinge: bool) -> Limits:
        """Position and effort limits of a joint."""
        lower, upper = self.range(node, "limited", "range") or (-math.inf, math.inf)
        force = self.range(node, "actuatorfrclimited", "actuatorfrcrange")
        # Limits have one effort for both directions, so the smaller one is kept.
        effort = min(abs(force[0]), abs(force[1])) if force is not None else math.inf
        return Limits(self.in_radians(lower, hinge), self.in_radians(upper, hinge), effort=effort)

    def range(self, node: XmlNode, switch: str, attribute: str) -> tuple[float, float] | None:
        """The interval of an attribute, or None where it is switched off or absent."""
        limited = node.choice(switch, ("auto", "true", "false"), "auto")
        words = node.element.get(attribute, "0 0").split()
        if len(words) != 2:
            raise node.fault(f"{attribute} must be 2 numbers, got {shortened(node.element.get(attribute, ''))}")
        lower, upper = (read_limit(word, f"{node.where}: {attribute}") for word in words)
        if limited == "false" or (limited == "auto" and lower == upper == 0):
            return None
        if limited == "auto" and not self.settings.autolimits:
            raise node.fault(f"has {attribute} but not {switch}; say {switch}='true' or 'false'")
        if lower >= upper:
            raise node.fault(f"{attribute} runs from {lower:g} to {upper:g}; give the lower end first")
        return lower, upper

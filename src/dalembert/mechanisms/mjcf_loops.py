"""MJCF with loops: the tree of its bodies as one chain, ``equality`` connect and weld as closures."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.io.angle_reading import AS_MEANT
from ..arm.io.mjcf import arm_and_mimics
from ..arm.io.mjcf_defaults import MAIN, Defaults
from ..arm.io.mjcf_include import mjcf_source
from ..arm.io.xml_text import XmlNode, read_number
from ..arm.placement import Placement
from .batch import Array
from .chain_frames import GROUND, FrameOn
from .geared_arms import CHAIN, geared
from .loop_closures import Closure
from .mechanism import Mechanism


def read_mjcf_mechanism(
    text: str,
    origin: str = "MJCF",
    folder: Path | None = None,
    skip: Collection[str] = (),
    angles: str = AS_MEANT,
) -> Mechanism:
    """The mechanism of an MJCF file; coordinates are chosen among its joints, ``with_coordinates`` changes them.

    ``folder`` is where included files and meshes are looked for, ``skip`` names what may be left out of the file. A
    joint that an equality ties to another by a constant ratio is a gear.

    As in MuJoCo, the anchor of a connect and the pose of a weld without ``relpose`` hold as the file has the bodies.
    """
    if "equality" in skip:
        raise ArmError(f"{origin}: a mechanism is made of its equality constraints; load it as an arm to skip them")
    source = mjcf_source(text, origin, folder)
    defaults = Defaults()
    for section in XmlNode(source.root, origin).all("default"):
        defaults.read(section)
    loops = []
    for equality in source.root.findall("equality"):
        for item in [item for item in equality if item.tag != "joint"]:
            constraint = defaults.applied(XmlNode(item, f"{origin}: <{item.tag}>"), MAIN, "equality")
            loops += [constraint] if constraint.element.get("active") != "false" else []
            equality.remove(item)
    if loops:
        _refuse_ref(source.root, origin)
    arm, mimics = arm_and_mimics(source, "ignore", "free", skip, angles)
    if not loops and not mimics:
        raise ArmError(f"{origin}: has no active equality constraint, so it is an arm; load it as one")
    open_tree = Mechanism({CHAIN: arm}, [], None, gravity=arm.gravity)
    closures = [_closure(item, arm, open_tree, number) for number, item in enumerate(loops, start=1)]
    return geared(arm, mimics, origin, closures)


def _refuse_ref(root: Element, origin: str) -> None:
    for joint in root.iter("joint"):
        where = f"{origin}: joint {joint.get('name', '')!r}"
        if any(read_number(word, f"{where}: ref") for word in joint.get("ref", "0").split()[:1]):
            raise ArmError(
                f"{where} has a ref, and loops hold as the file has the bodies; move the bodies so that ref is 0"
            )


def _closure(item: XmlNode, arm: ArmDescription, tree: Mechanism, number: int) -> Closure:
    """A connect as a spherical closure at its anchor, a weld as a fixed one at its relative pose."""
    if item.tag not in ("connect", "weld"):
        raise item.fault(
            "is an equality constraint of a kind that is not read; connect and weld are closures, joint is a gear"
        )
    if "site1" in item.element.attrib:
        raise item.fault("ties sites; write it with body1, body2 and anchor")
    name = item.element.get("name") or f"{item.tag}{number}"
    first, second = item.text("body1"), item.element.get("body2", "world")
    pose_a, pose_b = _pose(tree, arm, first), _pose(tree, arm, second)
    if item.tag == "connect":
        anchor = np.array([float(x) for x in item.vector("anchor")])
        point = pose_a[:3, :3] @ anchor + pose_a[:3, 3]
        # Both frames have the world's axes at the start, so that the force has directions one can see.
        frame_a = _inverse(pose_a) @ _shift(point)
        frame_b = _inverse(pose_b) @ _shift(point)
        return Closure(name, _frame(arm, first, frame_a), _frame(arm, second, frame_b), "spherical")
    anchor = np.array([float(x) for x in item.vector("anchor")])
    relative = _inverse(pose_a) @ pose_b @ _shift(anchor)
    pose = item.numbers("relpose", 7)
    if pose is not None and any(pose[3:]):
        relative = _from_quaternion([float(x) for x in pose])  # MuJoCo's relpose is that of the anchor, not of body 2
    return Closure(name, _frame(arm, first, relative), _frame(arm, second, _shift(anchor)), "fixed")


def _frame(arm: ArmDescription, body: str, pose: Array) -> FrameOn:
    placement = Placement.from_matrix(pose[:3, :3], pose[:3, 3])
    return FrameOn(GROUND, at=placement) if body == "world" else FrameOn(CHAIN, arm.link(body).name, placement)


def _pose(tree: Mechanism, arm: ArmDescription, body: str) -> Array:
    if body == "world":
        return np.eye(4)
    return tree.frame(np.zeros(tree.m), FrameOn(CHAIN, arm.link(body).name))


def _shift(point: Array) -> Array:
    pose = np.eye(4)
    pose[:3, 3] = point
    return pose


def _inverse(pose: Array) -> Array:
    inverse = np.eye(4)
    inverse[:3, :3], inverse[:3, 3] = pose[:3, :3].T, -pose[:3, :3].T @ pose[:3, 3]
    return inverse


def _from_quaternion(numbers: list[float]) -> Array:
    """The pose of seven numbers: a position, then the rotation of the quaternion w x y z, made a unit one."""
    w, x, y, z = np.array(numbers[3:]) / np.linalg.norm(numbers[3:])
    pose = np.eye(4)
    pose[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    pose[:3, 3] = numbers[:3]
    return pose

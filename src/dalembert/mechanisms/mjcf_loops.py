"""MJCF with loops: the tree of its bodies as one chain, ``equality`` connect and weld as closures."""

from __future__ import annotations

from xml.etree.ElementTree import Element, tostring

import numpy as np

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.io.angle_reading import AS_MEANT
from ..arm.io.mjcf import read_mjcf
from ..arm.io.mjcf_defaults import MAIN, Defaults
from ..arm.io.xml_text import XmlNode, parse
from ..arm.placement import Placement
from .batch import Array
from .chain_frames import GROUND, FrameOn
from .closures import Closure
from .mechanism import Mechanism

CHAIN = "arm"


def read_mjcf_mechanism(text: str, origin: str = "MJCF", angles: str = AS_MEANT) -> Mechanism:
    """The mechanism of an MJCF file; coordinates are chosen among its joints, ``with_coordinates`` changes them.

    As in MuJoCo, the anchor of a connect and the pose of a weld without ``relpose`` hold as the file has the bodies.
    """
    root = parse(text, origin)
    defaults = Defaults()
    for section in XmlNode(root, origin).all("default"):
        defaults.read(section)
    items = []
    for loops in root.findall("equality"):
        items += [XmlNode(item, f"{origin}: <{item.tag}>") for item in loops]
        root.remove(loops)
    _refuse_ref(root, origin)
    arm = read_mjcf(tostring(root, encoding="unicode"), origin, "ignore", angles)
    open_tree = Mechanism({CHAIN: arm}, [], None, gravity=arm.gravity)
    closures = []
    for number, item in enumerate(items, start=1):
        given = defaults.applied(item, MAIN, "equality")
        if given.element.get("active") != "false":
            closures.append(_closure(given, arm, open_tree, number))
    if not closures:
        raise ArmError(f"{origin}: has no active equality connect or weld, so it is an arm; load it as one")
    try:
        return Mechanism({CHAIN: arm}, closures, None, gravity=arm.gravity, name=arm.name)
    except ArmError as fault:
        raise ArmError(f"{origin}: {fault}") from None


def _refuse_ref(root: Element, origin: str) -> None:
    for joint in root.iter("joint"):
        if any(float(word) for word in joint.get("ref", "0").split()[:1]):
            raise ArmError(
                f"{origin}: joint {joint.get('name', '')!r} has a ref, and loops hold as the file has the bodies; "
                f"move the bodies so that ref is 0"
            )


def _closure(item: XmlNode, arm: ArmDescription, tree: Mechanism, number: int) -> Closure:
    if item.tag not in ("connect", "weld"):
        raise item.fault(
            "is an equality constraint of a kind that is not read; of these, connect and weld are closures"
        )
    if "site1" in item.element.attrib:
        raise item.fault("ties sites; write it with body1, body2 and anchor")
    name = item.element.get("name") or f"{item.tag}{number}"
    first, second = item.text("body1"), item.element.get("body2", "world")
    one, two = _pose(tree, arm, first), _pose(tree, arm, second)
    if item.tag == "connect":
        anchor = np.array([float(x) for x in item.vector("anchor")])
        point = one[:3, :3] @ anchor + one[:3, 3]
        # Both frames have the world's axes at the start, so that the force is told in directions one can see.
        place_a = _inverse(one) @ _shift(point)
        place_b = _inverse(two) @ _shift(point)
        return Closure(name, _frame(arm, first, place_a), _frame(arm, second, place_b), "spherical")
    anchor = np.array([float(x) for x in item.vector("anchor")])
    held = _inverse(one) @ two @ _shift(anchor)
    pose = item.numbers("relpose", 7)
    if pose is not None and any(pose[3:]):
        held = _from_quaternion([float(x) for x in pose])  # MuJoCo's relpose is that of the anchor, not of body 2
    return Closure(name, _frame(arm, first, held), _frame(arm, second, _shift(anchor)), "fixed")


def _frame(arm: ArmDescription, body: str, place: Array) -> FrameOn:
    at = Placement.from_matrix(place[:3, :3], place[:3, 3])
    return FrameOn(GROUND, at=at) if body == "world" else FrameOn(CHAIN, arm.link(body).name, at)


def _pose(tree: Mechanism, arm: ArmDescription, body: str) -> Array:
    if body == "world":
        return np.eye(4)
    return tree.frame(np.zeros(tree.m), FrameOn(CHAIN, arm.link(body).name))


def _shift(point: Array) -> Array:
    found = np.eye(4)
    found[:3, 3] = point
    return found


def _inverse(pose: Array) -> Array:
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = pose[:3, :3].T, -pose[:3, :3].T @ pose[:3, 3]
    return found


def _from_quaternion(numbers: list[float]) -> Array:
    w, x, y, z = np.array(numbers[3:]) / np.linalg.norm(numbers[3:])
    found = np.eye(4)
    found[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    found[:3, 3] = numbers[:3]
    return found

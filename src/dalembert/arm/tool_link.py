"""Where the hand of an arm is: the link that carries its tool unless the user names another.

Links are known by the words of their names. A tool frame (tool0, tcp, ee, end_effector) is taken first, then the base
of a hand (hand, gripper, palm), then a flange; of an arm whose links have no such names the last link of its longest
branch. A finger, and whatever hangs on one, is never the tool, but of an arm that is one finger its tip is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .description import Joint

TOOL_FRAMES = ("tool", "tcp", "ee", "eef", "end effector", "endeffector", "grasp", "grasptarget")
HANDS = ("hand", "gripper", "palm")
FLANGES = ("flange",)
FINGERS = ("finger", "thumb", "knuckle", "phalanx", "phalange", "jaw", "claw", " pad ", "mover")
"""Parts of names of fingers and what belongs to them."""


def words(name: str) -> str:
    """The words of a name in small letters, one blank around each: ``gripperStator`` is " gripper stator "."""
    apart = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    return f" {' '.join(re.findall(r'[a-z]+', apart.lower()))} "


def default_tool_link(base: str, joints: Sequence[Joint]) -> str:
    """The link of the hand; ``joints`` stand with parents before children."""
    depth, fingers = {base: 0}, set[str]()
    for joint in joints:
        depth[joint.child] = depth[joint.parent] + 1
        if joint.parent in fingers or any(part in words(joint.child) for part in FINGERS):
            fingers.add(joint.child)
    links = [name for name in depth if name not in fingers and name != base]
    if not links:
        # An arm of nothing but a hand has its fingers as branches, and its base is what holds; one finger has its tip.
        branched = len({joint.parent for joint in joints}) < len(joints)
        links = [base] if branched else list(depth)
    for vocabulary, deepest in ((TOOL_FRAMES, True), (HANDS, False), (FLANGES, True)):
        candidates = [name for name in links if any(f" {word} " in words(name) for word in vocabulary)]
        if candidates:
            return _last(candidates, depth) if deepest else _base_of_hand(candidates, joints, depth)
    return _last(links, depth)


def _last(names: Sequence[str], depth: Mapping[str, int]) -> str:
    """The last of the links farthest from the base."""
    order = list(depth)
    return max(names, key=lambda name: (depth[name], order.index(name)))


def _base_of_hand(candidates: Sequence[str], joints: Sequence[Joint], depth: Mapping[str, int]) -> str:
    """The link nearest the base among those of the hand that is farthest from it."""
    parent = {joint.child: joint.parent for joint in joints}
    hand = _last(candidates, depth)
    link = hand
    while link in parent:
        link = parent[link]
        hand = link if link in candidates else hand
    return hand

"""Joints that follow another one (``<mimic>`` of URDF, ``<equality><joint>`` of MJCF): q = ratio q_master + offset."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..description import Joint, listed
from ..errors import ArmError
from ..exact import Angle
from ..following import Follows, couplings, settled
from .expression import shown

MODES = ("refuse", "hold", "free", "couple")


@dataclass(frozen=True)
class Mimic:
    """One joint that follows another; ``offset`` is where it stands while the other is at zero (rad or m).

    ``ratio`` is None where it follows in another way than by a constant ratio.
    """

    joint: str
    master: str
    ratio: Fraction | None
    offset: Fraction
    where: str
    meant: Angle | None = None
    """The offset as the angle that was meant, where it is one."""

    @property
    def position(self) -> Angle | Fraction:
        """Where it stands while the other is at zero."""
        return self.offset if self.meant is None else self.meant


def check_mode(mode: str) -> str:
    """The treatment of joints that follow others; raises ArmError for one that is not known."""
    if mode not in MODES:
        raise ArmError(f"mimic can be {listed(MODES)}, not {shown(mode)}")
    return mode


def treated(joints: Sequence[Joint], mimics: Iterable[Mimic], mode: str) -> list[Joint]:
    """The joints with those that follow others refused, coupled, left free, or held where they are for zero."""
    relations: dict[str, Mimic] = {}
    for mimic in mimics:
        if mode == "couple" and mimic.joint in relations:
            raise ArmError(f"{mimic.where}: follows two joints; keep one of the two relations")
        relations[mimic.joint] = mimic
    if mode == "refuse":
        for mimic in relations.values():
            raise ArmError(
                f"{mimic.where}: mimics joint {shown(mimic.master)}, so that it is no coordinate of its own; load it "
                f'with mimic="couple" to keep the relation exactly, with mimic="hold" to hold the joint still or with '
                f'mimic="free" to let it move by itself (--mimic on the command line)'
            )
    if mode == "couple":
        return [_coupled(joint, relations.get(joint.name)) for joint in joints]
    if mode != "hold":
        return list(joints)
    names = {joint.name for joint in joints}
    nonlinear = [mimic for mimic in relations.values() if mimic.ratio is None]
    masterless = [mimic for mimic in relations.values() if mimic.master not in names]
    positions = {mimic.joint: mimic.position for mimic in (*nonlinear, *masterless)}
    tied = [
        joint.at(positions[joint.name])
        if joint.moves and joint.name in positions
        else _coupled(joint, relations.get(joint.name))
        for joint in joints
    ]
    treated_joints = hold_followers(tied)
    for mimic in nonlinear:
        if any(joint.name == mimic.master and not joint.moves and joint.held for joint in treated_joints):
            raise ArmError(
                f"{mimic.where}: follows joint {shown(mimic.master)}, which is held away from zero, by a curve; load "
                f'it with mimic="free"'
            )
    return treated_joints


def hold_followers(joints: Sequence[Joint]) -> list[Joint]:
    """The joints with those that follow others held where they are while all that follow none are at zero."""
    joints = settled(joints)
    moving = (joint.name for joint in joints if joint.moves)
    starts = {name: coupled.offset for name, coupled in zip(moving, couplings(joints), strict=True)}
    return [joint.at(starts[joint.name]) if joint.follows is not None else joint for joint in joints]


def followers(joints: Iterable[Joint]) -> set[str]:
    """Names of the joints that follow others."""
    return {joint.name for joint in joints if joint.follows is not None}


def with_followers(joints: Sequence[Joint], mode: str) -> list[Joint]:
    """The joints of a file that couples them itself: held or free where that is asked for, else as they are."""
    if mode == "hold":
        return hold_followers(joints)
    return [replace(joint, follows=None) if mode == "free" else joint for joint in joints]


def _coupled(joint: Joint, mimic: Mimic | None) -> Joint:
    """The joint with the relation that it keeps."""
    if mimic is None or not joint.moves:
        return joint
    if mimic.ratio is None:
        raise ArmError(
            f"{mimic.where}: follows joint {shown(mimic.master)} by a curve, and joints are coupled by constant ratios "
            f'only; load it with mimic="hold" or mimic="free"'
        )
    if not mimic.master:
        return joint.at(mimic.position)
    return replace(joint, follows=Follows(mimic.master, mimic.ratio, mimic.position))

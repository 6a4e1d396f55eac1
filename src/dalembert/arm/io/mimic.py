"""Joints that follow another one (``<mimic>`` of URDF, ``<equality><joint>`` of MJCF): q = ratio q_master + offset."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..description import Joint, listed
from ..errors import ArmError
from ..exact import Angle
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
    """The treatment of joints that follow others; raises ArmError for one that is not known or not there."""
    if mode not in MODES:
        raise ArmError(f"mimic can be {listed(MODES)}, not {shown(mode)}")
    if mode == "couple":
        raise ArmError(
            'mimic="couple" makes a mechanism, since an arm has one coordinate for each joint that moves; load the '
            "file with load_mechanism (dalembert mechanism FILE), which keeps the relation exactly"
        )
    return mode


def treated(joints: Sequence[Joint], mimics: Iterable[Mimic], mode: str) -> list[Joint]:
    """The joints with those that follow others refused, held where they stand for the other at zero, or left free."""
    followers = {mimic.joint: mimic for mimic in mimics}
    if mode == "refuse":
        for mimic in followers.values():
            raise ArmError(
                f"{mimic.where}: mimics joint {shown(mimic.master)}, a coupling that an open chain does not have; "
                f'load it with mimic="hold" to hold the joint still, with mimic="free" to let it move by itself '
                f"(--mimic on the command line), or as a mechanism, which keeps the coupling"
            )
    if mode != "hold":
        return list(joints)
    return [
        joint.at(followers[joint.name].position) if joint.moves and joint.name in followers else joint
        for joint in joints
    ]

"""Joint geometry of an arm as a table: Denavit-Hartenberg parameters where the description uses them, else frames."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

from dalembert.arm.description import ArmDescription, Joint
from dalembert.arm.exact import Angle
from dalembert.arm.placement import Placement, Step

from .printing import figures, heading, say, table

# A row's steps in the order they are taken, (kind, axis): about and along z, then along and about x.
Steps: TypeAlias = Sequence[tuple[str, int]]
ALONG_Z: Steps = (("rotate", 2), ("translate", 2))
ALONG_X: Steps = (("translate", 0), ("rotate", 0))
NAMES = {("rotate", 2): "theta", ("translate", 2): "d", ("translate", 0): "a", ("rotate", 0): "alpha"}


def print_geometry(arm: ArmDescription) -> None:
    """The rows of an arm described by them, else the frame of each link in its parent's."""
    for convention in ("standard", "modified"):
        rows = [dh_row(joint, convention) for joint in arm.joints]
        if arm.is_chain and all(rows):
            print_rows(arm, convention, [row for row in rows if row])
            return
    print_frames(arm)


def dh_row(joint: Joint, convention: str) -> dict[str, float] | None:
    """theta and alpha (deg), d and a (m) of a joint, or None where its placements are not a row of this kind.

    Standard rows put everything after the motion; modified ones put a and alpha before it.
    """
    standard = convention == "standard"
    before: Steps = () if standard else ALONG_X
    after: Steps = (*ALONG_Z, *ALONG_X) if standard else ALONG_Z
    row = dict.fromkeys(NAMES.values(), 0.0)
    for steps, allowed in ((joint.before.steps, before), (joint.after.steps, after)):
        if not in_order(steps, allowed):
            return None
        for step in steps:
            amount = math.degrees(step.amount.radians) if isinstance(step.amount, Angle) else float(step.amount)
            row[NAMES[step.kind, step.axis]] += amount
    return row if joint.moves else None


def in_order(steps: Sequence[Step], allowed: Steps) -> bool:
    """True if the steps are some of those allowed: first those about z, then those about x, or the reverse.

    The two steps about one axis commute, so their order does not matter.
    """
    axes = list(dict.fromkeys(axis for _, axis in allowed))
    order = [axes.index(step.axis) if (step.kind, step.axis) in allowed else -1 for step in steps]
    return -1 not in order and order == sorted(order)


def print_rows(arm: ArmDescription, convention: str, rows: Sequence[dict[str, float]]) -> None:
    """Denavit-Hartenberg parameters theta and alpha (deg), d and a (m) of each joint."""
    heading(f"Denavit-Hartenberg rows, {convention}")
    table(
        [
            ("joint", [joint.name for joint in arm.all_moving]),
            ("link", [joint.child for joint in arm.all_moving]),
            ("type", [joint.kind for joint in arm.all_moving]),
            ("theta\ndeg", figures(row["theta"] for row in rows)),
            ("d\nm", figures(row["d"] for row in rows)),
            ("a\nm", figures(row["a"] for row in rows)),
            ("alpha\ndeg", figures(row["alpha"] for row in rows)),
        ]
    )
    kinds = {joint.kind for joint in arm.all_moving}
    moved_parameters = " and ".join(
        text for kind, text in (("revolute", "theta of a revolute"), ("prismatic", "d of a prismatic")) if kind in kinds
    )
    say(f"{'Its position' if arm.followers else 'q'} is added to {moved_parameters} joint.")


def print_frames(arm: ArmDescription) -> None:
    """Pose of each link frame in that of its parent, with every joint at zero."""
    heading("Frame of each link in its parent's, all joints at zero")
    poses = [joint.before @ joint.after for joint in arm.joints]
    positions = [[float(x) for x in pose.position] for pose in poses]
    angles = [roll_pitch_yaw(pose) for pose in poses]
    table(
        [
            ("link", [joint.child for joint in arm.joints]),
            ("parent", [joint.parent for joint in arm.joints]),
            ("joint", [joint.name if joint.moves else f"{joint.name} (fixed)" for joint in arm.joints]),
            *((f"{axis}\nm", figures(row[k] for row in positions)) for k, axis in enumerate("xyz")),
            *((f"{name}\ndeg", figures(row[k] for row in angles)) for k, name in enumerate(("roll", "pitch", "yaw"))),
        ]
    )


def roll_pitch_yaw(pose: Placement) -> tuple[float, float, float]:
    """Degrees about the fixed axes x, y, z, in this order, as in URDF."""
    turns = {step.axis: step.amount for step in Placement.from_matrix(pose.rotation).steps}
    roll, pitch, yaw = (
        math.degrees(angle.radians) if isinstance(angle := turns.get(axis), Angle) else 0.0 for axis in range(3)
    )
    return roll, pitch, yaw

"""The errors of a reduced model as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..arm.description import Joint
from ..markup.data_tables import Column, DataTable
from ..markup.numbers import joint_label, unit


@dataclass(frozen=True)
class JointError:
    """Torque error of one joint: proved bound, largest found by search, exact RMS, and the joint's largest torque."""

    bound: float
    found: float
    rms: float
    scale: float


def torque_error_table(moving: Sequence[Joint], joints: Sequence[JointError], name: str, caption: str) -> DataTable:
    """Torque error of each joint (N m or N): proved bound, largest attained in a search, RMS."""
    columns = (
        Column("joint", "joint"),
        Column("unit", "", kind="unit"),
        Column("range", "largest torque", kind="number"),
        Column("proved", "proved error", kind="number bound"),
        Column("share", "share", kind="share bound"),
        Column("found", "largest found", kind="number"),
        Column("rms", "RMS", kind="number"),
        Column("ratio", "proved / found", kind="number"),
    )
    rows = tuple(
        (
            joint_label(k, moving[k].name),
            unit(moving[k], "effort"),
            joint.scale,
            joint.bound,
            joint.bound / joint.scale if joint.scale > 0 else 0.0,
            joint.found,
            joint.rms,
            joint.bound / joint.found if joint.found > 0 else None,
        )
        for k, joint in enumerate(joints)
    )
    return DataTable(name, caption, columns, rows)

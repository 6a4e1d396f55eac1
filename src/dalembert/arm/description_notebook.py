"""An arm in a notebook: its joints and links, and folded its inertia and drives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..markup.notebook import folded, framed, heading, note
from .description_tables import (
    drives_table,
    followers_table,
    joint_friction_table,
    joints_table,
    link_inertia_table,
    links_table,
)
from .following import followers_phrase

if TYPE_CHECKING:
    from .description import ArmDescription


def description_html(arm: ArmDescription) -> str:
    """The numbers that it is given by."""
    driven = ", with its drives" if arm.counts_drives else ""
    title = heading(f"{arm.name}: {arm.n} joints {arm.joint_letters}{followers_phrase(arm.followers)}{driven}")
    tables = drives_table(arm.drives, arm=arm), joint_friction_table(arm)
    drives = [table for table in tables if table is not None]
    followers = followers_table(arm)
    joints = [joints_table(arm), *([followers] if followers is not None else [])]
    summary = "Inertia and drives" if drives else "Inertia"
    return framed(title, note(arm.title), *joints, links_table(arm), folded(summary, link_inertia_table(arm), *drives))

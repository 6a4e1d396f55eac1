"""The options that say which system of an arm is meant: its load and drives, how its file is read, its states."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from dalembert.arm.io.omissions import KINDS as SKIPPABLE

EACH = "One for all joints, or one for each."
SYSTEM_PANEL, FILE_PANEL, STATES_PANEL = "The system that is asked", "How its file is read", "The states that count"
"""The boxes of ``--help`` that these options stand in, below the command's own."""

ArmArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="ARM", help="A built-in arm (see: dalembert list) or a .toml, .urdf, .xacro, .sdf or .xml file."
    ),
]
LoadOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--load",
        metavar="LOAD",
        help="A load in the hand: mass (kg), mass:edge of a homogeneous cube (m), as in 1.8:0.0762, or mass,x,y,z with "
        "its centre in the tool frame (m), and :edge or :a,b,c after it.",
        rich_help_panel=SYSTEM_PANEL,
    ),
]
DrivesOption: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--drives/--no-drives",
        help="With the drives of the arm: rotors, transmission, friction. Without: links alone.",
        rich_help_panel=SYSTEM_PANEL,
    ),
]
RotorsOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--rotors",
        metavar="MODEL",
        help="How drives count: exact, szkodny, diagonal or paul.",
        rich_help_panel=SYSTEM_PANEL,
    ),
]
DrivesFileOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--drives-file", metavar="FILE", help="A TOML file with other drives; they count.", rich_help_panel=SYSTEM_PANEL
    ),
]
GravityOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--gravity",
        metavar="X,Y,Z",
        help="Gravity in the base frame, m/s^2, as in 0,0,-1.62.",
        rich_help_panel=SYSTEM_PANEL,
    ),
]
LockOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--lock",
        metavar="JOINT=VALUE",
        help="Freeze a joint (rad or m, or '90 deg'); may be repeated.",
        rich_help_panel=SYSTEM_PANEL,
    ),
]
ToolOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--tool",
        metavar="LINK",
        help="The link that carries the tool; 'dalembert show' names the usual one.",
        rich_help_panel=FILE_PANEL,
    ),
]
MimicOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--mimic",
        metavar="HOW",
        help="Joints that follow another: couple them exactly, hold them still, or let them move free "
        "(couple, hold, free).",
        rich_help_panel=FILE_PANEL,
    ),
]
SkipOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--skip",
        metavar="KIND",
        help=f"Leave out of an MJCF file: {', '.join(SKIPPABLE)}; may be repeated.",
        rich_help_panel=FILE_PANEL,
    ),
]
SpringsOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--no-springs",
        help="Leave out the springs and dampers of the arm, which closed forms and URDF cannot hold.",
        rich_help_panel=SYSTEM_PANEL,
    ),
]
ArgOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--arg",
        metavar="NAME=VALUE",
        help="A value for an argument of a xacro file; may be repeated.",
        rich_help_panel=FILE_PANEL,
    ),
]
BoxOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--box",
        metavar="JOINT=LOW:HIGH",
        help="Range of a joint in place of its limits: joint3=0.2:0.9 (m or rad, or '-90 deg:90 deg'); may be repeated",
        rich_help_panel=STATES_PANEL,
    ),
]
SpeedOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--speed", metavar="VALUES", help=f"Largest speeds, rad/s or m/s. {EACH}", rich_help_panel=STATES_PANEL
    ),
]
AccelerationOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--acceleration",
        metavar="VALUES",
        help=f"Largest accelerations, rad/s^2 or m/s^2. {EACH}",
        rich_help_panel=STATES_PANEL,
    ),
]


class AnglesAre(enum.StrEnum):
    """How rounded angles of a file are read."""

    MEANT = "as-meant"
    WRITTEN = "as-written"

    @property
    def mode(self) -> str:
        """The word for it in Python."""
        return self.value.replace("-", " ")


AnglesOption: TypeAlias = Annotated[
    AnglesAre,
    typer.Option(
        "--angles",
        metavar="HOW",
        help="Rounded angles of a file: as-meant (1.5708 is a right angle; a note says so), or as-written.",
        rich_help_panel=FILE_PANEL,
    ),
]
CleanOption: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--clean",
        metavar="SHARE",
        help="Take angles, lengths and products of inertia as small as this share, say 1e-9, as zero; a note says so.",
        rich_help_panel=FILE_PANEL,
    ),
]
READING: dict[str, tuple[Any, Any]] = {
    # first, since boxes of --help stand in the order of their first options
    "no_springs": (SpringsOption, False),
    "tool": (ToolOption, ""),
    "mimic": (MimicOption, "refuse"),
    "skip": (SkipOption, None),
    "arg": (ArgOption, None),
    "angles": (AnglesOption, AnglesAre.MEANT),
    "clean": (CleanOption, None),
}
"""Options that say how an arm is read, with their defaults."""
SHAPE: dict[str, tuple[Any, Any]] = {
    "load": (LoadOption, ""),
    "drives": (DrivesOption, None),
    "rotors": (RotorsOption, ""),
    "drives_file": (DrivesFileOption, None),
    "gravity": (GravityOption, ""),
    "lock": (LockOption, None),
} | READING
"""Options that shape the system, with their defaults."""
STATES: dict[str, tuple[Any, Any]] = {
    "box": (BoxOption, None),
    "speed": (SpeedOption, None),
    "acceleration": (AccelerationOption, None),
}
"""Options that say which states an analysis is about."""

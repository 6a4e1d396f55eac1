"""Which system a command is about: ARM, and the options that shape it; what they mean is in ``read_system.py``.

``--tool``, ``--load``, ``--drives``, ``--rotors``, ``--drives-file``, ``--gravity`` and ``--lock`` mean the same in
every command that has them: the arm with that tool, which holds that load, with those drives, under that gravity, with
those joints locked. ``--mimic``, ``--skip``, ``--arg``, ``--angles`` and ``--clean`` say how its file is read. The
states an analysis is about are ``--box``, ``--speed`` and ``--acceleration``.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from dalembert.arm.io.omissions import KINDS as SKIPPABLE

from .added_options import evaluated
from .read_system import AnglesAre, load_arm, read_analysis, read_system

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System

EACH = "One for all joints, or one for each."

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
    ),
]
DrivesOption: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--drives/--no-drives", help="With the drives of the arm: rotors, transmission, friction. Without: links alone."
    ),
]
RotorsOption: TypeAlias = Annotated[
    str, typer.Option("--rotors", metavar="MODEL", help="How drives count: exact, szkodny, diagonal or paul.")
]
DrivesFileOption: TypeAlias = Annotated[
    Path | None, typer.Option("--drives-file", metavar="FILE", help="A TOML file with other drives; they count.")
]
GravityOption: TypeAlias = Annotated[
    str, typer.Option("--gravity", metavar="X,Y,Z", help="Gravity in the base frame, m/s^2, as in 0,0,-1.62.")
]
LockOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--lock", metavar="JOINT=VALUE", help="Freeze a joint (rad or m, or '90 deg'); may be repeated."),
]
ToolOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--tool", metavar="LINK", help="The link that carries the tool; 'dalembert show' names the usual one."
    ),
]
MimicOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--mimic",
        metavar="HOW",
        help="Joints that follow another: couple them exactly, hold them still, or let them move free "
        "(couple, hold, free).",
    ),
]
SkipOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--skip", metavar="KIND", help=f"Leave out of an MJCF file: {', '.join(SKIPPABLE)}; may be repeated."),
]
ArgOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--arg", metavar="NAME=VALUE", help="A value for an argument of a xacro file; may be repeated."),
]
BoxOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--box",
        metavar="JOINT=LOW:HIGH",
        help="Range of a joint in place of its limits: joint3=0.2:0.9 (m or rad, or '-90 deg:90 deg'); may be repeated",
    ),
]
SpeedOption: TypeAlias = Annotated[
    str | None, typer.Option("--speed", metavar="VALUES", help=f"Largest speeds, rad/s or m/s. {EACH}")
]
AccelerationOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--acceleration", metavar="VALUES", help=f"Largest accelerations, rad/s^2 or m/s^2. {EACH}"),
]


AnglesOption: TypeAlias = Annotated[
    AnglesAre,
    typer.Option(
        "--angles", help="Rounded angles of a file: as-meant (1.5708 is a right angle; a note says so), or as-written."
    ),
]
CleanOption: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--clean",
        metavar="SHARE",
        help="Take angles, lengths and products of inertia as small as this share, say 1e-9, as zero; a note says so.",
    ),
]
READING: dict[str, tuple[Any, Any]] = {
    "tool": (ToolOption, ""),
    "mimic": (MimicOption, "refuse"),
    "skip": (SkipOption, None),
    "arg": (ArgOption, None),
    "angles": (AnglesOption, AnglesAre.MEANT),
    "clean": (CleanOption, None),
}
"""Options that say how an arm is read, with their defaults."""
SHAPE: dict[str, tuple[Any, Any]] = READING | {
    "load": (LoadOption, ""),
    "drives": (DrivesOption, None),
    "rotors": (RotorsOption, ""),
    "drives_file": (DrivesFileOption, None),
    "gravity": (GravityOption, ""),
    "lock": (LockOption, None),
}
"""Options that shape the system, with their defaults."""
STATES: dict[str, tuple[Any, Any]] = {
    "box": (BoxOption, None),
    "speed": (SpeedOption, None),
    "acceleration": (AccelerationOption, None),
}
"""Options that say which states an analysis is about."""
DESCRIBING = ("show", "equations", "structure", "verify", "base_parameters")
"""Commands that print what is described, or its algebra: they need no hint that drives could count."""


def system_command(command: Callable[..., None]) -> Callable[..., None]:
    """The command takes a ``system`` first; on the command line that is ARM and the options that shape it."""

    def call(arm: str, options: dict[str, Any], values: dict[str, Any]) -> None:
        hint, degrees = command.__name__ not in DESCRIBING, bool(values.get("degrees"))
        command(read_system(arm, **options, hint=hint, degrees=degrees), **values)

    return _taking(command, ("system",), SHAPE, call)


def code_command(command: Callable[..., None]) -> Callable[..., None]:
    """The command takes a ``system`` first: that of ARM and its options, or the mechanism of a mechanism file."""

    def call(arm: str, options: dict[str, Any], values: dict[str, Any]) -> None:
        from .mechanism_command import mechanism_at

        mechanism = mechanism_at(arm, {name: options[name] for name, (_, default) in SHAPE.items()
                                   if options[name] != default})  # fmt: skip
        command(read_system(arm, **options) if mechanism is None else mechanism, **values)

    return _taking(command, ("system",), SHAPE, call)


def shaped_command(command: Callable[..., None]) -> Callable[..., None]:
    """The command takes a ``system`` first, and ``shaped``, which reads another arm under the same options."""

    def call(arm: str, options: dict[str, Any], values: dict[str, Any]) -> None:
        def shaped(name: str) -> System:
            return read_system(name, **options)

        command(shaped(arm), shaped, **values)

    return _taking(command, ("system", "shaped"), SHAPE, call)


def arm_command(command: Callable[..., None]) -> Callable[..., None]:
    """The command takes an ``arm`` first, just as its file has it: ARM, and how it is read."""

    def call(arm: str, options: dict[str, Any], values: dict[str, Any]) -> None:
        command(load_arm(arm, **options), **values)

    return _taking(command, ("arm",), READING, call)


def analysis_command(command: Callable[..., None]) -> Callable[..., None]:
    """The command takes an analysis ``ask`` first: a system, and the states that count."""
    return _asking(command, STATES)


def position_command(command: Callable[..., None]) -> Callable[..., None]:
    """The command takes an analysis ``ask`` first whose answers depend on positions alone: a system, and a box."""
    return _asking(command, {"box": STATES["box"]})


def _asking(command: Callable[..., None], states: dict[str, tuple[Any, Any]]) -> Callable[..., None]:
    def call(arm: str, options: dict[str, Any], values: dict[str, Any]) -> None:
        system = read_system(arm, **{key: options[key] for key in SHAPE})
        command(read_analysis(system, **{key: options[key] for key in states}), **values)

    return _taking(command, ("ask",), SHAPE | states, call)


def _taking(
    command: Callable[..., None],
    first: Sequence[str],
    options: dict[str, tuple[Any, Any]],
    call: Callable[[str, dict[str, Any], dict[str, Any]], None],
) -> Callable[..., None]:
    """``command`` with ARM and ``options`` in its signature in place of its first parameter."""
    # The first parameter is only named for a reader: its type may bring modules that the command needs later, or never.
    own_parameters = [p for p in inspect.signature(command).parameters.values() if p.name not in first]
    own_parameters = [evaluated(p, command) for p in own_parameters]
    arm = inspect.Parameter("arm", inspect.Parameter.KEYWORD_ONLY, annotation=ArmArgument)
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in options.items()
    ]
    own_parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own_parameters]
    required = [p for p in own_parameters if p.default is inspect.Parameter.empty]

    @functools.wraps(command)
    def run(**values: Any) -> None:
        shaping = {name: values.pop(name) for name in options}
        call(values.pop("arm"), shaping, values)

    parameters = [arm, *required, *added, *(p for p in own_parameters if p not in required)]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    del run.__wrapped__
    return run

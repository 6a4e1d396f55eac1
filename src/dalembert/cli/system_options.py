"""Which system a command is about: ARM, and the options that shape it, read here and nowhere else.

``--tool``, ``--load``, ``--drives``, ``--rotors``, ``--drives-file``, ``--gravity`` and ``--lock`` mean the same in
every command that has them: the arm with that tool, which holds that load, with those drives, under that gravity, with
those joints locked. ``--mimic``, ``--skip``, ``--no-springs``, ``--arg``, ``--angles`` and ``--clean`` say how its file
is read. The states an analysis is about (``--box``, ``--speed``, ``--acceleration``) are read here too.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dalembert as da
from dalembert.arm.description import ArmDescription, listed
from dalembert.arm.drives import DRIVE_MODELS
from dalembert.arm.errors import ArmError
from dalembert.arm.inertia import Inertia, Load
from dalembert.arm.joint_keys import joint_index
from dalembert.arm.real_bodies import impossible, missing_rotors

from .added_options import evaluated
from .notes import note
from .shaping_options import READING, SHAPE, STATES, AnglesAre, ArmArgument
from .values import is_angle, joint_quantity, note_turns, plain_number, split_words

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System
    from dalembert.design.analysis import Analysis

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


# -- reading ----------------------------------------------------------------------------------------


def load_arm(
    name: str,
    tool: str = "",
    mimic: str = "refuse",
    skip: Sequence[str] | None = None,
    no_springs: bool = False,
    arg: Sequence[str] | None = None,
    angles: AnglesAre = AnglesAre.MEANT,
    clean: float | None = None,
) -> da.Arm:
    """The arm, with one short note on stderr where no real body has some of its inertias."""
    arm = da.load(
        name,
        physical="ignore",
        mimic=mimic,
        skip=skip or (),
        angles=angles.mode,
        clean=clean,
        arguments=read_arguments(arg),
    )
    if tool:
        arm = arm.with_tool(tool)
    if no_springs:
        if not arm.elastic:
            note(f"{arm.name} has no springs or dampers; --no-springs leaves nothing out")
        arm = arm.without_elastic()
    note_impossible(arm, impossible(arm), f"'dalembert show {name}'")
    return arm


def note_impossible(arm: ArmDescription, faults: Mapping[str, str], command: str) -> None:
    """One note on stderr about links that no real body can be; ``command`` is the one that says why."""
    if faults:
        note(f"{arm.name}: no real body has the inertia of {', '.join(faults)}; used as given, and {command} says why")


def read_system(
    name: str,
    tool: str = "",
    mimic: str = "refuse",
    skip: Sequence[str] | None = None,
    no_springs: bool = False,
    arg: Sequence[str] | None = None,
    angles: AnglesAre = AnglesAre.MEANT,
    clean: float | None = None,
    load: str = "",
    drives: bool | None = None,
    rotors: str = "",
    drives_file: Path | None = None,
    gravity: str = "",
    lock: Sequence[str] | None = None,
    hint: bool = True,
    degrees: bool = False,
) -> System:
    """The system that ARM and its options mean; ``hint`` says so where drives are described and not counted.

    ``degrees``: other options of the command take angles in degrees.
    """
    arm = load_arm(name, tool, mimic, skip, no_springs, arg, angles, clean)
    if lock:
        arm = arm.locked(read_locks(arm, lock, degrees))
    if gravity:
        arm = arm.with_gravity(numbers(gravity, "--gravity", (3,)))
    payload = read_load(load)
    if payload is not None:
        arm = arm.holding(payload)
    return with_drives(arm, drives, rotors, drives_file, hint)


def with_drives(arm: da.Arm, drives: bool | None, rotors: str, drives_file: Path | None, hint: bool = True) -> System:
    """The arm alone, or with its drives."""
    if drives is False and (rotors or drives_file is not None):
        raise ArmError("--rotors and --drives-file say how drives count; leave them out with --no-drives")
    models = DRIVE_MODELS[1:]
    if rotors and rotors not in models:
        raise ArmError(f"--rotors is one of {listed(models)}, not {rotors!r}")
    if drives_file is not None:
        driven = arm.with_drives(drives_file, physical="ignore")
        shown_by = f"'dalembert show' with --drives-file {drives_file}"
        note_impossible(driven, missing_rotors(driven), shown_by)
        return driven.approximate(rotors) if rotors else driven
    if drives or rotors:
        if not arm.drives:
            note(f"{arm.name} describes no drives; they add nothing to its links")
        return arm.driven.approximate(rotors) if rotors else arm.driven
    if drives is None and arm.drives and hint:
        note(
            f"the links of {arm.name} alone; --drives counts the rotors and friction of its drives, --no-drives "
            "takes this note off"
        )
    return arm


def read_analysis(
    system: System, box: Sequence[str] | None = None, speed: str | None = None, acceleration: str | None = None
) -> Analysis:
    """The questions about a system over the states that the options mean."""
    return system.analysis(
        read_boxes(system, box), amounts(system, "--speed", speed), amounts(system, "--acceleration", acceleration)
    )


def read_load(text: str | None, option: str = "--load") -> Load | None:
    """The load that an option describes: mass, perhaps its centre, perhaps the edges of a homogeneous box."""
    if not text:
        return None
    body, colon, size = text.partition(":")
    mass, *centre = numbers(body, option, (1, 4))
    com = tuple(centre) or (0.0, 0.0, 0.0)
    if mass < 0:
        raise ArmError(f"{option}: the mass is negative ({mass:g} kg); give its magnitude")
    if not mass and (colon or any(centre)):
        raise ArmError(f"{option}: {text.strip()!r} is a load without mass; its first number is the mass (kg)")
    if not colon:
        return Load(mass, com)
    edges = numbers(size, f"{option} (edges after the colon)", (1, 3))
    if min(edges) < 0:
        raise ArmError(f"{option}: an edge is negative ({min(edges):g} m)")
    return Load.of(Inertia.box(mass, edges * 3 if len(edges) == 1 else edges), com)


def read_arguments(words: Sequence[str] | None) -> dict[str, str]:
    """The arguments of a xacro file that --arg names, as in ur_type=ur5e; := as ROS writes it is taken too."""
    arguments: dict[str, str] = {}
    for word in words or ():
        name, equals, value = word.partition("=")
        name = name.removesuffix(":").strip()
        if not equals or not name:
            raise ArmError(f"--arg takes an argument of a xacro file and its value, as in prefix=left_, not {word!r}")
        arguments[name] = value
    return arguments


def read_locks(arm: ArmDescription, words: Sequence[str], degrees: bool = False) -> dict[str, object]:
    """The joints and positions that --lock names, as in joint4=0.5; with --degrees an angle must say its unit."""
    locked: dict[str, object] = {}
    for word in words:
        name, equals, value = word.rpartition("=")
        if not equals or not name.strip():
            raise ArmError(f"--lock takes a joint and its position, as in {arm.joint_names[0]}=0, not {word!r}")
        joint = arm.joint(name.strip())
        number = joint_quantity(joint, value, f"--lock: joint {joint.name!r}")
        if degrees and joint.kind == "revolute" and number.plain and not is_angle(number, value):
            raise ArmError(
                f"--lock {word.strip()}: beside --degrees an angle says its unit; write "
                f"'{joint.name}={value.strip()} deg' or '{joint.name}={value.strip()} rad'"
            )
        if joint.kind == "revolute":
            note_turns("--lock", [(joint.name, value, float(number))])
        if joint.name in locked:
            raise ArmError(f"--lock names joint {joint.name!r} twice; name it once")
        locked[joint.name] = number.angle if number.turns and joint.kind == "revolute" else float(number)
    return locked


def read_boxes(arm: ArmDescription, words: Sequence[str] | None) -> dict[str | int, tuple[float, float]] | None:
    """The joints and ranges that --box names, as in joint3=0.2:0.9."""
    boxes: dict[str | int, tuple[float, float]] = {}
    for word in words or ():
        name, equals, ends = word.rpartition("=")
        low, colon, high = ends.partition(":")
        if not equals or not colon or not name.strip():
            raise ArmError(f"--box takes a joint and its range, as in {arm.joint_names[0]}=0:1, not {word!r}")
        lower, upper = (joint_position(arm, name.strip(), end, "--box") for end in (low, high))
        joint = arm.moving[joint_index(arm, name.strip())]
        if name.strip() in boxes:
            raise ArmError(f"--box names joint {joint.name!r} twice; name it once")
        if joint.kind == "revolute":
            note_turns("--box", [(joint.name, low, lower) if abs(lower) > abs(upper) else (joint.name, high, upper)])
        boxes[name.strip()] = lower, upper
    return boxes or None


def joint_position(arm: ArmDescription, name: str, word: str, option: str) -> float:
    """A position of the joint of this name, or of q1 to qn: rad, m or an angle with its unit."""
    joint = arm.moving[joint_index(arm, name)]
    return float(joint_quantity(joint, word, f"{option}: joint {joint.name!r}"))


def amounts(arm: ArmDescription, option: str, text: str | None) -> list[float] | None:
    """One number for each joint."""
    if text is None:
        return None
    words = counted_words(text, option, (1, arm.n))
    each = words * arm.n if len(words) == 1 else words
    subjects = [f"{option}: joint {joint.name!r}" for joint in arm.moving]
    return [
        float(joint_quantity(joint, word, subject))
        for joint, word, subject in zip(arm.moving, each, subjects, strict=True)
    ]


def numbers(text: str, option: str, counts: Sequence[int]) -> list[float]:
    """So many plain numbers with commas between them: masses, lengths, accelerations."""
    return [plain_number(word, option) for word in counted_words(text, option, counts)]


def counted_words(text: str, option: str, counts: Sequence[int]) -> list[str]:
    """So many words with commas between them."""
    words = split_words(text)
    if len(words) not in counts:
        raise ArmError(f"{option} takes {' or '.join(map(str, counts))} numbers with commas between them, not {text!r}")
    return words

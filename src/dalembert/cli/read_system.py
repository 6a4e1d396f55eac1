"""What ARM and the options of a system mean: an arm with its drives, load and locked joints, and the states that count.

Read here and nowhere else, so that they mean the same in every command.
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import dalembert as da
from dalembert.arm.description import ArmDescription, listed
from dalembert.arm.drives import DRIVE_MODELS
from dalembert.arm.errors import ArmError
from dalembert.arm.inertia import Inertia, Load
from dalembert.arm.real_bodies import impossible, missing_rotors

from .values import is_angle, joint_quantity, plain_number, split_words

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System
    from dalembert.design.analysis import Analysis


class AnglesAre(enum.StrEnum):
    """How rounded angles of a file are read."""

    MEANT = "as-meant"
    WRITTEN = "as-written"

    @property
    def mode(self) -> str:
        """The word for it in Python."""
        return self.value.replace("-", " ")


def load_arm(
    name: str,
    tool: str = "",
    mimic: str = "refuse",
    skip: Sequence[str] | None = None,
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
    note_impossible(arm, impossible(arm), f"'dalembert show {name}'")
    return arm


def note_impossible(arm: ArmDescription, faults: Mapping[str, str], command: str) -> None:
    """One note on stderr about links that no real body can be; ``command`` is the one that says why."""
    if faults:
        print(
            f"note: {arm.name}: no real body has the inertia of {', '.join(faults)}; used as given, "
            f"and {command} says why",
            file=sys.stderr,
        )


def read_system(
    name: str,
    tool: str = "",
    mimic: str = "refuse",
    skip: Sequence[str] | None = None,
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
    arm = load_arm(name, tool, mimic, skip, arg, angles, clean)
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
            print(f"note: {arm.name} describes no drives; they add nothing to its links", file=sys.stderr)
        return arm.driven.approximate(rotors) if rotors else arm.driven
    if drives is None and arm.drives and hint:
        print(
            f"note: the links of {arm.name} alone; --drives counts the rotors and friction of its drives, --no-drives "
            "takes this note off",
            file=sys.stderr,
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
    if not colon:
        return Load(mass, com)
    edges = numbers(size, f"{option}, after the colon,", (1, 3))
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
        boxes[name.strip()] = lower, upper
    return boxes or None


def joint_position(arm: ArmDescription, name: str, word: str, option: str) -> float:
    """A position of the joint of this name, or of q1 to qn: rad, m or an angle with its unit."""
    from dalembert.reduction.states import joint_index

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

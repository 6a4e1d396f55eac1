"""A study from a TOML file; ``docs/studies.md`` describes the format.

What the file names is read through the doors of arm files and motions; it holds numbers and names, nothing that runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arm.drives import DRIVE_MODELS
from ..arm.errors import ArmError
from ..arm.inertia import Load
from ..arm.io.expression import quantity, says_angle, shown
from ..arm.io.text_files import read_text
from ..arm.io.toml_arm import parse, read_body
from ..arm.io.toml_kinds import refuse_others
from ..arm.io.toml_table import TomlTable
from ..control.trajectories import quintic, trapezoidal
from ..design.motion_samples import MotionSamples, checked
from ..mechanisms.mechanism_file import read_mechanism
from ..simulation.motion_files import motion_of
from .design_numbers import Designed, design_numbers
from .factors import Factor
from .optimum import design_search
from .outputs import OUTPUTS, Output
from .sampling import check_design
from .sensitivity_indices import check_budget, check_goals
from .study import Study

if TYPE_CHECKING:
    from ..systems.arm_system import ArmSystem

Array = NDArray[np.float64]
ArmReader = Callable[[object, str], "ArmSystem"]
"""The arm of a name or file, with its drives counted by a model ("none" for the links alone)."""

Turning: TypeAlias = bool | Sequence[bool]
"""Whether numbers, or each of them, are of what turns, so that they may be written in degrees."""

TOP = (
    "name", "arm", "mechanism", "drives", "load", "gravity", "design", "samples", "seed", "chunk", "motion", "factor",
    "output", "pareto", "budget", "optimize",
)  # fmt: skip
FACTOR = ("name", "numbers", "low", "high", "values", "mean", "sd", "distribution", "relative")
MOTION = ("file", "points", "times", "start", "end", "speed", "acceleration", "samples")
OUTPUT = (
    "kind",
    "name",
    "joints",
    "coefficient",
    "box",
    "pose",
    "stiffness",
    "tolerance",
    "effort",
    "speed",
    "acceleration",
)
OPTIMIZE = ("objective", "joints", "coefficient", "weights", "box", "limit", "starts")
LIMIT = ("kind", "joints", "most")
BUDGET = ("output", "allowed")
MOST_FACTORS, MOST_OUTPUTS, MOST_MOMENTS = 500, 200, 100_000
SAMPLES, MOST_STARTS = 101, 64


@dataclass(frozen=True, eq=False)
class StudyFile:
    """A study, the goals of its front, the outputs with budgets, and the best design that is asked for."""

    study: Study
    pareto: Mapping[str, str] = field(default_factory=dict)
    budgets: Mapping[str, float | None] = field(default_factory=dict)
    optimize: Mapping[str, Any] | None = None
    origin: str = "study"

    def check(self) -> None:
        """Refuse, before anything is worked out, what the study or the questions about it would be refused for."""
        study = self.study
        with self._field(""):
            check_design(study.factors, study.design, study.samples, study.seed)
            names = [*(factor.name for factor in study.factors), *(name for name, _ in study.evaluator.columns)]
        with self._field("pareto: "):
            check_goals(self.pareto, names)
        with self._field("budget: "):
            for output, allowed in self.budgets.items():
                check_budget(output, allowed, names)
        if self.optimize is not None:
            with self._field("optimize: "):
                design_search(study.system, study.factors, motion=study.motion, **self.optimize)

    @contextmanager
    def _field(self, name: str) -> Iterator[None]:
        """Faults within it are told with the file and the field."""
        try:
            yield
        except ArmError as fault:
            raise ArmError(f"{self.origin}: {name}{fault}") from None


def read_study(path: str | Path, reader: ArmReader) -> StudyFile:
    """The study in this file; arms and motions named in it are looked for beside it first."""
    file = Path(path)
    if file.suffix.lower() in (".urdf", ".xacro", ".sdf", ".xml"):
        raise ArmError(
            f"{path}: describes an arm; a study is a TOML file that names it (docs/studies.md), and "
            f"`dalembert study {path} --numbers` lists the numbers it may vary"
        )
    return parse_study(read_text(file, missing="name a TOML file with a study"), str(path), file.parent, reader)


def parse_study(text: str, origin: str, folder: Path | None, reader: ArmReader) -> StudyFile:
    """The study that a TOML text describes."""
    described = parse(text, origin)
    refuse_others(described, "a study", origin)
    top = TomlTable.of(described, origin, TOP)
    system = _system(top, folder, reader)
    factors = top.tables("factor", FACTOR)
    outputs = top.tables("output", OUTPUT)
    for tables, limit, plural in ((factors, MOST_FACTORS, "factors"), (outputs, MOST_OUTPUTS, "outputs")):
        if len(tables) > limit:
            raise top.fault(f"has more than {limit} {plural}; leave some out")
    goals = top.values.get("pareto", {})
    if not isinstance(goals, Mapping) or not all(isinstance(x, str) for x in goals.values()):
        raise top.fault('pareto is a table of outputs and "least" or "most"')
    study = Study(
        system,
        tuple(_factor(table, system) for table in factors),
        tuple(_output(table, system) for table in outputs),
        _motion(top, system, folder),
        top.text("design", "latin-hypercube"),
        _whole_number(top, "samples", 1000),
        _whole_number(top, "seed", 0),
        _whole_number(top, "chunk", 0) or None,
        top.text("name", Path(origin).stem),
    )
    budgets: dict[str, float | None] = {}
    for table in top.tables("budget", BUDGET):
        if table.text("output") in budgets:
            raise table.fault(f"{table.text('output')!r} has a budget already; leave one of the two out")
        budgets[table.text("output")] = table.real("allowed", 0.0) if "allowed" in table else None
    return StudyFile(study, dict(goals), budgets, _optimum(top), origin)


@contextmanager
def _within(table: TomlTable) -> Iterator[None]:
    """Faults within it are told with the file and the table, once."""
    try:
        yield
    except ArmError as fault:
        sentence = str(fault)
        raise (fault if sentence.startswith(table.where) else table.fault(sentence)) from None


def _whole_number(table: TomlTable, key: str, default: int) -> int:
    value = table.values.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0 or value >= 2**63:
        raise table.fault(f"{key} must be a whole number of at least 0, got {shown(value)}")
    return value


def _system(top: TomlTable, folder: Path | None, reader: ArmReader) -> Designed:
    if "mechanism" in top:
        return _mechanism(top, folder)
    source = top.text("arm")
    beside = (folder or Path()) / source
    drives = top.values.get("drives", False)
    model = ("exact" if drives else "none") if isinstance(drives, bool) else drives
    if model not in DRIVE_MODELS:
        raise top.fault(f"drives is true, false or one of {', '.join(DRIVE_MODELS)}, not {shown(drives)}")
    try:
        system = reader(beside if _is_file(beside) else source, str(model))
    except ArmError as fault:
        raise top.fault(str(fault)) from None
    load = top.table("load", ("mass", "com", "inertia"))
    if load is not None:
        with _within(load):
            system = system.holding(Load.of(read_body(load)))
    if "gravity" in top:
        system = system.with_gravity(top.vector("gravity"))  # type: ignore[arg-type]
    return system


def _mechanism(top: TomlTable, folder: Path | None) -> Designed:
    """The mechanism of a file, in its coordinates; with ``drives`` those of its chains count, and its motors."""
    for key in ("arm", "load"):
        if key in top:
            raise top.fault(f"{key} belongs to a study of an arm; leave it out, or put it into the mechanism's file")
    drives = top.values.get("drives", False)
    if not isinstance(drives, bool):
        raise top.fault(f"drives of a mechanism are true or false, not {shown(drives)}")
    source = top.text("mechanism")
    beside = (folder or Path()) / source
    try:
        mechanism = read_mechanism(beside if _is_file(beside) else source)
    except ArmError as fault:
        raise top.fault(str(fault)) from None
    if "gravity" in top:
        mechanism = mechanism.with_gravity(top.vector("gravity"))
    return mechanism.driven.as_system(motors=True) if drives else mechanism.as_system()


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _factor(table: TomlTable, system: Designed) -> Factor:
    relative = table.values.get("relative", False)
    if not isinstance(relative, bool):
        raise table.fault(f"relative is true or false, not {shown(relative)}")
    number = design_numbers(system).get(table.text("name"))
    turns = number is not None and number.unit.startswith("rad") and not relative
    values = _vector(table, "values", turns) if "values" in table else ()
    ends = {key: _real_number(table, key, turns) for key in ("low", "high", "mean", "sd") if key in table}
    with _within(table):
        return Factor(
            table.text("name"), values=values, distribution=table.text("distribution", ""), relative=relative,
            numbers=table.texts("numbers"), **ends,
        )  # fmt: skip


def _output(table: TomlTable, system: Designed) -> Output:
    kind = table.text("kind")
    if kind == "own":
        raise table.fault("a function of one's own is named on the command line, with --function MODULE:NAME")
    if kind not in OUTPUTS:
        raise table.fault(f"no output {shown(kind)}; there are {', '.join(OUTPUTS)}")
    options: dict[str, Any] = {}
    for key in ("tolerance", "effort"):
        if key in table:
            options[key] = _real_number(table, key, False)
    if "stiffness" in table:
        options["stiffness"] = _one_or_more(table, "stiffness", False)
    for key in ("pose", "speed", "acceleration"):
        if key in table:
            options[key] = _one_or_more(table, key, _turning(system))
    if "coefficient" in table:
        options["coefficient"] = table.text("coefficient")
    if "box" in table:
        options["box"] = _box(table)
    with _within(table):
        return Output(kind, table.text("name", ""), table.texts("joints"), options)


def _box(table: TomlTable) -> dict[str | int, tuple[float, float]]:
    ends_of_joints = table.values["box"]
    if not isinstance(ends_of_joints, Mapping):
        raise table.fault("box is a table of joints and pairs of positions, as in {joint2 = [-1, 1]}")
    box: dict[str | int, tuple[float, float]] = {}
    for joint, ends in ends_of_joints.items():
        if not isinstance(ends, list) or len(ends) != 2:
            raise table.fault(f"box of joint {joint!r:.60} is a pair of positions, not {shown(ends)}")
        low, high = (float(quantity(x, f"{table.where}: box")) for x in ends)
        box[joint] = (low, high)
    return box


def _motion(top: TomlTable, system: Designed, folder: Path | None) -> MotionSamples | None:
    table = top.table("motion", MOTION)
    if table is None:
        return None
    sources = [key for key in ("file", "points", "start") if key in table]
    if len(sources) != 1:
        raise table.fault("a motion is a file, points with times, or start and end with speed and acceleration")
    with _within(table):
        if "file" in table:
            name = table.text("file")
            beside = (folder or Path()) / name
            return motion_of(system, beside if _is_file(beside) else Path(name))
        path: Any
        turning = _turning(system)
        if "points" in table:
            rows = table.values["points"]
            if not isinstance(rows, list) or not 2 <= len(rows) <= MOST_MOMENTS:
                raise table.fault("points is a list of at least two lists of joint positions")
            points = [_numbers(table, row, "points", turning) for row in rows]
            path = quintic(points, _one_or_more(table, "times", False))
        else:
            ends = [_vector(table, key, turning) for key in ("start", "end")]
            fast = [_one_or_more(table, key, turning) for key in ("speed", "acceleration")]
            path = trapezoidal(ends[0], ends[1], fast[0], fast[1])
        count = _whole_number(table, "samples", SAMPLES)
        if not 2 <= count <= MOST_MOMENTS:
            raise table.fault(f"samples of a motion are between 2 and {MOST_MOMENTS}, not {count}")
        t = np.linspace(0.0, path.duration, count)
        return checked(system, MotionSamples("the motion", path.position(t), path.velocity(t), path.acceleration(t), t))


def _optimum(top: TomlTable) -> Mapping[str, Any] | None:
    table = top.table("optimize", OPTIMIZE)
    if table is None:
        return None
    limits = [
        (limit.text("kind"), limit.texts("joints"), _one_or_more(limit, "most", False))
        for limit in table.tables("limit", LIMIT)
    ]
    options: dict[str, Any] = {"objective": table.text("objective"), "joints": table.texts("joints"), "limits": limits}
    if "starts" in table:
        options["starts"] = _whole_number(table, "starts", 1)
        if options["starts"] > MOST_STARTS:
            raise table.fault(f"starts are at most {MOST_STARTS}, not {options['starts']}")
    if "weights" in table:
        options["weights"] = _vector(table, "weights", False)
    if "coefficient" in table:
        options["coefficient"] = table.text("coefficient")
    if "box" in table:
        options["box"] = _box(table)
    return options


def _turning(system: Designed) -> Turning:
    """Of each joint."""
    return [joint.kind == "revolute" for joint in system.moving]


def _number(table: TomlTable, value: object, key: str, turns: bool) -> float:
    number = quantity(value, f"{table.where}: {key}")
    if isinstance(value, str) and says_angle(value) and not turns:
        raise table.fault(f"{key}: {shown(value)} is an angle, and a plain number in SI units belongs there")
    return float(number)


def _real_number(table: TomlTable, key: str, turns: Turning) -> float:
    return _number(table, table.needed(key), key, turns if isinstance(turns, bool) else all(turns))


def _one_or_more(table: TomlTable, key: str, turns: Turning) -> float | tuple[float, ...]:
    return _vector(table, key, turns) if isinstance(table.needed(key), list) else _real_number(table, key, turns)


def _vector(table: TomlTable, key: str, turns: Turning) -> tuple[float, ...]:
    return _numbers(table, table.needed(key), key, turns)


def _numbers(table: TomlTable, value: object, key: str, turns: Turning) -> tuple[float, ...]:
    if not isinstance(value, list) or not value or len(value) > MOST_MOMENTS:
        raise table.fault(f"{key} must be a list of numbers, got {shown(value)}")
    each = [turns] * len(value) if isinstance(turns, bool) or len(turns) != len(value) else turns
    return tuple(_number(table, x, key, bool(turn)) for x, turn in zip(value, each, strict=True))

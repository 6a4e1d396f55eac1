"""Options that shape the system: every command honours them or refuses them, and never passes over one.

The lists come from the code: the commands of ``cli/run.py``, the options of ``cli/system_options.py``. What a command
takes is in its signature; what it takes must change its answer as Python says it does, and the rest is refused with
exit code 2 and one sentence.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import system_options
from dalembert.cli.run import COMMANDS, main
from dalembert.cli.system_options import READING, STATES
from dalembert.compile import operations as counts
from dalembert.compile.functions import function
from simulated_logs import motion

SHAPE = {name: kind for name, kind in system_options.SHAPE.items() if name not in READING}
"""Options that shape the system of any arm; those that say how a file is read are asked of one where they matter."""
DRIVES = """
[[motors]]
name = "motor1"
ratios = {joint1 = 40}
rotor = {inertia = 4e-4, link = "base", axis = [0, 0, 1]}
friction = {coulomb = 0.02, viscous = 3e-4}

[[motors]]
name = "motor2"
ratios = {joint1 = 5, joint2 = 30}
rotor = {inertia = 3e-4, link = "link1", axis = [0, 0, 1], position = [-0.1, 0, 0], mass = 0.5, counted = false}
friction = {coulomb = 0.01, viscous = 2e-4}
"""
LOAD = "1.5,0.02,0.03,0.05:0.06"
HELD = da.Load.of(da.Inertia.box(1.5, (0.06,) * 3), (0.02, 0.03, 0.05))


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str
    files: dict[str, str]

    @property
    def sentences(self) -> list[str]:
        return [line for line in self.err.splitlines() if not line.startswith("note: ")]


STUDY = """arm = "arm.toml"
samples = 2
factor = [{name = "load.mass", low = 0, high = 1}]
output = [{kind = "natural_frequency", stiffness = 1000}]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An arm with drives, and other drives for it."""
    made = tmp_path_factory.mktemp("arms")
    plain = da.load("planar-2r").write_toml()
    (made / "arm.toml").write_text(plain + DRIVES.replace("[[motors]]", "[[drives.motors]]"), encoding="utf-8")
    (made / "study.toml").write_text(STUDY, encoding="utf-8")
    (made / "mechanism.toml").write_text('gravity = [0, -9.81, 0]\n[chain.only]\narm = "arm.toml"\n', encoding="utf-8")
    (made / "drives.toml").write_text(DRIVES.replace("4e-4", "9e-4"), encoding="utf-8")
    t, q, qd, qdd = motion(2)
    torque = da.load("planar-2r").inverse_dynamics(q, qd, qdd)
    np.savetxt(
        made / "log.csv", np.column_stack([t, q, torque]), delimiter=",", header="t,q1,q2,tau1,tau2", comments=""
    )
    return made


@pytest.fixture(scope="module")
def arm(folder: Path) -> da.Arm:
    found = da.load(folder / "arm.toml")
    assert found.drives
    return found


def run(folder: Path, *words: object) -> Result:
    """The command in an empty folder of its own, with whatever it writes there."""
    place = folder / f"run{len(list(folder.iterdir()))}"
    place.mkdir()
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(place),
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        patch.setenv("COLUMNS", "120")
        code = main([str(word) for word in words])
    files = {str(p.relative_to(place)): p.read_text("utf-8") for p in sorted(place.rglob("*")) if p.is_file()}
    return Result(code, out.getvalue(), err.getvalue(), files)


def certificate_of(arm: str) -> str:
    """A certificate of the arm, beside its file."""
    path = Path(arm).with_suffix(".json")
    if not path.exists():
        da.load(arm).analysis(gap=0.1).certificate(path, "D11")
    return str(path)


def reached(arm: str) -> str:
    """A point that the hand reaches with the second joint locked, too."""
    return ",".join(f"{x:.17g}" for x in da.load(arm).forward_kinematics([0.4, 0.3])[:3, 3])


# -- what an option means ------------------------------------------------------------------------------

System = da.Arm | da.DrivenArm
WORDS: dict[str, Callable[[Path], list[str]]] = {
    "load": lambda folder: ["--load", LOAD],
    "drives": lambda folder: ["--drives"],
    "rotors": lambda folder: ["--rotors", "diagonal"],
    "drives_file": lambda folder: ["--drives-file", str(folder / "drives.toml")],
    "gravity": lambda folder: ["--gravity", "0,0,-9.81"],
    "lock": lambda folder: ["--lock", "joint2=0.3"],
    "box": lambda folder: ["--box", "joint2=0.2:0.9"],
    "speed": lambda folder: ["--speed", "0.7"],
    "acceleration": lambda folder: ["--acceleration", "1.3"],
}
"""Each option as it is written."""
SHAPED: dict[str, Callable[[da.Arm, Path], System]] = {
    "load": lambda arm, folder: arm.holding(HELD),
    "drives": lambda arm, folder: arm.driven,
    "rotors": lambda arm, folder: arm.driven.approximate("diagonal"),
    "drives_file": lambda arm, folder: arm.with_drives(folder / "drives.toml"),
    "gravity": lambda arm, folder: arm.with_gravity((0, 0, -9.81)),
    "lock": lambda arm, folder: arm.locked({"joint2": 0.3}),
}
"""The system that each option means, in Python."""
ASKED: dict[str, dict[str, object]] = {
    "box": {"box": {"joint2": (0.2, 0.9)}},
    "speed": {"speed": 0.7},
    "acceleration": {"acceleration": 1.3},
}
"""The states that each option means, in Python."""
PLAIN: dict[str, Callable[[str], list[str]]] = {
    "list": lambda arm: [],
    "doctor": lambda arm: [],
    "identify": lambda arm: [arm, str(Path(arm).with_name("log.csv")), "--json"],
    "excite": lambda arm: [arm, "--generations", "2", "--harmonics", "2", "--json"],
    "show": lambda arm: [arm],
    "dynamics": lambda arm: [arm, "--json"],
    "convert": lambda arm: [arm, "--to", "toml"],
    "demo": lambda arm: ["--no-report"],
    "equations": lambda arm: [arm, "--parameters", "numbers"],
    "structure": lambda arm: [arm, "--parameters", "numbers"],
    "verify": lambda arm: [arm, "tau1 = 0", "--parameters", "numbers"],
    "base-parameters": lambda arm: [arm],
    "ranges": lambda arm: [arm, "--json"],
    "reduce": lambda arm: [arm, "--tolerance", "0.1", "--json"],
    "check": lambda arm: [certificate_of(arm)],
    "significance": lambda arm: [arm, "--json"],
    "coupling": lambda arm: [arm, "--json"],
    "review": lambda arm: [arm],
    "report": lambda arm: [arm, "--json", "all.json", "--tolerance", "0.3"],
    "codegen": lambda arm: [arm, "-f", "bias"],
    "operations": lambda arm: [arm],
    "bench": lambda arm: [arm, "--states", "1"],
    "ik": lambda arm: [arm, "--pose", reached(arm), "--task", "position", "--json"],
    "simulate": lambda arm: [arm, "--duration", "0.05", "--tolerance", "1e-6", "--json"],
    "mechanism": lambda arm: [arm.replace("arm.toml", "mechanism.toml")],
    "study": lambda arm: [arm.replace("arm.toml", "study.toml")],
    "studio": lambda arm: [arm, "--port", "0", "--no-browser"],
}
"""A question to each command."""
UNCHANGED = {
    # A load of its own changes no combination of parameters; the note says where it is counted.
    ("base-parameters", "load"),
    # The structure of this arm is as full as it can be; it is compared with Python below.
    # What couples is inertia, whatever pulls.
    ("coupling", "gravity"),
    *(("structure", option) for option in ("load", "drives", "rotors", "drives_file")),
}
"""Where an option that counts does not change what is printed."""


@cache
def taken(command: str) -> tuple[str, ...]:
    """The options of the lists that a command has, with the meaning they have everywhere."""
    module, _, name = COMMANDS[command].partition(":")
    parameters = inspect.signature(getattr(import_module(f"dalembert.cli.{module}"), name)).parameters
    return tuple(
        option
        for option, (kind, _) in (READING | SHAPE | STATES).items()
        if option in parameters and parameters[option].annotation in (kind, named(kind))
    )


def named(kind: object) -> object:
    """How a module with postponed annotations writes a type of ``system_options``."""
    from dalembert.cli import system_options

    return next((name for name, value in vars(system_options).items() if value is kind), None)


@pytest.fixture(scope="module", autouse=True)
def brief_studio() -> Iterator[None]:
    """A studio that says what its system asks at a state, at an address that is always the same, and closes."""
    from dalembert.studio.studio import Studio

    def said(studio: Studio) -> None:
        n = studio.system.n
        state = [0.3, -0.8][:n], [1.5, -2.5][:n], [0.7, 2.0][:n]
        print(studio.system.inverse_dynamics(*state).tolist())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Studio, "wait", said)
        patch.setattr(Studio, "address", "here")
        yield


@pytest.fixture(scope="module")
def plain(folder: Path) -> Callable[[str], Result]:
    """The answer of a command without any of the options."""
    return cache(lambda command: run(folder, command, *PLAIN[command](str(folder / "arm.toml"))))


def test_every_command_and_every_option_is_walked() -> None:
    assert set(PLAIN) == set(COMMANDS)
    assert set(WORDS) == set(SHAPE) | set(STATES)
    assert set(SHAPED) == set(SHAPE)
    assert set(ASKED) == set(STATES)
    for command in ("show", "dynamics", "equations", "structure", "verify", "base-parameters", "ranges", "reduce",
                    "coupling", "significance", "review", "report", "codegen", "operations", "simulate",
                    "ik"):  # fmt: skip
        assert set(SHAPE) | set(READING) <= set(taken(command)), command
    assert set(READING) == {*taken("convert"), *taken("bench")}
    for command in ("reduce", "significance", "report"):
        assert set(STATES) <= set(taken(command)), command
    for command in ("ranges", "review"):
        assert "box" in taken(command), command


@pytest.mark.parametrize("option", WORDS)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_honoured_or_refused_and_never_passed_over(
    command: str, option: str, folder: Path, plain: Callable[[str], Result]
) -> None:
    result = run(folder, command, *PLAIN[command](str(folder / "arm.toml")), *WORDS[option](folder))
    before = plain(command)
    if option not in taken(command) or (command == "base-parameters" and option in ("drives", "rotors", "drives_file")):
        assert result.code == 2
        assert result.out == ""
        assert result.files == {}
        assert len(result.sentences) == 1
        assert result.sentences[0].startswith("dalembert: ")
        assert f"--{option.replace('_', '-')}" in result.sentences[0]
        return
    assert result.code == before.code, result.err
    if (command, option) in UNCHANGED:
        assert result.out == before.out
        assert (option != "load") or "stand for the load" in result.err or "numbers" in PLAIN[command]("")
    else:
        assert (result.out, result.files) != (before.out, before.files)


# -- the same question in Python and on the command line -----------------------------------------------

QUESTIONS: list[tuple[str, ...]] = [*((option,) for option in SHAPE), ("load", "drives"), ("load", "rotors", "gravity")]


def words_of(options: Sequence[str], folder: Path) -> list[str]:
    return [word for option in options for word in WORDS[option](folder)]


def shaped(arm: da.Arm, options: Sequence[str], folder: Path) -> System:
    """The system of several options, in the order in which they are read."""
    made: System = arm
    for option in sorted(options, key=["lock", "gravity", "load", "drives", "rotors", "drives_file"].index):
        made = SHAPED[option](made, folder)  # type: ignore[arg-type]
    return made


@pytest.mark.parametrize("options", QUESTIONS, ids="+".join)
def test_dynamics_says_what_the_system_says(options: tuple[str, ...], arm: da.Arm, folder: Path) -> None:
    system = shaped(arm, options, folder)
    state = [[0.3, -0.8][: system.n], [1.5, -2.5][: system.n], [0.7, 2.0][: system.n]]
    values = [",".join(map(str, one)) for one in state]
    words = ["--q", values[0], "--qd", values[1], "--qdd", values[2], "--json", *words_of(options, folder)]
    found = json.loads(run(folder, "dynamics", folder / "arm.toml", *words).out)
    assert found["effort"]["total"] == pytest.approx(system.inverse_dynamics(*state), rel=1e-12)
    assert found["effort"]["gravity"] == pytest.approx(system.gravity_load(state[0]), rel=1e-12, abs=1e-12)
    assert np.array(found["mass_matrix"]) == pytest.approx(system.mass_matrix(state[0]), rel=1e-12)
    friction = found["effort"].get("friction", [0.0] * system.n)
    assert friction == pytest.approx(system.friction_torque(state[0], state[1]), rel=1e-12, abs=1e-12)
    assert found["drives"] == system.drive_model
    assert [one["mass"] for one in found["loads"]] == [float(load.body.mass) for _, load in system.loads]
    assert found["gravity"] == [float(g) for g in system.gravity]


@pytest.mark.parametrize("options", QUESTIONS, ids="+".join)
def test_the_studio_shows_the_very_system(options: tuple[str, ...], arm: da.Arm, folder: Path) -> None:
    system = shaped(arm, options, folder)
    words = [folder / "arm.toml", "--port", "0", "--no-browser", *words_of(options, folder)]
    shown = json.loads(run(folder, "studio", *words).out.splitlines()[-1])
    state = [0.3, -0.8][: system.n], [1.5, -2.5][: system.n], [0.7, 2.0][: system.n]
    assert shown == pytest.approx(system.inverse_dynamics(*state), rel=1e-12)


@pytest.mark.parametrize("options", QUESTIONS, ids="+".join)
def test_ranges_says_what_the_analysis_says(options: tuple[str, ...], arm: da.Arm, folder: Path) -> None:
    system = shaped(arm, options, folder)
    ask = system.analysis()
    words = [folder / "arm.toml", "--json", *words_of(options, folder)]
    found = json.loads(run(folder, "ranges", *words).out)
    tables = ask.of(system.holding(None)).ranges(ask) if system.loads else ask.ranges()
    assert found["drives"] == system.counts_drives
    assert found["load"] == ("1.5 kg" if system.loads else "")
    for row, one in zip(found["inertia"], tables.inertia, strict=True):
        assert (row["minimum"], row["maximum"], row["rotors"]) == (one.empty.minimum, one.empty.maximum, one.rotors)
        assert row["maximum_with_load"] == (one.loaded.maximum if one.loaded else None)
        assert row["at_motor"] == (one.empty_at_motor.maximum if one.empty_at_motor else None)
        assert row["at_motor_with_load"] == (one.loaded_at_motor.maximum if one.loaded_at_motor else None)
        whole = (one.loaded or one.empty).maximum
        assert whole == ask.range_of(one.name).maximum
    for row, one in zip(found["gravity"], tables.gravity, strict=True):
        assert row["largest"] == one.empty.largest
        assert row["largest_with_load"] == (one.loaded.largest if one.loaded else None)
    names = ["D11", "G1"] + (["D12/D11", "D11+D22"] if system.n > 1 else [])
    rows = json.loads(run(folder, "ranges", "--of", ",".join(names), *words).out)
    for row, one in zip(rows, map(ask.range_of, names), strict=True):
        assert (row["minimum"], row["maximum"]) == (one.minimum, one.maximum)
        assert (row["lower"], row["upper"]) == (one.lower, one.upper)


@pytest.mark.parametrize(
    "options", [*((option,) for option in (*SHAPE, *STATES)), ("load", "drives", "speed", "acceleration")], ids="+".join
)
def test_significance_and_reduce_say_what_the_analysis_says(
    options: tuple[str, ...], arm: da.Arm, folder: Path
) -> None:
    system = shaped(arm, [option for option in options if option in SHAPE], folder)
    states = {key: value for option in options if option in STATES for key, value in ASKED[option].items()}
    ask = system.analysis(**states)  # type: ignore[arg-type]
    words = [folder / "arm.toml", "--json", *words_of(options, folder)]
    terms = json.loads(run(folder, "significance", *words).out)["terms"]
    for row, one in zip(terms, ask.significance(), strict=True):
        assert (row["joint"], row["term"], row["largest"]) == (one.joint, one.name, one.largest)
        assert (row["proved"], row["rms"], row["share"]) == (one.proved, one.rms, one.share)
    found = json.loads(run(folder, "reduce", "--tolerance", "0.1", *words).out)
    held = bool(system.loads)
    empty = ask.of(system.holding(None)) if held else ask
    model = empty.reduce(0.1, others=[system] if held else [])
    assert (found["operations_before"], found["operations_after"]) == (model.before.total, model.after.total)
    assert found["bound"] == model.bound.tolist()
    assert found["scale"] == model.scale.tolist()
    assert [one["value"] for one in found["constants"]] == [one.value for one in model.constants]
    assert found["drives"] == system.drive_model


@pytest.mark.parametrize("options", QUESTIONS, ids="+".join)
def test_structure_and_operations_are_those_of_the_system(options: tuple[str, ...], arm: da.Arm, folder: Path) -> None:
    system, words = shaped(arm, options, folder), words_of(options, folder)
    found = run(folder, "structure", folder / "arm.toml", "--parameters", "numbers", *words)
    exact = system.equations("numbers").structure()
    assert f"total    {exact.total:4} of {exact.independent:4}" in found.out
    printed = run(folder, "operations", folder / "arm.toml", *words).out
    for name in ("inverse_dynamics", "mass_matrix", "gravity_load"):
        row = next(line for line in printed.splitlines() if line.split()[:1] == [name])
        assert int(row.split()[-2]) == counts.count(function(system, name).nodes).total


def test_equations_with_a_load_say_where_it_is_counted(folder: Path) -> None:
    words = ["equations", folder / "arm.toml", "--no-drives", "--only", "D22", "--load", LOAD]
    hidden = run(folder, *words)
    assert "--parameters symbols+load keeps it apart" in hidden.err
    apart = run(folder, *words, "--parameters", "symbols+load")
    assert apart.err == ""
    assert "mL" in apart.out
    assert run(folder, *words, "--parameters", "numbers").err == ""


# -- how the file is read -----------------------------------------------------------------------------

ROUNDED = """<robot name="bent"><link name="a"/><link name="b">{0}</link><link name="c">{0}</link>
<joint name="joint1" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
<joint name="joint2" type="continuous"><origin xyz="0.3 {1} 0" rpy="1.5708 0 0"/><parent link="b"/><child link="c"/>
<axis xyz="0 0 1"/>{2}</joint></robot>"""
BODY = (
    '<inertial><origin xyz="0.1 0.02 0.03"/><mass value="2"/>'
    '<inertia ixx="0.1" iyy="0.12" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def urdf(folder: Path, length: str = "0", mimic: str = "") -> Path:
    path = folder / f"bent{len(list(folder.iterdir()))}.urdf"
    path.write_text(ROUNDED.format(BODY, length, mimic), encoding="utf-8")
    return path


OF_AN_ARM = [
    command for command in COMMANDS if command not in ("list", "check", "demo", "mechanism", "study", "doctor")
]


def test_every_command_about_an_arm_has_the_options_of_reading() -> None:
    for command in OF_AN_ARM:
        module, _, name = COMMANDS[command].partition(":")
        parameters = inspect.signature(getattr(import_module(f"dalembert.cli.{module}"), name)).parameters
        assert set(READING) - {"tool"} <= set(parameters), command
    assert "angles" in inspect.signature(import_module("dalembert.cli.mechanism_command").mechanism).parameters


@pytest.mark.filterwarnings("always::dalembert.arm.errors.RoundedWarning")
@pytest.mark.parametrize("command", ["dynamics", "equations", "convert", "review", "codegen"])
def test_angles_are_read_as_meant_with_a_note_and_as_written_without(command: str, folder: Path) -> None:
    words = [command, *PLAIN[command](str(urdf(folder)))]
    meant, written = run(folder, *words), run(folder, *words, "--angles", "as-written")
    assert meant.code == written.code == 0, meant.err
    assert "1.5708 as 90 deg" in meant.err
    assert "1.5708" not in written.err
    assert (meant.out, meant.files) != (written.out, written.files)


@pytest.mark.filterwarnings("ignore::dalembert.arm.errors.RoundedWarning")
def test_angles_change_the_closed_form_and_nothing_that_is_measured(folder: Path) -> None:
    path = urdf(folder)
    words = ["dynamics", path, "--q", "0.3,-0.8", "--qd", "1,2", "--qdd", "2,1", "--json"]
    meant, written = (json.loads(run(folder, *words, *more).out) for more in ([], ["--angles", "as-written"]))
    assert meant["effort"]["total"] != written["effort"]["total"]
    assert meant["effort"]["total"] == pytest.approx(written["effort"]["total"], rel=1e-4)
    exact = da.load(path).inverse_dynamics([0.3, -0.8], [1, 2], [2, 1])
    assert meant["effort"]["total"] == pytest.approx(exact, rel=1e-12)


@pytest.mark.filterwarnings("always::dalembert.arm.errors.RoundedWarning")
def test_clean_takes_off_what_the_note_says(folder: Path) -> None:
    path = urdf(folder, "1e-14")
    hinted, cleaned = run(folder, "show", path), run(folder, "show", path, "--clean", "1e-9")
    assert "a length by 1e-14 m; used as given, and clean=1e-09 (--clean 1e-09)" in hinted.err
    assert "bent is cleaned: a length by 1e-14 m" in cleaned.err
    assert run(folder, "show", path, "--clean", "2").code == 2


@pytest.mark.filterwarnings("ignore::dalembert.arm.errors.RoundedWarning")
def test_mimicking_joints_are_refused_held_free_or_coupled(folder: Path) -> None:
    path = urdf(folder, mimic='<mimic joint="joint1"/>')
    words = (["--mimic", how] for how in ("hold", "free", "couple"))
    refused, held, free, coupled = (run(folder, "dynamics", path, "--json", *more) for more in ([], *words))
    assert refused.code == 2
    assert "--mimic on the command line" in refused.sentences[0]
    masses = [np.array(json.loads(one.out)["mass_matrix"]) for one in (held, free, coupled)]
    assert [len(mass) for mass in masses] == [1, 2, 1]
    # Both joints go by the same coordinate: A is a column of ones.
    assert masses[2] == pytest.approx(masses[1].sum())
    shown = run(folder, "show", path, "--mimic", "couple")
    assert "1 joint (R) and 1 that follows" in shown.out


# -- combinations that were once passed over -----------------------------------------------------------


def test_ranges_of_coefficients_count_the_load(folder: Path) -> None:
    """Bejczy 1974, Table 1 and eq. 140: D22 up to 10.3 kg m^2 with the cube, G5/D55 up to 24.4 rad/s^2."""
    words = ["ranges", "jpl-rrp", "--drives", "--of", "D22,G5/D55", "--json"]
    empty, loaded = (json.loads(run(folder, *words, *more).out) for more in ([], ["--load", "1.8:0.0762"]))
    assert [row["maximum"] for row in empty] == pytest.approx([6.9305, 9.9777], abs=1e-3)
    assert [row["maximum"] for row in loaded] == pytest.approx([10.287, 24.434], abs=1e-3)


def test_a_gap_counts_for_coefficients_and_ratios_asked_for_by_name(folder: Path) -> None:
    words = ["ranges", "jpl-rrp", "--no-drives", "--of", "D22,D12/D11", "--json"]
    fine, coarse = (json.loads(run(folder, *words, *more).out) for more in ([], ["--gap", "0.2"]))
    exact = da.load("jpl-rrp").analysis(gap=0.2)
    for name, near, far in zip(("D22", "D12/D11"), fine, coarse, strict=True):
        one = exact.range_of(name)
        assert (far["lower"], far["upper"]) == (one.lower, one.upper)
        assert far["upper"] - far["maximum"] > near["upper"] - near["maximum"]
        assert one.tolerance == pytest.approx(0.2 * (one.maximum - one.minimum), rel=0.2)
    refused = run(folder, *words[:-2], "D12/D11", "--along", "joint2", "--gap", "0.2")
    assert refused.code == 2
    assert "--gap" in refused.sentences[0]


def test_short_forms_keep_their_constants_without_refit(folder: Path) -> None:
    words = ["reduce", "jpl-rrp", "--drives", "--terms", "--coefficients", "D11,G2", "--tolerance", "0.05", "--json"]
    fitted, kept = (json.loads(run(folder, *words, *more).out)["forms"] for more in ([], ["--no-refit"]))
    model = da.load("jpl-rrp").driven.analysis().short_forms(["D11", "G2"], 0.05, refit=False)
    assert fitted != kept
    for row, one in zip(kept, model.forms, strict=True):
        assert row["text"] == one.text
        assert [term["value"] for term in row["terms"]] == [term.exact for term in one.terms]


@pytest.mark.parametrize("options", [*((option,) for option in SHAPE), ("load", "drives"), ("box",)], ids="+".join)
def test_short_forms_on_the_command_line_are_those_of_the_system(
    options: tuple[str, ...], arm: da.Arm, folder: Path
) -> None:
    system = shaped(arm, [option for option in options if option in SHAPE], folder)
    box = ASKED["box"]["box"] if "box" in options else None
    words = [folder / "arm.toml", "--terms", "--tolerance", "0.1", "--json", *words_of(options, folder)]
    found = json.loads(run(folder, "reduce", *words).out)
    ask = system.analysis(box)  # type: ignore[arg-type]
    held = bool(system.loads)
    model = (ask.of(system.holding(None)) if held else ask).short_forms(tolerance=0.1, others=[system] if held else [])
    assert found["drives"] == system.drive_model
    assert found["loads"] == list(model.loads)
    assert (found["relative_to"], found["velocity"]) == ("largest", "christoffel")
    for row, form in zip(found["forms"], model.forms, strict=True):
        assert row["text"] == form.text
        assert [one["value"] for one in row["terms"]] == [term.value for term in form.terms]
        assert [one["bound"] for one in row["errors"]] == [error.bound for error in form.errors]
        assert [one["share_of_largest"] for one in row["errors"]] == [one.share_of_largest for one in form.errors]
        assert [one["share_of_range"] for one in row["errors"]] == [one.share_of_range for one in form.errors]


def test_a_share_is_of_the_range_where_that_is_asked_for(folder: Path) -> None:
    words = ["reduce", "jpl-rrp", "--drives", "--terms", "--coefficients", "G4", "--tolerance", "0.05"]
    largest, ranged = (json.loads(run(folder, *words, "--json", *more).out)
                       for more in ([], ["--relative-to", "range"]))  # fmt: skip
    assert [len(one["forms"][0]["terms"]) for one in (largest, ranged)] == [2, 1]
    assert ranged["forms"][0]["errors"][0]["share_of_largest"] == pytest.approx(0.0507, abs=2e-4)
    printed = run(folder, *words, "--relative-to", "range").out
    assert "within 5 percent of its range (maximum less minimum)" in printed
    assert "5.07 percent of its largest value, 2.53 of its range" in " ".join(printed.split())
    assert "N m" in printed


def test_code_of_a_reduced_model_is_for_the_hand_that_is_asked_for(folder: Path) -> None:
    words = ["reduce", "planar-2r", "--tolerance", "0.2", "--c", "out", "--json"]
    empty, held = run(folder, *words), run(folder, *words, "--load", "1.8")
    name = "out/planar_2r_reduced_inverse_dynamics.c"
    assert "A load of 1.8 kg" in held.files[name.replace(".c", ".h")]
    system = da.load("planar-2r").holding(da.Load(1.8))
    both = json.loads(held.out)["constants"]
    model = system.holding(None).analysis().reduce(tolerance=0.2, others=[system])
    assert [k["value"] for k in both] == [k.value for k in model.constants]
    loaded = model.serving(1)
    assert [k["value_with_load"] for k in both] == [k.value for k in loaded.constants]
    states = np.random.default_rng(3).uniform(-1, 1, (3, 500, 2))
    off = np.abs(loaded.inverse_dynamics(*states) - system.inverse_dynamics(*states)).max(0)
    assert (off <= model.bound * (1 + 1e-9)).all()
    assert np.abs(model.inverse_dynamics(*states) - system.inverse_dynamics(*states)).max() > 2 * model.bound.max()
    assert empty.files[name] != held.files[name]
    assert "32.373" in held.files[name]  # 9.81 (mx1 + 1.8 l1), the weight that joint 1 feels


def test_code_of_short_forms_is_for_the_hand_that_is_asked_for(arm: da.Arm, folder: Path) -> None:
    words = ["reduce", folder / "arm.toml", "--no-drives", "--terms", "--coefficients", "all", "--c", "out"]
    made = run(folder, *words, "--load", LOAD)
    assert made.code == 0, made.err
    headers = {name: text for name, text in made.files.items() if name.endswith(".h")}
    assert {Path(name).stem.removeprefix("planar_2r_in_short_forms_") for name in headers} == {
        "inverse_dynamics", "mass_matrix", "gravity_load",
    }  # fmt: skip
    assert all("A load of 1.5 kg" in text for text in headers.values())
    assert all("no load" in text for name, text in run(folder, *words).files.items() if name.endswith(".h"))


def test_torques_that_short_forms_leave_out_are_proved_for_the_states_asked_for(arm: da.Arm, folder: Path) -> None:
    words = ["reduce", folder / "arm.toml", "--no-drives", "--terms", "--torques", "--json"]
    slow, fast = (json.loads(run(folder, *words, "--speed", pace).out)["torque_errors"] for pace in ("0.1", "3"))
    model = arm.analysis(speed=3.0).short_forms(tolerance=0.01)
    assert [row["bound"] for row in fast] == [row.bound for row in model.torque_errors]
    assert slow[0]["bound"] < fast[0]["bound"]
    printed = run(folder, *words[:-1])
    assert "What is left out of the torques" in printed.out
    assert "joint1 [N m]" in printed.out


def test_a_controller_takes_a_shorter_model(arm: da.Arm, folder: Path) -> None:
    words = ["simulate", folder / "arm.toml", "--drives", "--controller", "servo", "--duration", "0.1",
             "--q", "0.3,0.4", "--to", "0.35,0.45", "--json"]  # fmt: skip
    exact, short = (json.loads(run(folder, *words, *more).out) for more in ([], ["--model", "short-forms:0.3"]))
    assert short["model"] == "short-forms:0.3"
    assert short["inputs"] == ["joint1", "joint2"]
    assert short["end"] == pytest.approx(exact["end"], abs=0.02)
    assert short["end"] != exact["end"]
    for more, said in ((["--model", "shorter"], "--model takes"), (["--model", "reduced:x"], "--model takes"),
                       (["--controller", "none", "--model", "reduced:0.1"], "--model")):  # fmt: skip
        refused = run(folder, *[word for word in words if word != "--json"], *more)
        assert refused.code == 2
        assert said in refused.sentences[0]


def test_code_of_a_shorter_model_is_that_of_the_model(arm: da.Arm, folder: Path) -> None:
    words = ["codegen", folder / "arm.toml", "--no-drives", "-f", "gravity_load", "-o", "out"]
    made = run(folder, *words, "--model", "short-forms:0.1:none")
    header = made.files["out/planar_2r_in_short_forms_gravity_load.h"]
    assert "Velocity terms: none." in header
    assert "out/planar_2r_reduced_gravity_load.c" in run(folder, *words, "--model", "reduced:0.1").files
    refused = run(folder, *words, "--model", "reduced:0.1", "--parameters", "load")
    assert refused.code == 2
    assert "--parameters" in refused.sentences[0]


def test_what_short_forms_cannot_do_is_refused(folder: Path) -> None:
    for more in (["--curve"], ["--equations"], ["--speed", "1"], ["--acceleration", "1"]):
        refused = run(folder, "reduce", "planar-2r", "--terms", *more)
        assert refused.code == 2
        assert refused.files == {}
        assert len(refused.sentences) == 1
        assert more[0] in refused.sentences[0]
    for more in (["--coefficients", "all"], ["--relative-to", "range"], ["--velocity", "none"], ["--torques"]):
        refused = run(folder, "reduce", "planar-2r", *more)
        assert refused.code == 2
        assert refused.sentences == [f"dalembert: {more[0]} is for short forms; add --terms"]


def test_a_box_of_joints_that_stand_still_is_refused_along_another(folder: Path) -> None:
    words = ["ranges", "planar-3r", "--of", "D12/D11", "--along", "joint2", "--box"]
    assert run(folder, *words, "joint2=0:1").code == 0
    refused = run(folder, *words, "joint3=0:1")
    assert refused.code == 2
    assert "--at" in refused.sentences[0]


def test_simulate_takes_the_load_that_every_command_takes(folder: Path) -> None:
    words = ["simulate", "planar-2r", "--duration", "0.1", "--json", "--load", "1.8:0.0762"]
    found = run(folder, *words)
    assert found.code == 0, found.err
    cube = da.Load.of(da.Inertia.box(1.8, (0.0762,) * 3))
    motion = da.load("planar-2r").holding(cube).simulate(np.zeros(2), np.zeros(2), duration=0.1)
    assert json.loads(found.out)["end"] == pytest.approx(motion.q[-1], rel=1e-7)
    assert json.loads(run(folder, *words[:-2]).out)["end"] != pytest.approx(motion.q[-1], rel=1e-3)


def test_ratios_of_the_report_are_those_of_the_hand_as_it_is(folder: Path) -> None:
    words = ["report", "planar-2r", "--tolerance", "0.3", "--json", "all.json", "--load", "3"]
    found = json.loads(run(folder, *words).files["all.json"])
    (row, *_) = found["sections"]["importance"]["tables"]["gravity-ratios"]["rows"]
    held = da.load("planar-2r").holding(da.Load(3)).analysis()
    assert row["largest"] == pytest.approx(held.range_of(row["ratio"]).maximum, rel=1e-6)
    assert row["largest"] != pytest.approx(da.load("planar-2r").analysis().range_of(row["ratio"]).maximum, rel=1e-3)


# -- how a file is read --------------------------------------------------------------------------------

GRIPPER = """<mujoco model="gripper"><worldbody><body name="link1"><joint name="j" axis="0 1 0"/>
<geom size="0.1" pos="0.3 0 0"/><body name="hand" pos="0.5 0 0"><geom size="0.05"/>
<body name="finger1"><joint name="f1" type="slide"/><geom size="0.02"/></body>
<body name="finger2"><joint name="f2" type="slide"/><geom size="0.02"/></body></body></body></worldbody>
<equality><joint joint1="f2" joint2="f1"/></equality>
<tendon><fixed stiffness="2"><joint joint="f1" coef="1"/></fixed></tendon></mujoco>"""


@pytest.mark.filterwarnings("default::dalembert.arm.errors.SkippedWarning")
def test_what_follows_and_what_acts_is_held_and_left_out_on_the_command_line(folder: Path) -> None:
    file = folder / "gripper.xml"
    file.write_text(GRIPPER, encoding="utf-8")
    refused = run(folder, "show", file)
    assert refused.code == 2
    assert "--skip tendon" in refused.sentences[0]
    refused = run(folder, "show", file, "--skip", "tendon")
    assert refused.code == 2
    assert "--mimic" in refused.sentences[0]
    words = ["--skip", "tendon", "--mimic"]
    held, free = (run(folder, "show", file, *words, how) for how in ("hold", "free"))
    assert (held.code, free.code) == (0, 0)
    assert "note: " in held.err
    assert "left out as asked: tendon: stiffness of fixed" in held.err
    assert "2 joints (RP)" in held.out
    assert "3 joints (RPP)" in free.out
    assert "tool on hand" in held.out
    refused = run(folder, "show", file, *words, "along")
    assert refused.code == 2
    assert "mimic can be refuse, hold, free" in refused.sentences[0]
    with pytest.warns(da.arm.errors.SkippedWarning):
        arm = da.load(file, mimic="hold", skip=["tendon"])
    found = run(folder, "dynamics", file, *words, "hold", "--json", "--q", "0.3,0.01", "--load", "2", "--tool", "link1")
    held_there = arm.with_tool("link1").holding(da.Load(2))
    torques = held_there.inverse_dynamics([0.3, 0.01], [0, 0], [0, 0])
    assert json.loads(found.out)["effort"]["total"] == pytest.approx(torques)
    assert run(folder, "dynamics", file, *words, "hold", "--tool", "palm").sentences[0].startswith("dalembert: ")
    converted = run(folder, "convert", file, "--to", "toml", *words, "hold", "--tool", "link1")
    assert da.load(converted.out).tool_link == "link1"

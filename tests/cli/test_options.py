"""Options that shape the system: every command honours them or refuses them, and never passes over one.

The lists come from the code: the commands of ``cli/run.py``, the options of ``cli/shaping_options.py``. What a command
takes is in its signature; what it takes must change its answer as Python says it does, and the rest is refused with
exit code 2 and one sentence.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from command_runs import (
    ASKED,
    LOAD,
    PLAIN,
    SHAPE,
    SHAPED,
    WORDS,
    Result,
    run,
    shaped,
    words_of,
)
from dalembert.cli.run import BAD_INPUT, COMMANDS
from dalembert.cli.shaping_options import READING, STATES
from dalembert.compile import operations as counts
from dalembert.compile.functions import function

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
    assert [(one["mass"], *one["com"]) for one in found["loads"]] == [
        tuple(map(float, (load.body.mass, *load.body.com))) for _, load in system.loads
    ]
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


@pytest.mark.parametrize("words", [(), ("--split",)])
def test_json_of_significance_has_all_terms_and_refuses_a_floor(words: tuple[str, ...], folder: Path) -> None:
    refused = run(folder, "significance", folder / "arm.toml", "--json", "--least", "0.5", *words)
    assert refused.code == BAD_INPUT
    assert "--json prints all terms; leave out --least" in refused.err


@pytest.mark.parametrize(
    "options", [*((option,) for option in (*SHAPE, *STATES)), ("load", "drives", "speed", "acceleration")], ids="+".join
)
def test_significance_and_reduce_say_what_the_analysis_says(options: tuple[str, ...], folder: Path) -> None:
    # an arm that was asked often is computed by Python text where there is no compiler, and rounded otherwise
    arm = da.load(folder / "arm.toml")
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
    assert refused.code == BAD_INPUT
    assert "--gap" in refused.sentences[0]


def test_a_box_of_joints_that_stand_still_is_refused_along_another(folder: Path) -> None:
    words = ["ranges", "planar-3r", "--of", "D12/D11", "--along", "joint2", "--box"]
    assert run(folder, *words, "joint2=0:1").code == 0
    refused = run(folder, *words, "joint3=0:1")
    assert refused.code == BAD_INPUT
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

"""Shorter models on the command line: short forms, reduced models, their code, and controllers that use them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from command_runs import (
    ASKED,
    LOAD,
    SHAPE,
    run,
    shaped,
    words_of,
)


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
    # 2.534: what is proved is rounded up
    assert "5.07 percent of its largest value, 2.54 of its range" in " ".join(printed.split())
    assert "N m" in printed


def test_code_of_a_reduced_model_is_for_the_hand_that_is_asked_for(folder: Path) -> None:
    words = ["reduce", "planar-2r", "--tolerance", "0.2", "--c", "out", "--json"]
    empty, held = run(folder, *words), run(folder, *words, "--load", "1.8")
    name = "out/planar_2r_reduced_inverse_dynamics.c"
    assert "A load of 1.8 kg" in held.files[name.replace(".c", ".h")]
    system = da.load("planar-2r").holding(da.Load(1.8))
    assert json.loads(held.out)["loads"] == ["no load", "1.8 kg"]
    assert json.loads(empty.out)["loads"] == []
    printed = run(folder, *words[:-3], "--load", "1.8").out
    assert "Proved for the hand with no load and with 1.8 kg, and for all between." in " ".join(printed.split())
    assert "joint1 [N m]" in printed
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

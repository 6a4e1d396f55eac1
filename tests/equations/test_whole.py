"""Torques and energies by name: in every format what is printed is the torque of the arm."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

import dalembert as da
from dalembert.cli.run import application
from dalembert.equations.formula import read
from dalembert.equations.printing.formats import code_names

RNG = np.random.default_rng(4)


def command(*words: str) -> str:
    """What ``dalembert equations`` prints."""
    result = CliRunner().invoke(application(["equations"]), ["equations", *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def moving(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> dict[str, float]:
    """The values of q1, qd1, qdd1, ..."""
    return {f"{m}{i + 1}": float(x) for m, v in (("q", q), ("qd", qd), ("qdd", qdd)) for i, x in enumerate(v)}


@pytest.mark.parametrize("name", ["planar-2r", "spherical", "puma560-arm"])
@pytest.mark.parametrize("drives", [False, True])
def test_torques_and_energies_are_those_of_the_formulations(name: str, drives: bool) -> None:
    arm = da.load(name).driven if drives else da.load(name)
    equations = arm.equations("numbers")
    q, qd, qdd = RNG.normal(size=(3, arm.n))
    values = {key: value for key, value in moving(q, qd, qdd).items() if key.startswith("qd")}
    tau = arm.inverse_dynamics(q, qd, qdd) - arm.friction_torque(q, qd)
    for i in range(arm.n):
        assert equations[f"tau{i + 1}"](q, values) == pytest.approx(tau[i], abs=1e-11)
    assert equations["K"](q, values) == pytest.approx(arm.kinetic_energy(q, qd), abs=1e-11)
    assert equations["V"](q) == pytest.approx(arm.potential_energy(q), abs=1e-11)


@pytest.mark.parametrize("parameters", ["symbols", "centre+lengths+gravity", "numbers"])
@pytest.mark.parametrize("label", ["tau1", "tau2", "K", "V"])
def test_a_whole_is_the_sum_of_what_its_links_add_and_reads_back(label: str, parameters: str) -> None:
    equations = da.load("spherical").driven.equations(parameters)
    poly = equations[label]
    parts = equations.by_link(label)
    assert sum(parts.values()) == poly
    assert parts[3] != poly
    for printed in (poly.text(digits=None), poly.latex(digits=None), str(poly.sympy()), poly.text("link", digits=None)):
        assert read(printed, equations.moving_space) == poly


def test_terms_of_a_torque_know_their_links_also_where_parameters_are_numbers() -> None:
    equations = da.load("planar-2r").equations("numbers")
    assert {link for term in equations["tau1"].terms for link in term.links} == {1, 2}
    assert {link for term in equations["tau2"].terms for link in term.links} == {2}


def test_the_printed_c_is_the_torque() -> None:
    arm = da.load("planar-2r")
    q, qd, qdd = RNG.normal(size=(3, 2))
    equations = arm.equations("numbers")
    scope = {key: eval(word, {"cos": math.cos, "sin": math.sin}, moving(q, qd, qdd))
             for key, word in code_names(equations["tau2"]).items()}  # fmt: skip
    _, _, body = command("planar-2r", "--only", "tau2", "--parameters", "numbers", "--format", "c").partition(" = ")
    assert eval(body, {"__builtins__": {}}, scope) == pytest.approx(float(arm.inverse_dynamics(q, qd, qdd)[1]))


@pytest.mark.parametrize(
    ("format", "speed"),
    [("text", "q̇₁²"), ("latex", r"\dot{q}_{1}^{2}"), ("markdown", r"\dot{q}_{1}^{2}"), ("sympy", "qd1**2"),
     ("python", "qd1*qd1"), ("c", "qd1*qd1")],
)  # fmt: skip
def test_every_format_prints_speeds_as_is_usual_in_it(format: str, speed: str) -> None:
    assert speed in command("planar-2r", "--only", "tau2", "--format", format)


def test_json_has_the_speeds_with_their_units_and_the_share_of_one_link() -> None:
    found = json.loads(command("planar-2r", "--only", "tau1,K", "--format", "json", "--link", "1"))
    assert found["symbols"]["qdd1"]["unit"] == "rad/s²"
    assert found["symbols"]["qd1"]["meaning"] == "speed of joint1"
    assert len(found["coefficients"]["tau1"]) == 2


def test_what_is_no_coefficient_is_told_apart_from_what_is_made_of_them() -> None:
    equations = da.load("planar-2r").equations()
    with pytest.raises(da.ArmError, match="torques tau1 to tau2"):
        command("planar-2r", "--only", "tau3")
    with pytest.raises(da.ArmError, match="made of coefficients"):
        equations.rotational("tau1")


@pytest.mark.parametrize(
    "words",
    [
        ("--format", "c", "--legend"),
        ("--format", "json", "--group-by", "link"),
        ("--document", "x.html", "--link", "1"),
    ],
)
def test_an_option_that_a_format_cannot_honour_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(da.ArmError, match="leave out"):
        command("planar-2r", *words)

"""What ``dalembert dynamics`` prints: torques, their parts, motors, as tables and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.demo_command import ACCELERATION, POSE, SPEED

SIX = "0.1,-0.2,0.3,-0.4,0.5,-0.6"

pytestmark = pytest.mark.usefixtures("terminal_of_80_columns")


def test_json_holds_the_torques_of_inverse_dynamics(run):
    arm = da.load("jpl-rrp")
    q, qd, qdd = np.array(POSE), np.array(SPEED), np.array(ACCELERATION)
    values = [",".join(map(repr, state)) for state in (POSE, SPEED, ACCELERATION)]
    result = run("dynamics", "jpl-rrp", "--q", values[0], "--qd", values[1], "--qdd", values[2], "--json")
    data = json.loads(result.out)
    effort = {key: np.array(column) for key, column in data["effort"].items()}
    expected = arm.inverse_dynamics(q, qd, qdd)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(effort["total"], expected, atol=1e-12 * scale)
    np.testing.assert_allclose(effort["inertia"], arm.mass_matrix(q) @ qdd, atol=1e-12 * scale)
    np.testing.assert_allclose(effort["gravity"], arm.gravity_load(q), atol=1e-12 * scale)
    np.testing.assert_allclose(effort["velocity"], effort["centrifugal"] + effort["coriolis"], atol=1e-12 * scale)
    np.testing.assert_allclose(
        effort["inertia"] + effort["velocity"] + effort["gravity"], effort["total"], atol=1e-12 * scale
    )
    np.testing.assert_allclose(data["mass_matrix"], arm.mass_matrix(q), rtol=1e-15)
    assert data["joints"] == list(arm.joint_names)
    assert data["units"]["effort"] == ["N m", "N m", "N", "N m", "N m", "N m"]


def test_table_shows_the_same_totals_as_json(run):
    table = run("dynamics", "puma560", "--q", SIX, "--qdd", SIX).out
    totals = json.loads(run("dynamics", "puma560", "--q", SIX, "--qdd", SIX, "--json").out)["effort"]["total"]
    for total in totals:
        assert f"{total:.5g}" in table
    assert "inertia" in table
    assert "N m" in table
    assert max(map(len, table.splitlines())) <= 80


@pytest.mark.parametrize("name", ["jpl-rrp", "irb6"])
def test_the_split_has_the_torques_and_the_energy_of_translation_and_rotation(run, name):
    arm = da.load(name).driven
    state = [np.linspace(0.1 * (k + 1), 0.7, arm.n) for k in range(3)]
    values = [",".join(map(repr, map(float, row))) for row in state]
    words = ["dynamics", name, "--drives", "--q", values[0], "--qd", values[1], "--qdd", values[2]]
    data = json.loads(run(*words, "--split", "--json").out)
    assert "split" not in json.loads(run(*words, "--json").out)
    found, parts = data["split"], arm.parts(*state)
    for part in ("translational", "rotational"):
        np.testing.assert_allclose(found[part]["inertia"], getattr(parts, part).inertia)
        np.testing.assert_allclose(found[part]["velocity"], getattr(parts, part).velocity)
    energy = found["kinetic_energy"]
    assert energy["translational"] + energy["rotational"] == pytest.approx(float(arm.kinetic_energy(*state[:2])))
    assert energy["translational"] != pytest.approx(energy["rotational"])
    text = run(*words, "--split").out
    assert f"{energy['rotational']:.6g} J of rotation" in " ".join(text.split())
    assert f"{parts.rotational.velocity[0]:.5g}" in text
    assert max(map(len, text.splitlines())) <= 80


def test_of_drives_of_which_some_are_electric_currents_are_told_and_the_others_have_a_dash(run, tmp_path: Path) -> None:
    motors = [
        da.Actuator.of("m1", {"joint1": 50}, motor=da.Motor(0.1, resistance=1.0, supply=24.0)),
        da.Actuator.of("m2", {"joint2": 50}, stall=2.0),
    ]
    arm = da.load("planar-2r").with_drives(da.DriveTrain(motors))
    arm.write_toml(tmp_path / "half.toml")
    words = ["dynamics", str(tmp_path / "half.toml"), "--drives", "--q", "0.1,0.2", "--qd", "1,1", "--qdd", "3,4"]
    found = json.loads(run(*words, "--json").out)["motors"]
    torque = arm.motor_torques([0.1, 0.2], [1.0, 1.0], [3.0, 4.0])[0]
    assert found["current"] == [pytest.approx(torque / 0.1), None]
    assert found["voltage"] == [pytest.approx(torque / 0.1 + 0.1 * 50), None]
    text = run(*words).out
    row = next(line for line in text.splitlines() if line.strip().startswith("m2"))
    assert row.split()[-2:] == ["-", "-"]
    assert "A dash: of this motor nothing electric is known." in text


@pytest.mark.parametrize("formulation", ["lagrange-euler", "generalized-dalembert", "influence", "tourassis-neuman"])
def test_dynamics_by_any_formulation_has_the_same_total(run, formulation):
    words = ["dynamics", "puma560", "--no-drives", "--q", SIX, "--qd", SIX, "--qdd", SIX, "--json"]
    usual, other = (json.loads(run(*words, *more).out) for more in ([], ["--formulation", formulation]))
    assert (usual["formulation"], other["formulation"]) == ("newton-euler", formulation)
    assert other["effort"]["total"] == pytest.approx(usual["effort"]["total"], rel=1e-9, abs=1e-12)
    refused = run("dynamics", "puma560", "--formulation", "kane")
    assert refused.code == 2
    assert "tourassis-neuman" in refused.err


def test_mass_matrix_is_printed_when_asked_for(run):
    assert "Mass matrix" not in run("dynamics", "puma560").out
    out = run("dynamics", "puma560", "--mass-matrix").out
    assert f"{da.load('puma560', physical='ignore').mass_matrix(np.zeros(6))[0, 0]:.5g}" in out


def test_springs_and_dampers_stand_in_a_column_of_their_own(run, tmp_path: Path):
    sprung = da.load("planar-2r").with_elastic(da.JointSpring("joint1", 10.0, 0.2), da.JointDamper("joint2", 3.0))
    file = tmp_path / "sprung.toml"
    file.write_text(sprung.write_toml())
    words = ["dynamics", str(file), "--q", "0.5,-1", "--qd", "1,2"]
    effort = json.loads(run(*words, "--json").out)["effort"]
    np.testing.assert_allclose(effort["elastic"], [10.0 * (0.5 - 0.2), 3.0 * 2], atol=1e-12)
    np.testing.assert_allclose(effort["total"], sprung.inverse_dynamics([0.5, -1], [1, 2], [0, 0]), atol=1e-12)
    assert "springs," in run(*words).out


# -- demo --------------------------------------------------------------------------------------------

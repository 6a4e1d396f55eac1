"""A motor that slides, or is written as a force on a sliding joint, has the units of forces wherever it is told of."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.arm.description_tables import drives_table
from dalembert.compile.functions import function
from dalembert.studies.outputs import OUTPUTS, Output

UNITS = ("N m", "N m", "N", "N m", "N m", "N m")


@pytest.fixture(scope="module")
def driven() -> da.DrivenArm:
    arm = da.load("jpl-rrp")
    motors = tuple(
        da.Actuator.of(f"m{k}", {name: 1 if k == 2 else 50}, friction=da.Friction.of(0.1, None, 0.2))
        for k, name in enumerate(arm.joint_names)
    )
    return arm.with_drives(da.DriveTrain(motors))


def test_studies_tell_forces_in_newtons(driven: da.DrivenArm) -> None:
    assert driven.motor_units == UNITS
    columns = OUTPUTS["peak_motor_torque"].columns(Output("peak_motor_torque"), driven)
    assert columns == tuple((f".m{k}", unit) for k, unit in enumerate(UNITS))


def test_code_says_which_motors_give_forces(driven: da.DrivenArm) -> None:
    assert function(driven, "motor_torques").meaning("motor_torque") == "motor torques (N m), at [2] forces (N)"
    planar = da.load("planar-2r")
    turning = planar.with_drives(
        da.DriveTrain(tuple(da.Actuator.of(f"m{k}", {name: 9}) for k, name in enumerate(planar.joint_names)))
    )
    assert function(turning, "computed_motor_torques").meaning("motor_torque") == "motor torques (N m)"


def test_tables_give_each_motor_its_units(driven: da.DrivenArm) -> None:
    made = drives_table(driven.drives, arm=driven)
    assert made is not None
    units = [row[-1] for row in made.rows]
    assert units == ["kg, N s/m, N" if unit == "N" else "kg m², N m s/rad, N m" for unit in UNITS]
    assert all(column.unit == "" for column in made.columns)
    assert "N s/m" in driven._repr_html_()
    turning = drives_table(da.load("irb6").drives, arm=da.load("irb6"))
    assert turning is not None
    assert {column.unit for column in turning.columns} >= {"kg m²", "N m"}

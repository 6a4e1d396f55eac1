"""The header of a reduced model in C says what is proved, for which states, and what it takes."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import dalembert as da


def header_of(model: da.ReducedModel, folder: Path) -> str:
    return next(path for path in model.write_c("inverse_dynamics", folder) if path.suffix == ".h").read_text()


@pytest.fixture(scope="module")
def model() -> da.ReducedModel:
    box = {"joint1": (-0.5, 0.7)}
    return da.load("planar-2r").analysis(box=box, speed=[1.5, 2.5], acceleration=[3.0, 4.0]).reduce(0.3)


def test_the_header_has_the_bound_and_the_limits_of_every_joint_to_the_last_digit(model, tmp_path) -> None:
    header = header_of(model, tmp_path)
    bounds = [float(x) for x in re.findall(r"Joint \d: within (\S+) N m of the exact torque", header)]
    assert bounds == model.bound.tolist()
    assert "positions from -0.5 to 0.7 rad" in header
    assert header.count("at any angle,") == np.count_nonzero(model.states.box.circle) == 1
    limits = re.findall(r"speeds up to (\S+) rad/s, accelerations up to (\S+) rad/s\^2", header)
    assert limits == [("1.5", "3.0"), ("2.5", "4.0")]


def test_the_header_counts_operations_as_the_model_does(model, tmp_path) -> None:
    header = header_of(model, tmp_path)
    assert f"A reduced model: {model.after}." in header
    assert f"Every call, the worst as the best: {model.after};" in header
    assert "Friction" not in header


def test_the_header_tells_operations_of_friction_from_those_of_the_model(tmp_path) -> None:
    motors = [
        da.Actuator.of(f"m{k}", {f"joint{k}": 50}, da.Rotor.of("1e-4"), da.Friction.of(0.01, viscous=0.001))
        for k in (1, 2)
    ]
    driven = da.load("planar-2r").with_drives(da.DriveTrain(motors)).analysis().reduce(0.3)
    header = header_of(driven, tmp_path)
    assert f"A reduced model: {driven.after}." in header
    assert "Friction of the drives is added to its torques and comes on top." in header

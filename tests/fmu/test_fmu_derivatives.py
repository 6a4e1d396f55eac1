"""Directional derivatives of an FMU are those of its own rates and outputs, and those of the linear model."""

from __future__ import annotations

from ctypes import POINTER, c_double
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException

import dalembert as da
from coupled_arms import laden
from dalembert.mechanisms import gallery
from fmu_importer import Imported, imported
from small_arms import rubbing, slider


def slopes(fmu: Imported, unknown: list[str], known: list[str]) -> np.ndarray:
    """The matrix of derivatives, column by column."""
    references = [fmu.by_name[name].valueReference for name in unknown]
    columns = []
    for name in known:
        seed = [fmu.by_name[name].valueReference]
        columns.append(fmu.fmu.getDirectionalDerivative(references, seed, [1.0]))
    return np.array(columns).T


def differences(fmu: Imported, unknown: list[str], known: list[str], states: np.ndarray) -> np.ndarray:
    """The same by central differences of the fourth order, of the states first and then of the inputs, modes kept."""
    columns = []
    for k, name in enumerate(known):
        value = states[k] if k < len(states) else fmu.get(name)[0]
        h = 1e-3 * max(1.0, abs(value))
        found = {}
        for turn in (-2, -1, 1, 2, 0):
            if k < len(states):
                moved = states.copy()
                moved[k] += turn * h
                fmu.fmu.setContinuousStates(moved.ctypes.data_as(POINTER(c_double)), len(moved))
            else:
                fmu.set({name: value + turn * h})
            found[turn] = fmu.get(*unknown)
        columns.append((8 * (found[1] - found[-1]) - (found[2] - found[-2])) / (12 * h))
    return np.array(columns).T


def check(system: Any, path: Path, start: dict[str, float], version: str = "2.0", **options: Any) -> np.ndarray:
    """All rates and outputs to all states and inputs in the mode of the start; the rates but for joints of loops."""
    da.write_fmu(system, path / "system.fmu", version=version, **options)
    with imported(path / "system.fmu", True, path / "x") as fmu:
        inputs = [v.name for v in fmu.description.modelVariables if v.causality == "input"]
        rates = [v.name for v in fmu.description.modelVariables if v.name.startswith("der(")]
        known = [name[4:-1] for name in rates]
        own = [name for name in known if not name.startswith("joint.")]
        fmu.initialise(start)
        fmu.fmu.enterContinuousTimeMode()
        states = fmu.get(*known)
        outputs = [v.name for v in fmu.description.modelVariables if v.causality == "output" and v.type != "Integer"]
        unknown = [name for name in (*rates, *outputs) if fmu.by_name[name].type in ("Real", "Float64")]
        exact = slopes(fmu, unknown, [*known, *inputs])
        near = differences(fmu, unknown, [*known, *inputs], states)
        size = np.abs(exact).max(axis=1, keepdims=True) + np.abs(fmu.get(*unknown))[:, None] + 1
        assert np.abs(exact - near).max() > 0  # two ways, not one
        assert (np.abs(exact - near) / size).max() < 1e-7
        return slopes(fmu, [f"der({name})" for name in own], [*own, *inputs])


def start_of(system: Any, seed: int, stem: str, u: Any) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    q, qd = rng.uniform(-0.6, 0.6, (2, system.n))
    names = [name.replace(" ", "_") for name in system.joint_names]
    values = {f"q.{name}": x for name, x in zip(names, q, strict=True)}
    values |= {f"qd.{name}": x for name, x in zip(names, qd, strict=True)}
    return values | {f"{stem}.{name}": x for name, x in u.items()}


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_they_are_those_of_the_linear_model(tmp_path: Path, version: str) -> None:
    arm = da.load("planar-2r").holding(da.Load(1.2, (0.1, 0.02, 0), (0.01, 0.02, 0.03)))
    q, qd, tau = [0.3, -0.4], [0.5, 0.7], [1.0, -0.2]
    start = {f"q.joint{k + 1}": q[k] for k in (0, 1)} | {f"qd.joint{k + 1}": qd[k] for k in (0, 1)}
    found = check(arm, tmp_path, start | {"tau.joint1": 1.0, "tau.joint2": -0.2}, version)
    model = arm.linearize(q, qd, tau)
    scale = np.abs(model.A).max()
    assert np.abs(found - np.hstack([model.A, model.B])).max() < 1e-12 * scale


def test_they_are_those_of_the_linear_model_under_voltages(tmp_path: Path) -> None:
    """Friction slides; currents are states."""
    system = da.load("irb6").driven
    q, qd, u = [0, 0.2, -0.1, 0.3, 0.1], [0.3, -0.2, 0.4, 0.5, -0.3], [8.0, -7.0, 6.0, 5.0, 4.0]
    current = [1.0, -2.0, 1.5, 0.5, 0.3]
    start = {f"q.joint{k + 1}": q[k] for k in range(5)} | {f"qd.joint{k + 1}": qd[k] for k in range(5)}
    start |= {f"current.motor{k + 1}": current[k] for k in range(5)}
    found = check(system, tmp_path, start | {f"voltage.motor{k + 1}": u[k] for k in range(5)}, input="voltage")
    torque = system.electric.torque(np.array(current))
    model = system.linearize(q, qd, system.to_joints(np.array(q), torque), input="voltage")
    assert np.abs(found[:10, :10] - model.A[:10, :10]).max() < 1e-11 * np.abs(model.A).max()
    assert found[10:, 15:] == pytest.approx(model.B[10:])


@pytest.mark.parametrize("seed", [4, 8])
def test_everything_an_arm_can_carry(tmp_path: Path, seed: int) -> None:
    system = laden(seed).driven
    motors = dict(zip(system.motor_names, np.linspace(-2, 3, len(system.motor_names)), strict=True))
    check(system, tmp_path, start_of(system, seed, "motor", motors), saturate=False)


def test_what_is_held_stays_held(tmp_path: Path) -> None:
    """Joints that stick or lean on a stop have no acceleration, and the load that holds them follows the input."""
    system = rubbing(da.load("planar-2r"), da.Friction.of(30.0, 40.0, 0.1))
    found = check(system, tmp_path, {"q.joint1": 0.3, "q.joint2": 0.2})
    assert not found[2:].any()
    block = rubbing(slider(lower=-0.1, upper=0.05), da.Friction.of(1.0, 3.0, 0.5))
    da.write_fmu(block, tmp_path / "block.fmu", stops=True)
    with imported(tmp_path / "block.fmu", True, tmp_path / "y") as fmu:
        fmu.initialise({"q.rail": 0.05, "motor.drive0": 4.0})
        assert slopes(fmu, ["der(qd.rail)", "held.rail"], ["motor.drive0"]) == pytest.approx(np.array([[0.0], [-1.0]]))


def test_a_mechanism_whose_contacts_turn_with_the_pose(tmp_path: Path) -> None:
    """One contact sticks while others slide, and the rows of all of them vary."""
    plain = gallery.five_bar()
    chains = {}
    for k, (name, arm) in enumerate(plain.parts.chains.items()):
        first, second = (joint.name for joint in arm.joints if joint.moves)
        rubs = (da.Friction.of(0.02, 0.03, 0.01), da.Friction.of(50.0 * k + 0.02, 60.0 * k + 0.05, 0.01))
        motors = (da.Actuator.of("motor", {first: 20}), da.Actuator.of("idle", {second: 1}))
        chains[name] = replace(arm, drives=da.DriveTrain(motors, joint_friction=((first, rubs[0]), (second, rubs[1]))))
    system = plain._with(chains=chains, coordinates=plain.coordinates, home=plain.home).driven.as_system(motors=True)
    q = system.near[[0, 2]] + 0.02
    start = {"q.left_joint1": q[0], "q.right_joint1": q[1], "motor.left_motor": 0.3, "motor.right_motor": 0.2}
    check(system, tmp_path, start)
    with imported(tmp_path / "system.fmu", True, tmp_path / "z") as fmu:
        fmu.initialise(start)
        assert sorted(np.abs(fmu.get(*fmu.named("slides.")))) == [0, 1, 1, 1]


def test_limits_cut_the_derivative_too_and_what_has_none_is_refused(tmp_path: Path) -> None:
    system = da.load("irb6").driven
    system.write_fmu(tmp_path / "arm.fmu", saturate=True)
    with imported(tmp_path / "arm.fmu", True, tmp_path / "x") as fmu:
        motors = [v.name for v in fmu.description.modelVariables if v.causality == "input"]
        fmu.initialise({motors[0]: 1e6, motors[2]: -1e6, "qd.joint1": 0.1})
        found = slopes(fmu, [f"motor_torque.motor{k}" for k in (1, 2, 3)], motors[:3])
        assert found.tolist() == [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
        gravity, rate = (fmu.by_name[name].valueReference for name in ("gravity.z", "der(qd.joint1)"))
        for unknown, known in ((rate, gravity), (gravity, rate)):
            with pytest.raises(FMICallException):
                fmu.fmu.getDirectionalDerivative([unknown], [known], [1.0])

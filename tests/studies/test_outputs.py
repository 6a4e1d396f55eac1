"""Outputs of batches against the definitions, with systems that have the numbers of each design."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.studies.evaluator import Evaluator
from dalembert.studies.factors import FactorSet, factors_of
from dalembert.studies.outputs import Output

FACTORS = {"link.link2.mass": (12.0, 20.0), "load.mass": (0.0, 2.0), "motor.motor2.ratio.joint2": (80.0, 120.0)}


@pytest.fixture(scope="module")
def motion() -> object:
    path = da.quintic([np.zeros(6), [1, -0.8, 1.4, 0.5, 0.5, 1]], 1.0)
    t = np.linspace(0, 1, 41)
    from dalembert.design.motion_samples import MotionSamples

    return MotionSamples("m", path.position(t), path.velocity(t), path.acceleration(t), t)


@pytest.fixture(scope="module")
def driven() -> object:
    return da.load("puma560", physical="ignore").driven


def evaluator(system: object, motion: object, *outputs: Output) -> Evaluator:
    return Evaluator(FactorSet(system, factors_of(FACTORS)), outputs, motion)  # type: ignore[arg-type]


def test_peaks_energy_and_inertia_are_those_of_the_system_with_these_numbers(driven: object, motion: object) -> None:
    kinds = (
        "peak_torque",
        "rms_torque",
        "peak_motor_torque",
        "energy",
        "peak_gravity",
        "peak_inertia",
        "peak_coupling",
    )
    ask = evaluator(driven, motion, *map(Output, kinds))
    designs = np.array([[13.0, 0.5, 90.0], [19.0, 2.0, 110.0]])
    found = ask.evaluate(designs)
    assert found.failures == ("", "")
    for design, row in zip(designs, found.values, strict=True):
        system = ask.design(design)
        tau = system.inverse_dynamics(motion.q, motion.qd, motion.qdd)
        mass = system.mass_matrix(motion.q)
        k = np.abs(mass) / np.sqrt(np.einsum("tii,tjj->tij", mass, mass)) - np.eye(6)
        power = np.maximum(tau * motion.qd, 0).sum(axis=1)
        right = [
            *np.abs(tau).max(axis=0),
            *np.sqrt(np.trapezoid(tau**2, motion.t, axis=0)),
            *np.abs(system.motor_torques(motion.q, motion.qd, motion.qdd)).max(axis=0),
            np.trapezoid(power, motion.t),
            *np.abs(system.gravity_load(motion.q)).max(axis=0),
            *np.einsum("tii->ti", mass).max(axis=0),
            k.max(),
        ]
        np.testing.assert_allclose(row, right, rtol=1e-9, atol=1e-12)


def test_peak_torques_are_those_that_pinocchio_finds_for_each_design() -> None:
    pin = pytest.importorskip("pinocchio")
    arm = da.load("puma560", physical="ignore")
    model = pin.buildModelFromXML(arm.write_urdf())
    data = model.createData()
    path = da.quintic([np.zeros(6), [1, -0.8, 1.4, 0.5, 0.5, 1]], 1.0)
    t = np.linspace(0, 1, 21)
    found = da.study(
        arm, {"link.link2.mass": (12.0, 20.0), "link.link3.com.y": (-0.1, 0.1)}, ["peak_torque"], samples=5,
        motion=(path.position(t), path.velocity(t), path.acceleration(t)),
    )  # fmt: skip
    for design, row in zip(found.designs, found.values, strict=True):
        for name, change in (("link2", {"mass": design[0]}), ("link3", {"lever_y": design[1]})):
            frame = model.frames[model.getFrameId(name)]
            body = model.inertias[frame.parentJoint]
            place = frame.placement
            own = place.actInv(body)
            lever = np.array(own.lever)
            lever[1] = change.get("lever_y", lever[1])
            model.inertias[frame.parentJoint] = place.act(pin.Inertia(change.get("mass", own.mass), lever, own.inertia))
        tau = [pin.rnea(model, data, *(f(x) for f in (path.position, path.velocity, path.acceleration))) for x in t]
        np.testing.assert_allclose(row, np.abs(tau).max(axis=0), rtol=1e-9)


def test_at_its_cycle_time_a_motion_meets_a_limit_and_exceeds_none(driven: object, motion: object) -> None:
    ask = evaluator(driven, motion, Output("cycle_time"))
    design = np.array([[15.0, 1.0, 100.0]])
    time = ask.evaluate(design).values[0, 0]
    system, pace = ask.design(design[0]), ask.duration / time
    tau = system.inverse_dynamics(motion.q, pace * motion.qd, pace**2 * motion.qdd)
    uses = [*(np.abs(tau).max(axis=0) / system.effort_limits)]
    uses += [*(pace * np.abs(motion.qd).max(axis=0) / system.velocity_limits)]
    assert max(uses) == pytest.approx(1, abs=1e-6)


def test_the_natural_frequency_of_a_hanging_pendulum_is_that_of_the_book() -> None:
    arm = da.load("""
name = "pendulum"
[[joints]]
name = "swing"
type = "revolute"
rpy = ["90 deg", 0, 0]
link = {name = "bob", mass = 2, com = [0, -0.5, 0], inertia = [0.1, 0.1, 0.1]}
""")
    found = da.study(
        arm, {"link.bob.mass": (1.0, 3.0)}, [Output("natural_frequency", options={"pose": [0.0], "stiffness": 3.0})],
        design="grid", samples=3,
    )  # fmt: skip
    for mass, low, high in np.column_stack([found.designs, found.values]):
        right = np.sqrt((mass * 9.81 * 0.5 + 3.0) / (0.1 + mass * 0.25)) / (2 * np.pi)
        assert low == pytest.approx(right)
        assert high == pytest.approx(right)


def test_certified_ranges_and_reduced_models_of_each_design() -> None:
    arm = da.load("jpl-rrp", physical="ignore")
    outputs = [
        Output("range", "D11", options={"coefficient": "D11"}),
        Output("coupling"),
        Output("reduced_model", options={"tolerance": 0.1, "effort": 0.2}),
    ]
    found = da.study(arm, {"load.mass": (0.0, 1.8)}, outputs, design="grid", samples=2)
    for mass, row in zip(found.column("load.mass"), found.values, strict=True):
        ask = arm.holding(da.Load(mass=float(mass))).analysis() if mass else arm.analysis()
        right = ask.range_of("D11")
        np.testing.assert_allclose(row[:4], [right.minimum, right.maximum, right.lower, right.upper], rtol=1e-9)
        assert row[4] == pytest.approx(ask.coupling()[0].largest, rel=1e-6)
        assert row[6] > 0
    assert dict(found.outputs)["D11.maximum"] == "kg m²"


def test_what_an_output_cannot_be_is_refused(driven: object, motion: object) -> None:
    with pytest.raises(ArmError, match="no output 'torque'"):
        Output("torque")
    with pytest.raises(ArmError, match="no option 'pose'"):
        Output("energy", options={"pose": 1})
    with pytest.raises(ArmError, match="no joint 'elbow'"):
        evaluator(driven, motion, Output("peak_torque", joints=("elbow",)))
    with pytest.raises(ArmError, match="along a motion"):
        evaluator(driven, None, Output("energy"))
    with pytest.raises(ArmError, match="two outputs are called"):
        evaluator(driven, motion, Output("energy"), Output("energy"))
    with pytest.raises(ArmError, match="drives"):
        evaluator(da.load("puma560", physical="ignore"), motion, Output("peak_motor_torque")).prepare()

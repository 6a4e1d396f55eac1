"""Outputs of batches against the definitions, with systems that have the numbers of each design."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh

import dalembert as da
from dalembert.arm.description_numbers import with_numbers
from dalembert.arm.errors import ArmError
from dalembert.studies.evaluator import DesignEvaluator
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


def evaluator(system: object, motion: object, *outputs: Output) -> DesignEvaluator:
    return DesignEvaluator(FactorSet(system, factors_of(FACTORS)), outputs, motion)  # type: ignore[arg-type]


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
    path = da.quintic([np.zeros(6), [1, -0.8, 1.4, 0.5, 0.5, 1]], 1.0)
    t = np.linspace(0, 1, 21)
    states = [path.position(t), path.velocity(t), path.acceleration(t)]
    factors = {"link.link2.mass": (12.0, 20.0), "link.link3.com.y": (-0.1, 0.1), "length.a2": (0.3, 0.5)}
    found = da.study(arm, factors, ["peak_torque"], samples=4, motion=states)
    for design, row in zip(found.designs, found.values, strict=True):
        changed = with_numbers(arm, dict(zip(factors, map(float, design), strict=True)))
        model = pin.buildModelFromXML(changed.write_urdf())
        # The mass is changed over there as well: only the centre and the length come by way of this package.
        body = model.inertias[model.getJointId("joint2")]
        model.inertias[model.getJointId("joint2")] = pin.Inertia(design[0], body.lever, body.inertia)
        data = model.createData()
        tau = [pin.rnea(model, data, *state) for state in zip(*states, strict=True)]
        np.testing.assert_allclose(row, np.abs(tau).max(axis=0), rtol=1e-9)


def test_at_its_cycle_time_a_motion_meets_a_limit_and_exceeds_none(driven: object, motion: object) -> None:
    ask = evaluator(driven, motion, Output("cycle_time"))
    design = np.array([[15.0, 1.0, 100.0]])
    time = ask.evaluate(design).values[0, 0]
    system, pace = ask.design(design[0]), ask.duration / time
    tau = system.inverse_dynamics(motion.q, pace * motion.qd, pace**2 * motion.qdd)
    uses = [*(np.abs(tau).max(axis=0) / system.effort_limits)]
    uses += [*(pace * np.abs(motion.qd).max(axis=0) / system.velocity_limits)]
    state = motion.q, pace * motion.qd, pace**2 * motion.qdd
    uses += [*(np.abs(system.electric.currents(*state)).max(axis=0) / system.electric.largest_current)]
    uses += [*(np.abs(system.electric.voltages(*state)).max(axis=0) / system.electric.supply)]
    assert max(uses) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("name", ["puma560", "irb6", "jpl-rrp"])
def test_a_path_in_its_cycle_time_uses_the_first_limit_of_its_requirements_whole(name: str) -> None:
    """Joints, currents and supplies, factors of motors among them; inductance, which needs jerk, apart."""
    driven = da.load(name, physical="ignore").driven
    motors = tuple(replace(x, motor=replace(x.motor, inductance=0.0)) for x in driven.drives.actuators)
    driven = replace(driven, drives=replace(driven.drives, actuators=motors))
    n, (ratio, _) = driven.n, driven.drives.actuators[1].ratios[0]
    points = [np.full(n, 0.1), np.full(n, 0.5)]
    present = float(dict(motors[1].ratios)[ratio])
    factors = {
        "load.mass": {"values": (0.0, 1.0)},
        f"motor.{motors[1].name}.supply": {"values": (12.0, 30.0)},
        f"motor.{motors[1].name}.ratio.{ratio}": {"values": (present, 1.5 * present)},
    }
    found = da.study(driven, factors, ["cycle_time"], motion=da.quintic(points, 1.0), design="grid", samples=2)
    assert len(set(np.round(found.values[:, 0], 9))) > 1
    for design, (time,) in zip(found.designs, found.values, strict=True):
        system = with_numbers(driven, dict(zip(factors, map(float, design), strict=True)))
        uses = da.requirements(system, da.quintic(points, time), 501).uses
        assert next(use for use in uses if "position" not in use.what).share == pytest.approx(1, abs=1e-6)


def test_a_motor_without_resistance_ends_the_pace_where_its_back_emf_is_its_supply() -> None:
    """C_E N max|qd| / T = V, whatever its torque."""
    motor = da.Motor(0.1, supply=24.0, largest_current=1e6)
    arm = da.load("planar-2r").locked({"joint2": 0.0}).with_gravity((0, 0, 0))
    system = arm.with_drives(da.DriveTrain([da.Actuator.of("m1", {"joint1": 50}, motor=motor)]))
    path = da.quintic([[0.0], [1.0]], 1.0)
    found = da.study(system, {"load.mass": (0, 1)}, ["cycle_time"], motion=path, samples=2)
    np.testing.assert_allclose(found.values, 15 / 8 * 0.1 * 50 / 24, rtol=1e-3)


def test_motors_whose_share_of_a_joint_is_not_determined_have_no_cycle_time_unless_they_have_no_limits() -> None:
    arm = da.load("planar-2r")
    limits = [replace(joint, limits=replace(joint.limits, velocity=2.0)) for joint in arm.joints]
    arm = replace(arm, joints=tuple(limits))
    path = da.quintic([[0, 0], [1, 1]], 1.0)
    names = "joint1", "joint2", "joint2"
    for stall in (None, 5.0):
        motors = tuple(da.Actuator.of(f"m{k}", {name: 50}, stall=stall) for k, name in enumerate(names))
        helped = arm.with_drives(da.DriveTrain(motors))
        if stall is None:
            assert np.isfinite(da.study(helped, {"load.mass": (0, 1)}, ["cycle_time"], motion=path, samples=1).values)
            continue
        with pytest.raises(ArmError, match="3 motors drive 2 coordinates"):
            da.study(helped, {"load.mass": (0, 1)}, ["cycle_time"], motion=path, samples=1)


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


def test_a_turn_that_nothing_holds_has_the_frequency_zero_and_fails_no_design() -> None:
    """About the vertical no weight acts; what rounding leaves of that had a sign, and with it a design could fail."""
    arm = da.load("puma560", physical="ignore")
    factors = {"link.link2.mass": (10.0, 20.0), "link.link3.com.y": (-0.1, 0.1), "length.a2": (0.4, 0.5)}
    for pose in np.random.default_rng(0).uniform(-3, 3, (4, 6)):
        held = Output("natural_frequency", options={"pose": pose, "stiffness": [0, 100, 100, 100, 100, 100]})
        found = da.study(arm, factors, [held], samples=64)
        assert found.reasons == ()
        assert found.column("natural_frequency.lowest").tolist() == [0.0] * 64
        system = with_numbers(arm, dict(zip(factors, found.designs[0].tolist(), strict=True)))
        to_q = system.inverse_dynamics_derivatives(pose, 0 * pose, 0 * pose)[0] + np.diag([0, *[100] * 5])
        squares = eigh((to_q + to_q.T) / 2, system.mass_matrix(pose), eigvals_only=True)
        assert found.values[0, 1] == pytest.approx(np.sqrt(squares[-1]) / (2 * np.pi))


FOLLOWED = """<robot name="pair"><link name="base"/>
<link name="a"><inertial><mass value="2"/><origin xyz="0.1 0 0.2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><mass value="1"/><origin xyz="0 0.1 0.1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="900" velocity="20"/></joint>
<joint name="k" type="revolute"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/>
<mimic joint="j" multiplier="2" offset="0.1"/><limit lower="-9" upper="9" effort="9" velocity="2"/></joint></robot>"""


@pytest.mark.parametrize(
    ("number", "values"), [("joint.k.multiplier", (1.0, 2.0, -4.0)), ("joint.j.velocity", (0.5, 20.0))]
)
def test_a_cycle_time_keeps_the_speed_of_joints_that_follow(
    tmp_path: Path, number: str, values: tuple[float, ...]
) -> None:
    (tmp_path / "pair.urdf").write_text(FOLLOWED)
    arm = da.load(tmp_path / "pair.urdf", mimic="couple")
    path = da.quintic([[0.0], [0.4]], 1.0)
    fastest = path.velocity(np.linspace(0, 1, 501)).max()
    found = da.study(arm, {number: {"values": values}}, ["cycle_time"], motion=path, design="grid")
    for value, time in zip(values, found.values[:, 0], strict=True):
        multiplier = abs(value) if number == "joint.k.multiplier" else 2.0
        own_limit = value if number == "joint.j.velocity" else 20.0
        assert time == pytest.approx(fastest / min(own_limit, 2.0 / multiplier))


def test_a_limit_of_zero_which_stands_for_none_is_no_limit_of_a_design() -> None:
    driven = da.load("puma560", physical="ignore")
    limit = {"joint.joint2.effort": {"values": [0.0, 150.0]}}
    found = da.study(driven, limit, ["cycle_time"], motion=da.quintic([np.zeros(6), np.ones(6)], 1.0), design="grid")
    assert "joint.joint2.effort is zero" in found.failures[0]
    assert found.failures[1] == ""


def test_certified_ranges_of_each_design() -> None:
    arm = da.load("jpl-rrp", physical="ignore")
    output = Output("range", "D11", options={"coefficient": "D11"})
    found = da.study(arm, {"load.mass": (0.0, 1.8)}, [output], design="grid", samples=2)
    for mass, row in zip(found.column("load.mass"), found.values, strict=True):
        ask = arm.holding(da.Load(mass=float(mass))).analysis() if mass else arm.analysis()
        right = ask.range_of("D11")
        np.testing.assert_allclose(row[:4], [right.minimum, right.maximum, right.lower, right.upper], rtol=1e-9)
    assert dict(found.outputs)["D11.maximum"] == "kg m^2"


def test_operations_of_the_reduced_model_and_coupling_of_a_design() -> None:
    arm = da.load("jpl-rrp", physical="ignore").subarm(0, 1)
    outputs = [Output("reduced_model", options={"tolerance": 0.2, "effort": 0.05}), Output("coupling")]
    found = da.study(arm, {"load.mass": {"values": [5.0]}}, outputs, design="grid")
    system = with_numbers(arm, {"load.mass": 5})
    right, pairs = system.analysis(effort=0.05).reduce(0.2).after, system.analysis().coupling()
    assert found.values[0, :2].tolist() == [right.multiplications, right.additions]
    assert found.values[0, 3] == pytest.approx(pairs[0].largest if pairs else 0.0)


def test_what_an_output_cannot_be_is_refused(driven: object, motion: object) -> None:
    with pytest.raises(ArmError, match="no output 'torque'"):
        Output("torque")
    with pytest.raises(ArmError, match="no option 'pose'"):
        Output("energy", options={"pose": 1})
    with pytest.raises(ArmError, match="no joint 'elbow'"):
        evaluator(driven, motion, Output("peak_torque", joints=("elbow",)))
    with pytest.raises(ArmError, match="along a motion"):
        evaluator(driven, None, Output("energy"))
    with pytest.raises(ArmError, match="two columns are called"):
        evaluator(driven, motion, Output("energy"), Output("energy"))
    with pytest.raises(ArmError, match="one for each of 6 joints"):
        evaluator(driven, motion, Output("natural_frequency", options={"pose": [1.0, 2.0]}))
    with pytest.raises(ArmError, match="a study is of an arm"):
        da.study(object(), FACTORS, ["energy"])
    with pytest.raises(ArmError, match="drives"):
        evaluator(da.load("puma560", physical="ignore"), motion, Output("peak_motor_torque")).prepare()


def test_the_size_of_a_reduced_model_is_that_of_the_design_with_load_and_drives() -> None:
    system = da.load("irb6", physical="ignore").locked({"joint4": 0.0, "joint5": 0.0}).holding(da.Load(2.0)).driven
    output = Output("reduced_model", options={"tolerance": 0.1, "speed": 1.0, "effort": 0.2})
    found = da.study(system, {"load.mass": {"values": [5.0]}}, [output], design="grid")
    assert not any(found.failures)
    for design, row in zip(found.designs, found.values, strict=True):
        changed = with_numbers(system, {"load.mass": float(design[0])})
        model = changed.analysis(speed=1.0, effort=0.2).reduce(0.1)
        assert row[:2].tolist() == [model.after.multiplications, model.after.additions]
        assert row[2] == (model.bound / model.scale).max() <= 0.1


def test_the_error_of_a_model_is_the_largest_difference_to_the_designs_torques() -> None:
    system = da.load("planar-2r").holding(da.Load(1.0))
    motion = da.quintic([np.zeros(2), [1, -0.8]], 1.0)
    output = Output("model_error", options={"tolerance": 0.05})
    found = da.study(system, {"load.mass": (0.9, 1.1)}, [output], motion=motion, samples=3)
    t = np.linspace(0, 1, 501)
    states = motion.position(t), motion.velocity(t), motion.acceleration(t)
    model = system.analysis().reduce(0.05).inverse_dynamics(*states)
    for design, row in zip(found.designs, found.values, strict=True):
        tau = with_numbers(system, {"load.mass": float(design[0])}).inverse_dynamics(*states)
        np.testing.assert_allclose(row, np.abs(tau - model).max(axis=0), rtol=1e-9, atol=1e-12)


def test_a_reduced_model_itself_is_no_system_of_a_study() -> None:
    model = da.load("planar-2r").analysis().reduce(0.05)
    with pytest.raises(ArmError, match=r"reduced_model .each design reduced anew. or model_error"):
        da.study(model, {"load.mass": (0, 1)}, ["reduced_model"])


def test_designs_out_of_order_and_loads_of_no_body_are_kept_with_the_reason() -> None:
    arm = da.load("panda").subarm(0, 1)
    low = {"joint.joint1.lower": {"values": [-1.0, 3.0]}}
    found = da.study(arm, low, [Output("range", options={"coefficient": "D11"})], design="grid", samples=2)
    assert [bool(x) for x in found.failures] == [False, True]
    assert "joint.joint1.upper is below joint.joint1.lower" in found.failures[1]
    heavy = {"load.inertia.xx": {"values": [0.0, 0.1]}}
    found = da.study(arm, heavy, ["natural_frequency"], design="grid", samples=2)
    assert "load.inertia is that of no body" in found.failures[1]


def test_a_product_of_inertia_of_a_load_that_is_none_is_kept_with_the_reason() -> None:
    """Designs are judged each by its numbers, and not all by an input that is never zero by itself."""
    arm = da.load("panda").subarm(0, 1)
    found = da.study(
        arm, {"load.inertia.xy": {"values": [0.0, 0.1]}}, ["peak_gravity"], design="grid", samples=2,
        motion=[np.zeros((2, 2))] * 3,
    )  # fmt: skip
    assert found.failures[0] == ""
    assert "load.inertia is that of no body" in found.failures[1]


def test_a_reduction_that_is_interrupted_ends_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends a reduction with the model so far; as an output that would be another answer than the next time."""
    arm = da.load("planar-2r")
    early = replace(arm.analysis().reduce(0.05), interrupted=True)
    monkeypatch.setattr("dalembert.design.analysis.Analysis.reduce", lambda *_: early)
    with pytest.raises(KeyboardInterrupt):
        da.study(arm, {"load.mass": (0, 1)}, ["reduced_model"], samples=1)


def test_a_motion_that_no_pace_brings_to_a_limit_has_no_cycle_time() -> None:
    arm = da.load("planar-2r")
    joints = tuple(
        replace(x, limits=replace(x.limits, effort=1e12 if x.name == "joint1" else 50.0)) for x in arm.joints
    )
    strong = replace(arm, joints=joints)
    path = da.quintic([[0, 0], [1, 0]], 1.0)
    ends = {"joint.joint2.effort": {"values": [50.0, 1e12]}}
    found = da.study(strong, ends, ["cycle_time"], motion=path, design="grid")
    assert np.isfinite(found.values[:, 0]).tolist() == [True, False]
    assert "within all of them far faster" in found.failures[1]
    turning = replace(
        strong, joints=tuple(replace(x, limits=replace(x.limits, velocity=2.0)) for x in joints[:1]) + joints[1:]
    )
    mixed = da.study(turning, {"load.mass": (0, 0.1)}, ["cycle_time"], motion=path, samples=2)
    assert (mixed.values >= path.velocity(np.linspace(0, 1, 501)).max() / 2 * (1 - 1e-9)).all()


def test_peak_motor_torques_are_of_the_motors_that_are_named(driven: object, motion: object) -> None:
    designs = np.array([[15.0, 1.0, 100.0]])
    named = evaluator(driven, motion, Output("peak_motor_torque", joints=("motor3", "motor1")))
    every = evaluator(driven, motion, Output("peak_motor_torque"))
    assert [name for name, _ in named.columns] == ["peak_motor_torque.motor3", "peak_motor_torque.motor1"]
    assert named.evaluate(designs).values.tolist() == every.evaluate(designs).values[:, [2, 0]].tolist()
    with pytest.raises(ArmError, match="there is no motor 'joint1'; there are motor1"):
        evaluator(driven, motion, Output("peak_motor_torque", joints=("joint1",)))

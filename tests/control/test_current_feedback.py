"""State feedback that sees the currents of the motors (Freeman 1985, eq. 2-241), of arms and of mechanisms."""

import numpy as np
import pytest
from scipy.linalg import expm

import dalembert as da
from mechanisms.test_linear_models import driven_five_bar
from mechanisms.test_springs import four_bar


def arm_with_motors() -> da.DrivenArm:
    rod = {"a": 0.4, "mass": 1.0, "com": (-0.2, 0, 0), "inertia": (0, 0.0133, 0.0133)}
    arm = da.Arm.from_dh([rod, rod], name="two rods", gravity=(0, -9.81, 0))
    motors = [
        da.Actuator.of(
            f"m{k}", {joint: 40}, rotor=da.Rotor.of(2e-5), friction=da.Friction(viscous=1e-4),
            motor=da.Motor(0.05, resistance=1.0, inductance=2e-2),
        )
        for k, joint in enumerate(arm.joint_names)
    ]  # fmt: skip
    return arm.with_drives(da.DriveTrain(tuple(motors)))


def bar_with_motors() -> da.MechanismSystem:
    return driven_five_bar().compiled().as_system(motors=True)


def reference(system) -> object:
    start = np.zeros(2) if isinstance(system, da.DrivenArm) else system.mechanism.coordinates_of(system.near)
    return da.quintic([start, start + np.array([0.3, -0.2])], 0.4)


@pytest.mark.parametrize("make", [arm_with_motors, bar_with_motors])
def test_nominal_voltages_drive_along_the_reference_currents_and_all(make):
    system = make()
    path = reference(system)
    control = da.tracking_lqr(system, path, q=1.0, r=1.0, knots=2, input="voltage")
    electric = control.electric
    start = path.state(0.0)
    currents = electric.currents(*start)
    on = da.simulate(
        system, control, start[0], start[1], 0.05, input="voltage", currents=currents, samples=3, rtol=1e-6
    )
    wanted = np.array([path.position(t) for t in on.t])
    assert np.abs(on.q - wanted).max() < 1e-9 < np.abs(wanted[-1] - wanted[0]).max()


@pytest.mark.parametrize("make", [arm_with_motors, bar_with_motors])
def test_the_closed_loop_with_currents_has_the_poles_of_its_linear_model(make):
    """Held at a point, a small deviation of all states decays by exp((A - B K) t), currents fed back."""
    system = make()
    q = reference(system).position(0.0)
    held = da.quintic([q, q], 1.0)
    control = da.tracking_lqr(system, held, q=1.0, r=1.0, knots=2, input="voltage")
    model = system.linearize(q, input="voltage")
    loop = model.A - model.B @ control.gains[0]
    assert np.linalg.eigvals(loop).real.max() < 0
    size = 1e-5
    away = size * np.array([1.0, -0.5, 0.3, 0.2, 40.0, -30.0])
    rest = np.zeros(2)
    currents = control.electric.currents(q, rest, rest)
    motion = da.simulate(
        system, control, q + away[:2], away[2:4], 0.003, input="voltage", currents=currents + away[4:], samples=4,
        rtol=1e-9, atol=1e-13,
    )  # fmt: skip
    for t, place, speed, current in zip(motion.t, motion.q, motion.qd, motion.others["current"], strict=True):
        found = np.r_[place - q, speed, current - currents]
        expected = expm(loop * t) @ away
        assert np.abs(found - expected).max() < 1e-3 * np.abs(expected).max()


def test_a_mechanism_under_motor_torques_moves_as_under_the_loads_they_give():
    bar = driven_five_bar()
    motors, loads = bar.as_system(motors=True), bar.as_system()
    q = bar.coordinates_of(bar.home)
    torque = np.array([0.004, -0.002])
    driven = da.simulate(motors, torque, q, duration=0.1, samples=3, rtol=1e-10)
    plain = da.simulate(loads, 60 * torque, q, duration=0.1, samples=3, rtol=1e-10)
    assert np.abs(driven.q - plain.q).max() < 1e-8
    assert driven.input_names == ("left.m0", "right.m1")
    qd, qdd = np.array([0.3, 0.2]), np.array([1.0, -2.0])
    # whoever closes the loop elsewhere has the same motors: F_a = (N X)^-T T_q
    seen = bar.with_coordinates(["left.joint2", "right.joint2"])
    rates = np.linalg.solve(seen.influence(bar.home).first[[0, 2]], qd)
    phi_rate = bar.influence(bar.home).first @ qd
    assert phi_rate[[1, 3]] == pytest.approx(rates)
    accelerations = bar.joint_motion(bar.home, qd, qdd)[1][[1, 3]]
    other = seen.as_system(motors=True)
    assert other.motor_torques(seen.coordinates_of(bar.home), rates, accelerations) == pytest.approx(
        motors.motor_torques(q, qd, qdd), rel=1e-8
    )
    step = 1e-6
    found = other.transmission_slopes(seen.coordinates_of(bar.home))
    for k, e in enumerate(step * np.eye(2)):
        at = seen.coordinates_of(bar.home)
        assert (other.transmission(at + e) - other.transmission(at - e)) / (2 * step) == pytest.approx(
            found[..., k], abs=1e-4
        )


def test_a_motor_at_a_closing_joint_drives_by_its_voltage():
    motor = da.Actuator.of(
        "m", {"rz(pin)": 40}, rotor=da.Rotor.of(3e-4), friction=da.Friction(viscous=2e-4),
        motor=da.Motor(0.05, resistance=1.0, inductance=1e-2),
    )  # fmt: skip
    system = four_bar("coupler", drives=[motor]).as_system(motors=True)
    start = system.mechanism.coordinates_of(system.near)
    path = da.quintic([start, start + 0.05], 0.05)
    control = da.tracking_lqr(system, path, 1.0, 1.0, knots=2, input="voltage")
    begin = path.state(0.0)
    motion = da.simulate(
        system, control, *begin[:2], 0.02, input="voltage", currents=control.electric.currents(*begin), samples=4
    )
    assert np.abs(motion.q[-1] - path.position(0.02)).max() < 1e-7


def test_who_sees_currents_needs_voltages_and_motors_as_many_as_freedoms():
    driven = arm_with_motors()
    path = reference(driven)
    control = da.tracking_lqr(driven, path, knots=2, input="voltage")
    with pytest.raises(da.ArmError, match="sees currents"):
        driven.simulate(control, [0, 0], duration=0.1)
    with pytest.raises(da.ArmError, match="needs a system with motors"):
        da.tracking_lqr(driven.arm, path, input="voltage")
    with pytest.raises(da.ArmError, match='"voltage", or left out for torques'):
        da.tracking_lqr(driven, path, input="current")
    for unserved in ({"friction": "none"}, {"width": 0.1}):
        with pytest.raises(da.ArmError, match="leave friction and width out"):
            da.tracking_lqr(driven, path, input="voltage", **unserved)
    with pytest.raises(da.ArmError, match="no motor of its chains counts"):
        driven_five_bar().without_drives().as_system(motors=True)
    sampled = driven.simulate(control, path.position(0.0), duration=0.02, input="voltage", period=0.005, samples=3)
    assert np.isfinite(sampled.q).all()

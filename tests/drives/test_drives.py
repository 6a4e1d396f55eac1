"""Drives: direct and inverse problem, Szkodny's formulas, approximations and their error, motors, bad input."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.drives import Actuator, DriveTrain, Element, Friction, Motor, Rotor, from_joints, with_locked_rotors
from dalembert.arm.errors import ArmError
from dalembert.arm.io.toml_drives import built_in_drives, read_drives_text
from dalembert.drives.approximations import compare, measure
from dalembert.drives.driven import Driven
from dalembert.drives.effective_inertia import effective_inertia, inertia_range, motor_mass_matrix
from dalembert.drives.friction import Shafts, resultant
from dalembert.drives.szkodny import printed_on_axis, printed_terms

DRIVEN = ("puma560", "jpl-rrp", "irb6")


def driven_arm(name: str) -> Driven:
    arm = da.load(name, physical="ignore")
    train = built_in_drives(name, arm)
    assert train is not None
    return Driven(with_locked_rotors(arm, train), train)


@pytest.fixture(params=DRIVEN)
def driven(request) -> Driven:
    return driven_arm(request.param)


def states(n: int, count: int = 20, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, (3, count, n))


def test_direct_and_inverse_problem_of_the_drives_undo_each_other(driven):
    """(13), (19)-(21), moving friction on."""
    q, qd, qdd = states(driven.n)
    torque = driven.motor_torques(q, qd, qdd)
    assert driven.forward_dynamics(q, qd, torque) == pytest.approx(qdd, rel=1e-9, abs=1e-9)
    power = np.sum(driven.motor_velocities(q, qd) * driven.motor_torques(q, qd, qdd, friction=False), axis=-1)
    assert power == pytest.approx(np.sum(qd * driven.inverse_dynamics(q, qd, qdd), axis=-1), rel=1e-10)


def test_derivatives_of_links_and_rotors_are_those_of_finite_differences(driven):
    q, qd, qdd = (x[0] for x in states(driven.n))
    found = driven.inverse_dynamics_derivatives(q, qd, qdd)
    for k, arguments in enumerate(((1, 0, 0), (0, 1, 0), (0, 0, 1))):
        errors = []
        for step in (1e-3, 5e-4):
            columns = []
            for unit in np.eye(driven.n):
                shift = [a * step * unit for a in arguments]
                ahead = driven.inverse_dynamics(*(x + d for x, d in zip((q, qd, qdd), shift, strict=True)))
                behind = driven.inverse_dynamics(*(x - d for x, d in zip((q, qd, qdd), shift, strict=True)))
                columns.append((ahead - behind) / (2 * step))
            errors.append(np.abs(np.stack(columns, -1) - found[k]).max())
        size = np.abs(found[k]).max()
        assert errors[1] <= 1e-5 * size
        # the error of a central difference falls with the square of the step, down to rounding
        assert errors[1] <= errors[0] / 3.5 or errors[1] <= 1e-9 * size


@pytest.mark.parametrize("name", DRIVEN)
def test_szkodny_8_is_the_reflected_inertia_and_the_rotor_sums_of_9_and_12_vanish(name):
    arm = da.load(name, physical="ignore")
    driven = driven_arm(name)
    q = np.random.default_rng(0).uniform(-1, 1, arm.n)
    inertia, velocity = printed_terms(arm, driven.train, q)
    rough = driven.approximate("szkodny")
    without_elements = DriveTrain(driven.train.actuators)
    reflected = Driven(arm, without_elements).approximate("szkodny").mass_matrix(q) - arm.mass_matrix(q)
    assert inertia == pytest.approx(reflected, rel=1e-10, abs=1e-12)
    assert np.abs(velocity).max() <= 1e-13 * np.abs(inertia).max()
    assert rough.christoffel(q) == pytest.approx(driven.links.christoffel(q), abs=1e-15)
    own, on_axis = printed_on_axis(arm, driven.train, q)
    paul = driven.approximate("paul").mass_matrix(q) - driven.links.mass_matrix(q)
    assert own == pytest.approx(paul, rel=1e-10, abs=1e-12)
    assert np.abs(on_axis).max() <= 1e-13 * np.abs(own).max()


def test_what_the_approximations_leave_out_is_measured(driven):
    found = compare(driven, np.full(driven.n, -2.0), np.full(driven.n, 2.0), samples=100)
    assert set(found) == {"szkodny", "diagonal", "paul"}
    assert measure(driven, "exact", *states(driven.n)).worst == pytest.approx(np.zeros(driven.n), abs=0)
    for error in found.values():
        assert error.rms.max() > 0
        assert "%" in str(error)
    # more terms, less error
    assert found["szkodny"].rms.max() <= found["diagonal"].rms.max() + 1e-12
    assert found["diagonal"].inertia <= found["paul"].inertia + 1e-12


def test_gyroscopic_torques_of_the_puma_vanish_in_the_approximations_and_lead_at_the_last_joint():
    driven = driven_arm("puma560")
    q = np.array([0.3, 0.5, -0.4, 0.2, 0.6, 0.1])
    qd = np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])
    still = np.zeros(6)
    links = driven.links.inverse_dynamics(q, qd, still)
    exact = driven.inverse_dynamics(q, qd, still)
    gyroscopic = exact - links
    for name in ("szkodny", "diagonal", "paul"):
        assert driven.approximate(name).inverse_dynamics(q, qd, still) == pytest.approx(links, abs=1e-14)
    velocity = links - driven.gravity_load(q)
    # measured: up to 0.05 N m at the first joints, some percent of the velocity torque there; at the last joint,
    # where the links ask for next to nothing, several times that torque
    assert 0.01 < np.abs(gyroscopic).max() < 0.2
    assert abs(gyroscopic[5]) > 3 * abs(velocity[5])


def test_effective_inertia_lies_between_free_and_held_and_within_its_range(driven):
    q = states(driven.n, 50)[0]
    held, free = effective_inertia(driven, q), effective_inertia(driven, q, "free")
    assert (free <= held * (1 + 1e-12)).all()
    assert (free > 0).all()
    bounds = np.full(driven.n, -1.0), np.full(driven.n, 1.0)
    limits = inertia_range(driven, *bounds, samples=60)
    assert (limits.least <= held.min(axis=0) * (1 + 1e-9)).all()
    assert (limits.greatest >= held.max(axis=0) * (1 - 1e-9)).all() or (limits.ratio >= 1).all()
    at = effective_inertia(driven, limits.at_greatest)
    assert np.diagonal(at) == pytest.approx(limits.greatest)
    # rotors keep a floor under it: no less than their own inertia (Szkodny's argument for high ratios)
    matrix = motor_mass_matrix(driven, q[0])
    assert matrix == pytest.approx(matrix.T)


def test_bejczy_total_inertia_includes_the_input_inertia_of_the_drives():
    """Table 1: the least D11 with the drive is 1.417 + 0.953."""
    driven = driven_arm("jpl-rrp")
    reflected = driven.approximate("szkodny").mass_matrix(np.zeros(6)) - driven.links.mass_matrix(np.zeros(6))
    assert np.diagonal(reflected) == pytest.approx([0.953, 2.193, 0.782, 0.106, 0.097, 0.02], rel=1e-8)


def test_friction_laws_17_and_18():
    shafts = Shafts([Friction((0.2, 0.3), 0.5, 0.1)] * 5)
    driving = np.array([0.4, 0.6, -0.6, 1.0, -1.0])
    speed = np.array([0.0, 0.0, 0.0, 2.0, -2.0])
    printed = resultant(driving, speed, shafts)
    assert printed == pytest.approx([0.0, 0.1, -0.1, 1.0 - 0.2 - 0.2, -1.0 + 0.3 + 0.2])
    # held against a load: the resultant is the load itself, so nothing accelerates
    assert resultant(np.array([0.4]), np.zeros(1), Shafts([Friction((0, 0), 0.5)]), load=0.8) == pytest.approx([0.8])


@pytest.mark.parametrize("law", ["tanh", "root", "arctan"])
def test_smooth_friction_tends_to_the_law_and_has_the_slope_it_says(law):
    shafts = Shafts([Friction((0.2, 0.3), 0.5, 0.1)] * 3)
    speed = np.array([-1.0, 0.5, 2.0])
    assert shafts.smooth(speed, 1e-4, law) == pytest.approx(shafts.moving(speed), rel=1e-3)
    assert shafts.smooth(np.zeros(3), 0.1, law) == pytest.approx(np.zeros(3))
    step = 1e-6
    slope = (shafts.smooth(speed + step, 0.5) - shafts.smooth(speed - step, 0.5)) / (2 * step)
    assert shafts.smooth_slope(speed, 0.5) == pytest.approx(slope, rel=1e-6)


def test_nominal_current_rates_are_the_time_derivative_of_nominal_currents(driven):
    """(2-239) against (2-238) along a motion with known jerk."""
    rng = np.random.default_rng(4)
    a, b = rng.uniform(0.2, 1, (2, driven.n))

    def motion(t):
        return a * np.sin(b * t), a * b * np.cos(b * t), -a * b**2 * np.sin(b * t), -a * b**3 * np.cos(b * t)

    q, qd, qdd, jerk = motion(0.7)
    step = 1e-4
    ahead, behind = (driven.electric.currents(*motion(0.7 + s)[:3]) for s in (step, -step))
    assert driven.electric.current_rates(q, qd, qdd, jerk) == pytest.approx((ahead - behind) / (2 * step), rel=1e-5)
    electric = driven.electric
    voltage = electric.voltages(q, qd, qdd, jerk)
    wide = np.abs(voltage) <= electric.supply
    rate = electric.current_dynamics(q, qd, electric.currents(q, qd, qdd), voltage)
    assert rate[wide] == pytest.approx(electric.current_rates(q, qd, qdd, jerk)[wide], rel=1e-8)


def test_torque_is_limited_by_supply_speed_and_current():
    driven = driven_arm("puma560")
    low, high = driven.electric.torque_limits(np.zeros(6), np.zeros(6))
    assert high == pytest.approx(driven.electric.stall_torque)
    assert low == pytest.approx(-high)
    fast = np.array([2.0, 0, 0, 0, 0, 0])
    slower = driven.electric.torque_limits(np.zeros(6), fast)
    assert slower[1][0] >= high[0] - 1e-12  # the ratio of motor 1 is negative: it turns backward, and pushes more
    assert slower[0][0] > low[0]


def test_jpl_stall_torques_are_those_of_table_2():
    assert driven_arm("jpl-rrp").electric.stall_torque == pytest.approx(
        [0.918, 3.036, 98.7, 0.141, 0.141, 0.047], rel=1e-5
    )


def test_elements_between_motor_and_link_count_as_rotors_of_their_own(driven):
    """(15a): an element with the ratios of a motor adds as much as that motor's rotor would."""
    arm = driven.links
    first = driven.train.actuators[1]
    wheel = Element("wheel", first.ratios, first.rotor)
    with_wheel = Driven(arm, DriveTrain(driven.train.actuators, (*driven.train.elements, wheel)))
    q, qd, qdd = (x[0] for x in states(driven.n))
    once = with_wheel.inverse_dynamics(q, qd, qdd) - driven.inverse_dynamics(q, qd, qdd)
    alone = DriveTrain(
        tuple(Actuator(a.name, a.ratios, a.rotor if a is first else Rotor.of(0)) for a in driven.train.actuators)
    )
    only = Driven(arm, alone).inverse_dynamics(q, qd, qdd) - arm.inverse_dynamics(q, qd, qdd)
    assert once == pytest.approx(only, rel=1e-9, abs=1e-12)


def test_a_moving_base_is_one_more_joint():
    """Szkodny 1995, after (18): T_0 = A_0 in front of all; a base that does not move changes nothing."""
    arm = da.load("planar-2r")
    car = da.Link("carriage", da.Inertia.box(20, (1, 1, 1)))
    links = tuple(car if link.name == arm.base else link for link in arm.links)
    joints = tuple(replace(joint, parent="carriage") if joint.parent == arm.base else joint for joint in arm.joints)
    rail = da.Joint("rail", "prismatic", "ground", "carriage")
    carriage = da.Arm("on rails", (da.Link("ground"), *links), (rail, *joints), arm.gravity)
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 2))
    still = [np.r_[0.0, x] for x in (q, qd, qdd)]
    assert carriage.inverse_dynamics(*still)[1:] == pytest.approx(arm.inverse_dynamics(q, qd, qdd))
    rotor = Rotor.of("1e-4", "carriage", (1, 0, 0))
    train = DriveTrain(tuple(Actuator.of(f"m{k}", {name: 30}, rotor) for k, name in enumerate(carriage.joint_names)))
    assert Driven(carriage, train).mass_matrix(still[0]).shape == (3, 3)


def test_the_drives_of_a_file_come_from_its_armature_damping_and_friction():
    text = """<robot name="one"><link name="base"/><link name="tip"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="continuous"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/>
    <dynamics damping="0.3" friction="0.2"/></joint></robot>"""
    from dalembert.arm.io.urdf import read_urdf

    arm = da.Arm.of(read_urdf(text, "one.urdf"))
    driven = Driven(arm, from_joints(arm))
    assert driven.friction_torque([0.0], [2.0]) == pytest.approx([0.2 + 0.6])
    assert driven.friction_torque([0.0], [-2.0]) == pytest.approx([-0.8])


BAD = {
    "singular": (DriveTrain((Actuator.of("a", {"joint1": 5}), Actuator.of("b", {"joint1": 3}))), "singular.*joint2"),
    "no such link": (
        DriveTrain((Actuator.of("a", {"joint1": 5}, Rotor.of(1, "nowhere")), Actuator.of("b", {"joint2": 3}))),
        "motor 'a'.*link 'nowhere'",
    ),
    "no such joint": (DriveTrain((Actuator.of("a", {"elbow": 5}), Actuator.of("b", {"joint2": 3}))), "elbow"),
    "too few": (DriveTrain((Actuator.of("a", {"joint1": 5}),)), "1 motors drive 2 joints"),
    "negative friction": (
        DriveTrain((Actuator.of("a", {"joint1": 5}, friction=Friction((-0.1, 0.2))), Actuator.of("b", {"joint2": 3}))),
        "motor 'a'.*friction.*-0.1",
    ),
    "starting below moving": (
        DriveTrain((Actuator.of("a", {"joint1": 5}, friction=Friction((1, 1), 0.5)), Actuator.of("b", {"joint2": 3}))),
        "starting friction 0.5 is below",
    ),
    "no torque constant": (
        DriveTrain((Actuator.of("a", {"joint1": 5}, motor=Motor(0.0)), Actuator.of("b", {"joint2": 3}))),
        "torque constant",
    ),
}


@pytest.mark.parametrize("fault", BAD)
def test_impossible_drives_are_refused_by_name(fault):
    train, said = BAD[fault]
    with pytest.raises(ArmError, match=said):
        Driven(da.load("planar-2r"), train)


def test_motors_without_electric_data_are_named():
    arm = da.load("planar-2r")
    with pytest.raises(ArmError, match="no electric data for motor of joint1"):
        _ = Driven(arm, from_joints(arm)).electric


def test_an_unknown_key_in_a_drive_file_is_refused_with_the_file_and_a_hint():
    arm = da.load("planar-2r")
    with pytest.raises(ArmError, match=r"x.toml.*frcition.*did you mean 'friction'"):
        read_drives_text('[[motors]]\nname = "a"\nratios = {joint1 = 1}\nfrcition = {}\n', "x.toml", arm)


def test_locked_joints_drop_out_of_the_transmission():
    arm = da.load("puma560", physical="ignore")
    train = built_in_drives("puma560", arm)
    locked = arm.locked({"joint4": 0.0})
    rows = np.array(train.rows(locked), dtype=float)
    assert rows.shape == (6, 5)
    assert rows[4, 3] == pytest.approx(71.923)


def test_armature_damping_and_friction_of_an_mjcf_file_are_drives():
    from dalembert.arm.io.mjcf import read_mjcf

    text = """<mujoco><worldbody><body name="tip"><joint name="j" type="hinge" axis="0 0 1" armature="0.4"
    damping="0.3" frictionloss="0.2"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody>
    </mujoco>"""
    arm = da.Arm.of(read_mjcf(text, "one.xml"))
    driven = Driven(arm, from_joints(arm))
    assert driven.mass_matrix([0.0]) == pytest.approx(arm.mass_matrix([0.0]) + 0.4)
    assert driven.friction_torque([0.0], [2.0]) == pytest.approx([0.2 + 0.6])

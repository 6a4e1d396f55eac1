"""Trajectories, controllers, gains from linear models, and Bejczy's servo."""

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.control.controllers import ComputedTorque, OperationalSpace, PDGravity, ServoFollowingInertia
from dalembert.control.gains import linear_at, lqr, place, tracking_lqr, tracking_poles
from dalembert.control.requirements import requirements
from dalembert.control.trajectories import quintic, random_excitation, trapezoidal
from dalembert.simulation.plant import plant_of
from simulated import simulate


def driven_arm(name: str) -> da.DrivenArm:
    return da.load(name, physical="ignore").driven


TRAJECTORIES = {
    "quintic": quintic([[0, 0.1], [1.0, -0.5], [0.2, 0.4]], [0, 1.0, 2.5]),
    "trapezoidal": trapezoidal([0, 0.1], [1.0, -0.5], 0.6, [2.0, 1.0]),
    "triangle": trapezoidal([0, 0.1], [0.1, 0.0], 5.0, 1.0),
    "excitation": random_excitation([-1, -2], [1, 0.5], speed=2.0),
}


@pytest.mark.parametrize("name", TRAJECTORIES)
def test_each_derivative_is_the_slope_of_the_one_before(name):
    path = TRAJECTORIES[name]
    t = np.linspace(0.01, path.duration - 0.01, 56)
    step = 1e-6
    pairs = [(path.position, path.velocity), (path.velocity, path.acceleration)]
    for when in (-1.0, 0.3, path.duration / 3, path.duration):
        if when >= 0 or name != "excitation":
            for found, value in zip(path.state(when), (path.position, path.velocity, path.acceleration), strict=True):
                assert found == pytest.approx(value(when), abs=1e-12)
    if name not in ("trapezoidal", "triangle"):
        pairs.append((path.acceleration, path.jerk))
    for value, slope in pairs:
        difference = (value(t + step) - value(t - step)) / (2 * step)
        assert difference == pytest.approx(slope(t), rel=1e-5, abs=1e-5)


def test_quintic_rests_at_its_points_and_beyond_its_ends():
    path = TRAJECTORIES["quintic"]
    for when, where in ((0, [0, 0.1]), (1.0, [1.0, -0.5]), (2.5, [0.2, 0.4]), (9.0, [0.2, 0.4])):
        assert path.position(when) == pytest.approx(where)
        assert path.velocity(when) == pytest.approx([0, 0], abs=1e-12)
        assert path.acceleration(when) == pytest.approx([0, 0], abs=1e-11)


def test_trapezoid_keeps_its_limits_and_arrives():
    path = TRAJECTORIES["trapezoidal"]
    t = np.linspace(0, path.duration, 2001)
    assert np.abs(path.velocity(t)).max() <= 0.6 + 1e-12
    assert (np.abs(path.acceleration(t)) <= [2.0 + 1e-12, 1.0 + 1e-12]).all()
    assert path.position(path.duration) == pytest.approx([1.0, -0.5])
    # one limit is met, or it could be faster
    assert np.abs(path.velocity(t)).max() == pytest.approx(0.6)


def test_excitation_stays_within_its_limits():
    path = TRAJECTORIES["excitation"]
    q, qd = path.position(np.linspace(0, 10, 4001)), path.velocity(np.linspace(0, 10, 4001))
    assert (q >= [-1, -2]).all()
    assert (q <= [1, 0.5]).all()
    assert np.abs(qd).max() <= 2.0
    assert np.ptp(q, axis=0).min() > 0.3


def test_computed_torque_with_the_exact_model_makes_the_error_obey_its_second_order_equation():
    arm = da.load("planar-2r")
    path = quintic([[0, 0], [1.0, -1.0]], 1.5)
    control = ComputedTorque(arm, path, kp=25.0, kd=10.0)
    motion = simulate(plant_of(arm), control, [0.1, -0.2], None, 1.5)
    error = motion.q - path.position(motion.t)
    start = np.array([0.1, -0.2])
    expected = start * (1 + 5 * motion.t[:, None]) * np.exp(-5 * motion.t[:, None])
    assert error == pytest.approx(expected, abs=1e-6)


def test_a_wrong_load_in_the_model_leaves_an_error_that_the_right_one_does_not():
    arm = da.load("planar-2r").holding(da.Load(mass=3))
    path = quintic([[0, 0], [1.0, -1.0]], 1.0)
    right = simulate(plant_of(arm), ComputedTorque(arm, path), [0, 0], None, 1.0)
    wrong = simulate(plant_of(arm), ComputedTorque(arm.holding(None), path), [0, 0], None, 1.0)
    miss = [np.abs(m.q - path.position(m.t)).max() for m in (right, wrong)]
    assert miss[0] < 1e-6
    assert miss[1] > 0.01


def test_pd_with_gravity_compensation_comes_to_rest_at_its_goal():
    arm = da.load("planar-2r")
    goal = quintic([[0.5, 0.5], [0.5, 0.5]], 1.0)
    motion = simulate(plant_of(arm), PDGravity(arm, goal, 60.0, 25.0), [0, 0], None, 6.0, rtol=1e-6)
    assert motion.q[-1] == pytest.approx([0.5, 0.5], abs=1e-3)


@pytest.mark.parametrize("driven", [False, True])
def test_operational_space_control_moves_the_tool_on_its_line(driven):
    """Also with drives, whose motors it then gives the torques of."""
    arm = da.load("ur5e", physical="ignore")
    if driven:
        motors = [da.Actuator(f"motor of {name}", {name: 50}, da.Rotor(1e-4, "base")) for name in arm.joint_names]
        arm = arm.with_drives(da.DriveTrain(motors))
    q = np.array([0.1, -1.2, 1.4, -0.6, 0.5, 0.2])
    start = arm.forward_kinematics(q)[:3, 3]
    shift = np.array([0.1, -0.05, 0.08])

    def path(t):
        s, v, a = 3 * t**2 - 2 * t**3, 6 * t - 6 * t**2, 6 - 12 * t
        return start + s * shift, v * shift, a * shift

    motion = simulate(plant_of(arm), OperationalSpace(arm, path), q, None, 1.0, rtol=1e-6, samples=11)
    tool = arm.forward_kinematics(motion.q)[:, :3, 3]
    assert tool == pytest.approx(np.array([path(t)[0] for t in motion.t]), abs=1e-5)


def test_computed_torque_of_an_arm_with_drives_asks_for_the_motor_torques_of_the_wanted_motion():
    """Friction of moving shafts in, starting friction left to the feedback; so fed, the arm follows."""
    driven = driven_arm("irb6")
    start, goal = np.full(5, 0.3), np.full(5, 0.6)
    path = quintic([start, goal], 1.0)
    control = ComputedTorque(driven, path, kp=100.0, kd=20.0)
    rng = np.random.default_rng(0)
    for t in (0.2, 0.7):
        q, qd = path.position(t) + 0.01 * rng.uniform(-1, 1, 5), path.velocity(t) + 0.1 * rng.uniform(-1, 1, 5)
        wanted = path.acceleration(t) + 20.0 * (path.velocity(t) - qd) + 100.0 * (path.position(t) - q)
        rigid = driven.motor_torques(q, qd, wanted, friction=False)
        fed = rigid + driven.to_motors(q, driven.friction_torque(q, path.velocity(t)))
        assert control(t, q, qd) == pytest.approx(fed, rel=1e-10)
    still, wanted = np.zeros(5), 100.0 * (goal - start)
    plain = driven.motor_torques(start, still, wanted, friction=False)
    assert control(2.0, start, still) == pytest.approx(plain, rel=1e-10)
    motion = simulate(plant_of(driven), control, start, None, 1.5, rtol=1e-6)
    assert np.abs(motion.q - path.position(motion.t)).max() < 5e-3
    assert np.abs(motion.q[-1] - goal).max() < 1e-5


def test_lqr_agrees_with_python_control_and_poles_go_where_they_are_placed():
    control = pytest.importorskip("control")
    driven = driven_arm("puma560")
    path = quintic([np.zeros(6), np.full(6, 0.5)], 2.0)
    linear = linear_at(driven, path, 0.7)
    gain = lqr(linear, 10.0, 1.0)
    theirs, _, _ = control.lqr(linear.state_space(), 10.0 * np.eye(12), np.eye(6))
    assert gain == pytest.approx(theirs, rel=1e-6, abs=1e-6)
    assert np.linalg.eigvals(linear.A - linear.B @ gain).real.max() < 0
    poles = np.linspace(-4, -9, 12)
    placed = np.sort_complex(np.linalg.eigvals(linear.A - linear.B @ place(linear, poles)))
    assert placed == pytest.approx(np.sort(poles), rel=1e-4)
    sampled = linear.sampled(0.01)
    assert np.abs(np.linalg.eigvals(sampled.A - sampled.B @ lqr(sampled, 10.0, 1.0))).max() < 1


@pytest.mark.parametrize("seed", range(2))
def test_lqr_is_stable_across_the_workspace_in_simulation(seed):
    driven = driven_arm("irb6")
    rng = np.random.default_rng(seed)
    a, b = 0.7 * (driven.lower + (driven.upper - driven.lower) * rng.random((2, 5)))
    path = quintic([a, b], 1.5)
    control = tracking_lqr(driven, path, q=400.0, r=20.0, knots=5)
    off = a + 0.02 * rng.uniform(-1, 1, 5)
    motion = simulate(plant_of(driven), control, off, None, 2.5, rtol=1e-6)
    assert np.abs(motion.q[-1] - b).max() < 0.01
    assert np.abs(motion.q - path.position(motion.t)).max() < 0.1


def test_placed_poles_track_a_trajectory():
    arm = da.load("planar-2r")
    path = quintic([[0, 0], [1.0, -1.0]], 1.5)
    control = tracking_poles(arm, path, [-6, -7, -8, -9], knots=8)
    motion = simulate(plant_of(arm), control, [0.05, -0.05], None, 2.5, rtol=1e-6)
    assert np.abs(motion.q[-1] - [1.0, -1.0]).max() < 1e-3


def measured_damping(arm, control, q, joint):
    """The damping ratio of a small swing of one joint, the others locked, from the simulated motion itself."""
    others = {name: float(q[k]) for k, name in enumerate(arm.joint_names) if k != joint}
    single = arm.locked(others)

    def alone(t, x, v):
        whole, speed = q.copy(), np.zeros(arm.n)
        whole[joint], speed[joint] = x[0], v[0]
        return [control(t, whole, speed)[joint]]

    motion = simulate(plant_of(single), alone, [q[joint] + 1e-3], None, 1.0, samples=200, rtol=1e-9, atol=1e-14)
    x = motion.q[:, 0] - q[joint]
    rate = np.gradient(motion.qd[:, 0], motion.t)
    inside = slice(2, 100)
    a, b = np.linalg.lstsq(np.column_stack([-x[inside], -motion.qd[inside, 0]]), rate[inside], rcond=None)[0]
    return b / (2 * np.sqrt(a))


def test_bejczys_servo_keeps_its_damping_over_the_whole_range_of_inertia():
    """Section II: with the velocity gain following D_11 the ratio stays; with a fixed one it moves by sqrt(n)."""
    arm = da.load("jpl-rrp")
    poses = [np.array([0, tilt, reach, 0, 0, 0.0]) for tilt, reach in ((0.2, 0.2), (np.pi / 2, 0.2), (np.pi / 2, 1.1))]
    inertia = [arm.mass_matrix(q)[0, 0] for q in poses]
    assert max(inertia) / min(inertia) > 4
    ratios, fixed = [], []
    for q in poses:
        goal = quintic([q, q], 1.0)
        ratios.append(measured_damping(arm, ServoFollowingInertia(arm, goal, 40.0, reflected=False), q, 0))
        frozen = ServoFollowingInertia(arm, goal, 40.0, adapt=False, at=poses[0], reflected=False)
        fixed.append(measured_damping(arm, frozen, q, 0))
    assert np.abs(np.array(ratios) - 1).max() < 0.02
    expected = np.sqrt(inertia[0] / np.array(inertia))
    assert fixed == pytest.approx(expected, rel=0.02)
    assert min(fixed) < 0.6


def test_the_servo_counts_what_the_drives_reflect_whichever_model_it_is_given():
    """J_t of Bejczy 1974, section II, has the input inertia of Appendix B in it."""
    arm = da.load("jpl-rrp")
    q = np.array([0.2, 1.1, 0.7, 0.4, -0.6, 0.3])
    path = quintic([q, q], 1.0)
    stiffness, damping = np.array([200, 300, 300, 20, 20, 5]), np.array([1.0, 0.7, 1.0, 1.2, 1.0, 0.5])
    inertia = np.diagonal(arm.mass_matrix(q)) + np.array([0.953, 2.193, 0.782, 0.106, 0.097, 0.02])
    for model in (arm, arm.driven):
        servo = ServoFollowingInertia(model, path, stiffness, damping)
        assert servo.total_inertia(q) == pytest.approx(inertia, rel=1e-6)
        assert servo.velocity_gain(q) == pytest.approx(2 * damping * np.sqrt(stiffness * inertia), rel=1e-6)
    bare = ServoFollowingInertia(arm, path, stiffness, reflected=False)
    assert bare.total_inertia(q) == pytest.approx(np.diagonal(arm.mass_matrix(q)))
    # A load in the hand is followed too, and an arm without drives has nothing to reflect.
    load = arm.holding(da.Load(1.8))
    held = ServoFollowingInertia(load, path, stiffness).total_inertia(q) - np.diagonal(load.mass_matrix(q))
    assert held == pytest.approx([0.953, 2.193, 0.782, 0.106, 0.097, 0.02], rel=1e-6)
    plain = da.load("planar-2r")
    assert not plain.drives
    rest = np.zeros(2)
    follows = ServoFollowingInertia(plain, quintic([rest, rest], 1.0), 10.0)
    assert follows.total_inertia(rest) == pytest.approx(np.diagonal(plain.mass_matrix(rest)))


@pytest.mark.parametrize(
    "goal", [(0.5, 0.8, 0.6, 0.3, 0.4, 0.2), (-2.0, 1.6, 1.1, -1.0, 1.2, 0.5), (1.0, 0.1, 0.15, 2.0, -1.5, -2.0)]
)
def test_the_servo_is_stable_across_the_workspace(goal):
    driven = driven_arm("jpl-rrp")
    place = np.array(goal)
    start = place + 0.1 * np.random.default_rng(2).uniform(-1, 1, 6)
    stiffness = np.array([200, 300, 300, 20, 20, 5])
    control = ServoFollowingInertia(driven, quintic([place, place], 1.0), stiffness)
    motion = simulate(plant_of(driven), control, start, None, 4.0, rtol=1e-6)
    # friction holds it a little off the goal, no more than holding friction over stiffness
    hold = np.abs(driven.ratios.T) @ driven.motor_friction.starting
    assert (np.abs(motion.q[-1] - place) <= hold / stiffness + 2e-3).all()
    assert np.abs(motion.qd[-1]).max() < 1e-2


def test_requirements_name_the_limit_that_is_met_first():
    driven = driven_arm("puma560")
    slow = requirements(driven, quintic([np.zeros(6), [0.5, 0.4, -0.5, 0.3, 0.3, 0.3]], 4.0))
    fast = requirements(driven, quintic([np.zeros(6), [0.5, 0.4, -0.5, 0.3, 0.3, 0.3]], 0.25))
    assert slow.feasible
    assert not fast.feasible
    assert fast.first_limit.what in ("current", "voltage", "torque", "stall torque")
    assert fast.first_limit.name in str(fast.first_limit)
    assert slow.voltage.shape == (501, 6)
    bare = requirements(da.load("planar-2r"), quintic([[0, 0], [1, 1]], 1.0))
    assert bare.current is None


def test_a_voltage_is_a_limit_also_where_of_another_motor_nothing_electric_is_known() -> None:
    """V = R i + C_E w of motor 1 over its supply, as it is where motor 2 is electric too."""
    arm, motor = da.load("planar-2r"), da.Motor(0.1, resistance=0.05, supply=24.0, largest_current=400.0)
    fast = da.spline([[0.0, 0.0], [1.0, 0.5]], [0.0, 0.2])
    shares = []
    for second in ({"motor": motor}, {"stall": 2.0}):
        motors = [da.Actuator.of("m1", {"joint1": 50}, motor=motor), da.Actuator.of("m2", {"joint2": 50}, **second)]
        found = da.requirements(arm.with_drives(da.DriveTrain(motors)), fast)
        shares.append({use.what: use.share for use in found.uses if use.name == "m1"})
        assert not found.feasible
    assert shares[0] == shares[1]
    assert shares[0]["voltage"] > 1 > shares[0]["stall torque"]


def test_a_stall_torque_is_a_limit_whether_or_not_the_motor_has_electric_constants() -> None:
    """A motor of which the stall torque alone is known: the share is its torque, N^-T tau, over that."""
    arm = da.load("planar-2r").with_gravity((0, -9.81, 0))
    motors = [da.Actuator.of(f"m{k}", {name: 10}, stall=0.8 + k) for k, name in enumerate(arm.joint_names)]
    turn = quintic([[0, 0], [1.5, 0.5]], 0.6)
    found = requirements(arm.with_drives(da.DriveTrain(tuple(motors))), turn)
    peaks = np.abs(found.joint_torque).max(axis=0) / 10
    shares = {use.name: use.share for use in found.uses if use.what == "stall torque"}
    assert shares == pytest.approx({"m0": peaks[0] / 0.8, "m1": peaks[1] / 1.8})
    assert not found.feasible


def test_bad_trajectories_are_refused():
    for fault in (
        lambda: quintic([[0, 0]], 1.0),
        lambda: quintic([[0, 0], [1, 1]], [0, 0]),
        lambda: trapezoidal([0], [1], -1, 1),
        lambda: trapezoidal([0], [0], 1, 1),
        lambda: quintic([["a"], ["b"]], 1.0),
    ):
        with pytest.raises(ArmError):
            fault()


def test_what_cannot_be_followed_or_regulated_is_refused_when_the_controller_is_made():
    arm = da.load("planar-2r")
    for make in (
        lambda path: da.ComputedTorque(arm, path),
        lambda path: da.PDGravity(arm, path, 1.0, 1.0),
        lambda path: da.ServoFollowingInertia(arm, path, 1.0),
    ):
        with pytest.raises(da.ArmError, match=r"a trajectory, such as da.quintic.*; got \[0, 0\]"):
            make([0, 0])
        with pytest.raises(da.ArmError, match="the trajectory has 3 joints and the system that follows it 2"):
            make(quintic([[0, 0, 0], [1, 1, 1]], 1.0))
    with pytest.raises(da.ArmError, match=r"a regulator is for a linear model, such as arm.linearize\(q\)"):
        da.lqr(arm, 1.0, 1.0)
    path = quintic([[0, 0], [1, 1]], 1.0)
    for call, said in (
        (lambda: da.ComputedTorque("planar-2r", path), "the model of a controller is a system, .*; got 'planar-2r'"),
        (lambda: da.ComputedTorque(arm, path, kp=[1, 2, 3]), r"kp is one number for all joints, or 2.*\[1, 2, 3\]"),
        (lambda: da.PDGravity(arm, path, "high", 1.0), "kp must be numbers"),
        (lambda: da.ServoFollowingInertia(arm, path, 1.0, damping=[1, 1, 1]), "damping is one number"),
        (lambda: da.OperationalSpace(arm, path), r"a function path\(t\) .*; got <Trajectory of 2 joints"),
        (lambda: da.tracking_lqr(arm, path, [1, 2, 3], 1.0), r"4 numbers or a 4x4 matrix.*\(3,\)"),
        (lambda: da.tracking_lqr(arm, [[0, 0], [1, 1]]), "a trajectory, such as da.quintic"),
        (lambda: arm.linearize_along([[0, 0], [1, 1]], [0]), "a trajectory, such as da.quintic"),
        (lambda: arm.requirements([[0, 0], [1, 1]]), "a trajectory, such as da.quintic"),
        (lambda: arm.requirements(path, samples=0), "samples is 0; give a whole number"),
        (lambda: da.timed([[0, 0], [1, 1]], 1, 1), r"a path is what da\.line_path"),
        (lambda: da.time_optimal(arm, [[0, 0], [1, 1]]), r"a path is what da\.line_path"),
    ):
        with pytest.raises(da.ArmError, match=said):
            call()


def test_a_motion_beyond_a_range_on_one_side_of_zero_is_not_feasible() -> None:
    """The elbow of a Panda turns from -3.07 to -0.07 rad: 0.5 is beyond, -1.5 is not."""
    arm = da.load("panda")
    start, elbow = np.array([0.0, 0, 0, -1.5, 0, 1.5, 0]), np.eye(7)[3]
    beyond = requirements(arm, quintic([start, start + 2 * elbow], 30.0))
    assert not beyond.feasible
    assert str(beyond.first_limit).startswith("position, upper of joint4")
    assert requirements(arm, quintic([start, start - 0.5 * elbow], 30.0)).feasible

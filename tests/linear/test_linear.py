"""Linear models: exact derivatives, prediction to second order, hand coordinates, motors, names."""

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.linear.hand import hand_model
from dalembert.linear.joints import driven_model, links_model, motor_model
from dalembert.linear.linear_model import LinearModel
from dalembert.linear.parameter_sensitivity import acceleration_to_parameters, to_load
from differences import slope

pin = pytest.importorskip("pinocchio")
control = pytest.importorskip("control")


def driven_arm(name: str) -> da.DrivenArm:
    return da.load(name, physical="ignore").driven


def state(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, (3, n))


@pytest.mark.parametrize("name", ["puma560", "ur5e", "iiwa14", "jpl-rrp"])
def test_a_and_b_are_pinocchios_analytic_derivatives(name):
    arm = da.load(name, physical="ignore")
    model = pin.buildModelFromXML(arm.write_urdf())
    model.gravity.linear = np.array([float(g) for g in arm.gravity])
    data = model.createData()
    q, qd, tau = state(arm.n)
    linear = links_model(arm, q, qd, tau)
    place = np.concatenate(
        [[np.cos(x), np.sin(x)] if joint.nq == 2 else [x] for joint, x in zip(list(model.joints)[1:], q, strict=True)]
    )
    to_q, to_qd, to_tau = pin.computeABADerivatives(model, data, place, qd, tau)
    to_tau = np.triu(to_tau) + np.triu(to_tau, 1).T
    n = arm.n
    size = np.linalg.cond(arm.mass_matrix(q))
    for ours, theirs in ((linear.A[n:, :n], to_q), (linear.A[n:, n:], to_qd), (linear.B[n:], to_tau)):
        assert np.abs(ours - theirs).max() <= 1e-9 * np.abs(theirs).max() + 1e-15 * size
    assert (linear.A[:n] == np.hstack([np.zeros((n, n)), np.eye(n)])).all()


@pytest.mark.parametrize("name", ["puma560", "jpl-rrp", "irb6"])
def test_the_model_of_the_drives_is_that_of_finite_differences_with_second_order_convergence(name):
    driven = driven_arm(name)
    q, qd, qdd = state(driven.n)
    torque = driven.motor_torques(q, qd, qdd)
    linear = driven_model(driven, q, qd, qdd)
    n = driven.n
    point = np.r_[q, qd, torque]
    errors = []
    for step in (2e-3, 1e-3):
        both = slope(lambda x: driven.direct_dynamics(*np.split(x, 3)), point, step)
        errors.append(np.abs(both - np.hstack([linear.A[n:], linear.B[n:]])).max())
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1)
    assert errors[1] <= 1e-4 * np.abs(linear.A).max()


def linkage() -> da.DrivenArm:
    """Motors with friction behind a transmission that varies."""
    arm = da.load("planar-2r")

    def turns(ring, q):
        sin, cos = ring.sincos(q[1])
        return [20 * q[0] + 4 * sin, 15 * q[1] + 2 * cos]

    parts = tuple(
        da.Actuator(f"motor{k}", {}, da.Rotor(2e-3, arm.links[k].name, (0, 1, 1)), da.Friction((0.4, 0.3), 0.6, 0.02))
        for k in range(2)
    )
    own = (("joint2", da.Friction((0.0, 0.3), viscous=0.2)),)
    return arm.with_drives(da.DriveTrain(parts, joint_friction=own, turns=turns))


@pytest.mark.parametrize("width", [None, 0.3])
@pytest.mark.parametrize("build", [linkage, lambda: driven_arm("irb6")])
def test_smooth_friction_and_a_varying_transmission_are_in_the_model_of_the_drives(build, width) -> None:
    """Against finite differences of D^-1 (N^T u - h - G - F)."""
    driven = build()
    n, plain = driven.n, driven.frictionless()
    q, qd, qdd = state(n, 3)
    needed = plain.inverse_dynamics(q, qd, qdd) + driven.friction_torque(q, qd, width)
    linear = driven_model(driven, q, qd, qdd, width)

    def acceleration(x):
        q, qd, u = np.split(x, 3)
        return plain.forward_dynamics(q, qd, driven.to_joints(q, u) - driven.friction_torque(q, qd, width))

    point = np.r_[q, qd, driven.to_motors(q, needed)]
    assert acceleration(point) == pytest.approx(qdd, abs=1e-10)
    expected = slope(acceleration, point)
    found = np.hstack([linear.A[n:], linear.B[n:]])
    assert found == pytest.approx(expected, abs=1e-7 * np.abs(expected).max())


def test_a_smooth_model_is_about_the_motion_that_smooth_friction_leaves() -> None:
    """Slopes of the smooth law at an acceleration of the other are those of no system: at low speed they differ."""
    driven = driven_arm("irb6")
    n, plain, width = driven.n, driven.frictionless(), 2.0
    q, _, _ = state(n, 5)
    qd = np.full(n, 1e-3)
    tau = driven.gravity_load(q) + 3 * driven.friction_torque(q, np.ones(n))
    linear = driven.linearize(q, qd, tau, width=width)

    def acceleration(x):
        q, qd, u = np.split(x, 3)
        return plain.forward_dynamics(q, qd, driven.to_joints(q, u) - driven.friction_torque(q, qd, width))

    point = np.r_[q, qd, driven.to_motors(q, tau)]
    assert linear.at["qdd"] == pytest.approx(acceleration(point), rel=1e-10)
    expected = slope(acceleration, point)
    found = np.hstack([linear.A[n:], linear.B[n:]])
    # the difference quotient of tanh(N q'/width) is off by (N step/width)^2/3, up to 2e-7 here
    assert found == pytest.approx(expected, abs=1e-6 * np.abs(expected).max())


def test_under_joint_torques_rotors_and_viscous_friction_are_in_the_model_too() -> None:
    driven = driven_arm("irb6")
    n = driven.n
    q, qd, qdd = state(n, 4)
    tau = driven.inverse_dynamics(q, qd, qdd)
    linear = driven.linearize(q, qd, tau, input="joint torque")
    expected = slope(lambda x: driven.forward_dynamics(*np.split(x, 3)), np.r_[q, qd, tau])
    assert np.hstack([linear.A[n:], linear.B[n:]]) == pytest.approx(expected, abs=1e-7 * np.abs(expected).max())
    motors = driven.linearize(q, qd, tau)
    assert np.abs(motors.A - linear.A).max() <= 1e-9 * np.abs(linear.A).max()
    assert motors.B[n:] == pytest.approx(linear.B[n:] @ driven.ratios.T)


def test_the_linear_model_predicts_a_small_deviation_with_an_error_of_second_order():
    from scipy.integrate import solve_ivp

    arm = da.load("planar-2r")
    q, qd = np.array([0.4, -0.7]), np.zeros(2)
    tau = arm.gravity_load(q)
    linear = links_model(arm, q, qd, tau)

    def rate(_, x):
        return np.r_[x[2:], arm.forward_dynamics(x[:2], x[2:], tau)]

    errors = []
    direction = np.array([0.3, -0.5, 0.2, 0.4])
    for size in (1e-2, 5e-3):
        whole = solve_ivp(rate, (0, 0.5), np.r_[q, qd] + size * direction, rtol=1e-11, atol=1e-13).y[:, -1]
        errors.append(np.abs(whole - np.r_[q, qd] - linear.response([0.5], size * direction)[0]).max())
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1)


def test_hand_and_joint_models_at_rest_have_the_same_poles():
    for driven, coordinates in ((driven_arm("puma560"), None), (driven_arm("irb6"), ("x", "y", "z", "ry", "rz"))):
        n = driven.n
        q = 0.5 * state(n, 3)[0] + np.array([0.1, 0.3, -0.2, 0.3, 0.5, 0.1])[:n]
        still = np.zeros(n)
        for joint in (driven_model(driven, q, still, still), motor_model(driven, q, still, still)):
            hand = hand_model(driven, joint, q, still, still, coordinates)
            assert hand.A[:n, :n] == pytest.approx(np.zeros((n, n)), abs=1e-9)
            assert hand.A[:n, n : 2 * n] == pytest.approx(np.eye(n), abs=1e-9)
            # poles of a defective double zero are only as sharp as the square root of rounding
            assert np.poly(hand.A)[:4] == pytest.approx(np.poly(joint.A)[:4], rel=1e-6)
            assert hand.poles == pytest.approx(joint.poles, rel=1e-4, abs=1e-4 * np.abs(joint.poles).max())


def test_the_hand_model_of_a_moving_arm_is_the_derivative_of_hand_accelerations():
    """d(d x)/dt and d(d xd)/dt from two neighbouring motions of the full arm."""
    arm = da.load("puma560", physical="ignore")
    q, qd, tau = state(6, 5)
    qdd = arm.forward_dynamics(q, qd, tau)
    joint = links_model(arm, q, qd, tau)
    hand = hand_model(arm, joint, q, qd, qdd)

    def hand_rates(x):
        q, qd = x[:6], x[6:]
        found = arm.influence(q)
        first = np.concatenate([found.point_first, found.rotation_first])
        second = np.concatenate([found.point_second, found.rotation_second])
        return np.r_[first @ qd, first @ arm.forward_dynamics(q, qd, tau) + np.einsum("xmn,m,n->x", second, qd, qd)]

    here = arm.influence(q)
    first = np.concatenate([here.point_first, here.rotation_first])
    speed_slope = np.concatenate([here.point_second, here.rotation_second]) @ qd
    change = np.block([[first, np.zeros((6, 6))], [speed_slope, first]])  # (3-49), (3-50)
    point = np.r_[q, qd]
    slopes = slope(hand_rates, point)
    # rows of positions and of all hand accelerations; turns are no coordinates, their rate has a term of its own
    expected = hand.A @ change
    assert expected[:3] == pytest.approx(slopes[:3], rel=1e-6, abs=1e-6)
    assert expected[6:] == pytest.approx(slopes[6:], rel=1e-6, abs=1e-4)
    omega = (arm.jacobian(q) @ qd)[3:]
    # F11 of the turns is the cross product with the rate of the hand
    cross = np.array([[0, -omega[2], omega[1]], [omega[2], 0, -omega[0]], [-omega[1], omega[0], 0]])
    assert hand.A[3:6, 3:6] == pytest.approx(cross, abs=1e-9)
    assert hand.A[:3, :6] == pytest.approx(np.zeros((3, 6)), abs=1e-9)


def test_motor_states_follow_freeman_2_241_to_2_252():
    driven = driven_arm("puma560")
    q, qd, qdd = state(6, 1)
    linear = motor_model(driven, q, qd, qdd)
    electric = driven.electric
    n = 6
    point = np.r_[q, qd, electric.currents(q, qd, qdd)]
    voltage = np.zeros(n)

    def rate(x):
        q, qd, i = np.split(x, 3)
        return np.r_[qd, driven.direct_dynamics(q, qd, electric.torque_constant * i),
                     electric.current_dynamics(q, qd, i, voltage)]  # fmt: skip

    assert pytest.approx(slope(rate, point), rel=1e-5, abs=1e-4) == linear.A
    assert linear.B[2 * n :] == pytest.approx(np.diag(1 / electric.inductance))
    assert linear.is_controllable


def test_state_space_carries_names_and_units_into_python_control():
    arm = da.load("jpl-rrp")
    linear = links_model(arm, np.zeros(6), np.zeros(6), arm.gravity_load(np.zeros(6)))
    system = linear.state_space()
    assert isinstance(system, control.StateSpace)
    assert system.state_labels[2] == "q_joint3"
    assert system.input_labels[2] == "tau_joint3"
    assert linear.units["q_joint3"] == "m"
    assert linear.units["tau_joint3"] == "N"
    assert np.sort_complex(system.poles()) == pytest.approx(linear.poles, abs=1e-6)
    sampled = linear.sampled(0.01)
    theirs = control.sample_system(system, 0.01, "zoh")
    assert pytest.approx(theirs.A, abs=1e-10) == sampled.A
    assert pytest.approx(theirs.B, abs=1e-10) == sampled.B
    assert sampled.state_space().dt == 0.01


def test_outputs_and_the_controllability_matrix_are_those_of_python_control():
    model = da.load("planar-2r").linearize([0.3, -0.5])
    matrix = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]])
    seen = model.with_outputs(matrix, model.outputs[:2])
    system = seen.state_space()
    assert np.allclose(system(1j), matrix @ np.linalg.solve(1j * np.eye(4) - model.A, model.B))
    assert np.allclose(model.controllability_matrix, control.ctrb(model.A, model.B))
    with pytest.raises(ArmError, match="2 outputs of 4 states"):
        model.with_outputs(matrix[:, :3], model.outputs[:2])


def test_controllability_is_lost_when_an_input_is_taken_away():
    arm = da.load("planar-2r").with_gravity((0, 0, 0))
    linear = links_model(arm, np.zeros(2), np.zeros(2), np.zeros(2))
    assert linear.is_controllable
    dead = LinearModel(linear.A, 0 * linear.B, linear.C, linear.D, linear.states, linear.inputs, linear.outputs)
    assert not dead.is_controllable


def test_acceleration_sensitivity_is_that_of_finite_differences_in_the_load():
    arm = da.load("planar-2r").holding(da.Load(mass=1.5, com=(0.1, 0, 0)))
    q, qd, tau = state(2, 2)
    slopes = acceleration_to_parameters(arm, q, qd, tau)
    names = list(arm.parameter_names)
    step = 1e-4
    held = [arm.holding(da.Load(mass=1.5 + s, com=(0, 0, 0))) for s in (step, -step, 0)]
    difference = (held[0].forward_dynamics(q, qd, tau) - held[1].forward_dynamics(q, qd, tau)) / (2 * step)
    parameters = (held[0].parameters - held[1].parameters) / (2 * step)
    assert acceleration_to_parameters(held[2], q, qd, tau) @ parameters == pytest.approx(difference, rel=1e-6)
    assert slopes.shape == (2, len(names))


def test_poles_move_with_the_load_as_the_sensitivity_says():
    arm = da.load("planar-2r").holding(da.Load(mass=2))
    q = np.array([-np.pi / 2, 0.2])

    def build(arm):
        return links_model(arm, q, np.zeros(2), arm.gravity_load(q))

    found = to_load(arm, build, q)
    heavier = build(arm.holding(da.Load(mass=2.01)))
    moved = found.poles + 0.01 * found.pole_rates
    # undamped poles: their real parts are rounding, and no order
    by_speed = [poles[np.argsort(poles.imag)] for poles in (moved, heavier.poles)]
    assert by_speed[0] == pytest.approx(by_speed[1], rel=1e-3, abs=1e-4)
    assert found.gravity.shape == (2,)


def test_a_mass_is_added_to_the_load_that_is_held_and_does_not_replace_it():
    """dG/dm is the lever of the point mass, and dA/dm that of the load with it, whatever is in the hand before."""
    held = da.Load(2.0, (0.3, 0.1, 0.0), (0.1, 0.2, 0.25))
    arm, q, com = da.load("planar-2r").holding(held), np.array([0.4, 0.7]), (0.05, -0.02, 0.0)

    def build(arm):
        return links_model(arm, q, np.zeros(2), arm.gravity_load(q))

    def more(mass):
        return arm.holding(da.Load.of(held.body + da.Load(mass, com).body))

    found, h = to_load(arm, build, q, com), 1e-2
    lever = da.load("planar-2r").holding(da.Load(1.0, com)).gravity_load(q) - da.load("planar-2r").gravity_load(q)
    np.testing.assert_allclose(found.gravity, lever, rtol=1e-9)
    rise = (8 * (build(more(h)).A - build(arm).A) - (build(more(2 * h)).A - build(arm).A) * 2) / (4 * h)
    np.testing.assert_allclose(found.A, rise, rtol=1e-3, atol=1e-3 * np.abs(rise).max())


def test_bad_questions_are_refused():
    arm = da.load("planar-2r")
    joint = links_model(arm, np.zeros(2), np.zeros(2), np.zeros(2))
    with pytest.raises(ArmError, match="2 joints need 2 different hand coordinates"):
        hand_model(arm, joint, np.zeros(2), np.zeros(2), np.zeros(2))
    with pytest.raises(ArmError, match="no hand coordinate 'w'"):
        hand_model(arm, joint, np.zeros(2), np.zeros(2), np.zeros(2), ("x", "w"))
    with pytest.raises(ArmError, match="cannot move every way"):
        hand_model(arm, joint, np.zeros(2), np.zeros(2), np.zeros(2), ("x", "z"))
    with pytest.raises(ArmError, match="sampling period"):
        joint.sampled(0)


@pytest.mark.parametrize("name", ["q", "qd", "tau"])
@pytest.mark.parametrize("driven", [False, True])
def test_a_linear_model_is_about_one_state_and_says_so_of_a_batch(name: str, driven: bool) -> None:
    arm = da.load("puma560", physical="ignore")
    given = {"q": np.zeros(6), name: np.zeros((3, 6))}
    with pytest.raises(ArmError, match=rf"{name} must be one state of 6 entries, one per joint; got shape \(3, 6\)"):
        (arm.driven if driven else arm).linearize(**given)

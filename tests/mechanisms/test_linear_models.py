"""Linear models of mechanisms: forces, turns, motors, currents, in the words of those of arms."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.mechanisms import gallery
from differences import slope

STEP = 1e-6
HAND = [f"{freedom}(arm)" for freedom in ("x", "y", "z", "rx", "ry", "rz")]


def motor(name: str, joint: str, ratio: float = 60, seed: int = 0) -> da.Actuator:
    inertia, resistance, viscous = np.random.default_rng(seed).uniform(0.5, 2, 3)
    return da.Actuator.of(
        name, {joint: ratio}, rotor=da.Rotor.of(2e-5 * inertia), friction=da.Friction(viscous=1e-4 * viscous),
        motor=da.Motor(0.05, resistance=resistance, inductance=1e-3),
    )  # fmt: skip


def driven_five_bar() -> da.Mechanism:
    """A five-bar with motors at its cranks; the other joints have none."""
    bar = gallery.five_bar()
    chains = {}
    for k, (name, arm) in enumerate(bar.parts.chains.items()):
        crank, elbow = arm.joint_names
        train = da.DriveTrain((motor(f"m{k}", crank, seed=k), da.Actuator.of("none", {elbow: 1})))
        chains[name] = da.Arm(**{f: getattr(arm, f) for f in arm.__dataclass_fields__}).with_drives(train)
    return bar._with(chains=chains).driven


def outer(mechanism: da.Mechanism, axes: str) -> dict[str, list[da.Force]]:
    chain = next(iter(mechanism.parts.chains))
    moving = mechanism.chains.arms[chain].moving
    link = moving[len(moving) // 2].child
    return {chain: [da.Force(link, (3.0, -2.0, 1.0), (0.1, 0.2, 0.0), (0.5, 0.2, -0.4), axes)]}


@pytest.mark.parametrize("axes", ["base", "link", "world"])
@pytest.mark.parametrize("name", ["five_bar", "stewart", "bricard"])
def test_derivatives_of_a_closed_mechanism_know_that_forces_move_with_its_links(name, axes):
    mechanism = getattr(gallery, name)()
    forces = outer(mechanism, axes)
    q = mechanism.coordinates_of(mechanism.home)
    qd, qdd = np.random.default_rng(0).uniform(-1, 1, (2, mechanism.n))
    found = mechanism.inverse_dynamics_derivatives(mechanism.home, qd, qdd, forces)[0]

    def load(x):
        return mechanism.inverse_dynamics(mechanism.position(x), qd, qdd, forces)

    expected = slope(load, q)
    assert np.abs(found - expected).max() <= 1e-6 * (1 + np.abs(expected).max())
    without = mechanism.inverse_dynamics_derivatives(mechanism.home, qd, qdd)[0]
    assert np.abs(without - expected).max() > 1e-3


@pytest.mark.parametrize("input", ["motor torque", "voltage"])
def test_an_arm_seen_from_its_hand_has_the_hand_model_of_arms(input):
    """Both are (3-48) to (3-53), by ways that share no line: F11 of a hand that turns included."""
    arm = da.load("puma560", physical="ignore").driven
    q = np.array([0.1, -0.8, 0.4, 0.2, 0.9, 0.3])
    qd, qdd = np.random.default_rng(1).uniform(-1, 1, (2, 6))
    hand = da.Mechanism({"arm": arm}, [], HAND, home=q)
    tau = arm.inverse_dynamics(q, qd, qdd)
    theirs = arm.linearize(q, qd, tau, input=input, coordinates="hand", disturbances=[da.Force("link6")])
    jacobian = hand.influence(q).first
    ours = hand.linearize(
        q, np.linalg.solve(jacobian, qd), jacobian.T @ tau, input=input, disturbances={"arm": [da.Force("link6")]}
    )
    assert np.abs(theirs.A[:6, :6]).max() > 0.1
    assert np.abs(ours.A - theirs.A).max() <= 1e-9 * np.abs(theirs.A).max() * np.linalg.cond(jacobian)
    assert np.abs(ours.B - theirs.B).max() <= 1e-9 * np.abs(theirs.B).max() * np.linalg.cond(jacobian)


def test_the_state_of_a_platform_that_turns_is_a_small_rotation():
    """d/dt ([G] dphi) = dq' + F11 dq of two motions beside each other, by differences of the joints alone."""
    mechanism, step = gallery.three_rrr(), 1e-6
    hand = gallery.stewart().with_coordinates([f"{f}(leg1)" for f in ("x", "y", "z", "rx", "ry", "rz")])
    for each in (hand, mechanism.with_coordinates(["x(leg1)", "y(leg1)", "rz(leg1)"])):
        phi = each.home
        qd = np.random.default_rng(2).uniform(-1, 1, each.n)
        model = each.linearize(phi, qd)
        n = each.n

        def first(at, each=each):
            placed = each.chains.place(at[None])
            return each.assembly.jacobian(each.assembly.coordinate_blocks(placed, 1), 1)[0, : each.n]

        def x(at, each=each):
            return each.influence(at).first

        rate = x(phi) @ qd
        turning = (first(phi + step * rate) - first(phi - step * rate)) / (2 * step)
        for k, unit in enumerate(np.eye(n)):
            way = x(phi) @ unit
            ahead, behind = each.closed_near(phi + step * way), each.closed_near(phi - step * way)
            bent = (x(ahead) @ qd - x(behind) @ qd) / (2 * step)
            expected = turning @ way + first(phi) @ bent
            # The legs bend far more than the platform turns; differences are good to 1e-7 of that.
            assert np.abs(model.A[:n, k] - expected).max() < 1e-7 * (1 + np.abs(bent).max())
            torque = model.at["tau"]
            change = each.forward_dynamics(ahead, qd, torque) - each.forward_dynamics(behind, qd, torque)
            size = np.abs(model.A).max()
            assert np.abs(model.A[n:, k] - change / (2 * step)).max() < 1e-5 * size
    assert np.abs(hand.linearize(hand.home, np.ones(6)).A[3:6, 3:6]).max() > 0.1


@pytest.mark.parametrize("input", ["joint torque", "motor torque", "voltage"])
def test_the_model_of_a_closed_mechanism_with_motors_is_that_of_differences(input):
    bar = driven_five_bar()
    system = bar.as_system()
    q = bar.coordinates_of(bar.home)
    qd, tau = np.array([0.7, -0.4]), np.array([0.3, 0.2])
    forces, disturbances = outer(bar, "world"), {"right": [da.Force("link2", (1.0, 2.0, 0), (0.05, 0, 0))]}
    model = system.linearize(q, qd, tau, input=input, forces=forces, disturbances=disturbances)
    n = bar.n
    drives = [arm.drives.actuators[0] for arm in bar.chains.arms.values()]
    ratio, stall = 60.0, 0.05

    def lever(x):
        """Motor speeds per rate of the coordinates: the cranks are the coordinates here."""
        return ratio * np.eye(n)

    torques = np.linalg.solve(lever(q).T, tau)
    currents = torques / stall
    pushed = np.r_[disturbances["right"][0].force, disturbances["right"][0].moment]

    def change(state, inputs):
        x, v, i = np.split(state, [n, 2 * n])
        push = da.Force("link2", inputs[n : n + 3], (0.05, 0, 0), inputs[n + 3 :])
        acting = {"left": forces["left"], "right": [push]}
        load = {"joint torque": lambda: inputs[:n], "motor torque": lambda: lever(x).T @ inputs[:n]}.get(
            input, lambda: lever(x).T @ (stall * i)
        )()
        rate = system.mechanism.forward_dynamics(system.joints(x), v, load, acting)
        if input != "voltage":
            return np.r_[v, rate]
        volts = inputs[:n]
        resistance = np.array([drive.motor.resistance for drive in drives])
        return np.r_[v, rate, (volts - resistance * i - stall * (lever(x) @ v)) / 1e-3]

    start = {"joint torque": tau, "motor torque": torques, "voltage": np.zeros(n)}[input]
    state, inputs = np.r_[q, qd, currents if input == "voltage" else []], np.r_[start, pushed]
    a, b = slope(lambda s: change(s, inputs), state, STEP), slope(lambda u: change(state, u), inputs, STEP)
    assert np.abs(model.A - a).max() <= 1e-6 * np.abs(a).max()
    assert np.abs(model.B - b).max() <= 1e-6 * np.abs(b).max()


def test_a_lever_that_varies_stands_in_the_model_of_motors_at_other_joints():
    """Seen from the elbows, the motors at the cranks load the coordinates by a lever that changes with them."""
    bar = driven_five_bar().with_coordinates(["left.joint2", "right.joint2"])
    q = bar.coordinates_of(bar.home)
    tau = np.array([0.8, -0.5])
    model = bar.linearize(bar.home, tau=tau, input="motor torque")
    torque = model.at["motor torque"]

    def accelerate(x):
        phi = bar.position(x)
        lever = 60.0 * bar.influence(phi).first[[0, 2]]
        return bar.forward_dynamics(phi, np.zeros(2), lever.T @ torque)

    expected = slope(accelerate, q, STEP)
    assert np.abs(model.A[2:, :2] - expected).max() <= 1e-6 * np.abs(expected).max()
    plain = bar.linearize(bar.home, tau=tau)
    assert np.abs(plain.A[2:, :2] - expected).max() > 1e-3 * np.abs(expected).max()


def test_smooth_friction_of_the_drives_damps():
    bar = driven_five_bar()
    chains = {}
    for name, arm in bar.parts.chains.items():
        train = arm.drives
        actuators = [
            da.Actuator(a.name, a.ratios, a.rotor, da.Friction(moving=(0.02, 0.02)), a.motor) for a in train.actuators
        ]
        chains[name] = replace(arm, drives=da.DriveTrain(tuple(actuators)))
    rough = bar._with(chains=chains)
    qd = np.array([0.2, -0.1])
    model = rough.linearize(rough.home, qd, input="motor torque", width=3.0)
    system = rough.as_system()

    def needed(v):
        smooth = rough.frictionless().as_system()
        return smooth.inverse_dynamics(rough.coordinates_of(rough.home), v, model.at["qdd"]) + system.friction_torque(
            rough.coordinates_of(rough.home), v, 3.0
        )

    expected = -np.linalg.solve(rough.mass_matrix(rough.home), slope(needed, qd, STEP))
    assert np.abs(model.A[2:, 2:] - expected).max() <= 1e-6 * np.abs(expected).max()
    assert model.at["tau"] == pytest.approx(needed(qd), rel=1e-9)
    pushed = rough.linearize(rough.home, qd, model.at["tau"] + [0.5, -0.2], input="motor torque", width=3.0)
    smooth = np.linalg.solve(rough.mass_matrix(rough.home), [0.5, -0.2])
    assert pushed.at["qdd"] == pytest.approx(smooth, rel=1e-9)


def test_models_of_mechanisms_have_names_units_samples_and_go_to_python_control():
    control = pytest.importorskip("control")
    model = driven_five_bar().linearize(gallery.five_bar().home, input="voltage")
    names = [signal.name for signal in model.states]
    assert names == [
        "q_left.joint1", "q_right.joint1", "qd_left.joint1", "qd_right.joint1", "current_left.m0", "current_right.m1",
    ]  # fmt: skip
    assert model.units["voltage_left.m0"] == "V"
    assert model.units["qd_left.joint1"] == "rad/s"
    assert model.is_controllable
    exported = model.sampled(0.001).state_space()
    assert isinstance(exported, control.StateSpace)
    assert exported.ninputs == 2
    platform = gallery.stewart().with_coordinates([f"{f}(leg1)" for f in ("x", "y", "z", "rx", "ry", "rz")])
    units = [signal.unit for signal in platform.linearize(platform.home).inputs]
    assert units == ["N"] * 3 + ["N m"] * 3


def test_coordinates_without_actuator_are_no_inputs_and_carry_no_load():
    crank = gallery.slider_crank()
    model = crank.linearize(crank.home)
    assert len(model.inputs) == crank.n - len(crank.parts.passive)
    passive = [k for k, name in enumerate(crank.coordinates) if name in crank.parts.passive]
    assert passive
    assert (model.at["tau"][passive] == 0).all()


def test_what_a_linear_model_of_a_mechanism_cannot_have_is_refused():
    bar = gallery.five_bar()
    with pytest.raises(ArmError, match="describe their drives and ask mechanism"):
        bar.linearize(bar.home, input="voltage")
    with pytest.raises(ArmError, match="no input 'current'"):
        bar.linearize(bar.home, input="current")
    with pytest.raises(ArmError, match="width makes the friction of drives smooth"):
        bar.linearize(bar.home, width=0.1)
    half = driven_five_bar()
    chains = {**half.parts.chains, "right": gallery.five_bar().parts.chains["right"]}
    half = half._with(chains=chains, coordinates=half.coordinates, home=half.home)
    with pytest.raises(ArmError, match="cannot give the load"):
        half.linearize(half.home, input="motor torque")


def test_poles_at_rest_do_not_depend_on_the_coordinates_where_dry_friction_stands() -> None:
    """Dry friction of standing shafts has no direction; an acceleration of 1e-20 gave it one, and a stiffness."""
    bar = gallery.five_bar()
    rubs = tuple((name, da.Friction((0.3, 0.3), viscous=0.1)) for name in ("joint1", "joint2"))
    chains = {n: da.Arm.of(arm).with_drives(da.DriveTrain((), (), rubs)) for n, arm in bar.parts.chains.items()}
    strut = da.Spring("strut", "left:link1", "right:link1", stiffness=400, rest="0.35")
    dry = da.Mechanism(
        chains, bar.parts.closures, bar.coordinates, bases=bar.parts.bases, home=bar.home, gravity=(0, -9.81, 0),
        springs=[strut],
    )  # fmt: skip
    phi, still = dry.equilibrium(), np.zeros(2)
    poles = [
        np.sort_complex(dry.with_coordinates(names).linearize(phi, tau=still).poles)
        for names in (["left.joint1", "right.joint1"], ["x(left)", "y(left)"], ["left.joint2", "right.joint2"])
    ]
    for other in poles[1:]:
        np.testing.assert_allclose(other, poles[0], rtol=1e-6)

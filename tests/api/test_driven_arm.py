"""The public calls: an arm with drives, linear models, simulation."""

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.description import ArmDescription
from dalembert.arm.drives import Actuator, DriveTrain, Rotor
from dalembert.arm.errors import ArmError
from dalembert.control.controllers import ComputedTorque
from dalembert.control.trajectories import quintic
from dalembert.report.replay import charts


def load(name: str) -> da.Arm:
    return da.load(name, physical="ignore")


def test_a_load_reaches_the_motors_and_gravity_can_change() -> None:
    driven = load("puma560").driven
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    heavy = driven.holding(da.Load(mass=2.0))
    assert isinstance(heavy, da.DrivenArm)
    assert np.abs(heavy.motor_torques(q, 0 * q, 0 * q)).max() > np.abs(driven.motor_torques(q, 0 * q, 0 * q)).max()
    assert driven.with_gravity((0, 0, 0)).gravity_load(q) == pytest.approx(np.zeros(6))


def test_what_is_made_of_an_arm_with_drives_keeps_them_and_the_arm_alone_does_not() -> None:
    driven = load("irb6").driven.approximate("diagonal")
    for other in (
        driven.holding(da.Load(mass=1.0)),
        driven.with_gravity((0, 0, 0)),
        driven.locked({"joint5": 0.1}),
        driven.with_elastic(da.JointSpring("joint1", 1.0)),
        driven.frictionless(),
        driven.subarm(0, 0),
    ):
        assert isinstance(other, da.DrivenArm)
        assert other.drive_model == "diagonal"
    assert isinstance(driven, ArmDescription)
    assert type(driven.arm) is da.Arm
    assert driven.arm.drive_model == "none"
    assert driven.arm == load("irb6")
    assert driven.approximate("exact") == load("irb6").driven
    assert "rotors by 'diagonal'" in repr(driven)


def test_linear_models_by_the_public_call() -> None:
    arm = load("puma560")
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    joint, hand = arm.linearize(q), arm.linearize(q, coordinates="hand")
    assert hand.states[0].name == "hand_x"
    assert np.trace(hand.A) == pytest.approx(np.trace(joint.A), abs=1e-6)
    motors = arm.driven.linearize(q, input="voltage")
    assert [s.unit for s in motors.states[-1:]] == ["A"]
    assert arm.driven.linearize(q, coordinates="hand").A.shape == (12, 12)
    with pytest.raises(ArmError, match="no coordinates"):
        arm.linearize(q, coordinates="polar")
    with pytest.raises(ArmError, match="no input 'current' of a linear model; there are joint torque, motor torque"):
        arm.driven.linearize(q, input="current")
    with pytest.raises(ArmError, match=r"voltage needs an arm with its drives; linearize arm\.driven"):
        arm.linearize(q, input="voltage")


def test_simulation_by_the_public_call() -> None:
    arm = load("planar-2r")
    path = quintic([[0, 0], [0.5, 0.5]], 0.5)
    motion = arm.simulate(ComputedTorque(arm, path), [0, 0], None, 0.5, samples=6)
    assert motion.q[-1] == pytest.approx([0.5, 0.5], abs=1e-6)
    with pytest.raises(ArmError, match="cannot run in machine code: the controller is a function"):
        arm.simulate(lambda t, q, qd: [0, 0], [0, 0], None, 0.1, compiled=True)
    with pytest.raises(ArmError, match="cannot run in machine code: these options"):
        arm.simulate([0, 0], [0, 0], None, 0.1, compiled=True, stops=True)
    with pytest.raises(ArmError, match=r"motor torque needs an arm with its drives; simulate arm\.driven"):
        arm.simulate([0, 0], [0, 0], None, 0.1, input="motor torque")
    many = arm.simulate_many([0, 0], np.zeros((3, 2)), None, 0.01)
    assert many.q.shape == (2, 3, 2)
    assert arm.requirements(path).feasible
    driven = arm.driven
    assert driven.simulate([0.0, 0.0], [0.1, 0.1], None, 0.1, samples=3).q.shape == (3, 2)
    assert driven.requirements(path).motor_torque is not None
    assert set(load("irb6").driven.approximation_errors(samples=20)) == {"szkodny", "diagonal", "paul"}
    assert (load("irb6").driven.inertia_range(samples=20).ratio >= 1).all()


def test_motor_torques_and_the_joint_torques_they_amount_to_move_an_arm_alike() -> None:
    """Also where motors carry the names of joints."""
    arm = load("planar-2r")
    train = DriveTrain(
        (Actuator("joint1", {"joint1": 30}, Rotor(1e-4)), Actuator("joint2", {"joint1": 5, "joint2": 20}, Rotor(1e-4)))
    )
    driven = arm.with_drives(train)
    push, start = np.array([0.1, 0.05]), [0.2, -0.1]
    at_motors = driven.simulate(push, start, None, 0.2, samples=3)
    at_joints = driven.simulate(driven.to_joints(start, push), start, None, 0.2, input="joint torque", samples=3)
    assert at_motors.q == pytest.approx(at_joints.q, abs=1e-9)
    assert np.abs(at_motors.q[-1] - start).max() > 0.01


def test_many_arms_with_drives_move_as_one_does_and_coulomb_friction_is_refused() -> None:
    driven = load("irb6").driven
    with pytest.raises(ArmError, match="Coulomb friction of its drives needs; take it off"):
        driven.simulate_many(np.zeros(5), np.zeros((2, 5)), None, 0.01)
    smooth = driven.frictionless()
    torque, start = smooth.gravity_load(np.full(5, 0.2)) + 1.0, np.full((2, 5), 0.2)
    many = smooth.simulate_many(torque, start, None, 0.02)
    alone = smooth.simulate(torque, start[0], None, 0.02, input="joint torque", samples=2)
    assert many.q[-1, 1] == pytest.approx(alone.q[-1], abs=1e-9)


def test_linear_models_along_a_trajectory_and_closed_forms_by_the_public_call() -> None:
    arm = load("irb6")
    path = quintic([np.zeros(5), np.full(5, 0.3)], 1.0)
    for one in (arm, arm.driven):
        models = one.linearize_along(path, [0.0, 0.5, 1.0])
        assert len(models) == 3
        assert not np.allclose(models[0].A, models[1].A)
    q = np.full(5, 0.2)
    assert arm.driven.equations().values(q)[0] == pytest.approx(arm.driven.mass_matrix(q))


def test_a_motion_is_replayed_in_a_page_of_its_own(tmp_path) -> None:
    arm = load("planar-2r")
    motion = arm.simulate([0, 0], [0.1, 0.2], None, 0.2, samples=5)
    arm.replay(motion, tmp_path / "m.html")
    text = (tmp_path / "m.html").read_text(encoding="utf-8")
    assert "replay-data" in text
    # one figure for each quantity and unit, the view fitted to the whole motion
    assert text.count('class="figure-data"') == len(charts(arm, motion)) >= 3
    assert '"motion":[[' in text.replace(" ", "")
    assert all(chart.y_axis.unit for chart in charts(arm, motion))
    assert "arm-canvas" in text
    assert "http://" not in text.replace("http://www.w3.org", "")


def test_questions_about_links_alone_are_refused_of_an_arm_with_drives() -> None:
    driven = load("irb6").driven
    q = np.zeros(5)
    for ask in (driven.regressor, driven.joint_reactions):
        with pytest.raises(ArmError, match="would leave out the drives that this system counts; ask its links"):
            ask(q, q, q)
    assert driven.arm.regressor(q, q, q).shape == (5, 50)


@pytest.mark.parametrize("write", ["write_toml", "write_urdf"])
def test_an_arm_with_drives_writes_the_file_that_the_arm_alone_writes(write: str) -> None:
    arm = load("irb6").holding(da.Load(mass=1.0, com=(0, 0, 0.1)))
    written = getattr(arm.driven, write)()
    assert written == getattr(arm, write)()
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 5, arm.n))
    if write == "write_toml":
        read = da.load(written, physical="ignore").driven
        assert read.motor_torques(q, qd, qdd) == pytest.approx(arm.driven.motor_torques(q, qd, qdd), rel=1e-12)


@pytest.mark.parametrize("model", ["exact", "szkodny", "diagonal", "paul"])
def test_an_arm_that_counts_its_drives_is_its_driven_arm(model: str) -> None:
    """By whichever name it is asked for it has motors, and what they can give limits a motion."""
    arm = da.load("puma560", physical="ignore")
    counting = arm.counting_drives(model)
    assert isinstance(counting, da.DrivenArm)
    assert counting == arm.driven.approximate(model) == arm.driven.counting_drives(model)
    assert (arm.counting_drives("none"), counting.counting_drives("none")) == (arm, arm)
    assert type(counting.counting_drives("none")) is da.Arm
    path = da.quintic([np.zeros(6), np.full(6, 0.5)], 0.5)
    uses = [[str(use) for use in da.requirements(one, path).uses] for one in (counting, arm.driven.approximate(model))]
    assert uses[0] == uses[1]
    assert any("voltage" in use for use in uses[0])


def test_an_arm_that_has_its_drives_is_the_driven_arm_of_itself() -> None:
    found = da.load("planar-2r").with_drives(
        da.DriveTrain([da.Actuator.of(f"m{k}", {f"joint{k}": 50}) for k in (1, 2)])
    )
    assert found.driven is found
    assert found.arm.driven.counts_drives

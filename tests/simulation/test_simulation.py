"""Simulation: energy, sticking, slipping, stops, loads, bad controllers; every law on a case with a known answer."""

import random

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.drives import Actuator, DriveTrain, Friction, Rotor
from dalembert.arm.errors import ArmError, SimulationError
from dalembert.arm.io.joint_drives import JointDrive, train_of_joints
from dalembert.simulation.loads import LoadChange
from dalembert.simulation.plant import plant_of
from dalembert.simulation.settings import METHODS
from random_arms import coupled_motors, random_arm
from simulated import simulate
from small_arms import rubbing, slider


def driven_arm(name: str) -> da.DrivenArm:
    return da.load(name, physical="ignore").driven


def test_a_frictionless_arm_keeps_its_energy_over_twenty_seconds():
    arm = da.load("planar-2r")
    motion = simulate(plant_of(arm), np.zeros(2), [0.3, -0.5], None, 20.0, rtol=1e-12, atol=1e-12)
    assert np.abs(motion.energy - motion.energy[0]).max() <= 1e-9 * motion.energy_scale
    assert motion.t[-1] == 20.0
    assert np.abs(motion.work).max() == 0


def test_rotors_take_part_in_the_energy_and_keep_it():
    arm = da.load("planar-2r")
    parts = [
        Actuator.of(f"m{k}", {name: 20}, Rotor.of("1e-3", arm.links[k].name, (1, 1, 0)))
        for k, name in enumerate(arm.joint_names)
    ]
    driven = arm.with_drives(DriveTrain(tuple(parts)))
    motion = simulate(plant_of(driven), np.zeros(2), [0.3, -0.5], None, 2.0, rtol=1e-10, atol=1e-12)
    assert np.abs(motion.energy - motion.energy[0]).max() <= 1e-9 * motion.energy_scale


@pytest.mark.parametrize("method", METHODS)
def test_every_method_of_scipy_serves(method):
    arm = slider(gravity=1.0)
    motion = simulate(plant_of(arm), [0.0], [0.0], None, 1.0, method=method)
    assert motion.q[-1, 0] == pytest.approx(0.5, abs=1e-5)


def test_below_its_starting_friction_an_arm_stands_exactly_still():
    driven = rubbing(slider(), Friction((3.0, 3.0), 5.0))
    motion = simulate(plant_of(driven), [4.999], [0.7], None, 5.0)
    assert (motion.q == 0.7).all()
    assert (motion.qd == 0).all()
    assert not motion.events


def test_it_slips_at_the_right_force_and_then_meets_the_moving_friction():
    """Force 2 t against hold 5 and brake 3: slips at 2.5 s, then m a = 2 t - 3."""
    driven = rubbing(slider(mass=2.0), Friction((3.0, 3.0), 5.0, 0.0))
    motion = simulate(plant_of(driven), lambda t, q, qd: [2.0 * t], [0.0], None, 4.0)
    assert [event.kind for event in motion.events] == ["slips"]
    assert motion.events[0].time == pytest.approx(2.5, abs=1e-9)
    speed = ((4.0**2 - 2.5**2) - 3.0 * 1.5) / 2.0
    assert motion.qd[-1, 0] == pytest.approx(speed, rel=1e-9)
    assert (motion.q[motion.t < 2.5] == 0).all()
    assert np.abs(motion.balance).max() <= 1e-8


def test_a_sliding_block_comes_to_rest_and_stays():
    """v0^2 / (2 mu) and v0 / mu."""
    driven = rubbing(slider(mass=2.0), Friction((3.0, 3.0)))
    motion = simulate(plant_of(driven), [0.0], [0.0], [1.5], 3.0)
    assert [event.kind for event in motion.events] == ["sticks"]
    assert motion.events[0].time == pytest.approx(1.0, abs=1e-9)
    assert motion.q[-1, 0] == pytest.approx(0.75, abs=1e-9)
    assert (motion.qd[motion.t > 1.0] == 0).all()
    assert motion.lost[-1] == pytest.approx(0.5 * 2 * 1.5**2, rel=1e-9)


def test_friction_may_differ_forward_and_backward():
    driven = rubbing(slider(mass=1.0), Friction((1.0, 2.0)))
    forward = simulate(plant_of(driven), [0.0], [0.0], [1.0], 2.0)
    backward = simulate(plant_of(driven), [0.0], [0.0], [-1.0], 2.0)
    assert forward.events[0].time == pytest.approx(1.0)
    assert backward.events[0].time == pytest.approx(0.5)


def test_a_load_held_by_friction_stays_although_its_own_drive_gives_nothing():
    """The printed (17) would let it fall: the load counts, not the driving force alone."""
    driven = rubbing(slider(mass=1.0, gravity=4.0), Friction((4.5, 4.5)))
    motion = simulate(plant_of(driven), [0.0], [0.0], None, 1.0)
    assert (motion.q == 0).all()


def test_stick_slip_of_a_dragged_block_repeats():
    """A spring pulled at constant speed: hold above brake makes the block jump again and again."""
    arm = slider(mass=1.0)
    driven = rubbing(arm, Friction((1.0, 1.0), 2.0))
    motion = simulate(
        plant_of(driven), lambda t, q, qd: 20.0 * (0.1 * t - q), [0.0], None, 6.0, max_step=0.02, samples=2001
    )
    kinds = [event.kind for event in motion.events]
    assert kinds[:4] == ["slips", "sticks", "slips", "sticks"]
    assert motion.events[0].time == pytest.approx(1.0, abs=1e-8)
    # the jump ends where the spring is as far below the brake as it was above it: with the spring slack
    stuck = motion.events[1].time
    rest = motion.q[np.searchsorted(motion.t, stuck) + 1, 0]
    assert rest == pytest.approx(0.1 * stuck, abs=1e-7)
    assert np.abs(motion.balance).max() < 1e-7


def test_a_joint_rests_on_its_stop_and_leaves_it_when_pulled():
    arm = slider(mass=1.0, gravity=2.0, upper=1.0)
    motion = simulate(
        plant_of(arm), lambda t, q, qd: [0.0 if t < 2 else -3.0], [0.0], None, 3.0, stops=True, max_step=0.05
    )
    kinds = [event.kind for event in motion.events]
    assert kinds == ["stop", "leaves stop"]
    assert motion.events[0].time == pytest.approx(1.0, abs=1e-9)
    assert motion.events[0].energy == pytest.approx(0.5 * 1.0 * 2.0**2, rel=1e-9)
    assert motion.events[1].time == pytest.approx(2.0, abs=1e-3)
    assert (motion.q <= 1.0 + 1e-12).all()
    assert motion.q[-1, 0] == pytest.approx(0.5, abs=2e-3)
    assert np.abs(motion.balance).max() < 1e-6


def test_a_stop_with_restitution_gives_the_speed_back():
    arm = slider(mass=1.0, upper=1.0)
    motion = simulate(plant_of(arm), [0.0], [0.0], [1.0], 2.0, stops=True, restitution=0.5)
    assert motion.qd[-1, 0] == pytest.approx(-0.5)
    assert motion.q[-1, 0] == pytest.approx(0.5)


def test_an_impact_at_one_joint_keeps_the_momentum_of_the_others():
    arm = da.load("planar-2r")
    joints = tuple(
        da.Joint(
            j.name,
            j.kind,
            j.parent,
            j.child,
            j.before,
            j.after,
            da.Limits(-3, 0.5) if j is arm.joints[1] else da.Limits(),
        )
        for j in arm.joints
    )
    limited = da.Arm(arm.name, arm.links, joints, (0, 0, 0))
    motion = simulate(plant_of(limited), [0.0, 0.0], [0.0, 0.0], [0.3, 1.0], 1.0, stops=True)
    momentum = [limited.mass_matrix(q) @ qd for q, qd in zip(motion.q, motion.qd, strict=True)]
    # joint 1 turns the whole arm: its momentum is that of the arm about the base, and nothing acts on it
    assert np.ptp([p[0] for p in momentum]) < 1e-7
    assert motion.events[0].kind == "stop"
    after = motion.qd[np.searchsorted(motion.t, motion.events[0].time, side="right"), 1]
    assert -0.05 < after <= 0


def test_a_standing_object_that_is_gripped_takes_its_share_of_the_momentum():
    arm = slider(mass=2.0)
    motion = simulate(
        plant_of(arm), [0.0], [0.0], [1.0], 2.0, changes=(LoadChange(1.0, da.Load(mass=3.0)), LoadChange(1.5, None))
    )
    assert motion.at(1.2)[1] == pytest.approx([0.4])
    assert motion.qd[-1] == pytest.approx([0.4])
    assert [event.kind for event in motion.events] == ["load", "load"]
    moving = simulate(plant_of(arm), [0.0], [0.0], [1.0], 2.0, changes=(LoadChange(1.0, da.Load(mass=3.0), True),))
    assert moving.qd[-1] == pytest.approx([1.0])


def test_the_energy_account_closes_at_the_very_sample_of_a_load_change():
    arm = da.load("planar-2r", physical="ignore")
    changes = (LoadChange(0.5, da.Load(mass=3.0)), LoadChange(0.75, None))
    motion = arm.simulate(np.zeros(2), [0.3, 0.1], duration=1.0, samples=5, changes=changes)
    assert {0.5, 0.75} <= set(motion.t)
    assert max(abs(event.energy) for event in motion.events) > 1
    assert np.abs(motion.balance).max() < 1e-6


def test_irb6_held_by_constant_currents_stays_in_the_static_state_of_figure_4():
    driven = driven_arm("irb6")
    q = driven.joint_positions([-130.0, -66.7, -51.0, -199.0, -199.0])
    motion = simulate(plant_of(driven, "current"), [0.0, 3.18, -0.73, 0.0, 0.0], q, None, 2.0)
    assert (motion.q == q).all()
    assert motion.others["motor_position"][-1] == pytest.approx([-130.0, -66.7, -51.0, -199.0, -199.0])
    # with the current of motor 2 raised it lets go where current, load and starting friction say
    load = driven.to_motors(q, driven.gravity_load(q))
    slips = (load[1] + driven.motor_friction.starting[1]) / driven.electric.torque_constant[1]
    raised = simulate(plant_of(driven, "current"), lambda t, q, qd: [0.0, 3.18 + t, -0.73, 0.0, 0.0], q, None, 1.0)
    assert raised.events[0].name == "motor2"
    assert 3.18 + raised.events[0].time == pytest.approx(slips, abs=1e-8)


def test_irb6_driven_by_currents_reaches_a_static_state():
    """As in Fig. 4: from a start off the state the arm moves, brakes by friction alone, and stands."""
    driven = driven_arm("irb6")
    q = driven.joint_positions([-120.0, -60.0, -45.0, -199.0, -199.0])

    def currents(t, q, qd):
        pulse = 1.0 if t < 0.25 else 0.0
        return [-1.6 * pulse, 3.0 - 1.6 * pulse, -0.73 - 1.6 * pulse, 0.0, 0.0]

    motion = simulate(plant_of(driven, "current"), currents, q, None, 2.0, rtol=1e-6, max_step=0.01)
    assert np.abs(motion.others["motor_position"][-1] - motion.others["motor_position"][0])[:3].min() > 0.1
    assert (motion.qd[-1] == 0).all()
    assert np.abs(motion.balance).max() < 1e-5 * motion.energy_scale + 1e-5


def test_a_released_jpl_rrp_settles():
    motion = simulate(
        plant_of(driven_arm("jpl-rrp")), np.zeros(6), [0, 0.7, 0.5, 0.2, 0.5, 0], None, 8.0, stops=True, rtol=1e-6
    )
    assert (motion.qd[-1] == 0).all()
    assert np.abs(motion.balance).max() <= 1e-5 * motion.energy_scale


def test_nominal_voltages_drive_the_full_motor_model_along_the_trajectory():
    """Freeman 2-238 to 2-240: current, its rate with jerk, back emf; fed forward, nothing fed back."""
    full = driven_arm("puma560")
    parts = tuple(
        Actuator(a.name, a.ratios, a.rotor, Friction(viscous=a.friction.viscous), a.motor)
        for a in full.drives.actuators
    )
    driven = full.arm.with_drives(DriveTrain(parts))
    a = np.array([0.3, 0.2, 0.25, 0.3, 0.2, 0.3])

    def motion(t):
        s, c = np.sin(2 * t), np.cos(2 * t)
        return a * (1 - c), 2 * a * s, 4 * a * c, -8 * a * s

    electric = driven.electric
    current = electric.currents(*motion(0.0)[:3])
    plant = plant_of(driven, "voltage", current)
    found = simulate(
        plant,
        lambda t, q, qd: electric.voltages(*motion(t)),
        motion(0.0)[0],
        motion(0.0)[1],
        0.6,
        samples=13,
        rtol=1e-9,
    )
    assert found.q == pytest.approx(np.array([motion(t)[0] for t in found.t]), abs=1e-6)


def test_a_rate_given_as_a_period_is_refused():
    arm = da.load("planar-2r")
    with pytest.raises(da.ArmError, match=r"period of 1000 s is longer than .* 0\.1 s; .* 1000 Hz is 0\.001 s"):
        arm.simulate([0, 0], [0, 0], duration=0.1, period=1000)
    arm.simulate([0, 0], [0, 0], duration=0.004, period=0.01)  # the rest of a motion that is simulated piece by piece


def test_a_sampled_controller_holds_its_value_between_samples():
    arm = slider(mass=1.0)
    seen = []

    def control(t, q, qd):
        seen.append(t)
        return [1.0 - 2 * (t >= 0.5)]

    motion = simulate(plant_of(arm), control, [0.0], None, 1.0, period=0.1)
    assert len(seen) <= 12
    assert motion.q[-1, 0] == pytest.approx(0.25, abs=1e-9)


BAD = {
    "shape": (lambda t, q, qd: [0.0, 0.0, 0.0], r"shape \(3,\) at t = 0 s.*joint1, joint2"),
    "nan": (lambda t, q, qd: [0.0, np.nan if t > 0.5 else 0.0], r"nan for 'joint2' at t = 0.5"),
    "text": (lambda t, q, qd: "full speed", "full speed"),
    "diverges": (lambda t, q, qd: 60 * np.asarray(qd) + 1.0, r"t = .* joint 'joint"),
}


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_controller_is_named_with_its_time_and_what_was_found_is_kept(fault):
    control, said = BAD[fault]
    with pytest.raises(SimulationError, match=said) as caught:
        simulate(plant_of(da.load("planar-2r")), control, [0.1, 0.2], None, 2.0)
    motion = caught.value.motion
    assert motion is not None
    assert motion.fault
    if fault in ("nan", "diverges"):
        assert len(motion.t) >= 2
        assert np.isfinite(motion.q).all()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"method": "Euler"}, "no method"),
        ({"period": 0.0}, "period"),
        ({"restitution": 2.0}, "restitution"),
        ({"changes": [(0.5, 1.0)]}, r"a da.LoadChange\(time, load\)"),
    ],
)
def test_bad_settings_are_refused(change, said):
    with pytest.raises(ArmError, match=said):
        simulate(plant_of(slider()), [0.0], [0.0], None, 1.0, **change)


@pytest.mark.parametrize("control", [None, "free"])
def test_an_input_that_is_none_is_told_what_it_could_be(control):
    said = r"give one real number for each of joint1, joint2, or a function of \(t, q, qd\)"
    with pytest.raises(ArmError, match=f"the input is {control!r}; {said}"):
        da.load("planar-2r").simulate(control, [0.0, 0.0])


def test_a_motion_is_saved_with_names_and_units(tmp_path):
    from scipy.io import netcdf_file

    motion = simulate(plant_of(rubbing(slider(), Friction((1.0, 1.0)))), [2.0], [0.0], None, 1.0, samples=11)
    motion.save(tmp_path / "m.csv")
    head, *rows = (tmp_path / "m.csv").read_text().splitlines()
    assert head.startswith("time [s],q_rail [m],qd_rail [m/s],input_drive0 [N]")
    assert len(rows) == 11
    assert float(rows[-1].split(",")[1]) == motion.q[-1, 0]
    motion.save(tmp_path / "m.nc")
    with netcdf_file(str(tmp_path / "m.nc"), mmap=False) as file:
        assert (file.variables["q_rail"][:] == motion.q[:, 0]).all()
        assert file.variables["q_rail"].units == b"m"
    with pytest.raises(ArmError, match="saved as"):
        motion.save(tmp_path / "m.xls")
    assert "slider" in repr(motion)


def test_drives_read_from_joints_brake_a_simulation():
    arm = da.load("planar-2r")
    damped = arm.with_drives(train_of_joints([JointDrive(name, damping=2.0, friction=0.1) for name in arm.joint_names]))
    motion = simulate(plant_of(damped), np.zeros(2), [0.3, 0.1], None, 3.0, rtol=1e-7)
    assert motion.lost[-1] > 0
    assert np.abs(motion.balance).max() <= 1e-5 * motion.energy_scale


def test_a_transmission_that_varies_keeps_its_energy_and_sticks():
    arm = da.load("planar-2r")

    def turns(ring, q):
        sin, cos = ring.sincos(q[1])
        return [20 * q[0] + 4 * sin, 15 * q[1] + 2 * cos]

    parts = tuple(
        Actuator.of(f"m{k}", {name: 1}, Rotor.of("2e-3", arm.links[k].name, (0, 1, 1)))
        for k, name in enumerate(arm.joint_names)
    )
    free = arm.with_drives(DriveTrain(parts, turns=turns))
    motion = simulate(plant_of(free), np.zeros(2), [0.3, -0.5], None, 1.5, rtol=1e-10, atol=1e-12)
    assert np.abs(motion.energy - motion.energy[0]).max() <= 1e-8 * motion.energy_scale
    rough = tuple(Actuator(a.name, a.ratios, a.rotor, Friction((0.4, 0.4), 0.6)) for a in parts)
    held = simulate(
        plant_of(arm.with_drives(DriveTrain(rough, turns=turns))), np.zeros(2), [-1.4, -0.2], [0.5, 0.0], 4.0, rtol=1e-6
    )
    assert (held.qd[-1] == 0).all()
    assert np.abs(held.balance).max() <= 1e-4 * held.energy_scale


@pytest.mark.parametrize("seed", [3, 14, 33, 38, 39])
def test_the_energy_account_closes_on_random_arms_with_coupled_drives_friction_and_stops(seed):
    """Motors coupled to every joint, friction on motors and joints at once, bouncing stops."""
    rng = random.Random(seed)
    arm = da.Arm.of(random_arm(rng, 1 + seed % 4, tree=bool(seed % 2)))
    actuators = coupled_motors(rng, arm)
    rubs = tuple((name, Friction.of(rng.uniform(0, 5), viscous=1.0)) for name in arm.joint_names if rng.random() < 0.5)
    train = DriveTrain(tuple(actuators), joint_friction=rubs)
    driven = arm.with_drives(train)
    push = np.array([rng.uniform(-3, 3) for _ in arm.moving])
    start = np.array([rng.uniform(-0.1, 0.1) for _ in arm.moving])
    motion = simulate(
        plant_of(driven), lambda t, q, qd: push * np.sin(5 * t), start, None, 0.5, stops=True, restitution=0.5,
        rtol=1e-6, samples=21,
    )  # fmt: skip
    assert np.abs(motion.balance).max() <= 1e-8 * (1 + motion.energy_scale)
    assert (motion.q >= arm.lower - 1e-9).all()
    assert (motion.q <= arm.upper + 1e-9).all()


def test_currents_at_the_start_belong_to_voltages():
    with pytest.raises(ArmError, match="currents at the start"):
        plant_of(driven_arm("irb6"), "current", np.zeros(5))


def test_a_plot_is_a_plotly_figure_or_says_what_is_missing():
    motion = simulate(plant_of(slider()), [1.0], [0.0], None, 0.1, samples=3)
    try:
        import plotly  # noqa: F401
    except ImportError:
        with pytest.raises(ArmError, match="plotly is not installed"):
            motion.plot()
    else:
        assert len(motion.plot().data) == 7

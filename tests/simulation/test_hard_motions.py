"""Motions that are hard to follow: light links, stiff loops, relays, accumulating bounces. They end, and rightly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.drives import Friction
from dalembert.arm.io.joint_drives import JointDrive, train_of_joints
from dalembert.simulation.impacts import after_impact
from dalembert.simulation.plant import plant_of
from dalembert.simulation.settings import SimulationSettings
from dalembert.simulation.simulate import Simulation
from dalembert.simulation.time_steps import take_steps
from simulated import simulate
from small_arms import rubbing, slider, two_joints


def test_a_passive_loop_with_a_light_link_ends_where_a_stiff_method_finds_it(tmp_path: Path) -> None:
    """A trial stage far off is no divergence, and the stiffness is found without being told."""
    driven = da.load(two_joints(tmp_path)).driven
    path = da.quintic([[0, 0], [1, -0.5]], 2.0)
    law = da.PDGravity(driven, path, 100, 20)
    motion = driven.simulate(law, [0, 0], None, 2.0)
    told = driven.simulate(law, [0, 0], None, 2.0, method="LSODA")
    assert motion.q[-1] == pytest.approx(told.q[-1], abs=1e-7)
    # DOP853 takes 38 thousand steps
    assert motion.steps < 2000


def test_a_motion_that_is_not_stiff_stays_with_the_explicit_method() -> None:
    arm = da.load("planar-2r")
    run = Simulation(plant_of(arm), np.zeros(2), (np.array([0.3, -0.5]), np.zeros(2)), 2.0, SimulationSettings())
    run.run()
    assert not run.stiffness.is_stiff


def test_a_passive_loop_never_gains_energy(tmp_path: Path) -> None:
    """T + kp e^2 / 2 under PD about a goal, friction and damping beside it: falls, also where shafts stick and slip."""
    driven = da.load(two_joints(tmp_path)).driven
    goal = np.array([0.5, -0.3])
    law = da.PDGravity(driven, da.quintic([goal, goal], 1.0), 40.0, 0.2)
    motion = driven.simulate(law, [-0.4, 0.6], [0.5, 3.0], 1.5, samples=601)
    level = motion.kinetic + 40.0 * ((motion.q - goal) ** 2).sum(axis=1) / 2
    assert {event.kind for event in motion.events} >= {"sticks", "reverses"}
    assert np.diff(level).max() <= 1e-9 * level[0]
    assert np.abs(motion.balance).max() <= 1e-7 * level[0]


def test_an_arm_falls_on_its_stops_and_rests_there() -> None:
    """Two joints of jpl-rrp on their stops at once, restitution 0: the impulse at one is taken by the other too."""
    arm = da.load("jpl-rrp", physical="ignore")
    motion = arm.simulate(np.zeros(6), [0, 0.5, 0.5, 0, 0.3, 0], None, 2.0, stops=True, rtol=1e-6)
    assert motion.t[-1] == 2.0
    assert not motion.stepped
    assert len(motion.events) < 20
    assert np.abs(motion.balance).max() <= 1e-5 * motion.energy_scale


@pytest.mark.parametrize("restitution", [0.3, 0.5, 0.7])
def test_bounces_accumulate_where_the_geometric_series_ends(restitution: float) -> None:
    """A mass dropped by h = 1 at 10 m/s^2: at rest from t0 (1 + e) / (1 - e), t0 = sqrt(2 h / g)."""
    arm = slider(mass=1.0, gravity=10.0, upper=1.0)
    motion = simulate(plant_of(arm), [0.0], [0.0], None, 3.0, stops=True, restitution=restitution)
    end = np.sqrt(0.2) * (1 + restitution) / (1 - restitution)
    assert motion.events[-1].time == pytest.approx(end, abs=1e-6)
    assert (motion.q[motion.t > end + 1e-6] == 1.0).all()
    assert (motion.qd[motion.t > end + 1e-6] == 0.0).all()
    assert sum(event.energy for event in motion.events) == pytest.approx(10.0, rel=1e-9)
    assert not motion.stepped


def test_an_impact_gains_no_energy_and_pushes_nothing_into_a_stop() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        n = int(rng.integers(1, 6))
        root = rng.standard_normal((n, n))
        mass = root @ root.T + 0.1 * np.eye(n)
        mass = (mass + mass.T) / 2
        qd, back = rng.standard_normal(n), float(rng.choice([0.0, 0.5, 1.0]))
        touched = rng.choice(n, size=int(rng.integers(1, n + 1)), replace=False)
        sides = {int(j): int(np.sign(qd[j])) for j in touched}
        # one hits its stop, others hit theirs, lean on them, or are just leaving them
        for j in map(int, touched[1:]):
            qd[j] *= rng.choice([-1, 0, 1])
        met = {j: side for j, side in sides.items() if side * qd[j] >= 0}
        after = after_impact(mass, qd, sides, back)
        assert after @ mass @ after <= qd @ mass @ qd * (1 + 1e-12)
        for j, side in met.items():
            # away from the stop at least as fast as it came, times e
            assert -side * after[j] >= back * max(side * qd[j], 0.0) - 1e-9
        # impulses only at stops that are touched
        rest = [j for j in range(n) if j not in met]
        assert (mass @ (after - qd))[rest] == pytest.approx(0, abs=1e-9)


def test_a_relay_holds_the_motion_on_its_sliding_line_and_the_motion_says_how() -> None:
    """u = -5 sgn(v + 2 x): on v = -2 x, x falls as exp(-2 t), by time steps that the motion tells of."""
    motion = slider(mass=1.0).simulate(lambda t, q, qd: -5 * np.sign(qd + 2 * q), [0.3], [1.0], 0.45, samples=46)
    begin, end = motion.stepped[0]
    assert end == 0.45
    on = motion.t > begin + 0.01
    assert np.abs(motion.qd[on] + 2 * motion.q[on]).max() < 1e-3
    x, t = motion.q[on, 0], motion.t[on]
    assert x == pytest.approx(x[0] * np.exp(-2 * (t - t[0])), abs=1e-4)


def test_time_steps_keep_a_block_that_friction_holds_exactly_where_it_is() -> None:
    driven = rubbing(slider(mass=1.0, gravity=4.0), Friction((4.5, 4.5)))
    run = Simulation(plant_of(driven), [0.3], (np.array([0.7]), np.zeros(1)), 1.0, SimulationSettings())
    take_steps(run, 0.01)
    assert run.q == [0.7]
    assert run.qd == [0.0]
    assert run.lost == run.work == 0.0


def test_time_steps_brake_a_block_and_bounce_it_as_events_do() -> None:
    driven = rubbing(slider(mass=2.0, upper=1.0), Friction((3.0, 3.0)))
    settings = SimulationSettings(stops=True, restitution=0.5)
    run = Simulation(plant_of(driven), [0.0], (np.array([0.99]), np.array([0.3])), 1.0, settings)
    take_steps(run, 0.15)
    events = simulate(plant_of(driven), [0.0], [0.99], [0.3], 0.15, stops=True, restitution=0.5)
    assert [event.kind for event in events.events][-1] == "sticks"
    assert run.q == pytest.approx(events.q[-1], abs=1e-4)
    assert run.qd == pytest.approx(events.qd[-1], abs=1e-4)
    energy = float(run.plant.kinetic_energy(run.q, run.qd)) + run.lost
    assert energy == pytest.approx(0.5 * 2 * 0.3**2, rel=1e-9)


def test_a_reduced_model_has_the_sticking_friction_of_its_arm() -> None:
    arm = da.load("planar-2r")
    drives = train_of_joints([JointDrive(name, damping=0.5, friction=0.8) for name in arm.joint_names])
    driven = arm.with_drives(drives)
    reduced = driven.analysis().reduce(0.02)
    exact, short = (da.simulate(s, np.zeros(2), [0.3, 0.2], None, 1.5, input="joint torque") for s in (driven, reduced))
    assert [event.kind for event in short.events] == [event.kind for event in exact.events]
    assert short.q[-1] == pytest.approx(exact.q[-1], abs=0.02)
    assert short.evaluations < 5000


def test_work_is_bounded_and_the_error_says_where_and_what_to_do() -> None:
    with pytest.raises(da.SimulationError, match=r"200 evaluations .* t = .* joint 'joint.*raise most_eval") as caught:
        da.load("planar-2r").simulate(np.zeros(2), [0.3, 0.1], None, 20.0, compiled=False, most_evaluations=200)
    assert caught.value.motion is not None
    assert 0 < caught.value.motion.t[-1] < 20.0


def test_a_compiled_loop_that_takes_too_many_steps_is_left_to_a_stiff_method() -> None:
    arm = da.load("planar-2r")
    goal = da.quintic([[0.2, 0.1], [0.2, 0.1]], 1.0)
    law = da.PDGravity(arm, goal, 1e4, 3e4)
    assert arm.simulate(law, [0, 0], None, 1.0, compiled=True).evaluations > 80_000
    found = arm.simulate(law, [0, 0], None, 1.0, most_evaluations=4_000)
    assert found.evaluations < 4_000
    told = arm.simulate(law, [0, 0], None, 1.0, method="Radau")
    assert found.q[-1] == pytest.approx(told.q[-1], abs=1e-7)
    with pytest.raises(da.ArmError, match="too stiff"):
        arm.simulate(law, [0, 0], None, 1.0, most_evaluations=4_000, compiled=True)


@pytest.mark.parametrize(("gain", "stable"), [(1.5, True), (2.5, False)])
def test_a_sampled_damper_is_unstable_from_twice_the_inertia_over_the_period(gain: float, stable: bool) -> None:
    """v+ = (1 - kd T / m) v: cut at its limits the swing does not diverge, and is told all the same."""
    mass, period = 2.0, 1e-3
    arm = slider(mass=mass)
    limited = da.Arm(
        arm.name,
        arm.links,
        (da.Joint("rail", "prismatic", "base", "block", arm.joints[0].before, limits=da.Limits(effort=10.0)),),
        (0, 0, 0),
    )

    def law(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return -gain * mass / period * qd

    if stable:
        motion = limited.simulate(law, [0.0], [0.1], 0.3, period=period, saturate=True)
        assert abs(motion.qd[-1, 0]) < 1e-3
        return
    with pytest.raises(da.SimulationError, match=r"unstable: the input of 'rail' .* period of 0.001 s"):
        limited.simulate(law, [0.0], [0.1], 0.3, period=period, saturate=True)
    with pytest.raises(da.SimulationError, match=r"diverges .* period of 0.001 s"):
        limited.simulate(law, [0.0], [0.1], 0.3, period=period)

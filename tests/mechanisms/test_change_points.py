"""Motions through configurations where assembly modes meet: inertia leads on, or a sentence says that nothing does."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.arm.description import ArmDescription, Joint, Link
from dalembert.mechanisms import gallery


def rod(length: float) -> dict[str, object]:
    return {"a": length, "mass": 1.0, "com": (-length / 2, 0, 0), "inertia": (0, length**2 / 12, length**2 / 12)}


def parallelogram(kind: str = "pin", gravity: float = 0.0, more: float = 0.0, home: float = 1.0) -> da.Mechanism:
    arms = {
        "a": da.Arm.from_dh([rod(0.3), rod(0.6)], name="a"),
        "b": da.Arm.from_dh([rod(0.3 + more)], name="b"),
    }
    return da.Mechanism(
        arms,
        [da.Closure("pin", "a", "b", kind)],
        ["a.joint1"],
        bases={"b": gallery.at(0.6)},
        home=[home, -home, home],
        gravity=(0, -gravity, 0),
    ).compiled()


INERTIA = 2 * 0.3**2 / 3 + 0.3**2
"""Of the parallelogram at its crank: two rods about their ends, one that moves on a circle."""


@pytest.mark.parametrize(("kind", "speed"), [("pin", 2.0), ("pin", 7.0), ("revolute", 3.0)])
def test_a_parallelogram_without_weight_turns_for_ever_at_constant_speed(kind: str, speed: float) -> None:
    bar = parallelogram(kind)
    times = np.linspace(0, 4, 161)
    motion = bar.simulate(times, bar.home, [speed])
    exact = 1 + speed * times
    np.testing.assert_allclose(motion.phi, np.stack([exact, -exact, exact], axis=1), atol=1e-7)
    assert np.ptp(motion.energy) < 1e-8 * motion.energy[0]
    assert motion.closure_error.max() < 1e-10
    flat = (np.pi * np.arange(1, int(exact[-1] / np.pi) + 1) - 1) / speed
    np.testing.assert_allclose(motion.change_points, flat, atol=0.01 / speed)


def test_a_parallelogram_with_weight_is_a_pendulum_through_its_flat_positions() -> None:
    bar = parallelogram(gravity=9.81)
    times = np.linspace(0, 2, 81)
    motion = bar.simulate(times, bar.home, [3.0])
    moment = (2 * 0.15 + 0.3) * 9.81
    pendulum = solve_ivp(
        lambda t, y: [y[1], -moment * np.cos(y[0]) / INERTIA],
        (0, 2),
        [1.0, 3.0],
        t_eval=times,
        rtol=1e-12,
        atol=1e-12,
        method="DOP853",
    )
    np.testing.assert_allclose(motion.phi[:, 0], pendulum.y[0], atol=1e-6)
    np.testing.assert_allclose(motion.phi[:, 2], pendulum.y[0], atol=1e-6)
    assert np.ptp(motion.energy) < 1e-7 * np.abs(motion.energy).max()
    assert len(motion.change_points) >= 3


@pytest.mark.parametrize("more", [1e-3, 2e-9])
def test_modes_that_only_come_near_each_other_are_not_taken_for_one(more: float) -> None:
    """A rocker that is a little longer: the loop turns crossed near its flat position, and energy is kept there."""
    bar = parallelogram(more=more)
    motion = bar.simulate(np.linspace(0, 1.5, 101), bar.home, [3.0])
    assert motion.change_points == ()
    assert np.ptp(motion.energy) < 1e-8 * motion.energy[0]
    assert motion.closure_error.max() < 1e-12
    apart = np.abs(motion.phi[:, 0] - motion.phi[:, 2])
    assert apart[:10].max() < 0.1 < apart.max()


def test_a_drive_pushes_through_a_change_point() -> None:
    """A constant torque at the crank: constant acceleration."""
    bar = parallelogram()
    times = np.linspace(0, 2, 81)
    motion = bar.simulate(times, bar.home, [1.0], drive=lambda t, q, qd: [0.5])
    exact = 1 + times + 0.25 / INERTIA * times**2
    np.testing.assert_allclose(motion.q[:, 0], exact, atol=1e-7)
    assert len(motion.change_points) == int(exact[-1] / np.pi)


def test_a_motion_that_comes_to_rest_at_a_change_point_ends_there_with_what_came_before() -> None:
    """Viscous drag that uses up the speed on the way to the flat position: q = pi - (pi - 1) exp(-c t/I)."""
    bar = parallelogram()
    drag = 6.0 * INERTIA
    with pytest.raises(da.SimulationError, match=r"beyond t = .*comes to a change point.*too slow") as fault:
        bar.simulate(
            np.linspace(0, 20, 401),
            bar.home,
            [6.0 * (np.pi - 1)],
            drive=lambda t, q, qd: -drag * np.asarray(qd),
            rtol=1e-7,
            atol=1e-8,
        )
    motion = fault.value.motion
    assert 20 < len(motion.t) < 401
    np.testing.assert_allclose(motion.q[:, 0], np.pi - (np.pi - 1) * np.exp(-6 * motion.t), atol=1e-5)


def test_twenty_seconds_through_change_points_keep_energy_and_closure() -> None:
    """Both ways, in the joints and in the coordinates: 13 flat positions at constant speed."""
    bar = parallelogram()
    motion = bar.simulate(np.linspace(0, 20, 21), bar.home, [2.0])
    assert len(motion.change_points) == 13
    assert np.ptp(motion.energy) < 1e-8 * motion.energy[0]
    assert motion.closure_error.max() < 1e-12
    np.testing.assert_allclose(motion.q[:, 0], 1 + 2 * motion.t, atol=1e-6)
    system = bar.as_system()
    asked = da.simulate(system, [0.0], [1.0], [2.0], duration=20.0)
    assert np.ptp(asked.energy) < 1e-8 * asked.energy[0]
    np.testing.assert_allclose(asked.q[:, 0], 1 + 2 * asked.t, atol=1e-7)
    joints = system.joints(asked.q)
    np.testing.assert_allclose(joints, asked.q * np.array([1, -1, 1]), atol=1e-11)
    assert np.abs(bar.closure_error(joints)).max() < 1e-12


@pytest.mark.parametrize("kind", ["pin", "revolute"])
def test_a_system_in_its_coordinates_is_a_pendulum_through_its_flat_positions(kind: str) -> None:
    """With weight, under a controller's torque too; redundant closures as well as others."""
    bar = parallelogram(kind, gravity=9.81)
    moment = (2 * 0.15 + 0.3) * 9.81
    times = np.linspace(0, 1.5, 31)
    pendulum = solve_ivp(
        lambda t, y: [y[1], (-moment * np.cos(y[0]) - 0.2 * y[1]) / INERTIA],
        (0, 1.5),
        [1.0, 12.0],
        t_eval=times,
        rtol=1e-12,
        atol=1e-12,
        method="DOP853",
    )
    motion = da.simulate(bar.as_system(), lambda t, q, qd: -0.2 * qd, [1.0], [12.0], duration=1.5, times=times)
    assert motion.q.max() > np.pi + 0.5
    np.testing.assert_allclose(motion.q[:, 0], pendulum.y[0], atol=1e-6)
    np.testing.assert_allclose(motion.qd[:, 0], pendulum.y[1], atol=1e-6)


def test_a_system_at_a_change_point_has_the_numbers_of_its_branch() -> None:
    """I*, bias, weight and slopes are quotients 0/0 there: those of a pendulum, at the point itself and near it."""
    bar = parallelogram(gravity=9.81)
    system = bar.as_system()
    moment = (2 * 0.15 + 0.3) * 9.81
    for off in (0.0, 1e-9, -1e-5, 3e-3):
        q, qd = np.array([np.pi + off]), np.array([2.0])
        np.testing.assert_allclose(system.joints(q), q * np.array([1, -1, 1]), atol=1e-12)
        np.testing.assert_allclose(system.mass_matrix(q), [[INERTIA]], rtol=1e-10)
        np.testing.assert_allclose(system.bias(q, qd), moment * np.cos(q), rtol=1e-8)
        np.testing.assert_allclose(system.gravity_load(q), moment * np.cos(q), rtol=1e-10)
        np.testing.assert_allclose(
            system.forward_dynamics(q, qd, [0.5]), (0.5 - moment * np.cos(q)) / INERTIA, rtol=1e-8
        )
        slope = system.inverse_dynamics_derivatives(q, qd, [0.0])[0]
        np.testing.assert_allclose(slope, [-moment * np.sin(q)], atol=1e-6)
    whole = np.array([[1.0], [np.pi], [4.0], [2 * np.pi + 1]])
    np.testing.assert_allclose(system.kinetic_energy(whole, [2.0]), [2 * INERTIA] * 4, rtol=1e-10)


@pytest.mark.parametrize("more", [1e-3, 1e-7])
def test_coordinates_pass_no_place_where_modes_only_come_near_each_other(more: float) -> None:
    """A rocker a little longer: the loop turns crossed there, as it does when its joints are integrated."""
    bar = parallelogram(more=more)
    system = bar.as_system()
    motion = da.simulate(system, [0.0], bar.coordinates_of(bar.home), [3.0], duration=0.8)
    exact = bar.simulate(motion.t, bar.home, [3.0])
    np.testing.assert_allclose(motion.q, exact.q, atol=1e-6)
    joints = system.joints(motion.q)
    np.testing.assert_allclose(joints, exact.phi, atol=1e-6)
    assert np.abs(joints[-1, 0] - joints[-1, 2]) > 0.2


def test_coordinates_that_stop_to_determine_the_mechanism_end_a_motion_with_what_came_before() -> None:
    """A five-bar whose fore links come into line: beyond it the cranks turn back on another branch."""
    bar = gallery.five_bar().compiled()
    start = bar.coordinates_of(bar.home)
    with pytest.raises(da.SimulationError, match="assembly mode") as fault:
        da.simulate(bar.as_system(), [6.0, -6.0], start, duration=5.0)
    assert 0 < fault.value.motion.t[-1] < 5
    assert np.abs(bar.closure_error(bar.position(fault.value.motion.q[1]))).max() < 1e-12


def test_many_motions_at_once_pass_change_points_each_in_its_time() -> None:
    bar = parallelogram()
    speeds = np.array([[0.5], [3.0], [9.0], [10.5]])
    motions = bar.simulate_many([0.0], bar.home, speeds, 1.0, 2e-3, every=50)
    exact = 1 + motions.t[:, None, None] * speeds
    np.testing.assert_allclose(motions.phi, exact * np.array([1, -1, 1]), atol=1e-9)
    assert motions.faults == ("",) * 4


def test_a_motion_of_many_that_cannot_go_on_ends_alone() -> None:
    bar = gallery.five_bar().compiled()
    motions = bar.simulate_many([[0.0, 0.0], [60.0, -60.0]], bar.home, np.zeros((2, 2)), 0.2, 1e-3, every=20)
    alone = bar.simulate_many([0.0, 0.0], bar.home, [0.0, 0.0], 0.2, 1e-3, every=20)
    np.testing.assert_allclose(motions.q[:, 0], alone.q[:, 0], atol=1e-13)
    assert not motions.faults[0]
    assert "the motion ends at" in motions.faults[1]
    assert motions.diverged.tolist() == [False, True]
    assert np.isfinite(motions.q[1, 1]).all(), "what came before is kept"


def test_a_parallelogram_on_a_turntable_keeps_energy_and_angular_momentum_through_its_flat_positions() -> None:
    """Two freedoms: no weight, and nothing turns it about the vertical."""
    links = [Link("ground"), Link("table", da.Inertia.of(2, (0.1, 0, 0), (0.05, 0.06, 0.1)))]
    lay = da.Placement.from_xyz_rpy((0, 0, 0), (np.pi / 2, 0, 0))  # z of the joints lies level, the linkage stands
    joints = [Joint("turn", "revolute", "ground", "table")]
    for name, parent, length, at in (
        ("crank", "table", 0.3, (0.0, 0, 0)),
        ("coupler", "crank", 0.6, (0.3, 0, 0)),
        ("rocker", "table", 0.3, (0.6, 0, 0)),
    ):
        moment = length**2 / 12
        links.append(Link(name, da.Inertia.of(1, (length / 2, 0, 0), (0, moment, moment))))
        before = da.Placement.from_xyz_rpy(at) @ lay if parent == "table" else da.Placement.from_xyz_rpy(at)
        joints.append(Joint(f"{name} joint", "revolute", parent, name, before))
    tree = ArmDescription("stand", tuple(links), tuple(joints))
    ends = [da.FrameOn("stand", "coupler", gallery.at(0.6)), da.FrameOn("stand", "rocker", gallery.at(0.3))]
    stand = da.Mechanism(
        {"stand": tree},
        [da.Closure("pin", *ends, "pin")],
        ["turn", "crank joint"],
        home={"crank joint": 1.0, "coupler joint": -1.0, "rocker joint": 1.0},
        gravity=(0, 0, 0),
    ).compiled()
    motion = stand.simulate(np.linspace(0, 2, 81), stand.home, [0.7, 4.0])
    assert len(motion.change_points) >= 2
    np.testing.assert_allclose(motion.phi[:, 1], motion.phi[:, 3], atol=1e-8)
    assert np.ptp(motion.energy) < 1e-7 * motion.energy[0]
    momentum = [
        (stand.joint_inertia(phi[None])[0] @ rate)[0] for phi, rate in zip(motion.phi, motion.rate, strict=True)
    ]
    assert np.ptp(momentum) < 1e-7 * np.abs(momentum).max()
    asked = da.simulate(stand.as_system(), [0.0, 0.0], motion.q[0], [0.7, 4.0], duration=2.0, times=motion.t)
    np.testing.assert_allclose(asked.q, motion.q, atol=1e-6)
    assert np.ptp(motion.rate[:, 1]) > 0.1

"""The fastest motion along a path: known times, the limits of every kind of system, toppra beside it."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.control.trajectories import Polynomials

POINTS = np.array([[0.0] * 6, [0.5, -0.5, 0.3, 0.2, 0.3, 0.4], [1.0, -0.7, 0.6, 1.0, 1.0, 1.0]])


def straight(start: np.ndarray, end: np.ndarray) -> Polynomials:
    return Polynomials(np.array([0.0, 1.0]), np.array([[start, end - start]]))


def worst(system: da.Arm, motion: Polynomials, samples: int = 1501) -> float:
    found = system.requirements(motion, samples).first_limit
    return 0.0 if found is None else found.share


def test_bang_bang_has_the_time_of_the_textbook() -> None:
    """A distance d under an acceleration a alone takes 2 sqrt(d / a); with a speed v, d / v + v / a."""
    arm = da.load("planar-2r").with_gravity((0, 0, 0))
    path = straight(np.zeros(2), np.array([1.0, 0.2]))
    free = da.time_optimal(arm, path, acceleration=4.0, speed=100.0, effort=1e9)
    assert free.duration == pytest.approx(2 * np.sqrt(1 / 4.0), rel=1e-4)
    held = da.time_optimal(arm, path, acceleration=4.0, speed=0.5, effort=1e9)
    assert held.duration == pytest.approx(1 / 0.5 + 0.5 / 4.0, rel=1e-3)
    assert next(iter(held.bottlenecks)) == "speed"


def test_a_pendulum_under_torque_takes_the_time_of_its_differential_equation() -> None:
    """One link against gravity: full torque, then full brake, switching where the two solutions meet."""
    arm = da.load("planar-2r").locked({"joint2": 0.0})
    inertia, weight = float(arm.mass_matrix([0.0])[0, 0]), float(arm.gravity_load([0.0])[0])
    top = 3 * abs(weight) if weight else 3.0
    path = straight(np.array([0.1]), np.array([1.0]))
    motion = da.time_optimal(arm, path, speed=1e6, effort=top, samples=800)
    q = np.linspace(0.1, 1.0, 200_001)
    load = np.array(arm.gravity_load(q[:, None]))[:, 0]
    step = q[1] - q[0]
    forward = np.concatenate([[0], np.cumsum(2 * step * (top - load[:-1]) / inertia)])
    backward = np.concatenate([np.cumsum((2 * step * (top + load[1:]) / inertia)[::-1])[::-1], [0]])
    speed = np.sqrt(np.minimum(forward, backward))
    exact = float((2 * step / (speed[1:] + speed[:-1])).sum())
    assert motion.duration == pytest.approx(exact, rel=2e-3)


@pytest.mark.parametrize("kind", ["loaded", "driven and loaded"])
def test_every_limit_of_every_system_holds_and_one_is_used(kind: str) -> None:
    arm = da.load("puma560", physical="ignore")
    system = arm.holding(da.Load(2.0, (0, 0, 0.1))) if "loaded" in kind else arm
    system = system.driven if "driven" in kind else system
    motion = da.time_optimal(system, da.spline(POINTS, [0.0, 0.5, 1.0]), samples=150)
    assert 0.98 < worst(system, motion) < 1.01
    assert sum(motion.bottlenecks.values()) == pytest.approx(1.0)
    assert sum(share for name, share in motion.bottlenecks.items() if name) > 0.9
    # friction takes its share of the time, and without drives the load does
    easier = system.frictionless() if "driven" in kind else arm
    assert da.time_optimal(easier, da.spline(POINTS, [0.0, 0.5, 1.0]), samples=150).duration < motion.duration


def test_toppra_finds_the_same_time() -> None:
    toppra = pytest.importorskip("toppra")
    arm = da.load("ur5e")
    points = np.cumsum(np.random.default_rng(1).uniform(-0.6, 0.6, (5, 6)), axis=0)
    ours = da.time_optimal(arm, da.spline(points, np.linspace(0, 1, 5)), acceleration=20.0, samples=400)
    limits = toppra.constraint
    both = [np.stack([-x, x], axis=1) for x in (arm.velocity_limits, np.full(6, 20.0), arm.effort_limits)]
    theirs = toppra.algorithm.TOPPRA(
        [
            limits.JointVelocityConstraint(both[0]),
            limits.JointAccelerationConstraint(both[1]),
            limits.JointTorqueConstraint(arm.inverse_dynamics, both[2], np.zeros(6)),
        ],
        toppra.SplineInterpolator(np.linspace(0, 1, 5), points, bc_type="clamped"),
        gridpoints=np.linspace(0, 1, 1601),
        solver_wrapper="seidel",
    ).compute_trajectory(0, 0)
    # the grid of toppra is even, and loses a little at the ends, where this path begins slowly
    assert ours.duration == pytest.approx(theirs.duration, rel=5e-3)


def test_a_controller_follows_it_in_machine_code() -> None:
    arm = da.load("planar-2r")
    path = da.spline([[0.0, 0.1], [0.4, 0.5], [0.6, -0.2]], [0.0, 0.5, 1.0])
    motion = da.time_optimal(arm, path, speed=3.0, acceleration=20.0, effort=200.0, samples=100)
    law = da.ComputedTorque(arm, motion)
    run = arm.simulate(law, motion.position(0.0), duration=motion.duration, compiled=True, rtol=1e-7)
    assert np.abs(run.q - motion.position(run.t)).max() < 1e-4


def test_what_cannot_be_gone_is_told() -> None:
    arm = da.load("puma560", physical="ignore")
    path = da.spline(POINTS, [0.0, 0.5, 1.0])
    corner = Polynomials(np.array([0.0, 1.0, 2.0]), np.array([[POINTS[0], POINTS[1]], [POINTS[1], -POINTS[1]]]))
    for call, said in (
        (lambda: da.time_optimal(arm.holding(da.Load(200.0)), path), "to hold still it needs"),
        (lambda: da.time_optimal(arm, corner), "corner"),
        (lambda: da.time_optimal(arm, da.spline(9 * POINTS, [0, 1, 2])), "beyond the range"),
        (lambda: da.time_optimal(da.load("planar-2r"), path), "the path has 6 joints"),
        (lambda: da.time_optimal(da.load("planar-2r"), da.spline(POINTS[:, :2], [0, 1, 2])), "no limit is known"),
        (lambda: da.time_optimal(arm, path, samples=1), "samples"),
        (lambda: da.time_optimal(arm, path, effort=-1.0), "effort"),
        (lambda: da.time_optimal(arm, da.spline(POINTS[[0, 0, 0]], [0, 1, 2])), "does not move"),
    ):
        with pytest.raises(da.ArmError, match=said):
            call()


def test_limits_hold_where_the_path_stands_still_on_its_way() -> None:
    """There and back along quintic blends: four times full torque, 2 sqrt(d / a) for each, and never more than it."""
    arm = da.load("planar-2r").with_gravity((0, 0, 0)).locked({"joint2": 0.0})
    inertia = float(arm.mass_matrix([0.0])[0, 0])
    motion = da.time_optimal(arm, da.quintic([[0.0], [0.5], [0.1]], [0, 1, 2]), effort=10 * inertia, speed=1e6)
    t = np.unique(np.concatenate([np.linspace(a, b, 5) for a, b in zip(motion.times, motion.times[1:], strict=False)]))
    assert np.abs(motion.acceleration(t)).max() < 10 * 1.001
    assert motion.duration == pytest.approx(2 * np.sqrt(0.05) + 2 * np.sqrt(0.04), rel=0.01)
    with pytest.raises(da.ArmError, match="stands still"):
        da.time_optimal(arm, da.quintic([[0.0], [0.5], [0.5], [0.1]], 1.0), effort=1.0)


def geared(seed: int, motors: int = 2) -> tuple[da.DrivenArm, da.Motor]:
    """A planar arm whose motors have dry and viscous friction, little voltage, and shafts of both joints."""
    rng = np.random.default_rng(seed)
    motor = da.Motor(0.05, 1.0, 0.0, supply=float(rng.uniform(8, 20)), largest_current=float(rng.uniform(5, 50)))
    made = []
    for k, ratios in enumerate(({"joint1": 80}, {"joint1": 20, "joint2": 60}, {"joint2": 50})[:motors]):
        rubs = da.Friction((float(rng.uniform(0.01, 0.05)),) * 2, viscous=float(10 ** rng.uniform(-5, -2.5)))
        made.append(da.Actuator.of(f"m{k + 1}", ratios, da.Rotor.of("1e-4"), rubs, motor))
    return da.load("planar-2r").with_drives(da.DriveTrain(tuple(made))), motor


@pytest.mark.parametrize("seed", range(8))
def test_currents_and_voltages_keep_their_limits_where_shafts_turn_back(seed: int) -> None:
    """Dry friction changes its sign on the way, back-emf grows with the speed: limits hold between places too."""
    system, motor = geared(seed)
    points = np.random.default_rng(seed + 100).uniform(-1, 1, (3, 2))
    motion = da.time_optimal(system, da.spline(points, [0.0, 1.0, 2.0]), samples=120)
    t = np.linspace(0, motion.duration, 1001)[1:-1]
    q, qd, qdd = motion.position(t), motion.velocity(t), motion.acceleration(t)
    current = system.motor_torques(q, qd, qdd) / motor.torque_constant
    voltage = motor.resistance * current + motor.torque_constant * system.motor_velocities(q, qd)
    use = np.maximum(np.abs(current) / motor.largest_current, np.abs(voltage) / motor.supply).max()
    assert 0.99 < use < 1.005


@pytest.mark.parametrize("second", [{"stall": 2.0}, {"motor": da.Motor(0.1, supply=24.0)}])
def test_a_supply_is_kept_also_where_of_another_motor_nothing_electric_or_no_resistance_is_known(second) -> None:
    """|R i + C_E w| of motor 1 comes to its supply on the way, and not beyond, whatever motor 2 is."""
    motor = da.Motor(0.1, resistance=1.0, supply=24.0, largest_current=40.0)
    motors = [da.Actuator.of("m1", {"joint1": 50}, motor=motor), da.Actuator.of("m2", {"joint2": 50}, **second)]
    system = da.load("planar-2r").with_drives(da.DriveTrain(motors))
    motion = da.time_optimal(system, da.spline([[0, 0], [1.5, 0.4], [3, 0]], [0, 1, 2]), samples=120)
    t = np.linspace(0, motion.duration, 501)[1:-1]
    q, qd, qdd = motion.position(t), motion.velocity(t), motion.acceleration(t)
    volts = motor.resistance * system.motor_torques(q, qd, qdd) + motor.torque_constant**2 * system.motor_velocities(
        q, qd
    )
    assert 0.99 < np.abs(volts[:, 0]).max() / (motor.torque_constant * motor.supply) < 1.005


def test_a_motor_without_resistance_is_as_fast_as_its_supply_lets_it() -> None:
    """R = 0: C_E N s' bounds the speed alone, and a long path takes its length over it."""
    motor = da.Motor(0.1, supply=24.0, largest_current=1e4)
    arm = da.load("planar-2r").locked({"joint2": 0.0}).with_gravity((0, 0, 0))
    system = arm.with_drives(da.DriveTrain([da.Actuator.of("m1", {"joint1": 50}, motor=motor)]))
    motion = da.time_optimal(system, da.spline([[0.0], [60.0]], [0.0, 1.0]), samples=200)
    assert np.abs(motion.velocity(np.linspace(0, motion.duration, 2001))).max() == pytest.approx(
        24 / 0.1 / 50, rel=1e-3
    )


def test_limits_of_more_motors_than_joints_are_refused_and_not_forgotten() -> None:
    system, _ = geared(0, motors=3)
    path = da.spline([[0.1, 0.2], [0.3, 0.4]], [0.0, 1.0])
    with pytest.raises(da.ArmError, match="the limits of motor m1 cannot be kept"):
        da.time_optimal(system, path, effort=100.0)


def test_speeds_are_within_their_limits_between_the_places_too() -> None:
    """Where a joint is fastest between two places, or turns back there, the limit holds all the same."""
    arm, rng = da.load("planar-2r"), np.random.default_rng(5)
    for samples in (20, 100):
        path = da.spline(rng.uniform(-1, 1, (7, 2)), np.linspace(0, 1, 7).tolist())
        fast = da.time_optimal(arm, path, speed=1.0, acceleration=50.0, effort=1e6, samples=samples)
        top = np.abs(fast.velocity(np.linspace(0, fast.duration, 20001))).max(axis=0)
        assert (top <= 1 + 5e-5).all()
        assert top.max() > 0.99

"""Loops in machine code: the same motion as scipy, many arms as one by one, and the way without a compiler."""

import numpy as np
import pytest
from scipy.integrate import DOP853, solve_ivp

import dalembert as da
from dalembert.arm.errors import ArmError, SimulationError
from dalembert.control.compiled_loop import run, serves
from dalembert.control.controllers import ComputedTorque, PDGravity
from dalembert.control.trajectories import quintic, random_excitation, trapezoidal
from dalembert.simulation.many import simulate_many
from dalembert.simulation.plant import plant_of
from dalembert.simulation.settings import SimulationSettings
from simulated import simulate


def settings(**other):
    return SimulationSettings(**({"samples": 51} | other))


@pytest.mark.parametrize("kind", [ComputedTorque, PDGravity])
def test_the_compiled_loop_is_the_motion_that_scipy_finds(kind):
    arm = da.load("planar-2r")
    path = quintic([[0, 0], [1.0, -0.5], [0.3, 0.2]], 2.0)
    control = kind(arm.holding(da.Load(mass=0.5)), path, [50.0, 40.0], [14.0, 12.0])
    ours = run(arm, control, [0.1, -0.1], None, 2.0, settings())
    scipy = simulate(plant_of(arm), control, [0.1, -0.1], None, 2.0, samples=51)
    assert ours is not None
    assert ours.q == pytest.approx(scipy.q, abs=1e-8)
    assert ours.qd == pytest.approx(scipy.qd, abs=1e-7)
    assert ours.u == pytest.approx(scipy.u, abs=1e-5)
    assert ours.work == pytest.approx(scipy.work, abs=1e-6)
    assert abs(ours.steps - scipy.steps) <= max(3, scipy.steps // 20)
    assert np.abs(ours.balance).max() < 1e-6


def test_the_integrator_takes_the_steps_of_scipys_dop853():
    """Free of a controller's corners, step for step: a PD hold with the gains of a spring."""
    arm = da.load("planar-2r")
    path = quintic([[0.2, 0.1], [0.2, 0.1]], 1.0)
    control = PDGravity(arm, path, 30.0, 2.0)

    def rate(t, x):
        tau = control(t, x[:2], x[2:4])
        return np.r_[x[2:4], arm.forward_dynamics(x[:2], x[2:4], tau), x[2:4] @ tau]

    theirs = solve_ivp(
        rate, (0, 1.0), [0, 0, 0, 0, 0], method=DOP853, rtol=1e-8, atol=1e-10, t_eval=np.linspace(0, 1, 11)
    )
    ours = run(arm, control, [0.0, 0.0], None, 1.0, settings(samples=11))
    assert ours.q == pytest.approx(theirs.y[:2].T, abs=1e-11)
    assert ours.qd == pytest.approx(theirs.y[2:4].T, abs=1e-10)


@pytest.mark.parametrize("name", ["puma560", "jpl-rrp", "ur5e"])
def test_a_frictionless_arm_of_six_joints_keeps_its_energy_over_twenty_seconds(name):
    arm = da.load(name, physical="ignore")
    start = np.array([0.1, 0.4, 0.3, 0.2, 0.5, 0.3])
    motion = run(arm, np.zeros(6), start, None, 20.0, settings(rtol=1e-13, atol=1e-13))
    assert motion.t[-1] == 20.0
    # the boom of jpl-rrp falls freely, so the scale is that of the energies exchanged
    assert np.abs(motion.energy - motion.energy[0]).max() <= 1e-9 * motion.energy_scale
    torque = run(arm, np.full(6, 0.5), start, None, 0.5, settings())
    assert torque.q == pytest.approx(simulate(plant_of(arm), np.full(6, 0.5), start, None, 0.5, samples=51).q, abs=1e-6)


def test_the_wrong_load_in_the_model_shows_in_the_compiled_loop_too():
    arm = da.load("planar-2r").holding(da.Load(mass=3))
    path = quintic([[0, 0], [1.0, -1.0]], 1.0)
    right = run(arm, ComputedTorque(arm, path), [0, 0], None, 1.0, settings())
    wrong = run(arm, ComputedTorque(arm.holding(None), path), [0, 0], None, 1.0, settings())
    assert np.abs(right.q - path.position(right.t)).max() < 1e-7
    assert np.abs(wrong.q - path.position(wrong.t)).max() > 0.01


def test_a_compiled_loop_that_diverges_names_time_and_joint_and_keeps_what_it_found():
    arm = da.load("planar-2r")
    path = quintic([[0, 0], [1.0, -1.0]], 1.0)
    with pytest.raises(SimulationError, match=r"diverges at t = .* at joint 'joint") as caught:
        run(arm, ComputedTorque(arm, path, kp=-1e4, kd=-50.0), [0.1, 0.1], None, 1.0, settings())
    assert len(caught.value.motion.t) >= 2
    assert np.isfinite(caught.value.motion.q[:-1]).all()


def test_what_cannot_be_compiled_is_said():
    arm = da.load("planar-2r")
    assert serves(arm, ComputedTorque(arm, trapezoidal([0, 0], [1, 1], 1, 1))) == ""
    assert "polynomials" in serves(arm, ComputedTorque(arm, random_excitation([-1, -1], [1, 1])))
    assert "Python" in serves(arm, lambda t, q, qd: q)
    assert "joints" in serves(arm, ComputedTorque(da.load("planar-3r"), quintic([[0, 0, 0], [1, 1, 1]], 1.0)))


def test_without_a_compiler_the_loop_is_left_to_scipy(monkeypatch):
    monkeypatch.setenv("DALEMBERT_COMPILE", "0")
    arm = da.load("planar-2r").with_gravity((0, 0, -1))
    control = ComputedTorque(arm, quintic([[0, 0], [1.0, -1.0]], 1.0))
    assert run(arm, control, [0, 0], None, 1.0, settings()) is None
    found = simulate_many(arm, np.zeros(2), np.zeros((3, 2)), None, 0.01)
    assert not found.compiled


@pytest.mark.parametrize("name", ["planar-2r", "jpl-rrp", "puma560"])
def test_many_arms_move_as_the_same_arms_one_by_one_in_numpy(name):
    arm = da.load(name, physical="ignore")
    rng = np.random.default_rng(0)
    q, qd, tau = rng.uniform(-1, 1, (3, 13, arm.n))
    fast = simulate_many(arm, tau, q, qd, 0.02, every=5)
    slow = simulate_many(arm, tau, q, qd, 0.02, every=5, compiled=False)
    assert fast.compiled
    assert fast.t == pytest.approx([0, 0.005, 0.01, 0.015, 0.02])
    assert fast.q == pytest.approx(slow.q, rel=1e-11, abs=1e-11)
    assert fast.qd == pytest.approx(slow.qd, rel=1e-9, abs=1e-9)
    assert not fast.diverged.any()


def test_rk4_converges_with_the_fourth_power_of_the_step():
    arm = da.load("planar-2r")
    start = [[0.4, -0.8]]
    right = simulate(plant_of(arm), [0.5, 0.2], start[0], None, 0.5, samples=2, rtol=1e-12, atol=1e-13).q[-1]
    errors = [
        np.abs(simulate_many(arm, [0.5, 0.2], start, None, 0.5, step).q[-1, 0] - right).max() for step in (0.02, 0.01)
    ]
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.25)


def test_many_parameters_are_many_arms():
    arm = da.load("planar-2r")
    masses = (1.0, 2.5, 4.0)
    loaded = [arm.holding(da.Load(mass=m, com=(0.05, 0, 0))) for m in masses]
    table = np.array([one.parameters for one in loaded])
    for compiled in (True, False):
        found = simulate_many(arm, np.zeros(2), [0.2, 0.3], None, 0.05, parameters=table, compiled=compiled)
        for k, one in enumerate(loaded):
            alone = simulate_many(one, np.zeros(2), [[0.2, 0.3]], None, 0.05)
            assert found.q[-1, k] == pytest.approx(alone.q[-1, 0], rel=1e-9)


@pytest.mark.parametrize(
    ("change", "said"),
    [({"step": 0.0}, "step"), ({"step": 0.003}, "whole number"), ({"every": 99}, "kept")],
)
def test_bad_steps_are_refused(change, said):
    with pytest.raises(ArmError, match=said):
        simulate_many(da.load("planar-2r"), np.zeros(2), np.zeros((2, 2)), None, **({"duration": 0.01} | change))

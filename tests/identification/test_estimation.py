"""What is found beside the parameters: honest errors, gains, gravity, instruments, what logs do not tell."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.identification import estimation
from dalembert.identification.spectra import band_edges, real_lines
from simulated_logs import ROTORS, VISCOUS, log, motion, robot, truth

pytestmark = pytest.mark.usefixtures("compiled_kernels")


def scores(found: da.Identification, arm: da.Arm) -> np.ndarray:
    """Deviations from what was put in, in standard errors."""
    values, errors = (np.array([getattr(p, name) for p in found.parameters]) for name in ("value", "error"))
    return (values - truth(arm, found)) / errors


@lru_cache
def plain() -> da.Identification:
    system = robot()
    return da.identify(system.arm, log(system), method="least squares")


def test_lines_keep_lengths_and_stand_in_their_bands() -> None:
    for length in (1, 2, 7, 64):
        values = np.random.default_rng(length).normal(size=(length, 2))
        turned = real_lines(values)
        np.testing.assert_allclose(turned.T @ turned, values.T @ values, rtol=1e-12, atol=1e-12)
        assert band_edges(length)[-1] == length
    wave = np.cos(2 * np.pi * 10 * np.arange(64) / 64)[:, None]
    assert np.flatnonzero(np.abs(real_lines(wave)[:, 0]) > 1e-9).tolist() == [19]


def test_errors_are_those_of_a_normal_deviation() -> None:
    system = robot()
    table = np.abs([scores(da.identify(system.arm, log(system, k, path=k), method="least squares"), system.arm)
                    for k in range(25)])  # fmt: skip
    assert (table <= 3).mean() >= 0.99
    assert 0.62 < (table <= 1).mean() < 0.74
    assert 0.72 < table.mean() < 0.90


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get("HYPOTHESIS_PROFILE") != "deep", reason="takes minutes: HYPOTHESIS_PROFILE=deep")
def test_errors_hold_over_hundreds_of_logs_short_and_long() -> None:
    system = robot()
    for seconds in (10.0, 20.0, 60.0):
        table = np.abs(
            [
                scores(
                    da.identify(system.arm, log(system, k, path=k, seconds=seconds), method="least squares"), system.arm
                )
                for k in range(100)
            ]
        )
        assert (table <= 3).mean() >= 0.99
        assert 0.63 < (table <= 1).mean() < 0.72


def test_a_cutoff_close_to_the_motion_leaves_no_bias() -> None:
    arm = robot().arm
    t, q, qd, qdd = (x[::10] for x in motion(3))  # 20 Hz, where differences of second order lose a percent
    quiet = da.Log(t=t, q=q, effort=arm.inverse_dynamics(q, qd, qdd) + VISCOUS * qd + ROTORS * qdd)
    found = da.identify(arm, quiet, "viscous", method="least squares", cutoff=1.5)
    wanted = found.base.combinations @ np.concatenate([arm.parameters, VISCOUS, ROTORS])
    values, large = np.array([p.value for p in found.parameters]), np.abs(wanted) > 0.3
    assert np.abs(values[large] / wanted[large] - 1).max() < 2e-3


def currents(measured: da.Log, gains: np.ndarray) -> da.Log:
    return da.Log(t=measured.t, q=measured.q, effort=measured.effort / gains, name=measured.name)


def test_gains_are_found_from_a_known_load() -> None:
    system, gains = robot(), np.array([12.0, 9.0, 5.0])
    load = da.Load(mass=4.0, com=(0.02, -0.03, 0.1), inertia=(0.02, 0.03, 0.01))
    runs = [currents(log(system, 1), gains), currents(log(system.holding(load), 2, path=1), gains)]
    found = da.identify(system.arm, runs, gains="find", loads=[None, load])
    assert found.gains is not None
    assert found.gain_errors is not None
    assert (np.abs(found.gains - gains) < 4 * found.gain_errors).all()
    assert (found.gain_errors < 0.02 * gains).all()
    assert found.residual(currents(log(system, 3, path=2), gains)).whole < 0.015
    some = da.identify(system.arm, runs, gains=[12.0, None, None], loads=[None, load], method="least squares")
    assert some.gains is not None
    assert some.gains[0] == 12.0
    assert some.gains == pytest.approx(gains, rel=0.02)
    with pytest.raises(da.ArmError, match="known load in the hand"):
        da.identify(system.arm, runs, gains="find")
    with pytest.raises(da.ArmError, match='or "find"'):
        da.identify(system.arm, runs, gains="guess")


def test_the_search_for_gravity_starts_close_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    system, gravity, starts = robot(), np.array([1.0, 2.0, -9.549]), []

    def noted(seen: Any, *_: object) -> None:
        starts.append(seen.system.gravity)
        raise StopIteration

    monkeypatch.setattr(estimation, "_estimated", noted)
    with pytest.raises(StopIteration):
        da.identify(system.arm, log(system.with_gravity(gravity.tolist()), 1, 0.1, seconds=3.0), gravity="find")
    assert abs(starts[0] @ gravity) > np.cos(np.radians(6)) * 9.81**2  # which of up and down is told later


def test_a_load_in_a_hand_that_does_not_move_is_refused_by_a_sentence() -> None:
    system = robot()
    found = da.identify(system.arm.with_tool(system.base), log(system), method="least squares")
    with pytest.raises(da.ArmError, match="its hand, link 'base', does not move"):
        found.load(log(system, 1))


def test_the_direction_of_gravity_is_found() -> None:
    system, seed = robot(), 6  # along this path a single start ends upside down
    gravity = np.array([1.0, -2.0, -9.55])
    measured = log(system.with_gravity(gravity.tolist()), seed, path=seed)
    found = da.identify(system.arm, measured, gravity="find", method="least squares")
    angle = np.linalg.norm(np.cross(found.gravity, gravity)) / np.linalg.norm(gravity) / 9.81
    assert found.gravity @ gravity > 0
    assert angle < 4 * found.gravity_error < 0.03
    assert found.described.gravity != system.arm.gravity
    with pytest.raises(da.ArmError, match='gravity is "described" or "find"'):
        da.identify(system.arm, measured, gravity="up")


def noisy(seed: int, deviation: float) -> da.Log:
    """Positions with noise, of an arm that lags behind its reference."""
    system = robot()
    t, q, qd, qdd = motion(3)
    rng = np.random.default_rng(seed)
    tau = system.inverse_dynamics(q, qd, qdd) + rng.normal(0, 0.5, q.shape)
    reference = q + 0.02 * qd + 0.0002 * qdd
    return da.Log(t=t, q=q + rng.normal(0, deviation, q.shape), effort=tau, reference=reference)


def test_instruments_take_away_the_bias_of_noisy_positions() -> None:
    arm = robot().arm
    worst = {}
    for instruments in (False, True):
        founds = [
            da.identify(arm, noisy(k, 1e-3), method="least squares", instruments=instruments, cutoff=20.0)
            for k in range(4)
        ]
        wanted = truth(arm, founds[0])
        values = np.mean([[p.value for p in found.parameters] for found in founds], axis=0)
        large = np.abs(wanted) > 0.3
        worst[instruments] = float(np.abs(values[large] / wanted[large] - 1).max())
    assert worst[True] < 0.15 < 1.0 < worst[False]
    assert founds[-1].instrument_shifts is not None
    with pytest.raises(da.ArmError, match="reference of the motion"):
        da.identify(arm, log(robot()), instruments=True)


def test_long_logs_in_pieces_have_the_estimates_of_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    system = robot()
    whole = plain()
    monkeypatch.setattr("dalembert.identification.smoothing.PIECE", 100)
    monkeypatch.setattr("dalembert.identification.observations.KEPT_BYTES", 0)
    parts = da.identify(system.arm, log(system), method="least squares")
    assert parts.samples == whole.samples
    values = np.array([[p.value for p in found.parameters] for found in (whole, parts)])
    errors = np.array([p.error for p in whole.parameters])
    assert (np.abs(values[0] - values[1]) < 1e-3 * errors).all()
    assert [p.error for p in parts.parameters] == pytest.approx(errors, rel=0.35)


def test_what_logs_do_not_tell_is_named_and_the_motion_tells_it() -> None:
    system = robot()
    t, q, qd, qdd = motion(3)
    for table, value in ((q, 0.3), (qd, 0.0), (qdd, 0.0)):
        table[:, 2] = value
    rng = np.random.default_rng(0)
    first = da.Log(t=t, q=q, effort=system.arm.inverse_dynamics(q, qd, qdd) + rng.normal(0, 0.5, q.shape))
    found = da.identify(system.arm, first, method="least squares")
    assert {each.name for each in found.silent} >= {"coulomb3", "viscous3", "rotor3"}
    friction = next(each for each in found.silent if each.name == "coulomb3")
    assert friction.joints == ("joint3",)
    assert "joint3" in str(friction)
    path = da.excitation(system.arm, after=found, generations=25)
    assert path.of == "largest error left"
    assert path.condition < path.at_first
    s = np.arange(2000) / 200
    state = path.position(s), path.velocity(s), path.acceleration(s)
    second = da.Log(t=s, q=state[0], effort=system.inverse_dynamics(*state) + rng.normal(0, 0.5, state[0].shape))
    left = {each.name for each in da.identify(system.arm, [first, second], method="least squares").silent}
    assert not left & {"coulomb3", "viscous3"}
    with pytest.raises(da.ArmError, match="other joints"):
        da.excitation(da.load("planar-2r"), after=found)


def test_stribeck_friction_is_found() -> None:
    arm = da.load("planar-2r")
    t, q, qd, qdd = motion(2, seconds=40.0, rate=200.0, harmonics=4)
    q, qd, qdd = 0.6 * q, 0.6 * qd, 0.6 * qdd
    tau = arm.inverse_dynamics(q, qd, qdd) + np.tanh(qd / 1e-3) * (2 + 3 / (1 + (qd / 0.1) ** 2)) + 1.5 * qd
    rng = np.random.default_rng(0)
    measured = da.Log(t=t, q=q + rng.normal(0, 1e-6, q.shape), effort=tau + rng.normal(0, 0.02, q.shape))
    found = da.identify(arm, measured, "coulomb+viscous+stribeck", rotors=False, cutoff=10.0)
    assert found.shape.stribeck == pytest.approx([0.1, 0.1])
    for joint in range(2):
        assert found.friction_of(joint)["stribeck"] == pytest.approx(3.0, rel=0.1)
        assert found.friction_of(joint)["coulomb"] == pytest.approx(2.0, rel=0.1)


def test_an_arm_with_a_locked_joint_is_identified_in_what_moves() -> None:
    system = robot()
    locked = system.arm.locked({"joint2": -0.4})
    t, q, qd, qdd = motion(2)
    tau = locked.inverse_dynamics(q, qd, qdd) + 2 * np.sign(qd)
    tau += np.random.default_rng(0).normal(0, 0.2, q.shape)
    found = da.identify(locked, da.Log(t=t, q=np.round(q, 5), effort=tau), "coulomb")
    assert [found.friction_of(j)["coulomb"] for j in range(2)] == pytest.approx([2.0, 2.0], abs=0.05)
    assert found.residual(da.Log(t=t, q=q, effort=tau)).whole < 0.05


def test_base_parameters_have_no_huge_coefficients() -> None:
    found = plain()
    assert found.condition < 30
    assert np.abs(found.base.combinations).max() < 10


def test_noise_of_positions_is_measured_and_what_it_moves_is_told() -> None:
    """As much noise again moves the parameters as the first has moved them; faint noise is left alone."""
    system, clean = robot(), log(robot(), quantum=1e-9)
    found, moved = [], []
    for seed in range(3):
        noise = np.random.default_rng(seed).normal(0, 1e-4, clean.q.shape)
        noisy = da.Log(t=clean.t, q=clean.q + noise, effort=clean.effort)
        found.append(da.identify(system.arm, noisy, method="least squares", cutoff=20.0))
        still = da.identify(system.arm, clean, method="least squares", cutoff=20.0)
        errors = np.array([each.error for each in found[-1].parameters])
        moved.append((found[-1].estimate.values - still.estimate.values) / errors)
    noises = [each.noise for each in found]
    assert noises[0] is not None
    assert noises[0].spread == pytest.approx(1e-4, rel=0.1)
    told = np.mean([each.shifts for each in noises if each is not None], axis=0)
    actual = np.mean(moved, axis=0)
    assert np.corrcoef(told, actual)[0, 1] > 0.8
    assert 0.5 < np.abs(told).max() / np.abs(actual).max() < 1.5
    assert any("noise of the positions is" in sentence for sentence in found[0].warnings)
    assert still.noise is None
    assert still.warnings == ()

"""Many motions at once: each is the motion of one, and no loop opens."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery

FIVE_BAR = Path(__file__).parents[2] / "examples" / "mechanisms" / "five_bar.toml"


def test_each_motion_of_a_batch_is_that_of_one_and_its_loops_stay_closed() -> None:
    bar = gallery.five_bar()
    q = bar.coordinates_of(bar.home) + np.array([[0.0, 0.0], [0.1, -0.1]])
    phi = bar.position(q)
    run = bar.simulate_many([0.3, -0.2], phi, [0.5, 0.1], 0.05, step=2.5e-3, every=10)
    assert run.t.tolist() == [0.0, 0.025, 0.05]
    assert run.steps == 40
    assert not run.diverged.any()
    for k in range(2):
        alone = bar.simulate(run.t, phi[k], [0.5, 0.1], lambda t, q, qd: [0.3, -0.2])
        np.testing.assert_allclose(run.phi[:, k], alone.phi, atol=1e-8)
        np.testing.assert_allclose(run.qd[:, k], alone.qd, atol=1e-7)
    assert np.abs(bar.closure_error(run.phi)).max() < 1e-13
    np.testing.assert_allclose(bar.coordinates_of(run.phi), run.q, atol=1e-13)


def test_the_error_falls_by_the_fourth_power_of_the_step() -> None:
    bar = gallery.four_bar()
    exact = bar.simulate([0.0, 0.08], bar.home, [2.0]).phi[-1]
    off = [
        np.abs(bar.simulate_many([0.0], bar.home, [2.0], 0.08, step=step).phi[-1, 0] - exact).max()
        for step in (0.02, 0.01)
    ]
    assert 10 < off[0] / off[1] < 25


def test_what_cannot_run_without_events_is_refused() -> None:
    bar = gallery.five_bar()
    with pytest.raises(da.ArmError, match="no whole number of steps"):
        bar.simulate_many([0, 0], bar.home, [0, 0], 0.0105, step=1e-3)
    with pytest.raises(da.ArmError, match="is a turn and has no position"):
        gallery.four_bar().with_coordinates(["rz(crank)"]).simulate_many([0], gallery.four_bar().home, [0], 0.01)


def test_a_motion_whose_steps_are_too_long_ends_before_its_energy_is_wrong() -> None:
    """Near a fold a long step flings it: work of the loads is energy up to the last state that is told."""
    bar = da.load_mechanism(FIVE_BAR)
    loads = np.array([[60.0, -60.0], [0.3, -0.2]])
    run = bar.simulate_many(loads, bar.home, [0.0, 0.0], 0.075, step=1e-3, every=1)
    assert "steps of 0.001 s are too long" in run.faults[0]
    assert not run.faults[1]
    there = np.isfinite(run.qd[:, 0]).all(axis=-1)
    phi, q, qd = run.phi[there, 0], run.q[there, 0], run.qd[there, 0]
    energy = bar.kinetic_energy(phi, qd) + bar.potential_energy(phi)
    work = (q - q[0]) @ loads[0]
    np.testing.assert_allclose(energy - energy[0], work, atol=0.01 * np.abs(work).max())

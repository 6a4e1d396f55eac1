"""``dalembert dynamics --linear``: the slopes of the accelerations, with their units."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from command_runs import run

Q, QD, QDD = "0.3,-0.4,0.6,0.1,0.7,0.2", "0.2,0.1,-0.3,0.4,0.1,-0.2", "1,-2,0.5,3,1,-1"
WORDS = ("dynamics", "jpl-rrp", "--q", Q, "--qd", QD, "--linear")


@pytest.mark.parametrize("drives", ["--drives", "--no-drives"])
def test_slopes_are_those_of_the_motion(drives: str, folder: Path) -> None:
    """A and B against differences of forward dynamics under what the state takes, motor torques where drives count."""
    told = json.loads(run(folder, *WORDS, "--qdd", QDD, drives, "--json").out)["linear"]
    arm = da.load("jpl-rrp")
    system = arm.driven.frictionless() if drives == "--drives" else arm
    q, qd, qdd = (np.array([float(x) for x in text.split(",")]) for text in (Q, QD, QDD))
    tau, n, h = system.inverse_dynamics(q, qd, qdd), arm.n, 1e-6
    a, b = np.array(told["A"]), np.array(told["B"])
    slopes = np.array([
        (system.forward_dynamics(q + h * e, qd, tau) - system.forward_dynamics(q - h * e, qd, tau)) / (2 * h)
        for e in np.eye(n)
    ]).T  # fmt: skip
    assert np.abs(a[n:, :n] - slopes).max() < 1e-6 * np.abs(slopes).max()
    assert a[:n, n:].tolist() == np.eye(n).tolist()
    # power: the work of a motor torque is that of the joint torques it makes
    shares = [arm.driven.motor_velocities(q, e) for e in np.eye(n)] if drives == "--drives" else np.eye(n)
    assert np.allclose(b[n:], np.linalg.solve(system.mass_matrix(q), np.array(shares)), rtol=1e-9)
    assert told["units"][told["inputs"][2]] in ("N", "N m")


def test_units_and_damping_ratios_are_printed(folder: Path) -> None:
    printed = run(folder, *WORDS, "--no-drives").out
    for part in ("accelerations per position", "joint3 [m/s^2]", "natural", "damping", "q_joint3", "[rad/s]"):
        assert part in printed
    refused = run(folder, *WORDS, "--torque", "0,0,0,0,0,0")
    assert refused.code == 2
    assert "--linear belongs to a motion, and --torque asks for one" in refused.err

"""Coupling at a pose is what particles do about the axes (Tourassis and Neuman 1985, eqs 18-21, 32-35)."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.run import main

KINDS = ("RRR", "RPR", "PRR", "RRPR", "RRRRR")


def particles(kinds: str, seed: int) -> tuple[da.Arm, np.ndarray]:
    """An arm with one particle on every link, off its axis, and a pose."""
    rng = np.random.default_rng(seed)
    rows = [
        {
            "type": "revolute" if kind == "R" else "prismatic",
            "a": float(rng.uniform(0.2, 0.6)),
            "alpha": float(rng.uniform(-2, 2)),
            "d": 0.0 if kind == "P" else float(rng.uniform(-0.3, 0.3)),
            "mass": float(rng.uniform(0.5, 3)),
            "com": tuple(map(float, rng.uniform(-0.3, 0.3, 3))),
        }
        for kind in kinds
    ]
    return da.Arm.from_dh(rows), rng.uniform(-2, 2, len(kinds))


def seen(arm: da.Arm, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Axes and origins of the joints (frames i - 1), places and masses of the particles, in base axes."""
    frames = arm.link_frames(q)
    bodies = [frames[body.joint.child] for body in arm.bodies]
    before = [np.eye(4), *bodies[:-1]]
    places = [frame @ [*map(float, body.inertia.com), 1.0] for frame, body in zip(bodies, arm.bodies, strict=True)]
    masses = [float(body.inertia.mass) for body in arm.bodies]
    axes, origins = np.array([f[:3, 2] for f in before]), np.array([f[:3, 3] for f in before])
    return axes, origins, np.array(places)[:, :3], np.array(masses)


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_projected_inertias_are_sums_over_particles_with_their_sign(kinds: str, seed: int) -> None:
    """Eqs (18)-(21), and the kinematic factor by eq. (35)."""
    arm, q = particles(kinds, seed)
    axes, origins, places, masses = seen(arm, q)
    found = arm.coupling_at(q)
    n = arm.n
    moved = np.array([masses[j:].sum() for j in range(n)])
    np.testing.assert_allclose(found.mass, moved, rtol=1e-12)
    gyration = np.full((n, n), np.nan)
    for i in range(n):
        for j in range(i, n):
            if kinds[i] == kinds[j] == "R":
                inertia = sum(
                    masses[k] * np.cross(axes[i], places[k] - origins[i]) @ np.cross(axes[j], places[k] - origins[j])
                    for k in range(j, n)
                )
                gyration[i, j] = gyration[j, i] = inertia / moved[j]
                assert found.inertia[i, j] == found.inertia[j, i] == pytest.approx(inertia, rel=1e-9, abs=1e-12)
                assert found.gyration[i, j] == pytest.approx(gyration[i, j], rel=1e-9, abs=1e-12)
            else:
                assert np.isnan(found.inertia[i, j])
                assert np.isnan(found.gyration[j, i])
    radius = np.sqrt(np.diagonal(gyration))
    np.testing.assert_allclose(found.radius, radius, rtol=1e-9)
    for i, j in found.pairs:
        centre = (masses[j:, None] * places[j:]).sum(axis=0) / moved[j]
        factor = {
            "PP": abs(axes[i] @ axes[j]),
            "PR": abs(np.cross(axes[i], axes[j]) @ (centre - origins[j])) / radius[j],
            "RP": abs(np.cross(axes[j], axes[i]) @ (centre - origins[i])) / radius[i],
            "RR": abs(gyration[i, j]) / (radius[i] * radius[j]),
        }[kinds[i] + kinds[j]]
        assert found.kinematic[i, j] == pytest.approx(factor, rel=1e-8, abs=1e-10)
        assert found.loading[i, j] == pytest.approx(np.sqrt(moved[j] / moved[i]))
        assert found.coefficient[i, j] == pytest.approx(found.loading[i, j] * factor, rel=1e-8, abs=1e-10)


def test_projected_inertias_of_turns_against_each_other_are_negative() -> None:
    """Two parallel axes and a particle between them: what one turn does, the other undoes."""
    arm = da.Arm.from_dh(
        [{"a": 1, "mass": 0}, {"mass": 2, "com": ("-0.3", 0, 0)}], gravity=(0, 0, -9.81), physical="ignore"
    )
    found = arm.coupling_at([0.0, 0.0])
    assert found.inertia[0, 1] == pytest.approx(2 * 0.7 * -0.3)
    assert found.gyration[0, 1] == pytest.approx(-0.21)
    assert found.coefficient[0, 1] == pytest.approx(1)
    assert arm.coupling_at([0.0, np.pi]).inertia[0, 1] == pytest.approx(2 * 1.3 * 0.3)


def test_coupling_at_poses_has_the_batch_shape_and_counts_the_drives() -> None:
    arm = da.load("irb6")
    q = np.random.default_rng(0).uniform(-1, 1, (4, 3, arm.n))
    links, driven = arm.coupling_at(q), arm.driven.coupling_at(q)
    assert links.inertia.shape == (4, 3, 5, 5)
    assert links.radius.shape == (4, 3, 5)
    np.testing.assert_allclose(driven.inertia, arm.driven.mass_matrix(q))
    assert (driven.radius[..., 3] > links.radius[..., 3]).all()


def test_a_joint_that_moves_nothing_has_no_coupling() -> None:
    arm = da.Arm.from_dh([{"a": 1, "mass": 1}, {"name": "idle"}])
    with pytest.raises(da.ArmError, match="joint 'idle' moves no inertia"):
        arm.coupling_at([0.0, 0.0])
    with pytest.raises(da.ArmError, match="no joint moves"):
        da.load("planar-2r").locked({"joint1": 0, "joint2": 0}).coupling_at([])


def test_the_command_prints_what_python_says(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["coupling", "jpl-rrp", "--no-drives", "--q", "0.1,0.5,0.9,0.2,0.9,0.1"]
    assert main([*words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    found = da.load("jpl-rrp").coupling_at([0.1, 0.5, 0.9, 0.2, 0.9, 0.1])
    for row, (i, j) in zip(data["pairs"], found.pairs, strict=True):
        assert row["joints"] == [found.joints[i], found.joints[j]]
        for key in ("inertia", "gyration", "coefficient", "loading", "kinematic"):
            value = getattr(found, key)[i, j]
            assert row[key] is None if np.isnan(value) else row[key] == value
    assert any((row["inertia"] or 0) < 0 for row in data["pairs"])
    assert main(words) == 0
    text = capsys.readouterr().out
    assert f"{found.inertia[0, 1]:.5g}" in text
    assert f"{found.radius[0]:.5g}" in text
    assert max(map(len, text.splitlines())) <= 80

"""Numbers on the command line: an angle says its unit and is that angle, or is refused where nothing turns."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from command_runs import run


@pytest.mark.parametrize("angle", ["90 deg", "90deg", "pi/2", "1.5707963267948966", "1.5707963267948966 rad"])
def test_a_joint_locked_at_an_angle_is_locked_there(folder: Path, angle: str) -> None:
    found = run(folder, "dynamics", "puma560", "--lock", f"joint2={angle}", "--q", "0,0.3,0,0.2,0", "--json")
    assert found.code == 0, found.err
    locked = da.load("puma560", physical="ignore").locked({"joint2": np.pi / 2})
    expected = locked.gravity_load([0, 0.3, 0, 0.2, 0])
    assert json.loads(found.out)["effort"]["gravity"] == pytest.approx(expected.tolist(), rel=1e-14, abs=1e-14)


OF_NO_ANGLE = {
    "a slide locked at an angle": ["dynamics", "jpl-rrp", "--lock", "joint3=90 deg"],
    "a slide within angles": ["ranges", "jpl-rrp", "--box", "joint3=10 deg:20 deg"],
    "the same by its number": ["ranges", "jpl-rrp", "--box", "q3=10 deg:20 deg"],
    "a slide set at an angle": ["ranges", "jpl-rrp", "--of", "D12/D11", "--along", "joint2", "--at", "joint3=10deg"],
    "a slide at a speed of an angle": ["significance", "jpl-rrp", "--speed", "90deg"],
    "a mass that is an angle": ["dynamics", "planar-2r", "--load", "90deg"],
    "gravity that is an angle": ["dynamics", "planar-2r", "--gravity", "0,0,90 deg"],
    "a torque that is an angle": ["dynamics", "planar-2r", "--torque", "1 rad,2"],
    "a gain that is an angle": ["simulate", "planar-2r", "--controller", "pd", "--to", "1,1", "--kp", "90 deg"],
    "a lock that may be degrees or radians": ["dynamics", "planar-2r", "--degrees", "--lock", "joint1=90"],
}


@pytest.mark.parametrize("words", OF_NO_ANGLE.values(), ids=OF_NO_ANGLE.keys())
def test_an_angle_is_refused_where_it_has_no_place(folder: Path, words: list[str]) -> None:
    found = run(folder, *words)
    assert found.code == 2, found.out
    (sentence,) = [line for line in found.err.splitlines() if not line.startswith("note")]
    assert "angle" in sentence


def test_beside_degrees_a_lock_that_says_its_unit_is_taken(folder: Path) -> None:
    words = ["dynamics", "planar-2r", "--degrees", "--q", "30", "--json"]
    said = [run(folder, *words, "--lock", f"joint1={angle}") for angle in ("90 deg", "pi/2")]
    assert [found.code for found in said] == [0, 0]
    assert said[0].out == said[1].out


@pytest.mark.parametrize("text", ["90 deg 1 rad", "90 deg,1 rad", "90deg 1", "pi/2 1"])
def test_a_blank_before_the_unit_of_an_angle_parts_no_values(folder: Path, text: str) -> None:
    found = run(folder, "dynamics", "planar-2r", "--q", text, "--json")
    assert found.code == 0, found.err
    assert json.loads(found.out)["q"] == pytest.approx([np.pi / 2, 1.0], rel=1e-15)

"""Pictures of arms: what they show is where the arm is."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main
from dalembert.report.arm_picture import arm_picture
from dalembert.report.skeleton_picture import from_a_corner


@pytest.mark.parametrize("name", da.catalog())
def test_the_tip_of_the_picture_is_where_forward_kinematics_puts_the_tool(name: str) -> None:
    arm = da.load(name, physical="ignore")
    q = np.random.default_rng(1).uniform(-1, 1, arm.n)
    drawn = arm_picture(arm, q.tolist())
    assert drawn.tip is not None
    tool = arm.forward_kinematics(q)[:3, 3]
    assert np.allclose(drawn.points[drawn.tip], tool, atol=1e-12)
    assert any(np.allclose(drawn.points[end], tool, atol=1e-12) for _, end, _ in drawn.bars)


@pytest.mark.parametrize("name", da.catalog())
def test_the_bars_lead_without_a_gap_from_the_ground_to_the_tip(name: str) -> None:
    drawn = arm_picture(da.load(name, physical="ignore"))
    assert drawn.ground is not None
    assert drawn.tip is not None
    reached = [drawn.points[drawn.ground]]
    waiting = list(drawn.bars)
    while True:
        near = [bar for bar in waiting if any(np.allclose(drawn.points[bar[0]], p, atol=1e-9) for p in reached)]
        if not near:
            break
        reached += [drawn.points[end] for _, end, _ in near]
        waiting = [bar for bar in waiting if bar not in near]
    assert not waiting
    assert any(np.allclose(drawn.points[drawn.tip], p, atol=1e-9) for p in reached)


def test_a_planar_arm_is_seen_along_its_axes_in_true_length() -> None:
    drawn = arm_picture(da.load("planar-2r"))
    flat = drawn.points @ drawn.view.T
    lengths = [np.linalg.norm(flat[b] - flat[a]) for a, b, _ in drawn.bars]
    assert np.allclose(lengths, 1.0)


def test_a_corner_of_the_room_shows_orthogonal_unit_rows() -> None:
    view = from_a_corner()
    assert np.allclose(view @ view.T, np.eye(2))


def test_joints_that_follow_are_drawn_where_they_are() -> None:
    links = "".join(
        f'<link name="l{k}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        "</inertial></link>"
        for k in range(3)
    )
    joint = '<joint name="j{0}" type="revolute"><parent link="l{1}"/><child link="l{0}"/><origin xyz="1 0 0"/>'
    urdf = (
        f'<robot name="two">{links}{joint.format(1, 0)}<axis xyz="0 0 1"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        f'{joint.format(2, 1)}<axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/>'
        '<mimic joint="j1" multiplier="2"/></joint></robot>'
    )
    arm = da.load(urdf, mimic="couple")
    drawn = arm_picture(arm, [0.3])
    assert drawn.tip is not None
    assert len(drawn.joints) == 2
    assert np.allclose(drawn.points[drawn.tip], arm.forward_kinematics([0.3])[:3, 3])


def test_names_from_files_are_escaped_in_pictures(tmp_path: Path) -> None:
    rows = [{"a": 1.0, "mass": 1.0}]
    da.Arm.from_dh(rows, name="<script>&").picture(tmp_path / "x.svg")
    written = (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert "<script>" not in written
    assert "&lt;script&gt;&amp;" in written


def test_show_draws_the_arm_at_the_pose_asked(tmp_path: Path) -> None:
    assert main(["show", "planar-2r", "--picture", str(tmp_path / "a.svg"), "--q", "0,90 deg"]) == 0
    da.load("planar-2r").picture(tmp_path / "b.svg", [0, np.pi / 2])
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert drawn == (tmp_path / "b.svg").read_text(encoding="utf-8")
    assert len(re.findall('<line[^>]*stroke-width="6"', drawn)) == 2


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--picture", "x.png"], "written as SVG"),
        (["--q", "0,0"], "--picture FILE.svg"),
        (["--picture", "x.svg", "--q", "0"], "needs 2 values"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "planar-2r", *options]) == 2
    assert sentence in " ".join(capsys.readouterr().err.split())


def test_a_pose_that_is_no_pose_is_refused(tmp_path: Path) -> None:
    with pytest.raises(da.ArmError, match="2 finite joint positions"):
        da.load("planar-2r").picture(tmp_path / "x.svg", [0.0, np.inf])

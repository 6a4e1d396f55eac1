"""The drawing and the tables of an arm whose joints follow others: every joint is drawn, coordinates have sliders."""

from __future__ import annotations

import numpy as np

import dalembert as da
from coupled_arms import PALLETIZER
from dalembert.compile.kernel import Kernel
from dalembert.report import arm3d
from dalembert.report.arm_script import frames_function
from dalembert.report.assemble import attempted
from dalembert.report.sections import description_section, drawing_section, structure_section


def test_every_joint_is_drawn_and_moves_with_the_slider_of_its_coordinate():
    arm = da.load(PALLETIZER)
    scene = arm3d.scene(arm)
    assert [shaft["label"] for shaft in scene["shafts"]] == ["1", "2", "3", "3′", "4", "4′"]
    assert (len(scene["joints"]), len(scene["bodies"]), len(scene["paths"]), len(scene["pose"])) == (4, 6, 7, 4)
    q = np.array([0.3, 0.4, -0.5, 0.02])
    rotations, positions, _, _, tool = Kernel(frames_function("armFrames", arm))(q)
    frames = arm.link_frames(q)
    for body, rotation, position in zip(arm.bodies, rotations, positions, strict=True):
        turn = np.reshape(rotation, (3, 3))
        there = position + turn @ [float(x) for x in body.after.position]
        np.testing.assert_allclose(there, frames[body.joint.child][:3, 3], atol=1e-12)
        own = turn @ [[float(x) for x in row] for row in body.after.rotation]
        np.testing.assert_allclose(own, frames[body.joint.child][:3, :3], atol=1e-12)
    np.testing.assert_allclose(tool, arm.forward_kinematics(q)[:3, 3], atol=1e-12)


def test_the_page_names_the_relations_and_says_what_it_leaves_out():
    arm = da.load(PALLETIZER)
    described = description_section.section(arm)
    assert any("-elbow + 0.2" in str(getattr(part, "rows", "")) for part in described.parts)
    assert "moved by joint 1, turn" in drawing_section.section(arm).meaning
    numbers = arm.equations("numbers")
    left = attempted("structure", lambda: structure_section.section(numbers.structure(), arm.joint_names))
    assert left is not None
    assert left.meaning.startswith("Not shown: ")
    assert "joint 'level' follows another" in left.meaning

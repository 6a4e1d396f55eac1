"""The workspace cloud: points where forward kinematics has them, values that are those of the system."""

from __future__ import annotations

import time

import numpy as np
import pytest

import dalembert as da
from dalembert.report.arm3d import travel
from dalembert.studio.design import Design
from dalembert.studio.workspace_cloud import (
    GRAVITY,
    INERTIA,
    MOBILITY,
    QUANTITIES,
    position_manipulability,
    random_poses,
    workspace_cloud,
)

pytestmark = pytest.mark.filterwarnings("ignore::dalembert.arm.errors.PhysicalWarning")
PUMA = da.load("puma560", physical="ignore")


def poses(arm: da.Arm, count: int) -> np.ndarray:
    return random_poses([travel(joint) for joint in arm.moving], count)


def test_points_and_values_are_those_of_the_system() -> None:
    arm = PUMA.driven.holding(da.Load(mass=2.0))
    q = poses(PUMA, 40)
    assert np.all((q >= PUMA.lower) & (q <= PUMA.upper))
    for what in QUANTITIES:
        cloud = workspace_cloud(arm, q, what, joint=1)
        for k in (0, 17, 39):
            assert np.allclose(cloud.points[k], arm.forward_kinematics(q[k])[:3, 3])
            one = {
                INERTIA: lambda x: arm.mass_matrix(x)[1, 1],
                GRAVITY: lambda x: abs(arm.gravity_load(x)[1]),
                MOBILITY: lambda x: arm.manipulability(x, directions="translation").measure,
            }[what](q[k])
            assert np.isclose(cloud.values[k], one, rtol=1e-9, atol=1e-12)
    assert workspace_cloud(arm, q, INERTIA).unit == "kg m²"
    assert workspace_cloud(arm, q, MOBILITY).unit == "m^3"


def test_a_planar_arm_is_mobile_in_its_plane_and_a_single_joint_along_its_circle() -> None:
    planar = da.load("planar-2r")
    q = poses(planar, 50)
    cloud = workspace_cloud(planar, q, MOBILITY)
    a1, a2 = (abs(float(np.linalg.norm(planar.forward_kinematics([0.0, turn])[:3, 3]))) for turn in (0.0, np.pi))
    lengths = (a1 + a2) / 2, (a1 - a2) / 2  # |l1 + l2| and |l1 - l2|
    assert np.allclose(cloud.values, abs(lengths[0] * lengths[1] * np.sin(q[:, 1])), atol=1e-9)
    three = da.load("planar-3r")
    q = poses(three, 50)
    flat = three.manipulability(q, directions="x y").measure
    assert np.allclose(workspace_cloud(three, q, MOBILITY).values, flat, atol=1e-9)
    assert flat.max() > 0.1
    values, factors = position_manipulability(np.array([[[0.0], [0.5], [0.0]], [[0.3], [0.4], [0.0]]]))
    assert np.allclose(values, 0.5)
    assert factors == 1


def test_colours_run_from_low_to_high_and_the_bar_has_units() -> None:
    cloud = workspace_cloud(PUMA, poses(PUMA, 200), INERTIA, joint=0)
    colours = cloud.colours().astype(int)
    assert tuple(colours[cloud.values.argmin()]) == (68, 1, 84)
    assert tuple(colours[cloud.values.argmax()]) == (253, 231, 37)
    assert "kg m²" in str(cloud.bar())
    still = workspace_cloud(PUMA, poses(PUMA, 5), GRAVITY, joint=0)  # a vertical axis carries no weight
    assert np.all(still.colours() == still.colours()[0])


@pytest.mark.usefixtures("needs_compiler")
def test_fifty_thousand_poses_of_another_design_take_less_than_a_third_of_a_second() -> None:
    q = poses(PUMA, 50_000)
    taken = []
    for what in QUANTITIES:
        design = Design(PUMA)
        workspace_cloud(design.system, q, what)  # code is built once for all designs
        system = design.with_value("load.mass", 1.5).system
        began = time.process_time()
        workspace_cloud(system, q, what).colours()
        taken.append(time.process_time() - began)
    assert max(taken) < 0.3, taken

"""Angles of files as they were meant and as written: URDF, MJCF, TOML, Denavit-Hartenberg rows."""

from __future__ import annotations

import math
import random
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError, RoundedWarning, TurnWarning
from dalembert.arm.exact import Angle
from dalembert.arm.io.mjcf import read_mjcf
from dalembert.arm.io.toml_arm import read_toml
from dalembert.arm.io.urdf import read_urdf
from random_arms import random_state

TURNS = ("0 0 0", "{q} 0 0", "0 -{q} 0", "0 0 {q}", "-{q} 0 {h}", "{e} 0 -{q}")
"""rpy of six joints in quarter turns (q), a half turn (h) and an eighth (e)."""


def six_joints(quarter: str, half: str, eighth: str) -> str:
    """A six-joint URDF whose angles are written so; axes about z and y by turns."""
    parts = ['<link name="l0"/>']
    for number, turn in enumerate(TURNS, start=1):
        rpy = turn.format(q=quarter, h=half, e=eighth)
        parts.append(
            f'<link name="l{number}"><inertial><origin xyz="0.0{number} 0.02 0.1" rpy="{rpy}"/><mass value="{number}"/>'
            f'<inertia ixx="0.04{number}" iyy="0.05" izz="0.03" ixy="0.001" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="j{number}" type="continuous"><origin xyz="0.1 0 0.{number}" rpy="{rpy}"/>'
            f'<parent link="l{number - 1}"/><child link="l{number}"/>'
            f'<axis xyz="{"0 0 1" if number % 2 else "0 1 0"}"/></joint>'
        )
    return f'<robot name="six">{"".join(parts)}</robot>'


ROUNDED = six_joints("1.5708", "3.1416", "0.7854")
EXACT = six_joints(*(repr(math.pi / divisor) for divisor in (2, 1, 4)))


def quiet(text: str, angles: str = "as meant") -> da.Arm:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RoundedWarning)
        return da.Arm.of(read_urdf(text, "six.urdf", angles=angles))


def pinocchio_torques(text: str, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromXML(text)
    position = np.column_stack([np.cos(q), np.sin(q)]).ravel()
    return np.array(pin.rnea(model, model.createData(), position, qd, qdd))


@pytest.mark.parametrize(("angles", "like"), [("as meant", EXACT), ("as written", ROUNDED)])
def test_angles_as_meant_are_pinocchios_of_the_exact_file_and_as_written_of_the_file_itself(angles, like):
    arm = quiet(ROUNDED, angles)
    for seed in range(5):
        q, qd, qdd = (np.array(values) for values in random_state(random.Random(seed), arm))
        theirs = pinocchio_torques(like, q, qd, qdd)
        assert np.abs(arm.inverse_dynamics(q, qd, qdd) - theirs).max() <= 1e-12 * np.abs(theirs).max()


def test_closed_forms_have_the_terms_of_the_arm_with_exact_angles_and_no_more():
    meant, exact, written = quiet(ROUNDED), quiet(EXACT), quiet(ROUNDED, "as written")
    assert meant == exact
    sizes = [len(arm.equations().mass_matrix[0, 0]) for arm in (meant, exact, written)]
    assert sizes[0] == sizes[1] < sizes[2] / 2


def test_one_warning_names_the_angles_and_the_largest_move():
    with pytest.warns(RoundedWarning) as told:
        read_urdf(ROUNDED, "six.urdf")
    (only,) = told
    sentence = str(only.message)
    assert sentence.startswith("six.urdf: ")
    for part in ("1.5708 as 90 deg (4 times)", "3.1416 as 180 deg (2 times)", "by 7.3e-06 rad", 'angles="as written"'):
        assert part in sentence


def test_nothing_is_told_where_nothing_moves():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_urdf(EXACT, "six.urdf")
        read_urdf(ROUNDED, "six.urdf", angles="as written")
        read_urdf(six_joints("1.5712", "3.14", "0.785"), "six.urdf")


def test_angles_that_are_not_meant_stay_as_written():
    text = six_joints("1.5712", "1.57", "0.785")
    assert quiet(text) == quiet(text, "as written")


def test_an_unknown_way_to_read_angles_is_refused():
    with pytest.raises(ArmError, match="angles can be 'as meant', 'as written', not 'snap'"):
        read_urdf(EXACT, "six.urdf", angles="snap")


@pytest.mark.parametrize("angles", ["as meant", "as written"])
def test_written_files_read_back_as_the_same_arm_whichever_way_the_angles_were_read(angles):
    arm = quiet(ROUNDED, angles)
    again = quiet(arm.write_urdf())
    assert [joint.before.exact for joint in again.joints] == [joint.before.exact for joint in arm.joints]
    assert da.Arm.of(read_toml(arm.write_toml(), "six.toml")) == arm


def test_load_takes_the_way_angles_are_read(tmp_path: Path):
    file = tmp_path / "six.urdf"
    file.write_text(ROUNDED)
    with pytest.warns(RoundedWarning):
        assert da.load(file) == quiet(EXACT)
    assert da.load(file, angles="as written") == quiet(ROUNDED, "as written")


def test_a_mimicking_joint_is_held_at_the_angle_that_its_offset_means():
    text = EXACT.replace(
        '<axis xyz="0 1 0"/></joint></robot>', '<axis xyz="0 0 1"/><mimic joint="j1" offset="1.5708"/></joint></robot>'
    )
    assert text != EXACT
    with pytest.warns(RoundedWarning, match="1.5708 as 90 deg"):
        arm = read_urdf(text, "six.urdf", mimic="hold")
    assert arm.joint("j6").before.steps[-1].amount == Angle.quarters(1)


# -- directions and quaternions ----------------------------------------------------------------------


def test_a_rounded_joint_axis_points_where_it_was_meant_to():
    text = EXACT.replace('<axis xyz="0 0 1"/>', '<axis xyz="0.5 0 0.86603"/>', 1)
    with pytest.warns(RoundedWarning, match=re.escape("(0.5 0 0.86603) as the unit vector")):
        arm = read_urdf(text, "six.urdf")
    x, y, z = (float(row) for row in arm.joint("j1").after.rotation[2])
    assert (x, y, z) == pytest.approx((0.5, 0, math.sqrt(0.75)), abs=2e-16)


def body(orientation: str, compiler: str = "") -> str:
    inertial = '<inertial pos="0.1 0 0" mass="1" diaginertia="0.1 0.2 0.25"/>'
    return f'<mujoco>{compiler}<worldbody><body name="b" {orientation}><joint/>{inertial}</body></worldbody></mujoco>'


RADIANS = '<compiler angle="radian"/>'


@pytest.mark.parametrize(
    ("orientation", "compiler"),
    [('euler="1.5708 0 0"', RADIANS), ('axisangle="1 0 0 1.57079"', RADIANS), ('quat="0.7071 0.70711 0 0"', ""),
     ('xyaxes="1 0 0 0 0 1"', ""), ('euler="90 0 0"', "")],
)  # fmt: skip
def test_mjcf_orientations_mean_the_quarter_turn_they_are_rounded_from(orientation, compiler):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RoundedWarning)
        turn = read_mjcf(body(orientation, compiler), "b.xml").joints[0].before.rotation
    assert turn == ((1, 0, 0), (0, 0, -1), (0, 1, 0))


def test_degrees_of_mjcf_are_not_taken_as_rounded():
    arm = read_mjcf(body('euler="89.9999 0 0"'), "b.xml")
    assert arm.joints[0].before.rotation[1][1] != 0


def test_mjcf_as_written_keeps_the_digits():
    arm = read_mjcf(body('euler="1.5708 0 0"', RADIANS), "b.xml", angles="as written")
    assert float(arm.joints[0].before.rotation[1][1]) == pytest.approx(math.cos(1.5708), abs=1e-15)


# -- TOML and rows -----------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", ["1.5708", '"1.5708"', '"1.5708 rad"'])
def test_toml_angles_in_radians_are_read_as_meant(alpha):
    text = f'convention = "standard"\n[[joints]]\ntype = "revolute"\ndh = {{alpha = {alpha}}}\nlink = {{mass = 1}}\n'
    with pytest.warns(RoundedWarning, match="arm.toml: .*1.5708 as 90 deg"):
        arm = read_toml(text, "arm.toml")
    assert arm.joints[0].after.steps[-1].amount == Angle.quarters(1)
    assert read_toml(text, "arm.toml", angles="as written").joints[0].after.steps[-1].amount == Angle.of("1.5708")


def test_rows_in_python_are_read_as_meant():
    rows = [{"alpha": 1.5708, "a": 0.3, "mass": 1}]
    with pytest.warns(RoundedWarning, match="arm: .*1.5708 as 90 deg"):
        arm = da.Arm.from_dh(rows)
    assert arm == da.Arm.from_dh([{"alpha": math.pi / 2, "a": 0.3, "mass": 1}])
    assert da.Arm.from_dh(rows, angles="as written") != arm


@pytest.mark.parametrize("written", ["90", "90.0", '"90"', '"-180/2"'])
def test_a_twist_of_more_than_a_turn_looks_like_degrees_and_is_told(written: str) -> None:
    """In radians as written, with the place and what it would be in degrees."""
    joint = '[[joints]]\nname = "j"\ntype = "revolute"\ndh = {{a = 1, alpha = {}}}\nlink = {{mass = 1}}\n'
    text = f'convention = "standard"\n{joint}'
    with pytest.warns(TurnWarning, match=r"joint 'j': dh: alpha: -?90 rad is more than a turn.*1\.570796327 rad"):
        arm = da.load(text.format(written), physical="ignore")
    assert abs(np.abs(arm.forward_kinematics([0.0])[2, 2]) - abs(math.cos(90))) < 1e-12
    with warnings.catch_warnings():
        warnings.simplefilter("error", TurnWarning)
        for meant in ('"90 deg"', '"pi/2"', "-3.1", '"360 deg"', '"2*pi"'):
            da.load(text.format(meant), physical="ignore")


def test_rows_in_python_and_origins_of_a_urdf_are_told_too() -> None:
    with pytest.warns(TurnWarning, match="row 1: alpha: 90 rad"):
        da.Arm.from_dh([{"a": 0.5, "alpha": 90, "mass": 2.0}], physical="ignore")
    urdf, turned = re.subn('rpy="[^"]*"', 'rpy="0 0 180"', da.load("ur5e").write_urdf())
    assert turned
    with pytest.warns(TurnWarning, match="180 rad is more than a turn"):
        da.load(urdf)

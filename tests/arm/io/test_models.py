"""Models of MuJoCo and Pinocchio as arms: the numbers that those programs compute with."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.io.urdf import write_urdf
from random_arms import random_arm, random_state

RELATIVE = 1e-12

MJCF = """<mujoco model="hand"><compiler angle="radian"/><option gravity="0.3 -0.2 -9"/>
<default><joint armature="0.1" damping="0.3" frictionloss="0.2"/></default><worldbody>
<body name="a" pos="0.1 0.2 0.3" quat="0.9 0.1 -0.2 0.3">
  <joint name="j1" axis="1 2 3" pos="0.1 0 0.2" ref="0.4" range="-2 1" stiffness="3" springref="0.2"/>
  <joint name="j2" type="slide" axis="0 1 -1" ref="0.1" actuatorfrcrange="-5 7"/>
  <geom type="capsule" size="0.1 0.4" euler="0.4 0.5 0.6" pos="0.1 0.1 0"/><geom size="0.2" pos="0 0.3 0"/>
  <body pos="0.5 0 0"><geom type="box" size="0.1 0.2 0.3"/>
    <body name="c" euler="1 2 3"><joint name="j3"/><geom type="ellipsoid" size="0.1 0.2 0.3" pos="0.2 0 0"/></body>
  </body>
</body></worldbody>
<actuator><motor joint="j1" gear="20"/></actuator>{}</mujoco>"""


def close(ours: np.ndarray, theirs: np.ndarray) -> None:
    assert np.abs(ours - theirs).max() <= RELATIVE * np.abs(theirs).max()


# -- MuJoCo --------------------------------------------------------------------------------------------


def test_an_arm_of_a_mujoco_model_computes_what_mujoco_computes():
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(MJCF.format(""))
    arm = da.load(model)
    assert (arm.name, arm.joint_names) == ("hand", ("j1", "j2", "j3"))
    assert (arm.lower[0], arm.upper[0], arm.effort_limits[1]) == (-2, 1, 5)
    assert dict(arm.drives.actuators[0].ratios) == {"j1": 20}
    assert [arm.drives.friction_of(name).viscous for name in arm.joint_names] == [0.3] * 3
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    model.dof_damping[:] = 0
    data, still = mujoco.MjData(model), arm.driven.frictionless()
    rng = np.random.default_rng(0)
    for _ in range(5):
        q, qd, qdd = rng.normal(size=(3, 3))
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
        mujoco.mj_inverse(model, data)
        close(still.inverse_dynamics(q, qd, qdd), data.qfrc_inverse)
        mass = np.zeros((3, 3))
        for k in range(3):
            mujoco.mj_mulM(model, data, mass[k], np.eye(3)[k])
        close(still.mass_matrix(q), mass)
        frames = arm.link_frames(q)
        for name, number in (("a", 1), ("body2", 2), ("c", 3)):
            np.testing.assert_allclose(frames[name][:3, 3], data.xpos[number], atol=RELATIVE)
            np.testing.assert_allclose(frames[name][:3, :3], data.xmat[number].reshape(3, 3), atol=RELATIVE)


def test_what_a_mujoco_model_has_and_an_arm_has_not_is_refused_or_left_out():
    mujoco = pytest.importorskip("mujoco")
    tied = MJCF.format('<equality><joint joint1="j3" joint2="j2" polycoef="0.5 2 0 0 0"/></equality>')
    model = mujoco.MjModel.from_xml_string(tied)
    with pytest.raises(da.ArmError, match="MjModel: joint 'j3': mimics joint 'j2'"):
        da.load(model)
    held = da.load(model, mimic="hold")
    free = da.load(model, mimic="free")
    assert held.joint_names == ("j1", "j2")
    assert held.joint("j3").before.exact == free.locked({"j3": 0.5 - 2 * 0.1}).joint("j3").before.exact
    with pytest.warns(da.arm.errors.SkippedWarning, match="MjModel: left out as asked: equality: joint 0"):
        assert da.load(model, skip=["equality"]).bodies == free.bodies
    swimming = mujoco.MjModel.from_xml_string(MJCF.format('<option density="2"/>'))
    with pytest.raises(da.ArmError, match=r'puts the arm into a fluid.*skip=\["fluid"\]'):
        da.load(swimming)
    ball = '<mujoco><worldbody><body><joint name="b" type="ball"/><geom size="1"/></body></worldbody></mujoco>'
    with pytest.raises(da.ArmError, match="joint 'b' is a free or a ball joint"):
        da.load(mujoco.MjModel.from_xml_string(ball))
    with pytest.raises(da.ArmError, match=r"not of a mujoco.MjSpec; compile it: spec.compile\(\)"):
        da.load(mujoco.MjSpec())


# -- Pinocchio -----------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::dalembert.arm.errors.RoundedWarning")
@pytest.mark.parametrize("seed", range(10))
def test_an_arm_of_a_pinocchio_model_computes_what_pinocchio_computes(seed: int):
    pin = pytest.importorskip("pinocchio")
    rng = random.Random(seed)
    made = random_arm(rng, 1 + seed % 6, tree=True)
    model = pin.buildModelFromXML(write_urdf(made))
    model.gravity.linear = np.array([0.1, -0.2, -9.0])
    model.armature[:] = 0.25
    data = model.createData()
    arm = da.load(model)
    still = arm.driven.frictionless()
    assert list(arm.joint_names) == list(model.names)[1:]
    q, qd, qdd = (np.array(values) for values in random_state(rng, arm))
    there = pin.integrate(model, pin.neutral(model), q)
    close(still.inverse_dynamics(q, qd, qdd), pin.rnea(model, data, there, qd, qdd))
    upper = np.triu(pin.crba(model, data, there))
    close(still.mass_matrix(q), upper + np.triu(upper, 1).T)
    pin.framesForwardKinematics(model, data, there)
    frames = arm.link_frames(q)
    for number, frame in enumerate(model.frames):
        if frame.type == pin.FrameType.BODY:
            np.testing.assert_allclose(frames[frame.name], data.oMf[number].homogeneous, atol=RELATIVE)


def test_a_pinocchio_model_of_no_arm_is_refused():
    pin = pytest.importorskip("pinocchio")
    with pytest.raises(da.ArmError, match="has 6 freedoms, and a joint of an arm has one"):
        da.load(pin.buildModelFromXML(write_urdf(da.load("planar-2r")), pin.JointModelFreeFlyer()))
    with pytest.raises(da.ArmError, match=r"can be made of a pinocchio\.Model, not of a pinocchio\.Data"):
        da.load(pin.Model().createData())


def test_no_model_means_no_import():
    code = "import sys, dalembert as da; da.load('planar-2r'); print({'mujoco', 'pinocchio'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"

"""The same numbers as MuJoCo, on random MJCF models that use every way the format has to say a thing.

The random URDF trees that ``test_against_pinocchio.py`` uses are here too, written as MJCF.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.axes import roll_pitch_yaw
from dalembert.arm.description import ArmDescription
from dalembert.arm.inertia import Inertia
from dalembert.arm.io.mjcf import read_mjcf
from dalembert.arm.placement import apply, transpose
from random_arms import random_arm, random_inertia, random_state

mujoco = pytest.importorskip("mujoco")

MODELS = 100
RELATIVE = 1e-11
NO_CONTACT = '<option gravity="{}"><flag constraint="disable"/></option>'


def words(values: object) -> str:
    return " ".join(repr(float(value)) for value in values)  # type: ignore[attr-defined]


def inertial(inertia: Inertia) -> str:
    c = inertia.central
    full = words((c[0][0], c[1][1], c[2][2], c[0][1], c[0][2], c[1][2]))
    return f'<inertial pos="{words(inertia.com)}" mass="{float(inertia.mass)!r}" fullinertia="{full}"/>'


# -- random arms of ours, written as MJCF -------------------------------------------------------


def mjcf_of(arm: ArmDescription) -> str:
    """The arm as MJCF: a body stands where its link stands at q = 0, and its joint has a place and an axis in it."""
    inertias = {link.name: link.inertia for link in arm.links}

    def bodies(parent: str) -> Iterator[str]:
        for joint in arm.joints:
            if joint.parent != parent:
                continue
            turn, shift = (joint.before @ joint.after).exact
            yield f'<body name="{joint.child}" pos="{words(shift)}" euler="{words(reversed(roll_pitch_yaw(turn)))}">'
            if joint.moves:
                back, offset = transpose(joint.after.rotation), joint.after.position
                anchor = [-x for x in apply(back, offset)]
                kind = "hinge" if joint.kind == "revolute" else "slide"
                axis = words(apply(back, (0, 0, 1)))  # type: ignore[arg-type]
                yield f'<joint name="{joint.name}" type="{kind}" pos="{words(anchor)}" axis="{axis}"/>'
            yield inertial(inertias[joint.child])
            yield from bodies(joint.child)
            yield "</body>"

    head = '<compiler angle="radian" eulerseq="zyx"/>' + NO_CONTACT.format(words(arm.gravity))
    return f"<mujoco>{head}<worldbody>{''.join(bodies(arm.base))}</worldbody></mujoco>"


# -- models in MJCF's own words -----------------------------------------------------------------


def decimals(rng: random.Random, count: int, size: float = 1.0) -> str:
    return " ".join(f"{rng.uniform(-size, size):.4f}" for _ in range(count))


def orientation(rng: random.Random, degrees: bool) -> str:
    turn = 90 if degrees else 1.5
    return rng.choice(
        (
            "",
            f'quat="1 {decimals(rng, 3)}"',
            f'quat="{rng.choice(("1 1 0 0", "0 0 1 0", "0.7 0 0 -0.7", "0 0 0 -2"))}"',
            f'axisangle="1 {decimals(rng, 2)} {decimals(rng, 1, turn)}"',
            f'xyaxes="1 {decimals(rng, 2)} {decimals(rng, 1)} 2 {decimals(rng, 1)}"',
            f'zaxis="{decimals(rng, 2)} {rng.choice((1, -1))}"',
            f'zaxis="{rng.choice(("0 0 -1", "0 1 0", "-3 0 0"))}"',
            f'euler="{decimals(rng, 3, turn)}"',
        )
    )


class RandomModel:
    """A random tree of bodies with frames, classes, several joints in a body, and every kind of orientation."""

    def __init__(self, rng: random.Random, joints: int) -> None:
        self.rng, self.joints, self.count = rng, joints, 0
        self.degrees = rng.random() < 0.5

    def framed(self, inside: str) -> str:
        if self.rng.random() < 0.75:
            return inside
        place = f'pos="{decimals(self.rng, 3, 0.3)}" {orientation(self.rng, self.degrees)}'
        return f'<frame {place} childclass="{self.rng.choice(("main", "sliding"))}">{inside}</frame>'

    def joint(self) -> str:
        rng, name = self.rng, f"j{self.count}"
        self.count += 1
        given = [f'name="{name}"']
        given += [f'axis="1 {decimals(rng, 2)}"'] * rng.choice((0, 1))
        given += [f'class="{rng.choice(("main", "sliding"))}"'] * rng.choice((0, 0, 1))
        given += [f'type="{rng.choice(("hinge", "slide"))}"'] * rng.choice((0, 1))
        given += [f'pos="{decimals(rng, 3, 0.3)}"'] * rng.choice((0, 1))
        given += [f'ref="{decimals(rng, 1)}"'] * rng.choice((0, 0, 1))
        given += [f'stiffness="3.5" springref="{decimals(rng, 1)}"'] * rng.choice((0, 0, 1))
        given += ['armature="0.3"'] * rng.choice((0, 0, 1))
        return self.framed(f"<joint {' '.join(given)}/>")

    def body(self) -> str:
        rng = self.rng
        many = min(rng.choice((0, 1, 1, 1, 2)), self.joints - self.count)
        parts = [self.joint() for _ in range(many)]
        if rng.random() < 0.5:
            parts.append(inertial(random_inertia(rng)))
        else:
            place = f'pos="{decimals(rng, 3, 0.2)}" {orientation(rng, self.degrees)}'
            parts.append(f'<inertial {place} mass="1.25" diaginertia="0.1 0.12 0.15"/>')
        rng.shuffle(parts)
        while self.count < self.joints and rng.random() < 0.8:
            parts.append(self.body())
        place = f'pos="{decimals(rng, 3, 0.4)}" {orientation(rng, self.degrees)}'
        return self.framed(f"<body {place}>{''.join(parts)}</body>")

    def text(self) -> str:
        sequence = "".join(self.rng.choice("xyzXYZ") for _ in range(3))
        head = f'<compiler angle="{"degree" if self.degrees else "radian"}" eulerseq="{sequence}"/>'
        head += NO_CONTACT.format(decimals(self.rng, 3, 9.81))
        head += '<default><joint axis="0 1 1" armature="0.1"/>'
        head += '<default class="sliding"><joint type="slide"/></default></default>'
        bodies = []
        while self.count < self.joints:
            bodies.append(self.body())
        return f"<mujoco>{head}<worldbody>{''.join(bodies)}</worldbody></mujoco>"


# -- the law ------------------------------------------------------------------------------------


def assert_as_in_mujoco(text: str, rng: random.Random) -> None:
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    arm = da.Arm.of(read_mjcf(text, "random.xml", physical="error"))
    assert list(arm.joint_names) == [model.joint(i).name for i in range(model.njnt)]
    q, qd, qdd = (np.array(values) for values in random_state(rng, arm))

    def close(ours: np.ndarray, theirs: np.ndarray, allowed: float = RELATIVE) -> None:
        assert np.abs(ours - theirs).max() <= allowed * np.abs(theirs).max()

    data.qpos[:], data.qvel[:] = q, qd
    mujoco.mj_forward(model, data)
    mass = np.zeros((arm.n, arm.n))
    for column in range(arm.n):
        unit = np.zeros(arm.n)
        unit[column] = 1.0
        mujoco.mj_mulM(model, data, mass[column], unit)
    # Armature and damping belong to the drives, and are no part of the links' own dynamics.
    driven = arm.driven
    rotors = np.diag([float(motor.rotor.inertia) for motor in arm.drives.actuators])
    close(driven.mass_matrix(q), mass)
    close(arm.mass_matrix(q), mass - rotors)
    loose = arm.without_elastic()
    close(loose.inverse_dynamics(q, qd, np.zeros(arm.n)), data.qfrc_bias.copy())
    data.qacc[:] = qdd
    mujoco.mj_inverse(model, data)
    close(arm.inverse_dynamics(q, qd, qdd), data.qfrc_inverse - rotors @ qdd)
    for place, name in enumerate(arm.joint_names):
        # MuJoCo's rotors are taken out of its forward dynamics by taking them out of its model.
        model.dof_armature[model.joint(name).dofadr[0]] = 0.0
        assert model.joint(name).dofadr[0] == place
    data.qfrc_applied[:] = qdd
    # Two slides in one direction, which the models in MJCF's words may have, leave no unique acceleration.
    kappa = np.linalg.cond(mass - rotors)
    if kappa < 1e8:
        mujoco.mj_forward(model, data)
        close(arm.forward_dynamics(q, qd, qdd), data.qacc.copy(), max(RELATIVE, 2 * kappa * np.finfo(float).eps))


@pytest.mark.parametrize("seed", range(MODELS))
def test_a_random_tree_has_the_dynamics_mujoco_gives_it(seed: int):
    rng = random.Random(seed)
    assert_as_in_mujoco(mjcf_of(random_arm(rng, 1 + seed % 9, tree=True)), rng)


@pytest.mark.parametrize("seed", range(MODELS))
def test_every_way_of_writing_mjcf_means_what_mujoco_takes_it_to_mean(seed: int):
    rng = random.Random(seed)
    assert_as_in_mujoco(RandomModel(rng, 1 + seed % 6).text(), rng)


def test_bodies_stand_where_mujoco_puts_them():
    rng = random.Random(7)
    text = RandomModel(rng, 5).text()
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    arm = da.Arm.of(read_mjcf(text, "random.xml"))
    q = np.array(random_state(rng, arm)[0])
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    frames = arm.link_frames(q)
    bodies = [name for name in arm.link_names[1:] if "_j" not in name]
    assert len(bodies) == model.nbody - 1
    for number, name in enumerate(bodies, start=1):
        np.testing.assert_allclose(frames[name][:3, 3], data.xpos[number], atol=1e-13)
        np.testing.assert_allclose(frames[name][:3, :3], data.xmat[number].reshape(3, 3), atol=1e-13)


def test_springs_of_a_file_act_in_inverse_dynamics():
    text = '<mujoco><compiler angle="radian"/><worldbody>'
    text += '<body><joint name="j" axis="0 1 0" stiffness="4" springref="0.5"/>'
    text += '<inertial pos="0.1 0 0" mass="2" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>'
    arm = da.Arm.of(read_mjcf(text, "spring.xml"))
    pull = arm.inverse_dynamics([1.0], [0], [0]) - arm.without_elastic().inverse_dynamics([1.0], [0], [0])
    assert pull == pytest.approx(4 * (1.0 - 0.5))

"""Small arms with friction as URDF and MJCF text, and motions of them that were found in other ways."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import dalembert as da

Array = NDArray[np.float64]
Law = Callable[[float, Array, Array], Array]

LINK = """<link name="{name}"><inertial><origin xyz="{out} 0 0"/><mass value="{mass}"/>
<inertia ixx="{moment}" iyy="{moment}" izz="{moment}" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>
<origin xyz="{out} 0 0"/><axis xyz="0 {y} {z}"/><limit lower="-3" upper="3" velocity="3" effort="30"/>
<dynamics damping="{damping}" friction="{friction}"/></joint>"""


def two_joints(tmp_path: Path, *, damping: float = 1.0, friction: float = 1.0, level: bool = True) -> Path:
    """A URDF of two joints, the second link so light that its own time is microseconds; turning level or upright."""
    y, z = (0, 1) if level else (1, 0)
    shared = {"damping": damping, "friction": friction, "y": y, "z": z}
    text = "".join(
        [
            '<robot name="two"><link name="base"/>',
            LINK.format(name="l1", out=0.2, mass=2, moment=0.01),
            LINK.format(name="l2", out=0.02, mass=0.2, moment="1e-4"),
            JOINT.format(name="j1", parent="base", child="l1", out=0, **shared),
            JOINT.format(name="j2", parent="l1", child="l2", out=0.4, **shared),
            "</robot>",
        ]
    )
    path = tmp_path / "two.urdf"
    path.write_text(text, encoding="utf-8")
    return path


def stepped(path: Path, law: Law, q: Array, qd: Array, duration: float, h: float) -> tuple[Array, Array]:
    """The motion of a URDF in time steps: Pinocchio's dynamics, Coulomb friction by projected Gauss-Seidel.

    D (v+ - v) = h (tau - b v+ - n) + p with |p_j| <= h F_j, complementary to v+: damping is implicit, so that short
    times do no harm. Nothing of this package takes part. States after every step.
    """
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    damping, rubs = np.array(model.damping), np.array(model.friction if hasattr(model, "friction") else 0.0)
    rubs = np.broadcast_to(rubs, damping.shape)
    places, speeds = [q], [qd]
    for step in range(round(duration / h)):
        t = step * h
        mass = np.array(pin.crba(model, data, q))
        mass = np.triu(mass) + np.triu(mass, 1).T + h * np.diag(damping)
        bias = pin.rnea(model, data, q, qd, np.zeros_like(q))
        momentum = mass @ qd + h * (law(t, q, qd) - bias - damping * qd)
        inverse = np.linalg.inv(mass)
        force = np.zeros_like(q)
        for _ in range(200):
            before = force.copy()
            for j in range(len(q)):
                speed = inverse[j] @ (momentum + force)
                force[j] = np.clip(force[j] - speed / inverse[j, j], -h * rubs[j], h * rubs[j])
            if np.abs(force - before).max() <= 1e-15:
                break
        qd = inverse @ (momentum + force)
        q = q + h * qd
        places.append(q)
        speeds.append(qd)
    return np.array(places), np.array(speeds)


def slider(mass: float = 2.0, gravity: float = 0.0, lower: float = -np.inf, upper: float = np.inf) -> da.Arm:
    """A mass on a straight rail along x."""
    turn = da.Placement.from_xyz_rpy((0, 0, 0), (0, np.pi / 2, 0))
    joint = da.Joint("rail", "prismatic", "base", "block", turn, limits=da.Limits(lower, upper))
    links = (da.Link("base"), da.Link("block", da.Inertia.box(mass, (0.1, 0.1, 0.1))))
    return da.Arm("slider", links, (joint,), (gravity, 0, 0))


def rubbing(arm: da.Arm, friction: da.Friction) -> da.DrivenArm:
    """The arm with this friction at every joint and drives that are mere torques."""
    actuators = tuple(da.Actuator.of(f"drive{k}", {name: 1}) for k, name in enumerate(arm.joint_names))
    rubs = tuple((name, friction) for name in arm.joint_names)
    return arm.with_drives(da.DriveTrain(actuators, joint_friction=rubs))

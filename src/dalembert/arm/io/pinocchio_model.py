"""An arm of a ``pinocchio.Model``: its joints in its order, the inertia of each about its joint frame.

Pinocchio merges fixed links into the joint that carries them; the frames of those links stay in the arm, without mass.
"""

from __future__ import annotations

import importlib
import math
from fractions import Fraction
from typing import Any

from ..axes import along, quaternion
from ..description import ArmDescription, Joint, Kind, Limits, Link
from ..errors import ArmError
from ..exact import exact_vector
from ..inertia import Inertia
from ..placement import Placement, translate
from .joint_drives import JointDrive, train_of_joints

ORIGIN = "pinocchio.Model"
UNLIMITED = 1e16
"""A limit of this size or more means unlimited."""


def arm_of_pinocchio(model: Any, physical: str, mimic: str) -> ArmDescription:
    """The arm of a ``pinocchio.Model`` without free or spherical joints; q has one number for each joint.

    A joint that Pinocchio holds as cosine and sine (continuous) has its angle in q.
    """
    if len(model.mimicking_joints):
        names = [model.names[int(j)] for j in model.mimicking_joints]
        raise ArmError(
            f"{ORIGIN}: joint {names[0]!r} mimics another; build the model without mimic joints and lock it, or load "
            f'the URDF file with mimic="couple", mimic="hold" or mimic="free"'
        )
    names = _link_names(model)
    links = [Link(names[0], _inertia(model.inertias[0]))]
    joints, drives = [], []
    for i in range(1, model.njoints):
        joint, drive = _joint(model, i, names)
        joints.append(joint)
        drives.append(drive)
        links.append(Link(names[i], _inertia(model.inertias[i])))
    for frame in _body_frames(model):
        if frame.name not in names:
            placement = _placement(frame.placement)
            links.append(Link(frame.name))
            joints.append(Joint(f"{frame.name}_fixed", "fixed", names[int(frame.parentJoint)], frame.name, placement))
    return ArmDescription(
        model.name or "arm",
        tuple(links),
        tuple(joints),
        exact_vector(model.gravity.linear, "gravity"),
        drives=train_of_joints(drives, ORIGIN),
        origin=ORIGIN,
    ).checked(physical)


def _body_frames(model: Any) -> list[Any]:
    """The frames of links."""
    body = _pinocchio().FrameType.BODY
    return [frame for frame in model.frames if frame.type == body]


def _link_names(model: Any) -> list[str]:
    """For each joint the link in its frame, by its name where the model has one there."""
    names = [f"{name}_link" if i else str(name) for i, name in enumerate(model.names)]
    for frame in reversed(_body_frames(model)):
        i = int(frame.parentJoint)
        if i and frame.placement.isIdentity(0.0):
            names[i] = frame.name
    return names


def _joint(model: Any, i: int, names: list[str]) -> tuple[Joint, JointDrive]:
    """Joint ``i`` and its drive; its axis is that of its motion subspace."""
    joint, name = model.joints[i], str(model.names[i])
    if joint.nv != 1:
        raise ArmError(
            f"{ORIGIN}: joint {name!r} ({joint.shortname()}) has {joint.nv} freedoms, and a joint of an arm has one; "
            f"build the model without it"
        )
    data = joint.createData()
    joint.calc(data, _pinocchio().neutral(model)[joint.idx_q : joint.idx_q + joint.nq])
    motion = [float(x) for x in data.S.ravel()]
    turns, slides = any(motion[3:]), any(motion[:3])
    if turns and slides:
        raise ArmError(
            f"{ORIGIN}: joint {name!r} ({joint.shortname()}) turns and slides at once; no joint of an arm does"
        )
    kind: Kind = "revolute" if turns else "prismatic"
    axis = along(exact_vector(motion[3:] if turns else motion[:3], "axis"), f"{ORIGIN}: joint {name!r}: axis")
    v = joint.idx_v
    lower, upper = -math.inf, math.inf
    if joint.nq == 1:
        lower, upper = float(model.lowerPositionLimit[joint.idx_q]), float(model.upperPositionLimit[joint.idx_q])
    limits = Limits(*(_limit(x) for x in (lower, upper, model.velocityLimit[v], model.effortLimit[v])))
    armature, rotor = float(model.armature[v]), float(model.rotorInertia[v])
    drive = JointDrive(
        name,
        float(model.rotorGearRatio[v]) if model.rotorGearRatio[v] not in (0, 1) else None,
        rotor if rotor and not armature else None,
        armature=armature,
        damping=float(model.damping[v]),
        friction=float(model.friction[v]),
    )
    before = _placement(model.jointPlacements[i]) @ axis
    return Joint(name, kind, names[int(model.parents[i])], names[i], before, axis.inverse(), limits), drive


def _pinocchio() -> Any:
    """Pinocchio itself; it is installed where one of its models is at hand."""
    return importlib.import_module("pinocchio")


def _limit(value: float) -> float:
    return math.copysign(math.inf, value) if abs(value) >= UNLIMITED else float(value)


def _inertia(body: Any) -> Inertia:
    """A body of Pinocchio: mass, mass centre, and inertia about it in the axes of the joint."""
    if not body.mass and not body.inertia.any():
        return Inertia()
    rows = body.inertia
    tensor = [[float(rows[i, j] + rows[j, i]) / 2 for j in range(3)] for i in range(3)]
    return Inertia.of(float(body.mass), [float(x) for x in body.lever], tensor)


def _placement(pose: Any) -> Placement:
    turn = _pinocchio().Quaternion(pose.rotation)
    w, x, y, z = (Fraction(float(number)) for number in (turn.w, turn.x, turn.y, turn.z))
    shift = (translate(axis, float(length)) for axis, length in zip("xyz", pose.translation, strict=True))
    return Placement.of(*shift) @ quaternion(w, x, y, z)

"""An arm of a compiled ``mujoco.MjModel``: the numbers that MuJoCo computes with, its joints in its order.

A body stands at ``body_pos``, ``body_quat`` in its parent; its joints have an axis through ``jnt_pos`` and move from
``qpos0``. What an arm does not have is refused, or left out on request, by the same kinds as of an MJCF file.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from ..axes import along, quaternion
from ..description import ArmDescription, Joint, Kind, Limits, Link
from ..elastic import JointSpring
from ..errors import ArmError
from ..exact import Angle, exact, exact_vector
from ..inertia import Inertia
from ..placement import Placement, Step, translate
from .joint_drives import JointDrive, train_of_joints
from .mimic import Mimic, followers, treated
from .omissions import Omissions

ORIGIN = "MjModel"
KINDS: dict[int, Kind] = {2: "prismatic", 3: "revolute"}
"""Kinds of joints by MuJoCo's numbers (mjJNT_SLIDE, mjJNT_HINGE)."""
CONSTRAINTS = ("connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain", "distance")
"""Equality constraints in the order of MuJoCo's numbers."""
TO_JOINT = 0
"""Number of a transmission to a joint (mjTRN_JOINT)."""


def arm_of_mujoco(model: Any, physical: str, mimic: str, skip: Iterable[str]) -> ArmDescription:
    """The arm of a ``mujoco.MjModel``; the rest as in ``read_mjcf``."""
    omissions = Omissions.of(ORIGIN, skip)
    reading = _Reading(model, omissions)
    reading.check()
    links, joints = reading.tree()
    joints = treated(joints, reading.mimics(), mimic)
    moving = [joint.name for joint in joints if joint.moves]
    arm = ArmDescription(
        _model_name(model) or "arm",
        tuple(links),
        tuple(joints),
        exact_vector(model.opt.gravity, "gravity"),
        drives=train_of_joints(
            [drive for drive in reading.drives() if drive.joint in moving], ORIGIN, followers(joints)
        ),
        origin=ORIGIN,
    ).with_elastic(*(spring for spring in reading.springs() if spring.joint in moving))
    omissions.tell()
    return arm.checked(physical)


class _Reading:
    def __init__(self, model: Any, omissions: Omissions) -> None:
        self.model, self.omissions = model, omissions
        self.bodies = [model.body(i).name or f"body{i}" for i in range(model.nbody)]
        self.joints = [model.joint(j).name or f"joint{j + 1}" for j in range(model.njnt)]
        self.bodies[0] = "world"

    def refuse(self, kind: str, what: str, sentence: str) -> None:
        """Raises ArmError unless this kind is to be left out."""
        if not self.omissions.allow(kind, what):
            raise ArmError(f"{ORIGIN}: {self.omissions.refused(sentence, kind)}")

    def check(self) -> None:
        """Raises ArmError for what acts on the bodies and is not modelled."""
        m = self.model
        for i in range(m.nbody):
            name = self.bodies[i]
            if m.body_mocapid[i] >= 0:
                self.refuse("mocap", f"motion of body {name!r}", f"body {name!r} is moved from outside (mocap)")
            if m.body_gravcomp[i]:
                self.refuse("gravcomp", f"of body {name!r}", f"gravcomp takes part of the weight of body {name!r} off")
        for t in range(m.ntendon):
            for quantity in ("stiffness", "damping", "frictionloss", "armature"):
                if getattr(m, f"tendon_{quantity}", [0.0] * m.ntendon)[t]:
                    name = m.tendon(t).name or str(t)
                    self.refuse("tendon", f"{quantity} of {name}", f"{quantity} lets tendon {name!r} act on the joints")
        for a in range(m.nu):
            for quantity in ("armature", "damping"):
                if getattr(m, f"actuator_{quantity}", [0.0] * m.nu)[a]:
                    name = m.actuator(a).name or str(a)
                    self.refuse("actuator", f"{quantity} of {name}", f"{quantity} of actuator {name!r} is not read")
        for quantity in ("density", "viscosity"):
            if getattr(m.opt, quantity):
                self.refuse("fluid", quantity, f"{quantity} puts the arm into a fluid, which is not modelled")
        for kind, count in (("flex", m.nflex), ("plugin", m.nplugin)):
            if count:
                self.refuse(kind, f"{count} of them", f"it has {kind} elements, which are not modelled")
        for j in range(m.njnt):
            if int(m.jnt_type[j]) not in KINDS:
                raise ArmError(
                    f"{ORIGIN}: joint {self.joints[j]!r} is a free or a ball joint, which has no single position; "
                    f"write slides and hinges, or none to fix the body"
                )
            polynomials = [getattr(m, name, None) for name in ("jnt_stiffnesspoly", "dof_dampingpoly")]
            if any(poly is not None and poly[j].any() for poly in polynomials):
                raise ArmError(
                    f"{ORIGIN}: joint {self.joints[j]!r} has stiffness or damping of more than one coefficient; only a "
                    f"constant one is modelled"
                )

    def tree(self) -> tuple[list[Link], list[Joint]]:
        """Links and joints in MuJoCo's order; several joints of a body have massless links between them."""
        m = self.model
        links, joints = [Link("world")], []
        for i in range(1, m.nbody):
            name, parent = self.bodies[i], self.bodies[m.body_parentid[i]]
            placement = _placement(m.body_pos[i], m.body_quat[i])
            first, count = int(m.body_jntadr[i]), int(m.body_jntnum[i])
            for j in range(first, first + count):
                child = name if j == first + count - 1 else f"{name}_{self.joints[j]}"
                joints.append(self.joint(j, parent, child, placement))
                if child != name:
                    links.append(Link(child))
                parent, placement = child, Placement()
            if not count:
                joints.append(Joint(f"{name}_fixed", "fixed", parent, name, placement))
            body = Inertia.of(float(m.body_mass[i]), inertia=[float(x) for x in m.body_inertia[i]], what=name)
            links.append(Link(name, body.placed(_placement(m.body_ipos[i], m.body_iquat[i]))))
        return links, joints

    def joint(self, j: int, parent: str, child: str, placement: Placement) -> Joint:
        """Joint ``j``: the anchor, the axis along z, the motion less ``qpos0``, and back to the body."""
        m, kind = self.model, KINDS[int(self.model.jnt_type[j])]
        turn = along(exact_vector(m.jnt_axis[j], "axis"), f"{ORIGIN}: joint {self.joints[j]!r}: axis")
        start = float(m.qpos0[j])
        anchor, back = Placement(), Step("translate", 2, -exact(start))
        if kind == "revolute":
            anchor, back = _position(m.jnt_pos[j]), Step("rotate", 2, -Angle.of(start))
        lower, upper = (float(x) for x in m.jnt_range[j]) if m.jnt_limited[j] else (-math.inf, math.inf)
        effort = min(abs(float(x)) for x in m.jnt_actfrcrange[j]) if m.jnt_actfrclimited[j] else math.inf
        return Joint(
            self.joints[j], kind, parent, child, placement @ anchor @ turn,
            Placement.of(back) @ turn.inverse() @ anchor.inverse(), Limits(lower, upper, effort=effort),
        )  # fmt: skip

    def springs(self) -> list[JointSpring]:
        """The springs of the joints."""
        m = self.model
        return [
            JointSpring(self.joints[j], float(m.jnt_stiffness[j]), float(m.qpos_spring[j]))
            for j in range(m.njnt)
            if m.jnt_stiffness[j]
        ]

    def drives(self) -> list[JointDrive]:
        """Armature, damping and friction of the joints, and the gear where one actuator alone drives the joint."""
        m = self.model
        driven: dict[int, list[float]] = {}
        for a in range(m.nu):
            if m.actuator_trntype[a] == TO_JOINT:
                driven.setdefault(int(m.actuator_trnid[a][0]), []).append(float(m.actuator_gear[a][0]))
        gears = {j: gears[0] for j, gears in driven.items() if len(gears) == 1 and gears[0] not in (0, 1)}
        return [
            JointDrive(
                self.joints[j], gears.get(j), armature=float(m.dof_armature[j]), damping=float(m.dof_damping[j]),
                friction=float(m.dof_frictionloss[j]),
            )
            for j in range(m.njnt)
        ]  # fmt: skip

    def mimics(self) -> list[Mimic]:
        """The joints that equality constraints make follow others; other constraints are refused."""
        m, mimics = self.model, []
        for e in range(m.neq):
            if not m.eq_active0[e]:
                continue
            kind, name = CONSTRAINTS[int(m.eq_type[e])], m.equality(e).name or str(e)
            if self.omissions.allow("equality", f"{kind} {name}"):
                continue
            if kind != "joint":
                self.refuse("equality", name, f"equality {kind} {name!r} ties parts together; remove it")
            follower, master = int(m.eq_obj1id[e]), int(m.eq_obj2id[e])
            master_displacement = -float(m.qpos0[master]) if master >= 0 else 0.0
            offset = float(m.qpos0[follower]) + sum(
                float(a) * master_displacement**k for k, a in enumerate(m.eq_data[e][:5])
            )
            where = f"{ORIGIN}: joint {self.joints[follower]!r}"
            ratio = None if m.eq_data[e][2:5].any() else exact(float(m.eq_data[e][1]) if master >= 0 else 0)
            master_name = self.joints[master] if master >= 0 else ""
            mimics.append(Mimic(self.joints[follower], master_name, ratio, exact(offset), where))
        return mimics


def _model_name(model: Any) -> str:
    """The name of the model: the first of its names."""
    name = bytes(model.names).partition(b"\0")[0].decode("utf-8", "replace")
    return "" if name == "MuJoCo Model" else name


def _position(numbers: Any) -> Placement:
    return Placement.of(*(translate(axis, float(x)) for axis, x in zip("xyz", numbers, strict=True)))


def _placement(position: Any, quat: Any) -> Placement:
    w, x, y, z = (Fraction(float(number)) for number in quat)
    return _position(position) @ quaternion(w, x, y, z)

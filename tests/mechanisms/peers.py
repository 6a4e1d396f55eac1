"""The same mechanisms in Pinocchio and MuJoCo, with their own dynamics and their own constraints."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pinocchio as pin

from dalembert.mechanisms.chain_frames import Carrier
from dalembert.mechanisms.mechanism import Mechanism


def matrix(rows: Any) -> Any:
    return np.array([[float(x) for x in row] for row in rows])


def vector(entries: Any) -> Any:
    return np.array([float(x) for x in entries])


class Pinocchio:
    """A model with a loop constraint per closure: "fixed" (6 equations) or "spherical" (3)."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.model = pin.Model()
        gravity = np.zeros(3)
        joints: list[list[int]] = []
        for name, numbers in zip(mechanism.chains.names, mechanism.chains.numbers, strict=True):
            gravity = vector(numbers.chain.gravity)
            own: list[int] = []
            for k, segment in enumerate(numbers.chain.segments):
                parent = own[segment.parent] if segment.parent >= 0 else 0
                kind = pin.JointModelRZ() if segment.revolute else pin.JointModelPZ()
                place = pin.SE3(matrix(segment.rotation), vector(segment.position))
                own.append(self.model.addJoint(parent, kind, place, f"{name}.{k}"))
                if segment.mass or np.any(matrix(segment.central)):
                    inertia = pin.Inertia(float(segment.mass), vector(segment.com), matrix(segment.central))
                    self.model.appendBodyToJoint(own[-1], inertia, pin.SE3.Identity())
            joints.append(own)
        self.model.gravity = pin.Motion(np.concatenate([gravity, np.zeros(3)]))
        self.joints = joints
        self.constraints = []
        for closure in mechanism.assembly.closures:
            kind = pin.ContactType.CONTACT_6D if len(closure.closure.held) == 6 else pin.ContactType.CONTACT_3D
            assert closure.closure.held in (("x", "y", "z", "rx", "ry", "rz"), ("x", "y", "z"))
            (joint_b, place_b), (joint_a, place_a) = self._end(closure.b), self._end(closure.a)
            self.constraints.append(
                pin.RigidConstraintModel(kind, self.model, joint_b, place_b, joint_a, place_a, pin.LOCAL)
            )

    def _end(self, frame: Carrier) -> tuple[int, Any]:
        place = pin.SE3(frame.rotation, frame.position)
        return (self.joints[frame.chain][frame.body] if frame.body >= 0 else 0), place

    def acceleration(self, phi: Any, rate: Any, load: Any) -> tuple[Any, Any]:
        """phi'' and the constraint wrenches, one row of 6 (or 3) numbers per closure."""
        data = self.model.createData()
        models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for constraint in self.constraints:
            models.append(constraint)
            datas.append(constraint.createData())
        pin.initConstraintDynamics(self.model, data, models, datas)
        settings = pin.ProximalSettings(1e-14, 1e-14, 1e-9, 200)
        found = pin.constraintDynamics(self.model, data, phi, rate, load, models, datas, settings)
        return found.copy(), [d.contact_force.vector.copy() for d in datas]


class Mujoco:
    """Inertia, bias and the exact constraint Jacobian and its rate from MuJoCo; the constraint solved exactly."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.model = mujoco.MjModel.from_xml_string(self._xml())
        self.data = mujoco.MjData(self.model)

    def _xml(self) -> str:
        def text(values: Any) -> str:
            return " ".join(repr(float(x)) for x in values)

        parts = []
        gravity = "0 0 0"
        for name, numbers in zip(self.mechanism.chains.names, self.mechanism.chains.numbers, strict=True):
            gravity = text(numbers.chain.gravity)
            children: dict[int, list[int]] = {}
            for k, segment in enumerate(numbers.chain.segments):
                children.setdefault(segment.parent, []).append(k)

            def body(k: int, name: str = name, numbers: Any = numbers, children: Any = children) -> str:
                segment = numbers.chain.segments[k]
                quat = np.zeros(4)
                mujoco.mju_mat2Quat(quat, matrix(segment.rotation).reshape(-1))
                kind = "hinge" if segment.revolute else "slide"
                inertial = '<inertial pos="0 0 0" mass="1e-13" diaginertia="1e-13 1e-13 1e-13"/>'  # it wants some
                if segment.mass:
                    c = matrix(segment.central)
                    full = (c[0, 0], c[1, 1], c[2, 2], c[0, 1], c[0, 2], c[1, 2])
                    inertial = f'<inertial pos="{text(segment.com)}" mass="{float(segment.mass)!r}" '
                    inertial += f'fullinertia="{text(full)}"/>'
                inner = "".join(body(j) for j in children.get(k, []))
                return (
                    f'<body name="{name}.{k}" pos="{text(vector(segment.position))}" quat="{text(quat)}">{inertial}'
                    f'<joint name="{name}.{k}" type="{kind}" axis="0 0 1"/>{inner}</body>'
                )

            parts += [body(k) for k in children[-1]]
        return (
            f'<mujoco><compiler angle="radian" boundmass="0" boundinertia="0" balanceinertia="false"/>'
            f'<option gravity="{gravity}"/><worldbody>{"".join(parts)}</worldbody></mujoco>'
        )

    def acceleration(self, phi: Any, rate: Any, load: Any) -> Any:
        model, data = self.model, self.data
        data.qpos[:], data.qvel[:] = phi, rate
        mujoco.mj_forward(model, data)
        inertia = np.zeros((model.nv, model.nv))
        for k, unit in enumerate(np.eye(model.nv)):
            mujoco.mj_mulM(model, data, inertia[k], unit)
        rows, drifts = [], []
        for closure in self.mechanism.assembly.closures:
            ends = [self._end(frame) for frame in (closure.a, closure.b)]
            (va, wa, dva, dwa), (vb, wb, dvb, dwb) = ends
            axes = self._axes(closure.a)
            held = closure.closure.held
            for freedom in held:
                axis = axes["xyz".index(freedom[-1])]
                if freedom.startswith("r"):
                    rows.append(axis @ (wb - wa))
                    drifts.append(axis @ (dwb - dwa) @ rate)
                else:
                    rows.append(axis @ (vb - va))
                    drifts.append(axis @ (dvb - dva) @ rate)
        g, drift = np.array(rows), np.array(drifts)
        kkt = np.block([[inertia, -g.T], [g, np.zeros((len(g), len(g)))]])
        right = np.concatenate([load - data.qfrc_bias, -drift])
        return np.linalg.lstsq(kkt, right, rcond=1e-12)[0][: model.nv]

    def _place(self, frame: Carrier) -> tuple[int, Any, Any]:
        if frame.body < 0:
            return 0, frame.position, frame.rotation
        name = self.mechanism.chains.names[frame.chain]
        body = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, f"{name}.{frame.body}")
        turn = self.data.xmat[body].reshape(3, 3)
        return body, self.data.xpos[body] + turn @ frame.position, turn @ frame.rotation

    def _axes(self, frame: Carrier) -> Any:
        return self._place(frame)[2].T

    def _end(self, frame: Carrier) -> tuple[Any, Any, Any, Any]:
        body, point, _ = self._place(frame)
        shape = (3, self.model.nv)
        linear, angular, linear_dot, angular_dot = (np.zeros(shape) for _ in range(4))
        mujoco.mj_jac(self.model, self.data, linear, angular, point, body)
        mujoco.mj_jacDot(self.model, self.data, linear_dot, angular_dot, point, body)
        return linear, angular, linear_dot, angular_dot

"""What moves: the links alone under joint torques, or an arm with drives under one of four inputs.

A plant gives the joint torque of an input (viscous friction in, Coulomb friction out, since that depends on who
sticks), the free acceleration, energies, and the contacts at which Coulomb friction acts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.description import ArmDescription, listed
from ..arm.elastic import JointSpring
from ..arm.errors import ArmError
from ..arm.inertia import Load
from ..compile.kernels import numeric
from ..drives.batch import joint_values
from ..drives.driven import Driven
from ..drives.motors import Electric
from ..drives.sticking import Contact

Array = NDArray[np.float64]

INPUTS = ("motor torque", "joint torque", "current", "voltage")


class LinkPlant:
    """Links under joint torques, frictionless but for the arm's own dampers; ``arm`` may be a reduced model of one."""

    extra = 0

    def __init__(self, arm: Any) -> None:
        self.arm, self.n, self.joint_names = arm, arm.n, arm.joint_names
        self.input_names = arm.joint_names
        self.input_units = tuple("N m" if joint.kind == "revolute" else "N" for joint in arm.moving)
        self.contacts: list[Contact] = []
        self.varies = False
        self.damped = any(getattr(part, "damping", 0) for part in arm.elastic if not isinstance(part, JointSpring))
        self._bare = arm.without_elastic() if self.damped else arm
        # single states in a loop: the kernel itself, without the checks that a public call makes
        exact = isinstance(arm, ArmDescription)
        kernel = numeric(arm, "forward_dynamics") if exact else arm.compile("forward_dynamics")
        self._forward = kernel.fast if kernel is not None and kernel.compiled else arm.forward_dynamics

    def start(self, q: Array, qd: Array, u: Array) -> Array:
        """Extra states at the start."""
        return np.empty(0)

    def drive(self, q: Array, qd: Array, extra: Array, u: Array) -> tuple[Array, Array, float]:
        """Joint torque, rate of the extra states, and power lost to viscous friction and dampers."""
        return u, extra, self._damping(q, qd) if self.damped else 0.0

    def supplied(self, q: Array, qd: Array, extra: Array, u: Array) -> Array:
        """What the input puts on the joints, before friction."""
        return u

    def acceleration(self, q: Array, qd: Array, torque: Array) -> Array:
        return self._forward(q, qd, torque)

    def mass_matrix(self, q: Array) -> Array:
        return self.arm.mass_matrix(q)

    def bias(self, q: Array, qd: Array) -> Array:
        return self.arm.bias(q, qd)

    def kinetic_energy(self, q: Array, qd: Array) -> Array:
        return self.arm.kinetic_energy(q, qd)

    def potential_energy(self, q: Array) -> Array:
        return self.arm.potential_energy(q)

    def rows(self, q: Array) -> Array:
        """Speeds of the contacts per joint speed."""
        return np.array([contact.row for contact in self.contacts]).reshape(-1, self.n)

    def drift(self, q: Array, qd: Array) -> Array:
        """d(rows)/dt qd."""
        return np.zeros(len(self.contacts))

    def holding(self, load: Load | None) -> LinkPlant:
        return LinkPlant(self.arm.holding(load))

    def outputs(self, q: Array, qd: Array, extra: Array, u: Array) -> dict[str, Array]:
        """Further quantities worth recording, by name."""
        return {}

    def _damping(self, q: Array, qd: Array) -> float:
        still = np.zeros(self.n)
        load = self._bare.bias(q, qd) - self.arm.bias(q, qd) - self._bare.bias(q, still) + self.arm.bias(q, still)
        return -float(qd @ load)


class DrivenPlant:
    """An arm with drives; the input is motor torque, joint torque, current (A) or voltage (V).

    ``currents`` (A) flow at the start where voltages drive; none by default.
    """

    def __init__(self, driven: Driven, kind: str = "motor torque", currents: ArrayLike | None = None) -> None:
        if kind not in INPUTS:
            raise ArmError(f"no input {kind!r}; there are {listed(INPUTS)}")
        self.driven, self.kind, self.n, self.joint_names = driven, kind, driven.n, driven.joint_names
        links: Any = driven.links
        self.arm = links
        on_joints = kind == "joint torque"
        self.input_names = driven.joint_names if on_joints else driven.motor_names
        unit = {"current": "A", "voltage": "V"}.get(kind, "N m")
        self.input_units = tuple("N" if on_joints and joint.kind == "prismatic" else unit for joint in self.arm.moving)
        self.electric: Electric | None = driven.electric if kind in ("current", "voltage") else None
        has_current = kind == "voltage" and self.electric is not None and bool((self.electric.inductance > 0).all())
        self.extra = driven.n if has_current else 0
        if currents is not None and not has_current:
            raise ArmError(
                "currents at the start belong to voltages on motors that all have inductance; leave them out"
            )
        self._currents = (
            np.zeros(driven.n) if currents is None else joint_values(driven.n, "currents", currents, "motors")
        )
        self.varies = driven.train.turns is not None
        self.contacts = self._contacts()
        self._viscous = driven.motor_friction.viscous.any() or driven.joint_friction.viscous.any()

    def _contacts(self) -> list[Contact]:
        """One contact a joint whose motor turns with it alone, its own friction added; else one a shaft."""
        driven = self.driven
        rows = driven._ratios if not self.varies else None
        found: list[Contact] = []
        merged: set[int] = set()
        for a, actuator in enumerate(driven.train.actuators):
            row = rows[a] if rows is not None else np.full(driven.n, np.nan)
            alone = rows is not None and np.count_nonzero(row) == 1
            friction = actuator.friction
            joint = int(np.argmax(row != 0)) if alone else -1
            own = driven.train.friction_of(driven.joint_names[joint]) if alone else None
            if own is not None and own.coulomb:
                size = abs(row[joint])
                forward, backward = friction.moving if row[joint] > 0 else friction.moving[::-1]
                found.append(
                    Contact(
                        driven.joint_names[joint],
                        np.eye(driven.n)[joint],
                        size * friction.hold + own.hold,
                        size * forward + own.moving[0],
                        size * backward + own.moving[1],
                    )
                )
                merged.add(joint)
            elif friction.coulomb:
                found.append(Contact(actuator.name, row, friction.hold, *friction.moving))
        for j, name in enumerate(driven.joint_names):
            own = driven.train.friction_of(name)
            if own.coulomb and j not in merged:
                found.append(Contact(name, np.eye(driven.n)[j], own.hold, *own.moving))
        return found

    def start(self, q: Array, qd: Array, u: Array) -> Array:
        return self._currents[: self.extra].copy()

    def supplied(self, q: Array, qd: Array, extra: Array, u: Array) -> Array:
        if self.kind == "joint torque":
            return u
        return self.driven.to_joints(q, self.motor_torque(q, qd, extra, u))

    def motor_torque(self, q: Array, qd: Array, extra: Array, u: Array) -> Array:
        if self.electric is None:
            return u
        return self.electric.torque(self.current(q, qd, extra, u))

    def current(self, q: Array, qd: Array, extra: Array, u: Array) -> Array:
        assert self.electric is not None
        if self.kind == "current":
            return u
        return extra if self.extra else self.electric.steady_current(q, qd, u)

    def drive(self, q: Array, qd: Array, extra: Array, u: Array) -> tuple[Array, Array, float]:
        torque = self.supplied(q, qd, extra, u)
        rate = self.electric.current_dynamics(q, qd, extra, u) if self.extra and self.electric else extra
        if not self._viscous:
            return torque, rate, 0.0
        turning = self.driven.transmission(q)
        brake = turning.T @ (self.driven.motor_friction.viscous * (turning @ qd))
        brake = brake + self.driven.joint_friction.viscous * qd
        return torque - brake, rate, float(qd @ brake)

    def acceleration(self, q: Array, qd: Array, torque: Array) -> Array:
        return self.driven.joint_acceleration(q, qd, torque)

    def mass_matrix(self, q: Array) -> Array:
        return self.driven.mass_matrix(q)

    def bias(self, q: Array, qd: Array) -> Array:
        return self.driven.bias(q, qd)

    def kinetic_energy(self, q: Array, qd: Array) -> Array:
        return self.driven.kinetic_energy(q, qd)

    def potential_energy(self, q: Array) -> Array:
        return self.driven.potential_energy(q)

    def rows(self, q: Array) -> Array:
        if not self.varies:
            return np.array([contact.row for contact in self.contacts]).reshape(-1, self.n)
        turning = dict(zip(self.driven.motor_names, self.driven.transmission(q), strict=True))
        return np.array([turning.get(contact.name, contact.row) for contact in self.contacts]).reshape(-1, self.n)

    def drift(self, q: Array, qd: Array) -> Array:
        if not self.varies:
            return np.zeros(len(self.contacts))
        step = 1e-7
        return (self.rows(q + step * qd) - self.rows(q - step * qd)) @ qd / (2 * step)

    def holding(self, load: Load | None) -> DrivenPlant:
        return DrivenPlant(
            type(self.driven)(self.arm.holding(load), self.driven.train, self.driven.approximation), self.kind
        )

    def outputs(self, q: Array, qd: Array, extra: Array, u: Array) -> dict[str, Array]:
        found = {"motor_position": self.driven.motor_positions(q)}
        if self.kind != "joint torque":
            found["motor_torque"] = self.motor_torque(q, qd, extra, u)
        if self.electric is not None:
            found["current"] = self.current(q, qd, extra, u)
        return found

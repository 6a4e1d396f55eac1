"""The plant: a system under joint torques, or an arm with drives under motor torques, currents or voltages.

A plant gives the joint torque of an input (viscous friction in, Coulomb friction out, since that depends on which
contacts stick), the free acceleration, energies, and the contacts at which Coulomb friction acts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.description import listed
from ..arm.errors import ArmError
from ..arm.inertia import Load
from ..drives.motors import Electric
from ..reduction.program_system import ProgramSystem
from ..systems.arrays import vector_array
from ..systems.driven import DrivenSystem, MotorSystem
from ..systems.protocol import System
from ..systems.sticking import Contact

Array = NDArray[np.float64]

INPUTS = ("motor torque", "joint torque", "current", "voltage")


class Plant:
    """A system under joint torques.

    Its friction, where it has any, is taken out of ``smooth``: viscous friction comes back in ``drive``, Coulomb
    friction through ``contacts``.
    """

    extra = 0
    decay: Array = np.zeros(0)
    """R/L (1/s) of the circuits whose currents are states: how fast they settle."""
    passive: Sequence[int] = ()
    """Inputs that must be zero, since nobody drives those coordinates."""

    def __init__(self, system: System) -> None:
        self.system, self.n, self.joint_names = system, system.n, system.joint_names
        self.contacts: list[Contact] = list(system.contacts)
        self.varies = system.contacts_vary
        self._viscous = viscous_matrix(system) if system.has_friction else None
        self.smooth: System = system.frictionless() if system.has_friction else system
        self.input_names: tuple[str, ...] = system.joint_names
        self.input_units = tuple("N m" if joint.kind == "revolute" else "N" for joint in system.moving)
        self.passive = getattr(system, "passive_indices", ())  # of mechanisms
        self.damped = system.has_dampers
        # single states in a loop: the kernel itself, without the checks that a public call makes
        self._forward = self.smooth.fast_forward_dynamics()
        self._mass_matrix, self._bias = (_fast(self.smooth, name) for name in ("mass_matrix", "bias"))

    @property
    def name(self) -> str:
        """The name of the system."""
        return self.system.name

    @property
    def lower(self) -> Array:
        """Lower position limits."""
        return self.system.lower

    @property
    def upper(self) -> Array:
        """Upper position limits."""
        return self.system.upper

    def start(self) -> Array:
        """Extra states at the start."""
        return np.empty(0)

    def drive(self, q: Array, qd: Array, extra: Array, u: Array) -> tuple[Array, Array, Array, float]:
        """Joint torque less viscous friction, that of the input alone, rates of the extra states, power lost (W)."""
        supplied, lost = self.supplied(q, qd, extra, u), self._damping(q, qd) if self.damped else 0.0
        torque = supplied
        if self._viscous is not None:
            brake = self._viscous(q) @ qd
            torque, lost = supplied - brake, lost + float(qd @ brake)
        return torque, supplied, self.rates(q, qd, extra, u), lost

    def supplied(self, q: Array, qd: Array, extra: Array, u: Array) -> Array:
        """Joint torques of the input, before friction."""
        return u

    def rates(self, q: Array, qd: Array, extra: Array, u: Array) -> Array:
        """Rates of the extra states."""
        return extra

    def acceleration(self, q: Array, qd: Array, torque: Array) -> Array:
        """qdd under a joint torque, Coulomb friction left out."""
        return self._forward(q, qd, torque)

    def mass_matrix(self, q: Array) -> Array:
        """D."""
        return self._mass_matrix(q)

    def bias(self, q: Array, qd: Array) -> Array:
        """Torques at zero acceleration, friction left out."""
        return self._bias(q, qd)

    def kinetic_energy(self, q: Array, qd: Array) -> Array:
        """T (J)."""
        return self.smooth.kinetic_energy(q, qd)

    def potential_energy(self, q: Array) -> Array:
        """V (J)."""
        return self.smooth.potential_energy(q)

    def rows(self, q: Array) -> Array:
        """Speeds of the contacts per joint speed."""
        return self.system.contact_rows(q) if self.contacts else np.empty((0, self.n))

    def drift(self, q: Array, qd: Array) -> Array:
        """d(rows)/dt qd."""
        return self.system.contact_drift(q, qd) if self.contacts else np.empty(0)

    def holding(self, load: Load | None) -> Plant:
        """The same with another load in the hand."""
        return Plant(self.system.holding(load))

    def outputs(self, q: Array, qd: Array, extra: Array, u: Array) -> dict[str, Array]:
        """Further quantities worth recording, by name."""
        return {"motor_position": self.system.motor_positions(q)} if isinstance(self.system, DrivenSystem) else {}

    def _damping(self, q: Array, qd: Array) -> float:
        """Power lost in dampers: of all torques without friction they alone change sign with the speeds."""
        return float(qd @ (self.bias(q, qd) - self.bias(q, -qd))) / 2


class MotorPlant(Plant):
    """A system with motors under motor torque, current (A) or voltage (V).

    ``currents`` (A) flow at the start where voltages drive; none by default.
    """

    def __init__(self, driven: MotorSystem, kind: str = "motor torque", currents: ArrayLike | None = None) -> None:
        super().__init__(driven)  # type: ignore[arg-type]  # every system that motors drive is one of the protocol
        self.driven, self.kind = driven, kind
        self.input_names, self.passive = driven.motor_names, ()
        motors = len(self.input_names)
        self.input_units = ({"current": "A", "voltage": "V"}.get(kind, "N m"),) * motors
        if kind == "motor torque":
            # a motor that turns with a sliding joint at a ratio in metres is a force on it
            self.input_units = driven.motor_units
        self.electric = Electric(driven) if kind in ("current", "voltage") else None
        has_current = kind == "voltage" and self.electric is not None and bool((self.electric.inductance > 0).all())
        self.extra = motors if has_current else 0
        if currents is not None and not has_current:
            raise ArmError(
                "currents at the start belong to voltages on motors that all have inductance; leave them out"
            )
        if has_current and self.electric is not None:
            self.decay = self.electric.resistance / self.electric.inductance
        self._currents = np.zeros(motors) if currents is None else vector_array(motors, "currents", currents, "motor")

    def start(self) -> Array:
        """Initial motor currents (A); none unless voltages drive motors with inductance."""
        return self._currents[: self.extra].copy()

    def supplied(self, q: Array, qd: Array, extra: Array, u: Array) -> Array:
        """Joint torques N^T tau_m of the motor torques, before friction."""
        torque = self.motor_torque(q, qd, extra, u)
        # a constant transmission as it stands: this is called for every stage of every step
        ratios = getattr(self.driven, "ratios", None)
        return self.driven.to_joints(q, torque) if self.varies or ratios is None else ratios.T @ torque

    def rates(self, q: Array, qd: Array, extra: Array, u: Array) -> Array:
        """di/dt (A/s) from L di/dt + R i + C_E qd_a = V (Freeman 1985, eq. 2-228)."""
        return self.electric.current_dynamics(q, qd, extra, u) if self.extra and self.electric else extra

    def motor_torque(self, q: Array, qd: Array, extra: Array, u: Array) -> Array:
        """Torque of each motor."""
        return u if self.electric is None else self.electric.torque(self.current(q, qd, extra, u))

    def current(self, q: Array, qd: Array, extra: Array, u: Array) -> Array:
        """Current of each motor (A)."""
        assert self.electric is not None
        if self.kind == "current":
            return u
        return extra if self.extra else self.electric.steady_current(q, qd, u)

    def holding(self, load: Load | None) -> MotorPlant:
        """The same drives with another load in the hand."""
        return MotorPlant(self.driven.holding(load), self.kind)

    def outputs(self, q: Array, qd: Array, extra: Array, u: Array) -> dict[str, Array]:
        """Motor positions and torques and, for electric inputs, currents (A)."""
        values = super().outputs(q, qd, extra, u) | {"motor_torque": self.motor_torque(q, qd, extra, u)}
        if self.electric is not None:
            values["current"] = self.current(q, qd, extra, u)
        return values


def viscous_matrix(system: System) -> Callable[[Array], Array] | None:
    """B(q) of viscous friction B qd, worked out once where it is constant; None where there is none."""
    if system.contacts_vary:
        return system.viscous_matrix
    constant = system.viscous_matrix(np.zeros(system.n))
    return (lambda q: constant) if constant.any() else None


def _fast(system: System, name: str) -> Callable[..., Array]:
    """A method of a system; of a program its kernel, which an arm has behind the method itself."""
    method: Callable[..., Array] = system.fast(name) if isinstance(system, ProgramSystem) else getattr(system, name)
    return method


def plant_of(system: System, input: str | None = None, currents: ArrayLike | None = None) -> Plant:
    """The plant for inputs of this kind; by default motor torques for an arm with drives, else joint torques."""
    if input is None:
        input = "motor torque" if isinstance(system, MotorSystem) else "joint torque"
    if input not in INPUTS:
        raise ArmError(f"no input {input!r}; there are {listed(INPUTS)}")
    if input == "joint torque":
        if currents is not None:
            raise ArmError("currents at the start belong to voltages on motors; leave them out")
        return Plant(system)
    if not isinstance(system, MotorSystem):
        raise ArmError(
            f"{system.name}: {input} needs an arm with its drives; simulate arm.driven, or of a mechanism "
            f"mechanism.driven.as_system(motors=True)"
        )
    return MotorPlant(system, input, currents)

"""Outputs: what is worked out for every design. Those of kernels take designs in batches, others one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..arm.description import listed
from ..arm.errors import ArmError
from ..arm.motor_units import motor_units
from ..markup.numbers import unit
from ..mechanisms.driven_mechanism import DrivenMechanism
from .cycle_time import cycle_columns, cycle_time
from .mechanism_designs import refuse_without_motors
from .motion_reductions import peak
from .proved_outputs import (
    REDUCING,
    certified_range,
    coupling_columns,
    range_columns,
    reduced_columns,
    reduced_size,
    strongest_coupling,
)

if TYPE_CHECKING:
    from ..systems.arm_system import ArmSystem
    from .design_numbers import Designed
    from .evaluator import DesignEvaluator

Array = NDArray[np.float64]
Columns = tuple[tuple[str, str], ...]
"""Names and units of the columns of an output."""


@dataclass(frozen=True)
class Output:
    """One quantity, or one for each joint: ``kind`` is a word of ``OUTPUTS``, or "own" with a ``function``.

    ``joints`` are those that are asked for (of "peak_motor_torque" the motors), all by default; ``name`` stands before
    the names of its columns, the kind by default. ``options`` are those of the kind: a ``coefficient`` of "range", a
    ``pose`` and the ``stiffness`` of servos (N m/rad) of "natural_frequency", the ``tolerance`` of "reduced_model" and
    "model_error", with the ``box``, ``speed``, ``acceleration`` and ``effort`` that its proof is for.
    ``function(system)`` of one's own gives a number, or a table of numbers by name.
    """

    kind: str
    name: str = ""
    joints: Sequence[str] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    function: Callable[[Any], Any] | None = None
    columns_of_function: Sequence[str] = ()

    def __post_init__(self) -> None:
        for words in ("joints", "columns_of_function"):
            value = getattr(self, words)
            object.__setattr__(self, words, (value,) if isinstance(value, str) else tuple(value))
        if (self.kind == "own") != (self.function is not None):
            raise ArmError('an output of one\'s own has kind "own" and a function of the system; give both')
        if self.kind != "own" and self.kind not in OUTPUTS:
            raise ArmError(f"no output {self.kind!r:.60}; there are {listed(OUTPUTS)}, and own")
        known_options = () if self.kind == "own" else OUTPUTS[self.kind].options
        unknown = [key for key in self.options if key not in known_options]
        if unknown:
            remedy = f"it has {listed(known_options)}" if known_options else "it has none"
            raise ArmError(f"output {self.kind!r} has no option {unknown[0]!r:.60}; {remedy}")
        if not self.name:
            object.__setattr__(self, "name", self.kind)

    @property
    def batched(self) -> bool:
        """Whether designs are taken in batches by a kernel."""
        return self.kind != "own" and OUTPUTS[self.kind].batch is not None

    def columns(self, system: ArmSystem) -> Columns:
        """Its columns for this system."""
        if self.kind == "own":
            return tuple((f"{self.name}.{x}" if x else self.name, "") for x in self.columns_of_function or ("",))
        return tuple((f"{self.name}{tail}", unit_text) for tail, unit_text in OUTPUTS[self.kind].columns(self, system))

    def rows(self, system: Designed) -> list[int]:
        """Indices of its joints, or motors."""
        if self.joints and not (self.kind != "own" and OUTPUTS[self.kind].by_joint):
            raise ArmError(f"output {self.name!r} is not of single joints; leave joints out")
        if self.kind != "own" and OUTPUTS[self.kind].of_motors:
            refuse_without_motors(system)
            known = motor_names(system)
            for motor in self.joints:
                if motor not in known:
                    raise ArmError(f"output {self.name!r}: there is no motor {motor!r:.60}; there are {listed(known)}")
            return [known.index(motor) for motor in self.joints or known]
        for joint in self.joints:
            if joint not in system.joint_names:
                raise ArmError(f"output {self.name!r}: no joint {joint!r:.60} moves; {listed(system.joint_names)} do")
        return [system.joint_names.index(joint) for joint in self.joints or system.joint_names]


@dataclass(frozen=True)
class OutputKind:
    """How an output is worked out: ``batch(evaluator, values)`` of many designs, or ``single(output, system)``."""

    columns: Callable[[Output, ArmSystem], Columns]
    batch: Callable[[Output, DesignEvaluator, Array], Array] | None = None
    single: Callable[[Output, ArmSystem], Sequence[float]] | None = None
    options: tuple[str, ...] = ()
    needs_motion: bool = False
    by_joint: bool = False
    """Whether it is of each joint, or of those that are named."""
    of_motors: bool = False
    """Whether it is of motors, and its joints are names of these."""
    reduces: bool = True
    """Whether all that it asks along a motion is left of it by ``DesignEvaluator.reduced``."""


def _joint_columns(quantity: str) -> Callable[[Output, ArmSystem], Columns]:
    def columns(output: Output, system: ArmSystem) -> Columns:
        joints = [system.moving[k] for k in output.rows(system)]
        return tuple((f".{joint.name}", unit(joint, quantity).replace("²", "^2")) for joint in joints)

    return columns


def _single_column(unit_text: str) -> Callable[[Output, ArmSystem], Columns]:
    return lambda output, system: (("", unit_text),)


# -- along a motion ---------------------------------------------------------------------------------


def _peak_torque(output: Output, study: DesignEvaluator, values: Array) -> Array:
    """max over the motion of |tau_j|."""
    return study.reduced("inverse_dynamics", "peak", values)[:, output.rows(study.system)]


def _rms_torque(output: Output, study: DesignEvaluator, values: Array) -> Array:
    """The root of the mean of tau_j^2 over the time of the motion."""
    return np.sqrt(study.reduced("inverse_dynamics", "square", values)[:, output.rows(study.system)])


def motor_names(system: Designed) -> tuple[str, ...]:
    """Names of the motors of an arm with drives, or of a mechanism with motors."""
    return tuple(system.motor_names if isinstance(system, DrivenMechanism) else system.drives.names)


def _motor_columns(output: Output, system: Designed) -> Columns:
    units = system.motor_units if isinstance(system, DrivenMechanism) else motor_units(system)
    names = motor_names(system)
    return tuple((f".{names[row]}", units[row]) for row in output.rows(system))


def _peak_motor_torque(output: Output, study: DesignEvaluator, values: Array) -> Array:
    """max over the motion of the torque at each motor (Szkodny 1995, eq. 13)."""
    return study.reduced("motor_torques", "peak", values)[:, output.rows(study.system)]


def _energy(output: Output, study: DesignEvaluator, values: Array) -> Array:
    """Work of the drives along the motion, none of it given back: the integral of sum_j max(tau_j qd_j, 0) dt."""
    power = study.reduced("inverse_dynamics", "work", values)[:, output.rows(study.system)]
    return (power.sum(axis=1) * study.duration)[:, None]


def _peak_gravity(output: Output, study: DesignEvaluator, values: Array) -> Array:
    """max over the poses of the motion of |G_j|."""
    return study.reduced("gravity_load", "peak", values, 1)[:, output.rows(study.system)]


def _peak_inertia(output: Output, study: DesignEvaluator, values: Array) -> Array:
    """max over the poses of the motion of D_jj, rotors included where the drives count."""
    n = study.system.n
    return study.reduced("mass_matrix", "largest", values, 1)[:, [n * k + k for k in output.rows(study.system)]]


def _peak_coupling(output: Output, study: DesignEvaluator, values: Array) -> Array:
    """max over the poses of the motion and all pairs, |D_ij| / sqrt(D_ii D_jj) (Tourassis and Neuman 1985, eq. 32)."""
    mass = study.along("mass_matrix", values, 1)[0]
    radii = np.sqrt(np.einsum("btii->bti", mass))
    k = np.abs(mass) / (radii[..., :, None] * radii[..., None, :])
    k[..., range(study.system.n), range(study.system.n)] = 0.0
    return k.max(axis=(1, 2, 3))[:, None]


def _model_error(output: Output, study: DesignEvaluator, values: Array) -> Array:
    """max over the motion of |tau_j - tau_j of the model|, which was reduced for the present numbers."""
    model = study.model_torques(output)
    return peak(study.torques(values) - model, study.motion)[:, output.rows(study.system)]


# -- at a pose ---------------------------------------------------------------------------------------


def _frequency_columns(output: Output, system: ArmSystem) -> Columns:
    for key in ("pose", "stiffness"):
        numbers = np.array(output.options.get(key, 0.0), dtype=float)
        if numbers.shape not in ((), (system.n,)) or not np.isfinite(numbers).all():
            raise ArmError(f"output {output.name!r}: {key} is one number, or one for each of {system.n} joints")
    return (".lowest", "Hz"), (".highest", "Hz")


def _natural_frequency(output: Output, study: DesignEvaluator, values: Array) -> Array:
    """Lowest and highest natural frequency at a pose: K v = omega^2 D v, K = dG/dq with springs and servos (Hz)."""
    n = study.system.n
    pose, stiffness = (
        np.broadcast_to(np.array(output.options.get(key, 0.0), dtype=float), (n,)) for key in ("pose", "stiffness")
    )
    zero = np.zeros((1, n))
    to_q, _, mass = study.at("inverse_dynamics_derivatives", pose[None], zero, zero, values=values)
    spring = (to_q + np.swapaxes(to_q, -1, -2)) / 2 + np.diag(stiffness)
    factor = np.linalg.inv(np.linalg.cholesky(mass))
    ends = np.linalg.eigvalsh(factor @ spring @ np.swapaxes(factor, -1, -2))[:, [0, -1]]
    # What nothing holds, as a turn about the vertical, has the frequency zero, and a square of any sign by rounding.
    size = np.linalg.norm(factor, axis=(1, 2)) ** 2 * np.linalg.norm(spring, axis=(1, 2))
    ends = np.where(np.abs(ends) <= n * np.finfo(float).eps * size[:, None], 0.0, ends)
    # A negative square is a pose that falls over: it has no frequency there.
    return np.where(ends >= 0, np.sqrt(np.abs(ends)), np.nan) / (2 * np.pi)


OUTPUTS: dict[str, OutputKind] = {
    "peak_torque": OutputKind(_joint_columns("effort"), _peak_torque, needs_motion=True, by_joint=True),
    "rms_torque": OutputKind(_joint_columns("effort"), _rms_torque, needs_motion=True, by_joint=True),
    "peak_motor_torque": OutputKind(
        _motor_columns, _peak_motor_torque, needs_motion=True, by_joint=True, of_motors=True
    ),
    "energy": OutputKind(_single_column("J"), _energy, needs_motion=True, by_joint=True),
    "peak_gravity": OutputKind(_joint_columns("effort"), _peak_gravity, needs_motion=True, by_joint=True),
    "peak_inertia": OutputKind(_joint_columns("inertia"), _peak_inertia, needs_motion=True, by_joint=True),
    "peak_coupling": OutputKind(_single_column("1"), _peak_coupling, needs_motion=True, reduces=False),
    "cycle_time": OutputKind(cycle_columns, cycle_time, needs_motion=True),
    "natural_frequency": OutputKind(_frequency_columns, _natural_frequency, options=("pose", "stiffness")),
    "model_error": OutputKind(
        _joint_columns("effort"), _model_error, options=REDUCING, needs_motion=True, reduces=False, by_joint=True
    ),
    "range": OutputKind(range_columns, single=certified_range, options=("coefficient", "box")),
    "coupling": OutputKind(coupling_columns, single=strongest_coupling, options=("box", "effort")),
    "reduced_model": OutputKind(reduced_columns, single=reduced_size, options=REDUCING),
}
"""The outputs by name."""

"""The curves of a motion: positions, velocities, inputs, torques by cause, currents, energies, tracking error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..drives.motors import Electric
from ..simulation.motion import ENERGIES
from ..systems.driven import MotorSystem
from ..systems.protocol import System
from .motion_run import MotionRun

Array = NDArray[np.float64]
PARTS = ("inertia", "centrifugal", "coriolis", "gravity", "friction", "elastic")


@dataclass(frozen=True)
class MotionCurves:
    """Columns over the times of a motion, each with its name; ``unit`` is that of all, as the axis has it."""

    title: str
    unit: str
    names: tuple[str, ...]
    values: Array

    @property
    def heading(self) -> str:
        """Title and unit."""
        return f"{self.title} [{self.unit}]"


def listed_units(units: Sequence[str]) -> str:
    """Each unit once."""
    return ", ".join(dict.fromkeys(units))


def positions(run: MotionRun, joint: int) -> MotionCurves:
    """q."""
    motion = run.motion
    return MotionCurves("position", listed_units(motion.joint_units), motion.joint_names, motion.q)


def velocities(run: MotionRun, joint: int) -> MotionCurves:
    """qd."""
    motion = run.motion
    return MotionCurves("velocity", listed_units([f"{u}/s" for u in motion.joint_units]), motion.joint_names, motion.qd)


def inputs(run: MotionRun, joint: int) -> MotionCurves:
    """What drives it: torques of joints or motors."""
    motion = run.motion
    return MotionCurves("input: torque or force", listed_units(motion.input_units), motion.input_names, motion.u)


def torque_by_cause(run: MotionRun, joint: int) -> MotionCurves:
    """The torque that the motion needs at one joint, by what causes it, and what was recorded there."""
    motion = run.motion
    torques = np.concatenate([_causes(system, run, samples)[:, :, joint] for samples, system in run.stretches()])
    names, columns = [*PARTS, "total"], [*torques.T, torques.sum(axis=1)]
    if run.recorded is not None:
        names.append("recorded")
        columns.append(run.recorded[:, joint])
    nonzero = [k for k, column in enumerate(columns) if k >= len(PARTS) or np.any(column)]
    unit = "N m" if motion.joint_units[joint] == "rad" else "N"
    title = f"torque of {motion.joint_names[joint]} by cause"
    return MotionCurves(title, unit, tuple(names[k] for k in nonzero), np.array([columns[k] for k in nonzero]).T)


def _causes(system: System, run: MotionRun, samples: slice) -> Array:
    """(samples, causes, joints)."""
    state = (run.motion.q[samples], run.motion.qd[samples], run.qdd[samples])
    split = getattr(system, "parts", None)
    if split is None:
        raise ArmError("torques by cause are told of arms; of a mechanism the panel of its pose tells them")
    parts = split(*state)
    return np.stack([np.asarray(getattr(parts, name)) for name in PARTS], axis=1)


def currents(run: MotionRun, joint: int) -> MotionCurves:
    """Of each motor: as simulated, or torque over torque constant."""
    motion = run.motion
    if "current" in motion.others:
        return MotionCurves("current", "A", motion.other_names, motion.others["current"])
    system = run.systems[0][1]
    if not isinstance(system, MotorSystem) or not getattr(system, "counts_drives", True):
        raise ArmError("currents belong to motors: count the drives in the design first")
    if "motor_torque" in motion.others:
        names, torque = motion.other_names, motion.others["motor_torque"]
        return MotionCurves("current", "A", names, torque / Electric(system).torque_constant)
    pieces = [Electric(stretch_system).currents(motion.q[samples], motion.qd[samples], run.qdd[samples])  # type: ignore[arg-type]
              for samples, stretch_system in run.stretches()]  # fmt: skip
    return MotionCurves("current", "A", tuple(system.motor_names), np.concatenate(pieces))


def energies(run: MotionRun, joint: int) -> MotionCurves:
    """Kinetic and potential energy, work of the inputs, and what friction has taken."""
    values = np.array([getattr(run.motion, key) for key in ENERGIES]).T
    return MotionCurves("energy", "J", ENERGIES, values)


def tracking_error(run: MotionRun, joint: int) -> MotionCurves:
    """What is asked for less what is there."""
    motion = run.motion
    if run.reference is None:
        raise ArmError("nothing was asked for, so there is no tracking error: simulate with a controller")
    unit = listed_units(motion.joint_units)
    return MotionCurves("tracking error", unit, motion.joint_names, run.reference - motion.q)


CURVES: dict[str, Callable[[MotionRun, int], MotionCurves]] = {
    "position": positions,
    "velocity": velocities,
    "torque": inputs,
    "torque by cause": torque_by_cause,
    "current": currents,
    "energy": energies,
    "tracking error": tracking_error,
}
"""What can be drawn under the picture, by its name; the joint counts for torques by cause alone."""

"""The motion of a system: in machine code where the question allows it, with events in Python otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from numpy.typing import ArrayLike

from ..arm.errors import ArmError
from ..mechanisms.mechanism_system import MechanismSystem
from ..simulation.inputs import Control
from ..simulation.loads import LoadChange
from ..simulation.motion import Motion
from ..simulation.plant import MotorPlant, Plant, plant_of
from ..simulation.settings import SimulationSettings
from ..simulation.simulate import simulate
from ..systems.arm_system import ArmSystem
from ..systems.driven import MotorSystem
from ..systems.protocol import System
from ..systems.time_span import MOST_EVALUATIONS
from . import compiled_loop, mechanism_loop


def simulate_system(
    system: System,
    control: Control,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    duration: float = 1.0,
    *,
    input: str | None = None,
    currents: ArrayLike | None = None,
    times: ArrayLike | None = None,
    samples: int | None = None,
    start: float = 0.0,
    method: str = "auto",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    max_step: float | None = None,
    stops: bool = False,
    restitution: float = 0.0,
    changes: Sequence[LoadChange] = (),
    period: float | None = None,
    saturate: bool | None = None,
    most_evaluations: int = MOST_EVALUATIONS,
    progress: bool = False,
    compiled: bool | None = None,
    tell: Callable[[float], object] | None = None,
) -> Motion:
    """See ``Arm.simulate``."""
    settings = SimulationSettings(
        times, samples, start, method, rtol, atol, max_step, stops, restitution, changes, period, saturate,
        most_evaluations, progress, tell,
    )  # fmt: skip
    if not system.n:
        raise ArmError(f"{system.name}: no joint moves, so that there is nothing to simulate; free one")
    plant = plant_of(system, input, currents)
    _refuse_other_input(plant, getattr(control, "model", None))
    motion, reason = None, ""
    if compiled is not False:
        motion, reason = _in_machine_code(system, plant, control, q, qd, duration, settings)
    if motion is not None:
        return motion
    if compiled:
        raise ArmError(f"this simulation cannot run in machine code: {reason}")
    return simulate(plant, control, q, qd, duration, settings)


def _refuse_other_input(plant: Plant, model: object) -> None:
    """Refuse a controller whose model gives torques at the motors where the input is at the joints, or the reverse."""
    if isinstance(model, MotorSystem) and plant.input_names != model.motor_names:
        raise ArmError(
            f"the model of the controller, {getattr(model, 'name', '')} with its drives, gives motor torques, and the "
            "input here is joint torques; simulate the arm with its drives, or give the controller model.arm"
        )
    if isinstance(plant, MotorPlant) and getattr(model, "counts_drives", False) and not isinstance(model, MotorSystem):
        raise ArmError(
            f"the model of the controller, {getattr(model, 'name', 'a program')}, gives joint torques, and the input "
            'here is at the motors; simulate with input="joint torque"'
        )


def _in_machine_code(
    system: System, plant: Plant, control: Control, q: ArrayLike, qd: ArrayLike | None, duration: float,
    settings: SimulationSettings,
) -> tuple[Motion | None, str]:  # fmt: skip
    """The motion by a compiled loop, or None and why there is none."""
    in_python = settings.stops or settings.changes or settings.saturate or settings.period is not None
    if in_python or settings.max_step is not None or settings.method not in ("auto", "DOP853"):
        return None, "these options are served in Python: stops, loads, samples, limits, other methods"
    if not isinstance(system, ArmSystem | MechanismSystem) or plant.input_names != system.joint_names:
        return None, "only joint torques on an exact arm, or loads at the coordinates of a mechanism, are compiled"
    if isinstance(system, MechanismSystem):
        reason = mechanism_loop.serves(system, control)
        motion = None if reason else mechanism_loop.run(system, control, q, qd, duration, settings)
        return motion, reason or "there is no C compiler, it is too stiff, or it leaves the mode it starts in"
    reason = compiled_loop.serves(system, control)
    motion = None if reason else compiled_loop.run(system, control, q, qd, duration, settings)
    return motion, reason or "there is no C compiler, or it is too stiff"

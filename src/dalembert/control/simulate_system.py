"""The motion of a system: in machine code where the question allows it, with events in Python otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from ..arm.errors import ArmError
from ..simulation.inputs import Control
from ..simulation.loads import LoadChange
from ..simulation.motion import Motion
from ..simulation.plant import plant_of
from ..simulation.simulate import simulate
from ..systems.arm_system import ArmSystem
from ..systems.driven import DrivenSystem
from ..systems.protocol import System
from .compiled_loop import run, serves


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
    samples: int = 501,
    start: float = 0.0,
    method: str = "DOP853",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    max_step: float | None = None,
    stops: bool = False,
    restitution: float = 0.0,
    changes: Sequence[LoadChange] = (),
    period: float | None = None,
    progress: bool = False,
    compiled: bool | None = None,
) -> Motion:
    """See ``Arm.simulate``."""
    plant = plant_of(system, input, currents)
    model = getattr(control, "model", None)
    if isinstance(model, DrivenSystem) and plant.input_names != model.motor_names:
        raise ArmError(
            f"the model of the controller, {model.name} with its drives, gives motor torques, and the input here is "
            "joint torques; simulate the arm with its drives, or give the controller model.arm"
        )
    if compiled is not False:
        plain = not stops and not changes and period is None and max_step is None and method == "DOP853"
        if not plain:
            reason = "these options need events"
        elif not isinstance(system, ArmSystem) or plant.input_names != system.joint_names:
            reason = "only joint torques on an exact arm are compiled"
        else:
            reason = serves(system, control)
            if not reason:
                motion = run(system, control, q, qd, duration, times, samples, start, rtol, atol)
                if motion is not None:
                    return motion
                reason = "there is no C compiler"
        if compiled:
            raise ArmError(f"this simulation cannot run in machine code: {reason}")
    return simulate(
        plant, control, q, qd, duration, times=times, samples=samples, start=start, method=method, rtol=rtol, atol=atol,
        max_step=max_step, stops=stops, restitution=restitution, changes=changes, period=period, progress=progress,
    )  # fmt: skip

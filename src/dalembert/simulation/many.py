"""Many arms at once, fixed step: classical Runge-Kutta of order four over a batch of states or of parameters.

In machine code a vector of arms runs through all its steps before the next vector starts, so its state never
leaves the registers and the first-level cache. Without a compiler the same steps run over NumPy arrays.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.array_input import common_shape
from ..arm.errors import ArmError, SimulationInterrupt
from ..compile.functions import function
from ..compile.kernel import Kernel
from ..systems.arm_system import ArmSystem
from ..systems.arrays import vector_array
from ..systems.time_span import MOST_NUMBERS, fixed_steps
from .native import many_library

Array = NDArray[np.float64]

SLICE = 1_000_000
"""Steps of one arm between two looks at whether the run has been interrupted."""


@dataclass(frozen=True)
class Many:
    """States of many arms: ``t`` (times,), ``q`` and ``qd`` (times, arms, n); ``steps`` in all."""

    name: str
    t: Array
    q: Array
    qd: Array
    joint_names: tuple[str, ...]
    steps: int
    compiled: bool

    @property
    def diverged(self) -> NDArray[np.bool_]:
        """Arms whose last state is not finite."""
        return ~(np.isfinite(self.q[-1]).all(axis=-1) & np.isfinite(self.qd[-1]).all(axis=-1))


def simulate_many(
    arm: ArmSystem, torque: ArrayLike, q: ArrayLike, qd: ArrayLike | None, duration: float, step: float = 1e-3,
    every: int | None = None, parameters: ArrayLike | None = None, compiled: bool = True,
) -> Many:  # fmt: skip
    """See ``Arm.simulate_many``."""
    n = arm.n
    if arm.contacts:
        raise ArmError(
            f"{arm.name}: many arms at once run without events, which the Coulomb friction of its drives needs; take "
            "it off with frictionless(), or simulate one by one"
        )
    stride, frames = fixed_steps(duration, step, every)
    position, push = vector_array(n, "q", q), vector_array(n, "torque", torque)
    speed = np.zeros(n) if qd is None else vector_array(n, "qd", qd)
    named = [("q", position), ("qd", speed), ("torque", push)]
    parameter_rows: Array | None = None
    if parameters is None:
        batch = common_shape(named)
    else:
        size = len(arm.parameters)  # ten a body, and of joints that follow others there are more than coordinates
        parameter_rows = vector_array(size, "parameters", parameters, "parameter")
        batch = common_shape([*named, ("parameters", parameter_rows)])
        parameter_rows = np.ascontiguousarray(np.broadcast_to(parameter_rows, (*batch, size)).reshape(-1, size))
    if len(batch) > 1:
        raise ArmError(f"the arms stand along one axis; got a batch of shape {batch}")
    arms = batch[0] if batch else 1
    start, rate, drive = (np.ascontiguousarray(np.broadcast_to(x, (arms, n))) for x in (position, speed, push))
    if frames * arms * n > MOST_NUMBERS:
        raise ArmError(f"{frames} states of {arms} arms are more than can be kept; keep fewer with every")
    saved_q, saved_qd = np.empty((frames + 1, arms, n)), np.empty((frames + 1, arms, n))
    saved_q[0], saved_qd[0] = start, rate
    library = many_library(arm, parameter_rows is not None) if compiled else None
    run = partial(_native, library) if library is not None else partial(_in_numpy, arm)
    finished = 0
    try:
        for frame in run(saved_q, saved_qd, drive, parameter_rows, step, stride, frames):
            finished = frame
    except KeyboardInterrupt:
        message = f"interrupted at t = {step * stride * finished:.6g} s"
        raise SimulationInterrupt(
            message, _many(arm, saved_q, saved_qd, step * stride, finished, stride, library)
        ) from None
    return _many(arm, saved_q, saved_qd, step * stride, frames, stride, library)


def _many(arm: ArmSystem, q: Array, qd: Array, every: float, frames: int, stride: int, library: Any) -> Many:
    """The first ``frames`` of the kept states, ``every`` so many seconds."""
    t: Array = every * np.arange(frames + 1, dtype=np.float64)
    steps = q.shape[1] * stride * frames
    return Many(arm.name, t, q[: frames + 1], qd[: frames + 1], arm.joint_names, steps, library is not None)


def _native(
    library: Any, q: Array, qd: Array, torque: Array, parameters: Array | None, step: float, stride: int, frames: int
) -> Iterator[int]:
    """Runs the compiled loop, and gives the frames that are done now and then, so that it can be interrupted."""

    def pointer(array: Array | None) -> Any:
        return None if array is None else array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))

    def advance(position: Array, speed: Array, steps: int, count: int) -> None:
        library.many(
            pointer(position), pointer(speed), pointer(torque), pointer(parameters), ctypes.c_double(step),
            ctypes.c_long(steps), ctypes.c_long(count), ctypes.c_long(q.shape[1]),
        )  # fmt: skip

    budget = max(1, SLICE // q.shape[1])
    if stride <= budget:
        for first in range(0, frames, budget // stride):
            count = min(budget // stride, frames - first)
            advance(q[first:], qd[first:], stride, count)
            yield first + count
        return
    for frame in range(frames):
        position, speed = np.stack([q[frame]] * 2), np.stack([qd[frame]] * 2)
        for first in range(0, stride, budget):
            advance(position, speed, min(budget, stride - first), 1)
            position[0], speed[0] = position[1], speed[1]
            yield frame
        q[frame + 1], qd[frame + 1] = position[1], speed[1]
        yield frame + 1


def _in_numpy(
    arm: ArmSystem, q: Array, qd: Array, torque: Array, parameters: Array | None, step: float, stride: int, frames: int
) -> Iterator[int]:
    """The classical Runge-Kutta method over arrays; gives the number of each frame as it is kept."""
    forward: Any = arm.forward_dynamics
    if parameters is not None:
        kernel = Kernel(function(arm, "forward_dynamics", "inertial"))

        def forward(q: Array, qd: Array, tau: Array) -> Array:
            return kernel(q, qd, tau, parameters)

    x, v = q[0].copy(), qd[0].copy()
    half = step / 2
    with np.errstate(all="ignore"):
        for frame in range(1, frames + 1):
            for _ in range(stride):
                a1 = forward(x, v, torque)
                v2 = v + half * a1
                a2 = forward(x + half * v, v2, torque)
                v3 = v + half * a2
                a3 = forward(x + half * v2, v3, torque)
                v4 = v + step * a3
                a4 = forward(x + step * v3, v4, torque)
                x = x + step / 6 * (v + 2 * v2 + 2 * v3 + v4)
                v = v + step / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
            q[frame], qd[frame] = x, v
            yield frame

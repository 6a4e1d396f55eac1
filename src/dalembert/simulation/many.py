"""Many arms at once, fixed step: classical Runge-Kutta of order four over a batch of states or of parameters.

In machine code a vector of arms runs through all its steps before the next vector starts, so its state never
leaves the registers and the first-level cache. Without a compiler the same steps run over NumPy arrays.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError
from ..compile.functions import function
from ..compile.kernel import Kernel
from ..systems.arm_system import ArmSystem
from ..systems.arrays import vector_array
from .native import many_library

Array = NDArray[np.float64]


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
    if not step > 0 or not duration >= step:
        raise ArmError(f"step {step:g} s and duration {duration:g} s: the step must be above zero and fit in")
    count = round(duration / step)
    if abs(count * step - duration) > 1e-9 * duration:
        raise ArmError(f"{duration:g} s is no whole number of steps of {step:g} s; change one of them")
    place, push = vector_array(n, "q", q), vector_array(n, "torque", torque)
    speed = np.zeros(n) if qd is None else vector_array(n, "qd", qd)
    batch = np.broadcast_shapes(place.shape[:-1], push.shape[:-1], speed.shape[:-1])
    own: Array | None = None
    if parameters is not None:
        own = vector_array(10 * n, "parameters", parameters, "parameter")
        batch = np.broadcast_shapes(batch, own.shape[:-1])
        own = np.ascontiguousarray(np.broadcast_to(own, (*batch, 10 * n)).reshape(-1, 10 * n))
    if len(batch) > 1:
        raise ArmError(f"the arms stand along one axis; got a batch of shape {batch}")
    arms = batch[0] if batch else 1
    start, rate, drive = (np.ascontiguousarray(np.broadcast_to(x, (arms, n))) for x in (place, speed, push))
    keep = count if every is None else every
    if not 1 <= keep <= count:
        raise ArmError(f"every {keep} steps of {count} cannot be kept; give a number between 1 and {count}")
    frames = count // keep
    found_q, found_qd = np.empty((frames + 1, arms, n)), np.empty((frames + 1, arms, n))
    found_q[0], found_qd[0] = start, rate
    library = many_library(arm, own is not None) if compiled else None
    if library is not None:
        _native(library, found_q, found_qd, drive, own, step, keep, frames)
    else:
        _in_numpy(arm, found_q, found_qd, drive, own, step, keep, frames)
    t: Array = step * keep * np.arange(frames + 1, dtype=np.float64)
    return Many(arm.name, t, found_q, found_qd, arm.joint_names, arms * keep * frames, library is not None)


def _native(
    library: Any, q: Array, qd: Array, torque: Array, parameters: Array | None, step: float, keep: int, frames: int
) -> None:
    def pointer(array: Array | None) -> Any:
        return None if array is None else array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))

    library.many(
        pointer(q), pointer(qd), pointer(torque), pointer(parameters), ctypes.c_double(step), ctypes.c_long(keep),
        ctypes.c_long(frames), ctypes.c_long(q.shape[1]),
    )  # fmt: skip


def _in_numpy(
    arm: ArmSystem, q: Array, qd: Array, torque: Array, parameters: Array | None, step: float, keep: int, frames: int
) -> None:
    forward: Any = arm.forward_dynamics
    if parameters is not None:
        kernel = Kernel(function(arm, "forward_dynamics", "inertial"))

        def forward(q: Array, qd: Array, tau: Array) -> Array:
            return kernel(q, qd, tau, parameters)

    x, v = q[0].copy(), qd[0].copy()
    half = step / 2
    with np.errstate(all="ignore"):
        for frame in range(1, frames + 1):
            for _ in range(keep):
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

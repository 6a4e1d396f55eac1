"""What is wrong with a log, before anything is fitted to it: each fault named, with what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import signal

from ..arm.errors import ArmError
from ..systems.arm_system import ArmSystem
from .log import Array, Log

if TYPE_CHECKING:
    from .result import Identification

STILL = 0.02
"""Travel (rad, m) below which a joint has hardly moved."""
ALIKE = 0.9
"""Correlation from which one signal is taken for another."""
CLIPPED = 0.002
"""Share of samples at the very largest effort, in runs, from which it was cut off."""
RUN = 5


def check_log(arm: ArmSystem, log: Log) -> list[str]:
    """Sentences about what is doubtful; ArmError for what cannot be used."""
    if log.n != arm.n:
        raise ArmError(f"{log.name}: the log has {log.n} joints and {arm.name} has {arm.n}; name the columns to use")
    _refuse_degrees(arm, log)
    if log.qd is not None:
        _refuse_other_speeds(arm, log)
    found = []
    if len(log.stretches) > 1:
        found.append(f"{log.name}: the clock jumps {len(log.stretches) - 1} times; nothing is filtered across a gap")
    travel = np.ptp(log.q, axis=0)
    for joint, name in enumerate(arm.joint_names):
        if travel[joint] < STILL:
            unit = "rad" if arm.moving[joint].kind == "revolute" else "m"
            found.append(
                f"{log.name}: joint {name!r} moves by {travel[joint]:.2g} {unit} only, which tells nothing of its "
                "friction and inertia; move it through most of its range"
            )
        limit = _clipped(log.effort[:, joint])
        if limit is not None:
            found.append(
                f"{log.name}: the effort of joint {name!r} stands at {limit:.4g} for whole stretches, so it was cut "
                "off there; leave those rows out, or move more slowly"
            )
    return found


def check_fit(found: Identification) -> list[str]:
    """Sentences about what a fit shows to be doubtful about its logs."""
    return []


def _refuse_degrees(arm: ArmSystem, log: Log) -> None:
    for joint, name in enumerate(arm.joint_names):
        if arm.moving[joint].kind != "revolute":
            continue
        low, high = float(arm.lower[joint]), float(arm.upper[joint])
        room = max(abs(low), abs(high), np.pi) if np.isfinite(low) and np.isfinite(high) else 4 * np.pi
        largest = float(np.abs(log.q[:, joint]).max())
        if largest > 2 * room and np.radians(largest) <= 1.05 * room:
            raise ArmError(
                f"{log.name}: joint {name!r} goes to {largest:.4g}, beyond its limits, and would be within them in "
                "degrees; give positions in rad (numpy.radians)"
            )


def _refuse_other_speeds(arm: ArmSystem, log: Log) -> None:
    """Measured speeds have to be the slopes of the positions, joint by joint."""
    assert log.qd is not None
    part = max(log.stretches, key=lambda each: each.stop - each.start)
    if part.stop - part.start < 64:
        return
    filter_ = signal.butter(2, 0.1, output="sos")
    slope = signal.sosfiltfilt(filter_, np.gradient(log.q[part], log.t[part], axis=0), axis=0)
    speed = signal.sosfiltfilt(filter_, log.qd[part], axis=0)
    moving = [j for j in range(arm.n) if np.ptp(log.q[part][:, j]) > STILL and speed[:, j].std() > 0]
    for j in moving:
        own = _correlation(slope[:, j], speed[:, j])
        factor = float(speed[:, j] @ slope[:, j] / (slope[:, j] @ slope[:, j]))
        name = arm.joint_names[j]
        if own < ALIKE:
            for k in moving:
                if k != j and abs(_correlation(slope[:, k], speed[:, j])) > ALIKE:
                    raise ArmError(
                        f"{log.name}: the velocity of joint {name!r} is the slope of the position of joint "
                        f"{arm.joint_names[k]!r}; the columns of the joints are exchanged"
                    )
            if own < -ALIKE:
                raise ArmError(f"{log.name}: the velocity of joint {name!r} is opposite to the slope of its position")
            raise ArmError(
                f"{log.name}: the velocity of joint {name!r} is not the slope of its position (correlation {own:.2f}); "
                "check the columns, or leave qd out"
            )
        if not 0.8 < factor < 1.25:
            degrees = " (degrees?)" if abs(factor - 180 / np.pi) < 12 or abs(factor - np.pi / 180) < 0.004 else ""
            raise ArmError(
                f"{log.name}: the velocity of joint {name!r} is {factor:.3g} times the slope of its position{degrees}; "
                "give both in the same units, or leave qd out"
            )


def _correlation(a: Array, b: Array) -> float:
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size else 0.0


def _clipped(effort: Array) -> float | None:
    """The value at which an effort was cut off, or None."""
    for limit in (effort.max(), effort.min()):
        at = (effort == limit).astype(int)
        if limit == 0 or at.sum() < max(CLIPPED * len(effort), 2 * RUN):
            continue
        edges = np.flatnonzero(np.diff(np.concatenate([[0], at, [0]])))
        if (edges[1::2] - edges[::2]).max() >= RUN and np.ptp(effort) > 0:
            return float(limit)
    return None

"""What is wrong with a log, before anything is fitted to it: each fault named, with what to do."""

from __future__ import annotations

from collections.abc import Sequence
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
UNEXPLAINED, SURELY = 0.35, 5.0
"""Share of an effort that is too much to be left, and standard errors from which friction is surely negative."""


def check_log(arm: ArmSystem, log: Log) -> list[str]:
    """Sentences about what is doubtful; ArmError for what cannot be used."""
    if log.n != arm.n:
        raise ArmError(f"{log.name}: the log has {log.n} joints and {arm.name} has {arm.n}; name the columns to use")
    _refuse_degrees(arm, log)
    if log.qd is not None:
        _refuse_other_speeds(arm, log)
    sentences = []
    if len(log.stretches) > 1:
        longest = max(log.t[part.start] - log.t[part.start - 1] for part in log.stretches[1:])
        sentences.append(
            f"{log.name}: the clock jumps {len(log.stretches) - 1} times, by {longest:.3g} s at most; nothing is "
            "filtered across a gap that is long beside the motion"
        )
    if len(log.steps) > 1:
        listed = ", ".join(f"{1 / step:.4g} Hz from {start:.4g} s" for step, start in log.steps[:4])
        sentences.append(
            f"{log.name}: the rate changes within the log ({listed}{', ...' * (len(log.steps) > 4)}); it is resampled "
            f"at {1 / log.step:.4g} Hz, and the slowest part bounds the cut-off; cut the log with rows() to keep more"
        )
    _refuse_milliseconds(log)
    travel = np.ptp(log.q, axis=0)
    for joint, name in enumerate(arm.joint_names):
        if travel[joint] < STILL:
            unit = "rad" if arm.moving[joint].kind == "revolute" else "m"
            sentences.append(
                f"{log.name}: joint {name!r} moves by {travel[joint]:.2g} {unit} only, which tells nothing of its "
                "friction and inertia; move it through most of its range"
            )
        limit = _clipped(log.effort[:, joint])
        if limit is not None:
            sentences.append(
                f"{log.name}: the effort of joint {name!r} stands at {limit:.4g} for whole stretches "
                f"({int((log.effort[:, joint] == limit).sum())} samples), so it was cut off there; leave those rows "
                "out, or move more slowly"
            )
    return sentences


def check_fit(identified: Identification, in_amperes: Sequence[str] = ()) -> list[str]:
    """Sentences about what a fit shows to be doubtful about its logs: efforts in other units, of other joints or signs.

    The description of the arm says roughly what the torques of the links are. Efforts that are many times those, that
    are opposite to them, or that go with those of another joint, were not measured as they were understood. Of logs
    ``in_amperes`` it is known that they hold currents.
    """
    arm, sentences = identified.described, []
    for log, known in zip(identified.logs, identified.known, strict=True):
        if not any(body.inertia for body in arm.bodies):
            break
        piece = log.beginning(20_000)
        measured = piece.reduced(piece.effort - known[: len(piece.t)])
        links = piece.evaluated(lambda q, qd, qdd: arm.regressor(q, qd, qdd) @ arm.parameters)
        links, measured = links[: len(measured)], measured[: len(links)]
        heavy = [j for j in range(arm.n) if np.abs(links[:, j]).max() > 0.02 * np.abs(links).max()]
        ratios = {
            j: float(links[:, j] @ measured[:, j] / (links[:, j] @ links[:, j]))
            for j in heavy
            if abs(_correlation(links[:, j], measured[:, j])) > ALIKE
        }
        sentences += _exchanged(identified, log.name, links, measured, heavy)
        for j, ratio in ratios.items():
            if ratio < 0:
                sentences.append(
                    f"{log.name}: the effort of joint {arm.joint_names[j]!r} is opposite to what its links ask for; "
                    "its sign is turned round, or its position is counted the other way"
                )
        size = float(np.median(np.abs(list(ratios.values())))) if ratios else 1.0
        if size > 50:
            sentences.append(
                f"{log.name}: the efforts are some {size:.3g} times what the description of {arm.name} asks for; are "
                "they in mA or N mm? Divide them by 1000, or give gains (N m/A)"
            )
        elif size < 1 / 8 and identified.gains is None and log.name not in in_amperes:
            sentences.append(
                f"{log.name}: the efforts are some {size:.3g} times what the description of {arm.name} asks for; are "
                "they currents, or torques of motors before their gears? Give gains (N m/A) of the drives"
            )
    return sentences + _unlikely(identified)


def _unlikely(identified: Identification) -> list[str]:
    """Friction that drives a joint, and efforts that no motion of the arm explains."""
    names, sentences = identified.described.joint_names, []
    for parameter in identified.parameters:
        term = parameter.name.rstrip("0123456789")
        if term in ("coulomb", "viscous") and parameter.value < -SURELY * parameter.error:
            name = names[int(parameter.name[len(term) :]) - 1]
            sentences.append(
                f"the {term} friction of joint {name!r} comes out negative ({parameter.value:.3g} {parameter.unit}), "
                "as if it drove the joint; the sign of its effort or of its position is turned round"
            )
    fit = identified.estimate.fit
    size = np.linalg.norm(fit.effort, axis=0)
    unexplained = np.linalg.norm(fit.residual, axis=0) / np.where(size > 0, size, 1.0)
    for joint in range(len(names)):
        share = float(unexplained[joint])
        if size[joint] == 0:
            sentences.append(f"the effort of joint {names[joint]!r} is zero all the time; is its column the right one?")
        elif share > UNEXPLAINED:
            sentences.append(
                f"{100 * share:.0f} percent of the effort of joint {names[joint]!r} go with no motion of this arm; "
                "columns of joints may be exchanged, the description may be of another arm, or something touched it"
            )
    return sentences


def _exchanged(identified: Identification, name: str, links: Array, measured: Array, heavy: list[int]) -> list[str]:
    """Joints whose effort goes with the torque of another joint and not with their own."""
    names, sentences = identified.described.joint_names, []
    for j in heavy:
        own_match = abs(_correlation(links[:, j], measured[:, j]))
        for k in heavy:
            other_match = abs(_correlation(links[:, k], measured[:, j]))
            if (
                k > j
                and own_match < 0.5 < ALIKE < other_match
                and abs(_correlation(links[:, j], measured[:, k])) > own_match
            ):
                sentences.append(
                    f"{name}: the effort of joint {names[j]!r} goes with what the links ask of joint {names[k]!r} "
                    f"(correlation {other_match:.2f}, {own_match:.2f} with its own); the columns of efforts look "
                    "exchanged"
                )
    return sentences


def _refuse_milliseconds(log: Log) -> None:
    if log.step > 0.4 and np.ptp(log.q, axis=0).max() > STILL:
        raise ArmError(
            f"{log.name}: the usual time between two samples is {log.step:.3g} s, too long for a motion; give times "
            "in s, not in ms or us"
        )


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
    part = max(log.stretches, key=lambda stretch: stretch.stop - stretch.start)
    if part.stop - part.start < 64:
        return
    filter_ = signal.butter(2, 0.1, output="sos")
    slope = signal.sosfiltfilt(filter_, np.gradient(log.q[part], log.t[part], axis=0), axis=0)
    speed = signal.sosfiltfilt(filter_, log.qd[part], axis=0)
    moving = [j for j in range(arm.n) if np.ptp(log.q[part][:, j]) > STILL and speed[:, j].std() > 0]
    for j in moving:
        correlation = _correlation(slope[:, j], speed[:, j])
        factor = float(speed[:, j] @ slope[:, j] / (slope[:, j] @ slope[:, j]))
        name = arm.joint_names[j]
        if correlation < ALIKE:
            for k in moving:
                if k != j and abs(_correlation(slope[:, k], speed[:, j])) > ALIKE:
                    raise ArmError(
                        f"{log.name}: the velocity of joint {name!r} is the slope of the position of joint "
                        f"{arm.joint_names[k]!r}; the columns of the joints are exchanged"
                    )
            if correlation < -ALIKE:
                raise ArmError(f"{log.name}: the velocity of joint {name!r} is opposite to the slope of its position")
            raise ArmError(
                f"{log.name}: the velocity of joint {name!r} is not the slope of its position (correlation "
                f"{correlation:.2f}); check the columns, or leave qd out"
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
        at_limit = (effort == limit).astype(int)
        if limit == 0 or at_limit.sum() < max(CLIPPED * len(effort), 2 * RUN):
            continue
        edges = np.flatnonzero(np.diff(np.concatenate([[0], at_limit, [0]])))
        if (edges[1::2] - edges[::2]).max() >= RUN and np.ptp(effort) > 0:
            return float(limit)
    return None

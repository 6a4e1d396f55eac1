"""Motions along which an arm is analysed: from a CSV file, a simulation, a trajectory, or arrays.

A file has one line of heads and one line for each moment. Its columns are ``t`` (or ``time``) and, for every joint,
``q_NAME`` (``q1``, ``q2``, ... by number do as well), and where they are known ``qd_NAME`` and ``qdd_NAME``. Units are
SI unless a head says otherwise in brackets, as in ``q_elbow [deg]``. What ``dalembert simulate --output`` saves is such
a file; other columns are passed over. Speeds or accelerations that are not given are derivatives of a quintic spline
through what is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from scipy.interpolate import make_interp_spline

from ..arm.array_input import real_array
from ..arm.description import ArmDescription, listed
from ..arm.errors import ArmError
from ..arm.io.expression import shown
from ..design.motion_samples import Array, MotionSamples, Moved, checked
from ..systems.protocol import SystemCoordinate
from .csv_table import Cell, CsvTable, clock_unit, name_and_unit

MotionSource: TypeAlias = Any
"""A file (str or Path), (q, qd, qdd) of shape (..., n) each, a simulated motion, a trajectory, or a MotionSamples."""

ORDERS = ("q", "qd", "qdd")
FEWEST = 6
"""Moments that a quintic spline needs."""
SAMPLES = 501
UNITS = {"rad": 1.0, "deg": math.pi / 180, "m": 1.0, "cm": 0.01, "mm": 0.001}
ANGLES = ("rad", "deg")


def motion_of(arm: ArmDescription, source: MotionSource) -> MotionSamples:
    """The samples of a motion in any of its forms."""
    if isinstance(source, MotionSamples):
        return checked(arm, source)
    if isinstance(source, str | Path):
        return read_motion(arm, Path(source))
    if hasattr(source, "acceleration") and hasattr(source, "duration"):
        t = np.linspace(0.0, float(source.duration), SAMPLES)
        states = (np.asarray(source.position(t)), np.asarray(source.velocity(t)), np.asarray(source.acceleration(t)))
        return checked(arm, MotionSamples("the trajectory", *states, t))
    if hasattr(source, "t") and hasattr(source, "qd"):
        t, q, qd = (real_array(name, x) for name, x in (("t", source.t), ("q", source.q), ("qd", source.qd)))
        # A record may note an event twice, before and after; only the state after it goes on.
        last_at_time = np.append(np.diff(t) > 0, True)
        return completed(
            arm, "the motion", t[last_at_time], {"q": q[last_at_time], "qd": qd[last_at_time]}, "the motion"
        )
    try:
        states = tuple(source)
        q, qd, qdd = (real_array(name, x) for name, x in zip(ORDERS, states, strict=True))
    except (TypeError, ValueError) as fault:
        if isinstance(fault, ArmError):
            raise
        raise ArmError(
            f"{arm.name}: a motion is a CSV file, (q, qd, qdd), a simulated motion or a trajectory, not {source!r:.80}"
        ) from None
    return checked(arm, MotionSamples("the motion", q, qd, qdd))


def completed(arm: Moved, name: str, t: Array, derivatives: dict[str, Array], where: str) -> MotionSamples:
    """Speeds and accelerations that are not given, from a quintic spline through the highest derivative that is."""
    states: list[Array] = []
    for order, key in enumerate(ORDERS):
        if key in derivatives:
            states.append(derivatives[key])
            continue
        if len(t) < FEWEST:
            raise ArmError(
                f"{where}: {len(t)} moments are too few to find {'speeds' if order == 1 else 'accelerations'} from; "
                f"give at least {FEWEST}, or columns {key}_NAME"
            )
        try:
            states.append(np.asarray(make_interp_spline(t, states[-1], k=5).derivative()(t)))
        except (ValueError, np.linalg.LinAlgError):
            raise ArmError(
                f"{where}: the moments stand too unevenly for a spline through them; give columns {key}_NAME"
            ) from None
    return checked(arm, MotionSamples(name, states[0], states[1], states[2], t))


def read_motion(arm: Moved, path: Path) -> MotionSamples:
    """A motion from a CSV file."""
    table = CsvTable.read(path, f"t,{listed((f'q_{n}' for n in arm.joint_names), 8)}")
    clock, columns = placed(arm, table.heads, path)
    lines, numbers = table.numbers([clock, *(cell for cells in columns.values() for cell in cells)])
    t = numbers[:, 0]
    late = np.flatnonzero(np.diff(t) <= 0)
    if len(late):
        earlier = int(late[0])
        raise ArmError(
            f"{path}, line {lines[earlier + 1]}: the time {t[earlier + 1]:g} s does not come after {t[earlier]:g} s; "
            "sort the lines by time and leave out repeated ones"
        )
    derivatives = {key: numbers[:, 1 + k * arm.n : 1 + (k + 1) * arm.n] for k, key in enumerate(columns)}
    return completed(arm, path.name, t, derivatives, str(path))


def placed(arm: Moved, heads: Sequence[str], path: Path) -> tuple[Cell, dict[str, list[Cell]]]:
    """Column and unit of the times, and those of each joint for "q", and for "qd" and "qdd" where present."""
    meanings = {
        name: (order, joint)
        for order, key in enumerate(ORDERS)
        for index, joint in enumerate(arm.moving)
        for name in names(key, index, joint.name)
    }
    cells: dict[str, Cell] = {}
    for column, head in enumerate(heads):
        name, unit = name_and_unit(head)
        if name in cells:
            raise ArmError(f"{path}, line 1: the column {shown(name)} is there twice; keep one of them")
        if name.lower() in ("t", "time"):
            cells["t"] = (column, clock_unit(path, head, unit))
        else:
            cells[name] = (column, column_unit(path, head, unit, *meanings[name]) if name in meanings else 1.0)
    if "t" not in cells:
        example = f"t,{','.join(f'q_{n}' for n in arm.joint_names)}"
        raise ArmError(f"{path}, line 1: no column of times; name one t or time, as in {example}")
    columns: dict[str, list[Cell]] = {}
    for key in ORDERS:
        joint_cells = [next((cells[name] for name in names(key, index, joint) if name in cells), None)
               for index, joint in enumerate(arm.joint_names)]  # fmt: skip
        lacking = [f"{key}_{arm.joint_names[k]}" for k, cell in enumerate(joint_cells) if cell is None]
        if not lacking:
            columns[key] = [cell for cell in joint_cells if cell is not None]
        elif key == "q" or len(lacking) < arm.n:
            raise ArmError(
                f"{path}, line 1: no column {listed(lacking)}; {arm.name} needs one for each of its {arm.n} joints"
            )
    return cells["t"], columns


def names(key: str, index: int, joint: str) -> tuple[str, ...]:
    """The heads that a column of this joint may have."""
    return (f"{key}_{joint}", f"{key}{index + 1}", f"{key}_{index + 1}", *((joint,) if key == "q" else ()))


def column_unit(path: Path, head: str, unit: str, order: int, joint: SystemCoordinate) -> float:
    """Factor from the unit of a joint's column to SI."""
    base, _, per = unit.partition("/")
    turning = joint.kind == "revolute"
    fits = per.replace("²", "^2") == ("", "s", "s^2")[order] and base in UNITS and (base in ANGLES) == turning
    if unit and not fits:
        right = ("rad" if turning else "m") + ("", "/s", "/s^2")[order]
        raise ArmError(f"{path}, line 1: {shown(head)} has the unit {shown(unit)}; joint {joint.name!r} takes {right}")
    return UNITS.get(base, 1.0)

"""What the reduced models cost in closed loop: tracking errors of computed torque on one motion."""

from __future__ import annotations

import numpy as np

from ...arm.description import ArmDescription
from ..closed_loop import KD, KP, Tracking
from ..figures import Axis, Figure
from ..line_chart import LineChart, Series
from ..numbers import joint_label, shown_position, unit, written
from ..section import Section, paragraph
from ..tables import Column, Table, Value


def section(arm: ArmDescription, found: Tracking) -> Section:
    """``found`` has the exact model first, then the reduced ones."""
    names = list(found.errors)
    last = found.errors[names[-1]]
    turning = [k for k, joint in enumerate(arm.moving) if joint.kind == "revolute"]
    sliding = [k for k, joint in enumerate(arm.moving) if joint.kind == "prismatic"]
    worst = []
    if turning:
        worst.append(f"{written(float(np.degrees(np.abs(last[:, turning]).max())), 2)} deg")
    if sliding:
        worst.append(f"{written(1000 * float(np.abs(last[:, sliding]).max()), 2)} mm")
    meaning = (
        f"On a motion of {written(found.duration, 2)} s through most of the arm's range, computed torque with the "
        "model at "
        f"{names[-1]} stays within {' and '.join(worst)} of the way asked for."
    )
    how = paragraph(
        f"All joints move at once, as fast as the states above allow. The gains are kp = {KP:g} and kd = {KD:g} "
        "for every joint; "
        "the arm that is moved is exact, with its drives. The exact model's error is that of the integration.",
        kind="note",
    )
    return Section("closed-loop", "In closed loop", meaning, (table(arm, found), how, *figures(arm, found)))


def table(arm: ArmDescription, found: Tracking) -> Table:
    columns = [Column("joint", "joint"), Column("unit", "", kind="unit")]
    for name in found.errors:
        columns += [
            Column(f"largest {name}", f"largest, {name}", kind="number"),
            Column(f"rms {name}", f"RMS, {name}", kind="number"),
        ]
    rows: list[tuple[Value, ...]] = []
    for k, joint in enumerate(arm.moving):
        cells: list[float] = []
        for errors in found.errors.values():
            largest, rms = float(np.abs(errors[:, k]).max()), float(np.sqrt((errors[:, k] ** 2).mean()))
            cells += [shown_position(joint, largest), shown_position(joint, rms)]
        rows.append((joint_label(k, joint.name), unit(joint, "shown"), *cells))
    return Table(
        "tracking", "Tracking error of each joint, by the model of the controller", tuple(columns), tuple(rows)
    )


def figures(arm: ArmDescription, found: Tracking) -> list[Figure]:
    """The error over time of the joint of each kind that strays most."""
    made: list[Figure] = []
    last = found.errors[list(found.errors)[-1]]
    for kind in ("revolute", "prismatic"):
        mine = [k for k, joint in enumerate(arm.moving) if joint.kind == kind]
        if not mine:
            continue
        k = max(mine, key=lambda j: float(np.abs(last[:, j]).max()))
        joint = arm.moving[k]
        series = tuple(
            Series(name, tuple(shown_position(joint, float(e)) for e in errors[:, k]))
            for name, errors in found.errors.items()
        )
        made.append(
            LineChart(
                f"tracking-{k + 1}",
                f"Tracking error of {joint_label(k, joint.name)}, which strays most",
                "One curve for each model of the controller.",
                x_axis=Axis("time", "s"),
                y_axis=Axis("error", unit(joint, "shown")),
                x=tuple(float(t) for t in found.times),
                series=series,
            )
        )
    return made

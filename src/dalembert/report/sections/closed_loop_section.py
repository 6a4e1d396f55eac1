"""Reduced models in closed loop: tracking errors of computed torque on one motion."""

from __future__ import annotations

from collections.abc import Sequence

from ...arm.description import ArmDescription
from ...markup.data_tables import Column, DataTable, Value
from ...markup.numbers import joint_label, shown_position, unit, written
from ..charts.figures import ChartAxis, Figure
from ..charts.line_chart import LineChart, Series
from ..closed_loop import KD, KP, Array, Tracking
from ..section import Part, Section, paragraph


def section(arm: ArmDescription, found: Sequence[Tracking]) -> Section:
    """``found`` are runs without load, with a load known to the controller, and with a load unknown to it.

    In each the exact model comes first.
    """
    empty = found[0]
    last = list(empty.errors)[-1]
    meaning = (
        f"On a motion of {written(empty.duration, 2)} s through most of the arm's range, computed torque with the "
        f"model at {last} stays within {worst(arm, empty, last)} of the way asked for"
    )
    if len(found) > 1:
        told, untold = found[1:]
        meaning += (
            f"; with {written(told.load, 3)} kg in the hand within {worst(arm, told, last)} where the load's constants "
            f"are used, and within {worst(arm, untold, last)} where the controller does not know of it"
        )
    how = paragraph(
        f"All joints move at once, as fast as the states above allow. The gains are kp = {KP:g} and kd = {KD:g} "
        "for every joint; the arm that is moved is exact, without friction. The exact model's error is that of the "
        "integration.",
        kind="note",
    )
    parts: list[Part] = []
    for one in found:
        parts += [table(arm, one), *([how] if one is empty else []), *figures(arm, one)]
    return Section("closed-loop", "In closed loop", f"{meaning}.", tuple(parts))


def worst(arm: ArmDescription, found: Tracking, name: str) -> str:
    """The largest error of a model, in degrees and millimetres."""
    turning = [k for k, joint in enumerate(arm.moving) if joint.kind == "revolute"]
    sliding = [k for k, joint in enumerate(arm.moving) if joint.kind == "prismatic"]
    said = []
    if turning:
        said.append(f"{written(shown_position(arm.moving[turning[0]], found.largest(name, turning)), 2)} deg")
    if sliding:
        said.append(f"{written(1000 * found.largest(name, sliding), 2)} mm")
    return " and ".join(said)


def in_hand(found: Tracking) -> str:
    """Phrase on the load, and whether the controller's model includes it."""
    if not found.load:
        return "the hand empty"
    constants = "the load's constants" if found.told else "the constants of the empty hand"
    return f"{written(found.load, 3)} kg in the hand, models with {constants}"


def ending(found: Tracking) -> str:
    """Suffix of file names, different for each run."""
    return "" if not found.load else "-loaded" if found.told else "-load-unknown"


def table(arm: ArmDescription, found: Tracking) -> DataTable:
    """Largest and RMS tracking error of each joint (deg or m), for each model in the controller."""
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
            cells += [shown_position(joint, size) for size in sizes(errors[:, k])]
        rows.append((joint_label(k, joint.name), unit(joint, "shown"), *cells))
    note = "" if found.told else "These errors are those of a load that the controller does not know of."
    caption = f"Tracking error of each joint, by the model of the controller: {in_hand(found)}"
    return DataTable(f"tracking{ending(found)}", caption, tuple(columns), tuple(rows), note)


def sizes(errors: Array) -> tuple[float, float]:
    """Largest magnitude and root mean square over time."""
    return float(abs(errors).max()), float((errors**2).mean() ** 0.5)


def figures(arm: ArmDescription, found: Tracking) -> list[Figure]:
    """The error over time of the joint of each kind that strays most."""
    made: list[Figure] = []
    last = found.errors[list(found.errors)[-1]]
    for kind in ("revolute", "prismatic"):
        mine = [k for k, joint in enumerate(arm.moving) if joint.kind == kind]
        if not mine:
            continue
        k = max(mine, key=lambda j: float(abs(last[:, j]).max()))
        joint = arm.moving[k]
        series = tuple(
            Series(name, tuple(shown_position(joint, float(e)) for e in errors[:, k]))
            for name, errors in found.errors.items()
        )
        made.append(
            LineChart(
                f"tracking-{k + 1}{ending(found)}",
                f"Tracking error of {joint_label(k, joint.name)}: {in_hand(found)}",
                "One curve for each model of the controller; of the joints of its kind this one strays most.",
                x_axis=ChartAxis("time", "s"),
                y_axis=ChartAxis("error", unit(joint, "shown")),
                x=tuple(float(t) for t in found.times),
                series=series,
            )
        )
    return made

"""Reduced models in closed loop: tracking errors of computed torque on one motion."""

from __future__ import annotations

from collections.abc import Sequence

from ...arm.description import ArmDescription
from ...markup.data_tables import Column, DataTable, Value
from ...markup.numbers import formatted, joint_label, shown_position, unit
from ..charts.figures import ChartAxis, Figure
from ..charts.line_chart import LineChart, Series
from ..closed_loop import KD, KP, Array, Tracking
from ..section import Part, Section, paragraph


def section(arm: ArmDescription, runs: Sequence[Tracking]) -> Section:
    """``runs`` are runs without load, with a load known to the controller, and with a load unknown to it.

    In each the exact model comes first.
    """
    empty = runs[0]
    last = list(empty.errors)[-1]
    meaning = (
        f"On a motion of {formatted(empty.duration, 2)} s through most of the arm's range, computed torque with the "
        f"model at {last} stays within {worst(arm, empty, last)} of the way asked for"
    )
    if len(runs) > 1:
        informed, uninformed = runs[1:]
        meaning += (
            f"; with {formatted(informed.load, 3)} kg in the hand within {worst(arm, informed, last)} where the load's "
            f"constants are used, and within {worst(arm, uninformed, last)} where the controller does not know of it"
        )
    how = paragraph(
        f"All joints move at once, as fast as the states above allow. The gains are kp = {KP:g} and kd = {KD:g} "
        "for every joint; the arm that is moved is exact, without friction. The exact model's error is that of the "
        "integration.",
        kind="note",
    )
    parts: list[Part] = []
    for run in runs:
        parts += [table(arm, run), *([how] if run is empty else []), *figures(arm, run)]
    return Section("closed-loop", "In closed loop", f"{meaning}.", tuple(parts))


def worst(arm: ArmDescription, run: Tracking, name: str) -> str:
    """The largest error of a model, in degrees and millimetres."""
    turning = [k for k, joint in enumerate(arm.moving) if joint.kind == "revolute"]
    sliding = [k for k, joint in enumerate(arm.moving) if joint.kind == "prismatic"]
    texts = []
    if turning:
        texts.append(f"{formatted(shown_position(arm.moving[turning[0]], run.largest(name, turning)), 2)} deg")
    if sliding:
        texts.append(f"{formatted(1000 * run.largest(name, sliding), 2)} mm")
    return " and ".join(texts)


def in_hand(run: Tracking) -> str:
    """Phrase on the load, and whether the controller's model includes it."""
    if not run.load:
        return "the hand empty"
    constants = "the load's constants" if run.knows_load else "the constants of the empty hand"
    return f"{formatted(run.load, 3)} kg in the hand, models with {constants}"


def ending(run: Tracking) -> str:
    """Suffix of file names, different for each run."""
    return "" if not run.load else "-loaded" if run.knows_load else "-load-unknown"


def table(arm: ArmDescription, run: Tracking) -> DataTable:
    """Largest and RMS tracking error of each joint (deg or m), for each model in the controller."""
    columns = [Column("joint", "joint"), Column("unit", "", kind="unit")]
    for name in run.errors:
        columns += [
            Column(f"largest {name}", f"largest, {name}", kind="number"),
            Column(f"rms {name}", f"RMS, {name}", kind="number"),
        ]
    rows: list[tuple[Value, ...]] = []
    for k, joint in enumerate(arm.moving):
        cells: list[float] = []
        for errors in run.errors.values():
            cells += [shown_position(joint, size) for size in sizes(errors[:, k])]
        rows.append((joint_label(k, joint.name), unit(joint, "shown"), *cells))
    note = "" if run.knows_load else "These errors are those of a load that the controller does not know of."
    caption = f"Tracking error of each joint, by the model of the controller: {in_hand(run)}"
    return DataTable(f"tracking{ending(run)}", caption, tuple(columns), tuple(rows), note)


def sizes(errors: Array) -> tuple[float, float]:
    """Largest magnitude and root mean square over time."""
    return float(abs(errors).max()), float((errors**2).mean() ** 0.5)


def figures(arm: ArmDescription, run: Tracking) -> list[Figure]:
    """The error over time of the joint of each kind that strays most."""
    charts: list[Figure] = []
    last = run.errors[list(run.errors)[-1]]
    for kind in ("revolute", "prismatic"):
        of_kind = [k for k, joint in enumerate(arm.moving) if joint.kind == kind]
        if not of_kind:
            continue
        k = max(of_kind, key=lambda j: float(abs(last[:, j]).max()))
        joint = arm.moving[k]
        series = tuple(
            Series(name, tuple(shown_position(joint, float(e)) for e in errors[:, k]))
            for name, errors in run.errors.items()
        )
        charts.append(
            LineChart(
                f"tracking-{k + 1}{ending(run)}",
                f"Tracking error of {joint_label(k, joint.name)}: {in_hand(run)}",
                "One curve for each model of the controller; of the joints of its kind this one strays most.",
                x_axis=ChartAxis("time", "s"),
                y_axis=ChartAxis("error", unit(joint, "shown")),
                x=tuple(float(t) for t in run.times),
                series=series,
            )
        )
    return charts

"""The reduced models: equations within a tolerance, with their proved errors."""

from __future__ import annotations

from dataclasses import dataclass

from ...arm.description import ArmDescription
from ...markup.data_tables import Column, DataTable, Rich, Value
from ...markup.elements import Html, tag
from ...markup.numbers import formatted, joint_label, percent
from ...reduction.reduced_tables import JointError, torque_error_table
from ..charts.bar_chart import BarChart, Bars
from ..charts.figures import ChartAxis, Figure
from ..charts.line_chart import LineChart, Series
from ..section import Section


@dataclass(frozen=True)
class CoefficientRow:
    """Error of one coefficient: proved bound, largest found, exact RMS."""

    name: str
    unit: str
    bound: float
    found: float
    rms: float


@dataclass(frozen=True)
class ConstantRow:
    """A named constant of the reduced equations; ``loaded`` is its value with the load where it depends on it."""

    name: str
    value: float
    loaded: float | None = None
    meaning: str = ""


@dataclass(frozen=True)
class ReducedRow:
    """One reduced model, as the section shows it. ``equations`` are readable lines, typeset or plain."""

    tolerance: float
    operations: int
    multiplications: int
    additions: int
    joints: tuple[JointError, ...]
    coefficients: tuple[CoefficientRow, ...]
    equations: tuple[Rich, ...]
    constants: tuple[ConstantRow, ...]
    asymmetry: str = ""
    """Sentence on the largest difference of D_ij and D_ji."""


@dataclass(frozen=True)
class Reduction:
    """The models, the operations of the exact one, the curve of error against operations, and the states."""

    exact_operations: int
    models: tuple[ReducedRow, ...]
    curve: tuple[tuple[float, float], ...]
    """(operations, proved error as a share of the largest torque)."""
    states: str
    refused: tuple[str, ...] = ()
    """Reasons for tolerances without a model."""


def section(arm: ArmDescription, reduction: Reduction) -> Section:
    """Summary and trade-off of the reduced models, then each with its equations, constants and errors."""
    parts: list[Html | DataTable | Figure] = [tag("p", reduction.states, class_="note")]
    if reduction.models:
        parts.append(summary(reduction))
    if len(reduction.curve) > 1:
        parts.append(trade_off(reduction))
    for model in reduction.models:
        parts += model_parts(arm, model)
    parts += [tag("p", sentence) for sentence in reduction.refused]
    return Section("reduced", "Reduced models, with proof", meaning(reduction), tuple(parts))


def meaning(reduction: Reduction) -> str:
    """Operations and proved error of the shortest model beside the exact recursion, in one sentence."""
    if not reduction.models:
        return "No model shorter than the exact one stays within the tolerances asked for."
    best = min(reduction.models, key=lambda model: model.operations)
    worst = max((joint.bound / joint.scale for joint in best.joints if joint.scale > 0), default=0.0)
    if best.operations >= reduction.exact_operations:
        exact = reduction.exact_operations
        return f"The exact torques take {exact} operations, and no model within the tolerances is shorter."
    saved = 1 - best.operations / reduction.exact_operations if reduction.exact_operations else 0.0
    return (
        f"{best.operations} operations instead of {reduction.exact_operations} ({percent(saved, 2)} fewer) keep every "
        "joint's torque "
        f"within {percent(worst, 2)} of its largest value, proved for every state in the box."
    )


def summary(reduction: Reduction) -> DataTable:
    """Operations of each model and its worst proved, attained and RMS error as shares of the largest torque."""
    columns = (
        Column("tolerance", "tolerance", kind="share"),
        Column("operations", "operations", kind="number"),
        Column("multiplications", "multiplications", kind="number"),
        Column("additions", "additions", kind="number"),
        Column("proved error", "proved error, worst joint", kind="share bound"),
        Column("found error", "largest error found", kind="share"),
        Column("rms error", "RMS error, worst joint", kind="share"),
    )
    rows = []
    for model in reduction.models:
        shares = [
            max(
                (value / joint.scale for value, joint in zip(values, model.joints, strict=True) if joint.scale > 0),
                default=0.0,
            )
            for values in (
                [joint.bound for joint in model.joints],
                [joint.found for joint in model.joints],
                [joint.rms for joint in model.joints],
            )
        ]
        rows.append((model.tolerance, model.operations, model.multiplications, model.additions, *shares))
    note = (
        f"The exact recursion takes {reduction.exact_operations} operations. "
        "Errors are shares of each joint's largest torque."
    )
    return DataTable("reduced-models", "Models by tolerance", columns, tuple(rows), note)


def trade_off(reduction: Reduction) -> LineChart:
    """Proved error (% of the largest torque) over number of operations."""
    points = sorted(reduction.curve)
    return LineChart(
        "trade-off",
        "Error against operations",
        "Each point is a model; its error is proved, for some by a quick proof that is valid and a little looser. "
        "Fewer operations cost accuracy.",
        x_axis=ChartAxis("operations"),
        y_axis=ChartAxis("proved error", "% of the largest torque"),
        x=tuple(x for x, _ in points),
        series=(Series("proved error", tuple(100 * y for _, y in points)),),
        from_zero=True,
        dots=True,
    )


def model_parts(arm: ArmDescription, model: ReducedRow) -> list[Html | DataTable | Figure]:
    """One model: equations, constants, asymmetry of D, errors of torques and coefficients."""
    mark = formatted(100 * model.tolerance, 3).replace(".", "-")
    lines = [tag("div", line.html, class_="flow") for line in model.equations]
    parts: list[Html | DataTable | Figure] = [tag("h3", f"The model at {percent(model.tolerance)}")]
    if lines:
        parts.append(
            tag("div", *lines, class_="formula")
            if len(lines) <= 40
            else tag("details", tag("summary", f"Its {len(lines)} equations"), tag("div", *lines, class_="formula"))
        )
    if model.constants:
        parts.append(constants(model, mark))
    if model.asymmetry:
        parts.append(tag("p", f"{model.asymmetry}.".replace("^2", "²")))
    caption = f"Torque error of the model at {percent(model.tolerance)}"
    parts += [torque_error_table(arm.moving, model.joints, f"joint-errors-{mark}", caption)]
    parts += [joint_figure(arm, model, mark)]
    if model.coefficients:
        parts.append(coefficient_table(model, mark))
    return parts


def constants(model: ReducedRow, mark: str) -> DataTable:
    """Named constants of a model and their values without and with the load."""
    loaded = any(constant.loaded is not None for constant in model.constants)
    columns = [Column("constant", "constant", kind="name"), Column("value", "value", kind="number")]
    columns += (
        [Column("with load", "with the load", kind="number"), Column("depends on load", "depends on the load")]
        if loaded
        else []
    )
    columns += [Column("meaning", "stands for")] if any(constant.meaning for constant in model.constants) else []
    rows = []
    for constant in model.constants:
        cells: list[Value] = [constant.name, constant.value]
        cells += (
            [
                constant.loaded if constant.loaded is not None else constant.value,
                constant.loaded is not None and constant.loaded != constant.value,
            ]
            if loaded
            else []
        )
        cells += [constant.meaning] if len(columns) > len(cells) else []
        rows.append(tuple(cells))
    return DataTable(
        f"constants-{mark}",
        f"Constants of the model at {percent(model.tolerance)}, SI units",
        tuple(columns),
        tuple(rows),
        first=20,
    )


def joint_figure(arm: ArmDescription, model: ReducedRow, mark: str) -> BarChart:
    """Torque error of each joint as bars, in % of its largest torque."""
    rows = [(k, joint) for k, joint in enumerate(model.joints) if joint.scale > 0]
    bars = tuple(
        Bars(name, tuple(100 * getattr(joint, field) / joint.scale for _, joint in rows))
        for name, field in (("proved", "bound"), ("largest found", "found"), ("RMS", "rms"))
    )
    return BarChart(
        f"errors-{mark}",
        f"Torque error at {percent(model.tolerance)}, by joint",
        "The truth lies between the largest error found and the proved bound.",
        axis=ChartAxis("error", "% of the largest torque"),
        names=tuple(joint_label(k, arm.joint_names[k]) for k, _ in rows),
        bars=bars,
    )


def coefficient_table(model: ReducedRow, mark: str) -> DataTable:
    """Error of each D_ij, C_ijk and G_i: proved bound, largest attained in a search, RMS."""
    columns = (
        Column("coefficient", "coefficient", kind="name"),
        Column("proved", "proved error", kind="number bound"),
        Column("found", "largest found", kind="number"),
        Column("rms", "RMS", kind="number"),
        Column("unit", "", kind="unit"),
        Column("ratio", "proved / found", kind="number"),
    )
    rows = tuple(
        (
            coefficient.name,
            coefficient.bound,
            coefficient.found,
            coefficient.rms,
            coefficient.unit.replace("^2", "²"),
            coefficient.bound / coefficient.found if coefficient.found > 0 else None,
        )
        for coefficient in model.coefficients
    )
    return DataTable(
        f"coefficient-errors-{mark}",
        f"Error of each coefficient at {percent(model.tolerance)}",
        columns,
        rows,
        first=12,
    )

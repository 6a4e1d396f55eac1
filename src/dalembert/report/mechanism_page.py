"""A page about a mechanism: how it moves, what holds it, what lies on its way, what each actuator must do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError
from ..control.trajectories import quintic
from ..markup.data_tables import Column, DataTable, Value
from ..markup.elements import tag
from ..mechanisms import maps, singularity
from ..mechanisms.gears import Gear
from ..mechanisms.loop_closures import Closure
from ..mechanisms.mechanism import Mechanism
from ..systems.arrays import vector_array
from .charts.figures import ChartAxis
from .charts.line_chart import LineChart, Series
from .html.page import notebook_frame, page
from .html.page_files import write_page
from .mechanism_view import MotionOnPage, coordinate_units, mechanism_drawing, mechanism_script
from .section import Part, Section

Array = NDArray[Any]
SAMPLES = 201
FRAME_HEIGHT = 860
"""Height of the page inside a notebook (pixels)."""
NEARLY = 0.01
"""Of the best conditioning on the way: what is less is said to be near a singularity."""


def mechanism_page(
    mechanism: Mechanism, q: ArrayLike | None = None, to: ArrayLike | None = None, duration: float = 1.0
) -> str:
    """The page as text: at coordinates ``q`` (home), and along a quintic motion from there ``to`` others (rad or m).

    A motion that meets a singularity is told as such, with the place; the page then has no loads.
    """
    start = mechanism.coordinates_of(mechanism.home) if q is None else vector_array(mechanism.n, "q", q, "coordinate")
    phi = mechanism.home if q is None else mechanism.position(start)
    motion: MotionOnPage | None = None
    refused = ""
    if to is not None:
        try:
            motion = _motion(mechanism, start, vector_array(mechanism.n, "to", to, "coordinate"), duration, phi)
        except ArmError as fault:
            refused = str(fault)
    sections = [_view(mechanism, phi, motion), _mobility(mechanism, phi), _static(mechanism, phi)]
    if motion is not None:
        sections += [_singularities(mechanism, motion), _actuators(mechanism, motion), _joints(mechanism, motion)]
    elif refused:
        sections.append(Section("way", "On the way", refused, ()))
    mobility = mechanism.mobility(phi)
    passive = mechanism.passive_indices
    driven_names = [name for index, name in enumerate(mechanism.coordinates) if index not in passive]
    free = f"; nobody drives {', '.join(mechanism.coordinates[index] for index in passive)}" if passive else ""
    glance = tag("p", f"{mobility}; driven at {', '.join(driven_names) or 'no coordinate'}{free}.")
    return page(mechanism.name, "A mechanism in its coordinates", glance, sections)


@dataclass(frozen=True)
class MechanismPage:
    """The page of a mechanism; a notebook shows it."""

    name: str
    html: str

    def __repr__(self) -> str:
        return f"<MechanismPage of {self.name!r}: {len(self.html)} characters>"

    def _repr_html_(self) -> str:
        return notebook_frame(self.html, f"mechanism {self.name}", FRAME_HEIGHT)


def write_mechanism_page(
    mechanism: Mechanism,
    path: str | Path | None = None,
    q: ArrayLike | None = None,
    to: ArrayLike | None = None,
    duration: float = 1.0,
) -> MechanismPage:
    """Write the page to ``path``, where one is given; in a notebook what is given back shows itself."""
    page_ = MechanismPage(mechanism.name, mechanism_page(mechanism, q, to, duration))
    if path is not None:
        write_page(path, page_.html)
    return page_


def _motion(mechanism: Mechanism, start: Array, end: Array, duration: float, phi: Array) -> MotionOnPage:
    if mechanism.passive_indices:
        name = mechanism.coordinates[mechanism.passive_indices[0]]
        raise ArmError(f"Nobody drives {name}, so that no motion can be asked of it; simulate it, or drive it too.")
    if not duration > 0:
        raise ArmError(f"a motion takes time; got a duration of {duration:g} s")
    path = quintic([start, end], duration)
    t = np.linspace(0, duration, SAMPLES)
    q, qd, qdd = path.position(t), path.velocity(t), path.acceleration(t)
    return MotionOnPage(t, q, qd, qdd, mechanism.follow(q, phi))


def _view(mechanism: Mechanism, phi: Array, motion: MotionOnPage | None) -> Section:
    closure_error = np.abs(mechanism.closure_error(phi)).max(initial=0.0)
    meaning = f"Move a coordinate: the loops stay closed, as they are here to {closure_error:.1e} m or rad."
    return Section(
        "view", "The mechanism", meaning, (mechanism_drawing(mechanism, phi, motion),), mechanism_script(mechanism)
    )


def _mobility(mechanism: Mechanism, phi: Array) -> Section:
    rows = []
    for closure in mechanism.parts.closures:
        if isinstance(closure, Closure):
            kind = closure.kind if isinstance(closure.kind, str) else "held freedoms"
            rows.append((closure.name, kind, _frame(closure.a), _frame(closure.b), " ".join(closure.held)))
        elif isinstance(closure, Gear):
            rows.append((closure.name, "gear", closure.master, closure.joint, f"ratio {float(closure.ratio):g}"))  # type: ignore[arg-type]
        else:
            rows.append((closure.name, "coupling", closure.sum, "", f"value {float(closure.value):g}"))  # type: ignore[arg-type]
    columns = tuple(Column(key, key) for key in ("closure", "kind", "from", "to", "holds"))
    table = DataTable("closures", "What ties the chains together", columns, tuple(rows))
    meaning = f"{mechanism.mobility(phi)}. This configuration: {singularity.report(mechanism, phi)}."
    return Section("mobility", "Freedoms and closures", meaning, (table,))


def _frame(frame: object) -> str:
    return str(frame)


def _static(mechanism: Mechanism, phi: Array) -> Section:
    units = coordinate_units(mechanism)
    still = np.zeros(mechanism.n)
    hold = mechanism.inverse_dynamics(phi, still, still)  # springs too, where there are some
    inertia = mechanism.mass_matrix(phi)
    q = mechanism.coordinates_of(phi)
    columns = (
        Column("coordinate", "coordinate"), Column("unit", "unit", kind="unit"),
        Column("position", "position", "", "number"),
        Column("load_unit", "unit of load", kind="unit"), Column("load", "load that holds it", "", "number"),
    )  # fmt: skip
    rows = tuple(
        (name, unit, float(factor * q[k]), effort, float(hold[k]))
        for k, (name, (unit, factor, effort)) in enumerate(zip(mechanism.coordinates, units, strict=True))
    )
    inertia_rows: tuple[tuple[Value, ...], ...] = tuple(
        (name, *(float(x) for x in inertia[k])) for k, name in enumerate(mechanism.coordinates)
    )
    efforts = {effort for _, _, effort in units}
    one = "kg m²" if efforts == {"N m"} else "kg" if efforts == {"N"} else ""
    note = "" if one else "kg m², kg m or kg, as the two coordinates turn or slide."
    names = tuple(Column(name, name, one, "number") for name in mechanism.coordinates)
    tables = (
        DataTable("rest", "Loads at rest", columns, rows),
        DataTable(
            "inertia", "Inertia I* in the coordinates", (Column("coordinate", "coordinate"), *names), inertia_rows, note
        ),
    )
    if not len(hold):
        return Section("rest", "At rest", "The closures hold it; there is no coordinate to hold.", ())
    worst = int(np.argmax(np.abs(hold)))
    meaning = f"{mechanism.coordinates[worst]} holds the most: {hold[worst]:.4g} {units[worst][2]}."
    return Section("rest", "At rest", meaning, tables)


def _singularities(mechanism: Mechanism, motion: MotionOnPage) -> Section:
    conditioning = maps.reciprocal_condition(mechanism, motion.phi)
    least = int(np.argmin(conditioning))
    chart = LineChart(
        "conditioning", "How well the coordinates determine the mechanism",
        "Reciprocal condition of the transfer matrix.",
        x_axis=ChartAxis("time", "s"), y_axis=ChartAxis("1 / condition", ""), x=_tuple(motion.t),
        series=(Series("1 / condition", _tuple(conditioning)),), from_zero=True,
    )  # fmt: skip
    near = conditioning[least] < NEARLY * conditioning.max()
    verdict = "it comes near a singularity" if near else "no singularity is near"
    meaning = f"On the way {verdict}: the least conditioning is {conditioning[least]:.3g}, at {motion.t[least]:.3g} s."
    return Section("way", "On the way", meaning, (chart,))


def _actuators(mechanism: Mechanism, motion: MotionOnPage) -> Section:
    units = coordinate_units(mechanism)
    load = mechanism.inverse_dynamics(motion.phi, motion.qd, motion.qdd)
    power = load * motion.qd
    limits = mechanism.as_system().effort_limits
    parts: list[Part] = []
    for effort in dict.fromkeys(unit for _, _, unit in units):
        of_unit = [k for k, (_, _, unit) in enumerate(units) if unit == effort]
        parts.append(
            LineChart(
                f"loads-{len(parts)}",
                f"Loads of the actuators ({effort})",
                "",
                x_axis=ChartAxis("time", "s"),
                y_axis=ChartAxis("load", effort),
                x=_tuple(motion.t),
                series=tuple(Series(mechanism.coordinates[k], _tuple(load[:, k])) for k in of_unit),
            )
        )
    columns = (
        Column("actuator", "actuator"), Column("unit", "unit of load", kind="unit"),
        Column("largest", "largest load", "", "number"), Column("rms", "root mean square", "", "number"),
        Column("speed_unit", "unit of speed", kind="unit"), Column("speed", "largest speed", "", "number"),
        Column("power", "largest power", "W", "number"), Column("share", "of its limit", "", "share"),
    )  # fmt: skip
    rows = []
    for k, (name, (unit, factor, effort)) in enumerate(zip(mechanism.coordinates, units, strict=True)):
        peak = float(np.abs(load[:, k]).max())
        share = peak / float(limits[k]) if np.isfinite(limits[k]) and limits[k] > 0 else None
        rows.append(
            (
                name,
                effort,
                peak,
                float(np.sqrt(np.mean(load[:, k] ** 2))),
                f"{unit}/s",
                float(factor * np.abs(motion.qd[:, k]).max()),
                float(np.abs(power[:, k]).max()),
                share,
            )
        )
    worst = max(range(len(rows)), key=lambda k: rows[k][2])
    meaning = (
        f"{rows[worst][0]} must do the most: {rows[worst][2]:.4g} {rows[worst][1]}, and up to {rows[worst][6]:.3g} W."
    )
    parts.append(DataTable("actuators", "What each actuator must do", columns, tuple(rows)))
    return Section("actuators", "What each actuator must do", meaning, tuple(parts))


def _joints(mechanism: Mechanism, motion: MotionOnPage) -> Section:
    rate, _ = mechanism.joint_motion(motion.phi, motion.qd, motion.qdd)
    chains = mechanism.chains
    columns = (
        Column("joint", "joint"), Column("unit", "unit", kind="unit"), Column("lowest", "lowest", "", "number"),
        Column("highest", "highest", "", "number"), Column("speed", "largest speed, per s", "", "number"),
        Column("beyond", "limits"),
    )  # fmt: skip
    rows = []
    exceeding = []
    for k, name in enumerate(mechanism.joint_names):
        factor, unit = (180 / np.pi, "deg") if chains.revolute[k] else (1.0, "m")
        low, high = float(motion.phi[:, k].min()), float(motion.phi[:, k].max())
        beyond = low < chains.lower[k] or high > chains.upper[k]
        limited = np.isfinite(chains.lower[k]) or np.isfinite(chains.upper[k])
        exceeding += [name] if beyond else []
        verdict = "beyond" if beyond else "kept" if limited else "none"
        rows.append((name, unit, factor * low, factor * high, float(factor * np.abs(rate[:, k]).max()), verdict))
    meaning = (
        f"{', '.join(exceeding)} passes its limits on the way."
        if exceeding
        else "All joints keep their limits on the way."
    )
    return Section("joints", "All joints on the way", meaning, (DataTable("joints", "Joints", columns, tuple(rows)),))


def _tuple(values: Array) -> tuple[float, ...]:
    return tuple(float(x) for x in values)

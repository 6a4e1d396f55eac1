"""A simulated motion: named columns with units, energy balance, export and plots."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from .motion_saving import save_csv, save_netcdf, save_parquet

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Event:
    """An event: its time, kind ("sticks", "slips", "stop", "leaves stop", "load") and the shaft or joint."""

    time: float
    kind: str
    name: str
    energy: float = 0.0
    """Energy (J) lost at this instant by an impact or a change of payload."""


PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b58900", "#56b4e9", "#4d4d4d")
"""Colours that are told apart with any eyes (Okabe and Ito)."""


@dataclass(frozen=True)
class Motion:
    """Positions, velocities and inputs over time, joints last, with the energies at each time.

    ``work`` is the energy supplied by the inputs, ``lost`` the energy dissipated; ``others`` holds further outputs of
    the plant, such as motor positions and currents.
    """

    name: str
    t: Array
    q: Array
    qd: Array
    u: Array
    joint_names: tuple[str, ...]
    joint_units: tuple[str, ...]
    input_names: tuple[str, ...]
    input_units: tuple[str, ...]
    kinetic: Array
    potential: Array
    work: Array
    lost: Array
    events: tuple[Event, ...] = ()
    others: dict[str, Array] = field(default_factory=dict)
    other_names: tuple[str, ...] = ()
    steps: int = 0
    evaluations: int = 0
    fault: str = ""
    stepped: tuple[tuple[float, float], ...] = ()
    """Stretches of time (s) found in time steps of first order, since events followed each other without end there."""
    cut: tuple[float, ...] | None = None
    """For each input the share of samples at which it was cut to its limit; None where no limits count."""
    linear_motors: tuple[str, ...] = ()
    """Those of ``other_names`` that slide: their positions are in m, their torques forces in N."""
    jumps: Array | None = None
    """Energy (J) that impacts and changes of load have taken up to each sample; None where there were none."""

    @property
    def energy(self) -> Array:
        """Kinetic and potential energy (J)."""
        return self.kinetic + self.potential

    @property
    def balance(self) -> Array:
        """The error of the energy balance (J): energy - initial energy - work + losses in friction and impacts."""
        jumps = 0.0 if self.jumps is None else self.jumps
        return self.energy - self.energy[0] - self.work + self.lost + jumps

    @property
    def energy_scale(self) -> float:
        """The magnitude of the exchanged energies, for a relative balance."""
        return float(max(np.ptp(self.kinetic), np.ptp(self.potential), np.abs(self.kinetic).max(), 1e-300))

    def at(self, time: float) -> tuple[Array, Array]:
        """Position and velocity at the sample nearest to ``time``."""
        index = int(np.argmin(np.abs(self.t - time)))
        return self.q[index], self.qd[index]

    @property
    def columns(self) -> dict[str, tuple[str, Array]]:
        """Every column: name -> (unit, values)."""
        columns: dict[str, tuple[str, Array]] = {"time": ("s", self.t)}
        for j, (name, unit) in enumerate(zip(self.joint_names, self.joint_units, strict=True)):
            columns[f"q_{name}"] = (unit, self.q[:, j])
        for j, (name, unit) in enumerate(zip(self.joint_names, self.joint_units, strict=True)):
            columns[f"qd_{name}"] = (f"{unit}/s", self.qd[:, j])
        for j, (name, unit) in enumerate(zip(self.input_names, self.input_units, strict=True)):
            columns[f"input_{name}"] = (unit, self.u[:, j])
        units = {"motor_position": ("rad", "m"), "motor_torque": ("N m", "N"), "current": ("A", "A")}
        for key, values in self.others.items():
            for j, name in enumerate(self.other_names):
                columns[f"{key}_{name}"] = (units.get(key, ("", ""))[name in self.linear_motors], values[:, j])
        for key in ("kinetic", "potential", "work", "lost"):
            columns[key] = ("J", getattr(self, key))
        return columns

    def save(self, path: str | Path) -> None:
        """Writes .csv (units in the header), .nc (NetCDF 3, units as attributes) or .parquet (needs pyarrow)."""
        target = Path(path)
        suffix = target.suffix.lower()
        if suffix == ".csv":
            save_csv(self.columns, target)
        elif suffix == ".nc":
            save_netcdf(self.columns, f"motion of {self.name}", target)
        elif suffix == ".parquet":
            save_parquet(self.columns, target)
        else:
            raise ArmError(f"{target}: a motion is saved as .csv, .nc or .parquet, not {suffix or 'without ending'!r}")

    def plot(self) -> Any:
        """A plotly figure: positions, velocities, inputs and energies over time."""
        try:
            from plotly import graph_objects  # type: ignore[import-not-found,import-untyped,unused-ignore]
            from plotly.subplots import make_subplots  # type: ignore[import-not-found,import-untyped,unused-ignore]
        except ImportError:
            raise ArmError("plotly is not installed; install dalembert[plot]") from None
        figure = make_subplots(
            rows=4, cols=1, shared_xaxes=True, subplot_titles=("position", "velocity", "input", "energy")
        )
        for row, (values, names) in enumerate(
            ((self.q, self.joint_names), (self.qd, self.joint_names), (self.u, self.input_names)), start=1
        ):
            for j, name in enumerate(names):
                # one colour and one entry of the legend for a joint, wherever it is drawn
                colour = PALETTE[j % len(PALETTE)]
                again = row > 1 and name in self.joint_names
                figure.add_trace(
                    graph_objects.Scatter(
                        x=self.t, y=values[:, j], name=name, legendgroup=name, showlegend=not again,
                        line={"color": colour},
                    ),
                    row=row, col=1,
                )  # fmt: skip
        for key in ("kinetic", "potential", "work", "lost"):
            figure.add_trace(graph_objects.Scatter(x=self.t, y=getattr(self, key), name=key), row=4, col=1)
        for event in self.events:
            figure.add_vline(x=event.time, line_dash="dot", line_width=1)
        speeds = tuple(f"{unit}/s" for unit in self.joint_units)
        for row, units in enumerate((self.joint_units, speeds, self.input_units, ("J",)), start=1):
            figure.update_yaxes(title_text=", ".join(dict.fromkeys(units)), row=row, col=1)
        figure.update_layout(title=f"{self.name}", xaxis4_title="time (s)", height=900)
        return figure

    def __repr__(self) -> str:
        end = f", stopped: {self.fault}" if self.fault else ""
        span = f"{self.t[-1] - self.t[0]:g} s, {self.steps} steps, {len(self.events)} events"
        return f"<Motion of {self.name!r}: {span}{end}>"

    def _repr_html_(self) -> str:
        from ..markup.notebook import framed, heading, note
        from .motion_tables import events_table, joints_moved_table

        span = f"{self.t[-1] - self.t[0]:g} s, {self.steps} steps"
        fault = [note(f"Stopped: {self.fault}")] if self.fault else []
        events = [events_table(self)] if self.events else []
        return framed(heading(f"Motion of {self.name}, {span}"), *fault, joints_moved_table(self), *events)

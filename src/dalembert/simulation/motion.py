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


ENERGIES = ("kinetic", "potential", "work", "lost")


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
        for key in ENERGIES:
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

    def plot(self, library: str | None = None) -> Any:
        """Positions, velocities, inputs and energies over time: a figure of plotly, or of matplotlib.

        ``library`` names one of the two; without it plotly is taken where it is installed.
        """
        from ..markup.plots import Panel, PlotCurve, figure_of

        speeds = tuple(f"{unit}/s" for unit in self.joint_units)
        moments = [event.time for event in self.events]
        panels = [
            Panel(title, ", ".join(dict.fromkeys(units)), curves, marks=moments)
            for title, units, curves in (
                ("position", self.joint_units, self._curves(self.joint_names, self.q)),
                ("velocity", speeds, self._curves(self.joint_names, self.qd)),
                ("input", self.input_units, self._curves(self.input_names, self.u)),
                ("energy", ("J",), [PlotCurve(key, self.t, getattr(self, key)) for key in ENERGIES]),
            )
        ]
        try:
            return figure_of(self.name, panels, "time (s)", library)
        except (ImportError, ValueError) as fault:
            raise ArmError(str(fault)) from None

    def _curves(self, names: tuple[str, ...], values: Array) -> list[Any]:
        from ..markup.plots import PlotCurve

        return [PlotCurve(name, self.t, values[:, j]) for j, name in enumerate(names)]

    def __repr__(self) -> str:
        ending = f", stopped: {self.fault}" if self.fault else ""
        span = f"{self.t[-1] - self.t[0]:g} s, {self.steps} steps, {len(self.events)} events"
        return f"<Motion of {self.name!r}: {span}{ending}>"

    def _repr_html_(self) -> str:
        from ..markup.notebook import framed, heading, note
        from .motion_tables import events_table, joints_moved_table

        span = f"{self.t[-1] - self.t[0]:g} s, {self.steps} steps"
        fault = [note(f"Stopped: {self.fault}")] if self.fault else []
        events = [events_table(self)] if self.events else []
        return framed(heading(f"Motion of {self.name}, {span}"), *fault, joints_moved_table(self), *events)

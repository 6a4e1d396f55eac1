"""A page of one state: the system in three dimensions, to move, with its physics computed in the page.

It is complete in itself, so that it can be sent, kept, and shown inside a notebook. Torques by cause, mass matrix and
energies come from functions generated for exactly this system, with its loads, drives and springs (``arm_script``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from ..arm.array_input import real_array
from ..arm.errors import ArmError
from ..markup.elements import Html, data, tag
from ..markup.numbers import joint_label, unit
from ..systems.arm_system import ArmSystem
from .arm3d import drawing, start
from .arm_script import CAUSES, arm_script
from .html.page import notebook_frame, single_page
from .html.page_files import write_page

WORDS = {
    "inertia": "inertia",
    "velocity": "velocities",
    "gravity": "gravity",
    "friction": "friction",
    "elastic": "springs",
}
"""Causes of a torque as they are headed; velocities are centrifugal and Coriolis torques."""
FRAME_HEIGHT = 860
"""Height of the page inside a notebook (pixels)."""


@dataclass(frozen=True)
class StatePage:
    """The page of a system at a state; ``write`` saves it, a notebook shows it."""

    system: ArmSystem
    q: tuple[float, ...]
    qd: tuple[float, ...]
    qdd: tuple[float, ...]
    remarks: tuple[str, ...] = field(default=())
    """Lines below the title, such as what was changed."""

    def write(self, path: str | Path) -> None:
        """Write the page."""
        write_page(path, self.html)

    @cached_property
    def html(self) -> str:
        """The page as text."""
        system = self.system
        limits = [float(x) if math.isfinite(x) else None for x in system.effort_limits]
        state = {"qd": self.qd, "qdd": self.qdd, "limits": limits, "causes": CAUSES}
        parts = [
            tag("h1", system.name),
            tag("p", system.title, class_="title") if system.title else Html(),
            *(tag("p", line, class_="note") for line in (*self._system_lines(), *self.remarks)),
            drawing(system, pose=self.q),
            self._torques(),
            self._matrix(),
            tag("p", "Kinetic energy ", _output("kinetic"), " J, potential energy ", _output("potential"), " J."),
        ]
        return single_page(f"{system.name}: state", parts, data(state, "state-data"), [arm_script(system, state=True)])

    def __repr__(self) -> str:
        return (
            f"<StatePage of {self.system.name!r} at q = {np.array2string(np.array(self.q), precision=3, threshold=12)}>"
        )

    def _repr_html_(self) -> str:
        return notebook_frame(self.html, f"{self.system.name} in three dimensions", FRAME_HEIGHT)

    def _system_lines(self) -> list[str]:
        """What the system is beside its links."""
        loads = [f"{float(load.body.mass):g} kg on {link}" for link, load in self.system.loads]
        drives = "With its drives: rotors and friction count" if self.system.counts_drives else "The links alone"
        return [f"{drives}, holding {' and '.join(loads)}." if loads else f"{drives}."]

    @property
    def _causes(self) -> list[tuple[int, str]]:
        """Causes of torques that this system can have, each with the number of its colour."""
        absent = {"friction": not self.system.counts_drives, "elastic": not self.system.elastic}
        return [(k, cause) for k, cause in enumerate(CAUSES) if not absent.get(cause)]

    def _torques(self) -> Html:
        """A row for each joint: its velocity and acceleration to set, its torque by cause."""
        heads: list[Html] = [tag("th", "joint", scope="col")]
        heads += [tag("th", head, scope="col") for head in ("velocity", "acceleration")]
        heads += [tag("th", tag("i", class_=f"swatch c{k}"), f" {WORDS[cause]}", scope="col", class_="num")
                  for k, cause in self._causes]  # fmt: skip
        heads += [tag("th", head, scope="col", class_="num") for head in ("torque", "of limit")]
        rows = [tag("tr", *self._cells(k)) for k in range(self.system.n)]
        caption = tag("caption", tag("span", "Torque of each joint at this state, by what causes it"))
        head = tag("thead", tag("tr", *heads, tag("th", scope="col")))
        return tag("div", tag("table", caption, head, tag("tbody", *rows)), class_="table scroll state")

    def _cells(self, k: int) -> list[Html]:
        joint = self.system.moving[k]
        name, effort = joint_label(k, joint.name), tag("span", f" {unit(joint, 'effort')}", class_="unit")
        cells = [tag("th", name, scope="row")]
        for rate, quantity, values in (("qd", "speed", self.qd), ("qdd", "acceleration", self.qdd)):
            rate_unit = unit(joint, quantity)
            box = tag("input", type="number", step="any", value=repr(values[k]), data_rate=rate, data_of=k,
                      aria_label=f"{quantity} of {name} ({rate_unit})")  # fmt: skip
            cells.append(tag("td", box, tag("span", f" {rate_unit}", class_="unit")))
        cells += [tag("td", _output(f"{cause}{k}"), class_="num") for _, cause in self._causes]
        cells += [
            tag("td", tag("b", _output(f"torque{k}")), effort, class_="num"),
            tag("td", _output(f"used{k}"), class_="num"),
        ]
        bars = [tag("i", class_=f"c{number}", data_bar=f"{cause}{k}") for number, cause in self._causes]
        return [*cells, tag("td", *bars, class_="bars")]

    def _matrix(self) -> Html:
        """D with its cells shaded by how strongly the joints are coupled."""
        n = self.system.n
        units = {("revolute", "revolute"): "kg m²", ("prismatic", "prismatic"): "kg"}
        kinds = [joint.kind for joint in self.system.moving]
        matrix_unit = "kg m²" if len(set(kinds)) == 1 and kinds[0] == "revolute" else ", ".join(
            dict.fromkeys(units.get((a, b), "kg m") for a in kinds for b in kinds)
        )  # fmt: skip
        head = tag("tr", tag("th"), *(tag("th", k + 1, scope="col", class_="num") for k in range(n)))
        rows = [
            tag("tr", tag("th", i + 1, scope="row"), *(tag("td", _output(f"D{i},{j}"), class_="num") for j in range(n)))
            for i in range(n)
        ]
        title = f"Mass matrix D ({matrix_unit}), shaded by how strongly two joints are coupled"
        return tag(
            "div",
            tag("table", tag("caption", tag("span", title)), tag("thead", head), tag("tbody", *rows), class_="matrix"),
            class_="table scroll state",
        )


def _output(name: str) -> Html:
    return tag("output", data_state=name)


def state_page(
    system: ArmSystem,
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    remarks: Sequence[str] = (),
) -> StatePage:
    """The page of a system at (q, qd, qdd): where the report draws it, at rest, where they are not given."""
    if not system.n:
        raise ArmError(f"{system.where}{system.name} has no joint that moves, so there is no state to show")

    def values(name: str, numbers: ArrayLike | None, default: Sequence[float]) -> tuple[float, ...]:
        array = np.asarray(default if numbers is None else real_array(name, numbers), dtype=float)
        if array.shape != (system.n,) or not np.isfinite(array).all():
            raise ArmError(
                f"{system.where}{system.name}: a page shows one state, so {name} has {system.n} finite numbers"
            )
        return tuple(float(x) for x in array)

    still = [0.0] * system.n
    pose = values("q", q, [start(joint) for joint in system.moving])
    return StatePage(system, pose, values("qd", qd, still), values("qdd", qdd, still), tuple(remarks))

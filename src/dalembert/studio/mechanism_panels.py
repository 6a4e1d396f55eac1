"""The panels of a mechanism: its coordinates, what its actuators must do, how far it is from a singularity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..markup.elements import Html, tag
from ..markup.numbers import formatted
from ..mechanisms import singularity
from ..mechanisms.mechanism_system import MechanismSystem
from .files_panel import FilesPanel
from .joint_sliders import JointSliders
from .live_numbers import effort_bars, mass_matrix_map
from .mechanism_downloads import MECHANISM_FILES
from .motion_panel import MotionPanel
from .side_panel import SidePanel

if TYPE_CHECKING:
    from .mechanism_studio import MechanismStudio

Array = NDArray[np.float64]
NEARLY = 0.02
"""Reciprocal condition below which a configuration is said to be near a singularity."""


class MechanismPanels(SidePanel):
    """Handles of everything in the side panel of a mechanism."""

    def __init__(self, studio: MechanismStudio) -> None:
        super().__init__(studio)
        self.studio = studio
        tabs = self.gui.add_tab_group()
        with tabs.add_tab("Pose"):
            self._pose()
        with tabs.add_tab("Motion"):
            self.motion = MotionPanel(studio)
        with tabs.add_tab("Files"):
            self.files = FilesPanel(studio, self.say, MECHANISM_FILES)

    def _pose(self) -> None:
        studio, gui = self.studio, self.gui
        self.sliders = JointSliders(gui, studio.system.moving, studio.spans, studio.q, self.moved)
        self.drag = gui.add_checkbox("drag a frame", False, hint="A handle at a frame; the coordinates follow it.")
        self.drag.on_update(lambda _: self.show_handle())
        self.frame = gui.add_dropdown("frame", studio.frames, initial_value=studio.frame)
        self.frame.on_update(lambda _: studio.choose_frame(self.frame.value))
        self.shown = self.parts_shown(studio.has_shapes)
        for part, box in self.shown.items():
            box.on_update(lambda _, part=part, box=box: studio.scene.show(part, box.value))
        self.looks = gui.add_markdown("")
        self.reach = gui.add_markdown("")
        self.loads = gui.add_html("")
        self.inertia = gui.add_html("")
        self.measures = gui.add_html("")

    def show_numbers(self, system: MechanismSystem, phi: Array, qd: Array, qdd: Array) -> None:
        """Loads at the coordinates by cause, I*, and how far from a singularity."""
        mechanism = system.mechanism
        inertia, gravity = np.asarray(mechanism.mass_matrix(phi)), np.asarray(mechanism.gravity_load(phi))
        still, moving = mechanism.bias(phi, np.zeros(system.n)), mechanism.bias(phi, qd)
        causes = {
            "inertia": (inertia @ qdd, "#0072b2"), "with speed": (np.asarray(moving - still), "#009e73"),
            "gravity": (gravity, "#e69f00"), "springs": (_rounded(np.asarray(still - gravity), gravity), "#cc79a7"),
        }  # fmt: skip
        self.loads.content = str(effort_bars(system, causes, np.asarray(moving + inertia @ qdd)))
        self.inertia.content = str(mass_matrix_map(inertia))
        self.measures.content = str(measures(system, phi))

    def tell_reach(self, distance: float, reached: bool) -> None:
        """How far the frame is from its handle."""
        self.reach.content = "" if reached else f"out of reach: the frame stays {1000 * distance:.1f} mm away"

    def close(self) -> None:
        """End what is at work for the panels."""
        self.motion.background.close()
        self.files.background.close()


def _rounded(values: Array, reference: Array) -> Array:
    """Differences of larger numbers, zero where they are nothing but rounding."""
    return np.where(np.abs(values) > 1e-10 * max(float(np.abs(reference).max(initial=0.0)), 1e-12), values, 0.0)


def measures(system: MechanismSystem, phi: Array) -> Html:
    """Mobility, closure error and distance from a singularity at joints phi."""
    mechanism = system.mechanism
    report = singularity.report(mechanism, phi)
    near = report.gain < NEARLY
    rows = (
        ("freedoms", str(mechanism.n)),
        ("loops closed to", f"{formatted(float(np.abs(mechanism.closure_error(phi)).max(initial=0.0)), 2)} m or rad"),
        ("with the actuators locked", f"{report}{', near a gain of freedom' if near and not report.kinds else ''}"),
        ("reciprocal condition of the closures", formatted(report.constraint, 3)),
    )
    cells = [tag("tr", tag("td", name), tag("td", value, style="font-weight:bold" if near else None))
             for name, value in rows]  # fmt: skip
    return tag("table", *cells, style="font-size:12px;width:100%")

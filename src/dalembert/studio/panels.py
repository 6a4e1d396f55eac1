"""The panels of the studio: what can be set, and what is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..markup.elements import tag
from ..markup.numbers import unit
from ..report.arm3d import travel
from .design_panel import DesignPanel
from .downloads import page_file, picture_file, report_file
from .files_panel import FILES, FilesPanel
from .joint_sliders import JointSliders
from .live_numbers import compared
from .motion_panel import MotionPanel
from .proofs_panel import ProofsPanel
from .side_panel import SidePanel
from .workspace_panel import WorkspacePanel

if TYPE_CHECKING:
    from .studio import Studio

Array = NDArray[np.float64]


class Panels(SidePanel):
    """Handles of everything in the side panel; methods are called by the studio."""

    def __init__(self, studio: Studio) -> None:
        super().__init__(studio)
        self.studio = studio
        tabs = self.gui.add_tab_group()
        with tabs.add_tab("Pose"):
            self._pose()
        with tabs.add_tab("Design"):
            self.design = DesignPanel(studio)
            self.beside = self.gui.add_html("")
        with tabs.add_tab("Reach"):
            self.workspace = WorkspacePanel(studio, self.say)
        with tabs.add_tab("Motion"):
            self.motion = MotionPanel(studio)
        with tabs.add_tab("Proofs"):
            self.proofs = ProofsPanel(studio)
        with tabs.add_tab("Files"):
            state_files = {
                "page of this state (HTML)": lambda design: page_file(design, studio.q.tolist(), studio.qd.tolist()),
                "picture (SVG)": lambda design: picture_file(design, studio.q.tolist()),
                "report (HTML)": lambda design: report_file(design, self._reporting),
            }
            self.files = FilesPanel(studio, self.say, {**FILES, **state_files})

    def _pose(self) -> None:
        studio, gui = self.studio, self.gui
        moving = studio.system.moving
        self.sliders = JointSliders(gui, moving, [travel(joint) for joint in moving], studio.q, self.moved)
        self.joints = gui.add_checkbox("drag the joints", False, hint="A ring or an arrow at each joint.")
        self.joints.on_update(lambda _: self._joint_handles())
        self.drag = gui.add_checkbox("drag the hand", False, hint="A handle at the tool; the joints follow it.")
        self.drag.on_update(lambda _: self.show_handle())
        self.shown = self.parts_shown(any(link.shapes for link in studio.system.links))
        for box in self.shown.values():
            box.on_update(lambda _: self.apply_shown())
        self.looks = gui.add_markdown("")
        self.reach = gui.add_markdown("")
        self.torques = gui.add_html("")
        self.inertia = gui.add_html("")

    def _joint_handles(self) -> None:
        self.studio.joint_handles.show(self.joints.value)
        self.studio.want("pose")

    def apply_shown(self) -> None:
        """Show and hide what the boxes say."""
        for part, box in self.shown.items():
            self.studio.arm_scene.show(part, box.value)

    def tell_reach(self, position: float, angle: float, reached: bool) -> None:
        """How far the tool is from its handle."""
        self.reach.content = "" if reached else (
            f"out of reach: the tool stays {1000 * position:.1f} mm and {np.degrees(angle):.1f} deg away"
        )  # fmt: skip

    def forget_proofs(self) -> None:
        """Take away what was proved of another design."""
        self.proofs.forget()

    def compare(self, q: Array, qd: Array, qdd: Array) -> None:
        """The design that was kept and the present one, side by side."""
        kept_design, present = self.studio.kept, self.studio.design
        self.design.show(present)
        if kept_design is None or kept_design == present:
            self.beside.content = ""
            return
        names = [joint.name for joint in present.system.moving]
        tables = []
        for title, quantity, compute in (
            ("Torque", "effort", lambda system: system.inverse_dynamics(q, qd, qdd)),
            (
                "Inertia at the joint",
                "inertia",
                lambda system: np.diagonal(np.reshape(system.mass_matrix(q), (system.n, system.n))),
            ),
        ):
            units = [unit(joint, quantity) for joint in present.system.moving]
            tables.append(
                compared(
                    names, np.asarray(compute(kept_design.system)), np.asarray(compute(present.system)), units, title
                )
            )
        self.beside.content = str(tag("div", *tables))

    def close(self) -> None:
        """End what is at work for the panels."""
        self.workspace.close()
        self.motion.background.close()
        self.files.background.close()

    def _reporting(self, step: str, done: int, total: int) -> None:
        self.say(f"report (HTML): {step}, {100 * done // max(total, 1)} % ...")

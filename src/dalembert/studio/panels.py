"""The panels of the studio: what can be set, and what is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from .words import plain
from .workspace_panel import WorkspacePanel

if TYPE_CHECKING:
    from .studio import Studio

Array = NDArray[np.float64]


class Panels:
    """Handles of everything in the side panel; methods are called by the studio."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.gui: Any = studio.server.gui
        self.message = self.gui.add_markdown("")
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
            here = {
                "page of this state (HTML)": lambda design: page_file(design, studio.q.tolist(), studio.qd.tolist()),
                "picture (SVG)": lambda design: picture_file(design, studio.q.tolist()),
                "report (HTML)": lambda design: report_file(design, self._reporting),
            }
            self.files = FilesPanel(studio, self.say, {**FILES, **here})

    def _pose(self) -> None:
        studio, gui = self.studio, self.gui
        moving = studio.system.moving
        self.sliders = JointSliders(gui, moving, [travel(joint) for joint in moving], studio.q, self._moved)
        self.joints = gui.add_checkbox("drag the joints", False, hint="A ring or an arrow at each joint.")
        self.joints.on_update(lambda _: self._joint_handles())
        self.drag = gui.add_checkbox("drag the hand", False, hint="A handle at the tool; the joints follow it.")
        self.drag.on_update(lambda _: self._handle())
        shapes = any(link.shapes for link in studio.system.links)
        self.shown = {
            what: gui.add_checkbox(label, what == "shapes")
            for what, label in (
                *((("shapes", "shapes of the links"),) if shapes else ()),
                ("boxes", "boxes of equal inertia"),
                ("centres", "mass centres"),
                ("axes", "joint axes"),
            )
        }
        for box in self.shown.values():
            box.on_update(lambda _: self.apply_shown())
        self.looks = gui.add_markdown("")
        self.reach = gui.add_markdown("")
        self.torques = gui.add_html("")
        self.inertia = gui.add_html("")

    def _moved(self, q: Array) -> None:
        self.studio.player.pause()
        self.studio.set_pose(q)

    def _handle(self) -> None:
        self.studio.hand.visible = self.drag.value
        self.reach.content = ""

    def _joint_handles(self) -> None:
        self.studio.joint_handles.show(self.joints.value)
        self.studio.want("pose")

    def apply_shown(self) -> None:
        """Show and hide what the boxes say."""
        for what, box in self.shown.items():
            self.studio.arm_scene.show(what, box.value)

    def show_pose(self, q: Array) -> None:
        """Set the sliders to where the arm is."""
        self.sliders.show(q)

    def show_time(self, moment: float) -> None:
        """Set the time of the motion that plays."""
        self.motion.show_time(moment)

    def tell_reach(self, position: float, angle: float, there: bool) -> None:
        """How far the tool is from its handle."""
        self.reach.content = "" if there else (
            f"out of reach: the tool stays {1000 * position:.1f} mm and {np.degrees(angle):.1f} deg away"
        )  # fmt: skip

    def tell_looks(self, text: str) -> None:
        """What of the shapes of the links is not shown, and why."""
        self.looks.content = plain(text)

    def forget_proofs(self) -> None:
        """Take away what was proved of another design."""
        self.proofs.forget()

    def compare(self, q: Array, qd: Array, qdd: Array) -> None:
        """The design that was kept and the present one, side by side."""
        kept, now = self.studio.kept, self.studio.design
        self.design.show(now)
        if kept is None or kept == now:
            self.beside.content = ""
            return
        names = [joint.name for joint in now.system.moving]
        tables = []
        for what, quantity, asked in (
            ("Torque", "effort", lambda system: system.inverse_dynamics(q, qd, qdd)),
            (
                "Inertia at the joint",
                "inertia",
                lambda system: np.diagonal(np.reshape(system.mass_matrix(q), (system.n, system.n))),
            ),
        ):
            units = [unit(joint, quantity) for joint in now.system.moving]
            tables.append(compared(names, np.asarray(asked(kept.system)), np.asarray(asked(now.system)), units, what))
        self.beside.content = str(tag("div", *tables))

    def close(self) -> None:
        """End what is at work for the panels."""
        self.workspace.close()
        self.motion.background.close()
        self.files.background.close()

    def _reporting(self, what: str, done: int, total: int) -> None:
        self.say(f"report (HTML): {what}, {100 * done // max(total, 1)} % ...")

    def say(self, text: str) -> None:
        """One sentence for who looks on, at the top of the panel; an empty one takes it away."""
        self.message.content = plain(text)


def add_panels(studio: Studio) -> Panels:
    """The side panel of a studio."""
    return Panels(studio)

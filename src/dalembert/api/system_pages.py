"""What a system shows of itself: a report, a picture, a page of one state, a motion played."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from ..arm.errors import ArmError
from ..systems.arm_kinematics import MovingArm

if TYPE_CHECKING:
    from ..design.analysis import Limits
    from ..reduction.states import Amounts
    from ..report.assemble import Report
    from ..report.replay import MotionPage
    from ..report.state_page import StatePage
    from ..simulation.motion import Motion
    from ..simulation.motion_files import MotionSource


class SystemPages(MovingArm):
    """A system on pages and pictures; what draws is imported at the first call."""

    def report(
        self,
        path: str | Path | None = None,
        *,
        box: Limits | None = None,
        speed: Amounts = None,
        acceleration: Amounts = None,
        tolerances: Sequence[float] = (0.05, 0.01),
        pose: Sequence[float] | None = None,
        motion: MotionSource = None,
        against: MovingArm | None = None,
        pdf: str | Path | None = None,
        csv: str | Path | None = None,
        json: str | Path | None = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> Report:
        """Write the report of this system and give its sections and tables.

        ``path`` is the HTML page, ``pdf`` the same printed (needs Chromium or Chrome), ``csv`` a folder for all
        tables, ``json`` one file with them. Of an arm that holds a load the page shows the empty hand beside it.
        ``box`` narrows or widens the joints' ranges, ``{"joint3": (0.2, 0.9)}``; ``speed`` and ``acceleration`` say
        which motion counts (one number, one for each joint, or a table by joint); ``tolerances`` are those of the
        reduced models; ``pose`` is where the drawing starts. ``motion`` judges the terms along a motion beside all
        states: a CSV file, (q, qd, qdd), a simulated motion or a trajectory. ``against`` is another design to set
        beside this one. ``progress(what, done, total)`` is called as the work goes on.
        """
        from ..report.write import write_report

        return write_report(
            self, path, box=box, speed=speed, acceleration=acceleration, tolerances=tolerances, pose=pose,
            motion=motion, against=against, pdf=pdf, csv=csv, json=json, progress=progress,
        )  # fmt: skip

    def picture(self, path: str | Path, q: ArrayLike | None = None) -> None:
        """Draw the links as bars at positions ``q`` (rad, m; as the report draws them first) into an SVG file."""
        from ..arm.array_input import real_array
        from ..report.arm_picture import arm_picture

        arm_picture(self, None if q is None else real_array("q", q).tolist()).write(path)

    def page(
        self,
        path: str | Path | None = None,
        q: ArrayLike | None = None,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
    ) -> StatePage:
        """A page of this system at (q, qd, qdd), to move in three dimensions with its physics computed in the page.

        Torques by cause, mass matrix and energies follow the joints; no server and no network is needed. ``path``
        writes it as HTML; in a notebook the page shows itself. Positions are those that the report draws first where
        none are given, velocities and accelerations zero.
        """
        from ..report.state_page import state_page

        if not isinstance(path, str | PathLike | NoneType):
            raise ArmError(f"a page takes its file first, then the state: page(q=...), not page({path!r:.40})")
        page = state_page(self, q, qd, qdd)
        if path is not None:
            page.write(path)
        return page

    def replay(self, motion: Motion, path: str | Path | None = None) -> MotionPage:
        """``motion`` in the 3D view of the report: ``path`` writes the page, and in a notebook it shows itself."""
        from ..report.replay import MotionPage
        from ..simulation.motion import Motion

        if not isinstance(motion, Motion):
            raise ArmError(f"a replay is of a motion, as simulate gives it, not of {motion!r:.60}")
        if motion.joint_names != self.joint_names:
            raise ArmError(
                f"{self.name}: the motion is one of {motion.name!r:.60}, whose joints are others; ask that arm"
            )
        page = MotionPage(self, motion)
        if path is not None:
            page.write(path)
        return page

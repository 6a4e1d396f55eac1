"""``arm.report(path)``: one self-contained page on what matters in the arm."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ..arm.description import ArmDescription
from ..arm.inertia import Load

if TYPE_CHECKING:
    from ..reduction.states import Amounts
    from ..report.assemble import Report
    from ..simulation.motion_files import Given


class Reporting:
    """What an arm tells about itself on a page."""

    def report(
        self,
        path: str | Path | None = None,
        *,
        load: Load | None = None,
        box: Mapping[str | int, tuple[float, float]] | None = None,
        speed: Amounts = None,
        acceleration: Amounts = None,
        tolerances: Sequence[float] = (0.05, 0.01),
        pose: Sequence[float] | None = None,
        motion: Given = None,
        against: ArmDescription | None = None,
        pdf: str | Path | None = None,
        csv: str | Path | None = None,
        json: str | Path | None = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> Report:
        """Write the report of this arm and give its sections and tables.

        ``path`` is the HTML page, ``pdf`` the same printed (needs Chromium or Chrome), ``csv`` a folder for all tables,
        ``json`` one file with them. ``load`` is compared with the empty hand; ``box`` narrows or widens the joints'
        ranges, ``{"joint3": (0.2, 0.9)}``; ``speed`` and ``acceleration`` say which motion counts (one number, one for
        each joint, or a table by joint); ``tolerances`` are those of the reduced models; ``pose`` is where the drawing
        starts. ``motion`` judges the terms along a motion beside all states: a CSV file, (q, qd, qdd), a simulated
        motion or a trajectory. ``against`` is another design to set beside this one.
        ``progress(what, done, total)`` is called as the work goes on.
        """
        from ..report.write import write_report

        return write_report(
            cast(ArmDescription, self),
            path,
            load=load,
            box=box,
            speed=speed,
            acceleration=acceleration,
            tolerances=tolerances,
            pose=pose,
            motion=motion,
            against=against,
            pdf=pdf,
            csv=csv,
            json=json,
            progress=progress,
        )

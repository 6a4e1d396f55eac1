"""The report as files: the page, its tables as CSV or JSON beside it, and the page as PDF."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path

from ..arm.errors import ArmError
from ..arm.io.whole_files import made_folder, replacing, write_whole
from ..reduction.states import Amounts
from ..simulation.motion_files import MotionSource, motion_of
from ..systems.arm_system import ArmSystem
from .assemble import Question, Report, report
from .html.browser import NONE_FOUND, find_browser, write_pdf
from .html.page import page
from .html.page_files import page_file, write_page
from .progress import no_progress


def write_report(
    system: ArmSystem,
    path: str | Path | None = None,
    *,
    box: Mapping[str | int, tuple[float, float]] | None = None,
    speed: Amounts = None,
    acceleration: Amounts = None,
    tolerances: Sequence[float] = (0.05, 0.01),
    pose: Sequence[float] | None = None,
    motion: MotionSource = None,
    against: ArmSystem | None = None,
    pdf: str | Path | None = None,
    csv: str | Path | None = None,
    json: str | Path | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Report:
    """Work out the report of a system and write what is asked for; ``Arm.report`` says what is what."""
    if pose is not None and len(pose) != system.n:
        raise ArmError(f"{system.where}the pose has {len(pose)} values; {system.name} has {system.n} joints that move")
    if pdf is not None and find_browser() is None:
        # Said before the work, not after it.
        raise ArmError(NONE_FOUND)
    pose_ = tuple(float(x) for x in pose) if pose is not None else None
    samples = motion_of(system, motion) if motion is not None else None
    question = Question(system, box, speed, acceleration, tuple(tolerances), pose_, samples, against)
    file = page_file(path) if path is not None else None

    def keep(partial_report: Report) -> None:
        if file is not None:
            write_page(file, html(partial_report))

    # Kept section by section: whoever interrupts the work has what was done.
    written = report(question, progress or no_progress, keep)
    keep(written)
    if pdf is not None:
        with tempfile.TemporaryDirectory(prefix="dalembert-report-") as folder:
            source = Path(folder, "report.html")
            source.write_text(html(written), encoding="utf-8")
            with replacing(pdf) as temporary:
                write_pdf(source, temporary)
    if csv is not None:
        write_csv(written, Path(csv))
    if json is not None:
        write_json(written, Path(json))
    return written


def html(report: Report) -> str:
    """The page as text."""
    return page(report.arm.name, report.arm.title, report.glance, report.sections)


def write_csv(report: Report, folder: Path) -> list[Path]:
    """One file for each table and figure in ``folder``, which is made if it is not there."""
    made_folder(folder)
    paths = []
    for section in report.sections:
        for table in section.tables:
            path = folder / f"{section.name}-{table.name}.csv"
            write_whole(path, table.csv())
            paths.append(path)
    return paths


def write_json(report: Report, path: Path) -> None:
    """All tables and figures in one file, with what each section says."""
    content = {
        "arm": report.arm.name,
        "sections": {
            section.name: {
                "title": section.title,
                "meaning": plain(str(section.meaning)),
                "tables": {table.name: table.records() for table in section.tables},
            }
            for section in report.sections
        },
    }
    write_whole(path, json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def plain(markup: str) -> str:
    """A sentence without its tags."""
    words: list[str] = []

    class Reader(HTMLParser):
        def handle_data(self, data: str) -> None:
            words.append(data)

    Reader().feed(markup)
    return "".join(words)

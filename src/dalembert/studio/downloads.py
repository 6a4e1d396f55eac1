"""What can be taken away: the present design as files, each in memory."""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from ..api.questions import SystemQuestions
from ..arm.io.toml_writer import write_toml
from ..arm.io.urdf_writer import write_urdf
from ..compile.write_c import identifier
from .design import Design

ZIP_DATE = (1980, 1, 1, 0, 0, 0)
"""The date of files in an archive, so that the same design gives the same bytes."""


def arm_file(design: Design) -> tuple[str, bytes]:
    """The arm as TOML, with what was changed told in its head."""
    header = "".join(f"# changed: {line}\n" for line in design.change_lines())
    return f"{identifier(design.arm.name)}.toml", (header + write_toml(design.system)).encode()


def urdf_file(design: Design) -> tuple[str, bytes]:
    """The arm as URDF."""
    return f"{identifier(design.arm.name)}.urdf", write_urdf(design.system).encode()


def latex_file(design: Design) -> tuple[str, bytes]:
    """The equations of motion as a LaTeX document."""
    from ..equations.document import document

    return f"{identifier(design.arm.name)}.tex", document(design.system.equations(), form="tex").encode()


def c_files(design: Design) -> tuple[str, bytes]:
    """Functions for a controller as C99, in an archive."""
    names = ["inverse_dynamics", "gravity_load", *(["computed_torques"] if design.system.counts_drives else [])]

    def write(folder: Path) -> None:
        for name in names:
            design.system.write_c(name, folder)

    return f"{identifier(design.arm.name)}-c.zip", zipped(write)


def picture_file(design: Design, q: list[float]) -> tuple[str, bytes]:
    """The arm at a pose as SVG."""
    from ..report.arm_picture import arm_picture

    return f"{identifier(design.arm.name)}.svg", arm_picture(design.system, q).svg().encode()


def page_file(design: Design, q: list[float], qd: list[float]) -> tuple[str, bytes]:
    """A page of the arm as it stands, with its physics, that needs no server."""
    from ..report.state_page import state_page

    changed = [f"Changed: {line}" for line in design.change_lines()]
    return f"{identifier(design.arm.name)}.html", state_page(design.system, q, qd, remarks=changed).html.encode()


def fmu_file(design: Design) -> tuple[str, bytes]:
    """The system as an FMU, for other simulators."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{identifier(design.arm.name)}.fmu")
        design.system.write_fmu(path)
        return path.name, path.read_bytes()


def report_file(design: Design, progress: Callable[[str, int, int], None] | None = None) -> tuple[str, bytes]:
    """The report of the present design, one page that needs no server."""
    system: SystemQuestions = design.system
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "report.html")
        system.report(page, progress=progress)
        return f"{identifier(design.arm.name)}-report.html", page.read_bytes()


def zipped(write: Callable[[Path], None]) -> bytes:
    """An archive of what ``write`` puts into a folder."""
    buffer = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(Path(folder).rglob("*")):
                if file.is_file():
                    name = file.relative_to(folder).as_posix()
                    archive.writestr(zipfile.ZipInfo(name, ZIP_DATE), file.read_bytes())
    return buffer.getvalue()

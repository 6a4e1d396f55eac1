"""Take it away: files of the present design, from buttons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from . import downloads
from .background import Background
from .design import Design

if TYPE_CHECKING:
    from .mechanism_studio import MechanismStudio
    from .studio import Studio

FILES: dict[str, Callable[[Design], tuple[str, bytes]]] = {
    "arm file (TOML)": downloads.arm_file,
    "URDF": downloads.urdf_file,
    "C for a controller (zip)": downloads.c_files,
    "FMU (zip)": downloads.fmu_file,
    "equations (LaTeX)": downloads.latex_file,
}


class FilesPanel:
    """A button for each file; what takes long is written in the background."""

    def __init__(
        self,
        studio: Studio | MechanismStudio,
        say: Callable[[str], None],
        files: Mapping[str, Callable[[Any], tuple[str, bytes]]],
    ) -> None:
        """``files`` are made of ``studio.design``."""
        self.studio, self.say = studio, say
        self.background = Background("studio files")
        gui: Any = studio.server.gui
        for label, make in files.items():
            gui.add_button(label).on_click(lambda event, label=label, make=make: self._send(label, make, event.client))

    def _send(self, label: str, make: Callable[[Any], tuple[str, bytes]], client: Any) -> None:
        design = self.studio.design
        self.say(f"{label}: being written ...")

        def done(result: tuple[str, bytes] | None, fault: Exception | None) -> None:
            if result is None:
                self.say(f"{label}: {fault}")
                return
            self.say("")
            (client or self.studio.server).send_file_download(*result, save_immediately=True)

        self.background.ask(lambda tell: make(design), done)

"""Record it: the motion as a table, and as pictures that the browser draws."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..arm.errors import ArmError
from ..compile.write_c import identifier
from .recording import archive, film, frame_times, pictures

if TYPE_CHECKING:
    from .motion_panel import MotionPanel
    from .motion_run import MotionRun

ARRIVAL = 0.05
"""Time (s) that a scene has to reach the browser before it is drawn."""


class RecordPanel:
    """Buttons that save the motion that is shown."""

    def __init__(self, panel: MotionPanel) -> None:
        self.panel, self.studio = panel, panel.studio
        gui: Any = self.studio.server.gui
        with gui.add_folder("record"):
            gui.add_button("motion (CSV)").on_click(lambda event: self._save(".csv", event.client))
            gui.add_button("motion (NetCDF)").on_click(lambda event: self._save(".nc", event.client))
            self.rate = gui.add_number("frames a second", 15.0, min=1.0, max=60.0, step=1.0)
            gui.add_button("film (GIF)").on_click(lambda event: self._film(event.client, True))
            gui.add_button("frames (PNG, zip)").on_click(lambda event: self._film(event.client, False))

    def _current_run(self) -> MotionRun | None:
        if self.panel.shown is None:
            self.panel.tell("nothing to record yet: simulate, or read a file")
        return self.panel.shown

    def _save(self, ending: str, client: Any) -> None:
        run = self._current_run()
        if run is None:
            return
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"motion{ending}")
            run.motion.save(path)
            self._send(client, f"{identifier(run.motion.name)}-motion{ending}", path.read_bytes())

    def _film(self, client: Any, as_gif: bool) -> None:
        run = self._current_run()
        if run is None or client is None:
            return
        rate = float(self.rate.value)
        stem = identifier(run.motion.name)
        self.studio.player.pause()

        def work(given_up: Callable[..., None]) -> tuple[str, bytes]:
            def tell(done: int, count: int) -> None:
                given_up()
                self.panel.tell(f"frame {done + 1} of {count} is drawn by the browser ...")

            times = frame_times(float(run.motion.t[0]), float(run.motion.t[-1]), rate)
            frames = pictures(client, times, self._show, tell)
            return (f"{stem}.gif", film(frames, rate)) if as_gif else (f"{stem}-frames.zip", archive(frames, times))

        def done(result: tuple[str, bytes] | None, fault: Exception | None) -> None:
            self.panel.stop.visible = False
            self.panel.tell("" if result is not None else str(fault))
            if result is not None:
                self._send(client, *result)
            elif not isinstance(fault, ArmError):
                raise fault if fault is not None else AssertionError

        self.panel.stop.visible = True
        self.panel.background.ask(work, done)

    def _show(self, moment: float) -> None:
        """Bring the scene to a time, and wait until it is there."""
        self.studio.player.seek(moment)
        self.studio.refresher.settle()
        self.studio.server.flush()
        time.sleep(ARRIVAL)

    def _send(self, client: Any, name: str, content: bytes) -> None:
        (client or self.studio.server).send_file_download(name, content, save_immediately=True)

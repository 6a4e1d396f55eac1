"""A motion played: time goes on while it plays, and can be set by hand."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..simulation.motion import Motion

Array = NDArray[np.float64]
FRAMES = 30.0
"""Pictures a second."""


class MotionPlayer:
    """Calls ``show(time, q, qd)`` as a motion plays; ``rate`` is how fast time goes on."""

    def __init__(self, show: Callable[[float, Array, Array], None]) -> None:
        self.show, self.rate = show, 1.0
        self.motion: Motion | None = None
        self.time = 0.0
        self._playing = threading.Event()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="studio player", daemon=True)
        self._thread.start()

    def load(self, motion: Motion) -> None:
        """Take a motion, at its beginning."""
        self._playing.clear()
        self.motion, self.time = motion, float(motion.t[0])

    @property
    def playing(self) -> bool:
        """Whether time goes on."""
        return self._playing.is_set()

    def play(self) -> None:
        """Let time go on, from the beginning where the end was reached."""
        if self.motion is None:
            return
        if self.time >= self.motion.t[-1]:
            self.time = float(self.motion.t[0])
        self._playing.set()

    def pause(self) -> None:
        """Stop time."""
        self._playing.clear()

    def seek(self, moment: float) -> None:
        """Show the state at a time."""
        if self.motion is None:
            return
        self.time = float(np.clip(moment, self.motion.t[0], self.motion.t[-1]))
        q, qd = self.state(self.time)
        self.show(self.time, q, qd)

    def state(self, moment: float) -> tuple[Array, Array]:
        """Positions and velocities at a time, between samples by straight lines."""
        assert self.motion is not None
        t = np.asarray(self.motion.t)
        return tuple(  # type: ignore[return-value]
            np.array([np.interp(moment, t, column) for column in np.asarray(values).T])
            for values in (self.motion.q, self.motion.qd)
        )

    def close(self) -> None:
        """End the thread."""
        self._closed.set()
        self._playing.set()
        self._thread.join(timeout=2)

    def _run(self) -> None:
        while True:
            self._playing.wait()
            if self._closed.is_set():
                return
            began = time.monotonic()
            self._closed.wait(1 / FRAMES)
            if not self._playing.is_set() or self.motion is None:
                continue
            self.seek(self.time + self.rate * (time.monotonic() - began))
            if self.motion is not None and self.time >= self.motion.t[-1]:
                self._playing.clear()

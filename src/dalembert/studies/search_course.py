"""How far the search for a best design has come: stages, each a share of what is left of the bar."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, float], None]
"""What is being done, and the share of the work that is."""

HALF = 200
"""Designs after which half of a stage counts as done: how many it will take nobody knows."""


class SearchCourse:
    """Tells of every design that is tried; the share never goes back."""

    def __init__(self, progress: Progress | None) -> None:
        self.progress = progress or (lambda text, share: None)
        self.label, self.start, self.width, self.tried = "", 0.0, 0.0, 0

    def begin(self, label: str, of_what_is_left: float) -> None:
        """The next stage; what was left of the last one is done."""
        self.start += self.width
        self.label, self.width, self.tried = label, (1 - self.start) * of_what_is_left, 0
        self.tell()

    def tell(self, more: str = "") -> None:
        """One more design of the stage."""
        share = self.start + self.width * self.tried / (self.tried + HALF)
        self.tried += 1
        self.progress(f"{self.label}{more}", share)

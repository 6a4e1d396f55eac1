"""How far the work has come, for a progress bar that moves all along and says what is being done."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, int, int], None]
"""What is being done, how much is done, and of how much."""
WHOLE = 1000
HALF = 25
"""Words about a step after which half of it counts as done; nobody knows beforehand how many there will be."""


def no_progress(step: str, done: int, total: int) -> None:
    """Says nothing."""


class Following:
    """Steps of known weight one after another; within a step each ``tell`` goes a little further, never back."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.ends: list[float] = []
        self.step, self.words, self.label = -1, 0, ""

    def expect(self, weights: Iterable[float]) -> None:
        """The weights of all steps, in their order."""
        total = 0.0
        for weight in weights:
            total += weight
            self.ends.append(total)

    def begin(self, label: str) -> None:
        """The next step; what was left of the last one is done."""
        self.step, self.words, self.label = self.step + 1, 0, label
        self._say(label)

    def tell(self, text: str) -> None:
        """Something within the step."""
        self.words += 1
        self._say(f"{self.label}: {text}")

    def _say(self, step: str) -> None:
        start, end = (self.ends[k] if 0 <= k < len(self.ends) else 0.0 for k in (self.step - 1, self.step))
        done = start + max(end - start, 0.0) * self.words / (self.words + HALF)
        self.progress(step, round(WHOLE * done / self.ends[-1]), WHOLE)

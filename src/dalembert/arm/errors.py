"""What goes wrong with the description of an arm, said so that a person can mend it."""

import sys
from typing import Any

LONGEST_SENTENCE = 600
"""Longest message (characters); of a longer one the beginning, which names the culprit, and the end, the remedy."""
HEAD, TAIL = 380, 200


def printable(text: str) -> str:
    """The text with control characters spelled out: a name from a file must not steer the terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def sentence(text: str) -> str:
    """A message on one line and of bounded length, whatever names and values from files stand in it."""
    if len(text) > LONGEST_SENTENCE:
        text = f"{text[:LONGEST_SENTENCE]} [...] {text[-TAIL:]}"
    escaped = printable(text)  # a control character is several once it is spelled out
    return escaped if len(escaped) <= LONGEST_SENTENCE else f"{escaped[:HEAD]} [...] {escaped[-TAIL:]}"


class ArmError(ValueError):
    """A description, a state or a request that cannot be used; the message names the culprit and the remedy."""

    def __init__(self, text: str) -> None:
        super().__init__(sentence(text))


class UnreachableError(ArmError):
    """Coordinates that a mechanism cannot take, or not in its assembly mode."""


class SimulationError(ArmError):
    """A simulation that could not continue; ``motion`` holds the part up to the failure."""

    def __init__(self, text: str, motion: Any = None) -> None:
        super().__init__(text)
        self.motion = motion


class SimulationInterrupt(KeyboardInterrupt):
    """Ctrl-C during a simulation; ``motion`` holds the part up to there."""

    def __init__(self, text: str, motion: Any) -> None:
        super().__init__(sentence(text))
        self.motion = motion


class PhysicalWarning(UserWarning):
    """Published numbers that no real body can have; they are used exactly as given."""


class SkippedWarning(UserWarning):
    """Parts of a file that say nothing this package reads; they are named, so that nothing is lost in silence."""


class AssemblyWarning(UserWarning):
    """A guess of a closed configuration that leads to none; another one, found from a random start, is taken."""


class RoundedWarning(UserWarning):
    """Numbers of a file that are rounded: angles read as those they are rounded from, zeros with rounding errors."""


class TurnWarning(UserWarning):
    """Fixed angles of more than a turn, where degrees were meant, perhaps; they are used as given, in radians."""


class UnitWarning(UserWarning):
    """Lengths, moments of inertia or limits so large that another unit was meant, perhaps; they are used as given."""


class ToleranceWarning(UserWarning):
    """A model is asked for what its tolerance was not meant for; its error is proved there too, and is larger."""


def caller_level() -> int:
    """The ``stacklevel`` that makes a warning point at the line outside this package that called it."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == __name__.split(".")[0]:
        frame, level = frame.f_back, level + 1
    return level

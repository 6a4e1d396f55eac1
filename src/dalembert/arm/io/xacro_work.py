"""How much work one xacro file may ask for: a few short lines of macros can stand for more than fits any memory."""

from __future__ import annotations

from collections import Counter

from ..errors import ArmError
from .xml_text import LONGEST_TEXT, MOST_ELEMENTS

MOST: dict[str, tuple[int, str]] = {
    "files": (200, "includes more than {} files, or itself; mend it"),
    "elements": (MOST_ELEMENTS, "grows to more than {} elements; leave out what is not the arm"),
    "characters": (LONGEST_TEXT, "grows to more than {} characters; leave out what is not the arm"),
    "steps": (500_000, "asks for more than {} steps of macros and conditions; shorten it"),
    "expressions": (500_000, "has more than {} expressions to work out; shorten it"),
    "characters of expressions": (1_000_000, "has more than {} characters of expressions to work out; shorten it"),
    "characters of YAML": (400_000, "reads more than {} characters of YAML files; shorten them"),
}
"""What is counted, its bound, and what is said beyond. Steps are elements, attributes and parameters that are gone
through, also those of xacro itself. Each bound is a few seconds of work, or less.
"""


class WorkCount:
    """The work that one file has asked for so far."""

    def __init__(self, origin: str) -> None:
        self.origin, self.counts = origin, Counter[str]()

    def spend(self, what: str, count: int = 1) -> None:
        """So many more; refused where they are too many."""
        self.counts[what] += count
        most, sentence = MOST[what]
        if self.counts[what] > most:
            raise ArmError(f"{self.origin}: {sentence.format(f'{most:,}')}")

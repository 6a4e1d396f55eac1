"""What is said beside a result: lines on stderr, in which no name from a file can steer the terminal."""

import contextlib
import sys

from dalembert.arm.errors import printable


def tell(text: str) -> None:
    """One line on stderr; that nobody reads it any more is no reason to end."""
    with contextlib.suppress(BrokenPipeError):
        print(printable(text), file=sys.stderr)


def note(text: str) -> None:
    """One note."""
    tell(f"note: {text}")

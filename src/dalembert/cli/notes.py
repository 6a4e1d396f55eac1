"""Notes beside a result: one line each on stderr, in which no name from a file can steer the terminal."""

import sys

from dalembert.arm.errors import printable


def note(text: str) -> None:
    """One note."""
    print(f"note: {printable(text)}", file=sys.stderr)

"""Writing a certificate once everything else is printed: it may take longer than what it is about."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from .notes import note

CertificateOption = Annotated[
    Path | None,
    typer.Option("--certificate", metavar="FILE", help="Write what is proved, for 'dalembert check FILE'."),
]


def write_after(write: Callable[[], Path], path: Path, result: str, as_json: bool) -> None:
    """Write a certificate; an interrupt (Ctrl-C) says what there is without it."""
    try:
        destination = write()
    except KeyboardInterrupt:
        note(f"interrupted; {path} was not written, and {result} above is proved as it stands")
        raise
    print(f"wrote {destination}", file=sys.stderr if as_json else sys.stdout)

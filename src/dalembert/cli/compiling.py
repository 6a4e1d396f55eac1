"""The words of the command that are about compiled code."""

from __future__ import annotations

import typer

from . import bench_command as bench
from . import codegen_command as codegen
from . import operations_command as operations


def register(app: typer.Typer) -> None:
    """Add ``codegen``, ``operations`` and ``bench``."""
    app.command("codegen")(codegen.codegen)
    app.command("operations")(operations.operations)
    app.command("bench")(bench.bench)

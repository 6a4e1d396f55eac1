"""``dalembert convert``: an arm in another format."""

from __future__ import annotations

import enum
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.arm.io.urdf_writer import omissions
from dalembert.arm.io.whole_files import write_whole

from .notes import note
from .system_options import arm_command


class Format(enum.StrEnum):
    """What is written."""

    URDF = "urdf"
    TOML = "toml"
    DH = "dh"


@arm_command
def convert(
    arm: da.Arm,
    to: Annotated[Format, typer.Option("--to", help="The format to write.")],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="File to write; stdout if left out.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Write an arm as URDF, as a TOML arm file, or as one made of Denavit-Hartenberg rows."""
    writers: dict[Format, Callable[[], str]]
    writers = {Format.URDF: arm.write_urdf, Format.TOML: arm.write_toml, Format.DH: arm.write_dh}
    text = writers[to]()
    text = text if text.endswith("\n") else text + "\n"
    if to is Format.DH:
        note_adjustment(arm)
    for omission in omissions(arm) if to is Format.URDF else ():
        note(omission)
    if output is None:
        print(text, end="")
        return
    try:
        write_whole(output, text, over=force)
    except FileExistsError:
        raise ArmError(f"{output} is there already; name another file, or write over it with --force") from None


def note_adjustment(arm: da.Arm) -> None:
    """One note on stderr if axes had to move a little to fit the rows."""
    form = arm.to_dh()
    if form.turned or form.shifted:
        note(
            f"to fit Denavit-Hartenberg rows, axes were turned by {form.turned:.2g} rad and moved by "
            f"{form.shifted:.2g} m at most"
        )

"""``dalembert convert``: an arm in another format."""

from __future__ import annotations

import enum
import sys
from pathlib import Path
from typing import Annotated

import typer

import dalembert as da
from dalembert.arm.errors import ArmError

from .system_options import AnglesAre, AnglesOption, ArmArgument, CleanOption, Mimicking, MimicOption, load_arm


class Format(enum.StrEnum):
    """What is written."""

    URDF = "urdf"
    TOML = "toml"
    DH = "dh"


def convert(
    arm: ArmArgument,
    to: Annotated[Format, typer.Option("--to", help="The format to write.")],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="File to write; stdout if left out.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    angles: AnglesOption = AnglesAre.MEANT,
    clean: CleanOption = None,
    mimic: MimicOption = Mimicking.REFUSE,
) -> None:
    """Write an arm as URDF, as a TOML arm file, or as one made of Denavit-Hartenberg rows."""
    given = load_arm(arm, angles, clean, mimic)
    text = {Format.URDF: given.write_urdf, Format.TOML: given.write_toml, Format.DH: given.write_dh}[to]()
    text = text if text.endswith("\n") else text + "\n"
    if to is Format.DH:
        note_adjustment(given)
    if output is None:
        print(text, end="")
        return
    try:
        with output.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ArmError(f"{output} is there already; name another file, or write over it with --force") from None


def note_adjustment(arm: da.Arm) -> None:
    """One note on stderr if axes had to move a little to fit the rows."""
    form = arm.to_dh()
    if form.turned or form.shifted:
        print(
            f"note: to fit Denavit-Hartenberg rows, axes were turned by {form.turned:.2g} rad and moved by "
            f"{form.shifted:.2g} m at most",
            file=sys.stderr,
        )

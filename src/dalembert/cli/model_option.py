"""``--model``: a shorter model in place of the exact system, read here for every command that takes one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from dalembert.arm.errors import ArmError

from .notes import note
from .reducing_bar import reducing_bar

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System
    from dalembert.reduction.program_system import ProgramSystem

ModelOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME:SHARE",
        help="A shorter model in place of the exact one: reduced:0.05 (within this share of every joint's largest "
        "torque), or short-forms:0.05 (D_ii and G_i within this share of their largest values; short-forms:0.05:none "
        "without velocity terms).",
    ),
]


def read_model(text: str, system: System) -> ProgramSystem:
    """The model of ``system`` that --model describes."""
    name, *parts = text.split(":")
    usage = f"--model takes reduced:SHARE or short-forms:SHARE[:VELOCITY], as in short-forms:0.05, not {text!r}"
    if name not in ("reduced", "short-forms") or not 1 <= len(parts) <= (2 if name == "short-forms" else 1):
        raise ArmError(usage)
    try:
        share = float(parts[0])
    except ValueError:
        raise ArmError(usage) from None
    ask = system.analysis()
    velocity = parts[1] if parts[1:] else "christoffel"
    with reducing_bar() as tell:
        if name != "reduced":
            return ask.short_forms(tolerance=share, velocity=velocity, progress=tell)
        model = ask.reduce(share, progress=tell)
    if model.interrupted:
        # what it would be a part of was not asked for with just any model
        note(f"interrupted; the shortest model proved so far takes {model.after.total} operations and is not used")
        raise KeyboardInterrupt
    return model

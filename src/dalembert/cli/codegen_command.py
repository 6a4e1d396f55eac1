"""``dalembert codegen``: a function of an arm or a mechanism as C for a controller, or as CUDA."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.arm.errors import ArmError
from dalembert.compile.cuda.write_cuda import write_cuda
from dalembert.compile.functions import FUNCTIONS
from dalembert.compile.functions import function as function_of
from dalembert.compile.write_c import write_c
from dalembert.mechanisms.mechanism_code import WRITTEN

from .model_option import ModelOption, read_model
from .printing import say
from .system_options import code_command

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System
    from dalembert.mechanisms.mechanism import Mechanism


class CodeLanguage(enum.StrEnum):
    """What is written."""

    C = "c"
    CUDA = "cuda"


class Precision(enum.StrEnum):
    """How numbers are kept."""

    FLOAT64 = "float64"
    FLOAT32 = "float32"


class Kept(enum.StrEnum):
    """Which numbers stay arguments."""

    INERTIAL = "inertial"
    LOAD = "load"
    ALL = "all"


@code_command
def codegen(
    system: System | Mechanism,
    function: Annotated[
        list[str],
        typer.Option(
            "--function",
            "-f",
            help=f"One of {', '.join(FUNCTIONS)}, or of a mechanism {', '.join(WRITTEN)}; may be repeated: one folder "
            "has them all.",
        ),
    ] = ["inverse_dynamics"],  # noqa: B006 - read, never changed
    lang: Annotated[CodeLanguage, typer.Option("--lang", help="The language to write.")] = CodeLanguage.C,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder to write into; made if it is not there.")
    ] = Path("controller"),
    dtype: Annotated[Precision, typer.Option("--dtype", help="Precision of all numbers.")] = Precision.FLOAT64,
    parameters: Annotated[
        Kept | None, typer.Option("--parameters", help="Numbers of the arm to keep as an argument, not built in.")
    ] = None,
    model: ModelOption = None,
    newton: Annotated[
        int | None,
        typer.Option("--newton", help="Of a mechanism: steps of Newton from a guess to the coordinates; 3."),
    ] = None,
) -> None:
    """Write functions as C99 without dependencies (with headers, tests and a CMake file), or as CUDA for nvcc."""
    from dalembert.mechanisms.mechanism import Mechanism
    from dalembert.mechanisms.mechanism_code import NEWTON

    if isinstance(system, Mechanism):
        if lang is not CodeLanguage.C or parameters is not None or model is not None:
            raise ArmError(
                f"{system.name}: a mechanism is written as C with its numbers built in; leave --lang, --parameters and "
                f"--model out"
            )
        steps = NEWTON if newton is None else newton
        written = [file for name in function for file in system.write_c(name, output, steps, dtype.value)]
        for file in dict.fromkeys(written):
            say(str(file))
        return
    if newton is not None:
        raise ArmError("--newton belongs to mechanisms; leave it out for an arm")
    write = write_cuda if lang is CodeLanguage.CUDA else write_c
    if model is not None:
        if parameters is not None:
            raise ArmError("--parameters keeps numbers of the exact system; leave it out with --model")
        shorter = read_model(model, system)
        made = [shorter.function(name) for name in function]
    else:
        made = [function_of(system, name, parameters.value if parameters else None) for name in function]
    files = [file for each in made for file in write(each, output, dtype.value)]
    for file in dict.fromkeys(files):
        say(str(file))

"""``dalembert codegen``: a function of an arm as C for a controller, or as CUDA."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer

from dalembert.compile.cuda.write_cuda import write_cuda
from dalembert.compile.functions import BUILDERS
from dalembert.compile.write_c import write_c

from .arguments import ArmArgument, load
from .printing import say


class Language(enum.StrEnum):
    C = "c"
    CUDA = "cuda"


class Precision(enum.StrEnum):
    FLOAT64 = "float64"
    FLOAT32 = "float32"


class Kept(enum.StrEnum):
    INERTIAL = "inertial"
    LOAD = "load"
    ALL = "all"


def codegen(
    arm: ArmArgument,
    function: Annotated[
        str, typer.Option("--function", "-f", help=f"One of {', '.join(BUILDERS)}.")
    ] = "inverse_dynamics",
    lang: Annotated[Language, typer.Option("--lang", help="The language to write.")] = Language.C,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder to write into; made if it is not there.")
    ] = Path("controller"),
    dtype: Annotated[Precision, typer.Option("--dtype", help="Precision of all numbers.")] = Precision.FLOAT64,
    parameters: Annotated[
        Kept | None, typer.Option("--parameters", help="Numbers of the arm to keep as an argument, not built in.")
    ] = None,
) -> None:
    """Write a function as C99 without dependencies (with header, test program and CMake file), or as CUDA for nvcc."""
    write = write_cuda if lang is Language.CUDA else write_c
    files = write(load(arm), function, output, dtype.value, parameters.value if parameters else None)
    for file in files:
        say(str(file))

"""``dalembert codegen``: a function of an arm or a mechanism as C for a controller, or as CUDA; a system as an FMU."""

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

from .fmu_options import FmuRequest, fmu_command
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


class KeptNumbers(enum.StrEnum):
    """Which numbers stay arguments."""

    INERTIAL = "inertial"
    LOAD = "load"
    ALL = "all"


@fmu_command
@code_command
def codegen(
    system: System | Mechanism,
    function: Annotated[
        list[str] | None,
        typer.Option(
            "--function",
            "-f",
            help=f"One of {', '.join(FUNCTIONS)}, or of a mechanism {', '.join(WRITTEN)}; inverse_dynamics by default; "
            "may be repeated: one folder has them all.",
        ),
    ] = None,
    lang: Annotated[CodeLanguage, typer.Option("--lang", help="The language to write.")] = CodeLanguage.C,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Folder to write into, made if it is not there; controller by default."),
    ] = None,
    dtype: Annotated[
        Precision | None, typer.Option("--dtype", help="Precision of all numbers; float64 by default.")
    ] = None,
    parameters: Annotated[
        KeptNumbers | None,
        typer.Option(
            "--parameters",
            metavar="KIND",
            help=f"Numbers of the arm to keep as an argument, not built in: {', '.join(KeptNumbers)}.",
        ),
    ] = None,
    cpp: Annotated[bool, typer.Option("--cpp", help="Write a C++ header around each C function too.")] = False,
    rust: Annotated[bool, typer.Option("--rust", help="Write a Rust module (no_std) around each C function too.")] = (
        False
    ),
    model: ModelOption = None,
    *,
    fmu: FmuRequest,
    newton: Annotated[
        int | None,
        typer.Option("--newton", help="Of a mechanism: steps of Newton from a guess to the coordinates; 3."),
    ] = None,
) -> None:
    """Write functions as C99 without dependencies, or as CUDA for nvcc; or with --fmu the system as an FMU."""
    from dalembert.mechanisms.mechanism import Mechanism

    fmu.refuse_without_file()
    if fmu.path is not None and (function is not None or output is not None or dtype is not None):
        raise ArmError(
            "--fmu writes the whole system in float64 to its file; leave -f, -o and --dtype out, or write C apart"
        )
    folder, precision = output or Path("controller"), (dtype or Precision.FLOAT64).value
    names = list(dict.fromkeys(function or ["inverse_dynamics"]))  # each once, however often it is asked for
    if isinstance(system, Mechanism):
        if lang is not CodeLanguage.C or parameters is not None or model is not None or cpp or rust:
            raise ArmError(
                f"{system.name}: a mechanism is written as C with its numbers built in; leave --lang, --parameters, "
                f"--model, --cpp and --rust out"
            )
        if fmu.path is not None:
            if newton is not None:
                raise ArmError("--fmu writes the whole system; leave --newton out, or write C apart")
            say(fmu.write_mechanism(system))
            return
        say_code_of(system, names, folder, newton, precision)
        return
    if newton is not None:
        raise ArmError("--newton belongs to mechanisms; leave it out for an arm")
    if model is not None and parameters is not None:
        raise ArmError("--parameters keeps numbers of the exact system; leave it out with --model")
    shorter = None if model is None else read_model(model, system)
    if fmu.path is not None:
        if parameters is not None or lang is CodeLanguage.CUDA or cpp or rust:
            raise ArmError(
                "--fmu writes the whole system; leave --parameters, --lang, --cpp and --rust out, or write C apart"
            )
        say(fmu.write(shorter or system))
        return
    wrappers = [name for name, requested in (("c++", cpp), ("rust", rust)) if requested]
    if wrappers and lang is CodeLanguage.CUDA:
        raise ArmError("--cpp and --rust go around C; leave them out, or write --lang c")
    if shorter is not None:
        functions = [shorter.function(name) for name in names]
    else:
        functions = [function_of(system, name, parameters.value if parameters else None) for name in names]
    files: list[Path] = []
    for compiled_function in functions:
        if lang is CodeLanguage.CUDA:
            files += write_cuda(compiled_function, folder, precision)
        else:
            files += write_c(compiled_function, folder, precision, wrappers)
    for file in dict.fromkeys(files):
        say(str(file))


def say_code_of(mechanism: Mechanism, names: list[str], output: Path, newton: int | None, dtype: str) -> None:
    """Write functions of a mechanism as C, and name the files."""
    from dalembert.mechanisms.mechanism_code import NEWTON

    steps = NEWTON if newton is None else newton
    for file in dict.fromkeys(file for name in names for file in mechanism.write_c(name, output, steps, dtype)):
        say(str(file))

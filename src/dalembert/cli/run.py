"""The command as a whole: its subcommands, and how it ends when something is wrong.

Bad input ends with exit code 2 and one sentence on stderr; a warning is one short note on stderr, so that
stdout contains the result alone.
"""

from __future__ import annotations

import ast
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.resources import files
from typing import Annotated, TextIO

import typer

import dalembert as da
from dalembert.arm.errors import ArmError, sentence
from dalembert.version import __version__

from .notes import note, tell
from .spelled_out import SPELLED_OUT

BAD_INPUT = 2
INTERRUPTED = 130

COMMANDS = {
    "list": "list_command:list_arms",
    "show": "show_command:show",
    "dynamics": "dynamics_command:dynamics",
    "convert": "convert_command:convert",
    "demo": "demo_command:demo",
    "equations": "equations_command:equations",
    "structure": "structure_command:structure",
    "verify": "verify_command:verify",
    "base-parameters": "base_parameters_command:base_parameters",
    "ranges": "ranges_command:ranges",
    "reduce": "reduce_command:reduce",
    "check": "check_command:check",
    "significance": "significance_command:significance",
    "coupling": "coupling_command:coupling",
    "review": "review_command:review",
    "report": "report_command:report",
    "codegen": "codegen_command:codegen",
    "operations": "operations_command:operations",
    "bench": "bench_command:bench",
    "ik": "ik_command:ik",
    "simulate": "simulate_command:simulate",
    "mechanism": "mechanism_command:mechanism",
    "identify": "identify_command:identify",
    "study": "study_command:study",
    "excite": "excite_command:excite",
    "studio": "studio_command:studio",
    "doctor": "doctor_command:doctor",
}
"""Every subcommand: its module in this folder and its function there."""
KINDS = {"float_parsing": "a number", "int_parsing": "a whole number"}
"""What an option takes, by the name that its parser has for a value that is none."""


def application(names: Sequence[str]) -> typer.Typer:
    """The command with these subcommands; only their modules are imported."""
    app = typer.Typer(
        help="Robot-arm dynamics you can read, trust and run.",
        epilog="ARM is the name of a built-in arm (see: dalembert list) or a .toml, .urdf, .xacro, .sdf or .xml file.",
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for name in names:
        module, _, function = COMMANDS[name].partition(":")
        app.command(name)(getattr(import_module(f".{module}", __package__), function))
    app.callback(invoke_without_command=True)(root_command)
    return app


def overview() -> typer.Typer:
    """The command with all its subcommands as its help lists them, which takes none of their modules."""
    app = application([])
    for name, target in COMMANDS.items():
        module, _, function = target.partition(":")
        app.command(name, help=_docstring(module, function))(lambda: None)
    return app


def _docstring(module: str, function: str) -> str:
    """The docstring of a function, read from its source."""
    source = files(__package__) / f"{module}.py"
    for part in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(part, ast.FunctionDef) and part.name == function:
            return ast.get_docstring(part) or ""
    raise LookupError(f"{module}.py has no function {function}")


def root_command(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """Robot-arm dynamics you can read, trust and run."""
    if version:
        print(f"dalembert {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


def one_thread() -> None:
    """Let the linear algebra library work on one thread, unless the environment says how many.

    The products of proofs are small and many: waking threads for them takes several times as long as the work. The
    library reads this once, when NumPy is imported; a process that has it keeps what it has.
    """
    if "numpy" not in sys.modules:
        os.environ.setdefault("OMP_NUM_THREADS", "1")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (those of the process by default); the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    one_thread()
    if sys.stdout is None:
        # closed by whoever started this: there is nowhere to put the result
        return refuse("stdout is closed; leave it open, or lead it into a file")
    if sys.stderr is None:
        # else what is said there would stand in the result
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A terminal that cannot show a letter of somebody's name must not end the command.
            stream.reconfigure(errors=SPELLED_OUT)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = warned
            # what a command imports takes its time, too, and may be interrupted
            app = application([words[0]]) if words and words[0] in COMMANDS else overview()
            code = app(args=words, prog_name="dalembert", standalone_mode=False)
            sys.stdout.flush()
            if code == INTERRUPTED:  # the parser of options makes that of an interrupt, without a word
                raise KeyboardInterrupt
    except typer.TyperException as fault:
        return refuse(usage(fault, words))
    except ArmError as fault:
        return refuse(str(fault))
    except BrokenPipeError:
        # The reader, head for one, has what it wanted. Python would flush once more at the end and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # the same, while the console printed
            return 0
        raise
    except OSError as fault:
        return refuse(f"{fault.filename or 'output'}: {fault.strerror or fault}")
    except (KeyboardInterrupt, typer.Abort):
        tell("dalembert: interrupted")
        return INTERRUPTED
    return code if isinstance(code, int) else 0


def refuse(text: str) -> int:
    """Print an error on one line of stderr; the exit code for bad input."""
    tell(f"dalembert: {sentence(' '.join(text.split()))}")
    return BAD_INPUT


def usage(fault: typer.TyperException, words: Sequence[str]) -> str:
    """What is wrong with the command line ``words``, and where its help is."""
    message = fault.format_message().rstrip(".").replace("Value error, ", "")
    for wrong in getattr(fault.__cause__ or fault.__context__, "errors", list)():
        if wrong["type"] in KINDS:  # the parser of options has words of its own for them
            message = message.replace(wrong["msg"], f"{wrong['input']!r:.80} is not {KINDS[wrong['type']]}")
    command = " ".join(["dalembert", *(word for word in words[:1] if word in COMMANDS)])
    if "unexpected extra argument" in message:
        message += hint_at(message.rpartition("(")[2].rstrip(")").split())
    elif "No such command" in message and ("." in words[0] or words[0] in da.catalog()):
        message += f"; the command comes before the arm, as in dalembert show {words[0]}"
    return f"{message} (help: {command} --help)"


def hint_at(extra: Sequence[str]) -> str:
    """What was meant, perhaps, by words that belong to no option."""
    if all(any(letter.isdigit() for letter in word) for word in extra):
        return ": write the values of all joints as one argument, as in --q 0,0.5,1"
    if extra[0].lower() in ("true", "false", "yes", "no", "on", "off"):
        return ": an option that is on or off stands alone, as in --json"
    return ""


def warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning as a user of the command should see it: without the line of code that gave it."""
    note(str(message))

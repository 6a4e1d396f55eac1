"""The command as a whole: its words, and how it ends when something is wrong.

Bad input ends with exit code 2 and one sentence on stderr; a warning is one short note on stderr, so that
what stands on stdout is always the result alone.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, TextIO

import typer

from dalembert.arm.errors import ArmError
from dalembert.version import __version__

from . import (
    compiling,
)
from . import (
    convert_command as convert,
)
from . import (
    demo_command as demo,
)
from . import (
    dynamics_command as dynamics,
)
from . import (
    equations_command as equations,
)
from . import (
    list_command as list_arms,
)
from . import (
    mechanism_command as mechanism,
)
from . import (
    ranges_command as ranges,
)
from . import (
    reduce_command as reduce,
)
from . import (
    report_command as report,
)
from . import (
    review_command as review,
)
from . import (
    show_command as show,
)
from . import (
    significance_command as significance,
)
from . import (
    simulate_command as simulate,
)

BAD_INPUT = 2
INTERRUPTED = 130

app = typer.Typer(
    help="Robot-arm dynamics you can read, trust and run.",
    epilog="ARM is the name of a built-in arm (see: dalembert list) or a .toml, .urdf or .xml file.",
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("list")(list_arms.list_arms)
app.command("show")(show.show)
app.command("dynamics")(dynamics.dynamics)
app.command("convert")(convert.convert)
app.command("demo")(demo.demo)
for words in (equations, ranges, reduce, significance, review, report, compiling, simulate, mechanism):
    words.register(app)


@app.callback(invoke_without_command=True)
def whole(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        print(f"dalembert {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (those of the process by default); the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A terminal that cannot show a letter of somebody's name must not end the command.
            stream.reconfigure(errors="replace")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = note
            code = app(args=arguments, prog_name="dalembert", standalone_mode=False)
            sys.stdout.flush()
    except typer.TyperException as fault:
        return refuse(usage(fault))
    except ArmError as fault:
        return refuse(str(fault))
    except BrokenPipeError:
        # The reader, head for one, has what it wanted. Python would flush once more at the end and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as fault:
        return refuse(f"{fault.filename}: {fault.strerror}" if fault.filename else str(fault))
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    return code if isinstance(code, int) else 0


def refuse(sentence: str) -> int:
    print(f"dalembert: {' '.join(sentence.split())}", file=sys.stderr)
    return BAD_INPUT


def usage(fault: typer.TyperException) -> str:
    """What is wrong with the command line, and where its help is."""
    sentence = fault.format_message().rstrip(".").replace("Value error, ", "")
    command = getattr(getattr(fault, "ctx", None), "command_path", "dalembert")
    if "unexpected extra argument" in sentence and command.endswith(" dynamics"):
        sentence += ": write the values of all joints as one argument, as in --q 0,0.5,1"
    return f"{sentence} (help: {command} --help)"


def note(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning as a user of the command should see it: without the line of code that gave it."""
    print(f"note: {message}", file=sys.stderr)

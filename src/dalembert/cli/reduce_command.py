"""``dalembert reduce``: a shorter model with proved error."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from dalembert.arm.errors import ArmError

from .dynamics_command import about
from .printing import figures, heading, paragraph, say, table
from .system_options import analysis_command

if TYPE_CHECKING:
    from dalembert.design.analysis import Analysis
    from dalembert.reduction.reduced_model import ReducedModel
    from dalembert.reduction.shortforms.short_form import ReducedCoefficient


LONGEST = 60
"""Terms of the longest equation that is printed."""


@analysis_command
def reduce(
    ask: Analysis,
    tolerance: Annotated[float, typer.Option(help="Largest error as a share of each joint's largest torque.")] = 0.01,
    terms: Annotated[
        bool, typer.Option("--terms", help="Short closed forms of D_ii and G_i instead of a program.")
    ] = False,
    refit: Annotated[
        bool, typer.Option("--refit/--no-refit", help="Correct the constants where that lowers the worst error.")
    ] = True,
    curve: Annotated[
        bool, typer.Option("--curve", help="Error against operations, from a small part to six times the tolerance.")
    ] = False,
    equations: Annotated[
        bool, typer.Option("--equations", help="Print the equations in the named constants, as far as they are short.")
    ] = False,
    c: Annotated[str, typer.Option("--c", metavar="FOLDER", help="Write the model as C99 into this folder.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find the shortest model whose error is proved to stay within a tolerance; of a loaded arm, for both hands."""
    given = ask.system
    empty = ask.of(given.holding(None)) if given.tool_link in dict(given.loads) else ask
    others = (given,) if empty is not ask else ()
    if terms:
        if curve or equations or c:
            raise ArmError("--terms prints short forms, not a program; leave out --curve, --equations and --c")
        if ask.paced:
            raise ArmError("--terms shortens coefficients of positions; leave out --speed and --acceleration")
        print_terms(empty.short_forms(tolerance=tolerance, others=others, refit=refit), as_json)
        return
    with Progress(
        TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), console=Console(stderr=True), transient=True
    ) as bar:
        task = bar.add_task("reducing", total=1.0)
        model = empty.reduce(
            tolerance, others=others, refit=refit, curve=curve,
            progress=lambda text, share: bar.update(task, description=text, completed=share),
        )  # fmt: skip
    if c:
        for path in model.write_c("inverse_dynamics", Path(c)):
            print(f"wrote {path}", file=sys.stderr if as_json else sys.stdout)
    if as_json:
        print(json.dumps({
            "arm": given.name, "drives": given.drive_model, "tolerance": tolerance,
            "operations_before": model.before.total,
            "operations_after": model.after.total, "bound": model.bound.tolist(), "found": model.found.tolist(),
            "rms": model.rms.tolist(), "scale": model.scale.tolist(),
            "asymmetry": float(model.asymmetry.max(initial=0.0)),
            "equations": {name: poly.text() for name, poly in model.equations.items()} if equations else {},
            "constants": [{"name": k.name, "value": k.value, "definition": k.definition, "shift": k.shift,
                           "load": k.depends_on_load}
                          for k in model.constants],
            "coefficients": [{"name": e.name, "unit": e.unit, "bound": e.bound, "found": e.found, "rms": e.rms}
                             for e in model.coefficient_errors],
            "curve": [{"error": p.error, "operations": p.operations, "constants": p.constants, "proof": p.proof}
                      for p in model.curve],
        }, indent=2))  # fmt: skip
        return
    heading(f"{given.name}, {about(given)}: every torque within {100 * tolerance:g} percent of its joint's largest")
    say(f"operations: {model.before.total} before, {model.after.total} after ({model.after})")
    table([
        ("joint", list(given.joint_names)), ("largest\ntorque", figures(model.scale)),
        ("proved\nerror", figures(model.bound)), ("percent", figures(100 * model.share)),
        ("largest\nfound", figures(model.found)), ("RMS", figures(model.rms)),
        ("proved/\nfound", figures(model.tightness)),
    ])  # fmt: skip
    if model.asymmetry_text:
        say(model.asymmetry_text)
    print_curve(model, curve)
    if equations:
        heading("Equations")
        for line in model.equations_text(LONGEST, constants=False).splitlines():
            say(line)
    heading("Constants")
    table([("", [k.name for k in model.constants]), ("value", figures(k.value for k in model.constants)),
           ("load", ["yes" if k.depends_on_load else "" for k in model.constants]),
           ("made of", [k.definition for k in model.constants])], wide="made of")  # fmt: skip


def print_curve(model: ReducedModel, whole: bool) -> None:
    """The trade-off: what is proved of shorter and longer models."""
    if len(model.curve) < 2:
        return
    heading("Error against operations" if whole else "Error against operations, as met on the way (more with --curve)")
    table([
        ("operations", [str(p.operations) for p in model.curve]),
        ("proved error\n% of largest torque", figures(100 * p.error for p in model.curve)),
        ("constants", [str(p.constants) for p in model.curve]),
        ("proof", [p.proof for p in model.curve]),
        ("", ["this model" if p.program is model.program else "" for p in model.curve]),
    ])  # fmt: skip


def print_terms(rows: Sequence[ReducedCoefficient], as_json: bool) -> None:
    """Short forms with their constants and errors."""
    if as_json:
        print(json.dumps([{
            "name": r.name, "unit": r.unit, "text": r.text, "bound": r.bound, "found": r.found, "rms": r.rms,
            "scale": r.scale, "exact_terms": r.exact_terms,
            "constants": [{"name": t.constant, "value": t.value, "factor": t.factor, "loaded": list(t.loaded)}
                          for t in r.terms],
        } for r in rows], indent=2))  # fmt: skip
        return
    for r in rows:
        say(r.text)
        for t in r.terms:
            loaded = f", with load {', '.join(f'{x:.5g}' for x in t.loaded)}" if t.depends_on_load else ""
            say(f"    {t.constant} = {t.value:.5g} (exact form {t.exact:.5g}){loaded}")
        if r.terms:
            said = f"error at most {r.bound:.3g} {r.unit}, {100 * r.share:.2f} percent"
            said += f" (found {r.found:.3g}, RMS {r.rms:.3g})"
            paragraph(f"{said}; {r.exact_terms} terms before, {len(r.terms)} after")

"""``dalembert reduce``: a shorter model with proved error."""

from __future__ import annotations

import enum
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.arm.errors import ArmError
from dalembert.arm.system_phrase import system_phrase

from .certificate_writing import CertificateOption, write_after
from .counted_states import print_states, states_data
from .notes import note
from .printing import bounds, figures, heading, joints_with_units, json_text, say, table, units_by_quantity
from .reducing_bar import reducing_bar
from .short_forms_printing import print_data, print_short_forms
from .system_options import analysis_command

if TYPE_CHECKING:
    from dalembert.design.analysis import Analysis
    from dalembert.reduction.coefficient_errors import CoefficientError
    from dalembert.reduction.program_system import ProgramSystem
    from dalembert.reduction.reduced_model import ReducedModel
    from dalembert.reduction.shortforms.short_form_model import ShortFormModel


class RelativeTo(enum.StrEnum):
    """What the tolerance of short forms is a share of."""

    LARGEST = "largest"
    RANGE = "range"


class VelocityTerms(enum.StrEnum):
    """The velocity terms of short forms."""

    CHRISTOFFEL = "christoffel"
    NONE = "none"
    NAMED = "named"


LONGEST = 60
"""Terms of the longest equation that is printed."""


@analysis_command
def reduce(
    ask: Analysis,
    tolerance: Annotated[
        float,
        typer.Option(
            help="Largest error as a share of each joint's largest torque; with --terms, of each coefficient's largest "
            "value or range."
        ),
    ] = 0.01,
    terms: Annotated[
        bool, typer.Option("--terms", help="Short closed forms of D_ii and G_i instead of a program.")
    ] = False,
    coefficients: Annotated[
        str, typer.Option("--coefficients", metavar="NAMES", help="With --terms: all, or names as in D11,D12,G2.")
    ] = "",
    relative_to: Annotated[
        RelativeTo | None,
        typer.Option(
            "--relative-to",
            metavar="WHAT",
            help="With --terms: the tolerance is a share of the largest value of a coefficient (largest, the default), "
            "or of its range, maximum less minimum (range).",
        ),
    ] = None,
    velocity: Annotated[
        VelocityTerms | None,
        typer.Option(
            "--velocity",
            metavar="TERMS",
            help="With --terms: velocity terms that follow from the shortened D (christoffel, the default), none, or "
            "the C_ijk that --coefficients names (named).",
        ),
    ] = None,
    torques: Annotated[
        bool, typer.Option("--torques", help="With --terms: prove what the forms leave out of the torques.")
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
    certificate: CertificateOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find the shortest model whose error is proved to stay within a tolerance; of a loaded arm, for both hands."""
    system = ask.system
    empty = ask.of(system.holding(None)) if system.tool_link in dict(system.loads) else ask
    others = (system,) if empty is not ask else ()
    if terms:
        if curve or equations:
            raise ArmError("--terms prints short forms, not a program; leave out --curve and --equations")
        if certificate is not None:
            raise ArmError("short forms have no certificate; leave out --terms, or --certificate")
        if ask.paced and not torques:
            raise ArmError("--speed and --acceleration say which torques count; with --terms, add --torques")
        named = [word for word in coefficients.split(",") if word] or None
        with reducing_bar() as tell:
            forms = empty.short_forms(
                "all" if coefficients == "all" else named, tolerance,
                relative_to=(relative_to or RelativeTo.LARGEST).value,
                velocity=(velocity or VelocityTerms.CHRISTOFFEL).value, others=others, refit=refit, progress=tell,
            )  # fmt: skip
        torques = torques and prove_torques(forms)
        # code is for the hand as it is asked for; the forms are printed for both
        written_forms = forms.holding(dict(system.loads)[system.tool_link]) if others and c else forms
        write_code(written_forms, ("inverse_dynamics", "mass_matrix", "gravity_load"), c, as_json)
        (print_data if as_json else print_short_forms)(forms, torques)
        return
    for option, value in (("--coefficients", coefficients), ("--relative-to", relative_to), ("--velocity", velocity),
                          ("--torques", torques)):  # fmt: skip
        if value:
            raise ArmError(f"{option} is for short forms; add --terms")
    with reducing_bar() as tell:
        model = empty.reduce(tolerance, others=others, refit=refit, curve=curve, progress=tell)
    note_interrupted(model)
    # code is for the hand as it is asked for, and what is printed has both
    served = model.serving(1) if others else model
    write_code(served, ("inverse_dynamics",), c, as_json)
    (print_model_data if as_json else print_model)(ask, model, served, tolerance, curve, equations)
    if certificate is not None:
        write_after(partial(write_certificate, model, certificate), certificate, "the model", as_json)


def note_interrupted(model: ReducedModel) -> None:
    """Say that a search was interrupted, where it was."""
    if model.interrupted:
        note("interrupted; this is the shortest model proved so far")


def prove_torques(forms: ShortFormModel) -> bool:
    """Whether what short forms leave out of the torques is proved: not after an interrupt (Ctrl-C)."""
    try:
        with reducing_bar("proving", explained=True) as tell:
            forms.prove_torques(tell)
    except KeyboardInterrupt:
        note("interrupted; what the forms leave out of the torques is not proved, and left out")
        return False
    return True


def prove_coefficients(model: ReducedModel) -> tuple[CoefficientError, ...]:
    """The errors of all coefficients, proved with a bar; after an interrupt (Ctrl-C) of those that are done."""
    with reducing_bar() as tell:
        errors = model.prove_coefficients(tell, partial=True)
    left_out = len({key for waves in model.differences for key in waves}) - len(errors)
    if left_out:
        note(f"interrupted; the errors of {left_out} coefficients are not proved, and left out")
    return errors


def write_certificate(model: ReducedModel, path: Path) -> Path:
    """The certificate of a model, with a bar."""
    with reducing_bar(explained=True) as tell:
        return model.certificate(path, tell)


def print_model_data(
    ask: Analysis, model: ReducedModel, served: ReducedModel, tolerance: float, _curve: bool, equations: bool
) -> None:
    """A model, and its constants in the hand that was asked for (``served``), as JSON."""
    system, both_hands = ask.system, served is not model
    errors = prove_coefficients(model)
    print(json_text({
        "arm": system.name, "drives": system.drive_model, "tolerance": tolerance,
        "loads": list(model.loads), "interrupted": model.interrupted, "operations_before": model.before.total,
        "operations_after": model.after.total, "bound": model.bound.tolist(), "found": model.found.tolist(),
        "rms": model.rms.tolist(), "scale": model.scale.tolist(), "joints": list(system.joint_names),
        "units": units_by_quantity(system, "effort"), "states": states_data(ask),
        "asymmetry": float(model.asymmetry.max(initial=0.0)),
        "equations": {name: poly.text() for name, poly in model.equations.items()} if equations else {},
        "constants": [{"name": k.name, "value": k.value, "definition": k.definition, "shift": k.shift,
                       "load": k.depends_on_load} | ({"value_with_load": served_constant.value} if both_hands else {})
                      for k, served_constant in zip(model.constants, served.constants, strict=True)],
        "coefficients": [{"name": e.name, "unit": e.unit, "bound": e.bound, "found": e.found, "rms": e.rms}
                         for e in errors],
        "curve": [{"error": p.error, "operations": p.operations, "constants": p.constants, "proof": p.proof}
                  for p in model.curve],
    }))  # fmt: skip


def print_model(
    ask: Analysis, model: ReducedModel, served: ReducedModel, tolerance: float, curve: bool, equations: bool
) -> None:
    """A model, and its constants in the hand that was asked for (``served``)."""
    system, both_hands = ask.system, served is not model
    heading(
        f"{system.name}, {system_phrase(system)}: "
        f"every torque within {100 * tolerance:g} percent of its joint's largest"
    )
    say(f"operations: {model.before.total} before, {model.after.total} after ({model.after})")
    table([
        joints_with_units(system, "effort"), ("largest\ntorque", figures(model.scale)),
        ("proved\nerror", bounds(model.bound)), ("percent", bounds(100 * model.share)),
        ("largest\nfound", figures(model.found)), ("RMS", figures(model.rms)),
        ("proved/\nfound", figures(model.tightness)),
    ])  # fmt: skip
    if both_hands:
        say(
            f"Proved for the hand with {' and with '.join(model.loads)}, and for all between. The largest torque is, "
            "for each joint, that of the hand with which it is least."
        )
    if model.asymmetry_text:
        say(model.asymmetry_text)
    print_states(ask)
    print_curve(model, curve)
    if equations:
        heading("Equations")
        for line in model.equations_text(LONGEST, constants=False).splitlines():
            say(line)
    heading("Constants, SI units")
    loaded = [("with\nload", figures(k.value for k in served.constants))] if both_hands else []
    table([("", [k.name for k in model.constants]), ("value", figures(k.value for k in model.constants)), *loaded,
           ("load", ["yes" if k.depends_on_load else "" for k in model.constants]),
           ("made of", [k.definition for k in model.constants])], wide="made of")  # fmt: skip


def write_code(model: ProgramSystem, functions: Sequence[str], folder: str, as_json: bool) -> None:
    """Functions of a model as C in ``folder``, if one is given."""
    files = [path for name in functions for path in model.write_c(name, Path(folder))] if folder else []
    for path in dict.fromkeys(files):
        print(f"wrote {path}", file=sys.stderr if as_json else sys.stdout)


def print_curve(model: ReducedModel, requested: bool) -> None:
    """The trade-off: what is proved of shorter and longer models."""
    if len(model.curve) < 2:
        return
    heading(
        "Error against operations" if requested else "Error against operations, as met on the way (more with --curve)"
    )
    table([
        ("operations", [str(p.operations) for p in model.curve]),
        ("proved error\n% of largest torque", bounds(100 * p.error for p in model.curve)),
        ("constants", [str(p.constants) for p in model.curve]),
        ("proof", [p.proof for p in model.curve]),
        ("", ["this model" if p.program is model.program else "" for p in model.curve]),
    ])  # fmt: skip

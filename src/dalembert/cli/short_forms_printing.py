"""Short forms on the command line: their terms, constants and errors, for people and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dalembert.arm.system_phrase import system_phrase
from dalembert.markup.numbers import not_below
from dalembert.reduction.shortforms.form_errors import RELATIVE_TO
from dalembert.reduction.shortforms.form_tables import constant_unit

from .printing import bounds, figures, heading, joints_with_units, json_text, paragraph, say, table

if TYPE_CHECKING:
    from dalembert.reduction.shortforms.short_form import ReducedCoefficient
    from dalembert.reduction.shortforms.short_form_model import ShortFormModel

LEFT_OUT = {
    "christoffel": "velocity terms are the Christoffel symbols of the shortened D",
    "none": "there are no velocity terms",
    "named": "there are no velocity terms but those named",
}

DEFINITE = {
    "proved": "D is positive at every position, proved.",
    "found": "D is positive at all positions that were sampled, which is no proof.",
    "no": "D is not positive everywhere: it gives torques, and no accelerations; name every D_ii, or ask for a smaller "
    "tolerance.",
}
"""What is known of the mass matrix of short forms."""


def print_short_forms(model: ShortFormModel, torques: bool) -> None:
    """The forms with their constants and errors; ``torques`` adds what they leave out of the torques."""
    reference = RELATIVE_TO[model.relative_to]
    heading(
        f"{model.system.name}, {system_phrase(model.system)}: "
        f"every form within {100 * model.tolerance:g} percent of its {reference}"
    )
    for form in model.forms:
        say(form.text)
        if form.terms:
            paragraph(f"    {error_text(form)}; {form.exact_terms} terms before, {len(form.terms)} after")
    zero = [form.name for form in model.forms if not form.terms]
    none = f", and {', '.join(zero)} are zero" if zero else ""
    paragraph(f"No coefficient but these: {LEFT_OUT[model.velocity]}{none}.")
    paragraph(DEFINITE[model.definite])
    heading("Constants")
    print_constants(model)
    if torques:
        heading("What is left out of the torques")
        rows = model.torque_errors
        table([
            joints_with_units(model.system, "effort"), ("largest\ntorque", figures(row.scale for row in rows)),
            ("proved\nerror", bounds(row.bound for row in rows)),
            ("% of largest\ntorque", bounds(100 * row.bound / row.scale if row.scale else 0.0 for row in rows)),
            ("largest\nfound", figures(row.found for row in rows)), ("RMS", figures(row.rms for row in rows)),
        ])  # fmt: skip


def error_text(form: ReducedCoefficient) -> str:
    """The proved error, in its unit and of both the largest value and the range."""
    worst = form.worst
    of_largest, of_range = (not_below(100 * share, 3) for share in (worst.share_of_largest, worst.share_of_range))
    shares = f"{of_largest:.3g} percent of its largest value" + (f", {of_range:.3g} of its range" if worst.span else "")
    with_load = f", with {worst.load}" if len(form.errors) > 1 else ""
    found = f"found {form.found:.3g}, RMS {form.rms:.3g}"
    return f"error at most {not_below(form.bound, 3):.3g} {form.unit}: {shares}{with_load} ({found})"


def print_constants(model: ShortFormModel) -> None:
    """Every constant once: value, unit, value with load, formula."""
    terms = {term.constant: (form, term) for form, term in reversed(model.terms)}
    rows = [(constant, *terms[constant.name]) for constant in model.constants]
    columns = [
        ("", [constant.name for constant, _, _ in rows]),
        ("value", figures(term.value for _, _, term in rows)),
        ("unit", [constant_unit(form.unit, term.powers) for _, form, term in rows]),
    ]
    for number, load in enumerate(model.loads[1:]):
        columns.append((f"with\n{load}", figures(term.loaded[number] for _, _, term in rows)))
    columns += [
        ("load", ["yes" if constant.depends_on_load else "" for constant, _, _ in rows]),
        ("made of", [constant.definition for constant, _, _ in rows]),
    ]
    table(columns, wide="made of")


def as_data(model: ShortFormModel, torques: bool) -> dict[str, Any]:
    """The same as JSON can hold it; shares are named by what they are shares of."""
    definitions = {constant.name: constant for constant in model.constants}
    data: dict[str, Any] = {
        "arm": model.system.name,
        "drives": model.system.drive_model,
        "loads": list(model.loads),
        "tolerance": model.tolerance,
        "relative_to": model.relative_to,
        "velocity": model.velocity,
        "definite": model.definite,
        "forms": [
            {
                "name": form.name, "unit": form.unit, "text": form.text, "exact_terms": form.exact_terms,
                "fewest": form.fewest,
                "errors": [
                    {
                        "load": error.load, "bound": error.bound, "found": error.found, "rms": error.rms,
                        "largest": error.largest, "range": error.span,
                        "share_of_largest": error.share_of_largest, "share_of_range": error.share_of_range,
                    }
                    for error in form.errors
                ],
                "terms": [
                    {
                        "constant": term.constant, "factor": term.factor, "value": term.value, "exact": term.exact,
                        "unit": constant_unit(form.unit, term.powers), "shift": term.shift,
                        "loaded": list(term.loaded), "formula": definitions[term.constant].definition,
                        "depends_on_load": definitions[term.constant].depends_on_load,
                    }
                    for term in form.terms
                ],
            }
            for form in model.forms
        ],
    }  # fmt: skip
    if torques:
        data["torque_errors"] = [
            {"joint": name, "bound": row.bound, "found": row.found, "rms": row.rms, "largest_torque": row.scale}
            for name, row in zip(model.joint_names, model.torque_errors, strict=True)
        ]
    return data


def print_data(model: ShortFormModel, torques: bool) -> None:
    """JSON on stdout."""
    print(json_text(as_data(model, torques)))

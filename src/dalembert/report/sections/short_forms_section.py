"""Inertia and gravity load in few terms with named constants: Bejczy 1974, Tables 3 and 4, with a proved error."""

from __future__ import annotations

from collections.abc import Sequence

from ...equations.printing.letters import in_mathml
from ...markup.data_tables import DataTable
from ...markup.elements import Html, join, tag
from ...markup.numbers import listed, percent, within_percent
from ...reduction.shortforms.form_errors import RELATIVE_TO
from ...reduction.shortforms.form_tables import constant_table, form_table
from ...reduction.shortforms.short_form import ReducedCoefficient, ReducedTerm
from ...reduction.shortforms.short_form_model import ShortFormModel
from ..section import Section, paragraph
from .equations_section import name_math, sign


def section(model: ShortFormModel, load: str = "", arm: str = "", long: Sequence[str] = ()) -> Section:
    """``load`` describes the load of the second value of each constant; empty without one. ``long`` names the
    coefficients of ``arm`` that are left out.
    """
    nonzero = [form for form in model.forms if form.terms]
    before, after = sum(form.exact_terms for form in nonzero), sum(len(form.terms) for form in nonzero)
    worst = max((form.share for form in nonzero), default=0.0)
    reference = RELATIVE_TO[model.relative_to]
    lasting = [constant.name for constant in model.constants if not constant.depends_on_load]
    exception = f" but {listed(list(long))}" if long else ""
    meaning = (
        f"{after} terms{f' instead of {before}' if after < before else ''} give every inertia and gravity load of a "
        f"joint{exception} within {within_percent(worst, 2)} of its {reference}, proved for every pose"
        + (
            f"; {len(lasting) or 'none'} of their {len(model.constants)} constants "
            f"{'stays' if len(lasting) < 2 else 'stay'} the same under every load"
            if load
            else ""
        )
        + "."
    )
    lines = [tag("div", formula(form), class_="flow") for form in nonzero]
    zero = [form.name for form in model.forms if not form.terms]
    parts: list[Html | DataTable] = [
        tag("div", *lines, class_="formula"), form_table(nonzero), constant_table(model, load),
    ]  # fmt: skip
    if long:
        parts.append(
            paragraph(
                f"Left out, since their short forms are long as well: {listed(list(long), 12)}. See: ",
                tag("code", f"dalembert reduce {arm} --terms"),
                ".",
                kind="note",
            )
        )
    if zero:
        parts.append(paragraph(f"Zero for every pose: {listed(zero, 12)}.", kind="note"))
    parts.append(
        paragraph(
            f"Each coefficient within {percent(model.tolerance)} of its {reference}. Constants are fitted to lower the "
            "worst error; a load changes them and not the formulas, in which the symbols of the load end in L.",
            kind="note",
        )
    )
    return Section("short-forms", "Inertia and gravity in few terms", meaning, tuple(parts))


def formula(form: ReducedCoefficient) -> Html:
    """D22 = b7 + b8 q3^2 + ..., each term a formula of its own, so that lines can break."""
    pieces = [
        Html(f"<math><mrow>{sign(True, index == 0)}{monomial(term)}</mrow></math>")
        for index, term in enumerate(form.terms)
    ]
    return join([name_math(form.name), Html("<math><mo>=</mo></math>"), *pieces], " ")


def monomial(term: ReducedTerm) -> str:
    """MathML of a term: its constant times powers of sines, cosines and joint positions."""
    factors = [in_mathml(term.constant), *(in_mathml(name, power) for name, power in term.powers)]
    return '<mspace width="0.15em"/>'.join(factors)

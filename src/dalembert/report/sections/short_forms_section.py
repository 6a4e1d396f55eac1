"""Inertia and gravity load in few terms with named constants: Bejczy 1974, Tables 3 and 4, with a proved error."""

from __future__ import annotations

from collections.abc import Sequence

from ...equations.printing.letters import in_mathml
from ...markup.data_tables import Column, DataTable, Rich
from ...markup.elements import Html, join, tag
from ...markup.numbers import listed, percent
from ...reduction.shortforms.short_form import ReducedCoefficient, ReducedTerm
from ..section import Section, paragraph
from .equations_section import name_math, sign


def section(
    found: Sequence[ReducedCoefficient], tolerance: float, load: str = "", arm: str = "", long: Sequence[str] = ()
) -> Section:
    """``load`` describes the load of the second value of each constant; empty without one. ``long`` names the
    coefficients of ``arm`` that are left out.
    """
    known = [one for one in found if one.terms]
    before, after = sum(one.exact_terms for one in known), sum(len(one.terms) for one in known)
    worst = max((one.share for one in known), default=0.0)
    # Terms may share a constant.
    kinds = {term.constant: term.depends_on_load for one in known for term in one.terms}
    lasting = [constant for constant, depends in kinds.items() if not depends]
    but = f" but {listed(list(long))}" if long else ""
    meaning = (
        f"{after} terms instead of {before} give every inertia and gravity load of a joint{but} within "
        f"{percent(worst, 2)} of its scale (its largest magnitude, or its span where that is more)"
        + (f", and {len(lasting)} of their {len(kinds)} constants do not depend on the load" if load else "")
        + ", proved for every pose."
    )
    lines = [tag("div", formula(one), class_="flow") for one in known]
    zero = [one.name for one in found if not one.terms]
    parts: list[Html | DataTable] = [tag("div", *lines, class_="formula"), table(known), constants(known, load)]
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
            f"Each coefficient within {percent(tolerance)} of its scale (its largest magnitude "
            "or its "
            "spread, whichever is more). Constants are fitted to lower the worst error; a load changes them and "
            "not the "
            "formulas.",
            kind="note",
        )
    )
    return Section("short-forms", "Inertia and gravity in few terms", meaning, tuple(parts))


def formula(one: ReducedCoefficient) -> Html:
    """D22 = b7 + b8 q3^2 + ..., each term a formula of its own, so that lines can break."""
    pieces = [
        Html(f"<math><mrow>{sign(True, place == 0)}{monomial(term)}</mrow></math>")
        for place, term in enumerate(one.terms)
    ]
    return join([name_math(one.name), Html("<math><mo>=</mo></math>"), *pieces], " ")


def monomial(term: ReducedTerm) -> str:
    """MathML of a term: its constant times powers of sines, cosines and joint positions."""
    factors = [in_mathml(term.constant), *(in_mathml(name, power) for name, power in term.powers)]
    return '<mspace width="0.15em"/>'.join(factors)


def table(found: Sequence[ReducedCoefficient]) -> DataTable:
    """Terms and operations of each coefficient, exact and reduced, with the error of the short form."""
    columns = (
        Column("coefficient", "", kind="name"),
        Column("exact terms", "terms, exact", kind="number"),
        Column("terms", "terms left", kind="number"),
        Column("exact operations", "operations, exact", kind="number"),
        Column("operations", "operations left", kind="number"),
        Column("proved", "proved error", kind="number"),
        Column("found", "largest found", kind="number"),
        Column("rms", "RMS", kind="number"),
        Column("unit", "", kind="unit"),
        Column("share", "proved, of its scale", kind="share"),
    )
    rows = tuple(
        (
            one.name,
            one.exact_terms,
            len(one.terms),
            one.before.total,
            one.after.total,
            one.bound,
            one.found,
            one.rms,
            one.unit.replace("^2", "²"),
            one.share,
        )
        for one in found
    )
    return DataTable("short-forms", "What is left of each coefficient, and its error", columns, rows)


def constants(found: Sequence[ReducedCoefficient], load: str) -> DataTable:
    """Constants of the short forms, the monomials they multiply, and their values without and with load."""
    columns = [
        Column("constant", "constant"),
        Column("in", "in", kind="name"),
        Column("factor", "times"),
        Column("value", "value", kind="number"),
    ]
    if load:
        columns += [Column("loaded", f"with {load}", kind="number"), Column("depends on load", "depends on the load")]
    rows = []
    for one in found:
        for term in one.terms:
            html = Html(f"<math>{in_mathml(term.constant)}</math>")
            times = Html(
                "<math><mrow>"
                + '<mspace width="0.15em"/>'.join(in_mathml(n, p) for n, p in term.powers)
                + "</mrow></math>"
            )
            shown = Rich(term.factor or "1", times if term.powers else Html("1"))
            loaded = (term.loaded[0] if term.loaded else term.value, term.depends_on_load) if load else ()
            rows.append((Rich(term.constant, html), one.name, shown, term.value, *loaded))
    return DataTable("short-constants", "The constants", tuple(columns), tuple(rows), first=24)

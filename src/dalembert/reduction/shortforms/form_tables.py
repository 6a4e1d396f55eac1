"""Short forms and their constants as tables: Bejczy 1974, Tables 3 and 4, with proved errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...equations.printing.excerpt import excerpt_html
from ...equations.printing.letters import in_mathml
from ...markup.data_tables import Column, DataTable, Rich
from ...markup.elements import Html
from .monomials import Powers
from .short_form import ReducedCoefficient

if TYPE_CHECKING:
    from .short_form_model import ShortFormModel

SPACE = '<mspace width="0.15em"/>'


def constant_unit(unit: str, powers: Powers) -> str:
    """The unit of the constant of a term of a coefficient: one m less for every power of a sliding position."""
    less = sum(power for name, power in powers if name.startswith("q"))
    base, _, length = unit.partition(" ")
    power = (0 if not length else int(length.partition("^")[2] or 1)) - less
    return base if power == 0 else f"{base} m" if power == 1 else f"{base} m^{power}"


def form_table(forms: Sequence[ReducedCoefficient]) -> DataTable:
    """Terms and operations of each coefficient, exact and short, with the error of the short form."""
    columns = (
        Column("coefficient", "", kind="name"),
        Column("exact terms", "terms, exact", kind="number"),
        Column("terms", "terms left", kind="number"),
        Column("exact operations", "operations, exact", kind="number"),
        Column("operations", "operations left", kind="number"),
        Column("proved", "proved error", kind="number bound"),
        Column("found", "largest found", kind="number"),
        Column("rms", "RMS", kind="number"),
        Column("unit", "", kind="unit"),
        Column("of largest", "proved, of its largest value", kind="share bound"),
        Column("of range", "proved, of its range", kind="share bound"),
    )
    rows = tuple(
        (
            form.name,
            form.exact_terms,
            len(form.terms),
            form.before.total,
            form.after.total,
            form.bound,
            form.found,
            form.rms,
            form.unit.replace("^2", "²"),
            form.worst.share_of_largest,
            form.worst.share_of_range,
        )
        for form in forms
        if form.terms
    )
    return DataTable("short-forms", "What is left of each coefficient, and its error", columns, rows)


def constant_table(model: ShortFormModel, load: str = "") -> DataTable:
    """Constants of the short forms, what they multiply, their values without and with ``load``, their formulas."""
    columns = [
        Column("constant", "constant"),
        Column("in", "in", kind="name"),
        Column("factor", "times"),
        Column("value", "value", kind="number"),
    ]
    if load:
        columns += [Column("loaded", f"with {load}", kind="number"), Column("depends on load", "depends on the load")]
    columns += [
        Column("unit", "", kind="unit"),
        Column("shift", "of it refitted", kind="number"),
        Column("formula", "exact form"),
    ]
    formulas = model.formulas()
    depends = {constant.name: constant.depends_on_load for constant in model.constants}
    rows = []
    for form, term in model.terms:
        html = Html(f"<math>{in_mathml(term.constant)}</math>")
        times = Html(f"<math><mrow>{SPACE.join(in_mathml(n, p) for n, p in term.powers)}</mrow></math>")
        factor = Rich(term.factor or "1", times if term.powers else Html("1"))
        loaded = (term.loaded[0] if term.loaded else term.value, depends[term.constant]) if load else ()
        formula = formulas[term.constant]
        formula_text = Rich(formula.text(), excerpt_html(formula))
        unit = constant_unit(form.unit, term.powers).replace("^2", "²")
        rows.append((Rich(term.constant, html), form.name, factor, term.value, *loaded, unit, term.shift, formula_text))
    return DataTable("short-constants", "The constants", tuple(columns), tuple(rows), first=24)

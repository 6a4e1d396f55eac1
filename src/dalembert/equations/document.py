"""The whole model as one document: a self-contained HTML page or a LaTeX file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING

from ..arm.errors import ArmError
from . import names
from .legend import Legend
from .legend import legend as legend_of
from .printing.flow import HtmlWriter, InlineLatex, html_symbol
from .printing.form import PrintedForm
from .printing.legend_formats import tex_text
from .printing.letters import in_latex
from .printing.printed_terms import Sum

if TYPE_CHECKING:
    from .closed_form import Equations
    from .polynomial import TrigPolynomial

MOST_TERMS = 60_000
"""Most terms in a document."""
SECTIONS = (
    ("D", "Inertia matrix", "The coefficients D<sub>ij</sub> of the accelerations; D<sub>ij</sub> = D<sub>ji</sub>."),
    ("C", "Centrifugal and Coriolis coefficients",
     "The coefficients C<sub>ijk</sub> of the products of speeds of joints j and k in the torque of joint i; "
     "C<sub>ijk</sub> = C<sub>ikj</sub>, and both stand in the sum."),
    ("D_ijp", "Coefficients of two speeds after Bejczy",
     "The factors D<sub>ijp</sub> of q̇<sub>j</sub> q̇<sub>p</sub> in the torque of joint i (Bejczy 1974, eqs 12 to "
     "17): 2 C<sub>ijp</sub> of two different speeds, C<sub>ijj</sub> of a square."),
    ("U", "Derivatives of transformations",
     "U<sub>ji</sub> and U<sub>jkp</sub>, the first and second derivatives of the transformation from the base to link "
     "j (Bejczy 1974, eqs 4 and 7), entry by entry."),
    ("G", "Gravity load", "The torques that hold the arm still against gravity, G<sub>i</sub> = ∂V/∂q<sub>i</sub>."),
    ("tau", "Torques", "All terms of a joint: accelerations, products of speeds, gravity."),
    ("K", "Kinetic energy", "Half the sum of D<sub>ij</sub> q̇<sub>i</sub> q̇<sub>j</sub>."),
    ("V", "Potential energy", "Zero with all first moments at the height of the base."),
)  # fmt: skip
STYLE = """
:root { color-scheme: light dark; }
body { font: 17px/1.6 "Latin Modern Roman", "STIX Two Text", "Times New Roman", serif; max-width: 60rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; line-height: 1.2; }
h2 { font-size: 1.3rem; margin-top: 2.5rem; border-bottom: 1px solid #8884; }
h3 { font-size: 1rem; margin: 1.2rem 0 0.2rem; }
nav ul { list-style: none; padding-left: 1rem; margin: 0.2rem 0; } nav a { text-decoration: none; }
nav li.leaf { display: inline-block; min-width: 3.2rem; }
table { border-collapse: collapse; font-size: 0.92em; } th, td { text-align: left; padding: 0.1rem 0.9rem 0.1rem 0; }
th { border-bottom: 1px solid #8888; } td.num { text-align: right; font-variant-numeric: tabular-nums; }
.eq { margin: 0.3rem 0 0.9rem 2rem; text-indent: -2rem; overflow-wrap: anywhere; }
.block { display: block; margin-left: 1.2rem; } .label { color: #888; font-size: 0.82em; font-family: sans-serif; }
.v, .n { white-space: nowrap; } sub, sup { font-size: 0.7em; line-height: 0; }
.u { display: inline-flex; flex-direction: column; vertical-align: middle; line-height: 1; text-indent: 0; }
.u sup, .u sub { line-height: 1.05; vertical-align: baseline; }
.note { color: #888; font-size: 0.9em; }
@media print { nav { break-after: page; } h3 { break-after: avoid; } }
"""


def selected_names(equations: Equations, only: Sequence[str]) -> list[str]:
    """Names of the coefficients, torques and energies requested, by default of all coefficients that are not zero."""
    if not only:
        return equations.names(zeros=False)
    return list(dict.fromkeys(printed for name in only for printed in names.expanded(name, equations.n)))


def size_checked(equations: Equations, selected: Sequence[str], most: int, where: str) -> None:
    """Raises ArmError where the coefficients have too many terms to be read, with the ways to select fewer."""
    terms = sum(len(equations[name]) for name in selected)
    if terms > most:
        largest = max(selected, key=lambda name: len(equations[name]))
        raise ArmError(
            f"{equations.arm.name}: these equations have {terms} terms in {len(selected)} formulas (the largest, "
            f"{largest}, has {len(equations[largest])}), too many for {where}; narrow them with --only D11,G2, with "
            f"--parameters numbers or inertial, or with --joints 1,2,3 (the others at rest)"
        )


def document(
    equations: Equations,
    only: Sequence[str] = (),
    group_by: str | None = None,
    form: str = "html",
    legend: bool = True,
) -> str:
    """The document as text; ``form`` is "html" or "tex"."""
    if form not in ("html", "tex"):
        raise ArmError(f'a document is "html" or "tex", not {form!r}')
    selected = selected_names(equations, only)
    size_checked(equations, selected, MOST_TERMS, "a document")
    symbols = legend_of(equations, {name: equations[name] for name in selected}) if legend else None
    write = html if form == "html" else tex
    return write(equations, selected, group_by, symbols)


def blocks(polynomial: TrigPolynomial, group_by: str | None) -> list[tuple[str, Sum]]:
    """The labelled blocks of a polynomial in human form; one empty sum for zero."""
    parts = PrintedForm(polynomial).blocks(group_by)
    return parts or [("", Sum(()))]


# -- HTML --------------------------------------------------------------------------------------


def html(equations: Equations, selected: Sequence[str], group_by: str | None, legend: Legend | None) -> str:
    """The document as HTML."""
    arm = equations.arm
    title = f"Equations of motion: {escape(arm.name)}"
    parts = [
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>',
        # Nothing is loaded and no script runs, whatever a name would have.
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head><body>',
        f"<h1>{title}</h1>",
        f"<p>{escape(arm.title)}</p>" if arm.title else "",
        "<p>τ<sub>i</sub> = Σ<sub>j</sub> D<sub>ij</sub> q̈<sub>j</sub> + Σ<sub>jk</sub> C<sub>ijk</sub> "
        "q̇<sub>j</sub> q̇<sub>k</sub> + G<sub>i</sub>. Joints and links count from 1. The coefficients are exact; "
        "those that are zero are left out.</p>",
        contents(selected, legend),
        f'<h2 id="symbols">Symbols</h2>{legend.html()}' if legend is not None else "",
    ]
    for kind, heading, text in SECTIONS:
        members = [name for name in selected if names.kind_of(name) == kind]
        if members:
            parts.append(f'<h2 id="{kind}-section">{heading}</h2><p class="note">{text}</p>')
            parts += [coefficient_html(name, equations[name], group_by) for name in members]
    parts.append("</body></html>\n")
    return "\n".join(part for part in parts if part)


def contents(selected: Sequence[str], legend: Legend | None) -> str:
    """The table of contents."""
    items = ['<li><a href="#symbols">Symbols</a></li>'] if legend is not None else []
    for kind, heading, _ in SECTIONS:
        members = [name for name in selected if names.kind_of(name) == kind]
        if members:
            links = "".join(f'<li class="leaf"><a href="#{n}">{html_symbol(n)}</a></li>' for n in members)
            items.append(f'<li><a href="#{kind}-section">{heading}</a> ({len(members)})<ul>{links}</ul></li>')
    return f"<nav><h2>Contents</h2><ul>{''.join(items)}</ul></nav>"


def coefficient_html(name: str, polynomial: TrigPolynomial, group_by: str | None) -> str:
    """One coefficient with its heading."""
    dialect = HtmlWriter(6)
    parts = blocks(polynomial, group_by)
    if len(parts) == 1:
        body = dialect.sum(parts[0][1])
    else:
        body = labelled(
            parts, dialect.sum, '<span class="block">{label}{text}</span>', '<span class="label">{} </span>'
        )
    return f'<h3 id="{name}">{html_symbol(name)}</h3><p class="eq">{html_symbol(name)} = {body}</p>'


def labelled(parts: list[tuple[str, Sum]], write: Callable[[Sum], str], frame: str, mark: str) -> str:
    """Blocks one below the other, joined by plus signs."""
    lines = []
    for position, (label, block) in enumerate(parts):
        text = write(block)
        first = not block.products or block.products[0].number > 0
        lead = "" if position == 0 or not first else "+ "
        lines.append(frame.format(label=mark.format(label) if label else "", text=lead + text))
    return "".join(lines)


# -- LaTeX -------------------------------------------------------------------------------------


def tex(equations: Equations, selected: Sequence[str], group_by: str | None, legend: Legend | None) -> str:
    """The document as LaTeX."""
    arm = equations.arm
    dialect = InlineLatex(6)
    lines = [
        r"\documentclass[10pt]{article}",
        r"\usepackage[a4paper,margin=2cm]{geometry}",
        r"\usepackage{amsmath,longtable}",
        r"\usepackage[hidelinks]{hyperref}",
        r"\setlength{\parindent}{0pt}\setlength{\parskip}{4pt}\raggedright",
        r"\begin{document}",
        rf"\title{{Equations of motion: {tex_text(arm.name)}}}\author{{}}\date{{}}\maketitle",
        r"\[\tau_i = \sum_j D_{ij}\,\ddot q_j + \sum_{jk} C_{ijk}\,\dot q_j \dot q_k + G_i\]",
        r"\tableofcontents",
    ]
    if legend is not None:
        lines += [r"\section{Symbols}", legend.latex()]
    for kind, heading, _ in SECTIONS:
        members = [name for name in selected if names.kind_of(name) == kind]
        if members:
            lines.append(rf"\section{{{heading}}}")
        for name in members:
            text = labelled(blocks(equations[name], group_by), dialect.sum, "{label}{text} ", "")
            lines.append(rf"$ {in_latex(name)} = {text}$\par")
    return "\n".join([*lines, r"\end{document}", ""])

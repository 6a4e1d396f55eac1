"""The whole model as one document: a self-contained HTML page or a LaTeX file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING

from ..arm.errors import ArmError
from . import names as coefficient_names
from .printing.flow import HtmlWriter, InlineLatex, html_symbol
from .printing.form import PrintedForm, Sum
from .printing.letters import in_latex

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
    ("G", "Gravity load", "The torques that hold the arm still against gravity, G<sub>i</sub> = ∂V/∂q<sub>i</sub>."),
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


def chosen(equations: Equations, only: Sequence[str]) -> list[str]:
    """Names of the coefficients requested, by default of all that are not zero."""
    if not only:
        return equations.names(zeros=False)
    return [coefficient_names.name(*coefficient_names.parse(name, equations.n)) for name in only]


def size_checked(equations: Equations, wanted: Sequence[str], most: int, where: str) -> None:
    """Raises ArmError where the coefficients have too many terms to be read, with the ways to select fewer."""
    terms = sum(len(equations[name]) for name in wanted)
    if terms > most:
        largest = max(wanted, key=lambda name: len(equations[name]))
        raise ArmError(
            f"{equations.arm.name}: these equations have {terms} terms in {len(wanted)} coefficients (the largest, "
            f"{largest}, has {len(equations[largest])}), too many for {where}; narrow them with --only D11,G2, with "
            f"--parameters numbers or inertial, or with --joints 1,2,3 (the others at rest)"
        )


def document(equations: Equations, only: Sequence[str] = (), group_by: str | None = None, form: str = "html") -> str:
    """The document as text; ``form`` is "html" or "tex"."""
    if form not in ("html", "tex"):
        raise ArmError(f'a document is "html" or "tex", not {form!r}')
    wanted = chosen(equations, only)
    size_checked(equations, wanted, MOST_TERMS, "a document")
    return html(equations, wanted, group_by) if form == "html" else tex(equations, wanted, group_by)


def blocks(polynomial: TrigPolynomial, group_by: str | None) -> list[tuple[str, Sum]]:
    """The labelled blocks of a polynomial in human form; one empty sum for zero."""
    parts = PrintedForm(polynomial).blocks(group_by)
    return parts or [("", Sum(()))]


# -- HTML --------------------------------------------------------------------------------------


def html(equations: Equations, wanted: Sequence[str], group_by: str | None) -> str:
    """The document as HTML."""
    arm = equations.arm
    title = f"Equations of motion: {escape(arm.name)}"
    parts = [
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>',
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head><body>',
        f"<h1>{title}</h1>",
        f"<p>{escape(arm.title)}</p>" if arm.title else "",
        "<p>τ<sub>i</sub> = Σ<sub>j</sub> D<sub>ij</sub> q̈<sub>j</sub> + Σ<sub>jk</sub> C<sub>ijk</sub> q̇<sub>j</sub> "
        "q̇<sub>k</sub> + G<sub>i</sub>. Joints and links count from 1. The coefficients are exact; those that are zero "
        "are left out.</p>",
        contents(equations, wanted),
        reading(equations),
        symbols_table(equations, wanted),
    ]
    for kind, heading, text in SECTIONS:
        names = [name for name in wanted if name[0] == kind]
        if names:
            parts.append(f'<h2 id="{kind}">{heading}</h2><p class="note">{text}</p>')
            parts += [coefficient_html(name, equations[name], group_by) for name in names]
    parts.append("</body></html>\n")
    return "\n".join(part for part in parts if part)


def contents(equations: Equations, wanted: Sequence[str]) -> str:
    """The table of contents."""
    items = ['<li><a href="#reading">How to read this</a></li>', '<li><a href="#symbols">Symbols</a></li>']
    for kind, heading, _ in SECTIONS:
        names = [name for name in wanted if name[0] == kind]
        if names:
            links = "".join(f'<li class="leaf"><a href="#{n}">{printed(n)}</a></li>' for n in names)
            items.append(f'<li><a href="#{kind}">{heading}</a> ({len(names)} not zero)<ul>{links}</ul></li>')
    return f"<nav><h2>Contents</h2><ul>{''.join(items)}</ul></nav>"


def printed(name: str) -> str:
    """A coefficient's name with its indices as a subscript."""
    return f"<i>{name[0]}</i><sub>{name[1:]}</sub>"


def reading(equations: Equations) -> str:
    """The section on notation: joint positions, and the sums of angles of this arm."""
    ring = equations.space.ring
    lines = []
    for joint in equations.arm.moving:
        number = equations.arm.joint_names.index(joint.name) + 1
        kind = "rotates" if joint.kind == "revolute" else f"slides; its position is {html_symbol(f'q{number}')} (m)"
        lines.append(f"<li>joint {number}, {escape(joint.name)}: {kind}</li>")
    text = "<i>c</i> and <i>s</i> are cosine and sine of the joint position named by the subscript"
    sums = [tag for tag, weights in zip(ring.tags, ring.angles.weights, strict=True) if len(weights) > 1]
    if sums:
        example = sums[0]
        total = "".join((" − " if s < 0 else " + ") + f"q<sub>{j + 1}</sub>" for j, s in _weights(equations, example))
        text += (
            f"; several digits are a sum: {html_symbol('c' + example)} = cos({total.removeprefix(' + ')}), since those "
            "axes are parallel"
        )
    return f'<h2 id="reading">How to read this</h2><p>{text}.</p><ul>{"".join(lines)}</ul>'


def _weights(equations: Equations, tag: str) -> Sequence[tuple[int, int]]:
    """The joints and signs of the sum of angles with this tag."""
    ring = equations.space.ring
    return ring.angles.weights[ring.tags.index(tag)]


MEANING = {"inertial": "link {link}", "load": "load in the hand", "length": "length (m)", "gravity": "gravity (m/s²)"}
UNITS = {"m": "mass (kg)", "mx": "first moment (kg m)", "my": "first moment (kg m)", "mz": "first moment (kg m)",
         "x": "mass centre (m)", "y": "mass centre (m)", "z": "mass centre (m)"}  # fmt: skip


def symbols_table(equations: Equations, wanted: Sequence[str] | None = None) -> str:
    """The symbols in the coefficients ``wanted`` (all by default), with meaning, unit and value."""
    used = {name for label in wanted or equations.names() for name in equations[label].parameters}
    if not used:
        return '<h2 id="symbols">Symbols</h2><p>None: all parameters are numbers, printed to six digits.</p>'
    rows = []
    for symbol in (symbol for symbol in equations.symbols if symbol.name in used):
        of = MEANING.get(symbol.kind, "").format(link=symbol.link)
        stem = symbol.name.rstrip("0123456789L*")
        meaning = UNITS.get(stem, "")
        if symbol.kind in ("inertial", "load") and not meaning:
            meaning = {"I": "inertia about the link frame (kg m²)", "C": "inertia about the mass centre (kg m²)"}.get(
                stem[0], "squared radius of gyration (m²)"
            )
        if symbol.name in equations.starred:
            formula = HtmlWriter(6).sum(
                Sum(tuple(p for _, b in blocks(equations.starred[symbol.name], None) for p in b.products))
            )
            meaning += f" = {formula}"
        value = "" if symbol.value is None else f"{float(symbol.value):.6g}"
        rows.append(
            f'<tr><td>{html_symbol(symbol.name)}</td><td>{of}</td><td>{meaning}</td><td class="num">{value}</td></tr>'
        )
    head = "<tr><th>symbol</th><th>of</th><th>what</th><th>value in this arm</th></tr>"
    return f'<h2 id="symbols">Symbols</h2><table>{head}{"".join(rows)}</table>'


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
    return f'<h3 id="{name}">{printed(name)}</h3><p class="eq">{printed(name)} = {body}</p>'


def labelled(parts: list[tuple[str, Sum]], write: Callable[[Sum], str], frame: str, mark: str) -> str:
    """Blocks one below the other, joined by plus signs."""
    lines = []
    for position, (label, block) in enumerate(parts):
        text = write(block)
        first = block.products[0].number > 0
        lead = "" if position == 0 or not first else "+ "
        lines.append(frame.format(label=mark.format(label) if label else "", text=lead + text))
    return "".join(lines)


# -- LaTeX -------------------------------------------------------------------------------------


def tex(equations: Equations, wanted: Sequence[str], group_by: str | None) -> str:
    """The document as LaTeX."""
    arm = equations.arm
    dialect = InlineLatex(6)
    lines = [
        r"\documentclass[10pt]{article}",
        r"\usepackage[a4paper,margin=2cm]{geometry}",
        r"\usepackage{amsmath}",
        r"\usepackage[hidelinks]{hyperref}",
        r"\setlength{\parindent}{0pt}\setlength{\parskip}{4pt}\raggedright",
        r"\begin{document}",
        rf"\title{{Equations of motion: {tex_text(arm.name)}}}\author{{}}\date{{}}\maketitle",
        r"\[\tau_i = \sum_j D_{ij}\,\ddot q_j + \sum_{jk} C_{ijk}\,\dot q_j \dot q_k + G_i\]",
        r"\tableofcontents",
    ]
    if equations.symbols:
        lines.append(r"\section{Symbols}")
        lines += [
            rf"$ {in_latex(s.name)} = {float(s.value):.6g} $" + r"\quad"
            for s in equations.symbols
            if s.value is not None
        ]
    for kind, heading, _ in SECTIONS:
        names = [name for name in wanted if name[0] == kind]
        if names:
            lines.append(rf"\section{{{heading}}}")
        for name in names:
            text = labelled(blocks(equations[name], group_by), dialect.sum, "{label}{text} ", "")
            lines.append(rf"$ {name[0]}_{{{name[1:]}}} = {text}$\par")
    return "\n".join([*lines, r"\end{document}", ""])


def tex_text(text: str) -> str:
    """Plain text with the special characters of TeX escaped."""
    return "".join("\\" + c if c in "_&%#$" else c for c in text)

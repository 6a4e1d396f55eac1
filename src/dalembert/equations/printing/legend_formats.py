"""The legend of printed equations as text, Markdown, LaTeX and HTML."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...markup.elements import Html, join, tag
from ..starred_parameters import Quotient
from .flow import HtmlWriter, InlineLatex, html_symbol
from .formats import Dialect, as_one_sum
from .letters import in_latex, in_text
from .printed_terms import Sym

if TYPE_CHECKING:
    from ..legend import Legend, LegendEntry, Words
    from ..starred_parameters import Definition

SPACE = re.compile(r"\s+")
TEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "²": "$^2$", "<": "$<$", ">": "$>$", "|": "$|$",
} | {sign: "\\" + sign for sign in "_&%#$"}  # fmt: skip
"""Characters that TeX takes for commands."""


def tex_text(text: str) -> str:
    """Plain text with the special characters of TeX escaped."""
    return "".join(TEX.get(sign, sign) for sign in SPACE.sub(" ", text))


def markdown_text(text: str) -> str:
    """Plain text that Markdown takes for no markup and no HTML."""
    words = SPACE.sub(" ", text).replace("&", "&amp;").replace("<", "&lt;")
    return "".join("\\" + sign if sign in "\\`*_{}[]#|$!~" else sign for sign in words)


def worded(words: Words, symbol: Callable[[str], str], plain: Callable[[str], str] = str) -> str:
    """A sentence in one format."""
    return "".join(symbol(word.name) if isinstance(word, Sym) else plain(word) for word in words)


def defined(definition: Definition, dialect: Dialect) -> str:
    """What a starred symbol stands for: a sum, or a sum over the starred mass."""
    if not isinstance(definition, Quotient):
        return dialect.sum(as_one_sum(definition, None))
    return f"({dialect.sum(as_one_sum(definition.top, None))}) / {dialect.symbol(Sym(definition.over))}"


def size(text: str) -> int:
    """The width of text in a terminal: a dot above a letter takes no room."""
    return sum(not unicodedata.combining(sign) for sign in text)


def text(legend: Legend, width: int = 80) -> str:
    """Columns of symbols, values with units, and meanings, which wrap."""
    rows = []
    for entry in legend.entries:
        words = worded(entry.words, in_text)
        if entry.definition is not None:
            words += f" = {defined(entry.definition, Dialect(6))}"
        rows.append((", ".join(map(in_text, entry.variables)), f"{entry.value} {entry.unit}".strip(), words))
    first, second = (max((size(row[i]) for row in rows), default=0) for i in (0, 1))
    lines = []
    for name, value, words in rows:
        head = f"  {name}{' ' * (first - size(name))}  {value}{' ' * (second - size(value))}  "
        room = max(width - size(head), 20)
        for position, line in enumerate(textwrap.wrap(words, room) or [""]):
            lines.append(f"{head if position == 0 else ' ' * size(head)}{line}".rstrip())
    for note in legend.notes:
        lines += textwrap.wrap(worded(note, in_text), width, initial_indent="  ", subsequent_indent="  ")
    return "\n".join(lines)


def markdown(legend: Legend) -> str:
    """A table, and the notes as paragraphs."""
    lines = ["| symbol | meaning | value | unit |", "|---|---|---|---|"]
    for entry in legend.entries:
        words = worded(entry.words, dollars, markdown_text)
        if entry.definition is not None:
            words += f" = ${defined(entry.definition, InlineLatex(6))}$"
        variables = ", ".join(map(dollars, entry.variables))
        lines.append(f"| {variables} | {words} | {entry.value} | {entry.unit} |")
    return "\n".join([*lines, *(f"\n{worded(note, dollars, markdown_text)}" for note in legend.notes)])


def dollars(name: str) -> str:
    """A variable as LaTeX between dollar signs."""
    return "..." if name == "..." else f"${in_latex(name)}$"


def latex(legend: Legend) -> str:
    """A longtable, which breaks across pages, and the notes as paragraphs."""
    lines = [
        r"\begin{longtable}{@{}lp{0.5\textwidth}rl@{}}",
        r"symbol & meaning & value & unit \\ \hline \endhead",
    ]
    for entry in legend.entries:
        words = worded(entry.words, dollars, tex_text)
        if entry.definition is not None:
            words += f" $= {defined(entry.definition, InlineLatex(6))}$"
        variables = ", ".join(map(dollars, entry.variables))
        lines.append(rf"{variables} & {words} & {entry.value} & {tex_text(entry.unit)} \\")
    return "\n".join([*lines, r"\end{longtable}", *(worded(n, dollars, tex_text) + r"\par" for n in legend.notes)])


def html(legend: Legend) -> Html:
    """A table, and the notes as paragraphs."""
    head = tag("tr", *(tag("th", word) for word in ("symbol", "meaning", "value", "unit")))
    rows = [html_row(entry) for entry in legend.entries]
    paragraphs = [tag("p", html_words(note), class_="note") for note in legend.notes]
    return join([tag("table", tag("thead", head), tag("tbody", *rows)), *paragraphs])


def html_row(entry: LegendEntry) -> Html:
    """One row of the table."""
    meaning = html_words(entry.words)
    if entry.definition is not None:
        meaning = join([meaning, " = ", Html(defined(entry.definition, HtmlWriter(6)))])
    variables = join((markup(name) for name in entry.variables), ", ")
    return tag(
        "tr", tag("td", variables), tag("td", meaning), tag("td", entry.value, class_="num"), tag("td", entry.unit)
    )


def html_words(words: Words) -> Html:
    """A sentence with its text escaped."""
    return join(markup(word.name) if isinstance(word, Sym) else word for word in words)


def markup(name: str) -> Html:
    """A variable."""
    return Html(html_symbol(name))

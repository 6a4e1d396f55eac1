"""Pretty-printers for documents, in which long lines must break: HTML text and inline LaTeX.

Browsers do not break MathML and TeX does not break inside stretched brackets, so formulas in a document are running
text: letters with stacked sub- and superscripts, plain brackets, and breaks allowed at every sign.
"""

from __future__ import annotations

from fractions import Fraction
from html import escape

from .formats import Dialect, Latex, decimal
from .letters import letter
from .printed_terms import Sym


class HtmlWriter(Dialect):
    """Pretty-printer for running HTML text; the styles are in ``document.STYLE``."""

    between = " "

    def number(self, value: Fraction) -> str:
        """A number, with a power of ten where it is very large or small."""
        top, bottom = decimal(value, self.digits)
        if "e" in top:
            mantissa, exponent = top.split("e")
            return f'<span class="n">{mantissa}·10<sup>{int(exponent)}</sup></span>'
        return f'<span class="n">{top}/{bottom}</span>' if bottom else f'<span class="n">{top}</span>'

    def symbol(self, sym: Sym) -> str:
        """A variable with its power."""
        return html_symbol(sym.name, sym.power)

    def sign(self, positive: bool, first: bool) -> str:
        """The sign before a term."""
        if first:
            return "" if positive else "−"
        return " + " if positive else " − "


def html_symbol(name: str, power: int = 1) -> str:
    """A variable with its subscript, and its power above the subscript."""
    part = letter(name)
    stem = escape(part.stem)
    if part.mark in ("dot", "ddot"):
        stem += "\u0307" if part.mark == "dot" else "\u0308"
    total = power * part.power
    upper = ("*" if part.mark == "star" else "") + (str(total) if total != 1 else "")
    lower = escape(part.subscript)
    if lower and upper:
        tail = f'<span class="u"><sup>{upper}</sup><sub>{lower}</sub></span>'
    else:
        tail = (f"<sub>{lower}</sub>" if lower else "") + (f"<sup>{upper}</sup>" if upper else "")
    return f'<span class="v"><i>{stem}</i>{tail}{part.place}</span>'


class InlineLatex(Latex):
    """LaTeX in which lines break inside brackets."""

    def bracket(self, inside: str) -> str:
        """Plain brackets, inside which TeX breaks lines."""
        return f"({inside})"

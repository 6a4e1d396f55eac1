"""The beginning of a long polynomial, for places where all of it would only flood the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...markup.elements import Html, join, tag
from ...rings.sparse import from_terms
from .flow import HtmlWriter
from .formats import as_one_sum, latex

if TYPE_CHECKING:
    from ..polynomial import TrigPolynomial

FEW = 40
"""Most terms that are shown at once."""


def beginning(polynomial: TrigPolynomial) -> TrigPolynomial:
    """The first ``FEW`` terms of the normal form."""
    first_terms = dict(list(polynomial.dictionary.items())[:FEW])
    return type(polynomial)(polynomial.space, from_terms(polynomial.ring.context, first_terms))


def left_out(polynomial: TrigPolynomial) -> str:
    """What an excerpt does not show; empty where it shows all."""
    count = len(polynomial)
    return f"{count:,} terms, the first {FEW} shown; .text() has all" if count > FEW else ""


def excerpt_html(polynomial: TrigPolynomial) -> Html:
    """A polynomial as running HTML, cut where it is long."""
    remainder = left_out(polynomial)
    body = Html(HtmlWriter(6).sum(as_one_sum(beginning(polynomial) if remainder else polynomial, None)))
    return join([body, " + … ", tag("span", f"({remainder})", class_="note")]) if remainder else body


def excerpt_latex(polynomial: TrigPolynomial) -> str:
    """A polynomial as LaTeX, cut where it is long."""
    remainder = left_out(polynomial)
    if not remainder:
        return latex(polynomial)
    return rf"{latex(beginning(polynomial))} + \cdots \quad \text{{({remainder})}}"

"""What a notebook shows of the equations of a system."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ..markup.elements import Html, join
from ..markup.notebook import folded, framed, heading, note
from .polynomial_array import TOGETHER, PolynomialArray
from .printing.flow import html_symbol

if TYPE_CHECKING:
    from .closed_form import Equations

MOST_FOR_VELOCITY = 2_000
"""Terms of D beyond which C, which has many times as many, is not derived only to be shown."""


def equations_html(equations: Equations) -> str:
    """The law, D and G, then C and the legend folded; of long equations their numbers of terms."""
    inertia, gravity = (cast(PolynomialArray, part) for part in (equations.mass_matrix, equations.gravity))
    terms = sum(map(len, inertia.listed.values())) + sum(map(len, gravity.listed.values()))
    parts: list[Html] = [heading(f"Equations of motion of {equations.arm.name}"), law(), *inertia.html()]
    parts += gravity.html()
    if sum(map(len, inertia.listed.values())) <= MOST_FOR_VELOCITY:
        velocity = cast(PolynomialArray, equations.christoffel)
        parts.append(folded(f"C, {len(velocity.listed)} coefficients that are not zero", *velocity.html()))
    else:
        parts.append(note("C is long; eq.christoffel[i, j, k] has it."))
    if terms <= 20 * TOGETHER:
        polynomials = {**inertia.listed, **gravity.listed}
        parts.append(folded("Symbols", equations.legend(list(polynomials)).html() if polynomials else Html()))
    return framed(*parts)


def law() -> Html:
    """tau_i = sum_j D_ij qdd_j + sum_jk C_ijk qd_j qd_k + G_i."""

    def symbol(name: str) -> Html:
        return Html(html_symbol(name))

    words = [symbol("tau_i"), " = Σ ", symbol("D_ij"), symbol("qdd_j"), " + Σ ", symbol("C_ijk"), symbol("qd_j"),
             symbol("qd_k"), " + ", symbol("G_i")]  # fmt: skip
    return note(join(words), ". Joints count from 1; ", symbol("C_ijk"), " of two different speeds counts twice.")

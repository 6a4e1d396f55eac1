"""The constants of short forms as formulas of masses, lengths and load (Bejczy 1974, Table 4).

The coefficient is derived once more in symbols, written in the same monomials as its short form, and what multiplies
a monomial is the formula of its constant: b4 = m3 + m4 + m5 + m6 + mL. Another load is other numbers in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ...arm.description import ArmDescription
from ...equations.closed_form import Equations
from ...equations.polynomial import TrigPolynomial
from ...equations.symbols import Request
from .monomials import Powers, polynomial_of, with_sines
from .short_form import ReducedCoefficient

STYLE = "gyration+lengths+gravity+load"
"""The symbols of Table 4: masses, mass centres, squared radii of gyration, lengths; those of the load with an L."""


def constant_formulas(
    arm: ArmDescription, forms: Sequence[ReducedCoefficient], symbols: Request = STYLE
) -> dict[str, TrigPolynomial]:
    """What each constant is in the exact form, in ``symbols``; its fit adds the shift of the term to it."""
    equations = Equations(arm, symbols)
    formulas: dict[str, TrigPolynomial] = {}
    for form in forms:
        if not form.terms:
            continue
        poly = form.written(equations[form.name])
        by_powers = by_motion(poly, form.sines)
        for term in form.terms:
            formulas.setdefault(term.constant, sum_of(poly, by_powers.get(term.powers, {})))
    return formulas


def by_motion(poly: TrigPolynomial, sines: Sequence[str]) -> dict[Powers, dict[Powers, Fraction]]:
    """Monomials in sines, cosines and positions, each with what multiplies it: monomials in symbols."""
    first_symbol, index = poly.ring.first_symbol, poly.ring.index
    factors: dict[Powers, dict[Powers, Fraction]] = {}
    for powers, value in with_sines(poly.monomials, sines).items():
        moving = tuple(power for power in powers if index[power[0]] < first_symbol)
        factors.setdefault(moving, {})[tuple(power for power in powers if index[power[0]] >= first_symbol)] = value
    return factors


def sum_of(poly: TrigPolynomial, monomials: Mapping[Powers, Fraction]) -> TrigPolynomial:
    """Monomials in symbols as an element of the ring of ``poly``."""
    total = poly - poly
    for powers, value in monomials.items():
        total = total + polynomial_of(poly, powers) * value
    return total

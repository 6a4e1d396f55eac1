"""A coefficient as few monomials: products of sines, cosines and prismatic positions.

A trigonometric polynomial has one normal form, but with 1 = s^2 + c^2 the same function can be expressed by s^2 or c^2
of each angle, and one expression can have fewer terms than another.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from ...bounds.waves import Array
from ...equations.polynomial import TrigPolynomial

Powers: TypeAlias = tuple[tuple[str, int], ...]
"""A monomial as (variable, power) pairs, with variables such as s2, c23, q3."""


def shortest(polys: Sequence[TrigPolynomial]) -> tuple[list[dict[Powers, Fraction]], tuple[str, ...]]:
    """The polynomials as monomials, with s^2 or c^2 of each angle so that the total number of terms is smallest.

    Given back with the cosines whose squares are written with sines.
    """
    plain = [poly.monomials for poly in polys]
    squared = sorted({n for form in plain for p in form for n, e in p if n[0] == "c" and e > 1})
    best = plain
    best_chosen: tuple[str, ...] = ()
    for chosen in itertools.chain.from_iterable(itertools.combinations(squared, r) for r in range(1, len(squared) + 1)):
        trial = [with_sines(form, chosen) for form in plain]
        if len({p for form in trial for p in form}) < len({p for form in best for p in form}):
            best, best_chosen = trial, chosen
    return best, best_chosen


def with_sines(form: Mapping[Powers, Fraction], chosen: Sequence[str]) -> dict[Powers, Fraction]:
    """Even powers of these cosines as powers of 1 - s^2."""
    result: dict[Powers, Fraction] = {}
    for powers, value in form.items():
        expanded: dict[Powers, Fraction] = {(): value}
        for name, power in powers:
            if name in chosen and power > 1:
                sine = "s" + name[1:]
                factors = {(): Fraction(1), ((sine, 2),): Fraction(-1)}
                for _ in range(power // 2):
                    expanded = product(expanded, factors)
                if power % 2:
                    expanded = product(expanded, {((name, 1),): Fraction(1)})
            else:
                expanded = product(expanded, {((name, power),): Fraction(1)})
        for key, number in expanded.items():
            result[key] = result.get(key, Fraction(0)) + number
    return {key: number for key, number in result.items() if number}


def product(a: Mapping[Powers, Fraction], b: Mapping[Powers, Fraction]) -> dict[Powers, Fraction]:
    """The product of two sums of monomials."""
    result: dict[Powers, Fraction] = {}
    for p, x in a.items():
        for r, y in b.items():
            merged = dict(p)
            for name, power in r:
                merged[name] = merged.get(name, 0) + power
            key = tuple(sorted(merged.items()))
            result[key] = result.get(key, Fraction(0)) + x * y
    return result


def factor(powers: Powers) -> str:
    """A monomial as text: s2^2 c5 q3."""
    return " ".join(name if power == 1 else f"{name}^{power}" for name, power in powers)


def polynomial_of(poly: TrigPolynomial, powers: Powers) -> TrigPolynomial:
    """A monomial as an element of the ring of ``poly``."""
    ring = poly.ring
    result = TrigPolynomial(poly.space, ring.one)
    for name, power in powers:
        result = result * TrigPolynomial(poly.space, ring.gens[ring.index[name]]) ** power
    return result


def columns(poly: TrigPolynomial, powers: Sequence[Powers], q: Array) -> Array:
    """Values of the monomials at positions: (positions, monomials)."""
    ring = poly.ring
    names = sorted({name for p in powers for name, _ in p})
    value = {name: TrigPolynomial(poly.space, ring.gens[ring.index[name]])(q) for name in names}
    values = np.ones((len(q), len(powers)))
    for column, p in enumerate(powers):
        for name, power in p:
            values[:, column] *= value[name] ** power
    return values

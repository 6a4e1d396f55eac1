"""Polynomials taken apart into terms, quickly.

flint hands out exponents as one long vector of big integers per term, zeros included, which for a hundred
variables costs more than deriving the equations did. Its printed form holds only what is there and comes from
one call, so the terms are read from that. Contexts therefore name their variables v0, v1, ...
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

Monomial: TypeAlias = tuple[tuple[int, int], ...]
"""(variable, power), variables in rising order, powers above zero."""


@lru_cache(maxsize=65536)
def factor(text: str) -> tuple[int, int]:
    """(variable, power) of "v12" or "v12^3"."""
    base, _, power = text.partition("^")
    return int(base[1:]), int(power or 1)


def fraction(text: str) -> Fraction:
    top, _, bottom = text.partition("/")
    return Fraction(int(top), int(bottom)) if bottom else Fraction(int(top))


def terms(poly: Any) -> dict[Monomial, Fraction]:
    """The terms of a polynomial, leading term first."""
    found: dict[Monomial, Fraction] = {}
    if not poly:
        return found
    words = str(poly).split(" ")
    sign = 1
    for word in words:
        if word in ("+", "-"):
            sign = 1 if word == "+" else -1
            continue
        if word[0] == "-":
            sign, word = -sign, word[1:]
        if word[0] == "v":
            found[tuple([factor(part) for part in word.split("*")])] = Fraction(sign)
        else:
            number, *rest = word.split("*")
            found[tuple([factor(part) for part in rest])] = sign * fraction(number)
        sign = 1
    return found


def dense(monomial: Iterable[tuple[int, int]], variables: int) -> tuple[int, ...]:
    """The exponent vector of a monomial."""
    powers = [0] * variables
    for place, power in monomial:
        powers[place] = power
    return tuple(powers)


def from_terms(context: Any, found: Mapping[Monomial, Fraction]) -> Any:
    """The polynomial with these terms."""
    from flint import fmpq

    count = context.nvars()
    return context.from_dict({dense(m, count): fmpq(value.numerator, value.denominator) for m, value in found.items()})

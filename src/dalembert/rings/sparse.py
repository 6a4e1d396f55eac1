"""The terms of a flint polynomial as sparse monomials.

flint returns exponents as one dense vector of big integers per term, zeros included, which for a hundred
variables costs more than deriving the equations does. Its printed form holds only the non-zero powers and comes from
one call, so the terms are parsed from that. Contexts therefore name their variables v0, v1, ...
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

Monomial: TypeAlias = tuple[tuple[int, int], ...]
"""(variable, power) pairs, variables in ascending order, powers above zero."""


@lru_cache(maxsize=65536)
def factor(text: str) -> tuple[int, int]:
    """(variable, power) of a printed factor "v12" or "v12^3"."""
    base, _, power = text.partition("^")
    return int(base[1:]), int(power or 1)


def fraction(text: str) -> Fraction:
    """The rational number printed as "3" or "3/4"."""
    numerator, _, denominator = text.partition("/")
    return Fraction(int(numerator), int(denominator)) if denominator else Fraction(int(numerator))


def terms(poly: Any) -> dict[Monomial, Fraction]:
    """The terms of a polynomial, leading term first."""
    coefficients: dict[Monomial, Fraction] = {}
    if not poly:
        return coefficients
    words = str(poly).split(" ")
    sign = 1
    for word in words:
        if word in ("+", "-"):
            sign = 1 if word == "+" else -1
            continue
        if word[0] == "-":
            sign, word = -sign, word[1:]
        if word[0] == "v":
            coefficients[tuple([factor(part) for part in word.split("*")])] = Fraction(sign)
        else:
            number, *factors = word.split("*")
            coefficients[tuple([factor(part) for part in factors])] = sign * fraction(number)
        sign = 1
    return coefficients


def dense(monomial: Iterable[tuple[int, int]], variables: int) -> tuple[int, ...]:
    """The exponent vector of a monomial."""
    powers = [0] * variables
    for variable, power in monomial:
        powers[variable] = power
    return tuple(powers)


def from_terms(context: Any, coefficients: Mapping[Monomial, Fraction]) -> Any:
    """The polynomial with these terms."""
    from flint import fmpq

    count = context.nvars()
    return context.from_dict(
        {dense(m, count): fmpq(value.numerator, value.denominator) for m, value in coefficients.items()}
    )

"""What a printed form is made of: sums, products, variables, monomials, and the identities of terms between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

Powers: TypeAlias = frozenset[tuple[str, int]]
Terms: TypeAlias = dict[Powers, Fraction]


@dataclass(frozen=True)
class Sym:
    """A power of a variable."""

    name: str
    power: int = 1


@dataclass(frozen=True)
class Product:
    """A number times variables and sums."""

    number: Fraction
    factors: tuple[Sym | Sum, ...]


@dataclass(frozen=True)
class Sum:
    """A sum of products."""

    products: tuple[Product, ...]


def paired(terms: Terms, first: tuple[str, str], second: tuple[str, str], sign: int, name: str, factor: int) -> Terms:
    """k M first + sign k M second -> factor k M name, wherever both terms occur."""
    for powers in list(terms):
        exponents = dict(powers)
        if powers in terms and all(exponents.get(x, 0) >= 1 for x in first):
            partner = changed(powers, {first[0]: -1, first[1]: -1, second[0]: 1, second[1]: 1})
            value = terms[powers]
            if terms.get(partner) == sign * value and partner != powers:
                del terms[powers], terms[partner]
                target = changed(powers, {first[0]: -1, first[1]: -1, name: 1})
                terms[target] = terms.get(target, Fraction(0)) + factor * value
                if not terms[target]:
                    del terms[target]
    return terms


def changed(powers: Iterable[tuple[str, int]], changes: Mapping[str, int]) -> Powers:
    """A monomial with some exponents changed."""
    exponents = dict(powers)
    for name, step in changes.items():
        exponents[name] = exponents.get(name, 0) + step
    return frozenset((name, power) for name, power in exponents.items() if power)


def merged(powers: Iterable[tuple[str, int]], order: Mapping[str, int]) -> list[tuple[str, int]]:
    """Variables in reading order, with repeated ones combined."""
    total: dict[str, int] = {}
    for name, power in powers:
        total[name] = total.get(name, 0) + power
    return sorted(total.items(), key=lambda item: order[item[0]])


def content(values: Iterable[Fraction]) -> Fraction:
    """The greatest rational that divides all values with integer quotients; 1 where that would only obscure them."""
    numbers = list(values)
    numerator = gcd(*(abs(v.numerator) for v in numbers))
    denominator = lcm(*(v.denominator for v in numbers))
    divisor = Fraction(numerator, denominator)
    plain = all(v.denominator in (1, 2, 4) and abs(v.numerator) < 1000 for v in numbers)
    return divisor if plain else Fraction(1)


def left_over(factors: tuple[Sym | Sum, ...], common: Mapping[str, int]) -> tuple[Sym | Sum, ...]:
    """The factors of a product with common powers of variables taken out."""
    lower = [Sym(f.name, f.power - common.get(f.name, 0)) if isinstance(f, Sym) else f for f in factors]
    return tuple(f for f in lower if isinstance(f, Sum) or f.power)

"""The human form of a polynomial: squares and differences of angles as in the papers, common factors extracted.

The normal form has 1 - c2^2 for s2^2, and for parallel joints c2 c23 + s2 s23 for c3. Here such pairs of terms are
combined again, terms with the same trigonometric factor share it, and common factors are extracted. Every step is an
identity of terms; there is no search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from ...arm.errors import ArmError
from ...rings.angles import angle_tag

if TYPE_CHECKING:
    from ..polynomial import TrigPolynomial

GROUPINGS = ("link", "parameter", "harmonic")
Powers: TypeAlias = frozenset[tuple[str, int]]
Terms: TypeAlias = dict[Powers, Fraction]
Key = TypeVar("Key")


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


class PrintedForm:
    """The conversion of one polynomial to human form."""

    def __init__(self, polynomial: TrigPolynomial) -> None:
        self.space, self.ring = polynomial.space, polynomial.ring
        names = self.ring.names
        self.order = {name: position for position, name in enumerate(self._reading_order())}
        self.trig = set(names[: self.ring.first_symbol])
        terms: Terms = {
            frozenset((names[i], e) for i, e in monomial): value for monomial, value in polynomial.dictionary.items()
        }
        self.terms = self._squares(self._differences(terms))

    def _reading_order(self) -> list[str]:
        """Symbols first, cosines before sines, joint by joint."""
        count = len(self.ring.tags)
        joints = [f"{t}{tag}" for tag in self.ring.tags for t in "cs"]
        return [*self.ring.symbols, *self.ring.names[2 * count : self.ring.first_symbol], *joints]

    # -- rewriting -------------------------------------------------------------------------------

    def _differences(self, terms: Terms) -> Terms:
        """c_a c_b + s_a s_b -> cos of the difference, s_b c_a - c_b s_a -> its sine."""
        angles = self.ring.angles
        for b, high in enumerate(angles.weights):
            for a, low in enumerate(angles.weights):
                if a != b and low and high[: len(low)] == low:
                    difference = high[len(low) :]
                    sign = difference[0][1]
                    tag = angle_tag([(joint, sign * s) for joint, s in difference], angles.wide)
                    for letter in "cs":
                        self.trig.add(letter + tag)
                        self.order.setdefault(letter + tag, self.order[f"{letter}{self.ring.tags[b]}"])
                    ta, tb = self.ring.tags[a], self.ring.tags[b]
                    terms = paired(terms, (f"s{ta}", f"s{tb}"), (f"c{ta}", f"c{tb}"), 1, f"c{tag}", 1)
                    terms = paired(terms, (f"c{ta}", f"s{tb}"), (f"s{ta}", f"c{tb}"), -1, f"s{tag}", sign)
        return terms

    def _squares(self, terms: Terms) -> Terms:
        """k - k c^2 -> k s^2."""
        for tag in sorted({name[1:] for name in self.trig if name[0] == "c"}):
            cosine, sine = f"c{tag}", f"s{tag}"
            for powers in list(terms):
                exponent = dict(powers).get(cosine, 0)
                if exponent >= 2 and powers in terms:
                    bare = changed(powers, {cosine: -2})
                    value = terms[powers]
                    if terms.get(bare) == -value:
                        del terms[powers], terms[bare]
                        target = changed(bare, {sine: 2})
                        terms[target] = terms.get(target, Fraction(0)) - value
                        if not terms[target]:
                            del terms[target]
        return terms

    # -- grouping --------------------------------------------------------------------------------

    def blocks(self, group_by: str | None) -> list[tuple[str, Sum]]:
        """The form in labelled blocks: one for each link, parameter or trigonometric factor; a single one for None."""
        if group_by is None:
            return [("", self.shared(self.terms))] if self.terms else []
        if group_by not in GROUPINGS:
            raise ArmError(f"terms are grouped by {', '.join(GROUPINGS)}, not by {group_by!r}")
        if group_by == "link":
            return [(label, self.shared(part)) for label, part in self._by(self._link).items()]
        chosen = self._inertial if group_by == "parameter" else self._trigonometric
        blocks = []
        for key, part in self._by(chosen).items():
            cofactor: Terms = {}
            for powers, value in part.items():
                cofactor[powers - key] = value
            blocks.append(("", Sum((self._times(key, cofactor),))))
        return blocks

    def _by(self, key: Callable[[Powers], Key]) -> dict[Key, Terms]:
        """The terms grouped by a key."""
        groups: dict[Key, Terms] = {}
        for powers in sorted(self.terms, key=self._rank):
            groups.setdefault(key(powers), {})[powers] = self.terms[powers]
        return groups

    def _rank(self, powers: Powers) -> tuple[list[tuple[int, int]], int]:
        """Sort key of a monomial in reading order."""
        return sorted((self.order[name], -power) for name, power in powers), 0

    def _link(self, powers: Powers) -> str:
        """The label of the link a term belongs to."""
        links = self.space.links_of([name for name, _ in sorted(powers, key=lambda p: self.order[p[0]])])
        return "load" if links == ("L",) else "link " + ", ".join(map(str, links)) if links else ""

    def _inertial(self, powers: Powers) -> Powers:
        """The inertial parameters of a monomial."""
        symbols = self.space.symbols
        return frozenset(p for p in powers if p[0] in symbols and symbols[p[0]].kind in ("inertial", "load"))

    def _trigonometric(self, powers: Powers) -> Powers:
        """The trigonometric factor of a monomial."""
        return frozenset(p for p in powers if p[0] in self.trig)

    def shared(self, terms: Terms) -> Sum:
        """Parameters with the same cofactor are collected in one bracket before it."""
        cofactors: dict[Powers, Terms] = {}
        for powers in sorted(terms, key=self._rank):
            key = self._inertial(powers)
            cofactors.setdefault(key, {})[powers - key] = terms[powers]
        owners: dict[frozenset[tuple[Powers, Fraction]], list[tuple[Fraction, Powers]]] = {}
        for key, cofactor in cofactors.items():
            scale = content(cofactor.values())
            first = cofactor[min(cofactor, key=self._rank)]
            scale = -scale if first < 0 else scale
            normal = frozenset((powers, value / scale) for powers, value in cofactor.items())
            owners.setdefault(normal, []).append((scale, key))
        products = []
        for normal, keys in owners.items():
            cofactor = dict(normal)
            if len(keys) == 1:
                scale, key = keys[0]
                products.append(self._times(key, {p: v * scale for p, v in cofactor.items()}))
            else:
                front = {key: scale for scale, key in keys}
                products.append(self._product(front, cofactor))
        return Sum(tuple(products))

    def _times(self, key: Powers, cofactor: Terms) -> Product:
        """A monomial times a sum, with the common factor of the sum extracted."""
        return self._product({key: Fraction(1)}, cofactor)

    def _product(self, front: Terms, cofactor: Terms) -> Product:
        """The product of two sums, with their common factors extracted."""
        number, factors = Fraction(1), []
        common: list[tuple[str, int]] = []
        for part in (front, cofactor):
            scale, shared, remainder = self._common_factor(part)
            number *= scale
            common += shared
            if remainder is not None:
                factors.append(remainder)
        symbols = [Sym(name, power) for name, power in merged(common, self.order)]
        letters = [s for s in symbols if s.name not in self.trig]
        trig_factors = [s for s in symbols if s.name in self.trig]
        return Product(number, (*letters, *factors, *trig_factors) if len(factors) > 0 else (*letters, *trig_factors))

    def _common_factor(self, terms: Terms) -> tuple[Fraction, list[tuple[str, int]], Sum | None]:
        """The number and monomial common to all terms, and the remaining sum (None if it is 1)."""
        if len(terms) == 1:
            ((powers, value),) = terms.items()
            return value, list(powers), None
        scale = content(terms.values())
        ordered = sorted(terms, key=self._rank)
        if terms[ordered[0]] < 0:
            scale = -scale
        lowest = dict(ordered[0])
        for powers in ordered[1:]:
            here = dict(powers)
            lowest = {name: min(power, here[name]) for name, power in lowest.items() if name in here}
        divisor = {name: -power for name, power in lowest.items()}
        remainder = Sum(
            tuple(
                Product(
                    terms[powers] / scale, tuple(Sym(n, p) for n, p in merged(changed(powers, divisor), self.order))
                )
                for powers in ordered
            )
        )
        return scale, list(lowest.items()), remainder


def paired(terms: Terms, first: tuple[str, str], second: tuple[str, str], sign: int, name: str, factor: int) -> Terms:
    """k M first + sign k M second -> factor k M name, wherever both terms occur."""
    for powers in list(terms):
        here = dict(powers)
        if powers in terms and all(here.get(x, 0) >= 1 for x in first):
            other = changed(powers, {first[0]: -1, first[1]: -1, second[0]: 1, second[1]: 1})
            value = terms[powers]
            if terms.get(other) == sign * value and other != powers:
                del terms[powers], terms[other]
                target = changed(powers, {first[0]: -1, first[1]: -1, name: 1})
                terms[target] = terms.get(target, Fraction(0)) + factor * value
                if not terms[target]:
                    del terms[target]
    return terms


def changed(powers: Iterable[tuple[str, int]], by: Mapping[str, int]) -> Powers:
    """A monomial with some exponents changed."""
    here = dict(powers)
    for name, step in by.items():
        here[name] = here.get(name, 0) + step
    return frozenset((name, power) for name, power in here.items() if power)


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

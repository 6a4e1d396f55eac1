"""The human form of a polynomial: squares and differences of angles as in the papers, common factors extracted.

The normal form has 1 - c2^2 for s2^2, and for parallel joints c2 c23 + s2 s23 for c3. Here such pairs of terms are
combined again, terms with the same trigonometric factor share it, and common factors are extracted. Speeds and
accelerations stand behind the coefficient they multiply: (Izz1 + m2 l1^2) qdd1 + ... Every step is an identity of
terms; there is no search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from ...arm.errors import ArmError
from ...rings.angles import angle_tag, read_tag
from .printed_terms import Powers, Product, Sum, Sym, Terms, changed, content, left_over, merged, paired

if TYPE_CHECKING:
    from ..polynomial import TrigPolynomial

GROUPINGS = ("link", "parameter", "harmonic")
Key = TypeVar("Key")
MOTION = ("speed", "acceleration")
"""Kinds of the symbols that are no parameters but the motion of the joints."""
ALONE: frozenset[tuple[Powers, Fraction]] = frozenset({(frozenset(), Fraction(1))})
"""The cofactor 1."""


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
        """Masses and moments first, then lengths and gravity, mass centres and radii; cosines before sines by joint."""
        count = len(self.ring.tags)
        joints = [f"{t}{tag}" for tag in self.ring.tags for t in "cs"]
        symbols = sorted(self.ring.symbols, key=self._placed_inside)
        return [*symbols, *self.ring.names[2 * count : self.ring.first_symbol], *joints]

    def _placed_inside(self, name: str) -> bool:
        """Whether a symbol places or spreads the mass of its body: x, y, z, or a radius of gyration."""
        symbol = self.space.symbols.get(name)
        return symbol is not None and symbol.kind in ("inertial", "load") and name[0] in "xyzk"

    @property
    def variables(self) -> list[str]:
        """The variables that are printed, in reading order."""
        return sorted({name for powers in self.terms for name, _ in powers}, key=lambda name: self.order[name])

    def angle(self, name: str) -> str | tuple[tuple[int, int], ...] | None:
        """Of a sine or cosine the joints and signs of its angle, or the name of a fixed one; None for the others."""
        if name not in self.trig or name.startswith("q"):
            return None
        tag = name[1:]
        if tag.startswith("_"):
            return tag[1:]
        weights = dict(zip(self.ring.tags, self.ring.angles.weights, strict=True))
        return tuple(weights.get(tag) or read_tag(tag, self.ring.angles.wide))

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
                if powers not in terms or dict(powers).get(cosine, 0) < 2:
                    continue
                without_square, value = changed(powers, {cosine: -2}), terms[powers]
                if terms.get(without_square) != -value:
                    continue
                del terms[powers], terms[without_square]
                target = changed(without_square, {sine: 2})
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
        key_of = self._inertial if group_by == "parameter" else self._trigonometric
        blocks = []
        for key, part in self._by(key_of).items():
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

    def _linear(self, powers: Powers) -> Powers:
        """The inertial parameters of a monomial in which the equations are linear: mass and moments."""
        return frozenset(p for p in self._inertial(powers) if not self._placed_inside(p[0]))

    def _motion(self, powers: Powers) -> Powers:
        """The joint speeds and accelerations of a monomial."""
        symbols = self.space.symbols
        return frozenset(p for p in powers if p[0] in symbols and symbols[p[0]].kind in MOTION)

    def shared(self, terms: Terms) -> Sum:
        """Accelerations, products of speeds, and what is left at rest, each with its coefficient before it."""
        groups: dict[Powers, Terms] = {}
        for powers in sorted(terms, key=self._rank):
            motion = self._motion(powers)
            groups.setdefault(motion, {})[powers - motion] = terms[powers]
        products: list[Product] = []
        for motion in sorted(groups, key=self._motion_rank):
            coefficient = self._collected(groups[motion], (self._linear, self._centre))
            products += [self._multiplied(coefficient, motion)] if motion else coefficient
        return Sum(tuple(products))

    def _motion_rank(self, motion: Powers) -> tuple[int, list[tuple[int, int]]]:
        """Sort key of what multiplies a coefficient: accelerations, squares and products of speeds, nothing."""
        kinds = {self.space.symbols[name].kind for name, _ in motion}
        return (0 if "acceleration" in kinds else 1 if kinds else 2), self._rank(motion)[0]

    def _multiplied(self, coefficient: list[Product], motion: Powers) -> Product:
        """A coefficient times speeds or accelerations; a minus common to all its products goes before the bracket."""
        tail = tuple(Sym(name, power) for name, power in merged(motion, self.order))
        if len(coefficient) == 1:
            return Product(coefficient[0].number, (*coefficient[0].factors, *tail))
        scale = content(product.number for product in coefficient)
        scale = -scale if all(product.number < 0 for product in coefficient) else scale
        return Product(scale, (Sum(tuple(Product(p.number / scale, p.factors) for p in coefficient)), *tail))

    def _centre(self, powers: Powers) -> Powers:
        """The mass centres and radii of gyration of a monomial."""
        return frozenset(p for p in powers if self._placed_inside(p[0]))

    def _collected(self, terms: Terms, levels: Sequence[Callable[[Powers], Powers]]) -> list[Product]:
        """The factors that the first of ``levels`` picks, those with the same cofactor in one bracket before it.

        A cofactor that holds factors of the next level is collected by them.
        """
        cofactors: dict[Powers, Terms] = {}
        for powers in sorted(terms, key=self._rank):
            key = levels[0](powers)
            cofactors.setdefault(key, {})[powers - key] = terms[powers]
        owners: dict[tuple[frozenset[tuple[Powers, Fraction]], Powers | None], list[tuple[Fraction, Powers]]] = {}
        nested = {key for key, cofactor in cofactors.items() if any(pick(p) for pick in levels[1:] for p in cofactor)}
        for key, cofactor in cofactors.items():
            scale = content(cofactor.values())
            first = cofactor[min(cofactor, key=self._rank)]
            scale = -scale if first < 0 else scale
            normal = frozenset((powers, value / scale) for powers, value in cofactor.items())
            # A parameter alone has no cofactor to share and stays in its place.
            owners.setdefault((normal, key if normal == ALONE or key in nested else None), []).append((scale, key))
        products = []
        for (normal, _), keys in owners.items():
            scale, key = keys[0]
            if key in nested:
                products.append(self._bracketed(key, self._collected(cofactors[key], levels[1:])))
            elif len(keys) == 1:
                products.append(self._times(key, cofactors[key]))
            else:
                products.append(self._product({key: scale for scale, key in keys}, dict(normal)))
        return products

    def _bracketed(self, key: Powers, inside: list[Product]) -> Product:
        """A mass times the products in its bracket, with their common variables before it."""
        powers = [{f.name: f.power for f in product.factors if isinstance(f, Sym)} for product in inside]
        common = {name: min(exponents.get(name, 0) for exponents in powers) for name in powers[0]}
        scale = content(product.number for product in inside)
        scale = -scale if inside[0].number < 0 else scale
        bracket = Sum(tuple(Product(p.number / scale, left_over(p.factors, common)) for p in inside))
        front = [Sym(name, power) for name, power in merged([*key, *common.items()], self.order) if power]
        letters, turns = ([f for f in front if (f.name in self.trig) is turning] for turning in (False, True))
        if len(inside) == 1:
            return Product(inside[0].number, (*letters, *bracket.products[0].factors, *turns))
        return Product(scale, (*letters, bracket, *turns))

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
            exponents = dict(powers)
            lowest = {name: min(power, exponents[name]) for name, power in lowest.items() if name in exponents}
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

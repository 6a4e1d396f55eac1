"""What the names of a printed formula mean in the ring of the equations, and arithmetic there that stays bounded."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from ..arm.description import listed
from ..arm.errors import ArmError
from ..arm.exact import MOST_BITS, bounded, exact, whole_number
from ..rings.angles import read_tag
from ..rings.trig import TrigNumber
from .polynomial import TrigPolynomial
from .space import Space

LARGEST_POWER, MOST_TERMS, MOST_WORK = 12, 200_000, 400_000
"""Bounds on powers, on the terms of a product, and on the terms of all products together."""
LONGEST_NAME, LONGEST_RUN, MOST_UNKNOWN = 1000, 100, 40
"""Longest name (characters), longest one that is split into known symbols, and the unknown names after which reading
ends: what follows would be refused as well."""


class Unknown(ArmError):
    """The error for symbols that the equations do not have."""

    def __init__(self, names: list[str], space: Space) -> None:
        self.names = names
        super().__init__(
            f"the formula has symbols the equations do not have: {listed(names)}; they have {listed(space.symbols)}, "
            f"and joints q1 to q{len(space.joint_names)}"
        )


class FormulaValues:
    """Values of the names of a formula; ``unknown`` collects those that have none.

    ``aliases`` defines names, as polynomials or as formulas, which ``whole`` reads.
    """

    def __init__(self, space: Space, aliases: Mapping[str, Any], whole: Callable[[str, FormulaValues], Any]) -> None:
        self.space, self.aliases, self.whole = space, aliases, whole
        self.ring = space.ring
        self.work = 0
        self.unknown: set[str] = set()

    # -- names -----------------------------------------------------------------------------------

    @property
    def has_commas(self) -> bool:
        """Whether indices of joints have commas between them: c_{1,12} of arms with ten joints or more."""
        return self.ring.angles.wide

    def number(self, text: str) -> Any:
        """The number that is written."""
        return self.ring.number(exact(text, "number"))

    def angle(self, stem: str, number: str) -> dict[str, int]:
        """An angle by its name, as name -> integer multiple: q2, theta_23 (a sum of joints), alpha1."""
        if stem in ("q", "theta", "t"):
            n = len(self.space.joint_names)
            joints = [number] if 1 <= (whole_number(number) or 0) <= n else list(number[:LONGEST_NAME])
            if joints and all(1 <= (whole_number(j) or 0) <= n for j in joints):
                return {f"q{j}": joints.count(j) for j in joints}
        if f"{stem}{number}" in self.ring.angles.fixed_index:
            return {f"{stem}{number}": 1}
        self.missing(f"{stem}{number}")
        return {}

    def trig(self, letter: str, angle: Mapping[str, int]) -> Any:
        """Sine or cosine of a sum of angles, by the addition theorems."""
        sin: Any = 0
        cos: Any = 1
        for name, count in angle.items():
            if abs(count) > LARGEST_POWER:
                raise ArmError(f"{count} times {name} is more than is read")
            s, c = self.sincos(name)
            s = s if count > 0 else -s
            for _ in range(abs(count)):
                sin, cos = (
                    self.times(sin, c) + self.times(cos, s),
                    self.times(cos, c) - self.times(sin, s),
                )
        return sin if letter == "s" else cos

    def sincos(self, name: str) -> tuple[Any, Any]:
        """Sine and cosine of one joint or fixed angle."""
        if name in self.ring.angles.fixed_index:
            return self.ring.fixed(name)
        joint = int(name[1:]) - 1
        if joint in self.ring.sliding:
            raise ArmError(f"joint {joint + 1} is prismatic; its position {name} has no sine")
        return self.ring.sincos(self.ring.position(joint))

    def missing(self, name: str) -> None:
        """A symbol that the equations do not have."""
        self.unknown.add(name)
        if len(self.unknown) >= MOST_UNKNOWN:
            raise Unknown(sorted(self.unknown), self.space)

    def lookup(self, name: str) -> tuple[Any, bool]:
        """(value, whether it is the square of the name); value None for an unknown symbol."""
        if name in self.aliases:
            if isinstance(self.aliases[name], TrigPolynomial):
                return self.ring.wrap(self.aliases[name].over(self.space).poly), False
            own_values = FormulaValues(self.space, {}, self.whole)
            value = self.whole(self.aliases[name], own_values)
            self.unknown |= own_values.unknown
            return value, False
        index = self.ring.index
        swapped = re.sub(r"^([IC])(\d+|L)([xyz]{2})$", r"\1\3\2", name)
        # Bejczy 1974, eq. D.1, writes r_i for the offset along z that Denavit-Hartenberg rows call d_i.
        for candidate in (name, swapped, re.sub(r"^r(\d+)$", r"q\1", name), re.sub(r"^r(\d+)$", r"d\1", name)):
            if candidate in index and index[candidate] >= self.ring.first_symbol:
                return self.ring.symbol(candidate), False
        match = re.fullmatch(r"(?:q|theta|d|r)(\d+)", name)
        joint_number = whole_number(match[1]) if match else None
        if joint_number is not None and joint_number - 1 in self.ring.sliding:
            return self.ring.position(joint_number - 1), False
        if f"k{name}" in index and name.startswith("k"):
            return self.ring.symbol(f"k{name}"), True
        match = re.fullmatch(r"([scSC])(-?\d[\d,-]*)", name)
        if match:
            angle: dict[str, int] = {}
            for joint, sign in read_tag(match[2], self.ring.angles.wide):
                if not 0 <= joint < len(self.space.joint_names) or joint in self.ring.sliding:
                    return None, False
                angle[f"q{joint + 1}"] = angle.get(f"q{joint + 1}", 0) + sign
            return self.trig(match[1].lower(), angle), False
        return None, False

    def pieces(self, name: str) -> list[str] | None:
        """A run of letters and digits split into known symbols: gm3 is g m3. None where that is impossible."""
        if len(name) > LONGEST_RUN or name in self.unknown:
            return None
        is_symbol = cache(lambda text: self.lookup(text)[0] is not None)
        # No symbol is longer, nor a sine of all joints, each with its sign and a comma.
        longest = max(map(len, (*self.ring.index, *self.aliases)), default=0) + 4 * len(self.space.joint_names)
        # From the end on: splits[k] divides name[k:] into two or more, with the shortest first piece.
        splits: list[list[str] | None] = [None] * (len(name) + 1)
        for start in reversed(range(len(name))):
            for cut in range(start + 1, min(len(name), start + longest + 1)):
                tail = ([name[cut:]] if is_symbol(name[cut:]) else splits[cut]) if is_symbol(name[start:cut]) else None
                if tail is not None:
                    splits[start] = [name[start:cut], *tail]
                    break
        return splits[0]

    # -- arithmetic ------------------------------------------------------------------------------

    def times(self, a: Any, b: Any) -> Any:
        """The product, bounded in size."""
        if isinstance(a, TrigNumber) and isinstance(b, TrigNumber) and len(a.poly) * len(b.poly) > MOST_TERMS:
            raise ArmError(f"the formula grows beyond {MOST_TERMS} terms when multiplied out")
        product = a * b
        self.bounded(product)
        return product

    def bounded(self, value: Any) -> None:
        """Refuses a value whose numbers have grown without end, and more work than any printed formula asks for."""
        if not isinstance(value, TrigNumber):
            bounded(Fraction(value), "the formula")
            return
        self.work += len(value.poly)
        if self.work > MOST_WORK:
            raise ArmError(f"the formula has products of more than {MOST_WORK} terms together when multiplied out")
        if any(number.height_bits() > MOST_BITS for number in value.poly.coeffs()):
            raise ArmError(f"a number of the formula grows beyond {MOST_BITS} bits; write it rounded")

    def reciprocal(self, value: Any) -> Fraction | None:
        """One over a number; None of zero, and of what is no number."""
        poly = self.ring.poly_of(value)
        if not poly.is_constant() or not poly:
            return None
        lead = poly.leading_coefficient()
        return Fraction(int(lead.q), int(lead.p))

    def raised(self, value: Any, exponent: int) -> Any:
        """The power, by repeated products."""
        result: Any = 1
        for _ in range(exponent):
            result = self.times(result, value)
        return result

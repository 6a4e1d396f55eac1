"""Constants of a program as linear forms in the inertial parameters, plus a shift from the refit.

The torques are linear in the inertial parameters, so every number that depends on parameters alone is linear in them:
k = sum_p c_p p + shift. Equal constants have equal forms. The shift, which the refit of the model adds, is the same for
every load; the sum depends on the load.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

NUMBER = ""
"""The name of the constant term in a form."""


@dataclass(frozen=True)
class ParameterForm:
    """A linear form; ``terms`` are (parameter, factor) sorted by parameter, the constant term at the empty name."""

    terms: tuple[tuple[str, Fraction], ...] = ()
    shift: Fraction = Fraction(0)

    @classmethod
    def number(cls, value: Fraction | int) -> ParameterForm:
        """The form of a plain number."""
        return cls(((NUMBER, Fraction(value)),)) if value else cls()

    @classmethod
    def parameter(cls, name: str) -> ParameterForm:
        """The form of one parameter."""
        return cls(((name, Fraction(1)),))

    def __bool__(self) -> bool:
        return bool(self.terms or self.shift)

    @cached_property
    def _hash(self) -> int:
        return hash((self.terms, self.shift))

    def __hash__(self) -> int:
        # that of a fraction takes an inverse modulo a prime: worked out once
        return self._hash

    @cached_property
    def plain(self) -> Fraction | None:
        """The value of a form without parameters and shift, else None."""
        if self.shift or any(name != NUMBER for name, _ in self.terms):
            return None
        return self.terms[0][1] if self.terms else Fraction(0)

    def times(self, factor: Fraction | int) -> ParameterForm:
        """The form times a number."""
        if factor == 1:
            return self
        if factor == -1:
            return -self
        if not factor:
            return ParameterForm()
        return ParameterForm(tuple((name, value * factor) for name, value in self.terms), self.shift * factor)

    def __neg__(self) -> ParameterForm:
        return ParameterForm(tuple((name, -value) for name, value in self.terms), -self.shift)

    def __add__(self, other: ParameterForm) -> ParameterForm:
        factors = dict(self.terms)
        for name, value in other.terms:
            factors[name] = factors.get(name, Fraction(0)) + value
        return ParameterForm(tuple(sorted((n, v) for n, v in factors.items() if v)), self.shift + other.shift)

    def shifted(self, by: Fraction) -> ParameterForm:
        """The form with its shift increased."""
        return ParameterForm(self.terms, self.shift + by)

    @cached_property
    def negative(self) -> bool:
        """Whether the leading factor is negative, which holds for exactly one of a form and its negative."""
        return (self.terms[0][1] if self.terms else self.shift) < 0

    def value(self, parameters: Mapping[str, Fraction]) -> Fraction:
        """The number for these parameters; missing ones are zero."""
        total = self.shift
        for name, factor in self.terms:
            total += factor * (parameters.get(name, Fraction(0)) if name != NUMBER else 1)
        return total

    @property
    def text(self) -> str:
        """The form as text: "Ixx3 - 0.4318 my3, refitted by +0.0021"."""
        result = ""
        # Positive terms first, so that a leading minus occurs only where all factors are negative.
        for name, factor in sorted(self.terms, key=lambda term: (term[1] < 0, term[0])):
            size = "" if abs(factor) == 1 and name != NUMBER else f"{float(abs(factor)):.6g}"
            piece = " ".join(part for part in (size, name.removeprefix("p_")) if part)
            if not result:
                result = f"-{piece}" if factor < 0 else piece
            else:
                result += f" {'-' if factor < 0 else '+'} {piece}"
        if self.shift:
            result += f"{', ' if result else ''}refitted by {float(self.shift):+.4g}"
        return result or "0"


def product(a: ParameterForm, b: ParameterForm) -> ParameterForm | None:
    """The product where one of the two is a plain number, else None."""
    if b.plain is not None:
        return a.times(b.plain)
    return b.times(a.plain) if a.plain is not None else None

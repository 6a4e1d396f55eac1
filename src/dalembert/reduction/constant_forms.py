"""What a constant of a program is made of: a sum of parameters with numbers before them, and a refitted shift.

The torques are linear in the inertial parameters, so every number that depends on parameters alone is linear in them:
k = sum_p c_p p + shift. Two constants that are written differently but equal have one form. The shift, which fitting
the model adds, is the same for every load; the sum follows the load.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

NUMBER = ""
"""The name under which a form keeps a plain number."""


@dataclass(frozen=True)
class Form:
    """``terms``: (parameter, factor) in order of parameter; a plain number stands at the empty name."""

    terms: tuple[tuple[str, Fraction], ...] = ()
    shift: Fraction = Fraction(0)

    @classmethod
    def number(cls, value: Fraction | int) -> Form:
        return cls(((NUMBER, Fraction(value)),)) if value else cls()

    @classmethod
    def parameter(cls, name: str) -> Form:
        return cls(((name, Fraction(1)),))

    def __bool__(self) -> bool:
        return bool(self.terms or self.shift)

    @property
    def plain(self) -> Fraction | None:
        """The value of a form that no parameter is in."""
        if self.shift or any(name != NUMBER for name, _ in self.terms):
            return None
        return self.terms[0][1] if self.terms else Fraction(0)

    def times(self, factor: Fraction | int) -> Form:
        if not factor:
            return Form()
        return Form(tuple((name, value * factor) for name, value in self.terms), self.shift * factor)

    def __neg__(self) -> Form:
        return self.times(-1)

    def __add__(self, other: Form) -> Form:
        found = dict(self.terms)
        for name, value in other.terms:
            found[name] = found.get(name, Fraction(0)) + value
        return Form(tuple(sorted((n, v) for n, v in found.items() if v)), self.shift + other.shift)

    def shifted(self, by: Fraction) -> Form:
        return Form(self.terms, self.shift + by)

    @cached_property
    def negative(self) -> bool:
        """Whether the first number of the form is below zero: of a form and its negative one is."""
        return (self.terms[0][1] if self.terms else self.shift) < 0

    def value(self, parameters: Mapping[str, Fraction]) -> Fraction:
        """The number for these parameters; missing ones are zero."""
        total = self.shift
        for name, factor in self.terms:
            total += factor * (parameters.get(name, Fraction(0)) if name != NUMBER else 1)
        return total

    @property
    def text(self) -> str:
        """As a reader wants it: "Ixx3 - 0.4318 my3, refitted by +0.0021"."""
        found = ""
        # What counts most comes first, by link; a leading minus only where everything has one.
        for name, factor in sorted(self.terms, key=lambda term: (term[1] < 0, term[0])):
            size = "" if abs(factor) == 1 and name != NUMBER else f"{float(abs(factor)):.6g}"
            piece = " ".join(part for part in (size, name.removeprefix("p_")) if part)
            if not found:
                found = f"-{piece}" if factor < 0 else piece
            else:
                found += f" {'-' if factor < 0 else '+'} {piece}"
        if self.shift:
            found += f"{', ' if found else ''}refitted by {float(self.shift):+.4g}"
        return found or "0"


def product(a: Form, b: Form) -> Form | None:
    """The product, where one of the two is a plain number."""
    if b.plain is not None:
        return a.times(b.plain)
    return b.times(a.plain) if a.plain is not None else None

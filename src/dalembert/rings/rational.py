"""The ring of exact rationals: what a description is made of, before a formulation runs over another ring."""

from __future__ import annotations

from fractions import Fraction


class Rationals:
    """The ring of exact rationals, without structural constants."""

    def number(self, value: Fraction) -> Fraction:
        """The number itself."""
        return value

    def sincos(self, angle: object) -> tuple[Fraction, Fraction]:
        """Always raises: an exact rational has no exact sine."""
        raise TypeError("an exact rational has no exact sine")

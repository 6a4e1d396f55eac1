"""What is told of a certificate once it is verified: each claim in words, with its unit, rounded outwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any

from flint import fmpq

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from .exact_dynamics import Key
from .system_numbers import system_numbers

SMALLEST = fmpq(1, 10**301)
"""Numbers nearer to zero are told as 0 or 1e-300: there floats have no eight digits, and in the end none but zero."""


@dataclass(frozen=True)
class CheckedClaim:
    """A claim that was verified: for every state ``what`` stays between ``lower`` and ``upper``, in ``unit``.

    Both are rounded outwards to eight digits. ``system`` counts the systems of the certificate from 0, ``parts`` those
    into which the proof divides the box.
    """

    system: int
    what: str
    unit: str
    lower: float
    upper: float
    parts: int


@dataclass(frozen=True, eq=False)
class CheckedCertificate:
    """A certificate of which every claim was verified.

    ``kind`` is "reduced model" or "ranges"; ``systems`` and ``states`` are the numbers that the claims are about. The
    names in them are labels: ``is_about`` compares the numbers.
    """

    kind: str
    systems: Sequence[Mapping[str, Any]]
    states: Mapping[str, Any]
    claims: tuple[CheckedClaim, ...]

    def __repr__(self) -> str:
        about = ", ".join(dict.fromkeys(str(system.get("arm")) for system in self.systems))
        number = len(self.claims)
        return f"<CheckedCertificate: {self.kind}, {number} claim{'s' * (number != 1)} about {about!r}, all verified>"

    def claims_about(self, arm: ArmDescription) -> tuple[CheckedClaim, ...]:
        """The claims about a system with exactly the numbers of this one; none of one that has no certificate."""
        try:
            numbers = system_numbers(arm)
        except ArmError:
            return ()
        return tuple(claim for claim in self.claims if self.systems[claim.system] == numbers)

    def is_about(self, arm: ArmDescription) -> bool:
        """Whether something is claimed of a system with exactly the numbers of this one."""
        return bool(self.claims_about(arm))


def unit(claim: Mapping[str, Any], bodies: Sequence[Mapping[str, Any]]) -> str:
    """The unit of a sum of coefficients, kg m^2 or N m, over m for every sliding joint; or of a ratio of two sums."""
    powers: list[tuple[bool, int]] = []
    for terms in (claim["of"], claim.get("over", [])):
        kinds = {(kind == "G", sum(bodies[j]["kind"] == "prismatic" for j in joints)) for _, kind, *joints in terms}
        if len(kinds) > 1:
            return "mixed"
        powers += kinds
    (load, slides), *denominator = powers
    if not denominator:
        return ("N m", "N")[slides] if load else ("kg m^2", "kg m", "kg", "kg m^-1")[slides]
    units = (("m", denominator[0][1] - slides), ("s", 2 * (denominator[0][0] - load)))
    above, below = ([x + f"^{abs(p)}" * (abs(p) > 1) for x, p in units if p * sign > 0] for sign in (1, -1))
    under = f"({' '.join(below)})" if len(below) > 1 else "".join(below)
    return (" ".join(above) or "1") + f"/{under}" * bool(under)


def name(key: Key) -> str:
    """The printed name of a coefficient; joints count from 1."""
    return str(key[0]) + ("" if max(key[1:]) < 9 else ",").join(str(j + 1) for j in key[1:])


def worded(terms: Sequence[Sequence[Any]], is_side: bool) -> str:
    """A sum of multiples of coefficients in words; in brackets where it is a side of a ratio."""
    text = " + ".join(("" if factor == "1" else f"{factor} ") + name(tuple(key)) for factor, *key in terms)
    return f"({text})" if is_side and len(terms) > 1 else text


def upward(exact: fmpq) -> float:
    """A number of eight digits that is not below an exact one, nor is the float nearest to it."""
    if abs(exact) < SMALLEST:
        return 1e-300 if exact > 0 else 0.0
    context = Context(prec=8, rounding=ROUND_CEILING)
    digits = context.divide(Decimal(int(exact.p)), Decimal(int(exact.q)))
    enough = Fraction(float(digits)) >= Fraction(int(exact.p), int(exact.q))
    return float(digits if enough else digits.next_plus(context))

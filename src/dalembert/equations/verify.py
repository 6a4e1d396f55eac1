"""Is a printed formula identical to the exact one?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from .formula import Unknown, read
from .polynomial import TrigPolynomial

if TYPE_CHECKING:
    from .closed_form import Equations

WAYS = ("symbols", "centre+lengths+gravity", "gyration+lengths+gravity")


@dataclass(frozen=True)
class Verdict:
    """``equal``, and where not, ``difference``: the formula less the exact coefficient, in normal form."""

    name: str
    equal: bool
    difference: TrigPolynomial
    exact: TrigPolynomial

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        if self.equal:
            return f"{self.name}: identical"
        return f"{self.name}: not identical; the formula exceeds the exact coefficient by {self.difference}"


def check(equations: Equations, name: str, expression: str, aliases: Mapping[str, Any] | None = None) -> Verdict:
    """Compare a formula with a coefficient of these equations; ``aliases`` explains symbols of the formula."""
    exact = equations[name]
    return compare(name, exact, expression, aliases)


def compare(name: str, exact: TrigPolynomial, expression: str, aliases: Mapping[str, Any] | None = None) -> Verdict:
    """Compare a formula with any polynomial."""
    difference = read(expression, exact.space, aliases) - exact
    return Verdict(name, not difference, difference, exact)


def split(statement: str) -> tuple[str, str]:
    """ "D22 = ..." as name and formula."""
    name, sign, formula = statement.partition("=")
    if not sign or not formula.strip():
        raise ArmError(f'write a coefficient, an equals sign and a formula, as in "D33 = m3"; got {statement!r}')
    return name.strip(), formula.strip()


def verify(arm: ArmDescription, statement: str, parameters: str | None = None) -> Verdict:
    """Check "D22 = ..." for an arm, in whichever of its parameters the formula is written."""
    from .closed_form import Equations

    name, formula = split(statement)
    if parameters is not None:
        return check(Equations(arm, parameters), name, formula)
    best: Unknown | None = None
    for way in ("numbers", *WAYS) if is_number(arm, formula) else WAYS:
        try:
            return check(Equations(arm, way), name, formula)
        except Unknown as fault:
            best = fault if best is None or len(fault.names) < len(best.names) else best
    assert best is not None
    raise best


def is_number(arm: ArmDescription, formula: str) -> bool:
    """True if a formula has no symbol but the joints, and is not zero: then it is about the arm's numbers."""
    from .closed_form import Equations

    try:
        return bool(read(formula, Equations(arm, "numbers").space))
    except Unknown:
        return False

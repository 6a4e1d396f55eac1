"""Exact comparison of a printed formula with a coefficient of the equations of motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from .formula import read
from .formula_values import Unknown
from .polynomial import TrigPolynomial

if TYPE_CHECKING:
    from .closed_form import Equations

PARAMETRISATIONS = ("symbols", "centre+lengths+gravity", "gyration+lengths+gravity")


@dataclass(frozen=True)
class Verdict:
    """The result of a comparison; ``difference`` is the formula minus the exact coefficient, in normal form."""

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
    """Compares a formula with a coefficient of these equations; ``aliases`` defines symbols of the formula."""
    exact = equations[name]
    return compare(name, exact, expression, aliases)


def compare(name: str, exact: TrigPolynomial, expression: str, aliases: Mapping[str, Any] | None = None) -> Verdict:
    """Compares a formula with any polynomial."""
    difference = read(expression, exact.space, aliases) - exact
    return Verdict(name, not difference, difference, exact)


def split(statement: str) -> tuple[str, str]:
    """Name and formula of a statement "D22 = ..."."""
    name, sign, formula = statement.partition("=")
    if not sign or not formula.strip():
        raise ArmError(f'write a coefficient, an equals sign and a formula, as in "D33 = m3"; got {statement!r}')
    return name.strip(), formula.strip()


def verify(
    arm: ArmDescription,
    statement: str,
    parameters: str | None = None,
    joints: Sequence[int | str] | None = None,
    at: Mapping[str | int, object] | None = None,
) -> Verdict:
    """Checks "D22 = ..." for an arm, in whichever parametrisation the formula uses.

    ``joints`` and ``at`` are those of ``equations``: a formula of a restricted model, its parameters starred.
    """
    from .restricted import restricted

    name, formula = split(statement)
    if parameters is not None:
        return check(restricted(arm, parameters, joints, at), name, formula)
    closest: Unknown | None = None
    best: Verdict | None = None
    numbers = is_number(restricted(arm, "numbers", joints, at), formula)
    for parametrisation in ("numbers", *PARAMETRISATIONS) if numbers else PARAMETRISATIONS:
        try:
            verdict = check(restricted(arm, parametrisation, joints, at), name, formula)
        except Unknown as fault:
            closest = fault if closest is None or len(fault.names) < len(closest.names) else closest
            continue
        if verdict:
            return verdict
        # Masses and mass centres alone do not tell which moments the author had: those that fit best are meant.
        if best is None or len(verdict.difference) < len(best.difference):
            best = verdict
    if best is not None:
        return best
    assert closest is not None
    raise closest


def is_number(numbers: Equations, formula: str) -> bool:
    """Whether a formula has no symbols but the joints and is not zero: it then refers to the numbers of the arm."""
    try:
        return bool(read(formula, numbers.space))
    except Unknown:
        return False

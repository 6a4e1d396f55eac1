"""How an extreme moves with a parameter: at the pose that attains it, only the function itself changes (envelope)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .certified_ranges import CertifiedRanges
from .importance import range_by_name


@dataclass(frozen=True)
class Sensitivity:
    """Derivatives of the minimum and maximum of a coefficient to one parameter of the arm.

    ``relative`` is the percent change of the larger magnitude for one percent of the parameter.
    """

    coefficient: str
    parameter: str
    value: float
    of_minimum: float
    of_maximum: float
    relative: float


def sensitivities(
    ranges: CertifiedRanges,
    coefficient: str,
    parameters: Sequence[str] | None = None,
    *,
    style: str = "centre+lengths+gravity",
) -> tuple[Sensitivity, ...]:
    """The effect of each parameter on the range of a coefficient, strongest first.

    ``style`` says which parameters (see ``arm.equations``): mass centres and inertia about them by default.
    """
    eq = ranges.equations_in(style)
    poly = eq[coefficient]
    spread = range_by_name(ranges, coefficient)
    largest = max(spread.minimum, spread.maximum, key=abs)
    found = []
    for symbol in eq.symbols:
        if symbol.name not in (parameters or poly.parameters) or symbol.value is None:
            continue
        slope = poly.diff(symbol.name)
        low, high = float(slope(spread.at_minimum)), float(slope(spread.at_maximum))
        at = high if largest == spread.maximum else low
        relative = at * float(symbol.value) / largest if largest else 0.0
        found.append(Sensitivity(coefficient, symbol.name, float(symbol.value), low, high, relative))
    return tuple(sorted(found, key=lambda s: -abs(s.relative)))

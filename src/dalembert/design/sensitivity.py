"""How an extreme moves with a parameter: at the pose that attains it, only the function itself changes (envelope)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..arm.description import ArmDescription
from ..bounds.ranges import Range, range_of
from ..bounds.waves import wave_of
from ..equations.closed_form import Equations
from ..reduction.states import box_of


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
    arm: ArmDescription,
    coefficient: str,
    parameters: Sequence[str] | None = None,
    *,
    style: str = "centre+lengths+gravity",
    box: Mapping[str | int, tuple[float, float]] | None = None,
    spread: Range | None = None,
) -> tuple[Sensitivity, ...]:
    """The effect of each parameter on the range of a coefficient, strongest first.

    ``style`` says which parameters (see ``arm.equations``): mass centres and inertia about them by default. ``spread``
    is the range of the coefficient, where it is known already.
    """
    eq = Equations(arm, style)
    poly = eq[coefficient]
    spread = spread or range_of(wave_of(poly), box_of(arm, box), name=coefficient)
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

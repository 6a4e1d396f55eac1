"""How an extreme moves with a parameter p of the arm.

Where the pose q* attains the extreme m(p) of a coefficient f(q, p), a change of the pose within the box changes f to
second order only, so that dm/dp = df/dp (q*, p): the envelope theorem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from numpy.typing import NDArray

from ..arm.description import ArmDescription, listed
from ..arm.drives import Actuator
from ..arm.errors import ArmError
from ..arm.motor_units import motor_units
from ..equations import names
from ..equations.meanings import meaning
from ..equations.polynomial import TrigPolynomial
from ..formulations.system import SystemOverRing
from ..rings.real import REAL
from .certified_ranges import CertifiedRanges
from .importance import range_by_name

Array = NDArray[Any]

STEP = Fraction(61, 128)
"""A share of a number of the drives; half of it would make transmissions singular that differ in a factor of two."""


@dataclass(frozen=True)
class Sensitivity:
    """Derivatives of the minimum and maximum of a coefficient to one parameter of the arm.

    ``relative`` is the percent change of the larger magnitude for one percent of the parameter. ``unit`` is that of the
    parameter, ``slope_unit`` that of the two derivatives: of the coefficient for one unit of the parameter.
    """

    coefficient: str
    parameter: str
    value: float
    of_minimum: float
    of_maximum: float
    relative: float
    unit: str = ""
    slope_unit: str = ""


def sensitivities(
    ranges: CertifiedRanges,
    coefficient: str,
    parameters: Sequence[str] | None = None,
    *,
    style: str = "centre+lengths+gravity",
) -> tuple[Sensitivity, ...]:
    """The effect of each parameter on the range of a coefficient, strongest first.

    ``style`` says which parameters (see ``arm.equations``): mass centres and inertia about them by default. Where the
    drives count, gear ratios, "ratio(MOTOR, JOINT)", and rotor inertias, "inertia(MOTOR)", are parameters too.
    """
    eq = ranges.equations_in(style)
    poly = eq[coefficient]
    spread = range_by_name(ranges, coefficient)
    asked = (parameters,) if isinstance(parameters, str) else parameters
    symbols = [(symbol, float(symbol.value)) for symbol in eq.symbols if symbol.value is not None]
    drives = list(_of_drives(ranges.system, coefficient)) if ranges.system.counts_drives else []
    known = [*(symbol.name for symbol, _ in symbols), *(name for name, *_ in drives)]
    for name in asked or ():
        if name not in known:
            raise ArmError(f"{ranges.system.name}: no parameter {name!r:.60}; there are {listed(known)}")
    slopes: list[tuple[str, float, str, Callable[[Array], float]]] = []
    for symbol, value in symbols:
        if symbol.name in (poly.parameters if asked is None else asked):
            unit = meaning(ranges.system, symbol)[1]
            slopes.append((symbol.name, value, unit, _of_symbol(poly.diff(symbol.name))))
    slopes += [entry for entry in drives if asked is None or entry[0] in asked]
    largest = max(spread.minimum, spread.maximum, key=abs)
    own_unit = names.coefficient_unit(ranges.system, coefficient).replace("^2", "²")
    sensitivities_ = []
    for name, value, unit, slope in slopes:
        low, high = slope(spread.at_minimum), slope(spread.at_maximum)
        slope_at_largest = high if largest == spread.maximum else low
        relative = slope_at_largest * value / largest if largest else 0.0
        if low or high or asked:
            slope_unit = f"{own_unit} per {unit}" if unit else own_unit
            sensitivities_.append(Sensitivity(coefficient, name, value, low, high, relative, unit, slope_unit))
    return tuple(sorted(sensitivities_, key=lambda s: -abs(s.relative)))


def _of_symbol(slope: TrigPolynomial) -> Callable[[Array], float]:
    return lambda q: float(slope(q))


def _of_drives(system: ArmDescription, coefficient: str) -> Iterator[tuple[str, float, str, Callable[[Array], float]]]:
    """Slopes to gear ratios, "ratio(MOTOR, JOINT)", and to rotor inertias, "inertia(MOTOR)".

    Coefficients are quadratic in a ratio and linear in an inertia, so that a central difference is the derivative.
    """
    slides = {joint.name for joint in system.moving if joint.kind == "prismatic"}
    for number, (actuator, effort) in enumerate(zip(system.drives.actuators, motor_units(system), strict=True)):
        turns = effort == "N m"
        for index, (joint, ratio) in enumerate(actuator.ratios):

            def geared(value: Fraction, number: int = number, index: int = index) -> ArmDescription:
                motor = system.drives.actuators[number]
                ratios = list(motor.ratios)
                ratios[index] = (ratios[index][0], value)
                return _with_motor(system, number, replace(motor, ratios=tuple(ratios)))

            unit = "rad/m" if turns and joint in slides else ""
            yield f"ratio({actuator.name}, {joint})", float(ratio), unit, _difference(geared, ratio, coefficient)
        inertia = actuator.rotor.inertia
        if inertia:

            def weighted(value: Fraction, number: int = number) -> ArmDescription:
                motor = system.drives.actuators[number]
                return _with_motor(system, number, replace(motor, rotor=replace(motor.rotor, inertia=value)))

            unit = "kg m²" if turns else "kg"
            yield f"inertia({actuator.name})", float(inertia), unit, _difference(weighted, inertia, coefficient)


def _with_motor(system: ArmDescription, number: int, motor: Actuator) -> ArmDescription:
    motors = list(system.drives.actuators)
    motors[number] = motor
    return replace(system, drives=replace(system.drives, actuators=tuple(motors)))


def _difference(
    system_at: Callable[[Fraction], ArmDescription], value: Fraction, coefficient: str
) -> Callable[[Array], float]:
    """(f(p + s) - f(p - s)) / 2 s, which is df/dp exactly where f is quadratic in p."""
    step = STEP * value or STEP
    ahead, behind = (SystemOverRing(system_at(value + s * step), REAL) for s in (1, -1))

    def slope(q: Array) -> float:
        change = _coefficient(ahead, coefficient, q) - _coefficient(behind, coefficient, q)
        return change / float(2 * step)

    return slope


def _coefficient(system: SystemOverRing, name: str, q: Array) -> float:
    """A coefficient of the system as a number at positions ``q``."""
    kind, index = names.parse(name, system.n)
    position = [float(x) for x in q]
    if kind == "G":
        return float(system.gravity(REAL, position)[index[0]])
    if len(index) == 2:
        return float(system.mass_matrix(REAL, position)[index[0]][index[1]])
    i, j, k = index
    return float(system.christoffel(REAL, position)[i][j][k]) * (names.speeds_counted(index) if kind == "D" else 1)

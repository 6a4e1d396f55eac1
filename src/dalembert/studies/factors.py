"""Factors: numbers of a description that vary from design to design, and how."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..arm.named_number import DescriptionNumber
from .design_faults import faults
from .design_numbers import Designed, design_numbers, designed, number_of

Array = NDArray[np.float64]

DISTRIBUTIONS = ("uniform", "normal", "triangular")
"""How a factor may be distributed; one with ``values`` takes each of them alike."""
MOST_VALUES = 10_000
LEAST_SHARE = 1e-9
"""A normal distribution is cut so that more of it than this is left: of less its quantiles are not known."""


@dataclass(frozen=True)
class Factor:
    """What varies: one number of the description, or several at once.

    ``low`` and ``high`` are its ends, ``values`` the only ones that it may have, or ``mean`` and ``sd`` those of a
    normal distribution (cut at ``low`` and ``high`` where they are given); a triangular one has its peak at ``mean``.
    With ``relative`` all of these are shares of the numbers as they are: 1 leaves them so. ``numbers`` are those that
    it sets, the one of its own name by default; a factor of several is relative.
    """

    name: str
    low: float | None = None
    high: float | None = None
    values: tuple[float, ...] = ()
    mean: float | None = None
    sd: float | None = None
    distribution: str = ""
    relative: bool = False
    numbers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", tuple(self.numbers) or (self.name,))
        object.__setattr__(self, "values", tuple(self.values))
        if not self.distribution:
            object.__setattr__(self, "distribution", "normal" if self.sd is not None else "uniform")
        fault = self._fault()
        if fault:
            raise ArmError(f"factor {self.name!r:.80}: {fault}")

    def _fault(self) -> str:
        numbers = [x for x in (self.low, self.high, self.mean, self.sd, *self.values) if x is not None]
        if not self.name or not isinstance(self.name, str):
            return "a factor has a name"
        if not all(_is_finite(x) for x in numbers):
            return "its ends and values must be finite numbers"
        if self.distribution not in DISTRIBUTIONS:
            return f"no distribution {self.distribution!r}; there are {', '.join(DISTRIBUTIONS)}"
        if len(self.numbers) > 1 and not self.relative:
            return "one that sets several numbers is relative; add relative = true, and give shares such as 0.9 and 1.1"
        if self.values:
            ends = (self.low, self.high, self.mean, self.sd)
            if any(x is not None for x in ends):
                return "values stand in place of low, high, mean and sd; keep one of the two"
            if self.distribution != "uniform":
                return (
                    f"values are taken all alike; a {self.distribution} distribution has low and high, or mean and sd"
                )
            return "" if len(self.values) <= MOST_VALUES else f"it has more than {MOST_VALUES} values"
        if self.low is not None and self.high is not None and not self.low < self.high:
            remedy = f"; for one value alone give values = [{self.low:g}]" if self.low == self.high else ""
            return f"low {self.low:g} must be below high {self.high:g}{remedy}"
        if self.distribution == "normal":
            if self.sd is None or self.sd <= 0:
                return "a normal distribution has sd above zero, and a mean"
            if self.mean is None:
                return "a normal distribution has a mean"
            below_low, below_high = self._cut
            if below_high - below_low <= LEAST_SHARE:
                return "hardly any of its distribution lies between low and high"
            return ""
        if self.low is None or self.high is None:
            return "give low and high, or values, or mean and sd"
        if self.sd is not None:
            return f"a {self.distribution} distribution has no sd; a normal one has"
        if self.distribution == "triangular":
            peaked = self.mean is not None and self.low <= self.mean <= self.high
            return "" if peaked else "a triangular distribution has its peak, mean, between low and high"
        return "" if self.mean is None else "a uniform distribution has no mean; a triangular one, or one with sd, has"

    @property
    def _cut(self) -> tuple[float, float]:
        """Shares of the normal distribution below ``low`` and below ``high``."""
        from scipy.special import ndtr

        assert self.mean is not None, "checked before"
        assert self.sd is not None, "checked before"
        below_low = float(ndtr((self.low - self.mean) / self.sd)) if self.low is not None else 0.0
        return below_low, float(ndtr((self.high - self.mean) / self.sd)) if self.high is not None else 1.0

    @property
    def bounded(self) -> bool:
        """Whether it has a smallest and a largest value."""
        return bool(self.values) or (self.low is not None and self.high is not None)

    def of_shares(self, u: Array) -> Array:
        """Values of the factor for shares ``u`` of its probability, 0 to 1: its quantiles."""
        if self.values:
            return np.array(self.values)[np.minimum((u * len(self.values)).astype(int), len(self.values) - 1)]
        # Rounding may carry a quantile past an end: a mass of -2e-16 kg where the least is zero.
        quantiles: Array = np.clip(
            self._quantiles(u), -np.inf if self.low is None else self.low, np.inf if self.high is None else self.high
        )
        return quantiles

    def _quantiles(self, u: Array) -> Array:
        if self.distribution == "normal":
            from scipy.special import ndtri

            assert self.mean is not None, "checked when it was made"
            assert self.sd is not None, "checked when it was made"
            below_low, below_high = self._cut
            # A share of exactly 0 or 1 has no finite quantile; half a step of a float inside it does.
            return self.mean + self.sd * ndtri(np.clip(below_low + u * (below_high - below_low), 1e-16, 1 - 1e-16))
        assert self.low is not None, "checked when it was made"
        assert self.high is not None, "checked when it was made"
        width = self.high - self.low
        if self.distribution == "triangular":
            assert self.mean is not None, "checked when it was made"
            peak = (self.mean - self.low) / width
            rising = np.sqrt(u * peak)
            falling = 1 - np.sqrt((1 - u) * (1 - peak))
            return self.low + width * np.where(u < peak, rising, falling)
        return self.low + width * u


FIELDS = tuple(field.name for field in fields(Factor) if field.name != "name")


@dataclass(frozen=True)
class FactorSet:
    """All factors of a study of one system, and the numbers of its description that they set."""

    system: Designed
    factors: tuple[Factor, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "system", designed(self.system))
        if not self.factors:
            raise ArmError(f"{self.system.name}: a study has at least one factor")
        names = [factor.name for factor in self.factors]
        repeated = [name for name in names if names.count(name) > 1]
        repeated += [name for name in self.names if self.names.count(name) > 1]
        if repeated:
            raise ArmError(f"{self.system.name}: two factors set {repeated[0]!r:.80}; keep one of them")
        for number, factor in zip(self.numbers, self._owners, strict=True):
            if self.factors[factor].relative and not number.value:
                raise ArmError(
                    f"factor {self.factors[factor].name!r:.80} is relative, and {number.name} is zero now; give its "
                    "ends themselves"
                )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the numbers that the factors set."""
        return tuple(name for factor in self.factors for name in factor.numbers)

    @cached_property
    def numbers(self) -> tuple[DescriptionNumber, ...]:
        """The numbers that the factors set."""
        return tuple(number_of(self.system, name) for name in self.names)

    @cached_property
    def _owners(self) -> tuple[int, ...]:
        return tuple(k for k, factor in enumerate(self.factors) for _ in factor.numbers)

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the factors; relative ones have none."""
        return tuple(
            "1" if factor.relative else number_of(self.system, factor.numbers[0]).unit for factor in self.factors
        )

    @property
    def least(self) -> Array:
        """The least that each factor can be; shares of relative ones have none."""
        numbers = [number_of(self.system, factor.numbers[0]) for factor in self.factors]
        pairs = zip(self.factors, numbers, strict=True)
        return np.array([-np.inf if factor.relative else number.least for factor, number in pairs])

    def values(self, designs: Array) -> Array:
        """Values of the numbers ``(..., numbers)`` for designs ``(..., factors)``."""
        columns = designs[..., list(self._owners)]
        pairs = zip(self.numbers, self._owners, strict=True)
        scale = [float(number.value) if self.factors[k].relative else 1.0 for number, k in pairs]
        return columns * np.array(scale)

    @property
    def jacobian(self) -> Array:
        """d numbers/d factors, ``(numbers, factors)``, which is constant."""
        return self.values(np.eye(len(self.factors))).T

    def faults(self, values: Array) -> list[str]:
        """For each row of numbers why it cannot be, or an empty string."""
        return faults(design_numbers(self.system), self.names, values)


def factors_of(factors: Sequence[Factor] | dict[str, object]) -> tuple[Factor, ...]:
    """Factors as they are, or from a table of names: a pair of ends, or a table of a factor's own fields."""
    if not isinstance(factors, dict):
        return tuple(factors)
    parsed = []
    for name, value in factors.items():
        if isinstance(value, dict):
            unknown = [key for key in value if key not in FIELDS]
            if unknown:
                raise ArmError(f"factor {name!r:.80}: there is no {unknown[0]!r:.60}; it has {', '.join(FIELDS)}")
            parsed.append(Factor(name, **value))
        elif isinstance(value, list | tuple) and len(value) == 2:
            parsed.append(Factor(name, value[0], value[1]))
        else:
            raise ArmError(f"factor {name!r:.80}: give (low, high), or a table such as {{'values': [1, 2, 3]}}")
    return tuple(parsed)


def _is_finite(value: object) -> bool:
    """Whether it is a finite number; truth values are none."""
    if isinstance(value, bool):
        return False
    return isinstance(value, Real) and math.isfinite(value)

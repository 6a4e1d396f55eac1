"""What the starred parameters of a restricted model stand for (Bejczy 1974, section V).

The mass, first moments and moments of inertia of a body with others at rest on it are sums. Its mass centre, its radii
of gyration and its moments about the mass centre are quotients of sums by the starred mass:

    z* = mz* / m*,    k_22*^2 = Iyy* / m*,    Cxx* = (m* Ixx* - my*^2 - mz*^2) / m*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..arm.inertia import ENTRIES, PARAMETERS
from .polynomial import TrigPolynomial
from .symbols import STYLES, named

Definition: TypeAlias = "TrigPolynomial | Quotient"


@dataclass(frozen=True)
class Quotient:
    """``top`` over the polynomial ``bottom``, which has the name ``over`` of its own, such as "m3*"."""

    top: TrigPolynomial
    bottom: TrigPolynomial
    over: str

    @property
    def parameters(self) -> tuple[str, ...]:
        """The symbols of both."""
        return tuple(dict.fromkeys((*self.top.parameters, *self.bottom.parameters)))

    def __call__(self, q: ArrayLike, parameters: Mapping[str, object] | None = None) -> Any:
        """The value at joint positions ``q`` (any, where the joints at rest have numbers)."""
        return np.asarray(self.top(q, parameters)) / np.asarray(self.bottom(q, parameters))

    def __bool__(self) -> bool:
        return bool(self.top)

    def text(self) -> str:
        """Plain text: (m₃ z₃ + m₄ z₄) / m₃*."""
        from .printing.formats import Dialect
        from .printing.legend_formats import defined

        return defined(self, Dialect(6))

    def __str__(self) -> str:
        return self.text()


def starred_parameters(moments: Sequence[TrigPolynomial], style: str, tag: str) -> dict[str, Definition]:
    """The parameters of body ``tag`` in a parametrisation, from m, mx, my, mz, Ixx, ... about its frame."""
    p = dict(zip(PARAMETERS, moments, strict=True))
    if style == "moments":
        return {f"{named(name, tag)}*": value for name, value in p.items()}
    mass = p["m"]
    tops = {axis: p[f"m{axis}"] for axis in "xyz"}
    for key, i, j in ENTRIES:
        moment = p[f"I{key}"]
        tops[f"kk{i + 1}{j + 1}"] = moment if i == j else -moment
        first = [p[f"m{axis}"] for axis in "xyz"]
        square = first[0] * first[0] + first[1] * first[1] + first[2] * first[2] if i == j else 0
        tops[f"C{key}"] = mass * moment - (square - first[i] * first[j])
    definitions: dict[str, Definition] = {f"m{tag}*": mass}
    for name in STYLES[style][1:]:
        definitions[f"{named(name, tag)}*"] = over_mass(tops[name], mass, f"m{tag}*")
    return definitions


def over_mass(top: TrigPolynomial, mass: TrigPolynomial, name: str) -> Definition:
    """A polynomial over the starred mass; a polynomial itself where the mass is a number or the top zero."""
    if not top or not mass:
        return top
    return top / mass.number if mass.poly.is_constant() else Quotient(top, mass, name)

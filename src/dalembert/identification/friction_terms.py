"""Friction as columns of a regressor: what each term is as a function of the speed of its joint.

    tau_f = F_c s(qd) + F_v qd + F_0 + F_s s(qd) / (1 + (qd/v_s)^2) + k |tau_l| s(qd)

s is the sign of the speed, passing through zero within a speed ``v_0``: tanh(qd / v_0). The terms are called "coulomb",
"viscous", "offset", "stribeck" (Hess and Soom 1990) and "load", which grows with the load tau_l that the links put on
the joint (Hamon, Gautier and Garrec 2010). All are linear but for v_0 and v_s, which are searched for on a grid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arm.errors import ArmError
from .log import Array

TERMS = ("coulomb", "viscous", "offset", "stribeck", "load")
SIGNED = ("offset",)
"""Terms whose factor may be negative."""


@dataclass(frozen=True)
class FrictionTerms:
    """The terms asked for, in the order of ``TERMS``."""

    names: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> FrictionTerms:
        """From text such as "coulomb+viscous+offset"; "none" has none."""
        if not isinstance(text, str):
            raise ArmError(f"friction is text such as coulomb+viscous, or none; got {text!r}")
        words = [word.strip().lower() for word in text.split("+")] if text.strip().lower() != "none" else []
        for word in words:
            if word not in TERMS:
                raise ArmError(f"there is no friction {word!r}; join some of {', '.join(TERMS)} by +, or say none")
        if {"stribeck", "load"} & set(words) and "coulomb" not in words:
            raise ArmError(f"friction {text!r} has a part that changes Coulomb friction, but no coulomb; add it")
        return cls(tuple(term for term in TERMS if term in words))

    @property
    def regularised(self) -> bool:
        """Whether the sign of the speed, and so v_0, counts."""
        return "coulomb" in self.names

    def column(self, name: str, speed: Array, transition: Array, stribeck: Array, load: Array | None) -> Array:
        """One term of all joints ``(..., n)``; ``load`` is the torque of the links, where it is known."""
        if name == "viscous":
            return speed
        if name == "offset":
            return np.ones_like(speed)
        sign = np.tanh(speed / transition)
        if name == "stribeck":
            return np.asarray(sign / (1 + (speed / stribeck) ** 2))
        if name == "load":
            return np.zeros_like(speed) if load is None else np.asarray(sign * np.abs(load))
        return np.asarray(sign)

    def columns(self, speed: Array, transition: Array, stribeck: Array, load: Array | None) -> Array:
        """All terms, ``(..., n, terms)``."""
        columns = [self.column(name, speed, transition, stribeck, load) for name in self.names]
        return np.stack(columns, axis=-1) if columns else np.zeros((*speed.shape, 0))

    def units(self, kind: str) -> dict[str, str]:
        """Unit of each factor at a joint of this kind."""
        effort, rate = ("N m", "N m s/rad") if kind == "revolute" else ("N", "N s/m")
        return {"coulomb": effort, "viscous": rate, "offset": effort, "stribeck": effort, "load": "1"}

"""The formulations by name: a new one is a module of this folder and a line here.

A module that has ``inverse_dynamics(chain, ring, q, qd, qdd)`` can be asked for torques, counted (``dalembert
operations``) and compared with all others; one that has ``mass_matrix`` and ``gravity`` gives closed forms.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from ..rings.ring import Scalar
from . import (
    composite_body,
    generalized_dalembert,
    influence,
    lagrange_euler,
    newton_euler,
    tourassis_neuman,
)

FORMULATIONS: dict[str, ModuleType] = {
    "newton-euler": newton_euler,
    "lagrange-euler": lagrange_euler,
    "generalized-dalembert": generalized_dalembert,
    "influence": influence,
    "composite-body": composite_body,
    "tourassis-neuman": tourassis_neuman,
}
"""All formulations, by the names that users give them."""

TORQUES: dict[str, Callable[..., list[Scalar]]] = {
    name: module.inverse_dynamics for name, module in FORMULATIONS.items() if hasattr(module, "inverse_dynamics")
}
"""Those that give torques of the links."""

COEFFICIENTS: dict[str, ModuleType] = {
    name: module
    for name, module in FORMULATIONS.items()
    if hasattr(module, "mass_matrix") and hasattr(module, "gravity")
}
"""Those that give D and G."""

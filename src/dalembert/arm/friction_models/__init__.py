"""How moving friction depends on speed: models by name, one file each."""

from __future__ import annotations

from .coulomb import COULOMB, Coulomb
from .model import FrictionModel
from .stribeck import Stribeck

FRICTION_MODELS: dict[str, type[FrictionModel]] = {
    Coulomb.name: Coulomb,
    Stribeck.name: Stribeck,
}
"""Every model; a new one is a file here and a line in this table. Its fields are its parameters in files."""

__all__ = ["COULOMB", "FRICTION_MODELS", "Coulomb", "FrictionModel", "Stribeck"]

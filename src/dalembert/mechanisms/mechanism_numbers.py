"""Every number of a mechanism by name: those of its chains behind the name of the chain, and gravity of the world.

CHAIN.link.NAME.mass, CHAIN.length.NAME, CHAIN.joint.NAME.x, ...   as ``arm/description_numbers.py`` names them
gravity.x, gravity.y, gravity.z                                    of the world
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..arm.description_numbers import DescriptionNumber, numbers_of, with_numbers
from ..arm.errors import ArmError
from ..arm.exact import exact_vector
from ..arm.io.toml_table import nearest
from .mechanism import Mechanism

AXES = "xyz"


def mechanism_numbers(mechanism: Mechanism) -> dict[str, DescriptionNumber]:
    """All numbers that can be changed by name, chain after chain."""
    found = {
        f"{chain}.{name}": replace(number, name=f"{chain}.{name}")
        for chain, arm in mechanism.parts.chains.items()
        for name, number in numbers_of(arm).items()
        if not name.startswith("gravity.")  # chains stand in the gravity of the world
    }
    world = exact_vector(mechanism.parts.gravity, "gravity")
    pull = {f"gravity.{x}": DescriptionNumber(f"gravity.{x}", "m/s^2", g) for x, g in zip(AXES, world, strict=True)}
    return found | pull


def mechanism_number(mechanism: Mechanism, name: str) -> DescriptionNumber:
    """The number of this name."""
    known = mechanism_numbers(mechanism)
    if name not in known:
        raise ArmError(
            f"{mechanism.name}: there is no number {name!r:.80}{nearest(name, list(known))}; they are named as "
            f"{next(iter(mechanism.parts.chains))}.link.NAME.mass, gravity.z"
        )
    return known[name]


def with_mechanism_numbers(mechanism: Mechanism, values: Mapping[str, Any]) -> Mechanism:
    """The mechanism with these numbers, by name, and all others as they are; its loops are closed anew."""
    gravity = list(exact_vector(mechanism.parts.gravity, "gravity"))
    changes: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        mechanism_number(mechanism, name)
        if name.startswith("gravity."):
            gravity[AXES.index(name[-1])] = value
            continue
        chain = max((x for x in mechanism.parts.chains if name.startswith(f"{x}.")), key=len)
        changes.setdefault(chain, {})[name[len(chain) + 1 :]] = value
    chains = {
        chain: with_numbers(arm, changes[chain]) if chain in changes else arm
        for chain, arm in mechanism.parts.chains.items()
    }
    return mechanism._with(chains=chains, gravity=gravity, coordinates=mechanism.coordinates, home=mechanism.home)

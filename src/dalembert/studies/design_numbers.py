"""What a study may be of, and its numbers by name: an arm as it is described, or a mechanism in its coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from ..arm import description_numbers
from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.exact import exact_vector
from ..arm.named_number import DescriptionNumber
from ..compile.functions import system_facts
from ..mechanisms.mechanism import Mechanism
from ..mechanisms.mechanism_numbers import mechanism_number, mechanism_numbers, with_mechanism_numbers
from ..mechanisms.mechanism_system import MechanismSystem

Designed: TypeAlias = Any
"""An ``ArmSystem``, or a ``MechanismSystem``."""


def designed(system: object) -> Designed:
    """The system that a study is of: a mechanism is taken in its coordinates, from home."""
    if isinstance(system, Mechanism):
        return system.as_system()
    if not isinstance(system, ArmDescription | MechanismSystem):
        from ..reduction.program_system import ProgramSystem  # brings the closed forms, which no study needs

        if isinstance(system, ProgramSystem):
            raise ArmError(
                f"{system.name}: a reduced model has the constants of one design; study its arm, with the output "
                "reduced_model (each design reduced anew) or model_error (designs set against the model of this one)"
            )
        raise ArmError(
            f"a study is of an arm, alone or with its load and drives, or of a mechanism, not of {system!r:.60}"
        )
    return system


def design_numbers(system: object) -> dict[str, DescriptionNumber]:
    """All numbers that can be factors of a study of this arm or mechanism, by name."""
    studied = designed(system)
    if isinstance(studied, MechanismSystem):
        return mechanism_numbers(studied.mechanism)
    return description_numbers.numbers_of(studied)


def number_of(system: Designed, name: str) -> DescriptionNumber:
    """The number of this name."""
    if isinstance(system, MechanismSystem):
        return mechanism_number(system.mechanism, name)
    return description_numbers.number_of(system, name)


def with_numbers(system: Designed, values: Mapping[str, Any]) -> Designed:
    """The system with these numbers, and all others as they are."""
    if isinstance(system, MechanismSystem):
        return type(system)(with_mechanism_numbers(system.mechanism, values), system.near)
    return description_numbers.with_numbers(system, values)


def facts_of(system: Designed | Mechanism) -> str:
    """Text that differs wherever the system does; empty where a Python function in it has none."""
    if isinstance(system, Mechanism | MechanismSystem):
        mechanism, near = (system, system.home) if isinstance(system, Mechanism) else (system.mechanism, system.near)
        parts = mechanism.parts
        chains = [(name, system_facts(arm)) for name, arm in parts.chains.items()]
        # Arrays show few of their digits: so gravity exactly, and the joints of its assembly in place of the guess.
        without_chains = replace(parts, chains={}, home=None, gravity=exact_vector(parts.gravity, "gravity"))
        description = (type(system).__name__, without_chains, chains, near.tolist())
        return repr(description) if all(facts for _, facts in chains) else ""
    return system_facts(system)

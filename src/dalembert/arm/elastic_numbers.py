"""The numbers of an arm's springs and dampers by name, and the arm with other ones.

spring.JOINT.stiffness, spring.JOINT.rest           of a spring at a joint
damper.JOINT.damping                                of a damper at a joint
spring.A-B.stiffness, .rest, .damping, .a.x, .b.x   of a spring from a point of link A to a point of link B

A second part between the same two has #2 after their names, a third one #3.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .description import ArmDescription
from .elastic import Elastic, JointDamper, JointSpring
from .exact import exact, exact_vector
from .named_number import Changes, DescriptionNumber, Named, changed_vector, vector_numbers


def _names(arm: ArmDescription) -> list[str]:
    names: list[str] = []
    for part in arm.elastic:
        if isinstance(part, JointSpring | JointDamper):
            name = f"{'spring' if isinstance(part, JointSpring) else 'damper'}.{part.joint}"
        else:
            name = f"spring.{part.link_a}-{part.link_b}"
        repeats = sum(earlier.partition("#")[0] == name for earlier in names)
        names.append(f"{name}#{repeats + 1}" if repeats else name)
    return names


def elastic_numbers(arm: ArmDescription) -> Named:
    """All numbers of springs and dampers."""
    for name, part in zip(_names(arm), arm.elastic, strict=True):
        for constant, unit, least in _constants(arm, part):
            value = exact(getattr(part, constant))
            yield DescriptionNumber(f"{name}.{constant}", unit, value, least), ("elastic", name, constant)
        if not isinstance(part, JointSpring | JointDamper):
            for end, point in (("a", part.point_a), ("b", part.point_b)):
                position = exact_vector(point, "point")
                yield from vector_numbers(f"{name}.{end}", "m", position, "elastic", name, f"{end}.")


def _constants(arm: ArmDescription, part: Elastic) -> tuple[tuple[str, str, float], ...]:
    turning = not isinstance(part, JointSpring | JointDamper) or arm.joint(part.joint).kind == "revolute"
    if isinstance(part, JointSpring):
        unit = "N m/rad" if turning else "N/m"
        return ("stiffness", unit, 0.0), ("rest", "rad" if turning else "m", float("-inf"))
    if isinstance(part, JointDamper):
        return (("damping", "N m s/rad" if turning else "N s/m", 0.0),)
    return ("stiffness", "N/m", 0.0), ("rest", "m", 0.0), ("damping", "N s/m", 0.0)


def changed_elastic(arm: Any, name: str, changes: Changes) -> Any:
    """The arm with other numbers of one of its springs or dampers."""

    def renewed(part: Elastic) -> Elastic:
        new_values = {
            constant: changes[constant] for constant in ("stiffness", "rest", "damping") if constant in changes
        }
        if not isinstance(part, JointSpring | JointDamper):
            new_values |= {
                f"point_{end}": changed_vector(getattr(part, f"point_{end}"), changes, f"{end}.") for end in "ab"
            }
        return replace(part, **new_values)

    pairs = zip(_names(arm), arm.elastic, strict=True)
    return replace(arm, elastic=tuple(renewed(part) if part_name == name else part for part_name, part in pairs))

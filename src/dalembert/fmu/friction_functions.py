"""Friction of shafts as functions to compile, its numbers parameters; the law is in ``formulations/friction.py``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ..arm.exact import exact
from ..arm.friction_models import COULOMB
from ..arm.shaft_friction import Friction
from ..compile.function import Function, Tables
from ..formulations.friction import ShaftFriction, contact_friction
from ..rings.algebra import add, mul, sub
from ..rings.graph import Graph, Node
from ..rings.ring import Scalar
from ..systems.sticking import Contact
from .fmu_model import FmuVariable

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Shaft:
    """A shaft with friction: its name among all shafts, that in the FMU, its friction, and whether it turns."""

    key: str
    name: str
    friction: Friction
    revolute: bool

    @property
    def quantities(self) -> tuple[FmuVariable, ...]:
        """Its four parameters."""
        unit, viscous = ("N.m", "N.m.s/rad") if self.revolute else ("N", "N.s/m")
        stem, friction = f"friction.{self.name}", self.friction
        return (
            FmuVariable(f"{stem}.forward", unit, f"moving friction of {self.key}, forward", friction.moving[0]),
            FmuVariable(f"{stem}.backward", unit, f"moving friction of {self.key}, backward", friction.moving[1]),
            FmuVariable(f"{stem}.starting", unit, f"what holds {self.key} while it stands", friction.hold),
            FmuVariable(f"{stem}.viscous", viscous, f"viscous friction of {self.key}", friction.viscous),
        )

    def law(self, graph: Graph, numbers: Sequence[Scalar]) -> ShaftFriction:
        """The law of the shaft with these numbers."""
        forward, backward, starting, viscous = numbers
        mean = mul(graph.number(HALF), add(forward, backward))
        half = mul(graph.number(HALF), sub(forward, backward))
        return ShaftFriction(mean, half, starting, viscous, self.friction.model)


def viscous_alone(law: ShaftFriction | None) -> ShaftFriction:
    """What of the law does not jump at rest."""
    return ShaftFriction(0, 0, 0, 0 if law is None else law.viscous, COULOMB)


def friction_functions(
    contacts: Sequence[Contact], shafts: Mapping[str, tuple[int, Shaft]], parameters: int
) -> dict[str, Function]:
    """``friction``: forces of contacts that slide; ``hold``: what holds those that stick.

    ``shafts`` are by key, with the place of the first of their four numbers among the parameters.
    """
    count = len(contacts)
    if not count:
        return {}
    arguments = (("direction", count), ("speed", count), ("parameters", parameters))
    return {
        "friction": Function("friction", arguments, (("force", (count,)),), partial(_sliding, tuple(contacts), shafts)),
        "hold": Function(
            "hold", (("parameters", parameters),), (("hold", (count,)),), partial(_hold, tuple(contacts), shafts)
        ),
    }


def _numbers(graph: Graph, offset: int) -> list[Node]:
    return [graph.input(f"p{offset + k}") for k in range(4)]


def _sliding(contacts: Sequence[Contact], shafts: Mapping[str, tuple[int, Shaft]]) -> Tables:
    graph, forces = Graph(), []
    for k, contact in enumerate(contacts):
        laws = []
        for (ratio, friction), key in zip(contact.parts, contact.shafts, strict=True):
            if not friction:
                continue
            offset, shaft = shafts[key]
            laws.append((ratio, shaft.law(graph, _numbers(graph, offset))))
        forces.append(contact_friction(graph, laws, graph.input(f"direction_{k}"), graph.input(f"speed_{k}")))
    return (forces,)


def _hold(contacts: Sequence[Contact], shafts: Mapping[str, tuple[int, Shaft]]) -> Tables:
    graph, holds = Graph(), []
    for contact in contacts:
        total: Scalar = 0
        for (ratio, friction), key in zip(contact.parts, contact.shafts, strict=True):
            if friction:
                total = add(total, mul(graph.number(exact(abs(ratio))), _numbers(graph, shafts[key][0])[2]))
        holds.append(total)
    return (holds,)

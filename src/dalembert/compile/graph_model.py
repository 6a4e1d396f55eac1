"""A system over one graph: its inputs and parameters, its chains, and the choice among ways to the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.exact import Angle
from ..arm.inertia import PARAMETERS
from ..arm.named_steps import named_amounts, named_steps
from ..formulations.chain import Chain, chain, over
from ..formulations.system import SystemOverRing
from ..rings.algebra import flat, sub
from ..rings.graph import Graph, Node, reachable
from ..rings.rational import Rationals
from ..rings.ring import Scalar
from .regroup import regrouped

KINDS = (None, "inertial", "load", "all")
"""What ``parameters=`` may be: built in, or kept as an argument."""


Table = list[list[Scalar]]
SHORT = 12
"""Joints up to which dual numbers are tried beside recursions: they have more zeros to fold in arms of simple shape."""


class GraphModel:
    """A system over one graph, with its inputs."""

    def __init__(self, arm: ArmDescription, graph: Graph, parameters: str | None = None) -> None:
        self.arm, self.graph, self.n = arm, graph, arm.n
        self.names = parameter_names(arm, parameters)
        self.symbols: dict[str, Any] = {}
        angles = {step.stem for step in named_steps(arm) if isinstance(step.amount, Angle)} if self.names else ()
        for index, name in enumerate(self.names):
            value = graph.input(f"p{index}")
            self.symbols[name] = graph.sincos(value) if name in angles else value

    def input(self, name: str) -> list[Node]:
        """The vector of inputs of an argument, one for each joint."""
        return self.graph.inputs(f"{name}_", self.n)

    @cached_property
    def system(self) -> SystemOverRing:
        """The whole system, its chain as described."""
        return SystemOverRing(self.arm, self.graph, self.symbols)

    @property
    def plain(self) -> Chain:
        """The chain as described."""
        return self.system.links

    @cached_property
    def chain(self) -> Chain:
        """The chain with its inertia regrouped, where the inertia is known: same torques, fewer operations."""
        if self.names:
            return self.plain
        return over(regrouped(chain(self.arm, Rationals())), self.graph)

    @cached_property
    def plane(self) -> Chain:
        """The chain regrouped in the other way, which suits Newton-Euler."""
        if self.names:
            return self.plain
        return over(regrouped(chain(self.arm, Rationals()), plane=True), self.graph)


def parameter_names(arm: ArmDescription, parameters: str | None) -> tuple[str, ...]:
    """Names of the numbers that stay inputs, in the order the kernel takes them.

    "inertial": the ten parameters of every moving body. "load": the ten of a load in the tool frame. "all": the
    inertial ones, gravity, and every named length and twist (rad).
    """
    if parameters not in KINDS:
        raise ArmError(f'parameters may be "inertial", "load" or "all", not {parameters!r}')
    if parameters is None:
        return ()
    named_steps(arm)  # refuses names that are those of other parameters
    inertial = [f"{name}{index + 1}" for index in range(len(arm.bodies)) for name in PARAMETERS]
    if parameters == "inertial":
        return tuple(inertial)
    if parameters == "load":
        return tuple(f"{name}L" for name in PARAMETERS)
    return (*inertial, "gx", "gy", "gz", *named_amounts(arm))


def parameter_values(arm: ArmDescription, parameters: str | None) -> list[float]:
    """The arm's own numbers for ``parameter_names``."""
    values: dict[str, float] = dict(zip(("gx", "gy", "gz"), map(float, arm.gravity), strict=True))
    for index, body in enumerate(arm.bodies):
        values |= {f"{k}{index + 1}": float(x) for k, x in zip(PARAMETERS, body.inertia.parameters, strict=True)}
    for name, amount in named_amounts(arm).items() if parameters == "all" else ():
        values[name] = amount.radians if isinstance(amount, Angle) else float(amount)
    payload = dict(arm.loads).get(arm.tool_link)
    load = [float(x) for x in payload.body.parameters] if payload is not None else [0.0] * 10
    values |= {f"{k}L": x for k, x in zip(PARAMETERS, load, strict=True)}
    return [values[name] for name in parameter_names(arm, parameters)]


def torque(
    m: GraphModel,
    q: Sequence[Node],
    qd: Sequence[Node],
    qdd: Sequence[Scalar],
    friction_speeds: Sequence[Node] | None = None,
) -> list[Scalar]:
    """tau with the chain regrouped in the way that comes out smaller."""
    return shortest(m, lambda links: m.system.torque(m.graph, q, qd, qdd, links=links, friction_speeds=friction_speeds))


def solved(m: GraphModel, q: Sequence[Node], qd: Sequence[Node], tau: Sequence[Scalar]) -> tuple[list[Scalar], Any]:
    """qdd by composite bodies and sparse factors, which are given back for further use."""
    factors = m.system.factored(m.graph, m.system.mass_matrix(m.graph, q, m.chain))
    net = [sub(t, b) for t, b in zip(tau, torque(m, q, qd, [0] * m.n), strict=True)]
    return m.system.solved(factors, net), factors


def shortest(m: GraphModel, build: Callable[[Chain], Any]) -> Any:
    """What ``build`` makes of the chain regrouped in the way that comes out smaller."""
    return smallest(build(m.plane), build(m.chain))


def smallest(*candidates: Any) -> Any:
    """The one of these that needs the fewest nodes."""
    return min(
        candidates, key=lambda candidate: len(reachable([node for node in flat(candidate) if isinstance(node, Node)]))
    )

"""``Function``: what every target compiles. Arguments and results with their meanings, and the graph of the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..rings.algebra import flat
from ..rings.graph import Node, absorbed, evaluate, reachable
from ..rings.real import REAL

Shape: TypeAlias = tuple[int, ...]
Tables: TypeAlias = Sequence[Any]
"""Nests of nodes and numbers, one for each result."""

MEANINGS = {
    "q": "joint positions (rad or m)",
    "qd": "joint velocities (rad/s or m/s)",
    "qdd": "joint accelerations (rad/s^2 or m/s^2)",
    "qd_wanted": "joint velocities that are wanted, at which friction is counted",
    "tau": "joint torques (N m) or forces (N)",
    "motor_torque": "motor torques (N m) or forces (N)",
    "mass": "mass matrix D(q)",
    "inverse": "inverse of the mass matrix",
    "coriolis": "C(q, qd), with C qd the Coriolis and centrifugal torques",
    "load": "gravity torques G(q)",
    "frame": "tool frame in the base, 4x4",
    "jacobian": "velocity of the tool per joint velocity: three linear rows, three angular",
    "jacobian_rate": "rate of the Jacobian along the motion",
    "center": "mass centre of all that moves, in the base (m)",
    "center_jacobian": "velocity of the mass centre per joint velocity",
    "momentum": "per joint velocity: linear momentum, then angular momentum about the mass centre",
    "regressor": "torques per inertial parameter",
    "tau_q": "d tau/dq",
    "tau_qd": "d tau/dqd",
    "tau_qdd": "d tau/dqdd",
    "qdd_q": "d qdd/dq",
    "qdd_qd": "d qdd/dqd",
    "qdd_tau": "d qdd/d tau",
}
"""What arguments and results are, with their units."""


@dataclass(frozen=True)
class Parameters:
    """Numbers of a description that stay arguments: their names, and the values that the description has."""

    kind: str | None = None
    names: tuple[str, ...] = ()
    values: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Function:
    """A function of named vectors. ``build`` makes its graph when it is first needed.

    ``arguments`` are (name, width), ``results`` (name, shape). ``facts`` is text that says all that shapes the graph,
    so that compiled code can be found again without building it; where it is empty the graph itself is the text.
    ``label`` names the system it belongs to, a ``thing`` such as an arm; ``remarks`` say in words what the function
    holds. ``meanings`` are those of its arguments and results where they are not the common ones. ``around`` are a
    value and a reach for each argument: states to try it at, where not any numbers will do. ``ways`` makes other ways
    to the same results, for processors with few registers: functions that give them one after another, each from the
    arguments and from results of those before it. ``recursion`` has a caller compute it by a loop over the table of a
    long arm (``joint_recursion.py``), where code would be long.
    """

    name: str
    arguments: tuple[tuple[str, int], ...]
    results: tuple[tuple[str, Shape], ...]
    build: Callable[[], Tables]
    label: str = ""
    facts: str = ""
    parameters: Parameters = Parameters()
    joints: tuple[str, ...] = ()
    remarks: tuple[str, ...] = field(default=())
    thing: str = "arm"
    meanings: Mapping[str, str] = field(default_factory=dict)
    around: tuple[tuple[tuple[float, ...], float], ...] = ()
    ways: Callable[[], tuple[tuple[Function, ...], ...]] | None = None
    recursion: Callable[[Any, np.dtype[Any]], bool] | None = None

    @cached_property
    def inputs(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """(argument, names of its input nodes)."""
        return tuple((name, input_names(name, width)) for name, width in self.arguments)

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Shapes of the results."""
        return tuple(shape for _, shape in self.results)

    @cached_property
    def outputs(self) -> tuple[tuple[Shape, tuple[Node, ...]], ...]:
        """(shape, nodes in row-major order) of each result."""
        rows = [flat(table) for table in self.build()]
        graph = next((x.graph for row in rows for x in row if isinstance(x, Node)), None)
        if graph is None:
            from ..rings.graph import Graph

            graph = Graph()
        nodes = iter(absorbed(graph, [graph.node(x) for row in rows for x in row]))
        return tuple((shape, tuple(next(nodes) for _ in row)) for shape, row in zip(self.shapes, rows, strict=True))

    @property
    def nodes(self) -> list[Node]:
        """The nodes of all results, one after another."""
        return [node for _, nodes in self.outputs for node in nodes]

    def meaning(self, name: str) -> str:
        """What an argument or a result is, with its unit."""
        return self.meanings.get(name) or MEANINGS.get(name, "see below")

    def trials(self, rng: np.random.Generator, count: int, reach: float) -> list[NDArray[np.float64]]:
        """``count`` states to try it at, one array for each argument: within ``reach`` of zero, or ``around``."""
        if not self.around:
            return [rng.uniform(-reach, reach, (count, width)) for _, width in self.arguments]
        return [
            np.array(value) + half_width * rng.uniform(-1, 1, (count, len(value))) for value, half_width in self.around
        ]

    def over_floats(self, arguments: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """All results as columns, node by node in NumPy, at ``(states, width)``: the reference of all code."""
        values: dict[str, Any] = {}
        for (_, names), array in zip(self.inputs, arguments, strict=True):
            values |= {name: array[:, k].astype(float) for k, name in enumerate(names)}
        with np.errstate(all="ignore"):
            columns = evaluate(self.nodes, values, REAL)
        return np.stack([np.broadcast_to(np.asarray(x, float), (len(arguments[0]),)) for x in columns], axis=-1)

    @cached_property
    def identity(self) -> str:
        """Text that differs wherever the function does."""
        head = repr((self.name, self.arguments, self.results, self.parameters.kind))
        return f"{head}\0{self.facts or graph_facts(self)}"

    @property
    def room(self) -> str:
        """The room of this package whose code builds the graph; empty where it is built elsewhere."""
        builder: Any = self.build
        while isinstance(builder, partial):
            builder = builder.func
        package, *rooms = (getattr(builder, "__module__", None) or "").split(".")
        return rooms[0] if len(rooms) > 1 and package == __name__.split(".")[0] else ""

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key not in ("outputs", "inputs", "identity")}


def input_names(argument: str, width: int) -> tuple[str, ...]:
    """Names of the input nodes of an argument."""
    stem = "p" if argument == "parameters" else f"{argument}_"
    return tuple(f"{stem}{i}" for i in range(width))


def graph_facts(function: Function) -> str:
    """The graph as text, node for node."""
    nodes = (
        f"{x.index}{x.op}{','.join(str(operand.index) for operand in x.operands)}{x.value}"
        for x in reachable(function.nodes)
    )
    outputs = (f"{shape}{[node.index for node in nodes_of_result]}" for shape, nodes_of_result in function.outputs)
    return ";".join([*nodes, *outputs])

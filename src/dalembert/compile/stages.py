"""Long functions in stages: functions that give the same results one after another, with few numbers alive in each.

The derivatives of the torques are a way out, a way back, and a product for each pair of joints. As one function they
keep the motion of all joints to the end; in stages it passes through memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from ..arm.description import ArmDescription
from ..formulations.composite_motion import (
    LOADS,
    MOVES,
    CompositeMotion,
    Loads,
    mass_matrix,
    motion,
    pair_products,
)
from ..rings.graph import CONST, Graph, Node
from .function import Function, Tables
from .graph_model import GraphModel, Table

Stages = tuple[Function, ...]


def torque_derivative_stages(arm: ArmDescription, derivatives: Function) -> Stages:
    """d tau and D: motion out, loads back, products of pairs."""
    n, kept = arm.n, derivatives.arguments[3:]

    def stage(build: Callable[[GraphModel], Tables], arguments: Sequence[tuple[str, int]], *results: str) -> Function:
        shapes = {"moves": (n, MOVES), "loads": (n, LOADS)} | dict(derivatives.results)
        return Function(
            build.__name__,
            (*arguments, *kept),
            tuple((name, shapes[name]) for name in results),
            partial(_built, arm, derivatives.parameters.kind, build),
            label=derivatives.label,
            parameters=derivatives.parameters,
        )

    moved, loaded = ("moves", n * MOVES), ("loads", n * LOADS)
    return (
        stage(motion_out, derivatives.arguments[:3], "moves"),
        stage(loads_back, (moved,), "loads"),
        stage(products, (moved, loaded), *(name for name, _ in derivatives.results)),
    )


def _built(arm: ArmDescription, parameters: str | None, build: Callable[[GraphModel], Tables]) -> Tables:
    return build(GraphModel(arm, Graph(), parameters))


def motion_out(m: GraphModel) -> Tables:
    """Place and motion of every body, and the screws."""
    return (_moves(m),)


def loads_back(m: GraphModel) -> Tables:
    """What goes with each joint, the last one first."""
    return (_loads(m, CompositeMotion.of(m.plane, m.graph, _passed(m, "moves", _moves(m)))),)


def products(m: GraphModel) -> Tables:
    """d tau/dq, d tau/dqd and D from what passed."""
    moving = CompositeMotion.of(m.plane, m.graph, _passed(m, "moves", _moves(m)))
    loads = [(j, Loads.of(row)) for j, row in enumerate(_passed(m, "loads", _loads(m, moving)))]
    return *pair_products(moving, loads), mass_matrix(moving, loads)


def _moves(m: GraphModel) -> Table:
    return motion(m.plane, m.graph, m.input("q"), m.input("qd"), m.input("qdd")).numbers()


def _loads(m: GraphModel, moving: CompositeMotion) -> Table:
    rows = {j: load.numbers() for j, load in moving.loads()}
    return [rows[j] for j in range(m.n)]


def _passed(m: GraphModel, name: str, table: Table) -> Table:
    """What a stage reads of what an earlier one wrote: inputs, and constants where that is what was written."""
    found, place = [], 0
    for row in table:
        nodes = [m.graph.node(value) for value in row]
        found.append([x.value if x.op == CONST else m.graph.input(f"{name}_{place + k}") for k, x in enumerate(nodes)])
        place += len(row)
    return [[m.graph.number(x) if not isinstance(x, Node) else x for x in row] for row in found]

"""A function of a system with some numbers of its description as arguments: compiled once for all designs.

The description is put together with traced numbers (``rings/traced.py``), so that masses, centres, lengths, twists,
gear ratios, rotors, friction, loads and gravity alike become inputs of one graph, and one kernel serves every design.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from ..arm.description import ArmDescription
from ..arm.description_numbers import number_of, with_numbers
from ..arm.exact import Angle
from ..arm.named_number import DescriptionNumber
from ..compile.function import Function, Parameters, Tables
from ..compile.functions import FUNCTIONS, determined, refuse_unfit, system_facts
from ..compile.graph_model import GraphModel
from ..rings.algebra import flat
from ..rings.dual import Duals, slope_of
from ..rings.graph import Node, evaluate
from ..rings.traced import Traced, TracedGraph


def design_function(arm: ArmDescription, name: str, numbers: Sequence[str], slopes: bool = False) -> Function:
    """The function ``name`` of this system with these ``numbers`` of its description as last argument.

    With ``slopes`` its derivatives to the numbers are further results, ``(entries, numbers)`` each, by dual numbers.
    """
    refuse_unfit(arm, name)
    entry, present_numbers = FUNCTIONS[name], [number_of(arm, number) for number in numbers]
    results = tuple((result, size(arm.n, len(arm.bodies))) for result, size in entry.results)
    if slopes:
        results += tuple((f"{result}_slopes", (math.prod(shape), len(numbers))) for result, shape in results)
    facts = system_facts(arm)
    return Function(
        f"{name} of designs",
        (*((argument, arm.n) for argument in entry.arguments), ("parameters", len(numbers))),
        results,
        partial(_build, arm, name, tuple(numbers), slopes),
        label=arm.name,
        facts=f"{facts}{tuple(numbers)!r}{slopes}" if facts else "",
        parameters=Parameters("design", tuple(numbers), tuple(float(number.value) for number in present_numbers)),
        joints=tuple(f"{joint.name} ({joint.kind})" for joint in arm.moving),
        meanings={"parameters": "numbers of the description, by name"},
    )


def traced(arm: ArmDescription, numbers: Sequence[str], graph: TracedGraph) -> ArmDescription:
    """The description with these numbers as the inputs ``p0``, ``p1``, ... of the graph."""
    return with_numbers(arm, traced_values([number_of(arm, name) for name in numbers], graph))


def traced_values(numbers: Sequence[DescriptionNumber], graph: TracedGraph) -> dict[str, Any]:
    """These numbers by name, each as the input ``p0``, ``p1``, ... of its place."""
    values: dict[str, Any] = {}
    for index, number in enumerate(numbers):
        node = graph.input(f"p{index}")
        if number.is_angle:
            angle = Angle.of(number.value)
            sin, cos = graph.sincos(node)
            # Also its radians, for springs on a joint that follows another: their rest counts from its offset.
            radians: Any = Traced(number.value, node)
            values[number.name] = Angle(Traced(angle.cos, cos), Traced(angle.sin, sin), radians)
        elif number.moves:
            values[number.name] = Traced(number.value, node)
    return values


def _build(arm: ArmDescription, name: str, numbers: tuple[str, ...], slopes: bool) -> Tables:
    graph = TracedGraph()
    model = GraphModel(traced(arm, numbers, graph), graph)
    model.names = numbers  # keeps the inertia as it is: regrouping is for numbers that are known
    tables = determined(arm, lambda: FUNCTIONS[name].build(model))
    return [*tables, *(number_slopes(table, graph, len(numbers)) for table in tables)] if slopes else tables


def number_slopes(table: Any, graph: TracedGraph, count: int) -> list[Any]:
    """d table/d p, a number in the place of each entry: the finished graph over dual numbers."""
    nodes = [graph.node(x) for x in flat(table)]
    duals = Duals(graph)
    inputs: dict[str, Any] = {x.value: x for x in graph.nodes if x.op == "input"}
    inputs |= {f"p{k}": duals.variable(graph.input(f"p{k}"), k) for k in range(count)}
    values: list[Any] = evaluate(nodes, inputs, duals)
    return [[_plain(graph, slope_of(x, k)) for k in range(count)] for x in values]


def _plain(graph: TracedGraph, number: Any) -> Node:
    return graph.node(number)

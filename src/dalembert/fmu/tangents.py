"""Functions along a direction: exact derivatives of all results, for the directional derivatives of FMI.

The graph of a function is evaluated once more over dual numbers whose one tangent is the direction (Griewank and
Walther 2008, section 3.1); every function that an FMU calls has such a twin, and ``c/tangents.c`` puts them together.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ..compile.function import Function, Tables, input_names
from ..rings.dual import Dual, Duals, slope_of
from ..rings.graph import Graph, evaluate
from ..rings.ring import Scalar

MOVING = {
    "dynamics": ("q", "phi", "qd"), "hand": ("q", "qd", "phi", "rate"), "contacts": ("q", "qd"), "ratios": ("q",),
    "friction": ("speed",), "circuit": ("voltage", "speed", "current"), "motor_torque": ("current",),
}  # fmt: skip
"""The arguments that have a direction, of each function that has a twin."""


def along(function: Function, moving: Sequence[str]) -> Function:
    """d f = sum over the ``moving`` arguments x of (df/dx) dx: arguments of ``function``, then the dx; results df."""
    directions = tuple((f"{name}_along", width) for name, width in function.arguments if name in moving)
    results = tuple((f"{name}_along", shape) for name, shape in function.results)
    return Function(
        f"{function.name}_along", (*function.arguments, *directions), results, partial(_slopes, function, moving)
    )


def _slopes(function: Function, moving: Sequence[str]) -> Tables:
    graph = Graph()
    values: dict[str, Scalar] = {}
    for name, width in function.arguments:
        names = input_names(name, width)
        nodes = [graph.input(input_name) for input_name in names]
        if name in moving:
            slopes = [graph.input(input_name) for input_name in input_names(f"{name}_along", width)]
            values |= {
                input_name: Dual(node, {0: slope}) for input_name, node, slope in zip(names, nodes, slopes, strict=True)
            }
        else:
            values |= dict(zip(names, nodes, strict=True))
    derivatives = iter(evaluate(function.nodes, values, Duals(graph)))
    return [[slope_of(next(derivatives), 0) for _ in nodes] for _, nodes in function.outputs]


def twins(functions: dict[str, Function]) -> dict[str, Function]:
    """The twins of all functions that have one, by name."""
    return {f"{name}_along": along(functions[name], moving) for name, moving in MOVING.items() if name in functions}

"""Work on expression graphs: values at many states, what cutting a summand changes, and the graph without it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..rings.graph import ADD, CONST, COS, INPUT, MUL, NEG, SIN, SUB, Graph, Node, reachable

Array: TypeAlias = NDArray[np.float64]
Cut: TypeAlias = tuple[int, int]
"""(index of a sum, which of its two operands is left out)."""


def table(outputs: Sequence[Node], values: Mapping[str, Any]) -> dict[int, Array]:
    """Values of all nodes; inputs are arrays (or numbers) by name."""
    done: dict[int, Any] = {}
    for node in reachable(outputs):
        if node.op == CONST:
            done[node.index] = float(node.value)
        elif node.op == INPUT:
            done[node.index] = values[node.value]
        else:
            args = [done[x.index] for x in node.operands]
            done[node.index] = OPERATIONS[node.op](*args)
    return done


OPERATIONS: dict[str, Any] = {
    ADD: lambda a, b: a + b,
    SUB: lambda a, b: a - b,
    MUL: lambda a, b: a * b,
    NEG: lambda a: -a,
    SIN: np.sin,
    COS: np.cos,
}


def adjoints(output: Node, done: Mapping[int, Any], order: Sequence[Node]) -> dict[int, Any]:
    """d output / d node at the states of ``done``; ``order`` holds the nodes, operands first."""
    slopes: dict[int, Any] = {output.index: 1.0}
    for node in reversed(order):
        slope = slopes.get(node.index)
        if slope is None or node.a is None:
            continue
        a, b = node.a, node.b
        if node.op in (ADD, SUB) and b is not None:
            slopes[a.index] = slopes.get(a.index, 0.0) + slope
            slopes[b.index] = slopes.get(b.index, 0.0) + (slope if node.op == ADD else -slope)
        elif node.op == MUL and b is not None:
            slopes[a.index] = slopes.get(a.index, 0.0) + slope * done[b.index]
            slopes[b.index] = slopes.get(b.index, 0.0) + slope * done[a.index]
        elif node.op == NEG:
            slopes[a.index] = slopes.get(a.index, 0.0) - slope
    return slopes


def exclusive(outputs: Sequence[Node]) -> dict[Cut, int]:
    """For each summand, how many operations die with it: its own sum, and what only it uses."""
    order = reachable(outputs)
    uses: dict[int, int] = {}
    for node in order:
        for operand in node.operands:
            uses[operand.index] = uses.get(operand.index, 0) + 1
    for node in outputs:
        uses[node.index] = uses.get(node.index, 0) + 1
    alone: dict[int, int] = {}
    for node in order:
        own = int(node.op in (ADD, SUB, MUL, NEG))
        alone[node.index] = own + sum(alone[x.index] for x in set(node.operands) if uses[x.index] == 1)
    found: dict[Cut, int] = {}
    for node in order:
        if node.op in (ADD, SUB):
            for slot, operand in enumerate(node.operands):
                dies = alone[operand.index] if uses[operand.index] == 1 else 0
                # Leaving out the first operand of a difference costs a change of sign, mostly moved on for nothing.
                found[node.index, slot] = 1 + dies
    return found


def without(outputs: Sequence[Node], cuts: Collection[Cut], constants: Mapping[str, Any] | None = None) -> list[Node]:
    """The same outputs in a new graph, less the summands of ``cuts``; inputs of ``constants`` become numbers."""
    graph = Graph()
    done: dict[int, Any] = {}
    for node in reachable(outputs):
        if node.op == CONST:
            made = graph.constant(node.value)
        elif node.op == INPUT:
            known = None if constants is None else constants.get(node.value)
            made = graph.input(node.value) if known is None else graph.constant(known)
        elif node.op in (SIN, COS):
            made = graph.node(graph.sincos(done[node.a.index])[node.op == COS])  # type: ignore[union-attr]
        else:
            a: Any = done[node.a.index]  # type: ignore[union-attr]
            b: Any = done[node.b.index] if node.b is not None else None
            left, right = (node.index, 0) in cuts, (node.index, 1) in cuts
            if node.op == NEG:
                made = graph.neg(a)
            elif node.op == MUL:
                made = graph.mul(a, b)
            elif left and right:
                made = graph.constant(0)
            elif node.op == ADD:
                made = b if left else a if right else graph.add(a, b)
            else:
                made = graph.neg(b) if left else a if right else graph.sub(a, b)
        done[node.index] = made
    return [done[node.index] for node in outputs]


@dataclass(frozen=True, eq=False)
class Sampled:
    """Cuts with their first-order effects on the outputs at sample states: ``effects[c]`` is (outputs, states)."""

    cuts: list[Cut]
    effects: list[Array]
    saved: list[int]


def effects(outputs: Sequence[Node], values: Mapping[str, Any], states: int, limit: Array) -> Sampled:
    """Effects of every cut that alone stays within ``limit`` per output."""
    done, order = table(outputs, values), reachable(outputs)
    slopes = [adjoints(output, done, order) for output in outputs]
    saved = exclusive(outputs)
    cuts, arrays, gains = [], [], []
    for node in order:
        if node.op not in (ADD, SUB):
            continue
        for slot, operand in enumerate(node.operands):
            sign = -1.0 if node.op == SUB and slot == 1 else 1.0
            change = -sign * np.broadcast_to(np.asarray(done[operand.index], float), (states,))
            effect = np.stack([np.broadcast_to(s.get(node.index, 0.0) * change, (states,)) for s in slopes])
            if np.all(np.abs(effect).max(axis=1) <= limit):
                cuts.append((node.index, slot))
                arrays.append(effect)
                gains.append(saved[node.index, slot])
    return Sampled(cuts, arrays, gains)

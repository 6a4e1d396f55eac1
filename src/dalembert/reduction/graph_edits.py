"""Work on expression graphs: values at many states, what cutting a summand changes, and the graph without it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..rings.graph import ADD, CONST, COS, INPUT, MUL, NEG, SIN, SUB, Graph, Node, reachable

COSTLY = (ADD, SUB, MUL, NEG)
Array: TypeAlias = NDArray[np.float64]
Cut: TypeAlias = tuple[int, int]
"""(index of a sum, which of its two operands is left out), or (index of any node, WHOLE): the node becomes zero."""
WHOLE = -1


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


class Uses:
    """Who uses what in a graph, and how many operations a cut saves."""

    def __init__(self, outputs: Sequence[Node]) -> None:
        self.order = reachable(outputs)
        self.ends = Counter(node.index for node in outputs)
        self.users: dict[int, list[Node]] = {node.index: [] for node in self.order}
        for node in self.order:
            for operand in node.operands:
                self.users[operand.index].append(node)
        self.alone: dict[int, int] = {}
        """Operations that only this node needs, its own among them."""
        for node in self.order:
            own = int(node.op in COSTLY)
            self.alone[node.index] = own + sum(self.alone[x.index] for x in set(node.operands) if self.once(x))

    def once(self, node: Node) -> bool:
        return len(self.users[node.index]) + self.ends[node.index] == 1

    def saved(self, cut: Cut, node: Node) -> int:
        """About how many operations go with a cut: sums, what only they use, and products with a zero."""
        if cut[1] == WHOLE:
            gone: set[int] = set()
            self._falls(node, gone)
            return sum(gone_ for gone_ in self._costs(node, gone))
        operand = node.operands[cut[1]]
        # Leaving out the first operand of a difference costs a change of sign, mostly moved on for nothing.
        return 1 + (self.alone[operand.index] if self.once(operand) else 0)

    def _falls(self, node: Node, gone: set[int]) -> None:
        """The nodes that are zero when this one is."""
        if node.index in gone:
            return
        gone.add(node.index)
        for user in self.users[node.index]:
            if user.op in (MUL, NEG) or all(x.index in gone for x in user.operands):
                self._falls(user, gone)

    def _costs(self, node: Node, gone: set[int]) -> list[int]:
        found = [self.alone[node.index] - int(node.op in COSTLY)]
        by_index = {x.index: x for x in self.order}
        for index in gone:
            zero = by_index[index]
            found.append(int(zero.op in COSTLY))
            found += [1 for user in self.users[index] if user.op in (ADD, SUB) and user.index not in gone]
            if index != node.index:
                found += [self.alone[x.index] for x in zero.operands if x.index not in gone and self.once(x)]
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
            if (node.index, WHOLE) in cuts:
                made = graph.constant(0)
        elif (node.index, WHOLE) in cuts:
            made = graph.constant(0)
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

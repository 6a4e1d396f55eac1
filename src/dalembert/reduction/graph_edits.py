"""Operations on expression graphs: evaluation at many states, savings of a cut, and the graph after cuts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..rings.graph import ADD, CONST, COS, INPUT, MUL, NEG, SIN, SUB, Graph, Node, reachable

COSTLY = (ADD, SUB, MUL, NEG)
"""Operations that are counted."""
Array: TypeAlias = NDArray[np.float64]
Cut: TypeAlias = tuple[int, int]
"""(index of a sum, operand that is removed), or (index of any node, WHOLE): the node becomes zero."""
WHOLE = -1


def table(outputs: Sequence[Node], values: Mapping[str, Any]) -> dict[int, Array]:
    """Values of all nodes; inputs are arrays (or numbers) by name."""
    computed: dict[int, Any] = {}
    for node in reachable(outputs):
        if node.op == CONST:
            computed[node.index] = float(node.value)
        elif node.op == INPUT:
            computed[node.index] = values[node.value]
        else:
            args = [computed[x.index] for x in node.operands]
            computed[node.index] = OPERATIONS[node.op](*args)
    return computed


OPERATIONS: dict[str, Any] = {
    ADD: lambda a, b: a + b,
    SUB: lambda a, b: a - b,
    MUL: lambda a, b: a * b,
    NEG: lambda a: -a,
    SIN: np.sin,
    COS: np.cos,
}


class Uses:
    """The users of every node, and the operations that a cut saves."""

    def __init__(self, outputs: Sequence[Node]) -> None:
        self.order = reachable(outputs)
        self.by_index = {node.index: node for node in self.order}
        self.ends = Counter(node.index for node in outputs)
        self.users: dict[int, list[Node]] = {node.index: [] for node in self.order}
        for node in self.order:
            for operand in node.operands:
                self.users[operand.index].append(node)
        self.alone: dict[int, int] = {}
        """Operations needed by this node only, including its own."""
        for node in self.order:
            operations = int(node.op in COSTLY)
            self.alone[node.index] = operations + sum(self.alone[x.index] for x in set(node.operands) if self.once(x))

    def once(self, node: Node) -> bool:
        """Whether the node has a single use."""
        return len(self.users[node.index]) + self.ends[node.index] == 1

    def saved(self, cut: Cut, node: Node) -> int:
        """An estimate of the operations that a cut saves: sums, operands used only by them, and products with zero."""
        if cut[1] == WHOLE:
            zeros: set[int] = set()
            self._propagate_zero(node, zeros)
            return sum(saving for saving in self._savings(node, zeros))
        operand = node.operands[cut[1]]
        # Removing the first operand of a difference leaves a negation, which is mostly absorbed elsewhere.
        return 1 + (self.alone[operand.index] if self.once(operand) else 0)

    def _propagate_zero(self, node: Node, zeros: set[int]) -> None:
        """Collects the nodes that are zero when this one is."""
        if node.index in zeros:
            return
        zeros.add(node.index)
        for user in self.users[node.index]:
            if user.op in (MUL, NEG) or all(x.index in zeros for x in user.operands):
                self._propagate_zero(user, zeros)

    def _savings(self, node: Node, zeros: set[int]) -> list[int]:
        """Operations saved by these zero nodes, as a list of summands."""
        savings = [self.alone[node.index] - int(node.op in COSTLY)]
        for index in zeros:
            zero = self.by_index[index]
            savings.append(int(zero.op in COSTLY))
            savings += [1 for user in self.users[index] if user.op in (ADD, SUB) and user.index not in zeros]
            if index != node.index:
                savings += [self.alone[x.index] for x in zero.operands if x.index not in zeros and self.once(x)]
        return savings


def without(outputs: Sequence[Node], cuts: Collection[Cut], constants: Mapping[str, Any] | None = None) -> list[Node]:
    """The outputs in a new graph without the summands of ``cuts``; inputs in ``constants`` become numbers."""
    graph = Graph()
    copies: dict[int, Any] = {}
    for node in reachable(outputs):
        if node.op == CONST:
            copy = graph.constant(node.value)
        elif node.op == INPUT:
            value = None if constants is None else constants.get(node.value)
            copy = graph.input(node.value) if value is None else graph.constant(value)
            if (node.index, WHOLE) in cuts:
                copy = graph.constant(0)
        elif (node.index, WHOLE) in cuts:
            copy = graph.constant(0)
        elif node.op in (SIN, COS):
            copy = graph.node(graph.sincos(copies[node.a.index])[node.op == COS])  # type: ignore[union-attr]
        else:
            a: Any = copies[node.a.index]  # type: ignore[union-attr]
            b: Any = copies[node.b.index] if node.b is not None else None
            cut_first, cut_second = (node.index, 0) in cuts, (node.index, 1) in cuts
            if node.op == NEG:
                copy = graph.neg(a)
            elif node.op == MUL:
                copy = graph.mul(a, b)
            elif cut_first and cut_second:
                copy = graph.constant(0)
            elif node.op == ADD:
                copy = b if cut_first else a if cut_second else graph.add(a, b)
            else:
                copy = graph.neg(b) if cut_first else a if cut_second else graph.sub(a, b)
        copies[node.index] = copy
    return [copies[node.index] for node in outputs]

"""Constants taken out of a program: every number that depends on parameters alone becomes one named constant.

k1, k2, ... are what a controller holds in memory (Bejczy's b_1, b_2, ...): sums and products of parameters and
lengths, worked out once. A new load gives them new values and leaves the program as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..rings.graph import ADD, CONST, COS, INPUT, MUL, NEG, SIN, SUB, Graph, Node, reachable


class Rationals:
    """What ``constants`` of a program are worked out in."""

    def number(self, value: Fraction) -> Fraction:
        return value


@dataclass(frozen=True, eq=False)
class Hoisted:
    """Outputs over q, qd, qdd and k_1, k_2, ...; ``definitions`` gives each k over the parameters p_name."""

    outputs: list[Node]
    definitions: dict[str, Node]

    def values(self, parameters: Mapping[str, Fraction]) -> dict[str, Fraction]:
        """The constants for these parameters (missing ones are zero), exact."""
        nodes = list(self.definitions.values())
        done: dict[int, Fraction] = {}
        for node in reachable(nodes):
            if node.op == CONST:
                done[node.index] = Fraction(node.value)
            elif node.op == INPUT:
                done[node.index] = Fraction(parameters.get(str(node.value), 0))
            else:
                done[node.index] = _ARITHMETIC[node.op](*(done[x.index] for x in node.operands))
        return {name: done[node.index] for name, node in self.definitions.items()}


_ARITHMETIC: dict[str, Any] = {
    ADD: lambda a, b: a + b,
    SUB: lambda a, b: a - b,
    MUL: lambda a, b: a * b,
    NEG: lambda a: -a,
}


class Hoister:
    """Two graphs: one of constants over the parameters, one of the program over the states and the constants."""

    def __init__(self) -> None:
        self.fixed, self.main = Graph(), Graph()
        self.named: dict[int, str] = {}
        self.behind: dict[str, Node] = {}

    def constant(self, node: Node) -> Node:
        """A constant as an operand of the program."""
        if node.op == CONST:
            return self.main.constant(node.value)
        if node.op == NEG:
            return self.main.neg(self.constant(node.a))  # type: ignore[arg-type]
        if node.index not in self.named:
            name = f"k_{len(self.named) + 1}"
            self.named[node.index] = name
            self.behind[name] = node
        return self.main.input(self.named[node.index])

    def split(self, node: Node) -> tuple[Node, Node | None]:
        """A node of the program as constant times rest (rest None for a bare constant)."""
        if node.op == NEG:
            factor, rest = self.split(node.a)  # type: ignore[arg-type]
            return self.fixed.neg(factor), rest
        if node.op == CONST:
            return self.fixed.constant(node.value), None
        if node.op == INPUT and node.value in self.behind:
            return self.behind[node.value], None
        if node.op == MUL:
            head = node.a
            assert head is not None
            if head.op == CONST:
                return self.fixed.constant(head.value), node.b
            for k, x in ((node.a, node.b), (node.b, node.a)):
                if k is not None and k.op == INPUT and k.value in self.behind:
                    return self.behind[str(k.value)], x
        return self.fixed.constant(1), node

    def times(self, a: Node, b: Node) -> Node:
        (c, x), (d, y) = self.split(a), self.split(b)
        factor = self.constant(self.fixed.mul(c, d))
        if x is None or y is None:
            rest = x if y is None else y
            return factor if rest is None else self.main.mul(factor, rest)
        return self.main.mul(factor, self.main.mul(x, y))

    def plus(self, a: Node, b: Node, sign: int) -> Node:
        (c, x), (d, y) = self.split(a), self.split(b)
        if x is y:
            factor = self.constant(self.fixed.add(c, d) if sign > 0 else self.fixed.sub(c, d))
            return factor if x is None else self.times(factor, x)
        return self.main.add(a, b) if sign > 0 else self.main.sub(a, b)


def hoisted(outputs: Sequence[Node]) -> Hoisted:
    """The program with its constants taken out; inputs p_... are parameters, all others belong to the state."""
    work = Hoister()
    done: dict[int, Any] = {}
    for node in reachable(outputs):
        if node.op == CONST:
            made = work.main.constant(node.value)
        elif node.op == INPUT:
            name = str(node.value)
            made = work.constant(work.fixed.input(name)) if name.startswith("p_") else work.main.input(name)
        elif node.op in (SIN, COS):
            made = work.main.node(work.main.sincos(done[node.a.index])[node.op == COS])  # type: ignore[union-attr]
        elif node.op == NEG:
            made = work.main.neg(done[node.a.index])  # type: ignore[union-attr]
        elif node.op == MUL:
            made = work.times(done[node.a.index], done[node.b.index])  # type: ignore[union-attr]
        else:
            made = work.plus(done[node.a.index], done[node.b.index], 1 if node.op == ADD else -1)  # type: ignore[union-attr]
        done[node.index] = made
    kept = [done[node.index] for node in outputs]
    used = {str(node.value) for node in reachable(kept) if node.op == INPUT}
    # Numbered anew in the order of use, so that names have no holes.
    order = [name for name in work.behind if name in used]
    rename = {name: f"k_{place + 1}" for place, name in enumerate(order)}
    graph = Graph()
    copy: dict[int, Node] = {}
    for node in reachable(kept):
        copy[node.index] = _copied(node, graph, copy, rename)
    return Hoisted([copy[node.index] for node in kept], {rename[name]: work.behind[name] for name in order})


def _copied(node: Node, graph: Graph, done: Mapping[int, Node], rename: Mapping[str, str]) -> Node:
    if node.op == CONST:
        return graph.constant(node.value)
    if node.op == INPUT:
        return graph.input(rename.get(str(node.value), str(node.value)))
    args = [done[x.index] for x in node.operands]
    if node.op in (SIN, COS):
        return graph.node(graph.sincos(args[0])[node.op == COS])
    made: dict[str, Any] = {ADD: graph.add, SUB: graph.sub, MUL: graph.mul, NEG: graph.neg}
    return made[node.op](*args)

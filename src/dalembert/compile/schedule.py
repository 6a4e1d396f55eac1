"""In which order to compute: depth first from the outputs, to keep few values alive at a time."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..rings.graph import CONST, INPUT, Node, reachable

FREE = (CONST, INPUT)
"""Nodes that hold no register: constants and inputs are read from memory where they are used."""


def registers(nodes: Sequence[Node], given: Collection[int]) -> dict[int, int]:
    """How many registers each node would need if nothing were shared (Sethi and Ullman 1970)."""
    need: dict[int, int] = {}
    for node in nodes:
        if node.op in FREE or node.index in given:
            need[node.index] = 0
            continue
        parts = sorted((need[x.index] for x in node.operands), reverse=True)
        need[node.index] = max(1, *(part + place for place, part in enumerate(parts)))
    return need


def depth_first(outputs: Sequence[Node], given: Collection[int], need: dict[int, int]) -> list[Node]:
    """Operands before users, the hungrier operand first, one output after the other."""
    done: set[int] = set()
    order: list[Node] = []
    for output in outputs:
        stack = [(output, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                order.append(node)
            elif node.index not in done and node.index not in given and node.op not in FREE:
                done.add(node.index)
                stack.append((node, True))
                stack.extend((x, False) for x in sorted(node.operands, key=lambda x: need[x.index]))
    return order


def ordered(outputs: Sequence[Node], ready: Collection[Node] = ()) -> list[Node]:
    """All nodes but constants, inputs and ``ready``, operands before users, in the best of three orders.

    As built, and depth first with the outputs in either direction: recursions that run outward and those that
    run inward prefer opposite ends, and the count of live values decides.
    """
    nodes = reachable(outputs)
    given = {node.index for node in ready}
    need = registers(nodes, given)
    ends = sorted({node.index: node for node in outputs}.values(), key=lambda node: node.index)
    built = [node for node in nodes if node.op not in FREE and node.index not in given]
    return min((depth_first(ends, given, need), depth_first(ends[::-1], given, need), built), key=pressure)


def pressure(order: Sequence[Node]) -> int:
    """The largest number of values alive at once in this order; outputs leave when they are made."""
    inside = {node.index for node in order}
    reads = {node.index: {x.index for x in node.operands} & inside for node in order}
    left = dict.fromkeys(reads, 0)
    for found in reads.values():
        for index in found:
            left[index] += 1
    alive, most = 0, 0
    for node in order:
        for index in reads[node.index]:
            left[index] -= 1
            alive -= not left[index]
        alive += left[node.index] > 0
        most = max(most, alive)
    return most

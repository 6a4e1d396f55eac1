"""Scheduling of operations: depth first from the outputs, for low register pressure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from ..rings.graph import CONST, INPUT, Node, reachable

FREE = (CONST, INPUT)
"""Nodes that occupy no register: constants and inputs are read from memory where they are used."""


def registers(nodes: Sequence[Node], available: Collection[int]) -> dict[int, int]:
    """The number of registers each node would need without sharing (Sethi and Ullman 1970)."""
    need: dict[int, int] = {}
    for node in nodes:
        if node.op in FREE or node.index in available:
            need[node.index] = 0
            continue
        parts = sorted((need[x.index] for x in node.operands), reverse=True)
        need[node.index] = max(1, *(part + held for held, part in enumerate(parts)))
    return need


def depth_first(outputs: Sequence[Node], available: Collection[int], need: dict[int, int]) -> list[Node]:
    """Operands before users, the operand that needs more registers first, output by output."""
    scheduled: set[int] = set()
    order: list[Node] = []
    for output in outputs:
        stack = [(output, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                order.append(node)
            elif node.index not in scheduled and node.index not in available and node.op not in FREE:
                scheduled.add(node.index)
                stack.append((node, True))
                stack.extend((x, False) for x in sorted(node.operands, key=lambda x: need[x.index]))
    return order


def orders(outputs: Sequence[Node], ready: Collection[Node] = ()) -> list[list[Node]]:
    """All nodes but constants, inputs and ``ready``, operands before users, in three orders.

    They are depth first with the outputs in either direction, and that of construction: outward and inward recursions
    prefer opposite ends, and the register pressure decides.
    """
    nodes = reachable(outputs)
    available = {node.index for node in ready}
    need = registers(nodes, available)
    targets = sorted({node.index: node for node in outputs}.values(), key=lambda node: node.index)
    built = [node for node in nodes if node.op not in FREE and node.index not in available]
    return [depth_first(targets, available, need), depth_first(targets[::-1], available, need), built]


def pressure(order: Sequence[Node], operands: Callable[[Node], tuple[Node, ...]]) -> int:
    """The largest number of values alive at once in this order; outputs are stored at once."""
    inside = {node.index for node in order}
    reads = {node.index: {x.index for x in operands(node)} & inside for node in order}
    uses_left = dict.fromkeys(reads, 0)
    for used in reads.values():
        for index in used:
            uses_left[index] += 1
    live, largest = 0, 0
    for node in order:
        for index in reads[node.index]:
            uses_left[index] -= 1
            live -= not uses_left[index]
        live += uses_left[node.index] > 0
        largest = max(largest, live)
    return largest

"""Scheduling of operations: depth first from the outputs, for low register pressure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ..rings.graph import CONST, INPUT, Node, reachable

FREE = (CONST, INPUT)
"""Nodes that occupy no register: constants and inputs are read from memory where they are used."""


def registers(nodes: Sequence[Node], available: Collection[int]) -> dict[int, int]:
    """The number of registers each node would need without sharing (Sethi and Ullman 1970)."""
    need: dict[int, int] = {}
    for node in nodes:
        index, a, b = node.index, node.a, node.b
        if a is None or index in available or node.op in FREE:
            need[index] = 0
        elif b is None:
            need[index] = need[a.index] or 1
        else:
            need_a, need_b = need[a.index], need[b.index]
            most = max(need_a, need_b, min(need_a, need_b) + 1)
            need[index] = most
    return need


def depth_first(outputs: Sequence[Node], available: Collection[int], need: dict[int, int]) -> list[Node]:
    """Operands before users, the operand that needs more registers first, output by output."""
    scheduled = {*available, -1}
    order: list[Node] = []
    for output in outputs:
        stack: list[Node | None] = [output]
        while stack:
            node = stack.pop()
            if node is None:  # all that the one below it needs is there
                complete = stack.pop()
                assert complete is not None, "a mark stands on a node"
                order.append(complete)
                continue
            index = node.index
            if index in scheduled:
                continue
            scheduled.add(index)
            a, b = node.a, node.b
            if a is None:  # a constant or an input
                continue
            stack += (node, None)
            if b is None:
                stack.append(a)
            else:
                stack += (a, b) if need[a.index] <= need[b.index] else (b, a)
    return order


def orders(outputs: Sequence[Node], available_nodes: Collection[Node] = ()) -> list[list[Node]]:
    """All nodes but constants, inputs and ``available_nodes``, operands before users, in three orders.

    They are depth first with the outputs in either direction, and that of construction: outward and inward recursions
    prefer opposite ends, and the register pressure decides.
    """
    nodes = reachable(outputs)
    available = {node.index for node in available_nodes}
    need = registers(nodes, available)
    targets = sorted({node.index: node for node in outputs}.values(), key=lambda node: node.index)
    built = [node for node in nodes if node.op not in FREE and node.index not in available]
    return [depth_first(targets, available, need), depth_first(targets[::-1], available, need), built]


def pressure(order: Sequence[Node], fusions: Mapping[int, Node], enough: int | None = None) -> int:
    """The largest number of values alive at once in this order; outputs are stored at once.

    A sum that takes a product in (``fusions``, by index) reads the factors of the product. A count that has reached
    ``enough`` is not followed further.
    """
    pending_reads = dict.fromkeys([node.index for node in order], 0)
    reads: list[tuple[int, ...]] = []
    for node in order:
        product, used = fusions.get(node.index), set()
        for x in (node.a, node.b) if product is None else (node.a, node.b, product.a, product.b):
            if x is not None and x is not product and x.index in pending_reads:
                used.add(x.index)
        for index in used:
            pending_reads[index] += 1
        reads.append(tuple(used))
    live, largest = 0, 0
    for node, operands_read in zip(order, reads, strict=True):
        for index in operands_read:
            pending_reads[index] -= 1
            live -= not pending_reads[index]
        live += pending_reads[node.index] > 0
        if live > largest:
            largest = live
            if enough is not None and largest >= enough:
                break
    return largest

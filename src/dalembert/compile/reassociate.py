"""Sums written anew so that as many products as can be go into fused multiply-adds.

The formulations add as their papers do: a sum of products is formed, then added to another sum. As x + (a b + c d) that
is a product, a fused multiply-add and an addition; as (x + a b) + c d it is two fused multiply-adds. So sums that
nothing else uses are opened into the one sum they go into, and this is added up from the terms that are not products,
or are products that are needed by themselves, each further product being taken in by one instruction. Which terms there
are does not change, only their order; in any order the rounding error of n terms is that of n - 1 partial sums (Higham
2002, sec. 4.2).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..rings.graph import ADD, CONST, INPUT, MUL, NEG, SUB, Graph, Node, reachable

SUMS = (ADD, SUB, NEG)
Term = tuple[int, Node]
"""A sign and a number of a sum."""
LATE = 1000
"""Numbers after which the factors of a product no longer wait for the term it could be added to: both would be kept all
the while, and the product takes less room."""


def reassociated(outputs: Sequence[Node]) -> list[Node]:
    """The same numbers in a graph of their own, sums of products added up in the order that fuses most."""
    nodes = reachable(outputs)
    uses = Counter(node.index for node in outputs)
    factors = set(uses)
    """Numbers that are needed by themselves: as results, or other than as a term of a sum."""
    for node in nodes:
        uses.update(operand.index for operand in node.operands)
        if node.op not in SUMS:
            factors.update(operand.index for operand in node.operands)
    opened = {node.index for node in nodes if node.op in SUMS and uses[node.index] == 1 and node.index not in factors}
    copy = _Copy()
    for node in nodes:
        if node.op in SUMS and node.index not in opened:
            constant = copy.add_up(_in_order(node, _terms(node, opened), factors))
            if constant is not None:  # all else in it cancelled
                copy.numbers[node.index] = constant
    for node in nodes:
        if node.op not in SUMS:
            copy.take(node)
    return [copy.numbers[node.index] for node in outputs]


@dataclass
class _Sum:
    """A sum on its way: the terms that are still to be added, the next one last, and what the others make."""

    node: Node
    left: list[Term]
    negative: bool
    total: Node | None = None


class _Copy:
    """The graph as it is copied: each partial sum stands where its last term comes to be, so few wait for long."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.numbers: dict[int, Node] = {}
        self._waiting: dict[int, list[_Sum]] = {}
        """Sums by the term that they need next."""

    def take(self, node: Node) -> None:
        """Copy a number that is no sum, and add up all that can be now."""
        if node.op in (CONST, INPUT):
            copied = self.graph.constant(node.value) if node.op == CONST else self.graph.input(node.value)
        else:
            copied = self.graph.operation(node.op, *(self.numbers[operand.index] for operand in node.operands))
        complete = [(node, copied)]
        while complete:
            node, copied = complete.pop()
            self.numbers[node.index] = copied
            for waiting_sum in self._waiting.pop(node.index, ()):
                done = self.add_up(waiting_sum)
                if done is not None:
                    complete.append((waiting_sum.node, done))

    def add_up(self, open_sum: _Sum) -> Node | None:
        """Add the terms that are known; the sum, if these were the last."""
        while open_sum.left:
            sign, term = open_sum.left[-1]
            if term.op != CONST and term.index not in self.numbers:
                self._waiting.setdefault(term.index, []).append(open_sum)
                return None
            open_sum.left.pop()
            number = self.graph.constant(term.value) if term.op == CONST else self.numbers[term.index]
            added = ADD if sign > 0 else SUB
            open_sum.total = number if open_sum.total is None else self.graph.operation(added, open_sum.total, number)
        assert open_sum.total is not None, "a sum has terms"
        return self.graph.neg(open_sum.total) if open_sum.negative else open_sum.total


def _terms(node: Node, opened: set[int]) -> list[Term]:
    """The terms of a sum, sums within it opened; constants come together as one, and what cancels is left out."""
    terms: dict[Term, int] = {}
    constant = Fraction(0)
    stack: list[Term] = [(1, node)]
    while stack:
        sign, part = stack.pop()
        if part.op == CONST:
            constant += sign * part.value
        elif part.op not in SUMS or (part is not node and part.index not in opened):
            opposite, count = (-sign, part), terms.get((-sign, part), 0)
            if count:
                terms[opposite] = count - 1
            else:
                terms[sign, part] = terms.get((sign, part), 0) + 1
        else:
            leading, *others = part.operands
            stack += [(-sign if part.op == SUB else sign, x) for x in others]
            stack.append((-sign if part.op == NEG else sign, leading))
    repeated = [term for term, count in terms.items() for _ in range(count)]
    if constant or not repeated:
        repeated.append((-1 if constant < 0 else 1, node.graph.constant(abs(constant))))
    return repeated


def _in_order(node: Node, terms: Sequence[Term], factors: set[int]) -> _Sum:
    """The terms in the order they are added: products that are terms alone come last, and none is subtracted first.

    Where the other terms come much later than a product, they are added as they come.
    """

    def taken_in(number: Node) -> bool:
        return number.op == MUL and number.index not in factors

    def built(number: Node) -> int:
        return -1 if number.op == CONST else number.index

    products = [built(number) for _, number in terms if taken_in(number)]
    unfused = [built(number) for _, number in terms if not taken_in(number)]
    late = products and unfused and min(unfused) - min(products) > LATE
    ordered = sorted(terms, key=lambda term: (not late and taken_in(term[1]), built(term[1])))
    negative = all(sign < 0 for sign, _ in ordered)
    if negative:
        ordered = [(-sign, number) for sign, number in ordered]
    positive = next(k for k, (sign, _) in enumerate(ordered) if sign > 0)
    ordered.insert(0, ordered.pop(positive))
    return _Sum(node, ordered[::-1], negative)

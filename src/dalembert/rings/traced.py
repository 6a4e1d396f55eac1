"""Numbers of a description that stay inputs: a rational with a node of a graph beside it.

A description is put together with exact arithmetic (bodies welded together, inertias moved to joint frames, ratios
multiplied) before a formulation sees it. Where one of its numbers is ``Traced``, that same arithmetic is done on the
graph as well, so that whatever the number reaches becomes an expression of it, and no part of the description needs to
know which of its numbers vary.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from .algebra import add, mul, sub
from .graph import Graph, Node
from .ring import Scalar


class Traced(Fraction):
    """A rational ``value``, as the description has it, and the ``node`` that stands for it."""

    __slots__ = ("node",)
    node: Node

    def __new__(cls, value: Fraction, node: Node) -> Traced:
        """The number ``value`` that is ``node``."""
        number: Any = super().__new__(cls, value.numerator, value.denominator)
        number.node = node
        return number

    def __bool__(self) -> bool:
        return True  # zero is the value of one design, not of all

    def __hash__(self) -> int:  # type: ignore[override]
        return hash((self.node.index, Fraction(self)))

    def __eq__(self, other: object) -> bool:
        return self.node is other.node if isinstance(other, Traced) else False

    # Which is larger is asked of the description as it stands; a Fraction would make a float one of its own class.
    def __lt__(self, other: Any) -> bool:
        return Fraction(self) < other

    def __le__(self, other: Any) -> bool:
        return Fraction(self) <= other

    def __gt__(self, other: Any) -> bool:
        return Fraction(self) > other

    def __ge__(self, other: Any) -> bool:
        return Fraction(self) >= other

    def __format__(self, spec: str) -> str:
        return format(float(self), spec)

    def __add__(self, other: Any) -> Any:
        return _joined(Fraction(self) + Fraction(other), add(self.node, _scalar(self.node.graph, other)))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _joined(Fraction(self) - Fraction(other), sub(self.node, _scalar(self.node.graph, other)))

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __neg__(self) -> Any:
        return Traced(-Fraction(self), -self.node)

    def __mul__(self, other: Any) -> Any:
        return _joined(Fraction(self) * Fraction(other), mul(self.node, _scalar(self.node.graph, other)))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        value = Fraction(self) / Fraction(other) if Fraction(other) else Fraction(0)
        return _joined(value, self.node.graph.divide(self.node, _scalar(self.node.graph, other)))

    def __rtruediv__(self, other: Any) -> Any:
        value = Fraction(other) / Fraction(self) if Fraction(self) else Fraction(0)
        return _joined(value, self.node.graph.divide(_scalar(self.node.graph, other), self.node))

    def __pow__(self, power: Any, modulus: Any = None) -> Any:
        product: Any = Fraction(1)
        for _ in range(int(power)):
            product = product * self
        return product

    def __round__(self, ndigits: Any = None) -> Any:
        raise TypeError("a number that stays an input cannot be rounded")

    def __reduce__(self) -> tuple[Any, ...]:
        return Traced, (Fraction(self), self.node)


def _joined(value: Fraction, scalar: Scalar) -> Fraction:
    """The number with this node; a plain rational where the graph has folded it to one."""
    if isinstance(scalar, Node):
        return Fraction(scalar.value) if scalar.op == "const" else Traced(value, scalar)
    return Fraction(scalar)


def _scalar(graph: Graph, number: Any) -> Scalar:
    return number.node if isinstance(number, Traced) else graph.number(Fraction(number))


class TracedGraph(Graph):
    """A graph on which traced numbers of a description are their nodes."""

    def number(self, value: Fraction) -> Scalar:
        """The node of a traced number, a constant otherwise."""
        return value.node if isinstance(value, Traced) else super().number(value)

"""The graph ring: a number is a node of an expression graph, shared and folded as it is built.

Nodes are hash-consed: the same operation on the same operands is the same node, so common subexpressions
are eliminated while the formulations run (Ershov 1958). Constants are exact rationals and are folded; signs are moved
out of products and into sums, so that -(-x), a + (-b) and (-a)(b) add no operations.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from operator import attrgetter
from typing import Any

from .ring import Scalar

CONST, INPUT, ADD, SUB, MUL, NEG, INV, SQRT, SIGN, SIN, COS = (
    "const",
    "input",
    "add",
    "sub",
    "mul",
    "neg",
    "inv",
    "sqrt",
    "sign",
    "sin",
    "cos",
)
ZERO, ONE = Fraction(0), Fraction(1)
CONSTANT: dict[str, Callable[..., Fraction]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg,
}  # fmt: skip
"""Operations whose value of constants is a constant, exactly."""


class Node:
    """One number of the graph: an operation and its operands, or a constant, or an input by name."""

    __slots__ = ("a", "b", "graph", "index", "op", "value")
    __array_ufunc__ = None  # a NumPy array on the left must defer to the reflected operator of this class

    def __init__(self, graph: Graph, index: int, op: str, a: Node | None, b: Node | None, value: Any) -> None:
        self.graph, self.index, self.op, self.a, self.b, self.value = graph, index, op, a, b, value

    # NotImplemented lets other kinds of number (a dual number over this graph, say) use their reflected operator.

    def __add__(self, other: Scalar) -> Node:
        return self.graph.add(self, self.graph.node(other)) if isinstance(other, NUMBERS) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Scalar) -> Node:
        return self.graph.sub(self, self.graph.node(other)) if isinstance(other, NUMBERS) else NotImplemented

    def __rsub__(self, other: Scalar) -> Node:
        return self.graph.sub(self.graph.node(other), self) if isinstance(other, NUMBERS) else NotImplemented

    def __mul__(self, other: Scalar) -> Node:
        return self.graph.mul(self, self.graph.node(other)) if isinstance(other, NUMBERS) else NotImplemented

    __rmul__ = __mul__

    def __neg__(self) -> Node:
        return self.graph.neg(self)

    def __truediv__(self, other: Scalar) -> Node:
        return self.graph.divide(self, other) if isinstance(other, NUMBERS) else NotImplemented

    def __rtruediv__(self, other: Scalar) -> Node:
        return self.graph.divide(other, self) if isinstance(other, NUMBERS) else NotImplemented

    @property
    def operands(self) -> tuple[Node, ...]:
        """The nodes this one is computed from."""
        if self.a is None:
            return ()
        return (self.a,) if self.b is None else (self.a, self.b)

    def __reduce__(self) -> tuple[Any, ...]:
        return _node_of, (self.graph, self.index)

    def __repr__(self) -> str:
        if self.op == CONST:
            return f"{float(self.value):g}"
        if self.op == INPUT:
            return str(self.value)
        return f"{self.op}({', '.join(f'#{x.index}' for x in self.operands)})"


NUMBERS = (Node, int, Fraction, float)
"""Types that combine with a node."""


class Graph:
    """A field whose numbers are nodes; one graph holds all expressions of one kernel."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._nodes_by_key: dict[tuple[Any, ...], Node] = {}

    # -- construction ---------------------------------------------------------------------------

    def _make(self, op: str, a: Node | None = None, b: Node | None = None, value: Any = None) -> Node:
        """The node of this operation, new or existing (hash-consing)."""
        key = (op, a and a.index, b and b.index) if a is not None else (op, value)
        node = self._nodes_by_key.get(key)
        if node is None:
            node = Node(self, len(self.nodes), op, a, b, value)
            self.nodes.append(node)
            self._nodes_by_key[key] = node
        return node

    def operation(self, op: str, a: Node, b: Node | None = None) -> Node:
        """The node of an operation as it stands: no sign is moved, and of constants alone nothing stays."""
        if a.op == CONST and (b is None or b.op == CONST) and op in CONSTANT:
            return self.constant(CONSTANT[op](*(x.value for x in (a, b) if x is not None)))
        return self._make(op, *(self._ordered(a, b) if b is not None and op in (ADD, MUL) else (a, b)))

    def input(self, name: str) -> Node:
        """The input of this name."""
        return self._make(INPUT, value=name)

    def inputs(self, name: str, count: int) -> list[Node]:
        """``count`` inputs ``name0``, ``name1``, ..."""
        return [self.input(f"{name}{i}") for i in range(count)]

    def constant(self, value: Fraction | int | float) -> Node:
        """An exact constant; a float is taken at its exact value."""
        return self._make(CONST, value=value if type(value) is Fraction else Fraction(value))

    def node(self, value: Scalar) -> Node:
        """``value`` as a node: structural integers, rationals and floats become constants."""
        return value if isinstance(value, Node) else self.constant(value)

    # -- the ring -------------------------------------------------------------------------------

    def number(self, value: Fraction) -> Scalar:
        """A rational constant; 0, 1 and -1 stay structural."""
        if value.denominator == 1 and value.numerator in (0, 1, -1):
            return value.numerator
        return self.constant(value)

    def sincos(self, angle: Scalar) -> tuple[Scalar, Scalar]:
        """Sine and cosine of one angle; its sign is factored out, so sin(-x) and sin(x) share one node."""
        angle = self.node(angle)
        if angle.op == CONST and not angle.value:
            return 0, 1
        if angle.op == NEG:
            sin, cos = self.sincos(angle.a)
            return -sin, cos
        return self._make(SIN, angle), self._make(COS, angle)

    def neg(self, a: Node) -> Node:
        """-a."""
        if a.op == NEG:
            return a.a  # type: ignore[return-value]
        if a.op == CONST:
            return self.constant(-a.value)
        return self._make(NEG, a)

    def add(self, a: Node, b: Node) -> Node:
        """a + b, with constants folded, negations turned into differences and like terms collected."""
        if b.op == CONST:
            a, b = b, a
        if a.op == CONST:
            if not a.value:
                return b
            if b.op == CONST:
                return self.constant(a.value + b.value)
            if a.value < 0:
                return self.sub(b, self.constant(-a.value))
        if b.op == NEG:
            return self.sub(a, b.a)  # type: ignore[arg-type]
        if a.op == NEG:
            return self.sub(b, a.a)  # type: ignore[arg-type]
        like = self._like_terms(a, b, 1)
        if like is not None:
            return like
        return self._make(ADD, *self._ordered(a, b))

    def sub(self, a: Node, b: Node) -> Node:
        """a - b, with constants folded, negations turned into sums and like terms collected."""
        if b.op == CONST:
            if not b.value:
                return a
            if a.op == CONST:
                return self.constant(a.value - b.value)
            if b.value < 0:
                return self.add(a, self.constant(-b.value))
        if b.op == NEG:
            return self.add(a, b.a)  # type: ignore[arg-type]
        if a.op == NEG:
            return self.neg(self.add(a.a, b))  # type: ignore[arg-type]
        if a.op == CONST and not a.value:
            return self.neg(b)
        like = self._like_terms(a, b, -1)
        if like is not None:
            return like
        # b - a is the negative of a - b: only one of the two is stored, so that both share it
        if a.index > b.index:
            return self.neg(self._make(SUB, b, a))
        return self._make(SUB, a, b)

    def mul(self, a: Node, b: Node) -> Node:
        """a b, with constants collected in the first factor and signs moved in front."""
        if a.op == NEG:
            return self.neg(self.mul(a.a, b))  # type: ignore[arg-type]
        if b.op == NEG:
            return self.neg(self.mul(a, b.a))  # type: ignore[arg-type]
        if b.op == CONST:
            a, b = b, a
        if a.op == CONST:
            if b.op == CONST:
                return self.constant(a.value * b.value)
            if not a.value:
                return a
            if a.value < 0:
                return self.neg(self.mul(self.constant(-a.value), b))
            if a.value == 1:
                return b
            if b.op == MUL and b.a.op == CONST:  # type: ignore[union-attr]
                return self.mul(self.constant(a.value * b.a.value), b.b)  # type: ignore[union-attr, arg-type]
            return self._make(MUL, a, b)
        return self._make(MUL, *self._ordered(a, b))

    def divide(self, a: Scalar, b: Scalar) -> Node:
        """a / b as a product with the reciprocal of b, which is computed once."""
        return self.mul(self.node(a), self.inverse(self.node(b)))

    def inverse(self, a: Node) -> Node:
        """1 / a."""
        if a.op == CONST:
            return self.constant(1 / a.value)
        if a.op == NEG:
            return self.neg(self.inverse(a.a))  # type: ignore[arg-type]
        return self._make(INV, a)

    def sqrt(self, a: Scalar) -> Node:
        """The square root."""
        a = self.node(a)
        if a.op == CONST and a.value in (0, 1):
            return a
        return self._make(SQRT, a)

    def sign(self, a: Scalar) -> Node:
        """-1, 0 or 1; the sign of -x is taken from that of x."""
        a = self.node(a)
        if a.op == CONST:
            return self.constant((a.value > 0) - (a.value < 0))
        if a.op == NEG:
            return self.neg(self.sign(a.a))
        return self._make(SIGN, a)

    # -- copying ----------------------------------------------------------------------------------

    def __getstate__(self) -> list[tuple[Any, ...]]:
        return [
            (node.op, *(x.index for x in node.operands)) if node.operands else (node.op, node.value)
            for node in self.nodes
        ]

    def __setstate__(self, rows: list[tuple[Any, ...]]) -> None:
        self.nodes, self._nodes_by_key = [], {}
        for op, *operands in rows:
            if op in (CONST, INPUT):
                self._make(op, value=operands[0])
            else:
                self._make(op, *(self.nodes[index] for index in operands))

    # -- folding --------------------------------------------------------------------------------

    @staticmethod
    def _ordered(a: Node, b: Node) -> tuple[Node, Node]:
        """The operands of a commutative operation in the order of their indices."""
        return (a, b) if a.index <= b.index else (b, a)

    def _like_terms(self, a: Node, b: Node, sign: int) -> Node | None:
        """c x + d x as (c + d) x, where both are multiples of the same x."""
        (c, x), (d, y) = _multiple(a), _multiple(b)
        if x is not y or x.op == CONST:
            return None
        return self.mul(self.constant(c + sign * d), x)


def _node_of(graph: Graph, index: int) -> Node:
    return graph.nodes[index]


def _multiple(a: Node) -> tuple[Fraction, Node]:
    """A node as (c, x) with node = c x and c a rational constant."""
    if a.op == MUL and a.a.op == CONST:  # type: ignore[union-attr]
        return a.a.value, a.b  # type: ignore[union-attr, return-value]
    return ONE, a


BY_INDEX = attrgetter("index")


def reachable(outputs: Iterable[Node]) -> list[Node]:
    """All nodes on which the outputs depend, operands before users, in the order of construction."""
    seen: set[int] = set()
    nodes: list[Node] = []
    stack = list(outputs)
    while stack:
        node = stack.pop()
        index = node.index
        if index not in seen:
            seen.add(index)
            nodes.append(node)
            # the operands, without a call for each of millions of nodes
            if node.a is not None:
                stack.append(node.a)
                if node.b is not None:
                    stack.append(node.b)
    nodes.sort(key=BY_INDEX)
    return nodes


def absorbed(graph: Graph, outputs: Sequence[Node]) -> list[Node]:
    """The outputs with final negations absorbed into the operation before them, where nothing else uses it.

    Construction keeps signs outside (b - a is the negative of a - b), so that equal expressions share a node; negations
    that remain at the outputs are moved back inside.
    """
    uses: Counter[int] = Counter(x.index for node in reachable(outputs) for x in node.operands)
    uses.update({node.index for node in outputs})

    def negated(node: Node) -> Node | None:
        if uses[node.index] > 1 or node.a is None or node.b is None:
            return None
        if node.op == SUB:
            return graph._make(SUB, node.b, node.a)
        if node.op not in (MUL, ADD):
            return None
        for part, other in ((node.a, node.b), (node.b, node.a)):
            negative = graph.constant(-part.value) if part.op == CONST and node.op == MUL else negated(part)
            if negative is not None:
                return graph._make(MUL if node.op == MUL else SUB, negative, other)
        return None

    return [(negated(node.a) or node) if node.op == NEG and node.a is not None else node for node in outputs]


def evaluate(outputs: Sequence[Node], values: dict[str, Any], field: Any) -> list[Any]:
    """The outputs over another field, with ``values`` for the inputs: the reference for every emitter."""
    computed: dict[int, Any] = {}
    pairs: dict[int, tuple[Any, Any]] = {}
    arithmetic: dict[str, Callable[..., Any]] = {
        ADD: operator.add,
        SUB: operator.sub,
        MUL: operator.mul,
        NEG: operator.neg,
    }
    for node in reachable(outputs):
        args = [computed[x.index] for x in node.operands]
        if node.op == CONST:
            computed[node.index] = field.number(node.value)
        elif node.op == INPUT:
            computed[node.index] = values[node.value]
        elif node.op in (SIN, COS):
            angle = node.operands[0].index
            if angle not in pairs:
                pairs[angle] = field.sincos(args[0])
            computed[node.index] = pairs[angle][node.op == COS]
        elif node.op == INV:
            computed[node.index] = field.divide(1, args[0])
        elif node.op == SQRT:
            computed[node.index] = field.sqrt(args[0])
        elif node.op == SIGN:
            computed[node.index] = field.sign(args[0])
        else:
            computed[node.index] = arithmetic[node.op](*args)
    return [computed[node.index] for node in outputs]

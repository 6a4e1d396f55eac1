"""The graph as C or the like: one straight line of statements, over a number or over a vector of states."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from ..rings.graph import ADD, CONST, COS, INPUT, INV, MUL, NEG, SIGN, SIN, SQRT, SUB, Node, reachable
from .function import Function
from .reassociate import reassociated
from .schedule import orders, pressure

LONG = 3000
"""Statements beyond which a body is cut into pieces,"""
PIECE = 500
"""of this many statements each."""
VECTOR_SIGN = "__builtin_convertvector(({x} < 0) - ({x} > 0), {type})"
"""A comparison of vectors gives -1 where it is true."""
SYMBOLS = {ADD: "+", SUB: "-", MUL: "*"}


@dataclass(frozen=True)
class InputAngle:
    """An angle whose sine and cosine are taken before everything else: an input, or an input plus a constant."""

    input: str
    offset: Fraction


def early_angle(node: Node) -> InputAngle | None:
    """The angle of a sine or cosine, if it can be had from the inputs alone."""
    if node.op == INPUT:
        return InputAngle(node.value, Fraction(0))
    if node.op in (ADD, SUB) and node.b is not None and node.a is not None:
        left, right = node.a, node.b
        if left.op == INPUT and right.op == CONST:
            return InputAngle(left.value, right.value if node.op == ADD else -right.value)
        if node.op == ADD and right.op == INPUT and left.op == CONST:
            return InputAngle(right.value, left.value)
    return None


class Program:
    """A function in the order it is computed: rows of inputs, rows of sines and cosines, statements, outputs.

    ``fused``: a product that is only added or subtracted goes into these sums, which are rounded once (``fusions``),
    and sums are added up in the order that has most of it (``reassociate.py``). Which products do is decided here, not
    by a compiler, so that all code for a processor computes the same bits.
    """

    def __init__(self, function: Function, fused: bool = False) -> None:
        if fused:
            function = _reassociated(function)
        self.function = function
        self.inputs: dict[str, int] = {}
        for _, names in function.inputs:
            for name in names:
                self.inputs[name] = len(self.inputs)
        self.nodes = reachable(function.nodes)
        self.angles: dict[InputAngle, int] = {}
        early: list[Node] = []
        for node in self.nodes:
            if node.op in (SIN, COS):
                angle = early_angle(node.a)  # type: ignore[arg-type]
                if angle is not None:
                    self.angles.setdefault(angle, len(self.angles))
                    early.append(node)
        self.early = {node.index: node for node in early}
        self.targets: dict[int, int] = {}
        for node in function.nodes:
            self.targets.setdefault(node.index, len(self.targets))
        self.fusions: dict[int, Node] = {}
        """For each sum that takes a product in, by index, that product."""
        self.order: list[Node] = []
        self.alive = 0
        """The largest number of values alive at once."""
        for order in orders(function.nodes, early):
            products = fusions(order, self.targets) if fused else {}
            absorbed = {product.index for product in products.values()}
            order = [node for node in order if node.index not in absorbed]
            needed = pressure(order, products, self.alive if self.order else None)
            if not self.order or needed < self.alive:
                self.order, self.fusions, self.alive = order, products, needed

    def operands(self, node: Node) -> tuple[Node, ...]:
        """What a statement reads: for a sum that takes a product in, both factors and the other operand."""
        return operands(self.fusions, node)

    def form(self, node: Node) -> str:
        """How a sum takes its product in: MA for a b + c, NMA for c - a b, MS for a b - c."""
        if node.op == ADD:
            return "MA"
        return "MS" if node.a is self.fusions[node.index] else "NMA"

    @cached_property
    def scatter(self) -> list[list[int]]:
        """For each output array, which computed row stands in each place."""
        return [[self.targets[node.index] for node in nodes] for _, nodes in self.function.outputs]

    def row(self, node: Node) -> int:
        """Row of an input, or of an early sine (first the sines, then the cosines)."""
        if node.op == INPUT:
            return self.inputs[node.value]
        angle = early_angle(node.a)  # type: ignore[arg-type]
        return len(self.inputs) + (node.op == COS) * len(self.angles) + self.angles[angle]  # type: ignore[index]


def _reassociated(function: Function) -> Function:
    nodes = iter(reassociated(function.nodes))
    tables = [[next(nodes) for _ in row] for _, row in function.outputs]
    return replace(function, build=lambda: tables)


def operands(fusions: Mapping[int, Node], node: Node) -> tuple[Node, ...]:
    """The operands of a node; of a sum that takes a product in, both factors and the other operand."""
    product = fusions.get(node.index)
    if product is None:
        return node.operands
    return (*product.operands, next(x for x in node.operands if x is not product))


def fusions(order: Sequence[Node], outputs: Collection[int]) -> dict[int, Node]:
    """For each sum that can be fused with a product, by index, the product; no product that is in ``outputs``."""
    users: dict[int, list[Node]] = {}
    for node in order:
        for operand in (node.a, node.b):
            if operand is not None and operand.op == MUL:
                index = operand.index
                if index in users:
                    users[index].append(node)
                else:
                    users[index] = [node]
    fused: dict[int, Node] = {}
    for node in order:
        if node.op != MUL or node.index in outputs:
            continue
        sums = users.get(node.index)
        # a product that is needed by itself once is computed, and its sums may take in their other operand; so is x of
        # x + x, which would be both
        if sums and all(
            (user.op == ADD or user.op == SUB) and user.index not in fused and user.a is not user.b for user in sums
        ):
            for user in sums:
                fused[user.index] = node
    return fused


def literal(value: Fraction, suffix: str = "") -> str:
    """A constant as C, at full precision."""
    number = float(value)
    text = repr(number)
    return text + suffix if "." in text or "e" in text else text + ".0" + suffix


@dataclass(frozen=True)
class Style:
    """How inputs are read, outputs written and constants spelled."""

    type: str
    suffix: str
    read: Callable[[int], str]
    """Row of an input or early sine -> expression."""
    write: Callable[[int], str] | None
    """Number of an output value -> the places it goes to, as one chain of assignments; None: it is not written."""
    sincos: str = "sincos_any({angle}, &{sin}, &{cos});"
    sqrt: str = "sqrt_any({x})"
    sign: str = "({type})(({x} > 0) - ({x} < 0))"
    inverse: str = "{one} / {x}"
    constant: str = "{value}"
    """How a constant becomes an output, or an operand of a fused sum."""
    fused: str = "{form}({a}, {b}, {c})"
    """a b + c (MA), c - a b (NMA) or a b - c (MS), rounded once."""
    late: bool = False
    """Write all outputs at the end, so that they may share memory with the inputs."""
    declaration: str = "const {type} {name} = {value};"
    """How a value gets its name."""
    pair: str = "{type} {sin}, {cos};"
    """How room is made for a sine and its cosine."""
    named_constants: Mapping[Fraction, str] = field(default_factory=dict)
    """Constants that stand elsewhere, and how they are had."""

    def declared(self, name: str, value: str) -> str:
        """The statement that gives ``value`` its name."""
        return self.declaration.format(type=self.type, name=name, value=value)

    def written(self, target: int, value: str) -> list[str]:
        """The statements that write an output value, where outputs are written; each element by one of its own."""
        if self.write is None:
            return []
        return [f"{element} = {value};" for element in self.write(target).split(" = ")]


def statements(program: Program, style: Style) -> list[str]:
    """The body: every node once, outputs written as soon as they are known."""
    (lines,), _ = pieces(program, style, len(program.order) + 1)
    return lines


def expressions(program: Program, style: Style) -> tuple[list[str], list[str]]:
    """The body of a function that returns its outputs, and the expression of each output value after it."""
    writer = StatementWriter(program, style, {})
    for node in program.order:
        writer.statement(node)
    outputs = {node.index: node for node in program.function.nodes}
    return writer.lines, [writer.name(outputs[index]) for index in program.targets]


def pieces(program: Program, style: Style, size: int) -> tuple[list[list[str]], int]:
    """The body in pieces of at most ``size`` statements, and how many values pass between pieces at a time.

    Compilers take more than twice the time for twice the statements, so a long body becomes several functions. A
    value that a later piece reads is kept in ``w``, in a place that is free again after the last piece to read it.
    """
    order = program.order
    parts = [order[start : start + size] for start in range(0, len(order), size)] or [[]]
    slots, count = _places(parts, program.operands)
    written: list[list[str]] = []
    names: dict[int, str] = {}
    outputs = [node for node in program.nodes if node.index in program.targets]
    for part in parts:
        writer = StatementWriter(program, style, slots)
        for node in part:
            writer.statement(node)
        written.append(writer.lines)
        names = writer.names
    ending = StatementWriter(program, style, slots, names)
    if style.late:  # inputs that are outputs are read before the first output is written
        for node in outputs:
            if node.op == INPUT:
                value, ending.names[node.index] = ending.name(node), f"t{len(ending.names)}"
                ending.lines.append(style.declared(ending.names[node.index], value))
    computed = {node.index for node in order}
    for node in outputs:
        ending.output(node, computed)
    written[-1] += ending.lines
    return written, count


def _places(
    parts: Sequence[Sequence[Node]], operands: Callable[[Node], tuple[Node, ...]]
) -> tuple[dict[int, int], int]:
    """For each value that a later piece reads, its place in ``w``."""
    home = {node.index: number for number, part in enumerate(parts) for node in part}
    end: dict[int, int] = {}
    for number, part in enumerate(parts):
        for node in part:
            for operand in operands(node):
                if home.get(operand.index, number) < number:
                    end[operand.index] = number
    slots: dict[int, int] = {}
    free: list[int] = []
    leaving: dict[int, list[int]] = {}
    count = 0
    for number, part in enumerate(parts):
        for node in part:
            if node.index in end:
                if free:
                    slots[node.index] = free.pop()
                else:
                    slots[node.index], count = count, count + 1
                leaving.setdefault(end[node.index], []).append(slots[node.index])
        # a place is free for the values of later pieces only: this piece may still read it
        free += leaving.pop(number, [])
    return slots, count


class StatementWriter:
    """Writes the statements of one piece, node by node in any order that has operands before users."""

    def __init__(
        self, program: Program, style: Style, slots: dict[int, int], names: dict[int, str] | None = None
    ) -> None:
        self.program, self.style, self.slots = program, style, slots
        self.names = names if names is not None else {}
        self.pairs: dict[int, tuple[str, str]] = {}
        self.returned = 0
        self.lines: list[str] = []

    def name(self, node: Node) -> str:
        """What stands for a value in the text."""
        if node.index in self.names:
            return self.names[node.index]
        if node.op == CONST:
            text = self.style.named_constants.get(node.value) or literal(node.value, self.style.suffix)
            return f"({text})" if text.startswith("-") else text
        if node.op == INPUT or node.index in self.program.early:
            return self.style.read(self.program.row(node))
        return f"w[{self.slots[node.index]}]"

    def statement(self, node: Node) -> None:
        """Write the statement that computes a value."""
        style = self.style
        # A vector and a number may be added and multiplied; elsewhere a constant is one in all lanes.
        name = self.name if node.op in SYMBOLS else self._argument
        args = [name(x) for x in self.program.operands(node)]
        if node.index in self.program.fusions:
            text = self._fused(node)
        elif node.op in SYMBOLS:
            text = f"{args[0]} {SYMBOLS[node.op]} {args[1]}"
        elif node.op == NEG:
            text = f"-{args[0]}"
        elif node.op == INV:
            text = style.inverse.format(one=literal(Fraction(1), style.suffix), x=args[0])
        elif node.op == SQRT:
            text = style.sqrt.format(x=args[0])
        elif node.op == SIGN:
            text = style.sign.format(x=args[0], type=style.type)
        else:
            text = self._sine_or_cosine(node, args[0])
        target = self.names[node.index] = f"t{len(self.names)}"
        self.lines.append(style.declared(target, text))
        if node.index in self.slots:
            self.lines.append(f"w[{self.slots[node.index]}] = {target};")
        if node.index in self.program.targets and not style.late:
            self.lines += style.written(self.program.targets[node.index], target)

    def leaves(self, node: Node, slot: str) -> None:
        """A number is put into ``slot``, to be had again by ``returns``."""
        self.lines.append(f"{slot} = {self.name(node)};")

    def returns(self, node: Node, slot: str) -> None:
        """A number is read again from ``slot``, under a name of its own."""
        self.returned += 1
        self.names[node.index] = f"b{self.returned}"
        self.lines.append(self.style.declared(f"b{self.returned}", slot))

    def _argument(self, node: Node) -> str:
        """A number as the argument of a function, a constant in the type of the others."""
        name = self.name(node)
        return self.style.constant.format(value=name) if node.op == CONST else name

    def _fused(self, node: Node) -> str:
        a, b, c = map(self._argument, self.program.operands(node))
        return self.style.fused.format(form=self.program.form(node), a=a, b=b, c=c)

    def _sine_or_cosine(self, node: Node, angle: str) -> str:
        key = node.operands[0].index
        if key not in self.pairs:
            self.pairs[key] = sine, cosine = f"s{len(self.pairs)}_", f"c{len(self.pairs)}_"
            self.lines.append(self.style.pair.format(type=self.style.type, sin=sine, cos=cosine))
            self.lines.append(self.style.sincos.format(angle=angle, sin=sine, cos=cosine))
        return self.pairs[key][node.op == COS]

    def output(self, node: Node, computed: set[int]) -> None:
        """An output that no statement wrote: a constant, an input, or all of them where they are written late."""
        if node.index in computed and not self.style.late:
            return
        value = self.name(node)
        if node.op == CONST:
            value = self.style.constant.format(value=value)
        self.lines += self.style.written(self.program.targets[node.index], value)


def destinations(program: Program, element: Callable[[int, int], str] = "y{}[{}]".format) -> list[str]:
    """For each computed value the elements of results it goes to, as a chain of assignments.

    ``element`` spells a number of a result: y0[3] is the fourth number of the first one.
    """
    elements: list[list[str]] = [[] for _ in program.targets]
    for result, targets in enumerate(program.scatter):
        for column, target in enumerate(targets):
            elements[target].append(element(result, column))
    return [" = ".join(names) for names in elements]


def constants(values: Sequence[int]) -> str:
    """An array initialiser."""
    return "{" + ", ".join(str(value) for value in values) + "}"

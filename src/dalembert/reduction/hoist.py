"""Hoisting of constants: every number of a program that depends on parameters alone becomes one named constant.

k1, k2, ... are precomputed by a controller (b_1, b_2, ... of Bejczy 1974): sums of parameters times lengths. Another
load changes their values and not the program. Sums are rewritten on the way, exactly: a constant factor is multiplied
into a bracket, and equal constants and common factors are extracted from it where that saves operations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..compile.operations import Operations
from ..rings.graph import ADD, CONST, COS, INPUT, MUL, NEG, SIN, SUB, Graph, Node, reachable
from .constant_forms import ParameterForm, product
from .operation_list import OperationList, listed

ONE = ParameterForm.number(1)


@dataclass(frozen=True, eq=False)
class Hoisted:
    """A program over q, qd, qdd and constants k_1, k_2, ...; ``definitions`` gives each k in the parameters p_name."""

    outputs: list[Node]
    definitions: dict[str, ParameterForm]
    counted: dict[tuple[Fraction, ...], Operations] = field(default_factory=dict, repr=False)
    """Operations for values of the constants that were asked for."""

    def values(self, parameters: Mapping[str, Fraction]) -> dict[str, Fraction]:
        """The exact constants for these parameters; missing ones are zero."""
        return {name: form.value(parameters) for name, form in self.definitions.items()}

    def same_as(self, other: Hoisted) -> bool:
        """Whether the other program has the same constants and the same operations."""
        return self.definitions == other.definitions and self._steps == other._steps

    @cached_property
    def listing(self) -> OperationList:
        """The program as a table of operations."""
        return listed(self.outputs, self.definitions)

    @cached_property
    def _steps(self) -> list[tuple[Any, ...]]:
        """The operations in order, operands by their place in it, and the outputs."""
        positions: dict[int, int] = {}
        steps: list[tuple[Any, ...]] = []
        for node in reachable(self.outputs):
            positions[node.index] = len(positions)
            steps.append((node.op, node.value, *(positions[x.index] for x in node.operands)))
        return [*steps, tuple(positions[node.index] for node in self.outputs)]

    def shifted(self, shifts: Mapping[str, Fraction]) -> Hoisted:
        """The same program with shifted constants."""
        definitions = {name: form.shifted(shifts.get(name, Fraction(0))) for name, form in self.definitions.items()}
        return self.with_definitions(definitions)

    def with_definitions(self, definitions: dict[str, ParameterForm]) -> Hoisted:
        """The same operations with other constants of the same names."""
        renamed = Hoisted(self.outputs, definitions)
        # what follows from the operations alone is worked out once
        vars(renamed).update({name: vars(self)[name] for name in ("listing", "_steps") if name in vars(self)})
        return renamed


@dataclass(frozen=True)
class ProductTerm:
    """A summand: a constant times a cofactor, which is None for a bare constant."""

    factor: ParameterForm
    cofactor: Node | None


class Hoister:
    """One pass that rebuilds a program with its constants as linear forms in the parameters."""

    def __init__(self, outputs: Sequence[Node], forms: Mapping[str, ParameterForm]) -> None:
        self.graph = Graph()
        self.forms: dict[str, ParameterForm] = {}
        self.named: dict[ParameterForm, str] = {}
        self.input_forms = forms
        order = reachable(outputs)
        self.uses: Counter[int] = Counter(x.index for node in order for x in node.operands)
        self.uses.update(node.index for node in outputs)
        self.sums: dict[int, list[ProductTerm]] = {}
        """Sums with a single use, not yet built."""
        self.built: dict[int, Node] = {}
        self.single: set[int] = set()
        """Products of the new graph with a single use."""
        for node in order:
            self.visit(node)
        self.outputs = [self.node(node) for node in outputs]

    # -- constants -------------------------------------------------------------------------------

    def constant(self, form: ParameterForm) -> Node:
        """A constant as an operand of the program; a form and its negative share one name."""
        plain = form.plain
        if plain is not None:
            return self.graph.constant(plain)
        if form.negative:
            return self.graph.neg(self.constant(-form))
        if form not in self.named:
            name = f"k_{len(self.named) + 1}"
            self.named[form], self.forms[name] = name, form
        return self.graph.input(self.named[form])

    def split(self, node: Node) -> ProductTerm:
        """A node of the new graph as constant times cofactor."""
        if node.op == NEG:
            inner = self.split(node.operands[0])
            return ProductTerm(-inner.factor, inner.cofactor)
        if node.op == CONST:
            return ProductTerm(ParameterForm.number(node.value), None)
        if node.op == INPUT and node.value in self.forms:
            return ProductTerm(self.forms[node.value], None)
        if node.op == MUL:
            a, b = node.operands
            for k, x in ((a, b), (b, a)):
                if k.op == CONST:
                    return ProductTerm(ParameterForm.number(k.value), x)
                if k.op == INPUT and k.value in self.forms:
                    return ProductTerm(self.forms[k.value], x)
        return ProductTerm(ONE, node)

    def joined(self, term: ProductTerm) -> Node:
        """The product of a constant and its cofactor."""
        if term.cofactor is None:
            return self.constant(term.factor)
        return self.graph.mul(self.constant(term.factor), term.cofactor)

    # -- traversal -------------------------------------------------------------------------------

    def node(self, old: Node) -> Node:
        """The new node of an old one."""
        if old.index not in self.built:
            self.built[old.index] = self.sum_of(self.sums.pop(old.index))
            self.mark_single(old, self.built[old.index])
        return self.built[old.index]

    def mark_single(self, old: Node, new: Node) -> None:
        """Marks a product as used once if the old node was."""
        cofactor = self.split(new).cofactor
        if self.uses[old.index] == 1 and cofactor is not None:
            self.single.add(cofactor.index)

    def terms(self, old: Node) -> list[ProductTerm]:
        """The summands of an old node, for a sum that contains it."""
        if old.index in self.sums:
            return self.sums.pop(old.index) if self.uses[old.index] == 1 else list(self.sums[old.index])
        return [self.split(self.node(old))]

    def visit(self, old: Node) -> None:
        """Rebuilds one node of the old graph."""
        if old.op == CONST:
            self.built[old.index] = self.graph.constant(old.value)
        elif old.op == INPUT:
            form = self.input_forms.get(str(old.value))
            self.built[old.index] = self.graph.input(old.value) if form is None else self.constant(form)
        elif old.op in (SIN, COS):
            angle = self.node(old.operands[0])
            self.built[old.index] = self.graph.node(self.graph.sincos(angle)[old.op == COS])
        elif old.op == MUL:
            self.multiply(old)
        else:
            self.add(old)

    def add(self, old: Node) -> None:
        """Collects the summands of a sum, difference or negation."""
        summands: list[ProductTerm] = []
        for slot, operand in enumerate(old.operands):
            sign = -1 if old.op == NEG or (old.op == SUB and slot == 1) else 1
            summands += [ProductTerm(term.factor.times(sign), term.cofactor) for term in self.terms(operand)]
        self.sums[old.index] = summands
        if self.uses[old.index] > 1:
            self.node(old)

    def multiply(self, old: Node) -> None:
        """Rebuilds a product, with constants combined or distributed over a bracket."""
        a, b = old.operands
        for k, x in ((a, b), (b, a)):
            constant = self.built.get(k.index)
            factor = None if constant is None else self.split(constant)
            if factor is None or factor.cofactor is not None or x.index not in self.sums or self.uses[x.index] > 1:
                continue
            factors = [product(term.factor, factor.factor) for term in self.sums[x.index]]
            if all(form is not None for form in factors):
                # A constant factor is distributed over the bracket; ``sum_of`` extracts it again where it is shared.
                terms = self.sums.pop(x.index)
                self.sums[old.index] = [
                    ProductTerm(f, t.cofactor) for f, t in zip(factors, terms, strict=True) if f is not None
                ]
                if self.uses[old.index] > 1:
                    self.node(old)
                return
        left, right = self.split(self.node(a)), self.split(self.node(b))
        constant_factor = product(left.factor, right.factor)
        if constant_factor is None:
            new = self.graph.mul(self.joined(left), self.joined(right))
        elif left.cofactor is None or right.cofactor is None:
            new = self.joined(ProductTerm(constant_factor, left.cofactor or right.cofactor))
        else:
            cofactor = self.graph.mul(left.cofactor, right.cofactor)
            new = self.joined(ProductTerm(constant_factor, cofactor))
            self.mark_single(old, cofactor)
        self.built[old.index] = new

    # -- sums ------------------------------------------------------------------------------------

    def sum_of(self, terms: Sequence[ProductTerm]) -> Node:
        """A sum with like terms collected, common factors extracted and equal constants shared."""
        collected: dict[int, ProductTerm] = {}
        for term in terms:
            key = -1 if term.cofactor is None else term.cofactor.index
            previous = collected.get(key)
            collected[key] = term if previous is None else ProductTerm(previous.factor + term.factor, term.cofactor)
        remaining = [term for term in collected.values() if term.factor]
        return self.added([self.joined(term) for term in self.grouped(self.factored(remaining))])

    def factored(self, terms: list[ProductTerm]) -> list[ProductTerm]:
        """Common factors of several summands are extracted, the most frequent first: k x u + l x v = x (k u + l v)."""
        while True:
            holders: dict[int, list[int]] = {}
            for position, term in enumerate(terms):
                if term.cofactor is not None and term.cofactor.op == MUL and term.cofactor.index in self.single:
                    for index in dict.fromkeys(factor.index for factor in term.cofactor.operands):
                        holders.setdefault(index, []).append(position)
            for position, term in enumerate(terms):
                # A summand that is a multiple of the factor itself takes part: x u + k x = x (u + k).
                if term.cofactor is not None and term.cofactor.index in holders:
                    holders[term.cofactor.index].append(position)
            best = max(holders.values(), key=len, default=[])
            if len(best) < 2:
                return terms
            shared = next(i for i, positions in holders.items() if positions is best)
            inner: list[ProductTerm] = []
            x: Node | None = None
            for position in best:
                cofactor = terms[position].cofactor
                assert cofactor is not None
                if cofactor.index == shared:
                    inner.append(ProductTerm(terms[position].factor, None))
                    x = cofactor
                    continue
                a, b = cofactor.operands
                x, other = (a, b) if a.index == shared else (b, a)
                split = self.split(other)
                form = product(split.factor, terms[position].factor)
                inner.append(
                    ProductTerm(terms[position].factor, other) if form is None else ProductTerm(form, split.cofactor)
                )
            assert x is not None
            bracket = self.split(self.sum_of(inner))
            replaced = set(best)
            if bracket.cofactor is None:
                merged = ProductTerm(bracket.factor, x)
            else:
                cofactor = self.graph.mul(x, bracket.cofactor)
                outer = self.split(cofactor)
                form = product(bracket.factor, outer.factor)
                assert form is not None
                assert outer.cofactor is not None
                self.single.add(outer.cofactor.index)
                merged = ProductTerm(form, outer.cofactor)
            terms = [term for position, term in enumerate(terms) if position not in replaced] + [merged]

    def grouped(self, terms: Sequence[ProductTerm]) -> list[ProductTerm]:
        """Summands with the same constant share it: k u + k v = k (u + v)."""
        groups: dict[ParameterForm, list[ProductTerm]] = {}
        for term in terms:
            form = -term.factor if term.factor.negative else term.factor
            groups.setdefault(form, []).append(term)
        result: list[ProductTerm] = []
        for form, members in groups.items():
            if form == ONE or len(members) == 1 or any(term.cofactor is None for term in members):
                result += members
                continue
            cofactors = [
                self.graph.neg(t.cofactor) if t.factor.negative else t.cofactor
                for t in members
                if t.cofactor is not None
            ]
            inner = self.split(self.added(cofactors))
            factor = product(form, inner.factor)
            assert factor is not None
            result.append(ProductTerm(factor, inner.cofactor))
        return result

    def added(self, nodes: Sequence[Node]) -> Node:
        """A plain sum, subtracted terms last, so that no negation remains."""
        if not nodes:
            return self.graph.constant(0)
        total: Node | None = None
        for summand in sorted(nodes, key=lambda node: node.op == NEG):
            total = summand if total is None else self.graph.add(total, summand)
        assert total is not None
        return total


def hoisted(outputs: Sequence[Node], forms: Mapping[str, ParameterForm]) -> Hoisted:
    """The program with hoisted constants; inputs named in ``forms`` are constants, all others the state."""
    hoister = Hoister(outputs, forms)
    return numbered(hoister.outputs, hoister.forms)


def numbered(outputs: Sequence[Node], forms: Mapping[str, ParameterForm]) -> Hoisted:
    """The program as it is, the constants in ``forms`` that it uses called k_1, k_2, ..."""
    used = {str(node.value) for node in reachable(outputs) if node.op == INPUT}
    rename = {name: f"k_{number + 1}" for number, name in enumerate(name for name in forms if name in used)}
    graph = Graph()
    copy: dict[int, Node] = {}
    for node in reachable(outputs):
        copy[node.index] = _copied(node, graph, copy, rename)
    return Hoisted([copy[node.index] for node in outputs], {rename[n]: forms[n] for n in rename})


def _copied(node: Node, graph: Graph, copies: Mapping[int, Node], rename: Mapping[str, str]) -> Node:
    """A node copied to another graph, with inputs renamed."""
    if node.op == CONST:
        return graph.constant(node.value)
    if node.op == INPUT:
        return graph.input(rename.get(str(node.value), str(node.value)))
    args = [copies[x.index] for x in node.operands]
    if node.op in (SIN, COS):
        return graph.node(graph.sincos(args[0])[node.op == COS])
    builders: dict[str, Any] = {ADD: graph.add, SUB: graph.sub, MUL: graph.mul, NEG: graph.neg}
    return builders[node.op](*args)

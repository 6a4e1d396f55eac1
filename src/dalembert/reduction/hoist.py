"""Constants taken out of a program: every number that depends on parameters alone becomes one named constant.

k1, k2, ... are what a controller holds in memory (Bejczy's b_1, b_2, ...): sums of parameters times lengths, worked
out once. A new load gives them new values and leaves the program as it is. Sums are gathered on the way, exactly: a
constant before a bracket goes into it, equal constants and common factors come out of it, where that saves work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..rings.graph import ADD, CONST, COS, INPUT, MUL, NEG, SIN, SUB, Graph, Node, reachable
from .constant_forms import Form, product

ONE = Form.number(1)


@dataclass(frozen=True, eq=False)
class Hoisted:
    """Outputs over q, qd, qdd and k_1, k_2, ...; ``definitions`` gives each k over the parameters p_name."""

    outputs: list[Node]
    definitions: dict[str, Form]

    def values(self, parameters: Mapping[str, Fraction]) -> dict[str, Fraction]:
        """The constants for these parameters (missing ones are zero), exact."""
        return {name: form.value(parameters) for name, form in self.definitions.items()}

    def shifted(self, shifts: Mapping[str, Fraction]) -> Hoisted:
        """The same program with refitted constants."""
        fresh = {name: form.shifted(shifts.get(name, Fraction(0))) for name, form in self.definitions.items()}
        return Hoisted(self.outputs, fresh)


@dataclass(frozen=True)
class Term:
    """A summand: a constant times the rest, which is None for a bare constant."""

    factor: Form
    rest: Node | None


class Hoister:
    """Builds the program anew, with its constants as forms."""

    def __init__(self, outputs: Sequence[Node], forms: Mapping[str, Form]) -> None:
        self.graph = Graph()
        self.forms: dict[str, Form] = {}
        self.named: dict[Form, str] = {}
        self.given = forms
        order = reachable(outputs)
        self.uses: Counter[int] = Counter(x.index for node in order for x in node.operands)
        self.uses.update(node.index for node in outputs)
        self.sums: dict[int, list[Term]] = {}
        """Sums that are used once, not yet built."""
        self.built: dict[int, Node] = {}
        self.single: set[int] = set()
        """Products of the new graph that are used once."""
        for node in order:
            self.visit(node)
        self.outputs = [self.node(node) for node in outputs]

    # -- constants -------------------------------------------------------------------------------

    def constant(self, form: Form) -> Node:
        """A constant as an operand of the program; a form and its negative share their name."""
        plain = form.plain
        if plain is not None:
            return self.graph.constant(plain)
        if form.negative:
            return self.graph.neg(self.constant(-form))
        if form not in self.named:
            name = f"k_{len(self.named) + 1}"
            self.named[form], self.forms[name] = name, form
        return self.graph.input(self.named[form])

    def split(self, node: Node) -> Term:
        """A node of the new graph as constant times rest."""
        if node.op == NEG:
            inner = self.split(node.operands[0])
            return Term(-inner.factor, inner.rest)
        if node.op == CONST:
            return Term(Form.number(node.value), None)
        if node.op == INPUT and node.value in self.forms:
            return Term(self.forms[node.value], None)
        if node.op == MUL:
            a, b = node.operands
            for k, x in ((a, b), (b, a)):
                if k.op == CONST:
                    return Term(Form.number(k.value), x)
                if k.op == INPUT and k.value in self.forms:
                    return Term(self.forms[k.value], x)
        return Term(ONE, node)

    def joined(self, term: Term) -> Node:
        if term.rest is None:
            return self.constant(term.factor)
        return self.graph.mul(self.constant(term.factor), term.rest)

    # -- the walk --------------------------------------------------------------------------------

    def node(self, old: Node) -> Node:
        """The new node of an old one."""
        if old.index not in self.built:
            self.built[old.index] = self.sum_of(self.sums.pop(old.index))
            self.once(old, self.built[old.index])
        return self.built[old.index]

    def once(self, old: Node, made: Node) -> None:
        """Note that a product is used once, if the old node was."""
        rest = self.split(made).rest
        if self.uses[old.index] == 1 and rest is not None:
            self.single.add(rest.index)

    def terms(self, old: Node) -> list[Term]:
        """The summands of an old node, for a sum that uses it."""
        if old.index in self.sums:
            return self.sums.pop(old.index) if self.uses[old.index] == 1 else list(self.sums[old.index])
        return [self.split(self.node(old))]

    def visit(self, old: Node) -> None:
        if old.op == CONST:
            self.built[old.index] = self.graph.constant(old.value)
        elif old.op == INPUT:
            form = self.given.get(str(old.value))
            self.built[old.index] = self.graph.input(old.value) if form is None else self.constant(form)
        elif old.op in (SIN, COS):
            angle = self.node(old.operands[0])
            self.built[old.index] = self.graph.node(self.graph.sincos(angle)[old.op == COS])
        elif old.op == MUL:
            self.multiply(old)
        else:
            self.add(old)

    def add(self, old: Node) -> None:
        found: list[Term] = []
        for slot, operand in enumerate(old.operands):
            sign = -1 if old.op == NEG or (old.op == SUB and slot == 1) else 1
            found += [Term(term.factor.times(sign), term.rest) for term in self.terms(operand)]
        self.sums[old.index] = found
        if self.uses[old.index] > 1:
            self.node(old)

    def multiply(self, old: Node) -> None:
        a, b = old.operands
        for k, x in ((a, b), (b, a)):
            constant = self.built.get(k.index)
            factor = None if constant is None else self.split(constant)
            if factor is None or factor.rest is not None or x.index not in self.sums or self.uses[x.index] > 1:
                continue
            spread = [product(term.factor, factor.factor) for term in self.sums[x.index]]
            if all(form is not None for form in spread):
                # A constant before a bracket goes into it; ``sum_of`` takes it out again where it is shared.
                terms = self.sums.pop(x.index)
                self.sums[old.index] = [Term(f, t.rest) for f, t in zip(spread, terms, strict=True) if f is not None]
                if self.uses[old.index] > 1:
                    self.node(old)
                return
        one, two = self.split(self.node(a)), self.split(self.node(b))
        factor_ = product(one.factor, two.factor)
        if factor_ is None:
            made = self.graph.mul(self.joined(one), self.joined(two))
        elif one.rest is None or two.rest is None:
            made = self.joined(Term(factor_, one.rest or two.rest))
        else:
            rest = self.graph.mul(one.rest, two.rest)
            made = self.joined(Term(factor_, rest))
            self.once(old, rest)
        self.built[old.index] = made

    # -- sums ------------------------------------------------------------------------------------

    def sum_of(self, terms: Sequence[Term]) -> Node:
        """The cheapest way found to write a sum."""
        together: dict[int, Term] = {}
        for term in terms:
            key = -1 if term.rest is None else term.rest.index
            known = together.get(key)
            together[key] = term if known is None else Term(known.factor + term.factor, term.rest)
        left = [term for term in together.values() if term.factor]
        return self.added([self.joined(term) for term in self.grouped(self.factored(left))])

    def factored(self, terms: list[Term]) -> list[Term]:
        """Factors that several summands share are taken out, the most shared first: k x u + l x v = x (k u + l v)."""
        while True:
            holders: dict[int, list[int]] = {}
            for place, term in enumerate(terms):
                if term.rest is not None and term.rest.op == MUL and term.rest.index in self.single:
                    for index in dict.fromkeys(factor.index for factor in term.rest.operands):
                        holders.setdefault(index, []).append(place)
            for place, term in enumerate(terms):
                # A summand that is the factor itself joins in: x u + k x = x (u + k).
                if term.rest is not None and term.rest.index in holders:
                    holders[term.rest.index].append(place)
            best = max(holders.values(), key=len, default=[])
            if len(best) < 2:
                return terms
            shared = next(i for i, places in holders.items() if places is best)
            inner: list[Term] = []
            x: Node | None = None
            for place in best:
                rest = terms[place].rest
                assert rest is not None
                if rest.index == shared:
                    inner.append(Term(terms[place].factor, None))
                    x = rest
                    continue
                a, b = rest.operands
                x, other = (a, b) if a.index == shared else (b, a)
                split = self.split(other)
                form = product(split.factor, terms[place].factor)
                inner.append(Term(terms[place].factor, other) if form is None else Term(form, split.rest))
            assert x is not None
            bracket = self.split(self.sum_of(inner))
            gone = set(best)
            if bracket.rest is None:
                made = Term(bracket.factor, x)
            else:
                rest = self.graph.mul(x, bracket.rest)
                outer = self.split(rest)
                form = product(bracket.factor, outer.factor)
                assert form is not None
                assert outer.rest is not None
                self.single.add(outer.rest.index)
                made = Term(form, outer.rest)
            terms = [term for place, term in enumerate(terms) if place not in gone] + [made]

    def grouped(self, terms: Sequence[Term]) -> list[Term]:
        """Summands with the same constant share it: k u + k v = k (u + v)."""
        groups: dict[Form, list[Term]] = {}
        for term in terms:
            form = -term.factor if term.factor.negative else term.factor
            groups.setdefault(form, []).append(term)
        found: list[Term] = []
        for form, mine in groups.items():
            if form == ONE or len(mine) == 1 or any(term.rest is None for term in mine):
                found += mine
                continue
            parts = [self.graph.neg(t.rest) if t.factor.negative else t.rest for t in mine if t.rest is not None]
            inner = self.split(self.added(parts))
            whole = product(form, inner.factor)
            assert whole is not None
            found.append(Term(whole, inner.rest))
        return found

    def added(self, parts: Sequence[Node]) -> Node:
        """A plain sum; what is subtracted comes last, so that no change of sign is left."""
        if not parts:
            return self.graph.constant(0)
        total: Node | None = None
        for part in sorted(parts, key=lambda node: node.op == NEG):
            total = part if total is None else self.graph.add(total, part)
        assert total is not None
        return total


def hoisted(outputs: Sequence[Node], forms: Mapping[str, Form]) -> Hoisted:
    """The program with its constants taken out; inputs named in ``forms`` are constants, all others the state."""
    work = Hoister(outputs, forms)
    used = {str(node.value) for node in reachable(work.outputs) if node.op == INPUT}
    # Numbered anew in the order of use, so that names have no holes.
    rename = {name: f"k_{place + 1}" for place, name in enumerate(name for name in work.forms if name in used)}
    graph = Graph()
    copy: dict[int, Node] = {}
    for node in reachable(work.outputs):
        copy[node.index] = _copied(node, graph, copy, rename)
    return Hoisted([copy[node.index] for node in work.outputs], {rename[n]: work.forms[n] for n in rename})


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

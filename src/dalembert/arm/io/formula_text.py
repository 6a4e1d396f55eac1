"""Reader of formulas in files: functions of the joint positions, parsed and never executed.

    formula = product {("+" | "-") product}
    product = factor {("*" | "/") factor}
    factor  = ("+" | "-") factor | decimal | "pi" | joint | ("sin" | "cos" | "sqrt") "(" formula ")" | "(" formula ")"

A joint is written by its name, in single quotes where that is more than letters, digits and underscores. What a file
can ask for is bounded: ``LONGEST`` characters, ``MOST`` terms, ``DEEPEST`` brackets,
``WIDEST`` products when it is multiplied out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from ..errors import ArmError
from ..exact import bounded, exact
from .expression import LARGEST, Quantity, shown
from .joint_formula import Formula, JointPosition, Operation, Term, linear
from .toml_table import nearest

LONGEST = 1000
"""Longest formula (characters)."""
MOST = 200
"""Most terms of a formula."""
DEEPEST = 20
"""Deepest nesting of brackets."""
WIDEST = 1000
"""Most products of a formula that is multiplied out, sines of sums of angles by the addition theorem."""
FUNCTIONS = ("sin", "cos", "sqrt")
TOKEN = re.compile(
    r"\s*(?:((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)|([A-Za-z_][A-Za-z0-9_]*)|'([^']*)'|([-+*/()]))"
)
ZERO = Quantity(Fraction(0))


def read_formula(value: object, joints: Sequence[str], what: str) -> Formula:
    """The formula that a number or a string spells; ``joints`` are those that move, in their order."""
    if isinstance(value, Decimal | int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise ArmError(f'{what} must be a formula in quotes, such as "80*{joints[0]}", or a number; got {shown(value)}')
    return Formula(value, tuple(joints), _Parser(value, joints, what).read())


class _Parser:
    """Recursive-descent parser of one formula."""

    def __init__(self, text: str, joints: Sequence[str], what: str) -> None:
        self.text, self.joints, self.what = text, tuple(joints), what
        self.depth = self.position = 0
        if len(text) > LONGEST:
            raise self.wrong(f"it is longer than {LONGEST} characters")
        self.tokens = self.split()

    def wrong(self, why: str) -> ArmError:
        """The error with this reason."""
        return ArmError(
            f"{self.what}: {shown(self.text)} is not a formula: {why}; write one of + - * /, sin, cos, sqrt, pi, "
            f"numbers and joints"
        )

    def split(self) -> list[tuple[str, str]]:
        """The tokens, each with its kind: number, word, joint, sign."""
        tokens: list[tuple[str, str]] = []
        position, text = 0, self.text.rstrip()
        while position < len(text):
            match = TOKEN.match(text, position)
            if match is None:
                raise self.wrong(f"{text[position:].lstrip()[:1]!r} has no meaning here")
            kind = ("number", "word", "joint", "sign")[(match.lastindex or 1) - 1]
            tokens.append((kind, match[match.lastindex or 0]))
            position = match.end()
        if not tokens:
            raise self.wrong("it is empty")
        if len(tokens) > MOST:
            raise self.wrong(f"it has more than {MOST} terms")
        return tokens

    def peek(self) -> tuple[str, str]:
        """The next token, or an empty one."""
        return self.tokens[self.position] if self.position < len(self.tokens) else ("end", "")

    def take(self, *accepted: str) -> str:
        """The next sign if it is one of these, consumed; else an empty string."""
        kind, token = self.peek()
        if kind == "sign" and token in accepted:
            self.position += 1
            return token
        return ""

    def read(self) -> Term:
        term = self.sum()
        if self.peek()[1]:
            raise self.wrong(f"{self.peek()[1]!r} has no place there")
        if width(term) > WIDEST:
            raise self.wrong(f"it has more than {WIDEST} products when it is multiplied out")
        return term

    def sum(self) -> Term:
        term = self.product()
        while sign := self.take("+", "-"):
            term = self.joined(sign, term, self.product())
        return term

    def product(self) -> Term:
        term = self.factor()
        while sign := self.take("*", "/"):
            term = self.joined(sign, term, self.factor())
        return term

    def factor(self) -> Term:
        negative = False
        while sign := self.take("+", "-"):
            negative ^= sign == "-"
        term = self.atom()
        return self.joined("-", ZERO, term) if negative else term

    def atom(self) -> Term:
        kind, token = self.peek()
        if self.take("("):
            return self.bracketed()
        self.position += 1
        if kind == "number":
            number = exact(token, self.what)
            if abs(number) > LARGEST:
                raise self.wrong(f"{token} is beyond 1e30")
            return Quantity(number)
        if kind == "word" and token == "pi":
            return Quantity(Fraction(0), Fraction(1))
        if kind == "word" and token in FUNCTIONS and token not in self.joints:
            if not self.take("("):
                raise self.wrong(f"{token} takes its argument in brackets")
            return Operation(token, (self.bracketed(),))
        if kind in ("word", "joint"):
            if token not in self.joints:
                hint = nearest(token, (*self.joints, *FUNCTIONS))
                raise self.wrong(f"{token!r} is no joint that moves{hint}; those are {', '.join(self.joints)}")
            return JointPosition(self.joints.index(token))
        raise self.wrong(f"{token!r} has no place there" if token else "it ends too early")

    def bracketed(self) -> Term:
        """What stands between a bracket that is open and its end."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.wrong(f"its brackets are nested more than {DEEPEST} deep")
        term = self.sum()
        if not self.take(")"):
            raise self.wrong("a bracket is not closed")
        self.depth -= 1
        return term

    def joined(self, sign: str, a: Term, b: Term) -> Term:
        """The operation on two terms; of two constants, where their result is exact, the constant."""
        if sign == "/" and isinstance(b, Quantity) and not b.plain and not b.turns:
            raise self.wrong("it divides by zero")
        if isinstance(a, Quantity) and isinstance(b, Quantity):
            if sign in ("+", "-"):
                factor = 1 if sign == "+" else -1
                return self.bounded(a.plain + factor * b.plain, a.turns + factor * b.turns)
            if sign == "*" and not (a.turns and b.turns):
                return self.bounded(a.plain * b.plain, a.turns * b.plain + a.plain * b.turns)
            if sign == "/" and not b.turns:
                return self.bounded(a.plain / b.plain, a.turns / b.plain)
        return Operation(sign, (a, b))

    def bounded(self, plain: Fraction, turns: Fraction) -> Quantity:
        """The value of a step, refused where its digits grow without end."""
        return Quantity(bounded(plain, self.what), bounded(turns, self.what))


def width(term: Term) -> int:
    """Products of a term that is multiplied out; the sine of a sum of k joint angles has 2^(k - 1) of them."""
    if not isinstance(term, Operation):
        return 1
    if term.name in FUNCTIONS:
        combination = linear(term.terms[0]) if term.name != "sqrt" else None
        turns = sum(abs(x) for x in combination[0].values()) if combination is not None else 1
        return max(width(term.terms[0]), 2 ** max(0, min(int(turns), WIDEST) - 1))
    a, b = (width(operand) for operand in term.terms)
    return a * b if term.name in ("*", "/") else a + b

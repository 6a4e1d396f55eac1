"""Parser of printed formulas: SymPy and Python syntax, and the LaTeX of the papers.

A recursive-descent parser; nothing of a formula is ever executed. The grammar has numbers,
names, + - * / ^ **, brackets of all kinds, products without a sign (``m_2 a_2 c_2``), \\frac, and sines and
cosines written ``sin(q2 + q3)``, ``s23``, ``c_{23}``, ``c\\theta_2``, ``s^2\\theta_4``, ``\\sin^2 \\theta_4``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NoReturn

from ..arm.errors import ArmError
from ..arm.exact import whole_number
from ..arm.io.expression import shown
from .formula_values import LARGEST_POWER, LONGEST_NAME, FormulaValues, Unknown
from .polynomial import TrigPolynomial, as_polynomial
from .space import Space
from .tokens import Token, tokens

DEEPEST = 100
"""Bound on the nesting of brackets."""


def read(text: str, space: Space, aliases: Mapping[str, Any] | None = None) -> TrigPolynomial:
    """The polynomial of a formula; ``aliases`` defines names of the formula, as formulas or polynomials."""
    values = FormulaValues(space, aliases or {}, whole)
    value = whole(text, values)
    if values.unknown:
        raise Unknown(sorted(values.unknown), space)
    return as_polynomial(space, value)


def whole(text: str, values: FormulaValues) -> Any:
    """The value of a formula by what its names mean."""
    return Parser(tokens(text), values).whole()


class Parser:
    """Recursive-descent parser: sum, product, power, atom."""

    def __init__(self, tokens: list[Token], values: FormulaValues) -> None:
        self.tokens, self.values = tokens, values
        self.position = 0
        self.depth = 0

    # -- grammar ---------------------------------------------------------------------------------

    def whole(self) -> Any:
        """The value of the whole formula."""
        if not self.tokens:
            raise ArmError("the formula is empty")
        value = self.sum()
        if self.position < len(self.tokens):
            self._stuck()
        self.values.bounded(value)
        return value

    def sum(self) -> Any:
        """product {("+" | "-") product}."""
        self._deeper()
        sign = self._signs()
        total = self._signed(self.product(), sign)
        while self._is("+") or self._is("-"):
            sign = self._signs()
            total = total + self._signed(self.product(), sign)
        self.depth -= 1
        return total

    def _deeper(self) -> None:
        """Counts a bracket that opens."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise ArmError(f"the formula is nested more than {DEEPEST} deep")

    def _signs(self) -> int:
        """The sign of a run of + and -, consumed."""
        sign = 1
        while self._is("+") or self._is("-"):
            sign = -sign if self._next().text == "-" else sign
        return sign

    @staticmethod
    def _signed(value: Any, sign: int) -> Any:
        return value if sign > 0 else -value

    def product(self) -> Any:
        """power {["*" | "/"] power}; a missing sign means a product."""
        value = self.power()
        while True:
            if self._is("*"):
                self._next()
                value = self.values.times(value, self._signed_power())
            elif self._is("/"):
                self._next()
                value = self._divided(value, self._signed_power())
            elif self._begins_factor():
                value = self.values.times(value, self.power())
            else:
                return value

    def _signed_power(self) -> Any:
        sign = self._signs()
        return self._signed(self.power(), sign)

    def power(self) -> Any:
        """A named symbol or function, or an atom with an exponent."""
        token = self._peek()
        if token is not None and token.kind == "name":
            return self._named()
        value = self.atom()
        exponent = self._exponent()
        return self.values.raised(value, 1 if exponent is None else exponent)

    def atom(self) -> Any:
        """A number, a fraction or an expression in brackets."""
        token = self._next()
        if token.kind == "number":
            return self.values.number(token.text)
        if token.kind == "frac":
            return self._divided(self.atom(), self.atom())  # a group in braces, or one number, each
        if token.text in ("(", "[", "{"):
            value = self.sum()
            self._close(token.text)
            return value
        self.position -= 1
        return self._stuck()

    def _divided(self, a: Any, b: Any) -> Any:
        """The quotient by a number."""
        inverse = self.values.reciprocal(b)
        if inverse is None:
            raise ArmError(f"a formula may divide by non-zero numbers only{self._where()}")
        return self.values.times(a, inverse)

    def _exponent(self) -> int | None:
        """The integer power that follows, or None; a star belongs to a starred symbol and is read with the name."""
        if not (self._is("^") or self._is("**")):
            return None
        self._next()
        braced = self._is("{") or self._is("(")
        if braced:
            opening = self._next().text
        token = self._peek()
        if token is None or token.kind != "number" or not token.text.isdigit():
            raise ArmError(f"a power must be a whole number{self._where()}")
        power = whole_number(token.text)
        # In LaTeX ^ takes one digit, s^24 being s^2 times 4; powers above 9 do not occur in these formulas.
        self._next()
        if braced:
            self._close(opening)
        if power is None or power > LARGEST_POWER:
            raise ArmError(f"power {shown(token.text)[1:-1]} is above {LARGEST_POWER}, the largest that is read")
        return power

    # -- names -----------------------------------------------------------------------------------

    def _named(self) -> Any:
        """A function or symbol that begins with a name."""
        stem = self._next().text
        if stem in ("sin", "cos", "Sin", "Cos"):
            return self._function(stem[0].lower())
        if stem in ("s", "c", "S", "C") and self._function_follows():
            return self._function(stem.lower())
        subscript = self._subscript()
        star = stem.endswith("_star") or self._star()
        name = stem.removesuffix("_star") + subscript + ("*" if star else "")
        return self._symbol(name)

    def _function_follows(self) -> bool:
        """After a lone s or c: whether an angle follows, possibly after a power; a subscript means c_23 instead."""
        ahead = self.position
        if ahead < len(self.tokens) and self.tokens[ahead].text in ("^", "**"):
            ahead += 1
            while ahead < len(self.tokens) and (self.tokens[ahead].kind == "number" or self.tokens[ahead].text in "{}"):
                ahead += 1
        if ahead >= len(self.tokens):
            return False
        token = self.tokens[ahead]
        return token.text.startswith(("theta", "alpha", "q")) or token.text in ("(", "[", "{")

    def _function(self, letter: str) -> Any:
        """A sine or cosine with its argument and exponent."""
        exponent = self._exponent()
        if self._is("(") or self._is("[") or self._is("{"):
            opening = self._next().text
            angle = self._angle_sum()
            self._close(opening)
        else:
            angle = self._angle()
        if exponent is None:
            exponent = self._exponent()
        return self.values.raised(self.values.trig(letter, angle), 1 if exponent is None else exponent)

    def _angle_sum(self) -> dict[str, int]:
        """A sum of angles, as name -> integer multiple."""
        self._deeper()
        total: dict[str, int] = {}
        first = True
        while first or self._is("+") or self._is("-"):
            sign = self._signs()
            if self._is("(") or self._is("{"):
                opening = self._next().text
                inner = self._angle_sum()
                self._close(opening)
            else:
                inner = self._angle()
            for key, count in inner.items():
                total[key] = total.get(key, 0) + sign * count
            first = False
        self.depth -= 1
        return total

    def _angle(self) -> dict[str, int]:
        """An angle: q2, \\theta_2, \\theta_{23}, 2*q2, alpha1."""
        times = 1
        token = self._peek()
        if token is not None and token.kind == "number":
            factor = whole_number(self._next().text)
            times = self._stuck() if factor is None else factor
            if self._is("*"):
                self._next()
            token = self._peek()
        if token is None or token.kind != "name":
            self._stuck()
        name = self._next().text
        digits = re.fullmatch(r"([A-Za-z]+?)(\d*)", name)
        stem, number = (digits[1], digits[2]) if digits else (name, "")
        number = number or self._subscript()
        return {key: times * count for key, count in self.values.angle(stem, number).items()}

    def _subscript(self) -> str:
        """The subscript that follows, or an empty string."""
        if not self._is("_"):
            return ""
        self._next()
        if not self._is("{"):
            token = self._next()
            return token.text
        self._next()
        text = ""
        while not self._is("}"):
            text += self._next().text
        self._next()
        return text if self.values.has_commas else text.replace(",", "")

    def _star(self) -> bool:
        """A superscript star: I_{xx3}^*, and with a power k_{322}^{*2}, of which the power is left to be read."""
        texts = [w.text for w in self.tokens[self.position : self.position + 4]]
        if texts[:3] == ["^", "{", "*"] and len(texts) == 4 and texts[3].isdigit():
            del self.tokens[self.position + 2]
            return True
        if texts[:2] == ["^", "*"]:
            self.position += 2
            return True
        if texts == ["^", "{", "*", "}"]:
            self.position += 4
            return True
        return False

    def _symbol(self, name: str) -> Any:
        """A symbol, a sine or cosine such as c23, or several of them written together."""
        if len(name) > LONGEST_NAME:
            raise ArmError(f"the formula holds a name of {len(name)} characters, {shown(name)}; no symbol is that long")
        value, square = self.values.lookup(name)
        if value is not None:
            return self._raised_symbol(value, square, name)
        pieces = self.values.pieces(name)
        if pieces is None:
            self.values.missing(name)
            self._exponent()
            return 1
        for piece in pieces[:-1]:
            first, _ = self.values.lookup(piece)
            value = first if value is None else self.values.times(value, first)
        last, square = self.values.lookup(pieces[-1])
        return self.values.times(value, self._raised_symbol(last, square, pieces[-1]))

    def _raised_symbol(self, value: Any, square: bool, name: str) -> Any:
        """A symbol with the exponent that follows."""
        exponent = self._exponent()
        if square:
            if exponent is None or exponent % 2:
                raise ArmError(f"{name} occurs in the equations as a square only; write {name}^2")
            exponent //= 2
        return self.values.raised(value, 1 if exponent is None else exponent)

    # -- tokens ----------------------------------------------------------------------------------

    def _peek(self) -> Token | None:
        """The next token, or None."""
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def _next(self) -> Token:
        """The next token, consumed."""
        if self.position >= len(self.tokens):
            self._stuck()
        self.position += 1
        return self.tokens[self.position - 1]

    def _is(self, text: str) -> bool:
        """Whether the next token is this operator."""
        return (
            self.position < len(self.tokens)
            and self.tokens[self.position].text == text
            and self.tokens[self.position].kind == "op"
        )

    def _begins_factor(self) -> bool:
        """Whether the next token can begin a factor."""
        token = self._peek()
        return token is not None and (token.kind in ("number", "name", "frac") or token.text in ("(", "[", "{"))

    def _close(self, opening: str) -> None:
        """Accepts any closing bracket, since scanned formulas mix them."""
        token = self._peek()
        if token is None or token.text not in (")", "]", "}"):
            raise ArmError(f"the bracket {opening} is not closed{self._where()}")
        self._next()

    def _where(self) -> str:
        """The position for an error message."""
        token = self._peek()
        return f" (character {token.position + 1}, at {token.text!r})" if token is not None else " (at the end)"

    def _stuck(self) -> NoReturn:
        """Raises the syntax error."""
        raise ArmError(f"the formula cannot be read{self._where()}")

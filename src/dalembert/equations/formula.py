"""Parser of printed formulas: SymPy and Python syntax, and the LaTeX of the papers.

A recursive-descent parser; nothing of a formula is ever executed. The grammar has numbers,
names, + - * / ^ **, brackets of all kinds, products without a sign (``m_2 a_2 c_2``), \\frac, and sines and
cosines written ``sin(q2 + q3)``, ``s23``, ``c_{23}``, ``c\\theta_2``, ``s^2\\theta_4``, ``\\sin^2 \\theta_4``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any, NoReturn

from ..arm.description import listed
from ..arm.errors import ArmError
from ..arm.exact import MOST_BITS, bounded, exact, whole_number
from ..arm.io.expression import shown
from ..rings.angles import read_tag
from ..rings.trig import TrigNumber
from .polynomial import TrigPolynomial, as_polynomial
from .space import Space
from .tokens import Token, tokens

DEEPEST, LARGEST_POWER, MOST_TERMS, MOST_WORK = 100, 12, 200_000, 400_000
"""Bounds on the nesting of brackets, on powers, on the terms of a product, and on the terms of all
products together."""
LONGEST_NAME, LONGEST_RUN, MOST_UNKNOWN = 1000, 100, 40
"""Longest name (characters), longest one that is split into known symbols, and the unknown names after which reading
ends: what follows would be refused as well."""


class Unknown(ArmError):
    """The error for symbols that the equations do not have."""

    def __init__(self, names: list[str], space: Space) -> None:
        self.names = names
        super().__init__(
            f"the formula has symbols the equations do not have: {listed(names)}; they have {listed(space.symbols)}, "
            f"and joints q1 to q{len(space.joint_names)}"
        )


def read(text: str, space: Space, aliases: Mapping[str, Any] | None = None) -> TrigPolynomial:
    """The polynomial of a formula; ``aliases`` defines names of the formula, as formulas or polynomials."""
    parser = Parser(tokens(text), space, aliases or {})
    value = parser.whole()
    if parser.unknown:
        raise Unknown(sorted(parser.unknown), space)
    return as_polynomial(space, value)


class Parser:
    """Recursive-descent parser: sum, product, power, atom."""

    def __init__(self, tokens: list[Token], space: Space, aliases: Mapping[str, Any]) -> None:
        self.tokens, self.space, self.aliases = tokens, space, aliases
        self.ring = space.ring
        self.position = 0
        self.depth = 0
        self.work = 0
        self.unknown: set[str] = set()

    # -- grammar ---------------------------------------------------------------------------------

    def whole(self) -> Any:
        """The value of the whole formula."""
        if not self.tokens:
            raise ArmError("the formula is empty")
        value = self.sum()
        if self.position < len(self.tokens):
            self._stuck()
        self._bounded(value)
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
                value = self._times(value, self._signed_power())
            elif self._is("/"):
                self._next()
                value = self._divided(value, self._signed_power())
            elif self._begins_factor():
                value = self._times(value, self.power())
            else:
                return value

    def _signed_power(self) -> Any:
        return self._signed(self._checked_sign(), 1)

    def _checked_sign(self) -> Any:
        sign = self._signs()
        return self._signed(self.power(), sign)

    def power(self) -> Any:
        """A named symbol or function, or an atom with an exponent."""
        token = self._peek()
        if token is not None and token.kind == "name":
            return self._named()
        value = self.atom()
        exponent = self._exponent()
        return self._raised(value, 1 if exponent is None else exponent)

    def atom(self) -> Any:
        """A number, a fraction or an expression in brackets."""
        token = self._next()
        if token.kind == "number":
            return self.ring.number(exact(token.text, "number"))
        if token.kind == "frac":
            return self._divided(self._group(), self._group())
        if token.text in ("(", "[", "{"):
            value = self.sum()
            self._close(token.text)
            return value
        self.position -= 1
        return self._stuck()

    def _group(self) -> Any:
        """An argument of \\frac: a group in braces, or one digit."""
        return self.atom()

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
        return self._raised(self._trig(letter, angle), 1 if exponent is None else exponent)

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
        if stem in ("q", "theta", "t"):
            n = len(self.space.joint_names)
            joints = [number] if 1 <= (whole_number(number) or 0) <= n else list(number[:LONGEST_NAME])
            if joints and all(1 <= (whole_number(j) or 0) <= n for j in joints):
                return {f"q{j}": times * joints.count(j) for j in joints}
        if f"{stem}{number}" in self.ring.angles.fixed_index:
            return {f"{stem}{number}": times}
        self._missing(f"{stem}{number}")
        return {}

    def _trig(self, letter: str, angle: Mapping[str, int]) -> Any:
        """Sine or cosine of a sum of angles, by the addition theorems."""
        sin: Any = 0
        cos: Any = 1
        for name, count in angle.items():
            if abs(count) > LARGEST_POWER:
                raise ArmError(f"{count} times {name} is more than is read")
            s, c = self._sincos(name)
            s = s if count > 0 else -s
            for _ in range(abs(count)):
                sin, cos = (
                    self._times(sin, c) + self._times(cos, s),
                    self._times(cos, c) - self._times(sin, s),
                )
        return sin if letter == "s" else cos

    def _sincos(self, name: str) -> tuple[Any, Any]:
        """Sine and cosine of one joint or fixed angle."""
        if name in self.ring.angles.fixed_index:
            return self.ring.fixed(name)
        joint = int(name[1:]) - 1
        if joint in self.ring.sliding:
            raise ArmError(f"joint {joint + 1} is prismatic; its position {name} has no sine")
        return self.ring.sincos(self.ring.position(joint))

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
        return text if self.ring.angles.wide else text.replace(",", "")

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
        value, square = self._lookup(name)
        if value is None:
            pieces = self._pieces(name) if len(name) <= LONGEST_RUN and name not in self.unknown else None
            if pieces is None:
                self._missing(name)
                self._exponent()
                return 1
            for piece in pieces[:-1]:
                first, _ = self._lookup(piece)
                value = first if value is None else self._times(value, first)
            last, square = self._lookup(pieces[-1])
            return self._times(value, self._raised_symbol(last, square, pieces[-1]))
        return self._raised_symbol(value, square, name)

    def _missing(self, name: str) -> None:
        """A symbol that the equations do not have."""
        self.unknown.add(name)
        if len(self.unknown) >= MOST_UNKNOWN:
            raise Unknown(sorted(self.unknown), self.space)

    def _raised_symbol(self, value: Any, square: bool, name: str) -> Any:
        """A symbol with the exponent that follows."""
        exponent = self._exponent()
        if square:
            if exponent is None or exponent % 2:
                raise ArmError(f"{name} occurs in the equations as a square only; write {name}^2")
            exponent //= 2
        return self._raised(value, 1 if exponent is None else exponent)

    def _lookup(self, name: str) -> tuple[Any, bool]:
        """(value, whether it is the square of the name); value None for an unknown symbol."""
        if name in self.aliases:
            if isinstance(self.aliases[name], TrigPolynomial):
                return self.ring.wrap(self.aliases[name].over(self.space).poly), False
            parser = Parser(tokens(self.aliases[name]), self.space, {})
            value = parser.whole()
            self.unknown |= parser.unknown
            return value, False
        index = self.ring.index
        swapped = re.sub(r"^([IC])(\d+|L)([xyz]{2})$", r"\1\3\2", name)
        # Bejczy 1974, eq. D.1, writes r_i for the offset along z that Denavit-Hartenberg rows call d_i.
        for candidate in (name, swapped, re.sub(r"^r(\d+)$", r"q\1", name), re.sub(r"^r(\d+)$", r"d\1", name)):
            if candidate in index and index[candidate] >= self.ring.first_symbol:
                return self.ring.symbol(candidate), False
        match = re.fullmatch(r"(?:q|theta|d|r)(\d+)", name)
        joint_number = whole_number(match[1]) if match else None
        if joint_number is not None and joint_number - 1 in self.ring.sliding:
            return self.ring.position(joint_number - 1), False
        if f"k{name}" in index and name.startswith("k"):
            return self.ring.symbol(f"k{name}"), True
        match = re.fullmatch(r"([scSC])(-?\d[\d,-]*)", name)
        if match:
            angle: dict[str, int] = {}
            for joint, sign in read_tag(match[2], self.ring.angles.wide):
                if not 0 <= joint < len(self.space.joint_names) or joint in self.ring.sliding:
                    return None, False
                angle[f"q{joint + 1}"] = angle.get(f"q{joint + 1}", 0) + sign
            return self._trig(match[1].lower(), angle), False
        return None, False

    def _pieces(self, name: str) -> list[str] | None:
        """A run of letters and digits split into known symbols: gm3 is g m3. None where that is impossible."""
        is_symbol = cache(lambda text: self._lookup(text)[0] is not None)
        # No symbol is longer, nor a sine of all joints, each with its sign and a comma.
        longest = max(map(len, (*self.ring.index, *self.aliases)), default=0) + 4 * len(self.space.joint_names)
        # From the end on: splits[k] divides name[k:] into two or more, with the shortest first piece.
        splits: list[list[str] | None] = [None] * (len(name) + 1)
        for start in reversed(range(len(name))):
            for cut in range(start + 1, min(len(name), start + longest + 1)):
                tail = ([name[cut:]] if is_symbol(name[cut:]) else splits[cut]) if is_symbol(name[start:cut]) else None
                if tail is not None:
                    splits[start] = [name[start:cut], *tail]
                    break
        return splits[0]

    # -- arithmetic ------------------------------------------------------------------------------

    def _times(self, a: Any, b: Any) -> Any:
        """The product, bounded in size."""
        if isinstance(a, TrigNumber) and isinstance(b, TrigNumber) and len(a.poly) * len(b.poly) > MOST_TERMS:
            raise ArmError(f"the formula grows beyond {MOST_TERMS} terms when multiplied out")
        product = a * b
        self._bounded(product)
        return product

    def _bounded(self, value: Any) -> None:
        """Refuses a value whose numbers have grown without end, and more work than any printed formula asks for."""
        if not isinstance(value, TrigNumber):
            bounded(Fraction(value), "the formula")
            return
        self.work += len(value.poly)
        if self.work > MOST_WORK:
            raise ArmError(f"the formula has products of more than {MOST_WORK} terms together when multiplied out")
        if any(number.height_bits() > MOST_BITS for number in value.poly.coeffs()):
            raise ArmError(f"a number of the formula grows beyond {MOST_BITS} bits; write it rounded")

    def _divided(self, a: Any, b: Any) -> Any:
        """The quotient by a number."""
        poly = self.ring.poly_of(b)
        if not poly.is_constant() or not poly:
            raise ArmError(f"a formula may divide by non-zero numbers only{self._where()}")
        lead = poly.leading_coefficient()
        return self._times(a, Fraction(int(lead.q), int(lead.p)))

    def _raised(self, value: Any, exponent: int) -> Any:
        """The power, by repeated products."""
        result: Any = 1
        for _ in range(exponent):
            result = self._times(result, value)
        return result

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

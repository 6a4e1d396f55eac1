"""Pretty-printers: text, LaTeX, MathML, Python and C."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from .form import PrintedForm
from .letters import in_code, in_latex, in_mathml, in_text
from .printed_terms import Product, Sum, Sym

if TYPE_CHECKING:
    from ..polynomial import TrigPolynomial


def decimal(value: Fraction, digits: int | None) -> tuple[str, str]:
    """A positive rational as (decimal, "") or (numerator, denominator); rounded to ``digits`` where it is long."""
    if value.denominator == 1 and (digits is None or value.numerator < 10 ** max(digits, 6)):
        return spelled(value.numerator), ""
    if value.denominator <= 16 and value.numerator <= 1000:
        return str(value.numerator), str(value.denominator)
    places = _finite_places(value.denominator)
    if places is not None:
        digits_text = spelled(value.numerator * 10**places // value.denominator).rjust(places + 1, "0")
        exact = f"{digits_text[:-places]}.{digits_text[-places:]}" if places else digits_text
        if digits is None or len(digits_text.lstrip("0")) <= digits:
            return exact, ""
    if digits is None:
        return spelled(value.numerator), spelled(value.denominator)
    # not through a float, which ends at 1.8e308
    return f"{Context(prec=40).divide(Decimal(value.numerator), Decimal(value.denominator)):.{digits}g}", ""


def spelled(number: int) -> str:
    """All digits of a whole number, also where Python limits how many it writes."""
    return str(number) if number.bit_length() < 10_000 else format(Decimal(number), "f")


def _finite_places(denominator: int) -> int | None:
    """The number of decimals of the fraction, or None if it does not terminate."""
    twos = fives = 0
    while denominator % 2 == 0:
        denominator //= 2
        twos += 1
    while denominator % 5 == 0:
        denominator //= 5
        fives += 1
    return max(twos, fives) if denominator == 1 else None


class Dialect:
    """Pretty-printer for plain text; the other formats override what differs."""

    between = " "

    def __init__(self, digits: int | None) -> None:
        self.digits = digits

    def number(self, value: Fraction) -> str:
        """A positive number."""
        top, bottom = decimal(value, self.digits)
        return f"{top}/{bottom}" if bottom else top

    def symbol(self, sym: Sym) -> str:
        """A variable with its power."""
        return in_text(sym.name, sym.power)

    def bracket(self, inside: str) -> str:
        """An expression in brackets."""
        return f"({inside})"

    def join(self, parts: list[str]) -> str:
        """The factors of a product joined."""
        return self.between.join(parts)

    def sign(self, positive: bool, first: bool) -> str:
        """The sign before a term."""
        if first:
            return "" if positive else "-"
        return " + " if positive else " - "

    def product(self, product: Product) -> str:
        """A product without its sign; inside a sum, a sum that is its only factor needs no bracket."""
        parts: list[str] = []
        if abs(product.number) != 1 or not product.factors:
            parts.append(self.number(abs(product.number)))
        for factor in product.factors:
            if isinstance(factor, Sym):
                parts.append(self.symbol(factor))
            elif len(product.factors) == 1 and product.number == 1:
                parts.append(self.sum(factor))
            else:
                parts.append(self.bracket(self.sum(factor)))
        return self.join(parts)

    def sum(self, sum_: Sum) -> str:
        """A sum of products."""
        if not sum_.products:
            return self.number(Fraction(0))
        text = ""
        for position, product in enumerate(sum_.products):
            text += self.sign(product.number > 0, position == 0) + self.product(product)
        return text


class Latex(Dialect):
    """Pretty-printer for LaTeX."""

    between = r" "

    def number(self, value: Fraction) -> str:
        """A positive number."""
        top, bottom = decimal(value, self.digits)
        if "e" in top:
            mantissa, exponent = top.split("e")
            top = rf"{mantissa} \cdot 10^{{{int(exponent)}}}"
        return rf"\tfrac{{{top}}}{{{bottom}}}" if bottom else top

    def symbol(self, sym: Sym) -> str:
        """A variable with its power."""
        return in_latex(sym.name, sym.power)

    def bracket(self, inside: str) -> str:
        """An expression in brackets."""
        return rf"\left({inside}\right)"


class MathML(Dialect):
    """Pretty-printer for presentation MathML."""

    between = ""

    def number(self, value: Fraction) -> str:
        """A positive number."""
        top, bottom = decimal(value, self.digits)
        if "e" in top:
            mantissa, exponent = top.split("e")
            return f"<mn>{mantissa}</mn><mo>·</mo><msup><mn>10</mn><mn>{int(exponent)}</mn></msup>"
        return f"<mfrac><mn>{top}</mn><mn>{bottom}</mn></mfrac>" if bottom else f"<mn>{top}</mn>"

    def symbol(self, sym: Sym) -> str:
        """A variable with its power."""
        return in_mathml(sym.name, sym.power)

    def bracket(self, inside: str) -> str:
        """An expression in brackets."""
        return f"<mrow><mo>(</mo>{inside}<mo>)</mo></mrow>"

    def join(self, parts: list[str]) -> str:
        """The factors of a product joined."""
        return '<mspace width="0.15em"/>'.join(parts)

    def sign(self, positive: bool, first: bool) -> str:
        """The sign before a term."""
        if first:
            return "" if positive else '<mo form="prefix">−</mo>'
        return "<mo>+</mo>" if positive else "<mo>−</mo>"


class Code(Dialect):
    """Pretty-printer for Python and C: numbers are floating-point literals, powers are products."""

    between = "*"

    def number(self, value: Fraction) -> str:
        """A floating-point literal."""
        if value.denominator == 1 and value.numerator < 2**53:
            return f"{value.numerator}.0"
        return repr(float(value))

    def symbol(self, sym: Sym) -> str:
        """A power as a repeated product."""
        return "*".join([in_code(sym.name)] * sym.power)


def as_one_sum(polynomial: TrigPolynomial, group_by: str | None) -> Sum:
    """The human form as one sum."""
    return Sum(tuple(product for _, block in PrintedForm(polynomial).blocks(group_by) for product in block.products))


def text(polynomial: TrigPolynomial, group_by: str | None = None, digits: int | None = 6) -> str:
    """The polynomial as plain text."""
    return Dialect(digits).sum(as_one_sum(polynomial, group_by))


def latex(polynomial: TrigPolynomial, group_by: str | None = None, digits: int | None = 6) -> str:
    """The polynomial as LaTeX."""
    return Latex(digits).sum(as_one_sum(polynomial, group_by))


def mathml(polynomial: TrigPolynomial, group_by: str | None = None, digits: int | None = 6) -> str:
    """The polynomial as a MathML element."""
    return f"<math>{MathML(digits).sum(as_one_sum(polynomial, group_by))}</math>"


def python(polynomial: TrigPolynomial) -> str:
    """The polynomial as a Python expression."""
    return Code(None).sum(as_one_sum(polynomial, None))


def c(polynomial: TrigPolynomial) -> str:
    """The polynomial as a C expression; C and Python have the same syntax for sums and products of doubles."""
    return Code(None).sum(as_one_sum(polynomial, None))


def code_names(polynomial: TrigPolynomial) -> dict[str, str]:
    """The variables of ``python`` and ``c`` with their meanings: {"c23": "cos(q2 + q3)", ...}."""
    form = PrintedForm(polynomial)
    meanings: dict[str, str] = {}
    for name in form.variables:
        angle = form.angle(name)
        if angle is None:
            meanings[in_code(name)] = name
        else:
            meanings[in_code(name)] = f"{'cos' if name[0] == 'c' else 'sin'}({angle_text(angle)})"
    return meanings


def angle_text(angle: str | Sequence[tuple[int, int]]) -> str:
    """The angle of a sine or cosine: q2 + q3, or the name of a twist."""
    if isinstance(angle, str):
        return angle
    first, *others = (("-" if sign < 0 else "+", f"q{joint + 1}") for joint, sign in angle)
    return ("-" if first[0] == "-" else "") + first[1] + "".join(f" {sign} {name}" for sign, name in others)

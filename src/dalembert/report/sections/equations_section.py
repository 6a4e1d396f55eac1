"""The main equations, typeset: D_ii and G_i in numbers, all coefficients in symbols on demand."""

from __future__ import annotations

from ...equations.closed_form import Equations
from ...equations.document import coefficient_html
from ...equations.polynomial import TrigPolynomial
from ...equations.printing.formats import MathML, as_one_sum
from ...equations.printing.printed_terms import Product, Sum
from ...markup.elements import Html, join, tag
from ...markup.numbers import listed
from ..section import Section, paragraph

MOST_TERMS = 60
"""Terms of the longest coefficient that is typeset in numbers."""
MOST_IN_SYMBOLS = 4000
"""Terms of all coefficients together that are typeset in symbols."""


def _letter(stem: str, index: str) -> str:
    """A letter with indices. Derivatives have their dots as combining signs, which sit nearer than MathML's accents."""
    lower = "".join(f"<mi>{digit}</mi>" for digit in index)
    return f"<msub><mi>{stem}</mi><mrow>{lower}</mrow></msub>"


ITALIC_Q = "\N{MATHEMATICAL ITALIC SMALL Q}"
SPEED, ACCELERATION = f"{ITALIC_Q}\N{COMBINING DOT ABOVE}", f"{ITALIC_Q}\N{COMBINING DIAERESIS}"
OF_Q = '<mrow><mo stretchy="false">(</mo><mi>q</mi><mo stretchy="false">)</mo></mrow>'
MOTION = Html(
    f'<math display="block">{_letter("τ", "i")}<mo>=</mo>'
    f"<munder><mo>∑</mo><mi>j</mi></munder>{_letter('D', 'ij')}{OF_Q}{_letter(ACCELERATION, 'j')}<mo>+</mo>"
    f"<munder><mo>∑</mo><mrow><mi>j</mi><mo>,</mo><mi>k</mi></mrow></munder>{_letter('C', 'ijk')}{OF_Q}"
    f"{_letter(SPEED, 'j')}{_letter(SPEED, 'k')}<mo>+</mo>{_letter('G', 'i')}{OF_Q}</math>"
)


def section(numbers: Equations, symbols: Equations) -> Section:
    """``numbers`` has the arm's parameters as numbers, ``symbols`` as letters."""
    names = numbers.names(zeros=False)
    main = [name for name in names if name[0] == "G" or (name[0] == "D" and name[1:] == name[1] * 2)]
    short = [name for name in main if len(numbers[name]) <= MOST_TERMS]
    long = [name for name in main if name not in short]
    constant = [name for name in main if name[0] == "D" and not numbers[name].joints]
    free = [f"G{i + 1}" for i in range(numbers.n) if not numbers.gravity[i]]
    parts = [
        tag("div", MOTION, class_="equation"),
        paragraph(
            tag("i", "c"),
            " and ",
            tag("i", "s"),
            " are cosine and sine of the joint position named by the subscript (several digits: of their sum); ",
            tag("i", "q"),
            " is the position of a prismatic joint. Numbers are in SI units, exact in "
            "the arm's numbers and printed to five digits.",
            kind="note",
        ),
        *(equation(name, numbers[name]) for name in short),
    ]
    if long:
        terms = ", ".join(f"{name} ({len(numbers[name])} terms)" for name in long)
        parts.append(
            paragraph(
                f"Too long to read here: {terms}. Print one with: dalembert equations {numbers.arm.name} --only "
                f"{long[0]}",
                kind="note",
            )
        )
    parts.append(in_symbols(symbols))
    return Section("equations", "Equations of motion", meaning(numbers, names, constant, free), tuple(parts))


def meaning(numbers: Equations, names: list[str], constant: list[str], free: list[str]) -> Html:
    """Number of terms, joints of constant inertia and joints without gravity load, in one sentence."""
    total = sum(len(numbers[name]) for name in names)
    parts: list[object] = [f"{total} terms in closed form, exact for every pose, hold all of this arm's dynamics"]
    if constant:
        parts += ["; the inertia seen at ", plural("joint", [name[1:2] for name in constant]), " never changes"]
    if free:
        parts += [", and gravity never loads ", plural("joint", [name[1:] for name in free])]
    return join([*parts, "."])


def plural(word: str, numbers: list[str]) -> str:
    """A noun and its numbers, as in "joint 2" or "joints 1 and 3"."""
    return f"{word}{'s' * (len(numbers) > 1)} {listed(numbers, 9)}"


def equation(name: str, polynomial: TrigPolynomial) -> Html:
    """A coefficient typeset as an equation, broken into lines between its terms."""
    return tag(
        "div",
        tag("span", name_math(name), Html(" <math><mo>=</mo></math> ")),
        flowing(polynomial),
        class_="flow",
        id=f"eq-{name}",
    )


def name_math(name: str) -> Html:
    """MathML of a coefficient such as D12, its indices as subscripts."""
    return Html(f"<math><msub><mi>{name[0]}</mi><mn>{name[1:]}</mn></msub></math>")


def flowing(polynomial: TrigPolynomial) -> Html:
    """MathML that breaks across lines: browsers do not break a formula, so each term is one."""
    pieces = terms(as_one_sum(polynomial, None), MathML(5))
    return Html(" ".join(f"<math><mrow>{piece}</mrow></math>" for piece in pieces) or "<math><mn>0</mn></math>")


def terms(total: Sum, dialect: MathML) -> list[str]:
    """The terms of a sum, each with its sign; a long bracket is opened, so that lines can break inside it."""
    pieces: list[str] = []
    for product in total.products:
        first = not pieces
        sums = [factor for factor in product.factors if isinstance(factor, Sum)]
        factors = tuple(factor for factor in product.factors if not isinstance(factor, Sum))
        if len(sums) != 1 or len(sums[0].products) < 4:
            pieces.append(sign(product.number > 0, first) + dialect.product(product))
            continue
        inside = terms(sums[0], dialect)
        if factors or product.number != 1:
            plain = Product(abs(product.number), factors)
            lead = dialect.product(plain) if factors or plain.number != 1 else ""
            inside = [
                f'{sign(product.number > 0, first)}{lead}<mo stretchy="false">(</mo>{inside[0]}',
                *inside[1:-1],
                f'{inside[-1]}<mo stretchy="false">)</mo>',
            ]
        elif not first:
            inside[0] = f"{sign(True, False)}{inside[0]}"
        pieces += inside
    return pieces


def sign(positive: bool, first: bool) -> str:
    """The sign that opens a formula of its own, spaced as one between two terms."""
    if first:
        return "" if positive else '<mo form="prefix">−</mo>'
    return f'<mo form="infix" lspace="0.1em" rspace="0.22em">{"+" if positive else "−"}</mo>'


def in_symbols(symbols: Equations) -> Html:
    """All coefficients in letters, as far as they can be read, with what the letters mean."""
    names, total = [], 0
    for name in symbols.names(zeros=False):
        total += len(symbols[name])
        if total > MOST_IN_SYMBOLS:
            break
        names.append(name)
    parts = [Html(coefficient_html(name, symbols[name], None)) for name in names]
    remaining = len(symbols.names(zeros=False)) - len(names)
    if remaining:
        parts.append(
            paragraph(
                f"{remaining} more coefficients: dalembert equations {symbols.arm.name} --document equations.html",
                kind="note",
            )
        )
    return tag(
        "details",
        tag("summary", "All coefficients in symbols"),
        tag("div", tag("h3", "Symbols"), symbols.legend(names).html(), class_="scroll") if names else Html(),
        tag("div", *parts, class_="formula"),
    )

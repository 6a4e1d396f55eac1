"""Lexer of printed formulas; typesetting commands are dropped."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..arm.errors import ArmError

LONGEST = 60_000
"""Longest formula (characters)."""
SILENT = (
    r"\left", r"\right", r"\big", r"\Big", r"\bigl", r"\bigr", r"\Bigl", r"\Bigr", r"\bigg", r"\Bigg", r"\quad",
    r"\displaystyle", r"\limits", r"\bar", r"\overline", r"\tilde", r"\mathrm", r"\mathit", r"\mathbf", r"\text",
    r"\rm", r"\,", r"\;", r"\:", r"\!", "\\ ", "\\\\",
)  # fmt: skip
SIGNS = {r"\cdot": "*", r"\times": "*", r"\lbrace": "(", r"\rbrace": ")", r"\{": "(", r"\}": ")"}
FRACTIONS = (r"\frac", r"\dfrac", r"\tfrac")
TOKEN = re.compile(
    r"\s+|(?P<command>\\[A-Za-z]+|\\.)|(?P<number>\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)|(?P<name>[A-Za-z]+(?:\d+)?(?:_star)?)"
    r"|(?P<op>\*\*|[-+*/^_(){}\[\]=,&~])|(?P<greek>[θα])|(?P<sub>[₀-₉₋](?:[₀-₉₋,]*[₀-₉])?)|(?P<sup>[²³])|(?P<other>.)"
)
# The braces of a bar or a typeface are no brackets: \\bar{z}_3 is z_3.
WRAPPED = re.compile(r"\\(?:bar|overline|tilde|mathit|mathrm|mathbf|text|rm)\s*\{\s*([A-Za-z]+(?:_\{?\w+\}?)?)\s*\}")
# Speeds and accelerations: \\dot{\\theta}_1, \\ddot q_{2}, and q with a dot above it in plain text.
DOTTED = re.compile(r"\\(d{1,2})ot\s*\{?\s*\\?(?:theta|q)\s*\}?\s*_\s*\{?\s*(\d+)\s*\}?")
DOT, TWO_DOTS = "\u0307", "\u0308"
COMBINING = re.compile(f"q([{DOT}{TWO_DOTS}])([₀-₉]+)")
SMALL = str.maketrans("₀₁₂₃₄₅₆₇₈₉₋²³", "0123456789-23")


@dataclass(frozen=True)
class Token:
    """A token: its kind (number, name, op, frac), its text and its position in the formula."""

    kind: str
    text: str
    position: int


def tokens(text: str) -> list[Token]:
    """The tokens of a formula, without typesetting commands."""
    if len(text) > LONGEST:
        raise ArmError(f"the formula has {len(text)} characters; at most {LONGEST} are read")
    result: list[Token] = []
    text = DOTTED.sub(lambda m: f" q{len(m[1]) * 'd'}{m[2]}", text)
    text = COMBINING.sub(lambda m: f"q{'d' if m[1] == DOT else 'dd'}{m[2].translate(SMALL)}", text)
    text = WRAPPED.sub(r" \1", text)
    for match in TOKEN.finditer(text):
        kind, word = match.lastgroup, match[0]
        if kind is None or word in SILENT or word in ("&", "~"):
            continue
        if kind == "command":
            if word in SIGNS:
                result.append(Token("op", SIGNS[word], match.start()))
            elif word in FRACTIONS:
                result.append(Token("frac", word, match.start()))
            elif word in (r"\sin", r"\cos", r"\theta", r"\alpha", r"\vartheta"):
                result.append(Token("name", word[1:].removeprefix("var"), match.start()))
            else:
                raise ArmError(f"the formula holds {word}, which is not understood (character {match.start() + 1})")
        elif kind == "greek":
            result.append(Token("name", "theta" if word == "θ" else "alpha", match.start()))
        elif kind == "sub":
            result += [Token("op", "_", match.start()), Token("number", word.translate(SMALL), match.start())]
        elif kind == "sup":
            result += [Token("op", "^", match.start()), Token("number", word.translate(SMALL), match.start())]
        elif kind == "other":
            raise ArmError(f"the formula holds {word!r}, which is not understood (character {match.start() + 1})")
        else:
            result.append(Token(kind, word, match.start()))
    return result

"""The words and signs of a printed formula; what only shapes the print is dropped."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..arm.errors import ArmError

LONGEST = 60_000
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
# A bar or a typeface around a letter is no bracket: \\bar{z}_3 is z_3.
WRAPPED = re.compile(r"\\(?:bar|overline|tilde|mathit|mathrm|mathbf|text|rm)\s*\{\s*([A-Za-z]+(?:_\{?\w+\}?)?)\s*\}")
# Speeds and accelerations: \\dot{\\theta}_1, \\ddot q_{2}, and q with a dot above it in plain text.
DOTTED = re.compile(r"\\(d{1,2})ot\s*\{?\s*\\?(?:theta|q)\s*\}?\s*_\s*\{?\s*(\d+)\s*\}?")
DOT, TWO_DOTS = "\u0307", "\u0308"
COMBINING = re.compile(f"q([{DOT}{TWO_DOTS}])([₀-₉]+)")
SMALL = str.maketrans("₀₁₂₃₄₅₆₇₈₉₋²³", "0123456789-23")


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    at: int


def tokens(text: str) -> list[Token]:
    """The words and signs of a formula; what only shapes the print is dropped."""
    if len(text) > LONGEST:
        raise ArmError(f"the formula has {len(text)} characters; at most {LONGEST} are read")
    found: list[Token] = []
    text = DOTTED.sub(lambda m: f" q{len(m[1]) * 'd'}{m[2]}", text)
    text = COMBINING.sub(lambda m: f"q{'d' if m[1] == DOT else 'dd'}{m[2].translate(SMALL)}", text)
    text = WRAPPED.sub(r" \1", text)
    for match in TOKEN.finditer(text):
        kind, word = match.lastgroup, match[0]
        if kind is None or word in SILENT or word in ("&", "~"):
            continue
        if kind == "command":
            if word in SIGNS:
                found.append(Token("op", SIGNS[word], match.start()))
            elif word in FRACTIONS:
                found.append(Token("frac", word, match.start()))
            elif word in (r"\sin", r"\cos", r"\theta", r"\alpha", r"\vartheta"):
                found.append(Token("name", word[1:].removeprefix("var"), match.start()))
            else:
                raise ArmError(f"the formula holds {word}, which is not understood (character {match.start() + 1})")
        elif kind == "greek":
            found.append(Token("name", "theta" if word == "θ" else "alpha", match.start()))
        elif kind == "sub":
            found += [Token("op", "_", match.start()), Token("number", word.translate(SMALL), match.start())]
        elif kind == "sup":
            found += [Token("op", "^", match.start()), Token("number", word.translate(SMALL), match.start())]
        elif kind == "other":
            raise ArmError(f"the formula holds {word!r}, which is not understood (character {match.start() + 1})")
        else:
            found.append(Token(kind, word, match.start()))
    return found

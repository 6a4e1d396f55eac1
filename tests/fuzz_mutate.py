"""Hostile inputs made from good ones: what the fuzzers of ``test_fuzz.py`` and ``scripts/fuzz.py`` try.

Text is changed where formats have their joints (numbers, strings, elements, lines, keys) and anywhere (characters,
cuts, repeats, splices).
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

HOSTILE = (
    "", " ", "0", "-0.0", "-1", "nan", "inf", "-inf", "1e308", "1e400", "-1e400", "1e-400", "1e30", "1e31", "1e-300",
    "1e99999999999999999999", "1e-99999999999999999999", "9" * 999, "9" * 5000, "0." + "0" * 900 + "1", "0x10", "1_0",
    "1,5", "²", "٣", "pi", "pi/0", "1/0", "1/1e400/1e400/1e400", "(" * 30 + "1" + ")" * 30, "1" + "+1" * 400, "- - -1",
    "90 deg", "2 rad deg", "true", "null", "[]", "{}", '"', "'", "\\", "\n", "\t", "\0", "\x1b[31m", "\r\n", "\ufeff",
    "\u2028", "😀", "关节1", "=1+1", "@x", "\\input{/x}", "<script>", "&lt;", "${x}", "%s%n",
    "../../x", "/dev/zero", "a" * 300, "a" * 5000, "q1", "joint1", "world", "base", "-", "--", "--json",
    "0 0 0", "1 2 3 4", "1 nan 0", "0,0", "0,0,0",
    "sin(q1)^12", "((9^12)^12)^12", "s12", "c1,2", "m1*m2", "1e-400*1e-400", "D11", "t", "time",
)  # fmt: skip
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
STRING = re.compile(r'"[^"\n]*"|\'[^\'\n]*\'')
WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
ELEMENT = re.compile(r"<[^<>]*>")
PATTERNS = (NUMBER, STRING, WORD, ELEMENT)
LONGEST = 40_000
"""Longest input (characters); what is larger is the subject of tests of its own."""


def mutated(seed: str, others: Sequence[str], rng: random.Random) -> str:
    """The text after one to four changes."""
    text = seed
    for _ in range(rng.choice((1, 1, 1, 1, 1, 2, 2, 4))):
        text = rng.choice(CHANGES)(text, others, rng)[:LONGEST]
    return text


def _replaced(text: str, others: Sequence[str], rng: random.Random) -> str:
    """A number, string, word or element becomes something hostile."""
    found = list(rng.choice(PATTERNS).finditer(text))
    if not found:
        return text + rng.choice(HOSTILE)
    one = rng.choice(found)
    value = rng.choice(HOSTILE)
    whole = one[0]
    if whole[:1] in "\"'" and rng.random() < 0.7:
        value = whole[0] + value.replace(whole[0], "") + whole[0]
    return text[: one.start()] + value + text[one.end() :]


def _exchanged(text: str, others: Sequence[str], rng: random.Random) -> str:
    """A piece of one kind takes the place of another of the same kind, perhaps of another text."""
    pattern = rng.choice(PATTERNS)
    here, there = list(pattern.finditer(text)), list(pattern.finditer(rng.choice([text, *others])))
    if not here or not there:
        return text
    one, other = rng.choice(here), rng.choice(there)
    return text[: one.start()] + other[0] + text[one.end() :]


def _lines(text: str, others: Sequence[str], rng: random.Random) -> str:
    """A line is dropped, doubled, moved or taken from another text."""
    lines = text.split("\n")
    place = rng.randrange(len(lines))
    what = rng.randrange(4)
    if what == 0:
        del lines[place]
    elif what == 1:
        lines.insert(rng.randrange(len(lines) + 1), lines[place])
    elif what == 2:
        lines.insert(rng.randrange(len(lines)), lines.pop(place))
    elif others:
        lines.insert(place, rng.choice(rng.choice(others).split("\n")))
    return "\n".join(lines)


def _elements(text: str, others: Sequence[str], rng: random.Random) -> str:
    """A tag is dropped, doubled or moved."""
    found = list(ELEMENT.finditer(text))
    if not found:
        return _lines(text, others, rng)
    one = rng.choice(found)
    rest = text[: one.start()] + text[one.end() :]
    if rng.random() < 0.4:
        return rest
    place = rng.choice(found).start()
    return (text if rng.random() < 0.5 else rest)[:place] + one[0] + (text if rng.random() < 0.5 else rest)[place:]


def _characters(text: str, others: Sequence[str], rng: random.Random) -> str:
    """A character is changed, dropped or inserted."""
    place = rng.randrange(len(text) + 1)
    put = rng.choice(("", chr(rng.randrange(256)), rng.choice("()[]{}<>=+-*/^_.,;:\"'#\\\n\t 0123456789eE")))
    return text[:place] + put + text[place + rng.randrange(2) :]


def _cut(text: str, others: Sequence[str], rng: random.Random) -> str:
    """The text ends early, begins late or lacks its middle."""
    a, b = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
    return rng.choice((text[:a], text[b:], text[:a] + text[b:]))


def _repeated(text: str, others: Sequence[str], rng: random.Random) -> str:
    """A piece stands there very often."""
    a = rng.randrange(len(text) + 1)
    piece = text[a : a + rng.choice((1, 2, 5, 20, 80))]
    return text[:a] + piece * rng.choice((2, 10, 100, 2000)) + text[a:]


def _spliced(text: str, others: Sequence[str], rng: random.Random) -> str:
    """The head of one text and the tail of another."""
    other = rng.choice(others) if others else text
    return text[: rng.randrange(len(text) + 1)] + other[rng.randrange(len(other) + 1) :]


CHANGES = (
    *(_replaced,) * 6,
    *(_exchanged,) * 4,
    _lines,
    _lines,
    _elements,
    _characters,
    _characters,
    _cut,
    _repeated,
    _spliced,
)

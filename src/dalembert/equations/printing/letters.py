"""The notation of each variable in each output format."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from html import escape

DOWN = str.maketrans("0123456789-,+ijkp", "₀₁₂₃₄₅₆₇₈₉₋,₊ᵢⱼₖₚ")
UP = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
GREEK = {"alpha": "α", "theta": "θ", "tau": "τ"}


@dataclass(frozen=True)
class Letter:
    """A printed variable: stem, subscript, a mark (dot, ddot or star), and the power that the variable denotes.

    A squared radius of gyration kk322 is one variable and prints as k_322^2. ``place`` is the row and column of an
    entry of a matrix: U21[1,3] is an entry of U_21.
    """

    stem: str
    subscript: str = ""
    mark: str = ""
    power: int = 1
    place: str = ""


@lru_cache(maxsize=4096)
def letter(name: str) -> Letter:
    """The parts of a variable's name."""
    star = "star" if name.endswith("*") else ""
    name = name.rstrip("*")
    if match := re.fullmatch(r"kk(.+)", name):
        return Letter("k", match[1], star, 2)
    if match := re.fullmatch(r"(D|C|G|tau)_([ijkp]+)", name):
        return Letter(GREEK.get(match[1], match[1]), match[2])
    if match := re.fullmatch(r"(qd{0,2})_?(\d+|[ijkp])", name):
        return Letter("q", match[2], {"q": "", "qd": "dot", "qdd": "ddot"}[match[1]])
    if match := re.fullmatch(r"([sc])_([a-z]+)(\d+)", name):
        return Letter(f"{match[1]}{GREEK.get(match[2], match[2])}", match[3], star)
    if match := re.fullmatch(rf"({'|'.join(GREEK)})(\d+)", name):
        return Letter(GREEK[match[1]], match[2], star)
    if match := re.fullmatch(r"([IC])([xyz]{2})(\d+|L)", name):
        return Letter(match[1], f"{match[2]}{match[3]}", star)
    if match := re.fullmatch(r"(U)([\d,]+)(\[[\d,]+\])", name):
        return Letter(match[1], match[2], star, place=match[3])
    if match := re.fullmatch(r"(.*?)(-?\d[\d,-]*|(?<=.)L)", name):
        return Letter(match[1], match[2], star)
    if match := re.fullmatch(r"g([xyz])", name):
        return Letter("g", match[1], star)
    return Letter(name, "", star)


@lru_cache(maxsize=4096)
def in_text(name: str, power: int = 1) -> str:
    """c₂₃², Ixx₃, q̇₁."""
    part = letter(name)
    body = part.stem
    inner = re.match(r"[xyz]*", part.subscript)[0]  # type: ignore[index]
    body += inner + part.subscript[len(inner) :].translate(DOWN)
    if part.mark == "star":
        body += "*"
    elif part.mark:
        body = part.stem + ("\u0307" if part.mark == "dot" else "\u0308") + part.subscript.translate(DOWN)
    total = power * part.power
    return body + part.place + (str(total).translate(UP) if total != 1 else "")


def in_latex(name: str, power: int = 1) -> str:
    """c_{23}^{2}, I_{xx3}, \\dot{q}_{1}."""
    part = letter(name)
    stem = part.stem
    for word, sign in GREEK.items():
        stem = stem.replace(sign, f"\\{word}")
    if len(part.stem) > 1 and part.stem.isascii():
        stem = f"\\mathit{{{part.stem}}}"
    if part.mark in ("dot", "ddot"):
        stem = f"\\{part.mark}{{{stem}}}"
    total = power * part.power
    lower = f"_{{{part.subscript}}}" if part.subscript else ""
    star = part.mark == "star"
    upper = f"^{{{'*' if star else ''}{total if total != 1 else ''}}}" if star or total != 1 else ""
    return f"{stem}{lower}{upper}{part.place}"


def in_mathml(name: str, power: int = 1) -> str:
    """Presentation MathML of a variable."""
    part = letter(name)
    body = f"<mi>{escape(part.stem)}</mi>"
    if part.mark in ("dot", "ddot"):
        body = f'<mover accent="true">{body}<mo>{"˙" if part.mark == "dot" else "¨"}</mo></mover>'
    star = "*" if part.mark == "star" else ""
    total = power * part.power
    lower = f"<mn>{part.subscript}</mn>" if part.subscript.isdigit() else f"<mi>{escape(part.subscript)}</mi>"
    upper = f"<mn>{star}{total if total != 1 else ''}</mn>"
    raised = bool(star) or total != 1
    if part.subscript and raised:
        return f"<msubsup>{body}{lower}{upper}</msubsup>"
    if part.subscript:
        return f"<msub>{body}{lower}</msub>"
    return f"<msup>{body}{upper}</msup>" if raised else body


def in_code(name: str) -> str:
    """An identifier of Python and C: s2-3 becomes s2m3, a starred symbol ends in _star, U21[1,3] is U21_1_3."""
    return re.sub(r"[,\[]", "_", name.replace("-", "m").replace("*", "_star").removesuffix("]"))

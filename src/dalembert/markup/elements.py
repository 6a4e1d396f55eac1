"""HTML without injection: every text is escaped unless it is already of type Html."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from html import escape
from typing import Any

VOID = frozenset({"meta", "input", "br", "hr", "line", "rect", "circle", "path", "polyline", "polygon"})


class Html(str):
    """Markup. Created only by ``tag``, ``join`` and ``text``, or from text of this package itself."""

    __slots__ = ()


def text(value: object) -> Html:
    """Any value as escaped text; Html stays unchanged."""
    return value if isinstance(value, Html) else Html(escape(str(value), quote=True))


def breakable(name: str) -> Html:
    """A name that may go on in the next line after an underscore, as wrist_ 1_joint."""
    return join(name.split("_"), Html("_<wbr>"))


def join(parts: Iterable[object], between: str = "") -> Html:
    """Parts concatenated, each escaped unless it is Html."""
    return Html(between.join(text(part) for part in parts))


def tag(name: str, /, *children: object, **attributes: object) -> Html:
    """An element: ``tag("td", 3, class_="num")``. None and False omit an attribute, True writes its name alone.

    A trailing underscore in an attribute's name is dropped and others become hyphens.
    """
    attribute_text = "".join(attribute(key, value) for key, value in attributes.items())
    if name in VOID and not children:
        return Html(f"<{name}{attribute_text}/>")
    return Html(f"<{name}{attribute_text}>{join(children)}</{name}>")


def attribute(key: str, value: object) -> str:
    """One attribute of an element, escaped."""
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value), quote=True)}"'


def data(value: Any, identifier: str, **attributes: object) -> Html:
    """A JSON block for the scripts of the page; no text in it can close the block."""
    encoded = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        encoded = encoded.replace(sign, f"\\u{ord(sign):04x}")
    return tag("script", Html(encoded), type="application/json", id=identifier, **attributes)


def sub(stem: str, lower: object) -> Html:
    """A letter with a subscript."""
    return join([tag("i", stem), tag("sub", lower)])


def with_symbols(sentence: str) -> Html:
    """A sentence in which letters such as D_ii and C_ijk are printed as in the equations."""
    pieces = re.split(r"\b([A-Z]_[ijk]+)\b", sentence)
    return join(sub(*piece.split("_")) if odd % 2 else piece for odd, piece in enumerate(pieces))


def coefficient(name: str) -> Html:
    """The printed form of a coefficient's name, such as D12, or of a ratio of two, such as G2/D22."""
    return join(
        (sub(part[0], part[1:]) if part[1:].replace(",", "").isdigit() else text(part) for part in name.split("/")),
        " / ",
    )

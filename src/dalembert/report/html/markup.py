"""HTML that cannot be injected into: text is escaped unless it is Html already."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from typing import Any

VOID = frozenset({"meta", "input", "br", "hr", "line", "rect", "circle", "path", "polyline", "polygon"})


class Html(str):
    """Text that is markup. Made by ``tag``, ``join`` and ``text`` only, or from what this package wrote itself."""

    __slots__ = ()


def text(value: object) -> Html:
    """Any value as text of a page; what is Html stays as it is."""
    return value if isinstance(value, Html) else Html(escape(str(value), quote=True))


def join(parts: Iterable[object], between: str = "") -> Html:
    """Parts one after another, each escaped unless it is Html."""
    return Html(between.join(text(part) for part in parts))


def tag(name: str, /, *children: object, **attributes: object) -> Html:
    """An element: ``tag("td", 3, class_="num")``. None and False leave an attribute out, True writes its name alone.

    A trailing underscore in an attribute's name is dropped and others become hyphens.
    """
    written = "".join(attribute(key, value) for key, value in attributes.items())
    if name in VOID and not children:
        return Html(f"<{name}{written}/>")
    return Html(f"<{name}{written}>{join(children)}</{name}>")


def attribute(key: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value), quote=True)}"'


def data(value: Any, identifier: str, **attributes: object) -> Html:
    """A block of JSON for the page's scripts; no text in it can end the block."""
    written = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        written = written.replace(sign, f"\\u{ord(sign):04x}")
    return tag("script", Html(written), type="application/json", id=identifier, **attributes)


def sub(stem: str, lower: object) -> Html:
    """A letter with a subscript: D with 12."""
    return join([tag("i", stem), tag("sub", lower)])


def coefficient(name: str) -> Html:
    """The printed form of a coefficient's name, such as D12, or of a ratio of two, such as G2/D22."""
    return join(
        (sub(part[0], part[1:]) if part[1:].replace(",", "").isdigit() else text(part) for part in name.split("/")),
        " / ",
    )

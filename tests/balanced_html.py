"""Whether the elements of HTML are closed where they should be."""

from __future__ import annotations

from html.parser import HTMLParser


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def balanced(markup: str) -> bool:
    """Whether every element is closed in its place."""
    elements = _Elements()
    elements.feed(markup)
    return not elements.open

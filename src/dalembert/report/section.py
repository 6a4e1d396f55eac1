"""A section of the report: what it is called, what it means for this arm, and what it shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from .charts.figures import Figure
from .html.data_tables import Table
from .html.markup import Html, tag, text

Part: TypeAlias = Html | Table | Figure


@dataclass(frozen=True)
class Section:
    """``meaning`` says in one sentence what the section means for this arm; it is repeated at the top of the page."""

    name: str
    title: str
    meaning: str | Html
    parts: tuple[Part, ...]
    script: str = ""
    """JavaScript of this section alone."""

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables, those of the figures included."""
        found: list[Table] = []
        for part in self.parts:
            if isinstance(part, Table):
                found.append(part)
            elif isinstance(part, Figure):
                found.append(part.table())
        return tuple(found)

    def html(self) -> Html:
        body = [part if isinstance(part, Html) else part.html() for part in self.parts]
        heading = tag("h2", text(self.title), id=f"{self.name}-title")
        return tag(
            "section",
            heading,
            tag("p", text(self.meaning), class_="meaning"),
            *body,
            id=self.name,
            aria_labelledby=f"{self.name}-title",
        )


def paragraph(*parts: object, kind: str | None = None) -> Html:
    return tag("p", *parts, class_=kind)

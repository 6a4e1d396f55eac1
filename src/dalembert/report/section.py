"""A section of the report: title, result in one sentence, tables and figures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from ..markup.data_tables import DataTable
from ..markup.elements import Html, tag, text
from .charts.figures import Figure

Part: TypeAlias = Html | DataTable | Figure


@dataclass(frozen=True)
class Section:
    """``meaning`` is its result for this arm in one sentence, repeated at the top of the page."""

    name: str
    title: str
    meaning: str | Html
    parts: tuple[Part, ...]
    script: str = ""
    """JavaScript of this section alone."""

    @property
    def tables(self) -> tuple[DataTable, ...]:
        """All tables, those of the figures included."""
        tables: list[DataTable] = []
        for part in self.parts:
            if isinstance(part, DataTable):
                tables.append(part)
            elif isinstance(part, Figure):
                tables.append(part.table())
        return tuple(tables)

    def html(self) -> Html:
        """The section as HTML: heading, meaning, parts."""
        return self._html

    @cached_property
    def _html(self) -> Html:
        # a page that is kept section by section writes the same section many times
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
    """An HTML paragraph of class ``kind``."""
    return tag("p", *parts, class_=kind)

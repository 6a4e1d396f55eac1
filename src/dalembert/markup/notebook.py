"""What a notebook shows of a result: tables and formulas in one frame, long ones folded.

The markup needs no script and no network. Names come from files, so every text is escaped (``elements.py``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from .data_tables import DataTable
from .elements import Html, join, tag

STYLE: Final = Html("""<style>
.dalembert { font-size: 13px; line-height: 1.5; overflow-x: auto; }
.dalembert table { border-collapse: collapse; margin: .3em 0 .6em; font-size: inherit; }
.dalembert caption { text-align: left; font-weight: 600; padding: .2em 0; white-space: nowrap; }
.dalembert th, .dalembert td { text-align: left; padding: .15em .8em .15em 0; vertical-align: baseline; }
.dalembert thead th { border-bottom: 1px solid #8888; font-weight: 600; }
.dalembert tbody th { font-weight: normal; }
.dalembert .num { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.dalembert .unit, .dalembert .note { color: #777; font-weight: normal; }
.dalembert p { margin: .3em 0; max-width: 60em; } .dalembert summary { cursor: pointer; }
.dalembert .eq, .dalembert table.matrix { font-family: "Latin Modern Roman", "STIX Two Text", "Times New Roman", serif;
  font-size: 16px; }
.dalembert .eq { margin: .3em 0 .3em 2em; text-indent: -2em; overflow-wrap: anywhere; max-width: none; }
.dalembert .v, .dalembert .n { white-space: nowrap; }
.dalembert sub, .dalembert sup { font-size: .7em; line-height: 0; }
.dalembert .u { display: inline-flex; flex-direction: column; vertical-align: middle; line-height: 1; text-indent: 0; }
.dalembert .u sup, .dalembert .u sub { line-height: 1.05; vertical-align: baseline; position: static; }
.dalembert table.matrix td { padding: .25em .9em; text-align: center; }
.dalembert table.matrix { border: solid; border-width: 0 1.5px; border-radius: 8px; display: inline-table;
  vertical-align: middle; }
.dalembert .good { color: #18794e; } .dalembert .warn { color: #ad5700; } .dalembert .bad { color: #c62a2f; }
</style>""")


def framed(*parts: Html | DataTable) -> str:
    """The parts one below the other, with the style that they need."""
    body = (part.compact() if isinstance(part, DataTable) else part for part in parts)
    return str(tag("div", STYLE, *body, class_="dalembert"))


def heading(*words: object) -> Html:
    """A line of bold text above the parts."""
    return tag("p", tag("b", *words))


def note(*words: object) -> Html:
    """A line of quiet text."""
    return tag("p", *words, class_="note")


def folded(summary: object, *parts: Html | DataTable) -> Html:
    """Parts that are hidden until the summary is clicked."""
    body = (part.compact() if isinstance(part, DataTable) else part for part in parts)
    return tag("details", tag("summary", summary), *body)


def matrix(rows: Iterable[Iterable[object]]) -> Html:
    """A matrix between brackets."""
    body = [tag("tr", *(tag("td", entry) for entry in row)) for row in rows]
    return tag("table", tag("tbody", *body), class_="matrix")


def flow(name: Html, body: Html) -> Html:
    """An equation as running text, which breaks at every sign."""
    return tag("p", join([name, " = ", body]), class_="eq")

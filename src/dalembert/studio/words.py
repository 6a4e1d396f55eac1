"""Words for the panels: viser reads them as Markdown, and names come from files; markup in them is text."""

from __future__ import annotations

import re

# A picture in Markdown is fetched by the browser, from wherever its address says; a link and raw HTML do no better.
MARKUP = re.compile(r"([\\\[`])")


def plain(text: object) -> str:
    """The text as Markdown that shows it as it is: no pictures, links or HTML of its own."""
    return MARKUP.sub(r"\\\1", str(text)).replace("&", "&amp;").replace("<", "&lt;")

"""The page: one self-contained HTML file with its sections, styles, scripts and data.

Its content security policy forbids any connection and any script but its own, by their hashes, so that text from an
arm file could not run even if it were not escaped.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from ...markup.elements import Html, tag, text
from ...version import __version__
from ..section import Section


def asset(name: str) -> str:
    """The text of a file in the assets of the package."""
    return files(__package__).joinpath("assets", name).read_text(encoding="utf-8")


def maths_font() -> Html:
    """A style that brings the font of equations along (STIX Two Math, cut by ``scripts/maths_font.py``; OFL).

    Browsers place brackets, subscripts and sums by the MATH table of the font, which fonts of text do not have.
    """
    font = base64.b64encode(files(__package__).joinpath("assets", "maths.woff2").read_bytes()).decode()
    return tag("style", Html(f'@font-face {{ font-family: "Page Maths"; src: url(data:font/woff2;base64,{font}); }}'))


def policy(scripts: Sequence[str]) -> str:
    """The content security policy of a page with these scripts inside."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" for script in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; font-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def page_head(title: str, scripts: Sequence[str], maths: bool = False) -> Html:
    """The head of a page that contains, and may run, only these scripts; ``maths`` brings the font of equations."""
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy(scripts)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="generator", content=f"dalembert {__version__}"),
        tag("title", title),
        tag("style", Html(asset("report.css"))),
        maths_font() if maths else Html(),
    )


def page(
    title: str,
    subtitle: str,
    glance: Html,
    sections: Sequence[Section],
    what: str = "dynamics report",
    angles: str = "degrees",
) -> str:
    """The whole document; ``what`` it is stands in its title, the unit of its ``angles`` at its foot."""
    scripts = [*(section.script for section in sections if section.script), asset("charts.js")]
    section_pages = [section.html() for section in sections]
    head = page_head(f"{title}: {what}", scripts, maths=any("<math" in section_page for section_page in section_pages))
    header = tag(
        "header",
        tag("a", "Skip to the report", href="#main", class_="skip"),
        tag("h1", title),
        tag("p", subtitle, class_="title") if subtitle else Html(),
        glance,
    )
    footer = tag(
        "footer",
        tag(
            "p",
            f"Written by dalembert {__version__}. SI units; angles are shown in {angles}. Joints and links count "
            "from 1. "
            "This page is complete in itself and asks nothing of the network.",
        ),
    )
    body = tag(
        "body",
        header,
        tag(
            "div",
            contents(sections),
            tag("main", *section_pages, id="main"),
            class_="columns",
        ),
        footer,
        *(tag("script", Html(script)) for script in scripts),
    )
    return _document(head, body)


def single_page(title: str, parts: Sequence[Html], page_data: Html, scripts: Sequence[str]) -> str:
    """The document of one column of ``parts``, with ``page_data`` for its scripts."""
    main = tag("div", tag("main", *parts, id="main"), class_="page")
    body = tag("body", main, page_data, *(tag("script", Html(script)) for script in scripts))
    return _document(page_head(title, scripts), body)


def _document(head: Html, body: Html) -> str:
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def notebook_frame(document: str, title: str, height: int) -> str:
    """A whole page inside a notebook: the value of an attribute, whose scripts run without the notebook's origin."""
    return str(
        tag(
            "iframe",
            srcdoc=document,
            sandbox="allow-scripts",
            width="100%",
            height=height,
            style="border:0",
            title=title,
        )
    )


def contents(sections: Sequence[Section]) -> Html:
    """The table of contents, each section with its main result for this arm; it stays in sight beside the report."""
    items = [
        tag("li", tag("a", section.title, href=f"#{section.name}"), tag("span", text(section.meaning), class_="says"))
        for section in sections
    ]
    folded = tag("details", tag("summary", "Contents, and what each part found"), tag("ol", *items), class_="contents")
    beside = tag("ol", *(tag("li", tag("a", section.title, href=f"#{section.name}")) for section in sections))
    return tag("nav", folded, tag("div", beside, class_="beside"), aria_label="Contents")

"""Files of pages: the ending that a browser knows, and the page, whole or not at all."""

from __future__ import annotations

from pathlib import Path

from ...arm.errors import ArmError
from ...arm.io.whole_files import write_whole

ENDINGS = (".html", ".htm")


def page_file(path: str | Path) -> Path:
    """The file of a page; refused where its name says that it is something else, before any work is done for it."""
    file = Path(path)
    if file.suffix.lower() not in ENDINGS:
        raise ArmError(f"{file}: a page is HTML; name a file that ends in .html")
    return file


def write_page(path: str | Path, html: str) -> None:
    """Write a page."""
    write_whole(page_file(path), html)

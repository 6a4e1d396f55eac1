"""Names of hostile files are words in the panels, and nothing else."""

from __future__ import annotations

import pytest

from dalembert.studio.words import plain

markdown = pytest.importorskip("markdown")


@pytest.mark.parametrize(
    "name",
    [
        "![a](http://x/a)", "[a](http://x)", "<img src=x>", "\\![a](x)", "!\\[a](x)", "![a][b]\n\n[b]: http://x",
        "`code`", "&lt;img&gt;", "\\\\[a](x)", "![[a](x)](y)",
    ],
)  # fmt: skip
def test_markup_is_shown_and_not_done(name: str) -> None:
    shown = markdown.markdown(plain(name))
    for tag in ("<img", "<a ", "<code", "<script"):
        assert tag not in shown
    assert plain("load.mass: 0 -> 3 kg") == "load.mass: 0 -> 3 kg"

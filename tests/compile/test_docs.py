"""The examples of docs/compile.md run as pasted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "docs" / "compile.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("example", re.findall(r"^```python\n(.*?)^```$", TEXT, flags=re.MULTILINE | re.DOTALL))
def test_an_example_runs(example: str):
    exec(compile(example, "docs/compile.md", "exec"), {"__name__": "__main__"})

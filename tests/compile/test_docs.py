"""The examples of docs/compile.md run as pasted with a compiler; tests/test_readme.py runs all pages on NumPy."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "docs" / "compile.md").read_text(encoding="utf-8")

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler")


@pytest.mark.parametrize("example", re.findall(r"^```python\n(.*?)^```$", TEXT, flags=re.MULTILINE | re.DOTALL))
def test_an_example_runs_compiled(example: str, said: pytest.LogCaptureFixture):
    exec(compile(example, "docs/compile.md", "exec"), {"__name__": "__main__"})
    assert said.text == ""

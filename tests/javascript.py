"""Generated JavaScript, run by node."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import numpy as np
import pytest

from dalembert.compile.emit_javascript import javascript
from dalembert.compile.functions import Function

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="the generated JavaScript was NOT run: node is not installed")


def by_node(code: Function, calls: list[list[Any]]) -> list[Any]:
    """What the function returns for each list of arguments."""
    script = (
        f"{javascript(code)}\n"
        'const calls = JSON.parse(require("fs").readFileSync(0, "utf8"));\n'
        f"process.stdout.write(JSON.stringify(calls.map((one) => {code.name}(...one))));\n"
    )
    assert NODE is not None
    done = subprocess.run([NODE, "-e", script], input=json.dumps(calls), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    results: list[Any] = json.loads(done.stdout)
    return results


def assert_close(computed: Any, expected: Any) -> None:
    """The same shape, and values that agree to 1e-12 of the largest of them."""
    first, second = np.asarray(computed, float), np.asarray(expected, float)
    assert first.shape == second.shape
    np.testing.assert_allclose(first, second, rtol=1e-12, atol=1e-12 * np.abs(second).max(initial=1e-300))

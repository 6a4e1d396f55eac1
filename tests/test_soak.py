"""Long life: the same work over and over does not make the process grow (``scripts/soak.py``, a short run)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "soak.py"

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")


@pytest.mark.parametrize(("kind", "units"), [("kernels", 15), ("closed-forms", 40), ("calls", 10), ("simulations", 20)])
def test_a_process_does_not_grow(kind: str, units: int) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), kind, "--units", str(units), "--allowed", "2"],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr

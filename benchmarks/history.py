"""What benchmarks found, kept: one JSON line for each run, with the machine, the versions and the date.

A line holds ratios, our time against that of the peer in the same run (above 1: we are quicker), since seconds of two
machines, or of one machine on two days, are not comparable. ``scripts/compare_benchmarks.py`` reads the lines.
"""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import os
import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path

FILE = Path(__file__).parent / "results" / "history.jsonl"
PACKAGES = ("numpy", "scipy", "python-flint", "pin", "mujoco")


def record(benchmark: str, ratios: Mapping[str, float], file: Path = FILE) -> None:
    """Append the ratios of a run, by name."""
    row = {
        "benchmark": benchmark,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "revision": revision(),
        "machine": machine(),
        "versions": {
            "python": platform.python_version(),
            "dalembert": importlib.metadata.version("dalembert"),
            **versions(),
        },
        "ratios": {name: round(float(value), 3) for name, value in ratios.items()},
    }
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(row) + "\n")


def versions() -> dict[str, str]:
    """Versions of the packages that are there."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "none"
    return found


def machine() -> str:
    """The processor and its threads."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        name = names[0] if names else name
    return f"{name}, {os.cpu_count()} threads"


def revision() -> str:
    """The commit, with a + where the tree differs from it; empty outside of git."""
    here = Path(__file__).parent
    asked = subprocess.run(
        ["git", "describe", "--always", "--dirty=+", "--abbrev=12"],
        cwd=here,
        capture_output=True,
        text=True,
        check=False,
    )
    return asked.stdout.strip() if asked.returncode == 0 else ""

"""Benchmark history: what became slower is told, by ratios of one run, on one kind of machine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "scripts" / "compare_benchmarks.py"


def told(file: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *words, str(file)], capture_output=True, text=True, check=False)


def written(folder: Path, *runs: tuple[str, float]) -> Path:
    file = folder / "history.jsonl"
    rows = ({"benchmark": "cpu", "date": "", "machine": machine, "ratios": {"arm": ratio}} for machine, ratio in runs)
    file.write_text("\n".join(map(json.dumps, rows)))
    return file


def test_a_ratio_that_fell_below_the_median_of_earlier_ones_is_told(tmp_path: Path) -> None:
    file = written(tmp_path, ("one", 10.0), ("one", 2.0), ("one", 11.0), ("one", 7.0))
    done = told(file)
    assert done.returncode == 1
    assert "SLOWER" in done.stdout
    assert told(file, "--allowed", "0.4").returncode == 0


def test_runs_of_other_machines_are_not_compared(tmp_path: Path) -> None:
    done = told(written(tmp_path, ("one", 10.0), ("other", 2.0)))
    assert done.returncode == 0
    assert "nothing became slower" in done.stdout


def test_a_line_that_is_no_run_is_named(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    file.write_text('{"benchmark": "cpu"}\n')
    done = told(file)
    assert done.returncode == 2
    assert "line 1" in done.stderr


def test_the_history_that_is_kept_can_be_read_and_holds_what_makes_it_comparable() -> None:
    lines = (ROOT / "benchmarks" / "results" / "history.jsonl").read_text().splitlines()
    for row in map(json.loads, lines):
        assert {"benchmark", "date", "revision", "machine", "versions", "ratios"} <= set(row)
        assert {"python", "dalembert", "numpy"} <= set(row["versions"])

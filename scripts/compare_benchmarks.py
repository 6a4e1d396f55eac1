#!/usr/bin/env python3
"""Tells what became slower: the last run of each benchmark beside the earlier ones on the same kind of machine.

    python benchmarks/cpu.py --record && python scripts/compare_benchmarks.py
    python scripts/compare_benchmarks.py --allowed 0.1 FILE

Runs are lines of ``benchmarks/results/history.jsonl``. Compared are ratios against the peer of the same run, never
seconds: the last one with the median of those before it. Ends with code 1 where one fell by more than ``--allowed``
(a quarter, unless told otherwise: ratios on a busy machine vary by a tenth).
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path

HISTORY = Path(__file__).parents[1] / "benchmarks" / "results" / "history.jsonl"


class HistoryError(Exception):
    """A line that is no run, in one sentence."""


def runs(file: Path) -> list[dict]:
    """All runs, in the order of the file."""
    found = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            found.append({key: row[key] for key in ("benchmark", "date", "machine", "ratios")})
        except (json.JSONDecodeError, KeyError, TypeError) as fault:
            raise HistoryError(f"{file}, line {number}: not a run of a benchmark ({fault}); take it out") from None
    return found


def compared(history: list[dict]) -> list[tuple[str, str, float, float | None, int]]:
    """(benchmark and machine, quantity, last ratio, median of the earlier ones or None, how many those are)."""
    groups: dict[tuple[str, str], list[dict]] = {}
    for run in history:
        groups.setdefault((run["benchmark"], run["machine"]), []).append(run)
    rows = []
    for (benchmark, machine), own in groups.items():
        *earlier, last = own
        for name, ratio in last["ratios"].items():
            before = [run["ratios"][name] for run in earlier if name in run["ratios"]]
            rows.append(
                (f"{benchmark} on {machine}", name, ratio, statistics.median(before) if before else None, len(before))
            )
    return rows


def main() -> int:
    """Print a table for each benchmark; 1 where something became slower."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=HISTORY)
    parser.add_argument("--allowed", type=float, default=0.25, help="share by which a ratio may fall")
    options = parser.parse_args()
    try:
        rows = compared(runs(options.file))
    except (HistoryError, OSError) as fault:
        print(fault, file=sys.stderr)
        return 2
    slower, title = 0, ""
    for group, name, ratio, before, count in rows:
        if group != title:
            title = group
            print(f"\n{group}: times that of the peer\n{'':64}{'last':>9}{'before':>9}{'runs':>6}")
        fell = before is not None and ratio < (1 - options.allowed) * before
        slower += fell
        said = f"{before:9.2f}" if before is not None else f"{'-':>9}"
        print(f"{name[:63]:64}{ratio:9.2f}{said}{count:6d}{'  SLOWER' if fell else ''}")
    print(f"\n{slower} became slower" if slower else "\nnothing became slower")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())

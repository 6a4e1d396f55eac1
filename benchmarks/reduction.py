"""Operations, proved errors and processor time of reduced models: python benchmarks/reduction.py [ARM or FILE ...]

Without a name all cases below; another arm, or a file of one, is reduced to 5 percent, its links alone.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import dalembert as da

CASES = [
    ("puma560", 0.01, "exact"),
    ("puma560", 0.01, "diagonal"),
    ("puma560", 0.01, "none"),
    ("puma560", 0.05, "exact"),
    ("puma560", 0.05, "diagonal"),
    ("puma560", 0.05, "none"),
    ("jpl-rrp", 0.05, "exact"),
    ("jpl-rrp", 0.05, "diagonal"),
    ("jpl-rrp", 0.05, "none"),
    ("panda", 0.01, "none"),
    ("panda", 0.05, "none"),
    ("iiwa14", 0.05, "none"),
]
"""Arm, tolerance, and how its drives count; "none" is the links alone."""

SKIPPED = ("actuator", "contact", "equality", "gravcomp", "tendon")
"""What MJCF files have that is no matter of the links."""
WIDTHS = (8, 6, 6, 8, 12, 9, 8, 6)


def main(names: list[str]) -> None:
    heads = ("drives", "before", "after", "proved", "proved/found", "constants", "refitted", "s")
    shown = " ".join(f"{head:>{width}}" for head, width in zip(heads, WIDTHS, strict=True))
    print(f"{'arm':10} {'tolerance':>9} {shown}")
    known = {name for name, _, _ in CASES}
    cases = [case for case in CASES if not names or case[0] in names]
    cases += [(name, 0.05, "none") for name in names if name not in known]
    for source, tolerance, drives in cases:
        arm = da.load(source, physical="ignore", mimic="hold", skip=SKIPPED if source.endswith(".xml") else ())
        name = arm.name[:10]
        system = arm if drives == "none" else arm.driven.approximate(drives)
        began = time.process_time()
        model = system.analysis().reduce(tolerance)
        took = time.process_time() - began
        tight = float(np.max(model.tightness))
        print(
            f"{name:10} {tolerance:9.2%} {drives:>8} {model.before.total:6} {model.after.total:6} "
            f"{model.share.max():8.3%} {tight:12.2f} {len(model.constants):9} "
            f"{sum(c.shift != 0 for c in model.constants):8} {took:6.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])

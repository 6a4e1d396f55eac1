"""Operations, proved errors and time of reduced models: python benchmarks/reduction.py [ARM ...]"""

from __future__ import annotations

import sys
import time

import numpy as np

import dalembert as da
from dalembert.reduction.reduce import reduce

CASES = [
    ("puma560", 0.01, True),
    ("puma560", 0.01, False),
    ("puma560", 0.05, True),
    ("puma560", 0.05, False),
    ("jpl-rrp", 0.05, True),
    ("panda", 0.01, False),
    ("panda", 0.05, False),
    ("iiwa14", 0.05, True),
]


WIDTHS = (6, 6, 6, 8, 12, 9, 8, 6)


def main(names: list[str]) -> None:
    heads = ("drives", "before", "after", "proved", "proved/found", "constants", "refitted", "s")
    shown = " ".join(f"{head:>{width}}" for head, width in zip(heads, WIDTHS, strict=True))
    print(f"{'arm':10} {'tolerance':>9} {shown}")
    for name, tolerance, drives in CASES:
        if names and name not in names:
            continue
        arm = da.load(name, physical="ignore")
        began = time.perf_counter()
        model = reduce(arm, tolerance, drives=drives)
        took = time.perf_counter() - began
        tight = float(np.max(model.tightness))
        print(
            f"{name:10} {tolerance:9.2%} {'yes' if drives else 'no':>6} {model.before.total:6} {model.after.total:6} "
            f"{model.share.max():8.3%} {tight:12.2f} {len(model.constants):9} "
            f"{sum(c.shift != 0 for c in model.constants):8} {took:6.1f}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])

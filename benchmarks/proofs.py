"""Proofs in machine code beside the same proofs in NumPy, in one run: python benchmarks/proofs.py [ARM ...] [--check]

For each arm the certified ranges of its inertias and gravity loads, and the torque error of joint 2 of the arm without
its Coriolis terms (a sum of magnitudes), to the same gap with the same limit of work. Times are of the processor; the
ratio is that of times for one control value, since the two searches look at the boxes in another order. ``--check``
fails below a ratio of 2, or where both prove the gap and disagree by more.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence

import numpy as np

import dalembert as da
from dalembert.bounds.box import Box
from dalembert.bounds.branch import Branch, Least
from dalembert.bounds.waves import Wave
from dalembert.compile import build
from dalembert.reduction.coefficient_waves import CoefficientWaves
from dalembert.reduction.states import box_of

ARMS = ("puma560", "jpl-rrp", "ur5e", "panda")
GAP, WORK, LEAST_RATIO = 0.02, 1e8, 2.0


def problems(arm: da.Arm) -> list[tuple[Wave | None, list[Wave]]]:
    """(base, magnitudes) of the questions of one arm."""
    model = CoefficientWaves(arm)
    names = [f"D{i + 1}{i + 1}" for i in range(arm.n)] + [f"G{i + 1}" for i in range(arm.n)]
    single: list[tuple[Wave | None, list[Wave]]] = [(wave, []) for wave in map(model.wave, names) if wave.joints]
    left_out = [wave for (i, _, _), wave in model.christoffel.items() if i == 1 and wave.joints]
    return [*single, (None, left_out)] if left_out else single


def timed(base: Wave | None, magnitudes: Sequence[Wave], box: Box) -> tuple[Least, float, float]:
    """The proof, its processor time (s) and the gap asked for."""
    q = box.samples(500)
    values = sum((-np.abs(w(q)) for w in magnitudes), base(q) if base is not None else np.zeros(len(q)))
    best = int(values.argmin())
    gap = GAP * max(float(values.max() - values.min()), 1e-12)
    branch = Branch(base, magnitudes, box)
    began = time.process_time()
    found = branch.least(float(values[best]), q[best], gap, WORK)
    return found, time.process_time() - began, gap


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("arms", nargs="*", default=ARMS)
    words.add_argument("--check", action="store_true")
    given = words.parse_args()
    if not build.available():
        print("no C compiler: there is nothing to compare")
        return 0
    print(f"{'arm':10} {'proofs':>6} {'NumPy s':>8} {'C s':>8} {'values/us NumPy':>16} {'C':>6} {'ratio':>6}")
    bad = False
    for name in given.arms:
        arm = da.load(name, physical="ignore")
        box = box_of(arm)
        times, works = np.zeros(2), np.zeros(2)
        asked = problems(arm)
        for base, magnitudes in asked:
            proved = []
            for column, switch in enumerate(("0", "1")):
                os.environ[build.SWITCH] = switch
                found, took, gap = timed(base, magnitudes, box)
                times[column] += took
                works[column] += found.work
                proved += [found.bound] if found.value - found.bound <= gap else []
            bad |= len(proved) == 2 and abs(proved[0] - proved[1]) > 1.001 * gap
        rates = works / times / 1e6
        ratio = rates[1] / rates[0]
        bad |= ratio < LEAST_RATIO
        print(
            f"{name:10} {len(asked):6} {times[0]:8.2f} {times[1]:8.2f} {rates[0]:16.1f} {rates[1]:6.1f} {ratio:6.1f}",
            flush=True,
        )
    return int(given.check and bad)


if __name__ == "__main__":
    raise SystemExit(main())

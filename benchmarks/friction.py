"""How simulations with friction end: three arms, three controllers, continuous and sampled at 1 kHz.

    python benchmarks/friction.py z1.urdf xarm7.urdf puma560 [--only pd] [--limit 120]

z1.urdf and xarm7.urdf come with the package ``example-robot-data``; any arm with friction serves, by path or by name
of the catalog. Each arm follows a quintic over 1.5 s, then holds for 0.5 s. Gains are the defaults of the command line:
kp 100 and kd 20, weights 100 and 0.01 of the regulator. A run has a process of its own, so that ``--limit`` (s) can end
it; columns are how it ended, the time it took (s), the events, the steps and the evaluations, the largest error along
the path and at the end (rad or m), and what the energy account is off by, as a share of the energy exchanged.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
import warnings
from typing import Any

import numpy as np

import dalembert as da
from dalembert.control.controllers_by_name import CONTROLLERS

STARTS = {"z1": [0, 1.5, -1, 0, 0, 0, 0]}
"""Where zero is not within the limits."""
SHIFT = np.array([1, 0.5, -0.5, 0.5, 0.3, 0.3, -0.5])
SPAN, MOVE = 2.0, 1.5
PERIODS = {"continuous": None, "1 kHz": 1e-3}


def run(name: str, controller: str, period: float | None, answer: Any) -> None:
    """One run; puts its row into ``answer``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", da.RoundedWarning)
        driven = da.load(name, physical="ignore").driven
    start = np.array(STARTS.get(driven.name, np.zeros(driven.n)), dtype=float)
    path = da.quintic([start, start + np.resize(SHIFT, driven.n)], MOVE)
    law = CONTROLLERS[controller].controller(driven, path)
    began, end = time.perf_counter(), "ends well"
    try:
        motion = driven.simulate(law, start, None, SPAN, period=period)
    except da.SimulationError as fault:
        motion, end = fault.motion, str(fault)
    off = np.abs(motion.q - path.position(motion.t)).max(axis=1)
    answer.put(
        (
            end, time.perf_counter() - began, len(motion.events), motion.steps, motion.evaluations, off.max(), off[-1],
            np.abs(motion.balance).max() / motion.energy_scale,
        )
    )  # fmt: skip


def main() -> None:
    """The table."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("arms", nargs="+", help="files or names of the catalog")
    words.add_argument("--only", choices=("computed-torque", "pd", "lqr"), help="one controller")
    words.add_argument("--limit", type=float, default=120.0, help="seconds for a run")
    given = words.parse_args()
    print(
        f"{'arm':12}{'controller':17}{'input':12}{'s':>7}{'events':>8}{'steps':>8}{'evals':>9}{'largest':>9}"
        f"{'at end':>9}{'account':>9}  end"
    )
    for arm in given.arms:
        for controller in ("computed-torque", "pd", "lqr"):
            if given.only not in (None, controller):
                continue
            for label, period in PERIODS.items():
                answer: Any = multiprocessing.Queue()
                process = multiprocessing.Process(target=run, args=(arm, controller, period, answer))
                process.start()
                process.join(given.limit)
                head = f"{arm.rsplit('/', 1)[-1]:12}{controller:17}{label:12}"
                if process.is_alive():
                    process.terminate()
                    print(f"{head}{given.limit:7.0f}{'':52}  did not end")
                    continue
                end, took, events, steps, calls, most, last, account = answer.get()
                print(
                    f"{head}{took:7.2f}{events:8}{steps:8}{calls:9}{most:9.2g}{last:9.2g}{account:9.1g}  {end}",
                    flush=True,
                )


if __name__ == "__main__":
    main()

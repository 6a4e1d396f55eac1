#!/usr/bin/env python3
"""Does one kind of work over and over, each time on something new, and sees whether the process grows.

    python scripts/soak.py                               # every kind of work, 20 s each
    python scripts/soak.py --seconds 600 kernels         # one kind, longer
    python scripts/soak.py --units 100000 closed-forms   # so many arms

Each kind runs in a process of its own. Memory and mappings are read after a first fifth of the work, which fills caches
that have a bound, and at the end. Ends with code 1 where a process gained more than ``--allowed`` MB or 100 mappings.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

SETTLE = 0.2
"""Share of the work after which the first reading is taken."""
PAGE = 4096
MAPPINGS = 100
"""Mappings a process may gain: loops of simulations stay loaded up to sixteen, with five mappings each."""


def arms(seed: int) -> Iterator[object]:
    """Planar arms of two links, none like another; their numbers are short, so that exact arithmetic is quick."""
    import numpy as np

    import dalembert as da

    rng = np.random.default_rng(seed)
    while True:
        rows = [
            {"a": a, "mass": m, "com": (-a / 2, 0, 0), "inertia": (0.01, 0.02 * m, 0.02 * m)}
            for a, m in zip(
                rng.uniform(0.3, 0.9, 2).round(5).tolist(), rng.uniform(0.5, 3, 2).round(5).tolist(), strict=True
            )
        ]
        yield da.Arm.from_dh(rows, gravity=(0.0, -9.81, 0.0))


def kernels() -> Iterator[None]:
    """A new arm, its torques and accelerations by compiled code."""
    state = [0.3, -0.2]
    for arm in arms(1):
        arm.forward_dynamics(state, state, arm.inverse_dynamics(state, state, state))
        yield


def closed_forms() -> Iterator[None]:
    """A new arm, its equations and a certified range."""
    for arm in arms(2):
        equations = arm.equations()
        _ = equations.mass_matrix, equations.christoffel, equations.gravity
        arm.analysis().range_of("D11")
        yield


def ranges() -> Iterator[None]:
    """A new arm and all its certified ranges."""
    for arm in arms(4):
        arm.analysis().ranges()
        yield


def boxes() -> Iterator[None]:
    """One arm, ranges and a reduced model over ever new boxes."""
    import dalembert as da

    arm = da.load("planar-2r")
    for k in itertools.count():
        ask = arm.analysis(box=dict.fromkeys(arm.joint_names, (-1.0 - 1e-06 * k, 1.0)), speed=1.0, acceleration=1.0)
        ask.ranges()
        ask.reduce(tolerance=0.1)
        yield


def simulations() -> Iterator[None]:
    """A new arm under gravity for a tenth of a second, by the compiled integrator."""
    for arm in arms(3):
        arm.simulate([0.0, 0.0], [0.3, 0.1], duration=0.1)
        yield


def calls() -> Iterator[None]:
    """A thousand calls on one arm, one state and a batch."""
    import numpy as np

    import dalembert as da

    arm = da.load("puma560")
    states = np.random.default_rng(0).uniform(-1, 1, (3, 100, arm.n))
    while True:
        for k in range(1000):
            arm.inverse_dynamics(*states[:, k % 100])
        arm.inverse_dynamics(*states)
        arm.mass_matrix(states[0])
        yield


def studio() -> Iterator[None]:
    """A slider moved in the studio, fifty times a second, of a joint and of a mass; someone looks on."""
    import threading

    import numpy as np
    import viser
    from websockets.sync.client import connect

    import dalembert as da

    opened = da.Studio(da.load("puma560").driven, port=0)
    host = f"127.0.0.1:{opened.served.port}"
    looks_on = connect(
        f"ws://{host}", origin=f"http://{host}", subprotocols=[f"viser-v{viser.__version__}"], max_size=None,
        additional_headers={"Cookie": f"{opened.served.guard.cookie}={opened.served.token}"},
    )  # fmt: skip
    threading.Thread(target=lambda: [None for _ in looks_on], daemon=True).start()
    mass = next(name for name in opened.design.numbers if name.startswith("link.") and name.endswith(".mass"))
    for k in itertools.count():
        due = time.monotonic() + 0.02
        opened.set_pose(0.3 * np.sin(0.01 * k + np.arange(opened.system.n)))
        opened.set_design(opened.design.with_value(mass, 1 + 0.0001 * (k % 5000)))
        time.sleep(max(0.0, due - time.monotonic()))
        yield


WORK: dict[str, Callable[[], Iterator[None]]] = {
    "kernels": kernels, "closed-forms": closed_forms, "ranges": ranges, "boxes": boxes, "simulations": simulations,
    "calls": calls, "studio": studio,
}  # fmt: skip


def reading() -> dict[str, float]:
    """Resident memory (MB) and mappings of this process."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return {"MB": pages * PAGE / 1e6, "mappings": len(Path("/proc/self/maps").read_text().splitlines())}


def soak(kind: str, seconds: float, units: int | None) -> dict[str, float]:
    """One kind of work in this process: how much of it, and what was read."""
    warnings.simplefilter("ignore")
    work, done, begin, first = WORK[kind](), 0, time.monotonic(), None
    while True:
        share = done / units if units else (time.monotonic() - begin) / seconds
        if first is None and share >= SETTLE and done:
            first = reading()
        if share >= 1:
            break
        next(work)
        done += 1
    last = reading()
    first = first or last
    return {
        "units": done, "s": time.monotonic() - begin, "MB before": first["MB"], "MB after": last["MB"],
        "mappings before": first["mappings"], "mappings after": last["mappings"],
    }  # fmt: skip


def main() -> int:
    """Every kind asked for, a line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"kinds of work: {', '.join(WORK)}")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each kind (default 20)")
    parser.add_argument("--units", type=int, help="so many units of work instead")
    parser.add_argument("--allowed", type=float, default=4.0, help="MB that a process may gain (default 4)")
    parser.add_argument("--in-this-process", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if unknown := [kind for kind in given.kinds if kind not in WORK]:
        parser.error(f"there is no kind of work {unknown[0]!r}; choose from {', '.join(WORK)}")
    if not Path("/proc/self/statm").exists():
        parser.error("memory and mappings are read from /proc, which this system does not have")
    if given.in_this_process:
        print(json.dumps(soak(given.kinds[0], given.seconds, given.units)))
        return 0
    print(f"{'work':<14}{'units':>9}{'s':>9}{'MB before':>11}{'MB after':>11}{'mappings before':>17}{'after':>8}")
    grown = []
    for kind in given.kinds or list(WORK):
        amount = ["--units", str(given.units)] if given.units else ["--seconds", str(given.seconds)]
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, __file__, kind, "--in-this-process", *amount],
                env={**os.environ, "DALEMBERT_CACHE": folder}, stdout=subprocess.PIPE, text=True, check=True,
            )  # fmt: skip
        row = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
        print(
            f"{kind:<14}{row['units']:>9}{row['s']:>9.1f}{row['MB before']:>11.1f}{row['MB after']:>11.1f}"
            f"{row['mappings before']:>17}{row['mappings after']:>8}",
            flush=True,
        )
        more = row["MB after"] - row["MB before"], row["mappings after"] - row["mappings before"]
        if more[0] > given.allowed or more[1] > MAPPINGS:
            grown.append(f"{kind} by {more[0]:.1f} MB and {more[1]} mappings")
    if grown:
        print(f"grown: {'; '.join(grown)}", file=sys.stderr)
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())

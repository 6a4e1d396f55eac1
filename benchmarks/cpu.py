"""Compiled functions against Pinocchio, in one run, with every result checked to 1e-9 in the same run.

    python benchmarks/cpu.py [--arms puma560 panda] [--check] [--record] [--growth FILE.svg] [--long 30 60 300]
                             [--processor]

Prints the ratios beside the marks they are held to; ``--check`` ends with code 1 if one is missed or a result
differs. ``--growth`` times inverse dynamics from 2 to 30 joints and draws it. ``--long`` asks arms of so many joints:
processor seconds to the first answer and of the compiler, and the time of a state beside Pinocchio. Needs pip install
pin. ``--processor`` counts processor time, since wall time means little on a machine that others use.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import history
import numpy as np

import dalembert as da
from dalembert.compile import cache
from dalembert.compile import timing as bench
from dalembert.compile.code_length import MOST_UNASKED, expected_statements
from dalembert.compile.functions import FUNCTIONS
from dalembert.compile.peers import pinocchio

MARKS = {
    "inverse_dynamics": 30,
    "forward_dynamics": 25,
    "mass_matrix": 20,
    "inverse_dynamics_derivatives": 15,
    "forward_dynamics_derivatives": 10,
    "coriolis_matrix": 15,
}
PLAIN, BOUND, THREADS = 1, 4, 1.8
OPERATIONS = {"puma560": 388, "panda": 672}
RELATIVE = 1e-9
JOINTS = (2, 3, 4, 6, 8, 10, 14, 18, 22, 26, 30)


def batches(arm: da.Arm) -> list[tuple[str, float, float, float, float, float]]:
    """what, ours, theirs, ratio, mark, difference."""
    rows = []
    for name, mark in MARKS.items():
        line = next(line for line in bench.compare_batch(arm, name) if line.peer == "Pinocchio")
        rows.append((f"{name}, {line.how}", line.ours, line.theirs, line.ratio, mark, line.difference))
    return rows


def calls(arm: da.Arm) -> list[tuple[str, float, float, float, float, float]]:
    nothing = float("nan")
    rows = []
    for line in bench.compare_single(arm):
        if line.peer == "Pinocchio":
            mark = PLAIN if "plain" in line.what else BOUND
            rows.append((f"{line.what}, {line.how}", line.ours, line.theirs, line.ratio, mark, nothing))
    if bench.CLOCK is not time.process_time:  # which counts the time of both threads
        line = bench.compare_threads(arm)
        rows.append((line.what, line.ours, line.theirs, line.ratio, THREADS, nothing))
    return rows


def first_calls(arm: da.Arm) -> list[tuple[str, float, float]]:
    """what, seconds, mark: the first call with an empty cache, and from the cache."""
    rows = []
    states = {name: bench.random_states(arm, 3, 64) for name in ("inverse_dynamics", "forward_dynamics_derivatives")}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o700)
        chosen = cache.chosen_folder
        cache.chosen_folder = lambda: Path(folder)  # type: ignore[assignment]
        try:
            for name, mark in (("inverse_dynamics", 2.0), ("forward_dynamics_derivatives", 20.0)):
                rows.append((f"{name}, compiled", _first(arm, name, states[name]), mark))
                rows.append((f"{name}, from the cache", min(_first(arm, name, states[name]) for _ in range(3)), 0.02))
        finally:
            cache.chosen_folder = chosen  # type: ignore[assignment]
    return rows


def fresh(name: str) -> list[tuple[str, float, float]]:
    """what, processor seconds, mark: the first answer of a method of an arm that no cache knows.

    The caller and the library of tables are there, as they are once a machine has computed anything.
    """
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o700)
        chosen = cache.chosen_folder
        cache.chosen_folder = lambda: Path(folder)  # type: ignore[assignment]
        try:
            states = np.zeros((3, 2))
            many_joints(2).inverse_dynamics(*states)
            for function in ("inverse_dynamics", "forward_dynamics", "inverse_dynamics_derivatives"):
                arm = da.load(name)
                one = [state[0] for state in bench.random_states(arm, 3, 1)]
                start = processor_seconds()
                getattr(arm, function)(*one)
                mark = 0.06 if function == "inverse_dynamics" else 0.3
                rows.append((f"{function}, first answer of a fresh arm (processor)", processor_seconds() - start, mark))
        finally:
            cache.chosen_folder = chosen  # type: ignore[assignment]
    return rows


def processor_seconds() -> float:
    """Of this process and of those it has waited for."""
    return sum(os.times()[:4])


def long_arms(counts: Sequence[int]) -> None:
    """First answers, compilers and times of states of long arms."""
    print("\njoints  function                        operations  first answer  compiler      here  Pinocchio  ratio")
    print(f"{'':40}{'':10}{'s':>14}{'s':>10}{'us/state':>10}{'us/state':>11}")
    for count in counts:
        for name in MARKS:
            arm = many_joints(count)
            states = bench.random_states(arm, len(FUNCTIONS[name].arguments), 256)
            start = processor_seconds()
            getattr(arm, name)(*(state[0] for state in states))
            first = processor_seconds() - start
            statements = expected_statements(arm, name)
            operations, compiler = math.nan, math.nan
            if statements <= MOST_UNASKED / 2:
                kernel = arm.compile(name)
                operations = kernel.operations.total
                start = processor_seconds()
                kernel(*states)
                compiler = processor_seconds() - start
            peer = pinocchio(arm, name)
            loop = peer.batch or (lambda *rows, one=peer.single: [one(*row) for row in zip(*rows, strict=True)])
            ours, theirs = bench.best([partial(getattr(arm, name), *states), partial(loop, *states)], 5)
            print(
                f"{count:6d}  {name:30} {operations:10.0f} {first:13.2f} {compiler:9.2f} {ours / 256e-6:9.1f}"
                f" {theirs / 256e-6:10.1f} {theirs / ours:6.1f}",
                flush=True,
            )


def _first(arm: da.Arm, name: str, states: Sequence[object]) -> float:
    start = time.perf_counter()
    arm.compile(name)(*states)  # type: ignore[operator]
    return time.perf_counter() - start


def many_joints(count: int) -> da.Arm:
    """An arm with perpendicular axes in turn, links with mass centres and all products of inertia."""
    tensor = {"xx": 0.02, "yy": 0.03, "zz": 0.04, "xy": 0.001, "xz": 0.002, "yz": -0.001}
    rows = [
        {
            "a": 0.1 * (k % 2), "d": 0.2 * ((k + 1) % 2), "alpha": math.pi / 2 if k % 2 else -math.pi / 2, "mass": 1,
            "com": (0.01, 0.02, 0.03), "inertia": tensor, "lower": -3, "upper": 3, "effort": 10, "velocity": 3,
        }
        for k in range(count)
    ]  # fmt: skip
    return da.Arm.from_dh(rows, "modified", name=f"chain{count}")


def growth(file: Path) -> None:
    """Inverse dynamics from 2 to 30 joints beside Pinocchio, as a table and a plot."""
    ours, theirs = [], []
    print("\njoints   here  Pinocchio  ratio   (inverse dynamics, ns per state)")
    for count in JOINTS:
        line = next(
            x for x in bench.compare_batch(many_joints(count), "inverse_dynamics", 20_000) if x.peer == "Pinocchio"
        )
        ours.append(line.ours)
        theirs.append(line.theirs)
        print(f"{count:6d} {line.ours:6.1f} {line.theirs:10.1f} {line.ratio:6.1f}")
    file.write_text(
        plot(JOINTS, {"this package, compiled": ours, "Pinocchio rneaInParallel": theirs}), encoding="utf-8"
    )
    print(f"drawn in {file}")


def plot(across: Sequence[int], curves: dict[str, list[float]]) -> str:
    """A plot with a logarithmic upward axis, as SVG."""
    low = math.floor(min(math.log10(min(values)) for values in curves.values()))
    high = math.ceil(max(math.log10(max(values)) for values in curves.values()))

    def x(value: float) -> float:
        return 70 + 500 * (value - across[0]) / (across[-1] - across[0])

    def y(value: float) -> float:
        return 350 - 300 * (math.log10(value) - low) / (high - low)

    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 400" font-family="sans-serif" font-size="12">',
        '<rect width="640" height="400" fill="white"/>',
    ]
    for power in range(low, high + 1):
        parts.append(f'<line x1="70" x2="570" y1="{y(10**power):.1f}" y2="{y(10**power):.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="62" y="{y(10**power) + 4:.1f}" text-anchor="end">{10**power}</text>')
    for value in across:
        parts.append(f'<text x="{x(value):.1f}" y="368" text-anchor="middle">{value}</text>')
    parts.append('<text x="320" y="390" text-anchor="middle">joints</text>')
    parts.append('<text x="70" y="30">inverse dynamics, ns per state, one thread</text>')
    for (name, values), colour in zip(curves.items(), ("#0b6", "#c33"), strict=True):
        points = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in zip(across, values, strict=True))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [
            f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="3" fill="{colour}"/>'
            for a, b in zip(across, values, strict=True)
        ]
        parts.append(f'<text x="565" y="{y(values[-1]) - 8:.1f}" text-anchor="end" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arms", nargs="*", default=["puma560", "panda"])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--record", action="store_true", help="add the ratios to benchmarks/results/history.jsonl")
    parser.add_argument("--growth", type=Path)
    parser.add_argument("--long", nargs="+", type=int, default=[])
    parser.add_argument("--processor", action="store_true", help="processor time, for a machine that others use")
    given = parser.parse_args()
    if given.processor:
        bench.CLOCK = time.process_time
    warnings.simplefilter("ignore", da.PhysicalWarning)
    missed, ratios = 0, {}
    for name in given.arms:
        arm = da.load(name)
        print(f"\n{name}: ns per state or call")
        print(f"{'':62}{'here':>8}{'there':>9}{'ratio':>8}{'mark':>6}{'difference':>12}")
        for what, ours, theirs, ratio, mark, off in [*batches(arm), *calls(arm)]:
            ratios[f"{name}, {what}"] = ratio
            bad = ratio < mark or off > RELATIVE
            missed += bad
            said = f"{off:12.0e}" if off == off else " " * 12
            print(
                f"{what:62}{ours:8.1f}{theirs:9.1f}{ratio:8.2f}{mark:6g}{said}{'  MISSED' if bad else ''}", flush=True
            )
        for what, seconds, most in [*first_calls(arm), *fresh(name)]:
            missed += seconds > most
            print(f"{what:62}{seconds:8.3f} s, at most {most:g} s{'  MISSED' if seconds > most else ''}", flush=True)
        total = arm.compile("inverse_dynamics").operations.total
        missed += total >= OPERATIONS.get(name, total + 1)
        print(f"{'inverse_dynamics, operations':62}{total:8d}   fewer than {OPERATIONS.get(name, '-')}")
    if given.record:
        history.record("cpu", ratios)
    if given.growth:
        growth(given.growth)
    if given.long:
        long_arms(given.long)
    return 1 if given.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())

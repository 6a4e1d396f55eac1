"""Side by side on this machine, in one run: kernels of this package and whichever peers are installed.

Times are the best of several repetitions, taken in turns so that a busy moment hits all alike. Results are
compared in the same run; a peer that computes something else shows in the column of differences.
"""

from __future__ import annotations

import ctypes
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ..arm.description import ArmDescription
from . import build
from . import shared_library as load
from .emit_batch import head
from .functions import FUNCTIONS
from .functions import function as function_of
from .kernel import Kernel
from .peers import Peer, peers
from .shared_library import CompiledLibrary

STATES = 100_000
SAMPLE = 2_000
"""States for a peer that computes one at a time in a Python loop."""


@dataclass(frozen=True)
class Line:
    """One comparison. Times in nanoseconds per state or per call."""

    function: str
    what: str
    ours: float
    peer: str = ""
    how: str = ""
    theirs: float = float("nan")
    difference: float = float("nan")

    @property
    def ratio(self) -> float:
        """Speedup: time of the peer over time of this package."""
        return self.theirs / self.ours


CLOCK: Callable[[], float] = time.perf_counter
"""What times are taken by; ``time.process_time`` where others use the machine, for what runs on one thread."""


def best(calls: Sequence[Callable[[], Any]], repetitions: int = 7, limit: float = 4.0) -> list[float]:
    """The shortest time of each call in seconds, the calls taken in turns, for ``limit`` seconds at most."""
    shortest = [float("inf")] * len(calls)
    start = time.perf_counter()
    for turn in range(repetitions):
        for k, call in enumerate(calls):
            began = CLOCK()
            call()
            shortest[k] = min(shortest[k], CLOCK() - began)
        if turn and time.perf_counter() - start > limit:
            break
    return shortest


def columns(result: Any, count: int) -> np.ndarray:
    """Results of a batch as rows of numbers."""
    results = result if isinstance(result, tuple) else (result,)
    return np.concatenate([np.asarray(array).reshape(count, -1) for array in results], axis=1)


def difference(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The largest difference over the largest value."""
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


def random_states(arm: ArmDescription, arguments: int, count: int) -> list[np.ndarray]:
    """Positions within the limits (within half a turn or half a metre where there are none), unit speeds."""
    rng = np.random.default_rng(0)
    reach = [
        (
            max(j.limits.lower, -np.pi if j.kind == "revolute" else -0.5),
            min(j.limits.upper, np.pi if j.kind == "revolute" else 0.5),
        )
        for j in arm.moving
    ]
    low, high = np.array(reach).T
    return [rng.uniform(low, high, (count, arm.n)), *rng.uniform(-1, 1, (arguments - 1, count, arm.n))]


def compare_batch(arm: ArmDescription, function: str, count: int = STATES) -> list[Line]:
    """A batch on one thread against each peer."""
    kernel = Kernel(function_of(arm, function))
    arrays = random_states(arm, len(kernel.arguments), count)
    kernel(*arrays)
    lines: list[Line] = []
    for peer in peers(arm, function):
        theirs, number, call = _batched(peer, arrays)
        times = best([lambda: kernel(*arrays), call])
        off = float("nan")
        if peer.name != "CasADi":
            off = difference(columns(kernel(*(a[:number] for a in arrays)), number), columns(theirs, number))
        lines.append(
            Line(function, f"{count} states", times[0] / count * 1e9, peer.name, peer.how, times[1] / number * 1e9, off)
        )
    if not lines:
        lines.append(Line(function, f"{count} states", best([lambda: kernel(*arrays)])[0] / count * 1e9))
    return lines


def _batched(peer: Peer, arrays: list[np.ndarray]) -> tuple[Any, int, Callable[[], Any]]:
    if peer.batch is not None:
        number = SAMPLE if peer.name == "CasADi" else len(arrays[0])
        inputs = [np.ascontiguousarray(a[:number]) for a in arrays]
        run = peer.batch
        return run(*inputs), number, lambda: run(*inputs)
    single = peer.single
    assert single is not None
    number = min(SAMPLE, len(arrays[0]))
    rows = [tuple(a[k] for a in arrays) for k in range(number)]

    def loop() -> None:
        for row in rows:
            single(*row)

    completed = peer.whole or single
    several = isinstance(completed(*rows[0]), tuple)
    gathered = []
    for row in rows:
        result = completed(*row)
        gathered.append(tuple(np.array(x) for x in result) if several else np.array(result))
    packed = tuple(np.stack(inputs) for inputs in zip(*gathered, strict=True)) if several else np.stack(gathered)
    return packed, number, loop


def compare_single(arm: ArmDescription) -> list[Line]:
    """Torques of one state at a time from Python: the plain call and the bound form against each peer."""
    function, calls = "inverse_dynamics", 20_000
    kernel = Kernel(function_of(arm, function))
    arrays = [a[0].copy() for a in random_states(arm, len(kernel.arguments), 1)]
    plain = _method(arm, function) or kernel.fast
    bound = kernel.bind(*arrays)
    plain(*arrays)
    lines: list[Line] = []
    rivals: list[Peer | None] = [peer for peer in peers(arm, function) if peer.single is not None]
    for peer in rivals or [None]:
        timed: list[Callable[[], Any]] = [_many(plain, arrays, calls), _many(bound, [], calls)]
        if peer is not None and peer.single is not None:
            timed.append(_many(peer.single, arrays, calls))
        times = best(timed)
        theirs = times[2] / calls * 1e9 if peer is not None else float("nan")
        name, how = (peer.name, peer.how.removeprefix("loop over ")) if peer is not None else ("", "")
        if name == "Pinocchio":
            how = "rnea"
        lines.append(Line(function, "one state, plain call", times[0] / calls * 1e9, name, how, theirs))
        lines.append(Line(function, "one state, bound form", times[1] / calls * 1e9, name, how, theirs))
    return lines


def _method(arm: ArmDescription, function: str) -> Callable[..., Any] | None:
    """The method of the public class, where the arm is one: what a user calls."""
    return getattr(arm, function, None)


def _many(call: Callable[..., Any], arguments: Sequence[Any], count: int) -> Callable[[], None]:
    def run() -> None:
        for _ in range(count):
            call(*arguments)

    return run


def compare_threads(arm: ArmDescription, count: int = 1_000_000) -> Line:
    """Torques of many states: two threads against one."""
    function = "inverse_dynamics"
    kernel = Kernel(function_of(arm, function))
    arrays = random_states(arm, len(kernel.arguments), count)
    out = kernel(*arrays)
    # many repetitions: both processors must be free at the same time
    one_thread, two_threads = best(
        [lambda: kernel(*arrays, out=out), lambda: kernel(*arrays, out=out, threads=2)], 60, 8.0
    )
    return Line(
        function,
        f"{count} states, 2 threads",
        two_threads / count * 1e9,
        "itself",
        "1 thread",
        one_thread / count * 1e9,
    )


# -- roofline ---------------------------------------------------------------------------------------

PEAK = """
double peak(long rounds)
{
  V a[12];
  for (int k = 0; k < 12; k++) a[k] = (V){0} + (T)k;
  V x = (V){0} + (T)1.0000001;
  __asm__ volatile("" : "+m"(x));
  for (long i = 0; i < rounds; i++) {
#pragma GCC unroll 12
    for (int k = 0; k < 12; k++) a[k] = a[k] * x + x;
  }
  V s = a[0];
  for (int k = 1; k < 12; k++) s += a[k];
  return s[0];
}
int lanes(void) { return W; }
"""


@lru_cache
def machine_limits() -> tuple[float, float]:
    """Floating-point operations per second (a fused multiply-add counts two) and bytes per second, one thread."""
    with tempfile.TemporaryDirectory() as folder:
        library = build.compiled(build.find(), head("float64") + PEAK, Path(folder), ("-O2",))
        opened = CompiledLibrary(library)
        opened.peak.argtypes, opened.peak.restype = [ctypes.c_long], ctypes.c_double
        rounds = 1_000_000
        seconds = best([lambda: opened.peak(rounds)], 5)[0]
        flops = 2.0 * 12 * rounds * opened.lanes() / seconds
    source = np.ones(8 << 20)
    target = np.empty_like(source)
    copied = best([lambda: np.copyto(target, source)], 7)[0]
    return flops, 2 * source.nbytes / copied


def roofline(arm: ArmDescription, function: str) -> float:
    """Nanoseconds per state that neither arithmetic nor memory could beat: the larger of the two estimates.

    A sine-cosine pair counts as 45 operations; arrays are read and written once.
    """
    kernel = Kernel(function_of(arm, function))
    flops, bandwidth = machine_limits()
    work = kernel.operations.total + 45 * kernel.operations.sine_cosine_pairs
    traffic = 8 * (sum(width for _, width in kernel.arguments) + sum(int(np.prod(shape)) for shape in kernel.shapes))
    return max(work / flops, traffic / bandwidth) * 1e9


def available(functions: Sequence[str] | None) -> list[str]:
    """The functions to compare: those asked for, or those that peers have."""
    default = (
        "inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_matrix",
        "inverse_dynamics_derivatives", "forward_dynamics_derivatives",
    )  # fmt: skip
    return [name for name in (functions or default) if name in FUNCTIONS]


def compiled_here() -> bool:
    """Whether there is a compiler at all: without one there is nothing to compare."""
    try:
        build.find()
    except build.CompileError:
        return False
    return load.caller_type() is not None

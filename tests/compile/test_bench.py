"""The comparison runs, compares results, and survives without peers, however fast or busy the machine is."""

from __future__ import annotations

import math
import shutil

import pytest

import dalembert as da
from dalembert.compile import peers
from dalembert.compile import timing as bench
from dalembert.compile.functions import function
from dalembert.compile.kernel import Kernel

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler")


def test_a_batch_is_compared_with_pinocchio_and_agrees():
    pytest.importorskip("pinocchio")
    lines = [line for line in bench.compare_batch(da.load("panda"), "mass_matrix", 300) if line.peer == "Pinocchio"]
    assert len(lines) == 1
    assert lines[0].difference < 1e-12
    assert lines[0].what == "300 states"


def test_a_peer_that_computes_something_else_shows_in_the_differences(monkeypatch: pytest.MonkeyPatch):
    arm = da.load("planar-2r")
    wrong = peers.Peer("twice", "batch", batch=lambda q: 2 * arm.mass_matrix(q))
    monkeypatch.setattr(bench, "peers", lambda *_: [wrong])
    (line,) = bench.compare_batch(arm, "mass_matrix", 300)
    assert line.peer == "twice"
    assert line.difference == pytest.approx(0.5)


def test_a_ratio_is_their_time_over_ours():
    assert bench.Line("bias", "one state", 50.0, "peer", "loop", 200.0).ratio == 4.0


def test_without_peers_the_time_alone_is_given(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(peers, "installed", lambda module: False)
    (line,) = bench.compare_batch(da.load("planar-2r"), "bias", 300)
    assert line.ours > 0
    assert math.isnan(line.ratio)


def test_calls_are_taken_in_turns_and_the_shortest_time_of_each_counts(monkeypatch: pytest.MonkeyPatch):
    clock, turns = [0.0], []
    monkeypatch.setattr(bench.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(bench, "CLOCK", lambda: clock[0])

    def call(name: str, times: list[float]):
        def run() -> None:
            turns.append(name)
            clock[0] += times.pop(0)

        return run

    assert bench.best([call("a", [3.0, 1.0, 2.0]), call("b", [5.0, 6.0, 4.0])], 3, 100.0) == [1.0, 4.0]
    assert "".join(turns) == "ababab"


@pytest.mark.parametrize(("flops", "bandwidth"), [(2e9, 1e15), (1e15, 3e9)])
def test_the_roofline_is_the_larger_of_arithmetic_and_memory(
    flops: float, bandwidth: float, monkeypatch: pytest.MonkeyPatch
):
    """At two billion operations a second, or at three billion bytes a second, everything else being free."""
    monkeypatch.setattr(bench, "machine_limits", lambda: (flops, bandwidth))
    arm = da.load("panda")
    operations = Kernel(function(arm, "bias")).operations
    work = operations.total + 45 * operations.sine_cosine_pairs
    moved = 8 * (7 + 7 + 7)  # q and qd are read, the bias is written
    assert bench.roofline(arm, "bias") == pytest.approx(1e9 * (work / flops if flops < 1e12 else moved / bandwidth))

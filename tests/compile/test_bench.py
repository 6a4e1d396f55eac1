"""The comparison runs, compares results, and survives without peers."""

from __future__ import annotations

import math
import shutil

import pytest

import dalembert as da
from dalembert.compile import peers
from dalembert.compile import timing as bench

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler")


def test_a_batch_is_compared_with_pinocchio_and_agrees():
    pytest.importorskip("pinocchio")
    lines = [line for line in bench.compare_batch(da.load("panda"), "mass_matrix", 300) if line.peer == "Pinocchio"]
    assert len(lines) == 1
    assert lines[0].difference < 1e-12
    assert lines[0].ratio > 1


def test_without_peers_the_time_alone_is_given(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(peers, "installed", lambda module: False)
    (line,) = bench.compare_batch(da.load("planar-2r"), "bias", 300)
    assert line.ours > 0
    assert math.isnan(line.ratio)


def test_the_roofline_is_below_the_time_measured():
    arm = da.load("panda")
    (line, *_) = bench.compare_batch(arm, "bias", 20_000)
    assert 0 < bench.roofline(arm, "bias") < line.ours

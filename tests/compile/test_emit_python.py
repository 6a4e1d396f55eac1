"""Straight-line Python, for machines without a compiler: the numbers of the graph, whatever the state."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.compile import build
from dalembert.compile.emit_c import Program
from dalembert.compile.emit_python import StraightPython
from dalembert.compile.functions import function
from dalembert.compile.interpreter import sample
from dalembert.compile.kernel import Kernel
from dalembert.systems.evaluated_arm import PATIENCE

EPS = np.finfo(float).eps


@pytest.fixture(autouse=True)
def _no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(build.SWITCH, "0")


@pytest.mark.parametrize("name", ["forward_dynamics", "inverse_dynamics_derivatives", "jacobian", "regressor"])
@pytest.mark.parametrize("arm", ["jpl-rrp", "puma560", "ur5e"])
def test_one_state_and_a_batch_are_what_the_graph_gives_node_by_node(arm: str, name: str) -> None:
    kernel = Kernel(function(da.load(arm), name))
    states = [np.random.default_rng(k).uniform(-1, 1, (2500, width)) for k, (_, width) in enumerate(kernel.arguments)]
    right, found = kernel.in_numpy(*states), kernel(*states)
    ones = kernel(*(rows[7] for rows in states))
    for a, b, c in zip(*(x if isinstance(x, tuple) else (x,) for x in (right, found, ones)), strict=True):
        scale = np.abs(a).max()
        assert np.abs(b - a).max() <= 8 * EPS * scale
        assert np.abs(c - a[7]).max() <= 8 * EPS * scale


def test_every_operation_and_numbers_that_floats_of_python_refuse() -> None:
    """1/0 and the root of a negative number are infinite and not a number, as in compiled code; nothing is raised."""
    straight, kernel = StraightPython(Program(sample())), Kernel(sample())
    for state in ([1.0, 2.0, 3.0, 4.0], [1.0, 0.0, 3.0, 4.0], [1.0, 2.0, -3.0, 4.0], [np.inf, 1.0, 1.0, 1e308]):
        right = kernel.in_numpy(np.array([state]))[0]
        np.testing.assert_allclose(straight.one(state), right, rtol=4 * EPS, equal_nan=True)


def test_an_arm_that_is_asked_often_goes_over_to_it_and_refuses_as_before() -> None:
    arm = da.load("planar-2r").holding(da.Load(0.5, (0.1, 0, 0)))
    state = np.array([[0.3, -0.4], [0.5, 0.7], [1.0, 2.0]])
    right = arm.forward_dynamics(*state)
    for _ in range(PATIENCE + 1):
        found = arm.forward_dynamics(*state)
    assert arm._kernels["forward_dynamics"] is not None
    assert np.abs(found - right).max() <= 100 * EPS * np.abs(right).max()
    with pytest.raises(ArmError, match="qd holds nan for joint 'joint2'"):
        arm.forward_dynamics(state[0], [0.0, np.nan], state[2])
    with pytest.raises(ArmError, match="qd holds nan for joint 'joint2'"):
        arm.forward_dynamics(state[0], np.array([0.0, np.nan]), state[2])


def test_threads_do_not_share_slots() -> None:
    kernel = Kernel(function(da.load("puma560"), "inverse_dynamics"))
    states = np.random.default_rng(1).uniform(-1, 1, (8, 3, 3000, 6))
    right = [kernel(*rows) for rows in states]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda rows: kernel(*rows), states))
    assert all((a == b).all() for a, b in zip(found, right, strict=True))

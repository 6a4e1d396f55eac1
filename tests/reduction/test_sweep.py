"""Sample states in machine code and in NumPy: the same contributions, slopes, effects of cuts, and refits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import dalembert as da
from dalembert.reduction import climb, minimax, sweep
from dalembert.reduction.program_search import Search
from dalembert.reduction.recursion import case_of
from dalembert.reduction.reduce import difference
from dalembert.reduction.states import fastest, largest, rigid_torque, states_of
from dalembert.reduction.sweep import Cuts, SampleSweep, worst


@pytest.fixture(scope="module")
def search() -> Search:
    arm = da.load("jpl-rrp").subarm("joint1", "joint4")
    states = states_of(arm)
    return Search([case_of(arm)], states, largest(rigid_torque(arm), states, 500, 5)[0])


@pytest.fixture
def numpy_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "library", lambda: None)
    monkeypatch.setattr(minimax, "library", lambda: None)


def both(search: Search, monkeypatch: pytest.MonkeyPatch) -> tuple[SampleSweep, SampleSweep]:
    compiled = search.pruner.samples.sweep(search.whole)
    with monkeypatch.context() as patch:
        patch.setattr(sweep, "library", lambda: None)
        plain = search.pruner.samples.sweep(search.whole)
    return compiled, plain


def test_contributions_are_those_of_newton_and_euler(search: Search) -> None:
    arm, samples = search.cases[0].system, search.pruner.samples
    motions = samples.motions
    q, n, points = motions.q.T, search.states.n, samples.points
    torque = np.stack(
        [
            arm.inverse_dynamics(q, np.tile(qd, (points, 1)), np.tile(qdd, (points, 1))).T
            for qd, qdd in zip(motions.qd, motions.qdd, strict=True)
        ],
        axis=1,
    )
    found = samples.of(search.whole)
    assert found == pytest.approx(motions.contributions(torque), abs=1e-12)
    inertia = arm.mass_matrix(q)
    for j in range(n):
        right = inertia[:, :, j].T * search.states.acceleration[j] / search.scale[:, None]
        assert found[:, 1 + j] == pytest.approx(right, abs=1e-12)


def test_units_are_slopes_in_the_constants(search: Search, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, plain = both(search, monkeypatch)
    for each in (compiled, plain):
        made, units = each.linear()
        rng = np.random.default_rng(0)
        shifts = rng.uniform(-1, 1, len(units))
        moved = SampleSweep(each.listing, each.named + shifts[:, None], each.motions).contributions()
        assert moved == pytest.approx(made + np.tensordot(shifts, units, 1), abs=1e-10 * np.abs(units).max())


def test_effects_of_cuts_are_the_same_in_machine_code_and_in_numpy(
    search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled, plain = both(search, monkeypatch)
    slots = np.flatnonzero(compiled.listing.code >= 3).astype(np.int32)
    cuts = Cuts(slots, compiled.listing.a[slots], np.where(slots % 2, 1.0, -1.0))
    limit = 0.5 * search.scale
    (kept, write), (right, write_right) = (each.cut_effects(cuts, limit) for each in (compiled, plain))
    assert 0 < len(kept) < len(slots)
    assert kept.tolist() == right.tolist()
    found, expected = (np.empty((len(kept), *compiled.motions.shape)) for _ in range(2))
    write(found)
    write_right(expected)
    assert np.allclose(found, expected, rtol=0, atol=1e-12)
    assert worst(found, compiled.contributions()) == pytest.approx(
        np.abs(expected + plain.contributions()).sum(axis=-2).max(axis=-1)
    )


def refit_problem(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    error, units = rng.standard_normal((3, 5, 40)), rng.standard_normal((7, 3, 5, 40))
    units[rng.random((7, 3, 5)) < 0.4] = 0.0
    return error, units, rng.uniform(5, 9, 3)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weight", [0.0, 0.3])
def test_refits_come_as_close_to_the_least_as_they_say(seed: int, weight: float) -> None:
    error, units, target = refit_problem(seed)
    shifts = minimax.least_worst(error, units, target, weight)
    w = np.abs(error + np.tensordot(shifts, units, 1)).sum(axis=1).max(axis=1) / target
    # the whole problem as one linear program: magnitudes m >= |e + sum_k d_k a_k|
    count, (joints, runs, points) = len(units), error.shape
    size = error.size
    variables = count + size + joints + 1
    rows, right = [], []
    flat, e = units.reshape(count, -1), error.reshape(-1)
    for sign in (1, -1):
        block = np.zeros((size, variables))
        block[:, :count], block[:, count : count + size] = sign * flat.T, -np.eye(size)
        rows.append(block)
        right.append(-sign * e)
    sums = np.zeros((joints, points, variables))
    for i in range(joints):
        for x in range(points):
            sums[i, x, count + np.ravel_multi_index((i, np.arange(runs), x), error.shape)] = 1 / target[i]
            sums[i, x, count + size + i] = -1.0
    last = np.zeros((joints, variables))
    last[:, count + size : -1], last[:, -1] = np.eye(joints), -1.0
    cost = np.concatenate([np.zeros(count + size), np.full(joints, weight / joints), [1.0]])
    solved = linprog(
        cost, np.concatenate([*rows, sums.reshape(-1, variables), last]),
        np.concatenate([*right, np.zeros(joints * points + joints)]),
        bounds=[(None, None)] * count + [(0, None)] * (size + joints + 1),
    )  # fmt: skip
    objective = w.max() + weight * w.mean()
    assert solved.fun <= objective * (1 + 1e-9)
    assert objective - solved.fun <= 1.5 * minimax.CLOSE * objective


def test_refits_are_the_same_in_machine_code_and_in_numpy() -> None:
    for seed in range(3):
        problem = refit_problem(seed)
        found, right = minimax.least_worst(*problem, 0.3), minimax._least_worst(*problem, 0.3, False)
        assert found == pytest.approx(right, abs=1e-6)


def test_without_a_compiler_the_model_is_proved_as_well(numpy_alone: None) -> None:
    arm = da.load("planar-3r")
    model = arm.analysis().reduce(0.1)
    assert model.after.total < model.before.total
    assert np.all(model.found <= model.bound)
    assert np.all(model.bound <= 0.1 * model.scale * (1 + 1e-9))


def test_what_is_climbed_to_is_attained(search: Search) -> None:
    program = search.pruner.pruned(np.full(search.states.n, 0.1), thorough=False)
    samples = search.pruner.samples
    found, at = climb.climbed(samples, program, search.whole, search.states, np.zeros((0, search.states.n)), 1)
    torque = difference(search.cases[0], program)
    again = fastest(torque, search.states, at)[1] / search.scale
    assert again.max(axis=0) == pytest.approx(found)
    spread = fastest(torque, search.states, samples.motions.q.T[: samples.each])[1] / search.scale
    assert np.all(found >= 0.99 * spread.max(axis=0))
    box = search.states.box
    assert np.all(((at >= box.lower) & (at <= box.upper)) | box.circle)

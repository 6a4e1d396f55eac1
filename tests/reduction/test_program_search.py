"""The search: an interrupt keeps what is proved, changes are foreseen exactly, programs are told apart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.run import main
from dalembert.reduction import program_proofs, program_search
from dalembert.reduction.certify import TorqueBounds
from dalembert.reduction.hoist import Hoisted
from dalembert.reduction.program_proofs import Candidate
from dalembert.reduction.program_search import Search
from dalembert.reduction.prune import applied
from dalembert.reduction.recursion import case_of
from dalembert.reduction.states import largest, rigid_torque, states_of


@pytest.fixture(scope="module")
def search() -> Search:
    arm = da.load("planar-3r")
    states = states_of(arm)
    return Search([case_of(arm)], states, largest(rigid_torque(arm), states, 500, 5)[0])


def interrupted_after(monkeypatch: pytest.MonkeyPatch, chains: int) -> list[int]:
    """The operations of what is proved after each chain; an interrupt comes after so many."""
    real, found = program_search.Search._prove_one, list[int]()

    def interrupted(self: Search, chain: Sequence[Candidate], tolerance: float) -> None:
        if len(found) == chains:
            raise KeyboardInterrupt
        real(self, chain, tolerance)
        found.append(self.shortest(tolerance).operations)

    monkeypatch.setattr(program_search.Search, "_prove_one", interrupted)
    return found


def test_an_interrupt_keeps_the_shortest_model_that_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    found = interrupted_after(monkeypatch, 1)
    model = da.load("planar-3r").analysis().reduce(0.1)
    assert model.interrupted
    assert "interrupted" in model.summary()
    assert [model.after.total] == found
    assert model.after.total < model.before.total
    assert np.all(model.bound <= 0.1 * model.scale * (1 + 1e-9))


def test_a_search_ends_with_the_first_chain_that_leads_to_nothing_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    found = interrupted_after(monkeypatch, 99)
    model = da.load("planar-3r").analysis().reduce(0.1)
    assert found[-1] == min(found)
    assert [*found] == sorted(found, reverse=True)
    assert len(set(found)) >= len(found) - 1
    assert model.after.total <= found[-1]


def test_an_error_equal_to_the_tolerance_is_left_to_the_proof() -> None:
    loaded = da.load("planar-2r").holding(da.Load(1.8))
    model = loaded.holding(None).analysis().reduce(tolerance=0.2, others=[loaded])
    assert model.after.total <= 22
    assert np.all(model.bound <= 0.2 * model.scale * (1 + 1e-9))


def test_the_command_prints_the_model_of_an_interrupted_search(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupted_after(monkeypatch, 1)
    assert main(["reduce", "planar-3r", "--tolerance", "0.1", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["interrupted"]
    assert "note: interrupted" in err


def test_an_interrupt_before_anything_is_proved_is_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted_after(monkeypatch, 0)
    with pytest.raises(KeyboardInterrupt):
        da.load("planar-3r").analysis().reduce(0.1)


def test_errors_and_units_after_a_single_change_are_those_of_the_changed_program(search: Search) -> None:
    pruner, samples, whole = search.pruner, search.pruner.samples, search.whole
    options = pruner._options(whole, np.full(search.states.n, 10.0))
    shifts = np.random.default_rng(0).uniform(-1, 1, len(options.names))
    assert {change.cut is not None for change in options.changes} == {True, False}
    for c, change in enumerate(options.changes):
        error, units = pruner._after(whole, options, c)
        changed = samples.error(applied(whole, [change], dict(zip(options.names, shifts, strict=True))))
        foreseen = error + np.tensordot(shifts, units, 1)
        assert changed == pytest.approx(foreseen, abs=1e-4 * float(np.abs(foreseen).max()) + 1e-9)


def test_programs_with_equal_constants_and_other_operations_are_not_the_same(search: Search) -> None:
    whole = search.whole
    other = Hoisted([whole.outputs[0], whole.outputs[0], *whole.outputs[2:]], whole.definitions)
    assert whole.same_as(Hoisted(list(whole.outputs), dict(whole.definitions)))
    assert not whole.same_as(other)


def test_positions_of_the_largest_errors_join_the_samples(search: Search) -> None:
    before = search.pruner.samples.points
    program = search.pruner.pruned(np.full(search.states.n, 0.2), thorough=False)
    candidate = search._attempt(program, 0.2)
    assert search.pruner.samples.points > before
    ratio = search._proof_ratio(candidate, search.pruner.samples)
    assert np.all(ratio <= 1.2)


def test_joints_that_are_proved_closely_are_not_proved_again(search: Search) -> None:
    program = search.pruner.pruned(np.full(search.states.n, 0.2), thorough=False)
    first = search.proofs.certified(program)
    work = search.proofs.work
    again = search.proofs.certified(program, previous=first)
    assert np.all(again.share <= first.share)
    close = first.share <= program_proofs.CLOSE * first.attained
    assert close.any()
    assert np.array_equal(again.share[close], first.share[close])
    assert search.proofs.work - work <= work


def test_no_point_of_the_curve_is_without_a_bound() -> None:
    model = da.load("planar-3r").analysis().reduce(0.1, curve=True)
    assert model.curve
    assert all(np.all(np.isfinite(point.bound)) for point in model.curve)


def test_a_search_whose_proofs_are_loose_goes_further_from_the_tolerance(monkeypatch: pytest.MonkeyPatch) -> None:
    real = program_proofs.torque_bounds

    def loose(*args: Any) -> TorqueBounds:
        found = real(*args[:5], None, *args[6:])
        return replace(found, proved=2 * found.proved, within_reach=2 * found.within_reach)

    monkeypatch.setattr(program_proofs, "torque_bounds", loose)
    model = da.load("planar-3r").analysis().reduce(0.1)
    assert model.after.total < model.before.total
    assert np.all(model.bound <= 0.1 * model.scale * (1 + 1e-9))


def test_equations_say_which_of_two_inertias_is_zero() -> None:
    model = da.load("planar-3r").driven.analysis(effort=0.05).reduce(0.1)
    matrix = model.mass_matrix(q := np.array([0.3, -0.4, 0.5]))
    assert not np.allclose(matrix, matrix.T)
    for i, j in np.ndindex(3, 3):
        name, other = f"D{i + 1}{j + 1}", f"D{j + 1}{i + 1}"
        poly = model.equations.get(name, model.equations.get(other))
        assert (0.0 if poly is None else float(poly(q))) == pytest.approx(matrix[i, j], abs=1e-12)

"""The search: an interrupt keeps what is proved, changes are foreseen exactly, programs are told apart."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.run import main
from dalembert.reduction import program_search
from dalembert.reduction.hoist import Hoisted
from dalembert.reduction.program_search import Search
from dalembert.reduction.prune import applied
from dalembert.reduction.recursion import case_of
from dalembert.reduction.states import largest, rigid_torque, states_of


@pytest.fixture(scope="module")
def search() -> Search:
    arm = da.load("planar-3r")
    states = states_of(arm)
    return Search([case_of(arm)], states, largest(rigid_torque(arm), states, 500, 5)[0])


def test_an_interrupt_keeps_the_shortest_model_that_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    arm = da.load("planar-3r")
    real = program_search.Search._continue

    def interrupted(self: Search, exponents: Sequence[float], tolerance: float) -> None:
        real(self, exponents, tolerance)
        raise KeyboardInterrupt

    monkeypatch.setattr(program_search.Search, "_continue", interrupted)
    model = arm.analysis().reduce(0.1)
    assert model.interrupted
    assert "interrupted" in model.summary()
    assert model.after.total < model.before.total
    assert np.all(model.bound <= 0.1 * model.scale * (1 + 1e-9))


def test_a_search_that_begins_anew_keeps_what_it_had(monkeypatch: pytest.MonkeyPatch) -> None:
    real, found = program_search.Search._continue, list[int]()

    def interrupted(self: Search, exponents: Sequence[float], tolerance: float) -> None:
        if self.since > 1:
            raise KeyboardInterrupt
        real(self, exponents, tolerance)
        found.append(self.shortest(tolerance).operations)

    monkeypatch.setattr(program_search.Search, "_continue", interrupted)
    model = da.load("planar-3r").analysis().reduce(0.1)
    assert model.interrupted
    assert len(found) == 1
    assert model.after.total <= found[0]


def test_an_error_equal_to_the_tolerance_is_left_to_the_proof() -> None:
    loaded = da.load("planar-2r").holding(da.Load(1.8))
    model = loaded.holding(None).analysis().reduce(tolerance=0.2, others=[loaded])
    assert model.after.total <= 22
    assert np.all(model.bound <= 0.2 * model.scale * (1 + 1e-9))


def test_the_command_prints_the_model_of_an_interrupted_search(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = program_search.Search._start

    def interrupted(self: Search, greed: float, tolerance: float) -> None:
        real(self, greed, tolerance)
        raise KeyboardInterrupt

    monkeypatch.setattr(program_search.Search, "_start", interrupted)
    assert main(["reduce", "planar-3r", "--tolerance", "0.1", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["interrupted"]
    assert "note: interrupted" in err


def test_an_interrupt_before_anything_is_proved_is_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(program_search.Search, "_start", interrupted)
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
    candidate = search._prove(program, 0.2)
    assert search.pruner.samples.points > before
    ratio = search._proof_ratio(candidate, search.pruner.samples)
    assert np.all(ratio <= 1.2)

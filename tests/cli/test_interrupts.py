"""Ctrl-C while something is proved: what is proved by then is kept, and what is missing is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.certificates.checker import Certificate
from dalembert.cli.run import INTERRUPTED, main
from dalembert.design import coupling, review, significance
from dalembert.reduction import certify, program_search, reduce
from dalembert.reduction.shortforms import short_form_model


def interrupted_at(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, call: int) -> list[int]:
    """Ctrl-C at this call of a function, once; the number of each call."""
    real: Callable[..., Any] = getattr(owner, name)
    calls: list[int] = []

    def once(*words: Any, **more: Any) -> Any:
        calls.append(len(calls) + 1)
        if len(calls) == call:
            raise KeyboardInterrupt
        return real(*words, **more)

    monkeypatch.setattr(owner, name, once)
    return calls


def test_couplings_that_are_proved_are_not_proved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = da.load("planar-3r").analysis().coupling()
    calls, ask = interrupted_at(monkeypatch, coupling, "pair", 3), da.load("planar-3r").analysis()
    some = ask.coupling(partial=True)
    assert some.interrupted
    assert len(some) == 2
    assert {(c.first, c.second, c.proved) for c in some} < {(c.first, c.second, c.proved) for c in whole}
    again = ask.coupling()
    assert [c.proved for c in again] == [c.proved for c in whole]
    assert not again.interrupted
    assert len(calls) == len(whole) + 1  # the one that was interrupted, once more


def test_who_asks_for_all_couplings_has_no_use_for_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted_at(monkeypatch, coupling, "pair", 2)
    with pytest.raises(KeyboardInterrupt):
        da.load("planar-3r").analysis().coupling()


def test_a_review_says_what_is_missing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    interrupted_at(monkeypatch, review, "counterbalance", 2)
    assert main(["review", "planar-3r"]) == 0
    shown = capsys.readouterr()
    assert "note: interrupted; 3 couplings and 1 counterweights were worked out by then" in shown.err
    assert "joint1, joint2" in shown.out
    for pairs in (1, 0):
        interrupted_at(monkeypatch, coupling, "pair", pairs + 1)
        assert main(["review", "planar-3r"]) == 0
        shown = capsys.readouterr()
        assert f"note: interrupted; {pairs} couplings and 0 counterweights" in shown.err
        assert "the strongest coupling is" not in shown.out  # that is known once there are all
        assert "No gravity load at the first joint" in shown.out


def test_terms_of_whole_joints_are_kept(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    whole = da.load("planar-3r").analysis().significance()
    interrupted_at(monkeypatch, significance, "terms_of_joint", 3)
    assert main(["significance", "planar-3r", "--json"]) == 0
    shown = capsys.readouterr()
    assert "note: interrupted; these are the terms of joint2, joint3, the others are left out" in shown.err
    data = json.loads(shown.out)
    assert data["interrupted"]
    assert [row["proved"] for row in data["terms"]] == [term.proved for term in whole if term.joint != "joint1"]
    interrupted_at(monkeypatch, significance, "terms_of_joint", 2)
    with pytest.raises(KeyboardInterrupt):
        da.load("planar-3r").analysis().significance()


def test_short_forms_are_shown_without_the_torques_that_were_not_proved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["reduce", "planar-2r", "--terms", "--tolerance", "0.2", "--json"]
    assert main(words) == 0
    forms = json.loads(capsys.readouterr().out)["forms"]
    interrupted_at(monkeypatch, short_form_model, "prove", 1)
    assert main([*words, "--torques"]) == 0
    shown = capsys.readouterr()
    assert "note: interrupted; what the forms leave out of the torques is not proved" in shown.err
    data = json.loads(shown.out)
    assert data["forms"] == forms
    assert "torque_errors" not in data


def test_a_term_that_was_not_worked_out_is_not_called_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted_at(monkeypatch, significance, "terms_of_joint", 2)
    some = da.load("planar-3r").analysis().significance(partial=True)
    with pytest.raises(da.ArmError, match="need not be zero"):
        some.named(["D11"], 3)


def test_a_model_that_is_proved_is_not_lost_while_it_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = da.load("planar-3r").analysis().reduce(0.1)
    calls = interrupted_at(monkeypatch, reduce, "torque_rms", 1)
    model = da.load("planar-3r").analysis().reduce(0.1)
    assert len(calls) > 1
    assert model.after.total == whole.after.total
    assert np.array_equal(model.bound, whole.bound)


def test_errors_of_coefficients_are_proved_on_from_where_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = da.load("planar-3r").analysis().reduce(0.1).coefficient_errors
    model, calls = da.load("planar-3r").analysis().reduce(0.1), interrupted_at(monkeypatch, certify, "magnitude", 3)
    some = model.prove_coefficients(partial=True)
    assert 0 < len(some) < len(whole)
    assert set(some) < set(whole)
    assert model.coefficient_errors == whole
    assert sorted(calls) == [*range(1, len(calls) + 1)]
    before = len(calls)
    interrupted_at(monkeypatch, certify, "magnitude", 2)
    other = da.load("planar-3r").analysis().reduce(0.1)
    with pytest.raises(KeyboardInterrupt):
        other.prove_coefficients()
    assert other.coefficient_errors == whole
    assert before > 3


def test_the_command_says_which_errors_of_coefficients_are_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupted_at(monkeypatch, certify, "magnitude", 3)
    assert main(["reduce", "planar-3r", "--tolerance", "0.1", "--json"]) == 0
    shown = capsys.readouterr()
    assert "coefficients are not proved, and left out" in shown.err
    assert json.loads(shown.out)["operations_after"]


def test_before_anything_is_proved_the_command_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupted_at(monkeypatch, program_search.Search, "_prove_one", 1)
    assert main(["reduce", "planar-3r", "--tolerance", "0.1"]) == INTERRUPTED
    shown = capsys.readouterr()
    assert not shown.out
    assert "note: interrupted (leaving out what does not matter) before there was anything to show" in shown.err


def test_code_is_not_written_of_a_model_whose_search_was_interrupted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    interrupted_at(monkeypatch, program_search.Search, "_prove_one", 2)
    words = ["codegen", "planar-3r", "--model", "reduced:0.1", "-f", "inverse_dynamics", "-o", str(tmp_path / "out")]
    assert main(words) == INTERRUPTED
    assert "operations and is not used" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_report_ends_with_the_search_that_is_interrupted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A model that the search had by then is no answer to what the page says of it."""
    calls, page = interrupted_at(monkeypatch, program_search.Search, "_prove_one", 2), tmp_path / "page.html"
    assert main(["report", "planar-3r", "-o", str(page), "--tolerance", "0.1"]) == INTERRUPTED
    assert f"note: interrupted (reduced); {page} has the sections that were done" in capsys.readouterr().err
    assert len(calls) == 2
    assert "This page is not finished" in page.read_text("utf-8")


def test_a_check_that_is_interrupted_verifies_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = da.load("planar-2r").analysis(gap=0.1).certificate(tmp_path / "proof.json")
    interrupted_at(monkeypatch, Certificate, "verified", 3)
    assert main(["check", str(path)]) == INTERRUPTED
    shown = capsys.readouterr()
    assert not shown.out
    assert f"note: interrupted at claim 3 of 4; those before it hold, but {path} is not verified" in shown.err

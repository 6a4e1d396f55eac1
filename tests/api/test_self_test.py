"""``dalembert doctor``: right where everything is right, and it notices what is not."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dalembert.api import self_test
from dalembert.cli.run import main
from dalembert.compile import build
from dalembert.compile.functions import FUNCTIONS
from dalembert.compile.kernel import Kernel
from dalembert.formulations.registry import TORQUES


@pytest.mark.usefixtures("compiled_kernels")
def test_every_formulation_and_every_kernel_is_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    asked = {row["asked"]: row for row in found["self_test"]}
    assert all(row["passed"] and row["difference"] <= row["allowed"] for row in asked.values())
    assert {f"torques, {name}" for name in TORQUES} - set(asked) == {"torques, newton-euler"}
    if build.available():
        assert {f"kernel {name}" for name in FUNCTIONS} <= set(asked)
        assert "an extension module" in found["compiler"]["called through"] or "ctypes" in str(found["compiler"])
    assert found["versions"]["dalembert"]
    assert found["failed"] == 0


def test_without_a_compiler_the_rest_is_compared_and_the_page_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(build.SWITCH, "0")
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert f"none: ${build.SWITCH} is 0" in out
    assert "kernel inverse" not in out
    assert "closed form" in out


def test_a_wrong_answer_is_noticed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(build.SWITCH, "0")
    right = self_test._torques
    monkeypatch.setattr(self_test, "_torques", lambda arm, states: right(arm, states) * (1 + 1e-10))
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert out.count("FAILED") == len(TORQUES)
    assert "cannot be trusted" in out


def test_a_value_that_is_no_number_fails() -> None:
    assert not self_test.SelfTest("a", "b", 1.0, lambda: float("nan")).run().passed


@pytest.mark.usefixtures("compiled_kernels")
def test_a_wrong_kernel_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    if not build.available():
        pytest.skip("no C compiler")
    tests = {test.asked: test for test in self_test.self_tests()}
    reference = Kernel.in_numpy
    assert tests["kernel gravity_load"].run().passed
    monkeypatch.setattr(Kernel, "in_numpy", lambda *rest: reference(*rest) + 1e-9)
    assert not tests["kernel gravity_load"].run().passed


def test_no_user_is_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(build.SWITCH, "0")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(self_test, "self_tests", list)
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert str(tmp_path) not in out
    assert "~/cache" in out


def test_the_reference_broadcasts_like_the_kernel() -> None:
    from dalembert.arm.io.files import read
    from dalembert.compile.functions import function

    kernel = Kernel(function(read("planar-2r", physical="ignore"), "inverse_dynamics"))
    q = np.random.default_rng(0).uniform(-1, 1, (3, 1, 2))
    qd = np.ones((4, 2))
    np.testing.assert_allclose(kernel.in_numpy(q, qd, [0, 1]), kernel(q, qd, [0, 1]), rtol=0, atol=1e-12)

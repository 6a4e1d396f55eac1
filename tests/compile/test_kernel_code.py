"""Under which key machine code is kept: nothing that shapes it may change and leave the key as it was."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from dalembert.arm.io.files import read
from dalembert.compile import kernel_code
from dalembert.compile.function import Function
from dalembert.compile.functions import function
from dalembert.compile.kernel import Kernel
from dalembert.kinematics.step_kernel import step_function

ARM = read("planar-2r")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the rooms that build functions of arms."""
    for room in (*kernel_code.ROOMS, "kinematics"):
        shutil.copytree(kernel_code.PACKAGE / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(kernel_code, "PACKAGE", tmp_path)
    kernel_code.code_digest.cache_clear()
    yield tmp_path
    kernel_code.code_digest.cache_clear()


def key(of: Function) -> str:
    return Kernel(of).code.key("single")


@pytest.mark.usefixtures("needs_compiler")
@pytest.mark.parametrize(
    ("file", "changes"),
    [("formulations/newton_euler.py", {"step", "torque"}), ("kinematics/step_kernel.py", {"step"})],
)
def test_code_that_builds_a_graph_is_part_of_the_key(package: Path, file: str, changes: set[str]) -> None:
    """Functions are known by text of the arm; another version of this package may build another graph from it."""
    functions = {"step": step_function(ARM), "torque": function(ARM, "inverse_dynamics")}
    before = {name: key(of) for name, of in functions.items()}
    with (package / file).open("a", encoding="utf-8") as text:
        text.write("# another version\n")
    kernel_code.code_digest.cache_clear()
    assert {name for name, of in functions.items() if key(of) != before[name]} == changes


def test_the_room_of_a_function_is_that_of_its_builder() -> None:
    assert step_function(ARM).room == "kinematics"
    assert function(ARM, "mass_matrix").room == "compile"
    assert replace(step_function(ARM), build=partial(partial(lambda x, y: [], 1), 2)).room == ""

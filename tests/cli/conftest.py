"""How tests run commands, and the arm that they ask, with drives, in a folder with the files that options name."""

from __future__ import annotations

from pathlib import Path

import pytest

import dalembert as da
from command_runs import command_folder
from dalembert.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return command_folder(tmp_path_factory.mktemp("arms"))


@pytest.fixture(scope="module")
def arm(folder: Path) -> da.Arm:
    loaded = da.load(folder / "arm.toml")
    assert loaded.drives
    return loaded


@pytest.fixture
def terminal_of_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


class Result:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    def call(*arguments: str) -> Result:
        code = main(list(arguments))
        return Result(code, *capsys.readouterr())

    return call

"""The arm that the tests of commands ask, with drives, in a folder with the files that options name."""

from __future__ import annotations

from pathlib import Path

import pytest

import dalembert as da
from command_runs import command_folder


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

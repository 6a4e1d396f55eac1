"""Kernels of these tests go to a cache of their own, shared by the tests of one process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dalembert.compile import build, cache


@pytest.fixture(scope="session")
def kernel_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kernels")
    folder.chmod(0o700)
    return folder


@pytest.fixture(autouse=True, scope="module")
def _own_cache(kernel_folder: Path) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(cache.VARIABLE, str(kernel_folder))
        patch.delenv(build.SWITCH, raising=False)
        yield


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, used by this test alone."""
    folder = tmp_path / "cache"
    monkeypatch.setenv(cache.VARIABLE, str(folder))
    return folder


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """What was reported, with nothing reported before."""
    monkeypatch.setattr(build, "_said", set())
    return caplog

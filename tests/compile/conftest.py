"""Kernels of these tests go to a cache of their own, shared by the tests of one process."""

from __future__ import annotations

from pathlib import Path

import pytest

from dalembert.compile import build, cache


@pytest.fixture(autouse=True, scope="module")
def _compiled(compiled_kernels: None) -> None:
    """Every test of this folder."""


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, used by this test alone."""
    folder = tmp_path / "cache"
    monkeypatch.setenv(cache.VARIABLE, str(folder))
    return folder


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """What was reported, with nothing reported before."""
    monkeypatch.setattr(build, "_warned", set())
    return caplog


@pytest.fixture
def plain_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """No extension module from an earlier test: what is built is built by this test's compiler."""
    from dalembert.compile import shared_library

    monkeypatch.setattr(shared_library, "caller_type", lambda: shared_library.CtypesCaller)

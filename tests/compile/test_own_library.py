"""Libraries of C sources are kept under all that shapes them: another text, other flags, another library."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

import pytest

from dalembert.compile import build, own_library, shared_library


@pytest.fixture
def load(fresh_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], float]:
    """What a function of a new process says that was compiled with the flags and the text of now."""
    source = tmp_path / "part.c"
    source.write_text("double value(void) { return VALUE; }\n")
    monkeypatch.delenv(build.SWITCH, raising=False)

    def loaded() -> float:
        monkeypatch.setattr(own_library, "_libraries", {})
        library = own_library.own_library(source, signatures={"value": (ctypes.c_double, [])})
        return float(library.value())

    return loaded


def test_other_flags_of_the_compiler_build_another_library(
    load: Callable[[], float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "BASE_FLAGS", (*build.BASE_FLAGS, "-DVALUE=1.0"))
    assert load() == 1.0
    monkeypatch.setattr(build, "BASE_FLAGS", (*build.BASE_FLAGS[:-1], "-DVALUE=2.0"))
    assert load() == 2.0


def test_the_same_library_is_built_once(
    load: Callable[[], float], fresh_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "BASE_FLAGS", (*build.BASE_FLAGS, "-DVALUE=1.0"))
    assert load() == load() == 1.0
    assert len(list(fresh_cache.glob("*.so"))) == 1


def test_a_library_that_fails_its_check_is_not_kept(fresh_cache: Path) -> None:
    def refuse(_: shared_library.CompiledLibrary) -> None:
        raise build.CompileError("computes wrongly")

    for _ in range(2):
        with pytest.raises(build.CompileError, match="computes wrongly"):
            shared_library.built_library("int one(void) { return 1; }\n", (), verify=refuse)
    assert not list(fresh_cache.glob("*.so"))

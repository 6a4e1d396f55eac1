"""Whatever is wrong with the cache of kernels, results are right, and nothing foreign is loaded."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dalembert.arm.io.files import read
from dalembert.compile import build, cache
from dalembert.compile.functions import function
from dalembert.compile.kernel import Kernel

from .kernel_checks import ARM, STATES, check, needs_compiler, posix


@posix
@needs_compiler
def test_a_cache_folder_others_can_write_is_not_used(fresh_cache: Path, said: pytest.LogCaptureFixture):
    fresh_cache.mkdir()
    fresh_cache.chmod(0o777)
    check(Kernel(function(ARM, "inverse_dynamics")))
    assert list(fresh_cache.iterdir()) == []
    assert [m for m in said.messages if "can be written by others" in m] == said.messages != []


@posix
@needs_compiler
def test_a_cache_folder_may_be_deleted_while_a_process_runs(fresh_cache: Path, said: pytest.LogCaptureFixture):
    check(Kernel(function(ARM, "inverse_dynamics")))
    shutil.rmtree(fresh_cache)
    check(Kernel(function(ARM, "inverse_dynamics")))
    assert list(fresh_cache.glob("*.so"))
    assert said.messages == []
    fresh_cache.rename(fresh_cache.with_name("away"))
    fresh_cache.mkdir()
    fresh_cache.chmod(0o777)  # another in its place is not taken for it
    assert cache.folder() != fresh_cache.resolve()
    assert "can be written by others" in said.messages[0]


@posix
@needs_compiler
def test_a_folder_above_that_others_can_write_is_not_used_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: pytest.LogCaptureFixture
):
    above = tmp_path / "shared"
    above.mkdir()
    above.chmod(0o777)
    monkeypatch.setenv(cache.VARIABLE, str(above / "cache"))
    check(Kernel(function(ARM, "inverse_dynamics")))
    assert len(said.messages) == 1
    assert "shared can be written by others" in said.messages[0]


@posix
@needs_compiler
def test_a_cache_folder_of_another_user_is_not_used(
    fresh_cache: Path, monkeypatch: pytest.MonkeyPatch, said: pytest.LogCaptureFixture
):
    fresh_cache.mkdir(mode=0o700)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 4321)
    assert cache.folder() != fresh_cache.resolve()
    assert "belongs to another user" in said.messages[0]


@posix
@needs_compiler
def test_a_cache_folder_that_cannot_be_made_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: pytest.LogCaptureFixture
):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "file" / "cache"))
    check(Kernel(function(ARM, "inverse_dynamics")))
    assert len(said.messages) == 1


@needs_compiler
@pytest.mark.parametrize("damage", ["empty", "cut", "changed", "note", "gone"])
def test_a_damaged_entry_is_built_anew(damage: str, fresh_cache: Path):
    check(Kernel(function(ARM, "inverse_dynamics")))
    for file in fresh_cache.glob("*.so"):
        data = file.read_bytes()
        if damage == "gone":
            file.unlink()
            continue
        # a new file: the old one may be mapped into this process
        file.unlink()
        changed = bytearray(data)
        changed[len(data) // 2] ^= 255
        file.write_bytes({"empty": b"", "cut": data[: len(data) // 2], "changed": bytes(changed), "note": data}[damage])
        file.chmod(0o700)
    if damage == "note":
        for file in fresh_cache.glob("*.txt"):
            file.write_text("../../evil\n")
    check(Kernel(function(ARM, "inverse_dynamics")))


def test_a_full_cache_drops_what_was_not_used_for_longest(fresh_cache: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cache, "MOST", 8)

    def build_it(folder: Path, text: str) -> Path:
        file = folder / "made.so"
        file.write_text(text)
        return file

    keys = [f"{number:064x}" for number in range(9)]
    for number, key in enumerate(keys):
        made = cache.library(key, lambda folder, text=key: build_it(folder, text))
        os.utime(made, (number, number))
        if number == 7:
            assert cache.stored(keys[0]) is not None, "used again, so not the first to go"
    left = [key for key in keys if cache.stored(key) is not None]
    assert keys[0] in left
    assert keys[8] in left
    assert keys[1] not in left
    assert len(left) == 6
    assert len(list(fresh_cache.glob("*.txt"))) == 6


@posix
@needs_compiler
def test_a_library_others_can_write_is_not_loaded(fresh_cache: Path):
    kernel = Kernel(function(ARM, "inverse_dynamics"))
    check(kernel)
    key = kernel.code.key("batch")
    found = cache.stored(key)
    assert found is not None
    found.chmod(0o777)
    assert cache.stored(key) is None


@needs_compiler
def test_from_the_cache_a_kernel_is_there_at_once(fresh_cache: Path):
    check(Kernel(function(ARM, "inverse_dynamics")))
    files = {file: file.stat().st_ino for file in fresh_cache.iterdir()}
    best = min(_time_of_first_call() for _ in range(5))
    assert best < 0.02
    assert {file: file.stat().st_ino for file in fresh_cache.iterdir()} == files


@needs_compiler
def test_processes_that_compile_the_same_at_once_do_not_disturb_each_other(fresh_cache: Path):
    text = """
import numpy as np
from dalembert.arm.io.files import read
from dalembert.compile.functions import function
from dalembert.compile.kernel import Kernel
arm = read("planar-2r", physical="ignore")
print(repr(Kernel(function(arm, "bias"))(np.ones((9, 2)), np.ones((9, 2)))[8].tolist()))
"""
    environment = {**os.environ, cache.VARIABLE: str(fresh_cache), "PYTHONPATH": os.pathsep.join(sys.path)}
    running = [
        subprocess.Popen([sys.executable, "-c", text], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    results = [process.communicate(timeout=120) for process in running]
    assert {err for _, err in results} == {b""}
    assert len({out for out, _ in results}) == 1
    assert not [entry for entry in fresh_cache.iterdir() if entry.name.startswith("build-")]


@posix
def test_without_a_home_kernels_are_kept_for_the_process(
    monkeypatch: pytest.MonkeyPatch, said: pytest.LogCaptureFixture
):
    for name in (cache.VARIABLE, "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)

    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nobody)
    check(Kernel(function(ARM, "inverse_dynamics")))
    assert len(said.messages) == 1
    assert f"no home folder (set ${cache.VARIABLE}" in said.messages[0]


@posix
def test_nothing_is_made_in_the_home_of_another_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: pytest.LogCaptureFixture
):
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv(cache.VARIABLE, str(home / ".cache" / "dalembert"))
    if os.getuid():
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 4321)
    else:
        os.chown(home, 4321, 4321)
    cache.folder()
    assert list(home.iterdir()) == []
    assert "belongs to another user" in said.messages[0]


@posix
@pytest.mark.parametrize(("group", "members", "allowed"), [("me", [], True), ("me", ["you"], False), ("us", [], False)])
def test_a_folder_open_to_a_group_is_used_where_the_group_is_the_user_alone(
    group: str, members: list[str], allowed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    import grp
    import pwd
    from types import SimpleNamespace

    monkeypatch.setattr(grp, "getgrgid", lambda _: SimpleNamespace(gr_name=group, gr_mem=members))
    monkeypatch.setattr(pwd, "getpwuid", lambda _: SimpleNamespace(pw_name="me"))
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o775)
    assert (cache.weakness(home / ".cache") is None) == allowed
    home.chmod(0o777)
    assert cache.weakness(home / ".cache") is not None


@posix
def test_what_killed_builds_left_is_removed_after_a_day(fresh_cache: Path):
    fresh_cache.mkdir(mode=0o700)
    old, new = fresh_cache / "build-old", fresh_cache / "build-new"
    for folder in (old, new):
        folder.mkdir()
    os.utime(old, (0, 0))
    cache.prune(fresh_cache)
    assert not old.exists()
    assert new.exists()


@needs_compiler
def test_notes_that_change_places_do_not_lend_the_code_of_another_arm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain_calls: None
) -> None:
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv(cache.VARIABLE, str(folder))
    monkeypatch.delenv(build.SWITCH, raising=False)
    heavy = read("planar-2r", physical="ignore").with_gravity((0, 0, -99))
    keys = []
    for arm in (ARM, heavy):
        kernel = Kernel(function(arm, "inverse_dynamics"))
        assert kernel.compiled
        keys.append(kernel.code.key("single"))
    notes = [folder / f"{key}.txt" for key in keys]
    texts = [note.read_bytes() for note in notes]
    for note, text in zip(notes, reversed(texts), strict=True):
        note.write_bytes(text)
    assert [cache.stored(key) for key in keys] == [None, None]
    check(Kernel(function(ARM, "inverse_dynamics")))


def _time_of_first_call() -> float:
    arm = read("planar-2r", physical="ignore")
    start = time.perf_counter()
    Kernel(function(arm, "inverse_dynamics"))(*STATES)
    return time.perf_counter() - start

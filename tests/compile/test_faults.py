"""Whatever is wrong with compiler or cache, results are right, one line says so, and nothing foreign is loaded."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from dalembert.arm.io.files import read
from dalembert.compile import build, cache
from dalembert.compile import shared_library as load
from dalembert.compile.functions import function
from dalembert.compile.kernel import Kernel
from dalembert.rings.graph import evaluate
from dalembert.rings.real import REAL

needs_compiler = pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler")
posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs owners and modes of files")

ARM = read("planar-2r", physical="ignore")
STATES = np.random.default_rng(0).uniform(-3, 3, (3, 5000, 2))


def right() -> np.ndarray:
    made = function(ARM, "inverse_dynamics")
    values = {}
    for (_, nodes), array in zip(made.inputs, STATES, strict=True):
        values |= dict(zip(nodes, array.T, strict=True))
    return np.stack(evaluate(made.nodes, values, REAL), -1)


def check(kernel: Kernel) -> None:
    """Batches, single states and the bound form are right."""
    wanted = right()
    np.testing.assert_allclose(kernel(*STATES), wanted, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(kernel(*STATES[:, 7]), wanted[7], rtol=1e-12, atol=1e-12)
    q, qd, qdd = STATES[:, 9].copy()
    np.testing.assert_allclose(kernel.bind(q, qd, qdd)(), wanted[9], rtol=1e-12, atol=1e-12)


def script(folder: Path, text: str) -> str:
    """A program that is called as the compiler."""
    file = folder / "cc-for-test"
    file.write_text(f"#!{sys.executable}\nimport sys\n{text}\n")
    file.chmod(0o755)
    return str(file)


@pytest.fixture
def plain_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """No extension module from an earlier test: what is built is built by this test's compiler."""
    monkeypatch.setattr(load, "caller_type", lambda: load.CtypesCaller)


@pytest.mark.usefixtures("fresh_cache", "plain_calls")
def test_without_a_compiler_numpy_computes_and_one_line_says_so(
    monkeypatch: pytest.MonkeyPatch, said: pytest.LogCaptureFixture
):
    monkeypatch.setenv("CC", "no-such-compiler")
    check(Kernel(function(ARM, "inverse_dynamics")))
    check(Kernel(function(ARM, "inverse_dynamics")))
    assert said.messages == [
        "dalembert: computing with NumPy, which is slower, since no C compiler found (no-such-compiler)"
    ]
    assert not build.available()


@pytest.mark.usefixtures("fresh_cache", "plain_calls")
def test_switched_off_by_the_user_nothing_is_compiled_and_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, said: pytest.LogCaptureFixture
):
    monkeypatch.setenv(build.SWITCH, "0")
    check(Kernel(function(ARM, "inverse_dynamics")))
    assert said.messages == []


@posix
@pytest.mark.usefixtures("fresh_cache", "plain_calls")
@pytest.mark.parametrize(
    "text",
    [
        "sys.exit('kernel.c:1: error: no')",
        "sys.exit(0)",
        "import os; os.abort()",
        "open(sys.argv[sys.argv.index('-o') + 1], 'w').write('no library')",
        "print('x' * 100000); sys.exit(1)",
    ],
    ids=["fails", "writes nothing", "crashes", "writes nonsense", "talks"],
)
def test_with_a_broken_compiler_numpy_computes_and_one_line_says_so(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: pytest.LogCaptureFixture
):
    monkeypatch.setenv("CC", script(tmp_path, text))
    check(Kernel(function(ARM, "inverse_dynamics")))
    lines = {message for message in said.messages if "computing with NumPy" in message}
    assert 1 <= len(lines) <= 2, "one for single states and one for batches at most"
    assert all("\n" not in line for line in lines)


@posix
@needs_compiler
@pytest.mark.usefixtures("fresh_cache", "plain_calls")
def test_a_compiler_that_computes_wrongly_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: pytest.LogCaptureFixture
):
    real = build.find().command[0]
    text = f"""
import pathlib, subprocess
code = pathlib.Path('kernel.c')
code.write_text(code.read_text().replace(' * ', ' + ', 400))
sys.exit(subprocess.call([{real!r}, *sys.argv[1:]], stderr=subprocess.DEVNULL))"""
    monkeypatch.setenv("CC", script(tmp_path, text))
    check(Kernel(function(ARM, "inverse_dynamics")))
    assert said.messages


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
    key = kernel._key("batch")
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


def _time_of_first_call() -> float:
    arm = read("planar-2r", physical="ignore")
    start = time.perf_counter()
    Kernel(function(arm, "inverse_dynamics"))(*STATES)
    return time.perf_counter() - start


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


@needs_compiler
def test_a_machine_without_avx_is_served(fresh_cache: Path, monkeypatch: pytest.MonkeyPatch):
    import platform

    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("other processors have no AVX to leave out")
    monkeypatch.setattr(build, "TUNING", (("-march=x86-64",),))
    check(Kernel(function(ARM, "inverse_dynamics")))
    kernel = Kernel(function(ARM, "inverse_dynamics"), "float32")
    assert np.abs(kernel(*STATES) - right()).max() < 1e-4


@needs_compiler
@pytest.mark.parametrize("flags", ["-mavx2 -mfma", "-mavx"])
def test_narrower_vectors_give_the_same_torques(flags: str, fresh_cache: Path, monkeypatch: pytest.MonkeyPatch):
    import platform

    try:
        known = Path("/proc/cpuinfo").read_text()
    except OSError:
        known = ""
    if platform.machine() != "x86_64" or " avx2 " not in known:
        pytest.skip("needs a processor that has these")
    monkeypatch.setattr(build, "TUNING", (("-march=x86-64", *flags.split()),))
    check(Kernel(function(ARM, "inverse_dynamics")))


@posix
@pytest.mark.usefixtures("fresh_cache", "plain_calls")
def test_a_compiler_that_hangs_is_asked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: pytest.LogCaptureFixture
):
    calls = tmp_path / "calls"
    text = f"""
import subprocess, time
open({str(calls)!r}, 'a').write('x')
subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)'])"""
    monkeypatch.setenv("CC", script(tmp_path, text))
    monkeypatch.setattr(build, "PATIENCE", 0.5)
    monkeypatch.setattr(build, "PATIENCE_PER_BYTE", 0.0)
    monkeypatch.setattr(build, "_hanging", {})
    begin = time.monotonic()
    check(Kernel(function(ARM, "inverse_dynamics")))
    check(Kernel(function(ARM, "inverse_dynamics")))
    assert calls.read_text() == "x"
    assert time.monotonic() - begin < 30
    assert any("did not end within" in message for message in said.messages)


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
def test_threads_that_ask_at_once_run_the_compiler_once(fresh_cache: Path, monkeypatch: pytest.MonkeyPatch):
    from concurrent.futures import ThreadPoolExecutor

    import dalembert as da

    runs: list[str] = []
    compiled = build.compiled

    def counted(compiler: build.Compiler, source: str, folder: Path, *rest: object) -> Path:
        runs.append(source)
        return compiled(compiler, source, folder, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(build, "compiled", counted)
    arms = [da.load("planar-2r")] * 10 + [da.load("planar-2r") for _ in range(10)]
    with ThreadPoolExecutor(20) as pool:
        found = list(pool.map(lambda arm: arm.inverse_dynamics([0.1, 0.2], [0, 0], [1, 1]), arms))
    assert len({values.tobytes() for values in found}) == 1
    assert len(runs) == len(set(runs)) <= 2, "the kernel, and the module that calls it where that is new"


@posix
@needs_compiler
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_while_a_thread_compiles_does_not_wait_for_it(fresh_cache: Path):
    text = """
import os, threading
import dalembert as da
from dalembert.compile import build
compiling, go_on = threading.Event(), threading.Event()
compiled = build.compiled
parent = os.getpid()
def slow(*arguments):
    if os.getpid() == parent:
        compiling.set(); go_on.wait(60)
    return compiled(*arguments)
build.compiled = slow
arm = da.load("planar-2r")
thread = threading.Thread(target=lambda: arm.inverse_dynamics([0, 0], [0, 0], [1, 1]))
thread.start()
compiling.wait(60)
child = os.fork()
if not child:
    arm.inverse_dynamics([0, 0], [0, 0], [1, 1])
    os._exit(7)
_, status = os.waitpid(child, 0)
go_on.set()
thread.join()
print(os.waitstatus_to_exitcode(status))
"""
    environment = {**os.environ, cache.VARIABLE: str(fresh_cache), "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop(build.SWITCH, None)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", text],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout == "7\n"


@needs_compiler
def test_integrators_fall_back_where_libraries_cannot_be_loaded(
    fresh_cache: Path, monkeypatch: pytest.MonkeyPatch, said: pytest.LogCaptureFixture
):
    import ctypes

    import dalembert as da

    arm = da.load("planar-2r").with_gravity((0, -9.0, 0))
    wanted = arm.simulate([0, 0], [0.3, 0.1], duration=0.2).q[-1]

    def refused(*_: object, **__: object) -> None:
        raise OSError("failed to map segment from shared object")

    from dalembert.control import compiled_loop
    from dalembert.simulation.native import RecentLibraries

    monkeypatch.setattr(compiled_loop, "_libraries", RecentLibraries())
    monkeypatch.setattr(ctypes.CDLL, "__init__", refused)
    arm = da.load("planar-2r").with_gravity((0, -9.0, 0))
    np.testing.assert_allclose(arm.simulate([0, 0], [0.3, 0.1], duration=0.2).q[-1], wanted, rtol=0, atol=1e-7)
    assert any("failed to map segment" in message for message in said.messages)


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
        keys.append(kernel._key("single"))
    notes = [folder / f"{key}.txt" for key in keys]
    texts = [note.read_bytes() for note in notes]
    for note, text in zip(notes, reversed(texts), strict=True):
        note.write_bytes(text)
    assert [cache.stored(key) for key in keys] == [None, None]
    check(Kernel(function(ARM, "inverse_dynamics")))


@posix
@needs_compiler
@pytest.mark.parametrize("mass", [1e-9, 1e-160])
def test_the_compiler_is_not_blamed_for_an_arm_that_weighs_next_to_nothing(
    mass: float, fresh_cache: Path, said: pytest.LogCaptureFixture
):
    import dalembert as da

    rod = {"a": 0.5, "mass": mass, "com": (-0.25, 0, 0), "inertia": (0, mass / 100, mass / 100)}
    began = time.process_time()
    motion = da.Arm.from_dh([rod, rod], gravity=(0, -9.81, 0)).simulate([0, 0], [0.3, 0.9], duration=0.05)
    same = da.Arm.from_dh([{**rod, "mass": 1, "inertia": (0, 0.01, 0.01)}] * 2, gravity=(0, -9.81, 0))
    wanted = same.simulate([0, 0], [0.3, 0.9], duration=0.05)
    assert time.process_time() - began < 10
    np.testing.assert_allclose(motion.q[-1], wanted.q[-1], rtol=0, atol=1e-9)
    assert not said.messages


def test_an_integrator_that_computes_wrongly_is_not_used(
    fresh_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: pytest.LogCaptureFixture
):
    import dalembert as da
    from dalembert.control import compiled_loop
    from dalembert.simulation.native import RecentLibraries

    load.caller_type()
    arm = da.load("planar-2r").with_gravity((0, -8.5, 0))
    start, torque = np.array([0.3, 0.1]), np.array([[0.1, 0.2], [0.3, 0.0]])
    wanted = arm.simulate([0, 0], start, duration=0.2).q[-1], arm.simulate_many(torque, start, duration=0.01).q[-1]
    real = build.find().command[0]
    text = f"""
import pathlib, subprocess
code = pathlib.Path('kernel.c')
source = code.read_text()
if 'dop853' in source or 'many(' in source:
    code.write_text(source.replace('step / 6', 'step / 5').replace('f[j] = x[N + j];', 'f[j] = 1.001 * x[N + j];'))
sys.exit(subprocess.call([{real!r}, *sys.argv[1:]], stderr=subprocess.DEVNULL))"""
    monkeypatch.setenv("CC", script(tmp_path, text))
    monkeypatch.setattr(compiled_loop, "_libraries", RecentLibraries())
    arm = da.load("planar-2r").with_gravity((0, -8.5, 0))
    np.testing.assert_allclose(arm.simulate([0, 0], start, duration=0.2).q[-1], wanted[0], rtol=0, atol=1e-6)
    np.testing.assert_allclose(arm.simulate_many(torque, start, duration=0.01).q[-1], wanted[1], rtol=0, atol=1e-9)
    assert sum("integrator that computes wrongly" in message for message in said.messages) >= 1


@needs_compiler
@posix
@pytest.mark.skipif(importlib.util.find_spec("ziglang") is not None, reason="the package itself is installed")
@pytest.mark.usefixtures("fresh_cache", "plain_calls")
def test_without_a_compiler_on_the_path_that_of_the_package_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A stand-in for the package ziglang, whose compiler is the one of this machine."""
    real = Path(next(filter(None, map(shutil.which, ("cc", "gcc", "clang")))))
    folder = tmp_path / "ziglang"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "zig").write_text(f'#!/bin/sh\nshift\nPATH="{real.parent}" exec "{real}" "$@"\n')
    (folder / "zig").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(build.CompileError, match=r"pip install 'dalembert\[compiler\]' brings one"):
        build.find()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert build.find().command == (str(folder / "zig"), "cc")
    kernel = Kernel(function(ARM, "inverse_dynamics"))
    check(kernel)
    assert kernel.compiled

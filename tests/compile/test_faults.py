"""Whatever is wrong with compiler or cache, results are right, one line says so, and nothing foreign is loaded."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from dalembert.compile import build, cache
from dalembert.compile import shared_library as load
from dalembert.compile.functions import function
from dalembert.compile.kernel import Kernel

from .kernel_checks import ARM, STATES, check, needs_compiler, posix, right, script


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
def test_ctrl_c_while_the_compiler_runs_is_ctrl_c_though_it_ends_in_the_same_moment():
    """Python waits a moment for it to end; that it is no longer there to be killed says nothing of the compiler."""
    press = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    press.start()
    with pytest.raises(KeyboardInterrupt):
        build._run([sys.executable, "-c", "import time; time.sleep(0.3)"], 60.0)
    press.join()


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

"""Whatever fails at whatever point (a file, the compiler, memory): answers are right or the failure is said."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalembert.arm.io.files import read
from dalembert.bounds import compiled_branch
from dalembert.compile import build, cache, own_library
from dalembert.compile import shared_library as load
from dalembert.compile.functions import function
from dalembert.compile.kernel import Kernel

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs a POSIX system")

ARM = read("planar-2r", physical="ignore")
STATES = np.random.default_rng(0).uniform(-3, 3, (3, 100, 2))
MOST = 100
"""Points of failure tried, at most; a run that no longer fails ends a test."""


class Trap:
    """Makes the ``number``-th call of the functions it wraps fail."""

    def __init__(self, number: int, failure: BaseException) -> None:
        self.left, self.failure, self.sprung = number, failure, False

    def wrap(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            self.left -= 1
            if self.left == 0:
                self.sprung = True
                raise self.failure
            return function(*arguments, **options)

        return call


def answer() -> np.ndarray:
    kernel = Kernel(function(ARM, "inverse_dynamics"))
    return np.vstack([kernel(*STATES), kernel(*STATES[:, 0])[None]])


@pytest.mark.usefixtures("said")
def test_any_file_operation_may_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "caller_type", lambda: load.CtypesCaller)
    right = Kernel(function(ARM, "inverse_dynamics")).in_numpy(*STATES)
    right = np.vstack([right, right[:1]])
    build.find()
    tried = 0
    for number in range(1, MOST):
        monkeypatch.setenv(cache.VARIABLE, str(tmp_path / str(number)))
        trap = Trap(number, OSError(28, "No space left on device"))
        with pytest.MonkeyPatch.context() as patch:
            for name in ("mkdir", "chmod", "replace", "rename", "utime", "unlink"):
                patch.setattr(os, name, trap.wrap(getattr(os, name)))
            for name in ("read_bytes", "write_text", "read_text", "open"):
                patch.setattr(Path, name, trap.wrap(getattr(Path, name)))
            found = answer()
        np.testing.assert_allclose(found, right, rtol=1e-12, atol=1e-12)
        tried += trap.sprung
        if not trap.sprung:
            break
    assert 8 <= tried < MOST - 1


@pytest.mark.usefixtures("said")
def test_the_compiler_may_fail_at_any_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = Kernel(function(ARM, "inverse_dynamics")).in_numpy(*STATES)
    for number in (1, 2, 3, 4):
        monkeypatch.setenv(cache.VARIABLE, str(tmp_path / str(number)))
        trap = Trap(number, build.CompileError("internal compiler error"))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(load, "_callers", [])
            patch.setattr(build, "compiled", trap.wrap(build.compiled))
            found = answer()
        np.testing.assert_allclose(found[:-1], right, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(found[-1], right[0], rtol=1e-12, atol=1e-12)


def test_memory_may_run_out_at_any_call_from_python(kernel_folder: Path) -> None:
    pytest.importorskip("_testcapi", reason="needs the test module of CPython")
    text = """
import _testcapi, numpy as np
from dalembert.arm.io.files import read
from dalembert.compile.functions import function
from dalembert.compile.kernel import Kernel
kernel = Kernel(function(read("planar-2r", physical="ignore"), "inverse_dynamics_derivatives"))
one, rows = [np.ones(2)] * 3, [np.ones((100, 2))] * 3
right = [kernel(*one), kernel(*rows)]
fast, chunk = kernel.fast, kernel.fast.chunk
results = kernel.fast.results(100)
flat = tuple(r.reshape(100, -1) for r in results)
out = tuple(np.empty(4) for _ in range(3))
failed = 0
for ask in (lambda: fast(*one), lambda: fast(*rows), lambda: fast.results(7), lambda: chunk(tuple(rows), flat, 0, 100),
            lambda: fast.bind(tuple(one), out, None)(), lambda: fast.results(200_000)):
    for k in range(40):
        try:
            _testcapi.set_nomemory(k, k + 1)
            try:
                found = ask()
            finally:
                _testcapi.remove_mem_hooks()
        except MemoryError:
            failed += 1
assert all((a == b).all() for x, y in zip([kernel(*one), kernel(*rows)], right) for a, b in zip(x, y))
print(failed)
"""
    environment = {**os.environ, cache.VARIABLE: str(kernel_folder), "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop(build.SWITCH, None)
    done = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 5


HOOKS = """
static long allowed = -1;
void fail_at(long call) { allowed = call; }
static int fails(void) { return allowed > 0 && --allowed == 0; }
static void *hooked_malloc(size_t size) { return fails() ? NULL : malloc(size); }
static void *hooked_calloc(size_t count, size_t size) { return fails() ? NULL : calloc(count, size); }
#define malloc hooked_malloc
#define calloc hooked_calloc
"""


def test_memory_may_run_out_anywhere_in_a_proof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import dalembert as da

    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    compiled = build.compiled

    def with_hooks(compiler: build.Compiler, source: str, *rest: Any) -> Path:
        if "open_search" in source:
            lines = source.split("\n")
            last = max(number for number, line in enumerate(lines) if line.startswith("#include"))
            source = "\n".join([*lines[: last + 1], HOOKS, *lines[last + 1 :]])
        return compiled(compiler, source, *rest)

    monkeypatch.setattr(build, "compiled", with_hooks)
    monkeypatch.setattr(own_library, "_libraries", {})
    library = compiled_branch.library()
    library.fail_at.argtypes = [compiled_branch.ctypes.c_long]
    arm = da.load("jpl-rrp").subarm("joint1", "joint3")
    right = {name: arm.analysis().range_of(name) for name in ("D11", "C112")}
    refused = 0
    for name in right:
        for number in range(1, 50):
            library.fail_at(number)
            try:
                found = arm.analysis().range_of(name)
            except MemoryError:
                refused += 1
                continue
            finally:
                library.fail_at(-1)
            assert (found.lower, found.upper) == (right[name].lower, right[name].upper)
    assert refused > 10

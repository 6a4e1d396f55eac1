"""Kernels, their caller, integrators and proofs run under the address and undefined-behaviour sanitizers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dalembert.compile import build, cache

WORK = """
import gc, sys
import numpy as np
from dalembert.compile import build
build.BASE_FLAGS = (*build.BASE_FLAGS, "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-g", "-O1")
import dalembert as da
from dalembert.compile import shared_library
from dalembert.compile.functions import function
from dalembert.compile.kernel import Kernel

assert shared_library.caller_type() is not shared_library.CtypesCaller
arm = da.load("jpl-rrp").subarm("joint1", "joint3")
driven = da.load("jpl-rrp").driven.locked({"joint4": 0.0, "joint5": 0.0, "joint6": 0.0})
rng = np.random.default_rng(0)
checks = 0
asked = (arm, "inverse_dynamics"), (driven, "forward_dynamics"), (arm, "mass_matrix"), (arm, "gravity_load")
for system, name in asked:
    for dtype in ("float64", "float32") if name == "inverse_dynamics" else ("float64",):
        kernel = Kernel(function(system, name), dtype)
        count = len(kernel.arguments)
        for size in (0, 1, 3, 7, 8, 63, 64, 65, 200):
            whole = rng.uniform(-1, 1, (count, 2 * size + 2, 6)).astype(dtype)
            wanted = kernel.in_numpy(*(np.ascontiguousarray(a[:size, :3]) for a in whole))
            views = whole[:, :size, :3], whole[:, : 2 * size : 2, :3], whole[:, :size, :6:2], whole[:, size:0:-1, 2::-1]
            for arrays in views:
                found = kernel(*arrays)
                out = np.empty_like(found)
                kernel(*arrays, out=out, threads=2)
                assert (found == out).all()
                checks += 1
            np.testing.assert_allclose(kernel(*whole[:, :size, :3]), wanted, rtol=1e-3, atol=1e-3)
        edge = np.array([0.0, -0.0, 1e15, 1e-310, np.nan, np.inf, -np.inf, 1.8e308, 8192.0], dtype="float64")
        for value in edge.astype(dtype):
            kernel(*(np.full((9, 3), value, dtype) for _ in range(count)))
            kernel(*(np.full(3, value, dtype) for _ in range(count)))
            checks += 2
        one = [np.zeros(3, dtype) for _ in range(count)]
        bound = kernel.bind(*one)
        for bad in ([1, 2], "x", np.zeros((2, 2)), np.zeros(3, complex), np.zeros((3, 3), "float16")):
            try:
                kernel(*[bad] * count)
            except da.ArmError:
                checks += 1
        del kernel
        gc.collect()
        bound()
motion = arm.simulate(np.zeros(3), [0.3, 0.1, 0.2], duration=0.2)
arm.simulate_many(np.zeros(3), rng.uniform(-1, 1, (5, 3)), duration=0.01)
for name in ("D11", "C112", "G2"):
    found = arm.analysis().range_of(name)
    checks += 1
print(checks)
"""


def test_nothing_is_reported(tmp_path: Path) -> None:
    found = shutil.which("gcc")
    libraries = []
    for name in ("libasan.so", "libubsan.so"):
        where = (
            subprocess.run([found or "gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=False)
            if found
            else None
        )
        if where is None or not Path(where.stdout.strip()).is_file():
            pytest.skip("needs gcc with its sanitizers")
        libraries.append(where.stdout.strip())
    environment = {
        **os.environ,
        "CC": str(found),
        "LD_PRELOAD": ":".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:exitcode=99",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1:exitcode=98",
        cache.VARIABLE: str(tmp_path),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "OPENBLAS_NUM_THREADS": "1",
    }
    environment.pop(build.SWITCH, None)
    done = subprocess.run(
        [sys.executable, "-c", WORK], env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert "runtime error" not in done.stderr
    assert "ERROR: AddressSanitizer" not in done.stderr
    assert int(done.stdout) > 200

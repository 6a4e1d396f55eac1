"""Sine and cosine of the CUDA kernels, compiled on the host: within 2 ulp wherever an angle may be."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from dalembert.compile.cuda import device_sine
from dalembert.compile.cuda.device_code import HOST_SHIM
from dalembert.compile.sincos import BOUND, PI_HALF

COMPILER = shutil.which("g++") or shutil.which("clang++")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler on this machine")

CALLER = """
extern "C" void call(long n, const float *x, float *s, float *c)
{
  for (long i = 0; i < n; i++) full_sincos(x[i], s + i, c + i);
}
extern "C" void inputs(const float *x, float *out)
{
  float s0, c0, s1, c1;
  STATEMENTS
  out[0] = s0; out[1] = c0; out[2] = s1; out[3] = c1;
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder: Path = tmp_path_factory.mktemp("sine")
    statements = " ".join(device_sine.of_inputs("float32", "full", [("x[0]", "s0", "c0"), ("x[1]", "s1", "c1")]))
    text = HOST_SHIM + device_sine.functions("float32") + CALLER.replace("STATEMENTS", statements)
    (folder / "sine.cpp").write_text(text)
    command = [str(COMPILER), "-O1", "-shared", "-fPIC", "-Wall", "-Wno-parentheses", "-Wno-unused-function"]
    subprocess.run([*command, "-o", folder / "sine.so", folder / "sine.cpp"], check=True, capture_output=True)
    return ctypes.CDLL(str(folder / "sine.so"))


def taken(library: ctypes.CDLL, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    s, c = np.empty_like(x), np.empty_like(x)
    library.call(ctypes.c_long(x.size), *(ctypes.c_void_p(a.ctypes.data) for a in (x, s, c)))
    return s, c


def ulps(found: np.ndarray, right: np.ndarray) -> float:
    return float((np.abs(found - right) / np.spacing(np.abs(right).astype(np.float32))).max())


def angles() -> np.ndarray:
    """Floats of every size up to the bound, and those next to multiples of pi/2, where sine or cosine nearly vanish."""
    rng = np.random.default_rng(0)
    spread = np.exp(rng.uniform(np.log(1e-30), np.log(BOUND), 300_000)) * rng.choice([-1, 1], 300_000)
    multiples = np.arange(-5215, 5216) * float(PI_HALF)
    near = np.concatenate([multiples.astype(np.float32)] * 3)
    near = near + np.repeat([-1, 0, 1], multiples.size).astype(np.float32) * np.spacing(np.abs(near))
    return np.concatenate([spread, near, rng.uniform(-BOUND, BOUND, 300_000), [0.0, BOUND, -BOUND]]).astype(np.float32)


def test_sine_and_cosine_are_within_two_ulp(library: ctypes.CDLL) -> None:
    x = angles()
    s, c = taken(library, x)
    assert ulps(s, np.sin(x.astype(float))) < 2
    assert ulps(c, np.cos(x.astype(float))) < 2


def test_angles_beyond_the_bound_are_reduced_too(library: ctypes.CDLL) -> None:
    x = np.array([8193.0, -1e6, 3.4e38, 1e22], np.float32)
    s, c = taken(library, x)
    assert ulps(s, np.sin(x.astype(float))) < 2
    assert ulps(c, np.cos(x.astype(float))) < 2


def test_what_is_not_finite_gives_what_is_no_number(library: ctypes.CDLL) -> None:
    s, c = taken(library, np.array([np.inf, -np.inf, np.nan], np.float32))
    assert np.isnan(s).all()
    assert np.isnan(c).all()


@pytest.mark.parametrize("pair", [(0.5, -2.0), (0.5, 1e6), (1e6, 0.5), (np.nan, 1e6), (1e6, np.nan)])
def test_one_far_angle_of_a_state_leaves_the_others_right(library: ctypes.CDLL, pair: tuple[float, float]) -> None:
    x, out = np.array(pair, np.float32), np.empty(4, np.float32)
    library.inputs(ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(out.ctypes.data))
    wide = x.astype(float)
    right = np.array([np.sin(wide[0]), np.cos(wide[0]), np.sin(wide[1]), np.cos(wide[1])])
    assert np.allclose(out, right, rtol=0, atol=2e-7, equal_nan=True)

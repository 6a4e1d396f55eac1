"""Compiled code is unloaded with the last object that needs it, and never before."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.compile import build, shared_library

MAPS = Path("/proc/self/maps")

pytestmark = pytest.mark.skipif(not MAPS.exists(), reason="mappings are listed on Linux only")


@pytest.fixture
def _compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(build.SWITCH, raising=False)
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path))
    if not build.available():
        pytest.skip("no C compiler")


def mapped(folder: Path) -> int:
    """Libraries of this folder that are loaded."""
    gc.collect()
    return len({line.split()[-1] for line in MAPS.read_text().splitlines() if str(folder) in line})


@pytest.mark.usefixtures("_compiled")
@pytest.mark.parametrize("ctypes_only", [False, True])
def test_kernel_goes_with_its_last_user(tmp_path: Path, ctypes_only: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if ctypes_only:
        monkeypatch.setattr(shared_library, "caller_type", lambda: shared_library.CtypesCaller)
    else:
        shared_library.caller_type()  # the extension module itself stays
    before = mapped(tmp_path)
    arm = da.load("planar-2r").with_gravity((0, -9.123, 0))
    kernel = arm.compile("inverse_dynamics")
    state = np.array([0.3, -0.2])
    out = np.empty(2)
    right = kernel(state, state, state)
    kernel(np.tile(state, (8, 1)), np.tile(state, (8, 1)), np.tile(state, (8, 1)))
    assert mapped(tmp_path) > before
    bound = kernel.bind(state, state, state, out=out)
    del kernel, arm
    assert mapped(tmp_path) > before
    bound()
    assert (out == right).all()
    del bound
    assert mapped(tmp_path) == before


@pytest.mark.usefixtures("_compiled")
def test_new_arms_leave_no_library_behind(tmp_path: Path) -> None:
    da.load("planar-2r").inverse_dynamics([0, 0], [0, 0], [0, 0])
    before = mapped(tmp_path)
    for k in range(3):
        arm = da.load("planar-2r").with_gravity((0, -1.0 - k, 0))
        arm.inverse_dynamics([0, 0], [0, 0], [0, 0])
        del arm
    assert mapped(tmp_path) <= before

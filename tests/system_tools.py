"""What tests need beside Python: a browser, a second compiler, a checker of C, the driver of a GPU."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

INSTALLER = Path(__file__).parents[1] / "scripts" / "install-tool"


def system_tool(command: str, package: str, find: Callable[[], str | None] | None = None) -> str:
    """A command, or the test is left out and says so; in CI it is installed, and its lack is a failure."""
    find = find or (lambda: shutil.which(command))
    path, fault = find(), ""
    if path is None and os.environ.get("CI") and shutil.which("apt-get"):
        done = subprocess.run(["sh", str(INSTALLER), command, package], capture_output=True, text=True, check=False)
        path, fault = find(), done.stderr.strip()[-500:]
        if path is None:
            pytest.fail(f"no {command} in CI, and {INSTALLER.name} did not bring one: {fault}")
    if path is None:
        pytest.skip(f"NOT tested: no {command} on this machine; run scripts/{INSTALLER.name} {command} {package}")
    return path


def has_gpu_driver() -> bool:
    """Whether kernels for NVIDIA GPUs can be tried here."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True

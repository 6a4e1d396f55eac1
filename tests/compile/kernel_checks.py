"""Kernels held to the graph they are made of, and programs that stand in for the compiler."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from dalembert.arm.io.files import read
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

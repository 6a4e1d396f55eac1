"""Outputs of studies that other processes import by name."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np

MARK = "DALEMBERT_TEST_MARK"
"""Environment variable with a file; while it is not there, whoever works something out makes it and dies."""


def held_load(system: Any) -> float:
    """Gravity load of the second joint at zero."""
    return float(system.gravity_load(np.zeros(system.n))[1])


def dies_once(system: Any) -> float:
    """The same, in the second process that is asked for it."""
    mark = Path(os.environ[MARK])
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return held_load(system)


def always_dies(system: Any) -> float:
    """No process survives a payload above one kilogram."""
    if any(float(load.mass) > 1 for _, load in system.loads):
        os.kill(os.getpid(), signal.SIGKILL)
    return held_load(system)


def odd_fails(system: Any) -> float:
    """Refuses some designs with a reason, and has an error of its own for others."""
    mass = float(system.loads[0][1].mass)
    if mass > 2:
        raise ValueError("too heavy")
    return float("nan") if mass > 1 else mass


def no_such_file(system: Any) -> float:
    """Asks for a file whose name has a byte in it that is no character."""
    return float(open(os.fsdecode(b"\xff.urdf")).read())


def without_a_word(system: Any) -> float:
    """An error that says nothing."""
    raise RuntimeError

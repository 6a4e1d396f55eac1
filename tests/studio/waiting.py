"""Waiting for what happens in other threads and in browsers."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def until(true: Callable[[], Any], seconds: float = 60.0, pause: float = 0.02) -> bool:
    """Whether something comes true in time (s)."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(pause)
    return False

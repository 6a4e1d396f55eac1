"""The kernels behind the numeric methods of an arm."""

from __future__ import annotations

from collections.abc import Callable

from ..arm.description import ArmDescription
from . import build
from .kernel import Kernel


def numeric(arm: ArmDescription, name: str, refuse: Callable[..., None] | None = None) -> Kernel | None:
    """A kernel for the method ``name`` of this arm; None without a compiler or for an arm without moving joints.

    Compiled at its first call; the arm keeps it. ``refuse`` is called with the arguments by name where one of them,
    or a result of a division, is not finite; it is expected to raise.
    """
    if arm.n == 0:
        return None
    try:
        build.find()
    except build.CompileError as fault:
        build.say_slow(fault)
        return None
    return Kernel(arm, name, refuse=refuse)

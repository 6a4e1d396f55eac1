"""How the questions of an arm are answered: by a kernel made at its first use, or over floats with NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.description import ArmDescription
from ..arm.lazy_arrays import is_lazy, mapped
from ..compile import build, joint_recursion, resistances
from ..compile.code_length import MOST_UNASKED, expected_statements
from ..compile.functions import DIVIDING, KINEMATIC, function
from ..compile.kernel import Kernel
from ..compile.locks import ForkSafeLock
from ..compile.undetermined import refuse_dependent, refuse_massless
from ..formulations.system import SystemOverRing
from ..rings.real import REAL
from .arrays import evaluate, joint_array
from .refusals import refuse_infinite

Array = NDArray[np.float64]
Call = Callable[..., Any]

FEW_COUPLED = 48
"""Joints up to which the full factors of D of joints that are coupled by drives, or follow others, are code."""
PATIENCE = 100
"""Calls over floats after which a function becomes Python text; by then they took about as long as writing it does."""
_MAKING = ForkSafeLock()


class EvaluatedArm(ArmDescription):
    """The physics of an arm over floats, and its compiled functions."""

    @cached_property
    def over_reals(self) -> SystemOverRing:
        """The physics of this system over floats and arrays of floats."""
        return SystemOverRing(self, REAL)

    @cached_property
    def _massive(self) -> SystemOverRing:
        """The same, once it is sure that something in it has mass."""
        refuse_massless(self)
        return self.over_reals

    @cached_property
    def _kernels(self) -> dict[str, Call | None]:
        return {}

    @cached_property
    def _calls(self) -> dict[str, int]:
        """How often a function was computed over floats for want of a compiler."""
        return {}

    def _kernel(self, name: str) -> Call | None:
        """The compiled function ``name``, made at its first use, or None where it is computed over floats.

        Without a compiler it becomes Python text (``emit_python.py``) once it was asked for often enough.
        """
        try:
            kernel = self._kernels[name]
            if kernel is None and self.n and not build.available():
                self._calls[name] = self._calls.get(name, 0) + 1
                if self._calls[name] == PATIENCE:
                    with _MAKING:
                        kernel = self._kernels[name] = self._new_kernel(name, partial(self._refuse, name))
            return kernel
        except KeyError:
            if name not in KINEMATIC:
                _ = self._massive
            if name in DIVIDING:
                refuse_dependent(self)
            with _MAKING:  # threads that ask at once share one kernel, and so one run of the compiler
                if name not in self._kernels:
                    self._kernels[name] = self._compiled(name, partial(self._refuse, name))
                return self._kernels[name]

    def _too_long(self, name: str) -> bool:
        """Whether the code of a function would be too long, so that NumPy computes it, from others where it can."""
        if name == "forward_dynamics" and (self.counts_drives or self.followers) and self.n > FEW_COUPLED:
            return True
        return expected_statements(self, name) > MOST_UNASKED

    def _compiled(self, name: str, refuse: Callable[..., None] | None) -> Call | None:
        """The kernel where there is a compiler."""
        return self._new_kernel(name, refuse) if self.n and build.available() else None

    def _new_kernel(self, name: str, refuse: Callable[..., None] | None) -> Call | None:
        """The kernel; a load in the hand is an argument of it, so that one kernel serves all loads."""
        if joint_recursion.fits(self, name) and build.available():
            return Kernel(function(self, name), refuse=refuse).fast
        if resistances.fits(self, name) and build.available():
            return resistances.in_two_parts(self, refuse)
        if name == "forward_dynamics_derivatives" and self.n > joint_recursion.FEW_JOINTS[name]:
            return None  # products with D^-1, whose number grows with the cube of the joints, are left to LAPACK
        if self._too_long(name):
            if name != "forward_dynamics" or not joint_recursion.fits(self, "mass_matrix"):
                build.warn_once(
                    f"{self.name}: {name} of {self.n} joints is computed with NumPy, since its code would be too long"
                )
            return None
        if name in KINEMATIC or self.tool_link not in dict(self.loads) or self.body_of[self.tool_link][0] < 0:
            return Kernel(function(self, name), refuse=refuse, patient=True).fast
        empty = replace(self, loads=tuple((link, load) for link, load in self.loads if link != self.tool_link))
        kernel = Kernel(function(empty, name, "load"), refuse=refuse, patient=True).fast
        values = np.array([float(x) for x in dict(self.loads)[self.tool_link].body.parameters])
        return lambda *arrays: kernel(*arrays, values)

    def _refuse(self, function: str, **arguments: Array) -> None:
        """Say which argument is not finite, or else why a result is not."""
        arguments.pop("parameters", None)
        for name, values in arguments.items():
            joint_array(self, name, values)
        refuse_infinite(self, arguments["q"], function in DIVIDING, tuple(arguments))

    def _evaluate(self, function: Callable[..., Any], **arguments: ArrayLike) -> Any:
        return self._explained(function, False, arguments)

    def _divided(self, function: Callable[..., Any], **arguments: ArrayLike) -> Any:
        """The same for what needs the inverse of D."""
        return self._explained(function, True, arguments)

    def _explained(self, function: Callable[..., Any], divided: bool, arguments: dict[str, ArrayLike]) -> Any:
        """Over floats, where a result that is not finite is explained."""
        if is_lazy(*arguments.values()):
            on_chunk = lambda *x: self._explained(function, divided, dict(zip(arguments, x, strict=True)))  # noqa: E731
            return mapped(on_chunk, *arguments.values())
        arrays = [(name, joint_array(self, name, values)) for name, values in arguments.items()]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            result = evaluate(function, arrays)
        if not all(np.isfinite(table).all() for table in (result if isinstance(result, tuple) else (result,))):
            refuse_infinite(self, arguments["q"], divided, tuple(arguments))
        return result

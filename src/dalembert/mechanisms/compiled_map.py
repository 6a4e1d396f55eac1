"""A mechanism in machine code: positions, accelerations and loads in its coordinates, each one straight-line kernel.

Single states and batches over SIMD lanes. States near a singularity, and values that are not finite, are left to the
caller: each kernel gives the ``spread`` of [G^w_phi] with its results, and a state where it is large is not answered.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..compile.kernel import Kernel
from ..compile.shared_library import Caller
from ..rings.graph import reachable
from ..systems.arrays import vector_array
from .batch import Array
from .mechanism_functions import mechanism_function
from .position import TOLERANCE, closed

if TYPE_CHECKING:
    from .assembly import Assembly

LARGEST_SPREAD = 1e16
"""Square of the condition of [G^w_phi] above which a state is not answered here."""
LARGEST_CODE = 60_000
"""Operations of a function beyond which a compiler takes minutes."""
STEPS = 10
"""Of Newton before a position is left to the search with a line search."""


class CompiledMap:
    """Kernels of an assembly, compiled as they are asked for."""

    def __init__(self, assembly: Assembly) -> None:
        self.assembly = assembly
        self._kernels: dict[str, Kernel] = {}
        self._short: dict[str, bool] = {}
        self._calls: dict[str, tuple[Caller, list[tuple[int]], tuple[Array, ...]]] = {}
        self._unloaded = np.zeros(assembly.m)

    def __getstate__(self) -> dict[str, object]:
        return self.__dict__ | {"_calls": {}}  # calls go by addresses of this process

    def kernel(self, name: str) -> Kernel:
        """The kernel of a function of ``mechanism_functions``."""
        if name not in self._kernels:
            self._kernels[name] = Kernel(mechanism_function(self.assembly, name), refuse=_refuse)
        return self._kernels[name]

    def is_short(self, name: str) -> bool:
        """True if the code of a function is short enough to be worth its compilation: P* of many joints is not."""
        if name not in self._short:
            self._short[name] = len(reachable(self.kernel(name).function.nodes)) <= LARGEST_CODE
        return self._short[name]

    def answer(self, name: str, slow: Callable[..., Array], *inputs: ArrayLike) -> Array | None:
        """The result of a kernel; states it does not answer come from ``slow`` of their rows.

        None where the arguments do not fit, or where the one state that is asked is not answered.
        """
        kernel = self.kernel(name)
        arguments = inputs if len(inputs) == len(kernel.arguments) else (*inputs, self._unloaded)
        for x, (_, width) in zip(arguments, kernel.arguments, strict=True):
            shape = x.shape if isinstance(x, np.ndarray) else np.shape(x)
            if not shape or shape[-1] != width:
                return None
        result, spread = kernel.fast(*arguments)
        if spread.ndim == 1:
            return result if spread[0] < LARGEST_SPREAD and math.isfinite(result.sum()) else None
        good = _answered(spread, result)
        if not good.all():
            rows = [np.broadcast_to(np.asarray(x, dtype=float), (*good.shape, np.shape(x)[-1]))[~good] for x in inputs]
            result[~good] = slow(*rows)
        return np.asarray(result)

    def single_state(self, name: str, *inputs: ArrayLike) -> Array | None:
        """The result of a kernel for one state given as arrays of floats, in as few steps as can be; else None."""
        try:
            call, widths, unloaded = self._calls[name]
        except KeyError:
            kernel = self.kernel(name)
            call, widths = kernel.fast, [(width,) for _, width in kernel.arguments]
            unloaded = (self._unloaded,) if kernel.arguments[-1][0] == "joint_load" else ()
            self._calls[name] = call, widths, unloaded
        for x, shape in zip(inputs, widths, strict=False):
            if type(x) is not np.ndarray or x.shape != shape:
                return None
        result, spread = call(*inputs, *unloaded)
        good = spread[0] < LARGEST_SPREAD and math.isfinite(sum(result.ravel().tolist()))
        return result if good else None

    def tables(self, name: str, *inputs: Array) -> tuple[Array, ...] | None:
        """All results of a kernel but the spread, of flat batches; None if it does not answer for all states."""
        *results, spread = self.kernel(name)(*inputs)
        return tuple(results) if _answered(spread, results[-1]).all() else None

    # -- positions ------------------------------------------------------------------------------

    def condition(self, phi: Array) -> float:
        """Condition of [G^w_phi] at one configuration ``(m,)``, from below."""
        return float(np.sqrt(self.kernel("newton_step")(phi, np.zeros(self.assembly.n))[2][0]))

    def newton_single(self, guess: Array, target: Array) -> NewtonRun | None:
        """The same from one configuration ``(m,)``, without the cost of batches; None where it does not converge."""
        step = self.kernel("newton_step").fast
        tolerance = TOLERANCE * (1 + max(map(abs, target.tolist()), default=0.0))
        following, residual, spread, side, aligned = step(guess, target)
        phi, first, start = guess, following, side[0]
        worst = np.abs(residual).max()
        for _ in range(STEPS):
            if not worst > tolerance:
                break
            phi = following
            following, residual, spread, side, aligned = step(phi, target)
            worst = np.abs(residual).max()
        if not worst <= 10 * tolerance:
            return None
        small = np.abs(following - phi).max() < 1e-10
        return NewtonRun(
            (following if small else phi)[None],
            first[None],
            np.array([min(aligned.tolist()) > 0]),
            np.sqrt(spread),
            np.array([start * side[0] > 0]),
        )

    def newton(self, guess: Array, target: Array) -> NewtonRun:
        """Steps of Newton from joints ``(b, m)`` towards coordinates ``(b, n)``, all states together."""
        return newton_run(self.kernel("newton_step"), guess, target)


def _answered(spread: Array, result: Array) -> NDArray[np.bool_]:
    """Where a result counts: far enough from a singularity, and finite."""
    good = np.asarray(spread[..., 0] < LARGEST_SPREAD)
    return good & np.isfinite(result).all(axis=tuple(range(good.ndim, result.ndim)))


def _refuse(**arguments: Array) -> None:
    """An argument that is not finite, in a sentence; a result that is not finite is the caller's to judge."""
    for name, values in arguments.items():
        vector_array(values.shape[-1], name, values, "joint" if name in ("phi", "joint_load") else "coordinate")


def _worst(residual: Array) -> Array:
    return np.abs(residual).max(axis=1, initial=0.0)


@dataclass(frozen=True)
class NewtonRun:
    """What steps of Newton found: joints ``phi``, those after the ``first`` step, and where they are ``closed``.

    ``condition`` is that of [G^w_phi] at the end, from below; ``same_side``: its determinant has kept its sign, which
    says something where no constraint is redundant.
    """

    phi: Array
    first: Array
    closed: NDArray[np.bool_]
    condition: Array
    same_side: NDArray[np.bool_]


def newton_run(step: Callable[..., tuple[Array, ...]], guess: Array, target: Array, *parameters: Array) -> NewtonRun:
    """Steps of Newton by a kernel ``newton_step`` from joints ``(b, m)`` towards coordinates ``(b, n)``."""
    size = 1 + np.abs(target).max(axis=1, initial=0.0)
    phi = guess.copy()
    outputs = step(phi, target, *parameters)
    following, residual, spread, side, aligned = outputs
    first, start = following.copy(), side.copy()
    remaining = np.flatnonzero(_worst(residual) > TOLERANCE * size)
    for _ in range(STEPS):
        if not len(remaining):
            break
        phi[remaining] = following[remaining]
        updates = step(phi[remaining], target[remaining], *(x[remaining] for x in parameters))
        for output, update in zip(outputs, updates, strict=True):
            output[remaining] = update
        remaining = remaining[_worst(residual[remaining]) > TOLERANCE * size[remaining]]
    # A last step, which is known, takes off what differences would see; near singularities it is rounding.
    small = np.abs(following - phi).max(axis=1, initial=0.0) < 1e-10
    return NewtonRun(
        np.where(small[:, None], following, phi),
        first,
        closed(_worst(residual) / size) & (aligned > 0).all(axis=1),
        np.sqrt(spread[:, 0]),
        (start * side)[:, 0] > 0,
    )

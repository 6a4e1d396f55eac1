"""``Kernel``: a compiled function, called on arrays of any batch shape."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache, partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.array_input import common_shape, refuse_masked, traced_remedy
from ..arm.errors import ArmError
from ..arm.lazy_arrays import is_lazy, mapped
from . import shared_library
from .emit_c import Program
from .emit_python import LONGEST, StraightPython
from .function import Function
from .kernel_code import KernelCode
from .operations import Operations, count

DTYPES = ("float64", "float32")
CHUNK = 64
"""Threads share a batch in multiples of this many states."""
PIECE = 4096
"""States per pass where NumPy computes."""


class Kernel:
    """A compiled function, called on arrays of any batch shape.

    Call it like the method of the same name. Arguments broadcast against each other; ``out`` takes the results
    (one array, or a tuple of them), ``threads`` the number of threads to share a batch. Values that are not finite
    pass through: a state with NaN or infinity in it gives what the arithmetic makes of them, and no other state is
    touched. With ``refuse``, that function is called with the arguments instead, where one of them or a result is
    not finite.
    Compiled at the first call, once for single states and once for batches, and kept on disk. A ``patient`` kernel runs
    its program as a table (``tape.py``) at first, and is compiled once that has taken about as long as a compiler
    would have; every call gives the same bits.
    """

    def __init__(
        self,
        function: Function,
        dtype: str = "float64",
        refuse: Callable[..., None] | None = None,
        patient: bool = False,
    ) -> None:
        if dtype not in DTYPES:
            raise ArmError(f'dtype may be "float64" or "float32", not {dtype!r}')
        self.function, self.name, self.dtype = function, function.name, np.dtype(dtype)
        self.arguments, self.shapes = function.arguments, function.shapes
        self._refuse = refuse
        widths = tuple(width for _, width in self.arguments)
        self.fast: shared_library.Caller = shared_library.caller_type()(
            widths, self.shapes, self.dtype.num, int(refuse is not None), self._call
        )
        """The call itself, without the wrapper: the shortest way for single states in a loop."""
        self.code = KernelCode(function, self.dtype, self.fast, patient)

    def __reduce__(self) -> tuple[Any, ...]:
        return Kernel, (self.function, self.dtype.name, self._refuse, self.code.patient)

    def __repr__(self) -> str:
        return f"<Kernel {self.name} of {self.function.label!r}, {self.dtype.name}>"

    # -- calling --------------------------------------------------------------------------------

    def __call__(self, *arrays: ArrayLike, out: Any = None, threads: int = 1) -> Any:
        if out is None and threads == 1:
            return self.fast(*arrays)
        return self._call(*arrays, out=out, threads=threads)

    def _call(self, *arrays: ArrayLike, out: Any = None, threads: int = 1) -> Any:
        """Any arguments: check, convert, broadcast, then compute; Dask arrays chunk by chunk, later."""
        if is_lazy(*arrays):
            if out is not None:
                raise ArmError("out takes results that are computed now; leave it out with Dask arrays")
            return mapped(partial(self._call, threads=threads), *arrays)
        if out is None and self.code.is_missing("single") and self._is_single_state(arrays):
            return self._single_in_python(arrays)
        rows, flat, batch = self._rows(arrays)
        size = math.prod(batch)
        results = self._outputs(out, batch)
        straight = [_direct(result, size, shape, rows) for result, shape in zip(results, self.shapes, strict=True)]
        computed = tuple(
            np.empty((size, math.prod(shape)), self.dtype) if target is None else target
            for target, shape in zip(straight, self.shapes, strict=True)
        )
        not_finite = self._run(flat, computed, None if batch == () else size, threads)
        for result, target, rows_of_result, shape in zip(results, straight, computed, self.shapes, strict=True):
            if target is None:
                result[...] = rows_of_result.reshape(*batch, *shape)
        if not_finite and self._refuse is not None:
            self._refuse(**{name: array for (name, _), array in zip(self.arguments, rows, strict=True)})
        return results[0] if len(results) == 1 else results

    def _rows(self, arrays: Sequence[Any]) -> tuple[list[NDArray[Any]], tuple[NDArray[Any], ...], tuple[int, ...]]:
        """The arguments, checked; the same as rows of states; and the shape of their batch."""
        named = [
            (name, self._array(name, width, values))
            for (name, width), values in zip(self.arguments, self._all_arguments(arrays), strict=True)
        ]
        batch, checked = common_shape(named), [array for _, array in named]
        return checked, tuple(_flat(array, batch, math.prod(batch)) for array in checked), batch

    def _is_single_state(self, arrays: Sequence[Any]) -> bool:
        """Whether these are one state as it is computed: plain arrays of this kernel's type."""
        return self.straight is not None and all(
            type(array) is np.ndarray and array.dtype == self.dtype and array.shape == (width,)
            for array, (_, width) in zip(self._all_arguments(arrays), self.arguments, strict=True)
        )

    def _single_in_python(self, arrays: Sequence[Any]) -> Any:
        """One state in Python, with nothing to convert: checks would take longer than the computing."""
        assert self.straight is not None
        values = [x for array in self._all_arguments(arrays) for x in array.tolist()]
        outputs = self.straight.one(values)
        if self._refuse is not None and not math.isfinite(sum(values) + outputs.sum()):
            self._refuse(**{name: array for (name, _), array in zip(self.arguments, arrays, strict=False)})
        bounds = np.cumsum([math.prod(shape) for shape in self.shapes])[:-1] if len(self.shapes) > 1 else ()
        parts = np.split(outputs, bounds) if len(bounds) else [outputs]
        results = tuple(part.reshape(shape).astype(self.dtype) for part, shape in zip(parts, self.shapes, strict=True))
        return results[0] if len(results) == 1 else results

    def _run(
        self, flat: tuple[NDArray[Any], ...], computed: tuple[NDArray[Any], ...], size: int | None, threads: int
    ) -> int:
        """Compute ``size`` states, or None for a single state without a batch axis; 1 if something was not finite."""
        if isinstance(threads, bool) or not isinstance(threads, int) or threads < 0:
            raise ArmError(f"threads must be a number of threads, or 0 for all processors, not {threads!r}")
        if size == 0:
            return 0
        if not self.code.is_ready("single" if size is None else "batch", size or 1):
            return self._in_numpy(flat, computed, self._in_python)
        if size is None:
            return int(self._single_state(flat, computed))
        count = min(threads or os.cpu_count() or 1, -(-size // CHUNK))
        if count <= 1:
            return self.fast.chunk(flat, computed, 0, size)
        step = -(-size // (count * CHUNK)) * CHUNK
        bounds = [(begin, min(begin + step, size)) for begin in range(0, size, step)]
        jobs = [_pool(count).submit(self.fast.chunk, flat, computed, *bound) for bound in bounds[1:]]
        not_finite = self.fast.chunk(flat, computed, *bounds[0])
        return not_finite | max(job.result() for job in jobs)

    def _single_state(self, flat: tuple[NDArray[Any], ...], computed: tuple[NDArray[Any], ...]) -> bool:
        arrays = tuple(np.ascontiguousarray(array[0]) for array in flat)
        self.fast.bind(arrays, tuple(result[0] for result in computed), None)()
        return not all(np.isfinite(array).all() for array in (*arrays, *computed))

    @cached_property
    def straight(self) -> StraightPython | None:
        """The program as Python, for where there is no compiler; None where that would be too long a text."""
        program = Program(self.function)
        return StraightPython(program) if len(program.order) <= LONGEST else None

    def _in_python(self, flat: tuple[NDArray[Any], ...]) -> NDArray[np.float64]:
        """All outputs as columns, without a compiler."""
        if self.straight is None:
            return self.function.over_floats(flat)
        if len(flat[0]) == 1:
            return self.straight.one([x for array in flat for x in array[0].tolist()])[None]
        return self.straight.many(np.concatenate(flat, axis=1).T.astype(np.float64)).T

    def _in_numpy(
        self,
        flat: tuple[NDArray[Any], ...],
        computed: tuple[NDArray[Any], ...],
        evaluated: Callable[[tuple[NDArray[Any], ...]], NDArray[np.float64]],
    ) -> int:
        """The results by what ``evaluated`` makes of the arguments; in pieces, to bound the memory."""
        not_finite = 0
        for begin in range(0, len(computed[0]), PIECE):
            states = slice(begin, begin + PIECE)
            table = evaluated(tuple(array[states] for array in flat))
            column = 0
            for result in computed:
                result[states] = table[:, column : column + result.shape[1]]
                column += result.shape[1]
            not_finite |= not (np.isfinite(table).all() and all(np.isfinite(array[states]).all() for array in flat))
        return not_finite

    def in_numpy(self, *arrays: ArrayLike) -> Any:
        """The same results by NumPy: the reference of the compiled code."""
        _, flat, batch = self._rows(arrays)
        computed = tuple(np.empty((math.prod(batch), math.prod(shape)), self.dtype) for shape in self.shapes)
        self._in_numpy(flat, computed, self.function.over_floats)
        results = tuple(
            rows_of_result.reshape(*batch, *shape) for rows_of_result, shape in zip(computed, self.shapes, strict=True)
        )
        return results[0] if len(results) == 1 else results

    def bind(self, *arrays: NDArray[Any], out: Any = None) -> Callable[[], Any]:
        """A call without arguments, for control loops: reads these arrays, writes ``out``, allocates nothing.

        The arrays are one state each, contiguous and of the kernel's type; fill them in place before each call.
        Without ``out`` the results are arrays of its own, the same at every call. ``out`` must not share memory
        with the arguments.
        """
        arguments = self._all_arguments(arrays)
        for (name, width), array in zip(self.arguments, arguments, strict=True):
            if not isinstance(array, np.ndarray) or array.shape != (width,) or array.dtype != self.dtype:
                raise ArmError(f"{name} must be a {self.dtype.name} array of {width} numbers to be bound to")
            if not array.flags.c_contiguous or not array.flags.aligned:
                raise ArmError(f"{name} must be contiguous in memory to be bound to")
        results = self._outputs(out, ())
        for result in results:
            if not result.flags.c_contiguous or any(np.may_share_memory(result, array) for array in arguments):
                raise ArmError("out must be contiguous and share no memory with the arguments to be bound to")
        answer = results[0] if len(results) == 1 else results
        flat = tuple(result.reshape(-1) for result in results)
        if self.code.is_ready("single"):
            return self.fast.bind(tuple(arguments), flat, answer)

        def bound() -> Any:
            self._in_numpy(
                tuple(array[None] for array in arguments), tuple(result[None] for result in flat), self._in_python
            )
            return answer

        return bound

    def _all_arguments(self, arrays: Sequence[Any]) -> list[Any]:
        """The arguments, the parameters of the description in place of left out ones."""
        if len(arrays) == len(self.arguments):
            return list(arrays)
        if self.function.parameters.names and len(arrays) == len(self.arguments) - 1:
            return [*arrays, self.default_parameters]
        names = ", ".join(name for name, _ in self.arguments)
        raise ArmError(f"{self.name} takes {len(self.arguments)} arguments ({names}), got {len(arrays)}")

    def _array(self, name: str, width: int, values: ArrayLike) -> NDArray[Any]:
        refuse_masked(name, values)
        try:
            array = np.asarray(values)
            if array.dtype.kind not in "fiub":
                raise TypeError
            array = np.require(array, self.dtype, "A")
        except (TypeError, ValueError):
            remedy = traced_remedy(values)
            raise ArmError(f"{name} must be real numbers, {width} of them last, got {values!r:.80}{remedy}") from None
        if array.shape[-1:] != (width,):
            plural = "numbers" if name == "parameters" else "joints"
            raise ArmError(f"{name} must end in {width} {plural}, got {array.shape}")
        return array

    def _outputs(self, out: Any, batch: tuple[int, ...]) -> tuple[NDArray[Any], ...]:
        if out is None:
            flat = self.fast.results(math.prod(batch))
            return tuple(array.reshape(*batch, *shape) for array, shape in zip(flat, self.shapes, strict=True))
        outputs = out if isinstance(out, tuple) else (out,)
        if len(outputs) != len(self.shapes):
            raise ArmError(f"{self.name} gives {len(self.shapes)} results; out must be a tuple of as many arrays")
        for array, shape in zip(outputs, self.shapes, strict=True):
            full_shape = (*batch, *shape)
            if not isinstance(array, np.ndarray) or array.shape != full_shape or array.dtype != self.dtype:
                raise ArmError(f"out must be a {self.dtype.name} array of shape {full_shape}")
            if not array.flags.writeable:
                raise ArmError("out is read-only; give an array that can be written")
        for a, b in combinations(outputs, 2):
            if _overlap(a, b):
                raise ArmError(
                    "arrays of out share memory, so that one result would go over another; give each its own"
                )
        return outputs

    # -- what it is -----------------------------------------------------------------------------

    def address(self) -> int | None:
        """Where ``int kernel_single(const double *const *in, double *const *out)`` is in memory; None if not compiled.

        For loops in C that call it; the kernel must live as long as they run.
        """
        return self.code.address("single")

    @property
    def compiled(self) -> bool:
        """Whether single states run compiled code; compiles it if that was not done yet."""
        return self.code.is_compiled("single")

    @property
    def program(self) -> Program:
        """The graph of the function as a sequence of statements, for the C emitters."""
        return self.code.program

    @property
    def operations(self) -> Operations:
        """Operations per state."""
        return count(self.function.nodes)

    @property
    def source(self) -> str:
        """The C of the kernel for batches."""
        return self.code.source("batch")

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the numbers that are inputs, in their order."""
        return self.function.parameters.names

    @cached_property
    def default_parameters(self) -> NDArray[Any]:
        """The values that the description has for ``parameter_names``."""
        return np.array(self.function.parameters.values, self.dtype)


def _overlap(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Whether two arrays share memory; True as well where that is too hard to tell."""
    try:
        return bool(np.shares_memory(a, b, max_work=10_000))  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def _flat(array: NDArray[Any], batch: tuple[int, ...], size: int) -> NDArray[Any]:
    """The array as ``size`` rows: a view where its strides allow, else a copy."""
    width = array.shape[-1]
    if array.ndim == 1:
        return np.broadcast_to(array, (size, width))
    return np.broadcast_to(array, (*batch, width)).reshape(size, width)


def _direct(
    result: NDArray[Any], size: int, shape: tuple[int, ...], inputs: Sequence[NDArray[Any]]
) -> NDArray[Any] | None:
    """The result as rows to compute into, or None where its layout or an overlap with an input forbids that."""
    if any(np.may_share_memory(result, array) for array in inputs):
        return None
    if result.flags.c_contiguous:
        return result.reshape(size, math.prod(shape))
    return None


@lru_cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="dalembert")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # the threads of the parent do not come along

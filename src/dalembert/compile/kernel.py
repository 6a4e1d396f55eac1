"""``Kernel``: a compiled function, called on arrays of any batch shape."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache, partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.array_input import refuse_masked
from ..arm.errors import ArmError
from ..arm.lazy_arrays import is_lazy, mapped
from ..rings.graph import evaluate
from ..rings.real import REAL
from . import build, cache, interpreter, shared_library
from .emit_batch import batch_source
from .emit_c import Program
from .emit_python import LONGEST, StraightPython
from .emit_recursion import recursion_source
from .emit_single import single_source
from .function import Function
from .locks import ForkSafeLock
from .operations import Operations, count

DTYPES = ("float64", "float32")
CHUNK = 64
"""Threads share a batch in multiples of this many states."""
PIECE = 4096
"""States per pass where NumPy computes."""
LARGE = 4000
"""Statements beyond which the compiler optimises less, to keep its time down."""


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
        self._lock = ForkSafeLock()
        self._ready: dict[str, bool] = {}
        self._patient = patient
        self._sought: set[str] = set()
        self._table: bool | None = None
        self._looped: bool | None = None
        self._addresses: dict[str, int] = {}
        widths = tuple(width for _, width in self.arguments)
        self.fast: shared_library.Caller = shared_library.caller_type()(
            widths, self.shapes, self.dtype.num, int(refuse is not None), self._call
        )
        """The call itself, without the wrapper: the shortest way for single states in a loop."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Kernel, (self.function, self.dtype.name, self._refuse, self._patient)

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
        if out is None and self._ready.get("single") is False and self._is_single_state(arrays):
            return self._single_in_python(arrays)
        rows = [
            self._array(name, width, values)
            for (name, width), values in zip(self.arguments, self._all_arguments(arrays), strict=True)
        ]
        try:
            batch = np.broadcast_shapes(*(array.shape[:-1] for array in rows))
        except ValueError:
            shapes = ", ".join(f"{name} {array.shape}" for (name, _), array in zip(self.arguments, rows, strict=True))
            raise ArmError(f"these batches do not broadcast against each other: {shapes}") from None
        size = math.prod(batch)
        flat = tuple(_flat(array, batch, size) for array in rows)
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
        if not self._prepare("single" if size is None else "batch", size or 1):
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
            return self._evaluated(flat)
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

    def _evaluated(self, flat: tuple[NDArray[Any], ...]) -> NDArray[np.float64]:
        """All outputs as columns, node by node in NumPy: the reference of everything else."""
        values: dict[str, Any] = {}
        for (_, names), array in zip(self.function.inputs, flat, strict=True):
            values |= {name: array[:, k].astype(float) for k, name in enumerate(names)}
        with np.errstate(all="ignore"):
            outputs = evaluate(self.function.nodes, values, REAL)
        return np.stack([np.broadcast_to(np.asarray(x, float), (len(flat[0]),)) for x in outputs], axis=-1)

    def in_numpy(self, *arrays: ArrayLike) -> Any:
        """The same results by NumPy: the reference of the compiled code."""
        rows = [
            self._array(*argument, values)
            for argument, values in zip(self.arguments, self._all_arguments(arrays), strict=True)
        ]
        batch = np.broadcast_shapes(*(array.shape[:-1] for array in rows))
        size = math.prod(batch)
        computed = tuple(np.empty((size, math.prod(shape)), self.dtype) for shape in self.shapes)
        self._in_numpy(tuple(_flat(array, batch, size) for array in rows), computed, self._evaluated)
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
        if self._prepare("single"):
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
            raise ArmError(f"{name} must be real numbers, {width} of them last, got {values!r:.80}") from None
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

    # -- compiling ------------------------------------------------------------------------------

    def _prepare(self, form: str, states: int | None = None) -> bool:
        """Have the code for one state or for a batch ready; False, after one line of warning, where it cannot be.

        A patient kernel may compute ``states`` by its table instead; a function that is a recursion needs no code.
        """
        if self._by_loop():
            return True
        if form not in self._ready:
            with self._lock:
                if states is not None and self._patient and self._by_table(form, states):
                    return True
                if form not in self._ready:
                    self._ready[form] = self._load(form)
        return self._ready[form] or bool(self._table)

    def _by_loop(self) -> bool:
        """Whether the function is computed by a loop over the table of its arm."""
        if self._looped is None:
            with self._lock:
                if self._looped is None:
                    by_loop = self.function.recursion
                    self._looped = by_loop is not None and by_loop(self.fast, self.dtype)
        return self._looped

    def _by_table(self, form: str, states: int) -> bool:
        """Whether so many states are computed by the table: there is no code yet, and it does not pay to make it."""
        if form not in self._sought:
            self._sought.add(form)
            try:
                if cache.stored(self._key(form)) is not None:
                    return False
            except build.CompileError:
                return False
        if self._table is None:
            self._table = interpreter.attached(self.fast, self.program, self.dtype)
        return self._table and form not in self._ready and bool(self.fast.afford(form == "batch", states))

    def _load(self, form: str) -> bool:
        try:
            path = cache.library(self._key(form), lambda _: self._built(form))
            library = shared_library.CompiledLibrary(path)
            self._addresses[form] = library.address(f"kernel_{form}")
            self.fast.attach(form, self._addresses[form], library)
        except build.CompileError as fault:
            build.warn_slow(fault)
            return False
        return True

    def address(self) -> int | None:
        """Where ``int kernel_single(const double *const *in, double *const *out)`` is in memory; None if not compiled.

        For loops in C that call it; the kernel must live as long as they run.
        """
        return self._addresses["single"] if self._prepare("single") and self._ready.get("single") else None

    @property
    def compiled(self) -> bool:
        """Whether single states run compiled code; compiles it if that was not done yet."""
        return self._prepare("single") and (self._by_loop() or self._ready["single"])

    def _key(self, form: str) -> str:
        facts = (
            "2", code_digest(), self.function.identity, str(self.dtype), form, build.find().identity,
            " ".join(build.BASE_FLAGS), build.machine(),
        )  # fmt: skip
        return hashlib.sha256("\0".join(facts).encode()).hexdigest()

    def _built(self, form: str) -> Path:
        """The library of its code. Functions that differ only in numbers which are arguments have the same code."""
        flags = (*interpreter.FLAGS, *(("-O1",) if len(self.program.order) > LARGE else ()))
        return shared_library.built_library(self._text(form), flags, verify=partial(self._verify, form))

    def _text(self, form: str) -> str:
        emit = single_source if form == "single" else batch_source
        return emit(self.program, self.dtype.name)

    def _verify(self, form: str, library: shared_library.CompiledLibrary) -> None:
        """One state against the same graph in NumPy: a compiler that gets it wrong is not used."""
        rng = np.random.default_rng(0)
        flat = tuple(trial.astype(self.dtype) for trial in self.function.trials(rng, CHUNK, 1.0))
        if self.function.parameters.names:
            flat = (*flat[:-1], np.tile(self.default_parameters, (CHUNK, 1)))
        results = tuple(np.zeros((CHUNK, math.prod(shape)), self.dtype) for shape in self.shapes)
        caller = shared_library.CtypesCaller((), (), 0, 0, self._call)
        caller.attach(form, library.address(f"kernel_{form}"), library)
        if form == "batch":
            caller.chunk(flat, results, 0, CHUNK)
        else:
            caller.bind(tuple(a[0] for a in flat), tuple(a[0] for a in results), None)()
        rows = CHUNK if form == "batch" else 1
        expected = self._evaluated(flat)[:rows]
        computed = np.concatenate(results, axis=1)[:rows]
        usable = np.isfinite(expected)
        scale = np.abs(expected[usable]).max(initial=1.0)
        tolerance = 1e-6 if self.dtype == np.float64 else 1e-2
        if not (np.abs(computed[usable] - expected[usable]) <= tolerance * scale).all():
            raise build.CompileError(f"the C compiler {build.find().command[0]} built a kernel that computes wrongly")

    # -- what it is -----------------------------------------------------------------------------

    @cached_property
    def program(self) -> Program:
        """The graph of the function as a sequence of statements, for the C emitters."""
        return Program(self.function, fused=True)

    @property
    def operations(self) -> Operations:
        """Operations per state."""
        return count(self.function.nodes)

    @property
    def source(self) -> str:
        """The C of the kernel for batches."""
        return recursion_source(self.dtype.name) if self._by_loop() else self._text("batch")

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


@lru_cache
def code_digest() -> str:
    """Digest of the code that shapes kernels: another version of it builds other kernels."""
    root = Path(__file__).resolve().parents[1]
    code = hashlib.sha256()
    try:
        for room in ("arm", "rings", "formulations", "compile", "mechanisms"):
            for file in sorted((root / room).rglob("*.[pc]*")):
                if file.suffix in (".py", ".c"):
                    code.update(file.read_bytes())
    except OSError as fault:
        raise build.CompileError(f"the code of dalembert cannot be read: {fault}") from None
    return code.hexdigest()

"""Compiled functions as Python callables: by a small extension module where Python's headers exist, else ctypes."""

from __future__ import annotations

import _ctypes
import ctypes
import hashlib
import importlib.machinery
import importlib.util
import sys
import sysconfig
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from . import build, cache

Shape = tuple[int, ...]
_POINTER, _SIZE = ctypes.c_void_p, ctypes.c_ssize_t


class Caller(Protocol):
    """Calls one kernel on arrays, once its compiled functions are attached."""

    def __call__(self, *arrays: Any, **options: Any) -> Any: ...

    def attach(self, form: str, address: int, library: CompiledLibrary) -> None:
        """Attaches the compiled function "single" or "batch" at this address of a library, which is kept loaded."""

    def afford(self, batch: bool, count: int) -> bool:
        """Whether so many states are computed by a table (``interpreter.py``); they count as if they were."""

    def results(self, count: int) -> tuple[Any, ...]:
        """Uninitialised result arrays for ``count`` states."""

    def chunk(self, arrays: tuple[Any, ...], results: tuple[Any, ...], begin: int, end: int) -> int:
        """Runs the batch function on states ``begin`` to ``end``; non-zero if a value is not finite."""

    def bind(self, arrays: tuple[Any, ...], results: tuple[Any, ...], result: Any) -> Callable[[], Any]:
        """A function without arguments that runs the single-state function on these fixed arrays."""


class CtypesCaller:
    """The Caller of the extension module in Python, slower by the overhead of ctypes."""

    def __init__(
        self, widths: tuple[int, ...], shapes: tuple[Shape, ...], number: int, strict: int, slow: Callable[..., Any]
    ) -> None:
        self.shapes, self.type = shapes, np.dtype(np.float64 if number == np.dtype(np.float64).num else np.float32)
        self.slow = slow
        self._libraries: dict[str, CompiledLibrary] = {}
        self._single: Any = None
        self._batch: Any = None

    def attach(self, form: str, address: int, library: CompiledLibrary) -> None:
        """Attaches the compiled function "single" or "batch" at this address of a library, which is kept loaded."""
        self._libraries[form] = library
        if form == "single":
            self._single = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, _POINTER)(address)
        else:
            self._batch = ctypes.CFUNCTYPE(ctypes.c_int, *(_POINTER,) * 5, *(_SIZE,) * 3)(address)

    def attach_tape(
        self, single: int, batch: int, table: int, owner: tuple[Any, CompiledLibrary], singles: float, states: float
    ) -> None:
        """Attaches functions that read a table, which is their first argument, for as many states as there will be."""
        single_function = ctypes.CFUNCTYPE(ctypes.c_int, *(_POINTER,) * 3)(single)
        batch_function = ctypes.CFUNCTYPE(ctypes.c_int, *(_POINTER,) * 6, *(_SIZE,) * 3)(batch)
        self._libraries["single"] = self._libraries["batch"] = owner[1]
        self._single, self._batch = partial(single_function, table), partial(batch_function, table)
        self._owner = owner

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        return self.slow(*arrays, **options)

    def afford(self, batch: bool, count: int) -> bool:
        """False: tables are run by the extension module alone."""
        return False

    def results(self, count: int) -> tuple[Any, ...]:
        """Uninitialised result arrays for ``count`` states."""
        return tuple(np.empty((count, *shape), self.type) for shape in self.shapes)

    def chunk(self, arrays: tuple[Any, ...], results: tuple[Any, ...], begin: int, end: int) -> int:
        """Runs the batch function on states ``begin`` to ``end``; non-zero if a value is not finite."""
        inputs, outputs = len(arrays), len(results)
        return int(
            self._batch(
                (_POINTER * inputs)(*(a.ctypes.data for a in arrays)),
                (_SIZE * inputs)(*(a.strides[0] for a in arrays)),
                (_SIZE * inputs)(*(a.strides[1] for a in arrays)),
                (_POINTER * outputs)(*(a.ctypes.data for a in results)),
                (_SIZE * outputs)(*(a.strides[0] for a in results)),
                begin,
                end,
                len(arrays[0]),
            )
            if begin < end
            else 0
        )

    def bind(self, arrays: tuple[Any, ...], results: tuple[Any, ...], result: Any) -> Callable[[], Any]:
        """A function without arguments that runs the single-state function on these fixed arrays."""
        inputs = (_POINTER * len(arrays))(*(a.ctypes.data for a in arrays))
        outputs = (_POINTER * len(results))(*(a.ctypes.data for a in results))
        single, references = self._single, (arrays, results, self._libraries["single"], getattr(self, "_owner", None))

        def bound() -> Any:
            single(inputs, outputs)
            return result

        bound.held = references  # type: ignore[attr-defined]
        return bound


def uncallable(*_: object) -> None:
    """Stands for a caller's slower way where there is none: the code is checked before anything else computes."""
    raise build.CompileError("the compiled code cannot be called")


CALLER = tuple(
    Path(__file__).with_name(f"{name}.c") for name in ("caller_kernel", "caller_results", "caller_bound", "caller")
)
"""The parts of the extension module, compiled as one text in this order."""
_callers: list[type] = []


def caller_type() -> type:
    """The Caller of the extension module, built and cached like a kernel; CtypesCaller where that fails."""
    if not _callers:
        type_ = _caller_type()
        if type_ is CtypesCaller:
            return type_  # not stored: a compiler may become available later
        _callers.append(type_)
    return _callers[0]


def _caller_type() -> type:
    """The Caller of the extension module, or CtypesCaller."""
    include = sysconfig.get_paths()["include"]
    if not (Path(include) / "Python.h").is_file():
        return CtypesCaller
    source = "\n".join(part.read_text(encoding="utf-8") for part in CALLER)
    flags = ("-O2", f"-I{include}", f"-I{np.get_include()}")
    if sys.platform == "darwin":
        flags = (*flags, "-undefined", "dynamic_lookup")
    try:
        library = built_library(source, flags, sys.version, str(sysconfig.get_config_var("SOABI")), np.__version__)
        caller: type = _module(library).Caller
        return caller
    except (build.CompileError, ImportError):
        return CtypesCaller  # slower, with the same results; the kernel reports a missing compiler


def _module(library: Path) -> Any:
    """The extension module of this library."""
    loader = importlib.machinery.ExtensionFileLoader("_dalembert_caller", str(library))
    spec = importlib.util.spec_from_file_location("_dalembert_caller", library, loader=loader)
    if spec is None:
        raise ImportError(f"{library} is no module")
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def built_library(
    source: str, flags: Sequence[str], *facts: str, verify: Callable[[CompiledLibrary], None] | None = None
) -> Path:
    """The library of a C text, built once and kept under its text and flags, the compiler, the processor and ``facts``.

    ``verify`` looks at it before it is kept, and raises ``CompileError`` where it computes wrongly.
    """
    compiler = build.find()
    shaped_by = (*facts, source, *build.BASE_FLAGS, *flags, compiler.identity, build.machine())

    def verified(folder: Path) -> Path:
        path = build.compiled(compiler, source, folder, flags)
        if verify is not None:
            verify(CompiledLibrary(path))
        return path

    return cache.library(hashlib.sha256("\0".join(shaped_by).encode()).hexdigest(), verified)


class CompiledLibrary(ctypes.CDLL):
    """A compiled library, unloaded with the last object that refers to it or to one of its functions."""

    def __init__(self, path: Path) -> None:
        try:
            super().__init__(str(path))
        except OSError as fault:
            raise build.CompileError(f"the compiled code cannot be loaded: {fault}") from None
        # Not at exit: threads may still be in it, and the process gives everything back anyway.
        weakref.finalize(self, _unload, self._handle).atexit = False

    def address(self, function: str) -> int:
        """The address of a function; whoever keeps it keeps the library."""
        try:
            return ctypes.cast(self[function], _POINTER).value or 0
        except AttributeError as fault:
            raise build.CompileError(f"the compiled code cannot be used: {fault}") from None


def _unload(handle: int) -> None:
    close = getattr(_ctypes, "dlclose", None) or getattr(_ctypes, "FreeLibrary")  # noqa: B009 (Windows only)
    close(handle)

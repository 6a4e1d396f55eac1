"""Compiled functions as Python callables: a small extension module where Python's headers are there, else ctypes."""

from __future__ import annotations

import ctypes
import hashlib
import importlib.machinery
import importlib.util
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from . import build, cache

Shape = tuple[int, ...]
_POINTER, _SIZE = ctypes.c_void_p, ctypes.c_ssize_t


class Caller(Protocol):
    """Calls kernels on arrays; made for one kernel, with the compiled functions attached when they are there."""

    def __call__(self, *arrays: Any, **options: Any) -> Any: ...

    def attach(self, which: str, address: int) -> None: ...

    def results(self, count: int) -> tuple[Any, ...]: ...

    def chunk(self, arrays: tuple[Any, ...], results: tuple[Any, ...], begin: int, end: int) -> int: ...

    def bind(self, arrays: tuple[Any, ...], results: tuple[Any, ...], result: Any) -> Callable[[], Any]: ...


class CtypesCaller:
    """The same as the extension module's Caller, in Python: slower by the time ctypes takes."""

    def __init__(
        self, widths: tuple[int, ...], shapes: tuple[Shape, ...], number: int, strict: int, slow: Callable[..., Any]
    ) -> None:
        self.shapes, self.type = shapes, np.dtype(np.float64 if number == np.dtype(np.float64).num else np.float32)
        self.slow = slow
        self._single: Any = None
        self._batch: Any = None

    def attach(self, which: str, address: int) -> None:
        if which == "single":
            self._single = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, _POINTER)(address)
        else:
            self._batch = ctypes.CFUNCTYPE(ctypes.c_int, *(_POINTER,) * 5, *(_SIZE,) * 3)(address)

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        return self.slow(*arrays, **options)

    def results(self, count: int) -> tuple[Any, ...]:
        return tuple(np.empty((count, *shape), self.type) for shape in self.shapes)

    def chunk(self, arrays: tuple[Any, ...], results: tuple[Any, ...], begin: int, end: int) -> int:
        inside, outside = len(arrays), len(results)
        return int(
            self._batch(
                (_POINTER * inside)(*(a.ctypes.data for a in arrays)),
                (_SIZE * inside)(*(a.strides[0] for a in arrays)),
                (_SIZE * inside)(*(a.strides[1] for a in arrays)),
                (_POINTER * outside)(*(a.ctypes.data for a in results)),
                (_SIZE * outside)(*(a.strides[0] for a in results)),
                begin,
                end,
                len(arrays[0]),
            )
            if begin < end
            else 0
        )

    def bind(self, arrays: tuple[Any, ...], results: tuple[Any, ...], result: Any) -> Callable[[], Any]:
        inside = (_POINTER * len(arrays))(*(a.ctypes.data for a in arrays))
        outside = (_POINTER * len(results))(*(a.ctypes.data for a in results))
        single, held = self._single, (arrays, results)

        def bound() -> Any:
            single(inside, outside)
            return result

        bound.held = held  # type: ignore[attr-defined]
        return bound


_callers: list[type] = []


def caller_type() -> type:
    """The extension module's Caller, built and cached like a kernel; CtypesCaller where that cannot be."""
    if not _callers:
        found = _caller_type()
        if found is CtypesCaller:
            return found  # not for ever: a compiler may be switched on later
        _callers.append(found)
    return _callers[0]


def _caller_type() -> type:
    include = sysconfig.get_paths()["include"]
    if not (Path(include) / "Python.h").is_file():
        return CtypesCaller
    source = Path(__file__).with_name("caller.c").read_text(encoding="utf-8")
    flags = ("-O2", f"-I{include}", f"-I{np.get_include()}")
    if sys.platform == "darwin":
        flags = (*flags, "-undefined", "dynamic_lookup")
    try:
        compiler = build.find()
        facts = [source, *flags, sys.version, str(sysconfig.get_config_var("SOABI")), np.__version__, compiler.identity]
        key = hashlib.sha256("\0".join([*facts, build.machine()]).encode()).hexdigest()
        library = cache.library(key, lambda folder: build.compiled(compiler, source, folder, flags))
        made: type = _module(library).Caller
        return made
    except (build.CompileError, ImportError):
        return CtypesCaller  # slower calls, same results; a compiler that is missing is reported by the kernel


def _module(library: Path) -> Any:
    loader = importlib.machinery.ExtensionFileLoader("_dalembert_caller", str(library))
    spec = importlib.util.spec_from_file_location("_dalembert_caller", library, loader=loader)
    if spec is None:
        raise ImportError(f"{library} is no module")
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


_loaded: list[ctypes.CDLL] = []


def address(library: Path, function: str) -> int:
    """Where a function of a compiled library stands in memory. The library stays loaded."""
    try:
        opened = ctypes.CDLL(str(library))
        found = ctypes.cast(getattr(opened, function), _POINTER).value
    except (OSError, AttributeError) as fault:
        raise build.CompileError(f"the compiled kernel cannot be loaded: {fault}") from None
    _loaded.append(opened)
    return found or 0

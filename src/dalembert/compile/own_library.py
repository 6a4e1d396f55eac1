"""C sources of this package as libraries, built once on a machine and kept like every kernel."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from . import build, cache
from .shared_library import CompiledLibrary

Signatures: TypeAlias = Mapping[str, tuple[Any, Sequence[Any]]]
"""The type of the result and of the arguments of each function."""
_libraries: dict[tuple[Path, build.Compiler, str], Any] = {}


def own_library(source: Path, signatures: Signatures) -> Any:
    """The library of a C source that lies beside its module; None where there is no compiler, which is said once."""
    try:
        key = (source, build.find(), build.machine())
        if key not in _libraries:
            _libraries[key] = _built(*key, signatures)
    except build.CompileError as fault:
        build.warn_slow(fault)
        return None
    return _libraries[key]


def _built(source: Path, compiler: build.Compiler, machine: str, signatures: Signatures) -> Any:
    text = source.read_text(encoding="utf-8")
    key = hashlib.sha256("\0".join((source.stem, compiler.identity, machine, text)).encode()).hexdigest()
    library = CompiledLibrary(cache.library(key, lambda folder: build.compiled(compiler, text, Path(folder), ("-O3",))))
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, list(arguments)
    return library


def verified_library(source: str, flags: Sequence[str], verify: Callable[[CompiledLibrary], None]) -> CompiledLibrary:
    """The library of a C text that ``verify`` passes when it is built, and raises ``CompileError`` of otherwise."""
    compiler = build.find()
    facts = (source, *build.BASE_FLAGS, *flags, compiler.identity, build.machine())

    def built(folder: Path) -> Path:
        path = build.compiled(compiler, source, folder, flags)
        verify(CompiledLibrary(path))
        return path

    return CompiledLibrary(cache.library(hashlib.sha256("\0".join(facts).encode()).hexdigest(), built))


def pointer(array: Any) -> ctypes.c_void_p | None:
    """Where an array is in memory; null for None."""
    return None if array is None else ctypes.c_void_p(array.ctypes.data)

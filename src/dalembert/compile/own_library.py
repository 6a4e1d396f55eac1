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
_libraries: dict[tuple[tuple[Path, ...], build.Compiler, str], Any] = {}


def own_library(*sources: Path, signatures: Signatures, constants: Mapping[str, float] | None = None) -> Any:
    """The library of C sources that lie beside their module, compiled as one text after its ``constants``, which C and
    Python share; None where there is no compiler, which is said once.
    """
    try:
        key = (sources, build.find(), build.machine())
        if key not in _libraries:
            _libraries[key] = _built(*key, signatures, constants or {})
    except build.CompileError as fault:
        build.warn_slow(fault)
        return None
    return _libraries[key]


def _built(
    sources: Sequence[Path], compiler: build.Compiler, machine: str, signatures: Signatures,
    constants: Mapping[str, float],
) -> Any:  # fmt: skip
    defines = [f"#define {name} {value}" for name, value in constants.items()]
    text = "\n".join([*defines, *(source.read_text(encoding="utf-8") for source in sources)])
    key = hashlib.sha256("\0".join((sources[-1].stem, compiler.identity, machine, text)).encode()).hexdigest()
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

"""C sources of this package as libraries, built once on a machine and kept like every kernel."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from . import build
from .shared_library import CompiledLibrary, built_library

Signatures: TypeAlias = Mapping[str, tuple[Any, Sequence[Any]]]
"""The type of the result and of the arguments of each function."""
FLAGS = ("-O3",)
_libraries: dict[tuple[tuple[Path, ...], build.Compiler, str], Any] = {}


def own_library(*sources: Path, signatures: Signatures, constants: Mapping[str, float] | None = None) -> Any:
    """The library of C sources that lie beside their module, compiled as one text after its ``constants``, which C and
    Python share; None where there is no compiler, which is said once.
    """
    try:
        key = (sources, build.find(), build.machine())
        if key not in _libraries:
            _libraries[key] = _loaded(sources, signatures, constants or {})
    except build.CompileError as fault:
        build.warn_slow(fault)
        return None
    return _libraries[key]


def _loaded(sources: Sequence[Path], signatures: Signatures, constants: Mapping[str, float]) -> Any:
    defines = [f"#define {name} {value}" for name, value in constants.items()]
    text = "\n".join([*defines, *(source.read_text(encoding="utf-8") for source in sources)])
    library = CompiledLibrary(built_library(text, FLAGS))
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, list(arguments)
    return library


def pointer(array: Any) -> ctypes.c_void_p | None:
    """Where an array is in memory; null for None."""
    return None if array is None else ctypes.c_void_p(array.ctypes.data)

"""Functions of long arms by recursions over a table of joints: no code is made for an arm, only its table.

Straight-line code grows with the pairs of joints, and so do the compiler's time and the instructions to be fetched. A
loop (``emit_recursion.py``) is built once on a machine; what distinguishes arms are the numbers it reads.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..formulations.chain import Chain
from ..formulations.newton_euler import second_moments
from ..rings.real import REAL
from . import build, cache, shared_library
from .emit_recursion import FUNCTIONS, recursion_source
from .recursion_steps import FIXED, MOVE, UPPER

FLAGS = ("-ffp-contract=off", "-O3")
_POINTERS = (
    "fixed", "rest", "ratios", "parent", "revolute", "rows", "coordinates", "above_rows", "above", "below_rows",
    "below", "places",
)  # fmt: skip
_libraries: dict[str, shared_library.CompiledLibrary] = {}


class RecursionLayout(ctypes.Structure):
    """``struct Recursion`` of the C functions."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in _POINTERS),
        *((name, ctypes.c_int32) for name in ("n", "joints", "plain", "full")),
    )


class Recursion:
    """The table of a chain over floats, with ``rows`` of A where joints follow others: (coordinate, ratio) each."""

    def __init__(self, chain: Chain, n: int, rows: Sequence[Sequence[tuple[int, float]]] | None, dtype: Any) -> None:
        self.n = n
        fixed = np.zeros((chain.n, FIXED))
        for row, segment in zip(fixed, chain.segments, strict=True):
            second = second_moments(segment.tensor, REAL)
            row[:9], row[9:12] = np.ravel(segment.rotation), segment.position
            row[12], row[13:16], row[16:] = segment.mass, segment.moment, [second[i][j] for i, j in UPPER]
        rest = np.zeros(MOVE)
        rest[:9], rest[21:] = np.eye(3).ravel(), [-float(g) for g in chain.gravity]
        paths = [path[:-1] for path in chain.paths] if rows is None else [tuple(range(k)) for k in range(n)]
        below: list[list[int]] = [[] for _ in range(n)]
        for k, path in enumerate(paths):
            for i in path:
                below[i].append(k)
        coupled = rows if rows is not None else [[(k, 1.0)] for k in range(n)]
        self.arrays: dict[str, NDArray[Any]] = {
            "fixed": fixed.astype(dtype),
            "rest": rest.astype(dtype),
            "ratios": np.array([ratio for row in coupled for _, ratio in row], dtype),
            "parent": np.array([segment.parent for segment in chain.segments], np.int32),
            "revolute": np.array([segment.revolute for segment in chain.segments], np.int32),
            **_lists("rows", "coordinates", [[c for c, _ in row] for row in coupled]),
            **_lists("above_rows", "above", paths),
            **_lists("below_rows", "below", below),
            "places": np.arange(n * n, dtype=np.int32),
        }
        full = sum(map(len, paths)) == n * (n - 1) // 2
        self.layout = RecursionLayout(
            *(self.arrays[name].ctypes.data for name in _POINTERS), n, chain.n, int(rows is None), int(full)
        )

    @property
    def address(self) -> int:
        """Where the ``struct Recursion`` is in memory."""
        return ctypes.addressof(self.layout)


def _lists(starts: str, entries: str, lists: Sequence[Sequence[int]]) -> dict[str, NDArray[Any]]:
    """Lists one after another, and where each begins."""
    return {
        starts: np.cumsum([0, *map(len, lists)]).astype(np.int32),
        entries: np.array([x for part in lists for x in part] or [0], np.int32),
    }


def library(dtype: np.dtype[Any]) -> shared_library.CompiledLibrary:
    """The library for numbers of this type."""
    if dtype.name not in _libraries:
        source, compiler = recursion_source(dtype.name), build.find()
        facts = (source, *build.BASE_FLAGS, *FLAGS, compiler.identity, build.machine())
        key = hashlib.sha256("\0".join(facts).encode()).hexdigest()

        def made(folder: Path) -> Path:
            return build.compiled(compiler, source, folder, FLAGS)

        _libraries[dtype.name] = shared_library.CompiledLibrary(cache.library(key, made))
    return _libraries[dtype.name]


def attach(caller: Any, name: str, table: Recursion, dtype: np.dtype[Any]) -> None:
    """Have ``caller`` compute the function ``name`` by this table."""
    assert name in FUNCTIONS
    code = library(dtype)
    addresses = (code.address(f"{name}_single"), code.address(f"{name}_batch"))
    caller.attach_tape(*addresses, table.address, (table, code), float("inf"), float("inf"))

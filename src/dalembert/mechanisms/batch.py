"""Formulations over whole batches: rows of numbers in, the columns through the real ring, arrays out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
NUMBERS = 24_000_000
"""Numbers in the second-order coefficients of all configurations of one pass; it bounds the memory."""


def through(function: Callable[..., Any], *arrays: Array) -> Any:
    """``function`` of the columns of each ``(b, n)`` array; its nested lists become arrays ``(b, ...)``."""
    count = arrays[0].shape[0]
    if count == 1:
        result = function(*([float(x) for x in array[0]] for array in arrays))
    else:
        result = function(*(list(np.ascontiguousarray(array.T)) for array in arrays))
    if isinstance(result, tuple):
        return tuple(_packed(part, count) for part in result)
    return _packed(result, count)


def _packed(result: Any, count: int) -> Array:
    if count == 1:
        return np.array(result, dtype=float)[None]
    shape, level = [], result
    while isinstance(level, list | tuple):
        shape.append(len(level))
        level = level[0] if level else None
    out = np.empty((*shape, count))
    for place in np.ndindex(*shape):
        entry = result
        for index in place:
            entry = entry[index]
        out[place] = entry
    return np.ascontiguousarray(np.moveaxis(out, -1, 0))


def in_pieces(function: Callable[..., Any], *arrays: Array) -> Any:
    """``function`` over pieces of the batch; its array, or tuple of arrays, put together again."""
    count, width = arrays[0].shape
    size = min(8192, max(256, NUMBERS // max(width, 1) ** 3))
    if count <= size:
        return function(*arrays)
    found = [function(*(array[start : start + size] for array in arrays)) for start in range(0, count, size)]
    if isinstance(found[0], tuple):
        return tuple(np.concatenate([part[k] for part in found]) for k in range(len(found[0])))
    return np.concatenate(found)

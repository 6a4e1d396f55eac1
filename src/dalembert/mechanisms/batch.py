"""Formulations over whole batches: rows of numbers in, the columns through the real ring, arrays out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..systems.arrays import evaluate

Array: TypeAlias = NDArray[Any]
NUMBERS = 24_000_000
"""Numbers in the second-order coefficients of all configurations of one pass; it bounds the memory."""


def over_columns(function: Callable[..., Any], *arrays: Array) -> Any:
    """``function`` of the columns of each ``(b, n)`` array; its nested lists become arrays ``(b, ...)``."""
    return evaluate(function, [("batch", array) for array in arrays])


def in_chunks(function: Callable[..., Any], *arrays: Array) -> Any:
    """``function`` over pieces of the batch; its array, or tuple of arrays, put together again."""
    count, width = arrays[0].shape
    size = min(8192, max(256, NUMBERS // max(width, 1) ** 3))
    if count <= size:
        return function(*arrays)
    chunks = [function(*(array[start : start + size] for array in arrays)) for start in range(0, count, size)]
    if isinstance(chunks[0], tuple):
        return tuple(np.concatenate([chunk[k] for chunk in chunks]) for k in range(len(chunks[0])))
    return np.concatenate(chunks)

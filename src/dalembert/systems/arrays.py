"""Arrays in, arrays out: check, broadcast over the batch, go through it in pieces, put results together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.array_input import common_shape, real_array
from ..arm.description import ArmDescription
from ..arm.errors import ArmError

PIECE = 4096
"""States per pass of the NumPy ring: the temporaries of a formulation stay within a few megabytes."""


def joint_array(arm: ArmDescription, name: str, values: ArrayLike) -> NDArray[np.float64]:
    """``values`` as finite floats whose last axis is the joints."""
    array = real_array(name, values, "numbers, one per joint")
    if array.shape[-1:] != (arm.n,):
        raise ArmError(f"{name} must end in {arm.n} joints, got {array.shape}")
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ArmError(
            f"{name} holds {array[where]} for joint {arm.joint_names[where[-1]]!r}"
            + (f" at state {list(where[:-1])}" if len(where) > 1 else "")
            + "; give finite values"
        )
    return array


def vector_array(n: int, name: str, values: ArrayLike, what: str = "joint") -> NDArray[np.float64]:
    """``values`` as finite floats whose last axis has ``n`` entries, one per ``what``."""
    array = real_array(name, values, f"numbers, one per {what}")
    if array.shape[-1:] != (n,):
        remedy = "; mechanism.position(q) gives all joints" if name == "phi" else ""
        raise ArmError(f"{name} must end in {n} entries, one per {what}; got shape {array.shape}{remedy}")
    if not np.isfinite(array).all():
        raise ArmError(f"{name} holds a value that is not finite; give finite values")
    return array


def one_state(n: int, name: str, values: ArrayLike, what: str = "joint") -> NDArray[np.float64]:
    """``values`` as one vector of ``n`` floats, where a batch has no answer."""
    vector = vector_array(n, name, values, what)
    if vector.ndim != 1:
        raise ArmError(f"{name} must be one state of {n} entries, one per {what}; got shape {vector.shape}")
    return vector


def broadcast(arrays: Sequence[tuple[str, NDArray[np.float64]]]) -> list[NDArray[np.float64]]:
    """The arguments as views of the batch shape they have in common."""
    batch = common_shape(arrays)
    return [np.broadcast_to(array, (*batch, array.shape[-1])) for _, array in arrays]


def joint_states(arm: ArmDescription, **arguments: ArrayLike) -> list[NDArray[np.float64]]:
    """Arguments by their names, one number per joint, as views of the batch shape they have in common."""
    return broadcast([(name, joint_array(arm, name, values)) for name, values in arguments.items()])


def evaluate(function: Callable[..., Any], arrays: Sequence[tuple[str, NDArray[np.float64]]]) -> Any:
    """``function`` of the columns of all arguments, over the whole batch, in pieces.

    ``function`` gets one list per argument: a number per column, floats for a single state and arrays for a
    piece of a batch. It gives a nested list of numbers, or a tuple of such; each becomes an array of the batch
    shape followed by the shape of the nest.
    """
    batch = common_shape(arrays)
    count = math.prod(batch)
    if count == 1:  # floats are several times as fast as arrays of one number
        single = function(*([float(x) for x in array.reshape(-1)] for _, array in arrays))
        return _single(single, batch)
    rows = [array.reshape(count, array.shape[-1]) for array in broadcast(arrays)]
    chunks = []
    for start in range(0, max(count, 1), PIECE):
        columns = [np.ascontiguousarray(array[start : start + PIECE].T) for array in rows]
        chunks.append(_packed(function(*(list(array) for array in columns)), columns[0].shape[-1]))
    if isinstance(chunks[0], tuple):
        return tuple(_joined([chunk[k] for chunk in chunks], batch) for k in range(len(chunks[0])))
    return _joined(chunks, batch)


def _joined(chunks: list[NDArray[np.float64]], batch: tuple[int, ...]) -> NDArray[np.float64]:
    joined = chunks[0] if len(chunks) == 1 else np.concatenate(chunks)
    return joined.reshape(*batch, *joined.shape[1:])


def _single(result: Any, batch: tuple[int, ...]) -> Any:
    if isinstance(result, tuple):
        return tuple(_single(table, batch) for table in result)
    array = np.array(result, dtype=np.float64)
    array = array.reshape((*batch, *array.shape))
    return array if array.shape else array[()]


def _packed(result: Any, count: int) -> Any:
    """Nested lists of numbers and arrays ``(count,)`` as arrays ``(count, ...)``; each entry is written in one run."""
    if isinstance(result, tuple):
        return tuple(_packed(table, count) for table in result)
    shape, level = [], result
    while isinstance(level, list):
        shape.append(len(level))
        level = level[0] if level else None
    array = np.empty((*shape, count))
    _fill(array, result)
    return np.ascontiguousarray(np.moveaxis(array, -1, 0))


def _fill(array: NDArray[np.float64], result: Any) -> None:
    if isinstance(result, list):
        for row, entry in zip(array, result, strict=True):
            _fill(row, entry)
    else:
        array[...] = result

"""Ring-level pages on arrays: joint columns in, stacked tables out, any leading batch shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError

Array = NDArray[np.float64]


def joint_values(n: int, name: str, values: ArrayLike, what: str = "joints") -> Array:
    """``values`` as finite floats whose last axis has length ``n``."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ArmError(f"{name} must be numbers, {n} {what}; got {values!r}") from None
    if array.shape[-1:] != (n,):
        raise ArmError(f"{name} must end in {n} {what}, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ArmError(f"{name} holds a value that is not finite; give finite values")
    return array


def over_batch(function: Callable[..., Any], *arrays: Array) -> Any:
    """``function`` of lists of columns: floats for one state, arrays for a batch; nests of numbers become arrays."""
    batch = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    if batch == ():
        columns = [array.tolist() for array in arrays]
    else:
        columns = [list(np.moveaxis(np.broadcast_to(a, (*batch, a.shape[-1])), -1, 0)) for a in arrays]
    return _stacked(function(*columns), batch)


def _stacked(nest: Any, batch: tuple[int, ...]) -> Any:
    if isinstance(nest, tuple):
        return tuple(_stacked(part, batch) for part in nest)
    shape: list[int] = []
    level = nest
    while isinstance(level, list):
        shape.append(len(level))
        level = level[0] if level else None
    found = np.empty((*batch, *shape))
    for place in np.ndindex(*shape):
        value = nest
        for index in place:
            value = value[index]
        found[(..., *place)] = value
    return found if found.shape else float(found)

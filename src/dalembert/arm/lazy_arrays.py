"""Dask arrays, chunk by chunk: a method of arrays asked of one answers with one, and computes nothing yet.

Dask is looked at only where it has been imported already: without it no array can be one of its own.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from .errors import ArmError

Kind = TypeVar("Kind", bound=type)

PROBE = 0.1
"""Where a method is asked once for the shape of its answers: a state like any other."""


def is_lazy(*arrays: object) -> bool:
    """Whether one of these is a Dask array."""
    dask = sys.modules.get("dask.array")
    return dask is not None and any(isinstance(array, dask.Array) for array in arrays)


def mapped(call: Callable[..., Any], *arrays: Any) -> Any:
    """``call`` of arrays whose last axis is that of joints, on each chunk of the batch, as Dask arrays.

    The last axis becomes one chunk; batches broadcast against each other, and so do their chunks.
    """
    import dask.array

    lazy: Any = dask.array

    given = [array if isinstance(array, lazy.Array) else lazy.from_array(np.asarray(array)) for array in arrays]
    for array in given:
        if array.ndim == 0 or array.dtype.kind not in "fiub":
            raise ArmError(f"a Dask array of states holds real numbers and ends in the joints; got {array!r:.100}")
    shapes = call(*(np.full((1, array.shape[-1]), PROBE) for array in given))
    several = isinstance(shapes, tuple)
    cores = [part.shape[1:] for part in (shapes if several else (shapes,))]
    inner = ",".join(f"(i{k})" for k in range(len(given)))
    outer = ",".join("(" + ",".join(f"o{k}d{axis}" for axis in range(len(core))) + ")" for k, core in enumerate(cores))
    sizes = {f"o{k}d{axis}": size for k, core in enumerate(cores) for axis, size in enumerate(core)}
    found = lazy.apply_gufunc(
        call, f"{inner}->{outer}", *given, output_sizes=sizes, allow_rechunk=True,
        output_dtypes=[np.float64] * len(cores) if several else np.float64,
    )  # fmt: skip
    return type(shapes)(*found) if hasattr(shapes, "_fields") else tuple(found) if several else found


def chunkwise(**methods: str) -> Callable[[Kind], Kind]:
    """A class whose ``methods``, by name, take these of their first arguments ("q qd") as Dask arrays, too."""

    def wrap(kind: Kind) -> Kind:
        for name, arguments in methods.items():
            setattr(kind, name, _chunkwise(getattr(kind, name), tuple(arguments.split())))
        return kind

    return wrap


def _chunkwise(method: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
    @functools.wraps(method)
    def wrapped(self: Any, *arguments: Any, **named: Any) -> Any:
        given = dict(zip(names, arguments, strict=False)) | {key: named[key] for key in names if key in named}
        if not is_lazy(*given.values()):
            return method(self, *arguments, **named)
        rest = arguments[len(names) :]
        others = {key: value for key, value in named.items() if key not in names}

        def call(*arrays: Any) -> Any:
            return method(self, *arrays, *rest, **others)

        return mapped(call, *(given[name] for name in names if name in given))

    return wrapped

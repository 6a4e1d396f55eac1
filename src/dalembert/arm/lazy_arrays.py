"""Dask arrays, chunk by chunk: a method of arrays asked of one answers with one, and computes nothing yet.

Dask is looked at only where it has been imported already: without it no array can be one of its own.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np

from .errors import ArmError
from .force import Force

Kind = TypeVar("Kind", bound=type)

PROBE = 0.1
"""Where a method is asked once for the shape of its results: a state like any other."""


def is_lazy(*arrays: object) -> bool:
    """Whether one of these is a Dask array."""
    dask = sys.modules.get("dask.array")
    return dask is not None and any(isinstance(array, dask.Array) for array in arrays)


def mapped(
    call: Callable[..., Any], *arrays: Any, axes: Sequence[int] | None = None, probes: Sequence[Any] | None = None
) -> Any:
    """``call`` of arrays whose last axis is that of joints, on each chunk of the batch, as Dask arrays.

    The last axis becomes one chunk; batches broadcast against each other, and so do their chunks. ``axes`` are how many
    last axes of each array are one state (of a pose, two), ``probes`` one state of each. What ``call`` returns is
    an array, or a tuple, table or data class of such; what of it has no batch is as it is at the probe.
    """
    import dask.array

    lazy: Any = dask.array

    inputs = [array if isinstance(array, lazy.Array) else lazy.from_array(np.asarray(array)) for array in arrays]
    state_axes = axes or [1] * len(inputs)
    for array, count in zip(inputs, state_axes, strict=True):
        if array.ndim < count or array.dtype.kind not in "fiub":
            raise ArmError(f"a Dask array of states holds real numbers and ends in the joints; got {array!r:.100}")
    _refuse_batches([array.shape[: array.ndim - count] for array, count in zip(inputs, state_axes, strict=True)])
    states = [
        np.asarray(probe) if probe is not None else np.full(array.shape[array.ndim - count :], PROBE)
        for array, count, probe in zip(inputs, state_axes, probes or [None] * len(inputs), strict=True)
    ]
    # Batches of one and of two states tell which arrays of the result have a batch axis.
    single, double = (call(*(np.stack([state] * count) for state in states)) for count in (1, 2))
    paths = [path for path, table in _arrays(single) if table.shape != _part_at(double, path).shape]
    tables = [_part_at(single, path) for path in paths]
    inner = ",".join(
        "(" + ",".join(f"i{k}d{axis}" for axis in range(count)) + ")" for k, count in enumerate(state_axes)
    )
    outer = ",".join(
        "(" + ",".join(f"o{k}d{axis}" for axis in range(table.ndim - 1)) + ")" for k, table in enumerate(tables)
    )
    sizes = {f"o{k}d{axis}": size for k, table in enumerate(tables) for axis, size in enumerate(table.shape[1:])}

    def on_chunks(*chunks: Any) -> Any:
        result = call(*chunks)
        parts = [_part_at(result, path) for path in paths]
        return tuple(parts) if len(parts) > 1 else parts[0]

    chunked = lazy.apply_gufunc(
        on_chunks, f"{inner}->{outer}", *inputs, output_sizes=sizes, allow_rechunk=True,
        output_dtypes=[table.dtype for table in tables] if len(tables) > 1 else tables[0].dtype,
    )  # fmt: skip
    return _with_arrays(single, dict(zip(paths, chunked if len(tables) > 1 else [chunked], strict=True)))


def _refuse_batches(batches: Sequence[tuple[float, ...]]) -> None:
    """Refuse batches that do not go together, or of which that cannot be told: Dask says nan where it does not know."""
    several = [batch for batch in batches if batch]
    if len(several) > 1 and any(np.isnan(length) for batch in several for length in batch):
        raise ArmError(
            "a Dask array of states has chunks of unknown length and cannot be matched with the others; ask each "
            "of them to compute_chunk_sizes() first"
        )
    if len(several) > 1:
        try:
            np.broadcast_shapes(*(tuple(map(int, batch)) for batch in several))
        except ValueError:
            raise ArmError(f"batches of Dask arrays must broadcast against each other; got {batches}") from None


Path = tuple[Any, ...]
"""Where an array stands in a result: names of fields, keys of tables, indices of tuples."""


def _parts(result: Any) -> list[tuple[Any, Any]]:
    """The parts of a result that is made of several."""
    if isinstance(result, dict):
        return list(result.items())
    if isinstance(result, tuple):
        return list(enumerate(result))
    if is_dataclass(result):
        return [(field.name, getattr(result, field.name)) for field in fields(result)]
    return []


def _arrays(result: Any, path: Path = ()) -> list[tuple[Path, Any]]:
    """All arrays of a result."""
    if isinstance(result, np.ndarray | np.generic):
        return [(path, result)]
    return [entry for key, part in _parts(result) for entry in _arrays(part, (*path, key))]


def _part_at(result: Any, path: Path) -> Any:
    for key in path:
        result = result[key] if isinstance(result, dict | tuple) else getattr(result, key)
    return np.asarray(result)


def _with_arrays(result: Any, new: dict[Path, Any], path: Path = ()) -> Any:
    """The result with these arrays at their paths."""
    if path in new:
        return new[path]
    parts = {key: _with_arrays(part, new, (*path, key)) for key, part in _parts(result)}
    if isinstance(result, dict):
        return parts
    if isinstance(result, tuple):
        return type(result)(*parts.values()) if hasattr(result, "_fields") else tuple(parts.values())
    return replace(result, **parts) if parts else result


def chunkwise(**methods: str) -> Callable[[Kind], Kind]:
    """A class whose ``methods``, by name, take these of their first arguments ("q qd") as Dask arrays, too.

    ``_lazy_probe(name)`` of the class, where it has one, is a state at which the shapes of results are asked. With
    ``_lazy_alone`` one chunk is worked out at a time: the class remembers where it was.
    """

    def wrap(kind: Kind) -> Kind:
        for name, arguments in methods.items():
            setattr(kind, name, _chunkwise(getattr(kind, name), tuple(arguments.split())))
        return kind

    return wrap


_alone = threading.RLock()


def _chunkwise(method: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
    @functools.wraps(method)
    def wrapped(self: Any, *arguments: Any, **named: Any) -> Any:
        if "dask.array" not in sys.modules or not is_lazy(*arguments, *named.values()):
            return method(self, *arguments, **named)
        states = dict(zip(names, arguments, strict=False)) | {key: named[key] for key in names if key in named}
        states = {name: value for name, value in states.items() if value is not None}
        if not is_lazy(*states.values()):
            return method(self, *arguments, **named)
        further = arguments[len(names) :]
        options = {key: value for key, value in named.items() if key not in names}
        _refuse_batched_forces(*further, *options.values())
        kind = type(self)
        probe, alone = getattr(kind, "_lazy_probe", None), getattr(kind, "_lazy_alone", False)

        def call(*arrays: Any) -> Any:
            with _alone if alone else contextlib.nullcontext():
                return method(
                    self,
                    **dict(zip(states, arrays, strict=True)),
                    **options,
                    **_further_arguments(method, names, further),
                )

        probes: list[Any] = [probe(self, name) if probe is not None else None for name in states]
        for k, (array, state) in enumerate(zip(states.values(), probes, strict=True)):
            if state is not None and np.shape(array)[-1:] != np.shape(state):
                probes[k] = None  # the method says what is wrong with it
        return mapped(call, *states.values(), probes=probes)

    return wrapped


def _refuse_batched_forces(*others: object) -> None:
    """Chunks of states are cut, and forces are not: each must be one vector for all states."""
    for argument in others:
        if isinstance(argument, dict):  # of a mechanism, by chains
            _refuse_batched_forces(*argument.values())
        for force in argument if isinstance(argument, list | tuple) else ():
            if isinstance(force, Force) and np.size(force.force) + np.size(force.moment) > 6:
                raise ArmError(
                    f"the force on link {force.link!r:.60} must be one vector where states are Dask arrays; apply the "
                    "method to NumPy arrays of states and forces, piece by piece"
                )


def _further_arguments(method: Callable[..., Any], names: tuple[str, ...], further: tuple[Any, ...]) -> dict[str, Any]:
    """Further arguments by their names."""
    if not further:
        return {}
    parameters = list(inspect.signature(method).parameters)[1 + len(names) :]
    return dict(zip(parameters, further, strict=False))

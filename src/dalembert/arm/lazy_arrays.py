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
"""Where a method is asked once for the shape of its answers: a state like any other."""


def is_lazy(*arrays: object) -> bool:
    """Whether one of these is a Dask array."""
    dask = sys.modules.get("dask.array")
    return dask is not None and any(isinstance(array, dask.Array) for array in arrays)


def mapped(
    call: Callable[..., Any], *arrays: Any, axes: Sequence[int] | None = None, probes: Sequence[Any] | None = None
) -> Any:
    """``call`` of arrays whose last axis is that of joints, on each chunk of the batch, as Dask arrays.

    The last axis becomes one chunk; batches broadcast against each other, and so do their chunks. ``axes`` are how many
    last axes of each array are one state (of a pose, two), ``probes`` one state of each. What ``call`` answers with is
    an array, or a tuple, table or data class of such; what of it has no batch is as it is at the probe.
    """
    import dask.array

    lazy: Any = dask.array

    given = [array if isinstance(array, lazy.Array) else lazy.from_array(np.asarray(array)) for array in arrays]
    own = axes or [1] * len(given)
    for array, count in zip(given, own, strict=True):
        if array.ndim < count or array.dtype.kind not in "fiub":
            raise ArmError(f"a Dask array of states holds real numbers and ends in the joints; got {array!r:.100}")
    _refuse_batches([array.shape[: array.ndim - count] for array, count in zip(given, own, strict=True)])
    states = [
        np.asarray(probe) if probe is not None else np.full(array.shape[array.ndim - count :], PROBE)
        for array, count, probe in zip(given, own, probes or [None] * len(given), strict=True)
    ]
    once, twice = (call(*(np.stack([state] * count) for state in states)) for count in (1, 2))
    paths = [path for path, table in _arrays(once) if table.shape != _at(twice, path).shape]
    tables = [_at(once, path) for path in paths]
    inner = ",".join("(" + ",".join(f"i{k}d{axis}" for axis in range(count)) + ")" for k, count in enumerate(own))
    outer = ",".join(
        "(" + ",".join(f"o{k}d{axis}" for axis in range(table.ndim - 1)) + ")" for k, table in enumerate(tables)
    )
    sizes = {f"o{k}d{axis}": size for k, table in enumerate(tables) for axis, size in enumerate(table.shape[1:])}

    def taken(*chunks: Any) -> Any:
        answer = call(*chunks)
        found = [_at(answer, path) for path in paths]
        return tuple(found) if len(found) > 1 else found[0]

    found = lazy.apply_gufunc(
        taken, f"{inner}->{outer}", *given, output_sizes=sizes, allow_rechunk=True,
        output_dtypes=[table.dtype for table in tables] if len(tables) > 1 else tables[0].dtype,
    )  # fmt: skip
    return _with(once, dict(zip(paths, found if len(tables) > 1 else [found], strict=True)))


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
"""Where an array stands in an answer: names of fields, keys of tables, places in tuples."""


def _parts(answer: Any) -> list[tuple[Any, Any]]:
    """The parts of an answer that is made of several."""
    if isinstance(answer, dict):
        return list(answer.items())
    if isinstance(answer, tuple):
        return list(enumerate(answer))
    if is_dataclass(answer):
        return [(field.name, getattr(answer, field.name)) for field in fields(answer)]
    return []


def _arrays(answer: Any, path: Path = ()) -> list[tuple[Path, Any]]:
    """All arrays of an answer."""
    if isinstance(answer, np.ndarray | np.generic):
        return [(path, answer)]
    return [found for key, part in _parts(answer) for found in _arrays(part, (*path, key))]


def _at(answer: Any, path: Path) -> Any:
    for key in path:
        answer = answer[key] if isinstance(answer, dict | tuple) else getattr(answer, key)
    return np.asarray(answer)


def _with(answer: Any, new: dict[Path, Any], path: Path = ()) -> Any:
    """The answer with these arrays in their places."""
    if path in new:
        return new[path]
    parts = {key: _with(part, new, (*path, key)) for key, part in _parts(answer)}
    if isinstance(answer, dict):
        return parts
    if isinstance(answer, tuple):
        return type(answer)(*parts.values()) if hasattr(answer, "_fields") else tuple(parts.values())
    return replace(answer, **parts) if parts else answer


def chunkwise(**methods: str) -> Callable[[Kind], Kind]:
    """A class whose ``methods``, by name, take these of their first arguments ("q qd") as Dask arrays, too.

    ``_lazy_probe(name)`` of the class, where it has one, is a state at which the shapes of answers are asked. With
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
        given = dict(zip(names, arguments, strict=False)) | {key: named[key] for key in names if key in named}
        given = {name: value for name, value in given.items() if value is not None}
        if not is_lazy(*given.values()):
            return method(self, *arguments, **named)
        rest = arguments[len(names) :]
        others = {key: value for key, value in named.items() if key not in names}
        _refuse_batched_forces(*rest, *others.values())
        kind = type(self)
        probe, alone = getattr(kind, "_lazy_probe", None), getattr(kind, "_lazy_alone", False)

        def call(*arrays: Any) -> Any:
            with _alone if alone else contextlib.nullcontext():
                return method(self, **dict(zip(given, arrays, strict=True)), **others, **_rest(method, names, rest))

        probes: list[Any] = [probe(self, name) if probe is not None else None for name in given]
        for k, (array, state) in enumerate(zip(given.values(), probes, strict=True)):
            if state is not None and np.shape(array)[-1:] != np.shape(state):
                probes[k] = None  # the method says what is wrong with it
        return mapped(call, *given.values(), probes=probes)

    return wrapped


def _refuse_batched_forces(*others: object) -> None:
    """Chunks of states are cut, and forces are not: each must be one vector for all states."""
    for given in others:
        if isinstance(given, dict):  # of a mechanism, by chains
            _refuse_batched_forces(*given.values())
        for force in given if isinstance(given, list | tuple) else ():
            if isinstance(force, Force) and np.size(force.force) + np.size(force.moment) > 6:
                raise ArmError(
                    f"the force on link {force.link!r:.60} must be one vector where states are Dask arrays; apply the "
                    "method to NumPy arrays of states and forces, piece by piece"
                )


def _rest(method: Callable[..., Any], names: tuple[str, ...], rest: tuple[Any, ...]) -> dict[str, Any]:
    """Further arguments by their names."""
    if not rest:
        return {}
    places = list(inspect.signature(method).parameters)[1 + len(names) :]
    return dict(zip(places, rest, strict=False))

"""``da.stream``: a function over files of states that are never read whole.

Rows come in blocks from .npy, .zarr and .parquet files, or from whatever has a shape and is sliced (a memory map, an
array of Zarr or HDF5), go through the function, and leave for the output file; memory holds a few blocks, however long
the stream is.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..arm.io.text_files import reason
from ..arm.io.whole_files import replacing
from .stream_inputs import SUFFIXES, Array, Source, opened, zarr_library
from .study_files import arrow_library

Progress = Callable[[int, int], None]

ROWS = 1 << 16
"""Rows of a block."""


def stream(
    function: Callable[..., Any],
    inputs: Sequence[Source],
    output: str | Path,
    *,
    rows: int = ROWS,
    progress: Progress | None = None,
) -> int:
    """``function`` of the rows of all ``inputs``, written to ``output`` (.npy, .zarr, .parquet); the number of rows.

    Inputs are as many rows each, ``(N, width)``; ``function`` takes a block of each, as ``arm.inverse_dynamics`` does,
    and gives one array with as many rows. The output stands in its place when all of it is written, or not at all.
    """
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise ArmError(f"rows of a block must be a whole number of at least 1, not {rows!r:.60}")
    target = Path(output)
    if target.suffix.lower() not in SUFFIXES:
        raise ArmError(f"{target}: a stream is written as {', '.join(SUFFIXES)}; give the file one of these endings")
    sources = [opened(source) for source in inputs]
    if not sources:
        raise ArmError("a stream needs at least one input")
    counts = {source.count for source in sources}
    if len(counts) > 1:
        raise ArmError(f"the inputs of a stream have as many rows each; these have {sorted(counts)}")
    total = counts.pop()
    with ExitStack() as stack:
        sink: Any = None
        done = 0
        for blocks in zip(*(source.blocks(rows) for source in sources), strict=True):
            results = _answer(function, blocks)
            if sink is None:
                shape = results.shape[1:]
                sink = stack.enter_context(_SINKS[target.suffix.lower()](target, (total, *shape), rows))
            elif results.shape[1:] != shape:
                raise ArmError(
                    f"the function of a stream gives rows of shape {results.shape[1:]} after rows of shape {shape}; "
                    "give rows of one shape"
                )
            sink.write(results)
            done += len(results)
            if progress is not None:
                progress(done, total)
        if sink is None:
            raise ArmError("the inputs of a stream have no rows; there is nothing to compute")
    return total


def _answer(function: Callable[..., Any], blocks: Sequence[Array]) -> NDArray[Any]:
    result = function(*blocks)
    if isinstance(result, tuple):
        raise ArmError("a stream has one output; give a function with one result, as in lambda q: f(q)[0]")
    if np.ndim(result) < 1 or len(result) != len(blocks[0]):
        raise ArmError(f"the function of a stream gives one row for each of {len(blocks[0])}; got {np.shape(result)}")
    results = np.asarray(result)
    if results.dtype.kind not in "fiub":
        raise ArmError(f"the function of a stream gives real numbers, not {results.dtype}")
    return results


class _NpySink:
    def __init__(self, path: Path, shape: tuple[int, ...], rows: int) -> None:
        self.shape, self.stack = shape, ExitStack()
        self.file = open(self.stack.enter_context(replacing(path)), "wb")  # noqa: SIM115

    def __enter__(self) -> _NpySink:
        head = {"descr": "<f8", "fortran_order": False, "shape": self.shape}
        np.lib.format.write_array_header_2_0(self.file, head)
        return self

    def write(self, block: Array) -> None:
        self.file.write(np.ascontiguousarray(block, dtype="<f8").data)

    def __exit__(self, *fault: Any) -> None:
        self.file.close()
        self.stack.__exit__(*fault)


class _ParquetSink:
    """Columns c0, c1, ... of the numbers of a row."""

    def __init__(self, path: Path, shape: tuple[int, ...], rows: int) -> None:
        self.arrow, self.stack = arrow_library(), ExitStack()
        self.schema = self.arrow.schema([(f"c{k}", self.arrow.float64()) for k in range(math.prod(shape[1:]))])
        beside = self.stack.enter_context(replacing(path))
        self.writer = self.arrow.parquet.ParquetWriter(beside, self.schema, write_page_checksum=True)

    def __enter__(self) -> _ParquetSink:
        return self

    def write(self, block: Array) -> None:
        flat = block.reshape(len(block), -1)
        arrays = [self.arrow.array(np.ascontiguousarray(column)) for column in flat.T]
        self.writer.write_table(self.arrow.Table.from_arrays(arrays, schema=self.schema))

    def __exit__(self, *fault: Any) -> None:
        self.writer.close()
        self.stack.__exit__(*fault)


class _ZarrSink:
    """A Zarr array whose chunks are the blocks; it gets its name when it is complete."""

    def __init__(self, path: Path, shape: tuple[int, ...], rows: int) -> None:
        if path.exists():
            raise ArmError(f"{path}: is there already; remove it, or name another")
        self.path, self.beside, self.done = path, path.with_name(f".{path.name}.part"), 0
        shutil.rmtree(self.beside, ignore_errors=True)
        chunks = (min(rows, shape[0]), *shape[1:])
        self.array = zarr_library().create_array(self.beside, shape=shape, chunks=chunks, dtype="f8")

    def __enter__(self) -> _ZarrSink:
        return self

    def write(self, block: Array) -> None:
        try:
            self.array[self.done : self.done + len(block)] = block
        except OSError as fault:
            raise ArmError(
                f"{self.path}: could not be written ({reason(fault)}); make room there, or name another file"
            ) from None
        self.done += len(block)

    def __exit__(self, kind: Any, *fault: Any) -> None:
        if kind is None:
            self.beside.replace(self.path)
        else:
            shutil.rmtree(self.beside, ignore_errors=True)


_SINKS: dict[str, Any] = {".npy": _NpySink, ".zarr": _ZarrSink, ".parquet": _ParquetSink}

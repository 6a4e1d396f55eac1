"""``da.stream``: a function over files of states that are never read whole.

Rows come in blocks from .npy, .zarr and .parquet files, or from whatever has a shape and is sliced (a memory map, an
array of Zarr or HDF5), go through the function, and leave for the output file; memory holds a few blocks, however long
the stream is.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..arm.io.text_files import reason
from ..arm.io.whole_files import replacing

Array = NDArray[np.float64]
Source: TypeAlias = Any
"""A file, (a .parquet file, its columns), or anything with a shape that is sliced."""
Progress = Callable[[int, int], None]

ROWS = 1 << 16
"""Rows of a block."""
SUFFIXES = (".npy", ".zarr", ".parquet")


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
    sources = [_opened(source) for source in inputs]
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
            results = np.asarray(_answer(function, blocks))
            if sink is None:
                sink = stack.enter_context(_SINKS[target.suffix.lower()](target, (total, *results.shape[1:]), rows))
            sink.write(results)
            done += len(results)
            if progress is not None:
                progress(done, total)
        if sink is None:
            raise ArmError("the inputs of a stream have no rows; there is nothing to compute")
    return total


def _answer(function: Callable[..., Any], blocks: Sequence[Array]) -> Any:
    result = function(*blocks)
    if isinstance(result, tuple):
        raise ArmError("a stream has one output; give a function with one result, as in lambda q: f(q)[0]")
    if np.ndim(result) < 1 or len(result) != len(blocks[0]):
        raise ArmError(f"the function of a stream gives one row for each of {len(blocks[0])}; got {np.shape(result)}")
    return result


# -- inputs -------------------------------------------------------------------------------------------


class _Sliced:
    """Anything with a shape that is sliced."""

    def __init__(self, array: Any, name: str) -> None:
        if len(array.shape) != 2:
            raise ArmError(f"{name}: an input of a stream has rows of numbers, (N, width); got shape {array.shape}")
        self.array, self.count, self.name = array, int(array.shape[0]), name

    def blocks(self, rows: int) -> Iterator[Array]:
        for first in range(0, self.count, rows):
            yield _real_numbers(self.array[first : first + rows], self.name)


class _Npy:
    """A .npy file, read block by block: a memory map would fill the memory with pages of the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with open(path, "rb") as file:
            try:
                version = np.lib.format.read_magic(file)
                read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
                shape, by_columns, self.dtype = read(file)
            except ValueError as fault:
                raise ArmError(f"{path}: is no .npy file ({fault!s:.100}); name another file") from None
            self.start = file.tell()
        if len(shape) != 2 or by_columns or self.dtype.kind not in "fiu":
            raise ArmError(
                f"{path}: an input of a stream holds rows of real numbers, (N, width), in C order; it has shape "
                f"{shape} of {self.dtype}{' by columns' if by_columns else ''}; save it as "
                "np.ascontiguousarray(array, float) with two axes"
            )
        self.count, self.width = shape

    def blocks(self, rows: int) -> Iterator[Array]:
        with open(self.path, "rb") as file:
            file.seek(self.start)
            for first in range(0, self.count, rows):
                size = min(rows, self.count - first)
                content = file.read(size * self.width * self.dtype.itemsize)
                if len(content) != size * self.width * self.dtype.itemsize:
                    raise ArmError(
                        f"{self.path}: ends before row {self.count}, which its head promises; write it again"
                    )
                yield _real_numbers(np.frombuffer(content, self.dtype).reshape(size, self.width), str(self.path))


class _Parquet:
    """Columns of a Parquet file, all of them or those that are named, in their order."""

    def __init__(self, path: Path, columns: Sequence[str] | None) -> None:
        self.file = _arrow().parquet.ParquetFile(path)
        names = self.file.schema_arrow.names
        self.columns = list(names if columns is None else columns)
        missing = [name for name in self.columns if name not in names]
        if missing:
            raise ArmError(f"{path}: there is no column {missing[0]!r:.60}; the columns are {', '.join(names[:20])}")
        self.count, self.name = self.file.metadata.num_rows, str(path)

    def blocks(self, rows: int) -> Iterator[Array]:
        pending: list[Array] = []
        size = 0
        # Batches end at groups of rows, wherever these are; blocks of all inputs have to end together.
        for batch in self.file.iter_batches(batch_size=rows, columns=self.columns):
            columns = [np.asarray(batch.column(name)) for name in self.columns]
            pending.append(_real_numbers(np.stack(columns, axis=1), self.name))
            size += len(pending[-1])
            while size >= rows:
                joined = pending[0] if len(pending) == 1 else np.concatenate(pending)
                yield joined[:rows]
                pending, size = [joined[rows:]], size - rows
        if size:
            yield pending[0] if len(pending) == 1 else np.concatenate(pending)


def _opened(source: Source) -> Any:
    """The source as blocks of rows."""
    columns = None
    if isinstance(source, tuple) and len(source) == 2 and isinstance(source[0], str | Path):
        source, columns = source
    if not isinstance(source, str | Path):
        if hasattr(source, "shape") and hasattr(source, "__getitem__"):
            return _Sliced(source, type(source).__name__)
        raise ArmError(f"an input of a stream is a file, or an array that is sliced, not {source!r:.60}")
    path = Path(source)
    suffix = path.suffix.lower()
    if columns is not None and suffix != ".parquet":
        raise ArmError(f"{path}: columns are those of a .parquet file; name the file alone")
    if not path.exists():
        raise ArmError(f"{path}: there is no such file; name another file")
    try:
        if suffix == ".npy":
            return _Npy(path)
        if suffix == ".parquet":
            return _Parquet(path, columns)
        if suffix == ".zarr":
            return _Sliced(_zarr().open_array(path, mode="r"), str(path))
    except ArmError:
        raise
    except Exception as fault:  # whatever a library says of a broken file
        raise ArmError(f"{path}: cannot be read ({reason(fault)!s:.200}); name another file") from None
    raise ArmError(f"{path}: a stream reads {', '.join(SUFFIXES)}; name such a file")


def _real_numbers(block: Any, name: str) -> Array:
    array = np.asarray(block)
    if array.dtype.kind not in "fiu":
        raise ArmError(f"{name}: an input of a stream holds real numbers, not {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float64)


# -- outputs ------------------------------------------------------------------------------------------


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
        self.arrow, self.stack = _arrow(), ExitStack()
        self.schema = self.arrow.schema([(f"c{k}", self.arrow.float64()) for k in range(math.prod(shape[1:]))])
        beside = self.stack.enter_context(replacing(path))
        self.writer = self.arrow.parquet.ParquetWriter(beside, self.schema)

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
        self.array = _zarr().create_array(self.beside, shape=shape, chunks=chunks, dtype="f8")

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


def _zarr() -> Any:
    try:
        import zarr
    except ImportError:
        raise ArmError("Zarr files need zarr, which is not installed; install it, or use .npy") from None
    return zarr


def _arrow() -> Any:
    from .study_files import _arrow as arrow

    return arrow()

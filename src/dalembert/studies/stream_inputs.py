"""What a stream reads: rows of .npy, .zarr and .parquet files, or of whatever has a shape and is sliced, in blocks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..arm.io.text_files import reason
from .study_files import arrow_library

Array = NDArray[np.float64]
Source: TypeAlias = Any
"""A file, (a .parquet file, its columns), or anything with a shape that is sliced."""
SUFFIXES = (".npy", ".zarr", ".parquet")
BUFFER = 1 << 20
"""Bytes that are read of a column of a Parquet file at once."""


class _Sliced:
    """Anything with a shape that is sliced."""

    def __init__(self, array: Any, name: str) -> None:
        if len(array.shape) != 2 or not array.shape[1]:
            raise ArmError(f"{name}: an input of a stream has rows of numbers, (N, width); got shape {array.shape}")
        if array.shape[0] != array.shape[0]:  # of Dask, which says nan where it does not know
            raise ArmError(f"{name}: has chunks of unknown length; ask it to compute_chunk_sizes() first")
        kind = getattr(array, "dtype", None)
        if kind is not None and np.dtype(kind).kind not in "fiu":  # told before anything of it is decoded
            raise ArmError(f"{name}: an input of a stream holds real numbers, not {kind}")
        self.array, self.count, self.name = array, int(array.shape[0]), name

    def blocks(self, rows: int) -> Iterator[Array]:
        return _cut((_real_numbers(self.array[first:end], self.name) for first, end in self._reads(rows)), rows)

    def _reads(self, rows: int) -> Iterator[tuple[int, int]]:
        """Whole chunks, at least a block of them: of one that is cut all would be decoded for each part."""
        chunks = (getattr(self.array, "chunks", None) or (rows,))[0]
        # Of Zarr and HDF5 all are of one length, of Dask each has its own.
        lengths = chunks if isinstance(chunks, tuple) else repeat(-(-rows // chunks) * chunks)
        first = end = 0
        for length in lengths:
            end = min(end + length, self.count)
            if end - first >= rows or end == self.count:
                yield first, end
                first = end
            if end == self.count:
                return


class _Npy:
    """A .npy file, read block by block: a memory map would fill the memory with pages of the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with open(path, "rb") as file:
            length = os.fstat(file.fileno()).st_size
            try:
                version = np.lib.format.read_magic(file)
                read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
                shape, by_columns, self.dtype = read(file)
            except ValueError as fault:
                raise ArmError(f"{path}: is no .npy file ({fault!s:.100}); name another file") from None
            self.start = file.tell()
        if len(shape) != 2 or shape[1] < 1 or by_columns or self.dtype.kind not in "fiu":
            raise ArmError(
                f"{path}: an input of a stream holds rows of real numbers, (N, width), in C order; it has shape "
                f"{shape} of {self.dtype}{' by columns' if by_columns else ''}; save it as "
                "np.ascontiguousarray(array, float) with two axes"
            )
        self.count, self.width = shape
        if self.start + self.count * self.width * self.dtype.itemsize > length:
            raise ArmError(f"{path}: ends before row {self.count}, which its head promises; write it again")

    def blocks(self, rows: int) -> Iterator[Array]:
        with open(self.path, "rb") as file:
            file.seek(self.start)
            for first in range(0, self.count, rows):
                size = min(rows, self.count - first)
                content = file.read(size * self.width * self.dtype.itemsize)
                yield _real_numbers(np.frombuffer(content, self.dtype).reshape(size, self.width), str(self.path))


class _Parquet:
    """Columns of a Parquet file, all of them or those that are named, in their order."""

    def __init__(self, path: Path, columns: Sequence[str] | None) -> None:
        # Without these two Arrow keeps all that it has read of a file, or a whole group of its rows.
        self.file = arrow_library().parquet.ParquetFile(
            path, pre_buffer=False, buffer_size=BUFFER, page_checksum_verification=True
        )
        names = self.file.schema_arrow.names
        self.columns = list(names if columns is None else columns)
        missing = [name for name in self.columns if name not in names]
        if missing:
            raise ArmError(f"{path}: there is no column {missing[0]!r:.60}; the columns are {', '.join(names[:20])}")
        self.count, self.name = self.file.metadata.num_rows, str(path)

    def blocks(self, rows: int) -> Iterator[Array]:
        batches = self.file.iter_batches(batch_size=rows, columns=self.columns)
        return _cut((self._rows(batch) for batch in batches), rows)

    def _rows(self, batch: Any) -> Array:
        columns = [np.asarray(self._complete(batch.column(name), name)) for name in self.columns]
        return _real_numbers(np.stack(columns, axis=1), self.name)

    def _complete(self, column: Any, name: str) -> Any:
        if column.null_count:
            raise ArmError(
                f"{self.name}: column {name!r:.60} has rows without a value; fill them, or leave those rows out"
            )
        return column


def _cut(parts: Iterator[Array], rows: int) -> Iterator[Array]:
    """Blocks of so many rows: chunks and groups of rows end wherever they do, and blocks of all inputs together."""
    pending: list[Array] = []
    size = 0
    for part in parts:
        pending.append(part)
        size += len(part)
        if size < rows:
            continue
        joined = pending[0] if len(pending) == 1 else np.concatenate(pending)
        whole = size - size % rows
        for first in range(0, whole, rows):
            yield joined[first : first + rows]
        pending, size = [joined[whole:].copy()], size - whole
        del part, joined  # a chunk may be large: it is gone before the next is read
    if size:
        yield np.concatenate(pending)


class _FromFile:
    """A source whose file a library reads: whatever it says of a broken one is told in a sentence."""

    def __init__(self, path: Path, source: _Npy | _Parquet | _Sliced) -> None:
        self.path, self.source, self.count = path, source, source.count

    def blocks(self, rows: int) -> Iterator[Array]:
        blocks = self.source.blocks(rows)
        while True:
            with _said_of(self.path):
                block = next(blocks, None)
            if block is None:
                return
            yield block


@contextmanager
def _said_of(path: Path) -> Iterator[None]:
    try:
        yield
    except ArmError:
        raise
    except Exception as fault:
        told = " ".join(str(reason(fault)).split()) or type(fault).__name__
        raise ArmError(f"{path}: cannot be read ({told:.200}); name another file") from None


def opened(source: Source) -> Any:
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
    if suffix not in SUFFIXES:
        raise ArmError(f"{path}: a stream reads {', '.join(SUFFIXES)}; name such a file")
    if suffix != ".zarr" and not path.is_file():  # a pipe without a writer would be waited for
        raise ArmError(f"{path}: is not a file; name a file")
    with _said_of(path):
        if suffix == ".npy":
            return _FromFile(path, _Npy(path))
        if suffix == ".parquet":
            return _FromFile(path, _Parquet(path, columns))
        return _FromFile(path, _Sliced(_of_plain_codecs(zarr_library().open_array(path, mode="r"), path), str(path)))


def _of_plain_codecs(array: Any, path: Path) -> Any:
    """The array, refused where its chunks are pickled: who unpickles a file runs what it says."""
    metadata = array.metadata
    codecs = [*(metadata.filters or ()), metadata.compressor] if metadata.zarr_format == 2 else []
    if any(getattr(codec, "codec_id", "") == "pickle" for codec in codecs):
        raise ArmError(f"{path}: its chunks are pickled, which is not read, for safety; write it with another codec")
    return array


def _real_numbers(block: Any, name: str) -> Array:
    array = np.asarray(block)
    if array.dtype.kind not in "fiu":
        raise ArmError(f"{name}: an input of a stream holds real numbers, not {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float64)


def zarr_library() -> Any:
    """Zarr, or a sentence that says how to do without it."""
    try:
        import zarr
    except ImportError:
        raise ArmError("Zarr files need zarr, which is not installed; install it, or use .npy") from None
    return zarr

"""Streams: the same numbers as in memory, and memory that does not grow with the stream."""

from __future__ import annotations

import json
import os
import pickle
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError


@pytest.fixture(scope="module")
def arm() -> Any:
    return da.load("puma560", physical="ignore")


@pytest.fixture
def states(tmp_path: Path) -> tuple[list[Path], list[np.ndarray]]:
    arrays = list(np.random.default_rng(0).normal(size=(3, 1000, 6)))
    files = [tmp_path / f"{name}.npy" for name in ("q", "qd", "qdd")]
    for file, array in zip(files, arrays, strict=True):
        np.save(file, array)
    return files, arrays


@pytest.mark.parametrize("suffix", [".npy", ".zarr", ".parquet"])
def test_a_stream_through_every_format_gives_what_arrays_give(
    arm: Any, states: Any, tmp_path: Path, suffix: str
) -> None:
    pytest.importorskip({".zarr": "zarr", ".parquet": "pyarrow"}.get(suffix, "numpy"))
    files, arrays = states
    right = arm.inverse_dynamics(*arrays)
    first = tmp_path / f"tau{suffix}"
    assert da.stream(arm.inverse_dynamics, files, first, rows=64) == 1000
    da.stream(lambda tau: 2 * tau, [first], tmp_path / "twice.npy", rows=77)
    assert np.array_equal(np.load(tmp_path / "twice.npy"), 2 * right)


def test_a_memory_map_and_columns_of_a_file_are_inputs(arm: Any, states: Any, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    files, arrays = states
    mapped = np.load(files[0], mmap_mode="r")
    da.stream(lambda q: q, [mapped], tmp_path / "q.parquet", rows=100)
    da.stream(lambda q: q, [(tmp_path / "q.parquet", ["c2", "c0"])], tmp_path / "two.npy", rows=33)
    assert np.array_equal(np.load(tmp_path / "two.npy"), arrays[0][:, [2, 0]])


def test_memory_is_flat_over_the_length_of_a_stream(arm: Any, tmp_path: Path) -> None:
    peaks = []
    for count in (20_000, 200_000):
        np.save(tmp_path / "q.npy", np.zeros((count, 6)))
        tracemalloc.start()
        da.stream(arm.gravity_load, [tmp_path / "q.npy"], tmp_path / "g.npy", rows=4096)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0] + 100_000
    assert np.load(tmp_path / "g.npy", mmap_mode="r").shape == (200_000, 6)


@pytest.mark.parametrize("group", [1 << 16, 1 << 21])
def test_a_parquet_file_is_not_kept_in_memory_while_it_is_read(tmp_path: Path, group: int) -> None:
    """Whether its rows stand in many groups or in one: what Arrow holds is a few pages of it."""
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    file, count = tmp_path / "q.parquet", 2_000_000
    numbers = np.random.default_rng(0).normal(size=count)
    parquet.write_table(arrow.table({"q": numbers}), file, row_group_size=group)
    held = []
    before = arrow.total_allocated_bytes()

    def watched(q: np.ndarray) -> np.ndarray:
        held.append(arrow.total_allocated_bytes() - before)
        return q

    da.stream(watched, [file], tmp_path / "q.npy")
    assert max(held) < file.stat().st_size / 2
    assert np.array_equal(np.load(tmp_path / "q.npy")[:, 0], numbers)


@pytest.mark.parametrize("chunks", [(70, 6), (400, 6), (1000, 6), ((1, 399, 100, 500), (6,))])
def test_no_chunk_is_read_twice(tmp_path: Path, chunks: tuple[Any, ...]) -> None:
    """Of Zarr, HDF5 and Dask a chunk is decoded, or worked out, as a whole for each part of it that is asked for."""
    table = np.random.default_rng(1).normal(size=(1000, 6))
    ends = np.cumsum(chunks[0]) if isinstance(chunks[0], tuple) else range(chunks[0], 1001, chunks[0])

    class Chunked:
        shape, dtype = table.shape, table.dtype
        reads: list[slice] = []  # noqa: RUF012

        def __getitem__(self, rows: slice) -> np.ndarray:
            self.reads.append(rows)
            return table[rows]

    array: Any = Chunked()
    array.chunks = chunks
    blocks: list[int] = []

    def same(q: np.ndarray) -> np.ndarray:
        blocks.append(len(q))
        return q

    da.stream(same, [array], tmp_path / "q.npy", rows=128)
    assert np.array_equal(np.load(tmp_path / "q.npy"), table)
    assert blocks == [128] * 7 + [104]
    assert all(read.start == 0 or read.start in ends for read in array.reads)


def test_chunks_of_unknown_length_are_refused_with_the_way_to_know_them(tmp_path: Path) -> None:
    lazy = pytest.importorskip("dask.array")
    q = lazy.ones((100, 6), chunks=(10, 6))
    with pytest.raises(ArmError, match="compute_chunk_sizes"):
        da.stream(lambda q: q, [q[q[:, 0] > 0]], tmp_path / "q.npy")


def test_a_stream_that_fails_leaves_no_file(arm: Any, states: Any, tmp_path: Path) -> None:
    files, _ = states

    def breaks(q: np.ndarray) -> np.ndarray:
        raise ArmError("no") if q[0, 0] == bad else None  # type: ignore[misc]

    bad = np.load(files[0])[0, 0]
    for suffix in (".npy", ".parquet", ".zarr"):
        with pytest.raises(ArmError):
            da.stream(breaks, files[:1], tmp_path / f"out{suffix}", rows=10)
    seen = []

    def breaks_later(q: np.ndarray) -> np.ndarray:
        seen.append(1)
        if len(seen) > 2:
            raise ArmError("no")
        return q

    for suffix in (".npy", ".parquet", ".zarr"):
        seen.clear()
        with pytest.raises(ArmError):
            da.stream(breaks_later, files[:1], tmp_path / f"out{suffix}", rows=10)
        assert not (tmp_path / f"out{suffix}").exists()
    assert [x.name for x in tmp_path.iterdir() if x.name.startswith(".")] == []


def test_a_full_disk_is_told_with_the_file(states: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import errno

    zarr = pytest.importorskip("zarr")

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(zarr.Array, "__setitem__", full)
    with pytest.raises(ArmError, match=r"out\.zarr: could not be written .No space left"):
        da.stream(lambda q: q, states[0][:1], tmp_path / "out.zarr")
    assert sorted(x.suffix for x in tmp_path.iterdir()) == [".npy"] * 3


def test_inputs_that_do_not_fit_are_refused(arm: Any, states: Any, tmp_path: Path) -> None:
    files, _ = states
    np.save(tmp_path / "short.npy", np.zeros((5, 6)))
    np.save(tmp_path / "words.npy", np.array([["a", "b"]]))
    (tmp_path / "torn.npy").write_bytes(files[0].read_bytes()[:-100])
    (tmp_path / "no.npy").write_bytes(b"nothing")
    cases: list[tuple[list[Any], str]] = [
        ([files[0], tmp_path / "short.npy"], "as many rows"),
        ([tmp_path / "words.npy"], "real numbers"),
        ([tmp_path / "torn.npy"], "ends before row"),
        ([tmp_path / "no.npy"], r"is no \.npy file"),
        ([tmp_path / "missing.npy"], "no such file"),
        ([3], "is a file, or an array"),
        ([], "at least one input"),
    ]
    for inputs, said in cases:
        with pytest.raises(ArmError, match=said):
            da.stream(lambda *x: x[0], inputs, tmp_path / "o.npy")
    with pytest.raises(ArmError, match="one of these endings"):
        da.stream(lambda q: q, files[:1], tmp_path / "o.txt")
    with pytest.raises(ArmError, match="one output"):
        da.stream(lambda q: (q, q), files[:1], tmp_path / "o.npy")


def test_a_file_by_columns_is_refused_with_the_way_to_write_it(tmp_path: Path) -> None:
    np.save(tmp_path / "q.npy", np.asfortranarray(np.ones((5, 6))))
    with pytest.raises(ArmError, match=r"q.npy: .* by columns; save it as np.ascontiguousarray"):
        da.stream(da.load("puma560", physical="ignore").gravity_load, [tmp_path / "q.npy"], tmp_path / "g.npy")


@pytest.mark.parametrize(
    "shape", ["(10**15, 0)", "(1000000000000000, 0)", "(1, 10000000000000)", "(5, 9223372036854775807)", "(3, -2)"]
)
def test_a_head_that_promises_more_than_the_file_has_is_refused_before_anything_is_read(
    tmp_path: Path, shape: str
) -> None:
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}".ljust(117).encode() + b"\n"
    path = tmp_path / "q.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + bytes(96))
    with pytest.raises(ArmError, match=r"q\.npy: "):
        da.stream(lambda q: q, [path], tmp_path / "o.npy")


def zarr_file(path: Path, chunk: bytes, **changed: Any) -> Path:
    """A Zarr array of format 2 with one chunk."""
    path.mkdir()
    described = {"zarr_format": 2, "shape": [4, 2], "chunks": [4, 2], "dtype": "<f8", "compressor": None,
                 "fill_value": 0, "order": "C", "filters": None}  # fmt: skip
    (path / ".zarray").write_text(json.dumps(described | changed), encoding="utf-8")
    (path / "0.0").write_bytes(chunk)
    return path


class Runs:
    """What touches a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


@pytest.mark.parametrize(
    "codecs",
    [
        {"dtype": "|O", "fill_value": None, "filters": [{"id": "vlen-utf8"}, {"id": "pickle"}]},
        {"filters": [{"id": "pickle"}]},
        {"compressor": {"id": "pickle"}},
    ],
)
def test_nothing_of_a_zarr_file_is_unpickled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, codecs: dict[str, Any]
) -> None:
    pytest.importorskip("zarr")
    pickles = pytest.importorskip("numcodecs.pickles")
    # Releases of numcodecs before this switch unpickle whatever they are given.
    monkeypatch.setattr(pickles, "ALLOW_UNSAFE_PICKLE_DECODE", True, raising=False)
    source = zarr_file(tmp_path / "q.zarr", pickle.dumps(Runs(tmp_path / "ran")), **codecs)
    with pytest.raises(ArmError, match=r"q\.zarr"):
        da.stream(lambda q: q, [source], tmp_path / "o.npy")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("chunk", "changed"),
    [
        (b"short", {}),
        (bytes(64), {"compressor": {"id": "zlib", "level": 1}}),
        (bytes(64), {"chunks": [10**12, 2]}),
        (bytes(64), {"chunks": [0, 2]}),
        (bytes(64), {"shape": [10**15, 0]}),
    ],
)
def test_a_broken_zarr_file_is_said_in_a_sentence(tmp_path: Path, chunk: bytes, changed: dict[str, Any]) -> None:
    pytest.importorskip("zarr")
    with pytest.raises(ArmError, match=r"q\.zarr: "):
        da.stream(lambda q: q, [zarr_file(tmp_path / "q.zarr", chunk, **changed)], tmp_path / "o.npy")


def test_a_broken_page_of_a_parquet_file_and_missing_values_are_said_in_a_sentence(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "q.parquet"
    parquet.write_table(arrow.table({"a": np.arange(1000.0)}), path, compression="none", use_dictionary=False)
    content = bytearray(path.read_bytes())
    content[4:40] = bytes(36)  # the head of the first page
    path.write_bytes(content)
    with pytest.raises(ArmError, match=r"q\.parquet: cannot be read"):
        da.stream(lambda q: q, [path], tmp_path / "o.npy")
    parquet.write_table(arrow.table({"a": [1.0, None]}), path)
    with pytest.raises(ArmError, match="column 'a' has rows without a value"):
        da.stream(lambda q: q, [path], tmp_path / "o.npy")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "q.npy")
    with pytest.raises(ArmError, match="is not a file"):
        da.stream(lambda q: q, [tmp_path / "q.npy"], tmp_path / "o.npy")


def test_rows_that_change_their_shape_or_are_no_real_numbers_are_refused(states: Any, tmp_path: Path) -> None:
    widths = iter(range(2, 9))
    for function, said in (
        (lambda q: q[:, : next(widths)], r"rows of shape \(3,\) after rows of shape \(2,\)"),
        (lambda q: q * 1j, "real numbers, not complex128"),
    ):
        with pytest.raises(ArmError, match=said):
            da.stream(function, states[0][:1], tmp_path / "o.npy", rows=100)
        assert not (tmp_path / "o.npy").exists()

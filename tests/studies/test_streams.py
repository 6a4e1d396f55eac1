"""Streams: the same numbers as in memory, and memory that does not grow with the stream."""

from __future__ import annotations

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

"""Studies: resumable, failures kept with their reason, the same wherever they run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
import study_functions
from dalembert.arm.errors import ArmError
from dalembert.studies.evaluator import Answers, DesignEvaluator
from dalembert.studies.outputs import Output
from dalembert.studies.sampling import designs_of
from dalembert.studies.study import Study
from dalembert.studies.study_files import finished

FACTORS = (da.Factor("link.link2.mass", 12, 20), da.Factor("length.a2", 0.4, 0.46), da.Factor("load.mass", -0.2, 2.5))


@pytest.fixture(scope="module")
def arm() -> Any:
    return da.load("puma560", physical="ignore")


@pytest.fixture(scope="module")
def asked(arm: Any) -> Study:
    motion = da.motion_of(arm, da.quintic([np.zeros(6), [1, -0.8, 1.4, 0.5, 0.5, 1]], 1.0))
    outputs = (Output("peak_torque"), Output("energy"))
    return Study(arm, FACTORS, outputs, motion, "monte-carlo", 100, 7, chunk=16)


def same(a: Any, b: Any) -> bool:
    return np.array_equal(a.values, b.values, equal_nan=True) and a.failures == b.failures


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    counts: list[int] = []
    whole = DesignEvaluator.evaluate

    def counted(self: DesignEvaluator, designs: np.ndarray) -> Answers:
        counts.append(len(designs))
        return whole(self, designs)

    monkeypatch.setattr(DesignEvaluator, "evaluate", counted)
    return counts


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    distributed = pytest.importorskip("distributed")
    os.environ[study_functions.MARK] = str(tmp_path_factory.mktemp("cluster") / "mark")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as made:
        yield made.scheduler_address


def test_serial_threads_processes_and_a_cluster_agree_to_the_last_bit(asked: Study, cluster: str) -> None:
    right = asked.run()
    assert len(right.failed)
    assert set(right.reasons[0][:1]) == {"load.mass is below 0 kg, the least that it can be"}
    assert same(right, asked.run(executor="threads", workers=2))
    assert same(right, asked.run(executor="processes", workers=2))
    assert same(right, asked.run(scheduler=cluster))


def test_a_study_whose_worker_is_killed_loses_nothing(
    arm: Any, cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    factors = (da.Factor("load.mass", 0, 0.9),)
    right = Study(arm, factors, (Output("own", function=study_functions.held_load),), samples=12).run()
    asked = Study(arm, factors, (Output("own", function=study_functions.dies_once),), samples=12, chunk=3)
    assert np.array_equal(asked.run(scheduler=cluster).values, right.values)
    monkeypatch.setenv(study_functions.MARK, str(tmp_path / "mark"))
    assert np.array_equal(asked.run(executor="processes", workers=2).values, right.values)


def test_a_chunk_that_no_process_survives_is_kept_as_failed_and_the_others_are_done(arm: Any) -> None:
    factors = (da.Factor("load.mass", values=(0.5, 2.0)),)
    asked = Study(
        arm, factors, (Output("own", function=study_functions.always_dies),), design="grid", samples=1, chunk=1
    )
    found = asked.run(executor="processes", workers=1)
    assert found.failures[0] == ""
    assert "ended without a word" in found.failures[1]


def test_a_scheduler_that_ends_is_told_and_what_was_done_is_kept(asked: Study, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    path, options = tmp_path / "r.csv", {"dashboard_address": ":0", "silence_logs": 50}
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, **options) as made:

        def end(done: int, total: int) -> None:
            if done >= 32:
                made.close()

        with pytest.raises(ArmError, match="the Dask scheduler ended"):
            asked.run(path, scheduler=made.scheduler_address, progress=end)
    assert list((tmp_path / "r.csv.parts").glob("chunk-*.npz"))
    assert same(asked.run(path), asked.run())


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get("HYPOTHESIS_PROFILE") != "deep", reason="takes long: HYPOTHESIS_PROFILE=deep")
def test_a_script_without_a_main_guard_is_told_what_it_needs(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import dalembert as da\n"
        "arm = da.load('planar-2r')\n"
        "da.study(arm, {'load.mass': (0, 1)}, ['natural_frequency'], samples=2, executor='processes', workers=1)\n",
        encoding="utf-8",
    )
    ended = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 1
    assert 'needs its work below if __name__ == "__main__":' in ended.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_an_interrupted_study_goes_on_with_nothing_worked_out_twice(
    asked: Study, tmp_path: Path, evaluated: list[int], suffix: str
) -> None:
    path = tmp_path / f"r.{suffix}"

    def stop(done: int, total: int) -> None:
        if done >= 48:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asked.run(path, progress=stop)
    assert not path.exists()
    assert sum(evaluated) == 48
    found = asked.run(path)
    assert sum(evaluated) == 100
    assert same(found, asked.run())
    assert not path.with_name(f"{path.name}.parts").exists()
    if suffix == "parquet":  # a finished study is read
        count = sum(evaluated)
        assert same(asked.run(path), found)
        assert sum(evaluated) == count


def cut(chunk: bytes, other: bytes) -> bytes:
    return chunk[:50]


def exchanged(chunk: bytes, other: bytes) -> bytes:
    return other


def flipped(chunk: bytes, other: bytes) -> bytes:
    """One bit of a number."""
    return chunk[:400] + bytes([chunk[400] ^ 1]) + chunk[401:]


def packed_otherwise(chunk: bytes, other: bytes) -> bytes:
    """Its archive says that it is compressed by a method that there is not."""
    head = chunk.index(b"PK\x01\x02") + 10
    return chunk[:head] + b"\x63\x00" + chunk[head + 2 :]


def test_threads_do_not_work_on_after_an_interrupt(arm: Any) -> None:
    """Python waits for its threads before it ends: those of a study end with the design they are at."""
    begun: list[float] = []
    going_on = threading.Event()

    def waits(system: Any) -> float:
        begun.append(system.n)
        assert len(begun) <= 4 or going_on.wait(20)
        return 1.0

    def interrupt(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    study = Study(arm, FACTORS[:1], (Output("own", "waits", function=waits),), samples=40, chunk=4)
    with pytest.raises(KeyboardInterrupt):
        study.run(executor="threads", workers=1, progress=interrupt)
    going_on.set()
    for thread in threading.enumerate():
        if thread.name.startswith("ThreadPoolExecutor"):
            thread.join(20)
    assert len(begun) <= 5
    assert same(replace(study, samples=4).run(executor="threads"), replace(study, samples=4).run())


@pytest.mark.parametrize("damage", [cut, exchanged, flipped, packed_otherwise])
def test_a_damaged_chunk_is_worked_out_again_and_another_study_is_not_mixed_in(
    asked: Study, tmp_path: Path, damage: Callable[[bytes, bytes], bytes]
) -> None:
    path = tmp_path / "r.csv"
    with pytest.raises(KeyboardInterrupt):
        asked.run(path, progress=lambda done, total: (_ for _ in ()).throw(KeyboardInterrupt) if done >= 32 else None)
    chunk, other = (tmp_path / "r.csv.parts" / f"chunk-0000000{k}.npz" for k in range(2))
    chunk.write_bytes(damage(chunk.read_bytes(), other.read_bytes()))
    with pytest.raises(ArmError, match="chunks of another study"):
        replace(asked, seed=8).run(path)
    assert same(asked.run(path), asked.run())


def test_a_study_that_is_refused_leaves_nothing_that_refuses_its_correction(asked: Study, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    with pytest.raises(ArmError, match="powers of two"):
        replace(asked, design="sobol").run(path)
    with pytest.raises(ArmError, match="no executor"):
        replace(asked, seed=9).run(path, executor="boats")
    assert not list(tmp_path.iterdir())
    assert same(asked.run(path), asked.run())


def test_chunks_that_lost_their_note_are_not_taken_for_those_of_another_study(asked: Study, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    with pytest.raises(KeyboardInterrupt):
        asked.run(path, progress=lambda done, total: (_ for _ in ()).throw(KeyboardInterrupt) if done >= 32 else None)
    (tmp_path / "r.csv.parts" / "study.json").unlink()  # as where a process is killed while it removes the folder
    other = replace(asked, seed=8)
    assert same(other.run(path), other.run())


def test_changed_code_and_other_designs_of_the_same_seed_are_another_study(
    asked: Study, tmp_path: Path, evaluated: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "r.parquet"
    asked.run(path)
    replace(asked).run(path)
    assert sum(evaluated) == 100
    monkeypatch.setattr("dalembert.studies.study.package_code", lambda: "of another day")
    replace(asked).run(path)
    assert sum(evaluated) == 200
    other_scipy = designs_of(asked.factors, asked.design, asked.samples, 8)
    monkeypatch.setattr("dalembert.studies.study.designs_of", lambda *_: other_scipy)
    found = replace(asked).run(path)
    assert sum(evaluated) == 300
    assert same(found, replace(asked).run())


def test_a_worker_with_other_code_is_told(asked: Study, cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dalembert.studies.executors.package_code", lambda: "0.0 of another day")
    with pytest.raises(ArmError, match=r"sent by 0\.0 of another day; install the same on all machines"):
        asked.run(scheduler=cluster)


def test_a_run_that_ends_while_another_keeps_a_chunk_does_not_end_that_one(
    asked: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of two runs of one study is done first removes the chunks of both."""
    path, right = tmp_path / "r.csv", asked.run()
    savez, removed = np.savez, []

    def while_the_other_ends(file: Any, **arrays: Any) -> None:
        if len(removed) < 2:
            removed.append(shutil.rmtree(path.with_name("r.csv.parts")))
        savez(file, **arrays)

    monkeypatch.setattr(np, "savez", while_the_other_ends)
    assert same(asked.run(path), right)
    assert [x.name for x in tmp_path.iterdir()] == ["r.csv"]


def test_results_in_parquet_have_factors_outputs_units_and_reasons(asked: Study, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    found = asked.run(tmp_path / "r.parquet")
    table = parquet.read_table(tmp_path / "r.parquet")
    assert table.column_names == [*found.columns, "failure"]
    assert table.schema.field("energy").metadata[b"unit"] == b"J"
    assert np.array_equal(table.column("link.link2.mass").to_numpy(), found.designs[:, 0])
    assert tuple(table.column("failure").to_pylist()) == found.failures


def test_a_finished_file_that_is_damaged_is_told_and_never_read_as_other_numbers(asked: Study, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "r.parquet"
    right = asked.run(path)
    whole, told = path.read_bytes(), 0
    for place in range(5, len(whole), 61):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        try:
            found = finished(path, asked.identity, asked.designs, list(right.columns))
        except ArmError:
            told += 1
        else:
            assert found is None or (np.array_equal(found[0], right.values, True) and found[1] == right.failures)
    assert told > 100


def test_no_two_columns_have_one_name_whether_of_factors_or_outputs(arm: Any) -> None:
    factor = da.Factor("failure", 0.9, 1.1, relative=True, numbers=("link.link2.mass",))
    with pytest.raises(ArmError, match="two columns are called 'failure'; give one of them another name"):
        da.study(arm, [factor], [study_functions.held_load], samples=2)


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_reasons_that_are_no_text_are_kept_as_text(arm: Any, tmp_path: Path, suffix: str) -> None:
    """A file's name may hold bytes of no character; Python writes them as halves of one, which no file can hold."""
    pytest.importorskip("pyarrow")
    outputs = [study_functions.no_such_file, study_functions.without_a_word]
    found = [da.study(arm, {"load.mass": (0, 1)}, [x], samples=2, path=tmp_path / f"r{suffix}") for x in outputs]
    assert found[0].failures[0].startswith("no_such_file: FileNotFoundError: ")
    assert found[0].failures[0].endswith(r"\udcff.urdf'")
    assert found[1].failures[0] == "without_a_word: RuntimeError"


def test_failures_of_ones_own_function_are_kept_with_their_reason(arm: Any) -> None:
    found = da.study(arm, {"load.mass": {"values": [0.5, 1.5, 2.5]}}, [study_functions.odd_fails], design="grid")
    assert found.values[0, 0] == 0.5
    assert "finite number" in found.failures[1]
    assert found.failures[2] == "odd_fails: ValueError: too heavy"


def test_without_dask_a_cluster_is_refused_in_a_sentence(asked: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ArmError, match=r"install dalembert\[studies\]"):
        asked.run(scheduler="tcp://127.0.0.1:1")


def test_a_scheduler_that_does_not_answer_is_named(asked: Study) -> None:
    pytest.importorskip("distributed")
    for address in ("nonsense://x", "nonsense", "127.0.0.1", ""):
        with pytest.raises(ArmError, match=f"{address!r} is no address of a Dask scheduler"):
            asked.run(scheduler=address)
    with pytest.raises(ArmError, match="names no certificates"):
        asked.run(scheduler="tls://127.0.0.1:1")
    with pytest.raises(ArmError, match=r"\.parquet or \.csv"):
        asked.run("r.txt")
    with pytest.raises(ArmError, match="no executor"):
        asked.run(executor="gpu")
    with pytest.raises(ArmError, match='name it, "threads" or "processes"'):
        asked.run(workers=2)
    for places in ({"executor": "threads"}, {"workers": 2}):
        with pytest.raises(ArmError, match="has workers of its own"):
            asked.run(scheduler="tcp://127.0.0.1:1", **places)


def test_names_of_an_arm_stay_text_in_what_a_notebook_shows(asked: Study) -> None:
    found = asked.run()
    assert len(repr(found)) < 200
    assert "<script" not in found._repr_html_()

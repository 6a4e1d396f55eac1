"""Studies at length: many designs beside a loop over Pinocchio, scaling over workers, memory of a long stream.

    python benchmarks/studies.py designs [--designs 1048576] [--workers 2]
    python benchmarks/studies.py scaling [--designs 262144]
    python benchmarks/studies.py transport [--chunks 128]
    python benchmarks/studies.py stream [--states 100000000]
    python benchmarks/studies.py device [--designs 1048576]

``designs``: the peak torques of a PUMA 560 along a motion of 101 moments for that many designs of six factors, on
threads and on processes, and a plain loop over ``pin.rnea`` for a few hundred of the same designs in the same run, in
CPU seconds for each design. ``scaling``: the same study with one and two workers, strong (as many designs) and weak (as
many designs for each worker), by threads, processes and a Dask cluster of this machine. ``transport``: what a chunk and
a design cost beside the working out, on a Dask cluster of two workers: bytes each way, CPU of the process that sends
and collects (the scheduler in it), and CPU of the workers. ``stream``: inverse dynamics
over files of states; the memory of the process after each tenth of them. ``device``: peak torques alone, then what else
is left of a motion, on one thread of the CPU and on a GPU (twice, since kernels are built at first), and by how much
the two differ.
"""

from __future__ import annotations

import argparse
import os
import pickle
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from dalembert.design.motion_samples import MotionSamples
from dalembert.studies.executors import pickled
from dalembert.studies.outputs import Output
from dalembert.studies.study import Study

FACTORS = (
    da.Factor("link.link2.mass", 15, 20),
    da.Factor("link.link3.mass", 4, 5.5),
    da.Factor("link.link2.com.x", -0.4, -0.3),
    da.Factor("link.link3.com.y", -0.03, 0.0),
    da.Factor("length.a2", 0.40, 0.46),
    da.Factor("load.mass", 0, 2.5),
)
MOMENTS = 101


def the_study(designs: int, outputs: Sequence[str] = ("peak_torque",)) -> Study:
    """Outputs along a quintic of one second: the peak torques of all joints."""
    arm = da.load("puma560", physical="ignore")
    path = da.quintic([np.zeros(6), [1, -0.8, 1.4, 0.5, 0.5, 1]], 1.0)
    t = np.linspace(0, 1, MOMENTS)
    motion = MotionSamples("quintic", path.position(t), path.velocity(t), path.acceleration(t), t)
    return Study(arm, FACTORS, tuple(map(Output, outputs)), motion, "sobol", designs, 0)


def spent(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """CPU seconds of this process and its children, wall seconds, and the answer."""

    def now() -> float:
        return sum(
            use.ru_utime + use.ru_stime
            for use in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        )

    began, wall = now(), time.perf_counter()
    answer = work()
    return now() - began, time.perf_counter() - wall, answer


def by_pinocchio(asked: Study, count: int) -> tuple[float, np.ndarray]:
    """CPU seconds for a design, and the peaks, of a loop as one writes it: numbers set, then rnea at every moment."""
    import pinocchio as pin

    model = pin.buildModelFromXML(asked.system.write_urdf())  # type: ignore[attr-defined]
    data = model.createData()
    motion = asked.motion
    assert motion is not None
    peaks = np.empty((count, 6))
    # What a design is over there: the inertias of its links and the place of joint 3, worked out before the clock runs.
    models = []
    for design in asked.designs[:count]:
        system = asked.evaluator.design(asked.evaluator.factors.values(design))
        changed = pin.buildModelFromXML(system.write_urdf())  # type: ignore[attr-defined]
        models.append((list(changed.inertias), list(changed.jointPlacements)))
    began = time.process_time()
    for row, (inertias, placements) in enumerate(models):
        for k in range(1, 7):
            model.inertias[k], model.jointPlacements[k] = inertias[k], placements[k]
        peak = np.zeros(6)
        for q, qd, qdd in zip(motion.q, motion.qd, motion.qdd, strict=True):
            np.maximum(peak, np.abs(pin.rnea(model, data, q, qd, qdd)), out=peak)
        peaks[row] = peak
    return (time.process_time() - began) / count, peaks


def designs(count: int, workers: int) -> None:
    """Many designs, beside Pinocchio."""
    asked = the_study(count)
    _ = asked.designs
    asked.evaluator.prepare()
    loop, peaks = by_pinocchio(asked, 200)
    print(f"{count:,} designs of {len(FACTORS)} factors, {MOMENTS} moments each; {workers} workers")
    print(f"pinocchio loop            {1e6 * loop:10.1f} us of CPU for a design (of 200)")
    for executor in ("threads", "processes"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "r.parquet"
            cpu, wall, found = spent(lambda e=executor, p=path: asked.run(p, executor=e, workers=workers))  # type: ignore[misc]
        off = float(np.abs(found.values[:200] - peaks).max() / np.abs(peaks).max())
        each = cpu / count
        print(
            f"{executor:<25} {1e6 * each:10.1f} us of CPU for a design, written as Parquet; {cpu:.1f} s of CPU, "
            f"{wall:.1f} s in all; pinocchio / this: {loop / each:.0f}; differs by {off:.1e}"
        )


def scaling(count: int) -> None:
    """One and two workers, strong and weak, in wall seconds of a machine that may be busy with other things."""
    from distributed import Client, LocalCluster

    print(f"{'':<12}{'designs':>10}{'workers':>9}{'CPU s':>9}{'wall s':>9}")

    def row(where: str, size: int, workers: int, run: Callable[[Study], Any], more: Callable[[], float]) -> None:
        asked = the_study(size)
        _ = asked.designs
        asked.evaluator.prepare()
        before = more()
        cpu, wall, _ = spent(lambda: run(asked))
        cpu += more() - before
        print(f"{where:<12}{size:>10,}{workers:>9}{cpu:>9.2f}{wall:>9.2f}", flush=True)

    for workers, size in ((1, count), (2, count), (2, 2 * count)):
        for where in ("threads", "processes"):
            row(where, size, workers, lambda asked, e=where, n=workers: asked.run(executor=e, workers=n), lambda: 0.0)
        with (
            LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster,
            Client(cluster, set_as_default=False) as client,
        ):
            the_study(1024).run(scheduler=cluster.scheduler_address)  # workers have imported everything after this
            used = client.run
            row(
                "dask", size, workers, lambda asked, c=cluster: asked.run(scheduler=c.scheduler_address),
                lambda ask=used: sum(ask(time.process_time).values()),
            )  # fmt: skip


def transport(chunks: int) -> None:
    """CPU and bytes of a chunk and of a design on a cluster, by chunks of three sizes."""
    from distributed import Client, LocalCluster

    asked = the_study(1 << 14)
    own, _, answers = spent(lambda: asked.evaluator.evaluate(asked.designs))
    own, _, answers = spent(lambda: asked.evaluator.evaluate(asked.designs))
    count, message = len(asked.designs), pickled(asked.evaluator)
    there, back = (len(pickle.dumps(part)) / count for part in (asked.designs, answers))
    print(f"study: {len(message):,} bytes with each chunk")
    print(f"a design: {there:.0f} bytes there, {back:.0f} back; {1e6 * own / count:.2f} us to work it out")
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        the_study(1024).run(scheduler=cluster.scheduler_address)
        rows = []
        for size in (1, 512, 4096):
            study = replace(the_study(1), design="monte-carlo", samples=size * chunks, chunk=size)
            _ = study.designs
            workers, here = sum(client.run(time.process_time).values()), time.process_time()
            study.run(scheduler=cluster.scheduler_address)
            here, workers = time.process_time() - here, sum(client.run(time.process_time).values()) - workers
            rows.append((1.0, size, here / chunks, workers / chunks))
            print(f"{chunks} chunks of {size:>5}: {1e3 * rows[-1][2]:7.2f} ms of CPU to send and collect one, "
                  f"{1e3 * rows[-1][3]:7.2f} ms on its worker", flush=True)  # fmt: skip
    table = np.array(rows)
    for place, where in ((2, "sending and collecting"), (3, "the workers")):
        chunk, design = np.linalg.lstsq(table[:, :2], table[:, place], rcond=None)[0]
        print(f"{where}: {1e3 * chunk:.2f} ms for a chunk and {1e6 * design:.2f} us for a design")
    path = Path(tempfile.mkdtemp()) / "designs.parquet"
    found = the_study(1 << 18).run()
    writing, _, _ = spent(lambda: found.save(path))
    print(f"Parquet: {1e6 * writing / len(found):.2f} us and {path.stat().st_size / len(found):.0f} bytes for a design")
    path.unlink()
    path.parent.rmdir()


def on_device(count: int) -> None:
    """The CPU beside a GPU, in wall seconds."""
    for outputs in (["peak_torque"], ["peak_torque", "rms_torque", "energy", "peak_gravity", "peak_inertia"]):
        asked = the_study(count, outputs)
        _ = asked.designs
        asked.evaluator.prepare()
        _, cpu, right = spent(asked.run)
        asked = replace(asked, device="cuda")
        _, first, _ = spent(asked.run)
        _, again, found = spent(asked.run)
        off = np.abs(found.values - right.values).max(axis=0)
        largest = np.abs(right.values).max(axis=0)
        worst = float((off / np.where(largest > 0, largest, 1.0)).max())
        print(f"{count:,} designs, {', '.join(outputs)}: {right.values.shape[1]} columns")
        print(
            f"  CPU {cpu:.2f} s; GPU {first:.2f} s the first time, then {again:.2f} s: {cpu / again:.0f} times; "
            f"differs by {worst:.1e} of the largest value of a column",
            flush=True,
        )


def resident() -> float:
    """Megabytes of this process in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class Generated:
    """States that are made as they are read, so that the disk need not hold them."""

    def __init__(self, count: int) -> None:
        self.shape = (count, 6)

    def __getitem__(self, part: slice) -> np.ndarray:
        return np.random.default_rng(part.start).standard_normal((min(part.stop, self.shape[0]) - part.start, 6))


def stream(count: int) -> None:
    """A long stream of states through inverse dynamics into a .npy file, on to Zarr, on to Parquet, and back to .npy.

    The torque of one joint is kept, so that 10^9 states are 8 GB on the disk and not 48.
    """
    arm = da.load("puma560", physical="ignore")
    arm.inverse_dynamics(*np.zeros((3, 2, 6)))

    def shoulder(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        return arm.inverse_dynamics(q, qd, qdd)[:, 1:2]

    def through(function: Callable[..., Any], inputs: list[Any], output: Path) -> None:
        said = 0

        def tell(done: int, total: int) -> None:
            nonlocal said
            if 10 * done // total > said:
                said = 10 * done // total
                print(f"  {done:>13,} rows: {resident():7.1f} MB in memory", flush=True)

        print(f"{output.name}: {resident():7.1f} MB in memory before", flush=True)
        cpu, _, _ = spent(lambda: da.stream(function, inputs, output, progress=tell))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
        print(f"  {1e9 * cpu / count:.0f} ns of CPU for a row; the most ever in memory: {peak:.1f} MB", flush=True)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"{count:,} states; the first includes the making of three arrays of normal numbers")
        through(shoulder, [Generated(count)] * 3, folder / "tau.npy")
        through(np.abs, [folder / "tau.npy"], folder / "tau.zarr")
        (folder / "tau.npy").unlink()
        through(np.sqrt, [folder / "tau.zarr"], folder / "tau.parquet")
        shutil.rmtree(folder / "tau.zarr")
        through(np.square, [folder / "tau.parquet"], folder / "tau.npy")


def main() -> None:
    """The measurement that is asked for."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("what", choices=("designs", "scaling", "transport", "stream", "device"))
    words.add_argument("--designs", type=int, default=0)
    words.add_argument("--states", type=int, default=100_000_000)
    words.add_argument("--workers", type=int, default=2)
    words.add_argument("--chunks", type=int, default=128)
    given = words.parse_args()
    if given.what == "designs":
        designs(given.designs or 1 << 20, given.workers)
    elif given.what == "scaling":
        scaling(given.designs or 1 << 18)
    elif given.what == "transport":
        transport(given.chunks)
    elif given.what == "device":
        on_device(given.designs or 1 << 20)
    else:
        stream(given.states)


if __name__ == "__main__":
    main()

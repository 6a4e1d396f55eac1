"""Chunks of designs on one thread, several threads, several processes, or the workers of a Dask cluster.

A task is the study itself, pickled, and the designs of one chunk; it gives the answers of that chunk. Whoever works
it out runs the same code on the same numbers, so that the results are the same to the last bit. A task whose worker
died is given to another one; one that its workers do not survive is given up with the reason.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from multiprocessing import get_context, parent_process
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from .evaluator import Answers, DesignEvaluator
from .package_code import package_code

Array = NDArray[np.float64]
Task = tuple[int, Array]
"""Number of the chunk, and its designs."""
Answered = Iterator[tuple[int, Answers]]

EXECUTORS = ("serial", "threads", "processes")
AHEAD = 4
"""Chunks that wait for each worker: enough to keep it busy, few enough to keep memory flat."""
MOST_DEATHS = 2
"""Times that a chunk is tried after its worker died."""


def answered(
    evaluator: DesignEvaluator, tasks: Sequence[Task], executor: str, workers: int | None, scheduler: str | None
) -> Answered:
    """The answers of all chunks, in the order in which they are ready."""
    if executor not in EXECUTORS:
        raise ArmError(f"no executor {executor!r:.60}; there are {', '.join(EXECUTORS)}, and a scheduler's address")
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
        raise ArmError(f"workers must be a whole number of at least 1, not {workers!r:.60}")
    if scheduler is not None and (executor != "serial" or workers is not None):
        raise ArmError("a scheduler has workers of its own; leave executor and workers out, or the scheduler")
    if workers is not None and executor == "serial":
        raise ArmError('workers are those of an executor; name it, "threads" or "processes"')
    if not tasks:
        return iter(())
    if scheduler is not None:
        return _on_cluster(evaluator, tasks, scheduler)
    evaluator.prepare()  # compiles here, once, what all workers then load
    count = min(workers or os.cpu_count() or 1, len(tasks))
    if executor == "threads":
        return _on_threads(evaluator, tasks, count)
    if executor == "processes":
        return _on_pool(lambda: _processes(count), _Sent(pickled(evaluator)), tasks, count)
    return ((number, evaluator.evaluate(designs)) for number, designs in tasks)


def pickled(evaluator: DesignEvaluator) -> bytes:
    """The study as workers get it."""
    try:
        return pickle.dumps(evaluator)
    except Exception as fault:
        raise ArmError(
            f"{evaluator.system.name}: the study cannot be sent to other processes ({fault!s:.200}); functions of "
            "one's own must be importable by name, or run it with threads"
        ) from None


class _Sent:
    """Works out designs in another process: the study arrives once, and is kept there."""

    def __init__(self, message: bytes) -> None:
        self.message, self.code = message, package_code()

    def __call__(self, designs: Array) -> Answers:
        return _received(self.message, self.code).evaluate(designs)


@lru_cache(maxsize=8)
def _received(message: bytes, code: str) -> DesignEvaluator:
    if code != package_code():
        raise ArmError(
            f"a worker of the cluster has dalembert {package_code()}, and the study was sent by {code}; install the "
            "same on all machines, and start the workers anew"
        )
    evaluator: DesignEvaluator = pickle.loads(message)
    return evaluator


def _processes(count: int) -> ProcessPoolExecutor:
    """So many new processes; refused where they cannot even start."""
    pool = ProcessPoolExecutor(count, get_context("spawn"), initializer=_begin_worker)
    try:
        pool.submit(os.getpid).result()
    except BrokenProcessPool:
        _end(pool)
        raise ArmError(
            "processes end as soon as they start; a script that starts them needs its work below "
            'if __name__ == "__main__":, or run the study with threads'
        ) from None
    return pool


def _begin_worker() -> None:
    """Ctrl-C is for the process that collects the answers; it ends the workers, and they do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A parent that was killed has ended nobody, and the queue that a worker waits at stays open."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _on_threads(evaluator: DesignEvaluator, tasks: Sequence[Task], count: int) -> Answered:
    """Threads end with their design when the study is interrupted: Python waits for them, and nobody for the chunk."""
    ended = threading.Event()
    try:
        yield from _on_pool(
            lambda: ThreadPoolExecutor(count), lambda designs: evaluator.evaluate(designs, ended.is_set), tasks, count
        )
    finally:
        ended.set()


def _on_pool(
    make: Callable[[], Executor], work: Callable[[Array], Answers], tasks: Sequence[Task], count: int
) -> Answered:
    """A pool of this machine, a few chunks ahead of it; a pool that broke is replaced and its chunks tried again."""
    waiting = deque(tasks)
    deaths: Counter[int] = Counter()
    pool = make()
    running: dict[Future[Answers], Task] = {}
    try:
        while waiting or running:
            # A chunk whose worker died runs with no other beside it, so that it is known who is to blame.
            retrying = bool(waiting) and deaths[waiting[0][0]] > 0
            capacity = 1 if retrying or any(deaths[task[0]] for task in running.values()) else AHEAD * count
            while waiting and len(running) < capacity:
                task = waiting.popleft()
                running[pool.submit(work, task[1])] = task
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            broken = False
            for future in done:
                task = running.pop(future)
                answers = _unless_broken(future)
                if answers is None:
                    broken = True
                    deaths[task[0]] += 1
                    if deaths[task[0]] <= MOST_DEATHS:
                        waiting.appendleft(task)
                        continue
                    answers = _without_answers(work, task[1])
                yield task[0], answers
            if broken:
                for task in running.values():
                    deaths[task[0]] += 1
                    waiting.appendleft(task)
                running.clear()
                pool.shutdown(wait=False, cancel_futures=True)
                pool = make()
    finally:
        _end(pool)


def _unless_broken(future: Future[Answers]) -> Answers | None:
    """What a worker gave; None where it died."""
    try:
        return future.result()
    except BrokenProcessPool:
        return None


def _without_answers(work: Any, designs: Array) -> Answers:
    columns = len(_received(work.message, work.code).columns)
    reason = "the process that worked it out ended without a word, each time that it was tried"
    return Answers(np.full((len(designs), columns), np.nan), (reason,) * len(designs))


def _end(pool: Executor) -> None:
    """The pool with its workers; what they still work at is not waited for."""
    processes = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
    for process in processes:
        process.join()


def _on_cluster(evaluator: DesignEvaluator, tasks: Sequence[Task], scheduler: str) -> Answered:
    """The workers of a Dask scheduler; Dask itself gives the tasks of a worker that died to others."""
    try:
        import distributed
    except ImportError:
        raise ArmError(
            "a cluster needs dask and distributed, which are not installed; install dalembert[studies], or run the "
            "study without a scheduler, on threads or processes"
        ) from None
    _refuse_address(distributed, scheduler)
    try:
        connect: Any = distributed.Client
        client = connect(scheduler, timeout=10, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as fault:
        raise ArmError(
            f"no Dask scheduler answers at {scheduler!r:.100} ({type(fault).__name__}); start one with: dask scheduler"
        ) from None
    work = _Sent(pickled(evaluator))
    waiting = deque(tasks)
    with client, contextlib.ExitStack() as stack:
        cores = max(1, sum(client.nthreads().values()))
        task_of_future: dict[Any, Task] = {}

        def submit() -> Any:
            task = waiting.popleft()
            future = client.submit(_apply, work, task[1], pure=False, retries=MOST_DEATHS)
            task_of_future[future.key] = task
            return future

        collect: Any = distributed.as_completed
        submitted = [submit() for _ in range(min(len(waiting), AHEAD * cores))]
        futures = collect(submitted, loop=client.loop, with_results=True, raise_errors=False)
        stack.callback(lambda: client.cancel(list(futures.futures)))
        for future, answer in futures:
            task = task_of_future.pop(future.key)
            yield task[0], _result(future, answer, work, task[1])
            if waiting:
                futures.add(submit())


def _refuse_address(distributed: Any, scheduler: str) -> None:
    """Refuse what is no address: a client of none is left half made, and what is left of it is waited for."""
    try:
        distributed.comm.resolve_address(scheduler)
    except OSError:
        pass  # no machine of this name, as the client says too
    except (ValueError, TypeError, AttributeError):
        raise ArmError(f"{scheduler!r:.100} is no address of a Dask scheduler, as tcp://10.0.0.1:8786 is") from None
    encryption = distributed.Security().get_connection_args("client").get("ssl_context")
    if scheduler.startswith(("tls:", "wss:")) and encryption is None:
        raise ArmError(
            f"{scheduler!r:.100} asks for encryption, and Dask's configuration names no certificates; set "
            "distributed.comm.tls there, or take tcp://"
        )


def _result(future: Any, answer: Any, work: _Sent, designs: Array) -> Answers:
    """The answers; those of a task whose workers died too often are given up, any other error is raised."""
    if isinstance(answer, Answers):
        return answer
    if future.status != "error":  # cancelled or lost: nobody holds it any more
        raise ArmError(
            "the Dask scheduler ended, or gave up the designs of this study; start it again and run the same study: "
            "with a file for its results only what is missing is worked out"
        )
    from distributed.scheduler import KilledWorker

    if isinstance(future.exception(), KilledWorker):
        return _without_answers(work, designs)
    raise future.exception()


def _apply(work: _Sent, designs: Array) -> Answers:
    return work(designs)

"""``da.study``: many designs of one system, each with its outputs; resumable, and the same wherever it runs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..design.motion_samples import MotionSamples
from ..simulation.motion_files import motion_of
from .design_numbers import Designed, designed, facts_of
from .evaluator import DesignEvaluator
from .executors import answered
from .factors import Factor, FactorSet, factors_of
from .outputs import Output
from .own_function import Untold, known_by
from .package_code import package_code
from .sampling import designs_of
from .study_files import checked_path, finished, save_table
from .study_result import StudyResult
from .study_store import StudyStore

Array = NDArray[np.float64]
Progress = Callable[[int, int], None]
"""Designs that are done, and of how many."""

CHUNK = 16384
"""Designs of a chunk where kernels answer for all outputs."""
LARGE_CHUNK = 1 << 18
"""The same on a GPU."""
MECHANISM_CHUNK = 256
"""The same of a mechanism, some of whose designs may have to be built anew."""
SMALL_CHUNK = 8
"""Designs of a chunk where something is worked out design by design."""


@dataclass(frozen=True, eq=False)
class Study:
    """What is asked: factors and outputs of a system, along a motion, and which designs are tried."""

    system: Designed
    factors: tuple[Factor, ...]
    outputs: tuple[Output, ...]
    motion: MotionSamples | None = None
    design: str = "latin-hypercube"
    samples: int = 1000
    seed: int = 0
    chunk: int | None = None
    name: str = ""
    device: str = "cpu"

    @cached_property
    def evaluator(self) -> DesignEvaluator:
        """What works out its designs."""
        return DesignEvaluator(FactorSet(self.system, self.factors), self.outputs, self.motion, self.device)

    @cached_property
    def designs(self) -> Array:
        """The designs ``(count, factors)``."""
        return designs_of(self.factors, self.design, self.samples, self.seed)

    @property
    def rows_of_chunk(self) -> int:
        """Designs of a chunk: the least that is worked out, sent and kept at once."""
        if self.chunk is not None:
            if isinstance(self.chunk, bool) or not isinstance(self.chunk, int) or self.chunk < 1:
                raise ArmError(f"chunk must be a whole number of at least 1, not {self.chunk!r:.60}")
            return self.chunk
        if not all(output.batched for output in self.outputs):
            return SMALL_CHUNK
        if not self.evaluator.is_arm:
            return MECHANISM_CHUNK
        return CHUNK if self.device == "cpu" else LARGE_CHUNK

    @cached_property
    def identity(self) -> str:
        """Digest of all that shapes the results: two studies that share it have the same results.

        Where a transmission or an output is a Python function that cannot be told from another, it is shared by none:
        such a study is worked out anew each time.
        """
        facts = facts_of(self.evaluator.system) or uuid4().hex
        motion = () if self.motion is None else (self.motion.q, self.motion.qd, self.motion.qdd, self.motion.t)
        digest = hashlib.sha256()
        outputs = [
            (x.kind, x.name, x.joints, _digest_or_unique(sorted(x.options.items())), _digest_or_unique(x.function))
            for x in self.outputs
        ]
        question: tuple[Any, ...] = (
            package_code(), facts, self.factors, outputs, self.design, self.samples, self.seed, self.rows_of_chunk,
        )  # fmt: skip
        if self.device != "cpu":  # other processors round otherwise
            question += (self.device,)
        digest.update(repr(question).encode())
        digest.update(np.ascontiguousarray(self.designs).data)  # another SciPy may draw others from the same seed
        for table in motion:
            digest.update(b"none" if table is None else np.ascontiguousarray(table).tobytes())
        return digest.hexdigest()

    def run(
        self,
        path: str | Path | None = None,
        *,
        executor: str = "serial",
        workers: int | None = None,
        scheduler: str | None = None,
        progress: Progress | None = None,
    ) -> StudyResult:
        """Work out all designs, on one thread, "threads" or "processes", or on a Dask cluster.

        With ``path`` (.parquet, .csv) the results are written there. While it runs, chunks stand in the folder
        PATH.parts; after a crash or Ctrl-C the same call goes on where it stopped. A Parquet file of this very study is
        read, not worked out again.
        """
        if self.device == "cuda" and executor == "processes":
            raise ArmError('a study on "cuda" uses one GPU from one process; take threads, or a scheduler\'s workers')
        names = [factor.name for factor in self.factors] + [name for name, _ in self.evaluator.columns]
        target = checked_path(path) if path is not None else None
        if target is not None:
            done = finished(target, self.identity, self.designs, names)
            if done is not None:
                return self._result(*done)
        store = StudyStore(target, self.identity) if target is not None else None
        result = self._worked(store, executor, workers, scheduler, progress or (lambda done, total: None))
        if store is not None:
            assert target is not None, "a store stands beside a file"
            save_table(target, result.columns, result.failures, self.identity)
            store.remove()
        return result

    def _worked(
        self, store: StudyStore | None, executor: str, workers: int | None, scheduler: str | None, progress: Progress
    ) -> StudyResult:
        size, total, width = self.rows_of_chunk, len(self.designs), len(self.evaluator.columns)
        values = np.full((total, width), np.nan)
        failures = [""] * total
        missing, done = [], 0
        for number, first in enumerate(range(0, total, size)):
            designs = self.designs[first : first + size]
            stored = store.load(number, len(designs), width) if store is not None else None
            if stored is None:
                missing.append((number, designs))
                continue
            values[first : first + size], failures[first : first + size] = stored.values, stored.failures
            done += len(designs)
        progress(done, total)
        for number, answers in answered(self.evaluator, missing, executor, workers, scheduler):
            if store is not None:
                store.save(number, answers)
            rows = slice(number * size, number * size + len(answers.failures))
            values[rows], failures[rows] = answers.values, answers.failures
            done += len(answers.failures)
            progress(done, total)
        return self._result(values, tuple(failures))

    def _result(self, values: Array, failures: tuple[str, ...]) -> StudyResult:
        return StudyResult(
            self.name or self.system.name, self.factors, self.evaluator.factors.units, self.evaluator.columns,
            self.designs, values, failures, self.design, self.samples, self.seed,
        )  # fmt: skip


def _digest_or_unique(value: object) -> str:
    """What a part of a study is known by: a changed one is another study."""
    try:
        return known_by(value)
    except Untold:
        return uuid4().hex


def study(
    system: Designed,
    factors: Sequence[Factor] | dict[str, object],
    outputs: Sequence[Output | str | Callable[[Any], Any]],
    *,
    motion: Any = None,
    design: str = "latin-hypercube",
    samples: int = 1000,
    seed: int = 0,
    path: str | Path | None = None,
    executor: str = "serial",
    workers: int | None = None,
    scheduler: str | None = None,
    chunk: int | None = None,
    name: str = "",
    device: str = "cpu",
    progress: Progress | None = None,
) -> StudyResult:
    """Many designs of ``system``: its numbers ``factors`` varied, its ``outputs`` worked out for each.

    ``factors`` are ``da.Factor``s, or a table of names and ends, as in ``{"link.link2.mass": (10, 20)}``; names are
    those of ``arm/description_numbers.py``. ``outputs`` are ``da.Output``s, their kinds ("peak_torque", "energy",
    "cycle_time", ...), or functions of the system. ``motion`` is any that ``da.motion_of`` takes. ``design`` is "grid",
    "latin-hypercube", "sobol", "monte-carlo", "saltelli" (for Sobol indices) or "morris", of ``samples``, by ``seed``.
    For ``path``, ``executor``, ``workers`` and ``scheduler`` see ``Study.run``. ``system`` may be a mechanism, whose
    factors are those of its chains ("left.link.crank.mass"). With ``device="cuda"`` kernels run on an NVIDIA GPU.
    """
    system = designed(system)
    request = Study(
        system, factors_of(factors), outputs_of(outputs), None if motion is None else motion_of(system, motion),
        design, samples, seed, chunk, name, device,
    )  # fmt: skip
    return request.run(path, executor=executor, workers=workers, scheduler=scheduler, progress=progress)


def outputs_of(outputs: Sequence[Output | str | Mapping[str, Any] | Callable[[Any], Any]]) -> tuple[Output, ...]:
    """Outputs as they are, by their kind, or as functions of the system."""
    if isinstance(outputs, str) or callable(outputs):
        outputs = [outputs]
    parsed = []
    for output in outputs:
        if isinstance(output, Output):
            parsed.append(output)
        elif isinstance(output, str):
            parsed.append(Output(output))
        elif callable(output):
            parsed.append(Output("own", getattr(output, "__name__", "own"), function=output))
        else:
            raise ArmError(
                f"an output is a da.Output, the name of a kind, or a function of the system, not {output!r:.60}"
            )
    return tuple(parsed)

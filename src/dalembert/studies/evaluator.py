"""The designs of a chunk worked out: kernels in blocks that stay in the cache, other outputs one by one."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription, listed
from ..arm.errors import ArmError, PhysicalWarning
from ..compile.cuda.motion_kernel import MotionKernel
from ..compile.targets import kernel_for
from ..design.motion_samples import MotionSamples
from .design_function import design_function
from .design_limits import design_limits
from .design_numbers import Designed, with_numbers
from .factors import FactorSet
from .mechanism_motions import MechanismMotions
from .motion_reductions import REDUCTIONS
from .outputs import OUTPUTS, Output
from .proved_outputs import reduced_torques, refuse_options
from .study_files import FAILURE

Array = NDArray[np.float64]

STATES = {"cpu": 8192, "cuda": 1 << 20}
"""States of one block: their numbers stay within the second-level cache, or keep a GPU busy."""


@dataclass(frozen=True, eq=False)
class Answers:
    """Values of the outputs ``(designs, columns)``, NaN where there are none, and why: "" for a design that worked."""

    values: Array
    failures: tuple[str, ...]


class _Buffers:
    """Memory for a block of designs along a motion, used again for every block.

    Fresh arrays for each block would be given back to the system each time where the allocator is set to do so, as it
    is in the workers of Dask, and the time would go into new pages.
    """

    def __init__(self, designs: int, states: Sequence[Array], numbers: int, shapes: Sequence[tuple[int, ...]]) -> None:
        rows = designs * len(states[0])
        self.designs = designs
        # All designs of a moment, then those of the next: peaks over moments are then taken of whole rows at once.
        self.states = [np.repeat(state, designs, axis=0) for state in states]
        self.numbers = np.empty((rows, numbers))
        self.results = [np.empty((rows, *shape)) for shape in shapes]


class DesignEvaluator:
    """A system, its factors, outputs and motion, ready to work out designs."""

    def __init__(
        self, factors: FactorSet, outputs: Sequence[Output], motion: MotionSamples | None, device: str = "cpu"
    ) -> None:
        self.system: Designed = factors.system
        self.factors, self.outputs, self._motion, self.device = factors, tuple(outputs), motion, device
        self.is_arm = isinstance(self.system, ArmDescription)
        """Whether it is an arm; designs of a mechanism may have joints of their own, or be built anew."""
        self._kernels: dict[str, Any] = {}
        self._motion_kernels: dict[str, MotionKernel] = {}
        self._lock = threading.Lock()
        self._models: dict[str, Array] = {}
        self._mechanism = None if self.is_arm else MechanismMotions(self.system, factors.names)
        self._last = threading.local()  # threads share the kernels, not the block that each of them is at
        for output in self.outputs:
            output.rows(self.system)  # refuses joints that there are not
        self.columns = tuple(column for output in self.outputs for column in output.columns(self.system))
        names = [name for name, _ in self.columns]
        all_names = [*names, *(factor.name for factor in factors.factors), FAILURE]
        repeated = next((name for name in all_names if all_names.count(name) > 1), "")
        if not names or repeated:
            raise ArmError(
                f"{self.system.name}: " + (f"two columns are called {repeated!r:.80}; give one of them another name"
                if repeated else "a study has at least one output")
            )  # fmt: skip
        for output in self.outputs:
            if output.kind != "own" and OUTPUTS[output.kind].needs_motion and motion is None:
                raise ArmError(f"{self.system.name}: output {output.name!r} is along a motion; give one")
        self._refuse_unfit()
        if motion is not None and motion.q.shape[-1] != self.system.n:
            raise ArmError(f"{self.system.name}: the motion is one of {motion.q.shape[-1]} joints")

    def __reduce__(self) -> tuple[Any, ...]:
        for output in self.outputs:
            if output.kind == "model_error":
                self.model_torques(output)  # reduced once, here, and not by every worker
        arguments = self.factors, self.outputs, self._motion, self.device
        return DesignEvaluator, arguments, {"_models": self._models}

    def _refuse_unfit(self) -> None:
        """Refuse outputs that this system has not, and a device that cannot serve them."""
        if self.device not in STATES:
            raise ArmError(f"no device {self.device!r:.60} for a study; there are {listed(STATES)}")
        proved = [output for output in self.outputs if not output.batched]
        if self.device == "cuda" and (proved or not self.is_arm):
            obstacle = f"output {proved[0].name!r} is worked out design by design" if proved else "it is a mechanism"
            raise ArmError(
                f'{self.system.name}: a study on "cuda" is of kernels with the numbers of an arm as arguments, and '
                f"{obstacle}; leave the device out"
            )
        reduced = [output for output in self.outputs if output.kind == "model_error"]
        unfit = [output.name for output in (*proved, *reduced) if output.kind != "own"]
        if unfit and not self.is_arm:
            raise ArmError(
                f"{self.system.name}: output {unfit[0]!r} is one of arms: ranges and reduced models are proved of these"
            )
        for output in (*proved, *reduced):
            if output.kind != "own":
                refuse_options(output, self.system)

    @property
    def motion(self) -> MotionSamples:
        """The motion along which outputs are worked out."""
        assert self._motion is not None, "outputs that need one are refused without it"
        return self._motion

    @cached_property
    def duration(self) -> float:
        """Duration of the motion (s)."""
        if self.motion.t is None:
            raise ArmError(f"{self.system.name}: energy and cycle time need the times of the motion; give them")
        return float(self.motion.t[-1] - self.motion.t[0])

    # -- kernels -------------------------------------------------------------------------------------

    def kernel(self, name: str) -> Any:
        """The function ``name`` with the numbers of the factors as last argument; compiled once for all designs."""
        if name not in self._kernels:
            function = design_function(self.system, name, self.factors.names)
            self._kernels[name] = kernel_for(function, self.device, "float64")
        return self._kernels[name]

    def at(self, name: str, *states: Array, values: Array) -> Any:
        """Results of a function of states that broadcast against the designs, ``(designs, ...)`` each."""
        if self._mechanism is None:
            return self.kernel(name)(*states, values)
        return self._mechanism.each(name, values, states)

    def along(self, name: str, values: Array, arguments: int = 3) -> tuple[Array, ...]:
        """Results ``(designs, moments, ...)`` of a function of the first ``arguments`` of q, qd, qdd on the motion.

        They stand in memory that the next call for the same function in this thread uses again.
        """
        states = (self.motion.q, self.motion.qd, self.motion.qdd)[:arguments]
        if self._mechanism is not None:
            return (self._mechanism.along(name, values, states),)
        count, kernel = len(values), self.kernel(name)
        buffers: dict[str, _Buffers] = self._last.__dict__.setdefault("buffers", {})
        block = buffers.get(name)
        if block is None or block.designs != count:
            block = buffers[name] = _Buffers(count, states, values.shape[1], kernel.shapes)
        block.numbers.reshape(-1, count, values.shape[1])[...] = values
        results = tuple(block.results)
        kernel(*block.states, block.numbers, out=results if len(results) > 1 else results[0])
        return tuple(np.swapaxes(result.reshape(-1, count, *result.shape[1:]), 0, 1) for result in results)

    def reduced(self, name: str, reduction: str, values: Array, arguments: int = 3, pace: Array | None = None) -> Array:
        """What is left of a function along the motion, ``(designs, numbers of its result)``.

        ``reduction`` is a word of ``REDUCTIONS``. On a GPU only that comes back; for all reductions at once.
        """
        if self.device == "cpu" or not self.is_arm:
            if pace is not None:
                table = self.paced(name, values, pace)
            else:
                table = self.torques(values) if name == "inverse_dynamics" else self.along(name, values, arguments)[0]
            return REDUCTIONS[reduction](table.reshape(*table.shape[:2], -1), self.motion)
        inputs = (name, values, pace)
        last: dict[str, tuple[Any, dict[str, Array]]] = self._last.__dict__.setdefault("reduced", {})
        if name not in last or any(a is not b for a, b in zip(last[name][0], inputs, strict=True)):
            last[name] = inputs, self.motion_kernel(name, arguments)(values, pace)
        return last[name][1][reduction]

    def motion_kernel(self, name: str, arguments: int) -> MotionKernel:
        """The function ``name`` along the motion on a GPU, the motion on it too; compiled once for all designs."""
        with self._lock:
            if name not in self._motion_kernels:
                states = (self.motion.q, self.motion.qd, self.motion.qdd)[:arguments]
                reductions = ("peak", "square", "work") if name == "inverse_dynamics" else ("peak", "largest")
                function = design_function(self.system, name, self.factors.names)
                self._motion_kernels[name] = MotionKernel(function, reductions, states, self.motion.weights)
            return self._motion_kernels[name]

    def torques(self, values: Array) -> Array:
        """tau along the motion, ``(designs, moments, n)``; kept for the outputs that share it."""
        if getattr(self._last, "values", None) is not values:
            self._last.torques, self._last.values = self.along("inverse_dynamics", values)[0], values
        return np.asarray(self._last.torques)

    def model_torques(self, output: Output) -> Array:
        """tau ``(moments, n)`` along the motion of the reduced model that an output sets designs against."""
        if output.name not in self._models:
            self._models[output.name] = reduced_torques(output, self.system, self.motion)
        return self._models[output.name]

    def paced(self, name: str, values: Array, pace: Array) -> Array:
        """A function of q, qd and qdd along the motion at a pace for each design, ``(designs, moments, ...)``."""
        k = pace[:, None, None]
        motion = self.motion
        if self._mechanism is not None:
            return self._mechanism.along(name, values, (motion.q, k * motion.qd, k * k * motion.qdd))
        states = (np.broadcast_to(motion.q, (len(pace), *motion.q.shape)), k * motion.qd, k * k * motion.qdd)
        return np.asarray(self.at(name, *states, values=values[:, None, :]))

    def limits(self, values: Array) -> tuple[Array, Array]:
        """Limits of effort and velocity, ``(designs, n)`` each; factors may be among them."""
        return design_limits(self.system, self.factors.names, values)

    def prepare(self) -> None:
        """Have all kernels that the outputs need compiled; a design of the present numbers is worked out."""
        batched = [output for output in self.outputs if output.batched]
        present = np.array([[float(number.value) for number in self.factors.numbers]])
        for output in batched if self.is_arm else ():
            self._batch(output, present)

    # -- designs -------------------------------------------------------------------------------------

    def evaluate(self, designs: Array, ended: Callable[[], bool] = lambda: False) -> Answers:
        """The outputs of these designs ``(count, factors)``; given up before the next one where the study ``ended``."""
        self._last.ended = ended
        values = self.factors.values(designs)
        failures = self.factors.faults(values)
        results = np.full((len(designs), len(self.columns)), np.nan)
        sound = np.flatnonzero([not failure for failure in failures])
        moments = len(self._motion.q) if self._motion is not None else 1
        block = max(1, STATES[self.device] // moments)
        if self.device == "cuda" and all(OUTPUTS[output.kind].reduces for output in self.outputs):
            block = max(1, len(sound))
        for first in range(0, len(sound), block):
            rows = sound[first : first + block]
            self._block(np.ascontiguousarray(values[rows]), rows, results, failures)
        return Answers(results, tuple(failures))

    def _block(self, values: Array, rows: NDArray[np.intp], results: Array, failures: list[str]) -> None:
        """Write the outputs of designs to ``rows`` of the results, and why there are none to their failures."""
        offset = 0
        for output in self.outputs:
            count = len(output.columns(self.system))
            columns = slice(offset, offset + count)
            offset += count
            if not output.batched:
                self._one_by_one(output, columns, values, rows, results, failures)
                continue
            try:
                results[rows, columns] = self._batch(output, values)
            except ArmError as fault:
                if self.is_arm:
                    raise
                if len(rows) > 1:  # one of them cannot be, or is built anew: each alone tells
                    for k in range(len(rows)):
                        self._block(values[k : k + 1], rows[k : k + 1], results, failures)
                    return
                failures[rows[0]] = failures[rows[0]] or f"{output.name}: {_reason(fault)}"
            for row in rows[~np.isfinite(results[rows, columns]).all(axis=1)]:
                failures[row] = failures[row] or _unanswered(output)
        for row in rows:
            if failures[row]:
                results[row] = np.nan

    def _one_by_one(
        self, output: Output, columns: slice, values: Array, rows: NDArray[np.intp], results: Array, failures: list[str]
    ) -> None:
        """An output without a kernel, of each design that has not failed."""
        for value, row in zip(values, rows, strict=True):
            if failures[row]:
                continue
            if self._last.ended():
                raise InterruptedError("the study has ended")
            try:
                results[row, columns] = self._single(output, value)
            except Exception as fault:  # of one's own function anything may come: it is kept with its reason
                failures[row] = f"{output.name}: {_reason(fault)}"

    def _batch(self, output: Output, values: Array) -> Array:
        work = OUTPUTS[output.kind].batch
        assert work is not None, "asked of batched outputs only"
        with np.errstate(all="ignore"):
            try:
                return work(output, self, values)
            except np.linalg.LinAlgError:
                if len(values) == 1:
                    return np.full((1, len(output.columns(self.system))), np.nan)
                # One of them has no answer; which one, shows by asking each alone.
                return np.concatenate([self._batch(output, value[None]) for value in values])

    def _single(self, output: Output, value: Array) -> Array:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PhysicalWarning)
            system = self.design(value)
            if output.kind == "own":
                return _function_values(output, system)
            work: Callable[..., Any] | None = OUTPUTS[output.kind].single
            assert work is not None, "an output is batched or single"
            answer = np.array(work(output, system), dtype=float)
        if not np.isfinite(answer).all():
            raise ArmError("the answer is not finite")
        return answer

    def design(self, value: Array) -> Designed:
        """The system with these values of its numbers."""
        numbers = {name: float(x) for name, x in zip(self.factors.names, value, strict=True)}
        return with_numbers(self.system, numbers)


def _function_values(output: Output, system: Designed) -> Array:
    assert output.function is not None, "an output of one's own has a function"
    result = output.function(system)
    if output.columns_of_function:
        result = [result[name] for name in output.columns_of_function]
    answer = np.atleast_1d(np.array(result, dtype=float))
    if answer.shape != (max(len(output.columns_of_function), 1),) or not np.isfinite(answer).all():
        raise ArmError(f"the function gave {result!r:.80}; it must give one finite number for each column")
    return answer


def _unanswered(output: Output) -> str:
    if output.kind == "cycle_time":
        return f"{output.name}: the motion exceeds a limit even far slower, or is within all of them far faster"
    if output.kind == "natural_frequency":
        return f"{output.name}: at this pose the arm falls over, or its mass matrix is not positive"
    return f"{output.name}: the result is not finite"


def _reason(fault: Exception) -> str:
    """In one line of text that a file can hold: names of files may have bytes in them that are none."""
    sentence = " ".join(str(fault).encode("utf-8", "backslashreplace").decode().split())
    if isinstance(fault, ArmError):
        return sentence[:400]
    return ": ".join(part for part in (type(fault).__name__, sentence) if part)[:400]

"""A function along one motion for many designs on the GPU: only numbers of designs go there, only answers come back.

One thread has one design. It goes through the moments of the motion, which lie on the device and are the same for all,
and keeps of each result y what is asked for (``REDUCTIONS``): the largest |y|, the largest y, the mean of y^2 over the
time of the motion, and the mean of max(y qd, 0), which is the mean power that drives give.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..emit_c import Program, destinations
from ..function import Function
from . import driver
from .source import CudaSource, body, constant_table, head

Array = NDArray[np.float64]

BLOCK = 64
REDUCTIONS = {
    "peak": ("0", "size_of({y}) > {kept} || {y} != {y} ? size_of({y}) : {kept}"),
    "largest": ("-HUGE_VAL", "{y} > {kept} || {y} != {y} ? {y} : {kept}"),
    "square": ("0", "{kept} + weight * {y} * {y}"),
    "work": ("0", "{kept} + weight * given({y} * {qd})"),
}
"""What is kept of a result: its first value, and the next one. What is not a number stays so."""
POWERS = {"q": 0, "qd": 1, "qdd": 2}
"""With which power of the pace an argument grows."""

TEXT = """\
{head}
#define size_of(y) fabs(y)
#ifndef HUGE_VAL
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)
#endif
DEVICE real given(real power) {{ return power > 0 || power != power ? power : 0; }}
{constants}DEVICE void design(const size i, {signature})
{{
  const real pace = paces ? paces[i] : 1;
  {start}
  for (size moment = 0; moment < moments; moment++) {{
    const real *__restrict__ const row = motion + moment * {width};
    const real weight = row[{width} - 1];
    {reads}
    real y[{results}];
    {code}
    {step}
  }}
  {end}
}}

#ifndef HOST
extern "C" __global__ void __launch_bounds__({block}) kernel({signature})
{{
  const size i = (size)blockIdx.x * {block} + threadIdx.x;
  if (i < count) design(i, {passed});
}}
#else
extern "C" void kernel({signature})
{{
  for (size i = 0; i < count; i++) design(i, {passed});
}}
#endif
"""


def motion_source(function: Function, reductions: Sequence[str]) -> CudaSource:
    """CUDA of ``kernel(motion, moments, numbers, paces, kept, count)`` for the first result of ``function``.

    ``motion`` has a row for each moment: the arguments but the last one, then its weight. ``numbers`` are the last
    argument, a row for each design; ``paces``, where there are any, by how much each design goes faster. ``kept`` gets
    the reductions one after another, each a row for every number of the result.
    """
    program = Program(function, fused=True)
    *states, (_, names) = function.inputs
    width = 1 + sum(len(entries) for _, entries in states)
    inputs: list[str] = []
    reads: list[str] = []
    for argument, entries in states:
        factor = "".join(" * pace" for _ in range(POWERS[argument]))
        for column in range(len(entries)):
            inputs.append(f"{argument}{column}")
            reads.append(f"const real {argument}{column} = row[{len(reads)}]{factor};")
    inputs += [f"numbers[i * {len(names)} + {k}]" for k in range(len(names))]
    results = len(function.outputs[0][1])
    accumulators = [(r, k, f"kept{r}_{k}") for r in range(len(reductions)) for k in range(results)]

    def next_value(reduction: str, k: int, name: str) -> str:
        return f"{name} = {REDUCTIONS[reduction][1].format(y=f'y[{k}]', kept=name, qd=f'qd{k}')};"

    signature = (
        "const real *__restrict__ motion, size moments, const real *__restrict__ numbers, "
        "const real *__restrict__ paces, real *__restrict__ kept, size count"
    )
    text = TEXT.format(
        head=head("float64"),
        constants=constant_table(program, "float64"),
        signature=signature,
        width=width,
        start=" ".join(f"real {name} = {REDUCTIONS[reductions[r]][0]};" for r, k, name in accumulators),
        reads=" ".join(reads),
        results=results,
        code=body(program, "float64", "full", inputs, destinations(program, lambda _, column: f"y[{column}]")),
        step=" ".join(next_value(reductions[r], k, name) for r, k, name in accumulators),
        end=" ".join(f"kept[{r * results + k} * count + i] = {name};" for r, k, name in accumulators),
        block=BLOCK,
        passed="motion, moments, numbers, paces, kept, count",
    )
    return CudaSource(text, BLOCK, 0)


class MotionKernel:
    """A function of designs along a motion, compiled once; ``states`` are the rows of its arguments but the last."""

    def __init__(
        self, function: Function, reductions: Sequence[str], states: Sequence[Array], weights: Array, device: int = 0
    ) -> None:
        driver.driver()
        driver.nvrtc()
        self.function, self.reductions, self.device = function, tuple(reductions), device
        self.rows = np.ascontiguousarray(np.concatenate([*states, weights[:, None]], axis=1), dtype=np.float64)
        self._lock = threading.Lock()

    @cached_property
    def _compiled(self) -> driver.DeviceFunction:
        generated = motion_source(self.function, self.reductions)
        return driver.DeviceFunction(generated.text, self.device, generated.block, generated.shared)

    @cached_property
    def _motion(self) -> driver.Memory:
        return driver.Memory(self.device, self.rows.nbytes).filled(self.rows)

    def __call__(self, numbers: Array, paces: Array | None = None) -> dict[str, Array]:
        """For each reduction ``(designs, numbers of the result)``."""
        with self._lock:  # threads share the compiled kernel and the motion
            compiled, motion = self._compiled, self._motion
        count, shape = len(numbers), (len(self.reductions), len(self.function.outputs[0][1]), len(numbers))
        results = np.empty(shape)
        inputs = [np.ascontiguousarray(numbers, dtype=np.float64)]
        inputs += [np.ascontiguousarray(paces, dtype=np.float64)] if paces is not None else []
        memory = [driver.Memory(self.device, max(array.nbytes, 8)).filled(array) for array in inputs]
        output = driver.Memory(self.device, max(results.nbytes, 8))
        arguments = driver.Arguments(6)
        pace = memory[1].address if paces is not None else 0
        arguments.values[:] = [motion.address, len(self.rows), memory[0].address, pace, output.address, count]
        compiled.launch(count, arguments.pointers, 0)
        output.read_into(results)
        return {name: results[k].T for k, name in enumerate(self.reductions)}

"""``CudaKernel``: a function of an arm on the GPU, called on device arrays."""

from __future__ import annotations

import math
import threading
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arm.array_input import common_shape
from ...arm.errors import ArmError
from ..function import Function
from ..operations import Operations, count
from . import driver, staging
from .device_arrays import SIZES, DeviceArray, framework_of
from .parts import CHUNK, MOST_ROWS, MOST_STRIDE, Part, kernels, launches, scratch_numbers
from .source import ACCURACIES, LAYOUTS, source

DTYPES = ("float64", "float32")
MOST_PLANS = 256
"""Launch plans kept for each kernel."""


class KernelSequence(NamedTuple):
    """The kernels of a function on one device, in the order they run."""

    device: int
    parts: tuple[Part, ...]
    functions: tuple[driver.DeviceFunction, ...]


class Plan(NamedTuple):
    """Launch parameters for arguments of one form: shapes, strides, and which arrays must be made contiguous."""

    batch: tuple[int, ...]
    states: int
    strides: tuple[int, ...]
    uneven: frozenset[int]
    shapes: tuple[tuple[int, ...], ...]
    ready: KernelSequence


class CudaKernel:
    """A compiled function of one arm on the GPU.

    ``kernel(q, qd, qdd)`` takes CuPy, PyTorch or JAX arrays on the device (any with DLPack), rows ``(..., n)`` that
    broadcast against each other, and returns the same kind of array, without copies, on the caller's stream. ``out``
    receives the results. ``layout="columns"`` takes and returns ``(n, N)`` instead: one row for each joint, with
    adjacent states. NumPy arrays are staged through the device in chunks. Values that are not finite are propagated.
    ``accuracy="fast"`` uses the hardware's sine and cosine: absolute error up to 2^-21.4 for |x| <= pi, growing with
    the angle beyond.
    """

    def __init__(
        self,
        function: Function,
        dtype: str = "float32",
        accuracy: str = "full",
    ) -> None:
        if dtype not in DTYPES:
            raise ArmError(f'dtype may be "float32" or "float64", not {dtype!r}')
        if accuracy not in ACCURACIES:
            raise ArmError(f'accuracy may be "full" or "fast", not {accuracy!r}')
        if accuracy == "fast" and dtype == "float64":
            raise ArmError('accuracy="fast" is the hardware\'s float32 sine; with dtype="float64" it must be "full"')
        driver.driver()
        driver.nvrtc()
        self.function, self.name, self.dtype, self.accuracy = function, function.name, dtype, accuracy
        self.arguments, self.shapes = function.arguments, function.shapes
        self._steps: dict[tuple[int, str], KernelSequence] = {}
        self._plans: dict[Any, Plan] = {}
        self._buffers = threading.local()

    def __repr__(self) -> str:
        return f"<CudaKernel {self.name} of {self.function.label!r}, {self.dtype}, {self.accuracy}>"

    # -- calling --------------------------------------------------------------------------------

    def __call__(self, *arrays: Any, out: Any = None, layout: str = "rows") -> Any:
        if layout not in LAYOUTS:
            raise ArmError(f'layout may be "rows" or "columns", not {layout!r}')
        if len(arrays) != len(self.arguments):
            names = ", ".join(name for name, _ in self.arguments)
            raise ArmError(f"{self.name} takes {names}: {len(self.arguments)} arrays, not {len(arrays)}")
        framework = framework_of(arrays[0])
        if framework is None:
            if any(framework_of(array) is not None for array in arrays):
                raise ArmError("some arguments live on the GPU and others do not; bring all to one place")
            return staging.run(self, [np.asarray(array) for array in arrays], out, layout)
        if framework.adopts:
            arrays = tuple(framework.adopt(array) for array in arrays)
        outputs = () if out is None else tuple(out) if isinstance(out, tuple | list) else (out,)
        signature = framework.signature
        key = (layout, *[signature(array) for array in arrays], *[signature(array) for array in outputs])
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plan(framework, arrays, outputs, layout)
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            self._plans[key] = plan
        if plan.uneven:
            arrays = tuple(
                framework.pieced(array, (*plan.batch, array.shape[-1])) if k in plan.uneven else array
                for k, array in enumerate(arrays)
            )
        results = outputs or tuple(framework.empty(shape, self.dtype, arrays[0]) for shape in plan.shapes)
        pointer = framework.pointer
        values: list[int] = []
        for array, stride in zip(arrays, plan.strides, strict=True):
            values += (pointer(array), stride)
        values += [pointer(result) for result in results]
        self.launch(plan.ready, plan.states, values, framework.stream(plan.ready.device))
        framework.after_launch()
        return results[0] if len(results) == 1 else results

    def launch(self, steps: KernelSequence, states: int, values: list[int], stream: int) -> None:
        """Launches with ``values``: address and row stride of each argument, then the addresses of the results."""
        numbers = sum(scratch_numbers(steps.parts).values()) if len(steps.parts) > 1 else 0
        if not numbers and (states <= MOST_ROWS or steps.parts[0].layout == "columns"):
            for function in steps.functions:
                function.launch(states, self._filled([*values, states]), stream)
            return
        size = max(numbers * CHUNK * SIZES[self.dtype], 1)
        with driver.scratch(steps.device, size, stream) as memory:
            for index, arguments, count in launches(steps.parts, self.function, self.dtype, states, values, memory):
                steps.functions[index].launch(count, self._filled([*arguments, count]), stream)

    def _filled(self, values: list[Any]) -> Any:
        """Pointers to the arguments of a launch, in a buffer of this thread."""
        buffers: dict[int, driver.Arguments] | None = getattr(self._buffers, "arguments", None)
        if buffers is None:
            buffers = self._buffers.arguments = {}
        if len(values) not in buffers:
            buffers[len(values)] = driver.Arguments(len(values))
        buffer = buffers[len(values)]
        buffer.values[:] = values
        return buffer.pointers

    def _plan(self, framework: Any, arrays: tuple[Any, ...], outputs: tuple[Any, ...], layout: str) -> Plan:
        """Checks the arguments and returns the launch plan, kept for further calls with arrays of the same form."""
        described = [framework.describe(array) for array in arrays]
        self._check(described)
        batch, strides, uneven = self._columns(described) if layout == "columns" else self._rows(described)
        shapes = tuple((*shape, *batch) if layout == "columns" else (*batch, *shape) for shape in self.shapes)
        if outputs:
            self._check_out([framework.describe(array) for array in outputs], shapes)
        sequence = self.steps_on(described[0].device, layout)
        return Plan(batch, math.prod(batch), tuple(strides), uneven, shapes, sequence)

    def steps_on(self, device: int, layout: str = "rows") -> KernelSequence:
        """The kernels on one device, compiled at first use."""
        key = (device, layout)
        if key not in self._steps:
            parts = self.parts(layout)
            sources = [source(part, self.dtype, self.accuracy, layout) for part in parts]
            functions = (driver.DeviceFunction(x.text, device, x.block, x.shared) for x in sources)
            self._steps[key] = KernelSequence(device, tuple(parts), tuple(functions))
        return self._steps[key]

    def _check(self, described: list[DeviceArray]) -> None:
        """Checks dtype and device of the arguments."""
        device = described[0].device
        for (name, _), array in zip(self.arguments, described, strict=True):
            if array.dtype != self.dtype:
                raise ArmError(f"{name} is {array.dtype}, but this kernel was compiled for {self.dtype}")
            if array.device != device:
                raise ArmError(f"{name} lives on GPU {array.device}, {self.arguments[0][0]} on GPU {device}")

    def _rows(self, described: list[DeviceArray]) -> tuple[tuple[int, ...], list[int], frozenset[int]]:
        """Batch shape, row stride of each argument, and the arguments without a uniform stride, which are copied."""
        for (name, width), array in zip(self.arguments, described, strict=True):
            if array.shape[-1:] != (width,):
                plural = "numbers" if name == "parameters" else "joints"
                raise ArmError(f"{name} must end in {width} {plural}, got {array.shape}")
        batch = common_shape([(name, array) for (name, _), array in zip(self.arguments, described, strict=True)])
        steps = [row_step(array, batch) for array in described]
        strides = [array.shape[-1] if step is None else step for step, array in zip(steps, described, strict=True)]
        return batch, strides, frozenset(k for k, step in enumerate(steps) if step is None)

    def _columns(self, described: list[DeviceArray]) -> tuple[tuple[int, ...], list[int], frozenset[int]]:
        """The same for layout "columns"."""
        states = described[0].shape[-1] if described[0].shape else 0
        strides = []
        for (name, width), array in zip(self.arguments, described, strict=True):
            if array.shape != (width, states):
                raise ArmError(f"{name} must be ({width}, {states}) with layout columns, got {array.shape}")
            if array.strides[1] != 1 and states > 1:
                raise ArmError(f"{name}: with layout columns the states of a joint must stand side by side")
            strides.append(array.strides[0])
        return (states,), strides, frozenset()

    def _check_out(self, described: list[DeviceArray], shapes: tuple[tuple[int, ...], ...]) -> None:
        """Checks the arrays that receive the results."""
        if len(described) != len(shapes):
            raise ArmError(f"out must be {len(shapes)} arrays for {self.name}, got {len(described)}")
        for array, shape in zip(described, shapes, strict=True):
            contiguous = tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
            if array.shape != shape or array.dtype != self.dtype:
                raise ArmError(f"out must be {self.dtype} of shape {shape}, got {array.dtype} of shape {array.shape}")
            if math.prod(shape) and array.strides != contiguous:
                raise ArmError("out must be one piece of memory (contiguous)")

    # -- properties -----------------------------------------------------------------------------

    def parts(self, layout: str = "rows") -> list[Part]:
        """The kernels that the function becomes: one, or several where one thread could not hold its numbers."""
        return kernels(self.function, self.dtype, layout)

    @property
    def source(self) -> str:
        """The CUDA source for rows, of all kernels one after another."""
        return "\n".join(source(part, self.dtype, self.accuracy).text for part in self.parts())

    @property
    def operations(self) -> Operations:
        """Operations per state."""
        return count(self.function.nodes)

    @property
    def bytes_per_state(self) -> int:
        """Memory traffic of one state (bytes), with each number read or written once."""
        numbers = sum(width for _, width in self.arguments) + sum(math.prod(shape) for shape in self.shapes)
        return numbers * (4 if self.dtype == "float32" else 8)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the parameters that are inputs, in order."""
        return self.function.parameters.names

    @cached_property
    def default_parameters(self) -> NDArray[Any]:
        """The values that the description has for ``parameter_names``."""
        return np.array(self.function.parameters.values, self.dtype)


def row_step(array: DeviceArray, batch: tuple[int, ...]) -> int | None:
    """The uniform stride between rows of an array broadcast to ``batch``; None if there is none, or too long a one."""
    if array.shape[-1] > 1 and array.strides[-1] != 1:
        return None
    lead = array.shape[:-1]
    if math.prod(lead) == 1:
        return 0 if math.prod(batch) > 1 else array.shape[-1]
    if lead != batch:
        return None
    step = None
    expected = None
    for length, stride in zip(reversed(lead), reversed(array.strides[:-1]), strict=True):
        if length == 1:
            continue
        if step is None:
            step, expected = stride, stride * length
        elif stride != expected:
            return None
        else:
            expected = stride * length
    return step if step is None or abs(step) < MOST_STRIDE else None

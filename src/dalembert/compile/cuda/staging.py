"""Staging of NumPy arrays through the GPU: in chunks, with copies overlapped with computation.

Each chunk passes through page-locked memory, which the copy engines access directly, so three chunks are in flight: one
is uploaded, one is computed, one is downloaded.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...arm.array_input import common_shape
from ...arm.errors import ArmError
from .device_arrays import SIZES
from .driver import check, driver, make_current

if TYPE_CHECKING:
    from .cuda_kernel import CudaKernel

LANES = 3
"""Chunks in flight."""
PIECE = 1 << 18
"""States in a chunk: large enough to hide the launch, small enough that three fit on any device."""


class Lane:
    """Page-locked memory, device memory and a stream for one chunk in flight."""

    def __init__(self, widths: list[int], states: int, dtype: str) -> None:
        self.dtype, self.library = np.dtype(dtype), driver()
        self.stream = ctypes.c_void_p()
        check(self.library.cuStreamCreate(ctypes.byref(self.stream), 1), "a stream")
        self.device: list[ctypes.c_uint64] = []
        self.locked: list[ctypes.c_void_p] = []
        self.host: list[NDArray[Any]] = []
        for width in widths:
            size = max(states * width, 1) * SIZES[dtype]
            device_memory, host_memory = ctypes.c_uint64(), ctypes.c_void_p()
            check(
                self.library.cuMemAlloc_v2(ctypes.byref(device_memory), ctypes.c_size_t(size)),
                f"{size} bytes on the GPU",
            )
            check(
                self.library.cuMemAllocHost_v2(ctypes.byref(host_memory), ctypes.c_size_t(size)), f"{size} locked bytes"
            )
            buffer: Any = (ctypes.c_char * size).from_address(host_memory.value or 0)
            self.device.append(device_memory)
            self.locked.append(host_memory)
            self.host.append(np.frombuffer(buffer, self.dtype)[: states * width].reshape(states, width))
        self.pending: tuple[int, int] | None = None

    def copy(self, index: int, states: int, up: bool) -> None:
        """Copies one argument or result of the chunk to the device (``up``) or back, asynchronously."""
        host = self.host[index]
        size = ctypes.c_size_t(states * host.shape[1] * self.dtype.itemsize)
        if up:
            code = self.library.cuMemcpyHtoDAsync_v2(self.device[index], self.locked[index], size, self.stream)
        else:
            code = self.library.cuMemcpyDtoHAsync_v2(self.locked[index], self.device[index], size, self.stream)
        check(code, "copying a piece of the batch")

    def wait(self) -> None:
        """Waits for the stream."""
        check(self.library.cuStreamSynchronize(self.stream), "waiting for a piece of the batch")

    def close(self) -> None:
        """Frees the memory and the stream."""
        self.library.cuStreamSynchronize(self.stream)
        for device_memory, host_memory in zip(self.device, self.locked, strict=True):
            self.library.cuMemFree_v2(device_memory)
            self.library.cuMemFreeHost(host_memory)
        self.library.cuStreamDestroy_v2(self.stream)


def run(kernel: CudaKernel, arrays: list[NDArray[Any]], out: Any, layout: str) -> Any:
    """The kernel applied to NumPy arrays."""
    if layout != "rows":
        raise ArmError("NumPy arrays go through the GPU as rows; layout columns is for arrays on the device")
    widths = [width for _, width in kernel.arguments]
    for (name, width), array in zip(kernel.arguments, arrays, strict=True):
        if array.shape[-1:] != (width,):
            raise ArmError(f"{name} must end in {width} numbers, got {array.shape}")
    batch = common_shape([(name, array) for (name, _), array in zip(kernel.arguments, arrays, strict=True)])
    states = int(np.prod(batch, dtype=np.int64))
    rows = [np.broadcast_to(a, (*batch, w)).reshape(states, w) for a, w in zip(arrays, widths, strict=True)]
    sizes = [int(np.prod(shape, dtype=np.int64)) for shape in kernel.shapes]
    shapes = [(*batch, *shape) for shape in kernel.shapes]
    results = _results(kernel, out, shapes)
    flat = [np.empty((states, size), kernel.dtype) for size in sizes] if out is not None else None
    targets = flat or [result.reshape(states, size) for result, size in zip(results, sizes, strict=True)]
    sequence = kernel.steps_on(0, "rows")
    make_current(0)
    chunk = min(PIECE, max(states, 1))
    lanes: list[Lane] = []
    try:
        lanes.extend(Lane([*widths, *sizes], chunk, kernel.dtype) for _ in range(min(LANES, -(-states // chunk))))
        for number, first in enumerate(range(0, states, chunk)):
            lane = lanes[number % len(lanes)]
            _collect(lane, targets, len(widths))
            last = min(first + chunk, states)
            for index, row in enumerate(rows):
                lane.host[index][: last - first] = row[first:last]
                lane.copy(index, last - first, up=True)
            count = len(widths)
            values = [x for pointer, width in zip(lane.device, widths, strict=False) for x in (pointer.value, width)]
            values += [pointer.value for pointer in lane.device[count:]]
            kernel.launch(sequence, last - first, values, lane.stream.value or 0)
            for index in range(count, len(lane.host)):
                lane.copy(index, last - first, up=False)
            lane.pending = (first, last)
        for lane in lanes:
            _collect(lane, targets, len(widths))
    finally:
        for lane in lanes:
            lane.close()
    if flat is not None:
        for result, staged in zip(results, flat, strict=True):
            result[...] = staged.reshape(result.shape)
    return tuple(results) if len(results) > 1 else results[0]


def _collect(lane: Lane, targets: list[NDArray[Any]], inputs: int) -> None:
    """Waits for the chunk in this lane and copies its results to the targets."""
    if lane.pending is None:
        return
    lane.wait()
    first, last = lane.pending
    for index, target in enumerate(targets):
        target[first:last] = lane.host[inputs + index][: last - first]
    lane.pending = None


def _results(kernel: CudaKernel, out: Any, shapes: list[tuple[int, ...]]) -> list[NDArray[Any]]:
    """The arrays that receive the results."""
    if out is None:
        return [np.empty(shape, kernel.dtype) for shape in shapes]
    outputs = list(out) if isinstance(out, tuple | list) else [out]
    if [array.shape for array in outputs] != shapes:
        raise ArmError(f"out must have the shapes {shapes}, got {[array.shape for array in outputs]}")
    return outputs

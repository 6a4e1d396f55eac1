"""Device arrays of CuPy, PyTorch and JAX: layout, address, stream, and allocation of results.

Arrays are read without a copy. Arrays of other libraries with DLPack or ``__cuda_array_interface__`` are converted by
whichever of these frameworks is loaded.
"""

from __future__ import annotations

import math
import sys
from typing import Any, NamedTuple

from ...arm.errors import ArmError

SIZES = {"float32": 4, "float64": 8}


class DeviceArray(NamedTuple):
    """Shape and strides (in numbers) of an array on a device."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    device: int


class Cupy:
    """CuPy arrays."""

    adopts = False

    def __init__(self) -> None:
        self.module = sys.modules["cupy"]

    def owns(self, array: Any) -> bool:
        """Whether the array belongs to this framework."""
        return isinstance(array, self.module.ndarray)

    def describe(self, array: Any) -> DeviceArray:
        """Shape, strides, dtype and device of an array."""
        size = array.itemsize
        strides = tuple(step // size for step in array.strides)
        return DeviceArray(array.shape, strides, array.dtype.name, array.device.id)

    def signature(self, array: Any) -> Any:
        """A key that is equal for arrays of the same form."""
        return array.shape, array.strides, array.dtype, array.device.id

    def pointer(self, array: Any) -> int:
        """The device address."""
        return int(array.data.ptr)

    def pieced(self, array: Any, shape: tuple[int, ...]) -> Any:
        """The array broadcast to ``shape``, contiguous."""
        return self.module.ascontiguousarray(self.module.broadcast_to(array, shape))

    def empty(self, shape: tuple[int, ...], dtype: str, like: Any) -> Any:
        """An uninitialised array on the device of ``like``."""
        with like.device:
            return self.module.empty(shape, dtype)

    def stream(self, device: int) -> int:
        """The handle of the current stream."""
        return int(self.module.cuda.get_current_stream().ptr)

    def after_launch(self) -> None:
        """Nothing to do: later work on the stream waits for the kernel."""


class Torch:
    """PyTorch tensors."""

    adopts = False

    def __init__(self) -> None:
        self.module = sys.modules["torch"]
        self.types = {"float32": self.module.float32, "float64": self.module.float64}
        self.names = {kind: name for name, kind in self.types.items()}
        # The public current_stream() wraps the handle in an object, which costs more than a launch.
        self.raw_stream = getattr(self.module._C, "_cuda_getCurrentRawStream", None)

    def owns(self, array: Any) -> bool:
        """Whether the array belongs to this framework."""
        return isinstance(array, self.module.Tensor)

    def describe(self, array: Any) -> DeviceArray:
        """Shape, strides, dtype and device of an array."""
        device = array.get_device()
        if device < 0:
            raise ArmError(f"a tensor lives on {array.device}, not on a GPU; move it there with .cuda()")
        kind = self.names.get(array.dtype) or str(array.dtype)
        return DeviceArray(tuple(array.shape), array.stride(), kind, device)

    def signature(self, array: Any) -> Any:
        """A key that is equal for arrays of the same form."""
        return array.shape, array.stride(), array.dtype, array.get_device()

    def pointer(self, array: Any) -> int:
        """The device address."""
        return int(array.data_ptr())

    def pieced(self, array: Any, shape: tuple[int, ...]) -> Any:
        """The array broadcast to ``shape``, contiguous."""
        return self.module.broadcast_to(array, shape).contiguous()

    def empty(self, shape: tuple[int, ...], dtype: str, like: Any) -> Any:
        """An uninitialised array on the device of ``like``."""
        # results often have the shape of an argument, and empty_like is faster than an explicit shape
        return self.module.empty_like(like) if like.shape == shape and like.is_contiguous() else like.new_empty(shape)

    def stream(self, device: int) -> int:
        """The handle of the current stream."""
        if self.raw_stream is not None:
            return int(self.raw_stream(device))
        return int(self.module.cuda.current_stream(device).cuda_stream)

    def after_launch(self) -> None:
        """Nothing to do: later work on the stream waits for the kernel."""


class Jax:
    """JAX arrays. JAX does not expose its streams, so the call waits for the inputs and for the kernel."""

    adopts = False

    def __init__(self) -> None:
        self.module = sys.modules["jax"]

    def owns(self, array: Any) -> bool:
        """Whether the array belongs to this framework."""
        return isinstance(array, self.module.Array)

    def describe(self, array: Any) -> DeviceArray:
        """Shape, strides, dtype and device of an array."""
        if isinstance(array, self.module.core.Tracer):
            raise ArmError("a compiled CUDA kernel cannot be traced by JAX; inside jit or vmap use arm.jax(name)")
        if array.devices().pop().platform not in ("gpu", "cuda"):
            raise ArmError("a JAX array lives on the CPU; put it on the GPU with jax.device_put")
        shape = tuple(array.shape)
        strides = tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
        device = array.devices().pop().id
        return DeviceArray(shape, strides, array.dtype.name, device)

    def signature(self, array: Any) -> Any:
        """A key that is equal for arrays of the same form."""
        return array.shape, array.dtype, array.devices().pop()

    def pieced(self, array: Any, shape: tuple[int, ...]) -> Any:
        """The array broadcast to ``shape``, contiguous."""
        return self.module.numpy.broadcast_to(array, shape)

    def pointer(self, array: Any) -> int:
        """The device address."""
        return int(array.block_until_ready().unsafe_buffer_pointer())

    def empty(self, shape: tuple[int, ...], dtype: str, like: Any) -> Any:
        """An uninitialised array on the device of ``like``."""
        # A new buffer without other references: the kernel fills it before it is returned.
        with self.module.default_device(like.devices().pop()):
            fresh = self.module.numpy.zeros(shape, dtype)
        if fresh.dtype.name != dtype:
            raise ArmError(
                "JAX keeps numbers in float32; switch float64 on with jax.config.update('jax_enable_x64', True)"
            )
        return fresh.block_until_ready()

    def stream(self, device: int) -> int:
        """The default stream."""
        return 0

    def after_launch(self) -> None:
        """Waits for the kernel."""
        from .driver import check, driver

        check(driver().cuStreamSynchronize(None), "waiting for a kernel")


FRAMEWORKS = {"torch": Torch, "cupy": Cupy, "jax": Jax}
_instances: dict[str, Any] = {}
_by_type: dict[type, Any] = {}


def framework_of(array: Any) -> Any | None:
    """The framework of an array, or None if it is not on a device. Frameworks are never imported here."""
    framework = _by_type.get(type(array))
    if framework is not None:
        return framework
    root = type(array).__module__.partition(".")[0]
    name = "jax" if root in ("jax", "jaxlib") else root
    if name in FRAMEWORKS and name in sys.modules:
        if name not in _instances:
            _instances[name] = FRAMEWORKS[name]()
        if _instances[name].owns(array):
            return _by_type.setdefault(type(array), _instances[name])
        return None
    if hasattr(array, "__cuda_array_interface__") or (hasattr(array, "__dlpack__") and _on_gpu(array)):
        return _foreign()
    return None


def _foreign() -> Any:
    """The framework that converts arrays of other libraries."""
    for name in ("cupy", "torch"):
        if name in sys.modules:
            return _ForeignArrays(_instances.setdefault(name, FRAMEWORKS[name]()))
    raise ArmError("this array lives on a GPU but belongs to no framework known here; import cupy or torch first")


def _on_gpu(array: Any) -> bool:
    """Whether DLPack reports a CUDA device (type 2)."""
    device = getattr(array, "__dlpack_device__", None)
    return device is not None and int(device()[0]) == 2


class _ForeignArrays:
    """Arrays of other libraries, viewed by CuPy or PyTorch without a copy; results belong to that framework."""

    adopts = True

    def __init__(self, host: Any) -> None:
        self.host = host

    def adopt(self, array: Any) -> Any:
        """The array as one of the host framework, on the same memory."""
        return self.host.module.from_dlpack(array)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.host, name)

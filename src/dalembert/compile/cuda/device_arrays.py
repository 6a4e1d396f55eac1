"""Arrays that live on the device: where they are, on which stream, and how to make another of the same kind.

CuPy, PyTorch and JAX arrays are read without a copy. Anything else that speaks DLPack or
``__cuda_array_interface__`` is taken through whichever of these frameworks is there.
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
        return isinstance(array, self.module.ndarray)

    def describe(self, array: Any) -> DeviceArray:
        size = array.itemsize
        strides = tuple(step // size for step in array.strides)
        return DeviceArray(array.shape, strides, array.dtype.name, array.device.id)

    def signature(self, array: Any) -> Any:
        return array.shape, array.strides, array.dtype, array.device.id

    def pointer(self, array: Any) -> int:
        return int(array.data.ptr)

    def pieced(self, array: Any, shape: tuple[int, ...]) -> Any:
        """The array broadcast to ``shape``, in one piece of memory."""
        return self.module.ascontiguousarray(self.module.broadcast_to(array, shape))

    def empty(self, shape: tuple[int, ...], dtype: str, like: Any) -> Any:
        with like.device:
            return self.module.empty(shape, dtype)

    def stream(self, device: int) -> int:
        return int(self.module.cuda.get_current_stream().ptr)

    def after(self) -> None:
        """Nothing: what comes next on the stream waits for the kernel."""


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
        return isinstance(array, self.module.Tensor)

    def describe(self, array: Any) -> DeviceArray:
        device = array.get_device()
        if device < 0:
            raise ArmError(f"a tensor lives on {array.device}, not on a GPU; move it there with .cuda()")
        kind = self.names.get(array.dtype) or str(array.dtype)
        return DeviceArray(tuple(array.shape), array.stride(), kind, device)

    def signature(self, array: Any) -> Any:
        return array.shape, array.stride(), array.dtype, array.get_device()

    def pointer(self, array: Any) -> int:
        return int(array.data_ptr())

    def pieced(self, array: Any, shape: tuple[int, ...]) -> Any:
        """The array broadcast to ``shape``, in one piece of memory."""
        return self.module.broadcast_to(array, shape).contiguous()

    def empty(self, shape: tuple[int, ...], dtype: str, like: Any) -> Any:
        # the shape of an argument is the commonest one, and copying it is quicker than spelling it
        return self.module.empty_like(like) if like.shape == shape and like.is_contiguous() else like.new_empty(shape)

    def stream(self, device: int) -> int:
        if self.raw_stream is not None:
            return int(self.raw_stream(device))
        return int(self.module.cuda.current_stream(device).cuda_stream)

    def after(self) -> None:
        """Nothing: what comes next on the stream waits for the kernel."""


class Jax:
    """JAX arrays. JAX keeps its streams to itself, so the inputs are waited for, and the kernel too."""

    adopts = False

    def __init__(self) -> None:
        self.module = sys.modules["jax"]

    def owns(self, array: Any) -> bool:
        return isinstance(array, self.module.Array)

    def describe(self, array: Any) -> DeviceArray:
        if isinstance(array, self.module.core.Tracer):
            raise ArmError("a compiled CUDA kernel cannot be traced by JAX; inside jit or vmap use arm.jax(name)")
        if array.devices().pop().platform not in ("gpu", "cuda"):
            raise ArmError("a JAX array lives on the CPU; put it on the GPU with jax.device_put")
        shape = tuple(array.shape)
        strides = tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
        device = array.devices().pop().id
        return DeviceArray(shape, strides, array.dtype.name, device)

    def signature(self, array: Any) -> Any:
        return array.shape, array.dtype, array.devices().pop()

    def pieced(self, array: Any, shape: tuple[int, ...]) -> Any:
        """The array broadcast to ``shape``, in one piece of memory."""
        return self.module.numpy.broadcast_to(array, shape)

    def pointer(self, array: Any) -> int:
        return int(array.block_until_ready().unsafe_buffer_pointer())

    def empty(self, shape: tuple[int, ...], dtype: str, like: Any) -> Any:
        # A fresh buffer that nobody else has seen: the kernel fills it before it is handed out.
        with self.module.default_device(like.devices().pop()):
            fresh = self.module.numpy.zeros(shape, dtype)
        if fresh.dtype.name != dtype:
            raise ArmError(
                "JAX keeps numbers in float32; switch float64 on with jax.config.update('jax_enable_x64', True)"
            )
        return fresh.block_until_ready()

    def stream(self, device: int) -> int:
        return 0

    def after(self) -> None:
        from .driver import check, driver

        check(driver().cuStreamSynchronize(None), "waiting for a kernel")


FRAMEWORKS = {"torch": Torch, "cupy": Cupy, "jax": Jax}
_known: dict[str, Any] = {}
_by_type: dict[type, Any] = {}


def framework_of(array: Any) -> Any | None:
    """The framework an array belongs to, or None: then it is not on a device. Frameworks are never imported here."""
    found = _by_type.get(type(array))
    if found is not None:
        return found
    root = type(array).__module__.partition(".")[0]
    name = "jax" if root in ("jax", "jaxlib") else root
    if name in FRAMEWORKS and name in sys.modules:
        if name not in _known:
            _known[name] = FRAMEWORKS[name]()
        if _known[name].owns(array):
            return _by_type.setdefault(type(array), _known[name])
        return None
    if hasattr(array, "__cuda_array_interface__") or (hasattr(array, "__dlpack__") and _on_gpu(array)):
        return _adopting()
    return None


def _adopting() -> Any:
    for name in ("cupy", "torch"):
        if name in sys.modules:
            return _Adopting(_known.setdefault(name, FRAMEWORKS[name]()))
    raise ArmError("this array lives on a GPU but belongs to no framework known here; import cupy or torch first")


def _on_gpu(array: Any) -> bool:
    """DLPack's word for where an array lives: 2 is CUDA."""
    device = getattr(array, "__dlpack_device__", None)
    return device is not None and int(device()[0]) == 2


class _Adopting:
    """Arrays of other libraries, seen through CuPy or PyTorch without a copy; results are of that framework."""

    adopts = True

    def __init__(self, host: Any) -> None:
        self.host = host

    def adopt(self, array: Any) -> Any:
        """The array as the host's own, on the same memory."""
        return self.host.module.from_dlpack(array)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.host, name)

"""The CUDA driver and NVRTC, its run-time compiler, through ctypes: building and launching needs no framework.

NVRTC is searched where CuPy, PyTorch and the CUDA wheels install it (the packages below ``nvidia``), then by the
system's loader. All frameworks use the device's primary context, so kernels launched here accept their arrays.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any
from weakref import finalize

from numpy.typing import NDArray

from ...arm.errors import ArmError
from .. import cache

OPTIONS = ("--std=c++17", "--restrict")
SHARED_BY_DEFAULT = 48 * 1024
"""Shared memory (bytes) that a block may use without opting in."""
MAX_SHARED = 8
"""CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES"""
REGISTERS, LOCAL_BYTES = 4, 3
"""CU_FUNC_ATTRIBUTE_NUM_REGS and CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES"""
MAJOR, MINOR = 75, 76
"""CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR"""


class CudaError(ArmError):
    """A missing or failing part of CUDA; the message names it, and what to install."""


def _open(names: Sequence[str]) -> ctypes.CDLL | None:
    """The first of these libraries that loads, or None."""
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


@lru_cache
def driver() -> ctypes.CDLL:
    """The driver library, initialised."""
    library = _open(("libcuda.so.1", "nvcuda.dll"))
    if library is None:
        raise CudaError('target="cuda" needs an NVIDIA GPU and its driver, and no driver (libcuda) was found here')
    code = library.cuInit(0)
    if code:
        raise CudaError(f"the NVIDIA driver could not be started (error {code}); is a GPU there?")
    count = ctypes.c_int()
    library.cuDeviceGetCount(ctypes.byref(count))
    if not count.value:
        raise CudaError('target="cuda" needs an NVIDIA GPU, and the driver sees none')
    return library


def _wheel_libraries(pattern: str) -> list[str]:
    """Libraries of this pattern in the CUDA wheels on the path."""
    files = []
    for directory in map(Path, sys.path):
        if (directory / "nvidia").is_dir():
            files += sorted(str(file) for file in (directory / "nvidia").glob(f"*/lib/{pattern}"))
    return files


@lru_cache
def nvrtc() -> ctypes.CDLL:
    """The run-time compiler."""
    names = _wheel_libraries("libnvrtc.so.*[0-9]")
    names += ["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"]
    system_library = ctypes.util.find_library("nvrtc")
    names += [system_library] if system_library else []
    names += sorted(str(file) for file in Path("/usr/local").glob("cuda*/lib64/libnvrtc.so*"))
    library = _open(names)
    if library is None:
        raise CudaError(
            'target="cuda" compiles with NVRTC, which was not found; install CuPy, PyTorch with CUDA, or the package '
            "nvidia-cuda-nvrtc"
        )
    return library


def check(code: int, action: str) -> None:
    """Raises CudaError for a non-zero error code."""
    if code:
        text = ctypes.c_char_p()
        driver().cuGetErrorString(code, ctypes.byref(text))
        raise CudaError(f"{action}: {(text.value or b'unknown error').decode()} (CUDA error {code})")


@lru_cache
def context(device: int = 0) -> ctypes.c_void_p:
    """The primary context of a device, made current in this thread."""
    library = driver()
    handle = ctypes.c_int()
    check(library.cuDeviceGet(ctypes.byref(handle), device), f"GPU {device}")
    primary = ctypes.c_void_p()
    check(library.cuDevicePrimaryCtxRetain(ctypes.byref(primary), handle), f"context of GPU {device}")
    return primary


def make_current(device: int) -> None:
    """Makes the context of a device current in this thread; a framework may have changed it."""
    check(driver().cuCtxSetCurrent(context(device)), f"context of GPU {device}")


@contextmanager
def scratch(device: int, size: int, stream: int) -> Iterator[int]:
    """The address of ``size`` bytes on a device for the work that is launched on ``stream`` meanwhile."""
    make_current(device)
    library, memory, handle = driver(), ctypes.c_uint64(), ctypes.c_void_p(stream)
    check(library.cuMemAllocAsync(ctypes.byref(memory), ctypes.c_size_t(size), handle), f"{size} bytes on the GPU")
    try:
        yield memory.value
    finally:
        check(library.cuMemFreeAsync(memory, handle), "giving memory back")


class Memory:
    """Bytes on a device, given back when nobody needs them any more."""

    def __init__(self, device: int, size: int) -> None:
        make_current(device)
        self.device, memory = device, ctypes.c_uint64()
        check(driver().cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(size)), f"{size} bytes on the GPU")
        self.address = memory.value
        finalize(self, _free, device, memory.value)

    def filled(self, array: NDArray[Any]) -> Memory:
        """Itself, with a copy of this array in it."""
        make_current(self.device)
        source, size = ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes)
        check(driver().cuMemcpyHtoD_v2(ctypes.c_uint64(self.address), source, size), "copying to the GPU")
        return self

    def read_into(self, array: NDArray[Any]) -> None:
        """Waits for the work that is launched, and copies to this array."""
        make_current(self.device)
        target, size = ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes)
        check(driver().cuMemcpyDtoH_v2(target, ctypes.c_uint64(self.address), size), "copying from the GPU")


def _free(device: int, address: int) -> None:
    make_current(device)
    driver().cuMemFree_v2(ctypes.c_uint64(address))


class Arguments:
    """A buffer for the arguments of a launch, eight bytes each, filled anew for every call."""

    def __init__(self, count: int) -> None:
        self.values = (ctypes.c_longlong * count)()
        start = ctypes.addressof(self.values)
        self.pointers = (ctypes.c_void_p * count)(*(start + 8 * k for k in range(count)))


@lru_cache
def architecture(device: int = 0) -> str:
    """The compute capability in the notation of NVRTC, for example sm_90."""
    context(device)
    capability = []
    for attribute in (MAJOR, MINOR):
        value = ctypes.c_int()
        check(driver().cuDeviceGetAttribute(ctypes.byref(value), attribute, device), "compute capability")
        capability.append(value.value)
    return f"sm_{capability[0]}{capability[1]}"


@lru_cache
def compiler_version() -> str:
    """The version of NVRTC."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    nvrtc().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return f"{major.value}.{minor.value}"


def compiled(text: str, arch: str, options: Sequence[str] = ()) -> bytes:
    """Machine code for ``text``, from the cache or by NVRTC."""
    flags = (f"--gpu-architecture={arch}", *OPTIONS, *options)
    key = cache.digest("\n".join(("cuda", compiler_version(), *flags, text)).encode())

    def build(folder: Path) -> Path:
        image = folder / "kernel.so"
        image.write_bytes(_compile(text, flags))
        return image

    return cache.library(key, build).read_bytes()


def _compile(text: str, flags: Sequence[str]) -> bytes:
    """Compiles to a cubin by NVRTC."""
    library = nvrtc()
    program = ctypes.c_void_p()
    library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"dalembert.cu", 0, None, None)
    array = (ctypes.c_char_p * len(flags))(*(flag.encode() for flag in flags))
    code = library.nvrtcCompileProgram(program, len(flags), array)
    length = ctypes.c_size_t()
    if code:
        library.nvrtcGetProgramLogSize(program, ctypes.byref(length))
        log = ctypes.create_string_buffer(length.value)
        library.nvrtcGetProgramLog(program, log)
        raise CudaError(f"NVRTC {compiler_version()} refused a kernel: {log.value.decode(errors='replace')[:2000]}")
    library.nvrtcGetCUBINSize(program, ctypes.byref(length))
    image = ctypes.create_string_buffer(length.value)
    library.nvrtcGetCUBIN(program, image)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return image.raw


class DeviceFunction:
    """A kernel loaded on one device, ready to launch."""

    def __init__(self, text: str, device: int, block: int, shared: int, options: Sequence[str] = ()) -> None:
        make_current(device)
        image = compiled(text, architecture(device), options)
        library = driver()
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        check(library.cuModuleLoadData(ctypes.byref(module), image), "loading a kernel")
        check(library.cuModuleGetFunction(ctypes.byref(function), module, b"kernel"), "finding a kernel")
        if shared > SHARED_BY_DEFAULT:
            check(library.cuFuncSetAttribute(function, MAX_SHARED, shared), f"{shared} bytes of shared memory")
        self.device, self.block, self.shared, self.function = device, block, shared, function
        self._launch: Any = library.cuLaunchKernel
        self._launch.argtypes = [ctypes.c_void_p] + [ctypes.c_uint] * 7 + [ctypes.c_void_p] * 3

    def attribute(self, number: int) -> int:
        """An attribute of the kernel by its CUDA number."""
        value = ctypes.c_int()
        check(driver().cuFuncGetAttribute(ctypes.byref(value), number, self.function), "attribute of a kernel")
        return value.value

    @property
    def registers(self) -> int:
        """Registers per thread."""
        return self.attribute(REGISTERS)

    @property
    def spilled(self) -> int:
        """Local memory per thread (bytes): spilled registers, and the stack of library functions."""
        return self.attribute(LOCAL_BYTES)

    def launch(self, count: int, pointers: ctypes.Array[Any], stream: int) -> None:
        """Launches one thread for each of ``count`` states; ``pointers`` point to the arguments."""
        grid = -(-count // self.block)
        if not grid:
            return
        code = self._launch(self.function, grid, 1, 1, self.block, 1, 1, self.shared, stream, pointers, None)
        if code:
            # the context of another device may be current in this thread, or none
            make_current(self.device)
            code = self._launch(self.function, grid, 1, 1, self.block, 1, 1, self.shared, stream, pointers, None)
            check(code, "launching a kernel")

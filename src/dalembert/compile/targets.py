"""Targets: what a ``Function`` can be turned into.

Each target is one module with one way in; a new one is such a module and a line here. Kernels are called on arrays,
texts are written for other programs, bridges are functions of another library.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from ..arm.description import listed
from ..arm.errors import ArmError
from .function import Function
from .kernel import Kernel

if TYPE_CHECKING:
    from .cuda.cuda_kernel import CudaKernel

Maker: TypeAlias = "Callable[[Function, str, str], Kernel | CudaKernel]"


def cpu(function: Function, dtype: str, accuracy: str) -> Kernel:
    """Machine code for this processor: single states, and vectors of states."""
    if accuracy != "full":
        raise ArmError('on the CPU sine and cosine are always accurate; accuracy="fast" is for target="cuda"')
    return Kernel(function, dtype)


def cuda(function: Function, dtype: str, accuracy: str) -> CudaKernel:
    """A kernel for arrays that live on an NVIDIA GPU."""
    from .cuda.cuda_kernel import CudaKernel

    return CudaKernel(function, dtype, accuracy)


KERNELS: dict[str, Maker] = {"cpu": cpu, "cuda": cuda}
"""Targets whose result is called on arrays."""


def kernel_for(function: Function, target: str, dtype: str, accuracy: str = "full") -> Kernel | CudaKernel:
    """The function compiled for a target."""
    if target not in KERNELS:
        raise ArmError(f"no target {target!r} to compile for; there are {listed(KERNELS)}")
    return KERNELS[target](function, dtype, accuracy)

"""CUDA kernels with gradients for PyTorch and JAX, by the analytic derivative kernels.

The gradient of a scalar through y(x) is (dL/dy) dy/dx; dy/dx comes from the exact derivatives of inverse or forward
dynamics, one launch for all arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from ...arm.description import ArmDescription, listed
from ...arm.errors import ArmError
from ..functions import function
from .cuda_kernel import CudaKernel

SLOPES = {
    "inverse_dynamics": "inverse_dynamics_derivatives",
    "forward_dynamics": "forward_dynamics_derivatives",
    "bias": "inverse_dynamics_derivatives",
    "gravity_load": "inverse_dynamics_derivatives",
}
"""The derivative kernel of each function; bias and gravity load are inverse dynamics with zero arguments."""


def _pair(arm: ArmDescription, name: str, dtype: str, accuracy: str) -> tuple[CudaKernel, CudaKernel]:
    """The kernel of a function and the kernel of its derivatives."""
    if name not in SLOPES:
        raise ArmError(f"no analytic derivatives for {name!r} on the GPU; there are those of {listed(SLOPES)}")
    values, derivatives = function(arm, name), function(arm, SLOPES[name])
    return CudaKernel(values, dtype, accuracy), CudaKernel(derivatives, dtype, accuracy)


def torch_function(
    arm: ArmDescription, name: str, dtype: str = "float32", accuracy: str = "full"
) -> Callable[..., Any]:
    """A function of tensors ``(..., n)`` on the GPU with support for ``backward``."""
    torch: Any = import_module("torch")
    kernel, slopes = _pair(arm, name, dtype, accuracy)

    class Dynamics(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(context: Any, *arrays: Any) -> Any:
            context.save_for_backward(*arrays)
            return kernel(*arrays)

        @staticmethod
        def backward(context: Any, gradient: Any) -> Any:
            arrays = context.saved_tensors
            zeros = [torch.zeros_like(arrays[0])] * (3 - len(arrays))
            tables = slopes(*arrays, *zeros)
            gradients = []
            for array, table in zip(arrays, tables, strict=False):
                row = torch.matmul(gradient.unsqueeze(-2), table).squeeze(-2)
                # the gradient of a broadcast argument is the sum over its copies
                gradients.append(row.sum_to_size(array.shape))
            return tuple(gradients)

    return lambda *arrays: Dynamics.apply(*arrays)


def jax_function(arm: ArmDescription, name: str, dtype: str = "float32", accuracy: str = "full") -> Callable[..., Any]:
    """A function of arrays ``(..., n)`` on the GPU with support for ``jax.grad`` (outside ``jit``)."""
    jax: Any = import_module("jax")
    kernel, slopes = _pair(arm, name, dtype, accuracy)

    def plain(*arrays: Any) -> Any:
        return kernel(*arrays)

    dynamics = jax.custom_vjp(plain)

    def forward(*arrays: Any) -> tuple[Any, tuple[Any, ...]]:
        return kernel(*arrays), arrays

    def backward(arrays: tuple[Any, ...], gradient: Any) -> tuple[Any, ...]:
        zeros = [jax.numpy.zeros_like(arrays[0])] * (3 - len(arrays))
        tables = slopes(*arrays, *zeros)
        rows = [jax.numpy.einsum("...i,...ij->...j", gradient, table) for table in tables]
        return tuple(_summed_to(row, array.shape) for row, array in zip(rows, arrays, strict=False))

    dynamics.defvjp(forward, backward)
    wrapped: Callable[..., Any] = dynamics
    return wrapped


def _summed_to(array: Any, shape: tuple[int, ...]) -> Any:
    """An array summed over the axes along which ``shape`` was broadcast."""
    extra = array.ndim - len(shape)
    array = array.sum(axis=tuple(range(extra))) if extra else array
    axes = tuple(axis for axis, length in enumerate(shape) if length == 1 and array.shape[axis] != 1)
    return array.sum(axis=axes, keepdims=True) if axes else array

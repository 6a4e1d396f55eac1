"""The compiled half of ``Arm``: kernels, C for controllers, bridges to other libraries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..compile import bridges
from ..compile.cuda import differentiable
from ..compile.cuda.cuda_kernel import CudaKernel
from ..compile.cuda.rollout import Rollout
from ..compile.kernel import Kernel
from ..compile.write_c import write_c


class Compiled(ArmDescription):
    """Compiling the functions of an arm."""

    def compile(
        self,
        name: str,
        target: str = "cpu",
        dtype: str = "float64",
        parameters: str | None = None,
        *,
        accuracy: str = "full",
    ) -> Kernel | CudaKernel:
        """A compiled function of this arm, to be called like the method of the same name.

        ``name`` is "inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_mass_matrix", "coriolis_matrix",
        "gravity_load", "bias", "forward_kinematics", "jacobian", "regressor", "inverse_dynamics_derivatives" or
        "forward_dynamics_derivatives". ``parameters`` keeps numbers of the arm as a further, last argument
        instead of building them in: "inertial", "load" or "all"; ``kernel.parameter_names`` lists them.

        ``target="cuda"`` gives a kernel for arrays that live on an NVIDIA GPU (CuPy, PyTorch, JAX); there
        ``accuracy="fast"`` trades digits of float32 sines for speed.
        """
        if target == "cuda":
            return CudaKernel(self, name, dtype, accuracy, parameters)
        if target != "cpu":
            raise ArmError(f'no target {target!r} to compile for; there are "cpu" and "cuda"')
        if accuracy != "full":
            raise ArmError('on the CPU sine and cosine are always accurate; accuracy="fast" is for target="cuda"')
        return Kernel(self, name, dtype, parameters)

    def rollout(
        self,
        method: str = "rk4",
        controller: str = "torque",
        dtype: str = "float32",
        accuracy: str = "full",
        parameters: str | None = None,
    ) -> Rollout:
        """Many copies of this arm through many steps on the GPU, in one launch; see ``Rollout`` for its call.

        ``method`` is "rk4" or "semi-implicit", ``controller`` "torque", "pd" or "computed-torque"; ``parameters`` lets
        inertia or load differ from arm to arm.
        """
        return Rollout(self, method, controller, dtype, accuracy, parameters)

    def write_c(
        self, name: str, folder: str | Path, dtype: str = "float64", parameters: str | None = None
    ) -> list[Path]:
        """Write a function of this arm as plain C99 for a controller, with header, test and CMake file."""
        return write_c(self, name, folder, dtype, parameters)

    def casadi(self, name: str, parameters: str | None = None) -> Any:
        """A function of this arm as a ``casadi.Function``."""
        return bridges.casadi_function(self, name, parameters)

    def jax(
        self,
        name: str,
        parameters: str | None = None,
        *,
        target: str | None = None,
        dtype: str = "float32",
        accuracy: str = "full",
    ) -> Callable[..., Any]:
        """A function of this arm on JAX arrays: traces, batches and differentiates.

        ``target="cuda"`` is one kernel on arrays that live on an NVIDIA GPU, and one more for its exact derivatives,
        which ``jax.grad`` goes through (outside ``jit``); ``dtype`` and ``accuracy`` are those of ``compile``.
        """
        if on_gpu(target, parameters):
            return differentiable.jax_function(self, name, dtype, accuracy)
        return bridges.jax_function(self, name, parameters)

    def torch(
        self,
        name: str,
        parameters: str | None = None,
        *,
        target: str | None = None,
        dtype: str = "float32",
        accuracy: str = "full",
    ) -> Callable[..., Any]:
        """A function of this arm on Torch tensors: batches and differentiates.

        ``target="cuda"`` is one kernel on tensors that live on an NVIDIA GPU, and one more for its exact derivatives,
        which ``backward`` goes through; ``dtype`` and ``accuracy`` are those of ``compile``.
        """
        if on_gpu(target, parameters):
            return differentiable.torch_function(self, name, dtype, accuracy)
        return bridges.torch_function(self, name, parameters)


def on_gpu(target: str | None, parameters: str | None) -> bool:
    """Whether a kernel of our own is asked for, in place of the library's own operations."""
    if target is None:
        return False
    if target != "cuda":
        raise ArmError(f'no target {target!r} for a differentiable kernel; there is "cuda", or none for the library')
    if parameters is not None:
        raise ArmError(
            "differentiable kernels on the GPU have the numbers of the arm built in; "
            'leave out parameters or target="cuda"'
        )
    return True

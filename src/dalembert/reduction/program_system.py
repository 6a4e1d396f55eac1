"""A system whose torques are a short program with named constants: what reduced models and short forms have in common.

It fulfils ``systems/protocol.py``. Friction of the drives is no part of any program: it is that of the exact system.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ..arm.errors import ArmError
from ..arm.inertia import Load
from ..arm.lazy_arrays import chunkwise
from ..compile.bridges import casadi_function, jax_function, torch_function
from ..compile.cuda.cuda_kernel import CudaKernel
from ..compile.function import Function
from ..compile.kernel import Kernel
from ..compile.targets import kernel_for
from ..compile.write_c import write_c
from ..equations import names
from ..equations.closed_form import Equations
from ..equations.polynomial import TrigPolynomial
from ..equations.symbols import Symbol
from ..rings.graph import Node
from ..rings.real import REAL
from ..systems.arrays import evaluate, joint_array, joint_states
from ..systems.contacts import with_stiction
from .certify import Key
from .graph_edits import table
from .program_functions import function_of
from .program_polynomials import coefficients
from .stand_in import StandIn
from .states import Array, States


@dataclass(frozen=True)
class Constant:
    """A named constant of a program: its value, the parameters it is made of, and whether it depends on the load.

    ``shift`` is what refitting adds to the value that the parameters give, the same for every load.
    """

    name: str
    value: float
    definition: str
    depends_on_load: bool
    shift: float = 0.0


@chunkwise(
    inverse_dynamics="q qd qdd", gravity_load="q", mass_matrix="q", bias="q qd", forward_dynamics="q qd tau",
    kinetic_energy="q qd", inverse_dynamics_derivatives="q qd qdd", forward_dynamics_derivatives="q qd tau",
)  # fmt: skip
@dataclass(frozen=True, eq=False)
class ProgramSystem(StandIn, ABC):
    """tau of ``system`` by a program over q, qd, qdd and constants, with ``values`` for the constants.

    ``states`` are those that its errors are proved for, ``exact_equations`` the closed form of the exact system.
    """

    states: States
    torques: list[Node] = field(repr=False)
    values: Mapping[str, Fraction] = field(repr=False)
    exact_equations: Equations = field(repr=False)

    kind: ClassVar[str] = "by a program"
    """What it is, behind the name of its arm."""

    # -- the protocol of a system -----------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the arm, and what became of it."""
        return f"{self.system.name}, {self.kind}"

    def frictionless(self) -> Self:
        """The same program without the friction of the drives, which it does not touch."""
        return replace(self, system=self.system.frictionless())

    def fast_forward_dynamics(self) -> Callable[[Array, Array, Array], Array]:
        """Accelerations of single states in a loop, compiled where it can be."""
        return self.fast("forward_dynamics")

    def fast(self, name: str) -> Callable[..., Array]:
        """A method for single states in a loop: its kernel, without the checks of a public call, where there is one."""
        kernel = self._kernel(name)
        method: Callable[..., Array] = kernel.fast if kernel.compiled else getattr(self, name)
        return method

    @abstractmethod
    def holding(self, load: Load | None) -> Self:
        """The same program with another load in the hand."""

    # -- numbers ----------------------------------------------------------------------------------

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Torques at states ``(..., n)``: the short program, and the friction of the drives where they count."""
        position, velocity, rate = joint_states(self.system, q=q, qd=qd, qdd=qdd)
        return self._rigid(position, velocity, rate) + self._friction(position, velocity, rate)

    def _rigid(self, q: Array, qd: Array, qdd: Array) -> Array:
        inputs: dict[str, Any] = {name: float(value) for name, value in self.values.items()}
        for name, array in (("q", q), ("qd", qd), ("qdd", qdd)):
            inputs |= {f"{name}_{i}": array[..., i] for i in range(self.n)}
        done = table(self.torques, inputs)
        rows = [np.broadcast_to(np.asarray(done[node.index], float), q.shape[:-1]) for node in self.torques]
        return np.stack(rows, axis=-1)

    def _friction(self, q: Array, qd: Array, qdd: Array) -> Array | float:
        if not self.system.counts_drives:
            return 0.0
        system = self.system.over_reals
        arrays = [("q", q), ("qd", qd), ("qdd", qdd)]
        return evaluate(lambda x, v, a: system.friction(REAL, x, v, a), arrays)

    def gravity_load(self, q: ArrayLike) -> Array:
        """G of the program."""
        position = joint_array(self.system, "q", q)
        return self._rigid(position, np.zeros_like(position), np.zeros_like(position))

    def mass_matrix(self, q: ArrayLike) -> Array:
        """D of the program, column by column."""
        position = joint_array(self.system, "q", q)
        weight, zero_speed = self.gravity_load(position), np.zeros_like(position)
        units = [np.broadcast_to(unit, position.shape) for unit in np.eye(self.n)]
        return np.stack([self._rigid(position, zero_speed, unit) - weight for unit in units], axis=-1)

    def bias(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Torques at zero acceleration."""
        position, speed = joint_states(self.system, q=q, qd=qd)
        return self._rigid(position, speed, np.zeros_like(position)) + self.system.friction_torque(position, speed)

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
        """Accelerations of the program; it undoes ``inverse_dynamics``, standing shafts included."""
        position, speed, torque = joint_states(self.system, q=q, qd=qd, tau=tau)
        net = torque - self.bias(position, speed)
        try:
            qdd = np.asarray(np.linalg.solve(self.mass_matrix(position), net[..., None])[..., 0], float)
        except np.linalg.LinAlgError:
            raise ArmError(
                f"{self.system.where}the mass matrix of {self.name} is singular here: at this tolerance a joint's own "
                "inertia was left out; reduce to a smaller tolerance, or count the drives"
            ) from None
        if not self.system.contacts:
            return qdd
        return with_stiction(self.system, position, speed, qdd, self.mass_matrix)

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """qd . D qd / 2 with the D of the program."""
        _, speed = joint_states(self.system, q=q, qd=qd)
        return np.asarray(np.einsum("...i,...ij,...j->...", speed, self.mass_matrix(q), speed) / 2, float)

    def potential_energy(self, q: ArrayLike) -> Array:
        """That of the exact system: the gravity load of a program need not be the gradient of anything."""
        return self.system.potential_energy(q)

    def inverse_dynamics_derivatives(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> tuple[Array, Array, Array]:
        """d tau/dq, d tau/dqd, d tau/dqdd of the program, each ``(..., n, n)``; viscous friction in."""
        states = joint_states(self.system, q=q, qd=qd, qdd=qdd)
        derivatives: tuple[Array, Array, Array] = self._kernel("inverse_dynamics_derivatives")(*states)
        return derivatives

    def forward_dynamics_derivatives(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> tuple[Array, Array, Array]:
        """d qdd/dq, d qdd/dqd, d qdd/dtau of the program, each ``(..., n, n)``; viscous friction in."""
        states = joint_states(self.system, q=q, qd=qd, tau=tau)
        derivatives: tuple[Array, Array, Array] = self._kernel("forward_dynamics_derivatives")(*states)
        return derivatives

    # -- closed forms -----------------------------------------------------------------------------

    @cached_property
    def polynomials(self) -> dict[Key, TrigPolynomial]:
        """D_ij for all i and j, C_ijk for j <= k, and G_i of the program, exact, zeros included."""
        return coefficients(self.torques, self.exact_equations.space, self.values)

    @cached_property
    def coefficients(self) -> dict[str, TrigPolynomial]:
        """The coefficients that the program computes, exact polynomials by printed name, those that are not zero."""
        return {
            names.name(kind, index): poly
            for (kind, index), poly in self.polynomials.items()
            if poly and (kind != "D" or index[0] <= index[1])
        }

    @cached_property
    def equations(self) -> dict[str, TrigPolynomial]:
        """The coefficients that are not zero, by printed name, as closed forms in the named constants.

        Called with positions they give numbers; ``equations["D11"](q, {"k1": 0.5})`` with a constant of one's own.
        D_ji stands beside D_ij where it is another, zero or not.
        """
        spelled = {name: name.replace("_", "") for name in self.values}
        plain = self.exact_equations.space
        space = plain.extended(Symbol(spelled[name], value, "constant") for name, value in self.values.items())
        constants = {name: space.ring.symbol(symbol) for name, symbol in spelled.items()}
        polynomials = coefficients(self.torques, space, constants)
        # a D_ij that is not D_ji is named even where it is zero, since one alone stands for both
        uneven = {key for key, poly in polynomials.items() if key[0] == "D" and poly != polynomials["D", key[1][::-1]]}
        return {
            names.name(kind, index): poly
            for (kind, index), poly in polynomials.items()
            if (kind, index) in uneven or (poly and (kind != "D" or index[0] <= index[1]))
        }

    # -- code -------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def remarks(self) -> tuple[str, ...]:
        """What the header of its code says of the program."""

    def function(self, name: str = "inverse_dynamics") -> Function:
        """A function of the program as the compiler takes it: inverse_dynamics, forward_dynamics, mass_matrix, ..."""
        return function_of(self.system, self.torques, self.values, name, self.kind, self.remarks)

    def _kernel(self, name: str) -> Kernel:
        kernels: dict[str, Kernel] = self.__dict__.setdefault("_kernels", {})
        if name not in kernels:
            kernels[name] = Kernel(self.function(name))
        return kernels[name]

    def compile(
        self, name: str = "inverse_dynamics", target: str = "cpu", dtype: str = "float64", *, accuracy: str = "full"
    ) -> Kernel | CudaKernel:
        """A compiled function of the program; ``target`` is "cpu", or "cuda" for arrays on an NVIDIA GPU."""
        return kernel_for(self.function(name), target, dtype, accuracy)

    def write_c(
        self, name: str, folder: str | Path, dtype: str = "float64", *, wrappers: Sequence[str] = ()
    ) -> list[Path]:
        """A function of the program as plain C99 with header, test and CMake file; ``wrappers`` in "c++", "rust"."""
        return write_c(self.function(name), folder, dtype, wrappers)

    def casadi(self, name: str = "inverse_dynamics") -> Any:
        """A function of the program as a ``casadi.Function``."""
        return casadi_function(self.function(name))

    def jax(self, name: str = "inverse_dynamics") -> Callable[..., Any]:
        """A function of the program on JAX arrays: traces, batches and differentiates."""
        return jax_function(self.function(name))

    def torch(self, name: str = "inverse_dynamics") -> Callable[..., Any]:
        """A function of the program on Torch tensors: batches and differentiates."""
        return torch_function(self.function(name))

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_kernels"}

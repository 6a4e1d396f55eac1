"""A reduced model: torques by a short program, with the proof of how far they can be from the exact ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.inertia import Load
from ..compile.functions import Function
from ..compile.kernel import Kernel
from ..compile.operations import Operations, count
from ..compile.write_c import Controller
from ..equations import names
from ..equations.equations import Equations
from ..equations.polynomial import TrigPolynomial
from ..rings.graph import Node
from .certify import CoefficientError, Key
from .graphs import table, without
from .hoist import Hoisted
from .over_ring import coefficients
from .parameters import grouped
from .states import Array, States


@dataclass(frozen=True)
class Constant:
    """A named constant of a program: its value, the parameters it is made of, and whether it depends on the load."""

    name: str
    value: float
    definition: str
    depends_on_load: bool


@dataclass(frozen=True)
class CurvePoint:
    """One point of the trade-off: proved error as a share of each joint's largest torque, and the operations."""

    error: float
    operations: int
    constants: int


@dataclass(frozen=True, eq=False)
class ReducedModel:
    """tau within ``tolerance`` of the exact torque, as a share of each joint's largest torque, for every state.

    ``bound`` is proved, ``found`` is the largest error that a search over states attains, ``rms`` the exact root mean
    square over all states, ``scale`` the largest torque attained, each for every joint. All hold for the arm with
    each of the loads the model was made for, and for every mixture of them.
    """

    arm: ArmDescription
    tolerance: float
    states: States
    drives: bool
    bound: Array
    found: Array
    rms: Array
    scale: Array
    coefficient_errors: tuple[CoefficientError, ...]
    before: Operations
    after: Operations
    curve: tuple[CurvePoint, ...]
    constants: tuple[Constant, ...]
    program: Hoisted
    values: Mapping[str, Fraction]
    added: Array
    loads: tuple[str, ...] = ()
    _equations: Equations | None = field(repr=False, default=None)

    def __repr__(self) -> str:
        proved = ", ".join(f"{100 * share:.2g}" for share in self.bound / np.maximum(self.scale, 1e-300))
        return (
            f"<ReducedModel of {self.arm.name!r}: {self.after.total} operations in place of {self.before.total}, "
            f"proved error {proved} percent of the largest torques>"
        )

    @property
    def n(self) -> int:
        return self.arm.n

    @property
    def share(self) -> Array:
        """The proved bound as a share of the largest torque."""
        return self.bound / self.scale

    @property
    def tightness(self) -> Array:
        """Proved over found, for each joint."""
        return np.where(self.found > 0, self.bound / np.where(self.found > 0, self.found, 1.0), 1.0)

    # -- numbers ---------------------------------------------------------------------------------

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Torques of the reduced model at states ``(..., n)``."""
        q, qd, qdd = np.broadcast_arrays(*(self._joints(name, x) for name, x in (("q", q), ("qd", qd), ("qdd", qdd))))
        inputs: dict[str, Any] = {name: float(value) for name, value in self.values.items()}
        for name, array in (("q", q), ("qd", qd), ("qdd", qdd)):
            inputs |= {f"{name}_{i}": array[..., i] for i in range(self.n)}
        done = table(self.program.outputs, inputs)
        rows = [np.broadcast_to(np.asarray(done[node.index], float), q.shape[:-1]) for node in self.program.outputs]
        return np.stack(rows, axis=-1)

    def gravity_load(self, q: ArrayLike) -> Array:
        q = self._joints("q", q)
        return self.inverse_dynamics(q, np.zeros_like(q), np.zeros_like(q))

    def mass_matrix(self, q: ArrayLike) -> Array:
        """D of the reduced model, column by column; leaving out summands may cost its symmetry a little."""
        q = self._joints("q", q)
        rest, still = self.gravity_load(q), np.zeros_like(q)
        columns = [self.inverse_dynamics(q, still, np.broadcast_to(unit, q.shape)) - rest for unit in np.eye(self.n)]
        return np.stack(columns, axis=-1)

    def bias(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Torques at zero acceleration."""
        q = self._joints("q", q)
        return self.inverse_dynamics(q, qd, np.zeros_like(q))

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
        """Accelerations of the reduced model."""
        rest = np.asarray(tau, float) - self.bias(q, qd)
        return np.asarray(np.linalg.solve(self.mass_matrix(q), rest[..., None])[..., 0], float)

    def _joints(self, name: str, values: ArrayLike) -> Array:
        array = np.asarray(values, dtype=float)
        if array.shape[-1:] != (self.n,):
            raise ArmError(f"{self.arm.name}: {name} must end in {self.n} numbers, got an array of shape {array.shape}")
        return array

    # -- readable --------------------------------------------------------------------------------

    @cached_property
    def coefficients(self) -> dict[str, TrigPolynomial]:
        """The coefficients that the program computes, exact polynomials by printed name, those that are not zero."""
        return {
            names.name(kind, index): poly
            for (kind, index), poly in self.polynomials.items()
            if poly and (kind != "D" or index[0] <= index[1])
        }

    @cached_property
    def polynomials(self) -> dict[Key, TrigPolynomial]:
        equations = self._equations or Equations(self.arm, "numbers")
        return coefficients(self.program.outputs, equations.space, self.values)

    def summary(self) -> str:
        """What the model is and how good, in a few lines."""
        lines = [
            f"{self.arm.name}: reduced model within {100 * self.tolerance:g} percent of each joint's largest torque",
            f"operations: {self.before.total} before, {self.after.total} after; {len(self.constants)} constants, "
            f"{sum(c.depends_on_load for c in self.constants)} of them depend on the load",
        ]
        for i, name in enumerate(self.arm.joint_names):
            lines.append(
                f"  {name}: proved error {self.bound[i]:.4g} ({100 * self.share[i]:.3f} percent), "
                f"found {self.found[i]:.4g}, RMS {self.rms[i]:.4g}, proved/found {self.tightness[i]:.2f}"
            )
        return "\n".join(lines)

    # -- other loads, code -----------------------------------------------------------------------

    def with_load(self, load: Load | None) -> dict[str, float]:
        """The constants for another load, the program unchanged. Proved only for mixtures of the loads of ``loads``."""
        fresh = grouped(self.arm.holding(load))
        given = {f"p_{name}": value for name, value in fresh.values.items()}
        given |= {f"p_J{i + 1}": Fraction(x) for i, x in enumerate(self.added)}
        return {name: float(value) for name, value in self.program.values(given).items()}

    def nodes(self) -> list[Node]:
        """The program with its constants as numbers."""
        return without(self.program.outputs, (), self.values)

    def function(self) -> Function:
        """The program as the compiler takes it."""
        arguments = tuple((name, tuple(f"{name}_{i}" for i in range(self.n))) for name in ("q", "qd", "qdd"))
        return Function("inverse_dynamics", arguments, (((self.n,), tuple(self.nodes())),))

    def compile(self, dtype: str = "float64") -> Kernel:
        """A compiled kernel of the reduced torques."""
        kernel = Kernel(self.arm, "inverse_dynamics", dtype)
        kernel.__dict__["function"] = self.function()
        return kernel

    def write_c(self, folder: str | Path, dtype: str = "float64") -> list[Path]:
        """The reduced torques as plain C99 with header, test and CMake file."""
        made = Controller(self.arm, self.function(), dtype, None)
        made.symbol += "_reduced"
        return made.write(folder)


def operations_of(program: Hoisted, values: Mapping[str, Fraction]) -> Operations:
    """Operations with the constants in place; those that happen to be 0 or 1 cost nothing."""
    return count(without(program.outputs, (), values))

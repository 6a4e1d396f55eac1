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

from ..arm.description import ArmDescription, Joint
from ..arm.errors import ArmError
from ..arm.inertia import Load
from ..bounds.waves import Wave, wave_of
from ..compile.functions import Function
from ..compile.kernel import Kernel
from ..compile.operations import Operations, count
from ..compile.write_c import Controller
from ..equations import names
from ..equations.closed_form import Equations
from ..equations.polynomial import TrigPolynomial
from ..equations.symbols import Symbol
from ..rings.graph import Node, absorbed
from .certify import CoefficientError, Key, prove
from .graph_edits import table, without
from .hoist import Hoisted
from .program_functions import function_of
from .program_polynomials import coefficients
from .recursion import cases_of
from .states import Array, States

BELOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


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


@dataclass(frozen=True, eq=False)
class CurvePoint:
    """One point of the trade-off: proved error as a share of each joint's largest torque, and the operations.

    ``proof`` is "full", or "quick": as valid, and a little looser. ``bound`` is proved for the torque of each joint of
    ``program``.
    """

    error: float
    operations: int
    constants: int
    proof: str
    bound: Array = field(repr=False)
    program: Hoisted = field(repr=False)


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

    # What a simulation asks of whatever moves.

    @property
    def name(self) -> str:
        return f"{self.arm.name}, reduced"

    @property
    def joint_names(self) -> tuple[str, ...]:
        return self.arm.joint_names

    @property
    def moving(self) -> tuple[Joint, ...]:
        return self.arm.moving

    @property
    def elastic(self) -> tuple[()]:
        return ()

    @property
    def lower(self) -> Array:
        return np.asarray(self._exact.lower, float)

    @property
    def upper(self) -> Array:
        return np.asarray(self._exact.upper, float)

    def holding(self, load: Load | None) -> ReducedModel:
        raise ArmError(
            f"{self.arm.where}a reduced model does not grip or drop a load on the way; reduce with load=[None, load], "
            "and take the constants of with_load(load) for the second part"
        )

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
        try:
            return np.asarray(np.linalg.solve(self.mass_matrix(q), rest[..., None])[..., 0], float)
        except np.linalg.LinAlgError:
            raise ArmError(
                f"{self.arm.where}the mass matrix of the reduced model of {self.arm.name} is singular here: at this "
                "tolerance a joint's own inertia was left out; reduce to a smaller tolerance, or count the drives"
            ) from None

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """qd . D qd / 2 with the D of the reduced model."""
        speed = self._joints("qd", qd)
        return np.asarray(np.einsum("...i,...ij,...j->...", speed, self.mass_matrix(q), speed) / 2, float)

    def potential_energy(self, q: ArrayLike) -> Array:
        """That of the arm: the reduced gravity load need not be the gradient of anything."""
        return np.asarray(self._exact.potential_energy(q), float)

    def simulate(self, control: Any, q: ArrayLike, qd: ArrayLike | None = None, **options: Any) -> Any:
        """The motion of the reduced model under joint torques; arguments as in ``Arm.simulate``."""
        return self._exact.simulate(control, q, qd, model=self, **options)

    @property
    def _exact(self) -> Any:
        """The arm, which the user's call made an ``Arm`` with dynamics of its own."""
        return self.arm

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

    @cached_property
    def equations(self) -> dict[str, TrigPolynomial]:
        """The coefficients that are not zero, by printed name, as closed forms in the named constants k1, k2, ...

        Called with positions they give numbers; ``equations["D11"](q, {"k1": 0.5})`` with a constant of one's own.
        """
        plain = (self._equations or Equations(self.arm, "numbers")).space
        spelled = {name: name.replace("_", "") for name in self.values}
        space = plain.extended(Symbol(spelled[name], value, "constant") for name, value in self.values.items())
        known = {name: space.ring.symbol(symbol) for name, symbol in spelled.items()}
        return {
            names.name(kind, index): poly
            for (kind, index), poly in coefficients(self.program.outputs, space, known).items()
            if poly and (kind != "D" or index[0] <= index[1] or self.asymmetry[index] > 0)
        }

    def equations_text(self, most: int | None = None, constants: bool = True) -> str:
        """The equations, line by line: tau_i = sum_j D_ij qdd_j + sum_jk C_ijk qd_j qd_k + G_i, then the ``constants``.

        A coefficient of more than ``most`` terms is only said to have them. D_ji is printed where it is not D_ij.
        """
        lines = []
        for name, poly in sorted(self.equations.items()):
            long = most is not None and len(poly) > most
            lines.append(f"{name} = {f'... ({len(poly)} terms)' if long else poly.text()}")
        if not constants:
            return "\n".join(lines)
        lines += [f"{c.name.translate(BELOW)} = {c.value:.6g} ({c.definition})" for c in self.constants]
        return "\n".join(lines)

    @cached_property
    def asymmetry(self) -> Array:
        """Proved bounds of |D_ij - D_ji|, which leaving out summands may make differ."""
        found, given = np.zeros((self.n, self.n)), self.polynomials
        pairs = [(i, j) for i in range(self.n) for j in range(i)]
        off: dict[Key, Wave] = {
            ("D", (i, j)): wave_of(less) for i, j in pairs if (less := given["D", (i, j)] - given["D", (j, i)])
        }
        for (_, index), (proved, _) in prove(off, self.states, quick=True).coefficients.items():
            found[index] = found[index[::-1]] = proved
        return found

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
        lines += [f"  {self.asymmetry_text}"] if self.asymmetry_text else []
        return "\n".join(lines)

    @property
    def asymmetry_text(self) -> str:
        """Which entries of D differ most across the diagonal; empty where D is symmetric."""
        if not self.asymmetry.any():
            return ""
        i, j = sorted(int(x) + 1 for x in np.unravel_index(int(self.asymmetry.argmax()), self.asymmetry.shape))
        name, other = names.name("D", (i - 1, j - 1)), names.name("D", (j - 1, i - 1))
        most = float(self.asymmetry.max())
        unit = names.coefficient_unit(self.arm, name)
        return f"{name} and {other} differ by at most {most:.3g} {unit}, no other pair by more"

    # -- other loads, code -----------------------------------------------------------------------

    def with_load(self, load: Load | None) -> dict[str, float]:
        """The constants for another load, the program unchanged. Proved only for mixtures of the loads of ``loads``."""
        given = cases_of([self.arm.holding(load)], self.added)[0].parameters
        return {name: float(value) for name, value in self.program.values(given).items()}

    def function(self, name: str = "inverse_dynamics") -> Function:
        """A function of the model as the compiler takes it: inverse_dynamics, forward_dynamics, mass_matrix, ..."""
        return function_of(self.program, self.values, name)

    def compile(self, name: str = "inverse_dynamics", dtype: str = "float64") -> Kernel:
        """A compiled function of the reduced model."""
        return Kernel(self.arm, name, dtype, made=self.function(name))

    def write_c(self, folder: str | Path, dtype: str = "float64", name: str = "inverse_dynamics") -> list[Path]:
        """The reduced torques, or another function, as plain C99 with header, test and CMake file."""
        made = Controller(self.arm, self.function(name), dtype, None)
        made.symbol += "_reduced"
        return made.write(folder)


def operations_of(program: Hoisted, values: Mapping[str, Fraction]) -> Operations:
    """Operations with the constants in place; those that happen to be 0 or 1 cost nothing."""
    return count(numbers(program, values))


def numbers(program: Hoisted, values: Mapping[str, Fraction]) -> list[Node]:
    """The outputs with the constants as numbers."""
    nodes = without(program.outputs, (), values)
    return absorbed(nodes[0].graph, nodes)

"""A reduced model: torques by a short program, with the proof of how far they can be from the exact ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arm.description import Joint
from ..arm.errors import ArmError
from ..arm.inertia import Load
from ..bounds.waves import Wave, wave_of
from ..compile.function import Function
from ..compile.kernel import Kernel
from ..compile.operations import Operations, count
from ..compile.write_c import write_c
from ..equations import names
from ..equations.closed_form import Equations
from ..equations.polynomial import TrigPolynomial
from ..equations.symbols import Symbol
from ..rings.graph import Node, absorbed
from ..rings.real import REAL
from ..systems.arm_system import ArmSystem
from ..systems.arrays import evaluate
from ..systems.contacts import with_stiction
from ..systems.sticking import Contact
from .certify import CoefficientError, Key, prove
from .graph_edits import table, without
from .hoist import Hoisted
from .program_functions import function_of
from .program_polynomials import coefficients
from .recursion import case_of
from .reduced_tables import JointError
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
    each of ``loads``, and for every mixture of them.
    """

    system: ArmSystem
    tolerance: float
    states: States
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
    loads: tuple[str, ...]
    exact_equations: Equations = field(repr=False)

    def __repr__(self) -> str:
        proved = ", ".join(f"{100 * share:.2g}" for share in self.bound / np.maximum(self.scale, 1e-300))
        return (
            f"<ReducedModel of {self.system.name!r}: {self.after.total} operations in place of {self.before.total}, "
            f"proved error {proved} percent of the largest torques>"
        )

    def _repr_html_(self) -> str:
        from ..markup.notebook import framed, heading, note
        from .reduced_tables import torque_error_table

        rows, share = self.joint_errors, f"{100 * self.tolerance:g} percent"
        return framed(
            heading(f"{self.system.name}, reduced: {self.after.total} operations in place of {self.before.total}"),
            torque_error_table(self.moving, rows, "joint-errors", f"Torque error, proved to stay within {share}"),
            note(f"{len(self.constants)} constants; .equations and .equations_text() have the closed forms."),
        )

    # The protocol of a system (``systems/protocol.py``).

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.system.n

    @property
    def name(self) -> str:
        """The name of the arm, and that it is reduced."""
        return f"{self.system.name}, reduced"

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints."""
        return self.system.joint_names

    @property
    def moving(self) -> tuple[Joint, ...]:
        """The joints."""
        return self.system.moving

    @property
    def lower(self) -> Array:
        """Lower position limits."""
        return self.system.lower

    @property
    def upper(self) -> Array:
        """Upper position limits."""
        return self.system.upper

    def holding(self, load: Load | None) -> ReducedModel:
        """Refused: the constants of a program follow a load, its proof does not."""
        raise ArmError(
            f"{self.system.where}a reduced model does not grip or drop a load on the way; reduce with the loads it is "
            "to serve, and take the constants of with_load(load) for the second part"
        )

    @property
    def effort_limits(self) -> Array:
        """As the system has them."""
        return self.system.effort_limits

    @property
    def counts_drives(self) -> bool:
        """As the system has it."""
        return self.system.counts_drives

    @property
    def has_dampers(self) -> bool:
        """As the system has it."""
        return self.system.has_dampers

    @property
    def has_friction(self) -> bool:
        """As the system has it: no part of the reduction touches friction."""
        return self.system.has_friction

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """The shafts of the system it stands for."""
        return self.system.contacts

    @property
    def contacts_vary(self) -> bool:
        """As the system has it."""
        return self.system.contacts_vary

    def contact_rows(self, q: ArrayLike) -> Array:
        """As the system has them."""
        return self.system.contact_rows(q)

    def contact_drift(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """As the system has it."""
        return self.system.contact_drift(q, qd)

    def friction_torque(self, q: ArrayLike, qd: ArrayLike, width: float | None = None, law: str = "tanh") -> Array:
        """As the system has it."""
        return self.system.friction_torque(q, qd, width, law)

    def viscous_matrix(self, q: ArrayLike) -> Array:
        """As the system has it."""
        return self.system.viscous_matrix(q)

    def frictionless(self) -> ReducedModel:
        """The same program without the friction of the drives, which no part of the reduction touches."""
        return replace(self, system=self.system.frictionless())

    def fast_forward_dynamics(self) -> Callable[[Array, Array, Array], Array]:
        """Accelerations of single states in a loop, compiled where it can be."""
        kernel = self.compile("forward_dynamics")
        return kernel.fast if kernel.compiled else self.forward_dynamics

    @property
    def joint_errors(self) -> tuple[JointError, ...]:
        """The torque error of each joint."""
        errors = zip(self.bound, self.found, self.rms, self.scale, strict=True)
        return tuple(JointError(*map(float, row)) for row in errors)

    @property
    def share(self) -> Array:
        """The proved bound as a share of the largest torque."""
        return self.bound / self.scale

    @property
    def tightness(self) -> Array:
        """Proved over attained error, for each joint."""
        return np.where(self.found > 0, self.bound / np.where(self.found > 0, self.found, 1.0), 1.0)

    # -- numbers ---------------------------------------------------------------------------------

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Torques at states ``(..., n)``: the short program, and the friction of the drives where they count."""
        q, qd, qdd = np.broadcast_arrays(*(self._joints(name, x) for name, x in (("q", q), ("qd", qd), ("qdd", qdd))))
        return self._rigid(q, qd, qdd) + self._friction(q, qd, qdd)

    def _rigid(self, q: Array, qd: Array, qdd: Array) -> Array:
        inputs: dict[str, Any] = {name: float(value) for name, value in self.values.items()}
        for name, array in (("q", q), ("qd", qd), ("qdd", qdd)):
            inputs |= {f"{name}_{i}": array[..., i] for i in range(self.n)}
        done = table(self.program.outputs, inputs)
        rows = [np.broadcast_to(np.asarray(done[node.index], float), q.shape[:-1]) for node in self.program.outputs]
        return np.stack(rows, axis=-1)

    def _friction(self, q: Array, qd: Array, qdd: Array) -> Array | float:
        if not self.system.counts_drives:
            return 0.0
        system = self.system.over_reals
        arrays = [("q", q), ("qd", qd), ("qdd", qdd)]
        return evaluate(lambda x, v, a: system.friction(REAL, x, v, a), arrays)

    def gravity_load(self, q: ArrayLike) -> Array:
        """G of the reduced model."""
        q = self._joints("q", q)
        return self._rigid(q, np.zeros_like(q), np.zeros_like(q))

    def mass_matrix(self, q: ArrayLike) -> Array:
        """D of the reduced model, column by column; leaving out summands may cost its symmetry a little."""
        q = self._joints("q", q)
        rest, still = self.gravity_load(q), np.zeros_like(q)
        columns = [self._rigid(q, still, np.broadcast_to(unit, q.shape)) - rest for unit in np.eye(self.n)]
        return np.stack(columns, axis=-1)

    def bias(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """Torques at zero acceleration."""
        q, qd = np.broadcast_arrays(self._joints("q", q), self._joints("qd", qd))
        return self._rigid(q, qd, np.zeros_like(q)) + self.system.friction_torque(q, qd)

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
        """Accelerations of the reduced model; it undoes ``inverse_dynamics``, standing shafts included."""
        q, qd = np.broadcast_arrays(self._joints("q", q), self._joints("qd", qd))
        rest = np.asarray(tau, float) - self.bias(q, qd)
        try:
            qdd = np.asarray(np.linalg.solve(self.mass_matrix(q), rest[..., None])[..., 0], float)
        except np.linalg.LinAlgError:
            raise ArmError(
                f"{self.system.where}the mass matrix of the reduced model of {self.system.name} is singular here: at "
                "this tolerance a joint's own inertia was left out; reduce to a smaller tolerance, or count the drives"
            ) from None
        if not self.system.contacts:
            return qdd
        q, qd, qdd = np.broadcast_arrays(q, qd, qdd)
        return with_stiction(self.system, q, qd, qdd, self.mass_matrix)

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """qd . D qd / 2 with the D of the reduced model."""
        speed = self._joints("qd", qd)
        return np.asarray(np.einsum("...i,...ij,...j->...", speed, self.mass_matrix(q), speed) / 2, float)

    def potential_energy(self, q: ArrayLike) -> Array:
        """That of the exact system: the reduced gravity load need not be the gradient of anything."""
        return self.system.potential_energy(q)

    def _joints(self, name: str, values: ArrayLike) -> Array:
        array = np.asarray(values, dtype=float)
        if array.shape[-1:] != (self.n,):
            raise ArmError(
                f"{self.system.name}: {name} must end in {self.n} numbers, got an array of shape {array.shape}"
            )
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
        """D_ij for all i and j, C_ijk for j <= k, and G_i of the program, exact, zeros included."""
        equations = self.exact_equations
        return coefficients(self.program.outputs, equations.space, self.values)

    @cached_property
    def equations(self) -> dict[str, TrigPolynomial]:
        """The coefficients that are not zero, by printed name, as closed forms in the named constants k1, k2, ...

        Called with positions they give numbers; ``equations["D11"](q, {"k1": 0.5})`` with a constant of one's own.
        """
        plain = self.exact_equations.space
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

        Of a coefficient of more than ``most`` terms only their number is printed. D_ji is printed where it is not D_ij.
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
            f"{self.system.name}: reduced model within {100 * self.tolerance:g} percent of each joint's largest torque",
            f"operations: {self.before.total} before, {self.after.total} after; {len(self.constants)} constants, "
            f"{sum(c.depends_on_load for c in self.constants)} of them depend on the load",
        ]
        for i, name in enumerate(self.system.joint_names):
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
        unit = names.coefficient_unit(self.system, name)
        return f"{name} and {other} differ by at most {most:.3g} {unit}, no other pair by more"

    # -- other loads, code -----------------------------------------------------------------------

    def with_load(self, load: Load | None) -> dict[str, float]:
        """The constants for another load, the program unchanged. Proved only for mixtures of the loads of ``loads``."""
        parameters = case_of(self.system.holding(load)).parameters
        return {name: float(value) for name, value in self.program.values(parameters).items()}

    def function(self, name: str = "inverse_dynamics") -> Function:
        """A function of the model as the compiler takes it: inverse_dynamics, forward_dynamics, mass_matrix, ..."""
        return function_of(self.system, self.program, self.values, name)

    def compile(self, name: str = "inverse_dynamics", dtype: str = "float64") -> Kernel:
        """A compiled function of the reduced model."""
        return Kernel(self.function(name), dtype)

    def write_c(self, name: str, folder: str | Path, dtype: str = "float64") -> list[Path]:
        """The reduced torques, or another function, as plain C99 with header, test and CMake file."""
        return write_c(self.function(name), folder, dtype)


def operations_of(program: Hoisted, values: Mapping[str, Fraction]) -> Operations:
    """Operations with the constants in place; those that happen to be 0 or 1 cost nothing."""
    return count(numbers(program, values))


def numbers(program: Hoisted, values: Mapping[str, Fraction]) -> list[Node]:
    """The outputs with the constants as numbers."""
    nodes = without(program.outputs, (), values)
    return absorbed(nodes[0].graph, nodes)

"""A reduced model: torques by a short program, with the proof of how far they can be from the exact ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np

from ..arm.errors import ArmError
from ..arm.inertia import Load
from ..bounds.waves import Wave, wave_of
from ..compile.operations import Operations, count
from ..equations import names
from ..rings.graph import Node, absorbed
from .certify import Key, Progress, prove
from .coefficient_errors import CoefficientError, coefficient_errors
from .graph_edits import without
from .hoist import Hoisted
from .program_system import Constant, ProgramSystem
from .recursion import Case, case_of
from .reduced_tables import JointError
from .states import Array

BELOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

UNITS = {"revolute": ("rad", "N m"), "prismatic": ("m", "N")}
"""Units of the position and of the torque of a joint."""


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
class ReducedModel(ProgramSystem):
    """tau within ``tolerance`` of the exact torque, as a share of each joint's largest torque, for every state.

    ``bound`` is proved, ``found`` is the largest error that a search over states attains, ``rms`` the exact root mean
    square over all states, ``scale`` the largest torque attained, each for every joint. ``differences`` are those of
    all coefficients for each of the loads, of which ``worst_load`` has the largest error. All hold for the arm with
    each of ``loads``, and for every mixture of them. ``interrupted`` says that the search was ended before its time:
    what is proved holds, a longer search may find a shorter model.
    """

    tolerance: float
    bound: Array
    found: Array
    rms: Array
    scale: Array
    differences: tuple[Mapping[Key, Wave], ...] = field(repr=False)
    worst_load: int
    effort: float
    before: Operations
    after: Operations
    curve: tuple[CurvePoint, ...]
    constants: tuple[Constant, ...]
    program: Hoisted
    loads: tuple[str, ...]
    cases: tuple[Case, ...] = field(repr=False)
    interrupted: bool = False

    kind = "reduced"

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

    def holding(self, load: Load | None) -> Self:
        """Refused: the constants of a program follow a load, its proof does not."""
        raise ArmError(
            f"{self.system.where}a reduced model does not grip or drop a load on the way; reduce with the loads it is "
            "to serve, and take the constants of with_load(load) for the second part"
        )

    @property
    def joint_errors(self) -> tuple[JointError, ...]:
        """The torque error of each joint."""
        errors = zip(self.bound, self.found, self.rms, self.scale, strict=True)
        return tuple(JointError(*map(float, row)) for row in errors)

    @property
    def coefficient_errors(self) -> tuple[CoefficientError, ...]:
        """What is proved and found of every coefficient that differs; worked out when it is asked for."""
        return self.prove_coefficients()

    def prove_coefficients(
        self, progress: Progress | None = None, *, partial: bool = False
    ) -> tuple[CoefficientError, ...]:
        """``coefficient_errors``, worked out once; ``progress`` follows it.

        After an interrupt (Ctrl-C) all that was proved by then is kept: who asks again goes on from there. With
        ``partial`` it ends with the coefficients that are done.
        """
        known: tuple[CoefficientError, ...] | None = self.__dict__.get("_coefficient_errors")
        if known is None:
            case, done = self.cases[0], self.__dict__.setdefault("_coefficients_done", [{} for _ in self.differences])
            known = coefficient_errors(
                self.differences, case.equations, self.states, case.system, self.effort, progress, done, partial
            )
            if len(known) == len({key for waves in self.differences for key in waves}):
                self.__dict__["_coefficient_errors"] = known
        return known

    @property
    def share(self) -> Array:
        """The proved bound as a share of the largest torque."""
        return self.bound / self.scale

    @property
    def tightness(self) -> Array:
        """Proved over attained error, for each joint; 1 where both are zero."""
        attained = self.found > 0
        return np.where(attained, self.bound / np.where(attained, self.found, 1.0), np.where(self.bound > 0, np.inf, 1))

    # -- readable --------------------------------------------------------------------------------

    def equations_text(self, most: int | None = None, constants: bool = True) -> str:
        """The equations, line by line: tau_i = sum_j D_ij qdd_j + sum_jk C_ijk qd_j qd_k + G_i, then the ``constants``.

        Of a coefficient of more than ``most`` terms only their number is printed. D_ji is printed where it is not D_ij.
        """
        lines = []
        for name, poly in sorted(self.equations.items()):
            is_long = most is not None and len(poly) > most
            lines.append(f"{name} = {f'... ({len(poly)} terms)' if is_long else poly.text()}")
        if not constants:
            return "\n".join(lines)
        lines += [f"{c.name.translate(BELOW)} = {c.value:.6g} ({c.definition})" for c in self.constants]
        return "\n".join(lines)

    @cached_property
    def asymmetry(self) -> Array:
        """Proved bounds of |D_ij - D_ji|, which leaving out summands may make differ."""
        bounds, polynomials = np.zeros((self.n, self.n)), self.polynomials
        pairs = [(i, j) for i in range(self.n) for j in range(i)]
        off: dict[Key, Wave] = {
            ("D", (i, j)): wave_of(less)
            for i, j in pairs
            if (less := polynomials["D", (i, j)] - polynomials["D", (j, i)])
        }
        for (_, index), (proved, _) in prove(off, self.states, quick=True).coefficients.items():
            bounds[index] = bounds[index[::-1]] = proved
        return bounds

    def summary(self) -> str:
        """What the model is and how good, in a few lines."""
        lines = [
            f"{self.system.name}: reduced model within {100 * self.tolerance:g} percent of each joint's largest torque",
            f"operations: {self.before.total} before, {self.after.total} after; {len(self.constants)} constants, "
            f"{sum(c.depends_on_load for c in self.constants)} of them depend on the load",
        ]
        for i, joint in enumerate(self.system.moving):
            unit, torque = UNITS[joint.kind]
            lines.append(
                f"  {joint.name}: proved error {self.bound[i]:.4g} {torque} ({100 * self.share[i]:.3f} percent), "
                f"found {self.found[i]:.4g}, RMS {self.rms[i]:.4g}, proved/found {self.tightness[i]:.2f}; "
                f"speeds up to {self.states.speed[i]:.4g} {unit}/s, accelerations up to "
                f"{self.states.acceleration[i]:.4g} {unit}/s^2"
            )
        lines += [f"  {self.asymmetry_text}"] if self.asymmetry_text else []
        lines += ["  the search was interrupted: what is proved holds, a shorter model may be left"] * self.interrupted
        return "\n".join(lines)

    @property
    def asymmetry_text(self) -> str:
        """Which entries of D differ most across the diagonal; empty where D is symmetric."""
        if not self.asymmetry.any():
            return ""
        i, j = sorted(int(x) + 1 for x in np.unravel_index(int(self.asymmetry.argmax()), self.asymmetry.shape))
        name, transposed = names.name("D", (i - 1, j - 1)), names.name("D", (j - 1, i - 1))
        largest = float(self.asymmetry.max())
        unit = names.coefficient_unit(self.system, name)
        return f"{name} and {transposed} differ by at most {largest:.3g} {unit}, no other pair by more"

    def certificate(self, path: str | Path, progress: Progress | None = None) -> Path:
        """Write what is proved as a file that ``dalembert check`` verifies by itself (docs/proofs.md, Certificates)."""
        from .model_certificate import write_certificate

        return write_certificate(self, path, progress)

    # -- other loads, code -----------------------------------------------------------------------

    def with_load(self, load: Load | None) -> dict[str, float]:
        """The constants for another load, the program unchanged. Proved only for mixtures of the loads of ``loads``."""
        parameters = case_of(self.system.holding(load)).parameters
        return {name: float(value) for name, value in self.program.values(parameters).items()}

    def serving(self, load: int) -> Self:
        """The same program with the constants of ``loads[load]``: what is proved holds for it as well."""
        case = self.cases[load]
        values = self.program.values(case.parameters)
        constants = tuple(
            replace(constant, value=float(value))
            for constant, value in zip(self.constants, values.values(), strict=True)
        )
        return replace(
            self, system=case.system, values=values, exact_equations=case.equations, constants=constants,
            after=operations_of(self.program, values),
        )  # fmt: skip

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the header of its code says of the model: what is proved, for which states, and what it takes."""
        friction = ["Friction of the drives is added to its torques and comes on top."]
        lines = [
            f"A reduced model: {self.after}.",
            *(friction if self.system.counts_drives else []),
            "Proved, while every joint stays within its limits (the rounding of the numbers comes on top):",
        ]
        states = self.states
        for i, joint in enumerate(self.system.moving):
            unit, torque = UNITS[joint.kind]
            lower, upper, speed, acceleration, bound = (
                repr(float(x[i]))
                for x in (states.box.lower, states.box.upper, states.speed, states.acceleration, self.bound)
            )
            lines += [
                f"Joint {i}: within {bound} {torque} of the exact torque,",
                "at any angle," if states.box.circle[i] else f"positions from {lower} to {upper} {unit},",
                f"speeds up to {speed} {unit}/s, accelerations up to {acceleration} {unit}/s^2.",
            ]
        return tuple(lines)


def operations_of(program: Hoisted, values: Mapping[str, Fraction]) -> Operations:
    """Operations with the constants in place; those that happen to be 0 or 1 cost nothing."""
    key = tuple(values.values())
    if key not in program.counted:
        program.counted[key] = count(numbers(program, values))
    return program.counted[key]


def numbers(program: Hoisted, values: Mapping[str, Fraction]) -> list[Node]:
    """The outputs with the constants as numbers."""
    nodes = without(program.outputs, (), values)
    return absorbed(nodes[0].graph, nodes)

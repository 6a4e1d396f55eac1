"""Short forms as a system: Bejczy's simplified state equations (1974, section VII.D, Tables 3 and 4), to be run."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import zip_longest
from typing import Self

import numpy as np

from ...arm.description import listed
from ...arm.errors import ArmError, ToleranceWarning
from ...arm.inertia import Load
from ...bounds.branch import ProofError
from ...bounds.ranges import LESS_WORK, range_of
from ...bounds.waves import wave_of
from ...compile.operations import Operations, count
from ...equations.closed_form import Equations
from ...equations.names import coefficient_unit
from ...equations.polynomial import TrigPolynomial
from ...equations.symbols import Request
from ...systems.arm_system import ArmSystem
from ..certify import Key, Progress, Proof, prove, torque_rms
from ..exact_error import errors_at
from ..program_system import Constant, ProgramSystem
from ..reduced_tables import JointError
from ..states import Array, States, largest, loads_in_words, one_arm, rigid, rigid_torque
from ..tolerance import check_tolerance
from .constant_formulas import STYLE, constant_formulas
from .fitting import corners
from .form_errors import RELATIVE_TO, check_relative_to
from .form_program import form_torques, wanted_coefficients
from .short_form import ReducedCoefficient, ReducedTerm, reduced


@dataclass(frozen=True, eq=False)
class ShortFormModel(ProgramSystem):
    """tau_i = sum_j D_ij qdd_j + h_i + G_i with the coefficients of ``forms`` and no others.

    Every form is proved to stay within ``tolerance`` of the exact coefficient of this very system, relative to its
    largest value or its range (``relative_to``). ``velocity`` names the terms h (``form_program.py``). What the forms
    leave out is in ``torque_errors``. The constants are those of ``system``; ``loads`` says which loads the terms were
    chosen for, and ``holding(load)`` gives the same forms for another.
    """

    forms: tuple[ReducedCoefficient, ...]
    tolerance: float
    relative_to: str
    velocity: str
    loads: tuple[str, ...]
    effort: float = field(default=1.0, repr=False)

    kind = "in short forms"

    def __repr__(self) -> str:
        return (
            f"<ShortFormModel of {self.system.name!r}: {len(self.forms)} coefficients, {len(self.values)} constants, "
            f"each within {100 * self.tolerance:g} percent of its {RELATIVE_TO[self.relative_to]}>"
        )

    def _repr_html_(self) -> str:
        from ...markup.notebook import framed, heading, note
        from .form_tables import constant_table, form_table

        within = f"each within {100 * self.tolerance:g} percent of its {RELATIVE_TO[self.relative_to]}"
        return framed(
            heading(f"{self.system.name} in short forms, {within}"),
            form_table(self.forms),
            constant_table(self),
            note(f"Velocity terms: {self.velocity}. What is left out of the torques: .torque_errors."),
        )

    def form(self, name: str) -> ReducedCoefficient:
        """The short form of a coefficient."""
        for form in self.forms:
            if form.name == name:
                return form
        raise ArmError(f"{self.name}: no form {name!r}; there are {listed([form.name for form in self.forms])}")

    # -- constants --------------------------------------------------------------------------------

    @property
    def terms(self) -> tuple[tuple[ReducedCoefficient, ReducedTerm], ...]:
        """All terms, each with its form."""
        return tuple((form, term) for form in self.forms for term in form.terms)

    def formulas(self, symbols: Request = STYLE) -> dict[str, TrigPolynomial]:
        """Each constant of the exact form as a polynomial in ``symbols`` of the arm and its load (Table 4).

        ``symbols`` are those of ``arm.equations``. What the fit adds is ``constants[...].shift``.
        """
        return dict(self._usual_formulas) if symbols == STYLE else constant_formulas(self.system, self.forms, symbols)

    @cached_property
    def _usual_formulas(self) -> dict[str, TrigPolynomial]:
        return constant_formulas(self.system, self.forms, STYLE)

    @cached_property
    def constants(self) -> tuple[Constant, ...]:
        """The named constants with their formulas; a constant depends on the load where its formula does."""
        formulas = self.formulas()
        constants: dict[str, Constant] = {}
        for _, term in self.terms:
            formula = formulas[term.constant]
            definition = formula.text() + (f", refitted by {term.shift:+.4g}" if term.shift else "")
            depends = any(formula.space.symbols[name].kind == "load" for name in formula.parameters)
            constants.setdefault(term.constant, Constant(term.constant, term.value, definition, depends, term.shift))
        return tuple(constants.values())

    # -- other loads ------------------------------------------------------------------------------

    def holding(self, load: Load | None) -> Self:
        """The same forms with the constants for ``load``, their errors proved anew for it; no terms are searched.

        Where an error is then above the tolerance a ``ToleranceWarning`` says so, and ``form.share`` how far.
        """
        system = self.system.holding(load)
        equations, load_text = Equations(system, "numbers"), loads_in_words(system)
        forms = tuple(form.of(equations[form.name], self.states.box, load_text, self.effort) for form in self.forms)
        beyond = [f"{form.name} by {100 * form.share:.3g} percent" for form in forms if not form.within]
        if beyond:
            warnings.warn(
                f"{self.name}: with {load_text} {listed(beyond)} of the {RELATIVE_TO[self.relative_to]} are more than "
                f"the {100 * self.tolerance:g} percent its terms were chosen for; ask for short forms with this load",
                ToleranceWarning,
                stacklevel=2,
            )
        return replace(
            self, system=system, forms=forms, values=values_of(forms), exact_equations=equations, loads=(load_text,)
        )

    # -- errors -----------------------------------------------------------------------------------

    @property
    def within(self) -> bool:
        """Whether every form is proved to be within the tolerance."""
        return all(form.within for form in self.forms)

    @cached_property
    def definite(self) -> str:
        """Whether D is positive over the box: "proved", "found" (at samples, no proof) or "no".

        It is proved for a D without couplings, where each D_ii is bounded from below. Terms within a share of the
        largest inertia can be more than the least; torques of a D that is not positive do not say how the arm moves.
        """
        box, polynomials = self.states.box, self.polynomials
        diagonal = [wave_of(polynomials["D", (i, i)]) for i in range(self.n)]
        coupled = any(poly for (kind, index), poly in polynomials.items() if kind == "D" and index[0] != index[1])
        if not coupled and all(range_of(wave, box, work=self.effort * LESS_WORK).lower > 0 for wave in diagonal):
            return "proved"
        matrices = self.mass_matrix(np.concatenate([box.samples(2000), corners(box, 500)]))
        return "found" if coupled and float(np.linalg.eigvalsh(matrices).min()) > 0 else "no"

    @property
    def proof(self) -> Proof:
        """Bounds of all coefficients that differ, those left out included, and of every torque over ``states``."""
        return self.prove_torques()

    def prove_torques(self, progress: Progress | None = None) -> Proof:
        """``proof``, worked out once; ``progress`` follows it."""
        proof: Proof | None = self.__dict__.get("_proof")
        if proof is None:
            waves = {key: wave_of(less) for key, less in self.differences.items()}
            proof = prove(waves, self.states, progress, effort=self.effort)
            self.__dict__["_proof"] = proof
        return proof

    @cached_property
    def differences(self) -> dict[Key, TrigPolynomial]:
        """Exact less short coefficients, all of D, C and G, those that are not zero."""
        exact = self.exact_equations
        tables = {"D": exact.mass_matrix, "C": exact.christoffel, "G": exact.gravity}
        pairs = ((key, tables[key[0]][key[1]] - short) for key, short in self.polynomials.items())
        return {key: less for key, less in pairs if less}

    @cached_property
    def torque_errors(self) -> tuple[JointError, ...]:
        """The torque error of each joint over ``states`` against the exact system, all that is left out included.

        ``scale`` is the joint's largest torque. Friction is in both alike.
        """
        exact = rigid_torque(self.system)

        def error(q: Array, qd: Array, qdd: Array) -> Array:
            return exact(q, qd, qdd) - self._rigid(q, qd, qdd)

        waves = {key: wave_of(less) for key, less in self.differences.items()}
        bound = self.proof.joints
        scale, ends = largest(exact, self.states)[0], largest(error, self.states)[1]
        # how large the error is where the search ends balls tell: that of floats may be their rounding
        attained = np.array(errors_at(rigid(self.system), self.torques, self.values, enumerate(ends)))
        for joint in np.flatnonzero(attained > bound).tolist():
            raise ProofError(
                f"{self.name}: a torque error of {attained[joint]:g} is attained at joint "
                f"{self.system.joint_names[joint]!r} where {bound[joint]:g} was proved to be the largest: a fault of "
                "the proof, which is worth a report with the arm"
            )
        rows = (bound, attained, torque_rms(waves, self.states), scale)
        return tuple(JointError(*map(float, row)) for row in zip(*rows, strict=True))

    @property
    def operations(self) -> Operations:
        """Operations of its torques, with the constants in place."""
        return count(self.frictionless().function("inverse_dynamics").nodes)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the header of its code says of the model."""
        share = f"{100 * max((form.share for form in self.forms), default=0.0):.3g}"
        names = ", ".join(form.name for form in self.forms if form.terms)
        return (
            f"Short forms: each coefficient within {share} percent of its {RELATIVE_TO[self.relative_to]}.",
            f"Velocity terms: {self.velocity}. No coefficient but {names}.",
        )


def short_forms(
    systems: Sequence[ArmSystem],
    states: States,
    coefficients: str | Sequence[str] | None = None,
    tolerance: float = 0.05,
    *,
    relative_to: str = "largest",
    velocity: str = "christoffel",
    refit: bool = True,
    progress: Progress | None = None,
    equations: Sequence[Equations | None] = (),
    effort: float = 1.0,
) -> ShortFormModel:
    """Short forms of coefficients, each within ``tolerance`` of its largest value (or range) for every position.

    ``systems`` are one arm with one or several loads: the same terms serve all of them; a constant has one value for
    each, and changes by the exact, linear effect of the load. Without ``refit`` the constants keep their exact values.
    ``equations`` are those of the first systems, where they are at hand; ``effort`` is the share of the usual work.
    """
    check_tolerance(tolerance)
    check_relative_to(relative_to)
    one_arm(systems)
    arm = systems[0]
    pairs = zip_longest(systems, equations)
    cases = [derived if derived is not None else Equations(loaded, "numbers") for loaded, derived in pairs]
    loads = tuple(loads_in_words(system) for system in systems)
    forms: list[ReducedCoefficient] = []
    printed_names = list(wanted_coefficients(arm.n, coefficients, velocity))
    for index, name in enumerate(printed_names):
        if progress is not None:
            progress(f"short form of {name}", index / len(printed_names))
        number = 1 + sum(len(form.constants) for form in forms)
        polys = [equations[name] for equations in cases]
        unit = coefficient_unit(arm, name)
        forms.append(reduced(name, unit, polys, loads, states.box, tolerance, relative_to, refit, number, effort))
    torques = form_torques(forms, cases[0].space, velocity)
    return ShortFormModel(
        arm, states, torques, values_of(forms), cases[0], tuple(forms), float(tolerance), relative_to, velocity,
        loads, effort,
    )  # fmt: skip


def values_of(forms: Sequence[ReducedCoefficient]) -> dict[str, Fraction]:
    """The constants by name, as the proofs have them."""
    return {term.constant: Fraction(term.value) for form in forms for term in form.terms}

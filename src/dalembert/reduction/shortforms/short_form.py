"""A shorter closed form of one coefficient: few terms, named constants, proved error (Bejczy 1974, Tables 3 and 4).

The exact coefficient is expressed in few monomials (``monomials.py``). Terms are eliminated while the constants of the
others are refitted (``elimination.py``, ``fitting.py``); then all smaller subsets of terms are examined
(``subsets.py``). Two nearly equal parameters merge in the same way: A s^2 + B c^2 = B + (A - B) s^2, and the small
second term is eliminated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ...bounds.box import Box
from ...bounds.moments import rms
from ...bounds.ranges import LESS_WORK
from ...bounds.ranges import largest as greatest
from ...bounds.waves import wave_of
from ...compile.operations import Operations, count
from ...equations.polynomial import TrigPolynomial
from .elimination import eliminated
from .fitting import MANY, Fit, Fitting
from .form_errors import FormError, reference, sizes
from .monomials import Powers, factor, polynomial_of, shortest, with_sines
from .nesting import operations
from .subsets import fewest

ROUNDING = 1e-12
"""Share of the largest value up to which an error is that of rounding."""
AGAIN = 0.01
"""Gap between proved and attained error of a form whose error is proved anew, as a share of the attained one."""


@dataclass(frozen=True)
class ReducedTerm:
    """One term: a named constant times a product of sines, cosines and prismatic positions.

    ``exact`` is its coefficient in the exact form; ``value`` the fitted one, ``shift`` more, equally for all loads;
    ``loaded`` holds the value with each of the further loads. Terms whose exact coefficients are equal can have the
    same constant.
    """

    constant: str
    factor: str
    powers: Powers
    value: float
    exact: float
    loaded: tuple[float, ...]
    shift: float = 0.0

    @property
    def depends_on_load(self) -> bool:
        """Whether the constant differs between the loads."""
        return any(abs(x - self.value) > 1e-12 * max(abs(x), abs(self.value)) for x in self.loaded)


@dataclass(frozen=True, eq=False)
class ReducedCoefficient:
    """A coefficient in few terms, with the proof of its largest error over the box, one for each load given.

    ``tolerance`` is a share of the largest value of the coefficient, or of its range (``relative_to``). ``fewest``: no
    smaller subset of the terms of the exact form is within it for any shift of its constants that is common to all
    loads (False: not known). ``sines`` are the cosines whose squares are written with sines; ``single``: no sums of
    angles are used.
    """

    name: str
    unit: str
    terms: tuple[ReducedTerm, ...]
    exact_terms: int
    errors: tuple[FormError, ...]
    tolerance: float
    relative_to: str
    before: Operations
    after: Operations
    fewest: bool
    sines: tuple[str, ...] = ()
    single: bool = False

    @property
    def worst(self) -> FormError:
        """The error with the load for which it is the largest share."""
        return max(self.errors, key=lambda error: error.share(self.relative_to))

    @property
    def bound(self) -> float:
        """The proved error, with the load of the largest share."""
        return self.worst.bound

    @property
    def found(self) -> float:
        """The largest error attained, with the same load."""
        return self.worst.found

    @property
    def rms(self) -> float:
        """The RMS error over the box, with the same load."""
        return self.worst.rms

    @property
    def share(self) -> float:
        """The proved error relative to the largest value or to the range, as ``relative_to`` says."""
        return self.worst.share(self.relative_to)

    @property
    def within(self) -> bool:
        """Whether the proved error is within the tolerance for every load; an exact form is, up to rounding."""
        return all(
            error.bound <= max(self.tolerance * error.reference(self.relative_to), ROUNDING * error.largest)
            for error in self.errors
        )

    @property
    def tightness(self) -> float:
        """Proved bound over attained error; 1 is a perfect proof."""
        return self.bound / self.found if self.found > 0 else 1.0

    @property
    def constants(self) -> tuple[str, ...]:
        """Names of the constants, each once."""
        return tuple(dict.fromkeys(term.constant for term in self.terms))

    @property
    def text(self) -> str:
        """The form as text: D2 = b1 q3 s2 + b2 s2 + b3 (c5 s2 + c2 s4 s5)."""
        summands = []
        for name in self.constants:
            factors = [term.factor for term in self.terms if term.constant == name]
            summands.append(f"{name} {factors[0]}".strip() if len(factors) == 1 else f"{name} ({' + '.join(factors)})")
        return f"{self.name} = {' + '.join(summands) or '0'}"

    def written(self, poly: TrigPolynomial) -> TrigPolynomial:
        """A polynomial in the angles of this form: single ones, or sums where axes are parallel."""
        return poly.product_form() if self.single else poly

    def of(self, poly: TrigPolynomial, box: Box, load: str, effort: float = 1.0) -> ReducedCoefficient:
        """The same terms for another load, whose exact coefficient is ``poly``: new constants, their error proved anew.

        A constant changes by the exact effect of the load; the shifts of the fit stay.
        """
        poly = self.written(poly)
        form, wave = with_sines(poly.monomials, self.sines), wave_of(poly)
        terms = []
        short = poly - poly
        for term in self.terms:
            exact = float(form.get(term.powers, 0))
            terms.append(replace(term, exact=exact, value=exact + term.shift, loaded=()))
            short = short + polynomial_of(poly, term.powers) * (exact + term.shift)
        size, residual = sizes(wave, box, effort), wave - wave_of(short)
        # at most rounding, where nothing is left out: a bound relative to what is attained would be sought for long
        crude = residual.most(box.reach)
        exact_form = crude <= ROUNDING * size[0]
        bound, attained, _ = (crude, 0.0, 0.0) if exact_form else greatest(residual, box, AGAIN, effort * LESS_WORK)
        error = FormError(load, bound, attained, rms(residual, box), *size)
        return replace(self, terms=tuple(terms), errors=(error,), fewest=False, exact_terms=len(form))


def reduced(
    name: str, unit: str, polys: Sequence[TrigPolynomial], loads: Sequence[str], box: Box, tolerance: float,
    relative_to: str, refit: bool, number: int, effort: float = 1.0,
) -> ReducedCoefficient:  # fmt: skip
    """The short form of one coefficient for one polynomial per load; its constants are numbered from ``number``."""
    polys, forms, sines, single = fewest_terms(polys)
    waves = [wave_of(poly) for poly in polys]
    sizes_of_loads = [sizes(wave, box, effort) for wave in waves]
    if not any(polys):
        none = count([])
        nothing = tuple(FormError(load, 0.0, 0.0, 0.0, 0.0, 0.0) for load in loads)
        return ReducedCoefficient(name, unit, (), 0, nothing, tolerance, relative_to, none, none, True)
    limits = tolerance * np.array([reference(size, relative_to) for size in sizes_of_loads])
    fitting = Fitting(polys, forms, waves, limits, box, refit, effort)
    fit, fewest = chosen(fitting)
    # monomials are independent: without any tolerance all of them are needed
    fewest = fewest or not limits.any()
    names = {owner: f"b{number + index}" for index, owner in enumerate(dict.fromkeys(fit.constants))}
    terms = tuple(
        ReducedTerm(
            names[owner], factor(fitting.powers[row]), fitting.powers[row], float(fitting.values[row, 0] + shift),
            float(fitting.values[row, 0]), tuple(float(x + shift) for x in fitting.values[row, 1:]), float(shift),
        )
        for row, owner, shift in zip(fit.kept, fit.constants, fit.shift, strict=True)
    )  # fmt: skip
    errors = tuple(
        FormError(load, *proof, rms(residual, box), *size)
        for load, proof, residual, size in zip(loads, fit.proofs, fit.residuals, sizes_of_loads, strict=True)
    )
    return ReducedCoefficient(
        name, unit, terms, len(fitting), errors, tolerance, relative_to,
        operations(fitting.powers, fitting.values[:, 0]),
        operations([t.powers for t in terms], np.array([t.value for t in terms])), fewest, sines, single,
    )  # fmt: skip


def fewest_terms(
    polys: Sequence[TrigPolynomial],
) -> tuple[Sequence[TrigPolynomial], list[dict[Powers, Fraction]], tuple[str, ...], bool]:
    """The polynomials in sums of angles or in single ones, whichever gives fewer monomials, and those monomials.

    A gravity load is short in sums (c23), an inertia often in single angles: c2 c23 + s2 s23 is c3.
    """
    best = (polys, *shortest(polys), False)
    if polys[0].space.single is polys[0].space:
        return best
    plain = [poly.product_form() for poly in polys]
    # squares in sines take a few terms off, never most of a long expansion
    if sum(map(len, plain)) <= 2 * sum(map(len, polys)):
        in_single = (plain, *shortest(plain), True)
        if len({p for form in in_single[1] for p in form}) < len({p for form in best[1] for p in form}):
            return in_single
    return best


def chosen(fitting: Fitting) -> tuple[Fit, bool]:
    """The terms kept, with constants and proof, and whether it is certain that no smaller subset suffices."""
    candidates = eliminated(fitting)
    while candidates:
        terms = candidates.pop(0)
        fit = fitting.settled(terms)
        if fit is not None and (fit.within or not candidates):
            searched = fitting.refit and len(fitting) <= MANY and bool(np.all(fitting.limits > 0))
            return fewest(fitting, fit) if searched else (fit, False)
        if fit is not None and fit.proofs and len(fitting.waves[0]) > MANY:
            # Every proof takes about a second here: after a failure the next candidate has at least twice the terms.
            candidates = [longer for longer in candidates[:-1] if len(longer) >= 2 * len(terms)] + candidates[-1:]
    raise AssertionError("the exact form itself is always within its limits")

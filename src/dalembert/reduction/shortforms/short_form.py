"""A shorter closed form of one coefficient: few terms, named constants, proved error (Bejczy 1974, Tables 3 and 4).

The exact coefficient is expressed in few monomials (``monomials.py``). Terms are eliminated while the constants of the
others are refitted (``elimination.py``, ``fitting.py``); then all smaller subsets of terms are examined
(``subsets.py``). Two nearly equal parameters merge in the same way: A s^2 + B c^2 = B + (A - B) s^2, and the small
second term is eliminated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from ...arm.errors import ArmError
from ...bounds.box import Box
from ...bounds.moments import rms
from ...bounds.ranges import LESS_WORK, range_of
from ...bounds.waves import wave_of
from ...compile.operations import Operations, count
from ...equations.closed_form import Equations
from ...equations.names import coefficient_unit
from ...equations.polynomial import TrigPolynomial
from ...systems.arm_system import ArmSystem
from .elimination import eliminated
from .fitting import MANY, QUICK, Fit, Fitting
from .monomials import Powers, factor, shortest
from .nesting import operations
from .subsets import fewest


@dataclass(frozen=True)
class ReducedTerm:
    """One term: a named constant times a product of sines, cosines and prismatic positions.

    ``exact`` is its coefficient in the exact form, ``value`` the fitted one; ``loaded`` holds the value with each of
    the further loads. Terms whose exact coefficients are equal can have the same constant.
    """

    constant: str
    factor: str
    powers: Powers
    value: float
    exact: float
    loaded: tuple[float, ...]

    @property
    def depends_on_load(self) -> bool:
        """Whether the constant differs between the loads."""
        return any(abs(x - self.value) > 1e-12 * max(abs(x), abs(self.value)) for x in self.loaded)


@dataclass(frozen=True, eq=False)
class ReducedCoefficient:
    """A coefficient in few terms, with the proof of its largest error over the box and all loads given.

    ``scale`` is the reference of the relative tolerance, ``largest`` the largest magnitude of the coefficient, both for
    the load with the largest relative error. ``fewest``: no smaller subset of the terms of the exact form is within the
    tolerance for any shift of its constants that is common to all loads (False: not known).
    """

    name: str
    unit: str
    terms: tuple[ReducedTerm, ...]
    exact_terms: int
    bound: float
    found: float
    rms: float
    scale: float
    largest: float
    before: Operations
    after: Operations
    fewest: bool

    @property
    def share(self) -> float:
        """The proved error relative to the scale of the coefficient."""
        return self.bound / self.scale if self.scale else 0.0

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
        parts = []
        for name in self.constants:
            factors = [term.factor for term in self.terms if term.constant == name]
            parts.append(f"{name} {factors[0]}".strip() if len(factors) == 1 else f"{name} ({' + '.join(factors)})")
        return f"{self.name} = {' + '.join(parts) or '0'}"


def reduce_coefficients(
    systems: Sequence[ArmSystem],
    box: Box,
    coefficients: Sequence[str] | None = None,
    tolerance: float = 0.05,
    *,
    refit: bool = True,
    equations: Sequence[Equations | None] = (),
    effort: float = 1.0,
) -> tuple[ReducedCoefficient, ...]:
    """Short forms of coefficients (D_ii and G_i by default), each within ``tolerance`` of its scale for every position.

    The scale is the largest magnitude of the coefficient, or its maximum less its minimum where that is more.
    ``systems`` are one arm with one or several loads: the same terms serve all of them; a constant has one value for
    each, and changes by the exact, linear effect of the load. Without ``refit`` the constants keep their exact values.
    ``equations`` are those of the first systems, where they are at hand; ``effort`` is the share of the usual work.
    """
    if not 0 <= tolerance < np.inf:
        raise ArmError(f"a tolerance is a share such as 0.05, at least zero; got {tolerance!r}")
    n = systems[0].n
    wanted = list(coefficients or [f"D{i + 1}{i + 1}" for i in range(n)] + [f"G{i + 1}" for i in range(n)])
    known = zip_longest(systems, equations)
    cases = [found if found is not None else Equations(each, "numbers") for each, found in known]
    forms: list[ReducedCoefficient] = []
    for name in wanted:
        number = 1 + sum(len(form.constants) for form in forms)
        unit = coefficient_unit(systems[0], name)
        forms.append(reduced(name, unit, [eq[name] for eq in cases], box, tolerance, refit, number, effort))
    return tuple(forms)


def reduced(
    name: str,
    unit_: str,
    polys: Sequence[TrigPolynomial],
    box: Box,
    tolerance: float,
    refit: bool,
    number: int,
    effort: float = 1.0,
) -> ReducedCoefficient:
    """The short form of one coefficient for one polynomial per load."""
    waves = [wave_of(poly) for poly in polys]
    # The scale is from attained values: an underestimate makes the tolerance stricter, never wider.
    spreads = [
        range_of(wave, box, max(0.002 * wave.most(box.reach), 1e-300), work=effort * QUICK * LESS_WORK)
        for wave in waves
    ]
    scales = [max(spread.largest, spread.maximum - spread.minimum) for spread in spreads]
    if max(scales) == 0:
        none = count([])
        return ReducedCoefficient(name, unit_, (), 0, 0.0, 0.0, 0.0, 0.0, 0.0, none, none, True)
    fitting = Fitting(polys, shortest(polys), waves, tolerance * np.array(scales), box, refit, effort)
    fit, least = chosen(fitting)
    share = [bound / scale for (bound, _), scale in zip(fit.proofs, scales, strict=True)]
    worst = int(np.argmax(share))
    names = {owner: f"b{number + index}" for index, owner in enumerate(dict.fromkeys(fit.constants))}
    terms = tuple(
        ReducedTerm(
            names[owner], factor(fitting.powers[row]), fitting.powers[row], float(fitting.values[row, 0] + shift),
            float(fitting.values[row, 0]), tuple(float(x + shift) for x in fitting.values[row, 1:]),
        )
        for row, owner, shift in zip(fit.kept, fit.constants, fit.shift, strict=True)
    )  # fmt: skip
    return ReducedCoefficient(
        name, unit_, terms, len(fitting), *fit.proofs[worst], rms(fit.residuals[worst], box), scales[worst],
        spreads[worst].largest, operations(fitting.powers, fitting.values[:, 0]),
        operations([t.powers for t in terms], np.array([t.value for t in terms])), least,
    )  # fmt: skip


def chosen(fitting: Fitting) -> tuple[Fit, bool]:
    """The terms kept, with constants and proof, and whether it is certain that no smaller subset suffices."""
    candidates = eliminated(fitting)
    while candidates:
        kept = candidates.pop(0)
        fit = fitting.settled(kept)
        if fit is not None and (fit.within or not candidates):
            searched = fitting.refit and len(fitting) <= MANY and bool(np.all(fitting.limits > 0))
            return fewest(fitting, fit) if searched else (fit, False)
        if fit is not None and fit.proofs and len(fitting.waves[0]) > MANY:
            # Every proof takes about a second here: after a failure the next candidate has at least twice the terms.
            candidates = [longer for longer in candidates[:-1] if len(longer) >= 2 * len(kept)] + candidates[-1:]
    raise AssertionError("the exact form itself is always within its limits")

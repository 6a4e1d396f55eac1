"""A shorter closed form of one coefficient: few terms, named constants, proved error (Bejczy 1974, Tables 3 and 4).

The exact coefficient is written in sines and cosines, choosing c^2 or 1 - s^2 for each angle by which gives fewer
terms. Terms leave one by one, the one first whose absence costs least once the constants of the rest are fitted
again (least squares while choosing, least largest error at the end). Two nearly equal parameters merge by the same
step: A s^2 + B c^2 = B + (A - B) s^2, and the small second term goes.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.inertia import Load
from ..compile.operations import Operations, count
from ..equations.equations import Equations
from ..equations.polynomial import TrigPolynomial
from ..rings.graph import Graph, Node
from .box import Box, box_of
from .model_waves import input_inertia, unit
from .moments import rms
from .ranges import LESS_WORK, range_of
from .waves import Array, Wave, wave_of

Powers: TypeAlias = tuple[tuple[str, int], ...]
"""A monomial by names of variables (s2, c23, q3) and powers."""
SAMPLES = 700
MANY = 100
"""Terms beyond which the smallest go together, and not every shorter form is tried for its proof."""


@dataclass(frozen=True)
class ReducedTerm:
    """One term: a named constant times a product of sines, cosines and prismatic positions.

    ``exact`` is its coefficient in the exact form, ``value`` the fitted one; ``loaded`` holds the value with each of
    the further loads.
    """

    constant: str
    factor: str
    powers: Powers
    value: float
    exact: float
    loaded: tuple[float, ...]

    @property
    def depends_on_load(self) -> bool:
        return any(abs(x - self.value) > 1e-12 * max(abs(x), abs(self.value)) for x in self.loaded)


@dataclass(frozen=True, eq=False)
class ReducedCoefficient:
    """A coefficient in few terms, with the proof of its largest error over the box and all loads given."""

    name: str
    unit: str
    terms: tuple[ReducedTerm, ...]
    exact_terms: int
    bound: float
    found: float
    rms: float
    scale: float
    before: Operations
    after: Operations

    @property
    def share(self) -> float:
        """The proved error over the scale of the coefficient."""
        return self.bound / self.scale if self.scale else 0.0

    @property
    def tightness(self) -> float:
        return self.bound / self.found if self.found > 0 else 1.0

    @property
    def text(self) -> str:
        parts = [f"{term.constant} {term.factor}".strip() for term in self.terms]
        return f"{self.name} = {' + '.join(parts) or '0'}"


def reduce_coefficients(
    arm: ArmDescription,
    coefficients: Sequence[str] | None = None,
    tolerance: float = 0.05,
    *,
    box: Mapping[str | int, tuple[float, float]] | None = None,
    load: Sequence[Load | None] | Load | None = None,
    drives: bool = True,
    refit: bool = True,
) -> tuple[ReducedCoefficient, ...]:
    """Short forms of coefficients (D_ii and G_i by default), each within ``tolerance`` of its scale for every position.

    The scale is the largest magnitude of the coefficient, or its maximum less its minimum where that is more.
    With several loads the same terms serve all of them; a constant has one value for each, and changes by the exact,
    linear effect of the load. Without ``refit`` the constants keep their exact values.
    """
    if not 0 <= tolerance < np.inf:
        raise ArmError(f"a tolerance is a share such as 0.05, at least zero; got {tolerance!r}")
    wanted = list(coefficients or [f"D{i + 1}{i + 1}" for i in range(arm.n)] + [f"G{i + 1}" for i in range(arm.n)])
    loads = list(load) if isinstance(load, Sequence) else [load]
    cases = [Equations(arm.holding(held) if held is not None or len(loads) > 1 else arm, "numbers") for held in loads]
    domain, added = box_of(arm, box), input_inertia(arm) if drives else np.zeros(arm.n)
    found, number = [], 1
    for name in wanted:
        polys = [eq[name] for eq in cases]
        if name[0] in "Dd":
            i = [k for k in range(arm.n) if name in (f"D{k + 1}{k + 1}", f"D{k + 1},{k + 1}")]
            if i and added[i[0]]:
                polys = [poly + Fraction(float(added[i[0]])) for poly in polys]
        made = reduced(name, unit(arm, name), polys, domain, tolerance, refit, number)
        number += len(made.terms)
        found.append(made)
    return tuple(found)


def reduced(
    name: str, unit_: str, polys: Sequence[TrigPolynomial], box: Box, tolerance: float, refit: bool, number: int
) -> ReducedCoefficient:
    """The short form of one coefficient for one polynomial per load."""
    forms = shortest(polys)
    powers = list(dict.fromkeys(p for form in forms for p in form))
    values = np.array([[float(form.get(p, 0)) for form in forms] for p in powers]).reshape(len(powers), len(polys))
    waves = [wave_of(poly) for poly in polys]
    spreads = [range_of(wave, box) for wave in waves]
    scales = [max(spread.largest, spread.maximum - spread.minimum) for spread in spreads]
    if not powers or max(scales) == 0:
        none = count([])
        return ReducedCoefficient(name, unit_, (), 0, 0.0, 0.0, 0.0, 0.0, none, none)
    q = np.concatenate([box.samples(SAMPLES - 64), corners(box, 64)])
    table = columns(polys[0], powers, q)
    limits = tolerance * np.array(scales)
    best: tuple[list[int], Array, list[tuple[float, float]], list[Wave]] | None = None
    tries = eliminated(table, values, limits, refit)
    while tries:
        kept = tries.pop(0)
        shift = refitted(table, values, kept, limits) if refit else np.zeros(len(kept))
        rest = [difference(polys[0], powers, values[:, v], kept, shift, wave) for v, wave in enumerate(waves)]
        probe = box.samples(4000, 9)
        if tries and any(np.abs(wave(probe)).max() > limit for wave, limit in zip(rest, limits, strict=True)):
            continue
        proofs = [proved(wave, box, 0.02 * limit, limit) for wave, limit in zip(rest, limits, strict=True)]
        if tries and len(waves[0]) > MANY:
            # Every proof takes about a second here: after one that fails, the next has twice the terms.
            tries = [longer for longer in tries[:-1] if len(longer) >= 2 * len(kept)] + tries[-1:]
        if best is None or all(bound <= limit for (bound, _), limit in zip(proofs, limits, strict=True)):
            best = kept, shift, proofs, rest
            if all(bound <= limit for (bound, _), limit in zip(proofs, limits, strict=True)):
                break
    assert best is not None
    kept, shift, proofs, rest = best
    share = [bound / scale for (bound, _), scale in zip(proofs, scales, strict=True)]
    worst = int(np.argmax(share))
    terms = tuple(
        ReducedTerm(
            f"b{number + place}", factor(powers[row]), powers[row], float(values[row, 0] + shift[place]),
            float(values[row, 0]), tuple(float(x + shift[place]) for x in values[row, 1:]),
        )
        for place, row in enumerate(kept)
    )  # fmt: skip
    return ReducedCoefficient(
        name, unit_, terms, len(powers), proofs[worst][0], proofs[worst][1], rms(rest[worst], box), scales[worst],
        operations(powers, values[:, 0]), operations([t.powers for t in terms], np.array([t.value for t in terms])),
    )  # fmt: skip


# -- writing a coefficient in few terms ----------------------------------------------------------------


def shortest(polys: Sequence[TrigPolynomial]) -> list[dict[Powers, Fraction]]:
    """The polynomials as monomials, with s^2 or c^2 for each angle, whichever gives fewer terms in all."""
    plain = [named(poly) for poly in polys]
    squared = sorted({n for form in plain for p in form for n, e in p if n[0] == "c" and e > 1})
    best = plain
    for chosen in itertools.chain.from_iterable(itertools.combinations(squared, r) for r in range(1, len(squared) + 1)):
        trial = [with_sines(form, chosen) for form in plain]
        if len({p for form in trial for p in form}) < len({p for form in best for p in form}):
            best = trial
    return best


def named(poly: TrigPolynomial) -> dict[Powers, Fraction]:
    names = poly.ring.names
    return {tuple(sorted((names[i], e) for i, e in m)): value for m, value in poly.dictionary.items()}


def with_sines(form: Mapping[Powers, Fraction], chosen: Sequence[str]) -> dict[Powers, Fraction]:
    """Even powers of these cosines as powers of 1 - s^2."""
    found: dict[Powers, Fraction] = {}
    for powers, value in form.items():
        expanded: dict[Powers, Fraction] = {(): value}
        for name, power in powers:
            if name in chosen and power > 1:
                sine = "s" + name[1:]
                factors = {(): Fraction(1), ((sine, 2),): Fraction(-1)}
                for _ in range(power // 2):
                    expanded = product(expanded, factors)
                if power % 2:
                    expanded = product(expanded, {((name, 1),): Fraction(1)})
            else:
                expanded = product(expanded, {((name, power),): Fraction(1)})
        for key, number in expanded.items():
            found[key] = found.get(key, Fraction(0)) + number
    return {key: number for key, number in found.items() if number}


def product(a: Mapping[Powers, Fraction], b: Mapping[Powers, Fraction]) -> dict[Powers, Fraction]:
    found: dict[Powers, Fraction] = {}
    for p, x in a.items():
        for r, y in b.items():
            merged = dict(p)
            for name, power in r:
                merged[name] = merged.get(name, 0) + power
            key = tuple(sorted(merged.items()))
            found[key] = found.get(key, Fraction(0)) + x * y
    return found


def factor(powers: Powers) -> str:
    """A monomial as text: s2^2 c5 q3."""
    return " ".join(name if power == 1 else f"{name}^{power}" for name, power in powers)


def polynomial_of(poly: TrigPolynomial, powers: Powers) -> TrigPolynomial:
    """A monomial as an element of the ring of ``poly``."""
    ring = poly.ring
    result = poly._new(ring.one)
    for name, power in powers:
        result = result * poly._new(ring.gens[ring.index[name]]) ** power
    return result


def columns(poly: TrigPolynomial, powers: Sequence[Powers], q: Array) -> Array:
    """Values of the monomials at positions: (positions, monomials)."""
    return np.stack([polynomial_of(poly, p)(q) for p in powers], axis=1)


def corners(box: Box, size: int) -> Array:
    """Positions at ends of limits and at quarter turns, where extremes like to be."""
    rng = np.random.default_rng(5)
    quarter = rng.integers(-2, 3, (size, len(box.lower))) * np.pi / 2
    ends = np.where(rng.random(quarter.shape) < 0.5, box.lower, box.upper)
    return np.where(box.circle, quarter, ends)


# -- leaving out and fitting -----------------------------------------------------------------------------


def eliminated(table: Array, values: Array, limits: Array, refit: bool) -> list[list[int]]:
    """Nested sets of terms, fewest first, all of which look good enough on the samples."""
    history = [list(range(values.shape[0]))]
    if not np.all(limits > 0):
        return history
    kept = history[0]
    if len(kept) > MANY:
        safe, kept = without_smallest(table, values, limits)
        history += [safe, kept]
    while kept:
        order = removals(table, values, kept, limits, refit)
        # Of many terms several go at once; one at a time where that is too much.
        for amount in (len(kept) // 12, 1) if len(kept) > MANY else (1,):
            less = [row for place, row in enumerate(kept) if place not in set(order[:amount].tolist())]
            cost = worst(table, values, less, limits, refit)
            if cost <= (1.0 if amount > 1 else 1.3):
                break
        else:
            break
        kept = less
        history.append(kept)
    return history[::-1]


def without_smallest(table: Array, values: Array, limits: Array) -> tuple[list[int], list[int]]:
    """The terms left when the smallest go as long as their magnitudes add up to less than most of the limit, which is
    sure to be proved, or as long as they themselves add up to less than half of it on the samples.
    """
    effect = (np.abs(table).max(axis=0)[:, None] * np.abs(values) / limits).max(axis=1)
    order = np.argsort(effect)
    gone = np.ones(len(order), bool)
    for v, limit in enumerate(limits):
        gone &= np.abs(np.cumsum(table[:, order] * values[order, v], axis=1)).max(axis=0) <= limit / 2
    surely = int(np.searchsorted(np.cumsum(effect[order]), 0.9))
    count = max(surely, len(order) if gone.all() else int(np.argmin(gone)))
    return sorted(order[surely:].tolist()), sorted(order[count:].tolist())


def removals(table: Array, values: Array, kept: Sequence[int], limits: Array, refit: bool) -> NDArray[np.int64]:
    """Places in ``kept``, the term first whose absence makes the least largest error, the others fitted again.

    With G = A'A and the fit b, leaving out column k moves the fit by -G^-1_:k b_k / G^-1_kk (least squares), so that
    the errors without each of the columns come out of one product.
    """
    a = table[:, kept]
    mean = values.mean(axis=1)
    if refit:
        sizes = np.maximum(np.abs(a).max(axis=0), 1e-300)
        scaled = a / sizes
        gram = scaled.T @ scaled
        inverse = np.linalg.inv(gram + 1e-11 * np.trace(gram) / len(kept) * np.eye(len(kept)))
        fit = inverse @ (scaled.T @ (table @ mean))
        left = (table @ mean - scaled @ fit)[:, None] + scaled @ (inverse * (fit / np.diag(inverse))[None])
    else:
        left = (table @ mean - a @ mean[kept])[:, None] + a * mean[kept]
    costs = np.zeros(len(kept))
    for v, limit in enumerate(limits):
        # What the loads add to their mean is not fitted: one correction of the constants serves all of them.
        own = values[:, v] - mean
        part = (table @ own - a @ own[kept])[:, None] + a * own[kept]
        costs = np.maximum(costs, np.abs(left + part).max(axis=0) / limit)
    return np.argsort(costs, kind="stable")


def worst(table: Array, values: Array, kept: Sequence[int], limits: Array, refit: bool) -> float:
    """The largest error on the samples over its limit, the constants fitted to the mean error of all loads."""
    error = table @ values - table[:, kept] @ values[kept]
    if refit and kept:
        change, *_ = np.linalg.lstsq(table[:, kept], error.mean(axis=1), rcond=None)
        error = error - (table[:, kept] @ change)[:, None]
    return float((np.abs(error).max(axis=0) / limits).max())


def refitted(table: Array, values: Array, kept: Sequence[int], limits: Array) -> Array:
    """The change of the kept constants that makes the largest error on the samples least (a linear program)."""
    if not kept or len(kept) == len(values) or not np.all(limits > 0):
        return np.zeros(len(kept))
    error = (table @ values - table[:, kept] @ values[kept]) / limits
    sizes = np.abs(table[:, kept]).max(axis=0)
    rows, right = [], []
    for v in range(values.shape[1]):
        scaled = table[:, kept] / sizes / limits[v]
        rows += [np.hstack([-scaled, -np.ones((len(scaled), 1))]), np.hstack([scaled, -np.ones((len(scaled), 1))])]
        right += [-error[:, v], error[:, v]]
    cost = np.zeros(len(kept) + 1)
    cost[-1] = 1.0
    found = linprog(
        cost, np.concatenate(rows), np.concatenate(right), bounds=[(None, None)] * (len(kept) + 1), method="highs"
    )
    if not found.success:
        return np.zeros(len(kept))
    # Many fits can be equally good at worst: take the part of the way that already gives what fitting can give.
    change = found.x[:-1] / sizes
    for part in (0.0, 0.25, 0.5, 0.75):
        left = error - part * (table[:, kept] @ change)[:, None] / limits
        if np.abs(left).max() <= 1.02 * found.x[-1]:
            return part * change
    return change


def difference(
    poly: TrigPolynomial, powers: Sequence[Powers], values: Array, kept: Sequence[int], shift: Array, wave: Wave
) -> Wave:
    """Exact less reduced, as a wave."""
    short = poly - poly
    for place, row in enumerate(kept):
        short = short + polynomial_of(poly, powers[row]) * Fraction(float(values[row] + shift[place]))
    return wave - wave_of(short)


def proved(wave: Wave, box: Box, gap: float, enough: float) -> tuple[float, float]:
    """(proved, found) largest magnitude; of many terms the sum of moduli will do where it is ``enough``."""
    if len(wave) > MANY and wave.most(box.reach) <= enough:
        return wave.most(box.reach), float(np.abs(wave(box.samples(4000, 9))).max())
    spread = range_of(
        wave, box, max(gap, 8 * wave.slack, 1e-300), work=LESS_WORK / 4 if len(wave) > MANY else LESS_WORK
    )
    return spread.bound, spread.largest


# -- operations --------------------------------------------------------------------------------------------


def operations(powers: Sequence[Powers], values: Array) -> Operations:
    """Operations of the form with common factors taken out; sines and cosines are inputs."""
    graph = Graph()
    return count([factored({p: Fraction(float(v)) for p, v in zip(powers, values, strict=True)}, graph)])


def factored(form: Mapping[Powers, Any], graph: Graph) -> Node:
    """The sum as a nest of products: the variable that most terms share is taken out first."""
    if not form:
        return graph.constant(0)
    uses: dict[str, int] = {}
    for powers in form:
        for name, _ in powers:
            uses[name] = uses.get(name, 0) + 1
    if not uses:
        return graph.constant(form[()])
    name = max(uses, key=lambda n: (uses[n], n))
    inside: dict[Powers, Any] = {}
    outside: dict[Powers, Any] = {}
    for powers, value in form.items():
        held = dict(powers)
        if name in held:
            held[name] -= 1
            inside[tuple(sorted((n, e) for n, e in held.items() if e))] = value
        else:
            outside[powers] = value
    part = graph.mul(graph.input(name), factored(inside, graph))
    return graph.add(part, factored(outside, graph)) if outside else part

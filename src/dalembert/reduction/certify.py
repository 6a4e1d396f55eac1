"""Proved bounds on the errors of the coefficients and torques of a model, over all states.

Both models have torques sum_j D_ij qdd_j + sum_jk C_ijk qd_j qd_k + G_i. The difference of each coefficient is a
trigonometric polynomial, known exactly; its certified range bounds the error of the coefficient, and

    |error of tau_i| <= sum_j e(D_ij) a_j + sum_jk e(C_ijk) v_j v_k + e(G_i)

with e the proved bounds, v and a the largest speeds and accelerations. The errors of one joint are not all largest at
the same position: the maximum over all positions of

    sum_j |dD_ij(q)| a_j + sum_jk |dC_ijk(q)| v_j v_k + |dG_i(q)|

is a sharper bound, proved by the same branch and bound (``branch.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ..bounds.alike import apart, key_of
from ..bounds.branch import Branch
from ..bounds.moments import mean_square
from ..bounds.ranges import largest, trimmed
from ..bounds.waves import OUTWARD, Wave
from ..equations import names
from .states import Array, States

Key: TypeAlias = tuple[str, tuple[int, ...]]
"""("D", (i, j)), ("C", (i, j, k)) with j <= k, or ("G", (i,)); D of a symmetric pair also with i > j."""
Progress: TypeAlias = Callable[[str, float], None]

GAP, ROUGH = 0.1, 0.5
"""Relative gap between proved and attained error of a coefficient; ``ROUGH`` is for quick proofs."""
HASTE = 0.1
"""Effort below which proofs of coefficients are as rough as quick ones."""
WORK, WORK_PER_WAVE, QUICK = 9.0e8, 1.0e8, 3.0e6
"""Work limits (control values, ``branch.py``): all coefficients together, one coefficient, and one in a quick proof."""
TORQUE_GAP, TORQUE_WORK = 0.06, 1.0e8
"""Gap and work limit of the bound on the summed errors of one joint."""
ASIDE = (0.02, 0.06, 0.15, 0.3)
"""Fractions of the summed bound that are replaced by their own bounds instead of being searched, tried in turn: a
larger one makes branch and bound cheaper and the result looser."""
FEWEST, NO_GAIN = 3_000, 0.95
"""The summed bound is searched only where the work limit allows at least this many boxes; its result is used where it
is below this fraction of the sum of the single bounds. Otherwise the next entry of ``ASIDE`` is tried."""


@dataclass(frozen=True)
class CoefficientError:
    """The error of one coefficient: proved bound, largest value attained, exact RMS over the box.

    ``scale`` is the largest magnitude of the exact coefficient at 256 positions.
    """

    name: str
    unit: str
    bound: float
    found: float
    rms: float
    scale: float

    @property
    def tightness(self) -> float:
        """Proved bound over attained error; 1 is a perfect proof."""
        return self.bound / self.found if self.found > 0 else 1.0


@dataclass(frozen=True, eq=False)
class Proof:
    """Bounds (proved, attained) for every coefficient that differs, proved ones for every torque, and the work."""

    coefficients: Mapping[Key, tuple[float, float]]
    joints: Array
    work: float

    def named(self) -> dict[str, tuple[float, float]]:
        """The bounds by the printed names of the coefficients."""
        return {names.name(kind, index): pair for (kind, index), pair in self.coefficients.items()}


def prove(
    differences: Mapping[Key, Wave],
    states: States,
    progress: Progress | None = None,
    quick: bool = False,
    effort: float = 1.0,
) -> Proof:
    """Bounds on all differences; those equal up to sign are bounded once.

    ``quick`` proofs, and those with less than the usual ``effort``, are valid but looser.
    """
    bounds: dict[bytes, tuple[float, float]] = {}
    alike = {key: key_of(wave)[0] for key, wave in differences.items()}
    distinct = {alike[key]: wave for key, wave in differences.items()}
    work, gap = effort * WORK, ROUGH if quick or effort < HASTE else GAP
    # Short waves first: work they do not use is available for the long ones.
    for count, (shape, wave) in enumerate(sorted(distinct.items(), key=lambda item: len(item[1]))):
        share = effort * QUICK if quick else min(effort * WORK_PER_WAVE, 3 * work / (len(distinct) - count))
        proved, attained, used = largest(wave, states.box, gap, share)
        work -= used
        bounds[shape] = proved, attained
        if progress is not None:
            progress("proving coefficients", (count + 1) / len(distinct))
    coefficients: dict[Key, tuple[float, float]] = {}
    for key, wave in differences.items():
        (proved, attained), off = bounds[alike[key]], apart(wave, distinct[alike[key]], states.box.reach)
        coefficients[key] = proved + off, max(attained - off, 0.0)
    if quick:
        return Proof(
            coefficients,
            joint_bounds({key: pair[0] for key, pair in coefficients.items()}, states),
            effort * WORK - work,
        )
    joints, torque_work = torque_bounds(differences, coefficients, states, progress, effort)
    return Proof(coefficients, joints, effort * WORK - work + torque_work)


def allotted(count: int, effort: float = 1.0) -> float:
    """The work limit of one of ``count`` proofs, so that all together take about the same time for every arm."""
    return min(WORK_PER_WAVE, effort * WORK / max(1, count))


def joint_bounds(errors: Mapping[Key, float], states: States) -> Array:
    """The sum over coefficients of their bounds times the largest speeds and accelerations."""
    total = np.zeros(states.n)
    for (kind, index), error in errors.items():
        total[index[0]] += error * weight(kind, index, states)
    return OUTWARD * total


def torque_bounds(
    differences: Mapping[Key, Wave],
    bounds: Mapping[Key, tuple[float, float]],
    states: States,
    progress: Progress | None,
    effort: float,
) -> tuple[Array, float]:
    """Bounds on the torque errors from all coefficients at the same position, and the work used."""
    work, total = 0.0, joint_bounds({key: pair[0] for key, pair in bounds.items()}, states)
    parts = [
        {key: bounds[key][0] * weight(*key, states) for key in differences if key[1][0] == i} for i in range(states.n)
    ]
    several = [i for i in range(states.n) if sum(share > 0 for share in parts[i].values()) > 1]
    for count, i in enumerate(several):
        bound, used = together(differences, parts[i], states, effort * TORQUE_WORK)
        total[i], work = min(total[i], bound), work + used
        if progress is not None:
            progress("proving torques", (count + 1) / len(several))
    return total, work


def together(
    differences: Mapping[Key, Wave], parts: Mapping[Key, float], states: States, limit: float = TORQUE_WORK
) -> tuple[float, float]:
    """The proved maximum of the summed error magnitudes of one joint, and the work; ``parts`` bounds each summand.

    Small summands enter with their own bounds: few of them, or more where the search would take too long.
    """
    sum_of_bounds, work = OUTWARD * sum(parts.values()), 0.0
    for share in ASIDE:
        waves, remainder = main_errors(differences, parts, states, share * sum_of_bounds)
        branch = Branch(None, waves, states.box)
        if FEWEST * branch.cost > limit:
            continue
        q = states.box.samples(300, 11)
        values = np.sum([np.abs(wave(q)) for wave in waves], axis=0)
        best = int(values.argmax())
        top = float(values[best])
        certified = branch.least(-top, q[best], TORQUE_GAP * top, limit, -sum_of_bounds - remainder)
        work += certified.work
        if -certified.bound + remainder < NO_GAIN * sum_of_bounds:
            return OUTWARD * (-certified.bound + remainder), work
    return sum_of_bounds, work


def main_errors(
    differences: Mapping[Key, Wave], parts: Mapping[Key, float], states: States, amount: float
) -> tuple[list[Wave], float]:
    """The large errors, weighted, without small high harmonics, and a bound (at most ``amount``) on the remainder."""
    remainder = 0.0
    multiples: dict[bytes, list[Wave]] = {}
    for key in sorted(parts, key=lambda k: parts[k]):
        if remainder + parts[key] <= 0.8 * amount:
            remainder += parts[key]
        else:
            wave = differences[key].times(weight(*key, states))
            multiples.setdefault(key_of(wave.times(1 / float(wave.size.max())))[0], []).append(wave)
    waves: list[Wave] = []
    for group in multiples.values():
        # The magnitudes of waves that are multiples of each other add up to one wave, and what they differ by.
        factors = [float(wave.size.max()) / float(group[0].size.max()) for wave in group]
        reach = states.box.reach
        remainder += sum(apart(wave, group[0].times(f), reach) for wave, f in zip(group[1:], factors[1:], strict=True))
        main, removed = trimmed(group[0].times(sum(factors)), states.box, 0.2 * amount / len(multiples))
        remainder += removed
        waves.append(main)
    return waves, remainder


def weight(kind: str, index: tuple[int, ...], states: States) -> float:
    """The torque error caused by a unit error of a coefficient: the largest acceleration or product of speeds."""
    if kind == "G":
        return 1.0
    if kind == "D":
        return float(states.acceleration[index[1]])
    _, j, k = index
    return float(states.speed[j] * states.speed[k] * (1 if j == k else 2))


def torque_rms(differences: Mapping[Key, Wave], states: States) -> Array:
    """The exact RMS of each joint's torque error over all states, each coordinate uniform over its range.

    With qd and qdd symmetric about zero, different monomials are uncorrelated: <qdd^2> = a^2/3, <qd_j^2 qd_k^2> = v^4/9
    or v^4/5, and products of squares of speeds with the constant part have means v^2/3.
    """
    box, total = states.box, np.zeros(states.n)
    even: dict[int, list[tuple[float, float, Wave]]] = {}
    for (kind, index), wave in differences.items():
        i = index[0]
        if kind == "D":
            total[i] += states.acceleration[index[1]] ** 2 / 3 * mean_square(wave, box)
        elif kind == "C" and index[1] != index[2]:
            square = states.speed[index[1]] ** 2 * states.speed[index[2]] ** 2 / 9
            total[i] += 4 * square * mean_square(wave, box)
        elif kind == "C":
            # qd_j^2 = its mean v^2/3 plus a part that is orthogonal to everything else, of mean square 4 v^4/45.
            v = float(states.speed[index[1]])
            total[i] += 4 * v**4 / 45 * mean_square(wave, box)
            even.setdefault(i, []).append((v * v / 3, 0.0, wave))
        else:
            even.setdefault(i, []).append((1.0, 0.0, wave))
    for i, parts in even.items():
        sum_ = parts[0][2].times(parts[0][0])
        for factor, _, wave in parts[1:]:
            sum_ = sum_ + wave.times(factor)
        total[i] += mean_square(sum_, box)
    return np.sqrt(total)

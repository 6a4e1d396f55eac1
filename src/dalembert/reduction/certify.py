"""The proof: how far the coefficients and torques of a model can be from the exact ones, over all states.

Both models have torques sum_j D_ij qdd_j + sum_jk C_ijk qd_j qd_k + G_i. The difference of each coefficient is a
trigonometric polynomial, known exactly; its certified range bounds the error of the coefficient, and

    |error of tau_i| <= sum_j e(D_ij) a_j + sum_jk e(C_ijk) v_j v_k + e(G_i)

with e the proved bounds, v and a the largest speeds and accelerations. Errors of the same joint may not all be
largest at one state, so the bound on a torque is looser than those on coefficients; the search says by how much.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ..equations import names
from .grids import grid_bound
from .moments import mean_square
from .ranges import range_of, search
from .states import Array, States
from .waves import Wave

Key: TypeAlias = tuple[str, tuple[int, ...]]
"""("D", (i, j)), ("C", (i, j, k)) with j <= k, or ("G", (i,)); D of a symmetric pair also with i > j."""
Progress: TypeAlias = Callable[[str, float], None]

GAP = 0.25
"""How much of the largest error found branch and bound may add."""
MANY = 16
"""Terms from which on a grid is tried first."""
WORK, WORK_PER_WAVE = 6.0e7, 6.0e6
"""Boxes times terms for all proofs together, and for one at most."""
POINTS, ROUGH = 4.0e7, 40_000
"""Points of grids for all proofs together, and of a rough one."""


@dataclass(frozen=True)
class CoefficientError:
    """The error of one coefficient: proved bound, largest found, exact RMS over the box.

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
        """Proved over found; 1 is a perfect proof."""
        return self.bound / self.found if self.found > 0 else 1.0


@dataclass(frozen=True, eq=False)
class Proof:
    """Bounds for every coefficient that differs, and for every joint's torque."""

    coefficients: Mapping[Key, tuple[float, float]]
    joints: Array

    def named(self) -> dict[str, tuple[float, float]]:
        return {names.name(kind, index): pair for (kind, index), pair in self.coefficients.items()}


def prove(
    differences: Mapping[Key, Wave], states: States, progress: Progress | None = None, quick: bool = False
) -> Proof:
    """Bounds on all differences; equal ones (up to sign) are bounded once.

    ``quick`` proofs are as valid, looser, and say nothing of what a search finds.
    """
    seen: dict[bytes, tuple[float, float]] = {}
    found: dict[Key, tuple[float, float]] = {}
    marks = {key: signature(wave) for key, wave in differences.items()}
    distinct = max(1, len(set(marks.values())))
    work, points = allotted(distinct)
    for count, (key, wave) in enumerate(differences.items()):
        if marks[key] not in seen:
            proved, attained = rough(wave, states) if quick else bound(wave, states, work, points)
            # Waves count as equal to twelve digits; the proof allows for the thirteenth.
            seen[marks[key]] = proved * (1 + 1e-9), attained
        found[key] = seen[marks[key]]
        if progress is not None:
            progress("proving coefficients", (count + 1) / len(differences))
    return Proof(found, joint_bounds({key: pair[0] for key, pair in found.items()}, states))


def allotted(count: int, effort: float = 1.0) -> tuple[float, int]:
    """(work, points) for one of ``count`` proofs, so that all of them together take the same time for every arm."""
    count = max(1, count)
    return min(WORK_PER_WAVE, effort * WORK / count), int(min(1e6, max(effort * 1e5, effort * POINTS / count)))


def rough(wave: Wave, states: States) -> tuple[float, float]:
    """A valid bound for little work: the sum of moduli, or a coarse grid where that says more."""
    crude = wave.most(states.box.reach)
    if len(wave) <= MANY // 2 or not wave.joints:
        return crude, 0.0
    return min(crude, grid_bound(wave, states.box, ROUGH)[0]), 0.0


def joint_bounds(errors: Mapping[Key, float], states: States) -> Array:
    """The sum over coefficients of their bounds times the largest speeds and accelerations."""
    total = np.zeros(states.n)
    for (kind, index), error in errors.items():
        total[index[0]] += error * weight(kind, index, states)
    return total


def weight(kind: str, index: tuple[int, ...], states: States) -> float:
    """What an error of one in a coefficient is worth at its joint."""
    if kind == "G":
        return 1.0
    if kind == "D":
        return float(states.acceleration[index[1]])
    _, j, k = index
    return float(states.speed[j] * states.speed[k] * (1 if j == k else 2))


def bound(wave: Wave, states: States, work: float = WORK_PER_WAVE, points: int = 1_000_000) -> tuple[float, float]:
    """(proved, found) largest magnitude of a wave."""
    crude = wave.most(states.box.reach)
    if not len(wave):
        return crude, 0.0
    tries = states.box.samples(256)
    values = np.abs(wave(tries))
    sampled = float(values.max())
    if not wave.joints or crude <= 1.1 * sampled:
        return crude, sampled
    proved, found = crude, sampled
    if len(wave) > MANY:
        by_grid, at = grid_bound(wave, states.box, points)
        starts = np.concatenate([at[None], tries[np.argsort(-values)[:4]]])
        ends = [abs(float(wave(search(w, states.box, starts, polish=False)))) for w in (wave, -wave)]
        proved, found = min(by_grid, crude), max(*ends, sampled)
    if proved > (1.5 if len(wave) <= 4 * MANY else 1.9) * found:
        tolerance = max(GAP * found, 4 * wave.slack, 1e-300)
        spread = range_of(wave, states.box, tolerance, work=work, polish=False)
        proved, found = min(spread.bound, proved), max(spread.largest, found)
        if not spread.certified and len(wave) <= MANY:
            proved = min(proved, grid_bound(wave, states.box, points)[0])
    return proved, found


def signature(wave: Wave) -> bytes:
    """The same for a wave and its negative."""
    if not len(wave):
        return b""
    order = np.lexsort(np.concatenate([wave.k, wave.p], axis=1).T)
    k, p, c = wave.k[order], wave.p[order], wave.c[order]
    lead = c[0]
    sign = -1.0 if (lead.real, lead.imag) < (0.0, 0.0) else 1.0
    rounded = np.round(sign * c / np.abs(c).max(), 12) + 0.0
    return k.tobytes() + p.tobytes() + rounded.tobytes() + np.float64(f"{np.abs(c).max():.11e}").tobytes()


def torque_rms(differences: Mapping[Key, Wave], states: States) -> Array:
    """The exact RMS of each joint's torque error over all states, each coordinate evenly spread over its range.

    With qd and qdd symmetric about zero only equal monomials go together: <qdd^2> = a^2/3, <qd_j^2 qd_k^2> = v^4/9 or
    v^4/5, and products of squares of speeds with the constant part have means v^2/3.
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
        whole = parts[0][2].times(parts[0][0])
        for factor, _, wave in parts[1:]:
            whole = whole + wave.times(factor)
        total[i] += mean_square(whole, box)
    return np.sqrt(total)

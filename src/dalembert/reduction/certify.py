"""The proof: how far the coefficients and torques of a model can be from the exact ones, over all states.

Both models have torques sum_j D_ij qdd_j + sum_jk C_ijk qd_j qd_k + G_i. The difference of each coefficient is a
trigonometric polynomial, known exactly; its certified range bounds the error of the coefficient, and

    |error of tau_i| <= sum_j e(D_ij) a_j + sum_jk e(C_ijk) v_j v_k + e(G_i)

with e the proved bounds, v and a the largest speeds and accelerations. Errors of one joint are not all largest at the
same position: the largest value over all positions of

    sum_j |dD_ij(q)| a_j + sum_jk |dC_ijk(q)| v_j v_k + |dG_i(q)|

is a sharper bound, proved by the same branch and bound (``branch.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ..bounds.branch import Branch
from ..bounds.moments import mean_square
from ..bounds.ranges import largest, trimmed
from ..bounds.waves import Wave
from ..equations import names
from .states import Array, States

Key: TypeAlias = tuple[str, tuple[int, ...]]
"""("D", (i, j)), ("C", (i, j, k)) with j <= k, or ("G", (i,)); D of a symmetric pair also with i > j."""
Progress: TypeAlias = Callable[[str, float], None]

GAP, ROUGH = 0.1, 0.5
"""How much of the largest error found a proof may add, and a quick one."""
WORK, WORK_PER_WAVE, QUICK = 9.0e8, 1.0e8, 3.0e6
"""Control values (``branch.py``) for all proofs together, for one at most, and for a quick one."""
TORQUE_GAP, TORQUE_WORK, ASIDE = 0.06, 1.0e8, (0.02, 0.06, 0.15, 0.3)
"""The same for the errors of a joint together, and shares of them that need not be looked at together."""
FEWEST, NO_GAIN = 3_000, 0.95
"""Boxes that such a proof should be able to afford, and what it should gain; else more is put aside."""


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
    """Bounds for every coefficient that differs, and for every joint's torque; the work they took (control values)."""

    coefficients: Mapping[Key, tuple[float, float]]
    joints: Array
    work: float

    def named(self) -> dict[str, tuple[float, float]]:
        return {names.name(kind, index): pair for (kind, index), pair in self.coefficients.items()}


def prove(
    differences: Mapping[Key, Wave], states: States, progress: Progress | None = None, quick: bool = False
) -> Proof:
    """Bounds on all differences; equal ones (up to sign) are bounded once.

    ``quick`` proofs are as valid, and looser.
    """
    seen: dict[bytes, tuple[float, float]] = {}
    marks = {key: signature(wave) for key, wave in differences.items()}
    distinct = {marks[key]: wave for key, wave in differences.items()}
    work = WORK
    # Short waves first: what they leave of the work goes to the long ones.
    for count, (mark, wave) in enumerate(sorted(distinct.items(), key=lambda item: len(item[1]))):
        share = QUICK if quick else min(WORK_PER_WAVE, 3 * work / (len(distinct) - count))
        proved, attained, used = largest(wave, states.box, ROUGH if quick else GAP, share)
        work -= used
        # Waves count as equal to twelve digits; the proof allows for the thirteenth.
        seen[mark] = proved * (1 + 1e-9), attained
        if progress is not None:
            progress("proving coefficients", (count + 1) / len(distinct))
    found = {key: seen[mark] for key, mark in marks.items()}
    if quick:
        return Proof(found, joint_bounds({key: pair[0] for key, pair in found.items()}, states), WORK - work)
    joints, more = torque_bounds(differences, found, states, progress)
    return Proof(found, joints, WORK - work + more)


def allotted(count: int, effort: float = 1.0) -> float:
    """The work for one of ``count`` proofs, so that all of them together take about the same time for every arm."""
    return min(WORK_PER_WAVE, effort * WORK / max(1, count))


def joint_bounds(errors: Mapping[Key, float], states: States) -> Array:
    """The sum over coefficients of their bounds times the largest speeds and accelerations."""
    total = np.zeros(states.n)
    for (kind, index), error in errors.items():
        total[index[0]] += error * weight(kind, index, states)
    return total


def torque_bounds(
    differences: Mapping[Key, Wave], found: Mapping[Key, tuple[float, float]], states: States, progress: Progress | None
) -> tuple[Array, float]:
    """Bounds on the torque errors from the errors of all coefficients at the same position, and the work they took."""
    work, total = 0.0, joint_bounds({key: pair[0] for key, pair in found.items()}, states)
    parts = [
        {key: found[key][0] * weight(*key, states) for key in differences if key[1][0] == i} for i in range(states.n)
    ]
    several = [i for i in range(states.n) if sum(share > 0 for share in parts[i].values()) > 1]
    for count, i in enumerate(several):
        bound_, used = together(differences, parts[i], states)
        total[i], work = min(total[i], bound_), work + used
        if progress is not None:
            progress("proving torques", (count + 1) / len(several))
    return total, work


def together(differences: Mapping[Key, Wave], parts: Mapping[Key, float], states: States) -> tuple[float, float]:
    """The largest sum of magnitudes of the errors of one joint, proved, and the work; ``parts`` are bounds on each.

    What is small stands aside with its own bound: little of it, or more where looking at all would take too long.
    """
    whole, work = sum(parts.values()), 0.0
    for share in ASIDE:
        waves, rest = main_errors(differences, parts, states, share * whole)
        branch = Branch(None, waves, states.box)
        if FEWEST * branch.cost > TORQUE_WORK:
            continue
        q = states.box.samples(300, 11)
        values = np.sum([np.abs(wave(q)) for wave in waves], axis=0)
        best = int(values.argmax())
        top = float(values[best])
        made = branch.least(-top, q[best], TORQUE_GAP * top, TORQUE_WORK, -whole - rest)
        work += made.work
        if -made.bound + rest < NO_GAIN * whole:
            return -made.bound + rest, work
    return whole, work


def main_errors(
    differences: Mapping[Key, Wave], parts: Mapping[Key, float], states: States, amount: float
) -> tuple[list[Wave], float]:
    """The errors that matter, weighted, less their fastest small waves; a bound (at most ``amount``) on the rest."""
    rest = 0.0
    alike: dict[bytes, list[Wave]] = {}
    for key in sorted(parts, key=lambda k: parts[k]):
        if rest + parts[key] <= 0.8 * amount:
            rest += parts[key]
        else:
            wave = differences[key].times(weight(*key, states))
            alike.setdefault(signature(wave.times(1 / float(wave.size.max()))), []).append(wave)
    waves: list[Wave] = []
    for same in alike.values():
        # Of waves that are multiples of each other, to twelve digits, the magnitudes add up to one of them.
        tops = [float(wave.size.max()) for wave in same]
        main, lost = trimmed(same[0].times(sum(tops) / tops[0] * (1 + 1e-9)), states.box, 0.2 * amount / len(alike))
        rest += lost
        waves.append(main)
    return waves, rest


def weight(kind: str, index: tuple[int, ...], states: States) -> float:
    """What an error of one in a coefficient is worth at its joint."""
    if kind == "G":
        return 1.0
    if kind == "D":
        return float(states.acceleration[index[1]])
    _, j, k = index
    return float(states.speed[j] * states.speed[k] * (1 if j == k else 2))


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

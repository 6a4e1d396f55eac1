"""Proved bounds on the errors of the coefficients and torques of a model, over all states.

Both models have torques sum_j D_ij qdd_j + sum_jk C_ijk qd_j qd_k + G_i. The difference of each coefficient is a
trigonometric polynomial, known exactly; its certified range bounds the error of the coefficient, and

    |error of tau_i| <= sum_j e(D_ij) a_j + sum_jk e(C_ijk) v_j v_k + e(G_i)

with e the proved bounds, v and a the largest speeds and accelerations. The errors of one joint are not all largest at
the same position, and signs of speeds go together: the maximum over all positions of

    sum_j |dD_ij(q)| a_j + max over |qd| <= v of |sum_jk dC_ijk(q) qd_j qd_k + dG_i(q)|

is a sharper bound, proved by values on a grid (``grid.py``), with the speeds as in ``products.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ..bounds.alike import apart, key_of, same_sign
from ..bounds.box import Box
from ..bounds.grid import LargestSum, largest_sum
from ..bounds.moments import exponent_of, mean_square
from ..bounds.products import Factor, SpeedProducts, products
from ..bounds.ranges import Largest, largest, trimmed
from ..bounds.search import inside
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
TORQUE_GAP, TORQUE_WORK, TORQUE_CLOSE, TORQUE_QUICK = 0.03, 3.0e9, 1.0e9, 3.0e8
"""Gap between the bound of a joint's torque error and the largest one met (``grid.py``), the limits of work (numbers
computed) to show a goal, to come as close as that gap, and of a quick proof."""
ASIDE = (0.01, 0.1, 0.3)
"""Parts of the attained sum that are replaced by the moduli of their harmonics instead of being searched, tried in
turn: a larger one makes the grid cheaper and the result looser."""
MANY = 5
"""Joints from which grids prove a coefficient with less work than boxes."""
POSITIONS = 8
"""Positions at which the sum of the errors is looked at before it is bounded."""


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
    """Bounds on all differences and on the torques.

    ``quick`` proofs, and those with less than the usual ``effort``, are valid but looser.
    """
    coefficients, work = coefficient_bounds(differences, states, progress, quick, effort)
    joints = torque_bounds(differences, states, progress, quick, effort)
    single = joint_bounds({key: pair[0] for key, pair in coefficients.items()}, states)
    return Proof(coefficients, np.minimum(joints.proved, single), work + joints.work)


def coefficient_bounds(
    differences: Mapping[Key, Wave],
    states: States,
    progress: Progress | None = None,
    quick: bool = False,
    effort: float = 1.0,
    done: dict[bytes, Largest] | None = None,
) -> tuple[dict[Key, tuple[float, float]], float]:
    """Bounds (proved, attained) on each difference, and the work; those equal up to sign are bounded once.

    ``done`` has those of an earlier call with the same arguments that was interrupted, and gets the others.
    """
    done = {} if done is None else done
    alike = {key: key_of(wave)[0] for key, wave in differences.items()}
    distinct = {alike[key]: wave for key, wave in differences.items()}
    work, gap = effort * WORK, ROUGH if quick or effort < HASTE else GAP
    # Short waves first: work they do not use is available for the long ones.
    for count, (shape, wave) in enumerate(sorted(distinct.items(), key=lambda item: len(item[1]))):
        share = effort * QUICK if quick else min(effort * WORK_PER_WAVE, 3 * work / (len(distinct) - count))
        if shape not in done:
            done[shape] = magnitude(wave, states.box, gap, share)
        work -= done[shape].work
        if progress is not None:
            progress("proving coefficients", (count + 1) / len(distinct))
    return bounds_by_key(differences, states, done), effort * WORK - work


def bounds_by_key(
    differences: Mapping[Key, Wave], states: States, done: Mapping[bytes, Largest]
) -> dict[Key, tuple[float, float]]:
    """Bounds (proved, attained) of those differences that are ``done``."""
    alike = {key: key_of(wave)[0] for key, wave in differences.items()}
    distinct = {alike[key]: wave for key, wave in differences.items()}
    coefficients: dict[Key, tuple[float, float]] = {}
    for key, wave in differences.items():
        if alike[key] in done:
            proved, attained, _ = done[alike[key]]
            off = apart(wave, distinct[alike[key]], states.box.reach)
            coefficients[key] = proved + off, max(attained - off, 0.0)
    return coefficients


def magnitude(wave: Wave, box: Box, gap: float, work: float) -> Largest:
    """The largest magnitude of a wave: by boxes where it has few joints, by grids where it has many."""
    if len(wave.joints) >= MANY:
        sampled = float(np.abs(wave(box.samples(POSITIONS, 11))).max())
        by_grid = largest_sum([wave], box, sampled, gap, work)
        if by_grid.searched and sampled > 0:
            return Largest(by_grid.bound, max(sampled, by_grid.attained), by_grid.work)
    return largest(wave, box, gap, work)


def allotted(count: int, effort: float = 1.0) -> float:
    """The work limit of one of ``count`` proofs, so that all together take about the same time for every arm."""
    return min(WORK_PER_WAVE, effort * WORK / max(1, count))


def joint_bounds(errors: Mapping[Key, float], states: States) -> Array:
    """The sum over coefficients of their bounds times the largest speeds and accelerations."""
    total = np.zeros(states.n)
    for (kind, index), error in errors.items():
        total[index[0]] += error * weight(kind, index, states)
    return OUTWARD * total


@dataclass(frozen=True, eq=False)
class TorqueBounds:
    """For each joint the proved bound of the torque error, the largest error met and its position (joints, n), the
    least bound that a proof is likely to come to, and the work.
    """

    proved: Array
    attained: Array
    at: Array
    within_reach: Array
    work: float


def torque_bounds(
    differences: Mapping[Key, Wave],
    states: States,
    progress: Progress | None = None,
    quick: bool = False,
    effort: float = 1.0,
    goal: Array | None = None,
    order: Sequence[int] | None = None,
    extra_positions: Array | None = None,
) -> TorqueBounds:
    """Bounds on the torque errors from all coefficients at the same position.

    With a ``goal`` for each joint, that alone is shown where it can be; once one is not, the others are left. With an
    ``order`` those joints alone are bounded, one after the other. The bounds of joints that are left are infinite.
    Errors are likely to be large at ``extra_positions``.
    """
    n, joints = states.n, range(states.n) if order is None else order
    proved, reach = np.full(n, np.inf), np.full(n, np.inf)
    attained, work, at = np.zeros(n), 0.0, np.tile(states.box.centre, (n, 1))
    usual = TORQUE_CLOSE if goal is None else TORQUE_WORK
    limit = TORQUE_QUICK if quick else max(TORQUE_QUICK, effort * usual)
    for finished, i in enumerate(joints):
        waves = {key: wave.times(weight(*key, states)) for key, wave in differences.items() if key[1][0] == i}
        # one without terms may stand for coefficients below the numbers of floats, which a weight makes larger
        waves = {key: wave for key, wave in waves.items() if len(wave) or wave.slack}
        proved[i] = reach[i] = 0.0
        if waves:
            factors = [factor(*key) for key in waves]
            joint_goal = np.inf if goal is None else float(goal[i])
            proof = together([*waves.values()], factors, states.box, limit, joint_goal, extra_positions)
            proved[i], attained[i], work = proof.bound, proof.attained, work + proof.work
            reach[i] = proof.within_reach
            at[i] = at[i] if proof.at is None else proof.at
            if goal is not None and proof.bound > goal[i]:
                break
        if progress is not None:
            progress("proving torques", (finished + 1) / n)
    return TorqueBounds(proved, attained, at, reach, work)


def together(
    waves: Sequence[Wave], factors: Sequence[Factor], box: Box, limit: float = TORQUE_WORK, goal: float = np.inf,
    extra_positions: Array | None = None,
) -> LargestSum:  # fmt: skip
    """The proved maximum of |sum_r y_r w_r| over waves with factors y_r, the work, and the largest value found, which
    is looked for at ``extra_positions``, too.

    Small summands enter with their moduli: few of them, or more where the grid would take too long. Where no grid is
    affordable, the bounds of the single waves are added up.
    """
    q, work = box.samples(POSITIONS, 11), 0.0
    q = q if extra_positions is None else np.concatenate([q, inside(box, extra_positions)])
    values = np.array([wave(q) for wave in waves])
    speed_products = products([[(single_factor, 1.0)] for single_factor in factors], np.abs(values).max(axis=1))
    sums = np.abs(values).sum(axis=0) if speed_products is None else speed_products.largest(values.T)[1]
    at, attained = q[int(sums.argmax())], float(sums.max())
    if len(waves) == 1:
        single = magnitude(waves[0], box, TORQUE_GAP, limit)
        return LargestSum(single.proved, single.work, True, single.found, at, single.proved)
    for share in ASIDE:
        main, parts, remainder = main_errors(waves, factors, box, share * attained)
        target = goal / OUTWARD - remainder
        by_grid = largest_sum(main, box, attained, TORQUE_GAP, limit, target, parts)
        work += by_grid.work
        if by_grid.searched:
            if by_grid.at is not None:
                values = np.array([wave(by_grid.at) for wave in waves])
                error_there = (
                    np.abs(values).sum() if speed_products is None else speed_products.largest(values[None])[1][0]
                )
                at, attained = (by_grid.at, float(error_there)) if error_there > attained else (at, attained)
            bound, reach = (OUTWARD * (x + remainder) for x in (by_grid.bound, by_grid.within_reach))
            # a goal that is shown is not passed by what the sum of its parts is rounded, which OUTWARD allows for
            bound = min(bound, goal) if by_grid.bound <= target else bound
            return LargestSum(bound, work, True, attained, at, reach)
    bound = 0.0
    for wave in waves:
        single = largest(wave, box, GAP, limit / len(waves))
        bound, work = bound + single.proved, work + single.work
    return LargestSum(OUTWARD * bound, work, False, attained, at, OUTWARD * bound)


def main_errors(
    waves: Sequence[Wave], factors: Sequence[Factor], box: Box, amount: float
) -> tuple[list[Wave], SpeedProducts | None, float]:
    """The large waves without small high harmonics, the factors of their parts, and a bound (at most ``amount``) on the
    sum of the remainders.
    """
    remainder, multiples = 0.0, dict[bytes, list[tuple[Wave, Factor]]]()
    ordered = sorted(zip(waves, factors, strict=True), key=lambda pair: pair[0].most(box.reach))
    for wave, speed_factor in ordered:
        largest_value = wave.most(box.reach)
        if not len(wave) or remainder + largest_value <= 0.5 * amount:
            remainder += largest_value
        else:
            multiples.setdefault(key_of(wave.times(1 / float(wave.size.max())))[0], []).append((wave, speed_factor))
    main_waves: list[Wave] = []
    parts: list[list[tuple[Factor, float]]] = []
    for group in multiples.values():
        # Waves that are multiples of each other are parts of one wave, which has all their magnitudes, but for what
        # they differ by.
        reference = group[0][0]
        sizes = [float(wave.size.max()) / float(reference.size.max()) for wave, _ in group]
        remainder += sum(
            apart(wave, reference.times(f), box.reach) for (wave, _), f in zip(group[1:], sizes[1:], strict=True)
        )
        main, removed = trimmed(reference.times(sum(sizes)), box, 0.5 * amount / len(multiples))
        remainder += removed
        main_waves.append(main)
        parts.append(
            [
                (speed_factor, same_sign(wave, reference) * f / sum(sizes))
                for (wave, speed_factor), f in zip(group, sizes, strict=True)
            ]
        )
    return main_waves, products(parts, np.array([wave.most(box.reach) for wave in main_waves])), remainder


def factor(kind: str, index: tuple[int, ...]) -> Factor:
    """What the error of a coefficient is multiplied with, over its largest value: a free number for accelerations."""
    return {"G": (), "D": None, "C": index[1:]}[kind]


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
    box, total, exponent = states.box, np.zeros(states.n), exponent_of(differences.values())
    even: dict[int, list[tuple[float, float, Wave]]] = {}
    for (kind, index), large in differences.items():
        i, wave = index[0], large.scaled(-exponent)
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
    for i, summands in even.items():
        sum_ = summands[0][2].times(summands[0][0])
        for factor, _, wave in summands[1:]:
            sum_ = sum_ + wave.times(factor)
        total[i] += mean_square(sum_, box)
    return np.asarray(np.ldexp(np.sqrt(total), exponent))

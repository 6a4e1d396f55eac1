"""A motion that tells the most about an arm: a Fourier series whose equations for the parameters are best conditioned.

The motion is periodic and rests at both ends of its period: sum of sines = 0 makes the velocity there zero, sum of k
cosines_k = 0 the acceleration (the series of Swevers et al. 1997, with rest). Candidates are scaled into the limits of
position, speed, acceleration and effort; the condition number of the base parameters, friction and rotors, with columns
of equal length, is what is made small, by an evolution strategy over batches of candidates. After an identification it
is the largest error that its logs and this motion together would leave.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arm.errors import ArmError
from ..identification.base_columns import base_columns
from ..identification.friction_terms import FrictionTerms
from ..identification.observations import Unknowns
from ..identification.result import Identification
from ..identification.silent import SECONDS, VAGUE, equations, information, sizes
from ..systems.arm_system import ArmSystem
from .trajectories import Array, Fourier

PARENTS, CHILDREN = 6, 24
POINTS = 16
"""Moments of time for each harmonic at which a candidate is looked at."""
MARGIN = 0.98
"""Share of the limits that is used: the rest is for extremes between the moments looked at."""
TRANSITION = 0.02
"""Speed (rad/s, m/s) within which the sign of a speed passes through zero."""
FASTEST = 1.0
"""Speed (rad/s, m/s) where an arm has no limit of it."""


@dataclass(frozen=True, repr=False)
class Excitation(Fourier):
    """A motion for identification; ``condition`` is what its search reached, ``at_first`` the best random start.

    ``of`` says what that number is: the condition number of the equations, or, after an identification, the largest
    error left, in sizes of what it is the error of.
    """

    condition: float = np.inf
    at_first: float = np.inf
    of: str = "condition number"

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, {self.of} {self.condition:.3g}>"


def excitation(
    arm: ArmSystem,
    period: float = 10.0,
    harmonics: int = 5,
    *,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    effort: ArrayLike | None = None,
    friction: str = "coulomb+viscous+offset",
    rotors: bool = True,
    after: Identification | None = None,
    generations: int = 40,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Excitation:
    """A motion within limits that excites all parameters of the links, friction and rotors.

    Limits are those of the arm where they are left out; a joint without limits of position moves by one either way, one
    without a limit of speed with at most 1 rad/s or m/s. ``after`` an identification the motion is aimed at what its
    logs did not tell: the largest error that would be left, beside what it is the error of, is made small.
    """
    if after is not None and (after.described.n != arm.n or after.described.joint_names != arm.joint_names):
        raise ArmError(f"{arm.name}: the identification is of {after.described.name}, which has other joints")
    if arm.counts_drives:
        raise ArmError(f"{arm.name}: a motion is found for the links; give them, as in driven.arm")
    if not period > 0 or not np.isfinite(period) or harmonics < 2 or generations < 0:
        raise ArmError("an excitation has a period above zero, two harmonics or more, and a number of generations")
    search = _Search(arm, period, harmonics, friction, rotors, (lower, upper, speed, acceleration, effort), after)
    rng = np.random.default_rng(seed)
    genes = rng.uniform(-1, 1, (CHILDREN, 2 * harmonics + 1, arm.n))
    genes[:, 2 * harmonics] *= 0.2
    scores = search.scores(genes)
    best = np.argsort(scores)[:PARENTS]
    parents, values = genes[best], scores[best]
    at_first, step = float(values[0]), 0.3
    for generation in range(generations):
        progress(generation, generations)
        mixed = (
            parents[rng.integers(PARENTS, size=CHILDREN)] * 0.5 + parents[rng.integers(PARENTS, size=CHILDREN)] * 0.5
        )
        children = mixed + step * rng.normal(size=mixed.shape)
        found = search.scores(children)
        step *= 1.1 if found.min() < values[0] else 0.85
        everyone, all_values = np.concatenate([parents, children]), np.concatenate([values, found])
        best = np.argsort(all_values)[:PARENTS]
        parents, values = everyone[best], all_values[best]
    progress(generations, generations)
    if not np.isfinite(values[0]):
        raise ArmError(f"{arm.name}: no motion within these limits was found; give wider ones, or a longer period")
    series = search.motion(parents[0])
    return Excitation(
        series.centre, series.sines, series.cosines, period, float(values[0]), at_first,
        "condition number" if after is None else "largest error left",
    )  # fmt: skip


class _Search:
    """Candidates as motions within limits, and the condition of what they tell."""

    def __init__(
        self, arm: ArmSystem, period: float, harmonics: int, friction: str, rotors: bool,
        limits: tuple[ArrayLike | None, ...], after: Identification | None,
    ) -> None:  # fmt: skip
        self.arm, self.period, self.harmonics, self.after = arm, period, harmonics, after
        self.sizes = None if after is None else sizes(after)
        self.known: Array | None = None
        if after is not None and self.sizes is not None:
            vague = np.eye(len(self.sizes)) / VAGUE**2
            self.known = information(after) * np.outer(self.sizes, self.sizes) + vague
        self.unknowns = Unknowns(arm, FrictionTerms.read(friction), rotors)
        self.base = base_columns(arm, self.unknowns)
        self.times = np.linspace(0, period, POINTS * harmonics, endpoint=False)
        names = ("lower", "upper", "speed", "acceleration", "effort")
        given = dict(zip(names, limits, strict=True))
        own = {
            "lower": np.where(np.isfinite(arm.lower), arm.lower, -1.0),
            "upper": np.where(np.isfinite(arm.upper), arm.upper, 1.0),
            "speed": _limit([joint.limits.velocity for joint in arm.moving], FASTEST),
            "acceleration": np.full(arm.n, np.inf),
            "effort": _limit([joint.limits.effort for joint in arm.moving], np.inf),
        }
        found = {name: own[name] if given[name] is None else _wide(name, given[name], arm.n) for name in names}
        self.lower, self.upper, self.speed, self.acceleration, self.effort = (found[name] for name in names)
        if (self.upper <= self.lower).any() or min(x.min() for x in (self.speed, self.acceleration, self.effort)) <= 0:
            raise ArmError(f"{arm.name}: limits of an excitation leave no room; upper above lower, others above zero")

    def scaled(self, genes: Array) -> tuple[Array, Array, Array]:
        """Centres ``(k, n)``, sines and cosines ``(k, harmonics, n)`` of candidates, at rest at their ends, in limits.

        Rest is exact: the velocity there is the sum of the sines, the acceleration that of k times the cosines.
        """
        count = self.harmonics
        order = np.arange(1, count + 1)[:, None]
        sines, cosines = genes[:, :count].copy(), genes[:, count : 2 * count].copy()
        sines[:, -1] = -sines[:, :-1].sum(axis=1)
        cosines[:, -1] = -(order * cosines)[:, :-1].sum(axis=1) / count
        q, qd, qdd = self._states(np.zeros((len(genes), 1, self.arm.n)), sines, cosines)
        room = MARGIN * (self.upper - self.lower)
        with np.errstate(divide="ignore"):
            scale = np.minimum.reduce(
                [
                    room / np.ptp(q, axis=1),
                    MARGIN * self.speed / np.abs(qd).max(axis=1),
                    MARGIN * self.acceleration / np.abs(qdd).max(axis=1),
                ]
            )
        free = (self.upper - self.lower) - scale * np.ptp(q, axis=1)
        share = 0.5 + 0.5 * np.tanh(genes[:, 2 * count])
        centre = self.lower + share * free - scale * q.min(axis=1)
        return centre, scale[:, None] * sines, scale[:, None] * cosines

    def _states(self, centre: Array, sines: Array, cosines: Array) -> tuple[Array, Array, Array]:
        """q, qd, qdd ``(k, times, n)``."""
        rate = 2 * np.pi * np.arange(1, self.harmonics + 1) / self.period
        s, c = np.sin(np.outer(self.times, rate)), np.cos(np.outer(self.times, rate))
        return (
            centre + (s / rate) @ sines - (c / rate) @ cosines,
            c @ sines + s @ cosines,
            (c * rate) @ cosines - (s * rate) @ sines,
        )

    def motion(self, genes: Array) -> Fourier:
        """The series of one candidate."""
        centre, sines, cosines = (x[0] for x in self.scaled(genes[None]))
        return Fourier(centre, sines, cosines, self.period)

    def scores(self, candidates: Array) -> Array:
        """What is made small for each candidate; infinite where its torques pass their limits."""
        centre, sines, cosines = self.scaled(candidates)
        q, qd, qdd = self._states(centre[:, None], sines, cosines)
        smooth = self.arm.regressor(q, qd, qdd)
        torque = smooth @ self.arm.parameters
        strong = (np.abs(torque) > MARGIN * self.effort).any(axis=(1, 2))
        if self.after is not None:
            rows = equations(self.after, q, qd, qdd)
            found = self._worst_errors(rows.reshape(len(candidates), -1, rows.shape[-1]))
        else:
            n, columns = self.arm.n, self.base.columns
            friction = self.unknowns.friction.columns(qd, np.full(n, TRANSITION), np.full(n, 0.1), torque)
            inertial = columns[columns < self.unknowns.inertial]
            matrix = self.unknowns.base_matrix(columns, smooth[..., inertial], friction, qdd)
            found = _conditions(matrix.reshape(len(candidates), -1, len(columns)))
        return np.where(strong | ~np.isfinite(found), np.inf, found)

    def _worst_errors(self, rows: Array) -> Array:
        """Of each candidate the largest error that would be left, in sizes of what it is the error of."""
        assert self.known is not None
        assert self.sizes is not None
        scaled = rows * self.sizes / np.sqrt(len(self.times)) * np.sqrt(self.period / SECONDS)
        errors = np.einsum("kii->ki", np.linalg.inv(self.known + scaled.transpose(0, 2, 1) @ scaled))
        return np.sqrt(np.maximum(errors, 0.0)).max(axis=1)


def _conditions(rows: Array) -> Array:
    """Condition numbers of matrices, columns of equal length."""
    gram = rows.transpose(0, 2, 1) @ rows
    length = np.sqrt(np.maximum(np.einsum("kii->ki", gram), 1e-300))
    values = np.linalg.eigvalsh(gram / (length[:, :, None] * length[:, None, :]))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.sqrt(values[:, -1] / np.maximum(values[:, 0], 0.0)))


def _limit(values: list[float | None], otherwise: float) -> Array:
    found = np.array([otherwise if value is None else float(value) for value in values])
    return np.where(np.isfinite(found) & (found > 0), found, otherwise)


def _wide(name: str, values: ArrayLike | None, n: int) -> Array:
    try:
        found = np.broadcast_to(np.asarray(values, dtype=float), (n,)).copy()
    except (TypeError, ValueError):
        raise ArmError(f"{name} of an excitation is one number, or one for each of {n} joints") from None
    if np.isnan(found).any():
        raise ArmError(f"{name} of an excitation is no number")
    return found

"""Candidates for a motion of identification: Fourier series within limits, and what they tell of an arm."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..arm.errors import ArmError
from ..arm.joint_ranges import finite_ranges
from ..identification.base_columns import base_columns
from ..identification.friction_terms import FrictionTerms
from ..identification.observations import Unknowns
from ..identification.result import Identification
from ..identification.silent import SECONDS, VAGUE, equations, information, sizes
from ..systems.arm_system import ArmSystem
from .excitation_ranking import ExcitationRanking
from .trajectories import Array, Fourier

POINTS = 16
"""Moments of time for each harmonic at which a candidate is looked at."""
EVERY = 2
"""The quick order looks at every so many moments."""
PIECE = 64
"""Candidates ordered at a time, so that their tables stay near the processor."""
MARGIN = 0.98
"""Share of the limits that is used: the rest is for extremes between the moments looked at."""
TRANSITION = 0.02
"""Speed (rad/s, m/s) within which the sign of a speed passes through zero."""
FASTEST = 1.0
"""Speed (rad/s, m/s) where an arm has no limit of it."""


class CandidateMotions:
    """Candidates as motions within limits, and the condition of what they tell."""

    def __init__(
        self, arm: ArmSystem, period: float, harmonics: int, friction: str, rotors: bool,
        limits: tuple[ArrayLike | None, ...] = (None,) * 5, after: Identification | None = None,
    ) -> None:  # fmt: skip
        self.arm, self.period, self.harmonics, self.after = arm, period, harmonics, after
        self.sizes = None if after is None else sizes(after)
        self.prior: Array | None = None
        if after is not None and self.sizes is not None:
            vague = np.eye(len(self.sizes)) / VAGUE**2
            self.prior = information(after) * np.outer(self.sizes, self.sizes) + vague
        self.unknowns = Unknowns(arm, FrictionTerms.read(friction), rotors)
        self.base = base_columns(arm, self.unknowns)
        self.times = np.linspace(0, period, POINTS * harmonics, endpoint=False)
        names = ("lower", "upper", "speed", "acceleration", "effort")
        limit_values = dict(zip(names, limits, strict=True))
        defaults = {
            "lower": arm.lower,
            "upper": arm.upper,
            "speed": _limit(arm.velocity_limits, FASTEST),
            "acceleration": np.full(arm.n, np.inf),
            "effort": _limit(arm.effort_limits, np.inf),
        }
        bounds = {
            name: defaults[name] if limit_values[name] is None else _per_joint(name, limit_values[name], arm.n)
            for name in names
        }
        self.lower, self.upper = finite_ranges(bounds["lower"], bounds["upper"], 1.0)
        self.speed, self.acceleration, self.effort = (bounds[name] for name in names[2:])
        if (self.upper <= self.lower).any() or min(x.min() for x in (self.speed, self.acceleration, self.effort)) <= 0:
            raise ArmError(f"{arm.name}: limits of an excitation leave no room; upper above lower, others above zero")

    def series(self, genes: Array) -> tuple[Array, Array]:
        """Sines, then cosines of candidates ``(k, n, 2 harmonics)``, at rest at their ends; limits are not looked at.

        Rest is exact: the velocity there is the sum of the sines, the acceleration that of k times the cosines. The
        second array ``(k, n, 3, times)`` has q, qd and qdd about a centre of zero.
        """
        count = self.harmonics
        order = np.arange(1, count + 1, dtype=genes.dtype)
        coefficients = np.ascontiguousarray(genes[:, : 2 * count].transpose(0, 2, 1))
        coefficients[..., count - 1] = -coefficients[..., : count - 1].sum(axis=-1)
        coefficients[..., -1] = -(order[:-1] * coefficients[..., count:-1]).sum(axis=-1) / count
        moving = coefficients.reshape(-1, 2 * count) @ self.basis.astype(genes.dtype)
        return coefficients, moving.reshape(len(genes), self.arm.n, 3, len(self.times))

    def limited(self, genes: Array) -> tuple[Array, Array, Array, Array]:
        """Centres and scales ``(k, n)`` that bring the candidates into their limits, and what ``series`` gives."""
        coefficients, moving = self.series(genes)
        low, high = moving[:, :, 0].min(axis=-1), moving[:, :, 0].max(axis=-1)
        fast, hard = (np.maximum(x.max(axis=-1), -x.min(axis=-1)) for x in (moving[:, :, 1], moving[:, :, 2]))
        room = self.upper - self.lower
        with np.errstate(divide="ignore"):
            scale = np.minimum.reduce(
                [MARGIN * room / (high - low), MARGIN * self.speed / fast, MARGIN * self.acceleration / hard]
            )
        fraction = 0.5 + 0.5 * np.tanh(genes[:, 2 * self.harmonics])
        centre = self.lower + fraction * (room - scale * (high - low)) - scale * low
        return centre, scale, coefficients, moving

    def states(self, genes: Array, stride: int = 1) -> tuple[Array, ...]:
        """q, qd, qdd ``(k, times, n)`` of candidates within limits, at every so many moments."""
        centre, scale, _, moving = self.limited(genes)
        factor = scale.astype(genes.dtype)[..., None]
        q, qd, qdd = (factor * moving[:, :, k, ::stride] for k in range(3))
        q += centre.astype(genes.dtype)[..., None]
        return tuple(np.ascontiguousarray(x.transpose(0, 2, 1)) for x in (q, qd, qdd))

    @cached_property
    def basis(self) -> Array:
        """q, qd and qdd ``(2 harmonics, 3 times)`` of a motion for each sine and cosine of its velocity."""
        rate = 2 * np.pi * np.arange(1, self.harmonics + 1)[:, None] / self.period
        s, c = np.sin(rate * self.times), np.cos(rate * self.times)
        return np.concatenate([np.hstack([s / rate, c, -s * rate]), np.hstack([-c / rate, s, c * rate])])

    def motion(self, genes: Array) -> Fourier:
        """The series of one candidate."""
        centre, scale, coefficients, _ = (x[0] for x in self.limited(genes[None]))
        sines, cosines = np.split((scale[:, None] * coefficients).T, 2)
        return Fourier(centre, sines, cosines, self.period)

    @cached_property
    def ranking(self) -> ExcitationRanking:
        """The quick order of candidates."""
        return ExcitationRanking(self.arm, self.unknowns, self.base.columns, TRANSITION)

    def best(self, candidates: Array, count: int) -> Array:
        """The ``count`` candidates that promise most, in a quick order."""
        if len(candidates) <= count:
            return candidates
        order = np.empty(len(candidates))
        for start in range(0, len(candidates), PIECE):
            chunk = slice(start, start + PIECE)
            states = self.states(candidates[chunk].astype(np.float32), EVERY)
            order[chunk] = np.where(self._exceeds_effort(*states), np.inf, self.ranking.scores(*states))
        return np.asarray(candidates[np.argsort(order, kind="stable")[:count]])

    def _exceeds_effort(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Which candidates need more effort than there is, with springs where the arm has some."""
        if not np.isfinite(self.effort).any():
            return np.zeros(len(q), dtype=bool)
        torque = self.arm.inverse_dynamics(q, qd, qdd)
        return np.asarray((np.abs(torque) > MARGIN * self.effort).any(axis=(1, 2)))

    def scores(self, candidates: Array) -> Array:
        """What is made small for each candidate; infinite where its torques pass their limits."""
        q, qd, qdd = self.states(candidates)
        strong = self._exceeds_effort(q, qd, qdd)
        if self.after is not None:
            rows = equations(self.after, q, qd, qdd)
            values = self._worst_errors(rows.reshape(len(candidates), -1, rows.shape[-1]))
        else:
            n, columns, smooth = self.arm.n, self.base.columns, self.arm.regressor(q, qd, qdd)
            torque = smooth @ self.arm.parameters
            friction = self.unknowns.friction.columns(qd, np.full(n, TRANSITION), np.full(n, 0.1), torque)
            inertial = columns[columns < self.unknowns.inertial]
            matrix = self.unknowns.base_matrix(columns, smooth[..., inertial], friction, qdd)
            values = _conditions(matrix.reshape(len(candidates), -1, len(columns)))
        return np.where(strong | ~np.isfinite(values), np.inf, values)

    def _worst_errors(self, rows: Array) -> Array:
        """Of each candidate the largest error that would be left, in sizes of what it is the error of."""
        assert self.prior is not None
        assert self.sizes is not None
        scaled = rows * self.sizes / np.sqrt(len(self.times)) * np.sqrt(self.period / SECONDS)
        errors = np.einsum("kii->ki", np.linalg.inv(self.prior + scaled.transpose(0, 2, 1) @ scaled))
        return np.sqrt(np.maximum(errors, 0.0)).max(axis=1)


def _conditions(rows: Array) -> Array:
    """Condition numbers of matrices, columns of equal length."""
    gram = rows.transpose(0, 2, 1) @ rows
    length = np.sqrt(np.maximum(np.einsum("kii->ki", gram), 1e-300))
    values = np.linalg.eigvalsh(gram / (length[:, :, None] * length[:, None, :]))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.sqrt(values[:, -1] / np.maximum(values[:, 0], 0.0)))


def _limit(limits: Array, otherwise: float) -> Array:
    return np.where(np.isfinite(limits), limits, otherwise)


def _per_joint(name: str, values: ArrayLike | None, n: int) -> Array:
    try:
        limits = np.broadcast_to(np.asarray(values, dtype=float), (n,)).copy()
    except (TypeError, ValueError):
        raise ArmError(f"{name} of an excitation is one number, or one for each of {n} joints") from None
    if np.isnan(limits).any():
        raise ArmError(f"{name} of an excitation is no number")
    return limits

"""Coupling of joints: k_ij = |D_ij| / sqrt(D_ii D_jj) = loading factor x kinematic factor.

Tourassis and Neuman 1985, eqs 32-35.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.joint_keys import by_joint, joint_index
from ..arm.real_bodies import indefinite
from ..bounds.box import Box
from ..bounds.branch import Branch
from ..bounds.ranges import LESS_WORK, range_of
from ..bounds.search import descended_from
from ..bounds.waves import OUTWARD, Wave, constant, turning
from ..equations.names import name
from .certified_ranges import CertifiedRanges

SEARCH = 1.0e5
"""Limit of work (control values) for a range of which only the attained largest value is used."""
WORK = 50 * LESS_WORK
"""Limit of work (control values) for each proof at the usual effort."""
NEAR = (1.01, 1.1, 1.3)
"""Couplings to prove, as multiples of the largest found, one after another until a proof succeeds."""

BELOW = 1e-9
"""Share of an inertia below zero that may be rounding."""
CLOSER = 6
"""Where a multiple is one or more: what the largest found leaves to one, divided by this power of it, is left."""


@dataclass(frozen=True, eq=False)
class Coupling:
    """How two joints are coupled: the range of k, the constant loading factor, and the largest kinematic factor.

    ``largest`` is attained at ``at``, ``proved`` cannot be exceeded. ``gyration`` is the largest projected radius of
    gyration squared |K_ij| = |J_ij| / (mass moved by both), for two revolute joints, in m^2.
    """

    first: str
    second: str
    smallest: float
    largest: float
    proved: float
    at: NDArray[np.float64]
    loading: float
    kinematic: float
    gyration: float | None

    @property
    def certified(self) -> bool:
        """Whether more is proved than that no coupling exceeds one."""
        return self.proved < 1


class Couplings(tuple[Coupling, ...]):
    """The couplings of a system, strongest first; ``interrupted`` says that pairs are missing."""

    interrupted: bool

    def __new__(cls, pairs: Iterable[Coupling] = (), interrupted: bool = False) -> Self:
        """The pairs, and whether some are missing."""
        couplings = super().__new__(cls, tuple(pairs))
        couplings.interrupted = interrupted
        return couplings

    def __getnewargs__(self) -> tuple[tuple[Coupling, ...], bool]:
        return tuple(self), self.interrupted

    def __repr__(self) -> str:
        top = f", {self[0].first} with {self[0].second} up to {self[0].largest:.3g}" if self else ""
        return f"<Couplings: {len(self)} pairs of joints{top}>"

    def _repr_html_(self) -> str:
        from ..markup.notebook import framed
        from .coupling_tables import CouplingRow, coupling_table

        rows = [
            CouplingRow(
                f"{pair_.first} and {pair_.second}", pair_.largest, tuple(map(float, pair_.at)),
                pair_.proved if pair_.certified else None, pair_.loading, pair_.kinematic,
            )
            for pair_ in self
        ]  # fmt: skip
        return framed(coupling_table(rows))


@dataclass(frozen=True, eq=False)
class CouplingMap:
    """k_ij over a grid of two joints, the others at rest."""

    first: str
    second: str
    across: str
    along: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    values: NDArray[np.float64]


def coupling(ranges: CertifiedRanges, work: float | None = None, *, partial: bool = False) -> Couplings:
    """The coupling of every pair of joints whose mutual inertia is not zero, strongest first.

    ``work`` (control values) limits each proof. With ``partial`` an interrupt ends with the pairs that are done; before
    there is one it is an interrupt.
    """
    work = ranges.effort * WORK if work is None else work
    n, waves = ranges.n, ranges.waves
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n) if len(waves.inertia(i, j))]
    done, interrupted = list[Coupling](), False
    try:
        for i, j in pairs:
            if (i, j, work) not in ranges.proved_couplings:
                ranges.proved_couplings[i, j, work] = pair(ranges, i, j, work)
            done.append(ranges.proved_couplings[i, j, work])
    except KeyboardInterrupt:
        if not partial or not done:
            raise
        interrupted = True
    return Couplings(sorted(done, key=lambda c: -c.largest), interrupted)


def pair(ranges: CertifiedRanges, i: int, j: int, work: float) -> Coupling:
    """The coupling of joints i and j."""
    arm, box, waves = ranges.system, ranges.box, ranges.waves
    ranges.tell(f"coupling of joints {i + 1} and {j + 1}")
    mutual, first, second = waves.inertia(i, j), waves.inertia(i, i), waves.inertia(j, j)
    roots = [np.sqrt(np.maximum(ranges.sampled(m, m), 1e-300)) for m in (i, j)]
    k = np.abs(ranges.sampled(i, j)) / roots[0] / roots[1]
    largest, pose = attained(mutual, first, second, box, ranges.samples, k)
    for m in (i, j):
        refuse_below_zero(ranges, m, pose)
    proved = bounded(mutual, first, second, box, pose, largest, work)
    if proved is None:
        floors = [ranges.inertia(k, k).lower for k in (i, j)]
        floor = math.sqrt(floors[0]) * math.sqrt(floors[1]) if min(floors) > 0 else 0.0
        # of real bodies no coupling exceeds one, since D is positive definite
        largest_coupling = math.inf if indefinite(arm) else 1.0
        proved = (
            min(largest_coupling, OUTWARD * range_of(mutual, box, work=work / 5).bound / floor)
            if floor
            else largest_coupling
        )
    masses = moved_mass(arm)
    loading = math.sqrt(masses[j] / masses[i]) if masses[i] > 0 else 1.0
    turns = arm.moving[i].kind == arm.moving[j].kind == "revolute" and masses[j] > 0
    return Coupling(
        arm.joint_names[i], arm.joint_names[j], float(k.min()), largest, proved, pose, loading,
        largest / loading if loading else 0.0,
        range_of(mutual, box, work=SEARCH).largest / masses[j] if turns else None,
    )  # fmt: skip


def attained(
    mutual: Wave, first: Wave, second: Wave, box: Box, q: NDArray[np.float64], k: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """The largest k, and where, found by search from samples ``q`` with the values ``k``."""

    def square(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """-k^2 and its slope."""
        (a, slope_mutual), (b, slope_first), (c, slope_second) = (
            (v[0], slope[0]) for v, slope in (w.gradients(x[None]) for w in waves)
        )
        squared = (a / b) * (a / c)
        return -float(squared), -(2 * (a / b) * (slope_mutual / c) - squared * (slope_first / b + slope_second / c))

    waves = (mutual, first, second)
    best, pose = descended_from(square, box, q[np.argsort(-k)[:3]])
    reached = math.sqrt(max(-best, 0.0))
    return (reached, pose) if reached > k.max() else (float(k.max()), q[int(k.argmax())])


def bounded(
    mutual: Wave, first: Wave, second: Wave, box: Box, pose: NDArray[np.float64], largest: float, work: float
) -> float | None:
    """What k is proved not to exceed; None where nothing below one is proved with ``work``.

    With positive a and b, k <= p everywhere exactly if for all positions and all angles phi

        p (D_ii/a (1 + cos phi) + D_jj/b (1 - cos phi)) - 2 D_ij sin(phi) / sqrt(ab) >= 0,

    a wave in one angle more: with x = D_ii/a and y = D_jj/b its least over phi is p (x + y) - sqrt(p^2 (x - y)^2 +
    4 D_ij^2/(ab)), which is not negative exactly if p^2 D_ii D_jj >= D_ij^2.
    """
    n, (a, b) = mutual.n, (float(first(pose)), float(second(pose)))
    if not a > 0 < b:
        return None
    extended_box = Box(np.append(box.lower, -np.pi), np.append(box.upper, np.pi), np.append(box.circle, True))
    unity, cosine = constant(1.0, n + 1), turning(n + 1, n)
    denominator = wider(first).times(1 / a) * (unity + cosine) + wider(second).times(1 / b) * (unity - cosine)
    numerator = wider(mutual).times(1 / math.sqrt(a)) * turning(n + 1, n, -1j).times(2 / math.sqrt(b))
    for factor in NEAR:
        p = factor * largest + 1e-6
        if p >= 1:
            p = 1 - (1 - largest) / factor**CLOSER
        if p >= 1:
            return None
        if Branch(denominator.times(p) - numerator, (), extended_box).never_negative(work):
            # 1/a, 1/b and 2 / sqrt(ab) are rounded: what is shown is k <= p (1 + a few units)
            return OUTWARD * p if OUTWARD * p < 1 else None
    return None


def refuse_below_zero(ranges: CertifiedRanges, i: int, pose: NDArray[np.float64]) -> None:
    """Refuse D_ii below zero at a pose, of samples or this one: no body has that, and no ratio to it says anything."""
    arm, sampled = ranges.system, ranges.sampled(i, i)
    least, largest = min(float(sampled.min()), float(ranges.waves.inertia(i, i)(pose))), float(np.abs(sampled).max())
    if least < -BELOW * largest:
        label = name("D", (i, i))
        raise ArmError(
            f"{arm.where}{arm.name}: the inertia about {arm.joint_names[i]!r} ({label}) comes to {least:.3g} "
            f"{ranges.waves.unit(label)} at a pose, as that of no body does; correct the inertias of the links "
            "that it moves"
        )


def wider(wave: Wave) -> Wave:
    """The same function of one joint more, on which it does not depend."""
    column = np.zeros((len(wave), 1), np.int64)
    return Wave(np.hstack([wave.k, column]), np.hstack([wave.p, column]), wave.c, wave.slack, np.append(wave.top, 0))


def moved_mass(arm: ArmDescription) -> list[float]:
    """The mass that each coordinate moves (kg): by its own joint, and by those that follow it."""
    masses = [0.0] * arm.n
    movers: list[frozenset[int]] = []
    for body, coupled in zip(arm.bodies, arm.couplings, strict=True):
        movers.append((movers[body.parent] if body.parent >= 0 else frozenset()) | {coupled.coordinate})
        for coordinate in movers[-1]:
            masses[coordinate] += float(body.inertia.mass)
    return masses


def coupling_map(
    ranges: CertifiedRanges, first: str | int, second: str | int, across: str | int, along: str | int,
    at: Mapping[str | int, float] | None = None, *, points: int = 61,
) -> CouplingMap:  # fmt: skip
    """k_ij over two joints."""
    arm, box, waves = ranges.system, ranges.box, ranges.waves
    i, j, a, b = joint_index(arm, first), joint_index(arm, second), joint_index(arm, across), joint_index(arm, along)
    if i == j or a == b:
        raise ArmError(f"{arm.where}a coupling map needs two different joints on each side")
    x, y = (np.linspace(box.lower[k], box.upper[k], points) for k in (a, b))
    q = np.zeros((points, points, arm.n))
    for index, value in by_joint(arm, at or {}).items():
        if index in (a, b):
            raise ArmError(
                f"{arm.where}joint {arm.joint_names[index]!r} is one of the two that move; leave it out of at"
            )
        q[..., index] = value
    q[..., a], q[..., b] = x[None, :], y[:, None]
    k = np.abs(waves.inertia(i, j)(q)) / np.sqrt(waves.inertia(i, i)(q) * waves.inertia(j, j)(q))
    names = arm.joint_names
    return CouplingMap(names[i], names[j], names[a], names[b], x, y, k)

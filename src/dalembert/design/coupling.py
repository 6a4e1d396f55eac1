"""Coupling of joints: k_ij = |D_ij| / sqrt(D_ii D_jj) = loading factor x kinematic factor (Tourassis 1985, 32-35)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..reduction.box import Box, box_of, place
from ..reduction.model_waves import ModelWaves
from ..reduction.ranges import MANY, Range, least, range_of
from ..reduction.ratios import search
from ..reduction.waves import Wave, zero

LARGE = 4_000
"""Products of terms beyond which the squared coefficient is bounded by the ranges of its parts."""
WORK = 3.0e6
"""Boxes times terms spent on one proof."""


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


@dataclass(frozen=True, eq=False)
class Dominance:
    """Diagonal dominance of a row of D: (D_ii - sum |D_ij|) / D_ii at its least; above zero the row is dominant.

    Rows mix units where revolute and prismatic joints meet; the figure is then one of numbers in SI units.
    """

    joint: str
    least: float
    at: NDArray[np.float64]


def coupling(
    arm: ArmDescription, *, box: Mapping[str | int, tuple[float, float]] | None = None, drives: bool = False,
    work: float = WORK,
) -> tuple[Coupling, ...]:  # fmt: skip
    """The coupling of every pair of joints whose mutual inertia is not zero, strongest first.

    ``work`` (boxes times terms) limits each proof.
    """
    model, domain = ModelWaves(arm, drives), box_of(arm, box)
    floors = [range_of(model.inertia(i, i), domain, work=less(work, model.inertia(i, i))).lower for i in range(arm.n)]
    found = []
    for i in range(arm.n):
        for j in range(i + 1, arm.n):
            if len(model.inertia(i, j)):
                found.append(
                    pair(model, domain, i, j, floors[i] * floors[j] if floors[i] > 0 < floors[j] else 0.0, work)
                )
    return tuple(sorted(found, key=lambda c: -c.largest))


def less(work: float, wave: Wave) -> float:
    """A quarter of the work for a function of many terms, whose gap would stay open in any case."""
    return work if len(wave) <= MANY else work / 4


def pair(model: ModelWaves, box: Box, i: int, j: int, below: float, work: float) -> Coupling:
    arm = model.arm
    mutual, first, second = model.inertia(i, j), model.inertia(i, i), model.inertia(j, j)
    across = range_of(mutual, box, work=less(work, mutual))
    smallest, largest, proved, at = coefficient(mutual, first, second, box, across, below, work)
    masses = moved_mass(arm)
    loading = math.sqrt(masses[j] / masses[i]) if masses[i] > 0 else 1.0
    turning = arm.moving[i].kind == arm.moving[j].kind == "revolute" and masses[j] > 0
    return Coupling(
        arm.joint_names[i], arm.joint_names[j], smallest, largest, proved, at, loading,
        largest / loading if loading else 0.0, across.largest / masses[j] if turning else None,
    )  # fmt: skip


def coefficient(
    mutual: Wave, first: Wave, second: Wave, box: Box, across: Range, below: float, work: float = WORK
) -> tuple[float, float, float, NDArray[np.float64]]:
    """(smallest found, largest attained, largest proved, where) of k; ``below`` is a lower bound of D_ii D_jj.

    k^2 <= t everywhere exactly if t D_ii D_jj - D_ij^2 >= 0 everywhere. D is positive definite, so k < 1 in any case.
    """
    q = box.samples(2000, 4)
    k = np.abs(mutual(q)) / np.sqrt(np.maximum(first(q) * second(q), 1e-300))
    parts = across.bound / math.sqrt(below) if below > 0 else 1.0
    if len(mutual) ** 2 + len(first) * len(second) > LARGE:
        best = int(k.argmax())
        return float(k.min()), float(k[best]), min(1.0, parts), q[best]
    top, bottom = mutual * mutual, first * second
    at = search(-top, bottom, box, q[np.argsort(-k)[:3]])
    largest = float(abs(mutual(at)) / math.sqrt(first(at) * second(at)))
    proved = min(1.0, parts)
    if below > 0 and proved > 1.02 * largest:
        square = largest**2 * 1.01
        gap = max(1e-4 * below, 0.04 * square * below)
        rest = least(bottom.times(square) - top, box, gap, at[None], work=work, polish=False)
        proved = min(proved, math.sqrt(square - min(rest.bound, 0.0) / below))
    return float(k.min()), largest, proved, at


def moved_mass(arm: ArmDescription) -> list[float]:
    """The mass that each joint moves (kg)."""
    masses = [float(body.inertia.mass) for body in arm.bodies]
    for index in reversed(range(arm.n)):
        parent = arm.bodies[index].parent
        if parent >= 0:
            masses[parent] += masses[index]
    return masses


def coupling_map(
    arm: ArmDescription, first: str | int, second: str | int, across: str | int, along: str | int,
    at: Mapping[str | int, float] | None = None, *, points: int = 61, drives: bool = False,
    box: Mapping[str | int, tuple[float, float]] | None = None,
) -> CouplingMap:  # fmt: skip
    """k_ij over two joints."""
    model, domain = ModelWaves(arm, drives), box_of(arm, box)
    i, j, a, b = place(arm, first), place(arm, second), place(arm, across), place(arm, along)
    if i == j or a == b:
        raise ArmError(f"{arm.where}a coupling map needs two different joints on each side")
    x, y = (np.linspace(domain.lower[k], domain.upper[k], points) for k in (a, b))
    q = np.zeros((points, points, arm.n))
    for key, value in (at or {}).items():
        q[..., place(arm, key)] = value
    q[..., a], q[..., b] = x[None, :], y[:, None]
    k = np.abs(model.inertia(i, j)(q)) / np.sqrt(model.inertia(i, i)(q) * model.inertia(j, j)(q))
    names = arm.joint_names
    return CouplingMap(names[i], names[j], names[a], names[b], x, y, k)


def dominance(
    arm: ArmDescription, *, box: Mapping[str | int, tuple[float, float]] | None = None, drives: bool = False
) -> tuple[Dominance, ...]:
    """How dominant the diagonal of D is, row by row: the least found over 20000 positions."""
    model, domain = ModelWaves(arm, drives), box_of(arm, box)
    q = domain.samples(20000, 6)
    table = np.zeros((arm.n, arm.n, len(q)))
    for i in range(arm.n):
        for j in range(i):
            table[i, j] = table[j, i] = np.abs(model.inertia(i, j)(q))
    found = []
    for i, name in enumerate(arm.joint_names):
        own = model.inertia(i, i)(q) if len(model.inertia(i, i)) else zero(arm.n)(q) + 1e-300
        margin = (own - table[i].sum(axis=0)) / own
        found.append(Dominance(name, float(margin.min()), q[int(margin.argmin())]))
    return tuple(found)

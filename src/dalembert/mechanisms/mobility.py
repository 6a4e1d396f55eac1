"""How many freedoms a mechanism has, counted and measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import position
from .batch import Array
from .diagnose import freedoms, rank_of

if TYPE_CHECKING:
    from .assembly import Assembly

STEP = 0.05
TRIES = 6
"""Random free directions in which nearby configurations are looked for, beside those of a basis."""


@dataclass(frozen=True)
class Mobility:
    """``joints`` less ``equations`` is ``count`` (Gruebler); ``freedom`` is measured at the configuration.

    ``redundant`` equations follow from the others there. ``lasting`` is the freedom of nearby closed configurations:
    where it is less than ``freedom``, the configuration is singular. ``shaky`` counts freedoms that exist for an
    instant only: the mechanism starts to move and is held.
    """

    joints: int
    equations: int
    rank: int
    lasting: int
    shaky: int

    @property
    def count(self) -> int:
        """Joints less equations."""
        return self.joints - self.equations

    @property
    def freedom(self) -> int:
        """Joints less equations that do not follow from others."""
        return self.joints - self.rank

    @property
    def redundant(self) -> int:
        """Equations that follow from others."""
        return self.equations - self.rank

    def __str__(self) -> str:
        text = f"{self.freedom} freedom{'s' * (self.freedom != 1)} ({self.joints} joints - {self.equations} equations"
        text += f" + {self.redundant} redundant)" if self.redundant else ")"
        if self.lasting < self.freedom:
            text += f"; {self.lasting} away from this configuration"
        if self.shaky:
            text += f"; {self.shaky} of them shaky"
        return text


def mobility(assembly: Assembly, phi: Array) -> Mobility:
    """The mobility at one closed configuration ``phi`` ``(m,)``."""
    g = assembly.closure_jacobian(phi[None])[0]
    lasting, moved = _nearby(assembly, phi, freedoms(g))
    return Mobility(assembly.m, assembly.r, rank_of(g), lasting, max(0, lasting - moved))


def _nearby(assembly: Assembly, phi: Array, free: Array) -> tuple[int, int]:
    """Freedom of nearby closed configurations, and how many free directions lead to such at all."""
    count = free.shape[1]
    if not count:
        return 0, 0
    rng = np.random.default_rng(0)
    directions = np.concatenate([np.eye(count), rng.normal(size=(TRIES, count))])
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    joints, residuals = position.newton(assembly, phi + STEP * directions @ free.T, None)
    good = position.closed(residuals)
    away = (joints - phi) @ free
    departed = np.linalg.norm(away, axis=1) > 0.2 * STEP
    if not (good & departed).any():
        return count, 0
    ranks = [rank_of(g) for g in assembly.closure_jacobian(joints[good & departed])]
    moved = int(np.linalg.matrix_rank(away[good & departed], tol=0.1 * STEP))
    return assembly.m - max(ranks), moved

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
from ..identification.result import Identification
from ..systems.arm_system import ArmSystem
from .candidate_motions import CandidateMotions
from .trajectories import Fourier

PARENTS, CHILDREN = 6, 24
CROWD = 16
"""Candidates for each one that is judged exactly: the others fall in a quick order."""


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
    search = CandidateMotions(
        arm, period, harmonics, friction, rotors, (lower, upper, speed, acceleration, effort), after
    )
    rng = np.random.default_rng(seed)
    crowd = CHILDREN * (CROWD if after is None else 1)  # the quick order knows nothing of logs that are there already
    genes = rng.uniform(-1, 1, (crowd, 2 * harmonics + 1, arm.n))
    genes[:, 2 * harmonics] *= 0.2
    genes = search.best(genes, CHILDREN)
    scores = search.scores(genes)
    best = np.argsort(scores)[:PARENTS]
    parents, values = genes[best], scores[best]
    at_first, step = float(values[0]), 0.3
    for generation in range(generations):
        progress(generation, generations)
        mixed = parents[rng.integers(PARENTS, size=crowd)] * 0.5 + parents[rng.integers(PARENTS, size=crowd)] * 0.5
        children = search.best(mixed + step * rng.normal(size=mixed.shape), CHILDREN)
        child_scores = search.scores(children)
        step *= 1.1 if child_scores.min() < values[0] else 0.85
        everyone, all_values = np.concatenate([parents, children]), np.concatenate([values, child_scores])
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

"""Minimax refit of the constants of a program on sample states: torques are linear in the constants, and the shifts
that make the worst error least are a convex problem (``minimax.py``). One shift serves all loads.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from .hoist import Hoisted
from .minimax import least_worst
from .samples import Samples
from .states import Array
from .sweep import worst

MEAN_WEIGHT = 0.3
"""Default weight of the mean error of the joints against the largest: margin at every joint helps later pruning."""


def refitted(program: Hoisted, samples: Samples, target: Array, mean_weight: float | None = None) -> Hoisted:
    """The program with shifted constants, or unchanged where that is no better on the samples.

    ``mean_weight`` is the weight of the mean error of the joints against the largest, ``MEAN_WEIGHT`` by default.
    """
    mean_weight = MEAN_WEIGHT if mean_weight is None else mean_weight
    names = program.listing.names
    contributions, units = samples.sweep(program).linear()
    error = contributions - samples.exact
    if not names or not np.any(error):
        return program
    shifts = least_worst(error, units, target, mean_weight)
    sizes_before, sizes_after = (worst(e) / target for e in (error, error + np.tensordot(shifts, units, 1)))
    objective = [float(w.max() + mean_weight * w.mean()) for w in (sizes_before, sizes_after)]
    if sizes_after.max() > max(sizes_before.max(), 1.0) or objective[1] > 0.995 * objective[0]:
        return program
    values = {name: rounded(value) for name, value in zip(names, shifts, strict=True)}
    return program.shifted(values)


def rounded(value: float) -> Fraction:
    """A shift rounded to six digits, which is finer than the refit and stays readable."""
    return Fraction(f"{value:.5e}") if abs(value) > 1e-12 else Fraction(0)

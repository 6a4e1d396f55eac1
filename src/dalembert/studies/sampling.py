"""Designs: which values of the factors are tried. Points of the unit cube, then quantiles of the factors."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from .factors import Factor

Array = NDArray[np.float64]

DESIGNS = ("grid", "latin-hypercube", "sobol", "monte-carlo", "saltelli", "morris")
MOST_DESIGNS = 50_000_000
"""Most designs of one study."""
MORRIS_LEVELS = 4
"""Levels of a factor in Morris's design; a step is two thirds of its range (Morris 1991)."""

MORRIS_MARGIN = 0.005
"""Share of probability left out at either end of a distribution without ends."""


def designs_of(factors: Sequence[Factor], design: str, samples: int, seed: int) -> Array:
    """The designs ``(count, factors)``; the same for the same seed, on every machine.

    ``samples`` is their number, for a grid the number of levels of each factor that has no values of its own. A
    "saltelli" design of k factors has samples (k + 2) rows, f(A), f(B) and f(AB_1), ..., f(AB_k) one after another
    (Saltelli et al. 2010), a "morris" one samples (k + 1) rows: that many walks through the cube.
    """
    check_design(factors, design, samples, seed)
    if design == "grid":
        return _grid(factors, samples)
    shares = _cube(len(factors), design, samples, seed)
    if design == "morris":
        ends = np.array([outermost(factor) for factor in factors])
        shares = ends[:, 0] + (ends[:, 1] - ends[:, 0]) * shares
    return np.stack([factor.of_shares(shares[:, k]) for k, factor in enumerate(factors)], axis=1)


def check_design(factors: Sequence[Factor], design: str, samples: int, seed: int) -> None:
    """Refuse designs that there are not, or that are too many."""
    if design not in DESIGNS:
        raise ArmError(f"no design {design!r:.60} of a study; there are {', '.join(DESIGNS)}")
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < 1:
        raise ArmError(f"samples must be a whole number of at least 1, not {samples!r:.60}")
    count = len(factors)
    rows = samples * {"saltelli": count + 2, "morris": count + 1}.get(design, 1)
    if design == "grid":
        rows = math.prod(len(factor.values) or samples for factor in factors)
    if rows > MOST_DESIGNS:
        raise ArmError(f"a study of {rows:,} designs is more than {MOST_DESIGNS:,}; take fewer samples or factors")
    if design in ("saltelli", "sobol") and samples & (samples - 1):
        raise ArmError(
            f"a Sobol sequence keeps its balance for powers of two only; take {2 ** round(math.log2(samples))} samples "
            f"in place of {samples}"
        )
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ArmError(f"a seed is a whole number of zero or more, not {seed!r:.60}")


def _cube(count: int, design: str, samples: int, seed: int) -> Array:
    from scipy.stats import qmc

    rng = np.random.default_rng(seed)
    if design == "monte-carlo":
        return rng.random((samples, count))
    if design == "latin-hypercube":
        return np.asarray(qmc.LatinHypercube(count, rng=rng).random(samples))
    if design == "sobol":
        return np.asarray(qmc.Sobol(count, rng=rng).random(samples))
    if design == "morris":
        return _walks(count, samples, rng)
    pair = np.asarray(qmc.Sobol(2 * count, rng=rng).random(samples))
    a, b = pair[:, :count], pair[:, count:]
    mixed = []
    for k in range(count):
        mixed.append(a.copy())
        mixed[-1][:, k] = b[:, k]
    return np.concatenate([a, b, *mixed])


def _grid(factors: Sequence[Factor], levels: int) -> Array:
    """All combinations, the last factor the fastest."""
    axes = []
    for factor in factors:
        if factor.values:
            axes.append(np.array(factor.values))
        else:
            # A distribution without ends is cut in equal parts, each with the value in its middle.
            shares = np.linspace(0, 1, levels) if factor.bounded and levels > 1 else (np.arange(levels) + 0.5) / levels
            axes.append(factor.of_shares(shares))
    mesh = np.meshgrid(*axes, indexing="ij")
    return np.stack([axis.reshape(-1) for axis in mesh], axis=1)


def _walks(count: int, walks: int, rng: np.random.Generator) -> Array:
    """Random walks of Morris 1991: from a point of the grid one factor after another makes one step up or down."""
    step = MORRIS_LEVELS / (2 * (MORRIS_LEVELS - 1))
    low = np.arange(MORRIS_LEVELS // 2) / (MORRIS_LEVELS - 1)
    rows = np.empty((walks, count + 1, count))
    for walk in range(walks):
        base = rng.choice(low, count)
        up = rng.random(count) < 0.5
        point = np.where(up, base, base + step)
        rows[walk, 0] = point
        for move, factor in enumerate(rng.permutation(count)):
            point = point.copy()
            point[factor] += step if up[factor] else -step
            rows[walk, move + 1] = point
    return rows.reshape(-1, count)


def outermost(factor: Factor) -> Array:
    """Shares of probability at the ends of the range of a factor: 0 and 1, where its distribution has ends."""
    return np.array([0.0, 1.0]) if factor.bounded else np.array([MORRIS_MARGIN, 1 - MORRIS_MARGIN])

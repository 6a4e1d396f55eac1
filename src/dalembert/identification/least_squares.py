"""Weighted and robust least squares on base parameters, with standard errors that hold for residuals in sequence.

Joints are weighted by the spread of their residuals. Robust weights are Huber's. Residuals of neighbouring samples are
alike, so errors count their autocovariance, joint by joint, in the way of Newey and West 1987: residuals are taken as
stationary, and lags count whole up to half of those followed (Politis and Romano 1995).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .log import Array

HUBER = 1.345
"""Residuals beyond so many standard deviations count less (95 percent efficiency where errors are normal)."""
ROUNDS = 4
FORGOTTEN = 0.1
"""Correlation below which residuals count as forgotten."""
LAGS, MOST_LAGS = 3, 200
"""How many times that long neighbours are followed, and the most samples."""


SILENT = 1e-13
"""Share of the largest eigenvalue of W'W, columns of equal length, below which the data are silent on a direction."""


@dataclass(frozen=True, eq=False)
class WeightedFit:
    """Estimates, their covariance (infinite where the data are silent), the spread of the residuals of each joint.

    ``condition`` is that of the weighted equations with columns of equal length; ``weights`` are those of robustness.
    """

    values: Array
    covariance: Array
    spread: Array
    weights: Array
    residual: Array
    condition: float


def fit(matrix: Array, effort: Array, robust: bool = False) -> WeightedFit:
    """Weighted least squares: W ``(m, n, p)``, effort ``(m, n)``."""
    scale = np.sqrt((matrix**2).sum(axis=(0, 1)))
    scale[scale == 0] = 1.0
    columns = matrix / scale
    spread = np.maximum(effort.std(axis=0), 1e-12)
    weights = np.ones_like(effort)
    grams, sides = _sums(columns, effort, weights)
    for _ in range(ROUNDS):
        inverse, silent, condition = _inverse(np.tensordot(spread**-2, grams, axes=1))
        values = inverse @ (spread**-2 @ sides)
        residual = effort - columns @ values
        spread = np.maximum(np.sqrt((weights**2 * residual**2).mean(axis=0)), 1e-12)
        if robust:
            share = np.abs(residual) / (1.4826 * np.median(np.abs(residual), axis=0) + 1e-300)
            weights = np.sqrt(np.minimum(1.0, HUBER / np.maximum(share, 1e-300)))
            grams, sides = _sums(columns, effort, weights)
    covariance = _covariance(columns, residual, weights / spread, inverse)
    covariance[np.diag_indices(len(values))] += np.where(silent, np.inf, 0.0)
    return WeightedFit(values / scale, covariance / np.outer(scale, scale), spread, weights, residual, condition)


def _sums(columns: Array, effort: Array, weights: Array) -> tuple[Array, Array]:
    """W'W and W'y of each joint."""
    grams, sides = [], []
    for joint in range(effort.shape[1]):
        rows = columns[:, joint] * weights[:, joint, None]
        grams.append(rows.T @ rows)
        sides.append(rows.T @ (effort[:, joint] * weights[:, joint]))
    return np.stack(grams), np.stack(sides)


def _inverse(gram: Array) -> tuple[Array, Array, float]:
    """The inverse of W'W on what the data tell, which columns they do not tell, and the condition of W."""
    length = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    values, vectors = np.linalg.eigh(gram / np.outer(length, length))
    told = values > SILENT * values[-1]
    kept = vectors[:, told]
    inverse = (kept / values[told]) @ kept.T / np.outer(length, length)
    silent = (vectors[:, ~told] ** 2).sum(axis=1) > 1e-6
    return inverse, silent, float(np.sqrt(values[-1] / max(values[0], 0.0))) if values[0] > 0 else np.inf


def _covariance(columns: Array, residual: Array, weight: Array, bread: Array) -> Array:
    """(W'W)^-1 (sum over joints and lags of c_j(l) sum_t w_t w_t+l') (W'W)^-1, c_j the autocovariance of residuals."""
    count, unknowns = residual.shape[0], columns.shape[-1]
    meat = np.zeros((unknowns, unknowns))
    independent = 0.0
    for joint in range(residual.shape[1]):
        rows = columns[:, joint] * weight[:, joint, None]
        used = np.flatnonzero(np.abs(rows).max(axis=0) > 0)
        rows = rows[:, used]
        left = residual[:, joint] * weight[:, joint]
        lags = min(remembered(left), count - 1)
        part = np.zeros((len(used), len(used)))
        memory = 0.0
        for lag in range(lags + 1):
            taper = min(1.0, 2 * (1 - lag / (lags + 1)))
            covariance = taper * float(left[: count - lag] @ left[lag:]) / count
            product = rows[: count - lag].T @ rows[lag:]
            part += covariance * (product if lag == 0 else product + product.T)
            memory += covariance * (1 if lag == 0 else 2)
        meat[np.ix_(used, used)] += part
        variance = float(left @ left) / count
        independent += count * min(1.0, variance / memory) if memory > 0 else count
    # What was fitted is missing from the residuals: so many of the independent ones are used up.
    return np.asarray(bread @ meat @ bread) * independent / max(independent - unknowns, 1.0)


def remembered(residual: Array) -> int:
    """Samples after which a residual is forgotten, times ``LAGS``: how far neighbours are followed."""
    centred = residual - residual.mean()
    size = 1 << (2 * len(centred) - 1).bit_length()
    correlation = np.fft.irfft(np.abs(np.fft.rfft(centred, size)) ** 2, size)[: len(centred)]
    if correlation[0] <= 0:
        return 0
    below = np.flatnonzero(correlation < FORGOTTEN * correlation[0])
    return min(LAGS * int(below[0] if len(below) else len(centred)), MOST_LAGS)

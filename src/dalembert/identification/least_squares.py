"""Weighted and robust least squares, or instrumental variables, with errors that hold for residuals in sequence.

Joints are weighted by the spread s_j of their residuals. Robust weights are Huber's. With instruments Z in place of W
on one side, x = (Z'W)^-1 Z'y is free of the bias that noise in W brings (Janot, Vandanjon and Gautier 2014); without
them Z is W.
Residuals of neighbouring samples are alike, so errors come from their density S_j(f) over frequency (``spectra``):

    cov x = A^-1 (sum over j, f of S_j(f) z_j(f) z_j(f)' / s_j^4) A^-T,   A = sum over j of Z_j'W_j / s_j^2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .log import Array
from .observations import EquationBlock
from .spectra import Sums, band_edges, densities, real_lines

HUBER = 1.345
"""Residuals beyond so many standard deviations count less (95 percent efficiency where errors are normal)."""
ROUNDS = 4
SILENT = 1e-13
"""Share of the largest eigenvalue of W'W, columns of equal length, below which the data are silent on a direction."""
REFINED = 1e-6
"""Share of the residual that a correction of the normal equations by it may still have."""
EquationBlocks = Callable[[], Iterable[EquationBlock]]


@dataclass(frozen=True, eq=False)
class WeightedFit:
    """Estimates, their covariance (infinite where the data are silent), the spread of the residuals of each joint.

    ``gram`` is W'W over the spreads, ``effort`` and ``residual`` are ``(m, n)`` of all blocks in turn, ``which`` has
    the log and the block of each row. ``condition`` is that of the weighted equations with columns of equal length;
    ``weights`` are those of robustness. ``memory`` says for each joint how many samples count as one.
    """

    values: Array
    covariance: Array
    spread: Array
    weights: Array
    residual: Array
    effort: Array
    which: Array
    gram: Array
    side: Array
    memory: Array
    condition: float


def fit(blocks: EquationBlocks, robust: bool = False, instruments: bool = False) -> WeightedFit:
    """The estimate from blocks of equations, which are asked for again in each round."""
    weights: list[Array] | None = None
    for _ in range(ROUNDS if robust else 1):
        sums = _summed(blocks, weights, instruments)
        solved = _Solved(sums)
        residual, effort, block_of_row = _residuals(blocks, solved, weights)
        if robust:
            share = np.abs(residual) / (1.4826 * np.median(np.abs(residual), axis=0) + 1e-300)
            flat = np.sqrt(np.minimum(1.0, HUBER / np.maximum(share, 1e-300)))
            ends = np.cumsum([0, *(len(block.effort) for block in blocks())])
            weights = [flat[a:b] for a, b in pairwise(ends)]
    used = np.ones_like(residual) if weights is None else np.concatenate(weights)
    covariance, memory = solved.covariance(residual * used, block_of_row)
    return WeightedFit(
        solved.values / solved.scale, covariance, solved.spread, used, residual, effort, block_of_row,
        solved.normal_matrix * np.outer(solved.scale, solved.scale), solved.right_side * solved.scale, memory,
        solved.condition,
    )  # fmt: skip


def _summed(blocks: EquationBlocks, weights: list[Array] | None, instruments: bool) -> Sums:
    """The sums of all blocks, their rows times the robust weights."""
    sums: Sums | None = None
    for k, block in enumerate(blocks()):
        if sums is None:
            sums = Sums.empty(block.effort.shape[1], block.rows.shape[-1], instruments)
        sums.add(block, np.ones_like(block.effort) if weights is None else weights[k])
    assert sums is not None
    return sums


class _Solved:
    """The normal equations of some sums, columns scaled to equal length, weighted by the spread they leave."""

    def __init__(self, sums: Sums) -> None:
        self.sums = sums
        scale = np.sqrt(np.einsum("jkk->k", sums.ww))
        self.scale = scale = np.where(scale > 0, scale, 1.0)
        self.grams = sums.ww / np.outer(scale, scale)
        self.zw = sums.zw.sum(axis=1) / np.outer(scale, scale)
        self.spread = np.maximum(np.sqrt(sums.yy / max(sums.count, 1)), 1e-12)
        for _ in range(ROUNDS):
            self._solve(self.spread)
            wy = sums.wy / scale
            residual_square = sums.yy - 2 * wy @ self.values + np.einsum(
                "k,jkl,l->j", self.values, self.grams, self.values
            )  # fmt: skip
            floor = 1e-13 * np.maximum(sums.yy, 1e-300)
            self.spread = np.sqrt(np.maximum(residual_square, floor) / max(sums.count, 1)) + 1e-12

    def _solve(self, spread: Array) -> None:
        """x = A^-1 sum_j Z_j'y_j / s_j^2, in the directions that the data determine: eigenvectors of W'W."""
        self.normal_matrix = np.tensordot(spread**-2, self.grams, axes=1)
        length = np.sqrt(np.maximum(np.diag(self.normal_matrix), 1e-300))
        values, vectors = np.linalg.eigh(self.normal_matrix / np.outer(length, length))
        determined = values > SILENT * values[-1]
        scaled_vectors = vectors[:, determined] / length[:, None]
        self.inverse = scaled_vectors @ np.linalg.solve(
            scaled_vectors.T @ np.tensordot(spread**-2, self.zw, axes=1) @ scaled_vectors, scaled_vectors.T
        )
        self.silent = (vectors[:, ~determined] ** 2).sum(axis=1) > 1e-6
        self.condition = float(np.sqrt(values[-1] / values[0])) if values[0] > 0 else float("inf")
        self.right_side = spread**-2 @ (self.sums.zy / self.scale)
        self.values = self.inverse @ self.right_side

    def covariance(self, residual: Array, block_of_row: Array) -> tuple[Array, Array]:
        """The covariance of the estimates, and how many samples count as one at each joint."""
        n, bands = self.sums.zw.shape[:2]
        power, start = np.zeros((n, bands)), 0
        for length in _lengths(block_of_row):
            spectrum = real_lines(residual[start : start + length]) ** 2
            power += np.add.reduceat(np.vstack([spectrum, np.zeros((1, n))]), band_edges(length)[:-1], axis=0).T * (
                np.diff(band_edges(length)) > 0
            )
            start += length
        outer = np.outer(self.scale, self.scale)
        fitted = np.einsum("kl,jblk->jb", self.inverse / outer, self.sums.zw) / self.spread[:, None] ** 2
        density = densities(power, self.sums.lines, fitted)
        meat = np.einsum("jb,jbkl->kl", density / self.spread[:, None] ** 4, self.sums.zz) / outer
        covariance = self.inverse @ meat @ self.inverse.T
        covariance[np.diag_indices(len(covariance))] += np.where(self.silent, np.inf, 0.0)
        memory = density[:, : bands // 4].mean(axis=1) / np.maximum(power.sum(axis=1) / max(len(residual), 1), 1e-300)
        return covariance / outer, np.maximum(memory, 1.0)


def _lengths(block_of_row: Array) -> list[int]:
    """Lengths of the blocks in turn."""
    edges = np.flatnonzero(np.diff(block_of_row[:, 1])) + 1
    return np.diff([0, *edges.tolist(), len(block_of_row)]).tolist()


def _residuals(blocks: EquationBlocks, solved: _Solved, weights: list[Array] | None) -> tuple[Array, Array, Array]:
    """Residuals and efforts of all blocks, and the log and block of each row; the estimate is refined by them."""
    for attempt in range(2):
        values, parts, efforts, block_of_row = solved.values / solved.scale, [], [], []
        correction = np.zeros(len(values))
        for k, block in enumerate(blocks()):
            residual_block = block.effort - block.rows @ values
            weighted = residual_block / solved.spread**2 * (1.0 if weights is None else weights[k] ** 2)
            guide = block.rows if block.instruments is None else block.instruments
            correction += np.einsum("mjk,mj->k", guide, weighted)
            parts.append(residual_block)
            efforts.append(block.effort)
            block_of_row.append(np.broadcast_to([block.which, k], (len(residual_block), 2)))
        residual = np.concatenate(parts)
        step = solved.inverse @ (correction / solved.scale)
        step_norm = float(np.sqrt(max(step @ solved.normal_matrix @ step, 0.0)))
        if attempt or step_norm <= REFINED * float(np.linalg.norm(residual / solved.spread)):
            break
        solved.values = solved.values + step
    return residual, np.concatenate(efforts), np.concatenate(block_of_row)

"""Equations in sequence, summed by bands of frequency: all that an estimate and its honest errors need.

A stretch of samples is taken to the frequencies of its discrete Fourier transform, where residuals that are alike among
neighbours, stationary in time, are independent of one another: their covariance is the density S(f). By Parseval's
theorem sums over frequencies are those over time. Kept are, for each joint and each of ``BANDS`` bands,

    Z'W, Z'Z and Z'y   (Z the instruments, or W itself),

so that the memory does not grow with the logs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .log import Array
from .observations import EquationBlock

BANDS = 16
"""Bands up to half the rate at which samples are kept, which is twice the cut-off: eight below it."""
NEAR = np.array([0.25, 0.5, 1.0, 0.5, 0.25])
"""Weights of neighbouring bands in the density of a residual."""
LEAST_FREE = 0.05
"""Least share of the frequencies of a band that is taken to be free of what was fitted."""


@dataclass(eq=False)
class Sums:
    """The sums of all blocks, joint by joint: Z'W and Z'Z by bands; Z'y, W'W, W'y and y'y over all of them."""

    zw: Array
    zz: Array
    zy: Array
    ww: Array
    wy: Array
    yy: Array
    lines: Array
    count: int

    @classmethod
    def empty(cls, n: int, unknowns: int, instruments: bool) -> Sums:
        """No equations yet."""
        table = np.zeros((n, BANDS, unknowns, unknowns))
        squares = np.zeros_like(table) if instruments else table
        flat = np.zeros((n, unknowns))
        return cls(
            table, squares, flat, np.zeros((n, unknowns, unknowns)), np.zeros_like(flat), np.zeros(n),
            np.zeros(BANDS), 0,
        )  # fmt: skip

    def add(self, block: EquationBlock, weights: Array) -> None:
        """Take up the equations of a block, rows times weights ``(m, n)``."""
        length = len(block.effort)
        if not length:
            return
        bands = band_edges(length)
        self.lines += np.diff(bands)
        self.count += length
        for joint in range(block.effort.shape[1]):
            w, y = weights[:, joint], block.effort[:, joint] * weights[:, joint]
            used = np.flatnonzero(block.rows[:, joint].any(axis=0))
            rows = block.rows[:, joint, used] * w[:, None]
            guide = rows
            block_index = np.ix_(used, used)
            self.ww[joint][block_index] += rows.T @ rows
            self.wy[joint, used] += rows.T @ y
            self.yy[joint] += y @ y
            spectrum = real_lines(rows)
            z = spectrum
            if self.zz is not self.zw:
                guide = (block.rows if block.instruments is None else block.instruments)[:, joint, used] * w[:, None]
                z = real_lines(guide)
            self.zy[joint, used] += guide.T @ y
            for band in range(BANDS):
                a, b = bands[band], bands[band + 1]
                if a == b:
                    continue
                self.zw[joint, band][block_index] += z[a:b].T @ spectrum[a:b]
                if self.zz is not self.zw:
                    self.zz[joint, band][block_index] += z[a:b].T @ z[a:b]


def band_edges(length: int) -> list[int]:
    """First line of each band among the ``length`` real lines of ``real_lines``, and the end."""
    order = (np.arange(length) + 1) // 2  # cosines and sines of one frequency stand side by side
    return [*np.searchsorted(order, np.arange(BANDS) * (length // 2 + 1) / BANDS).tolist(), length]


def real_lines(values: Array) -> Array:
    """The discrete Fourier transform along the first axis as real numbers, lengths kept: cosines and sines in turn."""
    length = len(values)
    transform = np.fft.rfft(values, axis=0) * np.sqrt(2.0 / length)
    lines = np.empty_like(values)
    lines[0] = transform[0].real / np.sqrt(2.0)
    lines[1::2] = transform[1 : length // 2 + 1].real
    lines[2::2] = transform[1 : (length + 1) // 2].imag
    if length % 2 == 0:
        lines[-1] /= np.sqrt(2.0)
    return lines


def densities(power: Array, lines: Array, fitted: Array) -> Array:
    """Variance of residuals at the lines of each band, ``(n, bands)``: power over lines that the fit leaves free.

    A fit takes from the residuals of a band as many lines as the trace of its hat matrix there, ``fitted``: for
    residuals by frequency what MacKinnon and White 1985 do for residuals by sample.
    """
    free = np.maximum(lines - fitted, LEAST_FREE * lines)
    near = np.stack([np.convolve(row, NEAR, mode="same") for row in power])
    room = np.stack([np.convolve(row, NEAR, mode="same") for row in free])
    return np.asarray(near / np.maximum(room, 1e-300))

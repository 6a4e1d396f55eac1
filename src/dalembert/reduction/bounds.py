"""Bounds of a wave on many small boxes at once.

On a box with centre x0 and half-widths r, let a_m = |k_m| . r, and let P0, P1, P2, P3 be the parts of
prod_j (|x0_j| + r_j)^p_mj of order 0, 1, 2 and above in the prismatic half-widths. Taylor's theorem gives

    |f(x) - f(x0) - g.(x - x0)|                    <= sum_m |c_m| (P0 a^2/2 + P1 a + P2 + P3)         =: rem2
    |f(x) - f(x0) - g.(x - x0) - (x-x0)'H(x-x0)/2| <= sum_m |c_m| (P0 a^3/6 + P1 a^2/2 + P2 a + P3)   =: rem3

and each term alone lies between its least and greatest value on the box. The best of three lower bounds counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .waves import UNIT, Array, Complex, Wave, monomials

PIECE = 3_000_000
"""Entries of the largest temporary table."""


@dataclass(frozen=True)
class Enclosure:
    """Of each box: the value at its centre, a lower bound, the gradient there and by how much it can vary."""

    value: Array
    lower: Array
    slope: Array
    spread: Array


class Bounder:
    """Lower bounds of one wave on boxes in the joints it depends on."""

    def __init__(self, wave: Wave, reach: Array) -> None:
        self.joints = np.array(wave.joints, dtype=int)
        self.wave = Wave(wave.k[:, self.joints], wave.p[:, self.joints], wave.c, wave.slack)
        self.k = self.wave.k.astype(float)
        self.absolute = np.abs(self.k)
        self.sliding = [int(j) for j in np.flatnonzero(self.wave.p.any(axis=0))]
        top = np.abs(reach[self.joints])
        turned = float((self.absolute @ np.where(self.wave.p.any(axis=0), 0.0, top)).max(initial=0.0))
        moduli = float(self.wave.size @ monomials(top[None], self.wave.p)[0]) if len(wave) else 0.0
        # Rounding: of the coefficients (slack), of sums over all terms, of the phase k.x before its sine is taken.
        slide = float(np.prod(np.maximum(1.0, top[self.sliding]) ** max(1, int(self.wave.p.max(initial=0)))))
        self.rounding = wave.slack * slide + UNIT * (len(wave) + 32 * (2 + turned)) * 4 * moduli

    def __call__(self, centre: Array, half: Array, floor: float = np.inf) -> Enclosure:
        """Bounds on these boxes; more is tried for those whose bound stays below ``floor``."""
        count = max(1, PIECE // max(1, len(self.wave) * 2))
        parts = [self._part(centre[i : i + count], half[i : i + count], floor) for i in range(0, len(centre), count)]
        return Enclosure(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def values(self, x: Array) -> Array:
        return self.wave(x)

    def gradient(self, x: Array) -> Array:
        """The gradient at one point."""
        return self.gradients(x[None])[0]

    def value_and_gradient(self, x: Array) -> tuple[float, Array]:
        """Both at one point, of positions of the joints of the wave."""
        z, full = self._terms(x[None])
        return float(full.real.sum()), self._slope(x[None], z)[0]

    def gradients(self, x: Array) -> Array:
        """The gradients at many points."""
        return self._slope(x, self._terms(x)[0])

    def _terms(self, centre: Array) -> tuple[Complex, Complex]:
        """c_m exp(i k.x) without and with the powers of the prismatic positions."""
        z = np.exp(1j * (centre @ self.k.T)) * self.wave.c
        return z, z * monomials(centre, self.wave.p) if self.sliding else z

    def _slope(self, centre: Array, z: Complex) -> Array:
        full = z * monomials(centre, self.wave.p) if self.sliding else z
        slope = -(full.imag @ self.k)
        for j in self.sliding:
            slope[:, j] += (z.real * self._lowered(centre, (j,))).sum(axis=1)
        return slope

    def _lowered(self, centre: Array, joints: tuple[int, ...]) -> Array:
        """The powers of prismatic positions, differentiated to these joints."""
        p, factor = self.wave.p, np.ones(len(self.wave))
        for j in joints:
            factor = factor * p[:, j]
            p = p.copy()
            p[:, j] = np.maximum(p[:, j] - 1, 0)
        return factor * monomials(centre, p)

    def _part(self, centre: Array, half: Array, floor: float) -> tuple[Array, Array, Array, Array]:
        z, full = self._terms(centre)
        value = full.real.sum(axis=1)
        slope = self._slope(centre, z)
        a = half @ self.absolute.T
        size = self.wave.size
        orders = self._orders(centre, half)
        p0, p1, p2, p3 = (size * order for order in orders)
        rem2 = (p0 * a * a / 2 + p1 * np.minimum(a, 2) + p2 + p3).sum(axis=1)
        rem3 = (p0 * a**3 / 6 + p1 * a * a / 2 + p2 * np.minimum(a, 2) + p3).sum(axis=1)
        drop = np.abs(slope) * half
        first = value - drop.sum(axis=1) - rem2
        scaled = self._hessian(centre, z, full) * half[:, :, None] * half[:, None, :]
        push = slope * half
        second = value + separable(push, scaled) - rem3
        lower = np.maximum(first, second)
        open_ = lower < floor
        if open_.any():
            lower[open_] = np.maximum(lower[open_], self._termwise(z[open_], a[open_], centre[open_], half[open_]))
        open_ = (lower < floor) & (value - rem3 >= floor)
        if open_.any():
            lower[open_] = np.maximum(lower[open_], (value - rem3)[open_] + rotated(push[open_], scaled[open_]))
        lower -= self.rounding
        return (
            value,
            lower,
            slope,
            self._spread(a, orders, centre, half) + self.rounding * (1 + self.absolute.max(initial=0.0)),
        )

    def _orders(self, centre: Array, half: Array) -> tuple[Array, Array, Array, Array]:
        """P0 to P3: the product of (|x0| + r)^p by orders of r."""
        shape = (len(centre), len(self.wave))
        found = [np.ones(shape), np.zeros(shape), np.zeros(shape), np.zeros(shape)]
        for j in self.sliding:
            x, r, p = np.abs(centre[:, j])[:, None], half[:, j][:, None], self.wave.p[:, j]
            one = [x**p, p * x ** np.maximum(p - 1, 0) * r, p * (p - 1) / 2 * x ** np.maximum(p - 2, 0) * r**2]
            one.append(np.maximum((x + r) ** p - one[0] - one[1] - one[2], 0.0) * (p > 2))
            f0, f1, f2, f3 = found
            whole = one[0] + one[1] + one[2] + one[3]
            found = [
                f0 * one[0],
                f0 * one[1] + f1 * one[0],
                f0 * one[2] + f1 * one[1] + f2 * one[0],
                f3 * whole + f2 * (whole - one[0]) + f1 * (one[2] + one[3]) + f0 * one[3],
            ]
        return found[0], found[1], found[2], found[3]

    def _hessian(self, centre: Array, z: Complex, full: Complex) -> Array:
        """Second derivatives at the centres."""
        n = len(self.joints)
        hessian = np.zeros((len(centre), n, n))
        pairs = [(i, j) for i in range(n) for j in range(i, n)]
        products = np.stack([self.k[:, i] * self.k[:, j] for i, j in pairs], axis=1)
        entries = -(full.real @ products)
        for column, (i, j) in enumerate(pairs):
            hessian[:, i, j] = hessian[:, j, i] = entries[:, column]
        for i in self.sliding:
            lowered = self._lowered(centre, (i,))
            turning = -((z.imag * lowered) @ self.k)
            for j in range(n):
                if j in self.sliding:
                    if j >= i:
                        entry = (z.real * self._lowered(centre, (i, j))).sum(axis=1)
                        hessian[:, i, j] = hessian[:, j, i] = entry
                else:
                    hessian[:, i, j] = hessian[:, j, i] = turning[:, j]
        return hessian

    def _termwise(self, z: Complex, a: Array, centre: Array, half: Array) -> Array:
        """Each term at its least: cos at the phase of its interval nearest to pi."""
        away = np.pi - np.abs(np.angle(z))
        low = -np.cos(np.minimum(np.maximum(away - a, 0.0), np.pi)) * self.wave.size
        if not self.sliding:
            return low.sum(axis=1)
        near = np.abs(np.angle(z))
        high = np.cos(np.minimum(np.maximum(near - a, 0.0), np.pi)) * self.wave.size
        below, above = np.ones_like(a), np.ones_like(a)
        for j in self.sliding:
            p = self.wave.p[:, j]
            start, end = (centre - half)[:, j][:, None], (centre + half)[:, j][:, None]
            ends = np.stack([start**p, end**p])
            crosses = (start < 0) & (end > 0) & (p % 2 == 0) & (p > 0)
            lo, hi = np.where(crosses, 0.0, ends.min(axis=0)), ends.max(axis=0)
            four = np.stack([below * lo, below * hi, above * lo, above * hi])
            below, above = four.min(axis=0), four.max(axis=0)
        four = np.stack([low * below, low * above, high * below, high * above])
        return four.min(axis=0).sum(axis=1)

    def _spread(self, a: Array, orders: tuple[Array, ...], centre: Array, half: Array) -> Array:
        """By how much each entry of the gradient can differ from its value at the centre."""
        p0, p1, p2, p3 = orders
        spread = ((p0 * np.minimum(a, 2) + p1 + p2 + p3) * self.wave.size) @ self.absolute
        for j in self.sliding:
            p = self.wave.p.copy()
            p[:, j] = np.maximum(p[:, j] - 1, 0)
            factor = self.wave.p[:, j] * self.wave.size
            far = monomials(np.abs(centre) + half, p)
            here = monomials(np.abs(centre), p)
            spread[:, j] = (factor * (here * np.minimum(a, 2) + (far - here))).sum(axis=1)
        return spread


def separable(push: Array, scaled: Array) -> Array:
    """A lower bound of push.u + u'Su/2 for |u_i| <= 1: 2 |u_i u_j| <= u_i^2 + u_j^2 makes it a sum over joints."""
    diagonal = np.einsum("bii->bi", scaled)
    across = np.abs(scaled).sum(axis=2) - np.abs(diagonal)
    return parabola(np.abs(push), diagonal - across, np.ones_like(push)).sum(axis=1)


def rotated(push: Array, scaled: Array) -> Array:
    """The same along the principal axes of S, where u lies in a box of half-widths sum_j |Q_ji|."""
    values, axes = np.linalg.eigh(scaled)
    reach = np.abs(axes).sum(axis=1)
    along = np.abs(np.einsum("bji,bj->bi", axes, push))
    # eigh is off by a few units of the largest eigenvalue; on |u| <= 1 that changes u'Su by at most n^2 times as much.
    error = 1e-13 * scaled.shape[1] ** 2 * (np.abs(values).max(axis=1) + np.abs(push).sum(axis=1))
    return parabola(along, values, reach).sum(axis=1) - error


def parabola(push: Array, curve: Array, reach: Array) -> Array:
    """The least of -push u + curve u^2/2 for 0 <= u <= reach."""
    inner = (curve > 0) & (push < curve * reach)
    return np.where(inner, -push * push / (2 * np.where(inner, curve, 1.0)), -push * reach + curve * reach * reach / 2)

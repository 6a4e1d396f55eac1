"""Vectors and their influence coefficients of first to third order, and the product rule.

A ``Jet`` is a quantity u(phi) with G, H and D (Freeman 1985, Tables 2-3 to 2-5) in some of the joints. Points and
axes of a body have them in closed form; a closure is a sum of scalar products of such vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .batch import Array


@dataclass(frozen=True)
class Jet:
    """``value`` ``(b, r)``, ``first`` ``(b, r, n)``, ``second`` ``(b, r, n, n)``, ``third`` ``(b, r, n, n, n)``.

    Orders above the one asked for are None.
    """

    value: Array
    first: Array | None = None
    second: Array | None = None
    third: Array | None = None

    @property
    def parts(self) -> tuple[Array, ...]:
        """u, G, H and D up to the order of the jet."""
        return tuple(part for part in (self.value, self.first, self.second, self.third) if part is not None)

    @property
    def order(self) -> int:
        """Highest order of the influence coefficients; 0 for the value alone."""
        return len(self.parts) - 1

    def __sub__(self, other: Jet) -> Jet:
        return Jet(*(a - b for a, b in zip(self.parts, other.parts, strict=True)))

    def __add__(self, other: Jet) -> Jet:
        return Jet(*(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    def scaled(self, factor: float) -> Jet:
        """The jet of ``factor`` times u."""
        return Jet(*(factor * part for part in self.parts))

    def picked(self, entries: list[int]) -> Jet:
        """These entries of the quantity."""
        return Jet(*(part[:, entries] for part in self.parts))

    def embedded(self, indices: NDArray[np.intp], width: int) -> Jet:
        """The same quantity in ``width`` joints, ``indices`` being the indices of its own."""
        if len(indices) == width and (indices == np.arange(width)).all():
            return self
        coefficients = [self.value]
        for order, part in enumerate(self.parts[1:], start=1):
            block = np.zeros((*part.shape[:2], *(width,) * order))
            index: Any = np.ix_(*(indices,) * order)
            block[(slice(None), slice(None), *index)] = part
            coefficients.append(block)
        return Jet(*coefficients)


def stacked(jets: list[Jet]) -> Jet:
    """Several quantities in the same joints as one."""
    return Jet(*(np.concatenate(parts, axis=1) for parts in zip(*(jet.parts for jet in jets), strict=True)))


def product(u: Jet, v: Jet) -> Jet:
    """u . v, a quantity of one entry, by the product rule; what has a value alone is constant."""
    coefficients = []
    for order in range(max(u.order, v.order) + 1):
        total: Array | None = None
        for mask in range(1 << order):
            left = [k for k in range(order) if mask >> k & 1]
            right = [k for k in range(order) if not mask >> k & 1]
            if len(left) > u.order or len(right) > v.order:
                continue
            term = _contracted(u.parts[len(left)], v.parts[len(right)])
            axes = np.argsort([0, *(k + 1 for k in (*left, *right))])
            term = term.transpose(axes)
            total = term if total is None else total + term
        assert total is not None
        coefficients.append(total[:, None])
    return Jet(*coefficients)


def turn_about(axis: Jet, turning: Jet) -> Jet:
    """The rate of turn e . Omega: no value, G_n = e . g_n, and the slopes of that; ``turning`` is not symmetric.

    H_mn = dG_n/dphi_m = e_m . g_n + e . h_mn, with h_mn = dg_n/dphi_m (Freeman 1985, eq. 2-69).
    """
    order = axis.order
    coefficients = [np.zeros((len(axis.value), 1))]
    e, g = axis.parts, turning.parts
    if order >= 1:
        coefficients.append(np.einsum("bc,bcn->bn", e[0], g[1])[:, None])
    if order >= 2:
        coefficients.append((np.einsum("bcm,bcn->bmn", e[1], g[1]) + np.einsum("bc,bcmn->bmn", e[0], g[2]))[:, None])
    if order >= 3:
        mixed = np.einsum("bcl,bcmn->blmn", e[1], g[2])
        third = np.einsum("bclm,bcn->blmn", e[2], g[1]) + np.einsum("bc,bclmn->blmn", e[0], g[3])
        coefficients.append((third + mixed + np.swapaxes(mixed, 1, 2))[:, None])
    return Jet(*coefficients)


def _contracted(a: Array, b: Array) -> Array:
    """Sum over the components (axis 1) of a and b; the other axes of a, then of b. One product of matrices."""
    count = len(a)
    left, right = (x.reshape(count, 3, int(np.prod(x.shape[2:]))) for x in (a, b))
    return (np.swapaxes(left, 1, 2) @ right).reshape(count, *a.shape[2:], *b.shape[2:])


def constant(vector: Array, count: int, width: int, order: int) -> Jet:
    """A vector that no joint moves."""
    coefficients = [np.broadcast_to(vector, (count, 3)).astype(float)]
    coefficients += [np.zeros((count, 3, *(width,) * k)) for k in range(1, order + 1)]
    return Jet(*coefficients)


def cross(a: Array, b: Array) -> Array:
    """a x b along the last axis; ``numpy.cross`` costs several times as much on small arrays."""
    x = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    y = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    z = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return np.stack([x, y, z], axis=-1)


def point(position: Array, axes: Array, origins: Array, revolute: NDArray[np.bool_], order: int) -> Jet:
    """A point carried by these joints, base first: g_n = s_n x (P - R_n), or s_n for a prismatic joint (2-66).

    ``position`` is ``(b, 3)``, ``axes`` and ``origins`` ``(b, n, 3)``.
    """
    if order == 0:
        return Jet(position)
    reach = cross(axes, position[:, None] - origins)
    return _higher_orders(position, np.where(revolute[:, None], reach, axes), axes, revolute, order)


def direction(vector: Array, axes: Array, revolute: NDArray[np.bool_], order: int) -> Jet:
    """A unit vector fixed in a body that these joints carry: g_n = s_n x e."""
    if order == 0:
        return Jet(vector)
    turned = np.where(revolute[:, None], cross(axes, vector[:, None]), 0.0)
    return _higher_orders(vector, turned, axes, revolute, order)


def _higher_orders(value: Array, g: Array, axes: Array, revolute: NDArray[np.bool_], order: int) -> Jet:
    """H_mn = s_i x g_j and D_lmn = s_i x (s_j x g_k), indices in the order base to tip (Tables 2-4 and 2-5)."""
    n = g.shape[1]
    coefficients = [value, np.swapaxes(g, 1, 2)]
    if order >= 2:
        spin = np.where(revolute[:, None], axes, 0.0)
        table = cross(spin[:, :, None], g[:, None])
        near, far = np.minimum.outer(range(n), range(n)), np.maximum.outer(range(n), range(n))
        coefficients.append(np.moveaxis(table[:, near, far], -1, 1))
        if order >= 3:
            deep = cross(spin[:, :, None, None], table[:, None])
            index = np.sort(np.stack(np.meshgrid(*(np.arange(n),) * 3, indexing="ij")), axis=0)
            coefficients.append(np.moveaxis(deep[:, index[0], index[1], index[2]], -1, 1))
    return Jet(*coefficients)

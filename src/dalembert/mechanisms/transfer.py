"""Transfer of generalized coordinates (Freeman 1985, chapter III), over any ring and in batches.

A system is modelled in coordinates phi that make it easy, its joints, and carried to the coordinates q one wants.
What is needed is q(phi) to second order: G = dq/dphi and H = d2q/dphi2. With X = [G]^-1 = dphi/dq every formula
here uses only + - *:

    phi'  = X q'                           X    = [G]^-1                                     (3-15)
    phi'' = X q'' + q'.[H^phi] q'          H^phi = -X^T (X . H) X                            (3-19)
    u'    = [G^u] X q'                                                                       (3-22)
    u''   : H^u_qq = X^T (H^u - [G^u] X . H) X                                               (3-26)
    I*_qq  = X^T I* X                                                                        (3-34)
    P*_qqq = X^T ((X^T . P*) - (I*_qq . H)) X                                                (3-35)
    T^L_q  = X^T T^L                                                                         (3-36)

Arrays are NumPy arrays with any leading batch axes. Their numbers may be floats or, with dtype ``object``, numbers
of any ring: trigonometric polynomials, fractions, SymPy expressions. A ring that does not divide uses ``adjugate``:
each formula is homogeneous in X, so with X = adj(G) the results are those of X = [G]^-1 times a known power of det G.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = Any
"""A NumPy array ``(..., ...)`` of floats, or of numbers of a ring (dtype object)."""


def dot(a: Array, c: Array) -> Array:
    """Generalized scalar product [A] . [C] (Appendix A): plane p of the result is sum_n A[p, n] C[n].

    ``a`` is ``(..., p, n)`` and ``c`` ``(..., n, i, j)``; the result is ``(..., p, i, j)``.
    """
    *_, i, j = c.shape
    flat = np.matmul(a, c.reshape(*c.shape[:-2], i * j))  # einsum "...pn,...nij->...pij", as one product of matrices
    return flat.reshape(*flat.shape[:-1], i, j)


def quadratic(d: Array, c: Array) -> Array:
    """[D]^T [C] [D], plane by plane (Appendix A, 1): ``d`` is ``(..., m, k)``, ``c`` ``(..., n, m, m)``."""
    *batch, n, m, _ = c.shape
    k = d.shape[-1]
    right = np.matmul(c.reshape(*batch, n * m, m), d).reshape(*batch, n, m, k)  # einsum "...nij,...jb->...nib"
    left = np.matmul(transposed(right).reshape(*batch, n * k, m), d)  # einsum "...nib,...ia->...nba"
    return transposed(left.reshape(*batch, n, k, k))


def form(b: Array, c: Array) -> Array:
    """b^T [C] b, plane by plane (Appendix A, 2): ``b`` is ``(..., m)``, ``c`` ``(..., n, m, m)``."""
    right = np.einsum("...nij,...j->...ni", c, b)
    return np.einsum("...ni,...i->...n", right, b)


def transposed(a: Array) -> Array:
    """A^T, matrix by matrix: the last two axes exchanged."""
    return np.swapaxes(a, -1, -2)


def times(a: Array, v: Array) -> Array:
    """A v for ``a`` ``(..., m, n)`` and ``v`` ``(..., n)``."""
    return np.einsum("...mn,...n->...m", a, v)


# -- the inverse of G ---------------------------------------------------------------------------


def adjugate(g: Array) -> tuple[Array, Array]:
    """adj(G) and det G, with G adj(G) = det G, over any ring that contains the rationals (Faddeev and LeVerrier).

    M_1 = 1, c_k = -tr(G M_k)/k, M_k+1 = G M_k + c_k; then adj(G) = (-1)^(n-1) M_n and det G = (-1)^n c_n.
    """
    n = g.shape[-1]
    eye = np.eye(n, dtype=int).astype(object) if g.dtype == object else np.eye(n)
    power: Array = np.broadcast_to(eye, g.shape)
    coefficient: Array = 0
    for k in range(1, n + 1):
        ahead = np.matmul(g, power)
        factor = Fraction(-1, k) if g.dtype == object else -1.0 / k
        coefficient = np.einsum("...ii->...", ahead) * factor
        if k < n:
            power = ahead + np.asarray(coefficient)[..., None, None] * eye
    sign = -1 if n % 2 == 0 else 1
    return sign * power, -sign * coefficient


def inverse(g: Array) -> Array:
    """[G]^-1: by LAPACK for floats, by adj(G)/det G for the numbers of a ring that divides."""
    if g.dtype != object:
        return np.linalg.inv(g)
    adj, det = adjugate(g)
    return adj / np.asarray(det, dtype=object)[..., None, None]


# -- kinematics ---------------------------------------------------------------------------------


def second(x: Array, h: Array) -> Array:
    """H^phi_qq = -X^T (X . H) X (3-19); homogeneous of degree 3 in X."""
    return -quadratic(x, dot(x, h))


def dependent_first(gu: Array, x: Array) -> Array:
    """G^u_q = [G^u_phi] X (3-22)."""
    return np.matmul(gu, x)


def dependent_second(gu: Array, hu: Array, x: Array, h: Array) -> Array:
    """H^u_qq = X^T (H^u_phiphi - [G^u_phi] X . H) X (3-26)."""
    return quadratic(x, hu - dot(dependent_first(gu, x), h))


def cubic(x: Array, d: Array) -> Array:
    """D[X, X, X] for a third-order coefficient ``d`` ``(..., n, m, m, m)``."""
    for _ in range(3):
        # Each pass moves the axis it contracted to the end, so three passes leave the order as it was.
        d = np.einsum("...nijk,...ia->...njka", d, x)
    return d


def paired(h: Array, x: Array, x2: Array) -> Array:
    """H[X2_ab, X_c] + H[X_b, X2_ac] + H[X_a, X2_bc]: the cross terms of a third derivative, a being the last taken.

    The first index of H is that of its derivative; for turns H is not symmetric, and the order matters.
    """
    fast = h.dtype != object
    inner = np.einsum("...nij,...iab,...jc->...nabc", h, x2, x, optimize=fast)
    outer = np.einsum("...nij,...ia,...jbc->...nabc", h, x, x2, optimize=fast)
    return inner + np.swapaxes(outer, -2, -3) + outer


def third(x: Array, x2: Array, h: Array, d: Array) -> Array:
    """D^phi_qqq (3-47): the closed form that Freeman leaves unwritten, -X . (D[X, X, X] + 3 H[X2, X]).

    ``x2`` is the result of ``second``. Derivatives are along the columns of X; they commute where coordinates are
    functions of position, and for turns D has the order of (3-44): phi''' = X q''' + q''.(H + 2 H^T) q' + (q'.D q') q'.
    """
    return -np.einsum("...pn,...nabc->...pabc", x, cubic(x, d) + paired(h, x, x2))


def dependent_third(gu: Array, hu: Array, du: Array, x: Array, x2: Array, x3: Array) -> Array:
    """D^u_qqq = D^u[X, X, X] + 3 H^u[X2, X] + G^u X3."""
    return cubic(x, du) + paired(hu, x, x2) + np.einsum("...pn,...nabc->...pabc", gu, x3)


def jerk(g: Array, h: Array, d: Array, rate: Array, rate2: Array, rate3: Array) -> Array:
    """q''' = G phi''' + phi''.(H + 2 H^T) phi' + (phi'.D phi') phi' (3-44); H need not be symmetric."""
    return times(g, rate3) + jerk_bias(h, d, rate, rate2)


def jerk_bias(h: Array, d: Array, rate: Array, rate2: Array) -> Array:
    """phi''.(H + 2 H^T) phi' + (phi'.D phi') phi': what (3-44) has without the jerk of phi."""
    bend = np.einsum("...i,...nij,...j->...n", rate2, h + 2 * transposed(h), rate)
    return bend + np.einsum("...nijk,...i,...j,...k->...n", d, rate, rate, rate)


def initial_jerk(x: Array, h: Array, d: Array, rate: Array, rate2: Array, target: Array) -> Array:
    """phi''' for a wanted q''' (3-46)."""
    return times(x, target - jerk_bias(h, d, rate, rate2))


# -- dynamics -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class PartialModel:
    """T_q = I*_qu u'' + u'.P*_quu u' - T^L_q: ``inertia`` ``(..., m, n)``, ``power`` ``(..., m, n, n)``, ``load``."""

    inertia: Array
    power: Array
    load: Array

    def torque(self, rate: Array, rate2: Array) -> Array:
        """T_q ``(..., m)`` for the motion u', u'' (4-73); the generalized load T where u is q (3-33)."""
        return times(self.inertia, rate2) + form(rate, self.power) - self.load


@dataclass(frozen=True)
class TransferredModel(PartialModel):
    """T = I* q'' + q'.P* q' - T^L: inertia ``(..., n, n)``, power ``(..., n, n, n)``, load ``(..., n)``."""

    def acceleration(self, rate: Array, torque: Array) -> Array:
        """q'' under the generalized load ``torque``."""
        drive = torque - form(rate, self.power) + self.load
        return np.linalg.solve(self.inertia, drive[..., None])[..., 0]

    def __add__(self, other: TransferredModel) -> TransferredModel:
        """Two systems that share their coordinates (4-48), (4-49)."""
        return TransferredModel(self.inertia + other.inertia, self.power + other.power, self.load + other.load)


def inertia(i: Array, x: Array) -> Array:
    """I*_qq = X^T I* X (3-34)."""
    return np.matmul(transposed(x), np.matmul(i, x))


def power(p: Array, inertia_q: Array, x: Array, h: Array) -> Array:
    """P*_qqq = X^T ((X^T . P*) - (I*_qq . H)) X (3-35), ``inertia_q`` being I*_qq."""
    return quadratic(x, dot(transposed(x), p) - dot(inertia_q, h))


def load(t: Array, x: Array) -> Array:
    """T_q = X^T T_phi (3-29), (3-36)."""
    return times(transposed(x), t)


def model(initial: TransferredModel, x: Array, h: Array) -> TransferredModel:
    """The model in the coordinates q (3-33) to (3-36)."""
    inertia_q = inertia(initial.inertia, x)
    return TransferredModel(inertia_q, power(initial.power, inertia_q, x, h), load(initial.load, x))


def reduced(initial: TransferredModel, x: Array, x2: Array) -> TransferredModel:
    """The model in fewer coordinates, phi' = X q' and phi'' = X q'' + q'.X2 q' with X ``(..., m, n)``, n < m.

    P*_qqq = X^T . (X^T P* X) + X^T I* . X2, which is (3-35) where X is square: a constraint drops out (4-32).
    """
    turned = transposed(x)
    mixed = np.matmul(turned, initial.inertia)
    bent = dot(turned, quadratic(x, initial.power)) + dot(mixed, x2)
    return TransferredModel(np.matmul(mixed, x), bent, load(initial.load, x))


# -- linear models ------------------------------------------------------------------------------


def position_slope(h: Array, rate: Array) -> Array:
    """dq'/dphi: column m is dG/dphi_m phi', with H[m, n] = dg_n/dphi_m."""
    return np.einsum("...pmn,...n->...pm", h, rate)


def acceleration_slopes(h: Array, d: Array, rate: Array, rate2: Array) -> tuple[Array, Array]:
    """dq''/dphi and dq''/dphi' (2-35), (2-43)."""
    bend = np.einsum("...plmn,...m,...n->...pl", d, rate, rate)
    return position_slope(h, rate2) + bend, np.einsum("...pmn,...n->...pm", h + transposed(h), rate)


def linear(
    f_position: Array, f_rate: Array, g_input: Array, g: Array, slope: Array, slopes: tuple[Array, Array]
) -> tuple[Array, Array, Array]:
    """phi'' = F1 phi + F2 phi' + B v, for small deviations, carried to q (3-49) to (3-53).

    ``slope`` is dq'/dphi, ``slopes`` are dq''/dphi and dq''/dphi'. Gives F1, F2 and B for q.
    """
    x = inverse(g)
    rate_part = np.matmul(slopes[1] + np.matmul(g, f_rate), x)
    position_part = np.matmul(slopes[0] + np.matmul(g, f_position) - np.matmul(rate_part, slope), x)
    return position_part, rate_part, np.matmul(g, g_input)

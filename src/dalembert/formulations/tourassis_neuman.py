"""The Denavit-Hartenberg algorithms of Tourassis and Neuman 1985, Appendices A and B (eqs A-10, 36, 37, B-3).

With (n, o, a, p) the frame of joint j in the frame of joint i, and mass, mass centre (x, y, z) and moments of
inertia of all that joint j moves, taken in the frame of joint j, a mutual inertial coefficient is one line.
sigma is 1 for a translational joint and 0 for a rotational one, sigma* its complement.

Their frame (j-1) stands before the motion of joint j; the joint frame used here stands after it, which
leaves every coefficient as it is, since the motion is about or along z itself. The products of inertia in
(A-10) are integrals of x z and y z, minus the entries of the inertia tensor. Gravity has the sign of
dV/dq, opposite to their (13). The centrifugal and Coriolis coefficients are slopes of the inertial ones; where the
paper differentiates symbols, dual numbers give the same slopes over any ring.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..rings.algebra import Vec, add, dot, mul, sub, transpose
from ..rings.dual import Duals, slope_of, value_of
from ..rings.ring import Ring, Scalar
from .chain import Chain
from .christoffel import HALF
from .coefficients import Christoffel, torque
from .composite_body import Composite, composites
from .kinematics import Frame, compose, frames, relative_frames


def mass_matrix(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """d_ij of eq. (A-10)."""
    steps = relative_frames(chain, ring, q)
    moved = composites(chain, steps)
    matrix: list[list[Scalar]] = [[0] * chain.n for _ in range(chain.n)]
    for j, path in enumerate(chain.paths):
        between: Frame = (((1, 0, 0), (0, 1, 0), (0, 0, 1)), (0, 0, 0))
        for i in reversed(path):
            matrix[i][j] = matrix[j][i] = coefficient(chain, i, j, between, moved[j])
            between = compose(steps[i], between)
    return matrix


def coefficient(chain: Chain, i: int, j: int, between: Frame, moved: Composite) -> Scalar:
    """d_ij for joint i at or before joint j; first moments stand for mass times mass centre."""
    mass, (mx, my, _), tensor = moved
    (n, o, a), p = transpose(between[0]), between[1]
    if not chain.segments[i].revolute:
        if not chain.segments[j].revolute:
            return mul(mass, a[2])
        return sub(mul(o[2], mx), mul(n[2], my))
    if not chain.segments[j].revolute:
        lever = sub(mul(p[0], a[1]), mul(a[0], p[1]))
        return add(sub(mul(n[2], my), mul(o[2], mx)), mul(mass, lever))
    inertia = add(mul(a[2], tensor[2][2]), add(mul(o[2], tensor[1][2]), mul(n[2], tensor[0][2])))
    across = sub(mul(n[0], p[1]), mul(n[1], p[0])), sub(mul(o[0], p[1]), mul(o[1], p[0]))
    return add(inertia, sub(mul(across[0], my), mul(across[1], mx)))


def christoffel(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> Christoffel:
    """c_jm(i) of eqs (36) and (37), ``[i][j][m]``, from the slopes of (A-10)."""
    duals = Duals(ring)
    matrix = mass_matrix(chain, duals, [duals.variable(value, k) for k, value in enumerate(q)])
    return velocity_coefficients(ring, matrix)


def velocity_coefficients(ring: Ring, matrix: Sequence[Sequence[Scalar]]) -> Christoffel:
    """Eqs (36) and (37) from inertial coefficients that know their slopes.

    No d_ij depends on a joint at or before the nearer of i and j, so of the three slopes in (12) at most two are left;
    those with (38) are zero, and (39) gives every third one with the other sign.
    """
    n = len(matrix)
    half = ring.number(HALF)
    symbols: Christoffel = [[[0] * n for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(i + 1, n):
            symbols[i][j][j] = slope_of(matrix[i][j], j)
            symbols[j][i][i] = mul(half, sub(0, slope_of(matrix[i][i], j)))
            # c_ij(i) = -c_ii(j), by (39)
            symbols[i][i][j] = symbols[i][j][i] = sub(0, symbols[j][i][i])
            for m in range(j + 1, n):
                ij, im = slope_of(matrix[i][j], m), slope_of(matrix[i][m], j)
                symbols[i][j][m] = symbols[i][m][j] = mul(half, add(ij, im))
                symbols[j][i][m] = symbols[j][m][i] = mul(half, sub(ij, im))
                symbols[m][i][j] = symbols[m][j][i] = sub(0, symbols[j][i][m])
    return symbols


def gravity(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> list[Scalar]:
    """G_i of eq. (B-3), n, o, a being the axes of joint frame i in the base."""
    load: list[Scalar] = []
    steps = relative_frames(chain, ring, q)
    for segment, frame, moved in zip(chain.segments, frames(chain, ring, q), composites(chain, steps), strict=True):
        mass, (mx, my, _), _ = moved
        axes: tuple[Vec, Vec, Vec] = transpose(frame[0])
        gn, go, ga = (dot(chain.gravity, axis) for axis in axes)
        load.append(sub(0, sub(mul(mx, go), mul(my, gn)) if segment.revolute else mul(mass, ga)))
    return load


def inverse_dynamics(
    chain: Chain, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """Eq. (11)."""
    duals = Duals(ring)
    matrix = mass_matrix(chain, duals, [duals.variable(value, k) for k, value in enumerate(q)])
    inertia = [[value_of(entry) for entry in row] for row in matrix]
    return torque(inertia, velocity_coefficients(ring, matrix), gravity(chain, ring, q), qd, qdd)

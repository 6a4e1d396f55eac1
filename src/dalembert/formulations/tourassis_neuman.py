"""The Denavit-Hartenberg algorithm of Tourassis and Neuman 1985 for D and G (eqs A-10, B-3).

With (n, o, a, p) the frame of joint j in the frame of joint i, and mass, mass centre (x, y, z) and moments of
inertia of all that joint j moves, taken in the frame of joint j, a mutual inertial coefficient is one line.
sigma is 1 for a translational joint and 0 for a rotational one, sigma* its complement.

Their frame (j-1) stands before the motion of joint j; the joint frame used here stands after it, which
leaves every coefficient as it is, since the motion is about or along z itself. The products of inertia in
(A-10) are integrals of x z and y z, minus the entries of the inertia tensor. Gravity has the sign of
dV/dq, opposite to their (13).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..rings.algebra import Vec, add, dot, mul, sub, transpose
from ..rings.ring import Ring, Scalar
from .chain import Chain
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

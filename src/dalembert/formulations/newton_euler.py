"""Newton-Euler: velocities and accelerations outward, forces and moments inward.

Luh, Walker and Paul 1980, written in joint frames about the joint origins. With the matrix
U = [alpha]x + [omega]x^2, a point at r has acceleration a + U r. A body with mass m, first moment h and second
moments S = integral of r r^T dm = tr(I)/2 E - I about its joint origin needs the force m a + U h and the moment

    integral of r x (a + U r) dm = h x a + axial(U S),    axial(A) = (A_zy - A_yz, A_xz - A_zx, A_yx - A_xy),

which is h x a + I alpha + omega x I omega with a third fewer operations, U being there already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..rings.algebra import ZERO, Mat, Vec, add, cross, matvec, minus, mul, plus, scale, sub, transpose
from ..rings.ring import Ring, Scalar
from .chain import Chain
from .kinematics import frames, relative_frames


@dataclass(frozen=True)
class Reaction:
    """What the parent exerts on a body through its joint: force, and moment about the joint origin (joint axes)."""

    force: Vec
    moment: Vec


def inverse_dynamics(
    chain: Chain, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """tau = D(q) qdd + h(q, qd) + G(q)."""
    return [
        (reaction.moment if segment.revolute else reaction.force)[2]
        for segment, reaction in zip(chain.segments, reactions(chain, ring, q, qd, qdd), strict=True)
    ]


def reactions(
    chain: Chain, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Reaction]:
    """Force and moment between neighbouring links; their z components hold the joint torques and forces."""
    steps = relative_frames(chain, ring, q)
    motions = outward(chain, steps, qd, qdd)
    forces: list[Vec] = []
    moments: list[Vec] = []
    for segment, (omega, _, acceleration, spin) in zip(chain.segments, motions, strict=True):
        forces.append(plus(scale(segment.mass, acceleration), matvec(spin, segment.moment)))
        turning = axial_of_product(spin, omega, second_moments(segment.tensor, ring))
        moments.append(plus(turning, cross(segment.moment, acceleration)))
    for index in reversed(range(chain.n)):
        parent = chain.segments[index].parent
        if parent >= 0:
            turn, shift = steps[index]
            force = matvec(turn, forces[index])
            forces[parent] = plus(forces[parent], force)
            moments[parent] = plus(moments[parent], plus(matvec(turn, moments[index]), cross(shift, force)))
    return [Reaction(force, moment) for force, moment in zip(forces, moments, strict=True)]


def reactions_in_base(
    chain: Chain, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[list[Scalar]]:
    """Per joint three forces and three moments, in base axes."""
    joint_frames = frames(chain, ring, q)
    turned = zip(joint_frames, reactions(chain, ring, q, qd, qdd), strict=True)
    return [[*matvec(frame[0], r.force), *matvec(frame[0], r.moment)] for frame, r in turned]


def outward(
    chain: Chain, steps: Sequence[tuple[Mat, Vec]], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[tuple[Vec, Vec, Vec, Mat]]:
    """Per body, in its joint frame: omega, alpha, acceleration of the joint origin less gravity, and U."""
    base = (ZERO, ZERO, minus(ZERO, chain.gravity), (ZERO, ZERO, ZERO))
    motions: list[tuple[Vec, Vec, Vec, Mat]] = []
    for segment, (turn, shift), v, vd in zip(chain.segments, steps, qd, qdd, strict=True):
        omega, alpha, acceleration, spin = motions[segment.parent] if segment.parent >= 0 else base
        turn_t = transpose(turn)
        carried = matvec(turn_t, omega)
        acceleration = matvec(turn_t, plus(acceleration, matvec(spin, shift)))
        alpha = matvec(turn_t, alpha)
        if segment.revolute:
            omega = (carried[0], carried[1], add(carried[2], v))
            # omega x z qd, the axis being carried around
            alpha = (add(alpha[0], mul(carried[1], v)), sub(alpha[1], mul(carried[0], v)), add(alpha[2], vd))
        else:
            omega = carried
            twice = add(v, v)
            acceleration = (
                add(acceleration[0], mul(omega[1], twice)),
                sub(acceleration[1], mul(omega[0], twice)),
                add(acceleration[2], vd),
            )
        motions.append((omega, alpha, acceleration, spin_matrix(omega, alpha)))
    return motions


def spin_matrix(omega: Vec, alpha: Vec) -> Mat:
    """U = [alpha]x + [omega]x [omega]x, so that U r = alpha x r + omega x (omega x r)."""
    xx, yy, zz = (mul(w, w) for w in omega)
    xy, xz, yz = mul(omega[0], omega[1]), mul(omega[0], omega[2]), mul(omega[1], omega[2])
    return (
        (sub(0, add(yy, zz)), sub(xy, alpha[2]), add(xz, alpha[1])),
        (add(xy, alpha[2]), sub(0, add(xx, zz)), sub(yz, alpha[0])),
        (sub(xz, alpha[1]), add(yz, alpha[0]), sub(0, add(xx, yy))),
    )


def second_moments(tensor: Mat, ring: Ring) -> Mat:
    """S = tr(I)/2 E - I."""
    half = ring.number(Fraction(1, 2))
    xx, yy, zz = (tensor[k][k] for k in range(3))
    xy, xz, yz = (sub(0, entry) for entry in (tensor[0][1], tensor[0][2], tensor[1][2]))
    return (
        (mul(half, sub(add(yy, zz), xx)), xy, xz),
        (xy, mul(half, sub(add(xx, zz), yy)), yz),
        (xz, yz, mul(half, sub(add(xx, yy), zz))),
    )


def axial_of_product(u: Mat, omega: Vec, s: Mat) -> Vec:
    """axial(U S) for symmetric S; differences on the diagonal of U are those of the squares of omega."""
    xx, yy, zz = (mul(w, w) for w in omega)
    return (
        add(
            sub(mul(u[2][1], s[1][1]), mul(u[1][2], s[2][2])),
            add(sub(mul(u[2][0], s[0][1]), mul(u[1][0], s[0][2])), mul(sub(zz, yy), s[1][2])),
        ),
        add(
            sub(mul(u[0][2], s[2][2]), mul(u[2][0], s[0][0])),
            add(sub(mul(u[0][1], s[1][2]), mul(u[2][1], s[0][1])), mul(sub(xx, zz), s[0][2])),
        ),
        add(
            sub(mul(u[1][0], s[0][0]), mul(u[0][1], s[1][1])),
            add(sub(mul(u[1][2], s[0][2]), mul(u[0][2], s[1][2])), mul(sub(yy, xx), s[0][1])),
        ),
    )

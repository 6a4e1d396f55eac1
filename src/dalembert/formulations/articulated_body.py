"""Articulated bodies: accelerations from torques in one pass out, one in, one out (Featherstone 1983).

The articulated inertia I^A of a body is what it feels like to pull on it while the joints beyond are free, p^A the
force that it needs without acceleration. With the axis S of a joint, U = I^A S, D = S . U and u = tau - S . p^A,

    qdd = (u - U . (a + c)) / D,    I^a = I^A - U U^T / D,    p^a = p^A + I^a c + U u / D

(Featherstone 2008, chapter 7): a is the acceleration of the body before it, c what velocities alone add, and I^a and
p^a go to the parent. Motion and force vectors are pairs (angular, linear) and (moment, force) about the joint origin;
an articulated inertia is [[I, H], [H^T, M]] with 3x3 blocks. Needs a field: each joint divides once.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..rings.algebra import (
    ZERO,
    Mat,
    Vec,
    add,
    as_matrix,
    cross,
    dot,
    matmul,
    matplus,
    matvec,
    minus,
    mul,
    plus,
    scale,
    sub,
    transpose,
)  # fmt: skip
from ..rings.ring import Field, Scalar
from .chain import Chain
from .kinematics import Frame, relative_frames

ArticulatedInertia = tuple[Mat, Mat, Mat]
"""Its blocks I (symmetric), H, M (symmetric)."""
Pivot = tuple[Vec, Vec, Scalar, Scalar]
"""Of a joint: U as moment and force, 1/D, and u."""


def skew(v: Vec) -> Mat:
    """[v]x, so that [v]x w = v x w."""
    x, y, z = v
    return ((0, sub(0, z), y), (z, 0, sub(0, x)), (sub(0, y), x, 0))


def forward_dynamics(
    chain: Chain, field: Field, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar]
) -> list[Scalar]:
    """qdd for which D qdd + h + G = tau."""
    steps = relative_frames(chain, field, q)
    omegas, drifts = _velocities(chain, steps, qd)
    inertias: list[ArticulatedInertia] = []
    biases: list[tuple[Vec, Vec]] = []
    for segment, omega in zip(chain.segments, omegas, strict=True):
        block = (
            (segment.mass, 0, 0),
            (0, segment.mass, 0),
            (0, 0, segment.mass),
        )
        inertias.append((segment.tensor, skew(segment.moment), block))
        biases.append((cross(omega, matvec(segment.tensor, omega)), cross(omega, cross(omega, segment.moment))))
    pivots: list[Pivot] = [(ZERO, ZERO, 0, 0)] * chain.n
    for index in reversed(range(chain.n)):
        segment, (inertia, coupling, mass) = chain.segments[index], inertias[index]
        moment, force = biases[index]
        if segment.revolute:
            pull = tuple(row[2] for row in inertia), tuple(coupling[2])
            pivot, excess = inertia[2][2], sub(tau[index], moment[2])
        else:
            pull = tuple(row[2] for row in coupling), tuple(row[2] for row in mass)
            pivot, excess = mass[2][2], sub(tau[index], force[2])
        inverse = field.divide(1, pivot)
        pivots[index] = (*pull, inverse, excess)
        if segment.parent >= 0:
            remaining = _without_joint(inertias[index], pull, inverse)
            turning, sliding = drifts[index]
            push = mul(inverse, excess)
            moment = plus(plus(moment, scale(push, pull[0])), _moment(remaining, turning, sliding))
            force = plus(plus(force, scale(push, pull[1])), _force(remaining, turning, sliding))
            _add_to_parent(steps[index], remaining, moment, force, inertias, biases, segment.parent)
    return _accelerations(chain, steps, drifts, pivots)


def _velocities(chain: Chain, steps: Sequence[Frame], qd: Sequence[Scalar]) -> tuple[list[Vec], list[tuple[Vec, Vec]]]:
    """Angular velocities, and the accelerations that velocities alone give in each joint frame."""
    omegas: list[Vec] = []
    drifts: list[tuple[Vec, Vec]] = []
    for segment, (turn, shift), v in zip(chain.segments, steps, qd, strict=True):
        above = omegas[segment.parent] if segment.parent >= 0 else ZERO
        carried = matvec(transpose(turn), above)
        swing = matvec(transpose(turn), cross(above, cross(above, shift)))
        across = (mul(carried[1], v), sub(0, mul(carried[0], v)), 0)
        if segment.revolute:
            omegas.append((carried[0], carried[1], add(carried[2], v)))
            drifts.append((across, swing))
        else:
            omegas.append(carried)
            drifts.append((ZERO, plus(swing, plus(across, across))))
    return omegas, drifts


def _moment(inertia: ArticulatedInertia, turning: Vec, sliding: Vec) -> Vec:
    return plus(matvec(inertia[0], turning), matvec(inertia[1], sliding))


def _force(inertia: ArticulatedInertia, turning: Vec, sliding: Vec) -> Vec:
    return plus(matvec(transpose(inertia[1]), turning), matvec(inertia[2], sliding))


def _without_joint(inertia: ArticulatedInertia, pull: tuple[Vec, Vec], inverse: Scalar) -> ArticulatedInertia:
    """I^a, the inertia less what the free joint gives way: I^A - U U^T / D."""

    def outer(u: Vec, v: Vec, block: Mat) -> Mat:
        scaled = scale(inverse, v)
        pairs = zip(u, block, strict=True)
        return as_matrix([sub(x, mul(a, b)) for b, x in zip(scaled, row, strict=True)] for a, row in pairs)

    return outer(pull[0], pull[0], inertia[0]), outer(pull[0], pull[1], inertia[1]), outer(pull[1], pull[1], inertia[2])


def _add_to_parent(
    step: Frame,
    inertia: ArticulatedInertia,
    moment: Vec,
    force: Vec,
    inertias: list[ArticulatedInertia],
    biases: list[tuple[Vec, Vec]],
    parent: int,
) -> None:
    """Add a body's articulated inertia and bias to its parent's, turned and moved to the parent's origin."""
    turn, shift = step
    turn_t = transpose(turn)
    rotation, coupling, mass = (matmul(matmul(turn, block), turn_t) for block in inertia)
    lever = skew(shift)
    # about a point shifted by p: H' = H + [p]x M, I' = I - H' [p]x + [p]x H^T
    moved = matplus(coupling, matmul(lever, mass))
    about = matplus(rotation, matmul(lever, transpose(coupling)))
    about = tuple(
        tuple(sub(x, y) for x, y in zip(r, s, strict=True)) for r, s in zip(about, matmul(moved, lever), strict=True)
    )
    accumulated = inertias[parent]
    inertias[parent] = matplus(accumulated[0], about), matplus(accumulated[1], moved), matplus(accumulated[2], mass)
    carried = matvec(turn, force)
    bias = biases[parent]
    biases[parent] = (
        plus(bias[0], plus(matvec(turn, moment), cross(shift, carried))),
        plus(bias[1], carried),
    )


def _accelerations(
    chain: Chain,
    steps: Sequence[Frame],
    drifts: Sequence[tuple[Vec, Vec]],
    pivots: Sequence[Pivot],
) -> list[Scalar]:
    """Outward: each joint takes what its parent's acceleration leaves of its torque."""
    motions: list[tuple[Vec, Vec]] = []
    qdd: list[Scalar] = []
    base = (ZERO, minus(ZERO, chain.gravity))
    for segment, (turn, shift), drift, (moment, force, inverse, excess) in zip(
        chain.segments, steps, drifts, pivots, strict=True
    ):
        alpha, acceleration = motions[segment.parent] if segment.parent >= 0 else base
        turn_t = transpose(turn)
        turning = plus(matvec(turn_t, alpha), drift[0])
        sliding = plus(matvec(turn_t, plus(acceleration, cross(alpha, shift))), drift[1])
        rate = mul(inverse, sub(excess, add(dot(moment, turning), dot(force, sliding))))
        qdd.append(rate)
        if segment.revolute:
            motions.append(((turning[0], turning[1], add(turning[2], rate)), sliding))
        else:
            motions.append((turning, (sliding[0], sliding[1], add(sliding[2], rate))))
    return qdd

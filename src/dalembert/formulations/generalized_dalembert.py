"""Generalized d'Alembert equations of motion (Lee, Lee and Nigam 1982, eqs 29-33), for both kinds of joint.

    sum_j D_ij qdd_j + H_i^tran + H_i^rot + G_i = tau_i

Every coefficient falls into a translational part, from the motion of the mass centres, and a rotational
part, from the turning of the bodies about their mass centres. Lee writes H as sums over velocities; here
the same sums are kept as coefficients H_ijk of qd_j qd_k, so that centrifugal and Coriolis torques come
apart too. Prismatic joints enter through z_j in place of z_j x (r - p_j), and turn nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..arm.errors import ArmError
from ..rings.algebra import ZERO, Mat, Vec, add, column, cross, dot, matvec, minus, mul, plus, scale, sub, transpose
from ..rings.ring import Ring, Scalar
from .chain import Chain
from .coefficients import Christoffel, torque
from .kinematics import frames


@dataclass(frozen=True)
class Parts:
    """Coefficients of one part of the equations: D^tran and H^tran, or D^rot and H^rot."""

    inertia: list[list[Scalar]]
    velocity: Christoffel


@dataclass(frozen=True)
class CentredBody:
    """A body as Lee sees it: what its joints do to its mass centre (base axes) and to its turning (its own axes)."""

    mass: Scalar
    central: Mat
    path: tuple[int, ...]
    shift: dict[int, Vec]
    """d r / d q_j: z_j x (r - p_j), or z_j for a prismatic joint."""
    turn: dict[int, Vec]
    """R_s^0 z_j: the axis in the body's own axes, zero for a prismatic joint."""
    axis: dict[int, Vec]
    """z_j in base axes for a revolute joint, zero for a prismatic one."""


def centred_bodies(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> list[CentredBody]:
    """The bodies at configuration ``q``."""
    found = frames(chain, ring, q)
    bodies = []
    for index, segment in enumerate(chain.segments):
        if segment.com is None or segment.central is None:
            raise ArmError(
                f"body {index + 1}: the split into translation and rotation needs its mass centre; give its parameters "
                f"as m, x, y, z and the inertia about the mass centre"
            )
        rotation, origin = found[index]
        centre = plus(origin, matvec(rotation, segment.com))
        shift, turn, axis = {}, {}, {}
        for j in chain.paths[index]:
            z = column(found[j][0], 2)
            if chain.segments[j].revolute:
                axis[j], turn[j] = z, matvec(transpose(rotation), z)
                shift[j] = cross(z, minus(centre, found[j][1]))
            else:
                axis[j], turn[j], shift[j] = ZERO, ZERO, z
        bodies.append(CentredBody(segment.mass, segment.central, chain.paths[index], shift, turn, axis))
    return bodies


def parts(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> tuple[Parts, Parts]:
    """Translational and rotational coefficients, eqs (30), (31) and (32)."""
    n = chain.n
    tran, rot = (Parts([[0] * n for _ in range(n)], [[[0] * n for _ in range(n)] for _ in range(n)]) for _ in range(2))
    half = ring.number(Fraction(1, 2))
    for body in centred_bodies(chain, ring, q):
        weighted = {j: scale(body.mass, body.shift[j]) for j in body.path}
        spun = {j: matvec(body.central, body.turn[j]) for j in body.path}
        for b, k in enumerate(body.path):
            for j in body.path[: b + 1]:
                _increase(tran.inertia, j, k, dot(weighted[j], body.shift[k]))
                _increase(rot.inertia, j, k, dot(spun[j], body.turn[k]))
                # acceleration of the mass centre from qd_j qd_k, j being nearer the base: z_j x (d r/d q_k)
                bend = cross(body.axis[j], body.shift[k])
                # change of the angular velocity of k as j carries its axis around, in the body's axes
                twist = scale(half, cross(body.turn[j], body.turn[k])) if j != k else ZERO
                for i in body.path:
                    _grow(tran.velocity, i, j, k, dot(weighted[i], bend))
                    gyroscopic = mul(half, add(_triple(body, spun, i, j, k), _triple(body, spun, i, k, j)))
                    _grow(rot.velocity, i, j, k, add(dot(spun[i], twist), gyroscopic))
    return tran, rot


def _triple(body: CentredBody, spun: dict[int, Vec], i: int, p: int, q: int) -> Scalar:
    """(R z_i x R z_p) . I R z_q, the second term of eq. (32)."""
    return dot(cross(body.turn[i], body.turn[p]), spun[q])


def _increase(matrix: list[list[Scalar]], j: int, k: int, amount: Scalar) -> None:
    matrix[j][k] = add(matrix[j][k], amount)
    matrix[k][j] = matrix[j][k]


def _grow(symbols: Christoffel, i: int, j: int, k: int, amount: Scalar) -> None:
    symbols[i][j][k] = add(symbols[i][j][k], amount)
    symbols[i][k][j] = symbols[i][j][k]


def mass_matrix(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """D_ij of eq. (30)."""
    tran, rot = parts(chain, ring, q)
    return [[add(a, b) for a, b in zip(r, s, strict=True)] for r, s in zip(tran.inertia, rot.inertia, strict=True)]


def christoffel(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> Christoffel:
    """H_ijk^tran + H_ijk^rot of eqs (31) and (32), symmetric in j and k."""
    tran, rot = parts(chain, ring, q)
    n = range(chain.n)
    return [[[add(tran.velocity[i][j][k], rot.velocity[i][j][k]) for k in n] for j in n] for i in n]


def gravity(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> list[Scalar]:
    """G_i = -g . [z_i x sum_j m_j (r_j - p_i)], eq. (33)."""
    load: list[Scalar] = [0] * chain.n
    for body in centred_bodies(chain, ring, q):
        for i in body.path:
            load[i] = sub(load[i], mul(body.mass, dot(chain.gravity, body.shift[i])))
    return load


def inverse_dynamics(
    chain: Chain, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """Eq. (29)."""
    return torque(mass_matrix(chain, ring, q), christoffel(chain, ring, q), gravity(chain, ring, q), qd, qdd)

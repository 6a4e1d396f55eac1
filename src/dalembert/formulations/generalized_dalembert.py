"""Generalized d'Alembert equations of motion (Lee, Lee and Nigam 1982, eqs 29-33), for both kinds of joint.

    sum_j D_ij qdd_j + H_i^tran + H_i^rot + G_i = tau_i

Every coefficient falls into a translational part, from the motion of the mass centres, and a rotational part, from the
turning of the bodies about their mass centres. The efficiency of the paper is that H is never taken apart: speeds enter
as vectors, the sums of eqs (6), (9) and (16), each carried on from link to link, so that torques cost O(n^3)
operations. Where H is wanted as coefficients H_ijk of qd_j qd_k (``parts``: centrifugal and Coriolis torques apart,
closed forms) they are the slopes of these very sums. Prismatic joints enter through z_j in place of z_j x (r - p_j),
and turn nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..arm.errors import ArmError
from ..rings.algebra import ZERO, Mat, Vec, add, column, cross, dot, matvec, minus, mul, plus, scale, sub, transpose
from ..rings.dual import Duals, slope_of, value_of
from ..rings.ring import Ring, Scalar
from .chain import Chain
from .coefficients import Christoffel
from .kinematics import Frame, frames

Matrix = list[list[Scalar]]

PARTS = ("translational", "rotational")
"""The two kinds of motion, in the order of all pairs here."""


@dataclass(frozen=True)
class Parts:
    """Coefficients of one part of the equations: D^tran and H^tran, or D^rot and H^rot."""

    inertia: Matrix
    velocity: Christoffel


@dataclass(frozen=True)
class CentredBody:
    """A body as Lee sees it: what its joints do to its mass centre (base axes) and to its turning (its own axes)."""

    mass: Scalar
    central: Mat
    rotation: Mat
    """R_0^s, from its own axes into those of the base."""
    centre: Vec
    """c_s: the mass centre from the origin of its joint frame, in base axes."""
    path: tuple[int, ...]
    shift: dict[int, Vec]
    """d r / d q_j: z_j x (r - p_j), or z_j for a prismatic joint (eq. 12)."""
    weighted: dict[int, Vec]
    """m_s times it."""
    turn: dict[int, Vec]
    """R_s^0 z_j: the axis in the body's own axes (eq. 7), zero for a prismatic joint."""


def centred_bodies(chain: Chain, joint_frames: Sequence[Frame]) -> list[CentredBody]:
    """The bodies at one configuration, by their ``joint_frames`` in the base."""
    bodies = []
    for index, segment in enumerate(chain.segments):
        if segment.com is None or segment.central is None:
            raise ArmError(
                f"body {index + 1}: translation and rotation apart need its mass centre; give its parameters about it, "
                'with parameters="centre+lengths+gravity" or "numbers"'
            )
        rotation, origin = joint_frames[index]
        centre = matvec(rotation, segment.com)
        position, to_body = plus(origin, centre), transpose(rotation)
        shift, turn = {}, {}
        for j in chain.paths[index]:
            z = column(joint_frames[j][0], 2)
            if chain.segments[j].revolute:
                shift[j], turn[j] = cross(z, minus(position, joint_frames[j][1])), matvec(to_body, z)
            else:
                shift[j], turn[j] = z, ZERO
        weighted = {j: scale(segment.mass, moved) for j, moved in shift.items()}
        bodies.append(
            CentredBody(segment.mass, segment.central, rotation, centre, chain.paths[index], shift, weighted, turn)
        )
    return bodies


def inertia(chain: Chain, bodies: Sequence[CentredBody]) -> tuple[Matrix, Matrix]:
    """D^tran and D^rot of eq. (30)."""
    tran, rot = ([[0] * chain.n for _ in range(chain.n)] for _ in range(2))
    for body in bodies:
        for b, k in enumerate(body.path):
            spun = matvec(body.central, body.turn[k])
            for j in body.path[: b + 1]:
                tran[j][k] = tran[k][j] = add(tran[j][k], dot(body.shift[j], body.weighted[k]))
                rot[j][k] = rot[k][j] = add(rot[j][k], dot(body.turn[j], spun))
    return tran, rot


@dataclass(frozen=True)
class Drift:
    """The motion of a joint frame that speeds alone give it, in base axes: what is left of eqs (6) and (16)."""

    spin: Vec
    """omega_s = sum_j qd_j z_j."""
    wobble: Vec
    """sum_p (sum_{q<p} qd_q z_q) x qd_p z_p, the rate of omega_s at zero accelerations."""
    acceleration: Vec
    """That of its origin, at zero accelerations."""

    def of_point(self, offset: Vec) -> Vec:
        """The acceleration of a point of the body, at ``offset`` from the origin."""
        turned = plus(cross(self.wobble, offset), cross(self.spin, cross(self.spin, offset)))
        return plus(self.acceleration, turned)


AT_REST = Drift(ZERO, ZERO, ZERO)


def drifts(chain: Chain, joint_frames: Sequence[Frame], qd: Sequence[Scalar]) -> list[Drift]:
    """The drift of every joint frame, each from that of its parent."""
    motions: list[Drift] = []
    for (rotation, origin), segment, speed in zip(joint_frames, chain.segments, qd, strict=True):
        before, start = (
            (motions[segment.parent], joint_frames[segment.parent][1]) if segment.parent >= 0 else (AT_REST, ZERO)
        )
        carried = before.of_point(minus(origin, start))
        axis_rate = scale(speed, column(rotation, 2))
        aside = cross(before.spin, axis_rate)
        if segment.revolute:
            motions.append(Drift(plus(before.spin, axis_rate), plus(before.wobble, aside), carried))
        else:
            motions.append(Drift(before.spin, before.wobble, plus(carried, plus(aside, aside))))
    return motions


def velocity(
    chain: Chain, joint_frames: Sequence[Frame], bodies: Sequence[CentredBody], qd: Sequence[Scalar]
) -> tuple[list[Scalar], list[Scalar]]:
    """H^tran of eq. (31) and H^rot of eq. (32), as sums.

    (R z_i x omega)^T I omega, the second term of eq. (32), is (R z_i)^T (omega x I omega): both terms are then the
    component along R z_i of one moment of the body.
    """
    tran: list[Scalar] = [0] * chain.n
    rot: list[Scalar] = [0] * chain.n
    motions = drifts(chain, joint_frames, qd)
    for body in bodies:
        drift = motions[body.path[-1]]
        acceleration = drift.of_point(body.centre)
        to_body = transpose(body.rotation)
        spin, wobble = matvec(to_body, drift.spin), matvec(to_body, drift.wobble)
        moment = plus(matvec(body.central, wobble), cross(spin, matvec(body.central, spin)))
        for i in body.path:
            tran[i] = add(tran[i], dot(body.weighted[i], acceleration))
            rot[i] = add(rot[i], dot(body.turn[i], moment))
    return tran, rot


def velocity_split(
    chain: Chain, joint_frames: Sequence[Frame], bodies: Sequence[CentredBody], qd: Sequence[Scalar]
) -> tuple[tuple[list[Scalar], list[Scalar]], ...]:
    """H^tran and H^rot, each as centrifugal torques (the sums at one speed at a time) and Coriolis ones (the rest).

    Of coordinates: where joints follow others, all that go with a coordinate move at once.
    """
    coupling = chain.coupling
    squares: list[list[Scalar]] = [[0] * len(qd) for _ in PARTS]
    for k, speed in enumerate(qd):
        alone: list[Scalar] = [0] * len(qd)
        alone[k] = speed
        joints = coupling.joints(alone)
        # A structural zero is no speed: bodies that no moving joint carries stand still.
        moved = [body for body in bodies if any(type(joints[j]) is not int for j in body.path)]
        for total, part in zip(squares, velocity(chain, joint_frames, moved, joints), strict=True):
            total[:] = [add(a, b) for a, b in zip(total, coupling.load(part), strict=True)]
    totals = map(coupling.load, velocity(chain, joint_frames, bodies, coupling.joints(qd)))
    return tuple(
        (total, [sub(a, b) for a, b in zip(part, total, strict=True)])
        for total, part in zip(squares, totals, strict=True)
    )


def weight(chain: Chain, bodies: Sequence[CentredBody]) -> list[Scalar]:
    """G_i = -g . [z_i x sum_j m_j (r_j - p_i)], eq. (33)."""
    moments = [ZERO] * chain.n
    for body in bodies:
        for i in body.path:
            moments[i] = plus(moments[i], body.weighted[i])
    return [sub(0, dot(chain.gravity, moment)) for moment in moments]


def parts(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> tuple[Parts, Parts]:
    """Translational and rotational coefficients, eqs (30), (31) and (32), H taken apart into H_ijk.

    H is quadratic in the speeds. At unit speed of joint k alone it is H_ikk, and its slope to the speed of joint j
    there is 2 H_ijk.
    """
    n = chain.n
    joint_frames = frames(chain, ring, q)
    bodies = centred_bodies(chain, joint_frames)
    half = ring.number(Fraction(1, 2))
    tables: tuple[Christoffel, Christoffel] = _symbols(n), _symbols(n)
    for k in range(n):
        speeds: list[Scalar] = [Duals(ring).variable(0, j) for j in range(k)]
        speeds += [1] + [0] * (n - k - 1)
        moved = [body for body in bodies if k in body.path]
        for symbols, torques in zip(tables, velocity(chain, joint_frames, moved, speeds), strict=True):
            for i, torque in enumerate(torques):
                symbols[i][k][k] = value_of(torque)
                for j in range(k):
                    symbols[i][j][k] = symbols[i][k][j] = mul(half, slope_of(torque, j))
    tran, rot = (Parts(matrix, symbols) for matrix, symbols in zip(inertia(chain, bodies), tables, strict=True))
    return tran, rot


def _symbols(n: int) -> Christoffel:
    return [[[0] * n for _ in range(n)] for _ in range(n)]


def mass_matrix(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> Matrix:
    """D_ij of eq. (30)."""
    return _sum(*inertia(chain, centred_bodies(chain, frames(chain, ring, q))))


def _sum(a: Matrix, b: Matrix) -> Matrix:
    return [[add(x, y) for x, y in zip(r, s, strict=True)] for r, s in zip(a, b, strict=True)]


def christoffel(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> Christoffel:
    """H_ijk^tran + H_ijk^rot of eqs (31) and (32), symmetric in j and k."""
    tran, rot = parts(chain, ring, q)
    return [_sum(a, b) for a, b in zip(tran.velocity, rot.velocity, strict=True)]


def gravity(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> list[Scalar]:
    """G_i of eq. (33)."""
    return weight(chain, centred_bodies(chain, frames(chain, ring, q)))


def inverse_dynamics(
    chain: Chain, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """Eq. (29)."""
    joint_frames = frames(chain, ring, q)
    bodies = centred_bodies(chain, joint_frames)
    tran, rot = velocity(chain, joint_frames, bodies, qd)
    pushed = matvec(_sum(*inertia(chain, bodies)), qdd)
    pulled = weight(chain, bodies)
    return [add(add(a, b), add(c, d)) for a, b, c, d in zip(pushed, tran, rot, pulled, strict=True)]


def simplified(
    chain: Chain,
    ring: Ring,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    turning: Collection[int],
    kept: Collection[str] = (),
) -> list[Scalar]:
    """The simplified torques of section 3: D_ij^rot where the outer joint is among ``turning``, else D_ij^tran.

    Of H the parts in ``kept`` ("translational", "rotational") stay; without either no speed counts.
    """
    joint_frames = frames(chain, ring, q)
    bodies = centred_bodies(chain, joint_frames)
    pushed = matvec(simplified_inertia(chain, bodies, turning), qdd)
    torques = [add(a, b) for a, b in zip(pushed, weight(chain, bodies), strict=True)]
    for name, part in zip(PARTS, velocity(chain, joint_frames, bodies, qd) if kept else (), strict=False):
        if name in kept:
            torques = [add(a, b) for a, b in zip(torques, part, strict=True)]
    return torques


def simplified_inertia(chain: Chain, bodies: Sequence[CentredBody], turning: Collection[int]) -> Matrix:
    """D_ij^rot where the outer of the joints i and j is among ``turning``, else D_ij^tran."""
    matrix: Matrix = [[0] * chain.n for _ in range(chain.n)]
    for body in bodies:
        for b, k in enumerate(body.path):
            pushed, moved = (
                (matvec(body.central, body.turn[k]), body.turn) if k in turning else (body.weighted[k], body.shift)
            )
            for j in body.path[: b + 1]:
                matrix[j][k] = matrix[k][j] = add(matrix[j][k], dot(moved[j], pushed))
    return matrix


def energies(chain: Chain, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar]) -> tuple[Scalar, Scalar]:
    """K^tran = sum_s m_s v_s . v_s / 2 and K^rot = sum_s (R omega_s)^T I_s (R omega_s) / 2, eqs (9), (10) and (17)."""
    bodies = centred_bodies(chain, frames(chain, ring, q))
    tran: Scalar = 0
    rot: Scalar = 0
    for body in bodies:
        speed, spin = ZERO, ZERO
        for j in body.path:
            speed, spin = plus(speed, scale(qd[j], body.shift[j])), plus(spin, scale(qd[j], body.turn[j]))
        tran = add(tran, mul(body.mass, dot(speed, speed)))
        rot = add(rot, dot(spin, matvec(body.central, spin)))
    half = ring.number(Fraction(1, 2))
    return mul(half, tran), mul(half, rot)

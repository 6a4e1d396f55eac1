"""What a joint moves, as one body in motion: its inertia, and the Coriolis and other forces that its motion asks for.

With first and second moments h and S = integral of r r^T dm about the common origin, momentum p, and
K = integral of r' r^T dm, a body that turns at w and moves at u besides asks for the forces

    I (w, u) = (tr(S) w - S w + h x u; m u + w x h),    2 B (w, u) = 2 (N w; w x p),    N = tr(K) E - K.

B = ((v x*) I - I (v x) + (I v) x*) / 2 is the Coriolis matrix of a body (Echeandia and Wensing 2021), v its velocity,
the last term being the one that takes a motion (w, u) to (w, u) x* I v.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..rings.algebra import (
    ZERO,
    Mat,
    Vec,
    add,
    as_matrix,
    column,
    cross,
    dot,
    matmul,
    matplus,
    matvec,
    minus,
    mul,
    plus,
    scale,
    transpose,
)  # fmt: skip
from ..rings.ring import Scalar
from .kinematics import Frame
from .newton_euler import axial_of_product, spin_matrix
from .spatial import ZERO_SCREW, Screw, screw_sum


@dataclass(frozen=True)
class BodyMotion:
    """Where a body is and how it moves: frame, velocity, acceleration."""

    frame: Frame
    velocity: Screw
    acceleration: Screw


@dataclass(frozen=True)
class MovingComposite:
    """What a joint moves: mass, first and second moments, momentum p, K = integral of r' r^T dm, force on it."""

    mass: Scalar
    moment: Vec
    second: Mat
    momentum: Vec = ZERO
    velocity_moments: Mat = (ZERO, ZERO, ZERO)
    load: Screw = ZERO_SCREW

    def joined(self, other: MovingComposite) -> MovingComposite:
        """The two as one body."""
        return MovingComposite(
            add(self.mass, other.mass),
            plus(self.moment, other.moment),
            matplus(self.second, other.second),
            plus(self.momentum, other.momentum),
            matplus(self.velocity_moments, other.velocity_moments),
            screw_sum(self.load, other.load),
        )

    def inertia(self, motion: Screw) -> Screw:
        """The load that this acceleration asks for: m u + w x h, and tr(S) w - S w + h x u."""
        w, u = motion
        return (
            plus(minus(scale(_trace(self.second), w), matvec(self.second, w)), cross(self.moment, u)),
            plus(scale(self.mass, u), cross(w, self.moment)),
        )

    def parts(self, motion: Screw) -> Scalar:
        """What S . I S is at most where nothing in it cancels: 3 tr(S) w^2 + 2 m u^2, since h^2 is at most m tr(S)."""
        w, u = motion
        turning, moving = mul(_trace(self.second), dot(w, w)), mul(self.mass, dot(u, u))
        return add(add(turning, add(turning, turning)), add(moving, moving))

    def coriolis(self, motion: Screw) -> Screw:
        """B (w, u) = (N w; w x p)."""
        w, _ = motion
        return (
            minus(scale(_trace(self.velocity_moments), w), matvec(self.velocity_moments, w)),
            cross(w, self.momentum),
        )

    def coriolis_transposed(self, motion: Screw) -> Vec:
        """B^T (w, u) = N^T w + p x u, the linear part is zero."""
        w, u = motion
        across = minus(scale(_trace(self.velocity_moments), w), matvec(transpose(self.velocity_moments), w))
        return plus(across, cross(self.momentum, u))


def body_in_motion(mass: Scalar, moment: Vec, second: Mat, move: BodyMotion, loaded: bool) -> MovingComposite:
    """A body by its moments about its joint frame, in the common frame and in motion; ``loaded``, with its force."""
    moving = _moving(MovingComposite(mass, *_in_common_frame(mass, moment, second, move.frame)), move.velocity)
    return _loaded(moving, move.velocity, move.acceleration) if loaded else moving


def _in_common_frame(mass: Scalar, moment: Vec, second: Mat, frame: Frame) -> tuple[Vec, Mat]:
    """First and second moments in the common frame: R h + m p and R S R^T + p (R h)^T + (R h) p^T + m p p^T."""
    turn, shift = frame
    turned = matvec(turn, moment)
    whole = plus(turned, scale(mass, shift))
    half = matmul(turn, second)
    rows: list[list[Scalar]] = [[0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(i, 3):
            levers = add(mul(shift[i], whole[j]), mul(turned[i], shift[j]))
            rows[i][j] = rows[j][i] = add(dot(half[i], turn[j]), levers)
    return whole, as_matrix(rows)


def _moving(body: MovingComposite, speed: Screw) -> MovingComposite:
    """With its momentum m v + w x h, and K = [w]x S + v h^T."""
    w, v = speed
    columns = [plus(cross(w, column(body.second, k)), scale(body.moment[k], v)) for k in range(3)]
    return replace(
        body, momentum=plus(scale(body.mass, v), cross(w, body.moment)), velocity_moments=as_matrix(transpose(columns))
    )


def _loaded(body: MovingComposite, speed: Screw, rate: Screw) -> MovingComposite:
    """With the force m a + U h and the moment h x a + axial(U S) that its motion asks for (``newton_euler.py``)."""
    (w, v), (alpha, acceleration) = speed, rate
    a = plus(acceleration, cross(w, v))  # of the point that is at the origin, not of the place there
    spin = spin_matrix(w, alpha)
    moment = plus(axial_of_product(spin, w, body.second), cross(body.moment, a))
    return replace(body, load=(moment, plus(scale(body.mass, a), matvec(spin, body.moment))))


def _trace(a: Mat) -> Scalar:
    return add(add(a[0][0], a[1][1]), a[2][2])

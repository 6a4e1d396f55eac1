"""Kinematic influence coefficients and the dynamic model in I*, P* (Freeman 1985, chapter II).

For a motion parameter u(phi), G = du/dphi, H = d2u/dphi2 and D = d3u/dphi3 are the influence coefficients of
first, second and third order (Tables 2-3 to 2-5): u' = G phi', u'' = G phi'' + phi'.H phi', and so on. They give

    I*  = sum M G_c^T G_c + G^T [Pi] G                                          (2-196)
    P*  = sum M (G_c^T . H_c) + G^T [Pi] . H + G^T [Pi] (G x G)                 (2-197)
    T   = I* phi'' + phi'.P* phi' - applied loads                               (2-198)

with [Pi] the inertia dyadic about the mass centre in base axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..arm.errors import ArmError
from ..rings.algebra import (
    ZERO,
    Mat,
    Vec,
    add,
    column,
    cross,
    dot,
    matmul,
    matvec,
    minus,
    mul,
    plus,
    scale,
    sub,
    transpose,
)
from ..rings.ring import Ring, Scalar
from .chain import Chain
from .coefficients import Christoffel, torque
from .kinematics import Frame, frames


class PointInfluence:
    """Influence coefficients of a point fixed in a body, and of the body's rotation, at one configuration.

    ``point`` is in the joint frame of ``body``. Joints that do not move the body have zero coefficients.
    """

    def __init__(self, chain: Chain, joint_frames: Sequence[Frame], body: int, point: Vec) -> None:
        self.path = chain.paths[body] if body >= 0 else ()
        self.revolute = [segment.revolute for segment in chain.segments]
        self.axis = {j: column(joint_frames[j][0], 2) for j in self.path}
        turn, origin = joint_frames[body] if body >= 0 else (((1, 0, 0), (0, 1, 0), (0, 0, 1)), ZERO)
        self.position = plus(origin, matvec(turn, point))
        self.arm = {j: minus(self.position, joint_frames[j][1]) for j in self.path}

    def turn(self, n: int) -> Vec:
        """g_n of the rotation: s_n for a revolute joint on the path (2-56)."""
        return self.axis[n] if n in self.axis and self.revolute[n] else ZERO

    def turn2(self, m: int, n: int) -> Vec:
        """h_mn of the rotation, d g_n / d phi_m: s_m x s_n for m before n, not symmetric (2-69)."""
        return cross(self.turn(m), self.turn(n)) if m < n else ZERO

    def turn3(self, l: int, m: int, n: int) -> Vec:  # noqa: E741 - Freeman's index
        """d_lmn of the rotation, d h_mn / d phi_l (Table 2-5)."""
        if not m < n or not l < n:
            return ZERO
        if l < m:
            return cross(self.turn(l), cross(self.turn(m), self.turn(n)))
        return cross(self.turn(m), cross(self.turn(l), self.turn(n)))

    def shift(self, n: int) -> Vec:
        """g_n of the point: s_n x (P - R_n), or s_n for a prismatic joint (2-66)."""
        if n not in self.axis:
            return ZERO
        return cross(self.axis[n], self.arm[n]) if self.revolute[n] else self.axis[n]

    def shift2(self, m: int, n: int) -> Vec:
        """h_mn of the point: s_i x (g_j), i the nearer joint to the base, symmetric (2-76), (2-79), (2-84)."""
        i, j = min(m, n), max(m, n)
        return cross(self.turn(i), self.shift(j))

    def shift3(self, l: int, m: int, n: int) -> Vec:  # noqa: E741 - Freeman's index
        """d_lmn of the point: s_i x (s_j x g_k) with i <= j <= k, symmetric (Table 2-5)."""
        i, j, k = sorted((l, m, n))
        return cross(self.turn(i), cross(self.turn(j), self.shift(k)))


def dynamic_model(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> tuple[list[list[Scalar]], Christoffel]:
    """I* (2-196) and P* (2-197), the latter made symmetric in its velocity indices."""
    n = chain.n
    inertia: list[list[Scalar]] = [[0] * n for _ in range(n)]
    power: Christoffel = [[[0] * n for _ in range(n)] for _ in range(n)]
    half = ring.number(Fraction(1, 2))
    joint_frames = frames(chain, ring, q)
    for body, segment in enumerate(chain.segments):
        if segment.com is None or segment.central is None:
            raise ArmError(
                f"body {body + 1}: influence coefficients need its mass centre; give its parameters about it"
            )
        centre = PointInfluence(chain, joint_frames, body, segment.com)
        rotation = joint_frames[body][0]
        dyadic: Mat = matmul(matmul(rotation, segment.central), transpose(rotation))
        path = centre.path
        momentum = {j: scale(segment.mass, centre.shift(j)) for j in path}
        angular = {j: matvec(dyadic, centre.turn(j)) for j in path}
        for b, k in enumerate(path):
            for j in path[: b + 1]:
                contribution = add(dot(momentum[j], centre.shift(k)), dot(angular[j], centre.turn(k)))
                inertia[j][k] = inertia[k][j] = add(inertia[j][k], contribution)
                bend = centre.shift2(j, k)
                twist = scale(half, plus(centre.turn2(j, k), centre.turn2(k, j)))
                for i in path:
                    gyroscopic = mul(
                        half,
                        add(
                            dot(angular[j], cross(centre.turn(i), centre.turn(k))),
                            dot(angular[k], cross(centre.turn(i), centre.turn(j))),
                        ),
                    )
                    contribution = add(add(dot(momentum[i], bend), dot(angular[i], twist)), gyroscopic)
                    power[i][j][k] = power[i][k][j] = add(power[i][j][k], contribution)
    return inertia, power


def mass_matrix(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """I* (2-196)."""
    return dynamic_model(chain, ring, q)[0]


def christoffel(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> Christoffel:
    """P* (2-197), symmetric in the velocities."""
    return dynamic_model(chain, ring, q)[1]


def gravity(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> list[Scalar]:
    """Weights as applied loads: G_n = -sum (M g) . g_n of the mass centre (2-147)."""
    joint_frames = frames(chain, ring, q)
    load: list[Scalar] = [0] * chain.n
    for body, segment in enumerate(chain.segments):
        if segment.com is None:
            raise ArmError(
                f"body {body + 1}: influence coefficients need its mass centre; give its parameters about it"
            )
        centre = PointInfluence(chain, joint_frames, body, segment.com)
        weight = scale(segment.mass, chain.gravity)
        for j in centre.path:
            load[j] = sub(load[j], dot(weight, centre.shift(j)))
    return load


def inverse_dynamics(
    chain: Chain, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """Eq. (2-198)."""
    inertia, power = dynamic_model(chain, ring, q)
    return torque(inertia, power, gravity(chain, ring, q), qd, qdd)

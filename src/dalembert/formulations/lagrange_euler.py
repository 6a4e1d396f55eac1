"""Lagrange-Euler with 4x4 matrices U and pseudo-inertias (Bejczy 1974, eqs 1-11), traces shortened (Appendix D).

Since Q commutes with the motion of its own joint, U_ji = T_0^i Q_i T_i^j with T in joint frames, and

    D_ik  = sum_j Trace(U_jk J_j U_ji^T),
    D_ikp = sum_j Trace(U_jkp J_j U_ji^T),
    D_i   = -sum_j m_j G U_ji p_j.

By Appendix D every transformation before the lowest joint that occurs drops out of a trace; and the sum
over the bodies j is the pseudo-inertia P = sum_j T J_j T^T of all that the highest joint moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..rings.algebra import Square, add, dot, matmul, matplus, matvec, mul, sub, trace_of_product, transpose
from ..rings.ring import Ring, Scalar
from .chain import Chain, Segment
from .coefficients import Christoffel, torque
from .kinematics import Frame, frames, relative_frames

Q_ROTATION: Square = ((0, -1, 0, 0), (1, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0))
"""Bejczy 1974, eq. (5)."""

Q_TRANSLATION: Square = ((0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 0, 0))
"""Bejczy 1974, eq. (6)."""


def q_matrix(segment: Segment) -> Square:
    """The derivative operator of a joint: dT/dq = T Q."""
    return Q_ROTATION if segment.revolute else Q_TRANSLATION


def homogeneous(frame: Frame) -> Square:
    """The 4x4 transformation of a frame."""
    turn, shift = frame
    return (*((*turn[i], shift[i]) for i in range(3)), (0, 0, 0, 1))


def pseudo_inertia(segment: Segment, ring: Ring) -> Square:
    """J of eq. (10), in the joint frame: its upper block is tr(I)/2 E - I."""
    tensor = segment.tensor
    half = mul(ring.number(Fraction(1, 2)), add(add(tensor[0][0], tensor[1][1]), tensor[2][2]))
    rows = [
        (*(sub(half, tensor[i][j]) if i == j else sub(0, tensor[i][j]) for j in range(3)), segment.moment[i])
        for i in range(3)
    ]
    return (*rows, (*segment.moment, segment.mass))


class Traces:
    """The building blocks of eq. (1) at one configuration."""

    def __init__(self, chain: Chain, ring: Ring, q: Sequence[Scalar]) -> None:
        self.chain, self.ring = chain, ring
        steps = [homogeneous(step) for step in relative_frames(chain, ring, q)]
        self.between: dict[tuple[int, int], Square] = {}
        for j, path in enumerate(chain.paths):
            self.between[j, j] = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))
            for i in path[:-1]:
                self.between[i, j] = matmul(self.between[i, path[-2]], steps[j])
        self.moved: list[Square] = [pseudo_inertia(segment, ring) for segment in chain.segments]
        for j in reversed(range(chain.n)):
            parent = chain.segments[j].parent
            if parent >= 0:
                carried = matmul(matmul(steps[j], self.moved[j]), transpose(steps[j]))
                self.moved[parent] = matplus(self.moved[parent], carried)
        self.q = [q_matrix(segment) for segment in chain.segments]

    def first(self, a: int, i: int, j: int) -> Square:
        """T_a^i Q_i T_i^j: the derivative U_ji with all before joint ``a`` left out."""
        return matmul(matmul(self.between[a, i], self.q[i]), self.between[i, j])

    def second(self, a: int, k: int, p: int, j: int) -> Square:
        """T_a^k Q_k T_k^p Q_p T_p^j for k above or at p: U_jkp of eq. (7) with all before ``a`` left out."""
        return matmul(matmul(self.first(a, k, p), self.q[p]), self.between[p, j])

    def inertial(self, i: int, k: int) -> Scalar:
        """D_ik for joint ``i`` above or at ``k``."""
        left = matmul(self.first(i, i, k), self.moved[k])
        return trace_of_product(left, transpose(self.first(i, k, k)))

    def velocity(self, i: int, k: int, p: int) -> Scalar:
        """D_ikp for joint ``k`` above or at ``p``, all three on one path."""
        lowest, highest = min(i, k), max(i, p)
        left = matmul(self.second(lowest, k, p, highest), self.moved[highest])
        return trace_of_product(left, transpose(self.first(lowest, i, highest)))


def mass_matrix(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """D_ik, the first term of eq. (1)."""
    traces = Traces(chain, ring, q)
    matrix: list[list[Scalar]] = [[0] * chain.n for _ in range(chain.n)]
    for k, path in enumerate(chain.paths):
        for i in path:
            matrix[i][k] = matrix[k][i] = traces.inertial(i, k)
    return matrix


def christoffel(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> Christoffel:
    """D_ikp, the second term of eq. (1); symmetric in k and p."""
    traces = Traces(chain, ring, q)
    n = chain.n
    symbols: Christoffel = [[[0] * n for _ in range(n)] for _ in range(n)]
    for p, path in enumerate(chain.paths):
        for k in path:
            for i in range(n):
                if chain.below(i, p) or chain.below(p, i):
                    symbols[i][k][p] = symbols[i][p][k] = traces.velocity(i, k, p)
    return symbols


def gravity(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> list[Scalar]:
    """D_i = -sum_j m_j G U_ji p_j; the masses and mass centres stand in the last column of P_i."""
    traces = Traces(chain, ring, q)
    load: list[Scalar] = []
    for i, frame in enumerate(frames(chain, ring, q)):
        moment = matvec(traces.q[i], [row[3] for row in traces.moved[i]])
        load.append(sub(0, dot(chain.gravity, matvec(frame[0], moment[:3]))))
    return load


def inverse_dynamics(
    chain: Chain, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """Eq. (1)."""
    return torque(mass_matrix(chain, ring, q), christoffel(chain, ring, q), gravity(chain, ring, q), qd, qdd)

"""The torques as a linear map of the inertial parameters: tau = Y(q, qd, qdd) pi.

pi lists, for each moving body, mass, first moment and inertia tensor about its link frame in the order of
``arm.inertia.PARAMETERS`` (Atkeson, An and Hollerbach 1986). Column by column: the force and moment that a body with
this one parameter equal to one needs, carried to every joint on its path.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..arm.inertia import ENTRIES
from ..rings.algebra import ZERO, Mat, Vec, column, cross, matvec, plus, transpose
from ..rings.ring import Ring, Scalar
from .chain import Chain
from .kinematics import relative_frames
from .newton_euler import outward, spin_matrix


def regressor(
    chain: Chain, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[list[Scalar]]:
    """Y, n rows of 10 n entries."""
    steps = relative_frames(chain, ring, q)
    rows: list[list[Scalar]] = [[0] * (10 * chain.n) for _ in range(chain.n)]
    for body, (omega, alpha, acceleration, spin) in enumerate(outward(chain, steps, qd, qdd)):
        turn, shift = chain.segments[body].link
        turn_t = transpose(turn)
        # the same motion seen from the link frame, where the parameters live
        link_acceleration = matvec(turn_t, plus(acceleration, matvec(spin, shift)))
        for number, (force, moment) in enumerate(
            unit_wrenches(matvec(turn_t, omega), matvec(turn_t, alpha), link_acceleration)
        ):
            force = matvec(turn, force)
            moment = plus(matvec(turn, moment), cross(shift, force))
            i = body
            while True:
                rows[i][10 * body + number] = (moment if chain.segments[i].revolute else force)[2]
                parent = chain.segments[i].parent
                if parent < 0:
                    break
                step_turn, step_shift = steps[i]
                force = matvec(step_turn, force)
                moment = plus(matvec(step_turn, moment), cross(step_shift, force))
                i = parent
    return rows


def unit_wrenches(omega: Vec, alpha: Vec, acceleration: Vec) -> list[tuple[Vec, Vec]]:
    """Force and moment about the frame's origin for each parameter equal to one and the others zero."""
    spin: Mat = spin_matrix(omega, alpha)
    wrenches: list[tuple[Vec, Vec]] = [(acceleration, ZERO)]
    for axis in range(3):
        unit: Vec = tuple(int(axis == k) for k in range(3))  # type: ignore[assignment]
        wrenches.append((column(spin, axis), cross(unit, acceleration)))
    for _, i, j in ENTRIES:
        # I alpha + omega x I omega with I the symmetric unit matrix of entry ij
        turned, stirred = ([alpha[i] if k == j else 0 for k in range(3)], [omega[i] if k == j else 0 for k in range(3)])
        if i != j:
            turned[i], stirred[i] = alpha[j], omega[j]
        wrenches.append((ZERO, plus(tuple(turned), cross(omega, tuple(stirred)))))  # type: ignore[arg-type]
    return wrenches

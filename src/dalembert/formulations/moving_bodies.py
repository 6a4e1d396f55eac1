"""Bodies that the joints move on a link: pistons, rods, nuts, belts, effectors that are not round; exact.

The frame of such a body stands in the base at T(q) = T_k(q) T_a(q): the link that carries it, times a placement that is
a function of the joint positions. With its pseudo-inertia J (Szkodny 1995, eq. 5) the kinetic and potential energies
are T = Trace(dT/dt J dT^T/dt) / 2 and V = -g . (mass times mass centre), hence (15a-c)

    D_ij  += Trace(dT/dq_i J dT^T/dq_j)
    D_ijk += Trace(d2T/dq_j dq_k J dT^T/dq_i)
    D_i   -= m g . dT/dq_i r.

Szkodny writes (4) with T_k and T_a apart; his full D_ij and D_ijk in the Appendix are these less the terms of the body
locked to its link. The derivatives are those of dual numbers, so that all of it runs over any ring. The acceleration of
a motion is one derivative along it: d2T/dt2 of q + qd t + qdd t^2 / 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from ..arm.description import ArmDescription
from ..arm.drives import Actuator, Element
from ..arm.errors import ArmError
from ..arm.joint_ranges import finite_ranges
from ..arm.moving_parts import MovingBody
from ..rings.algebra import ZERO, Vec, add, dot, plus, sub
from ..rings.dual import Dual, Duals, levels_above, lifted, slope_of, value_of
from ..rings.real import REAL
from ..rings.ring import Ring, Scalar
from .applied_loads import link_in_body
from .chain import Chain, placed
from .coefficients import Christoffel
from .kinematics import Frame, compose, joint_frame

Table = list[list[Scalar]]
Rows = list[list[Scalar]]
"""Three rows of a homogeneous 4x4 matrix."""


@dataclass(frozen=True)
class CarriedBody:
    """A moving body over the ring: the body of the chain that carries it, where, and what it is made of.

    ``moment`` is the first moment, then the mass: the fourth column of the pseudo-inertia ``pseudo``; ``point`` is the
    pseudo-inertia of all its mass at the mass centre.
    """

    ring: Ring
    carrier: int
    mount: Frame
    placement: Callable[[Ring, Sequence[Scalar]], Frame]
    pseudo: Rows
    point: Rows
    moment: list[Scalar]

    def frame(self, chain: Chain, ring: Ring, q: Sequence[Scalar]) -> Rows:
        """T(q) at the positions of all joints, over ``ring``, which may be duals over that of the body."""
        levels = levels_above(ring, self.ring)

        def as_constants(table: Any) -> Any:
            """Lengths and turns of the arm as constants, which over duals they are not by themselves."""
            return tuple(map(as_constants, table)) if isinstance(table, (list, tuple)) else lifted(table, levels)

        pose = compose(as_constants(self.mount), self.placement(ring, chain.coupling.coordinates(q)))
        index = self.carrier
        while index >= 0:
            segment = chain.segments[index]
            if levels:
                segment = replace(
                    segment, rotation=as_constants(segment.rotation), position=as_constants(segment.position)
                )
            pose = compose(joint_frame(segment, ring, q[index]), pose)
            index = segment.parent
        turn, shift = pose
        return [[*turn[i], shift[i]] for i in range(3)]


def carried(
    arm: ArmDescription, ring: Ring, parts: Sequence[Actuator | Element], parameters: Mapping[str, Scalar] | None = None
) -> tuple[CarriedBody, ...]:
    """The moving bodies of these parts over ``ring``."""
    bodies = []
    for part in parts:
        if part.body is None:
            continue
        check_placement(arm, part.name, part.body)
        body, link = link_in_body(arm, ring, part.body.link or arm.base, parameters)
        mount = compose(link, placed(part.body.mount, ring, {}))
        matter = part.body.inertia.pseudo
        mass = matter[3][3] or Fraction(1)
        pseudo = [[ring.number(x) for x in row] for row in matter]
        point = [[ring.number(a * b / mass) for b in matter[3]] for a in matter[3]]
        bodies.append(CarriedBody(ring, body, mount, part.body.placement, pseudo, point, pseudo[3]))
    return tuple(bodies)


def check_placement(arm: ArmDescription, name: str, body: MovingBody) -> None:
    """Refuse a placement that fails, or whose rotation is none, at some positions within the limits."""
    limits = [joint.limits for joint in arm.moving]
    low, high = finite_ranges([each.lower for each in limits], [each.upper for each in limits], 1.0)
    for fraction in (0.5, 0.3, 0.8):
        try:
            with np.errstate(divide="ignore", invalid="ignore"):
                turn, shift = body.placement(REAL, [float(x) for x in low + fraction * (high - low)])
            rows, origin = np.array(turn, dtype=float), np.array(shift, dtype=float)
        except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as fault:
            raise ArmError(f"{arm.where}the placement of {name!r} cannot be worked out: {fault}") from None
        if rows.shape != (3, 3) or origin.shape != (3,):
            raise ArmError(f"{arm.where}the placement of {name!r} is no rotation of 3 rows and position of 3 numbers")
        defect = float(np.abs(rows @ rows.T - np.eye(3)).max())
        if defect > 1e-9 or np.linalg.det(rows) < 0:
            raise ArmError(
                f"{arm.where}the placement of {name!r} turns it by a matrix that is no rotation (off by {defect:.2g}); "
                "give sines and cosines of one angle"
            )


def mass_matrix(chain: Chain, ring: Ring, q: Sequence[Scalar], bodies: Sequence[CarriedBody]) -> Table:
    """What moving bodies add to D (15a)."""
    n = chain.n
    matrix: Table = [[0] * n for _ in range(n)]
    for body in bodies:
        slopes = _slopes(chain, ring, q, body)
        pushed = [_times(slope, body.pseudo) for slope in slopes]
        for i in range(n):
            for j in range(i + 1):
                matrix[i][j] = add(matrix[i][j], _trace(pushed[i], slopes[j]))
                matrix[j][i] = matrix[i][j]
    return matrix


def christoffel(chain: Chain, ring: Ring, q: Sequence[Scalar], bodies: Sequence[CarriedBody]) -> Christoffel:
    """What moving bodies add to the Christoffel symbols (15b); symmetric in the last two indices."""
    n = chain.n
    symbols: Christoffel = [[[0] * n for _ in range(n)] for _ in range(n)]
    inner = Duals(ring)
    outer = Duals(inner)
    moving = [outer.variable(inner.variable(value, k), k) for k, value in enumerate(q)]
    for body in bodies:
        frame_rows = body.frame(chain, outer, moving)
        slopes = [_mapped(frame_rows, partial(slope_of, key=j)) for j in range(n)]
        first = [_mapped(slope, value_of) for slope in slopes]
        pushed = [_times(slope, body.pseudo) for slope in first]
        for j in range(n):
            for k in range(j, n):
                second = _mapped(slopes[j], partial(slope_of, key=k))
                for i in range(n):
                    symbols[i][j][k] = add(symbols[i][j][k], _trace(pushed[i], second))
                    symbols[i][k][j] = symbols[i][j][k]
    return symbols


def torque(
    chain: Chain,
    ring: Ring,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    bodies: Sequence[CarriedBody],
) -> list[Scalar]:
    """What moving bodies add to the joint torques: Trace(d2T/dt2 J dT^T/dq_i) and their weight."""
    n = chain.n
    total = gravity(chain, ring, q, bodies)
    first = partial(slope_of, key=0)
    # a second derivative along the motion: level by level the same kind of number, so that none is taken for another
    outer = Duals(Duals(ring))
    along = [Dual(Dual(x, {0: v}), {0: Dual(v, {0: a})}) for x, v, a in zip(q, qd, qdd, strict=True)]
    for body in bodies:
        moving = _mapped(_mapped(body.frame(chain, outer, along), first), first)
        pushed = _times(moving, body.pseudo)
        for i, slope in enumerate(_slopes(chain, ring, q, body)):
            total[i] = add(total[i], _trace(pushed, slope))
    return total if bodies else [0] * n


def gravity(chain: Chain, ring: Ring, q: Sequence[Scalar], bodies: Sequence[CarriedBody]) -> list[Scalar]:
    """What moving bodies add to G (15c): -g . d(m r)/dq_i."""
    load: list[Scalar] = [0] * chain.n
    for body in bodies:
        for i, slope in enumerate(_slopes(chain, ring, q, body)):
            load[i] = sub(load[i], dot(chain.gravity, [dot(row, body.moment) for row in slope]))
    return load


def first_moment(chain: Chain, ring: Ring, q: Sequence[Scalar], bodies: Sequence[CarriedBody]) -> Vec:
    """Sum of m r over moving bodies."""
    moment = ZERO
    for body in bodies:
        moment = plus(moment, tuple(dot(row, body.moment) for row in body.frame(chain, ring, q)))
    return moment


def momentum_matrix(chain: Chain, ring: Ring, q: Sequence[Scalar], bodies: Sequence[CarriedBody]) -> Table:
    """Linear momentum and angular momentum about the base origin per joint velocity.

    With r r'^T summed over the mass of a body, T J (dT/dq_i)^T, the angular momentum is its antisymmetric part.
    """
    rows: Table = [[0] * chain.n for _ in range(6)]
    for body in bodies:
        pushed = _times(body.frame(chain, ring, q), body.pseudo)
        for i, slope in enumerate(_slopes(chain, ring, q, body)):
            spread = [[dot(a, b) for b in slope] for a in pushed]
            spin = [sub(spread[j][k], spread[k][j]) for j, k in ((1, 2), (2, 0), (0, 1))]
            for row, value in enumerate([*(dot(line, body.moment) for line in slope), *spin]):
                rows[row][i] = add(rows[row][i], value)
    return rows


def potential_energy(chain: Chain, ring: Ring, q: Sequence[Scalar], bodies: Sequence[CarriedBody]) -> Scalar:
    """V = -g . m r of moving bodies."""
    return sub(0, dot(chain.gravity, first_moment(chain, ring, q, bodies)))


def translating(bodies: Sequence[CarriedBody]) -> tuple[CarriedBody, ...]:
    """The bodies as point masses at their mass centres; what is left turns about these (Lee, Lee and Nigam 1982)."""
    return tuple(replace(body, pseudo=body.point) for body in bodies)


def _slopes(chain: Chain, ring: Ring, q: Sequence[Scalar], body: CarriedBody) -> list[Rows]:
    """dT/dq_i."""
    duals = Duals(ring)
    frame_rows = body.frame(chain, duals, [duals.variable(value, k) for k, value in enumerate(q)])
    return [_mapped(frame_rows, partial(slope_of, key=k)) for k in range(chain.n)]


def _mapped(rows: Rows, act: Callable[[Scalar], Scalar]) -> Rows:
    return [[act(x) for x in row] for row in rows]


def _times(rows: Rows, pseudo: Rows) -> Rows:
    """A J, J symmetric."""
    return [[dot(row, column) for column in pseudo] for row in rows]


def _trace(a: Rows, b: Rows) -> Scalar:
    """Trace(A B^T)."""
    total: Scalar = 0
    for row, row_b in zip(a, b, strict=True):
        total = add(total, dot(row, row_b))
    return total

"""Rotors carried by links and turned by the joints through a transmission: exact, gyroscopic terms included.

An axisymmetric rotor on body k spins about an axis u, fixed in the body, at the relative speed s = N qd. Its mass
and its inertia with the rotor locked belong to the body. What its spin adds to the kinetic energy is

    T = J (u . omega_k) s + J s^2 / 2,

so that with the first-order influence coefficients w_i = u . g_i of the body's rotation

    D_ij  += J (w_i N_j + N_i w_j + N_i N_j)
    tau_i += J (sdot u + s omega_k x u) . g_i + J (u . alpha_k + sdot) N_i,    sdot = N qdd + qd . H qd,

where H_jk = dN_j/dq_k. The first part of tau is the moment that the rotor puts on the body that carries it, the
second the torque at its shaft. Szkodny 1995, eqs (4) and (7), carries the same energy in 4x4 matrices; his
(8)-(12) keep only the terms in N_i N_j.

All of it adds to what the links need, so it stands beside any formulation, over any ring.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement

from ..arm.description import listed
from ..rings.algebra import ZERO, Vec, add, column, cross, dot, matvec, mul, plus, scale, sub, transpose
from ..rings.dual import Duals, slope_of
from ..rings.ring import Ring, Scalar
from .chain import Chain
from .coefficients import Christoffel
from .kinematics import frames, relative_frames

Table = list[list[Scalar]]
Turns = Callable[[Ring, Sequence[Scalar]], list[Scalar]]
"""Positions of the rotors as functions of the joint positions, written with ``+ - *`` and the ring's ``sincos``."""


def unplaced(names: Sequence[str]) -> str:
    """Why the angular momentum of these rotors is not known."""
    return (
        f"the rotors of {listed(names)} have an inertia and no axis in space (an armature, or an approximation of the "
        "drives), so that their angular momentum is not known; give each a link and an axis, or ask without the drives"
    )


@dataclass(frozen=True)
class Spin:
    """A rotor over the ring: the body that carries it, its axis there (joint frame, unit length), its spin inertia.

    ``body`` -1 is the base. None says that the place is not known: then only J N_i N_j is counted, which is all
    that an armature in a file without rotors can mean.
    """

    body: int | None
    axis: Vec
    inertia: Scalar


@dataclass(frozen=True)
class Ratios:
    """The transmission at one configuration: ``first[a][j]`` = N_aj, ``second[a][j][k]`` = dN_aj/dq_k or None."""

    first: Table
    second: list[Table] | None = None


def of_function(turns: Turns, ring: Ring, q: Sequence[Scalar]) -> Ratios:
    """N and H of rotor positions q_a(q), by dual numbers over dual numbers."""
    n = len(q)
    inner = Duals(ring)
    outer = Duals(inner)
    positions = turns(outer, [outer.variable(inner.variable(value, k), k) for k, value in enumerate(q)])
    slopes = [[slope_of(position, j) for j in range(n)] for position in positions]
    first = [[slope.value if hasattr(slope, "tangents") else slope for slope in row] for row in slopes]
    second = [[[slope_of(slope, k) for k in range(n)] for slope in row] for row in slopes]
    return Ratios(first, second)


def mass_matrix(chain: Chain, ring: Ring, q: Sequence[Scalar], spins: Sequence[Spin], ratios: Ratios) -> Table:
    """What the rotors add to D."""
    n = chain.n
    matrix: Table = [[0] * n for _ in range(n)]
    for spin, row in zip(spins, ratios.first, strict=True):
        w = _axis_components(chain, ring, q, spin)
        for i in range(n):
            for j in range(i + 1):
                mixed = add(mul(w[i], row[j]), mul(row[i], w[j]))
                contribution = mul(spin.inertia, add(mixed, mul(row[i], row[j])))
                matrix[i][j] = add(matrix[i][j], contribution)
                if i != j:
                    matrix[j][i] = matrix[i][j]
    return matrix


def christoffel(chain: Chain, ring: Ring, q: Sequence[Scalar], spins: Sequence[Spin], ratios: Ratios) -> Christoffel:
    """What the rotors add to the Christoffel symbols; symmetric in the last two indices."""
    n = chain.n
    half = ring.number(Fraction(1, 2))
    symbols: Christoffel = [[[0] * n for _ in range(n)] for _ in range(n)]
    joint_frames = frames(chain, ring, q)
    for a, (spin, row) in enumerate(zip(spins, ratios.first, strict=True)):
        turns = _axes(chain, joint_frames, spin)
        u = matvec(joint_frames[spin.body][0], spin.axis) if spin.body is not None and spin.body >= 0 else spin.axis
        w = [dot(u, turn) for turn in turns] if spin.body is not None else [0] * n
        # Only joints that turn the body or the rotor are felt, and of two that turn the body alone the rotor's own.
        geared = {i for i in range(n) if type(row[i]) is not int or row[i]}
        felt = [i for i in range(n) if i in geared or turns[i] is not ZERO or ratios.second is not None]
        for j, k in combinations_with_replacement(felt, 2):
            bend = ratios.second[a][j][k] if ratios.second is not None else 0
            # u . (h_jk + h_kj), h_jk = g_j x g_k for j before k on the path of the body
            twist = dot(u, cross(turns[j], turns[k]))
            alone = not geared & {j, k} and ratios.second is None
            for i in geared if alone else felt:
                gyroscopic = add(
                    mul(row[j], dot(cross(turns[k], u), turns[i])), mul(row[k], dot(cross(turns[j], u), turns[i]))
                )
                contribution = mul(half, add(gyroscopic, mul(twist, row[i])))
                contribution = mul(spin.inertia, add(contribution, mul(bend, add(w[i], row[i]))))
                symbols[i][j][k] = add(symbols[i][j][k], contribution)
    for table in symbols:
        for j in range(n):
            for k in range(j):
                table[j][k] = table[k][j]
    return symbols


def torque(
    chain: Chain,
    ring: Ring,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    spins: Sequence[Spin],
    ratios: Ratios,
) -> list[Scalar]:
    """What the rotors add to the joint torques, in one pass out and one in, each in joint frames."""
    n = chain.n
    steps = relative_frames(chain, ring, q)
    omegas: list[Vec] = []
    alphas: list[Vec] = []
    for segment, (turn, _), v, a in zip(chain.segments, steps, qd, qdd, strict=True):
        turn_t = transpose(turn)
        omega, alpha = (omegas[segment.parent], alphas[segment.parent]) if segment.parent >= 0 else (ZERO, ZERO)
        omega, alpha = matvec(turn_t, omega), matvec(turn_t, alpha)
        if segment.revolute:
            alpha = (add(alpha[0], mul(omega[1], v)), sub(alpha[1], mul(omega[0], v)), add(alpha[2], a))
            omega = (omega[0], omega[1], add(omega[2], v))
        omegas.append(omega)
        alphas.append(alpha)
    moments: list[Vec] = [ZERO] * n
    torques: list[Scalar] = [0] * n
    for index, (spin, row) in enumerate(zip(spins, ratios.first, strict=True)):
        rate = dot(row, qdd)
        if ratios.second is not None:
            rate = add(rate, dot(qd, matvec(ratios.second[index], qd)))
        shaft = rate
        if spin.body is not None and spin.body >= 0:
            shaft = add(rate, dot(spin.axis, alphas[spin.body]))
            tilt = scale(dot(row, qd), cross(omegas[spin.body], spin.axis))
            moment = scale(spin.inertia, plus(scale(rate, spin.axis), tilt))
            moments[spin.body] = plus(moments[spin.body], moment)
        for i in range(n):
            torques[i] = add(torques[i], mul(row[i], mul(spin.inertia, shaft)))
    for index in reversed(range(n)):
        segment = chain.segments[index]
        if segment.revolute:
            torques[index] = add(torques[index], moments[index][2])
        if segment.parent >= 0:
            moments[segment.parent] = plus(moments[segment.parent], matvec(steps[index][0], moments[index]))
    return torques


def momentum_matrix(chain: Chain, ring: Ring, q: Sequence[Scalar], spins: Sequence[Spin], ratios: Ratios) -> Table:
    """What the spin of the rotors adds to momentum per joint velocity: J u N_j, angular alone."""
    rows: Table = [[0] * chain.n for _ in range(6)]
    joint_frames = frames(chain, ring, q)
    for spin, row in zip(spins, ratios.first, strict=True):
        if type(spin.inertia) is int and spin.inertia == 0:
            continue
        assert spin.body is not None  # the system has refused those whose place is not known
        axis = matvec(joint_frames[spin.body][0], spin.axis) if spin.body >= 0 else spin.axis
        for k, u in enumerate(axis):
            rows[3 + k] = [add(x, mul(spin.inertia, mul(u, n))) for x, n in zip(rows[3 + k], row, strict=True)]
    return rows


def _axes(chain: Chain, joint_frames: Sequence[tuple[object, object]], spin: Spin) -> list[Vec]:
    """g_i of the rotation of the body that carries the rotor, base axes; zero for joints that do not turn it."""
    if spin.body is None or spin.body < 0:
        return [ZERO] * chain.n
    path = set(chain.paths[spin.body])
    return [
        column(joint_frames[i][0], 2) if i in path and segment.revolute else ZERO
        for i, segment in enumerate(chain.segments)
    ]


def _axis_components(chain: Chain, ring: Ring, q: Sequence[Scalar], spin: Spin) -> list[Scalar]:
    """w_i = u . g_i, by carrying u inward from its body: each joint sees the z component in its own frame."""
    w: list[Scalar] = [0] * chain.n
    if spin.body is None or spin.body < 0:
        return w
    steps = relative_frames(chain, ring, q)
    u, index = spin.axis, spin.body
    while index >= 0:
        if chain.segments[index].revolute:
            w[index] = u[2]
        u = matvec(steps[index][0], u)
        index = chain.segments[index].parent
    return w

"""C and the derivatives of the torques by composite bodies in motion: one pass out, one in, one product a pair.

All bodies are seen in the axes of one of them and about its origin. A joint j has the screw S_j (``spatial.py``); with
v and a the motion of the body before it (Carpentier and Mansard 2018; Singh, Russell and Wensing 2022),

    S'_j = v x S_j,    S''_j = a x S_j + v x S'_j.

Turning joint j carries all that it moves along rigidly and changes its velocity by S'_j, its acceleration by S''_j
and by the Coriolis acceleration that goes with S'_j, which asks for the forces 2 B_j S'_j (``moving_composite.py``). So
with the composite inertia I_j, B_j and the force f_j on all that joint j moves, for i on the path of j,

    dtau_i/dqd_j = 2 S_i . (I_j S'_j + B_j S_j)                  dtau_j/dqd_i = 2 (I_j S_j . S'_i + B_j^T S_j . S_i)
    dtau_i/dq_j  = S_i . (S_j x* f_j + I_j S''_j + 2 B_j S'_j)   dtau_j/dq_i  = I_j S_j . S''_i + 2 B_j^T S_j . S'_i

and C, half the slope of the torques to the velocities, is that of the Christoffel symbols (Echeandia and Wensing 2021).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ..rings.algebra import EYE, ZERO, Mat, Vec, add, dot, matmul, matvec, minus, plus, sub, transpose
from ..rings.ring import Ring, Scalar
from .chain import Chain
from .kinematics import Frame, compose, relative_frames
from .moving_composite import BodyMotion, MovingComposite, body_in_motion
from .newton_euler import second_moments
from .spatial import ZERO_SCREW, Screw, force_cross, joint_screw, motion_cross, power, screw_scale, screw_sum

Table = list[list[Scalar]]


@dataclass(frozen=True)
class JointLoads:
    """The loads that go with a joint: 2 (I S' + B S), S x* f + I S'' + 2 B S', the slope dtau_j/dq_j, I S, 2 B^T S."""

    by_velocity: Screw
    by_position: Screw
    own_slope: Scalar
    inertial: Screw
    coriolis: Vec


@dataclass(frozen=True)
class CompositeMotion:
    """The screws S_j, S'_j, S''_j, and what each joint moves."""

    chain: Chain
    ring: Ring
    loaded: bool
    steps: Sequence[Frame] = ()
    qd: Sequence[Scalar] = ()
    qdd: Sequence[Scalar] = ()
    plain: Callable[[Scalar], bool] | None = None
    """Which numbers cost nothing to keep; given where the way back is retraced (``composites``)."""
    moves: list[BodyMotion] = field(default_factory=list)
    screws: list[Screw] = field(default_factory=list)
    first: list[Screw] = field(default_factory=list)
    second: list[Screw] = field(default_factory=list)

    def composites(self) -> Iterator[tuple[int, MovingComposite]]:
        """The way back: each joint, the last one first, with all that it moves as one body.

        Bodies are made on this way and not on the way out, and used at once: fewer numbers are kept at a time.
        """
        return ((index, whole) for index, whole, _, _, _ in self._inward())

    def _inward(self) -> Iterator[tuple[int, MovingComposite, Screw, Screw, Screw]]:
        """Each joint with all that it moves, S, S' and S''; fewer numbers yet are kept where the motion is retraced:
        that of the body before a joint follows from that of the body after it."""
        carried: dict[int, list[MovingComposite]] = {}
        retraced: dict[int, BodyMotion] = {}
        for index in reversed(range(self.chain.n)):
            segment = self.chain.segments[index]
            move = retraced.pop(index, self.moves[index])
            whole = self._body(index, move)
            for part in carried.pop(index, ()):
                whole = whole.joined(part)
            screw, first = self.screws[index], self.first[index]
            second = self.second[index]
            if self.plain is not None and segment.parent > 0:
                screw = joint_screw(segment.revolute, move.frame)
                before = self._before(index, move, screw, self.plain)
                first = motion_cross(before.velocity, screw)
                second = screw_sum(motion_cross(before.acceleration, screw), motion_cross(before.velocity, first))
                retraced.setdefault(segment.parent, before)
            yield index, whole, screw, first, second
            if segment.parent >= 0:
                carried.setdefault(segment.parent, []).append(whole)

    def loads(self) -> Iterator[tuple[int, JointLoads]]:
        """The way back: what each joint's motion asks of those that carry it."""
        for j, whole, screw, first, second in self._inward():
            yield j, loads_of(whole, screw, first, second)

    def _before(self, index: int, move: BodyMotion, screw: Screw, plain: Callable[[Scalar], bool]) -> BodyMotion:
        """How the body before a joint stands and moves: R = R_j E_j^T, p = p_j - R e_j, v = v_j - qd_j S_j,
        a = a_j - qdd_j S_j - qd_j v x S_j; with what costs nothing to keep of the way out."""
        outward = self.moves[self.chain.segments[index].parent]

        def cheaper(out: Vec, back: Vec) -> Vec:
            x, y, z = (a if plain(a) else b for a, b in zip(out, back, strict=True))
            return x, y, z

        def cheaper_screw(out: Screw, back: Screw) -> Screw:
            return cheaper(out[0], back[0]), cheaper(out[1], back[1])

        (turn, shift), s = self.steps[index], sub(0, self.qd[index])
        x, y, z = map(cheaper, outward.frame[0], matmul(move.frame[0], transpose(turn)))
        position = cheaper(outward.frame[1], minus(move.frame[1], matvec((x, y, z), shift)))
        speed = cheaper_screw(outward.velocity, screw_sum(move.velocity, screw_scale(s, screw)))
        slower = screw_sum(screw_scale(sub(0, self.qdd[index]), screw), screw_scale(s, motion_cross(speed, screw)))
        acceleration = cheaper_screw(outward.acceleration, screw_sum(move.acceleration, slower))
        return BodyMotion(((x, y, z), position), speed, acceleration)

    def _body(self, index: int, move: BodyMotion) -> MovingComposite:
        """The body that a joint carries, in motion."""
        segment = self.chain.segments[index]
        second = second_moments(segment.tensor, self.ring)
        return body_in_motion(segment.mass, segment.moment, second, move, self.loaded)


def coriolis_matrix(chain: Chain, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Table:
    """C(q, qd)_ij = sum_k c_ijk qd_k, for which C qd = h and dD/dt - 2C is skew-symmetric."""
    moving = motion(chain, ring, q, qd)
    table = _table(chain)
    for j, whole in moving.composites():
        screw, rate = moving.screws[j], moving.first[j]
        inertial, coriolis = whole.inertia(screw), whole.coriolis_transposed(screw)
        column_j = screw_sum(whole.inertia(rate), whole.coriolis(screw))
        for i in chain.paths[j]:
            table[i][j] = power(moving.screws[i], column_j)
            if i != j:
                table[j][i] = add(power(inertial, moving.first[i]), dot(coriolis, moving.screws[i][0]))
    return table


def torque_derivatives(
    chain: Chain, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> tuple[Table, Table]:
    """d tau/dq and d tau/dqd; d tau/dqdd is D."""
    moving = motion(chain, ring, q, qd, qdd)
    return pair_products(moving, moving.loads())


def pair_products(moving: CompositeMotion, loads: Iterable[tuple[int, JointLoads]]) -> tuple[Table, Table]:
    """d tau/dq and d tau/dqd: for each joint j and each joint i on its path, the products of the two."""
    chain = moving.chain
    to_q, to_qd = _table(chain), _table(chain)
    for j, load in loads:
        for i in chain.paths[j]:
            to_qd[i][j] = power(moving.screws[i], load.by_velocity)
            if i == j:
                to_q[j][j] = load.own_slope
                continue
            to_q[i][j] = power(moving.screws[i], load.by_position)
            to_q[j][i], to_qd[j][i] = outer_slopes(moving.screws[i], moving.first[i], moving.second[i], load)
    return to_q, to_qd


def outer_slopes(screw: Screw, first: Screw, second: Screw, load: JointLoads) -> tuple[Scalar, Scalar]:
    """dtau_j/dq_i and dtau_j/dqd_i of the load that goes with j, for a joint i that carries it."""
    twice = screw_sum(load.inertial, load.inertial)
    return (
        add(power(load.inertial, second), dot(load.coriolis, first[0])),
        add(power(twice, first), dot(load.coriolis, screw[0])),
    )


def mass_matrix(moving: CompositeMotion, loads: Iterable[tuple[int, JointLoads]]) -> Table:
    """D_ij = S_i . I_j S_j for i on the path of j."""
    table = _table(moving.chain)
    for j, load in loads:
        for i in moving.chain.paths[j]:
            table[i][j] = table[j][i] = power(moving.screws[i], load.inertial)
    return table


def motion(
    chain: Chain,
    ring: Ring,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar] | None = None,
    plain: Callable[[Scalar], bool] | None = None,
) -> CompositeMotion:
    """The way out: screws, and where each body is and how it moves; without ``qdd`` no S''.

    With ``plain``, which says of a number whether it costs nothing to keep, the way back retraces this one.
    """
    chain = from_first_joint(chain)
    steps = relative_frames(chain, ring, q)
    placed, base = common_frames(chain, steps)
    loaded = qdd is not None
    rates: Sequence[Scalar] = () if qdd is None else qdd
    moving = CompositeMotion(chain, ring, loaded, steps, qd, rates, plain if loaded else None)
    rest = BodyMotion((EYE, ZERO), ZERO_SCREW, (ZERO, minus(ZERO, matvec(base, chain.gravity))))
    for index, (segment, frame, s) in enumerate(zip(chain.segments, placed, qd, strict=True)):
        before = moving.moves[segment.parent] if segment.parent >= 0 else rest
        move, screw, first, second = stepped(
            segment.revolute, frame, before, s, qdd[index] if qdd is not None else None
        )
        moving.moves.append(move)
        moving.screws.append(screw)
        moving.first.append(first)
        moving.second.append(second)
    return moving


def stepped(
    revolute: bool, frame: Frame, before: BodyMotion, s: Scalar, acceleration: Scalar | None
) -> tuple[BodyMotion, Screw, Screw, Screw]:
    """One joint of the way out, its frame standing there: how its body moves, S, S' and, with an acceleration, S''."""
    screw = joint_screw(revolute, frame)
    first = motion_cross(before.velocity, screw)
    speed, rate, second = screw_sum(before.velocity, screw_scale(s, screw)), before.acceleration, ZERO_SCREW
    if acceleration is not None:
        second = screw_sum(motion_cross(rate, screw), motion_cross(before.velocity, first))
        rate = screw_sum(rate, screw_sum(screw_scale(acceleration, screw), screw_scale(s, first)))
    return BodyMotion(frame, speed, rate), screw, first, second


def loads_of(whole: MovingComposite, screw: Screw, first: Screw, second: Screw) -> JointLoads:
    """What the motion of a joint, which moves ``whole``, asks of those that carry it."""
    inertial, transposed = whole.inertia(screw), whole.coriolis_transposed(screw)
    changed, coriolis = whole.inertia(first), whole.coriolis(screw)
    by_velocity = screw_sum(screw_sum(changed, changed), screw_sum(coriolis, coriolis))
    coriolis = whole.coriolis(first)
    accelerated = screw_sum(whole.inertia(second), screw_sum(coriolis, coriolis))
    by_position = screw_sum(accelerated, force_cross(screw, whole.load))
    # turning a joint does not turn its own axis: S_j . S_j x* f_j = 0
    return JointLoads(by_velocity, by_position, power(screw, accelerated), inertial, plus(transposed, transposed))


def from_first_joint(chain: Chain) -> Chain:
    """The same chain with the base frame moved, not turned, to its first joint: forces and D do not change.

    Second moments grow with the square of the distance from the origin, and what cancels in S . I S is lost to
    rounding. Arms stand anywhere on a map; their own size is what counts.
    """
    origin = chain.segments[0].position if chain.n else ZERO
    shifted = (
        segment if segment.parent >= 0 else replace(segment, position=minus(segment.position, origin))
        for segment in chain.segments
    )
    return replace(chain, segments=tuple(shifted))


def common_frames(chain: Chain, steps: Sequence[Frame]) -> tuple[list[Frame], Mat]:
    """All joint frames in that of the first body, and the axes of the base there; in the base if several stand on it.

    Seen from the first body its own angle turns gravity alone, and nothing where its axis is vertical.
    """
    alone = sum(segment.parent < 0 for segment in chain.segments) == 1
    common: list[Frame] = []
    for segment, step in zip(chain.segments, steps, strict=True):
        if segment.parent >= 0:
            common.append(compose(common[segment.parent], step))
        else:
            common.append((EYE, ZERO) if alone else step)
    return common, transpose(steps[0][0]) if alone else EYE


def _table(chain: Chain) -> Table:
    return [[0] * chain.n for _ in range(chain.n)]

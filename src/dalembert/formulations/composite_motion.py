"""C and the derivatives of the torques by composite bodies in motion: one pass out, one in, one product a pair.

All bodies are seen in the axes of one of them and about its origin. A joint j has the screw S_j, a pair of an angular
and a linear part; with v and a the motion of the body before it (Carpentier and Mansard 2018; Singh, Russell and
Wensing 2022),

    S'_j = v x S_j,    S''_j = a x S_j + v x S'_j.

Turning joint j carries all that it moves along rigidly and changes its velocity by S'_j, its acceleration by S''_j
and by the Coriolis acceleration that goes with S'_j. To turn at w besides, a body with points r asks for the forces

    2 B (w, u) = integral of 2 w x r' dm,    B (w, u) = (N w; w x p),    N = tr(K) E - K,    K = integral of r' r^T dm,

p its momentum. So with the composite inertia I_j, B_j and the force f_j on all that joint j moves, for i on the path
of j,

    dtau_i/dqd_j = 2 S_i . (I_j S'_j + B_j S_j)                  dtau_j/dqd_i = 2 (I_j S_j . S'_i + B_j^T S_j . S_i)
    dtau_i/dq_j  = S_i . (S_j x* f_j + I_j S''_j + 2 B_j S'_j)   dtau_j/dq_i  = I_j S_j . S''_i + 2 B_j^T S_j . S'_i

and C, half the slope of the torques to the velocities, is that of the Christoffel symbols (Echeandia and Wensing 2021).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ..rings.algebra import (
    EYE,
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
    sub,
    transpose,
)  # fmt: skip
from ..rings.ring import Ring, Scalar
from .chain import Chain
from .kinematics import Frame, compose, relative_frames
from .newton_euler import axial_of_product, second_moments, spin_matrix

Table = list[list[Scalar]]
Screw = tuple[Vec, Vec]
"""An angular and a linear part of a motion, or the moment and the force of a load, about the common origin."""
NOTHING: Screw = (ZERO, ZERO)


@dataclass(frozen=True)
class Composite:
    """What a joint moves: mass, first and second moments, momentum p, K = integral of r' r^T dm, force on it."""

    mass: Scalar
    moment: Vec
    second: Mat
    momentum: Vec = ZERO
    stirring: Mat = (ZERO, ZERO, ZERO)
    load: Screw = NOTHING

    def joined(self, other: Composite) -> Composite:
        """The two as one body."""
        return Composite(
            add(self.mass, other.mass),
            plus(self.moment, other.moment),
            matplus(self.second, other.second),
            plus(self.momentum, other.momentum),
            matplus(self.stirring, other.stirring),
            _sum(self.load, other.load),
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
            minus(scale(_trace(self.stirring), w), matvec(self.stirring, w)),
            cross(w, self.momentum),
        )

    def coriolis_transposed(self, motion: Screw) -> Vec:
        """B^T (w, u) = N^T w + p x u, the linear part is zero."""
        w, u = motion
        across = minus(scale(_trace(self.stirring), w), matvec(transpose(self.stirring), w))
        return plus(across, cross(self.momentum, u))


@dataclass(frozen=True)
class Move:
    """Where a body is and how it moves: frame, velocity, acceleration."""

    frame: Frame
    speed: Screw
    rate: Screw


@dataclass(frozen=True)
class Loads:
    """The loads that go with a joint: 2 (I S' + B S), S x* f + I S'' + 2 B S', the slope dtau_j/dq_j, I S, 2 B^T S."""

    by_speed: Screw
    by_place: Screw
    own: Scalar
    asked: Screw
    back: Vec


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
    moves: list[Move] = field(default_factory=list)
    screws: list[Screw] = field(default_factory=list)
    first: list[Screw] = field(default_factory=list)
    second: list[Screw] = field(default_factory=list)

    def composites(self) -> Iterator[tuple[int, Composite]]:
        """The way back: each joint, the last one first, with all that it moves as one body.

        Bodies are made on this way and not on the way out, and used at once: fewer numbers are kept at a time.
        """
        return ((index, whole) for index, whole, _, _, _ in self._inward())

    def _inward(self) -> Iterator[tuple[int, Composite, Screw, Screw, Screw]]:
        """Each joint with all that it moves, S, S' and S''; fewer numbers yet are kept where the motion is retraced:
        that of the body before a joint follows from that of the body after it."""
        carried: dict[int, list[Composite]] = {}
        retraced: dict[int, Move] = {}
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
                first = _bracket(before.speed, screw)
                second = _sum(_bracket(before.rate, screw), _bracket(before.speed, first))
                retraced.setdefault(segment.parent, before)
            yield index, whole, screw, first, second
            if segment.parent >= 0:
                carried.setdefault(segment.parent, []).append(whole)

    def loads(self) -> Iterator[tuple[int, Loads]]:
        """The way back: what each joint's motion asks of those that carry it."""
        for j, whole, screw, first, second in self._inward():
            yield j, loads_of(whole, screw, first, second)

    def _before(self, index: int, move: Move, screw: Screw, plain: Callable[[Scalar], bool]) -> Move:
        """How the body before a joint stands and moves: R = R_j E_j^T, p = p_j - R e_j, v = v_j - qd_j S_j,
        a = a_j - qdd_j S_j - qd_j v x S_j; with what costs nothing to keep of the way out."""
        known = self.moves[self.chain.segments[index].parent]

        def cheaper(out: Vec, back: Vec) -> Vec:
            x, y, z = (a if plain(a) else b for a, b in zip(out, back, strict=True))
            return x, y, z

        def cheaper_screw(out: Screw, back: Screw) -> Screw:
            return cheaper(out[0], back[0]), cheaper(out[1], back[1])

        (turn, shift), s = self.steps[index], sub(0, self.qd[index])
        x, y, z = map(cheaper, known.frame[0], matmul(move.frame[0], transpose(turn)))
        place = cheaper(known.frame[1], minus(move.frame[1], matvec((x, y, z), shift)))
        speed = cheaper_screw(known.speed, _sum(move.speed, _scaled(s, screw)))
        slower = _sum(_scaled(sub(0, self.qdd[index]), screw), _scaled(s, _bracket(speed, screw)))
        return Move(((x, y, z), place), speed, cheaper_screw(known.rate, _sum(move.rate, slower)))

    def _body(self, index: int, move: Move) -> Composite:
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
        asked, back = whole.inertia(screw), whole.coriolis_transposed(screw)
        column_j = _sum(whole.inertia(rate), whole.coriolis(screw))
        for i in chain.paths[j]:
            table[i][j] = pushed(moving.screws[i], column_j)
            if i != j:
                table[j][i] = add(pushed(asked, moving.first[i]), dot(back, moving.screws[i][0]))
    return table


def torque_derivatives(
    chain: Chain, ring: Ring, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> tuple[Table, Table]:
    """d tau/dq and d tau/dqd; d tau/dqdd is D."""
    moving = motion(chain, ring, q, qd, qdd)
    return pair_products(moving, moving.loads())


def pair_products(moving: CompositeMotion, loads: Iterable[tuple[int, Loads]]) -> tuple[Table, Table]:
    """d tau/dq and d tau/dqd: for each joint j and each joint i on its path, the products of the two."""
    chain = moving.chain
    to_q, to_qd = _table(chain), _table(chain)
    for j, load in loads:
        for i in chain.paths[j]:
            to_qd[i][j] = pushed(moving.screws[i], load.by_speed)
            if i == j:
                to_q[j][j] = load.own
                continue
            to_q[i][j] = pushed(moving.screws[i], load.by_place)
            to_q[j][i], to_qd[j][i] = pushed_back(moving.screws[i], moving.first[i], moving.second[i], load)
    return to_q, to_qd


def pushed_back(screw: Screw, first: Screw, second: Screw, load: Loads) -> tuple[Scalar, Scalar]:
    """dtau_j/dq_i and dtau_j/dqd_i of the load that goes with j, for a joint i that carries it."""
    twice = _sum(load.asked, load.asked)
    return (
        add(pushed(load.asked, second), dot(load.back, first[0])),
        add(pushed(twice, first), dot(load.back, screw[0])),
    )


def mass_matrix(moving: CompositeMotion, loads: Iterable[tuple[int, Loads]]) -> Table:
    """D_ij = S_i . I_j S_j for i on the path of j."""
    table = _table(moving.chain)
    for j, load in loads:
        for i in moving.chain.paths[j]:
            table[i][j] = table[j][i] = pushed(moving.screws[i], load.asked)
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
    rest = Move((EYE, ZERO), NOTHING, (ZERO, minus(ZERO, matvec(base, chain.gravity))))
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
    revolute: bool, frame: Frame, before: Move, s: Scalar, acceleration: Scalar | None
) -> tuple[Move, Screw, Screw, Screw]:
    """One joint of the way out, its frame standing there: how its body moves, S, S' and, with an acceleration, S''."""
    screw = joint_screw(revolute, frame)
    first = _bracket(before.speed, screw)
    speed, rate, second = _sum(before.speed, _scaled(s, screw)), before.rate, NOTHING
    if acceleration is not None:
        second = _sum(_bracket(rate, screw), _bracket(before.speed, first))
        rate = _sum(rate, _sum(_scaled(acceleration, screw), _scaled(s, first)))
    return Move(frame, speed, rate), screw, first, second


def body_in_motion(mass: Scalar, moment: Vec, second: Mat, move: Move, loaded: bool) -> Composite:
    """A body by its moments about its joint frame, in the common frame and in motion; ``loaded``, with its force."""
    moving = _moving(Composite(mass, *_placed(mass, moment, second, move.frame)), move.speed)
    return _loaded(moving, move.speed, move.rate) if loaded else moving


def loads_of(whole: Composite, screw: Screw, first: Screw, second: Screw) -> Loads:
    """What the motion of a joint, which moves ``whole``, asks of those that carry it."""
    asked, back = whole.inertia(screw), whole.coriolis_transposed(screw)
    turned, stirred = whole.inertia(first), whole.coriolis(screw)
    by_speed = _sum(_sum(turned, turned), _sum(stirred, stirred))
    stirred = whole.coriolis(first)
    carried = _sum(whole.inertia(second), _sum(stirred, stirred))
    by_place = _sum(carried, _force_bracket(screw, whole.load))
    # turning a joint does not turn its own axis: S_j . S_j x* f_j = 0
    return Loads(by_speed, by_place, pushed(screw, carried), asked, plus(back, back))


def joint_screw(revolute: bool, frame: Frame) -> Screw:
    """S of a joint whose frame stands there."""
    axis = column(frame[0], 2)
    return (axis, cross(frame[1], axis)) if revolute else (ZERO, axis)


def screw_of(x: Sequence[Scalar]) -> Screw:
    """Six numbers as a pair of vectors."""
    return (x[0], x[1], x[2]), (x[3], x[4], x[5])


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


def _placed(mass: Scalar, moment: Vec, second: Mat, frame: Frame) -> tuple[Vec, Mat]:
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


def _moving(body: Composite, speed: Screw) -> Composite:
    """With its momentum m v + w x h, and K = [w]x S + v h^T."""
    w, v = speed
    columns = [plus(cross(w, column(body.second, k)), scale(body.moment[k], v)) for k in range(3)]
    return replace(
        body, momentum=plus(scale(body.mass, v), cross(w, body.moment)), stirring=as_matrix(transpose(columns))
    )


def _loaded(body: Composite, speed: Screw, rate: Screw) -> Composite:
    """With the force m a + U h and the moment h x a + axial(U S) that its motion asks for (``newton_euler.py``)."""
    (w, v), (alpha, acceleration) = speed, rate
    a = plus(acceleration, cross(w, v))  # of the point that is at the origin, not of the place there
    spin = spin_matrix(w, alpha)
    moment = plus(axial_of_product(spin, w, body.second), cross(body.moment, a))
    return replace(body, load=(moment, plus(scale(body.mass, a), matvec(spin, body.moment))))


def _bracket(a: Screw, b: Screw) -> Screw:
    """a x b of two motions."""
    return cross(a[0], b[0]), plus(cross(a[0], b[1]), cross(a[1], b[0]))


def _force_bracket(a: Screw, load: Screw) -> Screw:
    """a x* f: how a load changes that is carried along by a motion."""
    return plus(cross(a[0], load[0]), cross(a[1], load[1])), cross(a[0], load[1])


def _sum(a: Screw, b: Screw) -> Screw:
    return plus(a[0], b[0]), plus(a[1], b[1])


def _scaled(factor: Scalar, a: Screw) -> Screw:
    return scale(factor, a[0]), scale(factor, a[1])


def pushed(a: Screw, b: Screw) -> Scalar:
    """The power of a load on a motion, S . f."""
    return add(dot(a[0], b[0]), dot(a[1], b[1]))


def _trace(a: Mat) -> Scalar:
    return add(add(a[0][0], a[1][1]), a[2][2])


def _table(chain: Chain) -> Table:
    return [[0] * chain.n for _ in range(chain.n)]

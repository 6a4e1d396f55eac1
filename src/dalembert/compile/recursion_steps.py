"""One joint of the recursions of ``formulations/composite_motion.py`` as graphs: out, back, and the product of a pair.

Straight-line code has these steps once for every joint, and for every pair of joints. Here each is one function of the
numbers of a joint, which a loop in C (``emit_recursion.py``) goes through: it serves all joints of all arms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..formulations.chain import Segment
from ..formulations.composite_motion import JointLoads, loads_of, outer_slopes, stepped
from ..formulations.kinematics import Frame, compose, joint_frame
from ..formulations.moving_composite import BodyMotion, MovingComposite, body_in_motion
from ..formulations.spatial import ZERO_SCREW, Screw, power, screw_of
from ..rings.algebra import EYE, ZERO, Mat, as_matrix, flat, mul
from ..rings.graph import Graph, Node
from ..rings.ring import Scalar
from .function import Function, Tables

FIXED, MOVE, SCREWS, WHOLE, LOADS = 22, 24, 18, 28, 24
"""Numbers of a joint: what the description says, how its body moves, S S' S'', all it moves as one body, its loads."""
PLACE, SPEED, FORCE, BIAS, SLOPES = "place", "speed", "force", "bias", "slopes"
KINDS = (PLACE, SPEED, FORCE, BIAS, SLOPES)
"""What is worked out: D; C; the torques; the torques and D; the derivatives of the torques and D."""
FORCED = (FORCE, BIAS, SLOPES)
FACTORED = (PLACE, BIAS)
"""After which D is factored."""
UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def steps() -> list[Function]:
    """All of them, by the names that C has for them."""
    functions = []
    for kind in KINDS:
        functions += [_out(kind, revolute) for revolute in (True, False)] + [_back(kind)]
        if kind in TABLES:
            functions += [_pair(kind), _own(kind)]
    return functions


def _function(
    name: str,
    arguments: Sequence[tuple[str, int]],
    results: Sequence[tuple[str, int]],
    build: Callable[[Graph], Tables],
) -> Function:
    shapes = tuple((result, (size,)) for result, size in results)
    return Function(name, tuple(arguments), shapes, lambda: build(Graph()))


def _symmetric(x: Sequence[Scalar]) -> Mat:
    rows: list[list[Scalar]] = [[0] * 3 for _ in range(3)]
    for (i, j), value in zip(UPPER, x, strict=True):
        rows[i][j] = rows[j][i] = value
    return as_matrix(rows)


def _entries(matrix: Any) -> list[Scalar]:
    return [matrix[i][j] for i, j in UPPER]


def _frame(x: Sequence[Scalar]) -> Frame:
    return as_matrix((x[0:3], x[3:6], x[6:9])), (x[9], x[10], x[11])


def _move(kind: str, x: Sequence[Scalar]) -> BodyMotion:
    """A row of ``MOVE`` numbers, less what this kind does not need."""
    speed = screw_of(x[12:18]) if kind != PLACE else ZERO_SCREW
    return BodyMotion(_frame(x), speed, screw_of(x[18:24]) if kind in FORCED else ZERO_SCREW)


def _screws(kind: str, x: Sequence[Scalar]) -> tuple[Screw, Screw, Screw]:
    rate = screw_of(x[6:12]) if kind in (SPEED, SLOPES) else ZERO_SCREW
    return screw_of(x), rate, screw_of(x[12:18]) if kind == SLOPES else ZERO_SCREW


def _out(kind: str, revolute: bool) -> Function:
    """How a body moves, from how the one before it does."""

    def build(g: Graph) -> Tables:
        k, (q,), (qd,), (qdd,) = g.inputs("k_", FIXED), *(g.inputs(f"{x}_", 1) for x in ("q", "qd", "qdd"))
        before = _move(kind, g.inputs("before_", MOVE))
        turn, shift = _frame(k)
        segment = Segment(0, revolute, turn, shift, (EYE, ZERO), 0, ZERO, (ZERO, ZERO, ZERO), None, None)
        frame = compose(before.frame, joint_frame(segment, g, q))
        speed: Scalar = 0 if kind == PLACE else qd
        move, *screws = stepped(revolute, frame, before, speed, qdd if kind in FORCED else None)
        row = [*flat(move.frame), *flat(move.velocity), *flat(move.acceleration)]
        return row, [*flat(screws[0]), *([0] * 12 if kind in (FORCE, BIAS) else flat(screws[1:]))]

    arguments = (("k", FIXED), ("before", MOVE), ("q", 1), ("qd", 1), ("qdd", 1))
    name = f"{kind}_{'turn' if revolute else 'slide'}"
    return _function(name, arguments, (("move", MOVE), ("screws", SCREWS)), build)


def _composite(kind: str, x: Sequence[Scalar]) -> MovingComposite:
    """A row of ``WHOLE`` numbers, less what this kind does not need."""
    load = screw_of(x[22:28]) if kind in FORCED else ZERO_SCREW
    if kind == FORCE:
        return MovingComposite(0, ZERO, (ZERO, ZERO, ZERO), load=load)
    composite = MovingComposite(x[0], (x[1], x[2], x[3]), _symmetric(x[4:10]), load=load)
    if kind in (PLACE, BIAS):
        return composite
    moments = as_matrix((x[13:16], x[16:19], x[19:22]))
    return replace(composite, momentum=(x[10], x[11], x[12]), velocity_moments=moments)


def _back(kind: str) -> Function:
    """What a joint moves as one body, and the loads that go with it."""

    def build(g: Graph) -> Tables:
        k, carried = g.inputs("k_", FIXED), _composite(kind, g.inputs("carried_", WHOLE))
        moment = (k[13], k[14], k[15])
        move, screws = _move(kind, g.inputs("move_", MOVE)), _screws(kind, g.inputs("screws_", SCREWS))
        body = body_in_motion(k[12], moment, _symmetric(k[16:22]), move, kind in FORCED)
        whole = body.joined(carried)
        x = loads_of(whole, *screws)
        inertia = [whole.mass, *whole.moment, *_entries(whole.second)]
        in_motion = [0] * 12 if kind == BIAS else [*whole.momentum, *flat(whole.velocity_moments)]
        row = [*inertia, *in_motion, *flat(whole.load)]
        parts = whole.parts(screws[0]) if kind in FACTORED else 0
        last = [parts, power(screws[0], whole.load)]
        if kind == FORCE:
            return [*[0] * 22, *flat(whole.load)], [*[0] * 22, *last]
        if kind == BIAS:
            return row, [*[0] * 12, *flat(x.inertial), *[0] * 4, *last]
        return row, [*flat(x.by_velocity), *flat(x.by_position), *flat(x.inertial), *x.coriolis, x.own_slope, *last]

    arguments = (("k", FIXED), ("move", MOVE), ("screws", SCREWS), ("carried", WHOLE))
    return _function(f"{kind}_back", arguments, (("whole", WHOLE), ("loads", LOADS)), build)


def _loads(g: Graph) -> JointLoads:
    x = g.inputs("loads_", LOADS)
    by_velocity, by_position, inertial = (screw_of(x[k : k + 6]) for k in (0, 6, 12))
    return JointLoads(by_velocity, by_position, x[21], inertial, (x[18], x[19], x[20]))


def _pair(kind: str) -> Function:
    """Entries ij and ji of the tables for a joint i that carries j, from the screws of i and the loads of j."""

    def build(g: Graph) -> Tables:
        (screw, rate, second_rate), load = _screws(kind, g.inputs("screws_", SCREWS)), _loads(g)
        back_q, back_qd = outer_slopes(screw, rate, second_rate, load)
        return (_chosen(g, kind, screw, load, power(screw, load.by_position), back_q, back_qd),)

    return _function(f"{kind}_pair", (("screws", SCREWS), ("loads", LOADS)), (("entries", _size(kind)),), build)


def _own(kind: str) -> Function:
    """The entries jj."""

    def build(g: Graph) -> Tables:
        (screw, _, _), load = _screws(kind, g.inputs("screws_", SCREWS)), _loads(g)
        return (_chosen(g, kind, screw, load, load.own_slope, load.own_slope, power(screw, load.by_velocity)),)

    return _function(f"{kind}_own", (("screws", SCREWS), ("loads", LOADS)), (("entries", _size(kind)),), build)


def _size(kind: str) -> int:
    return 2 * len(TABLES[kind])


TABLES = {PLACE: ("mass",), SPEED: ("coriolis",), SLOPES: ("tau_q", "tau_qd", "mass")}
"""The tables of each kind; a pair has two entries in each."""


def _chosen(
    g: Graph, kind: str, screw: Screw, load: JointLoads, to_q: Scalar, back_q: Scalar, back_qd: Scalar
) -> list[Scalar]:
    mass = power(screw, load.inertial)
    if kind == PLACE:
        return [mass, mass]
    to_qd = power(screw, load.by_velocity)
    if kind == SPEED:  # half the slope of the torques to the velocities
        half: Node = g.constant(Fraction(1, 2))
        return [mul(half, to_qd), mul(half, back_qd)]
    return [to_q, back_q, to_qd, back_qd, mass, mass]

"""Which numbers of a long straight line wait outside the registers, when, and where.

A thread has 255 registers of four bytes; a line of ten thousand operations keeps hundreds of numbers alive. What waits
is decided here, not by the compiler, whose choice moves three to five times as much: whenever there are too many, the
number goes out that is needed last (Belady 1966, optimal for a line that is known), and it comes back a few statements
before it is needed. It waits in a place of shared memory that its thread has for itself. Results of a state, which
gather there to be written by the whole warp, have places of their own; until a result is known, its place is free for
numbers that wait. Where shared memory ends, the numbers that wait longest for each time they are read go to memory.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from ...rings.graph import CONST, INPUT, Node
from ..emit_c import Program

MOST_HELD = {"float32": 250, "float64": 118}
"""Numbers alive at a time that the 255 registers of a thread hold."""
REGISTERS = {"float32": 222, "float64": 96}
"""Numbers that stay in registers where others wait outside: the compiler needs some for itself."""
ACROSS = 33
"""Numbers from place to place of a thread in shared memory: one more than threads, so that those of a warp meet in no
bank, neither when each reads its own nor when the warp writes a row."""
AHEAD = 12
"""Statements by which a number comes back before it is needed."""


@dataclass(frozen=True)
class Away:
    """A number leaves for its place, or (``back``) comes back from it."""

    node: Node
    back: bool


@dataclass(frozen=True)
class Waiting:
    """The statements with what leaves and comes back between them, and the place of each number that waits.

    Places below ``shared`` are in shared memory, the first of them those of results; the ``far`` ones after them are
    in memory.
    """

    steps: tuple[Node | Away, ...]
    places: Mapping[int, int]
    shared: int
    far: int


@dataclass(frozen=True)
class _Stay:
    """How long a number is away: from the step it leaves to the one it is last brought back, and how often it moves."""

    node: Node
    start: int
    end: int
    moves: int


def waiting(program: Program, registers: int, results: Mapping[int, Sequence[int]], most: int) -> Waiting:
    """The order of ``program`` with at most ``registers`` numbers in registers.

    ``results`` are the places of each computed number that is a result, by index of its node, counted from 0; at most
    ``most`` places are in shared memory, or as many as results need.
    """
    steps = _moved(program, registers)
    stays = _stays(steps)
    home = _homes(program, steps, results)
    places, shared, far = _placed(stays, home, max(most, len(home)))
    return Waiting(tuple(steps), places, shared, far)


def held(program: Program) -> int:
    """The largest number of values alive at once: early sines from the start, inputs from their first use."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    made = {node.index for node in program.order}
    for position, node in enumerate(program.order):
        for operand in program.operands(node):
            if operand.op != CONST:
                last[operand.index] = position
                if operand.op == INPUT:
                    first.setdefault(operand.index, position)
    live = largest = sum(index not in made and index not in first for index in last)
    starts, ends = Counter(first.values()), Counter(last.values())
    for position, node in enumerate(program.order):
        live += (node.index in last) + starts[position] - ends[position]
        largest = max(largest, live)
    return largest


def _moved(program: Program, registers: int) -> list[Node | Away]:
    """Statements in order, with what leaves and comes back."""
    order, end = program.order, len(program.order)
    reads = [[x for x in dict.fromkeys(program.operands(node)) if x.op != CONST] for node in order]
    uses: dict[int, list[int]] = {}
    for position, operands in enumerate(reads):
        for operand in operands:
            uses.setdefault(operand.index, []).append(position)
    made = {node.index for node in order}
    for node in program.nodes:  # inputs and early sines that are results too
        if node.index in program.targets and node.index not in made and node.op != CONST:
            uses.setdefault(node.index, []).append(end)
    known = {node.index: node for node in program.nodes}
    left = {index: iter(positions) for index, positions in uses.items()}
    following = {index: next(positions) for index, positions in left.items()}
    unread = {index for index in uses if known[index].op == INPUT}
    inside = sorted((following[index], index) for index in uses if index not in made and index not in unread)
    away: set[int] = set()
    kept: set[int] = set()
    steps: list[Node | Away] = []

    def leave() -> None:
        while len(inside) > registers:
            _, index = inside.pop()
            away.add(index)
            if index not in kept:
                kept.add(index)
                steps.append(Away(known[index], back=False))

    def fetch(operands: Sequence[Node]) -> None:
        for operand in operands:
            if operand.index in unread:
                unread.remove(operand.index)
                insort(inside, (following[operand.index], operand.index))
            elif operand.index in away:
                away.remove(operand.index)
                insort(inside, (following[operand.index], operand.index))
                steps.append(Away(operand, back=True))

    leave()
    for position, node in enumerate(order):
        if position + AHEAD < end and len(inside) < registers:
            fetch([operand for operand in reads[position + AHEAD] if operand.index in away])
        fetch(reads[position])
        for operand in reads[position]:
            del inside[bisect_left(inside, (position, operand.index))]
            following[operand.index] = next(left[operand.index], -1)
            if following[operand.index] >= 0:
                insort(inside, (following[operand.index], operand.index))
        steps.append(node)
        if node.index in following:
            insort(inside, (following[node.index], node.index))
        leave()
    fetch([known[index] for index in sorted(away | unread) if following[index] == end])
    return steps


def _stays(steps: Sequence[Node | Away]) -> list[_Stay]:
    """When each number is away, in the order of leaving."""
    start: dict[int, int] = {}
    last: dict[int, tuple[int, int]] = {}
    nodes: dict[int, Node] = {}
    for position, step in enumerate(steps):
        if isinstance(step, Away):
            index = step.node.index
            nodes[index] = step.node
            start.setdefault(index, position)
            last[index] = position, last.get(index, (0, 0))[1] + 1
    return [_Stay(nodes[index], start[index], *last[index]) for index in start]


def _homes(program: Program, steps: Sequence[Node | Away], results: Mapping[int, Sequence[int]]) -> list[int]:
    """For each place of a result the step from which it holds that result."""
    made = {step.index: position for position, step in enumerate(steps) if isinstance(step, Node)}
    found = [len(steps)] * (1 + max((place for places in results.values() for place in places), default=-1))
    for index, places in results.items():
        for place in places:
            found[place] = made.get(index, len(steps))
    return found


def _placed(stays: Sequence[_Stay], home: Sequence[int], most: int) -> tuple[dict[int, int], int, int]:
    """A place for each stay: shared ones while there are any, the busiest stays first."""
    taken: list[list[tuple[int, int]]] = [[(start, 1 << 60)] for start in home]
    places: dict[int, int] = {}
    distant: list[_Stay] = []
    for stay in sorted(stays, key=lambda stay: (stay.end - stay.start) / stay.moves):
        place = _first_free(taken, stay)
        if place is None and len(taken) < most:
            place = len(taken)
            taken.append([])
        if place is None:
            distant.append(stay)
            continue
        insort(taken[place], (stay.start, stay.end))
        places[stay.node.index] = place
    shared = len(taken)
    ends: list[int] = []
    for stay in sorted(distant, key=lambda stay: stay.start):
        free = next((k for k, until in enumerate(ends) if until < stay.start), None)
        if free is None:
            free = len(ends)
            ends.append(0)
        ends[free] = stay.end
        places[stay.node.index] = shared + free
    return places, shared, len(ends)


def _first_free(taken: Sequence[Sequence[tuple[int, int]]], stay: _Stay) -> int | None:
    """The place that is free all the while and leaves the least of its free time unused."""
    best, least = None, inf
    for place, intervals in enumerate(taken):
        after = bisect_left(intervals, (stay.start, -1))
        before = intervals[after - 1][1] if after else -1
        following = intervals[after][0] if after < len(intervals) else 1 << 59
        if before < stay.start and stay.end < following and following - before < least:
            best, least = place, following - before
    return best

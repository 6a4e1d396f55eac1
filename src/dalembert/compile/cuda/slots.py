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


def waiting(program: Program, registers: int, results: Mapping[int, Sequence[int]], shared_places: int) -> Waiting:
    """The order of ``program`` with at most ``registers`` numbers in registers.

    ``results`` are the places of each computed number that is a result, by index of its node, counted from 0; at most
    ``shared_places`` places are in shared memory, or as many as results need.
    """
    steps = _with_moves(program, registers)
    stays = _stays(steps)
    home = _homes(steps, results)
    places, shared, far = _placed(stays, home, max(shared_places, len(home)))
    return Waiting(tuple(steps), places, shared, far)


def most_alive(program: Program) -> int:
    """The largest number of values alive at once: early sines from the start, inputs from their first use."""
    first_read: dict[int, int] = {}
    last_read: dict[int, int] = {}
    computed = {node.index for node in program.order}
    for position, node in enumerate(program.order):
        for operand in program.operands(node):
            if operand.op != CONST:
                last_read[operand.index] = position
                if operand.op == INPUT:
                    first_read.setdefault(operand.index, position)
    live = largest = sum(index not in computed and index not in first_read for index in last_read)
    starts, ends = Counter(first_read.values()), Counter(last_read.values())
    for position, node in enumerate(program.order):
        live += (node.index in last_read) + starts[position] - ends[position]
        largest = max(largest, live)
    return largest


def _with_moves(program: Program, registers: int) -> list[Node | Away]:
    """Statements in order, with what leaves and comes back."""
    order, end = program.order, len(program.order)
    reads = [[x for x in dict.fromkeys(program.operands(node)) if x.op != CONST] for node in order]
    uses: dict[int, list[int]] = {}
    for position, operands in enumerate(reads):
        for operand in operands:
            uses.setdefault(operand.index, []).append(position)
    computed = {node.index for node in order}
    for node in program.nodes:  # inputs and early sines that are results too
        if node.index in program.targets and node.index not in computed and node.op != CONST:
            uses.setdefault(node.index, []).append(end)
    node_of = {node.index: node for node in program.nodes}
    later_uses = {index: iter(positions) for index, positions in uses.items()}
    following = {index: next(positions) for index, positions in later_uses.items()}
    unread = {index for index in uses if node_of[index].op == INPUT}
    inside = sorted((following[index], index) for index in uses if index not in computed and index not in unread)
    away: set[int] = set()
    saved: set[int] = set()
    steps: list[Node | Away] = []

    def leave() -> None:
        while len(inside) > registers:
            _, index = inside.pop()
            away.add(index)
            if index not in saved:
                saved.add(index)
                steps.append(Away(node_of[index], back=False))

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
            following[operand.index] = next(later_uses[operand.index], -1)
            if following[operand.index] >= 0:
                insort(inside, (following[operand.index], operand.index))
        steps.append(node)
        if node.index in following:
            insort(inside, (following[node.index], node.index))
        leave()
    fetch([node_of[index] for index in sorted(away | unread) if following[index] == end])
    return steps


def _stays(steps: Sequence[Node | Away]) -> list[_Stay]:
    """When each number is away, in the order of leaving."""
    start: dict[int, int] = {}
    last_move: dict[int, tuple[int, int]] = {}
    nodes: dict[int, Node] = {}
    for position, step in enumerate(steps):
        if isinstance(step, Away):
            index = step.node.index
            nodes[index] = step.node
            start.setdefault(index, position)
            last_move[index] = position, last_move.get(index, (0, 0))[1] + 1
    return [_Stay(nodes[index], start[index], *last_move[index]) for index in start]


def _homes(steps: Sequence[Node | Away], results: Mapping[int, Sequence[int]]) -> list[int]:
    """For each place of a result the step from which it holds that result."""
    computed_at = {step.index: position for position, step in enumerate(steps) if isinstance(step, Node)}
    homes = [len(steps)] * (1 + max((place for places in results.values() for place in places), default=-1))
    for index, places in results.items():
        for place in places:
            homes[place] = computed_at.get(index, len(steps))
    return homes


def _placed(stays: Sequence[_Stay], home: Sequence[int], shared_places: int) -> tuple[dict[int, int], int, int]:
    """A place for each stay: shared ones while there are any, the busiest stays first."""
    occupied: list[list[tuple[int, int]]] = [[(start, 1 << 60)] for start in home]
    slots: dict[int, int] = {}
    distant: list[_Stay] = []
    for stay in sorted(stays, key=lambda stay: (stay.end - stay.start) / stay.moves):
        slot = _first_free(occupied, stay)
        if slot is None and len(occupied) < shared_places:
            slot = len(occupied)
            occupied.append([])
        if slot is None:
            distant.append(stay)
            continue
        insort(occupied[slot], (stay.start, stay.end))
        slots[stay.node.index] = slot
    shared = len(occupied)
    ends: list[int] = []
    for stay in sorted(distant, key=lambda stay: stay.start):
        free = next((k for k, end in enumerate(ends) if end < stay.start), None)
        if free is None:
            free = len(ends)
            ends.append(0)
        ends[free] = stay.end
        slots[stay.node.index] = shared + free
    return slots, shared, len(ends)


def _first_free(occupied: Sequence[Sequence[tuple[int, int]]], stay: _Stay) -> int | None:
    """The place that is free all the while and leaves the least of its free time unused."""
    best, shortest_gap = None, inf
    for slot, intervals in enumerate(occupied):
        index = bisect_left(intervals, (stay.start, -1))
        previous_end = intervals[index - 1][1] if index else -1
        following = intervals[index][0] if index < len(intervals) else 1 << 59
        if previous_end < stay.start and stay.end < following and following - previous_end < shortest_gap:
            best, shortest_gap = slot, following - previous_end
    return best

"""A function too long for the registers of a thread as several kernels, launched one after another.

A straight line of ten thousand operations keeps hundreds of numbers alive at a time. What a thread cannot hold waits in
shared memory (``slots.py``), of which a multiprocessor has little: the more a thread leaves there, the fewer warps run
beside each other. So results may be worked out apart, some rows of them at a time: they share less, and some operations
are done twice, but more warps fit. A function that has other ways (``Function.ways``) may go one of them: the same
results written for few registers, or stages, each a function of its own, between which numbers pass through memory, in
columns, for ``CHUNK`` states at a time. What costs least is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import prod

from ...rings.graph import INPUT, Node
from ..emit_c import Program
from ..function import Function, Tables
from .slots import ACROSS, MOST_HELD, REGISTERS, Away, Waiting, most_alive, waiting

WARP = 32
SHARED = 228 * 1024
"""Shared memory of a multiprocessor (bytes),"""
SHARED_OF_BLOCK = 1024
"""of which each block takes so much for itself."""
MOST_SHARED = 75 * 1024
"""Most shared memory (bytes) in which the numbers of a warp wait: three warps of them fit on a multiprocessor."""
SPILLING = {"float32": 4.0, "float64": 2.5}
"""How many times slower a kernel gets for each time more numbers alive than registers hold that are left to the
compiler; measured on an H200."""
SPEEDS = (0.1, 0.2, 0.36, 0.5, 0.6, 0.68, 0.78, 0.9, 1.0)
"""Speed of a multiprocessor on which so many warps fit, of that with eight; measured on an H200."""
MOST_INSTRUCTIONS = 9500
"""Instructions beyond which code no longer stays in the caches of instructions,"""
FETCHED = 0.6
"""and the speed of such code, of that which stays."""
INSTRUCTIONS = {"float32": 1.1, "float64": 1.35}
"""Instructions that become of a statement: in float64 constants are fetched;"""
AROUND = 500
"""those that read a state, take its sines and write its results."""
ENOUGH = 6
"""Warps on a multiprocessor with which a kernel is not cut further."""
FEW = 3
"""Warps up to which quarters are weighed even where halves cost more."""
PASSING = {"float32": 12.0, "float64": 15.5}
"""Statements that a number is worth which is written or read between stages; measured on an H200."""
GATHERED = 3.0
"""Statements that a result is worth which gathers in shared memory."""
LAUNCHED = 190.0
"""Statements that a kernel is worth: its inputs are read, and their sines taken."""
CHUNK = 1 << 17
"""States that go through all stages before the next ones."""
MOST_ROWS, MOST_STRIDE = 1 << 30, 1 << 28
"""Rows of one launch, and numbers from row to row, below which 32 bits say where a row is."""


@dataclass(frozen=True)
class Window:
    """Consecutive numbers of one result of a state: which result, the first of them, how many, and how many in all."""

    result: int
    start: int
    size: int
    whole: int


@dataclass(frozen=True)
class Part:
    """One kernel: its program, whose results are windows of those of ``function``."""

    program: Program
    function: Function
    windows: tuple[Window, ...]
    dtype: str
    layout: str = "rows"
    between: frozenset[str] = frozenset()
    """Arguments and results that pass between stages."""

    @property
    def results(self) -> int:
        """Results of the function, of which this part writes windows."""
        return len(self.function.results)

    @property
    def gathers(self) -> tuple[bool, ...]:
        """For each window whether its numbers gather in shared memory to be written."""
        names = [self.function.results[window.result][0] for window in self.windows]
        return tuple(self.layout == "rows" and name not in self.between for name in names)

    @property
    def starts(self) -> tuple[int, ...]:
        """For each window the place in shared memory of its first number."""
        sizes = [window.size * gathered for window, gathered in zip(self.windows, self.gathers, strict=True)]
        return tuple(sum(sizes[:k]) for k in range(len(sizes)))

    @property
    def gathered(self) -> int:
        """Numbers of a state that gather in shared memory."""
        return sum(window.size for window, gathers in zip(self.windows, self.gathers, strict=True) if gathers)

    @property
    def passing(self) -> int:
        """Numbers of a state that are read of those between stages, or written there."""
        if not self.between:
            return 0
        passing_names = {
            name for argument, names in self.program.function.inputs if argument in self.between for name in names
        }
        read = sum(node.op == INPUT and node.value in passing_names for node in self.program.nodes)
        return read + sum(window.size for window in self.windows) - self.gathered

    @cached_property
    def crowd(self) -> float:
        """How many times more numbers are alive than the registers hold; at most 1 where all fit."""
        return most_alive(self.program) / MOST_HELD[self.dtype]

    @cached_property
    def plan(self) -> Waiting | None:
        """Which numbers wait outside the registers, if not all fit; None too where they would leave hardly a warp
        beside another: then they are left to the compiler, which lets them wait in memory."""
        if self.crowd <= 1:
            return None
        result_places: dict[int, list[int]] = {}
        outputs = self.program.function.outputs
        for (_, nodes), start, gathers in zip(outputs, self.starts, self.gathers, strict=True):
            for column, node in enumerate(nodes if gathers else ()):
                result_places.setdefault(node.index, []).append(start + column)
        shared_places = MOST_SHARED // (ACROSS * size_of(self.dtype))
        plan = waiting(self.program, REGISTERS[self.dtype], result_places, shared_places)
        return None if plan.far else plan

    @property
    def shared(self) -> int:
        """Shared memory of a warp (bytes)."""
        numbers = WARP * self.gathered if self.plan is None else ACROSS * self.plan.shared
        return numbers * size_of(self.dtype)

    @property
    def warps(self) -> int:
        """Warps that fit on a multiprocessor, up to eight."""
        return min(8, SHARED // (self.shared + SHARED_OF_BLOCK))

    @property
    def fits(self) -> bool:
        """Whether nothing is gained by cutting it."""
        held_or_planned = self.crowd <= 1 or self.plan is not None
        return held_or_planned and self.instructions <= MOST_INSTRUCTIONS and self.warps >= ENOUGH

    @cached_property
    def moves(self) -> int:
        """Numbers that leave the registers or come back."""
        return sum(isinstance(step, Away) for step in self.plan.steps) if self.plan is not None else 0

    @property
    def instructions(self) -> float:
        """Instructions, about."""
        return INSTRUCTIONS[self.dtype] * len(self.program.order) + self.moves + AROUND

    @cached_property
    def cost(self) -> float:
        """Time of this kernel, in statements of a state."""
        work = len(self.program.order) + self.moves + GATHERED * self.gathered
        speed = SPEEDS[self.warps] * (1.0 if self.instructions <= MOST_INSTRUCTIONS else FETCHED)
        if self.crowd > 1 and self.plan is None:
            speed /= 1 + SPILLING[self.dtype] * (self.crowd - 1)
        return LAUNCHED + work / speed + PASSING[self.dtype] * self.passing


def size_of(dtype: str) -> int:
    """Bytes of a number."""
    return 4 if dtype == "float32" else 8


def whole_part(program: Program, dtype: str, layout: str = "rows", between: frozenset[str] = frozenset()) -> Part:
    """All of a function as one kernel."""
    sizes = [len(nodes) for _, nodes in program.function.outputs]
    windows = tuple(Window(k, 0, size, size) for k, size in enumerate(sizes))
    return Part(program, program.function, windows, dtype, layout, between)


def kernels(function: Function, dtype: str, layout: str = "rows", stages: bool = True) -> list[Part]:
    """The kernels of a function in the order they run, by the way that costs least.

    What passes between stages needs memory of its own, and rows; without ``stages`` no such way is taken.
    """
    cheapest = parts(function, dtype, layout)
    if function.ways is None or (len(cheapest) == 1 and cheapest[0].plan is None):
        return cheapest
    for way in function.ways():
        if len(way) == 1 or (stages and layout == "rows"):
            cheapest = min(cheapest, _steps(function, way, dtype, layout), key=_cost)
    return cheapest


def _steps(function: Function, stages: Sequence[Function], dtype: str, layout: str) -> list[Part]:
    """The kernels of the functions of ``stages``, each by the one of its own ways that costs least."""
    outer_names = {name for name, _ in (*function.arguments, *function.results)}
    passed = frozenset(name for stage in stages for name, _ in stage.results if name not in outer_names)
    steps: list[Part] = []
    for stage in stages:
        others = stage.ways() if stage.ways is not None else ()
        choices = [stage, *(way[0] for way in others if len(way) == 1)]
        steps += min((parts(choice, dtype, layout, passed) for choice in choices), key=_cost)
    return steps


def _cost(steps: Iterable[Part]) -> float:
    return sum(part.cost for part in steps)


def parts(function: Function, dtype: str, layout: str = "rows", between: frozenset[str] = frozenset()) -> list[Part]:
    """One kernel for a function that fits, else one for each result, or for some rows of it, if that costs less."""
    single = whole_part(Program(function, fused=True), dtype, layout, between)
    rows = [shape[0] for shape in function.shapes]
    if single.fits or sum(rows) == 1:
        return [single]
    if len(rows) == 1:
        return _rows(single, function, 0, rows[0])
    several = [
        part
        for result, count in enumerate(rows)
        for part in _rows(_window(single, function, result, 0, count), function, 0, count)
    ]
    return min([single], several, key=_cost)


def _rows(part: Part, function: Function, first: int, last: int) -> list[Part]:
    """Rows ``first`` to ``last`` of a result, halved as long as the halves cost less."""
    if part.fits or last - first <= 1:
        return [part]
    result, middle = part.windows[0].result, (first + last + 1) // 2
    halves = [_window(part, function, result, first, middle), _window(part, function, result, middle, last)]
    if _cost(halves) >= part.cost and part.warps > FEW:
        return [part]
    cut = [*_rows(halves[0], function, first, middle), *_rows(halves[1], function, middle, last)]
    return min([part], cut, key=_cost)


def _window(template: Part, function: Function, result: int, first: int, last: int) -> Part:
    """Rows ``first`` to ``last`` of one result."""
    shape = function.shapes[result]
    window = Window(result, first * prod(shape[1:]), (last - first) * prod(shape[1:]), prod(shape))
    return replace(
        template, program=Program(_selected(function, window), fused=True), function=function, windows=(window,)
    )


def _selected(function: Function, window: Window) -> Function:
    """The function of this window alone."""
    name, _ = function.results[window.result]
    nodes = function.outputs[window.result][1][window.start : window.start + window.size]
    return replace(function, results=((name, (window.size,)),), build=partial(_tables, nodes), facts="", ways=None)


def _tables(nodes: tuple[Node, ...]) -> Tables:
    return (list(nodes),)


# -- running ------------------------------------------------------------------------------------------


def scratch_numbers(steps: Sequence[Part]) -> dict[str, int]:
    """Numbers of a state that pass between stages, by name."""
    numbers: dict[str, int] = {}
    for part in steps:
        numbers |= {name: prod(shape) for name, shape in part.function.results if name in part.between}
    return numbers


def launches(
    steps: Sequence[Part], function: Function, dtype: str, states: int, values: Sequence[int], scratch: int
) -> Iterator[tuple[int, list[int], int]]:
    """Every launch for ``states`` rows: which kernel, its arguments, and how many states.

    ``values`` are address and stride of each argument of the function, then the addresses of its results; ``scratch``
    is the address of memory for ``CHUNK`` states of all that passes between stages.
    """
    passing, size = scratch_numbers(steps), size_of(dtype)
    chunk = CHUNK if passing else MOST_ROWS
    addresses: dict[str, int] = {}
    for name, numbers in passing.items():
        addresses[name] = scratch
        scratch += numbers * CHUNK * size
    count = len(function.arguments)
    for first in range(0, states, chunk):
        inputs = {
            name: (values[2 * k] + first * values[2 * k + 1] * size, values[2 * k + 1])
            for k, (name, _) in enumerate(function.arguments)
        }
        results = {
            name: values[2 * count + k] + first * prod(shape) * size for k, (name, shape) in enumerate(function.results)
        }
        for index, part in enumerate(steps):
            arguments: list[int] = []
            for name, _ in part.function.arguments:
                arguments += (addresses[name], CHUNK) if name in addresses else inputs[name]
            arguments += [addresses[name] if name in addresses else results[name] for name, _ in part.function.results]
            yield index, arguments, min(chunk, states - first)

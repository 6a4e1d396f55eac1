"""A function too long for the registers of a thread as several kernels, launched one after another.

A straight line of ten thousand operations keeps hundreds of numbers alive at a time; what a thread cannot hold goes out
to memory and comes back, and the rows of a warp that wait to be written leave no room for other warps. So results are
worked out apart, some rows of them at a time: they share less, and some operations are done twice, but each kernel
fits. A function that has stages (``Function.stages``) goes through them, each a function of its own; what passes
between them lies in columns in memory of its own, for ``CHUNK`` states at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from math import prod

from ...rings.graph import INPUT, Node
from ..emit_c import Program
from ..function import Function, Tables

MOST_ALIVE = {"float32": 300, "float64": 150}
"""Numbers alive at a time that 255 registers still hold: the order of a schedule leaves the compiler some freedom."""
MOST_STAGED = 1200
"""Results of a state (bytes) that a kernel stages at most: six warps of them fit on a multiprocessor."""
WORTH = 0.75
"""Share of the numbers alive that halves of a part may have at most, to be worth what they do twice."""
HOPELESS = 2.5
"""Times as many numbers alive as registers hold, from which stages are taken without weighing."""
COSTS = {"float32": (4.0, 19.0), "float64": (2.5, 25.0)}
"""What slows kernels down, measured on an H200: how many times slower they get for each time more numbers alive than
registers hold, and how many operations a number is worth that is written or read between stages."""
CHUNK = 1 << 17
"""States that go through all stages before the next ones."""


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
    between: frozenset[str] = frozenset()
    """Arguments and results that pass between stages."""

    @property
    def results(self) -> int:
        """Results of the function, of which this part writes windows."""
        return len(self.function.results)

    @property
    def staged(self) -> int:
        """Numbers of a state that wait in shared memory to be written."""
        names = [name for name, _ in self.function.results]
        return sum(window.size for window in self.windows if names[window.result] not in self.between)

    @property
    def passing(self) -> int:
        """Numbers of a state that are read of those between stages, or written there."""
        own = {name for argument, names in self.program.function.inputs if argument in self.between for name in names}
        read = sum(node.op == INPUT and node.value in own for node in self.program.nodes)
        return read + sum(window.size for window in self.windows) - self.staged

    @property
    def alive(self) -> int:
        """Numbers alive at a time."""
        return self.program.alive


def whole(program: Program) -> Part:
    """All of a function as one kernel."""
    sizes = [len(nodes) for _, nodes in program.function.outputs]
    return Part(program, program.function, tuple(Window(k, 0, size, size) for k, size in enumerate(sizes)))


def kernels(function: Function, dtype: str, layout: str = "rows") -> list[Part]:
    """The kernels of a function in the order they run: one where all of it fits, else parts, or parts of its stages."""
    try:
        return _kernels(function, _leaves(function, dtype) if layout == "rows" else [function], dtype)
    finally:  # what was ordered to be compared is large
        _window.cache_clear()
        _program.cache_clear()


def _leaves(function: Function, dtype: str) -> list[Function]:
    """The function itself, or its stages, and theirs, where these cost less."""
    if function.stages is None:
        return [function]
    hopeless = _window(function, 0, 0, function.shapes[0][0]).alive > HOPELESS * MOST_ALIVE[dtype]
    own = [] if hopeless else parts(function, dtype)
    if len(own) == 1:
        return [function]
    stages = [leaf for stage in function.stages() for leaf in _leaves(stage, dtype)]
    return stages if hopeless or _cost(_kernels(function, stages, dtype), dtype) < _cost(own, dtype) else [function]


def _kernels(function: Function, leaves: Sequence[Function], dtype: str) -> list[Part]:
    given = {name for name, _ in (*function.arguments, *function.results)}
    passed = frozenset(name for leaf in leaves for name, _ in leaf.results if name not in given)
    return [part for leaf in leaves for part in parts(leaf, dtype, passed)]


def _cost(steps: Sequence[Part], dtype: str) -> float:
    """Time of these kernels, in operations (``COSTS``)."""
    crowd, passing = COSTS[dtype]
    total = 0.0
    for part in steps:
        work = len(part.program.order)
        total += work * (1 + crowd * max(0.0, part.alive / MOST_ALIVE[dtype] - 1)) + passing * part.passing
    return total


def parts(function: Function, dtype: str, between: frozenset[str] = frozenset()) -> list[Part]:
    """One kernel for a function that fits, else one for each result, or for some rows of it."""
    found = replace(whole(_program(function)), between=between)
    if found.alive <= MOST_ALIVE[dtype] and found.staged * _size(dtype) <= MOST_STAGED:
        return [found]
    return [
        replace(part, between=between)
        for result, (name, shape) in enumerate(function.results)
        for part in _rows(function, dtype, result, 0, shape[0], name not in between)
    ]


def _size(dtype: str) -> int:
    return 4 if dtype == "float32" else 8


def _rows(function: Function, dtype: str, result: int, first: int, last: int, staged: bool) -> list[Part]:
    """Rows ``first`` to ``last`` of a result, halved until they fit, as long as halves hold fewer numbers."""
    found = _window(function, result, first, last)
    fits = not staged or found.staged * _size(dtype) <= MOST_STAGED
    if last - first <= 1 or (fits and found.alive <= MOST_ALIVE[dtype]):
        return [found]
    middle = (first + last + 1) // 2
    halves = [
        *_rows(function, dtype, result, first, middle, staged),
        *_rows(function, dtype, result, middle, last, staged),
    ]
    if fits and max(half.alive for half in halves) > WORTH * found.alive:
        return [found]
    return halves


@cache
def _program(function: Function) -> Program:
    return Program(function)


@cache
def _window(function: Function, result: int, first: int, last: int) -> Part:
    """Rows ``first`` to ``last`` of one result."""
    shape = function.shapes[result]
    window = Window(result, first * prod(shape[1:]), (last - first) * prod(shape[1:]), prod(shape))
    return Part(Program(_selected(function, window)), function, (window,))


def _selected(function: Function, window: Window) -> Function:
    """The function of this window alone."""
    name, _ = function.results[window.result]
    nodes = function.outputs[window.result][1][window.start : window.start + window.size]
    return replace(function, results=((name, (window.size,)),), build=partial(_tables, nodes), facts="", stages=None)


def _tables(nodes: tuple[Node, ...]) -> Tables:
    return (list(nodes),)


# -- running ------------------------------------------------------------------------------------------


def scratch_numbers(steps: Sequence[Part]) -> dict[str, int]:
    """Numbers of a state that pass between stages, by name."""
    found: dict[str, int] = {}
    for part in steps:
        found |= {name: prod(shape) for name, shape in part.function.results if name in part.between}
    return found


def launches(
    steps: Sequence[Part], function: Function, dtype: str, states: int, values: Sequence[int], scratch: int
) -> Iterator[tuple[int, list[int], int]]:
    """Every launch for ``states`` rows: which kernel, its arguments, and how many states.

    ``values`` are address and stride of each argument of the function, then the addresses of its results; ``scratch``
    is the address of memory for ``CHUNK`` states of all that passes between stages.
    """
    passing = scratch_numbers(steps)
    if not passing:
        for index in range(len(steps)):
            yield index, list(values), states
        return
    size = _size(dtype)
    places: dict[str, int] = {}
    for name, numbers in passing.items():
        places[name] = scratch
        scratch += numbers * CHUNK * size
    count = len(function.arguments)
    for first in range(0, states, CHUNK):
        given = {
            name: (values[2 * k] + first * values[2 * k + 1] * size, values[2 * k + 1])
            for k, (name, _) in enumerate(function.arguments)
        }
        results = {
            name: values[2 * count + k] + first * prod(shape) * size for k, (name, shape) in enumerate(function.results)
        }
        for index, part in enumerate(steps):
            own: list[int] = []
            for name, _ in part.function.arguments:
                own += (places[name], CHUNK) if name in places else given[name]
            own += [places[name] if name in places else results[name] for name, _ in part.function.results]
            yield index, own, min(CHUNK, states - first)

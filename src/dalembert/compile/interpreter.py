"""The library that runs tables (``tape.py``): built once on a machine, checked, and kept like a kernel."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ..rings.graph import Graph, Node
from . import build, shared_library
from .emit_c import Program
from .emit_tape import tape_source
from .function import Function
from .tape import Tape

FLAGS = ("-ffp-contract=off", "-fno-gcse", "-O2")
"""Products and sums are fused as programs say and nowhere else; constants take no registers that values need."""
SECONDS, PER_STATEMENT = 0.1, 1e-4
"""About what a compiler takes for a function (s), and for each of its statements."""
PER_SINGLE, PER_STATE = 1.2e-9, 0.2e-9
"""About what an operation of a table takes (s), in a single state and in a batch."""
NEVER = 100_000
"""Operations beyond which a function stays a table: its code would be longer than what caches hold."""


def attached(caller: Any, program: Program, dtype: np.dtype[Any]) -> bool:
    """Have ``caller`` compute by the table of a program, until a compiler would have been worth its time.

    False where there is no extension module to call it, or no library to run it.
    """
    if isinstance(caller, shared_library.CtypesCaller):
        return False
    try:
        library = interpreter(dtype)
    except build.CompileError:
        return False  # whoever compiles next says why
    tape = Tape(program, dtype)
    seconds = SECONDS + PER_STATEMENT * tape.length if tape.length <= NEVER else float("inf")
    attach(caller, tape, library, seconds / (PER_SINGLE * tape.length), seconds / (PER_STATE * tape.length))
    return True


def attach(caller: Any, tape: Tape, library: shared_library.CompiledLibrary, singles: float, states: float) -> None:
    """Have ``caller`` compute so many states by this table."""
    addresses = (library.address("tape_single"), library.address("tape_batch"))
    caller.attach_tape(*addresses, tape.address, (tape, library), singles, states)


@lru_cache
def interpreter(dtype: np.dtype[Any]) -> shared_library.CompiledLibrary:
    """The library for numbers of this type."""
    file = shared_library.built_library(tape_source(dtype.name), FLAGS, verify=partial(verify, dtype=dtype))
    return shared_library.CompiledLibrary(file)


def verify(library: shared_library.CompiledLibrary, dtype: np.dtype[Any]) -> None:
    """Every operation against NumPy, one state at a time and in a batch."""
    function = sample()
    tape = Tape(Program(function, fused=True), dtype)
    caller = shared_library.caller_type()((4,), function.shapes, dtype.num, 0, shared_library.uncallable)
    attach(caller, tape, library, float("inf"), float("inf"))
    x = np.random.default_rng(0).uniform(0.5, 2, (37, 4)).astype(dtype)
    expected = function.over_floats([x])
    tolerance = 1e-12 if dtype == np.float64 else 1e-4
    for computed in (caller(x), np.array([caller(row) for row in x])):
        if not (np.abs(computed - expected) <= tolerance * (1 + np.abs(expected))).all():
            raise build.CompileError(f"the C compiler {build.find().command[0]} built code that computes wrongly")


def sample() -> Function:
    """A function with every operation in it."""

    def tables() -> tuple[list[Node | int]]:
        graph = Graph()
        x, y, z, w = graph.inputs("x_", 4)
        k = Fraction(3, 7)
        sin_xy, cos_xy = graph.sincos(x * y)
        sin_x, cos_x = graph.sincos(x + k)
        values = [
            x + y, x - y, y - x, x * y, -(x + z), graph.inverse(y), graph.sqrt(z), graph.sign(x - y), sin_xy,
            cos_xy + sin_x, cos_x, k + x * x, k - x, x - k, k * x, x * y + z, z - x * y, x * y - z, k * x + y,
            y - k * x, k * x - y, x * y + z * w, (x * y + k) * w, 5, k, x, sin_xy * sin_xy + cos_xy * cos_xy,
            graph.sign(y) * graph.sqrt(x * w + z),
        ]  # fmt: skip
        return ([graph.node(value) for value in values],)

    return Function("sample", (("x", 4),), (("y", (28,)),), tables)

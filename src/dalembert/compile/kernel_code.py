"""The machine code of a function: a loop over a table, code from the cache, or code that is built, and when."""

from __future__ import annotations

import hashlib
import math
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from . import build, cache, interpreter, shared_library
from .emit_batch import batch_source
from .emit_c import Program
from .emit_recursion import recursion_source
from .emit_single import single_source
from .function import Function
from .locks import ForkSafeLock

TRIALS = 64
"""States at which built code is compared with the graph."""
LARGE = 4000
"""Statements beyond which the compiler optimises less, to keep its time down."""

PACKAGE = Path(__file__).resolve().parents[1]
ROOMS = ("arm", "rings", "formulations", "compile", "mechanisms")
"""The rooms of the package whose code graphs are made by, whichever room builds them."""


class KernelCode:
    """The code of one function in one type, which ``caller`` runs, in two forms: "single" states and a "batch".

    A function that is a recursion needs no code of its own. A ``patient`` one runs as a table (``tape.py``) until that
    has taken about as long as a compiler would have.
    """

    def __init__(
        self, function: Function, dtype: np.dtype[Any], caller: shared_library.Caller, patient: bool = False
    ) -> None:
        self.function, self.dtype, self.caller, self.patient = function, dtype, caller, patient
        self._lock = ForkSafeLock()
        self._compiled: dict[str, bool] = {}
        """By form: whether there is code, once that was tried."""
        self._sought: set[str] = set()
        """Forms that a patient function looked for in the cache."""
        self._addresses: dict[str, int] = {}
        self._has_table: bool | None = None
        self._is_loop: bool | None = None

    def is_ready(self, form: str, states: int | None = None) -> bool:
        """Have the code ready; False, after one line of warning, where it cannot be.

        A patient function may compute ``states`` by its table instead.
        """
        if self.is_loop:
            return True
        if form not in self._compiled:
            with self._lock:
                if states is not None and self.patient and self._by_table(form, states):
                    return True
                if form not in self._compiled:
                    self._compiled[form] = self._load(form)
        return self._compiled[form] or bool(self._has_table)

    def is_missing(self, form: str) -> bool:
        """Whether code of this form was asked for and could not be had."""
        return self._compiled.get(form) is False

    def is_compiled(self, form: str) -> bool:
        """Whether states run machine code made for them; compiles it if that was not done yet."""
        return self.is_ready(form) and (self.is_loop or self._compiled[form])

    @property
    def is_loop(self) -> bool:
        """Whether the function is computed by a loop over the table of its arm."""
        if self._is_loop is None:
            with self._lock:
                if self._is_loop is None:
                    by_loop = self.function.recursion
                    self._is_loop = by_loop is not None and by_loop(self.caller, self.dtype)
        return self._is_loop

    def address(self, form: str) -> int | None:
        """Where the function of this form is in memory; None where none was compiled."""
        return self._addresses.get(form) if self.is_ready(form) else None

    def _by_table(self, form: str, states: int) -> bool:
        """Whether so many states are computed by the table: there is no code yet, and it does not pay to make it."""
        if form not in self._sought:
            self._sought.add(form)
            try:
                if cache.stored(self.key(form)) is not None:
                    return False
            except build.CompileError:
                return False
        if self._has_table is None:
            self._has_table = interpreter.attached(self.caller, self.program, self.dtype)
        return self._has_table and form not in self._compiled and bool(self.caller.afford(form == "batch", states))

    # -- building -------------------------------------------------------------------------------

    @cached_property
    def program(self) -> Program:
        """The graph of the function as a sequence of statements, for the C emitters."""
        return Program(self.function, fused=True)

    def source(self, form: str) -> str:
        """The C of a form."""
        if self.is_loop:
            return recursion_source(self.dtype.name)
        return self._text(form)

    def _text(self, form: str) -> str:
        emit = single_source if form == "single" else batch_source
        return emit(self.program, self.dtype.name)

    def key(self, form: str) -> str:
        """The digest under which the code is kept: of the function, this package, the compiler and the processor."""
        facts = (
            "2", code_digest(self.function.room), self.function.identity, str(self.dtype), form, build.find().identity,
            " ".join(build.BASE_FLAGS), build.machine(),
        )  # fmt: skip
        return hashlib.sha256("\0".join(facts).encode()).hexdigest()

    def _load(self, form: str) -> bool:
        try:
            path = cache.library(self.key(form), lambda _: self._built(form))
            library = shared_library.CompiledLibrary(path)
            self._addresses[form] = library.address(f"kernel_{form}")
            self.caller.attach(form, self._addresses[form], library)
        except build.CompileError as fault:
            build.warn_slow(fault)
            return False
        return True

    def _built(self, form: str) -> Path:
        """The library of its code. Functions that differ only in numbers which are arguments have the same code."""
        flags = (*interpreter.FLAGS, *(("-O1",) if len(self.program.order) > LARGE else ()))
        return shared_library.built_library(self._text(form), flags, verify=partial(self._verify, form))

    def _verify(self, form: str, library: shared_library.CompiledLibrary) -> None:
        """States against the same graph in NumPy: a compiler that gets it wrong is not used."""
        rng = np.random.default_rng(0)
        flat = tuple(trial.astype(self.dtype) for trial in self.function.trials(rng, TRIALS, 1.0))
        if self.function.parameters.names:
            described = np.array(self.function.parameters.values, self.dtype)
            flat = (*flat[:-1], np.tile(described, (TRIALS, 1)))
        results = tuple(np.zeros((TRIALS, math.prod(shape)), self.dtype) for shape in self.function.shapes)
        caller = shared_library.CtypesCaller((), (), 0, 0, shared_library.uncallable)
        caller.attach(form, library.address(f"kernel_{form}"), library)
        if form == "batch":
            caller.chunk(flat, results, 0, TRIALS)
        else:
            caller.bind(tuple(a[0] for a in flat), tuple(a[0] for a in results), None)()
        rows = TRIALS if form == "batch" else 1
        expected = self.function.over_floats(flat)[:rows]
        computed = np.concatenate(results, axis=1)[:rows]
        usable = np.isfinite(expected)
        scale = np.abs(expected[usable]).max(initial=1.0)
        tolerance = 1e-6 if self.dtype == np.float64 else 1e-2
        if not (np.abs(computed[usable] - expected[usable]) <= tolerance * scale).all():
            raise build.CompileError(f"the C compiler {build.find().command[0]} built a kernel that computes wrongly")


@lru_cache
def code_digest(room: str = "") -> str:
    """Digest of the code that shapes kernels, with that of the ``room`` that builds their graphs.

    Another version of it builds other kernels; text that stands for a graph (``Function.facts``) does not tell that.
    """
    code = hashlib.sha256()
    try:
        for name in (*ROOMS, *({room} - {"", *ROOMS})):
            for file in sorted((PACKAGE / name).rglob("*.[pc]*")):
                if file.suffix in (".py", ".c"):
                    code.update(file.read_bytes())
    except OSError as fault:
        raise build.CompileError(f"the code of dalembert cannot be read: {fault}") from None
    return code.hexdigest()

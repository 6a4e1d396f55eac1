"""What a function of one's own is known by: its text and the values it takes from around it.

A study is taken up again, or read instead of worked out, where it is the very same study. The text of a function
does not tell that alone: ``lambda system: factor * system.mass`` is another function for another ``factor``.
"""

from __future__ import annotations

import hashlib
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from ..arm.description import ArmDescription
from ..compile.functions import system_facts

PLAIN = (bool, int, float, complex, str, bytes, type(None))


class Untold(ValueError):
    """A value that no text stands for."""


def known_by(part: object) -> str:
    """A digest of a function, or of numbers and texts; ``Untold`` where it cannot be told from another."""
    inner = part
    while isinstance(inner, partial):
        inner = inner.func
    walk = _Walk(_root(inner))
    walk.add(part)
    return walk.found.hexdigest()


def _root(function: object) -> str:
    """The package that holds it."""
    return (getattr(function, "__module__", None) or "").partition(".")[0]


class _Walk:
    """Through all that a function of the package ``root`` reads; those of other packages are known by their names."""

    def __init__(self, root: str) -> None:
        self.root, self.found = root, hashlib.sha256()
        self.within: set[int] = set()

    def add(self, value: Any) -> None:
        """Add a value, with its type, to the digest."""
        self._text(f"{type(value).__module__}.{type(value).__qualname__}:")
        if isinstance(value, PLAIN):
            self._text(repr(value))
        elif isinstance(value, np.ndarray | np.generic) and value.dtype != object:
            self._text(f"{value.shape}{value.dtype}")
            self.found.update(np.ascontiguousarray(value).tobytes())
        elif isinstance(value, ArmDescription) and system_facts(value):
            self._text(system_facts(value))
        elif self._named(value):
            name = getattr(value, "__qualname__", value.__name__)
            self._text(f"{getattr(value, '__module__', '')}.{name}")
        elif id(value) in self.within:
            self._text("again")  # a function that calls itself, or a list that holds itself
        else:
            self.within.add(id(value))
            for part in self._parts(value):
                self.add(part)
            self.within.discard(id(value))

    def _text(self, text: str) -> None:
        self.found.update(text.encode() + b"\0")

    def _named(self, value: Any) -> bool:
        """Whether its name says all: modules, classes, and what installed packages hold."""
        if isinstance(value, FunctionType):
            return _root(value) != self.root
        return isinstance(value, ModuleType | BuiltinFunctionType | type | np.ufunc)

    @staticmethod
    def _parts(value: Any) -> list[Any]:
        if isinstance(value, tuple | list):
            return [len(value), *value]
        if isinstance(value, dict):
            return [len(value), *(part for pair in value.items() for part in pair)]
        if isinstance(value, partial):
            return [value.func, value.args, value.keywords]
        if isinstance(value, MethodType):
            return [value.__func__, value.__self__]
        if isinstance(value, FunctionType):
            return _parts_of_function(value)
        raise Untold(f"{type(value).__name__} has no text of its own")


def _parts_of_function(function: FunctionType) -> list[Any]:
    """Its code, its defaults, and what it reads from around it."""
    code = function.__code__
    codes = _codes(code)
    parts: list[Any] = [function.__defaults__, function.__kwdefaults__]
    for each in codes:
        parts += [each.co_code, each.co_names, each.co_varnames, each.co_freevars, each.co_cellvars]
        for constant in each.co_consts:
            if not isinstance(constant, CodeType):
                parts.append(sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant)
    around = function.__globals__
    read = {name: around[name] for each in codes for name in each.co_names if name in around}
    try:
        held = {
            name: cell.cell_contents for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True)
        }
    except ValueError:
        raise Untold(f"a variable around {function.__qualname__} has no value yet") from None
    return [*parts, dict(sorted(read.items())), held]


def _codes(code: CodeType) -> list[CodeType]:
    """The code with that within it (lambdas, comprehensions)."""
    within = (x for x in code.co_consts if isinstance(x, CodeType))
    return [code, *(found for each in within for found in _codes(each))]

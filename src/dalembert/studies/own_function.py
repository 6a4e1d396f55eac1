"""What a function of one's own is known by: its text and the values it takes from around it.

A study is taken up again, or read instead of worked out, where it is the very same study. The text of a function
does not tell that alone: ``lambda system: factor * system.mass`` is another function for another ``factor``. What is
installed (the standard library, packages) is known by its name; modules beside the script by their files.
"""

from __future__ import annotations

import hashlib
import sys
import sysconfig
from functools import partial
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from ..arm.description import ArmDescription
from ..mechanisms.mechanism import Mechanism
from ..mechanisms.mechanism_system import MechanismSystem
from .design_numbers import facts_of

PLAIN = (bool, int, float, complex, str, bytes, type(None))


class Untold(ValueError):
    """A value that no text stands for."""


def known_by(value: object) -> str:
    """A digest of a function, or of numbers and texts; ``Untold`` where it cannot be told from another."""
    walk = _Walk()
    walk.add(value)
    return walk.found.hexdigest()


def installed(module: str) -> bool:
    """Whether a module is one of the standard library, of an installed package or of this one."""
    root = module.partition(".")[0]
    if (root in sys.stdlib_module_names and root != "__main__") or root == __name__.partition(".")[0]:
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    # Packages may also be those of the system, of the user, or of another environment on the path.
    return file is not None and (
        not PACKAGES.isdisjoint(Path(file).parts) or any(Path(file).is_relative_to(folder) for folder in _INSTALLED)
    )


PACKAGES = frozenset({"site-packages", "dist-packages"})
_INSTALLED = tuple({Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib")})


class _Walk:
    """Through all that a function reads."""

    def __init__(self) -> None:
        self.found = hashlib.sha256()
        self.within: set[int] = set()
        self.walked: dict[int, int] = {}
        """Functions and modules that were walked through, by when; modules import each other many times over."""

    def add(self, value: Any) -> None:
        """Add a value, with its type, to the digest."""
        self._text(f"{type(value).__module__}.{type(value).__qualname__}:")
        if isinstance(value, PLAIN):
            self._text(repr(value))
        elif isinstance(value, np.ndarray | np.generic) and value.dtype != object:
            self._text(f"{value.shape}{value.dtype}")
            self.found.update(np.ascontiguousarray(value).tobytes())
        elif isinstance(value, ArmDescription | Mechanism | MechanismSystem) and (facts := facts_of(value)):
            self._text(facts)
        elif self._named(value):
            name = getattr(value, "__qualname__", value.__name__)
            self._text(f"{getattr(value, '__module__', '')}.{name}")
        elif id(value) in self.walked:
            self._text(f"{self.walked[id(value)]} again")
        elif id(value) in self.within:
            self._text("again")  # a list that holds itself
        else:
            self.within.add(id(value))
            if isinstance(value, FunctionType | ModuleType):
                self.walked[id(value)] = len(self.walked)
            for component in self._components(value):
                self.add(component)
            self.within.discard(id(value))

    def _text(self, text: str) -> None:
        self.found.update(text.encode() + b"\0")

    def _named(self, value: Any) -> bool:
        """Whether its name says all: what is installed, and classes."""
        if isinstance(value, FunctionType):
            return installed(value.__module__ or "")
        if isinstance(value, ModuleType):
            return installed(value.__name__)
        return isinstance(value, BuiltinFunctionType | type | np.ufunc)

    @staticmethod
    def _components(value: Any) -> list[Any]:
        if isinstance(value, tuple | list):
            return [len(value), *value]
        if isinstance(value, dict):
            return [len(value), *(component for pair in value.items() for component in pair)]
        if isinstance(value, partial):
            return [value.func, value.args, value.keywords]
        if isinstance(value, MethodType):
            return [value.__func__, value.__self__]
        if isinstance(value, FunctionType):
            return _components_of_function(value)
        if isinstance(value, ModuleType):
            return _components_of_module(value)
        raise Untold(f"{type(value).__name__} has no text of its own")


def _components_of_module(module: ModuleType) -> list[Any]:
    """The text of its file, the numbers and texts in it as they stand now, and what it takes from beside it."""
    file = getattr(module, "__file__", None)
    if file is None:
        raise Untold(f"the module {module.__name__} has no file")
    contents = {name: value for name, value in sorted(vars(module).items()) if not name.startswith("__")}
    plain = {name: value for name, value in contents.items() if isinstance(value, (*PLAIN, np.ndarray))}
    modules = [value for value in contents.values() if isinstance(value, ModuleType)]
    names = {getattr(value, "__module__", None) for value in contents.values()} - {module.__name__, None}
    modules += [sys.modules[name] for name in sorted(map(str, names)) if name in sys.modules and not installed(name)]
    return [Path(file).read_bytes(), plain, *modules]


def _components_of_function(function: FunctionType) -> list[Any]:
    """Its code, its defaults, and what it reads from around it."""
    code = function.__code__
    codes = _codes(code)
    parts: list[Any] = [function.__defaults__, function.__kwdefaults__]
    for inner in codes:
        parts += [inner.co_code, inner.co_names, inner.co_varnames, inner.co_freevars, inner.co_cellvars]
        for constant in inner.co_consts:
            if not isinstance(constant, CodeType):
                parts.append(sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant)
    around = function.__globals__
    read = {name: around[name] for inner in codes for name in inner.co_names if name in around}
    try:
        enclosed = {
            name: cell.cell_contents for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True)
        }
    except ValueError:
        raise Untold(f"a variable around {function.__qualname__} has no value yet") from None
    return [*parts, dict(sorted(read.items())), enclosed]


def _codes(code: CodeType) -> list[CodeType]:
    """The code with that within it (lambdas, comprehensions)."""
    within = (x for x in code.co_consts if isinstance(x, CodeType))
    return [code, *(nested for inner in within for nested in _codes(inner))]

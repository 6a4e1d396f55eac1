"""Tables of YAML files that xacro templates read, with the angles that xacro knows: ``!degrees``, ``!radians``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from ..errors import ArmError
from .text_files import read_text

LARGEST_YAML = 1_000_000
"""Largest file that is read (bytes)."""
DEEPEST = 50


def read_yaml(path: Path, missing: str = "name another file") -> Any:
    """The tables of a file: texts, numbers, truths, lists and tables of these; ``missing`` is the remedy without it."""
    try:
        import yaml  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        raise ArmError(f"{path}: PyYAML is not installed, which reads it; install pyyaml") from None

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        pass

    def angle(factor: float) -> Any:
        def construct(loader: Any, node: Any) -> float:
            return float(loader.construct_scalar(node)) * factor

        return construct

    Loader.add_constructor("!degrees", angle(math.pi / 180))
    Loader.add_constructor("!radians", angle(1.0))
    text = read_text(path, LARGEST_YAML, missing)
    try:
        tables = yaml.load(text, Loader)
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as fault:
        message = " ".join(str(fault).split())[:100] or type(fault).__name__
        raise ArmError(f"{path}: is not YAML that is read ({message}); mend it") from None
    _check(tables, str(path), 0, [0])
    return tables


def _check(value: Any, origin: str, depth: int, count: list[int]) -> None:
    """Refuse what is no table, number or text, and tables without end."""
    count[0] += 1
    if depth > DEEPEST or count[0] > 100_000:
        raise ArmError(f"{origin}: its tables are nested or refer to each other without end; mend it")
    if isinstance(value, dict):
        for part in value.values():
            _check(part, origin, depth + 1, count)
    elif isinstance(value, list):
        for part in value:
            _check(part, origin, depth + 1, count)
    elif value is not None and not isinstance(value, bool | int | float | str):
        raise ArmError(f"{origin}: holds a {type(value).__name__}; give numbers and texts")

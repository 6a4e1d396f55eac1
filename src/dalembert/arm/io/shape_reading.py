"""What the readers of shapes share: a shape that is not said properly keeps its fault, and the arm is read anyway."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from ..errors import ArmError
from ..shapes import SIZES, LinkShape

MOST_SHAPES = 10_000
"""Most shapes of one link that are kept."""


def read_all_shapes(readers: Iterable[Callable[[], LinkShape | None]]) -> tuple[LinkShape, ...]:
    """The shapes that these readers give; one that raises is a shape with a fault."""
    shapes: list[LinkShape] = []
    for number, read in enumerate(readers):
        if number >= MOST_SHAPES:
            break
        try:
            shape = read()
        except ArmError as fault:
            shape = LinkShape("mesh", (1.0, 1.0, 1.0), fault=str(fault))
        shapes += [shape] if shape is not None else []
    return tuple(shapes)


def size_of(kind: str, numbers: Sequence[Fraction | float], where: str) -> tuple[float, ...]:
    """The size of a shape, which has lengths: those of a mesh may be negative, to mirror it, and none is zero."""
    size = tuple(float(number) for number in numbers)
    if len(size) != SIZES[kind] or not all(size) or (kind != "mesh" and min(size) < 0):
        raise ArmError(f"{where}: a {kind} needs {SIZES[kind]} lengths that are not zero, got {size}")
    return size

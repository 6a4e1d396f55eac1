"""Numbers and tables for a terminal 80 columns wide, or for a pipe."""

from __future__ import annotations

import json
import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dalembert.arm.description import ArmDescription, Joint
from dalembert.arm.errors import printable
from dalembert.markup.numbers import not_below

Column: TypeAlias = tuple[str, Sequence[str]]

DIGITS = 5
UNBOUNDED = 100_000
# Headers are not folded to lines shorter than this.
SHORTEST_HEAD = 10
# Entries this much smaller than the largest of their table are rounding, not physics.
ROUNDING = 1e-13

UNITS = {
    "revolute": {"position": "rad", "speed": "rad/s", "acceleration": "rad/s^2", "effort": "N m"},
    "prismatic": {"position": "m", "speed": "m/s", "acceleration": "m/s^2", "effort": "N"},
}


def console() -> Console:
    """The console for results; a new one for each call, so that it follows a redirected stdout."""
    return Console(highlight=False, soft_wrap=False)


def say(text: str = "") -> None:
    """A line or a paragraph of text; brackets in it are brackets, not markup."""
    console().print(Text(shown_lines(text)))


def shown_lines(text: str) -> str:
    """Lines as a terminal may show them: nothing in a name from a file steers it."""
    return "\n".join(printable(line) for line in text.split("\n"))


def json_text(value: Any) -> str:
    """JSON for programs: null for what is not finite, letters as they are, spelled out what would steer a terminal."""
    text = json.dumps(_finite(value), indent=2, allow_nan=False, ensure_ascii=False)
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def _finite(value: Any) -> Any:
    """The value with None for numbers that JSON has no words for."""
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def paragraph(text: str) -> None:
    """Text filled to the terminal's width; an item that opens with a dash is indented below it."""
    item = text.lstrip().startswith("- ")
    say(textwrap.fill(" ".join(text.split()), console().width, subsequent_indent="  " if item else ""))


def heading(text: str) -> None:
    """A bold title below an empty line."""
    console().print(Text(f"\n{shown_lines(text)}", style="bold"))


def unit(joint: Joint, quantity: str) -> str:
    """The SI unit of a joint's "position", "speed", "acceleration" or "effort"."""
    return UNITS[joint.kind][quantity]


def units_by_quantity(arm: ArmDescription, *quantities: str) -> dict[str, list[str] | str]:
    """The units of these quantities, joint by joint, as JSON holds them."""
    return {quantity: [unit(joint, quantity) for joint in arm.moving] for quantity in quantities}


def joints_with_units(arm: ArmDescription, quantity: str) -> Column:
    """The first column of a table of one quantity: each joint and the unit of its row."""
    return "joint [unit]", [f"{joint.name} [{unit(joint, quantity)}]" for joint in arm.moving]


def figures(values: Iterable[float], scale: float | None = None) -> list[str]:
    """The values to five digits, their decimal points in line; rounding beside ``scale`` shows as 0."""
    numbers = [float(value) for value in values]
    largest = max((abs(x) for x in numbers if np.isfinite(x)), default=0.0) if scale is None else scale
    texts = ["0" if abs(x) <= ROUNDING * largest else f"{x:.{DIGITS}g}" for x in numbers]
    decimals = max((len(text) - point(text) for text in texts), default=0)
    padded = [text + " " * (decimals - len(text) + point(text)) for text in texts]
    width = max((len(text) for text in padded), default=0)
    return [text.rjust(width) for text in padded]


def bounds(values: Iterable[float]) -> list[str]:
    """Proved upper bounds as ``figures`` writes numbers, but rounded up, and 0 for zero alone."""
    return figures([not_below(value, DIGITS) for value in values], scale=0.0)


def bounds_or_dashes(values: Iterable[float | None]) -> list[str]:
    """Proved upper bounds; a dash for None."""
    entries = list(values)
    texts = iter(bounds(x for x in entries if x is not None))
    return ["-" if x is None else next(texts) for x in entries]


def figures_or_dashes(values: Iterable[float | None]) -> list[str]:
    """The values as ``figures`` writes them; a dash for None."""
    entries = list(values)
    texts = iter(figures(x for x in entries if x is not None))
    return ["-" if x is None else next(texts) for x in entries]


def finite_figures(values: Iterable[float]) -> list[str]:
    """The values as ``figures`` writes them; a dash for one that is infinite, or not known."""
    return figures_or_dashes(x if math.isfinite(x) else None for x in values)


def point(text: str) -> int:
    """Index of the decimal point of a number as text, or where it would be."""
    return text.index(".") if "." in text else text.index("e") if "e" in text else len(text)


def table(columns: Sequence[Column], wide: str = "") -> None:
    """A table of these (header, cells), as wide as the terminal at most.

    The column ``wide`` wraps its text. Headers of a table without one that is too wide are folded; where that is not
    enough it is printed in blocks of columns, each with the first column repeated, because half a number is a wrong
    number.
    """
    columns = [(shown_lines(header), column) for header, column in columns]
    cells = [level(header, column) for header, column in columns]
    if wide:
        print_block(cells, console(), wide)
        return
    # A blank at the left and two between columns.
    if sum(width_of(column) + 2 for column in cells) > console().width + 1:
        cells = [level(folded(header, column), column) for header, column in columns]
    head, *others = cells
    room = console().width - 1 - width_of(head)
    for number, block in enumerate(blocks(others, room)):
        if number:
            say()
        print_block([head, *block], Console(highlight=False, width=UNBOUNDED))


def folded(header: str, column: Sequence[str]) -> str:
    """A header whose lines are no longer than its cells need, or than its words are; a unit stays in one piece."""
    whole = re.sub(r"\[[^]]*\]", lambda unit: unit[0].replace(" ", "\N{NO-BREAK SPACE}"), header)
    widest = max((cell_len(cell) for cell in column), default=0)
    lines = (textwrap.wrap(line, max(widest, SHORTEST_HEAD), break_long_words=False) for line in whole.split("\n"))
    return "\n".join(part for line in lines for part in line or [""]).replace("\N{NO-BREAK SPACE}", " ")


def blocks(columns: Sequence[Column], room: int) -> list[list[Column]]:
    """The columns, in their order, in the fewest blocks that fit ``room`` cells, the widest as narrow as can be."""
    filled = filled_blocks(columns, room)
    for narrower in range(max((width_of(column) + 2 for column in columns), default=room), room):
        even = filled_blocks(columns, narrower)
        if len(even) == len(filled):
            return even
    return filled


def filled_blocks(columns: Sequence[Column], room: int) -> list[list[Column]]:
    """One block after the other, each with as many columns as fit ``room`` cells, and one at least."""
    filled: list[list[Column]] = []
    used = 0
    for column in columns:
        width = width_of(column) + 2
        if not filled or used + width > room:
            filled.append([])
            used = 0
        filled[-1].append(column)
        used += width
    return filled


def level(header: str, column: Sequence[str]) -> Column:
    """A column of numbers with its header and all its cells set to the right; others are left as they are."""
    if not all(is_number(cell) for cell in column):
        return header, [printable(cell) for cell in column]
    lines = header.split("\n")
    width = max(len(text) for text in (*lines, *column))
    return "\n".join(text.rjust(width) for text in lines), [text.rjust(width) for text in column]


def width_of(column: Column) -> int:
    """Width of a column in terminal cells, its header included."""
    header, cells = column
    return max(cell_len(text) for text in (*header.split("\n"), *cells))


def print_block(columns: Sequence[Column], out: Console, wide: str = "") -> None:
    """One table with a rule below its headers; only the column ``wide`` wraps."""
    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for header, _ in columns:
        grid.add_column(Text(header), no_wrap=header != wide, overflow="fold")
    for row in zip(*(cells for _, cells in columns), strict=True):
        grid.add_row(*(Text(cell) for cell in row))
    out.print(Padding(grid, (0, 0, 0, 1), expand=False))


def is_number(text: str) -> bool:
    """True of a number as text, and of the blank or dash of a missing one."""
    try:
        float(text)
    except ValueError:
        return text.strip() in ("", "-")
    return True


def matrix(names: Sequence[str], values: np.ndarray) -> None:
    """A square matrix with its rows and columns named."""
    scale = float(np.max(np.abs(values), initial=0.0))
    table([("", names), *((name, figures(values[:, j], scale)) for j, name in enumerate(names))])

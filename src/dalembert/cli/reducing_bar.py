"""The bar that moves while a shorter model, or a best design, is searched and proved."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn


@contextlib.contextmanager
def reducing_bar(first: str = "reducing") -> Iterator[Callable[[str, float], None]]:
    """A bar on stderr, gone when the work is done; what it gives takes what is being done and the share that is.

    ``first`` is what is being done until then.
    """
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(first, total=1.0)
        yield lambda text, share: bar.update(task, description=text, completed=share)

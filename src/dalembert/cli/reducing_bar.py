"""The bar that moves while something long is proved or searched, and what an interrupt of it says."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from .notes import note

if TYPE_CHECKING:
    from dalembert.design.analysis import Analysis


@contextlib.contextmanager
def reducing_bar(first: str = "reducing", explained: bool = False) -> Iterator[Callable[[str, float | None], None]]:
    """A bar on stderr, gone when the work is done; what it gives takes what is being done and the share that is, or
    None where nobody knows how much there is: then the bar swings.

    ``first`` is what is being done until then. An interrupt (Ctrl-C) says what it ended and that nothing of it is kept,
    unless it is ``explained`` by the caller.
    """
    console, doing = Console(stderr=True), first
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(first, total=None)

        def tell(text: str, share: float | None) -> None:
            nonlocal doing
            doing = text
            if share is None:
                bar.update(task, description=text)
            else:
                bar.update(task, description=text, total=1.0, completed=share)

        try:
            yield tell
        except KeyboardInterrupt:
            bar.stop()
            if not explained:
                note(f"interrupted ({doing}) before there was anything to show")
            raise


@contextlib.contextmanager
def asking_bar(ask: Analysis, first: str, explained: bool = False) -> Iterator[None]:
    """The same while an analysis is asked, whose words it shows."""
    with reducing_bar(first, explained) as tell:
        ask.listener = lambda text: tell(text, None)
        try:
            yield
        finally:
            ask.listener = None

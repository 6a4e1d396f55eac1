"""Long work beside the picture: one piece at a time, the latest asked for, given up when something else is asked."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class GivenUp(BaseException):
    """The work at hand is no longer wanted; no handler of ordinary exceptions may catch this."""


class Background:
    """A thread that does the latest piece of work it was given.

    ``ask(work, done)`` gives up what is at hand and starts ``work(tell)``; ``tell`` is called by the work as it goes on
    and ends it once it is no longer wanted. ``done(result, fault)`` gets the result, or the exception.
    """

    def __init__(self, name: str) -> None:
        self._wake = threading.Condition()
        self._pending: tuple[Callable[..., Any], Callable[[Any, Exception | None], None]] | None = None
        self._number = 0
        self._closed = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def ask(self, work: Callable[..., Any], done: Callable[[Any, Exception | None], None]) -> None:
        """Do this, in place of whatever was asked before."""
        with self._wake:
            self._number += 1
            self._pending = (work, done)
            self._wake.notify()

    def cancel(self) -> None:
        """Give up what is at hand."""
        with self._wake:
            self._number += 1
            self._pending = None

    def close(self) -> None:
        """End the thread, once its work notices."""
        with self._wake:
            self._closed = True
            self._number += 1
            self._pending = None
            self._wake.notify()
        self._thread.join(timeout=5)

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._pending is not None or self._closed)
                if self._closed:
                    return
                assert self._pending is not None
                (work, done), self._pending, number = self._pending, None, self._number

            def tell(*_: object, number: int = number) -> None:
                if number != self._number:
                    raise GivenUp

            try:
                result, fault = work(tell), None
            except GivenUp:
                continue
            except Exception as error:  # shown to who asked; the thread lives on
                result, fault = None, error
            if number == self._number:
                done(result, fault)

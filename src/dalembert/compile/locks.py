"""Locks that survive a fork.

A child process starts with the locks as they were, but without the thread that holds one of them: it would wait for
ever. Such a lock is open again in a child.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class ForkSafeLock:
    """A lock for the threads of one process."""

    def __init__(self) -> None:
        self._lock, self._process = threading.Lock(), os.getpid()

    def __enter__(self) -> None:
        if self._process != os.getpid():
            self._lock, self._process = threading.Lock(), os.getpid()
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


class KeyedLocks:
    """One lock for each key in use: threads that do the same thing wait for each other, others do not."""

    def __init__(self) -> None:
        self._all = ForkSafeLock()
        self._users: dict[str, tuple[ForkSafeLock, int]] = {}

    @contextmanager
    def holding(self, key: str) -> Iterator[None]:
        """Hold the lock of this key."""
        with self._all:
            lock, users = self._users.get(key) or (ForkSafeLock(), 0)
            self._users[key] = lock, users + 1
        try:
            with lock:
                yield
        finally:
            with self._all:
                lock, users = self._users[key]
                if users > 1:
                    self._users[key] = lock, users - 1
                else:
                    del self._users[key]

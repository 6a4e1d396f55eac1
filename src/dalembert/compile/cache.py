"""Compiled libraries on disk, in a folder that only its owner can write.

A library is code that will run with our rights. So a folder, or any folder above it, that someone else could
write into is refused, and what was stored is loaded only if its bytes still have the digest noted when it was
built. An entry is two files: ``<key>.txt`` with the digest, and ``<digest>.so``. Both are written under other
names and renamed, so a process never sees half a file, and two that build the same kernel do not disturb each
other.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from .build import CompileError, say

VARIABLE = "DALEMBERT_CACHE"
MOST = 2000
"""Libraries kept in the cache."""


def chosen_folder() -> Path:
    """$DALEMBERT_CACHE, else the user's cache folder."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "dalembert"


def weakness(folder: Path) -> str | None:
    """Why someone else could put a file into ``folder``, or None."""
    if not hasattr(os, "geteuid"):
        return None  # access lists instead of modes: the user's profile folder is private already
    mine = os.geteuid()
    real = folder.resolve()
    for place in (real, *real.parents):
        info = place.stat()
        own = info.st_uid == mine or (place != real and info.st_uid == 0)
        if not own:
            return f"{place} belongs to another user"
        open_to_others = info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        # in a sticky folder such as /tmp others may add entries but not replace ours
        if open_to_others and (place == real or not info.st_mode & stat.S_ISVTX):
            return f"{place} can be written by others"
    return None


@lru_cache
def _opened(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        fault = weakness(folder)
        if fault is None and not os.access(folder, os.W_OK | os.X_OK):
            fault = f"{folder} cannot be written"
    except OSError as error:
        fault = f"{folder}: {error.strerror or error}"
    if fault is None:
        return folder.resolve()
    say(f"the cache folder is not used, since {fault}; kernels are kept for this process only")
    return _private()


@lru_cache
def _private() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="dalembert-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def folder() -> Path:
    """The cache folder, or a private one for this process where the cache folder cannot be trusted."""
    return _opened(chosen_folder())


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def stored(key: str) -> Path | None:
    """The library built for this key, if it is there and whole."""
    place = folder()
    try:
        noted = (place / f"{key}.txt").read_text(encoding="ascii").strip()
        if not re.fullmatch(r"[0-9a-f]{64}", noted):
            return None
        library = place / f"{noted}.so"
        with library.open("rb") as file:
            info = os.fstat(file.fileno())
            if hasattr(os, "geteuid") and (info.st_uid != os.geteuid() or info.st_mode & 0o022):
                return None
            if digest(file.read()) != noted:
                return None
        os.utime(library)  # in use: not among the first to go
        return library
    except (OSError, UnicodeDecodeError):
        return None


def prune(place: Path) -> None:
    """Beyond ``MOST`` libraries, remove the quarter that has not been used for longest, and notes without a library.

    What another process has loaded stays loaded; what it misses it builds again.
    """
    libraries = list(place.glob("*.so"))
    if len(libraries) <= MOST:
        return
    age = {file: file.stat().st_mtime for file in libraries if file.exists()}
    for file in sorted(age, key=lambda file: age[file])[: len(age) - MOST * 3 // 4]:
        file.unlink(missing_ok=True)
    for note in place.glob("*.txt"):
        try:
            kept = (place / f"{note.read_text(encoding='ascii').strip()}.so").exists()
        except (OSError, UnicodeDecodeError, ValueError):
            kept = False
        if not kept:
            note.unlink(missing_ok=True)


def library(key: str, build: Callable[[Path], Path]) -> Path:
    """The library for this key: from the cache, or built by ``build`` in a folder of its own and kept."""
    found = stored(key)
    if found is not None:
        return found
    place = folder()
    try:
        work = Path(tempfile.mkdtemp(prefix="build-", dir=place))
    except OSError as error:
        raise CompileError(f"the cache folder {place} cannot be written: {error.strerror or error}") from None
    try:
        made = build(work)
        made.chmod(0o700)
        name = digest(made.read_bytes())
        target = place / f"{name}.so"
        made.replace(target)
        note = work / "note"
        note.write_text(name + "\n", encoding="ascii")
        note.chmod(0o600)
        note.replace(place / f"{key}.txt")
        prune(place)
        return target
    except OSError as error:
        raise CompileError(f"the compiled kernel could not be kept in {place}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)

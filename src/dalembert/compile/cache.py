"""Cache of compiled libraries on disk, in a folder that only its owner can write.

A library is code that runs with the rights of the user. A folder is refused if another user could write to it or to
any folder above it, and a library is loaded only if its bytes have the digest recorded when it was built. An entry is
two files: ``<key>.txt`` with the digest, and ``<digest>.so``. Both are written under temporary names and renamed, so a
process never reads a partial file, and concurrent builds of the same kernel do not interfere.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from .build import CompileError, warn_once
from .locks import KeyedLocks

VARIABLE = "DALEMBERT_CACHE"
MOST = 2000
"""Most libraries in the cache."""
DAY = 86400.0
"""Seconds after which a folder of a build or of a process that no longer runs is left over."""
_building = KeyedLocks()


def chosen_folder() -> Path:
    """$DALEMBERT_CACHE, else the user's cache folder."""
    override = os.environ.get(VARIABLE)
    if override:
        return Path(override)
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "dalembert"


def weakness(folder: Path) -> str | None:
    """Why another user could write a file into ``folder``, or None; asked before it is made, of what is there."""
    if not hasattr(os, "geteuid"):
        return None  # access-control lists in place of modes: the profile folder of a user is private
    user = os.geteuid()
    resolved = folder.resolve()
    for directory in (resolved, *resolved.parents):
        try:
            info = directory.stat()
        except FileNotFoundError:
            continue
        trusted = info.st_uid == user or (directory != resolved and info.st_uid == 0)
        if not trusted:
            return f"{directory} belongs to another user"
        open_to_others = info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if open_to_others == stat.S_IWGRP and _private_group(info.st_gid, user):
            continue
        # in a sticky folder such as /tmp other users may add entries but not replace those of this user
        if open_to_others and (directory == resolved or not info.st_mode & stat.S_ISVTX):
            return f"{directory} can be written by others"
    return None


def _private_group(group: int, user: int) -> bool:
    """Whether a group is this user's own, as systems make them whose folders are open to the group (umask 002)."""
    import grp
    import pwd

    try:
        entry, name = grp.getgrgid(group), pwd.getpwuid(user).pw_name
    except KeyError:
        return False
    return entry.gr_name == name and set(entry.gr_mem) <= {name}


def _identity(directory: Path) -> tuple[int, int] | None:
    """What tells a folder from another that has taken its place; None where there is none."""
    try:
        info = directory.stat()
    except OSError:
        return None
    return info.st_dev, info.st_ino


@lru_cache
def _trusted(folder: Path) -> tuple[Path, tuple[int, int] | None]:
    """The folder if it can be trusted, else a temporary one; and its identity."""
    try:
        fault = weakness(folder)
        if fault is None:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            fault = weakness(folder)
        if fault is None and not os.access(folder, os.W_OK | os.X_OK):
            fault = f"{folder} cannot be written"
    except OSError as error:
        fault = f"{folder}: {error.strerror or error}"
    trusted = folder.resolve() if fault is None else _replacement(fault)
    return trusted, _identity(trusted)


def _replacement(fault: str) -> Path:
    """A temporary folder, after one line that says why."""
    warn_once(f"the cache folder is not used, since {fault}; kernels are kept for this process only")
    return _temporary()


@lru_cache
def _temporary() -> Path:
    """A private folder that is removed when the process ends; those of processes that were killed are removed too."""
    user, process = getattr(os, "geteuid", int)(), os.getpid()
    folder = Path(tempfile.mkdtemp(prefix=f"dalembert-{user}-{process}-"))
    for leftover in folder.parent.glob(f"dalembert-{user}-*-*"):
        if _abandoned(leftover) and not _runs(int(re.sub(r"\D.*", "", leftover.name.split("-")[2]) or process)):
            shutil.rmtree(leftover, ignore_errors=True)

    def remove() -> None:
        if os.getpid() == process:  # not in a child, which comes here too
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder


def _abandoned(entry: Path) -> bool:
    """Whether a folder is this user's and was not touched for a day: longer than any compiler is waited for."""
    try:
        info = entry.lstat()
    except OSError:
        return False
    mine = not hasattr(os, "geteuid") or info.st_uid == os.geteuid()
    return mine and stat.S_ISDIR(info.st_mode) and time.time() - info.st_mtime > DAY


def _runs(process: int) -> bool:
    """Whether there is a process of this number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def folder() -> Path:
    """The cache folder, or a temporary one for this process where the cache folder cannot be trusted.

    One that was deleted meanwhile is made anew, and one that stands in its place is judged anew.
    """
    try:
        trusted, identity = _trusted(chosen_folder())
        if _identity(trusted) != identity:
            _trusted.cache_clear()
            _temporary.cache_clear()
            trusted, _ = _trusted(chosen_folder())
        return trusted
    except RuntimeError:
        return _replacement(f"this user has no home folder (set ${VARIABLE} to a folder of your own)")


def digest(data: bytes) -> str:
    """The SHA-256 digest in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def bond(key: str, name: str) -> str:
    """What ties a note to its key: the digest of the key and of the library it leads to."""
    return digest(f"{key} {name}".encode("ascii"))


def stored(key: str) -> Path | None:
    """The library built for this key, if it is present and its digest matches."""
    directory = folder()
    try:
        recorded, _, bound = (directory / f"{key}.txt").read_text(encoding="ascii").strip().partition(" ")
        # a note that was moved or copied to another key leads to the library of another function
        if not re.fullmatch(r"[0-9a-f]{64}", recorded) or bound != bond(key, recorded):
            return None
        library = directory / f"{recorded}.so"
        with library.open("rb") as file:
            info = os.fstat(file.fileno())
            if hasattr(os, "geteuid") and (info.st_uid != os.geteuid() or info.st_mode & 0o022):
                return None
            if digest(file.read()) != recorded:
                return None
        os.utime(library)  # marks it as recently used
        return library
    except (OSError, UnicodeDecodeError):
        return None


def prune(directory: Path) -> None:
    """Removes what killed builds left, and beyond ``MOST`` libraries the least recently used quarter and their notes.

    A library that another process has loaded stays loaded; a missing one is built again.
    """
    for leftover in directory.glob("build-*"):
        if _abandoned(leftover):
            shutil.rmtree(leftover, ignore_errors=True)
    libraries = list(directory.glob("*.so"))
    if len(libraries) <= MOST:
        return
    age = {file: file.stat().st_mtime for file in libraries if file.exists()}
    for file in sorted(age, key=lambda file: age[file])[: len(age) - MOST * 3 // 4]:
        file.unlink(missing_ok=True)
    for note in directory.glob("*.txt"):
        try:
            present = (directory / f"{note.read_text(encoding='ascii').partition(' ')[0].strip()}.so").exists()
        except (OSError, UnicodeDecodeError, ValueError):
            present = False
        if not present:
            note.unlink(missing_ok=True)


def library(key: str, build: Callable[[Path], Path]) -> Path:
    """The library for this key: from the cache, or built by ``build`` in a temporary folder and stored."""
    cached = stored(key)
    if cached is not None:
        return cached
    with _building.holding(key):
        return stored(key) or _built(key, build)


def _built(key: str, build: Callable[[Path], Path]) -> Path:
    """The library for this key, built and stored."""
    directory = folder()
    try:
        work = Path(tempfile.mkdtemp(prefix="build-", dir=directory))
    except OSError as error:
        raise CompileError(f"the cache folder {directory} cannot be written: {error.strerror or error}") from None
    try:
        built = build(work)
        built.chmod(0o700)
        name = digest(built.read_bytes())
        target = directory / f"{name}.so"
        built.replace(target)
        note = work / "note"
        note.write_text(f"{name} {bond(key, name)}\n", encoding="ascii")
        note.chmod(0o600)
        note.replace(directory / f"{key}.txt")
        prune(directory)
        return target
    except OSError as error:
        raise CompileError(f"the compiled kernel could not be kept in {directory}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)

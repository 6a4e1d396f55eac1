"""Files, written whole or not at all: beside the old one under another name, then put in its place.

Whatever fails on the way, a full disk or an interruption, the old file stays as it was and no half of one is left.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from ..errors import ArmError
from .text_files import reason


@contextlib.contextmanager
def replacing(path: str | Path, over: bool = True) -> Iterator[Path]:
    """A name to write to; what stands there at the end becomes ``path``. Without ``over`` no file may be there yet."""
    target = Path(path)
    # These questions of os.path have an answer for every text; those of a Path raise for names that are too long.
    if "\0" in str(target):
        raise ArmError(f"{str(target)!r}: is no name that a file can have; name another file")
    if not over and os.path.exists(target):
        raise FileExistsError(target)
    # A link stays a link: the file it leads to is replaced.
    destination = Path(os.path.realpath(target))
    if os.path.isdir(destination):
        raise ArmError(f"{target}: is a folder; name a file in it")
    if os.path.exists(destination) and not os.path.isfile(destination):
        # A terminal or a pipe has no content that could be lost, and a file must not take its place.
        yield destination
        return
    temporary = destination.with_name(f".{destination.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        _new(temporary)
        yield temporary
        if destination.exists():
            temporary.chmod(destination.stat().st_mode & 0o777)
        _settle(temporary)
        if not over:
            _new(destination)
        temporary.replace(destination)
    except FileExistsError:
        raise
    except OSError as fault:
        old_file = ", and the old file is as it was" if os.path.exists(destination) else ""
        raise ArmError(
            f"{target}: could not be written ({reason(fault)}){old_file}; make room there, or name another file"
        ) from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def write_whole(path: str | Path, text: str, encoding: str = "utf-8", over: bool = True) -> None:
    """The file with this text and no other; line ends as they are in the text."""
    content = text.encode(encoding)
    with replacing(path, over) as temporary:
        temporary.write_bytes(content)


def made_folder(path: str | Path) -> Path:
    """The folder, made where it is not there."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as fault:
        raise ArmError(f"{folder}: cannot be made a folder ({reason(fault)}); name another one") from None
    return folder


def _new(path: Path) -> None:
    """An empty file that was not there, with the permissions that new files get."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))


def _settle(path: Path) -> None:
    """The content on the disk before the name leads to it; some systems say only here that the disk is full."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def written(text: str, path: str | Path | None) -> str:
    """The text, after it is written to ``path`` where one is named."""
    if path is not None:
        write_whole(path, text)
    return text

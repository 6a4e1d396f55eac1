"""Files, read with their size bounded and every failure said in one sentence."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ..errors import ArmError

LARGEST_FILE = 16_000_000
"""Largest text file that is read (bytes)."""


def file_bytes(path: Path, largest: int = LARGEST_FILE, missing: str = "name another file") -> bytes:
    """The content of a file of at most ``largest`` bytes; ``missing`` is the remedy where there is none."""
    try:
        # Opened without waiting, then judged: a pipe without a writer would hang here, and a name can change its file.
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ArmError(f"{path}: is not a file; name a file")
            # The bound is on the bytes read, since a file may grow and some files report no size.
            content = file.read(largest + 1)
    except FileNotFoundError:
        raise ArmError(f"{path}: there is no such file; {missing}") from None
    except IsADirectoryError:
        raise ArmError(f"{path}: is not a file; name a file") from None
    except (OSError, ValueError) as fault:
        if isinstance(fault, ArmError):
            raise
        raise ArmError(f"{path}: cannot be read ({reason(fault)}); name another file") from None
    if len(content) > largest:
        raise ArmError(f"{path}: is larger than {largest:,} bytes; leave out what is not needed")
    return content


def text_of(content: bytes, origin: str) -> str:
    """The text of a file, which is UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ArmError(f"{origin}: is not UTF-8 text; save it in that encoding") from None


def read_text(path: str | Path, largest: int = LARGEST_FILE, missing: str = "name another file") -> str:
    """The text of a file of at most ``largest`` bytes; ``missing`` is the remedy where there is none."""
    return text_of(file_bytes(Path(path), largest, missing), str(path))


def reason(fault: Exception) -> str:
    """The reason of an I/O error, without its path."""
    return fault.strerror or str(fault) if isinstance(fault, OSError) else str(fault)

"""Files, read with their size bounded and every failure said in one sentence."""

from __future__ import annotations

import stat
from pathlib import Path

from ..errors import ArmError
from .expression import shown

LARGEST_FILE = 16_000_000
"""Largest text file that is read (bytes)."""


def file_bytes(path: Path, largest: int = LARGEST_FILE, missing: str = "name another file") -> bytes:
    """The content of a file of at most ``largest`` bytes; ``missing`` is the remedy where there is none."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ArmError(f"{path}: is not a file; name a file")
        # The bound is on the bytes read, since a file may grow and some files report no size.
        with path.open("rb") as file:
            content = file.read(largest + 1)
    except FileNotFoundError:
        raise ArmError(f"{path}: there is no such file; {missing}") from None
    except (OSError, ValueError) as fault:
        if isinstance(fault, ArmError):
            raise
        raise ArmError(f"{shown(str(path))[1:-1]}: cannot be read ({_reason(fault)}); name another file") from None
    if len(content) > largest:
        raise ArmError(f"{path}: is larger than {largest:,} bytes; leave out what is not the arm")
    return content


def text_of(content: bytes, origin: str) -> str:
    """The text of a file, which is UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ArmError(f"{origin}: is not UTF-8 text; save it in that encoding") from None


def _reason(fault: Exception) -> str:
    """The reason of an I/O error, without its path."""
    return fault.strerror or str(fault) if isinstance(fault, OSError) else str(fault)

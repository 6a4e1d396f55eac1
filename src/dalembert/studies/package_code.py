"""The code of this package as a text: results of changed code, or of another version on a worker, may be others."""

from __future__ import annotations

import hashlib
from functools import lru_cache

from ..compile.kernel_code import PACKAGE
from ..version import __version__


@lru_cache
def package_code() -> str:
    """The version, and a digest of the sources."""
    digest = hashlib.sha256()
    for file in sorted(x for x in PACKAGE.rglob("*.[pc]*") if x.suffix in (".py", ".c")):
        digest.update(file.read_bytes())
    return f"{__version__} {digest.hexdigest()[:16]}"

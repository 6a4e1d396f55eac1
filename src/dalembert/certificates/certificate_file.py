"""The file of a certificate: sections of JSON, one to a line, with a digest of every entry.

Numbers are exact, as text ("-3/8"). Digests tell an accident from what was written, and where it happened; what is
proved does not rest on them (``checker.py``).
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from ..arm.errors import ArmError
from ..arm.io.text_files import read_text
from ..arm.io.whole_files import write_whole

HEADER = {"format": "dalembert certificate", "version": 1}
SECTIONS = {
    "reduced model": ("header", "systems", "states", "program", "claims", "proofs"),
    "ranges": ("header", "systems", "states", "claims", "proofs"),
}
"""The sections of each kind of certificate."""


LARGEST = 500_000_000
"""Largest certificate that is read (bytes)."""


class CertificateError(ArmError):
    """A certificate that is not what was written, or that does not prove what it claims."""


def digests(section: Any) -> Any:
    """SHA-256 of a section, of each of its entries where it is a list."""
    if isinstance(section, list):
        return [digests({"entry": entry}) for entry in section]
    return hashlib.sha256(json.dumps(section, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def write(path: str | Path, kind: str, sections: dict[str, Any]) -> Path:
    """Write a certificate."""
    whole = {"header": HEADER | {"kind": kind}, **sections}
    whole["digests"] = {name: digests(whole[name]) for name in SECTIONS[kind]}
    lines = (f"{json.dumps(name)}: {json.dumps(value, separators=(',', ':'))}" for name, value in whole.items())
    write_whole(path, "{\n" + ",\n".join(lines) + "\n}\n")
    return Path(path)


def read(path: str | Path) -> dict[str, Any]:
    """The sections of a certificate, each the one that was written; refused with the place where one is not."""
    try:
        whole = json.loads(read_text(path, LARGEST))
        kind = whole["header"]["kind"]
        expected = {*SECTIONS[kind], "digests"}
        if not isinstance(whole["digests"], dict):
            raise TypeError("its digests are no table")
        for system in whole["systems"]:
            labels = [system["arm"], system["drives"], *system["holds"]]
            if not isinstance(system["holds"], list) or not all(isinstance(label, str) for label in labels):
                raise TypeError("a system has labels that are no text")
    except ArmError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as fault:
        raise CertificateError(f"{path} is no certificate of this package: {type(fault).__name__}, {fault}") from None
    if whole["header"] != HEADER | {"kind": kind}:
        raise CertificateError(f"{path} has the header {whole['header']}; this package reads {HEADER}")
    if set(whole) != expected or set(whole["digests"]) != set(SECTIONS[kind]):
        raise CertificateError(
            f"{path} has not the sections of a certificate of kind {kind!r}: {', '.join(sorted(expected))}"
        )
    for name in SECTIONS[kind]:
        found, said = digests(whole[name]), whole["digests"][name]
        if found != said:
            place = f"section {name!r}"
            if isinstance(found, list) and isinstance(said, list) and len(found) == len(said):
                changed = [a != b for a, b in zip(found, said, strict=True)]
                place = f"entry {changed.index(True) + 1} of {place}"
            raise CertificateError(f"{path}: {place} is not as it was written (its digest differs); write it again")
    return whole

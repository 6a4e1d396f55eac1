"""The file of a certificate: sections of JSON, one to a line, with a digest of every entry.

Numbers are exact, as text ("-3/8"). Digests tell an accident from what was written, and where it happened; what is
proved does not rest on them (``checker.py``).
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from ..arm.errors import ArmError
from ..arm.io.text_files import read_text
from ..arm.io.whole_files import write_whole

HEADER = {"format": "dalembert certificate", "version": 3}
LARGEST = 50_000_000
"""Largest certificate that is read (bytes)."""
NUMBER = re.compile(r"-?[0-9]+(/[0-9]+)?")
INTEGER, TEXT, TRUTH, MIXED = int, str, bool, (str, int)
BODY = {
    "joint": TEXT, "kind": TEXT, "parent": INTEGER, "placement": [[NUMBER]], "pseudo_inertia": [[NUMBER]],
}  # fmt: skip
ROTOR = {"body": (int, type(None)), "axis": [NUMBER], "inertia": NUMBER, "ratios": [NUMBER]}
SYSTEM = {
    "arm": TEXT, "holds": [TEXT], "drives": TEXT, "gravity": [NUMBER], "bodies": [BODY], "rotors": [ROTOR],
}  # fmt: skip
BOX = {"lower": [NUMBER], "upper": [NUMBER], "circle": [TRUTH]}
GRID = {"axes": TEXT, "orders": [INTEGER], "words": [TEXT]}
RANGE = {"system": INTEGER, "of": [[MIXED]], "lower": NUMBER, "upper": NUMBER, "over?": [[MIXED]], "least?": NUMBER}
SECTIONS: dict[str, dict[str, Any]] = {
    "reduced model": {
        "header": {"format": TEXT, "version": INTEGER, "kind": TEXT},
        "systems": [SYSTEM],
        "states": BOX | {"speed": [NUMBER], "acceleration": [NUMBER]},
        "program": {"steps": [[MIXED]], "torques": [INTEGER], "constants": [{"*": NUMBER}]},
        "claims": [{"system": INTEGER, "joint": INTEGER, "bound": NUMBER}],
        "proofs": [[{"of": [[MIXED]], "bound": NUMBER, "grid": GRID}]],
    },
    "ranges": {
        "header": {"format": TEXT, "version": INTEGER, "kind": TEXT},
        "systems": [SYSTEM],
        "states": BOX,
        "claims": [RANGE],
        "proofs": [{"lower?": GRID, "upper?": GRID, "least?": GRID, "square?": GRID}],
    },
}
"""What the sections of each kind of certificate hold: a list of one kind of entry, a table with these keys (those with
a question mark may be missing, a star is any), or a value of this type."""


class CertificateError(ArmError):
    """A certificate that is not what was written, or that does not prove what it claims."""


def misfit(value: Any, form: Any, where: str) -> str:
    """Where a value has not the form that a certificate has there; empty where it has."""
    if isinstance(form, list):
        if type(value) is not list:
            return f"{where} is no list"
        return next(filter(None, (misfit(x, form[0], f"{where}, entry {at + 1}") for at, x in enumerate(value))), "")
    if isinstance(form, dict):
        if type(value) is not dict:
            return f"{where} is no table"
        forms = dict.fromkeys(value, form["*"]) if "*" in form else {key.rstrip("?"): x for key, x in form.items()}
        for key in form:
            if key not in value and key[-1] not in "?*":
                return f"{where} has no {key!r}"
        for key in value:
            if key not in forms:
                return f"{where} has {key!r}, which is nothing"
        return next(filter(None, (misfit(x, forms[key], f"{where}, {key!r}") for key, x in value.items())), "")
    if isinstance(form, re.Pattern):
        return "" if type(value) is str and form.fullmatch(value) else f"{where} is no number as text"
    kinds = form if isinstance(form, tuple) else (form,)
    return "" if type(value) in kinds else f"{where} is {value!r:.40}, not {' or '.join(k.__name__ for k in kinds)}"


def digests(section: Any) -> Any:
    """SHA-256 of a section, of each of its entries where it is a list."""
    if isinstance(section, list):
        return [digests({"entry": entry}) for entry in section]
    return hashlib.sha256(json.dumps(section, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def write(path: str | Path, kind: str, sections: dict[str, Any]) -> Path:
    """Write a certificate."""
    content = {"header": HEADER | {"kind": kind}, **sections}
    content["digests"] = {name: digests(content[name]) for name in SECTIONS[kind]}
    lines = (f"{json.dumps(name)}: {json.dumps(value, separators=(',', ':'))}" for name, value in content.items())
    write_whole(path, "{\n" + ",\n".join(lines) + "\n}\n")
    return Path(path)


def read(path: str | Path) -> dict[str, Any]:
    """The sections of a certificate, each the one that was written; refused with the place where one is not."""
    try:
        content = json.loads(read_text(path, LARGEST), object_pairs_hook=single)
        kind = content["header"]["kind"]
        forms = SECTIONS[kind]
        written = content.pop("digests")
        if set(content) != set(forms) or type(written) is not dict or set(written) != set(forms):
            raise ValueError(f"it has not the sections {', '.join(forms)}, and a digest of each")
        for name in forms:
            entries = content[name]
            # before any is computed: a file has room for more entries than for digests of them
            if isinstance(entries, list) and (type(written[name]) is not list or len(written[name]) != len(entries)):
                raise CertificateError(f"{path}: section {name!r} has not one digest for each entry; write it again")
        digested = {name: digests(content[name]) for name in forms}
    except ArmError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as fault:
        raise CertificateError(
            f"{path} is no certificate of this package ({type(fault).__name__}: {fault}); "
            "name a file that --certificate wrote"
        ) from None
    if content["header"] != HEADER | {"kind": kind}:
        raise CertificateError(f"{path} has the header {content['header']}; this package reads {HEADER}")
    for name, form in forms.items():
        computed, recorded, where = digested[name], written[name], f"section {name!r}"
        if computed != recorded:
            if isinstance(computed, list):
                changed = [a != b for a, b in zip(computed, recorded, strict=True)]
                where = f"entry {changed.index(True) + 1} of {where}"
            raise CertificateError(f"{path}: {where} is not as it was written (its digest differs); write it again")
        if wrong := misfit(content[name], form, where):
            raise CertificateError(f"{path}: {wrong}; no certificate of this package is written so")
    return content


def single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A table of JSON, refused where a key stands in it twice: two readers might take two values."""
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError(f"a table with {', '.join(table)!r:.60} has a key twice")
    return table

"""Tables of a mechanism file that stand for several: ``[chain."leg{1..6}"]``.

The name says which numbers; ``{}`` in its texts is the number, and a list of placements has one for each. In lists of
coordinates and in ``[home]`` "leg{1..6}.slide" stands for six joints.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..arm.errors import ArmError

RANGE = re.compile(r"\{(\d{1,4})\.\.(\d{1,4})\}")
REPEATED = ("chain", "body", "frame", "closure", "gear", "coupling", "spring")
LISTS = ("coordinates", "passive", "motors")
MOST = 100
"""Most tables that one may stand for."""


def expanded(data: Mapping[str, Any], origin: str) -> dict[str, Any]:
    """The document with every table and name written out."""
    document = dict(data)
    for key in REPEATED:
        if isinstance(document.get(key), Mapping):
            document[key] = _tables(document[key], f"{origin}: {key}")
    for key in LISTS:
        if isinstance(document.get(key), list):
            where = f"{origin}: {key}"
            document[key] = [name for item in document[key] for name, _ in _names(item, where)]
    if isinstance(document.get("home"), Mapping):
        document["home"] = _positions(document["home"], f"{origin}: home")
    return document


def _names(text: Any, where: str) -> list[tuple[Any, str]]:
    """The names that a text stands for, each with its number; the text alone where it holds no range."""
    if not isinstance(text, str):
        return [(text, "")]
    range_ = RANGE.search(text)
    if range_ is None:
        return [(text, "")]
    first, last = int(range_.group(1)), int(range_.group(2))
    if not 0 <= last - first < MOST:
        raise ArmError(f"{where} {text!r}: a range rises, over {MOST} numbers at most; write {{1..6}}")
    names = [(f"{text[: range_.start()]}{k}{text[range_.end() :]}", str(k)) for k in range(first, last + 1)]
    if any(RANGE.search(name) for name, _ in names):
        raise ArmError(f"{where} {text!r}: holds two ranges; write one")
    return names


def _tables(tables: Mapping[str, Any], where: str) -> dict[str, Any]:
    written: dict[str, Any] = {}
    for name, table in tables.items():
        names = _names(name, where)
        for k, (full_name, number) in enumerate(names):
            if full_name in written:
                raise ArmError(f"{where} {full_name!r}: is there twice, once by a range of names; call one otherwise")
            written[full_name] = (
                table if not number else _numbered(table, number, k, len(names), f"{where} {full_name!r}")
            )
    return written


def _numbered(table: Any, number: str, k: int, count: int, where: str) -> Any:
    """The table of one of the numbers."""
    if not isinstance(table, Mapping):
        return table
    numbered = {}
    for key, value in table.items():
        if key == "at" and isinstance(value, list):
            if len(value) != count:
                raise ArmError(
                    f"{where}: at is a list of {len(value)} placements for {count} tables; give one for each"
                )
            value = value[k]
        numbered[key] = _filled(value, number)
    return numbered


def _filled(value: Any, number: str) -> Any:
    """The value with ``{}`` in its texts replaced."""
    if isinstance(value, str):
        return value.replace("{}", number)
    if isinstance(value, list):
        return [_filled(item, number) for item in value]
    if isinstance(value, Mapping):
        return {_filled(key, number): _filled(item, number) for key, item in value.items()}
    return value


def _positions(home: Mapping[str, Any], where: str) -> dict[str, Any]:
    positions: dict[str, Any] = {}
    for name, value in home.items():
        names = _names(name, where)
        for k, (full_name, number) in enumerate(names):
            if number and isinstance(value, list):
                if len(value) != len(names):
                    raise ArmError(
                        f"{where} {name!r}: has {len(value)} positions for {len(names)} joints; give one for each"
                    )
                positions[full_name] = value[k]
            else:
                positions[full_name] = value
    return positions

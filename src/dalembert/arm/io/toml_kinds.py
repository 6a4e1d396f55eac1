"""What a TOML file describes: an arm, a mechanism, a study or drives; the reader of one refuses the others by name."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import ArmError

DOORS = {
    "an arm": "dalembert show reads it, or da.load in Python",
    "a mechanism": "use dalembert mechanism, or da.load_mechanism in Python",
    "a study": "use dalembert study, or da.load_study in Python",
    "the drives of an arm": "name the arm, and this file with --drives-file, or arm.with_drives in Python",
}
"""What files describe, and what reads them."""


def kind_of(tables: Mapping[str, object]) -> str | None:
    """What the tables of a file describe; None where they do not tell."""

    def holds_tables(key: str) -> bool:
        value = tables.get(key)
        return isinstance(value, list) and any(isinstance(item, Mapping) for item in value)

    if isinstance(tables.get("chain"), Mapping):
        return "a mechanism"
    if "joints" in tables:
        return "an arm"
    if "factor" in tables or "output" in tables or "optimize" in tables:
        return "a study"
    return "the drives of an arm" if holds_tables("motors") or holds_tables("elements") else None


def refuse_others(tables: Mapping[str, object], wanted: str, origin: str) -> None:
    """Raises ArmError where the file describes something else than ``wanted``, with what reads it."""
    kind = kind_of(tables)
    if kind not in (None, wanted):
        raise ArmError(f"{origin}: describes {kind}, not {wanted}; {DOORS[kind]}")

"""The terms of the torques as a table."""

from __future__ import annotations

from ..markup.data_tables import Column
from .significance import TermShare


def printed(term: TermShare) -> str:
    """How a term is printed: D12 q̈2, 2 C112 q̇1 q̇2, G2."""
    factors = term.motion.replace("qdd", "q\u0308").replace("qd", "q\u0307").replace("^2", "\u00b2")
    number, letters = ("2 ", factors[2:]) if factors.startswith("2 ") else ("", factors)
    return f"{number}{term.name} {letters}".strip()


TERMS = (
    Column("joint", "joint"),
    Column("term", "term"),
    Column("largest", "largest", kind="number"),
    Column("proved", "proved at most", kind="number bound"),
    Column("rms", "RMS", kind="number"),
    Column("unit", "", kind="unit"),
    Column("share", "share of the largest term", kind="share"),
)
"""The columns of a table of terms over all states."""
ALONG = tuple(column for column in TERMS if column.key != "proved")
"""Those along a motion, where the largest is what happens."""

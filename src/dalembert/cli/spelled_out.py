"""Formulas on a terminal that lacks letters: indices and powers as m2 and l1^2, rates as qd1 and qdd1."""

from __future__ import annotations

import codecs
import unicodedata

SPELLED_OUT = "spelled out"
"""The name of the rule, for ``stream.reconfigure(errors=...)``."""
PLAIN = {"−": "-", "·": "*", "…": "...", "\N{COMBINING DOT ABOVE}": "d", "\N{COMBINING DIAERESIS}": "dd"}
GREEK = "GREEK SMALL LETTER "


def spell_out(fault: UnicodeError) -> tuple[str, int]:
    """What stands for letters that a stream cannot encode: raised and lowered ones plainly, others as "?"."""
    assert isinstance(fault, UnicodeEncodeError)
    words, raised = [], False
    for letter in fault.object[fault.start : fault.end]:
        kind, _, code = unicodedata.decomposition(letter).partition(" ")
        known = kind in ("<super>", "<sub>")
        words.append("^" if kind == "<super>" and not raised else "")
        plain = chr(int(code, 16)) if known else letter
        words.append(PLAIN.get(plain) or (plain if plain.isascii() else greek(plain)))
        raised = kind == "<super>"
    return "".join(words), fault.end


def greek(letter: str) -> str:
    """The name of a Greek letter, as tau; "?" for others."""
    name = unicodedata.name(letter, "")
    return name.removeprefix(GREEK).lower() if name.startswith(GREEK) and " " not in name.removeprefix(GREEK) else "?"


codecs.register_error(SPELLED_OUT, spell_out)

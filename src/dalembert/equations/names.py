"""Names of coefficients, D12, C112, G3, and of what they make up: the torque tau1, the energies K and V."""

from __future__ import annotations

import re

from ..arm.description import ArmDescription
from ..arm.errors import ArmError

KINDS = {"D": 2, "C": 3, "G": 1}
"""Number of indices of each kind of coefficient."""
ALIASES = {"H": "C", "h": "C", "g": "G", "d": "D", "c": "C"}


def name(kind: str, indices: tuple[int, ...]) -> str:
    """The name of a coefficient; indices count from 0 here and from 1 in print."""
    return kind + ("," if any(i >= 9 for i in indices) else "").join(str(i + 1) for i in indices)


def all_names(n: int) -> list[str]:
    """The independent coefficients: D_ij with i <= j, C_ijk with j <= k, G_i."""
    names = [name("D", (i, j)) for i in range(n) for j in range(i, n)]
    names += [name("C", (i, j, k)) for i in range(n) for j in range(n) for k in range(j, n)]
    return names + [name("G", (i,)) for i in range(n)]


def whole(text: str, n: int) -> tuple[str, int] | None:
    """("tau", 0) for "tau1", ("K", 0) and ("V", 0) for the energies; None for a coefficient."""
    word = text.strip().replace("_", "").replace("{", "").replace("}", "").replace("\\", "")
    if word in ("K", "V"):
        return word, 0
    if word.startswith("tau") and word[3:].isdigit() and 1 <= int(word[3:]) <= n:
        return "tau", int(word[3:]) - 1
    return None


def canonical(text: str, n: int) -> str:
    """The printed name of a coefficient, a torque or an energy, however it is written."""
    found = whole(text, n)
    if found is not None:
        return f"tau{found[1] + 1}" if found[0] == "tau" else found[0]
    return name(*parse(text, n))


def split(text: str) -> tuple[str, str]:
    """Letter and indices of a printed name: ("D", "12"), ("tau", "1"), ("K", "")."""
    letters = text.rstrip("0123456789,")
    return letters, text[len(letters) :]


def parse(text: str, n: int) -> tuple[str, tuple[int, ...]]:
    """("D", (0, 1)) for "D12", "D_12", "D_{12}", "D1,2" or "D[1,2]"; H is read as C."""
    match = re.fullmatch(r"\s*([A-Za-z])\s*_?\s*[\[{(]?\s*([0-9]+(?:\s*[, ]\s*[0-9]+)*)\s*[\])}]?\s*", text)
    if match:
        kind = ALIASES.get(match[1], match[1])
        parts = re.split(r"\s*[, ]\s*", match[2])
        indices = [int(part) for part in (parts if len(parts) > 1 else parts[0])] if kind != "G" else [int(match[2])]
        if kind in KINDS and len(indices) == KINDS[kind] and all(1 <= i <= n for i in indices):
            return kind, tuple(i - 1 for i in indices)
    examples = all_names(min(n, 9))
    shown = ", ".join(examples) if len(examples) <= 40 else f"D11 to D{n}{n}, C111 to C{n}{n}{n}, G1 to G{n}"
    if whole(text, n) is not None:
        raise ArmError(f"{text.strip()} is made of coefficients and is none itself; the coefficients are {shown}")
    raise ArmError(
        f"there is no coefficient {text!r}; the coefficients are {shown}; energies are K and V, torques tau1 to tau{n}"
    )


def coefficient_unit(arm: ArmDescription, text: str) -> str:
    """The SI unit of a coefficient, a torque or an energy of this arm."""
    made = whole(text, arm.n)
    if made is not None:
        return "J" if made[0] != "tau" else "N" if arm.moving[made[1]].kind == "prismatic" else "N m"
    kind, index = parse(text, arm.n)
    slides = [arm.moving[i].kind == "prismatic" for i in index]
    if kind == "G":
        return "N" if slides[0] else "N m"
    # For revolute joints the unit is kg m^2; every prismatic index replaces an angle by a length, one m less.
    power = 2 - sum(slides)
    return {2: "kg m^2", 1: "kg m", 0: "kg"}.get(power, f"kg m^{power}")

"""Names of coefficients, D12, C112, G3, and of what they make up: the torque tau1, the energies K and V.

Bejczy 1974, eqs 12 to 26, writes all coefficients with D: D_i is the gravity load G_i, and D_ijp the factor of
qd_j qd_p in the torque of joint i, both orders of the two speeds in one term. So D_ijp = 2 C_ijp where j and p differ,
and D_ijj = C_ijj. D_i,V is the matrix of 2 C_ijp (eq. 22). U_ji and U_jkp are the first and second derivatives of the
transformation from the base to link j (eqs 4 and 7), 4 by 4; U21[1,3] is an entry.
"""

from __future__ import annotations

import re

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.exact import whole_number

KINDS = {"D": (2, 3), "C": (3,), "G": (1,)}
"""Numbers of indices of each kind; D of three is Bejczy's factor of two speeds."""
ALIASES = {"H": "C", "h": "C", "g": "G", "d": "D", "c": "C"}


def name(kind: str, indices: tuple[int, ...]) -> str:
    """The name of a coefficient; indices count from 0 here and from 1 in print."""
    return kind + ("," if any(i >= 9 for i in indices) else "").join(str(i + 1) for i in indices)


def all_names(n: int) -> list[str]:
    """The independent coefficients: D_ij with i <= j, C_ijk with j <= k, G_i."""
    names = [name("D", (i, j)) for i in range(n) for j in range(i, n)]
    names += [name("C", (i, j, k)) for i in range(n) for j in range(n) for k in range(j, n)]
    return names + [name("G", (i,)) for i in range(n)]


def torque_or_energy(text: str, n: int) -> tuple[str, int] | None:
    """("tau", 0) for "tau1", ("K", 0) and ("V", 0) for the energies; None for a coefficient."""
    word = text.strip().replace("_", "").replace("{", "").replace("}", "").replace("\\", "")
    if word in ("K", "V"):
        return word, 0
    joint = whole_number(word[3:]) if word.startswith("tau") else None
    if joint is not None and 1 <= joint <= n:
        return "tau", joint - 1
    return None


def canonical(text: str, n: int) -> str:
    """The printed name of a coefficient, a torque, an energy or an entry of U, however it is written."""
    quantity = torque_or_energy(text, n)
    if quantity is not None:
        return f"tau{quantity[1] + 1}" if quantity[0] == "tau" else quantity[0]
    entry = of_transformation(text, n)
    if entry is not None:
        index, entry_index = entry
        return name("U", index) + (f"[{entry_index[0] + 1},{entry_index[1] + 1}]" if entry_index is not None else "")
    return name(*parse(text, n))


def expanded(text: str, n: int) -> list[str]:
    """The printed names that a name stands for: the entries of a matrix U21 or D1,V, else the name itself."""
    matrix = re.fullmatch(r"\s*D_?\{?\s*(\d+)\s*,?\s*V\s*\}?\s*", text)
    joint = whole_number(matrix[1]) if matrix else None
    if joint is not None and 1 <= joint <= n:
        return [name("D", (joint - 1, j, p)) for j in range(n) for p in range(j, n)]
    entry = of_transformation(text, n)
    if entry is not None and entry[1] is None:
        return [f"{name('U', entry[0])}[{row},{column}]" for row in range(1, 5) for column in range(1, 5)]
    return [canonical(text, n)]


def separate(text: str) -> list[str]:
    """The names of a list with commas between them, each once.

    A comma in brackets, or before the V of D1,V, is part of a name.
    """
    joined = re.sub(r"\b(D_?\d)\s*,\s*V\b", r"\1V", text)
    words = (word.strip() for word in re.findall(r"(?:[^,\[{]|\[[^\]]*\]?|\{[^}]*\}?)+", joined))
    return list(dict.fromkeys(word for word in words if word))


def split(text: str) -> tuple[str, str]:
    """Letter and indices of a printed name: ("D", "12"), ("tau", "1"), ("U", "21[1,3]"), ("K", "")."""
    letters = re.match("[A-Za-z]*", text)[0]  # type: ignore[index]
    return letters, text[len(letters) :]


def kind_of(printed: str) -> str:
    """What a printed name is: "D", "C", "G", "tau", "K", "V", "U", and "D_ijp" for Bejczy's factor of two speeds."""
    letters, indices = split(printed)
    count = indices.count(",") + 1 if "," in indices else len(indices)
    return "D_ijp" if letters == "D" and count == 3 else letters


def speeds_counted(index: tuple[int, ...]) -> int:
    """D_ijp over C_ijp: how often the product of two speeds stands in sum_jp C_ijp qd_j qd_p."""
    _, j, p = index
    return 1 if j == p else 2


def of_transformation(text: str, n: int) -> tuple[tuple[int, ...], tuple[int, int] | None] | None:
    """((1, 0), (0, 2)) for "U21[1,3]", with None for the place in "U21"; None for what is no U of this arm."""
    match = re.fullmatch(r"\s*U_?\{?\s*(\d+(?:,\d+)*)\s*\}?\s*(?:[\[(]\s*([1-4])\s*,\s*([1-4])\s*[\])])?\s*", text)
    if not match:
        return None
    index = tuple((whole_number(part) or 0) - 1 for part in (match[1].split(",") if "," in match[1] else match[1]))
    if len(index) not in (2, 3) or not all(0 <= i < n for i in index):
        return None
    return index, (int(match[2]) - 1, int(match[3]) - 1) if match[2] else None


def parse(text: str, n: int) -> tuple[str, tuple[int, ...]]:
    """("D", (0, 1)) for "D12", "D_12", "D_{12}", "D1,2" or "D[1,2]"; H is read as C, D_i as G_i, a star passed over."""
    match = re.fullmatch(
        r"\s*([A-Za-z])\s*_?\s*[\[{(]?\s*([0-9]+(?:\s*[, ]\s*[0-9]+)*)\s*[\])}]?\s*(?:\^?\{?\*\}?)?\s*", text
    )
    if match:
        kind = ALIASES.get(match[1], match[1])
        parts = re.split(r"\s*[, ]\s*", match[2])
        words = parts if len(parts) > 1 or kind == "G" else parts[0]
        indices = [whole_number(part) or 0 for part in words]
        if match[1] == "D" and len(indices) == 1:
            kind = "G"
        if len(indices) in KINDS.get(kind, ()) and all(1 <= i <= n for i in indices):
            return kind, tuple(i - 1 for i in indices)
    examples = all_names(min(n, 9))
    coefficients = ", ".join(examples) if len(examples) <= 40 else f"D11 to D{n}{n}, C111 to C{n}{n}{n}, G1 to G{n}"
    if torque_or_energy(text, n) is not None:
        raise ArmError(
            f"{text.strip()} is made of coefficients and is none itself; the coefficients are {coefficients}"
        )
    if of_transformation(text, n) is not None:
        raise ArmError(f"{text.strip()} is of the geometry and is no coefficient; the coefficients are {coefficients}")
    raise ArmError(
        f"there is no coefficient {text!r}; the coefficients are {coefficients}, and D111 to D{n}{n}{n} after Bejczy "
        f"1974; energies are K and V, torques tau1 to tau{n}, derivatives of transformations U11 to U{n}{n}{n}"
    )


def coefficient_unit(arm: ArmDescription, text: str) -> str:
    """The SI unit of a coefficient, a torque, an energy or an entry of U of this arm."""
    quantity = torque_or_energy(text, arm.n)
    if quantity is not None:
        return "J" if quantity[0] != "tau" else "N" if arm.moving[quantity[1]].kind == "prismatic" else "N m"
    entry = of_transformation(text, arm.n)
    if entry is not None:
        return transformation_unit(arm, *entry)
    kind, index = parse(text, arm.n)
    slides = [arm.moving[i].kind == "prismatic" for i in index]
    if kind == "G":
        return "N" if slides[0] else "N m"
    # For revolute joints the unit is kg m^2; every prismatic index replaces an angle by a length, one m less.
    power = 2 - sum(slides)
    return {2: "kg m^2", 1: "kg m", 0: "kg"}.get(power, f"kg m^{power}")


def sides(expression: str) -> tuple[str, str]:
    """Numerator and denominator of a ratio, "(D13+D23)/D33", without brackets; the second is empty where there is none.

    A sum beside a stroke stands in brackets: D13+D23/D33 might be read in two ways.
    """
    top, stroke, bottom = expression.replace(" ", "").partition("/")
    bare = [side[1:-1] if side.startswith("(") and side.endswith(")") else side for side in (top, bottom)]
    if stroke and any(side == inner and _is_sum(side) for side, inner in zip((top, bottom), bare, strict=True)):
        raise ArmError(f"{expression.strip()} can be read in two ways; put the sum in brackets, as in {ratio(*bare)}")
    return bare[0], bare[1]


def ratio(top: str, bottom: str) -> str:
    """The name of a ratio, sums in brackets."""
    return "/".join(f"({side})" if _is_sum(side) else side for side in (top, bottom))


def _is_sum(text: str) -> bool:
    return bool(set("+-") & set(text[1:]))


def expression_unit(arm: ArmDescription, expression: str) -> str:
    """The SI unit of a coefficient, a sum ("D12+D13") or a ratio ("G2/D22"): 1 where it has none.

    A sum of different units is of numbers in SI units and has none; it is said to be mixed.
    """
    dimensions = []
    for side in filter(None, sides(expression)):
        words = [word for word in side.replace("-", "+").split("+") if word]
        powers = {(parse(word, arm.n)[0] == "G", _slides(arm, word)) for word in words}
        if len(powers) != 1:
            return "mixed"
        dimensions.append((words[0], *powers.pop()))
    if len(dimensions) == 1:
        return coefficient_unit(arm, dimensions[0][0])
    (_, top_load, top), (_, bottom_load, bottom) = dimensions
    exponents = (("m", bottom - top), ("s", 2 * (bottom_load - top_load)))
    above, below = (
        [name + f"^{abs(power)}" * (abs(power) > 1) for name, power in exponents if power * sign > 0]
        for sign in (1, -1)
    )
    denominator = f"({' '.join(below)})" if len(below) > 1 else "".join(below)
    return (" ".join(above) or "1") + f"/{denominator}" * bool(denominator)


def _slides(arm: ArmDescription, text: str) -> int:
    """How many of its indices are of sliding joints, each of which takes one m from the unit."""
    return sum(arm.moving[i].kind == "prismatic" for i in parse(text, arm.n)[1])


def transformation_unit(arm: ArmDescription, index: tuple[int, ...], entry_index: tuple[int, int] | None) -> str:
    """The unit of U_ji or U_jkp: that of a turn (1) or a place (m), over m for every prismatic joint."""
    power = int(entry_index is not None and entry_index[1] == 3) - sum(
        arm.moving[i].kind == "prismatic" for i in index[1:]
    )
    return {1: "m", 0: ""}.get(power, "1/m" if power == -1 else f"1/m^{-power}")

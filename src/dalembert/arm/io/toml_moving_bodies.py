"""Reader and writer of what varies with the joint positions in TOML drives: turns by a formula, bodies on a link.

[[motors]]
name = "screw2"
turns = "2513.3*sqrt(0.2425 - 0.24*cos(joint2))"    # in place of ratios: rad of the motor (m of a linear one)

[[elements]]
name = "coupling rod"
body = {link = "column", mass = 3, com = [0.2, 0, 0], inertia = [0.001, 0.04, 0.04],
        position = ["0.1*cos(joint2)", "0.1*sin(joint2)", 0], rotation = [{axis = "z", angle = "joint2"}]}
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..description import ArmDescription
from ..errors import ArmError
from ..moving_parts import MovingBody
from .expression import shown
from .formula_text import read_formula
from .joint_formula import Formula, FormulaPlacement, Formulas, Turn
from .toml_table import TomlTable

if TYPE_CHECKING:
    from ..drives import DriveTrain

MOVING_BODY = (
    "link", "mass", "com", "first_moment", "inertia", "about", "gyration",
    "xyz", "rpy", "steps", "position", "rotation",
)  # fmt: skip
TURN = ("axis", "angle", "sin", "cos")
MOST_TURNS = 3


def formula_of(table: TomlTable, key: str, joints: Sequence[str]) -> Formula:
    """The formula at ``key``."""
    return read_formula(table.needed(key), joints, f"{table.where}: {key}")


def read_turns(parts: Sequence[TomlTable], arm: ArmDescription) -> Formulas | None:
    """The positions of all motors as formulas, if one of them has ``turns``; the others turn by their ratios."""
    if not any("turns" in part for part in parts):
        return None
    formulas = []
    for part in parts:
        if "turns" in part:
            formulas.append(formula_of(part, "turns", arm.joint_names))
            continue
        ratios = part.table("ratios", [joint.name for joint in arm.joints])
        terms = [f"({ratios.number(joint)})*{quoted(joint)}" for joint in ratios.values] if ratios is not None else []
        formulas.append(read_formula(" + ".join(terms) or "0", arm.joint_names, part.where))
    return Formulas(tuple(formulas))


def quoted(joint: str) -> str:
    """The name of a joint as a formula writes it."""
    return joint if joint.isidentifier() and joint.isascii() else f"'{joint}'"


def read_moving_body(table: TomlTable, arm: ArmDescription) -> MovingBody | None:
    """The table ``body`` of a motor or an element."""
    from .toml_arm import read_body

    entries = table.table("body", MOVING_BODY)
    if entries is None:
        return None
    if "position" not in entries and "rotation" not in entries:
        raise entries.fault("a body that drives move has a position or a rotation of formulas; give one of them")
    joints, zero = arm.joint_names, [0, 0, 0]
    position = entries.items("position", 3, "three formulas") if "position" in entries else zero
    x, y, z = (
        read_formula(item, joints, f"{entries.where}: position {axis}")
        for axis, item in zip("xyz", position, strict=True)
    )
    turns = tuple(read_turn(part, joints) for part in entries.tables("rotation", TURN))
    if len(turns) > MOST_TURNS:
        raise entries.fault(f"rotation has {len(turns)} turns; {MOST_TURNS} give every rotation")
    placement = FormulaPlacement((x, y, z), turns)
    return MovingBody(read_body(entries), placement, entries.text("link", ""), entries.placement())


def read_turn(table: TomlTable, joints: Sequence[str]) -> Turn:
    """A turn about an axis by an angle, or by its sine and cosine."""
    axis = table.text("axis")
    if axis not in ("x", "y", "z"):
        raise table.fault(f"the axis of a turn is x, y or z, not {shown(axis)}")
    if "angle" in table:
        if "sin" in table or "cos" in table:
            raise table.fault("angle stands in place of sin and cos; keep one of the two ways")
        return Turn(axis, (formula_of(table, "angle", joints),))
    return Turn(axis, (formula_of(table, "sin", joints), formula_of(table, "cos", joints)))


def refuse_unwritten(train: DriveTrain) -> None:
    """Refuse to write functions that have no text."""
    if not train.written:
        raise ArmError(
            "a transmission or a body that is a function in Python cannot be written to a file; give formulas"
        )


def moving_body_text(body: MovingBody) -> str:
    """The inline table from which ``read_moving_body`` restores the body."""
    from .toml_text import quoted as text
    from .toml_writer import body_pairs, inline, listing, placement_pairs

    pairs = [("link", text(body.link))] if body.link else []
    pairs += body_pairs(body.inertia)
    pairs += placement_pairs(body.mount) if body.mount.steps else []
    placement = body.placement
    assert isinstance(placement, FormulaPlacement)
    pairs.append(("position", listing(text(formula.text) for formula in placement.position)))
    turns = []
    for turn in placement.turns:
        keys = ("angle",) if len(turn.angle) == 1 else ("sin", "cos")
        formulas = [(key, text(formula.text)) for key, formula in zip(keys, turn.angle, strict=True)]
        turns.append(inline([("axis", text(turn.axis)), *formulas]))
    if turns:
        pairs.append(("rotation", listing(turns)))
    return inline(pairs)

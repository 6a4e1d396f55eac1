"""Names that files give to lengths and angles, which become symbols of the equations."""

from __future__ import annotations

import re
from collections.abc import Collection

from ..arm.description import ArmDescription
from ..arm.errors import ArmError

SYMBOL = re.compile(r"[A-Za-z]+[0-9]*")
"""Names that the printers and the parser of formulas take for one symbol."""
RESERVED = re.compile(r"(s|c|q|qd|qdd|tau|k|kk|D|C|G)[0-9]+|g[xyz]?|K|V")
"""Names of other variables."""


def check_step_name(arm: ArmDescription, name: str, inertial: Collection[str]) -> None:
    """Raises ArmError for a name that is no symbol, or that of another variable; ``inertial`` are the parameters of a
    body, to which its number is added.
    """
    if not SYMBOL.fullmatch(name):
        raise ArmError(
            f"{arm.where}{arm.name}: a length or angle named {name!r} cannot be a symbol; name it by letters and a "
            "number, such as l1"
        )
    stem = name.rstrip("0123456789L")
    if RESERVED.fullmatch(name) or (stem != name and stem in inertial):
        raise ArmError(
            f"{arm.where}{arm.name}: a length or angle is named {name!r}, which is another variable of the equations; "
            "name it otherwise, such as l1"
        )

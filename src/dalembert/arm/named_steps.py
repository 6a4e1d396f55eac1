"""The lengths and angles of an arm that have names, under which they may vary."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from .description import ArmDescription
from .errors import ArmError
from .exact import Angle
from .inertia import PARAMETERS
from .placement import Step

OTHERS = re.compile(rf"({'|'.join(PARAMETERS)})([0-9]+|L)|g[xyz]")
"""Names of the other parameters of an arm: inertia of its bodies and of a load, gravity."""


def named_steps(arm: ArmDescription) -> list[Step]:
    """The steps before and after the joints that move which have names; none of another parameter."""
    steps = [step for body in arm.bodies for part in (body.before, body.after) for step in part.steps if step.name]
    for step in steps:
        if OTHERS.fullmatch(step.stem):
            raise ArmError(
                f"{arm.where}{arm.name}: a length or angle is named {step.stem!r}, which is another parameter; name it "
                "otherwise, such as l1"
            )
    return steps


def named_amounts(arm: ArmDescription, steps: Iterable[Step] | None = None) -> dict[str, Angle | Fraction]:
    """The amounts of ``steps``, or else of ``named_steps``, by their names; a step "-a" is the opposite of a.

    Each name is one number wherever it stands.
    """
    amounts: dict[str, Angle | Fraction] = {}
    for step in named_steps(arm) if steps is None else steps:
        amount = -step.amount if step.is_opposite else step.amount
        if amounts.setdefault(step.stem, amount) != amount:
            raise ArmError(
                f"{arm.where}{arm.name}: two lengths or angles that differ are named {step.stem!r}, which cannot be "
                "one parameter; name one of them otherwise"
            )
    return amounts

"""What makes up a coefficient at a pose, and what a joint feels of the others (Bejczy 1974, sections II and VII.A)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .printing import figures, heading, paragraph, table

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System
    from dalembert.design.slow_fast import Reactions
    from dalembert.equations.components import Component


def finite(row: dict[str, object]) -> dict[str, object]:
    """The row with None for what is infinite, which JSON cannot hold."""
    return {key: None if value == float("inf") else value for key, value in row.items()}


def print_slow_fast(felt: tuple[Reactions, ...], share: float) -> None:
    """What the joints feel of their own motion and of that of others (Bejczy 1974, section II)."""
    heading(f"Slow or fast: reactions beside own inertia and gravity, slow up to {100 * share:g} percent")

    def shown(values: list[float]) -> list[str]:
        written = iter(figures(x for x in values if x != float("inf")))
        return ["-" if x == float("inf") else next(written) for x in values]

    table([("joint [unit]", [f"{one.joint} [{one.unit}]" for one in felt]),
           ("own inertia\nD_ii qdd_i", figures(one.inertia for one in felt)),
           ("gravity\nG_i", figures(one.gravity for one in felt)),
           ("of others\nD_ij qdd_j", figures(one.acceleration for one in felt)),
           ("of speeds\nh_i", figures(one.velocity for one in felt)),
           ("share\npercent", shown([100 * one.share for one in felt])),
           ("", ["slow" if one.slow else "fast" for one in felt]),
           ("fast from\npace", shown([one.pace for one in felt]))])  # fmt: skip
    paragraph(
        "At pace p the motion has p times the speeds and p^2 times the accelerations. A dash: slow at every pace."
    )


def listed_components(arm: System, text: str, q: np.ndarray) -> dict[str, tuple[Component, ...]]:
    """The components of the named coefficients at a pose, in masses, mass centres and radii of gyration."""
    from dalembert.equations.names import canonical, separate

    equations = arm.equations("gyration+lengths+gravity")
    return {canonical(name, arm.n): equations.components(name, q) for name in separate(text)}


def print_components(name: str, parts: tuple[Component, ...]) -> None:
    """The list of section VII.A of Bejczy 1974: constant components, varying ones, their sums."""
    heading(f"Components of {name} at this pose" + ("" if parts else ": it is zero"))
    if not parts:
        return
    rows = [(link_name(one.link), one.formula, one.value) for one in parts if one.constant]
    if rows:
        rows.append(("", "constant", sum(row[2] for row in rows)))
    varying = [(link_name(one.link), one.formula, one.value) for one in parts if not one.constant]
    rows += varying
    if varying and len(rows) > len(varying):
        rows.append(("", "varying", sum(row[2] for row in varying)))
    rows.append(("", name, sum(one.value for one in parts)))
    table([("link", [row[0] for row in rows]), (f"value\n{parts[0].unit}", figures(row[2] for row in rows)),
           ("component", [row[1] for row in rows])], wide="component")  # fmt: skip


def link_name(link: int | str) -> str:
    """The link of a component as a word."""
    return {"L": "load", "drives": "drives"}.get(str(link), str(link))

"""What makes up a coefficient at a pose, and what a joint feels of the others (Bejczy 1974, sections II and VII.A)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from .printing import figures, figures_or_dashes, heading, paragraph, table

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System
    from dalembert.design.slow_fast import Reactions
    from dalembert.equations.components import Component


def print_slow_fast(reactions: tuple[Reactions, ...], share: float) -> None:
    """What the joints feel of their own motion and of that of others (Bejczy 1974, section II)."""
    heading(f"Slow or fast: reactions beside own inertia and gravity, slow up to {100 * share:g} percent")

    def finite_cells(values: Iterable[float]) -> list[str]:
        return figures_or_dashes(None if x == float("inf") else x for x in values)

    table([("joint [unit]", [f"{r.joint} [{r.unit}]" for r in reactions]),
           ("own inertia\nD_ii qdd_i", figures(r.inertia for r in reactions)),
           ("gravity\nG_i", figures(r.gravity for r in reactions)),
           ("of others\nD_ij qdd_j", figures(r.acceleration for r in reactions)),
           ("of speeds\nh_i", figures(r.velocity for r in reactions)),
           ("share\npercent", finite_cells(100 * r.share for r in reactions)),
           ("", ["slow" if r.slow else "fast" for r in reactions]),
           ("fast from\npace", finite_cells(r.pace for r in reactions))])  # fmt: skip
    paragraph(
        "At pace p the motion has p times the speeds and p^2 times the accelerations. A dash: slow at every pace."
    )


def listed_components(arm: System, text: str, q: np.ndarray) -> dict[str, tuple[Component, ...]]:
    """The components of the named coefficients at a pose, in masses, mass centres and radii of gyration."""
    from dalembert.equations.names import canonical, separate

    equations = arm.equations("gyration+lengths+gravity")
    return {canonical(name, arm.n): equations.components(name, q) for name in separate(text)}


def print_components(name: str, components: tuple[Component, ...]) -> None:
    """The list of section VII.A of Bejczy 1974: constant components, varying ones, their sums."""
    heading(f"Components of {name} at this pose" + ("" if components else ": it is zero"))
    if not components:
        return
    rows = [(link_name(c.link), c.formula, c.value) for c in components if c.constant]
    if rows:
        rows.append(("", "constant", sum(row[2] for row in rows)))
    varying = [(link_name(c.link), c.formula, c.value) for c in components if not c.constant]
    rows += varying
    if varying and len(rows) > len(varying):
        rows.append(("", "varying", sum(row[2] for row in varying)))
    rows.append(("", name, sum(c.value for c in components)))
    table([("link", [row[0] for row in rows]), (f"value\n{components[0].unit}", figures(row[2] for row in rows)),
           ("component", [row[1] for row in rows])], wide="component")  # fmt: skip


def link_name(link: int | str) -> str:
    """The link of a component as a word."""
    return {"L": "load", "drives": "drives"}.get(str(link), str(link))

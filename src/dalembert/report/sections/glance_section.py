"""The head of the page: the arm in a few numbers."""

from __future__ import annotations

import math

from ...arm.description import ArmDescription
from ...markup.elements import Html, tag, text
from ...markup.numbers import formatted


def glance(arm: ArmDescription, load: float | None = None) -> Html:
    """Tiles: a number and what it is."""
    pattern = "".join("R" if joint.kind == "revolute" else "P" for joint in arm.moving)
    mass = float(sum(body.inertia.mass for body in arm.bodies))
    pull = math.sqrt(sum(float(g) ** 2 for g in arm.gravity))
    tiles = [
        (f"{arm.n} ({pattern})", "joints"),
        (f"{formatted(mass, 3)} kg", "moved"),
        (f"{formatted(pull, 3)} m/s²", "gravity"),
    ]
    if load:
        tiles.append((f"{formatted(load, 3)} kg", "load in the hand"))
    if arm.drives:
        tiles.append(("counted" if arm.counts_drives else "not counted", "drives"))
    return tag(
        "ul",
        *(tag("li", tag("b", text(number)), tag("span", caption)) for number, caption in tiles),
        class_="tiles",
    )

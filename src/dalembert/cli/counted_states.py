"""The states that an analysis answers for: positions, speeds and accelerations, as a table and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .printing import figures, figures_or_dashes, heading, paragraph, table, unit, units_by_quantity

if TYPE_CHECKING:
    from dalembert.design.analysis import Analysis


def print_states(ask: Analysis) -> None:
    """The states that count; an angle that goes all the way round has dashes for its ends."""
    states, joints = ask.states, ask.system.moving
    ends = (
        figures_or_dashes([None if circle else float(x) for x, circle in zip(side, states.box.circle, strict=True)])
        for side in (states.box.lower, states.box.upper)
    )
    heading("States that count")
    table([
        ("joint", [joint.name for joint in joints]), *zip(("from", "to"), ends, strict=True),
        ("speed\nup to", figures(states.speed)), ("acceleration\nup to", figures(states.acceleration)),
        ("units", [", ".join(unit(j, quantity) for quantity in ("position", "speed", "acceleration"))
                   for j in joints]),
    ])  # fmt: skip
    if not ask.paced:
        from dalembert.reduction.states import UNASKED

        paragraph(f"{UNASKED}; --speed and --acceleration give others.")


def states_data(ask: Analysis) -> dict[str, Any]:
    """The same in full."""
    states = ask.states
    return {
        "lower": states.box.lower.tolist(),
        "upper": states.box.upper.tolist(),
        "speed": states.speed.tolist(),
        "acceleration": states.acceleration.tolist(),
        "units": units_by_quantity(ask.system, "position", "speed", "acceleration"),
    }

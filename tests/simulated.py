"""The simulation in Python, with its settings as keywords: for tests that are to stay off the loop in machine code."""

from typing import Any

from numpy.typing import ArrayLike

from dalembert.simulation import simulate as events
from dalembert.simulation.inputs import Control
from dalembert.simulation.motion import Motion
from dalembert.simulation.plant import Plant
from dalembert.simulation.settings import SimulationSettings


def simulate(
    plant: Plant, control: Control, q: ArrayLike, qd: ArrayLike | None, duration: float, **settings: Any
) -> Motion:
    """The motion of ``plant`` under these settings."""
    return events.simulate(plant, control, q, qd, duration, SimulationSettings(**settings))

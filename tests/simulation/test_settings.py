"""Settings of a simulation: what cannot be honoured is refused before anything moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.simulation.loads import LoadChange
from dalembert.simulation.settings import SimulationSettings

ARM = da.load("planar-2r", physical="ignore")
START = [0.1, 0.2]


@pytest.mark.parametrize("compiled", [False, None])
def test_times_must_rise(compiled: bool | None) -> None:
    with pytest.raises(ArmError, match=r"times must rise, and 0\.1 s comes after 0\.5 s; sort them"):
        ARM.simulate(np.zeros(2), START, duration=1.0, times=[0.0, 0.5, 0.1], compiled=compiled)


def test_times_are_recorded_as_asked() -> None:
    motion = ARM.simulate(np.zeros(2), START, duration=1.0, times=[0.0, 0.25, 0.25, 1.0], compiled=False)
    np.testing.assert_array_equal(motion.t, [0.0, 0.25, 0.25, 1.0])
    np.testing.assert_array_equal(motion.q[1], motion.q[2])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"times": [0.0, 2.0]}, "times reach from 0 to 2 s, and the simulation from 0 to 1 s"),
        ({"times": [0.0, np.nan]}, "finite moments"),
        ({"rtol": -1.0}, "relative tolerance is -1"),
        ({"rtol": np.nan}, "relative tolerance is nan"),
        ({"rtol": 1e300}, r"relative tolerance is 1e\+300"),
        ({"atol": 0.0}, "absolute tolerance is 0"),
        ({"samples": 0}, "samples is 0"),
        ({"samples": 10**9}, "samples is 1000000000"),
        ({"samples": 501, "times": [0.0, 1.0]}, "samples are so many even times, and times are given"),
        ({"max_step": -1.0}, "largest step is -1"),
        ({"start": np.inf}, "start is inf"),
        ({"start": 1e30}, r"lost beside the start at 1e\+30"),
        ({"duration": 1e300}, r"duration is 1e\+300 s; give a time between 1e-09 and 1e\+09 s"),
        ({"duration": 1e-300}, "duration is 1e-300"),
        ({"duration": np.nan}, "duration is nan"),
        ({"period": 1e-9}, r"makes 1e\+09 samples in 1 s, more than the 1000000 evaluations"),
        ({"changes": [LoadChange(3.0, None)]}, "a change of load at 3 s lies outside the simulation from 0 to 1 s"),
    ],
)
def test_what_cannot_be_honoured_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ArmError, match=said):
        ARM.simulate(lambda t, q, qd: np.zeros(2), START, **({"duration": 1.0} | change))


def test_the_grid_reaches_from_start_to_end() -> None:
    grid = SimulationSettings(samples=3, start=2.0).grid(1.0)
    np.testing.assert_array_equal(grid, [2.0, 2.5, 3.0])


def test_an_arm_of_which_nothing_moves_is_not_simulated() -> None:
    still = ARM.locked({"joint1": 0, "joint2": 0})
    with pytest.raises(ArmError, match="no joint moves, so that there is nothing to simulate"):
        still.simulate([], [])

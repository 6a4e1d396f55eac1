"""Friction of shafts: Szkodny's laws (17) and (18), and their smooth stand-ins."""

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.drives import Friction
from dalembert.arm.errors import ArmError
from dalembert.systems.friction_arrays import SMOOTH, Shafts


def test_friction_laws_17_and_18() -> None:
    """The third case of (17) with (18): Coulomb friction of the direction that it turns, and viscous friction."""
    shafts = Shafts([Friction((0.2, 0.3), 0.5, 0.1)] * 3)
    assert shafts.moving(np.array([2.0, -2.0, 0.0])) == pytest.approx([0.2 + 0.2, -0.3 - 0.2, 0.0])


@pytest.mark.parametrize("law", SMOOTH)
def test_smooth_friction_tends_to_the_law_and_has_the_slope_it_says(law: str) -> None:
    shafts = Shafts([Friction((0.2, 0.3), 0.5, 0.1)] * 3)
    speed = np.array([-1.0, 0.5, 2.0])
    assert shafts.smooth(speed, 1e-4, law) == pytest.approx(shafts.moving(speed), rel=1e-3)
    assert shafts.smooth(np.zeros(3), 0.1, law) == pytest.approx(np.zeros(3))
    step = 1e-6
    slope = (shafts.smooth(speed + step, 0.5, law) - shafts.smooth(speed - step, 0.5, law)) / (2 * step)
    assert shafts.smooth_slope(speed, 0.5, law) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("law", SMOOTH)
def test_every_smooth_law_starts_as_steeply_and_never_exceeds_the_friction(law: str) -> None:
    """Mean friction over the width at rest; within the friction of either direction beyond."""
    shafts, width, step = Shafts([Friction((0.2, 0.3), 0.5)]), 0.1, 1e-7
    slope = (shafts.smooth(np.array([step]), width, law) - shafts.smooth(np.array([-step]), width, law)) / (2 * step)
    assert slope == pytest.approx([0.25 / width], rel=1e-6)
    found = [shafts.smooth(np.array([x]), width, law)[0] for x in np.linspace(-20, 20, 401)]
    assert min(found) >= -0.3
    assert max(found) <= 0.2
    assert (np.sign(found) == np.sign(np.linspace(-20, 20, 401))).all()


def test_bad_questions_are_refused() -> None:
    shafts = Shafts([Friction((0.2, 0.3))])
    with pytest.raises(ArmError, match="no smooth friction law 'step'; there are tanh, root, arctan"):
        shafts.smooth(np.zeros(1), 0.1, "step")
    with pytest.raises(ArmError, match="width of smooth friction is 0"):
        shafts.smooth(np.zeros(1), 0.0)
    arm = da.load("irb6", physical="ignore")
    for system in (arm, arm.driven):  # also where there is no jump to spread
        with pytest.raises(ArmError, match="no smooth friction law 'step'"):
            system.friction_torque(np.zeros(5), np.ones(5), law="step")

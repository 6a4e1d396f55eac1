"""Nobody drives a passive coordinate: an input there is refused, whoever gives it."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery


@pytest.mark.parametrize("compiled", [False, True])
def test_an_input_at_a_passive_coordinate_is_refused(compiled: bool) -> None:
    crank = gallery.slider_crank()
    system = (crank.compiled() if compiled else crank).as_system()
    (place,) = system.passive_indices
    q, load = crank.coordinates_of(crank.home), np.zeros(system.n)
    assert np.isfinite(da.simulate(system, load, q, duration=0.02).q).all()
    load[1 - place] = 0.1
    assert np.isfinite(da.simulate(system, load, q, duration=0.02).q).all()
    load[place] = 0.1
    path = da.quintic([q, q + 0.1], 0.5)
    for control in (load, lambda t, q, qd: load, da.PDGravity(system, path, 10.0, 1.0)):
        with pytest.raises(da.ArmError, match="passive: nobody drives it"):
            da.simulate(system, control, q, duration=0.02)
    with pytest.raises(da.ArmError, match="is passive, and nobody drives it along a path"):
        da.time_optimal(system, path)


def test_limits_of_motors_are_not_passed_over_along_a_path() -> None:
    bar = gallery.five_bar()
    chains = {}
    for name, arm in bar.parts.chains.items():
        crank, elbow = arm.joint_names
        motors = (da.Actuator.of("m", {crank: 60}, stall=0.5), da.Actuator.of("none", {elbow: 1}))
        chains[name] = da.Arm.of(arm).with_drives(da.DriveTrain(motors))
    driven = bar._with(chains=chains, coordinates=bar.coordinates, home=bar.home).driven
    q = bar.coordinates_of(bar.home)
    path = da.quintic([q, q + 0.1], 1.0)
    with pytest.raises(da.ArmError, match="motors=True"):
        da.time_optimal(driven.as_system(), path, samples=40)
    limited = da.time_optimal(driven.as_system(motors=True), path, samples=40)
    loose = da.time_optimal(driven.as_system(), path, samples=40, effort=1000.0)
    assert loose.duration < limited.duration

"""How ranges move with the numbers of an arm and of its drives."""

from __future__ import annotations

from dataclasses import replace

import pytest

import dalembert as da
from dalembert.arm.drives import Actuator, DriveTrain
from dalembert.arm.errors import ArmError
from dalembert.arm.exact import exact
from dalembert.arm.inertia import Inertia
from dalembert.arm.moving_parts import Rotor


@pytest.fixture(scope="module")
def planar():
    return da.load("planar-2r")


def test_gear_ratios_and_rotors_move_the_ranges_of_a_driven_arm() -> None:
    arm = da.load("irb6", physical="ignore").driven
    found = {one.parameter: one for one in arm.analysis().sensitivities("D22")}
    motor = arm.drives.actuators[1]
    (joint, ratio), *_ = motor.ratios
    some = found[f"ratio({motor.name}, {joint})"]
    step = ratio / 1000
    ends = []
    for sign in (1, -1):
        changed = replace(motor, ratios=((joint, ratio + sign * step), *motor.ratios[1:]))
        train = replace(arm.drives, actuators=(arm.drives.actuators[0], changed, *arm.drives.actuators[2:]))
        ends.append(replace(arm, drives=train).analysis().range_of("D22").maximum)
    assert some.of_maximum == pytest.approx((ends[0] - ends[1]) / float(2 * step), rel=1e-5)
    rotor = found[f"inertia({motor.name})"]
    assert rotor.relative == pytest.approx(float(motor.rotor.inertia * ratio**2) / ends[0], rel=1e-2)
    assert (some.unit, some.slope_unit) == ("", "kg m²")
    assert (rotor.unit, rotor.slope_unit) == ("kg m²", "kg m² per kg m²")
    assert not any("(" in one.parameter for one in da.load("irb6", physical="ignore").analysis().sensitivities("D22"))


def test_slopes_to_ratios_are_exact_where_they_are_zero_and_where_twice_as_much_would_hold_a_joint_fast() -> None:
    """D22 = D22 of the links + J (w_2 + N_a2)^2 and so on: a quadratic in every ratio, whatever the ratio is."""
    arm = da.load("planar-2r")
    rotor = Rotor(exact("0.01"))
    for first in ({"joint1": 10, "joint2": 0}, {"joint1": 1, "joint2": 1}):
        motors = Actuator.of("a", first, rotor), Actuator.of("b", {"joint1": 2, "joint2": 1}, rotor)
        ask = arm.with_drives(DriveTrain(motors)).analysis()
        asked = ask.sensitivities("D22", ["ratio(a, joint2)", "ratio(b, joint2)"])
        slopes = {one.parameter: one.of_maximum for one in asked}
        assert slopes == pytest.approx({"ratio(a, joint2)": 0.02 * first["joint2"], "ratio(b, joint2)": 0.02})


def test_a_parameter_that_the_system_does_not_have_is_refused(planar) -> None:
    ask = planar.analysis()
    assert [one.parameter for one in ask.sensitivities("D11", "m2")] == ["m2"]
    for asked in (["m2", "m9"], "m22", ["inertia(motor1)"]):
        with pytest.raises(ArmError, match=r"no parameter '.*'; there are m1, "):
            ask.sensitivities("D11", asked)


def test_sensitivities_of_an_arm_that_slides_have_their_units() -> None:
    """D33 of a sliding joint is a mass; a motor that turns drives it over so many rad per m, a force motor over 1."""
    arm = da.load("jpl-rrp", physical="ignore")
    units = {one.parameter: (one.unit, one.slope_unit) for one in arm.driven.analysis().sensitivities("D33")}
    assert units["m3"] == ("kg", "kg per kg")
    assert units["ratio(motor3, joint3)"] == ("", "kg")
    assert units["inertia(motor3)"] == ("kg", "kg per kg")
    motors = tuple(Actuator.of(f"m{k}", {f"joint{k}": 200}, Rotor(exact(1e-4))) for k in range(1, 7))
    turning = arm.with_drives(DriveTrain(motors), physical="ignore")
    units = {one.parameter: (one.unit, one.slope_unit) for one in turning.analysis().sensitivities("D33")}
    assert units["ratio(m3, joint3)"] == ("rad/m", "kg per rad/m")
    assert units["inertia(m3)"] == ("kg m²", "kg per kg m²")


def test_a_sensitivity_is_the_slope_of_the_range(planar) -> None:
    some = next(one for one in planar.analysis().sensitivities("D11") if one.parameter == "m2")
    step = 1e-3
    links = []
    for link in planar.links:
        body = link.inertia
        if link.name == planar.bodies[1].joint.child:
            body = Inertia.of(body.mass + exact(step), body.com, body.central)
        links.append(replace(link, inertia=body))
    heavier = replace(planar, links=tuple(links))
    change = heavier.analysis().range_of("D11").maximum - planar.analysis().range_of("D11").maximum
    assert change / step == pytest.approx(some.of_maximum, rel=1e-3)

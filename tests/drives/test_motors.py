"""D-c motors: currents, voltages and their limits."""

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError


def with_a_varying_transmission() -> da.DrivenArm:
    def turns(ring, q):
        sin, _ = ring.sincos(q[1])
        return [50 * q[0] + 10 * sin, 30 * q[1] + 4 * q[1] * q[1]]

    motor = da.Motor(torque_constant=0.2, resistance=1.5, inductance=3e-3)
    actuators = [
        da.Actuator(name, {}, rotor=da.Rotor(1e-4), friction=da.Friction(viscous=2e-3), motor=motor)
        for name in ("motor1", "motor2")
    ]
    return da.load("planar-2r").with_drives(da.DriveTrain(actuators, turns=turns))


@pytest.fixture(params=("puma560", "jpl-rrp", "irb6", "varying transmission"))
def driven(request: pytest.FixtureRequest) -> da.DrivenArm:
    if request.param == "varying transmission":
        return with_a_varying_transmission()
    return da.load(request.param, physical="ignore").driven


def test_nominal_current_rates_are_the_time_derivative_of_nominal_currents(driven) -> None:
    """(2-239) against (2-238) along a motion with known jerk."""
    rng = np.random.default_rng(4)
    a, b = rng.uniform(0.2, 1, (2, driven.n))

    def motion(t):
        return a * np.sin(b * t), a * b * np.cos(b * t), -a * b**2 * np.sin(b * t), -a * b**3 * np.cos(b * t)

    q, qd, qdd, jerk = motion(0.7)
    step = 1e-4
    ahead, behind = (driven.electric.currents(*motion(0.7 + s)[:3]) for s in (step, -step))
    assert driven.electric.current_rates(q, qd, qdd, jerk) == pytest.approx((ahead - behind) / (2 * step), rel=1e-5)
    electric = driven.electric
    voltage = electric.voltages(q, qd, qdd, jerk)
    wide = np.abs(voltage) <= electric.supply
    rate = electric.current_dynamics(q, qd, electric.currents(q, qd, qdd), voltage)
    assert rate[wide] == pytest.approx(electric.current_rates(q, qd, qdd, jerk)[wide], rel=1e-8)


def test_torque_is_limited_by_supply_speed_and_current() -> None:
    driven = da.load("puma560", physical="ignore").driven
    low, high = driven.electric.torque_limits(np.zeros(6), np.zeros(6))
    assert high == pytest.approx(driven.electric.stall_torque)
    assert low == pytest.approx(-high)
    fast = np.array([2.0, 0, 0, 0, 0, 0])
    slower = driven.electric.torque_limits(np.zeros(6), fast)
    assert slower[1][0] >= high[0] - 1e-12  # the ratio of motor 1 is negative: it turns backward, and pushes more
    assert slower[0][0] > low[0]


def test_jpl_stall_torques_are_those_of_table_2() -> None:
    stall = [0.918, 3.036, 98.7, 0.141, 0.141, 0.047]
    driven = da.load("jpl-rrp").driven
    assert driven.electric.stall_torque == pytest.approx(stall, rel=1e-5)
    assert [actuator.stall_torque for actuator in driven.drives.actuators] == pytest.approx(stall, rel=1e-5)


def test_motors_without_electric_data_are_named() -> None:
    with pytest.raises(ArmError, match="no electric data for motor of joint1"):
        _ = da.load("planar-2r").driven.electric

"""Standstill: the band of torques that friction holds, and what starts beyond it (Szkodny 1995, eq. 17)."""

import numpy as np
import pytest

import dalembert as da
from dalembert.drives.standstill import shaft_states, torque_band

FIGURE_4 = np.array([-130.0, -66.7, -51.0, -199.0, -199.0])
CURRENTS = np.array([0.0, 3.18, -0.73, 0.0, 0.0])


@pytest.fixture(params=("puma560", "jpl-rrp", "irb6"))
def driven(request: pytest.FixtureRequest) -> da.DrivenArm:
    return da.load(request.param, physical="ignore").driven


def rubbing(joint: float = 0.0) -> da.DrivenArm:
    """Two motors that turn together, with friction on their shafts and perhaps at joint 2."""
    actuators = [
        da.Actuator("a", {"joint1": 40}, friction=da.Friction((0.1, 0.2), 0.3)),
        da.Actuator("b", {"joint1": 5, "joint2": -30}, friction=da.Friction((0.05, 0.05), 0.08, viscous=1e-3)),
    ]
    own = (("joint2", da.Friction((joint, joint))),) if joint else ()
    return da.load("planar-2r").with_drives(da.DriveTrain(actuators, joint_friction=own))


def test_torques_within_the_band_hold_and_beyond_it_one_motor_starts(driven: da.DrivenArm) -> None:
    """Against forward dynamics, which decides who sticks by a convex problem of its own."""
    rng = np.random.default_rng(0)
    still = np.zeros(driven.n)
    for q in rng.uniform(-1, 1, (3, driven.n)):
        band = driven.motor_torque_band(q)
        assert band.apart
        assert (band.high - band.low == pytest.approx(2 * driven.motor_friction.starting)) or driven.name == "jpl-rrp"
        for share in (*rng.random((3, driven.n)), np.full(driven.n, 0.001), np.full(driven.n, 0.999)):
            torque = band.low + share * (band.high - band.low)
            assert torque in band
            assert np.abs(driven.direct_dynamics(q, still, torque)).max() < 1e-9
        middle = (band.low + band.high) / 2
        for motor in range(driven.n):
            for end, way in ((band.high, 1), (band.low, -1)):
                torque = middle.copy()
                torque[motor] = end[motor] + way * 1e-3 * max(1.0, abs(end[motor]))
                assert torque not in band
                started = driven.transmission(q) @ driven.direct_dynamics(q, still, torque)
                assert way * started[motor] > 0


def test_friction_of_joints_and_motors_together_widens_the_band_by_both() -> None:
    driven, q = rubbing(joint=2.0), np.array([0.3, -0.4])
    band, gravity = driven.motor_torque_band(q), driven.gravity_load(q)
    # own statics: G = N^T (F_a + f_a) + f_2; joint 2 is moved by motor b alone, joint 1 by both
    at_b = gravity[1] / -30
    at_a = (gravity[0] - 5 * at_b) / 40
    assert (band.low + band.high) / 2 == pytest.approx([at_a, at_b], rel=1e-12)
    reach_b = 0.08 + 2.0 / 30
    assert (band.high - band.low) / 2 == pytest.approx([0.3 + 5 * 2.0 / 30 / 40, reach_b], rel=1e-12)
    assert not band.apart


def test_a_shaft_that_moves_or_starts_has_no_band() -> None:
    driven, q, still = rubbing(), np.array([0.3, -0.4]), np.zeros(2)
    slow = np.array([0.0, 0.2])
    moving = driven.motor_torque_band(q, slow, still)
    assert (moving.high - moving.low)[1] == 0
    assert (moving.high - moving.low)[0] == pytest.approx(0.6)
    assert moving.low[1] == pytest.approx(driven.motor_torques(q, slow, still)[1])
    starting = driven.motor_torque_band(q, still, slow)
    assert (starting.high - starting.low)[1] == 0
    # joint 2 forward turns motor b backward: its starting friction is against that
    smooth = driven.motor_torques(q, still, slow, friction=False)
    assert starting.low[1] == pytest.approx(smooth[1] - 0.08)


def test_currents_and_voltages_hold_as_their_torques_do() -> None:
    driven = da.load("irb6").driven
    q = driven.joint_positions(FIGURE_4)
    torque, current, voltage = (
        driven.motor_torque_band(q),
        driven.electric.current_band(q),
        driven.electric.voltage_band(q),
    )
    constants = driven.electric.torque_constant
    assert current.low == pytest.approx(torque.low / constants)
    assert voltage.high == pytest.approx(driven.electric.resistance * torque.high / constants)
    moving = np.full(5, 0.1)
    turning = driven.electric.voltage_band(q, moving)
    assert turning.low == pytest.approx(driven.electric.voltages(q, moving, np.zeros(5)), rel=1e-12)


def test_the_state_of_figure_4_is_held_by_a_band_of_currents_that_the_printed_ones_lie_in() -> None:
    """What friction of this size leaves open: +-0.9 A at motors 1 to 3, +-0.83 A at 4 and 5 about the gravity load."""
    driven = da.load("irb6").driven
    q = driven.joint_positions(FIGURE_4)
    band = driven.electric.current_band(q)
    assert CURRENTS in band
    assert band.low == pytest.approx([-0.9, 2.162, -1.638, -0.832, -0.833], abs=1e-3)
    assert band.high == pytest.approx([0.9, 3.962, 0.162, 0.835, 0.833], abs=1e-3)
    for current in (CURRENTS, [0.8, 2.3, 0.1, -0.8, -0.8]):
        motion = driven.simulate(current, q, duration=0.02, samples=3, input="current")
        assert np.abs(motion.q - q).max() == 0
    for motor, current, way in ((1, 4.0, 1), (1, 2.1, -1), (2, 0.2, 1), (0, -1.0, -1)):
        pushed = CURRENTS.copy()
        pushed[motor] = current
        qdd = driven.direct_dynamics(q, np.zeros(5), driven.electric.torque(pushed))
        assert way * (driven.transmission(q) @ qdd)[motor] > 0.1


def test_without_friction_the_band_is_the_torque_itself() -> None:
    driven = da.load("irb6").driven.frictionless()
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    band = torque_band(driven, q)
    assert band.low == pytest.approx(driven.motor_torques(q, 0 * q, 0 * q))
    assert (band.low == band.high).all()
    assert shaft_states(driven, q, q, q, q) == []


def test_bands_of_a_batch_are_those_of_its_states() -> None:
    driven = rubbing(joint=2.0)
    q = np.random.default_rng(1).uniform(-1, 1, (4, 2))
    whole = driven.motor_torque_band(q)
    for k, one in enumerate(q):
        assert whole.low[k] == pytest.approx(driven.motor_torque_band(one).low, rel=1e-14)


def test_what_shafts_do_is_told_by_name() -> None:
    driven, q, still = rubbing(), np.array([0.3, -0.4]), np.zeros(2)
    band = driven.motor_torque_band(q)

    def told(qd, torque):
        return driven.shaft_states(q, qd, torque)

    middle = (band.low + band.high) / 2
    assert told(still, middle) == {"a": "stands", "b": "stands"}
    assert told(still, middle + np.array([0.5, 0])) == {"a": "starts forward", "b": "stands"}
    assert told(still, middle - np.array([0, 0.1])) == {"a": "stands", "b": "starts backward"}
    assert told(np.array([0.0, 0.1]), middle) == {"a": "stands", "b": "moves"}


def test_a_motor_that_is_a_force_on_a_sliding_joint_is_in_newtons_wherever_it_is_asked() -> None:
    driven = da.load("stanford", physical="ignore").driven
    expected = tuple("N" if joint.kind == "prismatic" else "N m" for joint in driven.moving)
    q = np.array([0.1, 0.2, 0.5, 0.1, 0.2, 0.3])
    assert driven.motor_units == expected == driven.motor_torque_band(q).units
    assert tuple(signal.unit for signal in driven.linearize(q).inputs) == expected
    columns = driven.simulate(driven.motor_torques(q, 0 * q, 0 * q), q, duration=0.01, samples=2).columns
    assert [columns[f"motor_torque_{name}"][0] for name in driven.motor_names] == list(expected)
    assert columns[f"motor_position_{driven.motor_names[2]}"][0] == "m"

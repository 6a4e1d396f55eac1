"""The direct problem of the drives, (19) to (22): against steps written out here, of fourth and of first order."""

import numpy as np

import dalembert as da

CURRENTS = np.array([4.0, 8.0, -4.0, 2.0, -2.0])
DURATION = 0.12


def test_simulate_is_the_limit_of_steps_and_euler_steps_of_a_millisecond_are_off_by_a_percent() -> None:
    """(20), (21) solved with D, h and G of the links and rotors and (17), (18) on the shafts, in plain numpy."""
    driven = da.load("irb6").driven
    smooth, matrix = driven.frictionless(), np.array(driven.ratios)
    start = driven.joint_positions([-130.0, -66.7, -51.0, -199.0, -199.0])
    driving = np.array([actuator.motor.torque_constant for actuator in driven.drives.actuators]) * CURRENTS
    moving, starting, viscous = (
        np.array([pick(actuator.friction) for actuator in driven.drives.actuators])
        for pick in (lambda f: f.moving[0], lambda f: f.starting, lambda f: f.viscous)
    )

    def rate(q, qd):
        load = np.linalg.solve(matrix.T, smooth.gravity_load(q))
        way, speed = np.sign(driving - load), matrix @ qd
        # all shafts start at once here, each against its starting friction, and none turns back
        held = np.where(speed == 0, starting * way, moving * np.sign(speed)) + viscous * speed
        known = smooth.bias(q, qd)
        return np.linalg.solve(smooth.mass_matrix(q), matrix.T @ (driving - held) - known)

    def run(step, order):
        q, qd = start.copy(), np.zeros(5)
        for _ in range(round(DURATION / step)):
            a = rate(q, qd)
            if order == 1:
                q, qd = q + step * qd, qd + step * a
                continue
            # from the first step on moving friction acts: within it too
            v2 = qd + step / 2 * (rate(q, 1e-12 * a) if not qd.any() else a)
            first = rate(q, 1e-12 * a) if not qd.any() else a
            a2 = rate(q + step / 2 * qd, v2)
            v3 = qd + step / 2 * a2
            a3 = rate(q + step / 2 * v2, v3)
            v4 = qd + step * a3
            a4 = rate(q + step * v3, v4)
            q = q + step / 6 * (qd + 2 * v2 + 2 * v3 + v4)
            qd = qd + step / 6 * (first + 2 * a2 + 2 * a3 + a4)
        return q

    motion = driven.simulate(CURRENTS, start, duration=DURATION, input="current", samples=3)
    assert not motion.events
    assert np.abs(motion.q[-1] - start).max() > 0.09
    assert np.abs(run(1e-3, 4) - motion.q[-1]).max() < 1e-8
    euler = np.abs(run(1e-3, 1) - motion.q[-1]).max()
    assert 9.0e-4 < euler < 9.2e-4

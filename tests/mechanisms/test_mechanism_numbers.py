"""Numbers of a mechanism by name: the mechanism with another number is the one that was built with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms.mechanism_numbers import mechanism_numbers, with_mechanism_numbers

ROW = {"mass": 0.7, "com": (-0.2, 0, 0), "inertia": (1e-4, 0.01, 0.01)}


def five_bar(
    base: tuple[float, float, float] = (0.4, 0, 0), turn: float = 0.0, stiffness: float = 5.0, rest: float = 0.1,
    at: tuple[float, float, float] = (0, 0, 0), pin: tuple[float, float, float] = (0, 0, 0), inertia: float = 1e-4,
    damping: float = 0.3, ratio: float = 30.0,
) -> da.Mechanism:  # fmt: skip
    """A five-bar with springs between its chains, along a coordinate, and a motor of its own."""
    legs = {side: da.Arm.from_dh([{**ROW, "a": 0.3}, {**ROW, "a": 0.5}], name=side) for side in ("left", "right")}
    return da.Mechanism(
        legs,
        [da.Closure("tip", "left", da.FrameOn("right", at=da.Placement.from_xyz_rpy(pin)), kind="pin")],
        ["left.joint1", "right.joint1"],
        bases={"right": da.Placement.from_xyz_rpy(base, (0, 0, turn))}, gravity=(0, -9.81, 0),
        home={"left.joint1": 2.0, "left.joint2": -1.2, "right.joint1": 1.1, "right.joint2": 1.2}, name="five-bar",
        springs=[
            da.Spring("band", da.FrameOn("left", "link1", da.Placement.from_xyz_rpy(at)), "right:link1",
                      stiffness=stiffness, rest=rest, damping=0.1),
            da.Spring("hinge", along="left.joint2", damping=damping),
        ],
        drives=[da.Actuator.of("own", {"left.joint2": ratio}, da.Rotor.of(inertia))],
    )  # fmt: skip


CASES: dict[str, tuple[dict[str, float], dict[str, Any]]] = {
    "base": ({"right.base.x": 0.42, "right.base.y": 0.03}, {"base": (0.42, 0.03, 0)}),
    "turned base": ({"right.base.rz": 0.2}, {"turn": 0.2}),
    "spring": ({"spring.band.stiffness": 9.0, "spring.band.rest": 0.2}, {"stiffness": 9.0, "rest": 0.2}),
    "end of a spring": ({"spring.band.a.y": 0.07}, {"at": (0, 0.07, 0)}),
    "damper": ({"spring.hinge.damping": 1.1}, {"damping": 1.1}),
    "closure": ({"closure.tip.b.x": 0.02}, {"pin": (0.02, 0, 0)}),
    "motor": ({"motor.own.inertia": 3e-4, "motor.own.ratio.left.joint2": 44.0}, {"inertia": 3e-4, "ratio": 44.0}),
}


@pytest.mark.parametrize("case", CASES)
def test_a_mechanism_with_other_numbers_is_the_one_built_with_them(case: str) -> None:
    numbers, parts = CASES[case]
    changed, built = with_mechanism_numbers(five_bar(), numbers).as_system(), five_bar(**parts).as_system()
    q, qd, qdd = np.array([[2.1, 1.05], [0.4, -0.7], [1.0, 2.0]])
    right = built.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(changed.inverse_dynamics(q, qd, qdd), right, rtol=1e-9)
    assert np.abs(right - five_bar().as_system().inverse_dynamics(q, qd, qdd)).max() > 1e-3


def test_gears_and_couplings_have_numbers_with_units() -> None:
    arm = da.Arm.from_dh([{**ROW, "a": 0.3}, {**ROW, "a": 0.3}], name="arm")
    tied = da.Mechanism({"arm": arm}, [da.Gear("pair", "arm.joint2", "arm.joint1", 2, 0.1)], ["arm.joint1"])
    known = mechanism_numbers(tied)
    assert (float(known["gear.pair.ratio"].value), known["gear.pair.offset"].unit) == (2.0, "rad")
    faster = with_mechanism_numbers(tied, {"gear.pair.ratio": 3}).as_system()
    again = da.Mechanism({"arm": arm}, [da.Gear("pair", "arm.joint2", "arm.joint1", 3, 0.1)], ["arm.joint1"])
    np.testing.assert_allclose(faster.mass_matrix([0.4]), again.as_system().mass_matrix([0.4]), rtol=1e-12)


def test_a_name_that_no_number_has_is_refused_with_the_nearest() -> None:
    with pytest.raises(da.ArmError, match=r"did you mean 'spring\.band\.stiffness'"):
        with_mechanism_numbers(five_bar(), {"spring.band.stifness": 1})


def test_a_study_varies_bases_and_springs() -> None:
    motion = da.quintic([[2.0, 1.1], [2.2, 1.0]], 0.5)
    factors = {"right.base.x": (0.39, 0.41), "spring.band.stiffness": (0, 10), "spring.hinge.damping": (0, 1)}
    found = da.study(five_bar(), factors, ["peak_torque"], motion=motion, samples=3)
    assert not any(found.failures)
    x, k, c = found.designs[2]
    t = np.linspace(0, 0.5, 501)
    system = five_bar((x, 0, 0), stiffness=k, damping=c).as_system()
    tau = system.inverse_dynamics(motion.position(t), motion.velocity(t), motion.acceleration(t))
    np.testing.assert_allclose(found.values[2], np.abs(tau).max(axis=0), rtol=1e-9)

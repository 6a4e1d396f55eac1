"""Derivatives to lengths and masses: those of mechanisms built with other lengths and masses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms.mechanism import Mechanism

Q, QD, QDD = [1.9, 1.2], [0.3, -0.7], [1.0, 2.0]


def bar(first: float = 0.3, second: float = 0.5, twist: float = 0.0, weight: float = 0.8) -> Mechanism:
    def arm(name: str, a: float, b: float, mass: float, alpha: float) -> da.Arm:
        rows = [
            # about the frame of the link, so that only its mass changes with its mass
            {"a": a, "alpha": alpha, "inertia": (0.011, 0.02, 0.02), "about": "frame", "mass": mass, "com": (0, 0, 0)},
            {"a": b, "mass": 0.6, "com": (-0.2, 0.01, 0), "inertia": (0.001, 0.02, 0.02)},
        ]
        return da.Arm.from_dh(rows, name=name)

    return Mechanism(
        {"left": arm("left", first, second, weight, twist), "right": arm("right", 0.3, 0.5, 0.8, 0.0)},
        [da.Closure("tip", "left", "right", "pin")],
        ["left.joint1", "right.joint1"],
        bases={"right": da.Placement.from_xyz_rpy((0.4, 0, 0))},
        home=[2.0, -1.2, 1.1, 1.2],
        gravity=(0, "-9.81", 0),
    )


CASES: dict[str, tuple[float, Callable[[float], Mechanism]]] = {
    "left.a1": (0.3, lambda x: bar(first=x)),
    "left.a2": (0.5, lambda x: bar(second=x)),
    "left.alpha1": (0.0, lambda x: bar(twist=x)),
    "left.m1": (0.8, lambda x: bar(weight=x)),
}


@pytest.mark.parametrize("name", CASES)
def test_a_derivative_is_the_difference_of_two_mechanisms(name: str) -> None:
    value, build = CASES[name]
    step = 1e-5
    above, below = build(value + step), build(value - step)
    here = build(value)
    phi = here.position(Q)
    found = here.sensitivity(phi, QD, QDD, [name])

    def slope(ask: Callable[[Mechanism], np.ndarray]) -> np.ndarray:
        return (ask(above) - ask(below)) / (2 * step)

    for one, other in (
        (found.phi[:, 0], slope(lambda m: m.position(Q))),
        (found.inertia[..., 0], slope(lambda m: m.mass_matrix(m.position(Q)))),
        (found.load[:, 0], slope(lambda m: m.inverse_dynamics(m.position(Q), QD, QDD))),
    ):
        np.testing.assert_allclose(one, other, atol=2e-8 * max(1.0, np.abs(other).max()))


def test_loads_are_linear_in_the_inertial_parameters_and_joints_do_not_feel_them() -> None:
    """sum p dT/dp over the inertial parameters is T itself, as for an open chain."""
    mechanism = bar()
    phi = mechanism.position(Q)
    names = [name for name in mechanism.parameter_names if name.rpartition(".")[2][0] in "mI"]
    found = mechanism.sensitivity(phi, QD, QDD, names)
    values = np.concatenate([
        [float(x) for body in arm.bodies for x in body.inertia.parameters] for arm in mechanism.chains.arms.values()
    ])  # fmt: skip
    np.testing.assert_allclose(found.load @ values, mechanism.inverse_dynamics(phi, QD, QDD), rtol=1e-12)
    np.testing.assert_allclose(found.inertia @ values, mechanism.mass_matrix(phi), rtol=1e-12)
    np.testing.assert_array_equal(found.phi, 0.0)
    units = dict(zip(found.parameters, found.units, strict=True))
    assert (units["left.m1"], units["left.mx2"], units["left.Izz1"]) == ("kg", "kg m", "kg m^2")
    assert mechanism.sensitivity(phi, parameters=["left.a1", "left.alpha2"]).units == ("m", "rad")


def test_a_parameter_that_is_not_there_is_refused_with_a_hint() -> None:
    mechanism = bar()
    with pytest.raises(da.ArmError, match=r"no parameter 'left.a9'.*left.a"):
        mechanism.sensitivity(mechanism.home, parameters=["left.a9"])


def varying(first: float, second: float, piston: da.MovingBody | None = None) -> da.Mechanism:
    """A five-bar whose left motors turn by functions of both joints."""
    link = {"mass": 1.0, "com": (-0.2, 0, 0), "inertia": (0, 0.0133, 0.0133)}
    left, right = (da.Arm.from_dh([{"a": a, **link}, {"a": b, **link}]) for a, b in ((first, second), (0.4, 0.4)))

    def turns(ring, q):
        (sin, cos), (sin2, cos2) = ring.sincos(q[0]), ring.sincos(q[1])
        return [30 * q[0] + 4 * (sin * cos2), 20 * q[1] + 3 * (sin2 * cos)]

    motors = (
        da.Actuator.of("m1", {"joint1": 30}, da.Rotor.of("1e-3"), da.Friction(viscous=1e-3)),
        da.Actuator.of("m2", {"joint2": 20}, da.Rotor.of("1e-3"), da.Friction((0.1, 0.1), 0.2, 1e-3), body=piston),
    )
    return da.Mechanism(
        {"left": left.with_drives(da.DriveTrain(motors, turns=turns)), "right": right},
        [da.Closure("tip", "left", "right", "pin")],
        ["left.joint1", "right.joint1"],
        bases={"right": da.Placement.from_xyz_rpy((0.4, 0, 0))},
        home=[2.0, -1.2, 1.1, 1.2],
        gravity=(0, -9.81, 0),
    )


@pytest.mark.parametrize("parameter", [0, 1])
def test_drives_that_vary_with_the_pose_have_sensitivities(parameter: int) -> None:
    """Differences of two designs: ratios and places of the drives follow joints that the lengths move."""
    lengths, step = np.array([0.4, 0.45]), 1e-6 * np.eye(2)[parameter]
    bar = varying(*lengths)
    q, qd, qdd = bar.coordinates_of(bar.home), [0.3, -0.2], [1.0, 0.5]
    found = bar.sensitivity(bar.home, qd, qdd, [f"left.a{parameter + 1}"])
    longer, shorter = varying(*(lengths + step)), varying(*(lengths - step))
    ahead, behind = (design.position(q, bar.home) for design in (longer, shorter))
    loads = longer.inverse_dynamics(ahead, qd, qdd) - shorter.inverse_dynamics(behind, qd, qdd)
    np.testing.assert_allclose(found.load[:, 0], loads / 2e-6, rtol=1e-6)
    inertia = longer.mass_matrix(ahead) - shorter.mass_matrix(behind)
    np.testing.assert_allclose(found.inertia[..., 0], inertia / 2e-6, rtol=1e-6)


def test_bodies_that_drives_move_on_links_are_refused() -> None:
    def still(ring, q):
        return [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0 * q[0]]

    moved = da.MovingBody(da.Inertia.of(0.8, (0.1, 0, 0), (0.01, 0.02, 0.02)), still, "link1")
    bar = varying(0.4, 0.4, moved)
    with pytest.raises(da.ArmError, match=r"chain .left.: .m2. of its drives moves a body on a link"):
        bar.sensitivity(bar.home)

"""Lengths and twists that are given move all that stands on a link: springs, rotors, bodies of the drives."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery

ROD = {"a": 0.4, "mass": 1.0, "com": (-0.2, 0, 0), "inertia": (0.001, 0.0133, 0.0133)}
STATE = np.array([0.3, 0.5]), np.array([1.0, 2.0]), np.array([0.4, 0.6])
STEP = 1e-5


def alone(arm: da.Arm | da.DrivenArm) -> da.Mechanism:
    return da.Mechanism({"arm": arm}, [], ["arm.joint1", "arm.joint2"], home=STATE[0])


def sprung(a2: float) -> da.Arm:
    spring = da.PointSpring("base", (0, 0.3, 0), "link2", (0.1, 0.1, 0), stiffness=100, rest=0.2)
    return da.Arm.from_dh([ROD, {**ROD, "a": a2}]).with_elastic(spring)


def turning(alpha: float) -> da.DrivenArm:
    rotor = da.Rotor(1e-3, link="link1", axis=(0, 1, 0))
    return da.Arm.from_dh([{**ROD, "alpha": alpha}, ROD]).with_drives(
        da.DriveTrain(elements=[da.Element("wheel", (("joint2", 40),), rotor=rotor)])
    )


def carrying(a1: float) -> da.DrivenArm:
    def up(ring, q):
        s, c = ring.sincos(q[1])
        return ((1, 0, 0), (0, 1, 0), (0, 0, 1)), (c, s, 0)

    body = da.MovingBody(da.Inertia.of(2.0), up, "link1")
    return da.Arm.from_dh([{**ROD, "a": a1}, ROD]).with_drives(da.DriveTrain(elements=[da.Element("rod", body=body)]))


@pytest.mark.usefixtures("compiled_kernels")
def test_a_kernel_takes_the_point_of_a_spring_with_its_link() -> None:
    kernel = sprung(0.4).compile("inverse_dynamics", parameters="all")
    given = kernel.default_parameters.copy()
    given[kernel.parameter_names.index("a2")] = 0.5
    np.testing.assert_allclose(kernel(*STATE, given), sprung(0.5).inverse_dynamics(*STATE), rtol=1e-12)


@pytest.mark.parametrize(
    ("made", "name", "value"), [(sprung, "a2", 0.4), (turning, "alpha1", 0.7), (carrying, "a1", 0.4)]
)
def test_sensitivities_are_those_of_rebuilt_arms(made, name: str, value: float) -> None:
    found = alone(made(value)).sensitivity(*STATE, [f"arm.{name}"]).load[:, 0]
    ahead, behind = (made(value + s * STEP).inverse_dynamics(*STATE) for s in (1, -1))
    np.testing.assert_allclose(found, (ahead - behind) / (2 * STEP), rtol=1e-6, atol=1e-6)


def test_equations_take_bodies_of_drives_with_their_link() -> None:
    found = carrying(0.4).equations()["D11"](STATE[0], {"a1": 0.6})
    assert found == pytest.approx(carrying(0.6).mass_matrix(STATE[0])[0, 0], rel=1e-12)


def pushed(lengths: np.ndarray) -> da.Mechanism:
    """A five-bar: a rod of its left drive turns and slides on link 1, a weight on link 2, as both joints go."""

    def slid(ring, q):
        (s, c), (s2, c2) = ring.sincos(q[0]), ring.sincos(q[1])
        return ((c2, -s2, 0), (s2, c2, 0), (0, 0, 1)), (c * c2, s2, s)

    def up(ring, q):
        s, c = ring.sincos(q[1])
        return ((c, 0, s), (0, 1, 0), (-s, 0, c)), (s, q[0] * q[1], 0)

    bodies = (
        da.MovingBody(da.Inertia.of(2.0, (0.1, 0, 0.05), (0.1, 0.2, 0.15)), slid, "link1"),
        da.MovingBody(da.Inertia.of(0.7, (0, 0.1, 0)), up, "link2"),
    )
    train = da.DriveTrain(elements=[da.Element(f"rod{k}", body=body) for k, body in enumerate(bodies)])
    a1, a2, alpha = lengths
    left = da.Arm.from_dh([{**ROD, "a": a1, "alpha": alpha}, {**ROD, "a": a2, "alpha": -alpha}]).with_drives(train)
    right = da.Arm.from_dh([ROD, ROD])
    return da.Mechanism(
        {"left": left, "right": right}, [da.Closure("tip", "left", "right", "pin")], ["left.joint1", "right.joint1"],
        bases={"right": da.Placement.from_xyz_rpy((0.4, 0, 0))}, home=[2.0, -1.2, 1.1, 1.2], gravity=(0, -9.81, 0),
    )  # fmt: skip


@pytest.mark.parametrize(("parameter", "name"), enumerate(["a1", "a2", "alpha1"]))
def test_bodies_that_drives_move_have_the_sensitivities_of_rebuilt_mechanisms(parameter: int, name: str) -> None:
    """Their frames are second derivatives along the motion, over numbers that have slopes to the lengths themselves."""
    lengths, step = np.array([0.4, 0.45, 0.0]), STEP * np.eye(3)[parameter]
    here, qd, qdd = pushed(lengths), [0.3, -0.7], [1.0, 2.0]
    q = here.coordinates_of(here.home)
    found = here.sensitivity(here.home, qd, qdd, ["left.m1", f"left.{name}"])
    ahead, behind = (pushed(lengths + s * step) for s in (1, -1))

    def slope(ask) -> np.ndarray:
        return (ask(ahead, ahead.position(q, here.home)) - ask(behind, behind.position(q, here.home))) / (2 * STEP)

    for one, other in (
        (found.phi[:, 1], slope(lambda m, phi: phi)),
        (found.inertia[..., 1], slope(lambda m, phi: m.mass_matrix(phi))),
        (found.load[:, 1], slope(lambda m, phi: m.inverse_dynamics(phi, qd, qdd))),
    ):
        np.testing.assert_allclose(one, other, atol=1e-7 * max(1.0, np.abs(other).max()))


def motor(name: str, joint: str, ratio: float, largest: float) -> da.Actuator:
    given = da.Motor(0.07, 3.0, 4e-3, supply=1.0, largest_current=largest)
    return da.Actuator.of(name, {joint: ratio}, rotor=da.Rotor(1e-4), motor=given)


def test_motors_of_a_mechanism_tell_their_limits_as_those_of_an_arm() -> None:
    motors = [motor("a", "joint1", 3, 0.02), motor("b", "joint2", 5, 0.02)]
    arm = da.Arm.from_dh([ROD, ROD], gravity=(0, -9.81, 0)).with_drives(da.DriveTrain(motors))
    path = da.quintic([[0, 0], [0.2, 0.2]], 0.5)
    single = da.requirements(arm, path)
    system = da.Mechanism({"arm": arm}, [], ["arm.joint1", "arm.joint2"], home=[0, 0], gravity=(0, -9.81, 0)).as_system(
        motors=True
    )
    found = da.requirements(system, path)
    assert found.feasible is single.feasible is False
    np.testing.assert_allclose(found.current, single.current, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.voltage, single.voltage, rtol=1e-9, atol=1e-9)


def test_motors_of_the_mechanism_itself_are_cut_to_their_limits() -> None:
    own = da.Mechanism(
        {"arm": da.Arm.from_dh([ROD, ROD])}, [], ["arm.joint1", "arm.joint2"], home=[0, 0],
        drives=[motor("a", "arm.joint1", 50, 0.3), motor("b", "arm.joint2", 30, 0.3)],
    ).as_system(motors=True)  # fmt: skip
    ends = [da.simulate(own, [torque] * 2, [0, 0], duration=0.02, samples=2).q[-1] for torque in (0.021, 0.7)]
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-9)


def test_a_batch_is_refused_where_one_state_is_compared() -> None:
    bar = gallery.five_bar()
    with pytest.raises(da.ArmError, match="phi must be one state"):
        da.compare_drives(bar, [["left.joint2", "right.joint2"]], bar.home[None], [[0.3, -0.2]], [[1, 0.5]])

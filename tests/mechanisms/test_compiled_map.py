"""A mechanism in machine code: the numbers of the others, at every state; what it cannot answer it leaves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery, parallel_robots
from dalembert.mechanisms.mechanism import Mechanism
from dalembert.mechanisms.transfer_over_field import TransferOverField
from dalembert.rings.real import REAL
from mechanisms.peers import Pinocchio
from mechanisms.planar import geared


@pytest.fixture(autouse=True, scope="module")
def _compiler(needs_compiler: None) -> None:
    """Every test of this module."""


def by_the_tip() -> Mechanism:
    """A five-bar seen from where its tip is."""
    return gallery.five_bar().with_coordinates(["x(left)", "y(left)"])


def by_sums() -> Mechanism:
    return gallery.five_bar().with_coordinates(["left.joint1 + 2*left.joint2", "right.joint1"])


def by_turns() -> Mechanism:
    """A four-bar seen from the turn of its coupler."""
    return gallery.four_bar().with_coordinates(["rz(crank)"])


MAKERS: dict[str, Callable[[], Mechanism]] = {
    "five-bar": gallery.five_bar,
    "gear": geared,
    "by the tip": by_the_tip,
    "by sums": by_sums,
    "by turns": by_turns,
    "redundant": gallery.bricard,
    "slider-crank": gallery.slider_crank,
}


@pytest.mark.parametrize("name", MAKERS)
def test_the_transfer_over_a_field_is_that_of_the_arrays(name: str) -> None:
    plain = MAKERS[name]()
    rng = np.random.default_rng(0)
    phi = plain.closed_near(plain.home + 0.02 * rng.normal(size=plain.m))
    qd, qdd, tau = rng.normal(size=(3, plain.n))
    over = TransferOverField(plain.assembly, REAL)
    at = [float(x) for x in phi]
    factors = over.factors(at)
    motion = over.motion(at, qd.tolist(), qdd.tolist(), factors)
    found = over.forward_dynamics(at, qd.tolist(), tau.tolist(), [0.0] * plain.m, factors)[0]
    for one, other in (
        (motion.x, plain.influence(phi).first),
        (motion.rate, plain.joint_motion(phi, qd, qdd)[0]),
        (motion.rate2, plain.joint_motion(phi, qd, qdd)[1]),
        (over.inertia(at, motion.x), plain.mass_matrix(phi)),
        (over.inverse_dynamics(at, qd.tolist(), qdd.tolist(), factors), plain.inverse_dynamics(phi, qd, qdd)),
        (found, plain.forward_dynamics(phi, qd, tau)),
    ):
        wanted = np.asarray(other, dtype=float)
        np.testing.assert_allclose(np.array(one, dtype=float), wanted, rtol=1e-9, atol=1e-10 * np.abs(wanted).max())


@pytest.mark.parametrize("name", [name for name in MAKERS if name != "by turns"])
def test_the_whole_model_over_a_field_is_that_of_the_arrays(name: str) -> None:
    plain = MAKERS[name]()
    rng = np.random.default_rng(7)
    phi = plain.closed_near(plain.home + 0.02 * rng.normal(size=plain.m))
    qd = rng.normal(size=plain.n)
    over = TransferOverField(plain.assembly, REAL)
    at = [float(x) for x in phi]
    factors = over.factors(at)
    x = over.influence(factors)
    second = over.second_influence(at, x, factors)
    model = plain.model(phi, qd)
    for one, other in (
        (np.moveaxis(np.array(second, dtype=float), -1, 0), plain.influence(phi).second),
        (over.power(at, x, second), model.power),
        (over.carried(x, over.applied(at, plain.joint_motion(phi, qd, qd)[0].tolist())), model.load),
    ):
        wanted = np.asarray(other, dtype=float)
        np.testing.assert_allclose(np.array(one, dtype=float), wanted, rtol=1e-9, atol=1e-10 * np.abs(wanted).max())


def test_machine_code_gives_the_loads_and_accelerations_of_numpy() -> None:
    plain = by_the_tip()
    fast = plain.compiled()
    rng = np.random.default_rng(0)
    phi = plain.closed_near(plain.home + 0.02 * rng.normal(size=(5, plain.m)))
    qd, qdd = rng.normal(size=(2, 5, plain.n))
    for one, other in (
        (fast.inverse_dynamics(phi, qd, qdd), plain.inverse_dynamics(phi, qd, qdd)),
        (fast.forward_dynamics(phi, qd, qdd), plain.forward_dynamics(phi, qd, qdd)),
        (fast.bias(phi, qd), plain.bias(phi, qd)),
        (fast.kinetic_energy(phi, qd), plain.kinetic_energy(phi, qd)),
        (fast.potential_energy(phi), plain.potential_energy(phi)),
        (fast.gravity_load(phi), plain.gravity_load(phi)),
        (fast.model(phi, qd).power, plain.model(phi, qd).power),
        (fast.model(phi, qd).load, plain.model(phi, qd).load),
    ):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-10 * np.abs(other).max())
    assert fast.assembly.map is not None
    assert fast.assembly.map.kernel("inverse_dynamics").compiled


@pytest.mark.parametrize("make", [parallel_robots.stewart_ups, parallel_robots.delta], ids=["6-UPS", "delta"])
def test_parallel_robots_accelerate_as_pinocchio_says(make: Callable[[], Mechanism]) -> None:
    robot = make()
    rng = np.random.default_rng(1)
    phi = robot.position(robot.coordinates_of(robot.home) + 0.03 * rng.normal(size=robot.n))
    qd, tau = rng.normal(size=(2, robot.n))
    transfer = TransferOverField(robot.assembly, REAL)
    at = [float(x) for x in phi]
    qdd, motion = transfer.forward_dynamics(at, qd.tolist(), tau.tolist(), [0.0] * robot.m, transfer.factors(at))
    load = np.zeros(robot.m)
    load[[c.joint for c in robot.assembly.coordinates]] = tau
    theirs, _ = Pinocchio(robot).acceleration(phi, np.array(motion.rate, dtype=float), load)
    np.testing.assert_allclose(robot.joint_motion(phi, qd, qdd)[1], theirs, rtol=1e-7, atol=1e-8 * np.abs(theirs).max())


def test_the_delta_keeps_its_plate_parallel_and_textbook_angles() -> None:
    """Its motors stand where each knee is a rod's length from the plate."""
    robot = parallel_robots.delta()
    phi = robot.position(robot.coordinates_of(robot.home) + np.array([0.3, -0.2, 0.1]))
    plate = robot.frame(phi, "plate")
    np.testing.assert_allclose(plate[:3, :3], np.eye(3), atol=1e-12)
    for k, angle in enumerate(robot.coordinates_of(phi)):
        out = np.array([np.cos(2 * np.pi / 3 * k), np.sin(2 * np.pi / 3 * k), 0.0])
        knee = (0.2 + 0.25 * np.cos(angle)) * out + (0, 0, 0.25 * np.sin(angle))
        assert np.linalg.norm(plate[:3, 3] + 0.06 * out - knee) == pytest.approx(0.5, abs=1e-12)


def test_positions_of_machine_code_are_those_of_numpy_and_stay_in_the_mode() -> None:
    plain = gallery.five_bar()
    fast = plain.compiled()
    q = plain.coordinates_of(plain.home) + 0.2 * np.random.default_rng(2).uniform(-1, 1, (20, 2))
    found = fast.position(q)
    np.testing.assert_allclose(found, plain.position(q), atol=1e-12)
    assert np.abs(fast.closure_error(found)).max() < 1e-14
    modes = plain.assembly_modes(q[0])
    assert len(modes) == 2
    for mode in modes:
        np.testing.assert_allclose(fast.position(q[0], mode), mode, atol=1e-9)


def test_a_position_out_of_reach_is_refused_by_both() -> None:
    bar = by_the_tip()
    for one in (bar, bar.compiled()):
        with pytest.raises(da.ArmError, match="no position was found"):
            one.position([0.2, 3.0])


def test_a_closed_orientation_that_is_not_meant_is_not_taken() -> None:
    """At 120 degrees about the diagonal the equations of a weld hold as well."""
    body = da.free_body("b", da.Inertia.of(1, (0, 0, 0), (1, 1, 1)))
    hinge = da.Closure("hinge", "ground", "b", ("x", "y", "z", "rx", "ry"))
    held = Mechanism({"b": body}, [hinge], ["b.rz"], gravity=(0, 0, 0)).compiled()
    assert held.assembly.map is not None
    turned = held.home.copy()
    turned[3] = np.pi  # the axis reversed: e_z . e_z' = -1, and all products vanish
    run = held.assembly.map.newton(turned[None], np.zeros((1, 1)))
    assert not run.closed[0]
    assert held.assembly.map.newton(held.home[None], np.zeros((1, 1))).closed[0]


def test_one_singular_state_in_a_batch_is_set_apart_and_costs_the_others_nothing() -> None:
    bar = gallery.five_bar().compiled()
    phi = np.tile(bar.home, (4, 1))
    qd = np.ones((4, 2))
    good = bar.forward_dynamics(phi, qd, qd)
    odd = phi.copy()
    odd[2] = np.array([0.9, 0.0, 2.2, np.pi])  # all rods of each arm in line: [G^c] of the couplers is nearly singular
    code = bar.assembly.map
    assert code is not None
    called = []

    def slow(*rows: np.ndarray) -> np.ndarray:
        called.append(len(rows[0]))
        return np.full((len(rows[0]), 2), 7.0)

    limit = float(code.kernel("forward_dynamics")(odd, qd, qd, np.zeros(4))[1].max())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dalembert.mechanisms.compiled_map.LARGEST_SPREAD", limit * (1 - 1e-9))
        found = code.answer("forward_dynamics", slow, odd, qd, qd)
    assert called == [1]
    assert found is not None
    np.testing.assert_array_equal(found[[0, 1, 3]], good[[0, 1, 3]])
    np.testing.assert_array_equal(found[2], [7.0, 7.0])


def test_a_value_that_is_not_finite_is_refused_by_name() -> None:
    bar = gallery.five_bar().compiled()
    for call in (bar.forward_dynamics, bar.inverse_dynamics):
        with pytest.raises(da.ArmError, match=r"tau|qdd"):
            call(bar.home, [0.0, 0.0], [np.nan, 0.0])
    with pytest.raises(da.ArmError, match="phi"):
        bar.mass_matrix([np.inf, 0, 0, 0])
    with pytest.raises(da.ArmError, match="qd must end in 2 entries, one per coordinate"):
        bar.forward_dynamics(bar.home, [0.0], [0.0, 0.0])

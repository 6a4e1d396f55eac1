"""Bad input: which closure or coordinate, the residual or condition number, and what would work."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanisms import gallery
from dalembert.mechanisms.loop_closures import Closure
from dalembert.mechanisms.mechanism import Mechanism


def test_a_mechanism_that_cannot_be_assembled_names_the_closure_and_the_gap() -> None:
    arms = {"left": gallery.planar((0.3, 0.5), (1, 1)), "right": gallery.planar((0.3, 0.5), (1, 1))}
    with pytest.raises(da.ArmError, match=r"cannot be assembled.*tip\.[xy] open by 0\.[0-9]+ m; check the lengths"):
        Mechanism(arms, [Closure("tip", "left", "right", "pin")], bases={"right": gallery.at(2.0)})


@pytest.mark.parametrize(
    ("coordinates", "message"),
    [
        (["left.joint1"], r"1 coordinate for 2 freedoms.*these joints would do: [a-z.0-9, ]+$"),
        (["left.joint1", "left.joint2", "right.joint1"], r"3 coordinates for 2 freedoms: they depend on each other"),
        (["left.joint1", "2*left.joint1"], r"do not determine the mechanism .condition number.*such as"),
        (["left.elbow", "left.joint1"], r"no joint 'left.elbow'"),
        (["x(middle)", "left.joint1"], r"no chain or frame 'middle'"),
        (["joint1", "left.joint1"], r"several chains have a joint 'joint1'"),
        (["left.joint1 right.joint1", "left.joint2"], r"write \+ or - between its parts"),
        (["x(ground)", "left.joint1"], r"no joint moves 'ground'"),
    ],
)
def test_coordinates_that_do_not_do_are_refused_with_some_that_do(coordinates: list[str], message: str) -> None:
    with pytest.raises(da.ArmError, match=message):
        gallery.five_bar().with_coordinates(coordinates)


def test_suggested_coordinates_work() -> None:
    bar = gallery.five_bar()
    with pytest.raises(da.ArmError) as fault:
        bar.with_coordinates(["left.joint1"])
    named = str(fault.value).rpartition("would do: ")[2].split(", ")
    assert bar.with_coordinates(named).n == 2


def test_positions_out_of_reach_and_turns_are_refused() -> None:
    bar = gallery.five_bar()
    with pytest.raises(da.ArmError, match=r"no position was found for x.left. = 2.*out of reach"):
        bar.with_coordinates(["x(left)", "y(left)"]).position([2.0, 0.0])
    hand = gallery.three_rrr().with_coordinates(["x(leg1)", "y(leg1)", "rz(leg1)"])
    with pytest.raises(da.ArmError, match=r"'rz.leg1.' is a turn: it has a rate but no position"):
        hand.position([0.0, 0.0, 0.0])


def test_arrays_of_the_wrong_shape_and_numbers_that_are_none_are_refused() -> None:
    bar = gallery.five_bar()
    with pytest.raises(da.ArmError, match="phi must end in 4 entries, one per joint"):
        bar.model(np.zeros(3))
    with pytest.raises(da.ArmError, match="qd must end in 2 entries, one per coordinate"):
        bar.inverse_dynamics(bar.home, np.zeros(4), np.zeros(2))
    with pytest.raises(da.ArmError, match="not finite"):
        bar.position([np.nan, 0.0])
    with pytest.raises(da.ArmError, match="do not broadcast"):
        bar.inverse_dynamics(np.tile(bar.home, (3, 1)), np.zeros((2, 2)), np.zeros(2))


@pytest.mark.parametrize(
    ("times", "tolerances", "message"),
    [
        ([0, np.inf], {}, "times are a list of finite moments"),
        ([0, 1, 0.5], {}, "times must rise, and 0.5 s comes after 1 s"),
        ([0, 1e300], {}, r"the duration is 1e\+300 s; give a time between"),
        ([0, 1], {"rtol": -1.0}, "the relative tolerance is -1"),
        ([0, 1], {"atol": np.nan}, "the absolute tolerance is nan"),
    ],
)
def test_times_and_tolerances_that_no_motion_has_are_refused(
    times: list[float], tolerances: dict[str, float], message: str
) -> None:
    mechanism = gallery.five_bar()
    with pytest.raises(da.ArmError, match=message):
        mechanism.simulate(times, mechanism.home, np.zeros(2), **tolerances)
    with pytest.raises(da.ArmError, match="fit into a duration of at most"):
        mechanism.simulate_many(np.zeros(2), mechanism.home, np.zeros(2), duration=float("inf"))


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), ZeroDivisionError("of the law")])
def test_a_law_that_fails_and_ctrl_c_keep_the_motion(fault: BaseException) -> None:
    mechanism = gallery.five_bar()

    def law(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        if t > 0.1:
            raise fault
        return np.zeros(2)

    times = np.linspace(0, 1, 101)
    with pytest.raises((da.SimulationError, da.SimulationInterrupt)) as ended:
        mechanism.simulate(times, mechanism.home, np.zeros(2), law)
    kept = ended.value.motion
    assert 2 < len(kept.t) < 20
    whole = mechanism.simulate(times[:3], mechanism.home, np.zeros(2))
    np.testing.assert_allclose(kept.q[:3], whole.q, atol=1e-9)
    if isinstance(fault, ZeroDivisionError):
        assert "drive raised ZeroDivisionError: of the law" in str(ended.value)
        assert ended.value.__cause__ is fault


def test_a_motion_that_diverges_ends_soon_and_names_the_joint() -> None:
    mechanism = gallery.five_bar()
    with pytest.raises(da.SimulationError, match=r"joint '(left|right)\.joint\d' is faster than 10000 rad/s") as ended:
        mechanism.simulate([0, 1], mechanism.home, [1e20, 0])
    assert len(ended.value.motion.t) == 1


def test_many_motions_keep_what_there_is_after_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    from dalembert.mechanisms import many_motions

    mechanism = gallery.five_bar()
    states = np.tile(mechanism.home, (3, 1))
    whole = mechanism.simulate_many(np.zeros(2), states, np.zeros(2), duration=0.004, every=1)
    calls, advance = 0, many_motions._States.advance

    def pressed(states: many_motions._States, step: float) -> None:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise KeyboardInterrupt
        advance(states, step)

    monkeypatch.setattr(many_motions._States, "advance", pressed)
    with pytest.raises(da.SimulationInterrupt) as ended:
        mechanism.simulate_many(np.zeros(2), states, np.zeros(2), duration=0.1, every=1)
    assert len(ended.value.motion.t) == 4
    np.testing.assert_array_equal(ended.value.motion.q, whole.q[:4])
    assert ended.value.motion.faults == ("", "", "")


def test_more_joints_than_memory_holds_are_refused() -> None:
    arm = da.load("planar-2r", physical="ignore")
    with pytest.raises(da.ArmError, match="the chains have 1002 joints that move; at most 1000"):
        Mechanism({f"c{k}": arm for k in range(501)}, [])


def test_an_empty_batch_gives_empty_results() -> None:
    bar = gallery.five_bar()
    none = np.zeros((0, 4))
    assert bar.model(none).power.shape == (0, 2, 2, 2)
    assert bar.inverse_dynamics(none, np.zeros(2), np.zeros(2)).shape == (0, 2)
    assert bar.forward_dynamics(none, np.zeros(2), np.zeros(2)).shape == (0, 2)
    assert bar.position(np.zeros((0, 2))).shape == (0, 4)


def test_closures_and_chains_are_checked() -> None:
    arm = gallery.planar((0.3,), (1,))
    with pytest.raises(da.ArmError, match="at least one chain"):
        Mechanism({})
    with pytest.raises(da.ArmError, match="two frames that no joint moves"):
        Mechanism({"a": arm}, [Closure("c", "ground", "ground")])
    with pytest.raises(da.ArmError, match="must hold some of x, y, z"):
        Mechanism({"a": arm}, [Closure("c", "ground", "a", ("x", "q"))])
    with pytest.raises(da.ArmError, match="two closures are named"):
        Mechanism({"a": arm}, [Closure("c", "ground", "a", ("x",)), Closure("c", "ground", "a", ("x",))])
    with pytest.raises(da.ArmError, match="base of 'b': no such chain"):
        Mechanism({"a": arm}, bases={"b": gallery.at(1)})
    with pytest.raises(da.ArmError, match="passive 'x' is no coordinate"):
        Mechanism({"a": arm}, passive=["x"])


def test_a_motion_that_moves_no_mass_is_refused() -> None:
    arm = da.Arm.from_dh([{"a": 1}], gravity=(0, 0, 0))
    weightless = Mechanism({"a": arm}, [], ["a.joint1"])
    with pytest.raises(da.ArmError, match="moves no inertia"):
        weightless.forward_dynamics([0.0], [0.0], [1.0])

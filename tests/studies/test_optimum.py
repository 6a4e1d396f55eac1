"""Best designs: against brute force, with limits kept, and certified over all poses."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.studies.optimum import design_search
from dalembert.studies.optimum_search import SearchEnd

pytestmark = pytest.mark.usefixtures("compiled_kernels")
WEIGHT = {"load.link2.mass": (0.0, 15.0), "load.link2.com.x": (-0.8, -0.4)}


@pytest.fixture(scope="module")
def arm() -> Any:
    return da.load("puma560", physical="ignore").subarm(0, 2)


@pytest.fixture(scope="module")
def motion(arm: Any) -> Any:
    path = da.quintic([np.zeros(3), [1, -0.8, 1.4]], 1.0)
    t = np.linspace(0, 1, 41)
    from dalembert.design.motion_samples import MotionSamples

    return MotionSamples("m", path.position(t), path.velocity(t), path.acceleration(t), t)


@pytest.mark.parametrize("objective", ["peak_torque", "rms_torque", "energy"])
def test_no_design_of_a_grid_betters_the_optimum(arm: Any, motion: Any, objective: str) -> None:
    best = da.optimize_design(arm, WEIGHT, objective, motion=motion, joints=["joint2"], starts=2)
    grid = da.study(arm, WEIGHT, [da.Output(objective, joints=["joint2"])], motion=motion, design="grid", samples=31)
    least = float(np.nanmin(grid.values))
    assert best.value <= least * (1 + 1e-9)
    assert best.value >= 0.7 * least
    again = da.study(
        arm, {name: {"values": [value]} for name, value in best.values.items()},
        [da.Output(objective, joints=["joint2"])], motion=motion, design="grid",
    )  # fmt: skip
    assert again.values[0, 0] == pytest.approx(best.value, rel=1e-9)


def test_limits_are_kept_and_named(arm: Any, motion: Any) -> None:
    free = da.optimize_design(arm, WEIGHT, "peak_torque", motion=motion, joints=["joint2"], starts=2)
    present = float(sum(body.inertia.mass for body in arm.bodies))
    bound = da.optimize_design(
        arm, WEIGHT, "peak_torque", motion=motion, joints=["joint2"], limits=[("mass", (), present + 4)], starts=2
    )
    assert bound.values["load.link2.mass"] <= 4 + 1e-6
    assert bound.value > free.value
    assert "the limit of mass" in bound.active
    with pytest.raises(ArmError, match="keeps the limits"):
        da.optimize_design(arm, WEIGHT, motion=motion, limits=[("peak_torque", ["joint1"], 0.01)], starts=1)


@pytest.mark.parametrize("starts", [1, 3])
def test_a_design_that_keeps_limits_which_are_hard_to_keep_together_is_found(
    arm: Any, motion: Any, starts: int
) -> None:
    """Where the weight is nothing, no slope says to where it should be moved; a weight elsewhere keeps the limits."""
    kinds = ["rms_torque", "energy", "peak_torque"]
    ends = {"load.link2.mass": (0.0, 15.0), "load.link2.com.x": (-0.8, -0.2)}
    kept = {"load.link2.mass": {"values": [1.3]}, "load.link2.com.x": {"values": [-0.7]}}
    outputs = [da.Output("rms_torque"), da.Output("energy"), da.Output("peak_torque", joints=["joint1"])]
    values = da.study(arm, kept, outputs, motion=motion, design="grid").values[0]
    most = [float(np.sqrt((values[:3] ** 2).sum())), float(values[3]), float(values[4])]
    joints: list[list[str]] = [[], [], ["joint1"]]
    limits = [(kind, names, 1.0001 * x) for kind, names, x in zip(kinds, joints, most, strict=True)]
    best = da.optimize_design(arm, ends, "peak_torque", motion=motion, limits=limits, starts=starts)
    found = da.study(
        arm, {name: {"values": [value]} for name, value in best.values.items()}, outputs, motion=motion, design="grid",
    ).values[0]  # fmt: skip
    again = [float(np.sqrt((found[:3] ** 2).sum())), float(found[3]), float(found[4])]
    assert all(x <= limit[2] * (1 + 1e-5) for x, limit in zip(again, limits, strict=True))


def test_where_no_design_keeps_the_limits_it_is_told_how_near_one_comes(arm: Any, motion: Any) -> None:
    """By no more than of any design of a grid."""
    ends = {"load.link2.mass": (0.0, 15.0), "load.link2.com.x": (-0.8, -0.2)}
    outputs = [da.Output("rms_torque"), da.Output("energy")]
    table = da.study(arm, ends, outputs, motion=motion, design="grid", samples=21).values
    rms, energy = np.sqrt((table[:, :3] ** 2).sum(axis=1)), table[:, 3]
    most = [0.97 * float(rms.min()), 1.1 * float(energy.min())]
    least = 100 * (float(np.maximum(rms / most[0], energy / most[1]).min()) - 1)
    limits = [("rms_torque", (), most[0]), ("energy", (), most[1])]
    with pytest.raises(ArmError, match="the nearest exceeds one by") as fault:
        da.optimize_design(arm, ends, "mass", motion=motion, limits=limits, starts=1)
    nearest = float(str(fault.value).rpartition("exceeds one by ")[2].partition(" percent")[0])
    assert 0.8 * least < nearest < 1.01 * least


def test_of_all_ends_the_best_is_taken_whether_or_not_its_search_was_done(
    arm: Any, motion: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that was not done has a design all the same; of equal ones that of a search which was."""
    search = design_search(arm, WEIGHT, "energy", motion=motion)
    unit = np.full(2, 0.5)
    ends = iter([SearchEnd(unit, 2.0, True, True, None), SearchEnd(unit, 1.0, True, False, None)])
    monkeypatch.setattr(search, "run", lambda start: next(ends))
    assert search.best([unit, unit]).value == 1.0
    ends = iter([SearchEnd(unit, 1.0, True, False, None), SearchEnd(unit, 1.0, True, True, None)])
    assert search.best([unit, unit]).met


def test_a_worst_case_is_certified_over_all_poses_and_no_pose_exceeds_it(arm: Any) -> None:
    best = da.optimize_design(arm, WEIGHT, "range", coefficient="G2", starts=2)
    assert best.certified
    assert best.value < 0.5 * best.before
    poses = np.random.default_rng(0).uniform(arm.lower, arm.upper, (20000, 3))
    assert np.abs(best.system.gravity_load(poses)[:, 1]).max() <= max(best.bound.upper, -best.bound.lower)
    for mass, x in ((5.0, -0.8), (12.0, -0.7), (15.0, -0.6)):
        other = arm.holding(da.Load(mass=mass, com=(x, 0, 0)), "link2").analysis().range_of("G2")
        assert max(other.maximum, -other.minimum) >= best.value - best.bound.gap


def test_a_worst_case_whose_proof_is_left_open_is_not_called_certified(
    arm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bound far above the value that is reached is no proof that no pose exceeds it."""
    monkeypatch.setattr("dalembert.design.certified_ranges.WORK", 10.0)
    whole = da.load("puma560", physical="ignore")
    best = da.optimize_design(whole, {"load.link2.mass": (0.0, 15.0)}, "range", coefficient="G2", starts=1)
    assert best.bound.bound > best.value + 2 * best.bound.tolerance
    assert not best.certified
    assert "certified" not in best.summary
    # the least value is left open, the greatest is not: that is the worst case
    one_end = da.optimize_design(arm, WEIGHT, "range", coefficient="D11", starts=1)
    assert not one_end.bound.certified
    assert one_end.certified


def test_a_gear_ratio_with_the_least_reflected_inertia_is_the_smallest(arm: Any) -> None:
    best = da.optimize_design(
        arm.driven, {"motor.motor3.ratio.joint3": (40.0, 70.0)}, "range", coefficient="D33", starts=1
    )
    assert best.values["motor.motor3.ratio.joint3"] == 40
    assert best.certified


def test_a_balance_that_is_exact_is_an_optimum() -> None:
    """m c = M d leaves no gravity load at any pose; that nothing but rounding is left, is no step still to be made."""
    link = {"mass": 3.0, "com": (-0.2, 0, 0), "inertia": (0, 0.05, 0.05), "a": 0.5}
    arm = da.Arm.from_dh([link], gravity=(0, -9.81, 0))
    weight: dict[str, object] = {"load.mass": (0, 10), "load.com.x": (-0.8, -0.55)}
    best = da.optimize_design(arm, weight, "range", coefficient="G1", box={"joint1": (-3, 3)}, starts=2)
    assert best.converged
    assert best.certified
    assert best.rounds < 10
    assert best.value < 1e-11
    behind = -0.5 - best.values["load.com.x"]
    assert best.values["load.mass"] * behind == pytest.approx(3.0 * 0.3, rel=1e-9)


def test_the_gear_ratio_of_the_least_motor_torque_is_the_root_of_the_inertias() -> None:
    """tau_m = (J_m N + J_L / N) a is least at N = sqrt(J_L / J_m), where it is 2 sqrt(J_L J_m) a."""
    link = {"mass": 3.0, "com": (-0.2, 0, 0), "inertia": (0, 0.05, 0.05), "a": 0.5}
    arm = da.Arm.from_dh([link], gravity=(0, 0, 0))
    train = da.DriveTrain([da.Actuator("motor", {"joint1": 10.0}, rotor=da.Rotor(1e-4))])
    turn = da.motion_of(arm, da.quintic([[0.0], [1.0]], 1.0))
    ratio: dict[str, object] = {"motor.motor.ratio.joint1": (1, 500)}
    best = da.optimize_design(arm.with_drives(train), ratio, "peak_motor_torque", motion=turn, starts=2)
    load = arm.mass_matrix([0.0])[0, 0]
    assert best.values["motor.motor.ratio.joint1"] == pytest.approx(np.sqrt(load / 1e-4), rel=1e-6)
    assert best.value == pytest.approx(2 * np.sqrt(load * 1e-4) * np.abs(turn.qdd).max(), rel=1e-12)


def test_an_end_of_a_factor_is_met_as_it_is() -> None:
    driven = da.load("puma560", physical="ignore").driven
    factors = {"motor.motor2.ratio.joint2": (60.0, 160.0), "load.link2.mass": (0.0, 20.0)}
    best = da.optimize_design(driven, factors, "range", coefficient="D22", starts=2)
    assert dict(best.values) == {"motor.motor2.ratio.joint2": 60, "load.link2.mass": 0}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"objective": "price"}, "no objective"),
        ({"objective": "range"}, "of a coefficient"),
        ({"objective": "energy", "coefficient": "D11"}, "belong to the objective"),
        ({"objective": "range", "coefficient": "C112"}, "an inertia D_ij or a gravity load"),
        ({"objective": "peak_torque"}, "give one"),
        ({"objective": "mass", "limits": [("beauty", (), 1.0)]}, "no limit"),
        ({"objective": "mass", "limits": [("mass", (), (1.0, 2.0))]}, "one number above zero, not"),
        ({"objective": "mass", "limits": [("mass", ["joint1"], 1.0)]}, "mass is not of single joints"),
        ({"objective": "mass", "limits": [("mass", 1.0)]}, "a limit is its kind, joints and the most"),
        ({"objective": "mass", "joints": ["joint1"]}, "mass is not of single joints"),
        ({"objective": "mass", "weights": [1.0]}, "weights belong to peak_torque"),
        ({"objective": "range", "coefficient": "D11", "weights": [1.0]}, "weights belong to peak_torque"),
    ],
)
def test_what_cannot_be_optimised_is_refused(arm: Any, given: dict, said: str) -> None:
    with pytest.raises(ArmError, match=said):
        da.optimize_design(arm, WEIGHT, **given)


def test_a_factor_without_ends_is_refused(arm: Any) -> None:
    with pytest.raises(ArmError, match="between low and high"):
        da.optimize_design(arm, {"load.mass": {"values": [1, 2]}}, "mass")


def test_the_least_mass_is_that_of_a_design_that_can_be(arm: Any) -> None:
    best = da.optimize_design(arm, {"load.mass": (-5.0, 5.0)}, "mass", starts=1)
    assert best.values["load.mass"] == 0
    assert best.converged
    assert (best.unit, best.units) == ("kg", {"load.mass": "kg"})


def test_units_of_an_optimum_are_those_of_its_joints(arm: Any, motion: Any) -> None:
    asked = {"factors": {"load.mass": (0.0, 1.0)}, "motion": motion, "starts": 1}
    assert da.optimize_design(arm, objective="energy", **asked).unit == "J"
    assert da.optimize_design(arm, objective="rms_torque", joints="joint2", **asked).unit == "N m"
    assert da.optimize_design(arm, weights=[1, 2, 3], **asked).unit == "1"


def pressed_after(calls: int) -> tuple[Callable[[str, float], None], list[tuple[str, float]]]:
    """A progress that presses Ctrl-C at this call, and what it has been told."""
    told: list[tuple[str, float]] = []

    def follow(text: str, share: float) -> None:
        told.append((text, share))
        if len(told) == calls:
            raise KeyboardInterrupt

    return follow, told


@pytest.mark.parametrize("calls", [10, 90, 150])
def test_an_interrupt_ends_with_the_best_design_met_that_keeps_the_limits(arm: Any, motion: Any, calls: int) -> None:
    """Its objective and its limits are those of a study of that design, and no better one of the points was tried."""
    present = float(sum(body.inertia.mass for body in arm.bodies))
    limits = [("mass", (), present + 4)]
    follow, told = pressed_after(calls)
    best = da.optimize_design(
        arm, WEIGHT, "energy", motion=motion, limits=limits, starts=3, progress=follow,
    )  # fmt: skip
    assert len(told) == calls
    assert (best.interrupted, best.converged, best.certified) == (True, False, False)
    assert "interrupted" in best.summary
    found = da.study(
        arm, {name: {"values": [value]} for name, value in best.values.items()}, ["energy"], motion=motion,
        design="grid",
    ).values[0, 0]  # fmt: skip
    assert best.value == pytest.approx(found, rel=1e-9)
    assert best.values["load.link2.mass"] <= 4 + 1e-5
    whole = da.optimize_design(arm, WEIGHT, "energy", motion=motion, limits=limits, starts=3)
    assert whole.value * (1 - 1e-6) <= best.value
    search = design_search(arm, WEIGHT, "energy", motion=motion, limits=limits)
    search.starts(3, 0)
    tried = search.low + search.wide * search.spread[: min(calls - 2, 64)]
    kept = [float(search.pieces(x)[0].max()) for x in tried if search.excess(x) <= 0]
    assert best.value <= min(kept) * (1 + 1e-12)


def test_a_worst_case_that_is_interrupted_has_a_proved_bound_and_says_certified_only_with_it(arm: Any) -> None:
    follow, _ = pressed_after(100)
    best = da.optimize_design(arm, WEIGHT, "range", coefficient="G2", starts=2, progress=follow)
    assert best.interrupted
    assert best.bound is not None
    poses = np.random.default_rng(0).uniform(arm.lower, arm.upper, (20000, 3))
    largest = np.abs(best.system.gravity_load(poses)[:, 1]).max()
    assert largest <= max(best.bound.upper, -best.bound.lower)
    if best.certified:
        assert max(best.bound.upper, -best.bound.lower) <= best.value * (1 + 1e-6) + best.bound.gap


def test_before_a_design_keeps_the_limits_an_interrupt_is_one(arm: Any, motion: Any) -> None:
    limits = [("peak_torque", ["joint1"], 0.01)]
    for calls in (1, 70):
        follow, _ = pressed_after(calls)
        with pytest.raises(KeyboardInterrupt):
            da.optimize_design(arm, WEIGHT, motion=motion, limits=limits, starts=2, progress=follow)


@pytest.mark.parametrize("most", [400.0, 1e-3])
def test_progress_never_goes_back_and_is_told_of_every_design(arm: Any, motion: Any, most: float) -> None:
    """Also of the designs tried where none keeps the limits."""
    follow, told = pressed_after(0)
    limits = [("energy", (), most)]
    with contextlib.suppress(ArmError):
        da.optimize_design(arm, WEIGHT, "peak_torque", motion=motion, limits=limits, starts=2, progress=follow)
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] <= 1
    assert len(told) > 64
    labels = [text.partition(",")[0] for text, _ in told]
    if most > 1:
        assert told[-1] == ("done", 1.0)
        assert any("best so far" in text and "N m" in text for text, _ in told)
    else:
        assert "designs that exceed the limits least" in labels
    assert labels.index("search 1 of 2") < labels.index("search 2 of 2")

"""Ratios of Bejczy 1974, section VII C and E; the boundary between slow and fast."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.arm.inertia import Inertia, Load
from dalembert.equations.names import expression_unit

CUBE = Load.of(Inertia.box(1.8, ((442e-6) ** (1 / 3),) * 3))


@pytest.fixture(scope="module")
def arm():
    return da.load("jpl-rrp")


@pytest.fixture(scope="module")
def three(arm):
    """The first three joints, the wrist at rest as in Fig. 2, and input inertias at the joints."""
    return arm.locked({"joint4": 0, "joint5": 0, "joint6": 0}).driven.approximate("diagonal")


@pytest.fixture(scope="module")
def ask(three):
    return three.analysis()


def test_the_ratios_of_equations_108_to_111_are_certified(ask) -> None:
    for (top, bottom), printed, off in (
        (("D12", "D11"), 0.5, 0.03),
        (("D12", "D22"), 0.11, 0.05),
        (("D13", "D33"), 0.1445, 0.01),
    ):
        found = ask.range_of(f"{top}/{bottom}")
        assert found.certified
        assert found.largest == pytest.approx(printed, rel=off)


def test_the_largest_r2_is_not_where_bejczy_put_it(ask) -> None:
    """He took theta2 = 90 degrees and r3 = 50.8 cm: 0.0037 per cm; the largest is at r3 = 40.7 cm."""
    found = ask.range_of("D13/D11")
    assert found.largest == pytest.approx(0.3620, abs=5e-4)
    assert found.at_maximum[2] == pytest.approx(0.407, abs=5e-3)
    there = ask.ratio_curves("D13", "D11", "joint2", [{"joint3": 0.508}])
    assert there.values.max() < found.largest
    with pytest.raises(da.ArmError, match="joint 'joint2' is the one that moves; leave it out of settings"):
        ask.ratio_curves("D13", "D11", "joint2", [{"q2": 0.5}])


def test_gravity_equals_inertia_at_g_for_the_boom(arm) -> None:
    """K2 of eq. 138 is g cos(theta2) where the input inertia is left out."""
    held = arm.holding(CUBE)
    boom = next(b for b in held.analysis().gravity_balance() if b.joint == "joint3")
    assert boom.acceleration == pytest.approx(9.81, rel=1e-6)
    driven = next(b for b in held.driven.analysis().gravity_balance() if b.joint == "joint3")
    assert driven.acceleration == pytest.approx(9.81 * 8.27 / 9.052, rel=1e-4)


def test_the_reading_of_figure_8_is_11_7_and_not_14(arm) -> None:
    """At 60 degrees, 96.5 cm and 0.5 rad/s^2. His b5 with load, 0.396, should be 2 d3 = 1.121: with it he reads 13."""
    held = arm.holding(CUBE).driven.analysis()
    curve = held.ratio_curves("G2", "D22", "joint2", [{"joint3": 0.965}], points=361)
    at = curve.values[0][np.argmin(np.abs(curve.x - np.radians(60)))]
    assert at / 0.5 == pytest.approx(11.72, abs=0.02)
    printed = 9.81 * (-2.788 + 0.566 + 8.28 * 0.965) / (4.72 + (-5.49 + 0.396) * 0.965 + 8.27 * 0.965**2)
    assert printed * np.sin(np.radians(60)) / 0.5 == pytest.approx(13.1, abs=0.1)


def test_sums_and_ratios_can_be_asked_for_by_name(three, ask) -> None:
    whole = ask.range_of("D11 + D22")
    values = np.einsum("qii->q", three.mass_matrix(ask.box.samples(2000))[:, :2, :2])
    assert whole.lower <= values.min()
    assert values.max() <= whole.upper
    assert ask.range_of("D12/D11").name == "D12/D11"
    with pytest.raises(ArmError):
        ask.range_of("D99")


def test_a_load_in_the_hand_counts_in_every_range_asked_for_by_name(arm) -> None:
    """K4 of eq. 140: 24.4 with the cube, a good two fifths of it with the hand empty."""
    empty, held = (one.driven.analysis() for one in (arm, arm.holding(CUBE)))
    assert empty.range_of("D22").maximum == pytest.approx(6.9305, abs=1e-4)
    assert held.range_of("D22").maximum == pytest.approx(10.287, abs=1e-3)
    assert empty.range_of("G5/D55").largest == pytest.approx(9.9777, abs=1e-3)
    assert held.range_of("G5/D55").largest == pytest.approx(24.434, abs=1e-3)


def reactions(arm, ask, q):
    """Own torque and largest reaction at each position, all directions of speeds and accelerations, at the limits."""
    matrices, loads, symbols = arm.mass_matrix(q), arm.gravity_load(q), arm.christoffel(q)
    signs = np.array(list(itertools.product((1.0, -1.0), repeat=arm.n))) * ask.states.speed
    velocity = np.abs(np.einsum("bijk,sj,sk->bsi", symbols, signs, signs)).max(axis=1)
    rates = ask.states.acceleration
    diagonal = np.einsum("bii->bi", matrices)
    others = np.abs(matrices) @ rates - np.abs(diagonal) * rates
    return diagonal * rates, np.abs(loads), others, velocity


def test_at_the_pace_told_reactions_reach_the_share_and_below_the_proved_one_they_do_not() -> None:
    """Of accelerations of other joints and of speeds, beside own inertia and gravity at one state (section II)."""
    arm, share = da.load("planar-3r").with_gravity((0, -9.81, 0)), 0.1
    ask = arm.analysis(speed=1.0, acceleration=2.0)
    inertia, gravity, others, velocity = reactions(arm, ask, ask.box.samples(3000, 5))
    for i, joint in enumerate(ask.slow_fast(share)):
        assert joint.acceleration == pytest.approx(others[:, i].max(), rel=0.03)
        assert joint.velocity == pytest.approx(velocity[:, i].max(), rel=0.03)
        assert joint.own == pytest.approx((inertia + gravity)[:, i].max(), rel=0.03)
        most = (others + velocity)[:, i].max()
        assert 0 < joint.proved <= joint.speed < np.inf
        for pace, sign in ((joint.speed, 0), (joint.proved, 1)):
            own = (pace**2 * inertia + gravity)[:, i].max()
            if sign:
                assert pace**2 * most <= share * own * 1.02
            else:
                assert pace**2 * most == pytest.approx(share * own, rel=0.1)


def test_where_gravity_does_not_load_a_joint_its_motion_is_slow_or_fast_at_every_pace(three) -> None:
    """Joint 1 of the boom: R1 reaches 0.51, so no pace is slow at 5 percent; at twice its largest share all are."""
    first = three.analysis(speed=1.0, acceleration=2.0).slow_fast(0.05)[0]
    assert first.speed == 0
    calm = three.analysis(speed=1.0, acceleration=2.0).slow_fast(50.0)[0]
    assert calm.speed == np.inf


def test_slow_and_fast_at_one_state_are_the_parts_of_its_torques(arm) -> None:
    driven = arm.driven
    q, qd, qdd = ([0, 0.6, 0.8, 0.3, 0.5, 0], [0.3, 0.4, 0.1, 0.5, 0.5, 0], [0.5, 0.5, 0.127, 1, 1, 1])
    mass, parts = driven.mass_matrix(q), driven.parts(q, qd, qdd)
    found = driven.analysis().slow_fast_at(q, qd, qdd, 0.05)
    for i, one in enumerate(found):
        assert one.inertia == pytest.approx(mass[i, i] * qdd[i])
        assert one.acceleration == pytest.approx(mass[i] @ qdd - mass[i, i] * qdd[i], abs=1e-12)
        assert one.inertia + one.acceleration + one.velocity + one.gravity + parts.friction[i] == pytest.approx(
            driven.inverse_dynamics(q, qd, qdd)[i], abs=1e-10
        )
        assert one.share == pytest.approx(abs(one.acceleration + one.velocity) / (abs(one.inertia) + abs(one.gravity)))
        assert one.slow == (one.share <= 0.05)
        assert one.unit == ("N" if i == 2 else "N m")
        if 0 < one.pace < np.inf:
            faster = driven.analysis().slow_fast_at(q, one.pace * np.array(qd), one.pace**2 * np.array(qdd))[i]
            assert faster.share == pytest.approx(0.05)
    assert [one.slow for one in found] == [True, True, True, False, True, True]
    assert found[0].pace == np.inf
    with pytest.raises(ArmError, match="one state"):
        driven.analysis().slow_fast_at([q, q], qd, qdd)
    with pytest.raises(ArmError, match="above zero"):
        driven.analysis().slow_fast_at(q, qd, qdd, 0.0)


def test_a_state_without_torque_of_its_own_is_fast_and_one_without_reactions_slow(arm) -> None:
    """Joint 1 at rest while joint 2 accelerates: all that it feels is reaction."""
    found = arm.analysis().slow_fast_at([0, 0.3, 0.8, 0, 0, 0], np.zeros(6), [0, 1, 0, 0, 0, 0])
    assert found[0].share == np.inf
    assert not found[0].slow
    assert found[0].pace == 0
    still = arm.analysis().slow_fast_at([0, 0.3, 0.8, 0, 0, 0], np.zeros(6), np.zeros(6))
    assert all(one.slow and one.pace == np.inf for one in still)


@pytest.mark.parametrize(
    ("asked", "unit"),
    [("D12/D11", "1"), ("D13/D11", "1/m"), ("D11/D33", "m^2"), ("G2/D22", "1/s^2"), ("G3/D33", "m/s^2"),
     ("G3/D22", "1/(m s^2)"), ("D11+D22", "kg m^2"), ("D12-D22", "kg m^2"), ("(D13+D23)/D33", "m"),
     ("D22+D33", "mixed")],
)  # fmt: skip
def test_sums_and_ratios_have_the_units_of_what_they_are_made_of(asked: str, unit: str) -> None:
    """The third joint of the arm slides, the first two turn."""
    assert expression_unit(da.load("jpl-rrp", physical="ignore"), asked) == unit


def test_the_name_of_a_ratio_is_what_its_range_is_of() -> None:
    """By the usual precedence, whoever reads it: sums in a ratio stand in brackets, or are refused."""
    arm = da.load("planar-2r")
    ask = arm.analysis(gap=1e-3)
    d = arm.mass_matrix(np.random.default_rng(0).uniform(-np.pi, np.pi, (2000, 2)))
    d11, d12, d22 = d[:, 0, 0], d[:, 0, 1], d[:, 1, 1]
    for asked, named, values in (
        ("(D11 + D12)/D22", "(D11+D12)/D22", (d11 + d12) / d22),
        ("D12/(D11-D22)", "D12/(D11-D22)", d12 / (d11 - d22)),
        ("(D12)/D11", "D12/D11", d12 / d11),
        ("-D12/D22", "-D12/D22", -d12 / d22),
        ("-D12", "-D12", -d12),
        ("(D11-D12)", "D11-D12", d11 - d12),
    ):
        found = ask.range_of(asked)
        assert found.name == named
        assert found.lower <= values.min() < values.max() <= found.upper
        assert values.max() - values.min() > 0.9 * (found.upper - found.lower)
    for ambiguous in ("D11+D12/D22", "D12/D11-D22", "D11 - D12/D22"):
        with pytest.raises(ArmError, match=r"two ways; put the sum in brackets, as in .*\("):
            ask.range_of(ambiguous)
    assert arm.analysis().ratio_curves("D11+D12", "D22", "joint2").name == "(D11+D12)/D22"


def test_what_cancels_in_a_sum_of_coefficients_is_gone() -> None:
    """Exact numbers are added: sums of floats would leave their rounding, which may be all of a small sum."""
    rod = {"a": 1.0, "mass": 1e9, "com": (-0.5, 0, 0), "inertia": (0, 1e9, 1e9)}
    tip = {"a": 1e-3, "mass": 1e-3, "com": (-5e-4, 0, 0), "inertia": (0, 1e-9, 1e-9)}
    ask = da.Arm.from_dh([rod, tip], name="heavy and light").analysis()
    for expression in ("D11-D11", "D12-D21", "C112+C211", "D112-C112-C112"):
        zero = ask.range_of(expression)
        assert (zero.lower, zero.upper) == (0, 0)
    # C112 = -m2 l1 x2 sin q2 with l1 = 1 and x2 = 5e-4, beside D11 of 1.25e9
    left = ask.range_of("D11+C112-D11")
    assert left.certified
    assert left.upper == pytest.approx(5e-7, rel=1e-3)
    assert left.lower == pytest.approx(-5e-7, rel=1e-3)

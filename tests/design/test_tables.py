"""Bejczy 1974, Tables 1 and 2 and Figure 3, for the JPL RRP manipulator with and without the cube."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.drives import Rotor
from dalembert.arm.inertia import Inertia, Load
from dalembert.design.range_tables import within
from dalembert.design.tables import capacity, scaled, transmission
from dalembert.report.sections.ranges_section import proof

CUBE = Load.of(Inertia.box(1.8, ((442e-6) ** (1 / 3),) * 3))

# Printed values; D22 minimum and D66 are treated apart.
TABLE_1 = {"D11": (1.417, 6.176, 9.57), "D22": (3.59, 6.95, 10.3), "D33": (7.257, 7.257, 9.057),
           "D44": (0.108, 0.123, 0.234), "D55": (0.114, 0.114, 0.225), "D66": (0.02, 0.02, 0.022)}  # fmt: skip
EQUATIONS_92_TO_99 = {"G1": (0.0, 0.0), "G2": (44.75, 68.77), "G3": (63.5, 81.17), "G4": (1.138, 5.503),
                      "G5": (1.138, 5.503), "G6": (0.0, 0.0)}  # fmt: skip
RATIOS = {"G2": 100, "G3": 1, "G4": 72, "G5": 72}


def test_what_a_drive_can_give_is_its_stall_torque_by_its_own_ratio_whatever_else_turns_with_the_joint() -> None:
    motors = [
        da.Actuator.of("m1", {"joint1": 80, "joint2": 20}, stall=1.0),
        da.Actuator.of("m2", {"joint2": 60}, stall=2.0),
    ]
    arm = da.load("planar-2r").with_drives(da.DriveTrain(motors))
    assert [row.capacity for row in arm.analysis().ranges().gravity] == [None, 120.0]


def test_each_joint_has_a_motor_of_its_own_in_whatever_order_they_are_listed() -> None:
    shafts = {"a": {"joint2": 60, "joint1": 1}, "b": {"joint1": 80}}
    arm = da.load("planar-2r").with_drives(da.DriveTrain([da.Actuator.of(*shaft) for shaft in shafts.items()]))
    rows = arm.analysis().ranges().inertia
    assert [row.motor for row in rows] == ["b", "a"]
    inertia = arm.frictionless().mass_matrix([0.0, 0.0])
    levers = np.linalg.inv([[1, 60], [80, 0]])
    most = [levers[:, motor] @ inertia @ levers[:, motor] for motor in (1, 0)]
    assert [row.empty_at_motor.maximum for row in rows] == pytest.approx(most, rel=1e-6)


@pytest.fixture(scope="module", params=["exact", "diagonal"])
def tables(request):
    """Rotors as bodies, and as inertias at their own joints: what his sums mean has the same diagonal."""
    arm = da.load("jpl-rrp").driven.approximate(request.param)
    return arm.analysis().ranges(arm.holding(CUBE).analysis())


def test_table_1_comes_out_within_the_rounding_of_the_print(tables) -> None:
    for row in tables.inertia:
        least, greatest, loaded = TABLE_1[row.name]
        # Sums of rounded terms that went through ounces and inches: 1 percent, or half a unit of the last digit.
        slack = 0.0005 if row.name == "D66" else 0.0
        if row.name != "D22":
            assert row.empty.minimum == pytest.approx(least, rel=0.01, abs=slack)
        assert row.empty.maximum == pytest.approx(greatest, rel=0.01, abs=slack)
        assert row.loaded.maximum == pytest.approx(loaded, rel=0.01, abs=slack)
        assert row.empty.certified
        assert row.loaded.certified


def test_the_least_d22_is_below_the_one_bejczy_found(tables) -> None:
    row = tables.inertia[1]
    # By hand: eq. 60 at theta4 = 90 and theta5 = 180 degrees is c + 2 b r3 + a r3^2, least at r3 = -b / a.
    a, b = 6.47, -4.25 * 0.6447 - 1.08 * 0.0092 - 0.63 * 0.0566 - 0.51 * (0.2476 - 0.0922)
    c = 2.193 + 0.018 + 2.51 + 0.001 + 0.003 + 0.005 + 0.51 * 0.2476 * (0.2476 - 2 * 0.0922)
    assert row.empty.minimum == pytest.approx(c - b * b / a, abs=5e-4)
    assert row.empty.minimum == pytest.approx(3.4695, abs=5e-4)
    assert row.empty.lower > 3.469
    # Not at theta5 = 90 degrees but with the hand folded back along the boom, and the boom a little further out.
    assert math.cos(row.empty.at_minimum[4]) == pytest.approx(-1, abs=1e-3)
    assert row.empty.at_minimum[2] == pytest.approx(0.4428, abs=1e-3)


def test_table_2_comes_out_within_the_rounding_of_the_print(tables) -> None:
    for row in tables.gravity:
        empty, loaded = EQUATIONS_92_TO_99[row.name]
        assert row.empty.largest == pytest.approx(empty, rel=0.01, abs=1e-9)
        assert row.loaded.largest == pytest.approx(loaded, rel=0.01, abs=1e-9)
        if row.name in RATIOS:
            # Table 2 itself is 1 percent above these equations; tests/design/test_bejczy_section_vii.py has its print.
            ratio = RATIOS[row.name]
            assert (row.empty_at_motor.largest, row.loaded_at_motor.largest) == pytest.approx(
                (empty / ratio, loaded / ratio), rel=0.01
            )
            assert row.gear_ratio == ratio
    assert tables.gravity[2].share(tables.gravity[2].loaded) == pytest.approx(81.17 / 98.7, rel=0.01)


def test_figure_3_is_maximum_over_minimum(tables) -> None:
    printed = {"D11": (4.36, 6.75), "D33": (1.0, 1.25), "D44": (1.14, 2.17), "D55": (1.0, 2.0), "D66": (1.0, 1.09)}
    for name, one, empty, loaded in tables.figure:
        assert one == 1.0
        if name in printed:
            assert empty == pytest.approx(printed[name][0], rel=0.01)
            assert loaded == pytest.approx(printed[name][1], rel=0.01)


def test_figure_3_as_printed_divides_by_the_least_d11_in_ounces(tables) -> None:
    """Table 1 prints 4.5 and 6.9 for joint 1: over 196 oz in s^2, which is not the 1.417 kg m^2 beside it."""
    _, _, empty, loaded = tables.figure[0]
    assert (empty, loaded) != pytest.approx((4.5, 6.9), abs=0.05)
    least = tables.inertia[0].empty.minimum
    assert (empty * least / 1.384, loaded * least / 1.384) == pytest.approx((4.5, 6.9), abs=0.05)
    assert (empty, loaded) == pytest.approx((6.176 / 1.417, 9.57 / 1.417), rel=0.01)
    _, _, empty, loaded = tables.figure[1]
    assert empty == pytest.approx(6.9305 / 3.4695, rel=1e-3)
    assert loaded == pytest.approx(10.287 / 3.4695, rel=1e-3)


def test_inertia_at_the_motor_shaft_is_over_the_square_of_the_ratio(tables) -> None:
    row = tables.inertia[0]
    assert row.motor == "motor1"
    assert row.empty_at_motor.maximum == pytest.approx(row.empty.maximum / 100**2)
    assert row.loaded_at_motor.maximum == pytest.approx(row.loaded.maximum / 100**2)
    load = tables.gravity[1]
    assert load.loaded_at_motor.maximum == pytest.approx(load.loaded.maximum / 100)


def test_the_part_of_the_rotors_is_the_input_inertia_of_table_1_and_nothing_without_drives(tables) -> None:
    printed = (0.953, 2.193, 0.782, 0.106, 0.097, 0.02)
    assert tables.drives
    assert [row.rotors for row in tables.inertia] == pytest.approx(printed, rel=1e-6)
    links = da.load("jpl-rrp").analysis().ranges()
    assert not links.drives
    for row, whole in zip(links.inertia, tables.inertia, strict=True):
        assert row.rotors == 0
        assert row.empty.minimum + whole.rotors == pytest.approx(whole.empty.minimum)
        assert row.empty.maximum + whole.rotors == pytest.approx(whole.empty.maximum)


def test_at_coupled_motors_inertia_and_gravity_go_through_the_inverse_of_the_transmission() -> None:
    """D_a = N^-T D N^-1 and G_a = N^-T G, for a wrist whose motors turn several joints."""
    arm = da.load("puma560", physical="ignore").driven
    found = arm.analysis(work=1e4).ranges()
    q = np.random.default_rng(0).uniform(arm.lower, arm.upper, (500, arm.n))
    back = np.linalg.inv(arm.ratios)
    felt = np.einsum("ja,qjk,kb->qab", back, arm.mass_matrix(q), back)
    pull = arm.gravity_load(q) @ back
    assert np.count_nonzero(arm.ratios) > arm.n
    for row, load in zip(found.inertia, found.gravity, strict=True):
        motor = arm.motor_names.index(row.motor)
        for values, one in ((felt[:, motor, motor], row.empty_at_motor), (pull[:, motor], load.empty_at_motor)):
            slack = 1e-12 * np.abs(values).max()
            assert one.lower - slack <= values.min()
            assert values.max() <= one.upper + slack
        for one in (row, load):
            assert one.certified == (one.empty.certified and one.empty_at_motor.certified)
    # the wrist: what a joint feels is proved, what its motor feels, turning two of them, is not
    assert found.gravity[4].empty.certified
    assert "G5" in found.uncertified
    assert "G5 at the motor" in str(proof(found))


@pytest.mark.parametrize("name", ["puma560", "irb6"])
def test_a_joint_has_its_motor_and_what_that_gives_in_whatever_order_motors_are_listed(name: str) -> None:
    """Motor 6 of the PUMA turns with joints 4 to 6, those of the IRb-6 with all joints from the second to their own."""
    arm = da.load(name, physical="ignore")
    motors = arm.drives.actuators
    own, levers = zip(*transmission(arm), strict=True)  # type: ignore[arg-type]
    assert own == tuple(motor.name for motor in motors)
    gives = [capacity(arm, joint) for joint in range(arm.n)]
    for order in (range(arm.n)[::-1], [*range(arm.n - 2), arm.n - 1, arm.n - 2]):
        listed = replace(arm, drives=replace(arm.drives, actuators=tuple(motors[k] for k in order)))
        found, columns = zip(*transmission(listed), strict=True)  # type: ignore[arg-type]
        assert found == own
        np.testing.assert_array_equal(columns, levers)
        assert [capacity(listed, joint) for joint in range(arm.n)] == gives


@pytest.mark.parametrize("apart", [Fraction(1, 3), Fraction(1, 10**3), Fraction(1, 10**9)])
def test_what_is_proved_at_motors_that_turn_almost_alike_holds_the_exact_value(apart) -> None:
    """N = [[1, 1 + e], [1, 1 - e]] is next to singular; stretched out, D = [[8/3, 5/6], [5/6, 1/3]], G = (2 g, g/2)."""
    ratios = [{"joint1": 1, "joint2": 1 + apart}, {"joint1": 1, "joint2": 1 - apart}]
    motors = [da.Actuator.of(f"motor{k}", row, Rotor.of(0)) for k, row in enumerate(ratios)]
    arm = da.load("planar-2r").with_drives(da.DriveTrain(tuple(motors)))
    found = arm.analysis(box={0: (0, 0), 1: (0, 0)}).ranges()
    g = Fraction("9.81")
    # columns of N^-1
    levers = {
        "motor0": ((apart - 1) / (2 * apart), 1 / (2 * apart)),
        "motor1": ((apart + 1) / (2 * apart), -1 / (2 * apart)),
    }
    for row, load in zip(found.inertia, found.gravity, strict=True):
        a, b = levers[row.motor]
        felt, pull = Fraction(8, 3) * a * a + 2 * Fraction(5, 6) * a * b + Fraction(1, 3) * b * b, 2 * g * a + g / 2 * b
        for exact, one in ((felt, row.empty_at_motor), (pull, load.empty_at_motor)):
            assert Fraction(one.lower) <= exact <= Fraction(one.upper)
            assert one.upper - one.lower < 1e-12 * abs(float(exact))


def test_a_range_times_a_number_holds_the_exact_products() -> None:
    """Both the number and the product are rounded: each end moves outwards by more."""
    one = da.load("planar-2r").analysis(gap=0.1).range_of("D22")
    rng = random.Random(1)
    for _ in range(200):
        factor = Fraction(rng.randint(1, 10**6), rng.randint(1, 10**6)) * rng.choice([1, -1])
        ends = sorted(Fraction(end) * factor for end in (one.lower, one.upper))
        found = scaled(one, float(factor), "")
        assert Fraction(found.lower) <= ends[0] <= ends[1] <= Fraction(found.upper)


def test_a_range_without_enough_work_says_so_and_its_proved_ends_still_hold_every_sample() -> None:
    arm = da.load("jpl-rrp").driven
    ask = arm.analysis(work=300.0)
    found = ask.ranges()
    assert "D11" in found.uncertified
    row = found.inertia[0]
    assert not row.certified
    assert within(row) is None
    values = arm.mass_matrix(ask.box.samples(5000, 3))[:, 0, 0]
    assert row.empty.lower <= values.min()
    assert values.max() <= row.empty.upper
    assert "Searched, not proved: D11" in str(proof(found))
    assert arm.analysis().ranges().uncertified == ()

"""Numbers enter as written; angles are exact points on the circle."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalembert.arm.errors import ArmError
from dalembert.arm.exact import Angle, bounded, decimal_of, exact, simplest_between, whole_number


@pytest.mark.parametrize(
    ("given_", "fraction"),
    [
        (0.4318, Fraction(4318, 10000)),
        ("0.1", Fraction(1, 10)),
        (Decimal("1e-3"), Fraction(1, 1000)),
        (np.float64(0.3), Fraction(3, 10)),
        (np.int64(4), Fraction(4)),
        (Fraction(1, 3), Fraction(1, 3)),
    ],
)
def test_a_decimal_is_the_number_it_spells(given_, fraction):
    assert exact(given_) == fraction


@pytest.mark.parametrize("bad", [math.nan, math.inf, "x", None, True, [1], "1e999999999", "-1e-99999"])
def test_what_is_no_finite_number_is_refused(bad):
    with pytest.raises(ArmError, match="length"):
        exact(bad, "length")


@given(st.floats(-100, 100))
def test_an_angle_is_a_point_on_the_circle_within_1e_15(radians):
    angle = Angle.of(radians)
    assert angle.cos**2 + angle.sin**2 == 1
    assert abs(float(angle.cos) - math.cos(radians)) <= 1e-15 + 2 * math.ulp(abs(radians))
    assert abs(float(angle.sin) - math.sin(radians)) <= 1e-15 + 2 * math.ulp(abs(radians))


@given(st.integers(-40, 40))
def test_multiples_of_ninety_degrees_are_exact(quarters):
    for angle in (Angle.of(quarters * math.pi / 2), Angle.degrees(90 * quarters)):
        assert {abs(angle.cos), abs(angle.sin)} == {0, 1}
        assert round(math.cos(quarters * math.pi / 2)) == angle.cos
        assert round(math.sin(quarters * math.pi / 2)) == angle.sin


def test_a_rounded_right_angle_stays_what_was_given():
    """1.5708 is not pi/2; what a file means by it is the business of who reads the file."""
    assert Angle.of(1.5708).cos != 0
    assert float(Angle.of(1.5708).cos) == pytest.approx(math.cos(1.5708), abs=1e-15)


@given(st.fractions(-10, 10), st.fractions(0, 1))
def test_the_simplest_fraction_lies_between_and_none_simpler_does(low, width):
    high = low + width
    found = simplest_between(low, high)
    assert low <= found <= high
    for denominator in range(1, min(found.denominator, 60)):
        assert math.ceil(low * denominator) > high * denominator


@pytest.mark.parametrize("text", ["1e99999999999999999999", "1e-99999999999999999999", "x", "", "9" * 1001])
def test_text_that_spells_no_number_within_reach_is_refused(text):
    with pytest.raises(ArmError, match="mass"):
        decimal_of(text, "mass")


def test_only_plain_digits_count():
    assert [whole_number(text) for text in ("0", "12", "000000007")] == [0, 12, 7]
    assert [whole_number(text) for text in ("²", "٣", "", "-1", "1.0", " 1", "1" * 10)] == [None] * 7


def test_a_number_that_grows_without_end_is_refused():
    assert bounded(Fraction(1, 2**13_999)) == Fraction(1, 2**13_999)
    with pytest.raises(ArmError, match="more than 4200 digits"):
        bounded(Fraction(1, 2**14_000))

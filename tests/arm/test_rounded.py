"""Which angle a rounded decimal means."""

from __future__ import annotations

import math
from decimal import ROUND_DOWN, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalembert.arm.axes import quaternion
from dalembert.arm.placement import IDENTITY
from dalembert.arm.rounded import PI, SINES, meant_degrees, meant_unit, spelled_out


def to_places(value: Fraction, places: int, how: str | None = None) -> Decimal:
    """The number with so many digits behind the point."""
    with localcontext(prec=60):
        exact = Decimal(value.numerator) / Decimal(value.denominator)
        return exact.quantize(Decimal(1).scaleb(-places), rounding=how)


@given(st.integers(-48, 48).filter(bool), st.integers(4, 20), st.sampled_from([None, ROUND_DOWN]))
def test_a_multiple_of_15_degrees_is_known_rounded_or_cut_off_at_any_four_digits_or_more(count, places, how):
    assert meant_degrees(to_places(count * PI / 12, places, how)) == 15 * count


@given(st.integers(-48, 48).filter(bool), st.integers(4, 14), st.sampled_from([-3, -2, 2, 3]))
def test_two_units_of_the_last_digit_away_a_number_means_itself(count, places, units):
    near = to_places(count * PI / 12, places) + units * Decimal(1).scaleb(-places)
    assert meant_degrees(near) is None


@pytest.mark.parametrize(
    "written", ["1.5712", "1.57", "1.571", "0.785", "1.5709", "3.14", "0.0001", "1e-9", "2", "0.26"]
)
def test_what_is_not_rounded_from_such_an_angle_means_itself(written):
    assert meant_degrees(Decimal(written)) is None


@pytest.mark.parametrize(
    ("written", "degrees"),
    [("1.5708", 90), ("1.5707", 90), ("-1.57079632679", -90), ("3.14159", 180), ("1.5708E+00", 90), ("15.708e-1", 90),
     ("0.2618", 15), ("2.6180", 150), ("1.5707963267948961", 90), ("0", 0), ("1e-16", 0)],
)  # fmt: skip
def test_angles_as_files_write_them(written, degrees):
    assert meant_degrees(Decimal(written)) == degrees


@given(st.floats(-7, 7))
def test_a_number_of_full_length_moves_by_no_more_than_the_accuracy_of_an_angle(radians):
    written = Decimal(repr(radians))
    degrees = meant_degrees(written) if -written.as_tuple().exponent >= 15 else None  # type: ignore[operator]
    assert degrees is None or abs(radians - math.radians(degrees)) < 2e-15


def test_the_sines_are_those_of_multiples_of_half_of_15_degrees():
    for step, sine in enumerate(SINES):
        assert float(sine) == pytest.approx(math.sin(step * math.pi / 24), abs=2e-16)
        assert abs(sine * sine + SINES[12 - step] ** 2 - 1) < Fraction(1, 10**39)


def units(*words: str) -> tuple[Fraction, ...] | None:
    return meant_unit([Decimal(word) for word in words])


def test_a_rounded_quaternion_is_the_rotation_it_is_rounded_from():
    meant = units("0.7071", "0", "-0.70711", "0")
    assert meant is not None
    turn = quaternion(*meant).rotation
    assert turn == ((0, 0, -1), IDENTITY[1], (1, 0, 0))
    eighth = units("0.92388", "0", "0", "0.382683")
    assert eighth is not None
    assert quaternion(*eighth).steps[0].amount.radians == pytest.approx(math.pi / 4, abs=1e-15)


@pytest.mark.parametrize(
    "words",
    [("0.7071", "0.7072", "0"), ("0.707", "0.707", "0"), ("0.5", "0.7071", "0"), ("1", "1", "0"), ("0.6", "0.8", "0"),
     ("0.866", "0.5", "0"), ("0", "0", "1e-6", "1")],
)  # fmt: skip
def test_components_that_make_no_unit_vector_together_mean_themselves(words):
    assert units(*words) is None


@given(st.floats(-7, 7))
def test_a_written_angle_is_read_as_itself(radians):
    text = spelled_out(repr(radians))
    degrees = meant_degrees(Decimal(text))
    assert Fraction(Decimal(text)) == Fraction(Decimal(repr(radians)))
    assert degrees is None or abs(Fraction(Decimal(text)) - degrees * PI / 180) <= Fraction(1, 10**15)


def test_a_short_angle_gets_the_zeros_that_tell_it_from_the_meant_one():
    assert spelled_out("1.5708") == "1.5708000000000000"
    assert spelled_out("1.5712") == "1.5712"
    assert spelled_out("3.141592653589793") == "3.141592653589793"

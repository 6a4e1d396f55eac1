"""Numbers as people write them: what they are worth, exactly, and what is refused."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalembert.arm.errors import ArmError
from dalembert.arm.exact import Angle
from dalembert.arm.io.angle_reading import AngleReading
from dalembert.arm.io.expression import Quantity, angle, quantity


@pytest.mark.parametrize(
    ("written", "plain", "turns"),
    [
        (3, 3, 0),
        (Decimal("0.4318"), Fraction(4318, 10000), 0),
        ("1/3", Fraction(1, 3), 0),
        ("2*0.5e1 - 1", 9, 0),
        (".5", Fraction(1, 2), 0),
        ("3.", 3, 0),
        ("-(1 + 2)*3/-4", Fraction(9, 4), 0),
        ("8/2/2", 2, 0),
        ("1 - 2 - 3", -4, 0),
        ("pi", 0, 1),
        ("-3*pi/4", 0, Fraction(-3, 4)),
        ("pi/2 + 1", 1, Fraction(1, 2)),
        ("90 deg", 0, Fraction(1, 2)),
        ("1/2 deg", 0, Fraction(1, 360)),
        ("-30deg", 0, Fraction(-1, 6)),
        ("1.5 rad", Fraction(3, 2), 0),
    ],
)
def test_a_number_is_exactly_what_it_spells(written: object, plain: Fraction, turns: Fraction) -> None:
    assert quantity(written, "x") == Quantity(Fraction(plain), Fraction(turns))


@given(st.fractions(), st.fractions())
def test_fractions_read_back_as_themselves(a: Fraction, b: Fraction) -> None:
    if max(abs(a), abs(b), abs(a - b)) <= 10**30:
        assert quantity(f"({a}) - ({b})", "x").plain == a - b


def test_right_angles_are_exact_however_they_are_written() -> None:
    for written in ("pi/2", "90 deg", "0.5*pi", "2*pi - 3*pi/2"):
        assert angle(written, "x", AngleReading()) == Angle.quarters(1)


def test_degrees_round_as_the_standard_library_rounds_them() -> None:
    for degrees in (1, 33.3, -170, 266):
        assert float(quantity(f"{degrees} deg", "x")) == math.radians(degrees)
    assert float(quantity("pi", "x")) == math.pi


def test_a_table_gives_a_point_of_the_circle_exactly() -> None:
    found = angle({"cos": "3/5", "sin": Decimal("-0.8")}, "x", AngleReading())
    assert (found.cos, found.sin) == (Fraction(3, 5), Fraction(-4, 5))
    assert found.radians == math.atan2(-0.8, 0.6)


@pytest.mark.parametrize(
    "written",
    [
        *("", " ", "+", "1 +", "(1", "1)", "()", "1 2", "pi pi", "pi*pi", "1/pi", "1/0", "0/0", "pi deg", "90 degrees"),
        *("deg", "90 deg deg", "two", "e", "1e", "0x10", "1_000", "1,5", "nan", "inf", "__import__('os')", "2**3"),
        *("1e31", "1e500", "1e-500", "1e999999999999999999", "9" * 5000, "(" * 50 + "1" + ")" * 50, "1" + "+1" * 9000),
        *("1e99999999999999999999", "1" + "/1e400" * 1600, "1" + "*1e-399" * 1200, "²"),
        *(None, True, [], {}, 1.5j, b"1", Decimal("nan"), Decimal("inf"), 10**40, Decimal("1e40"), Decimal("1e-999")),
        *("\u0661", "1\u00b2", "\u2212" + "1"),
    ],
)  # fmt: skip
def test_anything_else_is_refused_by_name(written: object) -> None:
    with pytest.raises(ArmError, match=r"^the mass") as caught:
        quantity(written, "the mass")
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "written",
    [
        *({"cos": 1}, {"cos": Decimal("0.7"), "sin": Decimal("0.7")}, {"cos": 1, "sin": 0, "tan": 0}),
        *({"cos": 1, "sin": 0, "radians": 1}, "1e7", "1e30 deg"),
    ],
)
def test_angles_that_are_none_are_refused(written: object) -> None:
    with pytest.raises(ArmError, match=r"^the twist"):
        angle(written, "the twist", AngleReading())


@given(st.text(alphabet="0123456789.+-*/() piedgra", max_size=40))
def test_any_text_is_a_number_or_an_error(text: str) -> None:
    try:
        found = quantity(text, "x")
    except ArmError:
        return
    assert abs(found.plain) <= 10**30

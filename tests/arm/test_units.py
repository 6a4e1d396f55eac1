"""Units: the factors of SciPy, products and quotients of them, and back again."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import constants

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.arm.units import WORDS
from dalembert.design.ounces import INCH, OUNCE


@pytest.mark.parametrize(
    ("unit", "factor"),
    [
        ("in", constants.inch), ("ft", constants.foot), ("lb", constants.lb), ("lbf", constants.lbf),
        ("slug", constants.slug), ("hp", constants.hp), ("kgf", constants.kgf), ("deg", constants.degree),
        ("arcmin", constants.arcmin), ("arcsec", constants.arcsec), ("rpm", 2 * math.pi / 60),
        ("rev/min", math.pi / 30),        ("g cm^2", 1e-7), ("oz in", OUNCE * INCH), ("oz in s^2", OUNCE * INCH),
        ("lbf ft", constants.lbf * constants.foot),
        ("deg/s^2", constants.degree), ("mNm/A", 1e-3), ("V/krpm", 60 / (2000 * math.pi)), ("kg m^2", 1.0),
    ],
)  # fmt: skip
def test_a_unit_is_what_scipy_has(unit: str, factor: float) -> None:
    assert da.si(1.0, unit) == pytest.approx(factor, rel=4e-16)


@pytest.mark.parametrize("word", WORDS)
def test_there_and_back_is_the_same_number(word: str) -> None:
    values = np.array([[1.0, -2.5], [3e8, 0.0]])
    assert np.allclose(da.in_unit(da.si(values, f"{word}^2"), f"{word}^2"), values, rtol=1e-15, atol=0)


def test_a_number_stays_a_number() -> None:
    assert isinstance(da.si(90, "deg"), float)
    assert da.si(90, "deg") == math.pi / 2


@pytest.mark.parametrize("unit", ["", "furlong", "oz..in", "/s", "m^", "m^99", "2 m", "m" * 100, None, 3])
def test_what_is_no_unit_is_refused(unit: str) -> None:
    with pytest.raises(ArmError, match="unit"):
        da.si(1.0, unit)


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ArmError, match="no number"):
        da.si("x", "m")

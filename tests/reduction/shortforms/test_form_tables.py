"""Units of the constants of short forms."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.equations.names import coefficient_unit
from dalembert.reduction.shortforms.form_tables import constant_unit


@pytest.mark.parametrize(
    ("name", "powers", "unit"),
    [
        ("D22", (), "kg m^2"),
        ("D22", (("c5", 1), ("q3", 1)), "kg m"),
        ("D11", (("q3", 2), ("s2", 2)), "kg"),
        ("D33", (), "kg"),
        ("D13", (("s2", 1),), "kg m"),
        ("G2", (("s2", 1),), "N m"),
        ("G2", (("q3", 1), ("s2", 1)), "N"),
        ("C333", (("q3", 1),), "kg m^-2"),
    ],
)
def test_a_sliding_position_takes_a_metre_off_the_unit_of_its_constant(name, powers, unit) -> None:
    """b4 of Bejczy 1974, Table 4, is in kg, b3 and b5 in kg m, b1 in kg m^2."""
    assert constant_unit(coefficient_unit(da.load("jpl-rrp"), name), powers) == unit

"""Numbers as they are printed: what is proved to be a bound stays one."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from dalembert.cli.printing import bounds
from dalembert.markup.data_tables import Column, displayed
from dalembert.markup.numbers import formatted, not_below, within_percent


@pytest.mark.parametrize("digits", [2, 3, 5])
def test_a_bound_of_few_digits_is_not_below_the_bound_and_nearly_it(digits: int) -> None:
    rng = random.Random(1)
    for _ in range(300):
        x = rng.uniform(-10, 10) * 10.0 ** rng.randint(-200, 200)
        text = f"{not_below(x, digits):.{digits}g}"
        assert Fraction(x) <= Fraction(text) <= Fraction(x) + abs(Fraction(x)) * 10 ** (1 - digits)
    assert [not_below(x, digits) for x in (0.0, 0.25, math.inf)] == [0.0, 0.25, math.inf]


def test_proved_columns_are_rounded_outwards_and_are_zero_for_zero_alone() -> None:
    """Rounded to the nearest, 0.123441 is 0.1234, which is not proved."""
    assert bounds([0.1234501, 1e-20, 0.0]) == ["0.12346", "1e-20  ", "0      "]
    assert displayed(Column("", "", kind="number bound"), 0.123441) == "0.1235"
    assert displayed(Column("", "", kind="number floor"), 0.123459) == "0.1234"
    assert displayed(Column("", "", kind="share bound"), 0.123441).startswith("12.4")
    assert displayed(Column("", "", kind="number"), 0.123441) == formatted(0.123441) == "0.1234"
    assert within_percent(0.01231, 2).startswith("1.3")

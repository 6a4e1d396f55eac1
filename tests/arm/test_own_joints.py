"""The joint that each motor drives, of all that it turns with."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest

from dalembert.arm.own_joints import own_joints

WRIST = {
    "m4": (("j4", Fraction(76)),),
    "m5": (("j4", Fraction(-90)), ("j5", Fraction(72))),
    "m6": (("j4", Fraction(-1)), ("j5", Fraction(-130)), ("j6", Fraction(77))),
}
"""A triangular transmission whose couplings turn motors more than their own joints do."""
OWN = {"m4": "j4", "m5": "j5", "m6": "j6"}


@pytest.mark.parametrize("order", list(permutations(WRIST)))
def test_a_triangular_transmission_gives_each_motor_its_joint_in_any_order(order: tuple[str, ...]) -> None:
    found = own_joints([WRIST[motor] for motor in order], ("j4", "j5", "j6"))
    assert found == [OWN[motor] for motor in order]


def test_where_the_motor_of_a_locked_joint_is_gone_the_others_keep_theirs() -> None:
    assert own_joints([WRIST["m6"], WRIST["m5"]], ("j5", "j6")) == ["j6", "j5"]


def test_motors_of_one_joint_drive_it_and_one_that_helps_several_has_none_of_its_own() -> None:
    helper = (("j1", Fraction(2)), ("j2", Fraction(3)))
    twins = [(("j1", Fraction(9)), ("j2", Fraction(0))), (("j1", Fraction(9)),), (("j2", Fraction(9)),)]
    assert own_joints([helper, *twins], ("j1", "j2")) == [None, "j1", "j1", "j2"]


def test_in_doubt_the_largest_ratio_counts_and_then_the_order() -> None:
    mixed = [(("j1", Fraction(2)), ("j2", Fraction(30))), (("j1", Fraction(40)), ("j2", Fraction(1)))]
    assert own_joints(mixed, ("j1", "j2")) == ["j2", "j1"]
    differential = [(("j1", Fraction(5)), ("j2", Fraction(5))), (("j1", Fraction(5)), ("j2", Fraction(-5)))]
    assert own_joints(differential, ("j1", "j2")) == ["j1", "j2"]

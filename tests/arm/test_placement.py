"""Placements are exact rigid motions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalembert.arm.errors import ArmError
from dalembert.arm.placement import IDENTITY, Placement, product, rotate, translate, transpose
from random_arms import random_placement

placements = st.randoms(use_true_random=False).map(random_placement)


def matrix(placement: Placement) -> np.ndarray:
    turn, shift = placement.exact
    return np.array([[float(x) for x in (*row, p)] for row, p in zip(turn, shift, strict=True)] + [[0, 0, 0, 1.0]])


@given(placements)
def test_every_rotation_is_exactly_orthogonal(placement):
    assert product(placement.rotation, transpose(placement.rotation)) == IDENTITY


@given(placements, placements)
def test_placements_compose_as_matrices_do(a, b):
    np.testing.assert_allclose(matrix(a @ b), matrix(a) @ matrix(b), atol=1e-14)


@given(placements)
def test_a_placement_and_its_inverse_cancel_exactly(placement):
    assert (placement @ placement.inverse()).is_identity()


@given(placements)
def test_a_matrix_is_read_back(placement):
    found = Placement.from_matrix(placement.rotation, placement.position)
    np.testing.assert_allclose(matrix(found), matrix(placement), atol=3e-15)


def test_roll_pitch_yaw_turn_about_fixed_axes():
    roll, pitch, yaw = 0.3, -0.7, 1.1
    found = Placement.from_xyz_rpy((1, 2, 3), (roll, pitch, yaw))
    expected = Placement.of(translate("x", 1), translate("y", 2), translate("z", 3), rotate("z", yaw)) @ Placement.of(
        rotate("y", pitch), rotate("x", roll)
    )
    assert found.exact == expected.exact
    assert found.position == (1, 2, 3)


def test_named_steps_are_kept_at_zero_and_nameless_ones_are_not():
    placement = Placement.of(translate("x", 0, "a1"), translate("y", 0), rotate("z", 0, "theta1"))
    assert [step.name for step in placement.steps] == ["a1", "theta1"]
    assert placement.position == (Fraction(0),) * 3


@pytest.mark.parametrize("bad", [np.diag([1, 1, -1]), 2 * np.eye(3), np.full((3, 3), np.nan)])
def test_what_is_no_rotation_is_refused(bad):
    with pytest.raises(ArmError, match="rotation"):
        Placement.from_matrix(bad)

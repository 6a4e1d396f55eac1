"""Denavit-Hartenberg rows give the transformations of the textbooks."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dalembert as da
from dalembert.arm.exact import Angle

lengths = st.floats(-1, 1).map(lambda x: round(x, 3))
angles = st.floats(-3.1, 3.1).map(lambda x: round(x, 3))


def screw(axis: int, angle: float, length: float) -> np.ndarray:
    matrix = np.eye(4)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    matrix[j, j] = matrix[k, k] = np.cos(angle)
    matrix[j, k], matrix[k, j] = -np.sin(angle), np.sin(angle)
    matrix[axis, 3] = length
    return matrix


@given(lengths, angles, lengths, angles, angles, st.booleans(), st.booleans())
def test_a_row_is_the_product_of_two_screws(a, alpha, d, theta, q, prismatic, modified):
    """Standard: Rz Tz Tx Rx (Bejczy 1974, eq. D.1). Modified: Rx Tx Rz Tz (Craig)."""
    row = {"a": a, "alpha": alpha, "d": d, "theta": theta, "mass": 1, "type": "prismatic" if prismatic else "revolute"}
    arm = da.Arm.from_dh([row], "modified" if modified else "standard")
    z = screw(2, theta, d + q) if prismatic else screw(2, theta + q, d)
    x = screw(0, alpha, a)
    np.testing.assert_allclose(arm.forward_kinematics([q]), x @ z if modified else z @ x, atol=1e-14)


def test_standard_and_modified_rows_of_one_arm_give_the_same_torques():
    """A planar arm: modified frames sit at the joint, standard ones at the end of the link."""
    standard = da.Arm.from_dh(
        [{"a": 1.0, "mass": 2, "com": (-0.4, 0.1, 0), "inertia": (0.1, 0.2, 0.3)}] * 2, gravity=(0, -9.81, 0)
    )
    modified = da.Arm.from_dh(
        [
            {"mass": 2, "com": (0.6, 0.1, 0), "inertia": (0.1, 0.2, 0.3)},
            {"a": 1.0, "mass": 2, "com": (0.6, 0.1, 0), "inertia": (0.1, 0.2, 0.3)},
        ],
        "modified",
        gravity=(0, -9.81, 0),
    )
    state = np.random.default_rng(0).normal(size=(3, 10, 2))
    np.testing.assert_allclose(standard.inverse_dynamics(*state), modified.inverse_dynamics(*state), atol=1e-13)


@pytest.mark.parametrize(
    ("rows", "options", "said"),
    [
        ([], {}, "at least one row"),
        ([{"A": 1}], {}, "row 1: unknown entry 'A'"),
        ([(1, 2, 3, 4)], {}, "row 1 must be a DHRow"),
        ([{"type": "helical"}], {}, "revolute or prismatic"),
        ([{"mass": 1}], {"convention": "craig"}, '"standard" or "modified"'),
        ([{"a": float("nan")}], {}, "a1 must be finite"),
        ([{"mass": 1, "inertia": (1, 1, 1), "gyration": (1, 1, 1)}], {}, "keep one"),
    ],
)
def test_a_wrong_row_is_refused_by_number_or_name(rows, options, said):
    with pytest.raises(da.ArmError, match=said):
        da.Arm.from_dh(rows, **options)


def test_text_in_rows_is_read_as_in_files() -> None:
    written = {"a": "1/4", "alpha": "90 deg", "theta": "-pi/3", "d": "0.1", "lower": "-170 deg", "upper": "pi"}
    meant = {"a": Fraction(1, 4), "alpha": math.pi / 2, "theta": -math.pi / 3, "d": 0.1, "upper": math.pi}
    text, numbers = (da.Arm.from_dh([row]) for row in (written, {**meant, "lower": math.radians(-170)}))
    np.testing.assert_allclose(text.forward_kinematics([0.3]), numbers.forward_kinematics([0.3]), atol=1e-15)
    assert text.joints[0].limits == numbers.joints[0].limits
    assert text.joints[0].after.steps[-1].amount == Angle.quarters(1)
    for key in ("alpha", "a", "upper"):
        with pytest.raises(da.ArmError, match=f"row 1: {key}.*'ninety'"):
            da.Arm.from_dh([{key: "ninety"}])

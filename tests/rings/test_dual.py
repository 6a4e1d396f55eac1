"""Dual numbers carry exact derivatives."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import dalembert as da
from dalembert.equations.derive import EquationsModel
from dalembert.rings.dual import Dual, Duals, slope_of, value_of
from dalembert.rings.real import REAL

numbers = st.floats(0.5, 2.0)
RING = Duals(REAL)


@given(numbers, numbers)
def test_sums_products_quotients_and_roots_follow_the_chain_rule(a, b):
    x, y = RING.variable(a, 0), RING.variable(b, 1)
    sin, cos = RING.sincos(x * y)
    found = RING.divide(sin * x - 3 * y, RING.sqrt(y)) + 1 - cos
    root = np.sqrt(b)
    to_x = (b * np.cos(a * b) * a + np.sin(a * b)) / root + b * np.sin(a * b)
    to_y = (a * a * np.cos(a * b) - 3) / root - (a * np.sin(a * b) - 3 * b) / (2 * b * root) + a * np.sin(a * b)
    assert np.isclose(value_of(found), (a * np.sin(a * b) - 3 * b) / root + 1 - np.cos(a * b), rtol=1e-13)
    assert np.isclose(slope_of(found, 0), to_x, rtol=1e-12)
    assert np.isclose(slope_of(found, 1), to_y, rtol=1e-12)


def test_a_number_that_does_not_depend_on_a_variable_has_no_slope_to_it():
    x, y = RING.variable(2.0, 0), RING.variable(3.0, 1)
    assert set((x * x).tangents) == {0}
    assert set((x * y - y).tangents) == {0, 1}
    assert slope_of(x, 1) == 0
    assert slope_of(1.0, 0) == 0


def test_a_structural_zero_costs_no_slope():
    """Speeds that are only looked at for their slopes: a product of two is nothing, one with a number has its slope."""
    x, y = RING.variable(0, 0), RING.variable(0, 1)
    assert type(x * y) is int
    assert x * y == 0
    assert (x * RING.variable(3.0, 1)).tangents == {0: 3.0}
    assert (RING.variable(3.0, 1) * x).tangents == {0: 3.0}


def test_polynomials_give_way_to_dual_numbers_over_them():
    model = EquationsModel(da.load("planar-2r"))
    sin, cos = model.ring.sincos(model.ring.positions[0])
    x = Duals(model.ring).variable(cos, 0)
    for found, value, slope in ((sin * x, sin * cos, sin), (sin + x, sin + cos, 1), (sin - x, sin - cos, -1)):
        assert value_of(found) == value
        assert slope_of(found, 0) == slope


def test_an_array_on_the_left_gives_way():
    found = np.array([1.0, 2.0]) * RING.variable(np.array([3.0, 4.0]), 0)
    assert isinstance(found, Dual)
    np.testing.assert_array_equal(found.value, [3.0, 8.0])

"""No speeds and accelerations make a larger torque error at a position than what is taken for the largest."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.certificates.grids import ROOM
from dalembert.certificates.speeds import largest_error

KEYS = [
    ("D", 0, 0),
    ("D", 0, 1),
    ("G", 0),
    ("C", 0, 0, 0),
    ("C", 0, 1, 1),
    ("C", 0, 0, 1),
    ("C", 0, 0, 2),
    ("C", 0, 1, 2),
]
NOTHING = np.array([-np.inf])


@pytest.mark.parametrize("seed", range(40))
def test_no_state_has_a_larger_error_than_the_largest(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(1, len(KEYS))) * 10.0 ** rng.uniform(-2, 1, len(KEYS))
    most = float(largest_error(KEYS)(values, NOTHING)[0])
    assert most <= ROOM * np.abs(values).sum()
    x = rng.uniform(-1, 1, (4000, 3))
    x[1000:] = np.where(rng.random((3000, 3)) < 0.6, np.sign(x[1000:]) * (np.abs(x[1000:]) > 0.3), x[1000:])
    factors = [rng.choice([-1, 1], 4000), rng.choice([-1, 1], 4000), np.ones(4000)]
    factors += [x[:, key[2]] * x[:, key[3]] for key in KEYS[3:]]
    assert np.abs(np.array(factors).T @ values[0]).max() <= ROOM * most
    none = largest_error(KEYS[:3])(values[:, :3], NOTHING)
    assert none == pytest.approx(np.abs(values[:, :3]).sum())


@pytest.mark.parametrize("seed", range(10))
def test_one_square_below_zero_is_taken_exactly(seed):
    """With one C_jj below zero and no other, knots are the largest error itself."""
    rng = np.random.default_rng(seed)
    keys = [("G", 0), ("C", 0, 1, 1), ("C", 0, 0, 1), ("C", 0, 1, 2)]
    w = np.array([5.0, -1.0, *rng.uniform(-1.5, 1.5, 2)])
    x = np.linspace(-1, 1, 801)
    slopes = [abs(s * w[2] + t * w[3]) for s in (-1, 1) for t in (-1, 1)]
    largest = max(float((w[0] + w[1] * x**2 + slope * x).max()) for slope in slopes)
    assert largest_error(keys)(w[None], NOTHING)[0] == pytest.approx(largest, rel=1e-5)


def test_speeds_that_cannot_all_be_against_each_other_make_an_error_smaller():
    """Of x1 x2, x2 x3 and -x1 x3 one is at least as much below zero as another is above it."""
    keys = [("G", 0), ("C", 0, 0, 1), ("C", 0, 1, 2), ("C", 0, 0, 2)]
    assert largest_error(keys)(np.array([[2.0, 1.0, 1.0, -1.0]]), np.zeros(1)) == pytest.approx(3.0)
    # -x^2 + x y is a quarter at most: knots show it, corners do not
    keys = [("G", 0), ("C", 0, 0, 0), ("C", 0, 0, 1)]
    assert largest_error(keys)(np.array([[10.0, -1.0, 1.0]]), np.zeros(1)) == pytest.approx(10.25)
    # -x^2 - y^2 + x y is nowhere above zero, and a quarter for y is what knots leave to it
    keys = [*keys[:2], ("C", 0, 1, 1), keys[2]]
    assert 10.0 <= largest_error(keys)(np.array([[10.0, -1.0, -1.0, 1.0]]), np.zeros(1)) <= 10.25 * (1 + 1e-8)

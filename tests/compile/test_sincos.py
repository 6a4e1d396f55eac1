"""Our sine and cosine are within 2 ulp at every argument."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import dalembert as da
from dalembert.compile import sincos
from dalembert.compile.functions import function
from dalembert.compile.kernel import Kernel

mpmath = pytest.importorskip("mpmath")
pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler")

ARM = da.Arm.from_dh([{"mass": 1, "inertia": (1, 1, 1)}])


def taken(angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sine and cosine as the compiled frame of a single joint has them."""
    frame = Kernel(function(ARM, "forward_kinematics"), str(angles.dtype))(angles[:, None])
    return frame[:, 1, 0], frame[:, 0, 0]


def worst(angles: np.ndarray) -> float:
    """The largest error in units in the last place, against 100 digits and more."""
    most = 0.0
    with mpmath.workprec(1200):
        for angle, *found in zip(angles, *taken(angles), strict=True):
            exact = mpmath.sin(mpmath.mpf(float(angle))), mpmath.cos(mpmath.mpf(float(angle)))
            for got, right in zip(found, exact, strict=True):
                unit = float(np.spacing(abs(angles.dtype.type(float(right)))))
                most = max(most, float(abs(mpmath.mpf(float(got)) - right)) / unit)
    return most


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("low", "high"), [(0, 0.8), (0.8, 7), (7, 8191), (8185, 8200), (1e4, 1e9)])
def test_random_angles_are_within_two_ulp(dtype: str, low: float, high: float):
    rng = np.random.default_rng(0)
    angles = rng.uniform(low, high, 1500) * rng.choice([-1, 1], 1500)
    assert worst(angles.astype(dtype)) < 2


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_angles_of_every_size_are_within_two_ulp(dtype: str):
    limit = 700 if dtype == "float64" else 85
    angles = np.exp(np.random.default_rng(1).uniform(-limit, limit, 800)).astype(dtype)
    assert worst(angles) < 2


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_angles_next_to_multiples_of_a_right_angle_are_within_two_ulp(dtype: str):
    kind = np.dtype(dtype).type
    right = np.array([kind(k * np.pi / 2) for k in (*range(1, 9), *range(9, 5200, 37))])
    around = [right, np.nextafter(right, kind(0)), np.nextafter(right, kind(1e30))]
    # the hardest cases of float64 within the bound: convergents of pi, and the classical worst one beyond it
    hard = (
        []
        if dtype == "float32"
        else [np.array([11.0, 22.0, 44.0, 355.0, 710.0, 1420.0, 7455.0, 6381956970095103.0 * 2.0**797])]
    )
    assert worst(np.concatenate([*around, *hard])) < 2


def test_zero_and_what_is_not_finite():
    sine, cosine = taken(np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324]))
    assert (sine[[0, 1, 5]] == [0, 0, 5e-324]).all()
    assert (cosine[[0, 1, 5]] == 1).all()
    assert np.isnan(sine[2:5]).all()
    assert np.isnan(cosine[2:5]).all()


def test_a_lane_beyond_the_bound_leaves_its_neighbours_alone():
    angles = np.linspace(-3, 3, 64)
    sine, _ = taken(angles)
    angles[10] = 1e17
    assert (np.delete(taken(angles)[0], 10) == np.delete(sine, 10)).all()


def test_the_pieces_of_a_right_angle_add_up():
    a, b, c = (mpmath.mpf(piece) for piece in sincos.pieces())
    with mpmath.workprec(300):
        assert abs(a + b + c - mpmath.pi / 2) < mpmath.mpf(2) ** -130


def test_the_digits_of_two_over_pi_are_right():
    words = sincos.two_over_pi()
    with mpmath.workprec(64 * len(words) + 64):
        exact = int(mpmath.floor(2 / mpmath.pi * mpmath.mpf(2) ** (64 * (len(words) - 1))))
    assert sum(word << (64 * k) for k, word in enumerate(reversed(words))) == exact

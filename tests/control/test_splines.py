"""Splines through via points and s-curves: through their points, within their limits, as smooth as they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

import dalembert as da
from dalembert.control.splines import largest, stretched
from dalembert.control.trajectories import Polynomials

POINTS = np.array([[0.0, 0.1], [0.5, -0.4], [0.2, 0.3], [1.0, 0.0]])


@pytest.mark.parametrize(("kind", "smooth"), [("cubic", 2), ("quintic", 4)])
@pytest.mark.parametrize("ends", ["clamped", "natural"])
def test_a_spline_goes_through_its_points_with_continuous_derivatives(kind: str, smooth: int, ends: str) -> None:
    times = [0.0, 0.7, 1.5, 2.0]
    path = da.spline(POINTS, times, kind=kind, ends=ends)
    assert path.position(times) == pytest.approx(POINTS)
    for order in range(1, smooth + 1):
        before, after = (path.derivative(np.array(times[1:-1]) + off, order) for off in (-1e-9, 1e-9))
        assert before == pytest.approx(after, rel=1e-5, abs=1e-5)
    gone = {("cubic", "clamped"): (1,), ("cubic", "natural"): (2,), ("quintic", "clamped"): (1, 2)}.get(
        (kind, ends), (3, 4)
    )
    for order in gone:
        assert path.derivative([0.0, 2.0], order) == pytest.approx(np.zeros((2, 2)), abs=1e-9)


def test_the_cubic_is_that_of_scipy() -> None:
    times = np.array([0.0, 0.7, 1.5, 2.0])
    t = np.linspace(0, 2, 50)
    assert da.spline(POINTS, times).position(t) == pytest.approx(CubicSpline(times, POINTS, bc_type="clamped")(t))


@given(seed=st.integers(0, 2**32), kind=st.sampled_from(["cubic", "quintic"]))
def test_without_times_a_spline_uses_the_limits_and_exceeds_none(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    points = rng.uniform(-2, 2, (rng.integers(2, 7), 3))
    speed, acceleration = rng.uniform(0.2, 3, 3), rng.uniform(0.2, 9, 3)
    path = da.spline(points, kind=kind, speed=speed, acceleration=acceleration)
    t = np.linspace(0, path.duration, 2001)
    use = [np.abs(path.velocity(t)).max(axis=0) / speed, np.abs(path.acceleration(t)).max(axis=0) / acceleration]
    assert max(part.max() for part in use) <= 1 + 1e-9
    assert max(part.max() for part in use) >= 0.99
    assert largest(path, 1) == pytest.approx(np.abs(path.velocity(t)).max(axis=0), rel=1e-3)
    slower = stretched(path, 3.0)
    assert slower.position(3 * t) == pytest.approx(path.position(t), abs=1e-9)


@given(speed=st.floats(0.05, 20), acceleration=st.floats(0.05, 50), jerk=st.floats(0.05, 500), far=st.floats(0.01, 5))
def test_an_s_curve_rests_at_its_ends_and_keeps_every_limit(
    speed: float, acceleration: float, jerk: float, far: float
) -> None:
    path = da.s_curve([0.2, 0.0], [0.2 + far, -far / 3], speed, acceleration, jerk)
    t = np.linspace(0, path.duration, 999)
    limits = (speed, acceleration, jerk)
    for order, limit in enumerate(limits, start=1):
        assert np.abs(path.derivative(t, order)).max() <= limit * (1 + 1e-6)
    assert path.position(path.duration) == pytest.approx([0.2 + far, -far / 3])
    for order in (1, 2):
        assert path.derivative([0.0, path.duration], order) == pytest.approx(
            np.zeros((2, 2)), abs=1e-6 * limits[order - 1]
        )
    # one limit is used, or it would be slower than it has to be
    assert any(np.abs(path.derivative(t, o)).max() > 0.98 * x for o, x in enumerate(limits, start=1))
    assert path.duration >= da.trapezoidal([0.0], [far], speed, acceleration).duration * (1 - 1e-9)


def test_limits_that_do_not_count_are_infinite() -> None:
    """Jerk alone: four phases of half the time each way, d = 2 j (T/4)^3."""
    path = da.s_curve([0.0], [1.0], np.inf, np.inf, 32.0)
    assert path.duration == pytest.approx(4 * (1 / 64) ** (1 / 3))
    assert path.position(path.duration) == pytest.approx([1.0])


def test_wrong_splines_are_refused() -> None:
    for call, said in (
        (lambda: da.spline(POINTS), "needs the times"),
        (lambda: da.spline(POINTS, [0, 1, 1, 2]), "times that grow"),
        (lambda: da.spline(POINTS, [0, 1, 2, 3], kind="linear"), "a spline is"),
        (lambda: da.spline(POINTS, [0, 1, 2, 3], speed=0.1), "times the speed allowed"),
        (lambda: da.spline(POINTS, speed=-1.0), "speed"),
        (lambda: da.spline([[0.0], [0.0]], speed=1.0), "all points"),
        (lambda: da.spline([[0.0], [np.nan]], speed=1.0), "finite"),
        (lambda: da.s_curve([0.0], [0.0], 1, 1, 1), "starts where it ends"),
        (lambda: da.s_curve([0.0], [1.0], 1, 1, np.inf), "jerk of an s-curve is finite"),
        (lambda: da.trapezoidal([0.0], [1.0], 1, np.inf), "acceleration of a trapezoidal motion is finite"),
    ):
        with pytest.raises(da.ArmError, match=said):
            call()


@pytest.mark.parametrize("speed", [0.5, 10.0])
def test_a_path_is_gone_within_the_acceleration_that_its_bends_take_too(speed: float) -> None:
    """q'' = q_ss s'^2 + q_s s'': along (s, 2 s + s^2) both parts have the same sign while s gathers speed."""
    parabola = Polynomials(np.array([0.0, 1.0]), np.array([[[0.0, 0.0], [1.0, 2.0], [0.0, 1.0]]]))
    motion = da.timed(parabola, speed=speed, acceleration=2.0)
    t = np.linspace(0, motion.duration, 5001)[1:-1]
    use = np.abs(motion.velocity(t)).max() / speed, np.abs(motion.acceleration(t)).max() / 2.0
    assert 0.6 < max(use) <= 1 + 1e-9


@pytest.mark.parametrize("kind", ["cubic", "quintic"])
def test_a_path_is_gone_within_the_jerk_that_is_asked_for(kind: str) -> None:
    motion = da.timed(da.spline(POINTS, [0, 1, 2, 3], kind=kind), speed=10.0, acceleration=50.0, jerk=20.0)
    jerk = np.abs(motion.jerk(np.linspace(0, motion.duration, 5001))).max()
    assert 10 < jerk <= 20 * (1 + 1e-9)
    with pytest.raises(da.ArmError, match="jumps"):
        da.timed(da.trapezoidal(POINTS[0], POINTS[1], 1.0, 1.0), 1.0, 1.0, 1.0)

"""What was simulated is kept: after Ctrl-C, after a controller that fails; and no controller moves the arm by hand."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import SimulationError, SimulationInterrupt
from dalembert.mechanisms import gallery

ARM = da.load("planar-2r", physical="ignore")


@contextmanager
def interrupted(after: float) -> Iterator[None]:
    """Ctrl-C comes after so many seconds."""
    ends = threading.Event()

    def press() -> None:
        if not ends.wait(after):
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    try:
        yield
    finally:
        ends.set()
        thread.join()


def follows(motion: da.Motion) -> None:
    """The motion is that of an undisturbed run, as far as it goes."""
    assert len(motion.t) > 1
    assert "interrupted at t = " in motion.fault
    assert np.abs(motion.balance).max() < 1e-4 * motion.energy_scale


@pytest.mark.usefixtures("compiled_kernels")
def test_ctrl_c_stops_the_compiled_integrator_and_keeps_the_motion() -> None:
    ARM.simulate(np.zeros(2), [0.1, 0.2], duration=0.01, compiled=True)
    began = time.monotonic()
    with pytest.raises(SimulationInterrupt) as stop, interrupted(0.3):
        ARM.simulate(np.zeros(2), [0.1, 0.2], duration=1e6, samples=1_000_001, most_evaluations=10**12, compiled=True)
    assert time.monotonic() - began < 10
    follows(stop.value.motion)


def test_ctrl_c_keeps_the_motion_found_in_python() -> None:
    calls = 0

    def law(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        nonlocal calls
        calls += 1
        if calls == 2000:
            os.kill(os.getpid(), signal.SIGINT)
        return np.zeros(2)

    with pytest.raises(KeyboardInterrupt) as stop:
        ARM.simulate(law, [0.1, 0.2], duration=1e4, samples=1_000_001)
    assert isinstance(stop.value, SimulationInterrupt)
    follows(stop.value.motion)


@pytest.mark.usefixtures("compiled_kernels")
def test_ctrl_c_stops_many_arms_and_keeps_their_frames() -> None:
    start = np.full((8, 2), 0.1)
    whole = ARM.simulate_many([0, 0], start, duration=0.1, step=1e-3, every=10)
    with pytest.raises(SimulationInterrupt) as stop, interrupted(0.3):
        ARM.simulate_many([0, 0], start, duration=1e4, step=1e-3, every=10)
    kept = stop.value.motion
    assert 10 < len(kept.t) < 1_000_000
    np.testing.assert_array_equal(kept.q[:11], whole.q)


@pytest.mark.usefixtures("compiled_kernels")
def test_slices_of_many_steps_are_the_same_to_the_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    from dalembert.simulation import many

    start = np.random.default_rng(0).uniform(-1, 1, (5, 2))
    for every in (None, 7, 100):
        whole = ARM.simulate_many([0.1, 0], start, duration=0.7, step=1e-3, every=every)
        with monkeypatch.context() as patch:
            patch.setattr(many, "SLICE", 45)
            parts = ARM.simulate_many([0.1, 0], start, duration=0.7, step=1e-3, every=every)
        np.testing.assert_array_equal(whole.q, parts.q)
        np.testing.assert_array_equal(whole.qd, parts.qd)
        np.testing.assert_array_equal(whole.t, parts.t)


@pytest.mark.usefixtures("compiled_kernels")
def test_slices_of_the_compiled_integrator_are_the_same_to_the_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    from dalembert.control import integrated_loop

    whole = ARM.simulate([0.3, -0.1], [0.1, 0.2], duration=2.0, compiled=True)
    monkeypatch.setattr(integrated_loop, "SLICE", 30)
    parts = ARM.simulate([0.3, -0.1], [0.1, 0.2], duration=2.0, compiled=True)
    for name in ("t", "q", "qd", "work"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))
    assert (whole.steps, whole.evaluations) == (parts.steps, parts.evaluations)


def test_a_controller_that_raises_keeps_the_motion_and_its_own_exception() -> None:
    def law(t: float, q: np.ndarray, qd: np.ndarray) -> list[float]:
        return [1 / int(t < 0.5), 0]

    with pytest.raises(SimulationError, match="the controller raised ZeroDivisionError at t = ") as fault:
        ARM.simulate(law, [0.1, 0.2], duration=1.0)
    assert isinstance(fault.value.__cause__, ZeroDivisionError)
    motion = fault.value.motion
    assert 0.3 < motion.t[-1] <= 0.5
    assert len(motion.t) == len(motion.q) == len(motion.u) == len(motion.energy)
    assert np.abs(motion.balance).max() < 1e-6


def test_what_motors_did_is_kept_when_a_controller_fails() -> None:
    driven = da.load("irb6", physical="ignore").driven

    def law(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        if t > 0.005:
            raise RuntimeError("no")
        return np.zeros(len(driven.motor_names))

    with pytest.raises(SimulationError) as fault:
        driven.simulate(law, np.zeros(driven.n), duration=0.01, samples=11)
    motion = fault.value.motion
    places = motion.others["motor_position"]
    assert len(places) == len(motion.t) >= 3
    assert np.isfinite(places[:-1]).all()


def test_a_controller_cannot_move_the_arm_by_its_arguments() -> None:
    def meddling(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        q += 1.0
        qd[:] = 5.0
        return np.zeros(2)

    right = ARM.simulate(np.zeros(2), [0.1, 0.2], duration=0.5, compiled=False)
    motion = ARM.simulate(meddling, [0.1, 0.2], duration=0.5)
    np.testing.assert_array_equal(motion.q, right.q)
    assert np.abs(motion.balance).max() < 1e-6


class Enough(Exception):
    """What ends a run from outside."""


@pytest.mark.parametrize("which", ["python", "compiled", "mechanism"])
@pytest.mark.usefixtures("compiled_kernels")
def test_who_is_told_how_far_it_is_can_end_it(which: str) -> None:
    bar = gallery.four_bar().with_gravity((0, 0, 0)).compiled()  # its crank turns for ever
    system, q = (bar.as_system(), [1.0]) if which == "mechanism" else (ARM, [0.1, 0.2])
    times: list[float] = []

    def tell(t: float) -> None:
        times.append(t)
        if len(times) == 3:
            raise Enough

    with pytest.raises(Enough):
        da.simulate(
            system, np.zeros(system.n), q, np.ones(system.n), 1e4, most_evaluations=10**9, compiled=which != "python",
            tell=tell,
        )  # fmt: skip
    assert 0 < times[0] < times[1] < times[2] < 1e4

"""Dask arrays in, Dask arrays out: nothing is computed before it is asked for, and then the same bits come."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.arm.errors import ArmError
from dalembert.mechanisms import gallery
from dalembert.mechanisms.mechanism import Mechanism
from dalembert.mechanisms.overconstrained import Motors
from dalembert.mechanisms.redundant import Redundant

lazy = pytest.importorskip("dask.array")

ASKED = {
    "inverse_dynamics": 3, "forward_dynamics": 3, "bias": 2, "mass_matrix": 1, "inverse_mass_matrix": 1,
    "christoffel": 1, "coriolis_matrix": 2, "gravity_load": 1, "friction_torque": 2, "viscous_matrix": 1,
    "all_positions": 1, "transmission": 1, "transmission_slopes": 1, "kinetic_energy": 2, "potential_energy": 1,
    "inverse_dynamics_derivatives": 3, "forward_dynamics_derivatives": 3, "forward_kinematics": 1, "jacobian": 1,
}  # fmt: skip
DRIVEN = {"motor_positions": 1, "motor_velocities": 2, "motor_torques": 3, "direct_dynamics": 3, "to_motors": 2}


def states() -> list[np.ndarray]:
    return list(np.random.default_rng(0).normal(size=(3, 20, 6)))


def tables(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("driven", [False, True])
def test_every_numeric_method_takes_chunks_lazily_and_gives_the_same_bits(driven: bool) -> None:
    arm = da.load("puma560", physical="ignore")
    system: Any = arm.driven if driven else arm
    arrays = states()
    chunks = [lazy.from_array(x, chunks=(8, 3)) for x in arrays]
    asked = {**ASKED, **(DRIVEN if driven else {"regressor": 3, "joint_reactions": 3})}
    for name, count in asked.items():
        method = getattr(system, name)
        found, right = tables(method(*chunks[:count])), tables(method(*arrays[:count]))
        for got, want in zip(found, right, strict=True):
            assert isinstance(got, lazy.Array), name
            assert got.shape == want.shape, name
            np.testing.assert_allclose(got.compute(scheduler="sync"), want, rtol=1e-13, atol=1e-13, err_msg=name)


def test_forces_formulations_and_kernels_take_chunks(recwarn: pytest.WarningsRecorder) -> None:
    arm = da.load("puma560", physical="ignore")
    arrays = states()
    q, qd, qdd = (lazy.from_array(x, chunks=(7, 6)) for x in arrays)
    force = [da.Force("link6", force=(1, 2, 3))]
    cases: list[tuple[Any, Any]] = [
        (arm.inverse_dynamics(q, qd, qdd, forces=force), arm.inverse_dynamics(*arrays, forces=force)),
        (arm.forward_dynamics(q, qd, qdd, forces=force), arm.forward_dynamics(*arrays, forces=force)),
        (arm.inverse_dynamics(q, qd, qdd, "lagrange-euler"), arm.inverse_dynamics(*arrays, "lagrange-euler")),
        (arm.compile("mass_matrix")(q), arm.mass_matrix(arrays[0])),
        (arm.coriolis_matrix(q, arrays[1][0]), arm.coriolis_matrix(arrays[0], arrays[1][0])),
        (arm.holding(da.Load(mass=1)).gravity_load(q), arm.holding(da.Load(mass=1)).gravity_load(arrays[0])),
    ]  # fmt: skip
    for got, want in cases:
        assert isinstance(got, lazy.Array)
        np.testing.assert_allclose(got.compute(scheduler="sync"), want, rtol=1e-12, atol=1e-12)


def test_closed_forms_and_simplified_models_take_chunks_and_compute_nothing_yet() -> None:
    arm = da.load("planar-2r")
    equations, simplified = arm.equations(), arm.analysis().simplified()
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 9, 2))
    later = [uncomputed(x) for x in (q, qd, qdd)]
    READY.clear()
    found = [
        equations["D11"](later[0]), equations["G1"](later[0], {"g": 1.62}), *equations.values(later[0]),
        simplified.inverse_dynamics(*later), simplified.mass_matrix(later[0]),
    ]  # fmt: skip
    READY.append(True)
    right = [
        equations["D11"](q), equations["G1"](q, {"g": 1.62}), *equations.values(q),
        simplified.inverse_dynamics(q, qd, qdd), simplified.mass_matrix(q),
    ]  # fmt: skip
    for got, want in zip(found, right, strict=True):
        assert isinstance(got, lazy.Array)
        np.testing.assert_allclose(got.compute(scheduler="sync"), want, rtol=1e-13, atol=1e-13)


def test_a_state_that_is_not_finite_is_refused_when_it_is_computed_and_shapes_at_once() -> None:
    arm = da.load("puma560", physical="ignore")
    q = states()[0]
    q[13, 2] = np.nan
    later = arm.gravity_load(lazy.from_array(q, chunks=(5, 6)))
    with pytest.raises(ArmError, match="joint 'joint3'"):
        later.compute(scheduler="sync")
    with pytest.raises(ArmError, match="must end in 6"):
        arm.gravity_load(lazy.zeros((4, 5)))
    with pytest.raises(ArmError, match="real numbers"):
        arm.gravity_load(lazy.zeros((4, 6), dtype=complex))


FIVE_BAR = da.load_mechanism("examples/mechanisms/five_bar.toml")
WALKED: dict[str, Any] = {
    "arm": lambda: da.load("puma560", physical="ignore"),
    "driven": lambda: da.load("puma560", physical="ignore").driven,
    "its motors": lambda: da.load("puma560", physical="ignore").driven.electric,
    "reduced": lambda: da.load("planar-2r").analysis().reduce(0.05),
    "mechanism": lambda: FIVE_BAR,
    "mechanism in its coordinates": lambda: FIVE_BAR.as_system(),
}
ONE_STATE = ("linearize", "sensitivity", "assembly_modes")
"""Methods of one state, which take no batches of any kind."""


RATES = ("qd", "qdd", "jerk", "tau", "joint_torque", "motor_torque", "motors", "current", "voltage")
"""Arguments that are any numbers, one of each joint (of each motor, of which there are as many)."""


def uncomputed(array: np.ndarray) -> Any:
    """Its chunks, which raise where they are computed before ``ready`` is set."""

    def chunk(part: np.ndarray) -> np.ndarray:
        assert READY, "computed before it was asked for"
        return part

    chunked = lazy.from_array(array, chunks=(4, -1))
    return chunked.map_blocks(chunk, dtype=array.dtype, meta=np.empty((0, 0), array.dtype))


READY: list[bool] = []


def leaves(found: Any, count: int) -> list[Any]:
    """All arrays of an answer that have a batch of ``count``."""
    if dataclasses.is_dataclass(found):
        found = {field.name: getattr(found, field.name) for field in dataclasses.fields(found)}
    if isinstance(found, dict | tuple | list):
        parts = found.values() if isinstance(found, dict) else found
        return [leaf for part in parts for leaf in leaves(part, count)]
    return [found] if hasattr(found, "shape") and found.shape[:1] == (count,) else []


@pytest.mark.parametrize("name", WALKED)
def test_whatever_method_takes_batches_of_states_takes_them_lazily(name: str) -> None:
    system, count = WALKED[name](), 9
    rng = np.random.default_rng(3)
    phi = np.tile(FIVE_BAR.home, (count, 1))
    n = system.driven.n if name == "its motors" else system.n
    q = 0.3 * rng.normal(size=(count, n))
    if name.startswith("mechanism"):
        q = FIVE_BAR.coordinates_of(FIVE_BAR.home) + 0.1 * q
    known = {"q": q, "phi": phi, "rate": phi} | {x: rng.normal(size=(count, n)) for x in RATES}
    asked = 0
    for word in dir(type(system)):
        method = getattr(type(system), word)
        if word.startswith("_") or word in ONE_STATE or not inspect.isfunction(method):
            continue
        parameters = inspect.signature(method).parameters.values()
        needed = [x.name for x in parameters if x.default is x.empty or x.name in RATES][1:]
        if not needed or not set(needed) <= set(known):
            continue
        given = [known[x] for x in needed]
        try:
            right = leaves(getattr(system, word)(*given), count)
        except ArmError:
            continue  # not one of this system
        READY.clear()
        found = leaves(getattr(system, word)(**{x: uncomputed(known[x]) for x in needed}), count)
        READY.append(True)
        assert len(found) == len(right), word
        for got, want in zip(found, right, strict=True):
            assert isinstance(got, lazy.Array), word
            assert got.dtype == want.dtype, word
            np.testing.assert_allclose(got.compute(scheduler="sync"), want, rtol=1e-9, atol=1e-9, err_msg=word)
        asked += 1
    assert asked >= 9


def test_shared_motors_and_motions_to_spare_take_chunks_and_compute_nothing_yet() -> None:
    rng, count = np.random.default_rng(4), 6
    hand = Motors(gallery.two_fingered_hand(), ["left.joint1", "left.joint2", "right.joint1", "right.joint2"])
    bar = hand.mechanism
    phi = bar.position(bar.coordinates_of(bar.home) + 0.01 * rng.normal(size=(count, bar.n)))
    qd, qdd = rng.normal(size=(2, count, bar.n))
    arm = da.load("panda")
    home = np.array([0.2, -0.5, 0.3, -1.9, 0.4, 1.6, 0.7])
    led = Redundant(Mechanism({"arm": arm}, [], [f"arm.{name}" for name in arm.joint_names], home=home), "arm")
    joints, rates = home + 0.1 * rng.normal(size=(count, 7)), rng.normal(size=(count, 7))
    ud, udd = rng.normal(size=(2, count, 6))
    asked: list[tuple[Any, list[np.ndarray]]] = [
        (hand.influence, [phi]), (hand.least_squares, [phi, qd]), (hand.partial_model, [phi]),
        (functools.partial(hand.distribute, contacts=False), [phi, qd, qdd]),
        (led.influence, [joints]), (led.inverse_influence, [joints]), (led.partial_model, [joints]),
        (led.rates, [joints, ud]), (led.accelerations, [joints, rates, udd]), (led.least_torque, [joints, rates, udd]),
    ]  # fmt: skip
    for method, states in asked:
        right = leaves(method(*states), count)
        READY.clear()
        found = leaves(method(*map(uncomputed, states)), count)
        READY.append(True)
        assert len(found) == len(right) > 0
        for got, want in zip(found, right, strict=True):
            assert isinstance(got, lazy.Array)
            np.testing.assert_allclose(got.compute(scheduler="sync"), want, rtol=1e-9, atol=1e-9)


def test_poses_are_solved_chunk_by_chunk() -> None:
    arm = da.load("puma560", physical="ignore")
    q = 0.3 * np.random.default_rng(1).normal(size=(6, 6))
    pose = arm.forward_kinematics(q)
    found = arm.inverse_kinematics(lazy.from_array(pose, chunks=(2, 4, 4)), near=q)
    assert isinstance(found.q, lazy.Array)
    assert found.converged.dtype == bool
    np.testing.assert_allclose(found.q.compute(), q, atol=1e-7)
    points = arm.inverse_kinematics(lazy.from_array(pose[:, :3, 3], chunks=(2, 3)), task="position")
    np.testing.assert_allclose(arm.forward_kinematics(points.q)[:, :3, 3], pose[:, :3, 3], atol=1e-6)
    with pytest.raises(ArmError, match="leave solutions out"):
        arm.inverse_kinematics(lazy.from_array(pose), solutions=True)


def test_threads_do_not_mix_up_where_a_mechanism_was() -> None:
    system = FIVE_BAR.as_system()
    q = FIVE_BAR.coordinates_of(FIVE_BAR.home) + 0.2 * np.random.default_rng(2).normal(size=(240, 2))
    found = system.joints(lazy.from_array(q, chunks=(10, 2))).compute(scheduler="threads", num_workers=4)
    np.testing.assert_allclose(found, system.joints(q), atol=1e-9)


def test_what_chunks_cannot_follow_is_refused_by_a_sentence() -> None:
    arm = da.load("puma560", physical="ignore")
    q = lazy.from_array(states()[0], chunks=(8, 6))
    some = q[q[:, 0] > 0]  # of as many rows as are found when it is computed
    with pytest.raises(ArmError, match="chunks of unknown length"):
        arm.bias(some, some)
    assert np.array_equal(arm.gravity_load(some).compute(), arm.gravity_load(some.compute()))
    with pytest.raises(ArmError, match="must broadcast against each other"):
        arm.bias(q, q[:7])
    for count in (2, 20):  # as many as the probe has, and as there are states
        with pytest.raises(ArmError, match="force on link 'link6' must be one vector"):
            arm.inverse_dynamics(q, q, q, forces=[da.Force("link6", np.ones((count, 3)))])

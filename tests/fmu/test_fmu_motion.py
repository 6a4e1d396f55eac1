"""An FMU moves as ``simulate`` moves the system it was written of: model exchange and co-simulation, events in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy import simulate_fmu

import dalembert as da
from coupled_arms import laden
from dalembert.mechanisms import gallery
from fmu_importer import exchanged, imported, stepped
from small_arms import rubbing, slider

TIGHT = {"rtol": 1e-11, "atol": 1e-13, "max_step": 0.01}


def motions(
    system: Any, u: Any, q: Any, qd: Any, duration: float, folder: Path, parameters: dict[str, Any] | None = None,
    fmu_of: Any = None, version: str = "2.0", kind: str | None = None, **options: Any,
) -> tuple[da.Motion, dict[str, np.ndarray]]:  # fmt: skip
    """The motion by ``simulate``, and (q, qd) of the FMU of ``fmu_of``, or of the same system, by both ways."""
    da.write_fmu(fmu_of or system, folder / "system.fmu", version=version, input=kind, **options)
    times = np.linspace(0, duration, 21)
    motion = da.simulate(system, u, q, qd, duration, times=times, input=kind, **TIGHT, **options)
    found = {}
    for exchange, run in ((False, stepped), (True, exchanged)):
        with imported(folder / "system.fmu", exchange, folder / str(exchange), 1e-11) as fmu:
            names = fmu.named("q.") + fmu.named("qd.")
            inputs = [v.name for v in fmu.description.modelVariables if v.causality == "input"]
            start = dict(zip(names, [*q, *qd], strict=True)) | dict(zip(inputs, u, strict=True)) | (parameters or {})
            found["exchange" if exchange else "steps"] = run(fmu, start, times, names)
    return motion, found


def agree(motion: da.Motion, found: dict[str, np.ndarray]) -> None:
    """Both ways to 1e-8, which is a hundred times what the tolerances of the integrations leave."""
    right = np.hstack([motion.q, motion.qd])
    for way, states in found.items():
        assert np.abs(states - right).max() < 1e-8, way


def test_links_alone_and_with_a_load(tmp_path: Path) -> None:
    arm = da.load("planar-2r").holding(da.Load(1.2, (0.1, 0.02, 0), (0.01, 0.02, 0.03)))
    agree(*motions(arm, [1.0, 0.2], [0.3, 0.2], [0.0, 1.0], 0.6, tmp_path))


@pytest.mark.parametrize("seed", [4, 8])
def test_everything_an_arm_can_carry(tmp_path: Path, seed: int) -> None:
    """Drives, rotors, an element, friction that differs both ways, followers, springs, dampers, a load."""
    system = laden(seed).driven
    rng = np.random.default_rng(seed)
    q, qd = rng.uniform(-1, 1, (2, system.n))
    u = rng.uniform(-3, 3, len(system.motor_names))
    motion, found = motions(system, u, q, qd, 0.3, tmp_path, version="3.0", saturate=False)
    assert len(motion.events) >= 3
    agree(motion, found)


def test_friction_and_stops_that_bounce(tmp_path: Path) -> None:
    system = da.load("jpl-rrp").driven
    start = [0, 0.5, 0.5, 0, 0.3, 0]
    motion, found = motions(system, np.zeros(6), start, np.zeros(6), 0.8, tmp_path, stops=True, restitution=0.3)
    assert {"stop", "sticks"} <= {event.kind for event in motion.events}
    agree(motion, found)


def test_a_joint_that_leans_on_its_stop_is_pulled_off_it_against_its_friction(tmp_path: Path) -> None:
    """The friction of a joint and its stop share a load: rows that depend on each other."""
    block = rubbing(slider(lower=-0.1, upper=0.05), da.Friction.of(1.0, 3.0, 0.5))
    motion, found = motions(block, [4.0], [0.0], [0.0], 0.6, tmp_path, stops=True)
    assert [event.kind for event in motion.events][:1] == ["stop"]
    agree(motion, found)
    with imported(tmp_path / "system.fmu", False, tmp_path / "again", 1e-11) as fmu:
        fmu.initialise({"q.rail": 0.05, "motor.drive0": 4.0})
        for k, (force, slides) in enumerate(((4.0, 0), (-2.9, 0), (-3.1, -1))):
            fmu.set({"motor.drive0": force})
            fmu.fmu.doStep(0.01 * k, 0.01)
            assert fmu.get("slides.rail") == slides


def test_bounces_without_a_last_one_are_left_to_time_steps(tmp_path: Path) -> None:
    """Joints between stops and friction: the same stretch in time steps, and the same motion after it."""
    rng = np.random.default_rng(106)
    arm = laden(106, joints=int(rng.integers(2, 5)))
    narrow = [replace(j.limits, lower=-0.5 - rng.random(), upper=0.5 + rng.random()) for j in arm.joints]
    system = replace(arm, joints=tuple(map(lambda j, own: replace(j, limits=own), arm.joints, narrow))).driven
    q = np.clip(rng.uniform(-1, 1, system.n), system.lower, system.upper)
    qd = rng.uniform(-3, 3, system.n) * (rng.random(system.n) > 0.3)
    u = rng.uniform(-30, 30, len(system.motor_names)) * rng.random()
    bounces = {"stops": True, "restitution": float(rng.choice([0, 0.3, 0.7])), "saturate": False}
    da.write_fmu(system, tmp_path / "arm.fmu", **bounces)
    times = np.array([0.0, 0.49])
    motion = da.simulate(system, u, q, qd, 0.49, times=times, **TIGHT, **bounces)
    assert motion.stepped
    with imported(tmp_path / "arm.fmu", False, tmp_path / "x", 1e-11) as fmu:
        names = fmu.named("q.") + fmu.named("qd.")
        start = dict(zip(names, [*q, *qd], strict=True)) | dict(zip(fmu.named("motor."), u, strict=True))
        found = stepped(fmu, start, times, names)
    assert np.abs(found[-1] - np.hstack([motion.q, motion.qd])[-1]).max() < 1e-8


@pytest.mark.parametrize("kind", ["current", "voltage"])
def test_motors(tmp_path: Path, kind: str) -> None:
    system = da.load("irb6").driven
    u = np.full(5, 8.0 if kind == "voltage" else 4.0)
    agree(*motions(system, u, [0, 0.2, -0.1, 0, 0], np.zeros(5), 0.2, tmp_path, kind=kind))


@pytest.mark.parametrize("settles", [1e-3, 1e-7])
def test_circuits_that_settle_within_a_step_of_communication(tmp_path: Path, settles: float) -> None:
    """Time constants L/R far below the step: the implicit method takes over, and events are found on its polynomial."""
    arm = da.load("irb6")
    motors = [a.motor for a in arm.drives.actuators]
    quick = [replace(m, inductance=float(m.resistance) * settles) for m in motors if m is not None]
    actuators = tuple(replace(a, motor=m) for a, m in zip(arm.drives.actuators, quick, strict=True))
    system = replace(arm, drives=replace(arm.drives, actuators=actuators)).driven
    times, u, q = np.linspace(0, 0.2, 21), [8.0, 6.0, -7.0, 8.0, 5.0], [0, 0.2, -0.1, 0, 0]
    da.write_fmu(system, tmp_path / "arm.fmu", input="voltage")
    motion = da.simulate(system, u, q, None, 0.2, times=times, input="voltage", rtol=1e-10, atol=1e-12)
    assert motion.events
    assert not motion.stepped
    with imported(tmp_path / "arm.fmu", False, tmp_path / "x") as fmu:
        names = fmu.named("q.") + fmu.named("qd.")
        start = dict(zip(fmu.named("q."), q, strict=True)) | dict(zip(fmu.named("voltage."), u, strict=True))
        found = stepped(fmu, start, times, names)
    assert np.abs(found - np.hstack([motion.q, motion.qd])).max() < 1e-8


def test_a_reduced_model(tmp_path: Path) -> None:
    shorter = da.load("planar-2r").analysis().reduce(0.02)
    agree(*motions(shorter, [0.5, 0.1], [0.3, 0.2], [0.1, 0.0], 0.5, tmp_path))


def test_a_mechanism(tmp_path: Path) -> None:
    system = gallery.five_bar().as_system()
    q = system.near[[0, 2]] + 0.05
    motion, found = motions(system, [0.5, -0.3], q, [0.1, 0.2], 0.3, tmp_path)
    agree(motion, found)
    with imported(tmp_path / "system.fmu", False, tmp_path / "again") as fmu:
        fmu.initialise(dict(zip(fmu.named("q."), q, strict=True)))
        assert np.allclose(fmu.get(*fmu.named("joint.")), system.joints(q), atol=1e-12)


def test_a_mechanism_under_its_motors_sticks(tmp_path: Path) -> None:
    """Friction at all joints, of which the coordinates are two; ratios of contacts and motors vary with the pose."""
    plain = gallery.five_bar()
    rubs = da.Friction.of(0.05, 0.08, 0.01)
    chains = {}
    for name, arm in plain.parts.chains.items():
        first, second = (joint.name for joint in arm.joints if joint.moves)
        motors = (da.Actuator.of("motor", {first: 20}), da.Actuator.of("idle", {second: 1}))
        chains[name] = replace(arm, drives=da.DriveTrain(motors, joint_friction=((first, rubs), (second, rubs))))
    system = plain._with(chains=chains, coordinates=plain.coordinates, home=plain.home).driven.as_system(motors=True)
    q = system.near[[0, 2]] + 0.02
    motion, found = motions(system, [0.2, -0.15], q, [0.01, 0.02], 0.02, tmp_path)
    assert motion.events
    agree(motion, found)


def test_parameters_of_the_fmu_are_those_of_the_system(tmp_path: Path) -> None:
    """Load, gravity and friction set before initialisation: the FMU of another system becomes that system."""
    bare = rubbing(da.load("planar-2r"), da.Friction.of(0.3, 0.4, 0.1))
    load = da.Load(0.7, (0.05, -0.02, 0.01), (0.002, 0.003, 0.004))
    other = rubbing(da.load("planar-2r"), da.Friction((0.5, 0.2), 0.9, 0.05)).holding(load).with_gravity((1, -3, 0))
    held = {"load.mass": 0.7, "load.com.x": 0.05, "load.com.y": -0.02, "load.com.z": 0.01}
    held |= {"load.inertia.xx": 0.002, "load.inertia.yy": 0.003, "load.inertia.zz": 0.004}
    held |= {"gravity.x": 1.0, "gravity.y": -3.0, "gravity.z": 0.0}
    names = ("joint_" + name for name in bare.joint_names)
    for stem in (f"friction.{name}" for name in names):
        held |= {f"{stem}.forward": 0.5, f"{stem}.backward": 0.2, f"{stem}.starting": 0.9, f"{stem}.viscous": 0.05}
    motion, found = motions(other, [1.0, -0.3], [0.3, 0.2], [0.4, -0.6], 0.8, tmp_path, held, bare)
    assert motion.events
    agree(motion, found)
    still, _ = motions(bare, [1.0, -0.3], [0.3, 0.2], [0.4, -0.6], 0.8, tmp_path)
    assert np.abs(still.q - motion.q).max() > 1e-2


def test_inputs_are_held_within_a_step_as_those_of_a_sampled_controller(tmp_path: Path) -> None:
    system = rubbing(da.load("planar-2r"), da.Friction.of(1.3, 1.5, 0.1))
    da.write_fmu(system, tmp_path / "arm.fmu")
    times = np.linspace(0, 0.5, 26)

    def law(t: float) -> np.ndarray:
        return np.array([9 * np.sin(9 * t), 0.4 * np.cos(7 * t)])

    motion = da.simulate(system, lambda t, q, qd: law(t), [0.3, 0.2], None, 0.5, period=0.02, times=times, **TIGHT)
    with imported(tmp_path / "arm.fmu", False, tmp_path / "x", 1e-11) as fmu:
        inputs = fmu.named("motor.")
        start = {"q.joint1": 0.3, "q.joint2": 0.2} | dict(zip(inputs, law(0.0), strict=True))
        found = stepped(
            fmu, start, times, fmu.named("q.") + fmu.named("qd."), lambda t: dict(zip(inputs, law(t), strict=True))
        )
    assert any(event.kind == "sticks" for event in motion.events)
    assert np.abs(found - np.hstack([motion.q, motion.qd])).max() < 1e-8


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_the_integrator_of_an_importer_finds_the_events(tmp_path: Path, version: str) -> None:
    """CVode of fmpy, whose own tolerance is what is left."""
    block = rubbing(slider(lower=-0.1, upper=0.05), da.Friction.of(1.0, 1.5, 0.5))
    da.write_fmu(block, tmp_path / "block.fmu", version=version, stops=True, restitution=0.5)
    motion = da.simulate(block, [2.0], [0.0], [0.2], 0.5, stops=True, restitution=0.5, times=[0, 0.25, 0.5], **TIGHT)
    found = simulate_fmu(
        str(tmp_path / "block.fmu"), fmi_type="ModelExchange", stop_time=0.5, output_interval=0.25,
        relative_tolerance=1e-8,
        start_values={"q.rail": 0.0, "qd.rail": 0.2, "motor.drive0": 2.0}, output=["q.rail", "qd.rail"],
    )  # fmt: skip
    assert len(motion.events) >= 3
    last = [row for row in found if abs(row["time"] - 0.5) < 1e-9][-1]
    assert abs(last["q.rail"] - motion.q[-1, 0]) < 1e-6


def test_limits_of_coupled_motors_cut_the_inputs_as_in_the_simulation(tmp_path: Path) -> None:
    arm = da.load("irb6")
    joints = tuple(
        replace(joint, limits=replace(joint.limits, effort=60.0)) if joint.moves else joint for joint in arm.joints
    )
    system = replace(arm, joints=joints).driven
    u = np.full(5, 3.0)
    agree(*motions(system, u, [0, 0.2, -0.1, 0, 0], np.zeros(5), 0.2, tmp_path, saturate=True))

"""The work behind ``dalembert simulate``, apart from its words so that the other words start without SciPy."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from dalembert.api.driven import Drives
from dalembert.api.driven_arm import DrivenArm
from dalembert.arm.drives import DriveTrain
from dalembert.arm.errors import ArmError
from dalembert.arm.inertia import Load
from dalembert.arm.io.toml_drives import read_drives_text
from dalembert.control.controllers import ComputedTorque, PDGravity, ServoFollowingInertia
from dalembert.control.gains import tracking_lqr
from dalembert.control.trajectories import Trajectory, excitation, quintic, trapezoidal
from dalembert.simulation.motion import Motion, SimulationError
from dalembert.simulation.plant import DrivenPlant, LinkPlant
from dalembert.simulation.simulate import simulate

from .arguments import load
from .printing import figures, heading, joints_with_units, paragraph, say, table
from .values import joint_values


@dataclass(frozen=True)
class Wanted:
    """The options of the command."""

    arm: str
    controller: str
    trajectory: str
    q: str | None
    to: str | None
    qd: str | None
    duration: float
    kp: float
    kd: float
    speed: float
    acceleration: float
    drives: Path | None
    links_only: bool
    rotors: str
    load: float
    model_load: float | None
    stops: bool
    method: str
    tolerance: float
    output: Path | None
    as_json: bool


def answer(w: Wanted) -> None:
    """Simulate, save, and say what happened."""
    given = load(w.arm)
    start, speeds = joint_values(given, "--q", w.q), joint_values(given, "--qd", w.qd)
    path = trajectory(given, w, start)
    held = given.holding(Load(w.load)) if w.load else given
    believed = held if w.model_load is None else given.holding(Load(w.model_load) if w.model_load else None)
    if w.links_only:
        plant: Any = LinkPlant(held)
        model: Any = believed
    else:
        train = drives(given, w.drives)
        plant = DrivenPlant(DrivenArm.of(held, train, w.rotors))
        model = DrivenArm.of(believed, train, w.rotors)
    try:
        motion = simulate(
            plant, controller(w, model, path), start, speeds, w.duration, method=w.method, rtol=w.tolerance,
            atol=w.tolerance / 100, stops=w.stops, progress=not w.as_json,
        )  # fmt: skip
    except SimulationError as fault:
        if w.output is not None and fault.motion is not None:
            fault.motion.save(w.output)
            raise ArmError(f"{fault}; what was found up to there is in {w.output}") from None
        raise
    if w.output is not None:
        motion.save(w.output)
    if w.as_json:
        print(json.dumps(as_data(motion, path, w.controller), indent=2, allow_nan=False))
    else:
        show(given, motion, path, w)


def drives(arm: da.Arm, path: Path | None) -> DriveTrain:
    """The drives of the file, or the arm's own."""
    if path is None:
        return Drives.drives.func(arm)  # type: ignore[attr-defined]
    try:
        return read_drives_text(path.read_text(encoding="utf-8"), str(path), arm)
    except UnicodeDecodeError:
        raise ArmError(f"{path}: is not UTF-8 text; save it in that encoding") from None


def trajectory(arm: da.Arm, w: Wanted, start: np.ndarray) -> Trajectory:
    if not w.duration > 0:
        raise ArmError(f"--duration {w.duration:g}: give a time above zero")
    if w.trajectory == "excitation":
        return excitation(arm.lower, arm.upper, w.duration, speed=w.speed)
    if w.trajectory == "hold" or w.to is None:
        return quintic([start, start], w.duration)
    end = joint_values(arm, "--to", w.to)
    if w.trajectory == "trapezoidal":
        return trapezoidal(start, end, w.speed, w.acceleration)
    return quintic([start, end], w.duration)


def controller(w: Wanted, model: Any, path: Trajectory) -> Any:
    if w.controller == "none":
        return np.zeros(model.n)
    if w.controller == "pd":
        return PDGravity(model, path, w.kp, w.kd)
    if w.controller == "servo":
        return ServoFollowingInertia(model, path, w.kp)
    if w.controller == "lqr":
        return tracking_lqr(model, path)
    return ComputedTorque(model, path, w.kp, w.kd)


def summary(motion: Motion, path: Trajectory) -> dict[str, Any]:
    error = motion.q - path.position(motion.t)
    return {
        "end": motion.q[-1],
        "speed": motion.qd[-1],
        "largest error": np.abs(error).max(axis=0),
        "end error": error[-1],
        "largest input": np.abs(motion.u).max(axis=0),
    }


def as_data(motion: Motion, path: Trajectory, controller: str) -> dict[str, Any]:
    return {
        "arm": motion.name,
        "joints": list(motion.joint_names),
        "inputs": list(motion.input_names),
        "controller": controller,
        "duration": float(motion.t[-1] - motion.t[0]),
        "steps": motion.steps,
        "evaluations": motion.evaluations,
        **{key.replace(" ", "_"): value.tolist() for key, value in summary(motion, path).items()},
        "energy": {key: float(getattr(motion, key)[-1]) for key in ("kinetic", "potential", "work", "lost")},
        "energy_balance": float(np.abs(motion.balance).max()),
        "events": [{"time": e.time, "kind": e.kind, "name": e.name} for e in motion.events],
    }


def show(arm: da.Arm, motion: Motion, path: Trajectory, w: Wanted) -> None:
    found = summary(motion, path)
    heading(f"{motion.name}: {motion.t[-1] - motion.t[0]:g} s, controller {w.controller}")
    columns = [
        joints_with_units(arm, "position"),
        ("end", figures(found["end"])),
        ("speed\nat the end", figures(found["speed"])),
    ]
    if w.controller != "none":
        columns += [
            ("error\nat the end", figures(found["end error"])),
            ("largest\nerror", figures(found["largest error"])),
        ]
    columns.append(
        (f"largest input\n[{', '.join(dict.fromkeys(motion.input_units))}]", figures(found["largest input"]))
    )
    table(columns)
    paragraph(
        f"Energy: {motion.energy[-1] - motion.energy[0]:.6g} J gained, {motion.work[-1]:.6g} J put in, "
        f"{motion.lost[-1]:.6g} J lost to friction; the account is off by {np.abs(motion.balance).max():.1e} J. "
        f"{motion.steps} steps, {motion.evaluations} evaluations."
    )
    if motion.events:
        heading("Events")
        shown = motion.events[:20]
        table(
            [
                ("time [s]", [f"{e.time:.6g}" for e in shown]),
                ("what", [e.kind for e in shown]),
                ("who", [e.name for e in shown]),
            ]
        )
        if len(motion.events) > len(shown):
            say(f"and {len(motion.events) - len(shown)} more")
    if w.output is not None:
        say(f"saved in {w.output}")

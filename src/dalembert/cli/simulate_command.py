"""``dalembert simulate``: an arm moved by a controller along a trajectory, or let go."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from dalembert.arm.description import listed
from dalembert.arm.errors import ArmError
from dalembert.arm.system_phrase import system_phrase
from dalembert.control.controllers_by_name import CONTROLLERS
from dalembert.report.html.page_files import ENDINGS
from dalembert.systems.time_span import MOST_EVALUATIONS

from .input_options import CURRENT_HELP, TORQUE_HELP, VOLTAGE_HELP, drive_input
from .model_option import ModelOption, read_model
from .motion_options import PathKind, PathOptions, refuse_unused, trajectory_of
from .notes import note
from .poses import TaskKind
from .printing import figures, heading, joints_with_units, json_text, paragraph, say, table, units_by_quantity
from .servo_gains import gains_followed, show_gains
from .system_options import read_load, system_command
from .values import gains, joint_values

if TYPE_CHECKING:
    from dalembert.api.questions import SystemQuestions as System
    from dalembert.control.trajectories import Trajectory
    from dalembert.simulation.motion import Motion


VALUES = "One value for each joint, base first, rad or m."


@system_command
def simulate(
    system: System,
    controller: Annotated[
        str, typer.Option(help=f"{', '.join(CONTROLLERS)}, or none, which lets the arm go without torque.")
    ] = "none",
    torque: Annotated[
        str | None,
        typer.Option("--torque", metavar="VALUES|FILE", help=f"{TORQUE_HELP} Constant, or a CSV file over time."),
    ] = None,
    current: Annotated[
        str | None,
        typer.Option("--current", metavar="VALUES|FILE", help=f"{CURRENT_HELP} Constant, or a CSV file over time."),
    ] = None,
    voltage: Annotated[
        str | None,
        typer.Option("--voltage", metavar="VALUES|FILE", help=f"{VOLTAGE_HELP} Constant, or a CSV file over time."),
    ] = None,
    trajectory: Annotated[
        PathKind | None,
        typer.Option(
            metavar="KIND", help=f"What the controller follows: {', '.join(PathKind)}; {PathKind.quintic} by default."
        ),
    ] = None,
    q: Annotated[str | None, typer.Option("--q", metavar="VALUES", help=f"Start. {VALUES} Zeros if left out.")] = None,
    to: Annotated[str | None, typer.Option("--to", metavar="VALUES", help=f"End of the trajectory. {VALUES}")] = None,
    qd: Annotated[str | None, typer.Option("--qd", metavar="VALUES", help="Speeds at the start.")] = None,
    duration: Annotated[float, typer.Option("--duration", help="Seconds to simulate.")] = 2.0,
    kp: Annotated[
        str | None,
        typer.Option(
            "--kp",
            metavar="GAINS",
            help="Position gain (100), one or one for each joint: 1/s^2 for computed torque, N m/rad or N/m for pd, "
            "servo.",
        ),
    ] = None,
    kd: Annotated[
        str | None,
        typer.Option(
            "--kd", metavar="GAINS", help="Velocity gain (20) of computed torque and pd, one or one for each joint."
        ),
    ] = None,
    damping: Annotated[
        str | None,
        typer.Option("--damping", metavar="RATIOS", help="Damping ratio (1) of servo, one or one for each joint."),
    ] = None,
    via: Annotated[
        str | None,
        typer.Option("--via", metavar="VALUES;VALUES", help="Points between start and end of spline and time-optimal."),
    ] = None,
    pose: Annotated[
        str | None,
        typer.Option(
            "--pose", metavar="POSE", help="Where line, or time-optimal along one, ends: x,y,z or x,y,z,roll,pitch,yaw."
        ),
    ] = None,
    task: Annotated[
        TaskKind | None,
        typer.Option(
            "--task",
            metavar="KIND",
            help=f"What of --pose a line keeps: {', '.join(TaskKind)}; {TaskKind.pose} by default.",
        ),
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option(
            "--speed", help="Speed limit of trapezoidal, s-curve, line (1), excitation (1), spline, rad/s or m/s."
        ),
    ] = None,
    acceleration: Annotated[
        float | None,
        typer.Option(
            "--acceleration", help="Acceleration limit of trapezoidal, s-curve, line (2), spline, rad/s^2 or m/s^2."
        ),
    ] = None,
    jerk: Annotated[
        float | None, typer.Option("--jerk", help="Jerk limit of s-curve (20) and line (none), rad/s^3 or m/s^3.")
    ] = None,
    model_load: Annotated[
        str | None,
        typer.Option("--model-load", metavar="LOAD", help="The load the controller believes in; 0 for none."),
    ] = None,
    model: ModelOption = None,
    friction: Annotated[
        str | None,
        typer.Option(
            "--friction",
            help="What computed-torque and lqr feed forward of the friction of drives: reference (at the "
            "reference speed, the default), smooth (at the measured speed), none.",
        ),
    ] = None,
    period: Annotated[float | None, typer.Option("--period", help="Sample and hold the controller, s.")] = None,
    saturate: Annotated[
        bool | None,
        typer.Option(
            "--saturate/--no-saturate",
            help="Cut inputs to the limits of motors and joints; where drives count and limits are known that is done "
            "unless refused.",
        ),
    ] = None,
    stops: Annotated[bool, typer.Option("--stops", help="Position limits are solid.")] = False,
    restitution: Annotated[
        float, typer.Option("--restitution", help="Share of its speed with which a joint leaves a stop, 0 to 1.")
    ] = 0.0,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="auto (DOP853, and Radau where the motion is stiff), or of scipy: DOP853, RK45, RK23, LSODA, Radau, "
            "BDF.",
        ),
    ] = "auto",
    evaluations: Annotated[
        int, typer.Option("--evaluations", help="Evaluations of the motion after which it is given up.")
    ] = MOST_EVALUATIONS,
    tolerance: Annotated[float, typer.Option("--tolerance", help="Relative tolerance.")] = 1e-8,
    output: Annotated[
        Path | None, typer.Option("--output", help="Save as .csv, .nc or .parquet, or as .html: a page that plays it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs: the summary as JSON.")] = False,
) -> None:
    """Simulate a system; with --drives sticking friction is exact, stops and loads are events."""
    from dalembert.arm.errors import SimulationError, SimulationInterrupt

    if controller not in ("none", *CONTROLLERS):
        raise ArmError(f"no controller {controller!r}; there are {listed(CONTROLLERS)}, or 'none' for no torque")
    entry = CONTROLLERS.get(controller)
    option_values = {"--kp": kp, "--kd": kd, "--damping": damping, "--speed": speed, "--acceleration": acceleration}
    option_values |= {"--jerk": jerk, "--via": via, "--pose": pose, "--task": task}
    refuse_unused(controller, trajectory, to, option_values, model_load, friction, model)
    input_ = drive_input(system, torque, current, voltage)
    if input_ is not None and entry is not None:
        raise ArmError(f"{input_.option} drives the system itself, and so does --controller; give one of them")
    start, speeds = joint_values(system, "--q", q), joint_values(system, "--qd", qd)
    shape = trajectory or PathKind.quintic
    path = trajectory_of(system, start, PathOptions(shape, duration, to, via, pose, speed, acceleration, jerk, task))
    exact = system if model_load is None else system.holding(read_load(model_load, "--model-load"))
    believed = exact if model is None else read_model(model, exact)
    gain_values = {
        name: gains(system, f"--{name}", text) for name, text in (("kp", kp), ("kd", kd), ("damping", damping))
    }
    law: Any = np.zeros(system.n) if entry is None else entry.controller(believed, path, friction, **gain_values)
    kind = None if model is None else "joint torque"
    if input_ is not None:
        law, kind = input_.law(system), input_.kind
    elif entry is None and system.counts_drives:
        law = np.zeros(len(system.drives.actuators))
    if period is not None and isinstance(law, np.ndarray):
        raise ArmError("--period samples a controller or a file over time, and the input is constant; leave it out")
    followed = gains_followed(law, path)
    try:
        motion = system.simulate(
            law, start, speeds, duration, input=kind, method=method, rtol=tolerance, atol=tolerance / 100, stops=stops,
            restitution=restitution, period=period, saturate=saturate, most_evaluations=evaluations,
            progress=not as_json,
        )  # fmt: skip
    except SimulationError as fault:
        if output is not None and fault.motion is not None:
            save(system, fault.motion, output)
            raise ArmError(f"{fault}; what was found up to there is in {output}") from None
        raise
    except SimulationInterrupt as stop:
        saved = "with --output it would have been saved"
        if output is not None:
            save(system, stop.motion, output)
            saved = f"what was found up to there is in {output}"
        note(f"{stop}; {saved}")
        raise
    if output is not None:
        save(system, motion, output)
    if as_json:
        data = as_data(system, motion, path if entry is not None else None, controller, followed) | {"model": model}
        data["input_kind"] = None if input_ is None else input_.kind
        print(json_text(data))
    else:
        driven_by = f"controller {controller}" if model is None else f"controller {controller} with {model}"
        driven_by = driven_by if input_ is None else f"a given {input_.kind}"
        show(system, motion, path, driven_by, entry is not None, followed, output)


def save(system: System, motion: Motion, output: Path) -> None:
    """The motion as a file of numbers, or as a page that plays it."""
    if output.suffix.lower() in ENDINGS:
        system.replay(motion, output)
    else:
        motion.save(output)


def summary(motion: Motion, path: Trajectory | None) -> dict[str, Any]:
    """The end, the errors where a path is followed, and the largest inputs."""
    error = None if path is None else motion.q - path.position(motion.t)
    return {
        "end": motion.q[-1],
        "speed": motion.qd[-1],
        **({} if error is None else {"largest error": np.abs(error).max(axis=0), "end error": error[-1]}),
        "largest input": np.abs(motion.u).max(axis=0),
    }


def as_data(
    system: System, motion: Motion, path: Trajectory | None, controller: str, followed: dict[str, np.ndarray]
) -> dict[str, Any]:
    """The summary as JSON can hold it."""
    return {
        "arm": motion.name,
        "drives": system.drive_model,
        "joints": list(motion.joint_names),
        "units": units_by_quantity(system, "position", "speed") | {"energy": "J"},
        "inputs": list(motion.input_names),
        "input_units": list(motion.input_units),
        "controller": controller,
        **({"gains": {key.replace(" ", "_"): part.tolist() for key, part in followed.items()}} if followed else {}),
        "duration": float(motion.t[-1] - motion.t[0]),
        "steps": motion.steps,
        "evaluations": motion.evaluations,
        **{key.replace(" ", "_"): value.tolist() for key, value in summary(motion, path).items()},
        "energy": {key: float(getattr(motion, key)[-1]) for key in ("kinetic", "potential", "work", "lost")},
        "energy_balance": float(np.abs(motion.balance).max()),
        "cut": None if motion.cut is None else dict(zip(motion.input_names, motion.cut, strict=True)),
        "time_steps": [list(stretch) for stretch in motion.stepped],
        "events": [{"time": e.time, "kind": e.kind, "name": e.name} for e in motion.events],
    }


def remarks(motion: Motion) -> list[str]:
    """What limits did to the inputs, and where the motion is of first order only."""
    sentences = []
    if motion.cut is not None:
        cut_shares = [
            f"{name} in {100 * share:.3g} %"
            for name, share in zip(motion.input_names, motion.cut, strict=True)
            if share
        ]
        reached = f"reached by {listed(cut_shares)} of the samples" if cut_shares else "which none of them reached"
        sentences.append(f"Inputs are cut to the limits of motors and joints, {reached}.")
    if motion.stepped:
        seconds = sum(end - begin for begin, end in motion.stepped)
        sentences.append(
            f"{seconds:.3g} s from t = {motion.stepped[0][0]:.6g} s on were found in time steps of first order: events "
            "followed each other without end there, or the controller switches like a relay."
        )
    return sentences


def show(
    system: System, motion: Motion, path: Trajectory, driven_by: str, follows: bool, followed: dict[str, np.ndarray],
    output: Path | None,
) -> None:  # fmt: skip
    """The summary for a person."""
    values = summary(motion, path)
    heading(f"{motion.name}, {system_phrase(system)}: {motion.t[-1] - motion.t[0]:g} s, {driven_by}")
    columns = [
        joints_with_units(system, "position"),
        ("end", figures(values["end"])),
        ("speed\nat the end", figures(values["speed"])),
    ]
    if follows:
        columns += [
            ("error\nat the end", figures(values["end error"])),
            ("largest\nerror", figures(values["largest error"])),
        ]
    units = ", ".join(dict.fromkeys(motion.input_units))
    largest = (f"largest input\n[{units}]", figures(values["largest input"]))
    if motion.input_names == motion.joint_names:
        columns.append(largest)
    table(columns)
    if motion.input_names != motion.joint_names:
        # motors are no joints: their inputs do not stand beside those
        heading("Motors")
        table([("motor", motion.input_names), largest])
    if followed:
        show_gains(system, followed)
        say()
    jumps = sum(event.energy for event in motion.events)
    impacts = f", {jumps:.6g} J in impacts" if jumps else ""
    paragraph(
        f"Energy: {motion.energy[-1] - motion.energy[0]:.6g} J gained, {motion.work[-1]:.6g} J put in, "
        f"{motion.lost[-1]:.6g} J lost to friction{impacts}; the account is off by "
        f"{np.abs(motion.balance).max():.1e} J. {motion.steps} steps, {motion.evaluations} evaluations."
    )
    for sentence in remarks(motion):
        paragraph(sentence)
    if motion.events:
        heading("Events")
        first_events = motion.events[:20]
        table(
            [
                ("time [s]", [f"{e.time:.6g}" for e in first_events]),
                ("what", [e.kind for e in first_events]),
                ("who", [e.name for e in first_events]),
            ]
        )
        if len(motion.events) > len(first_events):
            say(f"and {len(motion.events) - len(first_events)} more")
    if output is not None:
        say(f"saved in {output}")

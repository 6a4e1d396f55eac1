"""``dalembert simulate``: an arm moved by a controller along a trajectory, or let go; ``simulated.py`` does it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .arguments import ArmArgument


class Controller(StrEnum):
    """How the arm is controlled."""

    none = "none"
    pd = "pd"
    computed_torque = "computed-torque"
    servo = "servo"
    lqr = "lqr"


class PathKind(StrEnum):
    """The kind of trajectory."""

    quintic = "quintic"
    trapezoidal = "trapezoidal"
    excitation = "excitation"
    hold = "hold"


VALUES = "One value for each joint, base first, rad or m."


def simulate(
    arm: ArmArgument,
    controller: Annotated[Controller, typer.Option(help="none lets the arm go without torque.")] = Controller.none,
    trajectory: Annotated[PathKind, typer.Option(help="What the controller follows.")] = PathKind.quintic,
    q: Annotated[str | None, typer.Option("--q", metavar="VALUES", help=f"Start. {VALUES} Zeros if left out.")] = None,
    to: Annotated[str | None, typer.Option("--to", metavar="VALUES", help=f"End of the trajectory. {VALUES}")] = None,
    qd: Annotated[str | None, typer.Option("--qd", metavar="VALUES", help="Speeds at the start.")] = None,
    duration: Annotated[float, typer.Option("--duration", help="Seconds to simulate.")] = 2.0,
    kp: Annotated[float, typer.Option("--kp", help="Position gain: 1/s^2 for computed torque, N m/rad for pd.")] = 100,
    kd: Annotated[float, typer.Option("--kd", help="Velocity gain.")] = 20.0,
    speed: Annotated[float, typer.Option("--speed", help="Speed limit of trapezoidal and excitation.")] = 1.0,
    acceleration: Annotated[float, typer.Option("--acceleration", help="Acceleration limit of trapezoidal.")] = 2.0,
    drives: Annotated[Path | None, typer.Option("--drives", help="A TOML file with the drives to use.")] = None,
    links_only: Annotated[bool, typer.Option("--links-only", help="Without rotors and friction.")] = False,
    approximation: Annotated[str, typer.Option("--rotors", help="exact, szkodny, diagonal or paul.")] = "exact",
    mass: Annotated[float, typer.Option("--load", min=0, help="Mass of a load in the hand (kg), as a point.")] = 0.0,
    model_mass: Annotated[
        float | None, typer.Option("--model-load", min=0, help="Load the controller believes in (kg).")
    ] = None,
    stops: Annotated[bool, typer.Option("--stops", help="Position limits are solid.")] = False,
    method: Annotated[
        str, typer.Option("--method", help="Of scipy: DOP853, RK45, RK23, LSODA, Radau, BDF.")
    ] = "DOP853",
    tolerance: Annotated[float, typer.Option("--tolerance", help="Relative tolerance.")] = 1e-8,
    output: Annotated[Path | None, typer.Option("--output", help="Save as .csv, .nc or .parquet.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs: the summary as JSON.")] = False,
) -> None:
    """Simulate an arm with its drives; sticking friction, stops and loads are exact events."""
    from .simulated import Wanted, answer

    answer(
        Wanted(
            arm,
            controller.value,
            trajectory.value,
            q,
            to,
            qd,
            duration,
            kp,
            kd,
            speed,
            acceleration,
            drives,
            links_only,
            approximation,
            mass,
            model_mass,
            stops,
            method,
            tolerance,
            output,
            as_json,
        )
    )


def register(app: typer.Typer) -> None:
    """Add ``simulate`` to the command."""
    app.command("simulate")(simulate)

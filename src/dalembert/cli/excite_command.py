"""``dalembert excite``: a motion that tells the most about an arm."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from dalembert.arm.errors import ArmError

from .printing import heading, json_text, paragraph, table
from .system_options import amounts, arm_command

if TYPE_CHECKING:
    import dalembert as da

RATE = 100.0
"""Rows a second of the file where nothing else is asked for (Hz)."""
MOMENTS = 200
"""Moments of each harmonic at which the largest speeds and torques are looked for."""


@arm_command
def excite(
    arm: da.Arm,
    period: Annotated[float, typer.Option("--period", help="Period of the motion (s).")] = 10.0,
    harmonics: Annotated[int, typer.Option("--harmonics", help="Harmonics of its Fourier series.")] = 5,
    speed: Annotated[
        str, typer.Option("--max-speed", help="Limit of speed, of all joints or of each (rad/s, m/s).")
    ] = "",
    acceleration: Annotated[
        str, typer.Option("--max-acceleration", help="Limit of acceleration (rad/s^2, m/s^2).")
    ] = "",
    effort: Annotated[str, typer.Option("--max-effort", help="Limit of torque of the links (N m, N).")] = "",
    friction: Annotated[str, typer.Option("--friction", help="Friction terms to be told, joined by +.")] = (
        "coulomb+viscous+offset"
    ),
    generations: Annotated[int, typer.Option("--generations", help="Rounds of the search.")] = 40,
    seed: Annotated[int, typer.Option("--seed", help="Of the random candidates.")] = 0,
    rate: Annotated[float | None, typer.Option("--rate", help="Rows a second of the file (100 Hz).")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write t, q1.., qd1.., qdd1.. of one period (.csv).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Find a motion within limits, at rest at both ends, that tells inertias, friction and rotors best."""
    from rich.console import Console
    from rich.progress import Progress

    from dalembert.control.exciting import excitation

    if output is not None and output.suffix != ".csv":
        raise ArmError(f"--output writes a .csv file, not {output}")
    if rate is not None and output is None:
        raise ArmError("--rate is of the file; name one with --output, or leave --rate out")
    rate = RATE if rate is None else rate
    if not 0 < rate < np.inf:
        raise ArmError(f"--rate is a number of rows a second above zero, not {rate:g}")
    limit_texts = {"speed": speed, "acceleration": acceleration, "effort": effort}
    limits = {
        name: np.array(amounts(arm, f"--max-{name}", text)) if text else None for name, text in limit_texts.items()
    }
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=as_json or not sys.stderr.isatty()) as bar:
        task = bar.add_task("searching", total=generations)
        path = excitation(
            arm, period, harmonics, speed=limits["speed"], acceleration=limits["acceleration"],
            effort=limits["effort"], friction=friction, generations=generations, seed=seed,
            progress=lambda done, total: bar.update(task, completed=done),
        )  # fmt: skip
    t = np.linspace(0, period, MOMENTS * harmonics + 1)
    q, qd, qdd = path.position(t), path.velocity(t), path.acceleration(t)
    tau = np.abs(arm.inverse_dynamics(q, qd, qdd)).max(axis=0)
    if as_json:
        record = {
            "period": period, "condition": path.condition, "at_first": path.at_first, "centre": path.centre.tolist(),
            "sines": path.sines.tolist(), "cosines": path.cosines.tolist(),
        }  # fmt: skip
        print(json_text(record))
    else:
        heading(f"{arm.name}: a motion of {period:g} s, condition number {path.condition:.3g}")
        columns = {
            "from [rad]": q.min(axis=0), "to [rad]": q.max(axis=0), "speed [rad/s]": np.abs(qd).max(axis=0),
            "acceleration [rad/s^2]": np.abs(qdd).max(axis=0), "torque [N m]": tau,
        }  # fmt: skip
        motion_columns = [(head, [f"{x:.4g}" for x in values]) for head, values in columns.items()]
        table([("joint", list(arm.joint_names)), *motion_columns])
        if any(joint.kind != "revolute" for joint in arm.moving):
            paragraph("Sliding joints: m, m/s, m/s^2 and N.")
        paragraph(f"At rest at both ends. The best of the random motions it began with has {path.at_first:.3g}.")
    if output is not None:
        from dalembert.arm.io.whole_files import write_whole

        t = np.arange(round(period * rate) + 1) / rate
        q, qd, qdd = path.position(t), path.velocity(t), path.acceleration(t)
        heads = ",".join(["t", *(f"{name}{j + 1}" for name in ("q", "qd", "qdd") for j in range(arm.n))])
        lines = (",".join(f"{x:.12g}" for x in row) for row in np.column_stack([t, q, qd, qdd]))
        write_whole(output, "\n".join([heads, *lines]) + "\n")

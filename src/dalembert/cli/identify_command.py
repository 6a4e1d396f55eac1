"""``dalembert identify``: the model of a robot from its logs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert.arm.errors import ArmError
from dalembert.arm.exact import whole_number
from dalembert.report.html.page_files import page_file

from .notes import note
from .printing import heading, json_text, paragraph, table
from .system_options import arm_command, numbers

if TYPE_CHECKING:
    import dalembert as da
    from dalembert.identification.payload import IdentifiedLoad
    from dalembert.identification.result import Identification, Residual

SHOWN = 5
"""Silent combinations that are printed."""


@arm_command
def identify(
    arm: da.Arm,
    logs: Annotated[list[Path], typer.Argument(metavar="LOG...", help="CSV files: t, q1.., qd1.., tau1.. or i1..")],
    validate: Annotated[
        list[Path] | None,
        typer.Option("--validate", metavar="LOG", help="A log to judge by, not used; may be repeated."),
    ] = None,
    friction: Annotated[
        str, typer.Option("--friction", help="Of coulomb, viscous, offset, stribeck, load, joined by +; or none.")
    ] = "coulomb+viscous+offset",
    find_rotors: Annotated[
        bool, typer.Option("--find-rotors/--no-find-rotors", help="Find reflected rotor inertias.")
    ] = True,
    gains: Annotated[
        str,
        typer.Option(
            "--gains",
            metavar="GAINS",
            help="Torque per current of each joint (N m/A), by commas; ? where it is to be found, or find.",
        ),
    ] = "",
    held: Annotated[
        list[str] | None,
        typer.Option(
            "--held",
            metavar="LOAD",
            help="Known load of each log in turn, as MASS,X,Y,Z (kg, m) in the tool frame; 0 for none.",
        ),
    ] = None,
    laden: Annotated[
        list[Path] | None,
        typer.Option("--laden", metavar="LOG", help="A log with an unknown load in the hand, to be found."),
    ] = None,
    find_gravity: Annotated[
        bool, typer.Option("--find-gravity", help="Find the direction of gravity: how the robot is mounted.")
    ] = False,
    instruments: Annotated[
        bool, typer.Option("--instruments", help="Use the reference (q_ref1..) against the bias of noisy positions.")
    ] = False,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--column", metavar="NAME=HEADS", help="Heads of a file, as in q=pos or effort=m_a,m_b; may be repeated."
        ),
    ] = None,
    rows: Annotated[
        list[str] | None,
        typer.Option("--rows", metavar="ROWS", help="Rows START:STOP of each log, then of --validate, --laden."),
    ] = None,
    robust: Annotated[bool, typer.Option("--robust", help="Outliers count less.")] = False,
    cutoff: Annotated[float | None, typer.Option("--cutoff", metavar="HZ", help="Cut-off of the filter (Hz).")] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write the arm found, with friction and rotors (.toml)."),
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--page", metavar="FILE", help="Write a page with figures (.html).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Find inertias, friction and rotors of a robot from measured motions, as bodies that could be built."""
    from dalembert.identification.identify import identify as find

    if output is not None and output.suffix != ".toml":
        raise ArmError(f"--output writes a .toml file, not {output}")
    if page is not None:
        page_file(page)
    files = [*logs, *(validate or []), *(laden or [])]
    all_logs = _read(files, columns or [], rows or [])
    logs_read, with_load = all_logs[: len(files) - len(laden or [])], all_logs[len(files) - len(laden or []) :]
    known_loads = _known_loads(held or [], len(logs))
    identified = find(
        arm,
        logs_read[: len(logs)],
        friction,
        find_rotors,
        _gains(gains, arm.n),
        loads=known_loads,
        gravity="find" if find_gravity else "described",
        instruments=instruments,
        robust=robust,
        cutoff=cutoff,
        progress=_progress(as_json),
    )
    in_hand = [*(known_loads or [None] * len(logs)), *[None] * (len(logs_read) - len(logs))]
    residuals = [identified.residual(log, load) for log, load in zip(logs_read, in_hand, strict=True)]
    carried = [(log.name, identified.load(log)) for log in with_load]
    for sentence in identified.warnings:
        note(sentence)
    if as_json:
        print(json_text(_record(identified, residuals, carried)))
    else:
        _print(identified, residuals, len(validate or []))
        _print_more(identified, carried)
    if output is not None:
        from dataclasses import replace

        from dalembert.arm.io.whole_files import write_whole

        if identified.left_out:
            note(f"{', '.join(identified.left_out)} friction is no part of a drive train, so {output} does not have it")
        source = f"inertias, friction and rotors identified from {', '.join(path.name for path in logs)}"
        identified_arm: da.Arm = identified.system.arm  # type: ignore[attr-defined]
        missing = (
            f"Without the {' and '.join(identified.left_out)} friction that was found." if identified.left_out else ""
        )
        notes = " ".join(part for part in (identified_arm.notes, missing) if part)
        write_whole(
            output, replace(identified_arm, sources=(*identified_arm.sources, source), notes=notes).write_toml()
        )
    if page is not None:
        from dalembert.report.identification_page import write_identification_page

        write_identification_page(identified, residuals, len(validate or []), page)


def _gains(text: str, n: int) -> str | list[float | None] | None:
    """None, "find", or a number for each joint, None where it is to be found."""
    if not text or text == "find":
        return text or None
    words = [word.strip() for word in text.split(",")]
    values = numbers(",".join("1" if word == "?" else word for word in words), "--gains", (n,))
    return [None if word == "?" else value for word, value in zip(words, values, strict=True)]


def _known_loads(texts: list[str], count: int) -> list[Any] | None:
    """The load of each log, None where there is none."""
    from dalembert.arm.inertia import Load

    if not texts:
        return None
    if len(texts) != count:
        raise ArmError(
            f"--held is given once for each of the {count} logs, or not at all; it is there {len(texts)} times"
        )
    rows = [numbers(word, "--held", (1, 4)) for word in texts]
    return [Load(mass=row[0], com=tuple(row[1:]) or (0, 0, 0)) if row[0] else None for row in rows]


def _read(files: list[Path], columns: list[str], rows: list[str]) -> list[Any]:
    from dalembert.identification.log import Log

    heads: dict[str, str | list[str]] = {}
    for word in columns:
        quantity, equals, columns_named = word.partition("=")
        if not equals or not columns_named:
            raise ArmError(f"--column is written as in q=pos or effort=m_a,m_b, not {word!r}")
        heads[quantity.strip()] = columns_named.split(",") if "," in columns_named else columns_named
    if rows and len(rows) != len(files):
        raise ArmError(
            f"--rows is given once for each of the {len(files)} logs, or not at all; it is there {len(rows)} times"
        )
    read = []
    for k, path in enumerate(files):
        log = Log.read(path, heads or None, path.name)
        if rows:
            start, colon, stop = rows[k].partition(":")
            first, last = whole_number(start or "0"), whole_number(stop or "0")
            if not colon or first is None or last is None:
                raise ArmError(f"--rows is written as START:STOP, as in 635:3510 or 100:, not {rows[k]!r}")
            log = log.rows(first, last if stop else None)
        read.append(log)
    return read


def _progress(quiet: bool) -> Any:
    def say(step: str) -> None:
        if not quiet and sys.stderr.isatty():
            print(f"\r{step:<40}", end="", file=sys.stderr, flush=True)

    return say


def _print(identified: Identification, residuals: list[Residual], unseen: int) -> None:
    from dalembert.report.identification_page import unexplained

    names = list(identified.described.joint_names)
    heading(f"{identified.described.name}: what is left of the efforts, percent")
    marks = [""] * (len(residuals) - unseen) + [" (not used)"] * unseen
    table(
        [
            ("joint", [*names, "all", "all, unfiltered"]),
            *(
                (
                    f"{residual.name}{mark}",
                    [f"{100 * x:.2f}" for x in (*residual.joints, residual.whole, residual.raw)],
                )
                for residual, mark in zip(residuals, marks, strict=True)
            ),
        ]
    )
    paragraph(unexplained(identified, residuals[-1]))
    heading("friction and rotors")
    units = {"coulomb": "[N m]", "viscous": "[N m s/rad]", "offset": "[N m]", "stribeck": "[N m]", "load": "[1]"}
    terms = identified.unknowns.friction.names
    rows = [identified.friction_of(k) for k in range(identified.described.n)]
    listed = [("joint", names), *((f"{t} {units[t]}", [f"{row[t]:.4g}" for row in rows]) for t in terms)]
    if identified.unknowns.rotors:
        first = identified.unknowns.rotor_column(0)
        listed.append(
            ("rotor [kg m^2]", [f"{x:.4g}" for x in identified.values[first : first + identified.described.n]])
        )
    table(listed)
    if any(joint.kind != "revolute" for joint in identified.described.moving):
        paragraph("Sliding joints: N, N s/m and kg.")
    determined = sum(p.determined for p in identified.parameters)
    cutoffs = ", ".join(f"{log.cutoff:.3g}" for log in identified.logs)
    paragraph(
        f"{identified.samples} samples kept, filtered at {cutoffs} Hz. {determined} of {len(identified.parameters)} "
        f"combinations are at least three standard errors from zero (condition number {identified.condition:.3g})."
    )


def _print_more(identified: Identification, carried: list[tuple[str, IdentifiedLoad]]) -> None:
    """Gains, gravity and loads that were found, and what the logs do not tell."""
    names = list(identified.described.joint_names)
    if identified.gains is not None and identified.gain_errors is not None and identified.gain_errors.any():
        heading("gains of the drives")
        cells = [[f"{x:.4g}" for x in values] for values in (identified.gains, identified.gain_errors)]
        table([("joint", names), ("gain [N m/A]", cells[0]), ("error [N m/A]", cells[1])])
    if identified.gravity_error:
        vector = ", ".join(f"{x:.4g}" for x in identified.gravity)
        paragraph(f"Gravity in the base frame: ({vector}) m/s^2, its direction to {identified.gravity_error:.2g} rad.")
    for name, load in carried:
        heading(f"load in the hand during {name}, in the tool frame")
        axes = ("x", "y", "z")
        table(
            [
                ("quantity", ["mass [kg]", *(f"centre {a} [m]" for a in axes), *(f"I{a}{a} [kg m^2]" for a in axes)]),
                ("value", [f"{x:.4g}" for x in (load.mass, *load.com, *load.inertia.diagonal())]),
                ("error", [f"{x:.2g}" for x in (load.mass_error, *load.com_error, *load.inertia_error.diagonal())]),
            ]
        )
        paragraph(f"It explains {100 * load.explained:.0f} percent of what the arm alone leaves of that run.")
    if identified.silent:
        heading(f"not told by the logs: {len(identified.silent)} of {len(identified.parameters)}")
        for combination in identified.silent[:SHOWN]:
            paragraph(f"{combination}.")
        if len(identified.silent) > SHOWN:
            paragraph(f"... and {len(identified.silent) - SHOWN} more, listed by --json and --page.")


def _record(
    identified: Identification, residuals: list[Residual], carried: list[tuple[str, IdentifiedLoad]]
) -> dict[str, Any]:
    loads = [
        {
            "log": name, "mass": load.mass, "mass_error": load.mass_error, "com": load.com.tolist(),
            "com_error": load.com_error.tolist(), "inertia": load.inertia.tolist(),
            "inertia_error": load.inertia_error.tolist(), "explained": load.explained,
        }
        for name, load in carried
    ]  # fmt: skip
    return {
        "gains": None if identified.gains is None else identified.gains.tolist(),
        "gain_errors": None if identified.gain_errors is None else identified.gain_errors.tolist(),
        "gravity": identified.gravity.tolist(),
        "gravity_error": identified.gravity_error,
        "loads": loads,
        "silent": [vars(combination) for combination in identified.silent],
        "arm": identified.described.name,
        "joints": list(identified.described.joint_names),
        "friction": [dict(identified.friction_of(k)) for k in range(identified.described.n)],
        "values": dict(zip(identified.unknowns.names, identified.values.tolist(), strict=True)),
        "units": dict(zip(identified.unknowns.names, identified.unknowns.units, strict=True)),
        "parameters": [{**vars(p), "determined": p.determined} for p in identified.parameters],
        "condition": identified.condition,
        "residuals": [
            {"log": r.name, "joints": r.joints.tolist(), "whole": r.whole, "unfiltered": r.raw} for r in residuals
        ],
        "cutoff": [log.cutoff for log in identified.logs],
        "notes": list(identified.warnings),
    }

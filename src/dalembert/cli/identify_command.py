"""``dalembert identify``: the model of a robot from its logs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert.arm.errors import ArmError
from dalembert.arm.exact import whole_number

from .printing import heading, paragraph, table
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
        list[Path] | None, typer.Option("--validate", help="A log to judge by, not used; may be repeated.")
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
            "--gains", help="Torque per current of each joint (N m/A), by commas; ? where it is to be found, or find."
        ),
    ] = "",
    held: Annotated[
        list[str] | None,
        typer.Option(
            "--held", help="Known load of each log in turn, MASS,X,Y,Z (kg, m) in the tool frame; 0 for none."
        ),
    ] = None,
    laden: Annotated[
        list[Path] | None, typer.Option("--laden", help="A log with an unknown load in the hand, to be found.")
    ] = None,
    find_gravity: Annotated[
        bool, typer.Option("--find-gravity", help="Find the direction of gravity: how the robot is mounted.")
    ] = False,
    instruments: Annotated[
        bool, typer.Option("--instruments", help="Use the reference (q_ref1..) against the bias of noisy positions.")
    ] = False,
    columns: Annotated[
        list[str] | None,
        typer.Option("--column", help="Heads of a file, as in q=pos or effort=m_a,m_b; may be repeated."),
    ] = None,
    rows: Annotated[
        list[str] | None,
        typer.Option("--rows", help="Rows START:STOP of each log, then of --validate, --laden."),
    ] = None,
    robust: Annotated[bool, typer.Option("--robust", help="Outliers count less.")] = False,
    cutoff: Annotated[float | None, typer.Option("--cutoff", help="Cut-off of the filter (Hz).")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the arm found, with friction and rotors (.toml).")
    ] = None,
    page: Annotated[Path | None, typer.Option("--page", help="Write a page with figures (.html).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Find inertias, friction and rotors of a robot from measured motions, as bodies that could be built."""
    from dalembert.identification.identify import identify as find

    for path, ending, option in ((output, ".toml", "--output"), (page, ".html", "--page")):
        if path is not None and path.suffix != ending:
            raise ArmError(f"{option} writes a {ending} file, not {path}")
    files = [*logs, *(validate or []), *(laden or [])]
    everything = _read(files, columns or [], rows or [])
    read, with_load = everything[: len(files) - len(laden or [])], everything[len(files) - len(laden or []) :]
    known = _held(held or [], len(logs))
    found = find(
        arm,
        read[: len(logs)],
        friction,
        find_rotors,
        _gains(gains, arm.n),
        loads=known,
        gravity="find" if find_gravity else "described",
        instruments=instruments,
        robust=robust,
        cutoff=cutoff,
        progress=_progress(as_json),
    )
    in_hand = [*(known or [None] * len(logs)), *[None] * (len(read) - len(logs))]
    residuals = [found.residual(log, load) for log, load in zip(read, in_hand, strict=True)]
    carried = [(log.name, found.load(log)) for log in with_load]
    for sentence in found.warnings:
        print(f"note: {sentence}", file=sys.stderr)
    if as_json:
        print(json.dumps(_record(found, residuals, carried), indent=2))
    else:
        _print(found, residuals, len(validate or []))
        _print_more(found, carried)
    if output is not None:
        from dataclasses import replace

        from dalembert.arm.io.whole_files import write_whole

        if found.left_out:
            print(
                f"note: {', '.join(found.left_out)} friction is no part of a drive train, so {output} does not have it",
                file=sys.stderr,
            )
        source = f"inertias, friction and rotors identified from {', '.join(path.name for path in logs)}"
        whole: da.Arm = found.system.arm  # type: ignore[attr-defined]
        missing = f"Without the {' and '.join(found.left_out)} friction that was found." if found.left_out else ""
        notes = " ".join(part for part in (whole.notes, missing) if part)
        write_whole(output, replace(whole, sources=(*whole.sources, source), notes=notes).write_toml())
    if page is not None:
        from dalembert.report.identification_page import write_identification_page

        write_identification_page(found, residuals, len(validate or []), page)


def _gains(text: str, n: int) -> str | list[float | None] | None:
    """None, "find", or a number for each joint, None where it is to be found."""
    if not text or text == "find":
        return text or None
    words = [word.strip() for word in text.split(",")]
    values = numbers(",".join("1" if word == "?" else word for word in words), "--gains", (n,))
    return [None if word == "?" else value for word, value in zip(words, values, strict=True)]


def _held(words: list[str], count: int) -> list[Any] | None:
    """The load of each log, None where there is none."""
    from dalembert.arm.inertia import Load

    if not words:
        return None
    if len(words) != count:
        raise ArmError(
            f"--held is given once for each of the {count} logs, or not at all; it is there {len(words)} times"
        )
    rows = [numbers(word, "--held", (1, 4)) for word in words]
    return [Load(mass=row[0], com=tuple(row[1:]) or (0, 0, 0)) if row[0] else None for row in rows]


def _read(files: list[Path], columns: list[str], rows: list[str]) -> list[Any]:
    from dalembert.identification.log import Log

    heads: dict[str, str | list[str]] = {}
    for word in columns:
        what, equals, said = word.partition("=")
        if not equals or not said:
            raise ArmError(f"--column is written as in q=pos or effort=m_a,m_b, not {word!r}")
        heads[what.strip()] = said.split(",") if "," in said else said
    if rows and len(rows) != len(files):
        raise ArmError(
            f"--rows is given once for each of the {len(files)} logs, or not at all; it is there {len(rows)} times"
        )
    found = []
    for k, path in enumerate(files):
        log = Log.read(path, heads or None, path.name)
        if rows:
            start, colon, stop = rows[k].partition(":")
            first, last = whole_number(start or "0"), whole_number(stop or "0")
            if not colon or first is None or last is None:
                raise ArmError(f"--rows is written as START:STOP, as in 635:3510 or 100:, not {rows[k]!r}")
            log = log.rows(first, last if stop else None)
        found.append(log)
    return found


def _progress(quiet: bool) -> Any:
    def say(what: str) -> None:
        if not quiet and sys.stderr.isatty():
            print(f"\r{what:<40}", end="", file=sys.stderr, flush=True)

    return say


def _print(found: Identification, residuals: list[Residual], unseen: int) -> None:
    from dalembert.report.identification_page import unexplained

    names = list(found.described.joint_names)
    heading(f"{found.described.name}: what is left of the efforts, percent")
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
    paragraph(unexplained(found, residuals[-1]))
    heading("friction and rotors")
    units = {"coulomb": "[N m]", "viscous": "[N m s/rad]", "offset": "[N m]", "stribeck": "[N m]", "load": "[1]"}
    terms = found.unknowns.friction.names
    rows = [found.friction_of(k) for k in range(found.described.n)]
    listed = [("joint", names), *((f"{t} {units[t]}", [f"{row[t]:.4g}" for row in rows]) for t in terms)]
    if found.unknowns.rotors:
        first = found.unknowns.rotor_column(0)
        listed.append(("rotor [kg m^2]", [f"{x:.4g}" for x in found.values[first : first + found.described.n]]))
    table(listed)
    if any(joint.kind != "revolute" for joint in found.described.moving):
        paragraph("Sliding joints: N, N s/m and kg.")
    told = sum(p.determined for p in found.parameters)
    cutoffs = ", ".join(f"{log.cutoff:.3g}" for log in found.logs)
    paragraph(
        f"{found.samples} samples kept, filtered at {cutoffs} Hz. {told} of {len(found.parameters)} combinations are "
        f"determined (condition number {found.condition:.3g})."
    )


def _print_more(found: Identification, carried: list[tuple[str, IdentifiedLoad]]) -> None:
    """Gains, gravity and loads that were found, and what the logs do not tell."""
    names = list(found.described.joint_names)
    if found.gains is not None and found.gain_errors is not None and found.gain_errors.any():
        heading("gains of the drives")
        shown = [[f"{x:.4g}" for x in values] for values in (found.gains, found.gain_errors)]
        table([("joint", names), ("gain [N m/A]", shown[0]), ("error [N m/A]", shown[1])])
    if found.gravity_error:
        vector = ", ".join(f"{x:.4g}" for x in found.gravity)
        paragraph(f"Gravity in the base frame: ({vector}) m/s^2, its direction to {found.gravity_error:.2g} rad.")
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
    if found.silent:
        heading(f"not told by the logs: {len(found.silent)} of {len(found.parameters)}")
        for each in found.silent[:SHOWN]:
            paragraph(f"{each}.")
        if len(found.silent) > SHOWN:
            paragraph(f"... and {len(found.silent) - SHOWN} more, listed by --json and --page.")


def _record(
    found: Identification, residuals: list[Residual], carried: list[tuple[str, IdentifiedLoad]]
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
        "gains": None if found.gains is None else found.gains.tolist(),
        "gain_errors": None if found.gain_errors is None else found.gain_errors.tolist(),
        "gravity": found.gravity.tolist(),
        "gravity_error": found.gravity_error,
        "loads": loads,
        "silent": [vars(each) for each in found.silent],
        "arm": found.described.name,
        "joints": list(found.described.joint_names),
        "friction": [dict(found.friction_of(k)) for k in range(found.described.n)],
        "values": dict(zip(found.unknowns.names, found.values.tolist(), strict=True)),
        "units": dict(zip(found.unknowns.names, found.unknowns.units, strict=True)),
        "parameters": [{**vars(p), "determined": p.determined} for p in found.parameters],
        "condition": found.condition,
        "residuals": [
            {"log": r.name, "joints": r.joints.tolist(), "whole": r.whole, "unfiltered": r.raw} for r in residuals
        ],
        "cutoff": [log.cutoff for log in found.logs],
        "notes": list(found.warnings),
    }

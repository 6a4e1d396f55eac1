"""``dalembert ranges``: how much inertia and gravity load vary, with proof."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.arm.errors import ArmError
from dalembert.arm.system_phrase import system_phrase
from dalembert.equations.names import separate, sides
from dalembert.markup.numbers import not_below

from .certificate_writing import CertificateOption, write_after
from .notes import note
from .printing import bounds_or_dashes, figures, figures_or_dashes, heading, json_text, paragraph, say, table
from .reducing_bar import asking_bar
from .system_options import joint_position, position_command

if TYPE_CHECKING:
    from dalembert.arm.description import ArmDescription
    from dalembert.bounds.ranges import Range
    from dalembert.design.analysis import Analysis
    from dalembert.design.tables import GravityRow, InertiaRow, LoadTables


@position_command
def ranges(
    ask: Analysis,
    of: Annotated[str, typer.Option(help="Coefficients, sums or ratios instead of the tables: D12,D12/D11.")] = "",
    along: Annotated[
        str, typer.Option("--along", metavar="JOINT", help="With --of: |ratio| along this joint, the others at zero.")
    ] = "",
    at: Annotated[
        list[str] | None,
        typer.Option("--at", metavar="JOINT=VALUE,...", help="With --along: a setting of others; may be repeated."),
    ] = None,
    points: Annotated[int | None, typer.Option(min=2, help="With --along: how many positions (13).")] = None,
    signed: Annotated[bool, typer.Option("--signed", help="With --along: the ratio with its sign.")] = False,
    ounces: Annotated[
        bool, typer.Option("--ounces", help="In ounces (force), inches and seconds, as Bejczy 1974 has them.")
    ] = False,
    gap: Annotated[float | None, typer.Option(help="Certify to this share of the spread (default 1e-4).")] = None,
    certificate: CertificateOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Certified ranges of total inertia and gravity load at every joint; of a loaded arm also with the hand empty."""
    if along and certificate is not None:
        raise ArmError("--certificate is of ranges; curves along a joint (--along) have none")
    if along and gap is not None:
        raise ArmError("--gap certifies ranges; curves along a joint (--along) have none")
    if not along and (at or points is not None or signed):
        raise ArmError("--at, --points and --signed go with --along; name the joint to go along")
    if along and ounces:
        raise ArmError("--ounces is for inertias and loads; ratios along a joint are in SI units")
    if along and not of:
        raise ArmError("--along goes with ratios; name them with --of, as in --of D12/D11")
    if gap is not None and not gap > 0:
        raise ArmError(f"--gap is a share of the spread above zero, such as 0.01, not {gap:g}")
    ask.gap = gap
    if along:
        curves(ask, of, along, at or [], points or 13, signed, as_json)
        return
    print_ranges = partial(print_coefficients, names=separate(of)) if of else print_tables
    write = print_ranges(ask, ounces=ounces, as_json=as_json)
    if certificate is not None:
        write_after(partial(write_certificate, ask, write, certificate), certificate, "what is", as_json)


def write_certificate(ask: Analysis, write: Callable[[Path], Path], path: Path) -> Path:
    """The certificate of ranges, with a bar."""
    with asking_bar(ask, "certificate", explained=True):
        return write(path)


def print_coefficients(ask: Analysis, names: Sequence[str], ounces: bool, as_json: bool) -> Callable[[Path], Path]:
    """Ranges of coefficients, sums and ratios; gives back what writes a certificate of those that are proved."""
    from dalembert.design.ounces import in_ounces

    with asking_bar(ask, "ranges"):
        proved = ranges_in_turn(ask, names)
    rows = [in_ounces(row) if ounces else row for row in proved]

    def write(path: Path) -> Path:
        return ask.certificate(path, *names[: len(rows)])

    if as_json:
        print(json_text([{"name": r.name, "unit": r.unit, "minimum": r.minimum, "maximum": r.maximum,
                           "lower": r.lower, "upper": r.upper, "at_minimum": r.at_minimum.tolist(),
                           "at_maximum": r.at_maximum.tolist(), "certified": r.certified}
                          for r in rows]))  # fmt: skip
        return write
    heading(f"{ask.system.name}, {system_phrase(ask.system)}")
    table([("", [r.name for r in rows]), ("least", figures(r.minimum for r in rows)),
           ("greatest", figures(r.maximum for r in rows)),
           ("proved\nwithin", bounds_or_dashes([r.gap if r.certified else None for r in rows])),
           ("unit", [r.unit for r in rows])])  # fmt: skip
    uncertified = [
        f"{r.name} ({-not_below(-r.lower, 5):.5g} to {not_below(r.upper, 5):.5g})" for r in rows if not r.certified
    ]
    if uncertified:
        say()
        paragraph(f"Searched, not proved to the tolerance; in brackets what is proved: {', '.join(uncertified)}.")
    return write


def print_tables(ask: Analysis, ounces: bool, as_json: bool) -> Callable[[Path], Path]:
    """Ranges of all D_ii and G_i; gives back what writes a certificate of those that are proved."""
    from dalembert.design.ounces import tables_in_ounces

    loaded = ask.system.tool_link in dict(ask.system.loads)
    with asking_bar(ask, "ranges"):
        tables = ask.of(ask.system.holding(None)).ranges(ask, partial=True) if loaded else ask.ranges(partial=True)
    if tables.interrupted:
        note_interrupted([row.joint for row in tables.inertia])
    write = tables.certificate
    tables = tables_in_ounces(tables) if ounces else tables
    if as_json:
        print(json_text(tables_json(tables)))
        return write
    heading(f"{ask.system.name}, {system_phrase(ask.system)}")
    heading(f"Total inertia at the joints, {'rotors of the drives included' if tables.drives else 'links alone'}")
    columns = [
        ("joint", [r.joint for r in tables.inertia]),
        ("least", figures(r.empty.minimum for r in tables.inertia)),
        ("greatest", figures(r.empty.maximum for r in tables.inertia)),
        ("ratio", figures(r.relative for r in tables.inertia)),
    ]
    if loaded:
        columns += [("greatest\nwith load", figures(r.loaded.maximum for r in tables.inertia if r.loaded)),
                    ("ratio\nwith load", figures(r.relative_loaded or 0 for r in tables.inertia))]  # fmt: skip
    table([*columns, ("proved\nwithin", within(tables.inertia)), ("unit", [r.unit for r in tables.inertia])])
    heading("Gravity load at the joints, largest")
    columns = [
        ("joint", [r.joint for r in tables.gravity]),
        ("at output", figures(r.empty.largest for r in tables.gravity)),
    ]
    geared = any(r.empty_at_motor is not None for r in tables.gravity)
    if geared:
        columns.append(("at motor", figures_or_dashes([largest(r.empty_at_motor) for r in tables.gravity])))
    if loaded:
        columns.append(("with load", figures(r.loaded.largest for r in tables.gravity if r.loaded)))
    if loaded and geared:
        columns.append(("with load\nat motor", figures_or_dashes([largest(r.loaded_at_motor) for r in tables.gravity])))
    columns += [("proved\nwithin", within(tables.gravity)), ("unit", [r.unit for r in tables.gravity])]
    if geared:
        columns += [("stall\ntorque", figures_or_dashes([r.stall_torque for r in tables.gravity])),
                    ("gear\nratio", figures_or_dashes([r.gear_ratio for r in tables.gravity])),
                    ("unit at\nmotor", [r.motor_unit for r in tables.gravity])]  # fmt: skip
    if any(r.capacity for r in tables.gravity):
        shares = [("percent of\nthe drive", [r.share(r.empty) for r in tables.gravity])]
        shares += [("percent,\nwith load", [r.share(r.loaded) for r in tables.gravity])] if loaded else []
        columns += [(head, figures_or_dashes([None if s is None else 100 * s for s in part])) for head, part in shares]
    table(columns)
    closed = [r for row in tables.rows if row.certified for r in row.ranges.values() if r.largest]
    say()
    if closed:
        percent = not_below(100 * max(r.gap / r.largest for r in closed), 2)
        paragraph(
            f"Proved: no pose within the {'box' if ask.narrowed else 'limits'} lies outside these figures, of which "
            f"--json has all digits, by more than {percent:.2g} percent"
            + (", but for those with a dash." if tables.uncertified else ".")
        )
    if tables.uncertified:
        paragraph(
            f"Searched, not proved: {', '.join(tables.uncertified)}. Their figures are reached, but they have too many "
            "terms for the proof to close in the work allowed; --json gives what is proved."
        )
    return write


def ranges_in_turn(ask: Analysis, names: Sequence[str]) -> list[Range]:
    """The ranges of these coefficients; after an interrupt (Ctrl-C) those that are done, where there are any."""
    rows: list[Range] = []
    try:
        for name in names:
            rows.append(ask.range_of(name))
    except KeyboardInterrupt:
        if not rows:
            raise
        note_interrupted([row.name for row in rows])
    return rows


def note_interrupted(names: Sequence[str]) -> None:
    """Say that what follows is not all that was asked for."""
    note(f"interrupted; these are the ranges proved so far, of {', '.join(names)}")


def curves(ask: Analysis, of: str, along: str, at: list[str], points: int, signed: bool, as_json: bool) -> None:
    """|ratio| along one joint, a column for each setting of the others (Bejczy 1974, Figures 4 to 11)."""
    from dalembert.arm.joint_keys import joint_index
    from dalembert.reduction.states import box_of

    names = separate(of)
    if not names or not all(name.count("/") == 1 for name in names):
        raise ArmError(f"--along goes with ratios, as in --of D12/D11, not {of!r}")
    joint, limits = joint_index(ask.system, along), box_of(ask.system)
    boxed = (ask.box.lower != limits.lower) | (ask.box.upper != limits.upper)
    if any(narrowed and k != joint for k, narrowed in enumerate(boxed)):
        raise ArmError("with --along only its own joint moves; leave out --box of others, and place them with --at")
    settings = [setting(ask.system, text) for text in at]
    pairs = [sides(name) for name in names]
    curves_ = [ask.ratio_curves(top, bottom, along, settings, points=points, signed=signed) for top, bottom in pairs]
    if as_json:
        print(json_text([{"name": c.name, "along": c.joint, "x": c.x.tolist(), "settings": list(c.labels),
                           "signed": c.signed, "values": c.values.tolist()} for c in curves_]))  # fmt: skip
        return
    for c in curves_:
        turning = ask.system.joint(c.joint).kind == "revolute"
        heading(f"{c.name if signed else f'|{c.name}|'} along {c.joint}, {system_phrase(ask.system)}, SI units")
        head = f"{c.joint}\n{'deg' if turning else 'm'}"
        positions = [math.degrees(x) if turning else float(x) for x in c.x]
        columns = [(label.replace(", ", "\n") or "others\nat zero", figures(row))
                   for label, row in zip(c.labels, c.values, strict=True)]  # fmt: skip
        table([(head, figures(round(x, 6) for x in positions)), *columns])


def setting(arm: ArmDescription, text: str) -> dict[str | int, float]:
    """Positions of joints as the command line gives them: joint3=0.5,joint5=90 deg."""
    positions: dict[str | int, float] = {}
    for word in text.split(","):
        name, sign, value = word.partition("=")
        if not sign or not name.strip():
            raise ArmError(f"--at takes joint=position such as joint3=0.5, not {text!r}")
        positions[name.strip()] = joint_position(arm, name.strip(), value, "--at")
    return positions


def within(rows: Sequence[InertiaRow | GravityRow]) -> list[str]:
    """How far beyond its figures at the joint each row is proved to stay; a dash where it is not."""
    gaps = [max(x.gap for x in (r.empty, r.loaded) if x is not None) for r in rows]
    return bounds_or_dashes([gap if r.certified else None for r, gap in zip(rows, gaps, strict=True)])


def tables_json(tables: LoadTables) -> dict[str, object]:
    """Ranges of D_ii and G_i with poses, proved bounds and load, as JSON holds them, each with its unit."""
    return {
        "arm": tables.arm,
        "load": tables.load,
        "drives": tables.drives,
        "interrupted": tables.interrupted,
        "inertia": [
            {"joint": r.joint, "unit": r.unit, "minimum": r.empty.minimum, "maximum": r.empty.maximum,
             "relative": r.relative, "at_minimum": r.empty.at_minimum.tolist(),
             "at_maximum": r.empty.at_maximum.tolist(),
             "maximum_with_load": r.loaded.maximum if r.loaded else None, "relative_with_load": r.relative_loaded,
             "rotors": r.rotors, "at_motor": r.empty_at_motor and r.empty_at_motor.maximum,
             "at_motor_with_load": r.loaded_at_motor and r.loaded_at_motor.maximum, "gap": r.empty.gap,
             "lower": r.empty.lower, "upper": r.empty.upper, "certified": r.certified}
            for r in tables.inertia
        ],
        "gravity": [
            {"joint": r.joint, "unit": r.unit, "largest": r.empty.largest, "motor": r.motor, "motor_unit": r.motor_unit,
             "gear_ratio": r.gear_ratio, "at_motor": r.empty_at_motor and r.empty_at_motor.largest,
             "at_motor_with_load": r.loaded_at_motor and r.loaded_at_motor.largest,
             "largest_with_load": r.loaded.largest if r.loaded else None, "stall_torque": r.stall_torque,
             "share": r.share(r.empty), "share_with_load": r.share(r.loaded), "gap": r.empty.gap,
             "lower": r.empty.lower, "upper": r.empty.upper, "certified": r.certified}
            for r in tables.gravity
        ],
    }  # fmt: skip


def largest(certified_range: Range | None) -> float | None:
    """The largest magnitude of a range, where there is one."""
    return certified_range.largest if certified_range is not None else None

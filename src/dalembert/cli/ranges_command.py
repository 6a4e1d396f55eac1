"""``dalembert ranges``: how much inertia and gravity load vary, with proof."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from dalembert.arm.description import ArmDescription
from dalembert.arm.errors import ArmError
from dalembert.arm.io.expression import quantity

from .arguments import ArmArgument, load
from .printing import figures, heading, paragraph, say, table
from .states import BoxOption, LoadOption, read_boxes, read_load

if TYPE_CHECKING:
    from dalembert.design.tables import GravityRow, InertiaRow, LoadTables

Domain: TypeAlias = "Mapping[str | int, tuple[float, float]] | None"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("ranges")(ranges)


def ranges(
    arm: ArmArgument,
    load_: LoadOption = "",
    box: BoxOption = None,
    of: Annotated[str, typer.Option(help="Coefficients, sums or ratios instead of the tables: D12,D12/D11.")] = "",
    along: Annotated[
        str, typer.Option("--along", metavar="JOINT", help="With --of: |ratio| along this joint, the others at zero.")
    ] = "",
    at: Annotated[
        list[str] | None,
        typer.Option("--at", metavar="JOINT=VALUE,...", help="With --along: a setting of others; may be repeated."),
    ] = None,
    points: Annotated[int, typer.Option(min=2, help="With --along: how many positions.")] = 13,
    gap: Annotated[float | None, typer.Option(help="Certify to this share of the spread (default 1e-4).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Certified ranges of total inertia and gravity load at every joint."""
    from dalembert.design.importance import coefficient_range
    from dalembert.design.tables import load_tables

    given = load(arm)
    domain, held = read_boxes(given, box), read_load(load_)
    if along:
        curves(given.holding(held) if held is not None else given, of, along, at or [], points, domain, as_json)
        return
    if of:
        rows = [
            coefficient_range(given, name.strip(), box=domain, drives=True) for name in of.split(",") if name.strip()
        ]
        if as_json:
            print(json.dumps([{"name": r.name, "unit": r.unit, "minimum": r.minimum, "maximum": r.maximum,
                               "lower": r.lower, "upper": r.upper, "at_minimum": r.at_minimum.tolist(),
                               "at_maximum": r.at_maximum.tolist(), "certified": r.certified}
                              for r in rows], indent=2))  # fmt: skip
            return
        table([("", [r.name for r in rows]), ("least", figures(r.minimum for r in rows)),
               ("greatest", figures(r.maximum for r in rows)),
               ("proved\nwithin", optional([r.gap if r.certified else None for r in rows])),
               ("unit", [r.unit for r in rows])])  # fmt: skip
        loose = [f"{r.name} ({r.lower:.5g} to {r.upper:.5g})" for r in rows if not r.certified]
        if loose:
            say()
            paragraph(f"Searched, not proved to the tolerance; in brackets what is proved: {', '.join(loose)}.")
        return
    found = load_tables(given, held, domain, gap)
    if as_json:
        print(json.dumps(tables_json(found), indent=2))
        return
    heading("Total inertia at the joints, input inertia included")
    columns = [
        ("joint", [r.joint for r in found.inertia]),
        ("least", figures(r.empty.minimum for r in found.inertia)),
        ("greatest", figures(r.empty.maximum for r in found.inertia)),
        ("ratio", figures(r.relative for r in found.inertia)),
    ]
    if held is not None:
        columns += [("greatest\nwith load", figures(r.loaded.maximum for r in found.inertia if r.loaded)),
                    ("ratio\nwith load", figures(r.relative_loaded or 0 for r in found.inertia))]  # fmt: skip
    table([*columns, ("proved\nwithin", within(found.inertia)), ("unit", [r.unit for r in found.inertia])])
    heading("Gravity load at the joints, largest")
    columns = [
        ("joint", [r.joint for r in found.gravity]),
        ("at output", figures(r.empty.largest for r in found.gravity)),
    ]
    if any(r.gear_ratio for r in found.gravity):
        columns.append(("at motor", optional([r.at_motor(r.empty.largest) for r in found.gravity])))
    if held is not None:
        columns.append(("with load", figures(r.loaded.largest for r in found.gravity if r.loaded)))
    if any(r.capacity for r in found.gravity):
        shares = [r.share(r.loaded or r.empty) for r in found.gravity]
        columns.append(("percent of\nthe drive", optional([None if s is None else 100 * s for s in shares])))
    table([*columns, ("proved\nwithin", within(found.gravity)), ("unit", [r.unit for r in found.gravity])])
    closed = [r.empty for r in found.rows if r.certified and r.empty.largest]
    say()
    if closed:
        paragraph(
            "Proved: no pose within the limits lies outside these figures by more than "
            f"{100 * max(r.gap / r.largest for r in closed):.2g} percent"
            + (", but for those with a dash." if found.uncertified else ".")
        )
    if found.uncertified:
        paragraph(
            f"Searched, not proved: {', '.join(found.uncertified)}. Their figures are reached, but they have too many "
            "terms for the proof to close in the work allowed; --json gives what is proved."
        )


def curves(arm: ArmDescription, of: str, along: str, at: list[str], points: int, domain: Domain, as_json: bool) -> None:
    """|ratio| along one joint, a column for each setting of the others (Bejczy 1974, Figures 4 to 11)."""
    from dalembert.design.importance import ratio_curves

    wanted = [name.strip() for name in of.split(",") if name.strip()]
    if not wanted or not all(name.count("/") == 1 for name in wanted):
        raise ArmError(f"--along goes with ratios, as in --of D12/D11, not {of!r}")
    settings = [setting(text) for text in at]
    found = []
    for name in wanted:
        top, _, bottom = name.partition("/")
        curve = ratio_curves(arm, top.strip("() "), bottom.strip("() "), along, settings, points=points, box=domain)
        found.append(curve)
    if as_json:
        print(json.dumps([{"name": c.name, "along": c.joint, "x": c.x.tolist(), "settings": list(c.labels),
                           "values": c.values.tolist()} for c in found], indent=2))  # fmt: skip
        return
    for c in found:
        turning = arm.joint(c.joint).kind == "revolute"
        heading(f"|{c.name}| along {c.joint}, inertia with the drives, SI units")
        head = f"{c.joint}\n{'deg' if turning else 'm'}"
        places = [math.degrees(x) if turning else float(x) for x in c.x]
        columns = [(label.replace(", ", "\n") or "others\nat zero", figures(row))
                   for label, row in zip(c.labels, c.values, strict=True)]  # fmt: skip
        table([(head, figures(round(x, 6) for x in places)), *columns])


def setting(text: str) -> dict[str | int, float]:
    """Positions of joints as the command line gives them: joint3=0.5,joint5=90 deg."""
    found: dict[str | int, float] = {}
    for word in text.split(","):
        name, sign, value = word.partition("=")
        if not sign or not name.strip():
            raise ArmError(f"--at takes joint=position such as joint3=0.5, not {text!r}")
        found[name.strip()] = float(quantity(value, f"--at {name.strip()}"))
    return found


def within(rows: Sequence[InertiaRow | GravityRow]) -> list[str]:
    """How far beyond its figures each row is proved to stay; a dash where it is not."""
    return optional([r.empty.gap if r.certified else None for r in rows])


def tables_json(found: LoadTables) -> dict[str, object]:
    return {
        "arm": found.arm,
        "load": found.load,
        "inertia": [
            {"joint": r.joint, "unit": r.unit, "minimum": r.empty.minimum, "maximum": r.empty.maximum,
             "relative": r.relative, "at_minimum": r.empty.at_minimum.tolist(),
             "at_maximum": r.empty.at_maximum.tolist(),
             "maximum_with_load": r.loaded.maximum if r.loaded else None, "relative_with_load": r.relative_loaded,
             "input_inertia": r.input_inertia, "gap": r.empty.gap,
             "lower": r.empty.lower, "upper": r.empty.upper, "certified": r.certified}
            for r in found.inertia
        ],
        "gravity": [
            {"joint": r.joint, "unit": r.unit, "largest": r.empty.largest, "at_motor": r.at_motor(r.empty.largest),
             "largest_with_load": r.loaded.largest if r.loaded else None, "stall_torque": r.stall_torque,
             "share": r.share(r.empty), "share_with_load": r.share(r.loaded), "gap": r.empty.gap,
             "lower": r.empty.lower, "upper": r.empty.upper, "certified": r.certified}
            for r in found.gravity
        ],
    }  # fmt: skip


def optional(values: list[float | None]) -> list[str]:
    written = iter(figures(x for x in values if x is not None))
    return [next(written) if x is not None else "-" for x in values]

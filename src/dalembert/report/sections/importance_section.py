"""Relative importance: how large one coefficient is beside another (Bejczy 1974, section VII, Figures 4 to 11).

G_i / D_ii is the acceleration at which inertia equals gravity; D_ij / D_ii is how much of joint j's acceleration
joint i feels, measured by its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...bounds.ranges import Range
from ...design.slow_fast import SlowFast
from ...equations.names import parse
from ...markup.data_tables import Column, DataTable, finite
from ...markup.numbers import drives_phrase, formatted, joint_label, listed
from ...reduction.coefficient_waves import CoefficientWaves
from ...systems.arm_system import ArmSystem
from .. import bejczy
from ..charts.figures import Figure
from ..section import Section, paragraph
from ..sweeps import Array, Sweep, chart

MOST_FIGURES = 6


def section(
    arm: ArmSystem,
    ratios: Sequence[Range],
    waves: CoefficientWaves,
    fast: Sequence[SlowFast] = (),
    unbounded: Sequence[str] = (),
) -> Section:
    """``ratios`` are certified ranges named such as D12/D11 and G2/D22; ``waves`` the coefficients they are made of;
    ``fast`` the paces at which reactions begin to count.
    """
    nonzero = sorted((ratio for ratio in ratios if ratio.largest > 0), key=lambda ratio: -ratio.largest)
    coupling = [ratio for ratio in nonzero if ratio.name[0] == "D"]
    gravity = [ratio for ratio in nonzero if ratio.name[0] == "G"]
    parts: list[DataTable | Figure] = []
    if coupling:
        parts.append(
            table(
                "coupling-ratios",
                "What the acceleration of another joint asks of a joint, beside its own inertia",
                arm,
                coupling,
            )
        )
    if gravity:
        parts.append(
            table(
                "gravity-ratios",
                "Gravity load over inertia: the acceleration at which inertia equals gravity",
                arm,
                gravity,
            )
        )
    if fast:
        parts.append(boundary(arm, fast))
    drawn = [*gravity[: MOST_FIGURES // 2], *coupling[: MOST_FIGURES - min(len(gravity), MOST_FIGURES // 2)]]
    figures = [figure(arm, ratio, waves) for ratio in drawn if ratio.joints]
    inertia = drives_phrase(arm.counts_drives, bool(arm.loads))
    text = f"Inertia: {inertia}. Least and largest values are reached, and certified like the ranges above"
    uncertified = [ratio.name for ratio in nonzero if not ratio.certified]
    if uncertified:
        names = listed(uncertified, 12)
        text += f", but for {names}: searched, not proved to the tolerance; what is proved is in the table"
    lines = [paragraph(f"{text}.", kind="note")]
    if unbounded:
        names = listed(list(unbounded), 12)
        sentence = f"Left out, since the inertia below the line is not proved to keep off zero: {names}."
        lines.append(paragraph(sentence, kind="note"))
    return Section(
        "importance",
        "Relative importance",
        meaning(arm, coupling, gravity),
        (*parts, *lines, *figures, *bejczy.charts(arm)),
    )


def meaning(arm: ArmSystem, coupling: Sequence[Range], gravity: Sequence[Range]) -> str:
    """The largest D_ij / D_ii between joints of one type and the largest G_i / D_ii, in one sentence."""
    clauses = []
    same_kind = [ratio for ratio in coupling if len({arm.moving[j].kind for j in pair(ratio, arm.n)}) == 1]
    if same_kind:
        i, j = pair(same_kind[0], arm.n)
        clauses.append(
            f"an acceleration of joint {j + 1} loads joint {i + 1} with up to {formatted(same_kind[0].largest, 3)} "
            "times what an equal "
            f"acceleration of joint {i + 1} itself would"
        )
    turning = [ratio for ratio in gravity if arm.moving[pair(ratio, arm.n)[0]].kind == "revolute"]
    if turning:
        i = pair(turning[0], arm.n)[0]
        clauses.append(
            f"below about {formatted(turning[0].largest, 2)} rad/s² gravity can outweigh inertia at "
            f"{joint_label(i, arm.joint_names[i])}"
        )
    sentence = ", and ".join(clauses) or "no joint loads another and gravity loads none"
    return f"{sentence[0].upper()}{sentence[1:]}."


def pair(ratio: Range, n: int) -> tuple[int, int]:
    """The joint loaded and the joint that loads it (itself, for gravity), counted from 0."""
    _, index = parse(ratio.name.split("/")[0], n)
    _, denominator = parse(ratio.name.split("/")[1], n)
    acting = next((k for k in index if k != denominator[0]), denominator[0])
    return denominator[0], acting


def ratio_unit(arm: ArmSystem, ratio: Range) -> str:
    """The unit of a ratio: an acceleration for gravity, a length or its inverse where kinds of joints mix."""
    i, j = pair(ratio, arm.n)
    kinds = arm.moving[i].kind, arm.moving[j].kind
    if ratio.name[0] == "G":
        return "rad/s²" if kinds[0] == "revolute" else "m/s²"
    return {("revolute", "prismatic"): "1/m", ("prismatic", "revolute"): "m"}.get(kinds, "")


def table(name: str, caption: str, arm: ArmSystem, ratios: Sequence[Range]) -> DataTable:
    """Least and largest value of every ratio with their poses, and the proved bound."""
    columns = (
        Column("ratio", "ratio", kind="name"),
        Column("least", "least", kind="number"),
        Column("pose of least", "", kind="pose"),
        Column("largest", "largest", kind="number"),
        Column("pose of largest", "", kind="pose"),
        Column("unit", "", kind="unit"),
        Column("proved bound", "proved bound", kind="number bound"),
    )
    rows = tuple(
        (
            ratio.name,
            ratio.minimum,
            tuple(map(float, ratio.at_minimum)),
            ratio.maximum,
            tuple(map(float, ratio.at_maximum)),
            ratio_unit(arm, ratio),
            ratio.bound,
        )
        for ratio in ratios
    )
    return DataTable(name, caption, columns, rows, first=10)


def boundary(arm: ArmSystem, fast: Sequence[SlowFast]) -> DataTable:
    """Dynamically slow and fast motion (Bejczy 1974, section II)."""
    columns = (
        Column("joint", "joint"),
        Column("own", "own inertia and gravity", kind="number"),
        Column("acceleration", "reaction to accelerations", kind="number"),
        Column("velocity", "reaction to speeds", kind="number"),
        Column("unit", "", kind="unit"),
        Column("share", "reactions reach", kind="share"),
        Column("speed", "at this share of the speeds", kind="share"),
        Column("proved", "and not below", kind="share floor"),
    )
    rows = tuple(
        (joint_label(k, row.joint), row.own, row.acceleration, row.velocity, "N" if arm.moving[k].kind == "prismatic"
         else "N m", row.share, finite(row.speed), finite(row.proved)) for k, row in enumerate(fast)
    )  # fmt: skip
    note = (
        "Reactions to the accelerations of other joints and to speeds, beside the largest torque of own inertia and "
        "gravity at one state. All joints move at the same share of the speeds in the table of states below, and at "
        "its square of the accelerations. A dash: reactions never get there. Zero: at every pace, since gravity does "
        "not load the joint and its own inertia grows as reactions do."
    )
    return DataTable("slow-and-fast", "How fast is fast", columns, rows, note)


def figure(arm: ArmSystem, ratio: Range, waves: CoefficientWaves) -> Figure:
    """A ratio of two coefficients over the joint that changes it most."""
    top, bottom = (waves.wave(name) for name in ratio.name.split("/"))

    def values(q: Array) -> Array:
        return np.asarray(top(q) / bottom(q))

    i, j = pair(ratio, arm.n)
    if ratio.name[0] == "G":
        title = f"Gravity over inertia at {joint_label(i, arm.joint_names[i])}"
    else:
        title = f"Inertia of joint {j + 1} felt at joint {i + 1}, over its own"
    file = ratio.name.replace("/", "-over-")
    return chart(arm, Sweep(values, ratio.joints, ratio.name, title, ratio_unit(arm, ratio), file))[0]

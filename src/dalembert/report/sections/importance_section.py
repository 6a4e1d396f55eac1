"""Relative importance: how large one coefficient is beside another (Bejczy 1974, section VII, Figures 4 to 11).

G_i / D_ii is the acceleration at which inertia equals gravity; D_ij / D_ii is how much of joint j's acceleration
joint i feels, measured by its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...bounds.ranges import Range
from ...design.slow_fast import SlowFast
from ...equations.names import parse
from ...markup.data_tables import Column, DataTable
from ...markup.numbers import counted, joint_label, listed, written
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
    known = sorted((one for one in ratios if one.largest > 0), key=lambda one: -one.largest)
    coupling = [one for one in known if one.name[0] == "D"]
    gravity = [one for one in known if one.name[0] == "G"]
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
    shown = [*gravity[: MOST_FIGURES // 2], *coupling[: MOST_FIGURES - min(len(gravity), MOST_FIGURES // 2)]]
    figures = [figure(arm, one, waves) for one in shown if one.joints]
    inertia = counted(arm.counts_drives)
    text = f"Inertia: {inertia}. Least and largest values are reached, and certified like the ranges above"
    loose = [one.name for one in known if not one.certified]
    if loose:
        text += f", but for {listed(loose, 12)}: searched, not proved to the tolerance; what is proved is in the table"
    lines = [paragraph(f"{text}.", kind="note")]
    if unbounded:
        which = listed(list(unbounded), 12)
        said = f"Left out, since the inertia below the line is not proved to keep off zero: {which}."
        lines.append(paragraph(said, kind="note"))
    return Section(
        "importance",
        "Relative importance",
        meaning(arm, coupling, gravity),
        (*parts, *lines, *figures, *bejczy.charts(arm)),
    )


def meaning(arm: ArmSystem, coupling: Sequence[Range], gravity: Sequence[Range]) -> str:
    """The largest D_ij / D_ii between joints of one type and the largest G_i / D_ii, in one sentence."""
    said = []
    same = [one for one in coupling if len({arm.moving[j].kind for j in pair(one, arm.n)}) == 1]
    if same:
        i, j = pair(same[0], arm.n)
        said.append(
            f"an acceleration of joint {j + 1} loads joint {i + 1} with up to {written(same[0].largest, 3)} times "
            "what an equal "
            f"acceleration of joint {i + 1} itself would"
        )
    turning = [one for one in gravity if arm.moving[pair(one, arm.n)[0]].kind == "revolute"]
    if turning:
        i = pair(turning[0], arm.n)[0]
        said.append(
            f"below about {written(turning[0].largest, 2)} rad/s² gravity can outweigh inertia at "
            f"{joint_label(i, arm.joint_names[i])}"
        )
    sentence = ", and ".join(said) or "no joint loads another and gravity loads none"
    return f"{sentence[0].upper()}{sentence[1:]}."


def pair(one: Range, n: int) -> tuple[int, int]:
    """The joint loaded and the joint that loads it (itself, for gravity), counted from 0."""
    _, index = parse(one.name.split("/")[0], n)
    _, own = parse(one.name.split("/")[1], n)
    other = next((k for k in index if k != own[0]), own[0])
    return own[0], other


def ratio_unit(arm: ArmSystem, one: Range) -> str:
    """The unit of a ratio: an acceleration for gravity, a length or its inverse where kinds of joints mix."""
    i, j = pair(one, arm.n)
    kinds = arm.moving[i].kind, arm.moving[j].kind
    if one.name[0] == "G":
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
        Column("proved bound", "proved bound", kind="number"),
    )
    rows = tuple(
        (
            one.name,
            one.minimum,
            tuple(map(float, one.at_minimum)),
            one.maximum,
            tuple(map(float, one.at_maximum)),
            ratio_unit(arm, one),
            one.bound,
        )
        for one in ratios
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
        Column("proved", "and not below", kind="share"),
    )
    rows = tuple(
        (joint_label(k, one.joint), one.own, one.acceleration, one.velocity, "N" if arm.moving[k].kind == "prismatic"
         else "N m", one.share, finite(one.speed), finite(one.proved)) for k, one in enumerate(fast)
    )  # fmt: skip
    note = (
        "Reactions to the accelerations of other joints and to speeds, beside the largest torque of own inertia and "
        "gravity at one state. All joints move at the same share of the speeds in the table of states below, and at "
        "its square of the accelerations. A dash: reactions never get there. Zero: at every pace, since gravity does "
        "not load the joint and its own inertia grows as reactions do."
    )
    return DataTable("slow-and-fast", "How fast is fast", columns, rows, note)


def finite(value: float) -> float | None:
    """The value, or None where it is infinite, which tables show as a dash."""
    return value if math.isfinite(value) else None


def figure(arm: ArmSystem, one: Range, waves: CoefficientWaves) -> Figure:
    """A ratio of two coefficients over the joint that changes it most."""
    top, bottom = (waves.wave(name) for name in one.name.split("/"))

    def values(q: Array) -> Array:
        return np.asarray(top(q) / bottom(q))

    i, j = pair(one, arm.n)
    if one.name[0] == "G":
        title = f"Gravity over inertia at {joint_label(i, arm.joint_names[i])}"
    else:
        title = f"Inertia of joint {j + 1} felt at joint {i + 1}, over its own"
    file = one.name.replace("/", "-over-")
    return chart(arm, Sweep(values, one.joints, one.name, title, ratio_unit(arm, one), file))[0]

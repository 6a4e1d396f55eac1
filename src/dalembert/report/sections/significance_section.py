"""Significance: every term of every joint's torque, ranked by what it can contribute and by what it does on average."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...arm.description import ArmDescription
from ...design.significance_tables import TERMS
from ...markup.data_tables import Column, DataTable
from ...markup.elements import Html, tag
from ...markup.numbers import drives_phrase, joint_label, percent, shown_position, unit
from ...reduction.states import UNASKED, States
from ..charts.bar_chart import BarChart, Bars
from ..charts.figures import ChartAxis, Figure
from ..section import Section

SMALL = 0.01
MOST_BARS = 12


@dataclass(frozen=True)
class Contribution:
    """A term of the torque of ``joint`` (counted from 0): the largest that is reached, what it never exceeds, its RMS,
    and the largest as a share of the largest term of the joint.
    """

    joint: int
    term: str
    largest: float
    proved: float
    rms: float
    share: float


def section(arm: ArmDescription, terms: Sequence[Contribution], states: States, paced: bool = True) -> Section:
    """``states`` are those over which the terms are judged; ``paced`` where somebody gave speeds or accelerations."""
    # proved: no state takes the term to that share of what the largest term of its joint reaches
    top = {joint: max(term.largest for term in terms if term.joint == joint) for joint in {t.joint for t in terms}}
    small = [term for term in terms if term.proved < SMALL * top[term.joint]]
    meaning = (
        "No term contributes anything to any torque."
        if not terms
        else f"{len(small)} of the {len(terms)} terms never {'reaches' if len(small) == 1 else 'reach'} "
        f"{percent(SMALL)} of the largest term of their joint, and could be left out with little loss."
        if small
        else f"All {len(terms)} terms reach {percent(SMALL)} of the largest term of their joint: all of them count."
        if all(term.share >= SMALL for term in terms)
        else f"No term is proved to stay below {percent(SMALL)} of the largest term of its joint."
    )
    parts: list[Html | DataTable | Figure] = [limits(arm, states, "" if paced else f"{UNASKED}."), note(arm)]
    for index, joint in enumerate(arm.moving):
        of_joint = sorted((term for term in terms if term.joint == index), key=lambda term: -term.largest)[:MOST_BARS]
        if of_joint:
            bars = (
                Bars("largest", tuple(term.largest for term in of_joint)),
                Bars("RMS", tuple(term.rms for term in of_joint)),
            )
            parts.append(
                BarChart(
                    f"significance-{index + 1}",
                    f"Terms of the torque of {joint_label(index, joint.name)}",
                    "Largest and root-mean-square contribution over all states; the axis is logarithmic.",
                    axis=ChartAxis("contribution", unit(joint, "effort")),
                    names=tuple(term.term for term in of_joint),
                    bars=bars,
                    logarithmic=True,
                )
            )
    return Section("significance", "Which terms matter", meaning, (*parts, table(arm, terms)))


def note(arm: ArmDescription) -> Html:
    """How the terms are ranked, and what is none of them."""
    text = (
        "The largest contribution is reached at some pose, with the largest accelerations and speeds; no state exceeds "
        "what is proved. The RMS is exact, with positions, speeds and accelerations spread evenly over their ranges. "
        "Shares are of the largest term of the joint. "
        f"Inertia: {drives_phrase(arm.counts_drives, bool(arm.loads))}"
    )
    return tag(
        "p", text + ("; friction, which is no term, is not ranked." if arm.counts_drives else "."), class_="note"
    )


def limits(arm: ArmDescription, states: States, origin: str = "") -> DataTable:
    """The ranges of position, speed and acceleration that the terms are ranked over, and their ``origin``."""
    columns = (
        Column("joint", "joint"),
        Column("from", "from", kind="number"),
        Column("to", "to", kind="number"),
        Column("position unit", "", kind="unit"),
        Column("speed", "speed up to", kind="number"),
        Column("speed unit", "", kind="unit"),
        Column("acceleration", "acceleration up to", kind="number"),
        Column("acceleration unit", "", kind="unit"),
    )
    rows = tuple(
        (
            joint_label(k, joint.name),
            shown_position(joint, float(states.box.lower[k])),
            shown_position(joint, float(states.box.upper[k])),
            unit(joint, "shown"),
            float(states.speed[k]),
            unit(joint, "speed"),
            float(states.acceleration[k]),
            unit(joint, "acceleration"),
        )
        for k, joint in enumerate(arm.moving)
    )
    return DataTable("states", "States that count", columns, rows, origin)


def table(arm: ArmDescription, terms: Sequence[Contribution]) -> DataTable:
    """Largest, proved and RMS contribution (N m or N) of every term and its share, largest share first."""
    rows = tuple(
        (
            joint_label(term.joint, arm.joint_names[term.joint]),
            term.term,
            term.largest,
            term.proved,
            term.rms,
            unit(arm.moving[term.joint], "effort"),
            term.share,
        )
        for term in sorted(terms, key=lambda term: -term.share)
    )
    return DataTable(
        "significance", "All terms by their share of the largest term of their joint", TERMS, rows, first=15
    )

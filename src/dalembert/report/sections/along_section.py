"""Significance along a motion that the user gives: every term by what it does there, and the torques by cause."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arm.description import ArmDescription
from ...design.motion_samples import MotionSamples
from ...design.significance import TermShare, motion_factor, terms_of
from ...design.significance_tables import ALONG, printed
from ...markup.data_tables import DataTable
from ...markup.numbers import drives_phrase, formatted, joint_label, listed, percent, unit
from ...reduction.coefficient_waves import CoefficientWaves
from ...systems.arm_system import ArmSystem
from ..charts.figures import ChartAxis, Figure
from ..charts.line_chart import LineChart, Series
from ..section import Part, Section, paragraph
from ..sweeps import Array

SMALL = 0.01
MOST_POINTS = 241
CAUSES = ("own inertia", "inertia of other joints", "speeds", "gravity")


def section(
    arm: ArmSystem, motion: MotionSamples, terms: Sequence[TermShare], waves: CoefficientWaves
) -> Section:  # fmt: skip
    """``terms`` are those along the motion, ``waves`` the coefficients of the arm."""
    small = [term for term in terms if term.share < SMALL]
    span = f" ({formatted(float(motion.t[-1] - motion.t[0]), 3)} s)" if motion.t is not None else ""
    meaning = (
        f"Along {motion.name}{span}, {len(small)} of the {len(terms)} terms stay below {percent(SMALL)} of the largest "
        f"term of their joint{strongest(arm, terms)}."
    )
    beyond = [
        joint.name
        for k, joint in enumerate(arm.moving)
        if motion.q[:, k].min() < joint.limits.lower - 1e-9 or motion.q[:, k].max() > joint.limits.upper + 1e-9
    ]
    note = (
        f"{len(motion.q)} moments; largest and root mean square are those of the motion, the latter over its time. "
        f"Inertia: {drives_phrase(arm.counts_drives, bool(arm.loads))}. "
        "Shares are of the largest term of the joint along this motion."
    )
    if arm.counts_drives:
        note += " Friction is no term of the table; the figures have it."
    if beyond:
        note += f" The motion goes beyond the limits of {listed(beyond)}."
    parts: list[Part] = [paragraph(note, kind="note"), table(arm, terms), *figures(arm, motion, waves)]
    return Section("motion", "Which terms matter along the motion", meaning, tuple(parts))


def strongest(arm: ArmDescription, terms: Sequence[TermShare]) -> str:
    """Clause on the largest term and its joint, of the revolute joints where there are any."""
    nonzero = [term for term in terms if term.largest > 0]
    if not nonzero:
        return ""
    kinds = {joint.name: joint.kind for joint in arm.moving}
    turning = [term for term in nonzero if kinds[term.joint] == "revolute"] or nonzero
    top = max(turning, key=lambda term: term.largest)
    index = arm.joint_names.index(top.joint)
    effort = unit(arm.moving[index], "effort")
    return (
        f", and the largest is {printed(top)} at {joint_label(index, top.joint)}, {formatted(top.largest, 3)} {effort}"
    )


def table(arm: ArmDescription, terms: Sequence[TermShare]) -> DataTable:
    """Largest value, RMS (N m or N) and share of every term along the motion, largest share first."""
    rows = []
    for term in sorted(terms, key=lambda term: -term.share):
        index = arm.joint_names.index(term.joint)
        effort = unit(arm.moving[index], "effort")
        rows.append((joint_label(index, term.joint), printed(term), term.largest, term.rms, effort, term.share))
    return DataTable("motion-terms", "All terms along the motion", ALONG, tuple(rows), first=15)


def figures(arm: ArmSystem, motion: MotionSamples, waves: CoefficientWaves) -> list[Figure]:
    """The torque of each joint along the motion, by cause; nothing where there is no time to draw it over."""
    if motion.t is None or len(motion.t) < 2:
        return []
    step = max(1, -(-len(motion.t) // MOST_POINTS))
    thinned = MotionSamples(motion.name, motion.q[::step], motion.qd[::step], motion.qdd[::step], motion.t[::step])
    friction = arm.parts(thinned.q, thinned.qd, thinned.qdd).friction
    charts: list[Figure] = []
    for i, joint in enumerate(arm.moving):
        parts = causes(waves, thinned, i) | {"friction": friction[:, i]}
        present = {name: values for name, values in parts.items() if np.abs(values).max() > 0}
        if not present:
            continue
        total = np.sum(list(parts.values()), axis=0)
        series = [
            Series("whole", tuple(map(float, total))),
            *(Series(k, tuple(map(float, v))) for k, v in present.items()),
        ]
        charts.append(
            LineChart(
                f"motion-{i + 1}",
                f"{'Torque' if joint.kind == 'revolute' else 'Force'} of {joint_label(i, joint.name)} along the motion",
                "The whole, and what it is made of.",
                x_axis=ChartAxis("time", "s"),
                y_axis=ChartAxis("effort", unit(joint, "effort")),
                x=tuple(float(t) for t in thinned.t) if thinned.t is not None else (),
                series=tuple(series),
            )
        )
    return charts


def causes(model: CoefficientWaves, motion: MotionSamples, i: int) -> dict[str, Array]:
    """The torque of joint i along the motion without friction, split by cause."""
    torques = {name: np.zeros(len(motion.q)) for name in CAUSES}
    for (kind, index), wave in terms_of(model, i).items():
        cause = {"D": CAUSES[0] if index == (i, i) else CAUSES[1], "C": CAUSES[2], "G": CAUSES[3]}[kind]
        torques[cause] += wave(motion.q) * motion_factor(kind, index, motion.qd, motion.qdd)
    return torques

"""Everything the report shows, worked out once, in an order that lets a progress bar follow."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.inertia import Load
from ..design.coupling import dominance
from ..design.importance import slow_fast
from ..design.sensitivity import sensitivities
from ..design.shares import part_shares
from ..design.tables import load_tables
from ..equations.equations import Equations
from ..equations.names import name
from ..reduction.box import box_of, checked, place
from ..reduction.model import ReducedModel
from ..reduction.model_waves import ModelWaves, input_inertia
from ..reduction.significance import significance as term_shares
from ..reduction.states import Amounts, exact_torque, states_of
from ..reduction.terms import reduce_coefficients
from . import analysis
from .closed_loop import Torque, track
from .markup import Html, tag
from .numbers import listed, percent
from .reductions import reductions
from .section import Section
from .sections import (
    closed_loop,
    coupling,
    curves,
    description,
    drawing,
    equations,
    glance,
    importance,
    ranges,
    reduced,
    review,
    short_forms,
    significance,
    structure,
)

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Report:
    """The finished sections of one arm."""

    arm: ArmDescription
    glance: Html
    sections: tuple[Section, ...]


def no_progress(what: str, done: int, total: int) -> None:
    """Says nothing."""


@dataclass(frozen=True)
class Question:
    """What is asked of the report: the arm, a load to compare it with, and the box of positions that counts."""

    arm: ArmDescription
    load: Load | None = None
    box: Mapping[str | int, tuple[float, float]] | None = None
    speed: Amounts = None
    acceleration: Amounts = None
    tolerances: tuple[float, ...] = (0.05, 0.01)
    pose: tuple[float, ...] | None = None


def report(question: Question, progress: Progress = no_progress) -> Report:
    """All sections, in the order of the page."""
    arm, load = question.arm, question.load
    if not arm.n:
        raise ArmError(f"{arm.where}{arm.name} has no joint that moves, so there is nothing to report")
    if not any(body.inertia for body in arm.bodies):
        raise ArmError(
            f"{arm.where}{arm.name}: no moving link has mass, so there is no dynamics to report; give the links masses"
        )
    lacking = lack(question)
    if lacking is None:
        # A wrong speed, acceleration or tolerance is refused, not reported on.
        states_of(arm, question.box, question.speed, question.acceleration)
        if not all(0 <= tolerance < math.inf for tolerance in question.tolerances):
            raise ArmError(f"a tolerance is a share such as 0.01, at least zero; got {question.tolerances}")
    loaded = arm.holding(load) if load is not None else None
    numbers, symbols = Equations(arm, "numbers"), Equations(arm, "symbols")
    pairs = cache(lambda: analysis.coupling(arm, question.box))
    models = cache(
        lambda: reductions(
            arm,
            question.tolerances,
            load,
            question.box,
            question.speed,
            question.acceleration,
            lambda text: progress(text, len(found), len(steps)),
        )
    )
    steps: list[tuple[str, Callable[[], Section]]] = [
        ("drawing", lambda: drawing.section(arm, loaded, question.pose)),
        ("description", lambda: description.section(arm)),
        ("equations", lambda: equations.section(numbers, symbols)),
        ("structure", lambda: structure.section(numbers.structure(), arm.joint_names)),
        ("ranges", lambda: ranges.section(load_tables(arm, load, question.box))),
        ("curves", lambda: curves.section(numbers)),
        ("importance", lambda: ratios(question)),
        ("coupling", lambda: couplings(question, pairs())),
        ("significance", lambda: terms(question)),
        ("short forms", lambda: shortened(question)),
        ("reduced", lambda: reduced.section(arm, models()[0])),
        ("closed loop", lambda: loops(question, models()[1])),
    ]
    steps.append(("review", lambda: reviewed(question, numbers, pairs())))
    if lacking is not None:
        steps = [step for step in steps if step[0] not in BOXED]
        steps.append(("lacking", lambda: lacking))
    steps.append(("sources", lambda: description.sources(arm)))
    found: list[Section] = []
    for label, make in steps:
        progress(label, len(found), len(steps))
        found.append(attempted(label, make))
    progress("page", len(steps), len(steps))
    return Report(arm, glance.glance(arm, float(load.body.mass) if load is not None else None), tuple(found))


def attempted(label: str, make: Callable[[], Section]) -> Section:
    """A section, or, where its analysis refuses this arm, one that says why; the page has the rest all the same."""
    try:
        return make()
    except ArmError as fault:
        if label not in BOXED:
            raise
        sentence = str(fault).rstrip(".")
        return Section(label.replace(" ", "-"), f"{label[0].upper()}{label[1:]}", f"Not shown: {sentence}.", ())


def ratios(question: Question) -> Section:
    waves = ModelWaves(question.arm, drives=True)
    found, unbounded = analysis.importance(waves, box_of(question.arm, question.box))
    fast = slow_fast(question.arm, speed=question.speed, acceleration=question.acceleration, box=question.box)
    return importance.section(question.arm, found, waves, fast, unbounded)


def couplings(question: Question, pairs: Sequence[coupling.Pair]) -> Section:
    arm, waves = question.arm, ModelWaves(question.arm)
    strongest = sorted((pair for pair in pairs if pair.largest > 0), key=lambda pair: -pair.largest)[:2]
    maps = [made for made in (coupling.coupling_map(arm, pair, waves) for pair in strongest) if made is not None]
    return coupling.section(
        arm.joint_names,
        pairs,
        maps,
        (
            coupling.NOTE,
            coupling.dominance_table(dominance(arm, box=question.box)),
            coupling.parts_table(part_shares(arm, box=question.box)),
        ),
    )


def terms(question: Question) -> Section:
    arm = question.arm
    states = states_of(arm, question.box, question.speed, question.acceleration)
    found = term_shares(arm, speed=question.speed, acceleration=question.acceleration, box=question.box, drives=True)
    return significance.section(arm, analysis.contributions(arm, found), states)


def shortened(question: Question) -> Section:
    tolerance = max(question.tolerances, default=0.05)
    load = question.load
    found = reduce_coefficients(
        question.arm, tolerance=tolerance, box=question.box, load=[None, load] if load is not None else None
    )
    return short_forms.section(found, tolerance, f"{float(load.body.mass):g} kg" if load is not None else "")


def reviewed(question: Question, numbers: Equations, pairs: Sequence[coupling.Pair]) -> Section:
    arm, box = question.arm, question.box
    varying = [i for i in range(arm.n) if numbers.mass_matrix[i, i].joints][:2]
    hang = [one for i in varying for one in sensitivities(arm, name("D", (i, i)), box=box)[:8]]
    findings = analysis.review_findings(arm, numbers, pairs, box)
    return review.section(findings, arm.joint_names, analysis.weights(arm, numbers, box), hang)


def loops(question: Question, models: Sequence[ReducedModel]) -> Section:
    """Computed torque with the exact and each reduced model, coarsest last."""
    arm = question.arm
    states = states_of(arm, question.box, question.speed, question.acceleration)
    torques: dict[str, Torque] = {"exact": exact_torque(arm, input_inertia(arm))}
    for model in sorted(models, key=lambda model: model.tolerance):
        torques[percent(model.tolerance)] = model.inverse_dynamics
    return closed_loop.section(arm, track(arm, torques, states))


BOXED = frozenset(
    {"ranges", "importance", "coupling", "significance", "short forms", "reduced", "closed loop", "review"}
)
"""Sections that need to know how far every joint can go."""


def lack(question: Question) -> Section | None:
    """What takes the place of those sections where a prismatic joint has no limits; a box that is wrong is refused."""
    arm, given = question.arm, question.box or {}
    named = {place(arm, key) for key in given}
    for key, ends in given.items():
        checked(arm, key, ends)
    endless = [
        joint.name
        for index, joint in enumerate(arm.moving)
        if joint.kind == "prismatic"
        and index not in named
        and not all(map(math.isfinite, (joint.limits.lower, joint.limits.upper)))
    ]
    if not endless:
        return None
    meaning = (
        f"Ranges, importance, coupling, significance and reduced models are left out: {listed(endless)} can slide "
        "without limit, so "
        "nothing has a largest value."
    )
    remedy = tag(
        "p",
        "Give the joint limits in the arm's file, or a range for this report: ",
        tag("code", f"dalembert report {arm.name} --box {endless[0]}=0:1"),
        ".",
    )
    return Section("lacking", "What cannot be said", meaning, (remedy,))

"""Everything the report shows, worked out once, in an order that lets a progress bar follow."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.inertia import Load
from ..design.certified_ranges import Known
from ..design.compare import compared
from ..design.coupling import Coupling
from ..design.coupling import coupling as couplings_of
from ..design.dominance import dominance
from ..design.importance import slow_fast
from ..design.motion_samples import MotionSamples
from ..design.review import guidelines, weights
from ..design.sensitivity import sensitivities
from ..design.shares import part_shares
from ..design.significance import Bounds
from ..design.significance import significance as term_shares
from ..design.tables import load_tables
from ..equations.closed_form import Equations
from ..equations.names import name
from ..reduction.coefficient_waves import ModelWaves
from ..reduction.reduced_model import ReducedModel
from ..reduction.shortforms.short_form import reduce_coefficients
from ..reduction.states import Amounts, checked, place, states_of
from . import analysis
from .closed_loop import runs
from .html.markup import Html, tag
from .html.numbers import listed
from .progress import Following, Progress, no_progress
from .reductions import reductions
from .section import Section
from .sections import (
    along_section as along,
)
from .sections import (
    closed_loop_section as closed_loop,
)
from .sections import (
    comparison_section as comparison,
)
from .sections import (
    coupling_section as coupling,
)
from .sections import (
    curves_section as curves,
)
from .sections import (
    description_section as description,
)
from .sections import (
    drawing_section as drawing,
)
from .sections import (
    equations_section as equations,
)
from .sections import (
    glance_section as glance,
)
from .sections import (
    importance_section as importance,
)
from .sections import (
    ranges_section as ranges,
)
from .sections import (
    reduced_section as reduced,
)
from .sections import (
    review_section as review,
)
from .sections import (
    short_forms_section as short_forms,
)
from .sections import (
    significance_section as significance,
)
from .sections import (
    structure_section as structure,
)

LONG = 400
"""Terms beyond which a coefficient's short form is itself too long to read, and takes longer than the rest of them."""


@dataclass(frozen=True)
class Report:
    """The finished sections of one arm."""

    arm: ArmDescription
    glance: Html
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Question:
    """What is asked of the report: the arm, a load to compare it with, and the box of positions that counts.

    ``motion`` is one to judge the terms on beside all states, ``against`` another design to set beside this one.
    """

    arm: ArmDescription
    load: Load | None = None
    box: Mapping[str | int, tuple[float, float]] | None = None
    speed: Amounts = None
    acceleration: Amounts = None
    tolerances: tuple[float, ...] = (0.05, 0.01)
    pose: tuple[float, ...] | None = None
    motion: MotionSamples | None = None
    against: ArmDescription | None = None


class Work:
    """What several sections need, each worked out when the first of them asks."""

    def __init__(self, question: Question, tell: Callable[[str], None]) -> None:
        self.question, self.arm, self.tell = question, question.arm, tell
        self.numbers, self.symbols = Equations(self.arm, "numbers"), Equations(self.arm, "symbols")
        self.known = cache(lambda: Known(self.arm, question.box, tell=tell))
        self.driven = cache(lambda: ModelWaves(self.arm, drives=True))
        self.states = cache(lambda: states_of(self.arm, question.box, question.speed, question.acceleration))
        self.bounds = cache(lambda: Bounds(self.driven(), self.states(), tell=tell))
        self.couplings: Callable[[], tuple[Coupling, ...]] = cache(lambda: couplings_of(self.arm, known=self.known()))
        self.models: Callable[[], tuple[reduced.Reduction, list[ReducedModel]]] = cache(
            lambda: reductions(
                self.arm,
                question.tolerances,
                question.load,
                question.box,
                question.speed,
                question.acceleration,
                tell,
            )
        )


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
    following = Following(progress)
    work = Work(question, following.tell)
    numbers = work.numbers
    steps: list[tuple[str, float, Callable[[], Section]]] = [
        ("drawing", 1, lambda: drawing.section(arm, loaded, question.pose)),
        ("description", 1, lambda: description.section(arm)),
        ("equations", 1, lambda: equations.section(numbers, work.symbols)),
        ("structure", 1, lambda: structure.section(numbers.structure(), arm.joint_names)),
        ("ranges", 8, lambda: ranges.section(load_tables(arm, load, question.box, known=work.known()))),
        ("curves", 1, lambda: curves.section(numbers)),
        ("importance", 10, lambda: ratios(work)),
        ("coupling", 10, lambda: couplings(work)),
        ("significance", 8, lambda: terms(work)),
        ("short forms", 10, lambda: shortened(work)),
        ("reduced", 60, lambda: reduced.section(arm, work.models()[0])),
        ("closed loop", 8, lambda: loops(work)),
        ("review", 4, lambda: reviewed(work)),
    ]
    other, motion = question.against, question.motion
    if motion is not None:
        steps.insert(9, ("motion", 1, lambda: along.section(arm, motion, term_shares(arm, drives=True, motion=motion))))
    if other is not None:
        steps.append(("comparison", 10, lambda: designs(work, other)))
    if lacking is not None:
        steps = [step for step in steps if step[0] not in BOXED]
        steps.append(("lacking", 1, lambda: lacking))
    steps.append(("sources", 1, lambda: description.sources(arm)))
    found: list[Section] = []
    following.expect(weight for _, weight, _ in steps)
    for label, _, make in steps:
        following.begin(label)
        found.append(attempted(label, make))
    following.begin("page")
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


def ratios(work: Work) -> Section:
    found, unbounded = analysis.importance(work.driven(), work.known())
    fast = slow_fast(work.arm, bounds=work.bounds())
    return importance.section(work.arm, found, work.driven(), fast, unbounded)


def couplings(work: Work) -> Section:
    arm, known = work.arm, work.known()
    pairs = analysis.pairs(known, work.couplings())
    strongest = sorted((pair for pair in pairs if pair.largest > 0), key=lambda pair: -pair.largest)[:2]
    maps = [made for made in (coupling.coupling_map(arm, pair, known.links) for pair in strongest) if made is not None]
    return coupling.section(
        arm.joint_names,
        pairs,
        maps,
        (
            coupling.NOTE,
            coupling.dominance_table(dominance(arm, known=known)),
            coupling.parts_table(part_shares(arm, box=work.question.box)),
        ),
    )


def terms(work: Work) -> Section:
    found = term_shares(work.arm, bounds=work.bounds())
    return significance.section(work.arm, analysis.contributions(work.arm, found), work.states())


def shortened(work: Work) -> Section:
    question, arm = work.question, work.arm
    tolerance = max(question.tolerances, default=0.05)
    load = question.load
    wanted = [name(kind, (i,) * count) for kind, count in (("D", 2), ("G", 1)) for i in range(arm.n)]
    long = [each for each in wanted if len(work.numbers[each]) > LONG]
    work.tell(f"{len(wanted) - len(long)} coefficients")
    found = reduce_coefficients(
        arm,
        [each for each in wanted if each not in long],
        tolerance,
        box=question.box,
        load=[None, load] if load is not None else None,
    )
    return short_forms.section(
        found, tolerance, f"{float(load.body.mass):g} kg" if load is not None else "", arm.name, long
    )


def reviewed(work: Work) -> Section:
    arm, known = work.arm, work.known()
    varying = [i for i in range(arm.n) if work.numbers.mass_matrix[i, i].joints][:2]
    hang = [one for i in varying for one in sensitivities(arm, name("D", (i, i)), spread=known.inertia(i, i))[:8]]
    # A weight of nothing is no advice.
    balances = [one for one in weights(known) if one.mass > 0]
    return review.section(guidelines(known, work.couplings()), arm.joint_names, balances, hang)


def loops(work: Work) -> Section:
    """Computed torque with the exact and each reduced model, coarsest last, without and with the load."""
    models = sorted(work.models()[1], key=lambda model: model.tolerance)
    return closed_loop.section(work.arm, runs(work.arm, models, work.states(), work.question.load, work.tell))


def designs(work: Work, other: ArmDescription) -> Section:
    rows = compared(work.arm, other, box=work.question.box, load=work.question.load, known=work.known())
    return comparison.section(work.arm, other, rows, work.question.load)


BOXED = frozenset(
    {
        "ranges",
        "importance",
        "coupling",
        "significance",
        "short forms",
        "reduced",
        "closed loop",
        "review",
        "comparison",
    }
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

"""Everything the report shows, worked out once, in an order that lets a progress bar follow."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from ..arm.errors import ArmError
from ..arm.inertia import Load
from ..arm.joint_keys import by_joint
from ..compile.undetermined import refuse_massless
from ..design.analysis import Analysis
from ..design.motion_samples import MotionSamples
from ..design.review import guidelines, weights
from ..equations.names import name
from ..markup.elements import Html, tag
from ..markup.numbers import listed
from ..reduction.reduced_model import ReducedModel
from ..reduction.states import Amounts, checked
from ..reduction.tolerance import check_tolerance
from ..systems.arm_system import ArmSystem
from . import section_data
from .allowance import Allowance
from .closed_loop import runs
from .progress import Following, Progress, no_progress
from .reductions import reductions
from .section import Section
from .sections import (
    along_section,
    closed_loop_section,
    comparison_section,
    coupling_section,
    curves_section,
    description_section,
    drawing_section,
    equations_section,
    glance_section,
    importance_section,
    ranges_section,
    reduced_section,
    review_section,
    short_forms_section,
    significance_section,
    structure_section,
)

LONG = 400
"""Terms beyond which a coefficient's short form is itself too long to read, and takes longer than the rest of them."""


@dataclass(frozen=True)
class Report:
    """The finished sections of one system."""

    arm: ArmSystem
    glance: Html
    sections: tuple[Section, ...]

    def __repr__(self) -> str:
        return f"<Report of {self.arm.name!r}: {len(self.sections)} sections>"

    def _repr_html_(self) -> str:
        from ..markup.notebook import framed, heading, note

        items = tag("ul", *(tag("li", tag("b", section.title), ": ", section.meaning) for section in self.sections))
        path = "arm.report('page.html') writes the page, with all tables and figures."
        return framed(heading(f"Report of {self.arm.name}"), items, note(path))


@dataclass(frozen=True)
class Question:
    """What is asked of the report: the system, and the states that count.

    ``motion`` is one to judge the terms on beside all states, ``against`` another design to set beside this one.
    """

    system: ArmSystem
    box: Mapping[str | int, tuple[float, float]] | None = None
    speed: Amounts = None
    acceleration: Amounts = None
    tolerances: tuple[float, ...] = (0.05, 0.01)
    pose: tuple[float, ...] | None = None
    motion: MotionSamples | None = None
    against: ArmSystem | None = None


class Work:
    """What several sections need, each worked out when the first of them asks.

    ``analysis`` is of the very system. Where it holds a load in its hand, ``empty`` is the same with the hand empty.
    """

    def __init__(self, question: Question, tell: Callable[[str], None]) -> None:
        self.question, self.system, self.tell = question, question.system, tell
        self.analysis = Analysis(self.system, question.box, question.speed, question.acceleration, tell=tell)
        self.allowance = Allowance.of(self.analysis.equations)
        self.analysis.effort, self.analysis.work = self.allowance.effort, self.allowance.work
        holds_load = self.system.tool_link in dict(self.system.loads)
        self.empty = self.analysis.of(self.system.holding(None)) if holds_load else self.analysis
        self.held: Analysis | None = self.analysis if holds_load else None
        self.loaded: ArmSystem | None = self.system if holds_load else None
        self.models: Callable[[], tuple[reduced_section.Reduction, list[ReducedModel]]] = cache(
            lambda: reductions(
                self.empty, self.held, self.allowance.tolerances(question.tolerances), self.allowance.curve, tell
            )
        )

    @property
    def load(self) -> Load | None:
        """What is in the hand."""
        return dict(self.system.loads).get(self.system.tool_link)


def report(
    question: Question, progress: Progress = no_progress, so_far: Callable[[Report], None] = lambda _: None
) -> Report:
    """All sections, in the order of the page; ``so_far`` is called with those that are done after each of them."""
    arm = question.system
    if not arm.n:
        raise ArmError(f"{arm.where}{arm.name} has no joint that moves, so there is nothing to report")
    refuse_massless(arm)
    lacking_section = unlimited_section(question)
    following = Following(progress)
    for tolerance in question.tolerances:
        check_tolerance(tolerance)
    answerable = question if lacking_section is None else replace(question, box=wide(question))
    work = Work(answerable, following.tell)
    numbers, motion, second_design = work.analysis.equations, question.motion, question.against
    steps: list[tuple[str, float, Callable[[], Section | None]]] = [
        ("drawing", 1, lambda: drawing_section.section(work.empty.system, work.loaded, question.pose)),
        ("description", 1, lambda: description_section.section(arm)),
        ("equations", 1, lambda: equations_section.section(numbers, work.analysis.equations_in("symbols"))),
        ("structure", 1, lambda: structure_section.section(numbers.structure(), arm.joint_names)),
        ("ranges", 8, lambda: ranges_section.section(work.empty.ranges(work.held))),
        ("curves", 1, lambda: curves_section.section(numbers)),
        ("importance", 10, lambda: ratios(work)),
        ("coupling", 10, lambda: couplings(work)),
        ("significance", 8, lambda: terms(work)),
        ("motion", 1, lambda: along_motion(work, motion) if motion else None),
        ("short forms", 10, lambda: shortened(work)),
        ("reduced", 60, lambda: reduced_section.section(arm, work.models()[0])),
        ("closed loop", 8, lambda: loops(work)),
        ("review", 4, lambda: reviewed(work)),
        ("comparison", 10, lambda: designs(work, second_design) if second_design is not None else None),
        ("lacking", 1, lambda: lacking_section),
        ("left out", 1, lambda: work.allowance.section()),
        ("sources", 1, lambda: description_section.sources(arm)),
    ]
    left_out: set[str] = {"motion"} if motion is None else set()
    left_out |= {"comparison"} if second_design is None else set()
    left_out |= {"lacking"} if lacking_section is None else set(BOXED)
    left_out |= set() if work.allowance.reduces else {"reduced", "closed loop"}
    steps = [step for step in steps if step[0] not in left_out]
    load = work.load
    head = glance_section.glance(arm, float(load.body.mass) if load is not None else None)
    sections: list[Section] = []
    following.expect(weight for _, weight, _ in steps)
    for index, (label, _, make) in enumerate(steps):
        following.begin(label)
        section_made = attempted(label, make)
        sections += [section_made] if section_made is not None else []
        so_far(Report(arm, head, (*sections, unfinished([step[0] for step in steps[index + 1 :]]))))
    following.begin("page")
    return Report(arm, head, tuple(sections))


def unfinished(missing: list[str]) -> Section:
    """What stands at the end of a page that is still being worked out, or was when it was interrupted."""
    meaning = f"This page is not finished: {listed(missing)} are missing." if missing else "This page is not finished."
    return Section("unfinished", "Not finished", meaning, ())


def attempted(label: str, make: Callable[[], Section | None]) -> Section | None:
    """A section, or, where its analysis refuses this arm, one that says why; the page has the rest all the same."""
    try:
        return make()
    except ArmError as fault:
        if label not in BOXED and label != "structure":
            raise
        sentence = str(fault).rstrip(".")
        return Section(label.replace(" ", "-"), f"{label[0].upper()}{label[1:]}", f"Not shown: {sentence}.", ())


def ratios(work: Work) -> Section:
    """Ratios of coefficients, and how fast is fast."""
    ratios_, unbounded = section_data.importance(work.analysis)
    return importance_section.section(work.system, ratios_, work.analysis.waves, work.analysis.slow_fast(), unbounded)


def couplings(work: Work) -> Section:
    """Coupling of the joints, dominance, translation and rotation."""
    arm, ask = work.system, work.analysis
    pairs = section_data.pairs(ask, ask.coupling())
    strongest = sorted((pair for pair in pairs if pair.largest > 0), key=lambda pair: -pair.largest)[:2]
    maps = [
        chart
        for chart in (coupling_section.coupling_map(arm, pair, ask.waves) for pair in strongest)
        if chart is not None
    ]
    return coupling_section.section(
        arm.joint_names,
        pairs,
        maps,
        (
            coupling_section.NOTE,
            coupling_section.dominance_table(ask.dominance()),
            coupling_section.parts_table(ask.part_shares()),
        ),
    )


def terms(work: Work) -> Section:
    """Every term by what it contributes."""
    ask = work.analysis
    return significance_section.section(
        work.system, section_data.contributions(work.system, ask.significance()), ask.states, ask.paced
    )


def along_motion(work: Work, motion: MotionSamples) -> Section:
    """Every term along a motion, and the torques by cause."""
    ask = work.analysis
    return along_section.section(work.system, motion, ask.significance(motion), ask.waves)


def shortened(work: Work) -> Section:
    """Short closed forms of D_ii and G_i."""
    arm, ask, load = work.system, work.empty, work.load
    tolerance = max(work.question.tolerances, default=0.05)
    coefficients = [name(kind, (i,) * count) for kind, count in (("D", 2), ("G", 1)) for i in range(arm.n)]
    long_ones = [coefficient for coefficient in coefficients if len(ask.equations[coefficient]) > LONG]
    others = (work.held,) if work.held is not None else ()
    model = ask.short_forms(
        [coefficient for coefficient in coefficients if coefficient not in long_ones],
        tolerance,
        others=others,
        progress=lambda text, _: work.tell(text),
    )
    return short_forms_section.section(
        model, f"{float(load.body.mass):g} kg" if load is not None else "", arm.name, long_ones
    )


def reviewed(work: Work) -> Section:
    """The guidelines, counterweights, and what moves the largest inertias."""
    arm, ask = work.system, work.analysis
    varying = [i for i in range(arm.n) if ask.equations.mass_matrix[i, i].joints][:2]
    sensitivities = [item for i in varying for item in ask.sensitivities(name("D", (i, i)))[:8]]
    # A counterweight without mass is no advice.
    balances = [item for item in weights(ask) if item.mass > 0]
    return review_section.section(guidelines(ask, ask.coupling()), arm.joint_names, balances, sensitivities)


def loops(work: Work) -> Section:
    """Computed torque with the exact and each reduced model, coarsest last, without and with the load."""
    models = sorted(work.models()[1], key=lambda model: model.tolerance)
    tracked = runs(work.empty.system, work.loaded, models, work.analysis.states, work.tell)
    return closed_loop_section.section(work.system, tracked)


def designs(work: Work, second_design: ArmSystem) -> Section:
    """This design beside another; with the load in both hands where both hold one."""
    load = work.load if second_design.tool_link in dict(second_design.loads) else None
    first, second = work.empty, work.analysis.of(second_design.holding(None) if load is not None else second_design)
    loaded = (work.analysis, work.analysis.of(second_design)) if load is not None else None
    return comparison_section.section(work.system, second_design, first.compare(second, loaded), load)


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


def unlimited_section(question: Question) -> Section | None:
    """What takes the place of those sections where a prismatic joint has no limits; a box that is wrong is refused."""
    arm, box = question.system, question.box or {}
    boxed = by_joint(arm, box)
    for index, ends in boxed.items():
        checked(arm, arm.joint_names[index], ends)
    endless = [
        joint.name
        for index, joint in enumerate(arm.moving)
        if joint.kind == "prismatic"
        and index not in boxed
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


def wide(question: Question) -> dict[str | int, tuple[float, float]]:
    """The box with some range for joints that have none: only for sections that do not depend on it."""
    arm = question.system
    return {index: (0.0, 1.0) for index, joint in enumerate(arm.moving) if joint.kind == "prismatic"}

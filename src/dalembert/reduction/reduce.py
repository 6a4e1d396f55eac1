"""Certified reduction: the shortest program found whose torque error is proved to stay within a tolerance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.inertia import Load
from ..bounds.moments import rms
from ..compile.functions import function
from ..compile.operations import Operations, count
from ..equations import names
from ..equations.closed_form import Equations
from .certify import CoefficientError, Progress, torque_rms
from .coefficient_waves import input_inertia
from .graph_edits import table
from .hoist import Hoisted
from .program_search import Candidate, Search, Steps, front, steps_of
from .recursion import Case, cases_of
from .reduced_model import Constant, CurvePoint, ReducedModel, operations_of
from .states import Amounts, Array, Torque, exact_torque, largest, states_of


def reduce(
    arm: ArmDescription,
    tolerance: float = 0.01,
    *,
    speed: Amounts = None,
    acceleration: Amounts = None,
    box: Mapping[str | int, tuple[float, float]] | None = None,
    load: Load | Sequence[Load | None] | None = None,
    drives: bool = False,
    refit: bool = True,
    curve: bool = False,
    progress: Progress | None = None,
) -> ReducedModel:
    """The shortest model found whose torques are within ``tolerance`` of the exact ones for every state.

    The tolerance is a share of each joint's largest torque over the states: positions in the joint limits (or
    ``box``), speeds and accelerations up to the limits given. ``load`` may be a sequence: the model then serves all
    of them and every mixture (errors are linear in the load). ``drives`` counts the input inertia of the drives.
    ``refit=False`` keeps the constants as the arm's parameters give them. ``curve`` also proves models for errors
    from a small part to several times the tolerance, which takes as long again.
    """
    if not isinstance(tolerance, (int, float)) or isinstance(tolerance, bool) or not 0 <= tolerance < np.inf:
        raise ArmError(f"a tolerance is a share such as 0.01, at least zero; got {tolerance!r}")
    if arm.elastic:
        raise ArmError(
            f"{arm.where}{arm.name} has springs or dampers, which a reduced model does not hold; take them off"
        )
    states = states_of(arm, box, speed, acceleration)
    loads: list[Load | None] = list(load) if isinstance(load, Sequence) else [load] if load is not None else []
    arms = [arm.holding(held) if held is not None else arm.holding(None) for held in loads] or [arm]
    added = input_inertia(arm) if drives else np.zeros(arm.n)
    steps = Steps(progress or (lambda _text, _share: None), steps_of(curve))
    steps.say("largest torques")
    scale = np.min([largest(exact_torque(each, added), states)[0] for each in arms], axis=0)
    # A joint that no state loads at all has no share to speak of; its error must be zero.
    scale = np.where(scale > 1e-12 * scale.max(initial=0.0), scale, 1e-300)
    steps.step("leaving out what does not matter")
    search = Search(cases_of(arms, added), states, scale, refit, steps)
    best = search.best(float(tolerance))
    if curve and tolerance > 0:
        best = min(best, search.sweep(float(tolerance)), key=lambda found: found.operations)
    steps.say("largest errors", 1.0)
    model = finished(arm, search, best, float(tolerance), drives, tuple(said(x) for x in loads))
    steps.tell("done", 1.0)
    return model


def finished(
    arm: ArmDescription, search: Search, best: Candidate, tolerance: float, drives: bool, loads: tuple[str, ...]
) -> ReducedModel:
    """The model with everything that is said about it."""
    cases, states, scale, program = search.cases, search.states, search.scale, best.program
    added = cases[0].added
    values = program.values(cases[0].parameters)
    others = [case.parameters for case in cases[1:]] or [heavier(arm, added).parameters]
    probe = [program.values(given) for given in others]
    bound = best.share * scale
    root = np.max([torque_rms(waves, states) for waves in best.differences], axis=0)
    found = np.max([largest(difference(case, program), states)[0] for case in cases], axis=0)
    constants = tuple(
        Constant(
            name.replace("_", ""), float(value), program.definitions[name].text,
            any(other[name] != value for other in probe), float(program.definitions[name].shift),
        )
        for name, value in values.items()
    )  # fmt: skip
    before = count(function(cases[0].arm, "inverse_dynamics").nodes)
    if drives:
        moved = int(np.count_nonzero(added))
        before = Operations(before.multiplications + moved, before.additions + moved, 0, 0, before.sine_cosine_pairs)
    points = tuple(
        CurvePoint(
            float(c.share.max(initial=0.0)), c.operations, len(c.program.definitions), "quick" if c.quick else "full",
            c.share * scale, c.program,
        )
        for c in front(search.tried)
    )  # fmt: skip
    return ReducedModel(
        arm, tolerance, states, drives, bound, np.minimum(found, bound), root, scale, coefficient_errors(search, best),
        before, operations_of(program, values), points, constants, program, values, added, loads,
        Equations(cases[0].arm, "numbers"),
    )  # fmt: skip


def coefficient_errors(search: Search, best: Candidate) -> tuple[CoefficientError, ...]:
    """What is proved and found of every coefficient that differs."""
    errors, box = [], search.states.box
    q, arm = box.samples(256), search.cases[0].arm
    for (kind, index), (proved, attained) in sorted(best.proof.coefficients.items()):
        wave = max(
            (waves[kind, index] for waves in best.differences if (kind, index) in waves),
            key=lambda w: float(w.size.sum()),
        )
        name = names.name(kind, index)
        whole = float(np.abs(search.exact[0][kind, index](q)).max())
        errors.append(
            CoefficientError(name, names.coefficient_unit(arm, name), proved, attained, rms(wave, box), whole)
        )
    return tuple(errors)


def heavier(arm: ArmDescription, added: Array) -> Case:
    """The arm with some load, to see which constants depend on one."""
    load = Load(
        Fraction(17, 13),
        (Fraction(1, 19), Fraction(1, 23), Fraction(1, 29)),
        (Fraction(1, 31), Fraction(1, 37), Fraction(1, 41)),
    )
    return cases_of([arm.holding(load)], added)[0]


def difference(case: Case, program: Hoisted) -> Torque:
    """The error of the program's torques."""
    exact = exact_torque(case.arm, case.added)
    values = {name: float(value) for name, value in program.values(case.parameters).items()}

    def error(q: Array, qd: Array, qdd: Array) -> Array:
        inputs: dict[str, object] = dict(values)
        for name, array in (("q", q), ("qd", qd), ("qdd", qdd)):
            inputs |= {f"{name}_{i}": array[:, i] for i in range(case.arm.n)}
        done = table(program.outputs, inputs)
        rows = [np.broadcast_to(np.asarray(done[node.index], float), (len(q),)) for node in program.outputs]
        return np.stack(rows, axis=1) - exact(q, qd, qdd)

    return error


def said(load: Load | None) -> str:
    return f"{float(load.body.mass):g} kg" if load is not None else "no load"

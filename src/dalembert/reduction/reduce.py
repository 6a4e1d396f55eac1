"""Certified reduction: the shortest program found whose torque error is proved to stay within a tolerance."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import zip_longest

import numpy as np

from ..arm.inertia import Load
from ..bounds.branch import ProofError
from ..bounds.waves import OUTWARD
from ..compile.functions import function
from ..compile.kernel import Kernel
from ..compile.operations import count
from ..equations.closed_form import Equations
from ..formulations.system import SystemOverRing
from ..rings.real import REAL
from ..systems.arm_system import ArmSystem
from .certify import Progress, torque_rms
from .exact_error import least_errors
from .hoist import Hoisted
from .program_functions import function_of
from .program_proofs import Candidate
from .program_search import Search, SearchSteps, front, steps_of
from .program_system import Constant
from .recursion import Case, case_of
from .reduced_model import CurvePoint, ReducedModel, operations_of
from .states import Array, States, Torque, largest, loads_in_words, one_arm
from .tolerance import check_tolerance

UNLOADED = 1e-9
"""What stands for the largest torque of a joint that no state loads, as a share of those of the others."""


def reduce(
    systems: Sequence[ArmSystem],
    states: States,
    tolerance: float = 0.01,
    *,
    refit: bool = True,
    curve: bool = False,
    progress: Progress | None = None,
    equations: Sequence[Equations | None] = (),
    effort: float = 1.0,
) -> ReducedModel:
    """The shortest model found whose torques are within ``tolerance`` of the exact ones for every state.

    The tolerance is a share of each joint's largest torque over ``states`` (friction left out of it). ``systems`` are
    one arm with one or several loads: the model serves all of them and every mixture (errors are linear in the load).
    Rotors are reduced with the links where the drives count. ``refit=False`` keeps the constants as the arm's
    parameters give them. ``curve`` also proves models for errors from a small part to several times the tolerance,
    which takes as long again. ``equations`` are those of the first systems, where they are at hand. ``effort`` is the
    share of the usual work: with less of it the model is longer, and its error as much proved. An interrupt (Ctrl-C)
    ends the search with the shortest model proved by then, which says so; before there is one it is an interrupt.
    """
    check_tolerance(tolerance)
    one_arm(systems)
    steps = SearchSteps(progress or (lambda _text, _share: None), steps_of(curve))
    steps.say("largest torques")
    cases = [case_of(*pair) for pair in zip_longest(systems, equations)]
    scale = np.min([largest_torques(case, states) for case in cases], axis=0)
    # A joint that no state loads at all has no share to speak of; its error must be nothing beside the others' torques,
    # but not so much less that rounding counts.
    largest_scale = float(scale.max(initial=0.0))
    scale = np.where(scale > 1e-12 * largest_scale, scale, UNLOADED * largest_scale or 1e-300)
    steps.step("leaving out what does not matter")
    search = Search(cases, states, scale, refit, steps, effort)
    interrupted = False
    try:
        best = search.best(float(tolerance))
        if curve and tolerance > 0:
            best = min(best, search.sweep(float(tolerance)), key=lambda candidate: candidate.operations)
    except KeyboardInterrupt:
        best, interrupted = search.shortest(float(tolerance)), True
        if best is search.tried[0]:
            raise
    steps.say("largest errors", 1.0)
    try:
        model = finished(search, best, float(tolerance), interrupted)
    except KeyboardInterrupt:  # what is proved is kept: this takes a second at most, and a second interrupt ends it
        model = finished(search, best, float(tolerance), interrupted)
    steps.tell("done", 1.0)
    return model


def finished(search: Search, best: Candidate, tolerance: float, interrupted: bool = False) -> ReducedModel:
    """The model with everything that is said about it."""
    best = search.no_longer_than_exact(best)
    cases, states, scale, program = search.cases, search.states, search.scale, best.program
    system = cases[0].system
    values = program.values(cases[0].parameters)
    other_parameters = [case.parameters for case in cases[1:]] or [heavier(system).parameters]
    other_values = [program.values(parameters) for parameters in other_parameters]
    bound = OUTWARD * best.share * scale
    root = np.max([torque_rms(waves, states) for waves in best.differences], axis=0)
    extra_positions = search.proofs.worst_positions
    # where the search ends; how large the error is there balls tell, as that of floats may be their rounding
    ends = [largest(difference(case, program), states, extra_positions=extra_positions)[1] for case in cases]
    attained = np.max(
        [least_errors(case, program, enumerate(at)) for case, at in zip(cases, ends, strict=True)], axis=0
    )
    for joint in np.flatnonzero(attained > bound).tolist():
        raise ProofError(
            f"{system.where}{system.name}: a torque error of {attained[joint]:g} is attained at joint "
            f"{system.joint_names[joint]!r} where {bound[joint]:g} was proved to be the largest: a fault of "
            "the proof, which is worth a report with the arm"
        )
    constants = tuple(
        Constant(
            name.replace("_", ""), float(value), program.definitions[name].text,
            any(of_load[name] != value for of_load in other_values), float(program.definitions[name].shift),
        )
        for name, value in values.items()
    )  # fmt: skip
    exact_operations = count(function(cases[0].rigid, "inverse_dynamics").nodes)
    points = tuple(
        CurvePoint(
            float(c.share.max(initial=0.0)), c.operations, len(c.program.definitions), "quick" if c.quick else "full",
            OUTWARD * c.share * scale, c.program,
        )
        for c in front(search.tried)
    )  # fmt: skip
    loads = tuple(loads_in_words(case.system) for case in cases) if len(cases) > 1 or system.loads else ()
    return ReducedModel(
        system, states, program.outputs, values, cases[0].equations, tolerance, bound, attained,
        root, scale, tuple(best.differences), best.worst_load, search.effort, exact_operations,
        operations_of(program, values), points, constants, program, loads, tuple(cases), interrupted,
    )  # fmt: skip


def heavier(system: ArmSystem) -> Case:
    """The system with some load, to see which constants depend on one."""
    load = Load(
        Fraction(17, 13),
        (Fraction(1, 19), Fraction(1, 23), Fraction(1, 29)),
        (Fraction(1, 31), Fraction(1, 37), Fraction(1, 41)),
    )
    return case_of(system.holding(load))


def difference(case: Case, program: Hoisted) -> Torque:
    """The error of the program's torques."""
    exact = case.rigid.inverse_dynamics
    reduced = function_of(case.rigid, program.outputs, program.values(case.parameters), "inverse_dynamics")
    short = Kernel(reduced, patient=True)
    return lambda q, qd, qdd: np.asarray(short(q, qd, qdd) - exact(q, qd, qdd), float)


def largest_torques(case: Case, states: States) -> Array:
    """The largest |tau_i| that a search attains, computed over floats at the states where it ends: what kernels compute
    is rounded as the processor and its compiler do, and which of many programs is taken may hang on the last digit."""
    system, (_, ends) = SystemOverRing(case.rigid, REAL), largest(case.rigid.inverse_dynamics, states)
    rows = ends.reshape(states.n, 3, states.n).tolist()
    torques = [system.torque(REAL, q, qd, qdd)[joint] for joint, (q, qd, qdd) in enumerate(rows)]
    return np.abs(np.array(torques, dtype=float))

"""Certified reduction: the shortest program found whose torque error is proved to stay within a tolerance."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.inertia import Load
from ..compile.functions import function
from ..compile.operations import count
from ..equations import names
from ..equations.equations import Equations
from ..equations.polynomial import TrigPolynomial
from ..rings.graph import Node
from .certify import CoefficientError, Key, Progress, Proof, prove, torque_rms
from .graphs import table
from .hoist import Hoisted, hoisted
from .model import Constant, CurvePoint, ReducedModel, operations_of
from .model_waves import input_inertia, unit
from .moments import rms
from .over_ring import coefficients
from .recursion import Case, Program, Pruner, Samples, cases_of, recursion
from .states import Amounts, Array, States, Torque, exact_torque, largest, states_of
from .waves import Wave, wave_of

FULL, ROUNDS, SECONDS = 3, 4, 20.0
POSITIONS = 40


@dataclass(frozen=True, eq=False)
class Candidate:
    """A program with its proof."""

    program: Hoisted
    proof: Proof
    differences: list[dict[Key, Wave]]
    share: Array
    operations: int


def reduce(
    arm: ArmDescription,
    tolerance: float = 0.01,
    *,
    speed: Amounts = None,
    acceleration: Amounts = None,
    box: Mapping[str | int, tuple[float, float]] | None = None,
    load: Load | Sequence[Load | None] | None = None,
    drives: bool = False,
    progress: Progress | None = None,
) -> ReducedModel:
    """The shortest model found whose torques are within ``tolerance`` of the exact ones for every state.

    The tolerance is a share of each joint's largest torque over the states: positions in the joint limits (or
    ``box``), speeds and accelerations up to the limits given. ``load`` may be a sequence: the model then serves all
    of them and every mixture (errors are linear in the load). ``drives`` counts the input inertia of the drives.
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
    tell = progress or (lambda _text, _share: None)
    tell("largest torques", 0.0)
    scale = np.min([largest(exact_torque(each, added), states)[0] for each in arms], axis=0)
    # A joint that no state loads at all has no share to speak of; its error must be zero.
    scale = np.where(scale > 1e-12 * scale.max(initial=0.0), scale, 1e-300)
    cases, exact = cases_of(arms), [exact_coefficients(each) for each in arms]
    whole = recursion(cases, added)
    pruner = Pruner(whole, Samples(cases, added, states, max(12, POSITIONS // len(cases))), scale)
    tried: list[Candidate] = [certified(whole, cases, exact, added, states, scale, tell)]
    if tolerance > 0:
        best_found(tried, pruner, cases, exact, added, states, scale, float(tolerance), tell)
    # The whole recursion, tried first, is exact: some model always meets the tolerance.
    best = min((c for c in tried if np.all(c.share <= tolerance)), key=lambda c: c.operations)
    return finished(
        arm, arms, cases, exact, best, tried, tolerance, states, drives, added, scale, tuple(said(x) for x in loads)
    )


def best_found(
    tried: list[Candidate], pruner: Pruner, cases: Sequence[Case], exact: Sequence[Mapping[Key, TrigPolynomial]],
    added: Array, states: States, scale: Array, tolerance: float, tell: Progress,
) -> None:  # fmt: skip
    """Prune to a target, prove, correct the target of each joint by what the proof says, and again.

    Rough proofs steer; ``gain`` is how much less a full proof says, joint by joint. Only full proofs are kept.
    """
    target, gain, began = np.full(states.n, 0.6 * tolerance), np.ones(states.n), time.monotonic()
    for _ in range(FULL):
        best: tuple[int, Program] | None = None
        for round_ in range(ROUNDS):
            tell("leaving out what does not matter", round_ / ROUNDS)
            program = pruner.pruned(target)
            made = certified(program, cases, exact, added, states, scale, tell, quick=True)
            ratio = made.share * gain / tolerance
            if np.all(ratio <= 1) and (best is None or made.operations < best[0]):
                best = made.operations, program
            if np.all(ratio <= 1) and np.all((ratio > 0.9) | (ratio == 0)):
                break
            # A joint without error says nothing about its next: let its target rise.
            step = np.where(ratio > 0, 0.93 / np.maximum(ratio, 1e-3), 1.5)
            target = np.minimum(target * np.clip(step, 0.3, 1.5), 2 * tolerance)
        if best is None:
            target = 0.5 * target
            continue
        full = certified(best[1], cases, exact, added, states, scale, tell)
        rough = certified(best[1], cases, exact, added, states, scale, tell, quick=True)
        tried.append(full)
        if time.monotonic() - began > SECONDS:
            return
        # A joint whose proof did not get tighter here may not rely on it next time either.
        fresh = np.where(rough.share > 0, full.share / np.maximum(rough.share, 1e-300), 1.0)
        gain = fresh if np.all(full.share <= tolerance) else np.minimum(1.0, fresh * 1.05)


def certified(
    program: Program, cases: Sequence[Case], exact: Sequence[Mapping[Key, TrigPolynomial]], added: Array,
    states: States, scale: Array, tell: Progress, quick: bool = False,
) -> Candidate:  # fmt: skip
    """A program with its constants hoisted, proved against the exact coefficients of every case."""
    made = hoisted(program.outputs)
    proofs, waves, shares = [], [], []
    for case, right in zip(cases, exact, strict=True):
        values = made.values(parameters(case, added))
        found = coefficients(made.outputs, right["G", (0,)].space, values)
        differences: dict[Key, Wave] = {}
        for key, poly in found.items():
            less = poly - right[key]
            if key[0] == "D" and key[1][0] == key[1][1] and added[key[1][0]]:
                less = less - Fraction(added[key[1][0]])
            if less:
                differences[key] = wave_of(less)
        proofs.append(prove(differences, states, None if quick else tell, quick))
        waves.append(differences)
        shares.append(proofs[-1].joints / scale)
    first = made.values(parameters(cases[0], added))
    most = int(np.argmax([share.max(initial=0.0) for share in shares]))
    return Candidate(made, proofs[most], waves, np.max(shares, axis=0), operations_of(made, first).total)


def exact_coefficients(arm: ArmDescription) -> dict[Key, TrigPolynomial]:
    """All exact coefficients of an arm, by key."""
    eq, n = Equations(arm, "numbers"), arm.n
    found: dict[Key, TrigPolynomial] = {("G", (i,)): eq.gravity[i] for i in range(n)}
    found |= {("D", (i, j)): eq.mass_matrix[i, j] for i in range(n) for j in range(n)}
    return found | {("C", (i, j, k)): eq.christoffel[i, j, k] for i in range(n) for j in range(n) for k in range(j, n)}


def parameters(case: Case, added: Array) -> dict[str, Fraction]:
    return {**case.constants, **{f"p_J{i + 1}": Fraction(float(x)) for i, x in enumerate(added)}}


def finished(
    arm: ArmDescription, arms: Sequence[ArmDescription], cases: Sequence[Case],
    exact: Sequence[Mapping[Key, TrigPolynomial]], best: Candidate, tried: Sequence[Candidate], tolerance: float,
    states: States, drives: bool, added: Array, scale: Array, loads: tuple[str, ...],
) -> ReducedModel:  # fmt: skip
    """The model with everything that is said about it."""
    values = best.program.values(parameters(cases[0], added))
    others = [best.program.values(parameters(case, added)) for case in cases[1:]]
    probe = others or [best.program.values(parameters(heavier(arm, added), added))]
    bound = best.share * scale
    root = np.max([torque_rms(waves, states) for waves in best.differences], axis=0)
    found = np.max(
        [
            largest(difference(each, best.program, parameters(case, added), added), states)[0]
            for each, case in zip(arms, cases, strict=True)
        ],
        axis=0,
    )
    errors, q = [], states.box.samples(256)
    for (kind, index), (proved, attained) in sorted(best.proof.coefficients.items()):
        wave = max(
            (waves[kind, index] for waves in best.differences if (kind, index) in waves),
            key=lambda w: float(w.size.sum()),
        )
        name = names.name(kind, index)
        whole = float(np.abs(exact[0][kind, index](q)).max()) + (
            added[index[0]] if kind == "D" and index[0] == index[1] else 0.0
        )
        errors.append(CoefficientError(name, unit(arm, name), proved, attained, rms(wave, states.box), whole))
    constants = tuple(
        Constant(
            name.replace("_", ""), float(value), written(best.program.definitions[name]),
            any(other[name] != value for other in probe),
        )
        for name, value in values.items()
    )  # fmt: skip
    before = count(function(arms[0], "inverse_dynamics").nodes)
    if drives:
        moved = int(np.count_nonzero(added))
        before = type(before)(before.multiplications + moved, before.additions + moved, 0, 0, before.sine_cosine_pairs)
    curve = {(c.operations, round(float(c.share.max()), 12)): len(c.program.definitions) for c in tried}
    points = tuple(CurvePoint(share, ops, size) for (ops, share), size in sorted(curve.items(), key=lambda x: x[0][1]))
    return ReducedModel(
        arm, float(tolerance), states, drives, bound, np.minimum(found, bound), root, scale, tuple(errors), before,
        operations_of(best.program, values), points, constants, best.program, values, added, loads,
        Equations(arms[0], "numbers"),
    )  # fmt: skip


def heavier(arm: ArmDescription, added: Array) -> Case:
    """The arm with some load, to see which constants depend on one."""
    load = Load(
        Fraction(17, 13),
        (Fraction(1, 19), Fraction(1, 23), Fraction(1, 29)),
        (Fraction(1, 31), Fraction(1, 37), Fraction(1, 41)),
    )
    return cases_of([arm.holding(load)])[0]


def difference(arm: ArmDescription, program: Hoisted, given: Mapping[str, Fraction], added: Array) -> Torque:
    """The error of the program's torques."""
    exact = exact_torque(arm, added)
    values = {name: float(value) for name, value in program.values(given).items()}

    def error(q: Array, qd: Array, qdd: Array) -> Array:
        inputs: dict[str, object] = dict(values)
        for name, array in (("q", q), ("qd", qd), ("qdd", qdd)):
            inputs |= {f"{name}_{i}": array[:, i] for i in range(arm.n)}
        done = table(program.outputs, inputs)
        rows = [np.broadcast_to(np.asarray(done[node.index], float), (len(q),)) for node in program.outputs]
        return np.stack(rows, axis=1) - exact(q, qd, qdd)

    return error


def said(load: Load | None) -> str:
    return f"{float(load.body.mass):g} kg" if load is not None else "no load"


def written(node: Node) -> str:
    """A constant's definition in parameters, as text."""
    signs = {"add": " + ", "sub": " - ", "mul": " "}
    if node.op == "const":
        return f"{float(node.value):.6g}"
    if node.op == "input":
        return str(node.value).removeprefix("p_")
    if node.op == "neg":
        return f"-{bracketed(node.operands[0])}"
    a, b = node.operands
    if node.op == "mul":
        return f"{bracketed(a)}{signs['mul']}{bracketed(b)}"
    return f"{written(a)}{signs[node.op]}{bracketed(b) if node.op == 'sub' else written(b)}"


def bracketed(node: Node) -> str:
    return f"({written(node)})" if node.op in ("add", "sub") else written(node)

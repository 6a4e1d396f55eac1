"""A reduced recursion: Newton-Euler with the fewest parameters, less the parameters and summands that do not matter.

The graph of the recursion keeps its parameters as inputs, so another load changes numbers and not the program. What
is left out is chosen by its effect on sample states, smallest effect for the operations saved first; whether the
result is good enough is decided by the proof alone (``certify.py``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..arm.description import ArmDescription
from ..arm.inertia import ENTRIES
from ..compile.operations import Operations, count
from ..compile.regroup import over
from ..formulations import newton_euler
from ..rings.algebra import as_matrix
from ..rings.graph import Graph, Node
from .graphs import Cut, effects, table, without
from .parameters import NAMES, Grouped, grouped, with_values
from .states import Array, States

PASSES = 4


@dataclass(frozen=True, eq=False)
class Case:
    """One load: the arm that holds it, its grouped parameters, and its exact torques as a graph gives them."""

    arm: ArmDescription
    grouped: Grouped

    @property
    def constants(self) -> dict[str, Fraction]:
        return {f"p_{name}": value for name, value in self.grouped.values.items()}


@dataclass(frozen=True, eq=False)
class Program:
    """Torques as a graph over q_i, qd_i, qdd_i and constants p_name."""

    outputs: list[Node]
    names: tuple[str, ...]

    @property
    def operations(self) -> Operations:
        return count(self.outputs)


def cases_of(arms: Sequence[ArmDescription]) -> list[Case]:
    return [Case(arm, grouped(arm)) for arm in arms]


def recursion(cases: Sequence[Case], added: Array) -> Program:
    """The whole recursion with every parameter that is not zero in some case."""
    names = tuple(dict.fromkeys(name for case in cases for name in case.grouped.names))
    graph, n = Graph(), cases[0].arm.n
    bare = over(with_values(cases[0].grouped.chain, {}), graph)
    segments = []
    for index, segment in enumerate(bare.segments):
        mine: list[Any] = [
            graph.input(f"p_{name}{index + 1}") if f"{name}{index + 1}" in names else 0 for name in NAMES
        ]
        rows: list[list[Any]] = [[0] * 3 for _ in range(3)]
        for (_, i, j), value in zip(ENTRIES, mine[4:], strict=True):
            rows[i][j] = rows[j][i] = value
        segments.append(replace(segment, mass=mine[0], moment=(mine[1], mine[2], mine[3]), tensor=as_matrix(rows)))
    q, qd, qdd = (graph.inputs(f"{name}_", n) for name in ("q", "qd", "qdd"))
    torque = newton_euler.inverse_dynamics(replace(bare, segments=tuple(segments)), graph, q, qd, qdd)
    outputs = [graph.node(t) for t in torque]
    for index in range(n):
        if added[index]:
            outputs[index] = outputs[index] + graph.input(f"p_J{index + 1}") * qdd[index]
    used = names + tuple(f"J{index + 1}" for index in range(n) if added[index])
    return Program(outputs, used)


class Samples:
    """Inputs of the graph at sample positions, moving so that every coefficient shows.

    For each position there is one state at rest, one for each acceleration at its limit, one for each speed and each
    pair of speeds at their limits. ``contributions`` turns torques at these states into the largest that each
    coefficient, G_i, D_ij a_j, C_ijj v_j^2 and 2 C_ijk v_j v_k, can contribute.
    """

    def __init__(self, cases: Sequence[Case], added: Array, states: States, size: int, seed: int = 0) -> None:
        n = states.n
        self.pairs = [(j, k) for j in range(n) for k in range(j + 1, n)]
        self.runs, self.points, self.n = 1 + 2 * n + len(self.pairs), size * len(cases), n
        qd, qdd = np.zeros((self.runs, n)), np.zeros((self.runs, n))
        for j in range(n):
            qdd[1 + j, j], qd[1 + n + j, j] = states.acceleration[j], states.speed[j]
        for row, (j, k) in enumerate(self.pairs):
            qd[1 + 2 * n + row, [j, k]] = states.speed[[j, k]]
        q = np.tile(states.box.samples(self.points, seed), (self.runs, 1))
        self.size = len(q)
        self.values: dict[str, Any] = {}
        for name, array in (("q", q), ("qd", np.repeat(qd, self.points, 0)), ("qdd", np.repeat(qdd, self.points, 0))):
            self.values |= {f"{name}_{i}": array[:, i] for i in range(n)}
        for name in dict.fromkeys(name for case in cases for name in case.grouped.names):
            each = [float(case.grouped.values.get(name, 0)) for case in cases]
            self.values[f"p_{name}"] = np.tile(np.repeat(each, size), self.runs) if len(cases) > 1 else each[0]
        self.values |= {f"p_J{index + 1}": float(added[index]) for index in range(n)}

    def contributions(self, torques: Array) -> Array:
        """(..., n, states) torques as (..., n, coefficients, positions)."""
        runs, n = torques.reshape(*torques.shape[:-1], self.runs, self.points), self.n
        found = runs - runs[..., :1, :]
        found[..., 0, :] = runs[..., 0, :]
        first, second = [j for j, _ in self.pairs], [k for _, k in self.pairs]
        found[..., 1 + 2 * n :, :] -= (
            found[..., [1 + n + j for j in first], :] + found[..., [1 + n + k for k in second], :]
        )
        return found


class Pruner:
    """Leaves out parameters and summands while the sum of largest contributions stays within a target per joint."""

    def __init__(self, program: Program, samples: Samples, scale: Array) -> None:
        self.program, self.samples, self.scale = program, samples, scale
        self.exact = self._contributions(program.outputs, samples.values)

    def _contributions(self, outputs: Sequence[Node], values: Mapping[str, Any]) -> Array:
        done = table(outputs, values)
        rows = [np.broadcast_to(np.asarray(done[node.index], float), (self.samples.size,)) for node in outputs]
        return self.samples.contributions(np.stack(rows) / self.scale[:, None])

    def error(self, outputs: Sequence[Node]) -> Array:
        """The errors of all contributions (shares of the torque), joint by coefficient by position."""
        return self._contributions(outputs, self.samples.values) - self.exact

    def pruned(self, target: Array) -> Program:
        """The program with the fewest operations found that stays within ``target``, a share for each joint."""
        program = self._without_parameters(target)
        for _ in range(PASSES):
            smaller = self._cut(program, target)
            if smaller is None:
                break
            program = smaller
        return program

    def _without_parameters(self, target: Array) -> Program:
        """Parameters that matter least are set to zero, up to half of what the target allows."""
        program, names = self.program, list(self.program.names)
        changes = {
            name: self._contributions(program.outputs, self.samples.values | {f"p_{name}": 0.0}) - self.exact
            for name in names
        }
        error, gone = np.zeros_like(self.exact), []
        for name in sorted(names, key=lambda n: float((worst(changes[n]) / target).max())):
            trial = error + changes[name]
            if np.all(worst(trial) <= 0.5 * target):
                error = trial
                gone.append(name)
        outputs = without(program.outputs, (), {f"p_{name}": 0 for name in gone})
        return Program(outputs, tuple(name for name in names if name not in gone))

    def _cut(self, program: Program, target: Array) -> Program | None:
        """One round of cuts; None where nothing more can go."""
        outputs = program.outputs
        found = effects(outputs, self.samples.values, self.samples.size, 2 * target * self.scale)
        changes = [self.samples.contributions(effect / self.scale[:, None]) for effect in found.effects]
        error = self.error(outputs)
        ranked = sorted(range(len(changes)), key=lambda c: float((worst(changes[c]) / target).max()) / found.saved[c])
        taken: list[Cut] = []
        for c in ranked:
            node, slot = found.cuts[c]
            if (node, 1 - slot) in taken:
                continue
            trial = error + changes[c]
            if np.all(worst(trial) <= target):
                error = trial
                taken.append((node, slot))
        smaller: list[Node] = outputs
        while taken:
            smaller = without(outputs, set(taken))
            if np.all(worst(self.error(smaller)) <= target * 1.001):
                break
            # First-order effects misled: take back the last quarter of the cuts.
            taken = taken[: len(taken) * 3 // 4]
        if not taken or count(smaller).total >= count(outputs).total:
            return None
        return Program(smaller, program.names)


def worst(contributions: Array) -> Array:
    """Of each joint, the sum over coefficients of the largest error."""
    return np.abs(contributions).max(axis=-1).sum(axis=-1)

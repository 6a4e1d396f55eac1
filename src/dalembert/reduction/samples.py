"""Sample states that excite every coefficient of a program separately, and the errors of a program there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..rings.graph import Node, reachable
from .constant_forms import ParameterForm
from .graph_edits import adjoints, table
from .hoist import Hoisted
from .recursion import Case
from .states import Array, States


class Samples:
    """Inputs of the graph at sample positions, with motions that excite every coefficient.

    For each position there is one state at rest, one for each acceleration at its limit, and one for each speed and
    each pair of speeds at their limits. ``contributions`` converts torques at these states to the largest contribution
    of each coefficient, G_i, D_ij a_j, C_ijj v_j^2 and 2 C_ijk v_j v_k, as a share of the joint's torque scale.
    Positions are ``size`` random ones for each load, and those of ``also``.
    """

    def __init__(
        self, whole: Hoisted, cases: Sequence[Case], states: States, scale: Array, size: int, also: Array | None = None
    ) -> None:
        n = states.n
        also = np.zeros((0, n)) if also is None else also
        self.cases, self.scale, self.each = [case.parameters for case in cases], scale, size + len(also)
        self.pairs = [(j, k) for j in range(n) for k in range(j + 1, n)]
        self.runs, self.points, self.n = 1 + 2 * n + len(self.pairs), self.each * len(cases), n
        qd, qdd = np.zeros((self.runs, n)), np.zeros((self.runs, n))
        for j in range(n):
            qdd[1 + j, j], qd[1 + n + j, j] = states.acceleration[j], states.speed[j]
        for row, (j, k) in enumerate(self.pairs):
            qd[1 + 2 * n + row, [j, k]] = states.speed[[j, k]]
        spread = states.box.samples(size * len(cases)).reshape(len(cases), size, n)
        own = np.concatenate([spread, np.tile(also, (len(cases), 1, 1))], axis=1).reshape(-1, n)
        q = np.tile(own, (self.runs, 1))
        self.size = len(q)
        self.values: dict[str, Any] = {}
        for name, array in (("q", q), ("qd", np.repeat(qd, self.points, 0)), ("qdd", np.repeat(qdd, self.points, 0))):
            self.values |= {f"{name}_{i}": array[:, i] for i in range(n)}
        self.exact = self.of(whole)

    def constants(self, definitions: Mapping[str, ParameterForm]) -> dict[str, Any]:
        """The constants at all states: numbers, or arrays where they depend on the load."""
        values: dict[str, Any] = {}
        for name, form in definitions.items():
            each = [float(form.value(case)) for case in self.cases]
            equal = all(value == each[0] for value in each)
            values[name] = each[0] if equal else np.tile(np.repeat(each, self.each), self.runs)
        return values

    def filled(self, value: Any) -> Array:
        """The value broadcast to all states."""
        return np.broadcast_to(np.asarray(value, float), (self.size,))

    def contributions(self, torques: Array) -> Array:
        """(..., n, states) torques as (..., n, coefficients, positions) shares."""
        runs, n = (torques / self.scale[:, None]).reshape(*torques.shape[:-1], self.runs, self.points), self.n
        shares = runs - runs[..., :1, :]
        shares[..., 0, :] = runs[..., 0, :]
        first, second = [j for j, _ in self.pairs], [k for _, k in self.pairs]
        shares[..., 1 + 2 * n :, :] -= (
            shares[..., [1 + n + j for j in first], :] + shares[..., [1 + n + k for k in second], :]
        )
        return shares

    def of(self, program: Hoisted) -> Array:
        """The contributions of a program."""
        values = table(program.outputs, self.values | self.constants(program.definitions))
        return self.contributions(np.stack([self.filled(values[node.index]) for node in program.outputs]))

    def error(self, program: Hoisted) -> Array:
        """The errors of all contributions, joint by coefficient by position."""
        return self.of(program) - self.exact

    def slopes(self, program: Hoisted) -> tuple[list[Node], dict[int, Any], list[dict[int, Any]]]:
        """All nodes, their values, and the derivative of every output with respect to every node."""
        order = reachable(program.outputs)
        values = table(program.outputs, self.values | self.constants(program.definitions))
        return order, values, [adjoints(output, values, order) for output in program.outputs]

    def per_constant(
        self, program: Hoisted, order: Sequence[Node], slopes: Sequence[Mapping[int, Any]]
    ) -> tuple[list[str], Array]:
        """The contributions of one unit of each constant; torques are linear in the constants."""
        nodes = [node for node in order if node.op == "input" and node.value in program.definitions]
        units = [np.stack([self.filled(slope.get(node.index, 0.0)) for slope in slopes]) for node in nodes]
        shape = (0, self.n, self.runs, self.points)
        contributions = self.contributions(np.stack(units)) if units else np.zeros(shape)
        return [str(node.value) for node in nodes], contributions


def worst(contributions: Array) -> Array:
    """For each joint, the largest over positions of the summed magnitudes of all contributions: what a proof bounds."""
    return np.abs(contributions).sum(axis=-2).max(axis=-1)

"""The recursion that is reduced: Newton-Euler with the fewest parameters, its constants named.

The parameters stay inputs until the constants are worked out, so another load changes numbers and not the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..arm.description import ArmDescription
from ..arm.inertia import ENTRIES
from ..compile.regroup import over
from ..formulations import newton_euler
from ..rings.algebra import add, as_matrix
from ..rings.graph import Graph
from .constant_forms import Form
from .hoist import Hoisted, hoisted
from .parameters import NAMES, Grouped, grouped, with_values
from .states import Array


@dataclass(frozen=True, eq=False)
class Case:
    """One load: the arm that holds it, its grouped parameters, and the inertia of the drives."""

    arm: ArmDescription
    grouped: Grouped
    added: Array

    @property
    def parameters(self) -> dict[str, Fraction]:
        """The values of the inputs p_name."""
        found = {f"p_{name}": value for name, value in self.grouped.values.items()}
        return found | {f"p_J{i + 1}": Fraction(float(x)) for i, x in enumerate(self.added)}


def cases_of(arms: Sequence[ArmDescription], added: Array) -> list[Case]:
    return [Case(arm, grouped(arm), added) for arm in arms]


def recursion(cases: Sequence[Case]) -> Hoisted:
    """The whole recursion with every parameter that is not zero in some case."""
    names = tuple(dict.fromkeys(name for case in cases for name in case.grouped.names))
    graph, n, added = Graph(), cases[0].arm.n, cases[0].added
    bare = over(with_values(cases[0].grouped.chain, {}), graph)
    segments = []
    for index, segment in enumerate(bare.segments):
        mine: list[Any] = [
            graph.input(f"p_{name}{index + 1}") if f"{name}{index + 1}" in names else 0 for name in NAMES
        ]
        rows: list[list[Any]] = [[0] * 3 for _ in range(3)]
        for (_, i, j), value in zip(ENTRIES, mine[4:], strict=True):
            rows[i][j] = rows[j][i] = value
        # A body without extent along its axis (``compile/regroup.py``, plane): Izz = Ixx + Iyy.
        rows[2][2] = add(rows[0][0], rows[1][1])
        segments.append(replace(segment, mass=mine[0], moment=(mine[1], mine[2], mine[3]), tensor=as_matrix(rows)))
    q, qd, qdd = (graph.inputs(f"{name}_", n) for name in ("q", "qd", "qdd"))
    torque = newton_euler.inverse_dynamics(replace(bare, segments=tuple(segments)), graph, q, qd, qdd)
    outputs = [graph.node(t) for t in torque]
    for index in range(n):
        if added[index]:
            outputs[index] = outputs[index] + graph.input(f"p_J{index + 1}") * qdd[index]
    used = [f"p_{name}" for name in names] + [f"p_J{index + 1}" for index in range(n) if added[index]]
    return hoisted(outputs, {name: Form.parameter(name) for name in used})

"""The damped step of an arm as a function to compile: J is its own, everything else comes in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..compile.code_length import MOST_UNASKED
from ..compile.function import Function, Tables
from ..compile.functions import system_facts
from ..compile.graph_model import GraphModel
from ..compile.kernel import Kernel
from ..formulations.damped_step import damped_step
from ..formulations.factor import DensePaths
from ..rings.graph import Graph
from ..rings.real import REAL
from ..rings.ring import Scalar
from ..systems.arm_kinematics import MovingArm
from ..systems.arrays import evaluate

Array = NDArray[np.float64]
Step = Callable[..., tuple[Array, Array]]

MEANINGS = {
    "error": "what the pose still lacks, in base axes: position (m), then rotation (rad)",
    "weight": "weights: xx, yy, zz, xy, xz, yz of the position, then of the rotation",
    "damping": "damping of each joint",
    "wanted": "what else is wanted of the joints, in the null space",
    "edge": "1 at the upper limit, -1 at the lower one, else 0",
    "step": "change of the joints",
    "free": "1 for a joint that is free, 0 for one that a limit holds",
}


def step_function(arm: ArmDescription) -> Function:
    """The function (q, error, weight, damping, wanted, edge) -> (step, free)."""
    n = arm.n
    return Function(
        "damped_step",
        (("q", n), ("error", 6), ("weight", 12), ("damping", n), ("wanted", n), ("edge", n)),
        (("step", (n,)), ("free", (n,))),
        partial(_build, arm),
        label=arm.name,
        facts=system_facts(arm),
        joints=arm.joint_names,
        meanings=MEANINGS,
        around=(
            ((0.3,) * n, 1.0), ((0.0,) * 6, 0.5), ((1.0,) * 3 + (0.0,) * 3 + (1.0,) * 3 + (0.0,) * 3, 0.1),
            ((0.5,) * n, 0.2), ((0.0,) * n, 0.1), ((0.0,) * n, 0.0),
        ),
    )  # fmt: skip


def _build(arm: ArmDescription) -> Tables:
    """The damped step over a graph, J that of the arm."""
    m = GraphModel(arm, Graph())
    graph = m.graph
    jacobian = m.system.jacobian(graph, m.input("q"))
    arguments = (
        graph.inputs("error_", 6),
        graph.inputs("weight_", 12),
        *(m.input(x) for x in ("damping", "wanted", "edge")),
    )
    return damped_step(DensePaths(m.n), graph, jacobian, *arguments)


def compiled_step(arm: MovingArm) -> Step:
    """The step of this arm on arrays: machine code, or the same page over floats where its code would be too long."""
    if 70 * arm.n + arm.n**2 * (10 + arm.n // 6) <= MOST_UNASKED:
        return Kernel(step_function(arm)).fast
    system = arm.over_reals
    names = ("q", "error", "weight", "damping", "wanted", "edge")

    def tables(q: list[Scalar], *arguments: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        return damped_step(DensePaths(arm.n), REAL, system.jacobian(REAL, q), *arguments)

    return lambda *arrays: evaluate(tables, list(zip(names, arrays, strict=True)))

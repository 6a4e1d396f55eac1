"""The script of the drawing: what draws the arm, and the arm's own functions, generated from the expression graph.

The functions are those of the formulations over one description: frames of the joints and of the tool, inertia D_ii
seen at each joint, gravity load G_i. Only numbers of the description reach the text, no names.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..arm.description import ArmDescription
from ..compile.emit_javascript import javascript
from ..compile.functions import Function, Model, gravity_load, mass_matrix
from ..formulations.kinematics import Frame, compose, frames, joint_frame, tool_frame
from ..rings.algebra import EYE, ZERO
from ..rings.graph import Graph, absorbed
from ..rings.ring import Scalar
from .html.page import asset

Output = tuple[tuple[int, ...], Sequence[Scalar]]
"""Shape, and numbers in row-major order."""


def arm_script(arm: ArmDescription, loaded: ArmDescription | None = None) -> str:
    """All code of the drawing: of this description, and of the same arm holding a load where there is one."""
    functions = [frames_function("armFrames", arm), loads_function("armLoads", arm)]
    if loaded is not None:
        functions.append(loads_function("armLoadsHolding", loaded))
    written = "".join(javascript(function) for function in functions)
    passed = ", ".join(function.name for function in functions)
    return f'{asset("arm3d.js")}(function () {{\n"use strict";\n{written}drawArm({passed});\n}})();\n'


def frames_function(name: str, arm: ArmDescription) -> Function:
    """Of the joint frames in the base: rotations, positions, and positions with the joint at zero (the seat of a
    prismatic joint); rotation and position of the tool. Rotation matrices are nine numbers."""
    model = Model(arm, Graph())
    chain, graph, q = model.plain, model.graph, model.input("q")
    joints = frames(chain, graph, q)
    base: Frame = (EYE, ZERO)
    seats = [
        compose(joints[segment.parent] if segment.parent >= 0 else base, joint_frame(segment, graph, 0))
        for segment in chain.segments
    ]
    turn, shift = tool_frame(chain, graph, q)
    outputs: list[Output] = [
        ((arm.n, 9), [x for rotation, _ in joints for row in rotation for x in row]),
        ((arm.n, 3), [x for _, position in joints for x in position]),
        ((arm.n, 3), [x for _, position in seats for x in position]),
        ((9,), [x for row in turn for x in row]),
        ((3,), shift),
    ]
    return pose_function(name, model, outputs)


def loads_function(name: str, arm: ArmDescription) -> Function:
    """Inertia D_ii and gravity load G_i of every joint."""
    model = Model(arm, Graph())
    (matrix,), (load,) = mass_matrix(model), gravity_load(model)
    return pose_function(name, model, [((arm.n,), [matrix[i][i] for i in range(arm.n)]), ((arm.n,), load)])


def pose_function(name: str, model: Model, outputs: Sequence[Output]) -> Function:
    """A function of the joint positions q."""
    graph = model.graph
    nodes = iter(absorbed(graph, [graph.node(x) for _, numbers in outputs for x in numbers]))
    return Function(
        name,
        (("q", tuple(node.value for node in model.input("q"))),),
        tuple((shape, tuple(next(nodes) for _ in numbers)) for shape, numbers in outputs),
    )

"""The script of the drawing: what draws the arm, and the arm's own functions, generated from the expression graph.

The functions are those of the formulations over one description: frames of the joints and of the tool, inertia D_ii
seen at each joint, gravity load G_i. Only numbers of the description reach the text, no names.
"""

from __future__ import annotations

from functools import partial

from ..arm.description import ArmDescription
from ..compile.emit_javascript import javascript
from ..compile.function import Function, Tables
from ..compile.functions import gravity_load, mass_matrix
from ..compile.graph_model import GraphModel
from ..formulations.kinematics import Frame, compose, joint_frame
from ..rings.algebra import EYE, ZERO
from ..rings.graph import Graph
from .html.page import asset


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
    n = len(arm.bodies)
    results = (("rotations", (n, 9)), ("positions", (n, 3)), ("seats", (n, 3)), ("turn", (9,)), ("tool", (3,)))
    return Function(name, (("q", arm.n),), results, partial(_frames, arm))


def _frames(arm: ArmDescription) -> Tables:
    model = GraphModel(arm, Graph())
    chain, graph, q = model.plain, model.graph, model.input("q")
    joints = model.system.frames(graph, q)
    base: Frame = (EYE, ZERO)
    seats = [
        compose(joints[segment.parent] if segment.parent >= 0 else base, joint_frame(segment, graph, 0))
        for segment in chain.segments
    ]
    turn, shift = model.system.tool_frame(graph, q)
    return [
        [[x for row in rotation for x in row] for rotation, _ in joints],
        [list(position) for _, position in joints],
        [list(position) for _, position in seats],
        [x for row in turn for x in row],
        list(shift),
    ]


def loads_function(name: str, arm: ArmDescription) -> Function:
    """Inertia D_ii and gravity load G_i of every joint of this very system."""
    results = (("inertia", (arm.n,)), ("load", (arm.n,)))
    return Function(name, (("q", arm.n),), results, partial(_loads, arm))


def _loads(arm: ArmDescription) -> Tables:
    model = GraphModel(arm, Graph())
    (matrix,), (load,) = mass_matrix(model), gravity_load(model)
    return [[matrix[i][i] for i in range(arm.n)], load]

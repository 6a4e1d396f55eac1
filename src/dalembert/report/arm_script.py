"""The script of the drawing: what draws the arm, and the arm's own functions, generated from the expression graph.

The functions are those of the formulations over one description: frames of the joints and of the tool, inertia D_ii
seen at each joint, gravity load G_i; for a page of one state also torques by cause, D and energies. Only numbers of the
description reach the text, no names.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ..arm.description import ArmDescription
from ..compile.code_length import refuse_endless
from ..compile.emit_javascript import javascript
from ..compile.function import Function, Tables
from ..compile.functions import gravity_load, mass_matrix
from ..compile.graph_model import GraphModel, torque
from ..formulations import newton_euler
from ..formulations.christoffel import HALF
from ..formulations.kinematics import Frame, compose, joint_frame
from ..rings.algebra import EYE, ZERO, add, dot, matvec, mul, sub
from ..rings.graph import Graph, Node
from ..rings.ring import Scalar
from .html.page import asset


def arm_script(arm: ArmDescription, loaded: ArmDescription | None = None, state: bool = False) -> str:
    """All code of the drawing: of this description, and of the same arm holding a load where there is one.

    With ``state`` what the page of one state computes is there too.
    """
    functions = [frames_function("armFrames", arm), loads_function("armLoads", arm)]
    if loaded is not None:
        functions.append(loads_function("armLoadsHolding", loaded))
    arguments = ", ".join(function.name for function in functions)
    assets, follow = asset("arm3d.js"), ""
    if state:
        functions.append(state_function("armState", arm))
        assets, follow = assets + asset("state.js"), "followState(armState);\n"
    code = "".join(javascript(function) for function in functions)
    return f'{assets}(function () {{\n"use strict";\n{code}{follow}drawArm({arguments});\n}})();\n'


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


CAUSES = ("inertia", "velocity", "gravity", "friction", "elastic")
"""What a torque comes from; "velocity" is C(q, qd) qd, centrifugal and Coriolis torques together."""


def state_function(name: str, arm: ArmDescription) -> Function:
    """Of a state (q, qd, qdd): D, the torque tau, its parts by cause, kinetic and potential energy."""
    refuse_endless(arm, "mass_matrix")
    n = arm.n
    vectors = tuple((cause, (n,)) for cause in CAUSES)
    results = (("matrix", (n, n)), ("torque", (n,)), *vectors, ("kinetic", ()), ("potential", ()))
    return Function(name, (("q", n), ("qd", n), ("qdd", n)), results, partial(_state, arm))


def _state(arm: ArmDescription) -> Tables:
    model = GraphModel(arm, Graph())
    graph, system = model.graph, model.system
    q, qd, qdd = model.input("q"), model.input("qd"), model.input("qdd")
    matrix = system.mass_matrix(graph, q, model.chain)
    pull = system.elastic_load(graph, q, qd) if system.elastics else [0] * arm.n
    return [
        matrix,
        torque(model, q, qd, qdd),
        matvec(matrix, qdd),
        _velocity_torque(GraphModel(arm.with_gravity((0, 0, 0)), graph), q, qd),
        system.gravity(graph, q, model.chain),
        system.friction(graph, q, qd, qdd),
        [sub(0, force) for force in pull],
        mul(graph.number(HALF), dot(qd, matvec(matrix, qd))),
        system.potential_energy(graph, q),
    ]


def _velocity_torque(weightless: GraphModel, q: Sequence[Node], qd: Sequence[Node]) -> list[Scalar]:
    """C(q, qd) qd: what links and drives ask for without weight and acceleration."""
    still: list[Scalar] = [0] * weightless.n
    coupling = weightless.plain.coupling
    links = newton_euler.inverse_dynamics(weightless.plane, weightless.graph, *coupling.motion(q, qd, still))
    drives = weightless.system.drive_torque(weightless.graph, q, qd, still)
    return [add(a, b) for a, b in zip(coupling.load(links), drives, strict=True)]

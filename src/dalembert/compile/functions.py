"""The public functions of a system: which graph is which function.

No physics here: ``formulations/system.py`` composes it, and every entry of ``FUNCTIONS`` asks it over graph nodes. A
new function is one builder and one line of the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from ..arm.description import ArmDescription, listed
from ..arm.errors import ArmError
from ..arm.motor_units import motor_units
from ..formulations import kinematics, newton_euler, rotors
from ..formulations.system import SystemOverRing
from ..rings.algebra import cross, dot, sub
from ..rings.graph import Graph, Node
from ..rings.ring import Scalar
from . import joint_recursion
from .code_length import refuse_endless
from .derivative_functions import coriolis_matrix, forward_dynamics_derivatives, inverse_dynamics_derivatives
from .function import Function, Parameters, Shape, Tables
from .graph_model import KINDS, GraphModel, parameter_names, parameter_values, smallest, solved, torque
from .undetermined import refuse_dependent, refuse_massless, refuse_undivided
from .ways import Way, acceleration_derivative_ways, torque_derivative_ways

FEW = 20
"""Joints up to which factors of D may be shorter than articulated bodies."""
_KEPT = "_functions"

# -- the functions ----------------------------------------------------------------------------------


def inverse_dynamics(m: GraphModel) -> Tables:
    """tau = D qdd + h + G + F - Q."""
    return (torque(m, m.input("q"), m.input("qd"), m.input("qdd")),)


def bias(m: GraphModel) -> Tables:
    """The torques at zero acceleration."""
    return (torque(m, m.input("q"), m.input("qd"), [0] * m.n),)


def gravity_load(m: GraphModel) -> Tables:
    """G, by composite bodies or by Newton-Euler at rest, whichever is shorter."""
    q, zero = m.input("q"), [0] * m.n
    composed = m.system.gravity(m.graph, q, m.chain)
    if m.system.has_moving_bodies:
        return (composed,)
    newton_euler_torques = newton_euler.inverse_dynamics(m.plane, m.graph, *m.plain.coupling.motion(q, zero, zero))
    return (smallest(composed, m.plain.coupling.load(newton_euler_torques)),)


def mass_matrix(m: GraphModel) -> Tables:
    """D."""
    return (m.system.mass_matrix(m.graph, m.input("q"), m.chain),)


def inverse_mass_matrix(m: GraphModel) -> Tables:
    """The inverse of D."""
    return (m.system.inverse_mass_matrix(m.graph, m.input("q"), m.chain),)


def forward_dynamics(m: GraphModel) -> Tables:
    """qdd = D^-1 (tau - h - G - F + Q), by factors or by articulated bodies, whichever is shorter."""
    q, qd, tau = m.input("q"), m.input("qd"), m.input("tau")
    candidates = []
    if m.system.by_bodies:
        candidates.append(SystemOverRing(m.arm, m.graph, m.symbols, m.chain).acceleration(m.graph, q, qd, tau))
    if not candidates or m.n <= FEW:
        candidates.append(solved(m, q, qd, tau)[0])
    return (smallest(*candidates),)


def motor_torques(m: GraphModel) -> Tables:
    """F_a = N^-T tau (Szkodny 1995, eq. 13)."""
    return (_at_motors(m, torque(m, m.input("q"), m.input("qd"), m.input("qdd"))),)


def computed_torques(m: GraphModel) -> Tables:
    """tau = D qdd + h + G + F - Q as a controller commands it: friction at the speed that is wanted."""
    return (torque(m, m.input("q"), m.input("qd"), m.input("qdd"), m.input("qd_wanted")),)


def computed_motor_torques(m: GraphModel) -> Tables:
    """The same at the motors."""
    return (_at_motors(m, computed_torques(m)[0]),)


def forward_kinematics(m: GraphModel) -> Tables:
    """The tool frame in the base."""
    return (kinematics.homogeneous(m.system.tool_frame(m.graph, m.input("q"))),)


def jacobian(m: GraphModel) -> Tables:
    """Linear, then angular velocity of the tool per joint velocity."""
    return (m.system.jacobian(m.graph, m.input("q")),)


def jacobian_rate(m: GraphModel) -> Tables:
    """dJ/dt of the tool along the motion."""
    return (m.system.jacobian_rate(m.graph, m.input("q"), m.input("qd")),)


def center_of_mass(m: GraphModel) -> Tables:
    """Sum of m r over the mass."""
    return (_centre(m),)


def center_of_mass_jacobian(m: GraphModel) -> Tables:
    """P over the mass, per joint velocity."""
    share = _per_mass(m)
    return ([[share * x for x in row] for row in m.system.linear_momentum(m.graph, m.input("q"))],)


def momentum_matrix(m: GraphModel) -> Tables:
    """Linear momentum, and angular momentum about the mass centre, L - c x P, per joint velocity."""
    rows, centre = m.system.momentum_matrix(m.graph, m.input("q")), _centre(m)
    x, y, z = centre
    shifts = [cross((x, y, z), push) for push in zip(*rows[:3], strict=True)]
    return ([*rows[:3], *([sub(spin, c[k]) for spin, c in zip(rows[3 + k], shifts, strict=True)] for k in range(3))],)


def _centre(m: GraphModel) -> list[Scalar]:
    share = _per_mass(m)
    return [share * x for x in m.system.first_moment(m.graph, m.input("q"))]


def _per_mass(m: GraphModel) -> Node:
    """One over the mass of all that moves."""
    mass = m.graph.node(m.system.total_mass())
    if mass.op == "const" and not mass.value:
        raise ArmError(f"{m.arm.where}{m.arm.name}: no moving link has mass; give the links masses")
    return m.graph.divide(1, mass)


def regressor(m: GraphModel) -> Tables:
    """Y with tau = Y pi for the links."""
    return (m.system.regressor(m.graph, m.input("q"), m.input("qd"), m.input("qdd")),)


def _at_motors(m: GraphModel, tau: list[Scalar]) -> list[Scalar]:
    """N^-T tau."""
    assert m.system.train is not None, "function() has refused an arm without drives"
    rows = m.system.train.transmission(m.graph, m.input("q")).first
    return _eliminated([[row[j] for row in rows] for j in range(m.n)], tau, m.graph)


def _eliminated(matrix: list[list[Scalar]], rhs: list[Scalar], graph: Graph) -> list[Scalar]:
    """x with matrix x = rhs; rows are exchanged for one whose pivot is a known number, or else not zero."""
    n = len(rhs)
    rows, side = [list(row) for row in matrix], list(rhs)

    def rank(k: int, i: int) -> int:
        node = graph.node(rows[i][k])
        return 0 if node.op == "const" and node.value else 1 if node.op != "const" else 2

    for k in range(n):
        pivot = min(range(k, n), key=lambda i: rank(k, i))
        rows[k], rows[pivot], side[k], side[pivot] = rows[pivot], rows[k], side[pivot], side[k]
        inverse = graph.inverse(graph.node(rows[k][k]))
        for i in range(k + 1, n):
            share = graph.node(rows[i][k]) * inverse
            rows[i] = [graph.node(a) - share * b for a, b in zip(rows[i], rows[k], strict=True)]
            side[i] = graph.node(side[i]) - share * side[k]
    x: list[Scalar] = [0] * n
    for k in reversed(range(n)):
        total = sub(side[k], dot(rows[k][k + 1 :], x[k + 1 :]))
        x[k] = graph.node(total) * graph.inverse(graph.node(rows[k][k]))
    return x


# -- the table --------------------------------------------------------------------------------------

Size = Callable[[int, int], Shape]
"""The shape of a result for n coordinates and so many bodies."""


def _vector(n: int, bodies: int) -> Shape:
    return (n,)


def _matrix(n: int, bodies: int) -> Shape:
    return (n, n)


@dataclass(frozen=True)
class Entry:
    """A public function: its arguments, its results with their shapes, and what builds it."""

    arguments: tuple[str, ...]
    results: tuple[tuple[str, Size], ...]
    build: Callable[[GraphModel], Tables]


FUNCTIONS: dict[str, Entry] = {
    "inverse_dynamics": Entry(("q", "qd", "qdd"), (("tau", _vector),), inverse_dynamics),
    "forward_dynamics": Entry(("q", "qd", "tau"), (("qdd", _vector),), forward_dynamics),
    "mass_matrix": Entry(("q",), (("mass", _matrix),), mass_matrix),
    "inverse_mass_matrix": Entry(("q",), (("inverse", _matrix),), inverse_mass_matrix),
    "coriolis_matrix": Entry(("q", "qd"), (("coriolis", _matrix),), coriolis_matrix),
    "gravity_load": Entry(("q",), (("load", _vector),), gravity_load),
    "bias": Entry(("q", "qd"), (("tau", _vector),), bias),
    "motor_torques": Entry(("q", "qd", "qdd"), (("motor_torque", _vector),), motor_torques),
    "computed_torques": Entry(("q", "qd", "qdd", "qd_wanted"), (("tau", _vector),), computed_torques),
    "computed_motor_torques": Entry(
        ("q", "qd", "qdd", "qd_wanted"), (("motor_torque", _vector),), computed_motor_torques
    ),
    "forward_kinematics": Entry(("q",), (("frame", lambda n, bodies: (4, 4)),), forward_kinematics),
    "jacobian": Entry(("q",), (("jacobian", lambda n, bodies: (6, n)),), jacobian),
    "jacobian_rate": Entry(("q", "qd"), (("jacobian_rate", lambda n, bodies: (6, n)),), jacobian_rate),
    "center_of_mass": Entry(("q",), (("center", lambda n, bodies: (3,)),), center_of_mass),
    "center_of_mass_jacobian": Entry(
        ("q",), (("center_jacobian", lambda n, bodies: (3, n)),), center_of_mass_jacobian
    ),
    "momentum_matrix": Entry(("q",), (("momentum", lambda n, bodies: (6, n)),), momentum_matrix),
    "regressor": Entry(("q", "qd", "qdd"), (("regressor", lambda n, bodies: (n, 10 * bodies)),), regressor),
    "inverse_dynamics_derivatives": Entry(
        ("q", "qd", "qdd"), (("tau_q", _matrix), ("tau_qd", _matrix), ("tau_qdd", _matrix)),
        inverse_dynamics_derivatives,
    ),
    "forward_dynamics_derivatives": Entry(
        ("q", "qd", "tau"), (("qdd_q", _matrix), ("qdd_qd", _matrix), ("qdd_tau", _matrix)),
        forward_dynamics_derivatives,
    ),
}  # fmt: skip
"""The public functions by name."""


DIVIDING = ("forward_dynamics", "inverse_mass_matrix", "forward_dynamics_derivatives")
"""Functions that need the inverse of D."""
KINEMATIC = ("forward_kinematics", "jacobian", "jacobian_rate", "regressor")
"""Functions that do not ask for masses."""
OF_DRIVES = ("motor_torques", "computed_torques", "computed_motor_torques")
"""Functions of arms that count their drives."""


def function(arm: ArmDescription, name: str, parameters: str | None = None) -> Function:
    """The function ``name`` of this system, ready to be compiled for any target; the same as long as anyone has it."""
    functions: WeakValueDictionary[tuple[str, str | None], Function]
    functions = vars(arm).setdefault(_KEPT, WeakValueDictionary())  # where a description keeps what it has worked out
    result = functions.get((name, parameters)) if isinstance(name, str) and parameters in KINDS else None
    if result is None:
        result = functions[name, parameters] = _function(arm, name, parameters)
    return result


def _function(arm: ArmDescription, name: str, parameters: str | None) -> Function:
    if not isinstance(name, str) or name not in FUNCTIONS:
        raise ArmError(f"no function {name!r:.60} to compile; there are {listed(FUNCTIONS)}")
    if arm.n == 0:
        raise ArmError(f"{arm.where}{arm.name}: no joint moves, so there is nothing to compile")
    refuse_unfit(arm, name)
    loops = parameters is None and joint_recursion.fits(arm, name)
    if not loops:
        refuse_endless(arm, name)
    if name not in KINEMATIC and parameters is None:
        refuse_massless(arm)
    if name in DIVIDING and parameters is None:
        refuse_dependent(arm)
    entry, names = FUNCTIONS[name], parameter_names(arm, parameters)
    if parameters == "all" and arm.counts_drives:
        raise ArmError(
            f'{arm.where}{arm.name}: with drives the geometry is built in; keep "inertial" or "load" as parameters'
        )
    widths = tuple((argument, arm.n) for argument in entry.arguments)
    return Function(
        name,
        (*widths, ("parameters", len(names))) if names else widths,
        tuple((result, size(arm.n, len(arm.bodies))) for result, size in entry.results),
        partial(_build, arm, name, parameters),
        label=arm.name,
        facts=system_facts(arm),
        parameters=Parameters(parameters, names, tuple(parameter_values(arm, parameters))),
        joints=tuple(f"{joint.name} ({joint.kind})" for joint in arm.moving),
        remarks=remarks(arm, parameters),
        meanings=_motor_meaning(arm) if any(result == "motor_torque" for result, _ in entry.results) else {},
        ways=_other_ways(arm, name, parameters),
        recursion=partial(looped, arm, name) if loops else None,
    )


def looped(arm: ArmDescription, name: str, caller: Any, dtype: Any) -> bool:
    """Have ``caller`` compute a function of links and rotors by the recursion over their table."""
    return joint_recursion.attached(caller, name, arm, dtype)


def _other_ways(arm: ArmDescription, name: str, parameters: str | None) -> Callable[[], tuple[Way, ...]] | None:
    """What makes other ways to a function that has some."""
    makers = {"inverse_dynamics_derivatives": _ways_to_torques, "forward_dynamics_derivatives": _ways_to_accelerations}
    return partial(makers[name], arm, parameters) if name in makers else None


def _motor_meaning(arm: ArmDescription) -> dict[str, str]:
    """What motors give, in which units; where some give forces, which."""
    forces = [k for k, unit in enumerate(motor_units(arm)) if unit == "N"]
    if len(forces) == len(arm.drives.actuators):
        return {"motor_torque": "motor forces (N)"}
    note = f", at {listed([f'[{k}]' for k in forces])} forces (N)" if forces else ""
    return {"motor_torque": f"motor torques (N m){note}"}


def _ways_to_torques(arm: ArmDescription, parameters: str | None) -> tuple[Way, ...]:
    return torque_derivative_ways(arm, function(arm, "inverse_dynamics_derivatives", parameters))


def _ways_to_accelerations(arm: ArmDescription, parameters: str | None) -> tuple[Way, ...]:
    names = ("forward_dynamics_derivatives", "forward_dynamics", "inverse_dynamics_derivatives")
    return acceleration_derivative_ways(arm, *(function(arm, name, parameters) for name in names))


def refuse_unfit(arm: ArmDescription, name: str) -> None:
    """Refuse a function that this system cannot have, or that would leave out what it has."""
    reason = unfit(arm, name)
    if reason:
        raise ArmError(f"{arm.where}{arm.name}: {reason}")


def unfit(arm: ArmDescription, name: str) -> str:
    """Why this system cannot have a function; empty where it can."""
    motors = len(arm.drives.actuators)
    if name in OF_DRIVES and not arm.counts_drives:
        name = name.replace("_", " ")
        return f"{name} belong to an arm with its drives; ask arm.driven for them (--drives on the command line)"
    if name in ("motor_torques", "computed_motor_torques") and motors != arm.n:
        return (
            f"{motors} motors turn with {arm.n} joints, so that the share of each is not determined; ask for "
            "inverse_dynamics, torques at the joints"
        )
    if name == "regressor" and arm.counts_drives:
        return "the regressor would leave out the drives; ask for that of the arm alone"
    if name == "momentum_matrix" and arm.counts_drives:
        names = arm.drives.without_axis(arm.drive_model)
        return rotors.unplaced(names) if names else ""
    return ""


def _build(arm: ArmDescription, name: str, parameters: str | None) -> Tables:
    refuse_endless(arm, name)
    return determined(arm, lambda: FUNCTIONS[name].build(GraphModel(arm, Graph(), parameters)))


def determined(arm: ArmDescription, build: Callable[[], Tables]) -> Tables:
    """What ``build`` makes; where it divides by an exact zero, the error that names the part behind it."""
    try:
        return build()
    except ZeroDivisionError:
        refuse_undivided(arm)
        raise


def remarks(arm: ArmDescription, parameters: str | None) -> tuple[str, ...]:
    """What is built into a function of this system, in words."""
    lines = [_built_in(arm, parameters)]
    for link, load in arm.loads:
        named = f"load of {float(load.body.mass):g} kg on {link}"
        if parameters == "load" and link == arm.tool_link:
            lines.append(f"The parameters are by default the {named}.")
        elif parameters in ("inertial", "all") and arm.body_of[link][0] >= 0:
            lines.append(f"The {named} is part of the inertial parameters.")
        else:
            lines.append(f"A {named} is built in.")
    if not arm.loads and parameters != "load":
        lines.append("There is no load in the hand.")
    for joint in arm.followers:
        lines.append(f"Joint {joint.name} follows: it stands at {joint.follows}.")
    if arm.counts_drives and not arm.drives:
        lines.append("The description has no drives: this is the links alone.")
    elif arm.counts_drives:
        lines.append(f"Rotors ({arm.drive_model}), transmission and friction of the drives are built in.")
    elif arm.drives:
        lines.append("The links alone: rotors and friction of the drives are not in it.")
    if arm.elastic:
        lines.append("Springs and dampers are built in.")
    return tuple(line for line in lines if line)


def _built_in(arm: ArmDescription, parameters: str | None) -> str:
    """Which of geometry, inertia and gravity is no parameter."""
    if parameters == "all":
        steps = [step for body in arm.bodies for part in (body.before, body.after) for step in part.steps]
        if all(step.name for step in [*steps, *(arm.body_of[arm.tool_link][1] @ arm.tool).steps]):
            return ""
        return "Geometry that has no name is built in." if any(step.name for step in steps) else "Geometry is built in."
    gravity = ", ".join(repr(float(g)) for g in arm.gravity)
    geometry = "Geometry" if parameters == "inertial" else "Geometry, inertia"
    return f"{geometry} and gravity ({gravity}) m/s^2 are built in."


def system_facts(arm: ArmDescription) -> str:
    """All of a description that its functions depend on, as text; empty where only its graph can tell.

    A transmission that is a Python function has no text of its own.
    """
    facts = repr((arm.links, arm.joints, arm.gravity, arm.tool, arm.tool_link, arm.loads, arm.elastic, arm.drive_model))
    if not arm.counts_drives:
        return facts
    if not arm.drives.written:
        return ""
    return facts + repr((arm.drives.actuators, arm.drives.elements, arm.drives.joint_friction, arm.drives.turns))

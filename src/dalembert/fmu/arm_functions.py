"""The functions of an arm that an FMU calls, with load, gravity and friction as parameters.

The physics is ``formulations/system.py`` over graph nodes, as for every compiled function; Coulomb friction is left
out of it, since who sticks is decided with the load (``c/modes.c``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from ..arm.inertia import ENTRIES, PARAMETERS, moved
from ..arm.motor_units import is_force
from ..compile.function import Function, Tables
from ..compile.functions import determined
from ..formulations.system import SystemOverRing
from ..reduction.program_system import ProgramSystem
from ..rings.algebra import EYE, ZERO, add, as_matrix, dot, matvec
from ..rings.graph import Graph, evaluate
from ..rings.ring import Scalar
from ..systems.arm_system import ArmSystem
from ..systems.contacts import joint_shaft, motor_shaft
from .fmu_model import FmuVariable
from .friction_functions import Shaft, friction_functions, viscous_alone
from .variable_names import structured

LOAD, GRAVITY = 10, 3


class ArmFunctions:
    """Functions of ``arm``, or of a program that stands for it, and the parameters they take."""

    def __init__(self, arm: ArmSystem, program: ProgramSystem | None = None) -> None:
        self.arm, self.program = arm, program
        self.exact = program is None
        self.holds = self.exact and arm.body_of[arm.tool_link][0] >= 0
        self.rows: list[FmuVariable] = [
            *(load_quantities(arm) if self.holds else ()),
            *(gravity_quantities(arm) if self.exact else ()),
        ]
        self.gravity_at = LOAD if self.holds else 0
        self.shafts: dict[str, tuple[int, Shaft]] = {}
        for shaft in shafts_of({"": arm}):
            self.shafts[shaft.key] = len(self.rows), shaft
            self.rows += shaft.quantities

    def over(self, graph: Graph) -> SystemOverRing:
        """The system over the graph: parameters are inputs p, friction viscous alone."""
        symbols: dict[str, Scalar] = {}
        p = graph.inputs("p", len(self.rows))
        if self.holds:
            symbols |= dict(zip((f"{name}L" for name in PARAMETERS), about_frame(p[:LOAD]), strict=True))
        if self.exact:
            symbols |= dict(zip(("gx", "gy", "gz"), p[self.gravity_at :], strict=False))
        system = SystemOverRing(self.arm, graph, symbols)
        if system.train is not None:
            rub_viscously(system, self.shafts, graph, p)
        return system

    @property
    def functions(self) -> dict[str, Function]:
        """All of them by name."""
        n, motors, contacts = self.arm.n, len(self.arm.drives.actuators), len(self.arm.contacts)
        state = (("q", n), ("qd", n))
        parameters = (("parameters", len(self.rows)),) if self.rows else ()
        functions = {
            "dynamics": Function(
                "dynamics", (*state, *parameters), (("mass", (n, n)), ("bias", (n,))), partial(_dynamics, self)
            ),
            "hand": Function(
                "hand",
                (*state, *parameters),
                (("energy", (1,)), ("position", (3,)), ("turn", (3, 3)), ("velocity", (3,)), ("spin", (3,))),
                partial(_hand, self),
            ),
        }
        if contacts:
            rows = (("rows", (contacts, n)), ("drift", (contacts,)))
            functions["contacts"] = Function("contacts", state, rows, partial(_contacts, self))
        if self.arm.counts_drives and motors:
            functions["ratios"] = Function("ratios", (("q", n),), (("ratios", (motors, n)),), partial(_ratios, self))
        return functions | friction_functions(self.arm.contacts, self.shafts, len(self.rows))


def rub_viscously(
    system: SystemOverRing, shafts: Mapping[str, tuple[int, Shaft]], graph: Graph, p: Sequence[Scalar], stem: str = ""
) -> None:
    """Friction of the system viscous alone, with its numbers among the parameters ``p``."""
    train, arm = system.train, system.arm
    if train is None:
        return
    laws = {key: shaft.law(graph, p[offset : offset + 4]) for key, (offset, shaft) in shafts.items()}
    train.rub_as(
        [viscous_alone(laws.get(f"{stem}{motor_shaft(a.name)}")) for a in arm.drives.actuators],
        [viscous_alone(laws.get(f"{stem}{joint_shaft(j.name)}")) for j in arm.all_moving],
    )


def _dynamics(arm_functions: ArmFunctions) -> Tables:
    """D, and the torques at zero acceleration with viscous friction."""
    graph = Graph()
    system = arm_functions.over(graph)
    q, qd = graph.inputs("q_", arm_functions.arm.n), graph.inputs("qd_", arm_functions.arm.n)
    if arm_functions.program is None:
        return determined(
            arm_functions.arm,
            lambda: (system.mass_matrix(graph, q), system.torque(graph, q, qd, [0] * arm_functions.arm.n)),
        )
    smooth = arm_functions.program.frictionless()
    values = {f"q_{i}": q[i] for i in range(arm_functions.arm.n)} | {
        f"qd_{i}": qd[i] for i in range(arm_functions.arm.n)
    }
    mass = evaluate(smooth.function("mass_matrix").nodes, values, graph)
    bias = evaluate(smooth.function("bias").nodes, values, graph)
    friction = system.friction(graph, q, qd, [0] * arm_functions.arm.n)
    return mass, [add(a, b) for a, b in zip(bias, friction, strict=True)]


def _hand(arm_functions: ArmFunctions) -> Tables:
    """V, and where the tool is and how it moves."""
    graph = Graph()
    system = arm_functions.over(graph)
    q, qd = graph.inputs("q_", arm_functions.arm.n), graph.inputs("qd_", arm_functions.arm.n)
    turn, position = system.tool_frame(graph, q)
    twist = [dot(row, qd) for row in system.jacobian(graph, q)]
    return [system.potential_energy(graph, q)], position, turn, twist[:3], twist[3:]


def _ratios(arm_functions: ArmFunctions) -> Tables:
    """N: speeds of the motors per joint speed."""
    graph = Graph()
    system = arm_functions.over(graph)
    assert system.train is not None, "only arms with drives have motors"
    return (system.train.transmission(graph, graph.inputs("q_", arm_functions.arm.n)).first,)


def _contacts(arm_functions: ArmFunctions) -> Tables:
    """Speeds of the contacts per joint speed, and their accelerations at constant speeds."""
    graph, arm = Graph(), arm_functions.arm
    system = arm_functions.over(graph)
    assert system.train is not None, "only arms with drives rub"
    q, qd = graph.inputs("q_", arm.n), graph.inputs("qd_", arm.n)
    if not arm.contacts_vary:
        return [[float(x) for x in contact.row] for contact in arm.contacts], [0] * len(arm.contacts)
    ratios = system.train.transmission(graph, q)
    rows: list[list[Scalar]] = []
    drift: list[Scalar] = []
    for contact in arm.contacts:
        at_motor = contact.motor >= 0
        rows.append(list(ratios.first[contact.motor]) if at_motor else [float(x) for x in contact.row])
        varies = at_motor and ratios.second is not None
        drift.append(dot(qd, matvec(ratios.second[contact.motor], qd)) if varies and ratios.second else 0)
    return rows, drift


def about_frame(p: Sequence[Scalar]) -> list[Scalar]:
    """The ten parameters about the tool frame of a load given by mass, mass centre and inertia about it."""
    mass, *centre_and_entries = p
    entries = dict(zip((name for name, _, _ in ENTRIES), centre_and_entries[3:], strict=True))
    central = as_matrix([entries["".join(sorted((a, b)))] for b in "xyz"] for a in "xyz")
    inertia = moved(mass, ZERO, central, EYE, tuple(centre_and_entries[:3]))
    return [inertia[0], *inertia[1], *(inertia[2][i][j] for _, i, j in ENTRIES)]


def load_quantities(arm: ArmSystem, stem: str = "load") -> list[FmuVariable]:
    """The ten parameters of the load in the hand."""
    load = dict(arm.loads).get(arm.tool_link)
    body = load.body if load is not None else None
    mass = float(body.mass) if body is not None else 0.0
    com = [float(x) for x in body.com] if body is not None and body.mass else [0.0] * 3
    variables = [FmuVariable(f"{stem}.mass", "kg", "mass of the load in the hand", mass)]
    variables += [
        FmuVariable(f"{stem}.com.{axis}", "m", f"mass centre of the load in the tool frame, {axis}", x)
        for axis, x in zip("xyz", com, strict=True)
    ]
    for name, i, j in ENTRIES:
        value = float(body.central[i][j]) if body is not None and body.mass else 0.0
        text = f"inertia of the load about its mass centre, along the axes of the tool, {name}"
        variables.append(FmuVariable(f"{stem}.inertia.{name}", "kg.m2", text, value))
    return variables


def gravity_quantities(arm: ArmSystem) -> list[FmuVariable]:
    """The three of gravity."""
    return [
        FmuVariable(f"gravity.{axis}", "m/s2", f"gravity in the base frame, {axis}", float(g))
        for axis, g in zip("xyz", arm.gravity, strict=True)
    ]


def shafts_of(arms: Mapping[str, ArmSystem]) -> list[Shaft]:
    """The shafts with friction, of motors and of joints, under names of the FMU; those of chains with their names."""
    shafts = []
    for chain, arm in arms.items():
        if not arm.counts_drives:
            continue
        stem = f"{chain}." if chain else ""
        for k, a in enumerate(arm.drives.actuators):
            if a.friction:
                shafts.append((f"{stem}{motor_shaft(a.name)}", a.friction, not is_force(arm, k)))
        for joint in arm.all_moving:
            friction = arm.drives.friction_of(joint.name)
            if friction:
                shafts.append((f"{stem}{joint_shaft(joint.name)}", friction, joint.kind == "revolute"))
    names = structured(key for key, _, _ in shafts)
    return [Shaft(key, name, friction, turns) for name, (key, friction, turns) in zip(names, shafts, strict=True)]

"""The functions of a mechanism that are compiled: arguments, results, and the graph of the transfer behind each.

A function of ``phi`` takes closed joints. One of ``guess`` and ``q`` finds them first, by a fixed number of steps of
Newton, and gives them with the ``residual`` that is left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ..arm.description import listed
from ..arm.errors import ArmError
from ..compile.function import Function, Tables
from ..compile.functions import remarks, system_facts
from ..rings.algebra import dot, total
from ..rings.graph import Graph, Node
from .transfer_over_field import TransferOverField

if TYPE_CHECKING:
    from .assembly import Assembly

MEANINGS = {
    "phi": "joints of all chains, closed (rad or m)",
    "guess": "joints of all chains near the closed configuration that is meant (rad or m)",
    "q": "coordinates (rad or m)",
    "qd": "rates of the coordinates (rad/s or m/s)",
    "qdd": "accelerations of the coordinates (rad/s^2 or m/s^2)",
    "tau": "loads at the coordinates (N m or N)",
    "joint_load": "further loads at the joints (N m or N)",
    "residual": "root of the sum of squares of what stays open (m, rad): use the rest only where it is small",
    "spread": "square of the condition of G from below: above 1e16 the coordinates hardly determine the joints",
    "first": "rates of the joints per rate of the coordinates, G",
    "rate": "rates of the joints (rad/s or m/s)",
    "rate2": "accelerations of the joints (rad/s^2 or m/s^2)",
    "inertia": "inertia matrix I* in the coordinates",
    "power": "P*, loads per product of two rates",
    "applied": "loads of weight, springs, dampers and friction at the coordinates (N m or N)",
    "energy": "potential energy of weight and springs (J)",
    "rest": "loads at the coordinates at zero acceleration (N m or N)",
}
"""What arguments and results are, with their units."""


class TransferGraph:
    """An assembly over one graph, at joints that are an argument or that Newton finds."""

    def __init__(self, assembly: Assembly, newton: int) -> None:
        self.graph = Graph()
        self.map = TransferOverField(assembly, self.graph)
        self.m, self.n = assembly.m, assembly.n
        self.newton = newton
        if newton:
            self.phi, residual = self.map.closed(self.input("guess", self.m), self.input("q", self.n), newton)
            self.position_tables: Tables = (self.phi, [residual])
        else:
            self.phi, self.position_tables = list(self.input("phi", self.m)), ()

    def input(self, name: str, width: int) -> list[Node]:
        """The inputs of an argument."""
        return self.graph.inputs(f"{name}_", width)


def _position(g: TransferGraph) -> Tables:
    return ()


def _forward_dynamics(g: TransferGraph) -> Tables:
    factors = g.map.factors(g.phi)
    qdd, _ = g.map.forward_dynamics(g.phi, g.input("qd", g.n), g.input("tau", g.n), g.input("joint_load", g.m), factors)
    return qdd, [factors.spread]


def _inverse_dynamics(g: TransferGraph) -> Tables:
    factors = g.map.factors(g.phi)
    return g.map.inverse_dynamics(g.phi, g.input("qd", g.n), g.input("qdd", g.n), factors), [factors.spread]


def _mass_matrix(g: TransferGraph) -> Tables:
    factors = g.map.factors(g.phi)
    return g.map.inertia(g.phi, g.map.influence(factors)), [factors.spread]


def _gravity_load(g: TransferGraph) -> Tables:
    factors = g.map.factors(g.phi)
    return g.map.carried(g.map.influence(factors), g.map.weight(g.phi)), [factors.spread]


def _potential_energy(g: TransferGraph) -> Tables:
    chain_systems = zip(g.map.systems, g.map.chains.slices, strict=True)
    chains = [system.potential_energy(g.graph, g.phi[joints]) for system, joints in chain_systems]
    return [total([*chains, g.map.elements.energy(g.graph, g.phi)])], [0]


def _influence(g: TransferGraph) -> Tables:
    factors = g.map.factors(g.phi)
    return g.map.influence(factors), [factors.spread]


def _joint_motion(g: TransferGraph) -> Tables:
    factors = g.map.factors(g.phi)
    motion = g.map.motion(g.phi, g.input("qd", g.n), g.input("qdd", g.n), factors)
    return motion.rate, motion.rate2, [factors.spread]


def _transfer(g: TransferGraph) -> Tables:
    factors = g.map.factors(g.phi)
    motion = g.map.motion(g.phi, g.input("qd", g.n), [0] * g.n, factors)
    load = g.map.torque(g.phi, motion.rate, motion.rate2, starting=False)
    bias = g.map.carried(motion.x, [a - b for a, b in zip(load, g.input("joint_load", g.m), strict=True)])
    return motion.x, motion.rate, motion.rate2, g.map.inertia(g.phi, motion.x), bias, [factors.spread]


def _rates(g: TransferGraph) -> Tables:
    factors = g.map.factors(g.phi)
    qdd, motion = g.map.forward_dynamics(g.phi, g.input("qd", g.n), g.input("tau", g.n), [0] * g.m, factors)
    return motion.rate, qdd, [factors.spread]


def _model(g: TransferGraph) -> Tables:
    factors = g.map.factors(g.phi)
    x = g.map.influence(factors)
    rate = [dot(row, g.input("qd", g.n)) for row in x]
    power = g.map.power(g.phi, x, g.map.second_influence(g.phi, x, factors))
    return g.map.inertia(g.phi, x), power, g.map.carried(x, g.map.applied(g.phi, rate)), [factors.spread]


def _newton_step(g: TransferGraph) -> Tables:
    phi, residual, factors = g.map.step(g.phi, g.input("q", g.n))
    return phi, residual, [factors.spread], [factors.side], g.map.alignment(g.phi) or [1]


@dataclass(frozen=True)
class FunctionRow:
    """Arguments and results with their widths in m, n and w = n + r, and the builder."""

    arguments: tuple[tuple[str, str], ...]
    results: tuple[tuple[str, tuple[str, ...]], ...]
    build: Callable[[TransferGraph], Tables]


FUNCTIONS = {
    "position": FunctionRow((), (), _position),
    "forward_dynamics": FunctionRow(
        (("qd", "n"), ("tau", "n"), ("joint_load", "m")), (("qdd", ("n",)), ("spread", ("1",))), _forward_dynamics
    ),
    "inverse_dynamics": FunctionRow(
        (("qd", "n"), ("qdd", "n")), (("tau", ("n",)), ("spread", ("1",))), _inverse_dynamics
    ),
    "mass_matrix": FunctionRow((), (("inertia", ("n", "n")), ("spread", ("1",))), _mass_matrix),
    "gravity_load": FunctionRow((), (("rest", ("n",)), ("spread", ("1",))), _gravity_load),
    "potential_energy": FunctionRow((), (("energy", ("1",)), ("spread", ("1",))), _potential_energy),
    "influence": FunctionRow((), (("first", ("m", "n")), ("spread", ("1",))), _influence),
    "joint_motion": FunctionRow(
        (("qd", "n"), ("qdd", "n")), (("rate", ("m",)), ("rate2", ("m",)), ("spread", ("1",))), _joint_motion
    ),
    "transfer": FunctionRow(
        (("qd", "n"), ("joint_load", "m")),
        (
            ("first", ("m", "n")), ("rate", ("m",)), ("rate2", ("m",)), ("inertia", ("n", "n")), ("rest", ("n",)),
            ("spread", ("1",)),
        ),
        _transfer,
    ),
    "rates": FunctionRow(
        (("qd", "n"), ("tau", "n")), (("rate", ("m",)), ("qdd", ("n",)), ("spread", ("1",))), _rates
    ),
    "model": FunctionRow(
        (("qd", "n"),),
        (("inertia", ("n", "n")), ("power", ("n", "nn")), ("applied", ("n",)), ("spread", ("1",))),
        _model,
    ),
    "newton_step": FunctionRow(
        (("q", "n"),),
        (("next", ("m",)), ("off", ("w",)), ("spread", ("1",)), ("side", ("1",)), ("aligned", ("a",))), _newton_step,
    ),
}  # fmt: skip
"""The functions by name."""


def mechanism_function(assembly: Assembly, name: str, newton: int = 0, label: str = "mechanism") -> Function:
    """The function ``name`` of closed joints ``phi``, or, with steps of ``newton``, of a ``guess`` and q."""
    if name not in FUNCTIONS:
        raise ArmError(f"no function {name!r} of a mechanism; there are {listed(FUNCTIONS)}")
    row = FUNCTIONS[name]
    sizes = {
        "m": assembly.m,
        "n": assembly.n,
        "nn": assembly.n**2,
        "w": assembly.n + assembly.r,
        "1": 1,
        "a": max(1, len(assembly.turning)),
    }
    position_arguments: Sequence[tuple[str, str]] = (("guess", "m"), ("q", "n")) if newton else (("phi", "m"),)
    position_results: Sequence[tuple[str, tuple[str, ...]]] = (("phi", ("m",)), ("residual", ("1",))) if newton else ()
    return Function(
        name,
        tuple((argument, sizes[width]) for argument, width in (*position_arguments, *row.arguments)),
        tuple((result, tuple(sizes[k] for k in shape)) for result, shape in (*position_results, *row.results)),
        partial(_tables, assembly, row, newton),
        label=label,
        facts=f"{facts}\0newton {newton}" if (facts := mechanism_facts(assembly)) else "",
        joints=assembly.chains.joint_names,
        remarks=_remarks(assembly, newton),
        thing="mechanism",
        meanings=MEANINGS,
        around=_around(row, assembly, newton),
    )


def _remarks(assembly: Assembly, newton: int) -> tuple[str, ...]:
    """What is built in, chain by chain, the coordinates in their order, and what the steps of Newton are worth."""
    lines: list[str] = []
    for name, arm in assembly.chains.arms.items():
        lines += [f"Chain {name}: {remark}" for remark in remarks(arm, None)]
    if assembly.elements:
        between = listed(element.name for element in assembly.elements)
        lines.append(f"Springs, dampers and rotors between chains are built in: {between}.")
    lines += ["Coordinates, in the order of q:", *(f"  {k}: {c.name}" for k, c in enumerate(assembly.coordinates))]
    if newton:
        lines += [
            f"Newton takes {newton} steps from the guess to q, whatever they find: look at the residual.",
            "In a control loop the phi of one call is the guess of the next.",
        ]
    return tuple(lines)


def _around(row: FunctionRow, assembly: Assembly, newton: int) -> tuple[tuple[tuple[float, ...], float], ...]:
    """States near home, where the loops are closed or nearly so."""
    if assembly.home is None:
        return ()
    home = tuple(float(x) for x in assembly.home)
    q = assembly.value(assembly.coordinate_blocks(assembly.chains.place(assembly.home[None]), 0), 1)[0, : assembly.n]
    sizes = {"m": assembly.m, "n": assembly.n}
    ranges: list[tuple[tuple[float, ...], float]] = [(home, 0.01)]
    q_range = (tuple(float(x) for x in q), 0.001)
    if newton:
        ranges.append(q_range)
    for name, width in row.arguments:
        ranges.append(q_range if name == "q" else ((0.0,) * sizes[width], 1.0))
    return tuple(ranges)


def _tables(assembly: Assembly, row: FunctionRow, newton: int) -> Tables:
    graph = TransferGraph(assembly, newton)
    return (*graph.position_tables, *row.build(graph))


def mechanism_facts(assembly: Assembly) -> str:
    """What makes the code of a mechanism what it is; empty where a chain does not say."""
    facts = (
        *(system_facts(arm) for arm in assembly.chains.arms.values()),
        *(closure.facts for closure in assembly.closures),
        *(coordinate.facts for coordinate in assembly.coordinates),
        repr(assembly.elements),
    )
    return "\0".join(facts) if all(facts) else ""

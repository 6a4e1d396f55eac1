"""Derivatives of the torques of long systems with friction, springs or dampers, in two parts that are added.

Links and rotors by a recursion over their table; what friction, springs and dampers add, mostly joint by joint, as a
function of its own (``SystemOverRing.torque_beyond_bodies``).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..arm.description import ArmDescription
from ..arm.elastic import JointDamper, JointSpring
from ..arm.lazy_arrays import is_lazy, mapped
from ..formulations.composite_motion import torque_derivatives
from ..formulations.system import slopes
from ..rings.algebra import add
from ..rings.graph import Graph
from . import joint_recursion
from .function import Function, Tables
from .functions import FUNCTIONS, determined, looped
from .graph_model import GraphModel
from .kernel import Kernel

NAME = "inverse_dynamics_derivatives"
FEW_SPRUNG = 60
"""Joints up to which springs and dampers between links, whose slopes are full tables, are code."""


def fits(arm: ArmDescription, name: str) -> bool:
    """Whether this function of a long system is had in two parts."""
    if name != NAME or not joint_recursion.too_long(arm, name) or not joint_recursion.bodies_in_constant_ratios(arm):
        return False
    of_joints = all(isinstance(element, JointSpring | JointDamper) for element in arm.elastic)
    return joint_recursion.resists(arm) and (of_joints or arm.n <= FEW_SPRUNG)


def in_two_parts(arm: ArmDescription, refuse: Callable[..., None] | None) -> Callable[..., Any]:
    """d tau/dq, d tau/dqd and D of a long system."""
    entry = FUNCTIONS[NAME]
    arguments = tuple((x, arm.n) for x in entry.arguments)
    results = tuple((result, size(arm.n, len(arm.bodies))) for result, size in entry.results)
    of_bodies = Function(
        f"{NAME}_of_bodies", arguments, results, partial(_built, arm, bodies), arm.name,
        recursion=partial(looped, arm, NAME),
    )  # fmt: skip
    beyond = Function(f"{NAME}_beyond_bodies", arguments, results[:2], partial(_built, arm, beyond_bodies), arm.name)
    return partial(_sum, Kernel(of_bodies, refuse=refuse).fast, Kernel(beyond, refuse=refuse, patient=True).fast)


def _sum(bodies: Callable[..., Any], beyond: Callable[..., Any], *arrays: Any) -> Any:
    if is_lazy(*arrays):
        return mapped(partial(_sum, bodies, beyond), *arrays)
    to_q, to_qd, mass = bodies(*arrays)
    more_q, more_qd = beyond(*arrays)
    return to_q + more_q, to_qd + more_qd, mass


def _built(arm: ArmDescription, build: Callable[[GraphModel], Tables]) -> Tables:
    return determined(arm, lambda: build(GraphModel(arm, Graph())))


def bodies(m: GraphModel) -> Tables:
    """d tau/dq, d tau/dqd and D of links and rotors."""
    motion = [m.input(name) for name in ("q", "qd", "qdd")]
    of_links = torque_derivatives(m.plane, m.graph, *m.system.coupling.motion(*motion))
    of_rotors = slopes(m.system.drive_torque, m.graph, *motion)
    tables = [
        [
            [add(x, y) for x, y in zip(*rows, strict=True)]
            for rows in zip(m.system.coupling.product(table), rotor_table, strict=True)
        ]
        for table, rotor_table in zip(of_links, of_rotors, strict=True)
    ]
    return *tables, m.system.mass_matrix(m.graph, motion[0], m.chain)


def beyond_bodies(m: GraphModel) -> Tables:
    """What friction, springs and dampers add to d tau/dq and d tau/dqd."""
    return slopes(m.system.torque_beyond_bodies, m.graph, *(m.input(name) for name in ("q", "qd", "qdd")))

"""The mass of all that moves as a function of numbers of the description: linear in the masses, so exact and cheap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..compile.graph_model import GraphModel
from ..mechanisms.mechanism_system import MechanismSystem
from ..rings.algebra import total
from ..rings.dual import Dual, Duals, slope_of
from ..rings.graph import Node, evaluate
from ..rings.real import REAL
from ..rings.traced import TracedGraph
from .design_function import traced
from .design_numbers import Designed
from .mechanism_designs import MechanismOverNumbers

Array = NDArray[np.float64]


class DesignMass:
    """sum m over all that moves (kg), and its slopes to the numbers: what is fixed to the ground counts for nothing."""

    def __init__(self, system: Designed, numbers: Sequence[str]) -> None:
        self.count = len(numbers)
        self._node = _mass(system, numbers)

    def __call__(self, values: Array) -> tuple[float, Array]:
        duals = Duals(REAL)
        inputs = {f"p{k}": duals.variable(float(value), k) for k, value in enumerate(values)}
        (mass,) = evaluate([self._node], inputs, duals)
        value = mass.value if isinstance(mass, Dual) else mass
        return float(value), np.array([float(slope_of(mass, k)) for k in range(self.count)])


def _mass(system: Designed, numbers: Sequence[str]) -> Node:
    if isinstance(system, MechanismSystem):
        of = MechanismOverNumbers(system, numbers)
        return of.graph.node(total([chain.total_mass() for chain in of.transfer.systems]))
    graph = TracedGraph()
    return graph.node(GraphModel(traced(system, numbers, graph), graph).system.total_mass())

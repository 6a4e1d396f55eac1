"""Which unknowns a motion can tell apart: exact base parameters, and rotors that are no part of them.

The torques of the links depend on base parameters alone (``equations/base_parameters.py``): the columns of Y that
belong to them, each standing for its combination. The reflected inertia of a rotor is one more unknown unless its
column is a sum of those, as that of the first joint is: it then joins their combinations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..equations.base_parameters import base_parameters
from ..systems.arm_system import ArmSystem
from .log import Array
from .observations import Unknowns

STATES = 60
SAME = 1e-8
"""Share of a column that may be left over when it is a sum of others."""


@dataclass(frozen=True, eq=False)
class BaseColumns:
    """``columns`` of the unknowns that are independent; ``merged`` says what each of them stands for besides itself."""

    columns: Array
    combinations: Array
    """``(base, unknowns)``: the base parameters as combinations of all unknowns."""
    texts: tuple[str, ...]


def base_columns(system: ArmSystem, unknowns: Unknowns) -> BaseColumns:
    """The independent unknowns of an arm, friction and rotors included."""
    found = base_parameters(system, lengths=False)
    names = {name: k for k, name in enumerate(unknowns.names)}
    chosen = [names[name] for name in found.names]
    texts = [str(relation) for relation in found.relations.values()]
    rng = np.random.default_rng(0)
    states = rng.uniform(-2, 2, (3, STATES, system.n))
    matrix = system.regressor(*states)
    flat = matrix.reshape(-1, unknowns.inertial)
    rest = np.linalg.lstsq(flat[:, chosen], flat, rcond=None)[0]
    combinations = np.zeros((len(chosen), unknowns.count))
    combinations[:, : unknowns.inertial] = np.where(np.abs(rest) < 1e-9, 0.0, rest)
    own: list[int] = []
    for joint in range(system.n):
        own += [unknowns.friction_column(joint, term) for term in range(len(unknowns.friction.names))]
    for joint in range(system.n if unknowns.rotors else 0):
        column = np.zeros((STATES, system.n))
        column[:, joint] = states[2][:, joint]
        target = column.reshape(-1)
        factors = np.linalg.lstsq(flat[:, chosen], target, rcond=None)[0]
        left = np.linalg.norm(target - flat[:, chosen] @ factors)
        if left > SAME * np.linalg.norm(target):
            own.append(unknowns.rotor_column(joint))
            continue
        factors[np.abs(factors) < 1e-9] = 0.0
        combinations[:, unknowns.rotor_column(joint)] = factors
        for k in np.flatnonzero(factors):
            factor = "" if abs(factors[k] - 1) < 1e-9 else f"{factors[k]:.6g} "
            texts[k] += f" + {factor}rotor{joint + 1}"
    more = np.zeros((len(own), unknowns.count))
    more[np.arange(len(own)), own] = 1.0
    return BaseColumns(
        np.array([*chosen, *own]), np.vstack([combinations, more]), (*texts, *(unknowns.names[k] for k in own))
    )

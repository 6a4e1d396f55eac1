"""Which unknowns a motion can tell apart: exact base parameters, and rotors that are no part of them.

The torques of the links depend on base parameters alone (``equations/base_parameters.py``): the columns of Y that
belong to them, each standing for its combination. Friction and reflected rotor inertias are further unknowns unless
their columns are sums of others: the rotor of the first joint of an arm goes with the inertia of its link, that of a
joint that slides up and down with its mass and the offset of its friction. They then join those combinations.
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
    """``columns`` of the independent unknowns; ``combinations``, and ``texts`` in words, are what each stands for."""

    columns: Array
    combinations: Array
    """``(base, unknowns)``: the base parameters as combinations of all unknowns."""
    texts: tuple[str, ...]


def base_columns(system: ArmSystem, unknowns: Unknowns) -> BaseColumns:
    """The independent unknowns of an arm, friction and rotors included."""
    base = base_parameters(system.without_elastic(), lengths=False)
    names = {name: k for k, name in enumerate(unknowns.names)}
    pivots = [names[name] for name in base.names]
    texts = [str(relation) for relation in base.relations.values()]
    rng = np.random.default_rng(0)
    states = rng.uniform(-2, 2, (3, STATES, system.n))
    matrix = system.regressor(*states)
    flat = matrix.reshape(-1, unknowns.inertial)
    dependence = np.linalg.lstsq(flat[:, pivots], flat, rcond=None)[0]
    combinations = np.zeros((len(pivots), unknowns.count))
    combinations[:, : unknowns.inertial] = np.where(np.abs(dependence) < 1e-9, 0.0, dependence)
    labels, accepted = list(texts), list(flat[:, pivots].T)
    columns = list(pivots)
    friction = unknowns.friction.columns(states[1], np.full(system.n, 0.1), np.full(system.n, 0.3), states[0])
    extra: list[tuple[int, Array]] = []
    for joint in range(system.n):
        for term in range(len(unknowns.friction.names)):
            extra.append((unknowns.friction_column(joint, term), _row(friction[..., term], joint)))
    for joint in range(system.n if unknowns.rotors else 0):
        extra.append((unknowns.rotor_column(joint), _row(states[2], joint)))
    combination_rows = [combinations]
    for column, target in extra:
        factors = np.linalg.lstsq(np.stack(accepted, axis=1), target, rcond=None)[0]
        residual = np.linalg.norm(target - np.stack(accepted, axis=1) @ factors)
        if residual > SAME * np.linalg.norm(target):
            accepted.append(target)
            columns.append(column)
            labels.append(unknowns.names[column])
            row = np.zeros((1, unknowns.count))
            row[0, column] = 1.0
            combination_rows.append(row)
            continue
        combined = np.vstack(combination_rows)
        factors[np.abs(factors) < 1e-9] = 0.0
        combined[:, column] = factors
        combination_rows = [combined]
        for k in np.flatnonzero(factors):
            sign, size = ("+", factors[k]) if factors[k] > 0 else ("-", -factors[k])
            labels[k] += f" {sign} {'' if abs(size - 1) < 1e-9 else f'{size:.6g} '}{unknowns.names[column]}"
    return BaseColumns(np.array(columns), np.vstack(combination_rows), tuple(labels))


def _row(values: Array, joint: int) -> Array:
    """A column that is there in the equation of one joint alone."""
    column = np.zeros_like(values)
    column[:, joint] = values[:, joint]
    return column.reshape(-1)

"""Szkodny 1995, eqs (8), (9), (11), (12) as printed: traces of 4x4 matrices, for reading against the paper.

T_p places link p in the base, T_ap the rotor of motor p in link p; J_ap is the rotor's pseudo-inertia in its own
frame. The second sum of (8) is J N_i N_j. The sums over J_ap in (9) and (12) are identically zero: dT_ap/dq_k J_ap
dT_ap^T/dq_j is N_k N_j times a symmetric matrix, and dT_p/dq_i times T_p^T is skew, so every trace vanishes. Hence
leaving the term out, which the paper holds against Paul's handbook, changes nothing; what (8)-(12) do leave out
are the terms with one rotor derivative, which carry the coupling of rotor and link and all gyroscopic torques.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..arm.drives import Actuator, DriveTrain
from ..formulations.applied_loads import link_in_body
from ..formulations.chain import chain
from ..formulations.kinematics import compose, frames
from ..rings.dual import Duals, slope_of, value_of
from ..rings.real import REAL

Array = NDArray[np.float64]


def printed_terms(arm: ArmDescription, train: DriveTrain, q: Array) -> tuple[Array, Array]:
    """The sums over J_ap of (8), ``(n, n)``, and of (9), ``(n, n, n)``."""
    n = arm.n
    matrix = np.zeros((n, n))
    velocity = np.zeros((n, n, n))
    rows = np.array(train.rows(arm), dtype=float)
    for row, actuator in zip(rows, train.actuators, strict=True):
        link, link_slopes = _link(arm, actuator, q)
        first = _rotor(actuator, float(row @ q))
        pseudo = _pseudo(actuator)
        slopes = [ratio * first for ratio in row]
        for i in range(n):
            for j in range(n):
                matrix[i, j] += np.trace(slopes[i] @ pseudo @ slopes[j].T)
                for k in range(n):
                    velocity[i, j, k] += np.trace(link_slopes[i] @ slopes[k] @ pseudo @ slopes[j].T @ link.T)
                    velocity[i, j, k] += np.trace(link_slopes[j] @ slopes[k] @ pseudo @ slopes[i].T @ link.T)
                    velocity[i, j, k] -= np.trace(link_slopes[j] @ slopes[i] @ pseudo @ slopes[k].T @ link.T)
    return matrix, velocity


def printed_on_axis(arm: ArmDescription, train: DriveTrain, q: Array) -> tuple[Array, Array]:
    """The sums over J_ap of (11) and (12), for motors that turn with their own joint alone."""
    n = arm.n
    matrix = np.zeros((n, n))
    velocity = np.zeros((n, n, n))
    rows = np.array(train.rows(arm), dtype=float)
    for j, actuator in enumerate(train.actuators):
        link, link_slopes = _link(arm, actuator, q)
        slope = rows[j, j] * _rotor(actuator, rows[j, j] * q[j])
        pseudo = _pseudo(actuator)
        matrix[j, j] += np.trace(slope @ pseudo @ slope.T)
        for i in range(n):
            velocity[i, j, j] += np.trace(link_slopes[i] @ slope @ pseudo @ slope.T @ link.T)
    return matrix, velocity


def _link(arm: ArmDescription, actuator: Actuator, q: Array) -> tuple[Array, list[Array]]:
    """T_p and dT_p/dq_i of the link that carries the rotor; the base where its place is not known."""
    duals = Duals(REAL)
    body, frame = link_in_body(arm, REAL, actuator.rotor.link or arm.base)
    found: Any = frames(chain(arm, REAL), duals, [duals.variable(float(x), k) for k, x in enumerate(q)])
    turn, shift = compose(found[body], frame) if body >= 0 else frame
    rows = [[*turn[i], shift[i]] for i in range(3)]
    place = np.array([[float(value_of(x)) for x in row] for row in rows] + [[0, 0, 0, 1]])
    slopes = [np.array([[float(slope_of(x, k)) for x in row] for row in rows] + [[0, 0, 0, 0]]) for k in range(arm.n)]
    return place, slopes


def _rotor(actuator: Actuator, angle: float) -> Array:
    """dT_ap/dq_ap: the rotor's fixed placement on the link times the derivative of its turn about z."""
    axis = np.array([float(x) for x in actuator.rotor.unit_axis])
    side = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    side /= np.linalg.norm(side)
    place = np.eye(4)
    place[:3, :3] = np.column_stack([side, np.cross(axis, side), axis])
    place[:3, 3] = [float(x) for x in actuator.rotor.position]
    sin, cos = np.sin(angle), np.cos(angle)
    turn = np.zeros((4, 4))
    turn[:2, :2] = [[-sin, -cos], [cos, -sin]]
    return place @ turn


def _pseudo(actuator: Actuator) -> Array:
    """J_ap (5) of an axisymmetric rotor: integrals of x^2, y^2, z^2 from its two moments of inertia."""
    rotor = actuator.rotor
    spin, across = float(rotor.inertia), float(rotor.across)
    return np.diag([spin / 2, spin / 2, across - spin / 2, float(rotor.mass)])

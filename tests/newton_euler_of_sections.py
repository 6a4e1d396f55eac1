"""Torques from the numbers of a certificate by Newton and Euler in NumPy: a second opinion on what its claims say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def matrix(rows: Sequence[Sequence[str]]) -> Array:
    return np.array([[float(Fraction(x)) for x in row] for row in rows])


def torques(system: Mapping[str, Any], q: Array, qd: Array, qdd: Array) -> Array:
    """tau of the bodies alone at one state: velocities and accelerations outwards, forces and moments inwards."""
    bodies, n = system["bodies"], len(system["bodies"])
    gravity = np.array([float(Fraction(x)) for x in system["gravity"]])
    turn, place, omega, alpha, linear = ([None] * n for _ in range(5))
    force, moment, tau = [np.zeros(3) for _ in range(n)], [np.zeros(3) for _ in range(n)], np.zeros(n)
    z = np.array([0.0, 0.0, 1.0])
    for b, body in enumerate(bodies):
        fixed, parent = matrix(body["placement"]), body["parent"]
        r0, p0 = (turn[parent], place[parent]) if parent >= 0 else (np.eye(3), np.zeros(3))
        w0, a0, v0 = (omega[parent], alpha[parent], linear[parent]) if parent >= 0 else (np.zeros(3),) * 2 + (-gravity,)
        axis_frame = r0 @ fixed[:3, :3]
        axis, arm = axis_frame @ z, r0 @ fixed[:3, 3]
        if body["kind"] == "revolute":
            c, s = np.cos(q[b]), np.sin(q[b])
            turn[b] = axis_frame @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
            omega[b], alpha[b] = w0 + axis * qd[b], a0 + axis * qdd[b] + np.cross(w0, axis * qd[b])
            linear[b] = v0 + np.cross(a0, arm) + np.cross(w0, np.cross(w0, arm))
        else:
            turn[b], arm = axis_frame, arm + axis * q[b]
            omega[b], alpha[b] = w0, a0
            linear[b] = v0 + np.cross(a0, arm) + np.cross(w0, np.cross(w0, arm)) + axis * qdd[b]
            linear[b] = linear[b] + 2 * np.cross(w0, axis * qd[b])
        place[b] = p0 + arm
        pseudo = matrix(body["pseudo_inertia"])
        mass, first, second = pseudo[3, 3], turn[b] @ pseudo[:3, 3], pseudo[:3, :3]
        tensor = turn[b] @ (np.trace(second) * np.eye(3) - second) @ turn[b].T
        force[b] = mass * linear[b] + np.cross(alpha[b], first) + np.cross(omega[b], np.cross(omega[b], first))
        moment[b] = np.cross(first, linear[b]) + tensor @ alpha[b] + np.cross(omega[b], tensor @ omega[b])
    for b in reversed(range(n)):
        tau[b] = (turn[b] @ z) @ (moment[b] if bodies[b]["kind"] == "revolute" else force[b])
        parent = bodies[b]["parent"]
        if parent >= 0:
            force[parent] = force[parent] + force[b]
            moment[parent] = moment[parent] + moment[b] + np.cross(place[b] - place[parent], force[b])
    return tau


def run(program: Mapping[str, Any], constants: Mapping[str, str], q: Array, qd: Array, qdd: Array) -> Array:
    """The torques of the program at one state."""
    inputs, done = {"q": q, "qd": qd, "qdd": qdd}, list[float]()
    for op, *args in program["steps"]:
        if op in inputs:
            done.append(inputs[op][args[0]])
        elif op in ("number", "constant"):
            done.append(float(Fraction(args[0] if op == "number" else constants[args[0]])))
        else:
            values = [done[a] for a in args]
            done.append({"sin": np.sin, "cos": np.cos, "neg": np.negative, "add": np.add, "sub": np.subtract,
                         "mul": np.multiply}[op](*values))  # fmt: skip
    return np.array([done[output] for output in program["torques"]])

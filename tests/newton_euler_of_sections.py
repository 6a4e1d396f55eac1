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


def largest_share(sections: Mapping[str, Any], seed: int) -> float:
    """The largest share of its claim that any torque error of a reduced model is found to reach.

    Of samples with all speeds and accelerations at their limits the best one climbs, for every joint, by steps that
    become smaller, with other signs of the accelerations and in the end other speeds.
    """
    states, rng, worst = sections["states"], np.random.default_rng(seed), 0.0
    low, high, speed, rate = (
        np.array([float(Fraction(x)) for x in states[key]]) for key in ("lower", "upper", "speed", "acceleration")
    )
    low, high = (np.where(states["circle"], turn, end) for turn, end in ((-np.pi, low), (np.pi, high)))
    bounds = {(c["system"], c["joint"]): float(Fraction(c["bound"])) for c in sections["claims"]}
    n = len(low)
    for s, system in enumerate(sections["systems"]):
        constants = sections["program"]["constants"][s]

        def off(q: Array, qd: Array, qdd: Array, system: Any = system, constants: Any = constants) -> Array:
            return np.abs(run(sections["program"], constants, q, qd, qdd) - torques(system, q, qd, qdd))

        samples = [
            (rng.uniform(low, high), speed * rng.choice([-1, 1], n), rate * rng.choice([-1, 1], n)) for _ in range(40)
        ]
        errors = np.array([off(*state) for state in samples])
        for joint in range(n):
            best, value = samples[int(errors[:, joint].argmax())], errors[:, joint].max()
            for step in range(40):
                q = np.clip(best[0] + rng.normal(0, 0.3 * 0.9**step, n) * (high - low) / 2, low, high)
                qd = best[1] if step % 4 else speed * rng.choice([-1, 0, 1], n)
                trial = (q, qd, rate * rng.choice([-1, 1], n))
                if (found := off(*trial)[joint]) > value:
                    best, value = trial, found
            # rounding of the torques themselves
            room = 1e-12 * (1 + np.abs(torques(system, *best)).max())
            worst = max(worst, float(value / (bounds[s, joint] * (1 + 1e-9) + room)))
    return worst

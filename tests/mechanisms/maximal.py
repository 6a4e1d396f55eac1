"""Rigid bodies in maximal coordinates: every body free, every joint and closure a constraint, Lagrange multipliers.

Nothing of the package computes here: forward kinematics, constraints and their rates are written from the physics.

    [M  J^T] [a     ]   [f      ]
    [J  0  ] [lambda] = [-J' v  ],    J a + J' v = 0 for every constraint
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation


def frame(rng: np.random.Generator, size: float = 0.4) -> Any:
    """A random pose ``(4, 4)``."""
    found = np.eye(4)
    found[:3, :3] = Rotation.random(random_state=rng.integers(2**31)).as_matrix()
    found[:3, 3] = rng.uniform(-size, size, 3)
    return found


@dataclass
class RandomTree:
    """Bodies 0 to n - 1; body k hangs on ``parents[k]`` (-1: the world) by a joint along z of ``before[k]``."""

    parents: list[int]
    revolute: list[bool]
    before: list[Any]
    mass: list[float]
    com: list[Any]
    inertia: list[Any]

    @classmethod
    def of(cls, rng: np.random.Generator, n: int) -> RandomTree:
        parents = [-1] + [int(rng.integers(max(0, k - 2), k)) for k in range(1, n)]
        roots = [rng.normal(size=(3, 3)) for _ in range(n)]
        return cls(
            parents,
            [bool(rng.uniform() < 0.75) for _ in range(n)],
            [frame(rng) for _ in range(n)],
            [float(rng.uniform(0.5, 3)) for _ in range(n)],
            [rng.uniform(-0.2, 0.2, 3) for _ in range(n)],
            [0.05 * (root @ root.T) + 0.02 * np.eye(3) for root in roots],
        )

    def holding(self, body: int, mass: float, com: Any, inertia: Any) -> RandomTree:
        """The same with a load on a body: masses, first moments and moments about the common centre added."""
        found = RandomTree(*(list(getattr(self, name)) for name in self.__dataclass_fields__))
        parts = [(self.mass[body], self.com[body], self.inertia[body]), (mass, com, inertia)]
        total = sum(m for m, _, _ in parts)
        centre = sum(m * c for m, c, _ in parts) / total
        offs = [(m, c - centre, i) for m, c, i in parts]
        found.inertia[body] = sum(i + m * (d @ d * np.eye(3) - np.outer(d, d)) for m, d, i in offs)
        found.mass[body], found.com[body] = total, centre
        return found

    def place(self, phi: Any) -> tuple[list[Any], list[Any]]:
        """Poses of the bodies, and of the joints before their motion."""
        poses: list[Any] = []
        joints: list[Any] = []
        for k, parent in enumerate(self.parents):
            joints.append((poses[parent] if parent >= 0 else np.eye(4)) @ self.before[k])
            motion = np.eye(4)
            if self.revolute[k]:
                motion[:3, :3] = Rotation.from_rotvec([0, 0, phi[k]]).as_matrix()
            else:
                motion[2, 3] = phi[k]
            poses.append(joints[-1] @ motion)
        return poses, joints


@dataclass
class Tie:
    """Body b tied to body a: "fixed", "revolute" or "spherical", at frames on them that coincide where it is closed."""

    kind: str
    a: int
    b: int
    on_a: Any
    on_b: Any


class Maximal:
    """The tree and its ties at one state."""

    def __init__(self, tree: RandomTree, ties: list[Tie], phi: Any, rate: Any, gravity: Any) -> None:
        self.tree, self.n, self.gravity, self.phi = tree, len(tree.parents), np.asarray(gravity), phi
        self.poses, self.joints = tree.place(phi)
        self.v, self.w = np.zeros((self.n, 3)), np.zeros((self.n, 3))
        for k, parent in enumerate(tree.parents):
            axis = self.joints[k][:3, 2]
            if parent >= 0:
                self.w[k] = self.w[parent]
                self.v[k] = self.v[parent] + np.cross(self.w[parent], self.poses[k][:3, 3] - self.poses[parent][:3, 3])
            if tree.revolute[k]:
                self.w[k] = self.w[k] + axis * rate[k]
            else:
                self.v[k] = self.v[k] + axis * rate[k]
        self.pushed = np.zeros(6 * self.n)
        self.rows: list[Any] = []
        self.right: list[float] = []
        for k, parent in enumerate(tree.parents):
            self._joint(k, parent, rate[k])
        self.tied = len(self.rows)
        for tie in ties:
            self._tie(tie)

    # Velocities and accelerations are of the origins of the bodies' frames; -1 is the world at rest.

    def _velocity(self, body: int, point: Any) -> tuple[Any, Any]:
        """Jacobian (3, 6 n) of a point of a body, and its acceleration at zero accelerations of the bodies."""
        table = np.zeros((3, 6 * self.n))
        if body < 0:
            return table, np.zeros(3)
        r = point - self.poses[body][:3, 3]
        table[:, 6 * body : 6 * body + 3] = np.eye(3)
        table[:, 6 * body + 3 : 6 * body + 6] = np.cross(np.eye(3), r).T  # columns e_i x r
        return table, np.cross(self.w[body], np.cross(self.w[body], r))

    def _spin(self, body: int) -> tuple[Any, Any]:
        table = np.zeros((3, 6 * self.n))
        if body < 0:
            return table, np.zeros(3)
        table[:, 6 * body + 3 : 6 * body + 6] = np.eye(3)
        return table, self.w[body]

    def _add(self, rows: Any, drift: Any) -> None:
        self.rows += list(np.atleast_2d(rows))
        self.right += list(-np.atleast_1d(drift))

    def _point(self, a: int, b: int, point: Any) -> None:
        ja, da = self._velocity(a, point)
        jb, db = self._velocity(b, point)
        self._add(jb - ja, db - da)

    def _turn(self, a: int, b: int, axes: list[Any]) -> None:
        """No relative turning about axes fixed in a: (alpha_b - alpha_a).u + (w_b - w_a).(w_a x u) = 0."""
        ja, wa = self._spin(a)
        jb, wb = self._spin(b)
        for u in axes:
            self._add(u @ (jb - ja), (wb - wa) @ np.cross(wa, u))

    def _joint(self, k: int, parent: int, rate: float) -> None:
        turn, at = self.joints[k][:3, :3], self.joints[k][:3, 3]
        if self.tree.revolute[k]:
            self._point(parent, k, at)
            self._turn(parent, k, [turn[:, 0], turn[:, 1]])
            return
        self._turn(parent, k, [turn[:, i] for i in range(3)])
        ja, da = self._velocity(parent, at)
        jb, db = self._velocity(k, self.poses[k][:3, 3])
        js, w = self._spin(parent)
        d, axis = self.poses[k][:3, 3] - at, turn[:, 2]
        speed = np.cross(w, d) + axis * rate
        for u in (turn[:, 0], turn[:, 1]):
            # c = u.d: u'' . d + 2 u'.d' + u.d'' with u' = w x u
            rows = u @ (jb - ja) + np.cross(u, d) @ js
            drift = u @ (db - da) + 2 * np.cross(w, u) @ speed + np.cross(w, np.cross(w, u)) @ d
            self._add(rows, drift)

    def _tie(self, tie: Tie) -> None:
        pose = self.poses[tie.a] @ tie.on_a if tie.a >= 0 else tie.on_a
        self._point(tie.a, tie.b, pose[:3, 3])
        axes = {"fixed": 3, "revolute": 2, "spherical": 0}[tie.kind]
        self._turn(tie.a, tie.b, [pose[:3, i] for i in range(axes)])

    def closed(self) -> float:
        """How fast ties and joints come apart: zero for rates that keep them."""
        speeds = np.concatenate([np.concatenate([self.v[k], self.w[k]]) for k in range(self.n)])
        return float(np.abs(np.array(self.rows) @ speeds).max())

    def spring(self, ends: list[tuple[int, Any]], stiffness: float, rest: float, damping: float) -> None:
        """A spring and damper between points of two bodies (-1: the world), in the axes of those."""
        points = [(self.poses[body] @ [*at, 1])[:3] if body >= 0 else np.asarray(at) for body, at in ends]
        speeds = [
            self.v[body] + np.cross(self.w[body], point - self.poses[body][:3, 3]) if body >= 0 else np.zeros(3)
            for (body, _), point in zip(ends, points, strict=True)
        ]
        span = points[1] - points[0]
        length = np.linalg.norm(span)
        along = span / length
        pull = stiffness * (length - rest) + damping * (speeds[1] - speeds[0]) @ along
        for (body, _), point, sign in zip(ends, points, (1, -1), strict=True):
            self.pushed = self.pushed + sign * pull * along @ self._velocity(body, point)[0]

    def with_rotors(self, torque: Any, reflected: Any) -> Any:
        """The same with inertias J N^2 at the joints: a = a_0 - B diag(J N^2) a, B = da/dtorque."""
        still, n = self.acceleration(np.zeros(self.n)), self.n
        slopes = np.stack([self.acceleration(row) - still for row in np.eye(n)], axis=1)
        return np.linalg.solve(np.eye(n) + slopes * reflected, self.acceleration(torque))

    def acceleration(self, torque: Any) -> Any:
        """Accelerations of the joints under torques at them."""
        size = 6 * self.n
        mass, force = np.zeros((size, size)), self.pushed.copy()
        for k in range(self.n):
            turn = self.poses[k][:3, :3]
            r, m = turn @ self.tree.com[k], self.tree.mass[k]
            pi = turn @ self.tree.inertia[k] @ turn.T
            lever = np.zeros((3, 6))
            lever[:, :3], lever[:, 3:] = np.eye(3), np.cross(np.eye(3), r).T  # v_c = v + w x r
            place = slice(6 * k, 6 * k + 6)
            mass[place, place] += m * lever.T @ lever
            mass[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] += pi
            w = self.w[k]
            force[place] += lever.T @ (m * (self.gravity - np.cross(w, np.cross(w, r))))
            force[6 * k + 3 : 6 * k + 6] -= np.cross(w, pi @ w)
        for k, parent in enumerate(self.tree.parents):
            axis = self.joints[k][:3, 2]
            pull = self._spin if self.tree.revolute[k] else None
            at = self.poses[k][:3, 3]
            tables = [pull(b)[0] if pull else self._velocity(b, at)[0] for b in (k, parent)]
            force += torque[k] * axis @ (tables[0] - tables[1])
        table = np.array(self.rows)
        count = len(table)
        whole = np.block([[mass, table.T], [table, np.zeros((count, count))]])
        # Where constraints are redundant the multipliers are not determined, the accelerations are.
        found = np.linalg.lstsq(whole, np.concatenate([force, self.right]), rcond=1e-12)[0][:size].reshape(self.n, 6)
        return np.array([self._along(k, parent, found) for k, parent in enumerate(self.tree.parents)])

    def _along(self, k: int, parent: int, found: Any) -> float:
        axis, at = self.joints[k][:3, 2], self.joints[k][:3, 3]
        alpha = found[parent, 3:] if parent >= 0 else np.zeros(3)
        if self.tree.revolute[k]:
            return float(axis @ (found[k, 3:] - alpha))
        w = self.w[parent] if parent >= 0 else np.zeros(3)
        base = np.zeros(3)
        if parent >= 0:
            r = at - self.poses[parent][:3, 3]
            base = found[parent, :3] + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
        return float(axis @ (found[k, :3] - base)) + self.phi[k] * float(np.cross(w, axis) @ np.cross(w, axis))

"""Composite bodies: the inertia matrix column by column (Walker and Orin 1982).

Freeze all joints beyond joint j: what it moves is one rigid body. Unit acceleration of joint j needs a
force and a moment on that body, and their components along the axes of the joints that carry j are D_ij.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..arm.inertia import moved
from ..rings.algebra import ZERO, Mat, Vec, add, cross, dot, matplus, matvec, minus, mul, plus, sub
from ..rings.ring import Ring, Scalar
from .chain import Chain
from .kinematics import Frame, frames, relative_frames

Composite = tuple[Scalar, Vec, Mat]


def composites(chain: Chain, steps: Sequence[Frame]) -> list[Composite]:
    """Mass, first moment and tensor, about each joint frame, of all that the joint moves."""
    bodies: list[Composite] = [(s.mass, s.moment, s.tensor) for s in chain.segments]
    for index in reversed(range(chain.n)):
        parent = chain.segments[index].parent
        if parent >= 0:
            mass, moment, tensor = moved(*bodies[index], *steps[index])
            accumulated = bodies[parent]
            bodies[parent] = add(accumulated[0], mass), plus(accumulated[1], moment), matplus(accumulated[2], tensor)
    return bodies


def mass_matrix(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """D(q), symmetric."""
    steps = relative_frames(chain, ring, q)
    matrix: list[list[Scalar]] = [[0] * chain.n for _ in range(chain.n)]
    for j, (mass, moment, tensor) in enumerate(composites(chain, steps)):
        if chain.segments[j].revolute:
            # unit alpha about z: force z x h, moment I z
            force: Vec = (sub(0, moment[1]), moment[0], 0)
            couple: Vec = (tensor[0][2], tensor[1][2], tensor[2][2])
        else:
            # unit acceleration along z: force m z, moment h x z
            force, couple = (0, 0, mass), (moment[1], sub(0, moment[0]), 0)
        i = j
        while True:
            matrix[i][j] = matrix[j][i] = (couple if chain.segments[i].revolute else force)[2]
            if chain.segments[i].parent < 0:
                break
            turn, shift = steps[i]
            force = matvec(turn, force)
            couple = plus(matvec(turn, couple), cross(shift, force))
            i = chain.segments[i].parent
    return matrix


def gravity(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> list[Scalar]:
    """G = dV/dq: -g . (z x h) or -m g . z, h the first moment of all that the joint moves, g in its frame."""
    steps = relative_frames(chain, ring, q)
    felt: list[Vec] = []
    load: list[Scalar] = []
    for segment, (turn, _), (mass, moment, _) in zip(chain.segments, steps, composites(chain, steps), strict=True):
        above = felt[segment.parent] if segment.parent >= 0 else chain.gravity
        g: Vec = tuple(dot([row[k] for row in turn], above) for k in range(3))
        felt.append(g)
        load.append(sub(0, dot(g, (sub(0, moment[1]), moment[0], 0)) if segment.revolute else mul(mass, g[2])))
    return load


def first_moment(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> Vec:
    """Sum of m r over the moving bodies, about the base origin: their mass times where their mass centre is."""
    steps = relative_frames(chain, ring, q)
    moment = ZERO
    for segment, step, composite in zip(chain.segments, steps, composites(chain, steps), strict=True):
        if segment.parent < 0:
            moment = plus(moment, moved(*composite, *step)[1])
    return moment


def momentum_matrix(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """Six rows: linear momentum, then angular momentum about the base origin, per joint velocity, in base axes.

    Joint j moves one composite body: at unit speed its linear momentum is z x h and its angular momentum about the
    joint I z, or m z and h x z where it slides (Orin, Goswami and Lee 2013, section 3, by composite bodies).
    """
    columns: list[tuple[Vec, Vec]] = []
    joint_frames, steps = frames(chain, ring, q), relative_frames(chain, ring, q)
    for segment, (turn, origin), (mass, moment, tensor) in zip(
        chain.segments, joint_frames, composites(chain, steps), strict=True
    ):
        if segment.revolute:
            push: Vec = (sub(0, moment[1]), moment[0], 0)
            spin: Vec = (tensor[0][2], tensor[1][2], tensor[2][2])
        else:
            push, spin = (0, 0, mass), (moment[1], sub(0, moment[0]), 0)
        push = matvec(turn, push)
        columns.append((push, plus(matvec(turn, spin), cross(origin, push))))
    return [[column[part][row] for column in columns] for part in range(2) for row in range(3)]


def potential_energy(chain: Chain, ring: Ring, q: Sequence[Scalar]) -> Scalar:
    """V = -g . (sum of m r) over the moving bodies."""
    return dot(minus(ZERO, chain.gravity), first_moment(chain, ring, q))

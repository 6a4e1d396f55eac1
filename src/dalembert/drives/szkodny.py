"""Szkodny 1995, eqs (8), (9), (11), (12) and the Appendix as printed: traces of 4x4 matrices, to read beside the paper.

T_p places link p in the base, T_ap the effector of motor p relative to a link; J_ap is its pseudo-inertia in its own
frame. Two readings of T_ap are offered. The nomenclature has it relative to the *driven link* p, which is what (9)
multiplies by T_p of the same p. Where motor p sits on another link, its own *carrier*, T_ap may be given relative
to it; then T_p stands for that carrier.

Relative to the carrier dT_ap/dq_k is N_k times one matrix. The second sum of (8) is then J N_i N_j, and the sums over
J_ap in (9) and (12) are identically zero: dT_ap/dq_k J_ap dT_ap^T/dq_j is N_k N_j times a symmetric matrix, and
dT_p/dq_i times T_p^T is skew, so every trace vanishes. Relative to the driven link they vanish only if motor p sits on
link p.

The Appendix keeps all terms of (4). These are the kinetic energy of the effector less that of the effector locked to
link p, Trace(dT_p/dt T_ap J_ap T_ap^T dT_p^T/dt) / 2, which (2) drops. Relative to the carrier that is right, since the
carrier's own inertia has it; relative to another link it is an error of (2), as large as the effector's mass makes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..arm.drives import Actuator, DriveTrain
from ..arm.errors import ArmError
from ..formulations.applied_loads import link_in_body
from ..formulations.chain import chain
from ..formulations.kinematics import Frame, compose, frames
from ..rings.algebra import dot, matvec, sub, transpose
from ..rings.dual import Duals, slope_of, value_of
from ..rings.real import REAL

Array = NDArray[np.float64]

READINGS = ("driven link", "carrier")
"""What T_ap is relative to: link p, as the nomenclature has it, or the link that carries motor p."""


@dataclass(frozen=True)
class Matrices:
    """A 4x4 matrix with its first and second derivatives to the joint positions."""

    value: Array
    first: Array
    second: Array


@dataclass(frozen=True)
class Effector:
    """T_p, T_ap and J_ap of one motor."""

    link: Matrices
    relative: Matrices
    pseudo: Array


def printed_terms(
    arm: ArmDescription, train: DriveTrain, q: Array, relative_to: str = "driven link"
) -> tuple[Array, Array]:
    """The sums over J_ap of (8), ``(n, n)``, and of (9), ``(n, n, n)``."""
    matrix, velocity = np.zeros((arm.n, arm.n)), np.zeros((arm.n,) * 3)
    for p in effectors(arm, train, q, relative_to):
        dt, da, j_ap = p.link.first, p.relative.first, p.pseudo
        t_da, dt_da = p.link.value @ da, dt[:, None] @ da
        matrix += trace("iab,jab->ij", da @ j_ap, da)
        velocity += trace("ikab,jab->ijk", dt_da @ j_ap, t_da)
        velocity += trace("jkab,iab->ijk", dt_da @ j_ap, t_da)
        velocity -= trace("jiab,kab->ijk", dt_da @ j_ap, t_da)
    return matrix, velocity


def printed_on_axis(
    arm: ArmDescription, train: DriveTrain, q: Array, relative_to: str = "driven link"
) -> tuple[Array, Array]:
    """The sums over J_ap of (11) and (12), for motors that turn with their own joint alone."""
    matrix, velocity = np.zeros((arm.n, arm.n)), np.zeros((arm.n,) * 3)
    for j, p in enumerate(effectors(arm, train, q, relative_to)):
        slope = p.relative.first[j]
        matrix[j, j] += trace("ab,ab->", slope @ p.pseudo, slope)
        velocity[:, j, j] += trace("iab,ab->i", p.link.first @ slope @ p.pseudo, p.link.value @ slope)
    return matrix, velocity


def appendix_terms(
    arm: ArmDescription, train: DriveTrain, q: Array, relative_to: str = "driven link"
) -> tuple[Array, Array]:
    """The sums over J_ap of the full D_ij and of the regrouped D_ijk of the Appendix, term by term as printed.

    D_ijk is not symmetric in j and k as it stands; torques have the sum of both.
    """
    matrix, velocity = np.zeros((arm.n, arm.n)), np.zeros((arm.n,) * 3)
    for p in effectors(arm, train, q, relative_to):
        t, dt, ddt = p.link.value, p.link.first, p.link.second
        a, da, dda, j_ap = p.relative.value, p.relative.first, p.relative.second, p.pseudo
        dt_a, t_da, dt_da = dt @ a @ j_ap, t @ da, dt[:, None] @ da
        matrix += trace("iab,jab->ij", dt_a, t_da) + trace("jab,iab->ij", dt_a, t_da)
        matrix += trace("iab,jab->ij", da @ j_ap, da)
        velocity -= trace("jab,ikab->ijk", dt_a, dt_da)
        velocity += trace("iab,kjab->ijk", dt_a, dt_da)
        velocity += trace("jkab,iab->ijk", ddt @ a @ j_ap, t_da) + trace("jab,kiab->ijk", dt_a, dt_da)
        velocity += trace("iab,jkab->ijk", dt_a, t @ dda) + trace("ikab,jab->ijk", dt_da @ j_ap, t_da)
        velocity += trace("jkab,iab->ijk", dt_da @ j_ap, t_da) - trace("jiab,kab->ijk", dt_da @ j_ap, t_da)
        velocity += trace("jkab,iab->ijk", dda @ j_ap, da)
    return matrix, velocity


def trace(indices: str, a: Array, b: Array) -> Array:
    """Trace(A B^T) over the last two axes, for all joints i, j, k that ``indices`` name."""
    return np.asarray(np.einsum(indices, a, b), dtype=np.float64)


def effectors(arm: ArmDescription, train: DriveTrain, q: Array, relative_to: str = "driven link") -> list[Effector]:
    """The matrices of all motors at q."""
    if relative_to not in READINGS:
        raise ArmError(f"T_ap is relative to the {' or the '.join(READINGS)}, not to {relative_to!r}")
    if len(train.actuators) != arm.n:
        raise ArmError(f"{len(train.actuators)} motors drive {arm.n} joints; (8) and (9) have one for each link")
    inner = Duals(REAL)
    outer = Duals(inner)
    q_duals = [outer.variable(inner.variable(float(x), k), k) for k, x in enumerate(q)]
    links = chain(arm, REAL)
    placed = frames(links, outer, links.coupling.joints(q_duals))
    rows = train.rows(arm)
    motors = []
    for p, actuator in enumerate(train.actuators):
        turned = (
            train.turns(outer, q_duals)[p] if train.turns is not None else dot([float(x) for x in rows[p]], q_duals)
        )
        carrier = _link(arm, placed, actuator.rotor.link or arm.base)
        placement = compose(_mounted(actuator), _about_z(outer.sincos(turned)))
        if relative_to == "carrier":
            link = carrier
        else:
            link = _link(arm, placed, arm.moving[p].child)
            placement = compose(_inverse(link), compose(carrier, placement))
        motors.append(Effector(_matrices(link, arm.n), _matrices(placement, arm.n), _pseudo(actuator)))
    return motors


def _link(arm: ArmDescription, placed: list[Frame], name: str) -> Frame:
    body, frame = link_in_body(arm, REAL, name)
    return compose(placed[body], frame) if body >= 0 else frame


def _inverse(frame: Frame) -> Frame:
    turn_t = transpose(frame[0])
    x, y, z = (sub(0, c) for c in matvec(turn_t, frame[1]))
    return turn_t, (x, y, z)


def _about_z(pair: tuple[Any, Any]) -> Frame:
    sin, cos = pair
    return ((cos, -sin, 0), (sin, cos, 0), (0, 0, 1)), (0, 0, 0)


def _mounted(actuator: Actuator) -> Frame:
    """The rotor's fixed placement on its carrier, its axis along z."""
    axis = np.array([float(x) for x in actuator.rotor.unit_axis])
    side = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    side /= np.linalg.norm(side)
    rows: Any = tuple(tuple(float(x) for x in row) for row in np.column_stack([side, np.cross(axis, side), axis]))
    x, y, z = (float(c) for c in actuator.rotor.position)
    return rows, (x, y, z)


def _matrices(frame: Frame, n: int) -> Matrices:
    """The 4x4 matrix of a frame over dual numbers of dual numbers, and its first and second derivatives."""
    turn, shift = frame
    rows = [[*turn[i], shift[i]] for i in range(3)]

    def array(act: Any, corner: int) -> Array:
        return np.array([[float(act(x)) for x in row] for row in rows] + [[0, 0, 0, corner]])

    return Matrices(
        array(lambda x: value_of(value_of(x)), 1),
        np.array([array(lambda x, j=j: value_of(slope_of(x, j)), 0) for j in range(n)]),
        np.array([[array(lambda x, j=j, k=k: slope_of(slope_of(x, j), k), 0) for k in range(n)] for j in range(n)]),
    )


def _pseudo(actuator: Actuator) -> Array:
    """J_ap (5) of an axisymmetric rotor: integrals of x^2, y^2, z^2 from its two moments of inertia."""
    rotor = actuator.rotor
    spin, across = float(rotor.inertia), float(rotor.across)
    return np.diag([spin / 2, spin / 2, across - spin / 2, float(rotor.mass)])

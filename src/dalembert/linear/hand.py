"""Linear models in hand coordinates (Freeman 1985, eqs 3-48 to 3-53).

With x the hand and phi the joints, xd = G phid and xdd = G phidd + phid . H phid; G, H and D = dH/dphi are the
influence coefficients of the hand. Deviations of the hand follow exactly:

    d x   = G dphi                                          (3-49)
    d xd  = G dphid + (dxd/dphi) dphi                       (3-50)
    d xdd = G dphidd + (dxdd/dphid) dphid + (dxdd/dphi) dphi    (3-51)

Freeman takes F11 = 0, which holds for coordinates that are integrals of their velocities. Rotations are not:
a small rotation of the hand is a vector whose rate is d xd + (Gdot - dxd/dphi) dphi, which adds
F11 = (Gdot - dxd/dphi) G^-1 while the hand rotates. At rest F11 is zero, and the joint and hand models are similar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.description import listed
from ..arm.errors import ArmError
from .linear_model import LinearModel, Signal

Array = NDArray[np.float64]

COORDINATES = ("x", "y", "z", "rx", "ry", "rz")


def hand_model(
    arm: Any, joint: LinearModel, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, coordinates: Sequence[str] | None = None
) -> LinearModel:
    """The model ``joint`` (joint coordinates, with or without motors) transformed to hand coordinates.

    ``coordinates`` are as many of x, y, z, rx, ry, rz as the arm has joints; all six for six joints.
    """
    n = arm.n
    rows = _rows(n, coordinates)
    first, second, third = _tables(arm, q, rows)
    speed, rate = np.asarray(qd, float), np.asarray(qdd, float)
    condition = np.linalg.cond(first)
    if not condition < 1e10:
        raise ArmError(
            f"the hand cannot move every way asked for at this position (condition {condition:.1e}); move off it"
        )
    inverse = np.linalg.inv(first)
    speed_slope = np.einsum("xkn,n->xk", second, speed)
    first_rate = np.einsum("xmn,m->xn", second, speed)
    # d/dphi of xdd = G phidd + sum H_mn phid_m phid_n, which equals d/dt (dxd/dphi)
    acceleration_slope = np.einsum("xkn,n->xk", second, rate) + np.einsum("xkmn,m,n->xk", third, speed, speed)
    size = len(joint.A)
    transform = np.eye(size)
    transform[:n, :n] = transform[n : 2 * n, n : 2 * n] = first
    transform[n : 2 * n, :n] = speed_slope
    transform_rate = np.zeros((size, size))
    transform_rate[:n, :n] = transform_rate[n : 2 * n, n : 2 * n] = first_rate
    transform_rate[n : 2 * n, :n] = acceleration_slope
    transform_inverse = np.eye(size)
    transform_inverse[:n, :n] = transform_inverse[n : 2 * n, n : 2 * n] = inverse
    transform_inverse[n : 2 * n, :n] = -inverse @ speed_slope @ inverse
    a = (transform @ joint.A + transform_rate) @ transform_inverse
    units = ["m" if row < 3 else "rad" for row in rows]
    hand = tuple(Signal(f"hand_{COORDINATES[row]}", unit) for row, unit in zip(rows, units, strict=True))
    rates = tuple(Signal(f"hand_{COORDINATES[row]}_rate", f"{unit}/s") for row, unit in zip(rows, units, strict=True))
    states = hand + rates + joint.states[2 * n :]
    # outputs beside the states, such as currents that are none, stay what they are
    output_matrix = np.vstack([np.eye(size), joint.C[size:] @ transform_inverse])
    return replace(
        joint, A=a, B=transform @ joint.B, C=output_matrix, D=joint.D, states=states,
        outputs=states + joint.outputs[size:], name=f"{joint.name}, hand",
    )  # fmt: skip


def _rows(n: int, coordinates: Sequence[str] | None) -> list[int]:
    """Indices of the hand coordinates."""
    names = COORDINATES if coordinates is None else tuple(coordinates)
    unknown = [name for name in names if name not in COORDINATES]
    if unknown:
        raise ArmError(f"no hand coordinate {unknown[0]!r}; there are {listed(COORDINATES)}")
    if len(names) != n or len(set(names)) != n:
        raise ArmError(f"{n} joints need {n} different hand coordinates; name {n} of {listed(COORDINATES)}")
    return [COORDINATES.index(name) for name in names]


def _tables(arm: Any, q: ArrayLike, rows: list[int]) -> tuple[Array, Array, Array]:
    """First, second and third-order influence coefficients of the hand, for these rows."""
    influence = arm.influence(q)
    first = np.concatenate([influence.point_first, influence.rotation_first])[rows]
    second = np.concatenate([influence.point_second, influence.rotation_second])[rows]
    third = np.concatenate([influence.point_third, influence.rotation_third])[rows]
    return first, second, third

"""Why there is no answer: nothing has mass, a joint moves no inertia so that D has no inverse, a spring's ends meet."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription, listed
from ..arm.elastic import PointSpring
from ..arm.errors import ArmError
from ..formulations.applied_loads import spans
from ..formulations.system import SystemOverRing
from ..rings.real import REAL

_REGULAR = "_has_regular_poses"
"""Where a description keeps that its D was found regular."""


def refuse_massless(arm: ArmDescription) -> None:
    """Refuse an arm of which nothing that moves has mass, where its dynamics is asked for: all of it would be zero."""
    if arm.n and not any(body.inertia for body in arm.bodies):
        raise ArmError(
            f"{arm.where}{arm.name}: no moving link has mass, so there is no dynamics; give the links masses and "
            "inertias"
        )


def refuse_undetermined(arm: ArmDescription, matrix: NDArray[np.float64]) -> None:
    """Refuse mass matrices ``(..., n, n)`` of which one is singular, and name the joint that moves nothing there."""
    values, vectors = np.linalg.eigh(matrix.reshape(-1, arm.n, arm.n))
    with np.errstate(invalid="ignore"):
        worst = int(np.argmin(np.nan_to_num(values[:, 0] / values[:, -1])))
    if values[worst, 0] > arm.n * np.finfo(float).eps * values[worst, -1]:
        return
    joint = arm.joint_names[int(np.argmax(np.abs(vectors[worst, :, 0])))]
    raise ArmError(
        f"{arm.where}{arm.name}: joint {joint!r} moves no inertia, so its acceleration is not determined; "
        f"give the links it moves mass and inertia, or lock it"
    )


def refuse_never_determined(arm: ArmDescription) -> None:
    """Refuse an arm whose D is singular in every pose, as the division by an exact zero has shown."""
    refuse_undetermined(arm, _anywhere(arm))


def refuse_dependent(arm: ArmDescription) -> None:
    """Refuse an arm whose D is singular in every pose without a pivot that is an exact zero: more joints than motions
    of what has inertia, as where a point mass hangs on three parallel axes.

    Rows and columns are scaled to a diagonal of ones, so that what is small is not what is singular.
    """
    if vars(arm).get(_REGULAR) or (arm.counts_drives and arm.drives.functions):  # which are not analytic everywhere
        return
    matrix = _anywhere(arm)
    sizes = np.diagonal(matrix)
    if (sizes > 0).all():  # else divisions tell, or no real body is like that
        scale = 1 / np.sqrt(sizes)
        values, vectors = np.linalg.eigh(matrix * scale * scale[:, None])
        least = int(np.argmin(np.abs(values)))
        if abs(values[least]) <= arm.n * np.finfo(float).eps:
            sizes = np.abs(vectors[:, least])
            names = [name for name, size in zip(arm.joint_names, sizes, strict=True) if size > 1e-6 * sizes.max()]
            raise ArmError(
                f"{arm.where}{arm.name}: joints {listed(names)} can move without anything that has inertia, so their "
                "accelerations are not determined; give the links between them mass and inertia, or lock one of them"
            )
    vars(arm)[_REGULAR] = True


MEETING = 1e-12
"""Length (m) below which the ends of a spring meet, once a division has failed."""


def refuse_without_length(arm: ArmDescription, q: NDArray[np.float64]) -> None:
    """Refuse positions ``(..., n)`` at which the ends of a spring or damper meet: its pull has no direction there."""
    system = SystemOverRing(arm, REAL)
    joints = system.coupling.joints(list(q.reshape(-1, arm.n).T))
    springs = (part for part in arm.elastic if isinstance(part, PointSpring))
    for spring, span in zip(springs, spans(system.links, REAL, joints, system.elastics), strict=True):
        length = np.sqrt(np.sum([np.square(x) for x in np.broadcast_arrays(*span)], axis=0))
        if (spring.rest or spring.damping) and (length < MEETING).any():
            raise ArmError(
                f"{arm.where}{arm.name}: the ends of the spring or damper between {spring.link_a!r} and "
                f"{spring.link_b!r} meet, so that its pull has no direction; move its points, or give it neither rest "
                "length nor damping"
            )


def refuse_undivided(arm: ArmDescription) -> None:
    """Say which part of an arm is divided by where that is zero in every pose."""
    refuse_without_length(arm, np.array(_generic(arm)))
    refuse_never_determined(arm)


def _generic(arm: ArmDescription) -> list[float]:
    return [math.sin(1 + k * k) for k in range(arm.n)]


def _anywhere(arm: ArmDescription) -> NDArray[np.float64]:
    """D in a pose with nothing special to it: det D is analytic, and vanishes there if it does in all poses."""
    rows = SystemOverRing(arm, REAL).mass_matrix(REAL, _generic(arm))
    return np.array([[float(x) for x in row] for row in rows])

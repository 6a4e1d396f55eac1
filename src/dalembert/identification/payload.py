"""The load in the hand, from a run with it and one without.

The torques are linear in the ten parameters of the load as they are in those of the links. Both runs are fitted
together, with columns for the load that count in the second, so that the errors of the load hold those of the robot.
Beside them the Coulomb friction and the offset of each joint may change, which a load brings with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ..arm.errors import ArmError
from ..arm.inertia import Inertia, Load
from ..arm.placement import Placement
from .consistency import consistent
from .least_squares import fit
from .log import Array, Log
from .log_checks import check_log
from .observations import Observations
from .smoothing import smoothed

if TYPE_CHECKING:
    from .result import Identification

LEAST_MASS, SIZE = 1e-3, 0.1
"""Mass (kg) and length (m) in which a load that is hardly there is measured."""


@dataclass(frozen=True, eq=False)
class IdentifiedLoad:
    """A load in the tool frame: mass (kg), mass centre (m), tensor about it (kg m^2), each with standard errors.

    ``load`` is that of a body that could be built, closest to the data; the errors are those of least squares.
    ``explained`` is the share of what a model without a load leaves of that run which the load explains.
    """

    load: Load
    mass: float
    mass_error: float
    com: Array
    com_error: Array
    inertia: Array
    inertia_error: Array
    explained: float


def identify_load(model: Identification, log: Log, cutoff: float | None = None) -> IdentifiedLoad:
    """The load that was in the hand while ``log`` was measured, the logs of ``model`` being those without."""
    arm, n, unknowns = model.described, model.described.n, model.unknowns
    check_log(arm, log)
    measured = smoothed(log if model.gains is None else log.gained(model.gains), cutoff or model.cutoff)
    runs = (*model.logs, measured)
    seen = Observations(arm, unknowns, runs, [*model.known, np.zeros_like(measured.effort)])
    matrix = seen.matrix(seen.friction(model.shape, model.values[: unknowns.inertial]))[..., model.base.columns]
    laden = seen.log_of == len(model.logs)
    body, frame = arm.body_of[arm.tool_link]
    columns = np.zeros((*seen.effort.shape, 10 + 2 * n))
    columns[laden, :, :10] = seen.smooth[laden][..., 10 * body : 10 * body + 10] @ _placed(frame @ arm.tool).T
    sign = np.tanh(measured.qd / model.shape.transition)
    friction = measured.reduced(sign)
    for joint in range(n):
        columns[laden, joint, 10 + joint] = friction[:, joint]
        columns[laden, joint, 10 + n + joint] = 1.0
    found = fit(np.concatenate([columns, matrix], axis=-1), seen.effort, model.robust)
    if not abs(found.values[0]) > np.sqrt(found.covariance[0, 0]):
        raise ArmError(
            f"{log.name}: the run does not tell the mass of a load ({found.values[0]:.3g} kg with an error of "
            f"{np.sqrt(found.covariance[0, 0]):.3g} kg); move more joints, against gravity"
        )
    weighted = (np.concatenate([columns, matrix], axis=-1) * (found.weights / found.spread)[..., None]).reshape(
        -1, len(found.values)
    )
    target = (seen.effort * found.weights / found.spread).reshape(-1)
    # What the other unknowns cannot explain: they are free, so the load is fitted to that alone.
    own, others = weighted[:, :10], weighted[:, 10:]
    own = own - others @ np.linalg.lstsq(others, own, rcond=None)[0]
    mass = max(float(found.values[0]), LEAST_MASS)
    values = consistent(own.T @ own, own.T @ target, 1, [(mass, SIZE)], [])
    com, inertia = values[1:4] / values[0], _about_centre(values)
    errors = np.sqrt(np.maximum(np.diag(found.covariance)[:10], 0.0))
    bare = fit(matrix, seen.effort).residual[laden]
    return IdentifiedLoad(
        Load(mass=float(values[0]), com=tuple(com.tolist()), inertia=inertia.tolist()),
        float(values[0]),
        float(errors[0]),
        com,
        _centre_error(found.values, found.covariance),
        inertia,
        _inertia_error(found.values, found.covariance),
        1 - float(np.linalg.norm(found.residual[laden]) / np.linalg.norm(bare)),
    )


def _centre_error(values: Array, covariance: Array) -> Array:
    """Standard errors of the mass centre m c / m, to first order."""
    mass, centre = values[0], values[1:4] / values[0]
    slopes = np.column_stack([-centre / mass, np.eye(3) / mass])
    return np.sqrt(np.maximum(np.diag(slopes @ covariance[:4, :4] @ slopes.T), 0.0))


def _inertia_error(values: Array, covariance: Array) -> Array:
    """Standard errors of I - (h'h 1 - h h') / m, the tensor about the mass centre, h = m c, to first order."""
    m, h = values[0], values[1:4]
    slopes = np.zeros((3, 3, 10))
    slopes[..., 0] = ((h @ h) * np.eye(3) - np.outer(h, h)) / m**2
    for k, e in enumerate(np.eye(3)):
        slopes[..., 1 + k] = -(2 * h[k] * np.eye(3) - np.outer(e, h) - np.outer(h, e)) / m
    for column, (i, j) in enumerate(((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)), start=4):
        slopes[i, j, column] = slopes[j, i, column] = 1.0
    return np.sqrt(np.maximum(np.einsum("ijk,kl,ijl->ij", slopes, covariance[:10, :10], slopes), 0.0))


def _placed(frame: Placement) -> Array:
    """Rows: the ten parameters in the frame of the link of a load with one unit parameter in the tool frame."""
    rows = []
    for k in range(10):
        unit = [Fraction(int(i == k)) for i in range(10)]
        m, mx, my, mz, xx, xy, xz, yy, yz, zz = unit
        inertia = Inertia(m, (mx, my, mz), ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
        rows.append([float(x) for x in inertia.placed(frame).parameters])
    return np.array(rows)


def _about_centre(values: Array) -> Array:
    """The inertia tensor about the mass centre of ten parameters about the frame."""
    m, c = values[0], values[1:4] / values[0]
    xx, xy, xz, yy, yz, zz = values[4:10]
    about = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return np.asarray(about - m * ((c @ c) * np.eye(3) - np.outer(c, c)))

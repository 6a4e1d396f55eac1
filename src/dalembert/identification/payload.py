"""The load in the hand, from a run with it and one without.

The torques are linear in the ten parameters of the load as they are in those of the links. Both runs are fitted
together, with columns for the load that count in the second, so that the errors of the load hold those of the robot.
Beside them the Coulomb friction and the offset of each joint may change, which a load brings with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arm.errors import ArmError
from ..arm.inertia import PARAMETERS, Load
from ..systems.arm_system import ArmSystem
from .consistency import consistent
from .least_squares import fit
from .log import Array, Log
from .log_checks import check_log
from .observations import LoadRegressor, Observations, Shape, known_torques
from .smoothing import Smoothed, smoothed

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


class LoadColumns:
    """Columns of the ten parameters of a load, and of changes of Coulomb friction and offset, in one of the logs."""

    def __init__(self, system: ArmSystem, laden: int, shape: Shape) -> None:
        n = system.n
        self.laden, self.shape, self.regressor = laden, shape, LoadRegressor(system)
        self.names = (*PARAMETERS, *(f"coulomb{j + 1}" for j in range(n)), *(f"offset{j + 1}" for j in range(n)))

    def columns(self, piece: Smoothed, log_index: int, rows: slice, base: Array) -> Array:
        """Zero but in the log with the load."""
        rows_kept, n, _ = base.shape
        columns = np.zeros((rows_kept, n, len(self.names)))
        if log_index == self.laden:
            columns[..., :10] = piece.evaluated(self.regressor)
            sign = piece.reduced(np.tanh(piece.qd / self.shape.transition))
            for joint in range(n):
                columns[:, joint, 10 + joint] = sign[:, joint]
                columns[:, joint, 10 + n + joint] = 1.0
        return columns


def identify_load(model: Identification, log: Log, cutoff: float | None = None) -> IdentifiedLoad:
    """The load that was in the hand while ``log`` was measured, the logs of ``model`` being those without.

    It is all that was in the hand, what the arm of the model holds there included.
    """
    arm, unknowns = model.described, model.unknowns
    check_log(arm, log)
    measured = smoothed(log if model.gains is None else log.gained(model.gains), cutoff or model.cutoff)
    laden = len(model.logs)
    known = [*model.known, known_torques(model.known_at(Load()), measured)]
    observations = Observations(arm, unknowns, model.base.columns, (*model.logs, measured), known)
    inertial, columns = model.values[: unknowns.inertial], LoadColumns(arm, laden, model.shape)
    estimate = fit(lambda: observations.blocks(model.shape, inertial, [columns]), model.robust)
    first = len(model.base.columns)
    part = slice(first, first + 10)
    load_values, covariance = estimate.values[part], estimate.covariance[part, part]
    if not abs(load_values[0]) > np.sqrt(covariance[0, 0]):
        raise ArmError(
            f"{log.name}: the run does not tell the mass of a load ({load_values[0]:.3g} kg with an error of "
            f"{np.sqrt(covariance[0, 0]):.3g} kg); move more joints, against gravity"
        )
    # What the other unknowns cannot explain: they are free, so the load is fitted to that alone.
    others = np.r_[0:first, part.stop : len(estimate.values)]
    coupling = estimate.gram[np.ix_(others, np.arange(first, first + 10))]
    information = (
        estimate.gram[part, part]
        - coupling.T @ np.linalg.pinv(estimate.gram[np.ix_(others, others)], rcond=1e-12) @ coupling
    )
    information = (information + information.T) / 2
    mass = max(float(load_values[0]), LEAST_MASS)
    values = consistent(information, information @ load_values, 1, [(mass, SIZE)], [])
    com, inertia = values[1:4] / values[0], _about_centre(values)
    with_load = estimate.which[:, 0] == laden
    without_load = fit(lambda: observations.blocks(model.shape, inertial), model.robust).residual[with_load]
    return IdentifiedLoad(
        Load(mass=float(values[0]), com=tuple(com.tolist()), inertia=inertia.tolist()),
        float(values[0]),
        float(np.sqrt(covariance[0, 0])),
        com,
        _centre_error(load_values, covariance),
        inertia,
        _inertia_error(load_values, covariance),
        1 - float(np.linalg.norm(estimate.residual[with_load]) / np.linalg.norm(without_load)),
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


def _about_centre(values: Array) -> Array:
    """I_c = I - m (c.c E - c c^T), the tensor about the mass centre of ten parameters about the frame (Steiner)."""
    m, c = values[0], values[1:4] / values[0]
    xx, xy, xz, yy, yz, zz = values[4:10]
    about_frame = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return np.asarray(about_frame - m * ((c @ c) * np.eye(3) - np.outer(c, c)))

"""What a redundant arm does in the null space of its task: stay off its limits, or off singular poses.

The joints go down the gradient of a criterion, projected on that null space (Liegeois 1977):

    "limits"          sum of ((q - middle) / range)^2 / 2
    "manipulability"  -log sqrt(det J J^T), Yoshikawa 1985
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arm.description import listed
from ..arm.errors import ArmError
from .descent import Descent

Array = NDArray[np.float64]
CRITERIA = ("limits", "manipulability")
ROUNDS = 80
SETTLED = 1e-3
"""The change of the joints (rad or lengths) below which the criterion counts as met."""
GAIN, LONGEST = 0.5, 0.2


def check_criterion(criterion: str | None, joints: int, rows: int, arm: str) -> None:
    """Refuse a criterion that is not known, or that nothing is left for."""
    if criterion is None:
        return
    if criterion not in CRITERIA:
        raise ArmError(f"a criterion for joints to spare is {listed(CRITERIA)}, not {criterion!r}")
    if joints <= rows:
        raise ArmError(
            f"{arm}: {joints} joints and {rows} directions asked for leave none to spare for a criterion; leave it "
            "out, or ask for fewer directions"
        )


def settled(descent: Descent, q: Array, target: Array, criterion: str) -> Array:
    """Positions that keep their pose to second order while the criterion is followed."""
    q = q.copy()
    live = np.arange(len(q))
    metric = _metric(descent, criterion)
    for _ in range(ROUNDS):
        x = q[live]
        error, _, _, weight, cost = descent.errors(x, target[live])
        moved, _ = descent.stepped(x, error, weight, cost, _null_space_step(descent, x, criterion, metric), metric)
        change = np.abs((moved - x) * descent.scale).max(axis=-1)
        q[live] = moved
        live = live[change > SETTLED]
        if not len(live):
            break
    return q


def _metric(descent: Descent, criterion: str) -> Array:
    """M, diagonal: a wanted step -M^-1 times the gradient comes to rest where no motion in the null space gains."""
    if criterion != "limits":
        return np.asarray(descent.scale**2)
    reach = np.where(_limited(descent), descent.upper - descent.lower, 2 * np.pi / descent.scale)
    reach = np.maximum(reach, 1e-6 * reach.max())
    return np.asarray((reach.max() / reach) ** 2)


def _limited(descent: Descent) -> NDArray[np.bool_]:
    return np.asarray(np.isfinite(descent.lower) & np.isfinite(descent.upper))


def _null_space_step(descent: Descent, q: Array, criterion: str, metric: Array) -> Array:
    """A step of the joints down the gradient of the criterion, by the inverse of the metric."""
    if criterion == "limits":
        limited = _limited(descent)
        middle = np.where(limited, 0.5 * (descent.lower + descent.upper), 0.0)
        return np.where(limited, GAIN * (middle - q), 0.0)
    rows, axes = descent.task.weights > 0, descent.task.axes
    root = np.sqrt(descent.task.scaled)[rows]
    jacobian = root[:, None] * descent.arm.jacobian(q, axes=axes)[:, rows]
    slopes = root[:, None, None] * descent.arm.jacobian_slopes(q, axes=axes)[:, rows]
    inner = jacobian @ np.swapaxes(jacobian, -1, -2) + 1e-9 * np.eye(len(root))
    pulled = np.linalg.solve(inner, jacobian)
    step = GAIN * np.einsum("bij,bijk->bk", pulled, slopes) / metric
    size = np.abs(step * descent.scale).max(axis=-1, keepdims=True)
    return step * np.minimum(1.0, LONGEST / np.maximum(size, 1e-300))

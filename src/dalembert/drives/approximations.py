"""How wrong an approximation of the drives is, measured against the exact model over many motions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..arm.drives import DRIVE_MODELS
from ..arm.joint_ranges import finite_ranges

if TYPE_CHECKING:
    from ..systems.driven import DrivenSystem

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ApproximationError:
    """The error of one approximation over random motions; torques at the joints (N m or N).

    ``rms`` and ``worst`` are of the torque error, ``relative`` is rms over the rms of the exact torque,
    ``inertia`` the largest error of D over the largest entry of D, ``velocity`` the rms error of the torques that
    velocity alone asks for (gyroscopic terms), ``acceleration`` the rms relative error of the acceleration that
    the same torque gives.
    """

    name: str
    joints: tuple[str, ...]
    rms: Array
    worst: Array
    relative: Array
    inertia: float
    velocity: Array
    acceleration: Array

    def __str__(self) -> str:
        shares = ", ".join(f"{joint} {100 * x:.3g} %" for joint, x in zip(self.joints, self.relative, strict=True))
        inertia = f"{100 * self.inertia:.3g} % of its largest entry"
        return f"{self.name}: torque error (rms, of the exact torque) {shares}; D off by at most {inertia}"


def measure(driven: DrivenSystem, name: str, q: Array, qd: Array, qdd: Array) -> ApproximationError:
    """The error of approximation ``name`` over these states ``(count, n)``."""
    exact, rough = (driven.frictionless().counting_drives(model) for model in ("exact", name))
    right = exact.inverse_dynamics(q, qd, qdd)
    error = rough.inverse_dynamics(q, qd, qdd) - right
    zero = np.zeros_like(q)
    velocity = rough.inverse_dynamics(q, qd, zero) - exact.inverse_dynamics(q, qd, zero)
    matrix = exact.mass_matrix(q)
    inertia = np.abs(rough.mass_matrix(q) - matrix).max() / np.abs(matrix).max()
    motion = rough.forward_dynamics(q, qd, right) - qdd
    return ApproximationError(
        name, driven.joint_names, _rms(error), np.abs(error).max(axis=0), _rms(error) / _rms(right),
        float(inertia), _rms(velocity), _rms(motion) / _rms(qdd),
    )  # fmt: skip


def compare(
    driven: DrivenSystem, lower: Array, upper: Array, speed: float = 1.0, acceleration: float = 1.0, samples: int = 500
) -> dict[str, ApproximationError]:
    """All approximations over the same random motions within these ranges (rad/s and rad/s^2, or m)."""
    rng = np.random.default_rng(0)
    low, high = finite_ranges(lower, upper, np.pi)
    q = low + (high - low) * rng.random((samples, driven.n))
    qd = speed * rng.uniform(-1, 1, (samples, driven.n))
    qdd = acceleration * rng.uniform(-1, 1, (samples, driven.n))
    return {name: measure(driven, name, q, qd, qdd) for name in DRIVE_MODELS[2:]}


def _rms(values: Array) -> Array:
    return np.sqrt(np.mean(values**2, axis=0))

"""What a design is judged by, with exact gradients: torques along a motion, energy, mass, coefficients at poses.

Gradients come from kernels whose results and derivatives to the factors are one graph (``design_function`` with
slopes). A largest value of many is kept as all of its pieces, so that the optimizer sees smooth functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription, listed
from ..arm.errors import ArmError
from ..compile.kernel import Kernel
from ..design.motion_samples import MotionSamples
from ..equations import names
from ..systems.arm_system import ArmSystem
from .design_function import design_function
from .factors import FactorSet

Array = NDArray[np.float64]
Smooth = tuple[float, Array]
"""A value and its gradient to the factors."""
Pieces = tuple[Array, Array]
"""Values ``(pieces,)`` and gradients ``(pieces, factors)``: what is meant is the largest of them."""

SMOOTH = ("energy", "rms_torque", "mass")
PEAKS = ("peak_torque", "range")


class DesignTerms:
    """The functions of the factors that objectives and limits are made of."""

    def __init__(self, factors: FactorSet, motion: MotionSamples | None) -> None:
        self.factors, self._motion = factors, motion
        self.system: ArmSystem = factors.system
        if not isinstance(factors.system, ArmDescription):
            raise ArmError(
                f"{factors.system.name}: the best design is looked for among arms; study a mechanism instead"
            )

    @property
    def motion(self) -> MotionSamples:
        """The motion, refused where there is none."""
        if self._motion is None:
            raise ArmError(f"{self.system.name}: torques and energy are along a motion; give one")
        return self._motion

    @cached_property
    def _torque_kernel(self) -> Kernel:
        return Kernel(design_function(self.system, "inverse_dynamics", self.factors.names, slopes=True))

    def torques(self, x: Array) -> Pieces:
        """tau ``(moments, n)`` and d tau/dx ``(moments, n, factors)``."""
        motion = self.motion
        tau, slopes = self._torque_kernel(motion.q, motion.qd, motion.qdd, self.factors.values(x))
        return tau, slopes.reshape(*tau.shape, -1) @ self.factors.jacobian

    def peak(self, x: Array, rows: Sequence[int], weights: Array) -> Pieces:
        """tau_j / w_j and -tau_j / w_j at all moments, of which the largest is the peak."""
        tau, slopes = self.torques(x)
        tau, slopes = tau[:, rows] / weights, slopes[:, rows] / weights[:, None]
        values, gradients = tau.reshape(-1), slopes.reshape(-1, slopes.shape[-1])
        return np.concatenate([values, -values]), np.concatenate([gradients, -gradients])

    def energy(self, x: Array, rows: Sequence[int]) -> Smooth:
        """The integral of sum_j max(tau_j qd_j, 0) dt (J)."""
        if self.motion.t is None:
            raise ArmError(f"{self.system.name}: energy needs the times of the motion; give them")
        duration = float(self.motion.t[-1] - self.motion.t[0])
        tau, slopes = self.torques(x)
        speed, share = self.motion.qd[:, rows], duration * self.motion.weights
        power = tau[:, rows] * speed
        pushing = speed * (power > 0)
        return (
            float((np.maximum(power, 0).sum(axis=1) * share).sum()),
            np.einsum("tj,tjk,t->k", pushing, slopes[:, rows], share),
        )

    def rms_torque(self, x: Array, rows: Sequence[int], weights: Array) -> Smooth:
        """The root of the mean over time of sum_j (tau_j / w_j)^2."""
        tau, slopes = self.torques(x)
        tau, slopes = tau[:, rows] / weights, slopes[:, rows] / weights[:, None]
        value = float(np.sqrt((self.motion.weights * (tau**2).sum(axis=1)).sum()))
        gradient = np.einsum("t,tj,tjk->k", self.motion.weights, tau, slopes)
        return value, gradient / value if value else 0 * gradient

    def mass(self, x: Array) -> Smooth:
        """Mass of all that moves (kg): links and loads."""
        own = np.array([float(name.endswith(".mass")) for name in self.factors.names])
        present = sum(float(body.inertia.mass) for body in self.system.bodies)
        now = sum(float(n.value) for n in self.factors.numbers if n.name.endswith(".mass"))
        return present - now + float(own @ self.factors.values(x)), own @ self.factors.jacobian

    @cached_property
    def _coefficient_kernels(self) -> dict[str, Kernel]:
        return {}

    def coefficient(self, x: Array, name: str, poses: Array) -> Pieces:
        """A coefficient D_ij or G_i at poses ``(count, n)``, and with the other sign."""
        kind, index = names.parse(name, self.system.n)
        if kind not in ("D", "G") or (kind == "D") != (len(index) == 2):
            raise ArmError(
                f"{self.system.name}: a worst case is of an inertia D_ij or a gravity load G_i, not {name!r:.40}"
            )
        function = "mass_matrix" if kind == "D" else "gravity_load"
        if function not in self._coefficient_kernels:
            self._coefficient_kernels[function] = Kernel(
                design_function(self.system, function, self.factors.names, slopes=True)
            )
        table, slopes = self._coefficient_kernels[function](poses, self.factors.values(x))
        slopes = slopes.reshape(*table.shape, -1)
        values, gradients = table[(slice(None), *index)], slopes[(slice(None), *index)] @ self.factors.jacobian
        return np.concatenate([values, -values]), np.concatenate([gradients, -gradients])

    def rows(self, joints: Sequence[str]) -> list[int]:
        """Indices of joints, all where none is named."""
        for joint in joints:
            if joint not in self.system.joint_names:
                raise ArmError(
                    f"{self.system.name}: no joint {joint!r:.60} moves; {listed(self.system.joint_names)} do"
                )
        return [self.system.joint_names.index(joint) for joint in joints or self.system.joint_names]

    def weights(self, given: Sequence[float] | None, rows: Sequence[int]) -> Array:
        """What the torques are set against, joint by joint."""
        found = np.ones(len(rows)) if given is None else np.array(given, dtype=float)
        if found.shape != (len(rows),) or not (np.isfinite(found) & (found > 0)).all():
            raise ArmError(f"{self.system.name}: weights are one number above zero for each of {len(rows)} joints")
        return found

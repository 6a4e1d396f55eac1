"""What a design is judged by, with exact gradients: torques along a motion, energy, mass, coefficients at poses.

Gradients come from kernels whose results and derivatives to the factors are one graph (``design_function`` with
slopes, ``mechanism_designs`` for loops that close anew). A largest value of many is kept as all of its pieces, so that
the optimizer sees smooth functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..arm.description import listed
from ..arm.errors import ArmError
from ..compile.kernel import Kernel
from ..design.motion_samples import MotionSamples
from ..equations import names
from ..mechanisms.mechanism_system import MechanismSystem
from .design_function import design_function
from .design_mass import DesignMass
from .design_numbers import Designed, with_numbers
from .factors import FactorSet
from .mechanism_designs import MechanismDesigns, refuse_without_motors
from .outputs import OUTPUTS, Output, motor_names

Array = NDArray[np.float64]
Smooth = tuple[float, Array]
"""A value and its gradient to the factors."""
Pieces = tuple[Array, Array]
"""Values ``(pieces,)`` and gradients ``(pieces, factors)``: what is meant is the largest of them."""

SMOOTH = ("energy", "rms_torque", "mass")
TORQUES = {"peak_torque": "inverse_dynamics", "peak_motor_torque": "motor_torques"}
"""Peaks along a motion, and the functions that they are peaks of."""
PEAKS = (*TORQUES, "range")
BY_JOINT = (*TORQUES, "energy", "rms_torque")
"""What is of single joints, or motors."""
UNITS = {"energy": "J", "mass": "kg"}
WEIGHED = (*TORQUES, "rms_torque")
"""What is set against weights, joint by joint."""


class ImpossibleDesign(ArmError):
    """A design that cannot be: a number out of its ends, loops that do not close."""


class DesignTerms:
    """The functions of the factors that objectives and limits are made of."""

    def __init__(self, factors: FactorSet, motion: MotionSamples | None) -> None:
        self.factors, self._motion = factors, motion
        self.system: Designed = factors.system
        self.is_mechanism = isinstance(self.system, MechanismSystem)
        self._kernels: dict[str, Kernel] = {}
        self._last: dict[str, tuple[Array, Pieces]] = {}

    @property
    def motion(self) -> MotionSamples:
        """The motion, refused where there is none."""
        if self._motion is None:
            raise ArmError(f"{self.system.name}: torques and energy are along a motion; give one")
        return self._motion

    @cached_property
    def _mechanism(self) -> MechanismDesigns:
        return MechanismDesigns(self.system, self.factors.names)

    def _kernel(self, name: str) -> Kernel:
        if name not in self._kernels:
            self._kernels[name] = Kernel(design_function(self.system, name, self.factors.names, slopes=True))
        return self._kernels[name]

    def numbers(self, x: Array) -> Array:
        """The numbers of the description at these values of the factors; refused where no such design can be."""
        values = self.factors.values(x)
        fault = self.factors.faults(values[None])[0]
        if fault:
            raise ImpossibleDesign(f"{self.system.name}: {fault}")
        return values

    def design(self, x: Array) -> Designed:
        """The system with these values of the factors."""
        values = self.factors.values(x).tolist()
        return with_numbers(self.system, dict(zip(self.factors.names, values, strict=True)))

    def torques(self, x: Array, name: str = "inverse_dynamics") -> Pieces:
        """tau ``(moments, n)`` of joints or motors and d tau/dx ``(moments, n, factors)``."""
        # Value and gradient of objective and limits are asked one after the other at the same design.
        if name not in self._last or not np.array_equal(self._last[name][0], x):
            tau, slopes = self._along(name, self.numbers(x))
            if not np.isfinite(tau).all():
                raise ImpossibleDesign(f"{self.system.name}: the torques along the motion are not finite")
            self._last[name] = x.copy(), (tau, slopes.reshape(*tau.shape, -1) @ self.factors.jacobian)
        return self._last[name][1]

    def _along(self, name: str, values: Array) -> tuple[Array, ...]:
        states = self.motion.q, self.motion.qd, self.motion.qdd
        if not self.is_mechanism:
            tau, slopes = self._kernel(name)(*states, values)
            return tau, slopes
        try:
            return self._mechanism.along(name, values, states, slopes=True)
        except ArmError as fault:
            raise ImpossibleDesign(str(fault)) from None

    def refuse_unfit(self, kind: str) -> None:
        """Refuse what this system has not, before a search begins."""
        if kind == "range" and self.is_mechanism:
            raise ArmError(
                f"{self.system.name}: a worst case over all poses is proved from the closed form of an arm, which a "
                f"mechanism has not; take {', '.join((*TORQUES, *SMOOTH))}"
            )
        if kind == "peak_motor_torque":
            refuse_without_motors(self.system)

    def peak(self, x: Array, kind: str, rows: Sequence[int], weights: Array) -> Pieces:
        """tau_j / w_j and -tau_j / w_j at all moments, of which the largest is the peak."""
        tau, slopes = self.torques(x, TORQUES[kind])
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

    @cached_property
    def _mass(self) -> DesignMass:
        return DesignMass(self.system, self.factors.names)

    def mass(self, x: Array) -> Smooth:
        """Mass of all that moves (kg): links, loads and the bodies that counted drives move."""
        value, slopes = self._mass(self.numbers(x))
        return value, slopes @ self.factors.jacobian

    def parsed(self, name: str) -> tuple[str, tuple[int, ...]]:
        """The kind, D or G, and the indices of a coefficient."""
        kind, index = names.parse(name, self.system.n)
        if kind not in ("D", "G") or (kind == "D") != (len(index) == 2):
            raise ArmError(
                f"{self.system.name}: a worst case is of an inertia D_ij or a gravity load G_i, not {name!r:.40}"
            )
        return kind, tuple(index)

    def coefficient(self, x: Array, name: str, poses: Array) -> Pieces:
        """A coefficient D_ij or G_i at poses ``(count, n)``, and with the other sign."""
        kind, index = self.parsed(name)
        function = "mass_matrix" if kind == "D" else "gravity_load"
        table, slopes = self._kernel(function)(poses, self.numbers(x))
        slopes = slopes.reshape(*table.shape, -1)
        values, gradients = table[(slice(None), *index)], slopes[(slice(None), *index)] @ self.factors.jacobian
        return np.concatenate([values, -values]), np.concatenate([gradients, -gradients])

    def rows(self, kind: str, joints: Sequence[str]) -> list[int]:
        """Indices of the joints, or of the motors, that a ``kind`` is of; all where none is named."""
        wanted = (joints,) if isinstance(joints, str) else joints
        if wanted and kind not in BY_JOINT:
            raise ArmError(f"{self.system.name}: {kind} is not of single joints; leave joints out")
        motors = kind == "peak_motor_torque"
        joint_names = motor_names(self.system) if motors else self.system.joint_names
        for name in wanted:
            if name not in joint_names:
                complaint = "there is no motor" if motors else "no joint moves that is called"
                raise ArmError(f"{self.system.name}: {complaint} {name!r:.60}; there are {listed(joint_names)}")
        return [joint_names.index(name) for name in wanted or joint_names]

    def unit(self, kind: str, rows: Sequence[int]) -> str:
        """Unit of a ``kind`` of these joints or motors; none where theirs differ."""
        if kind in UNITS:
            return UNITS[kind]
        quantity = OUTPUTS[kind].columns(Output(kind), self.system)
        units = {quantity[row][1] for row in rows}
        return units.pop() if len(units) == 1 else ""

    def weights(self, kind: str, weights: Sequence[float] | None, rows: Sequence[int]) -> Array:
        """What the torques are set against, joint by joint."""
        if weights is not None and kind not in WEIGHED:
            raise ArmError(f"{self.system.name}: weights belong to {listed(WEIGHED)}, not to {kind!r}")
        table = np.ones(len(rows)) if weights is None else np.array(weights, dtype=float)
        if table.shape != (len(rows),) or not (np.isfinite(table) & (table > 0)).all():
            raise ArmError(f"{self.system.name}: weights are one number above zero for each of {len(rows)}")
        return table

"""What is made of a mechanism as a whole: many motions at once, C code, sensitivities, files for others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike

from .coordinate_kinematics import CoordinateKinematics
from .many_motions import ManyMotions, simulate_many
from .mechanism_code import NEWTON, write_mechanism_c
from .mechanism_sensitivity import ParameterSensitivity, parameter_names, parameter_sensitivity
from .mjcf_export import write_mjcf

if TYPE_CHECKING:
    from ..equations.symbols import Request
    from .mechanism import Mechanism
    from .mechanism_equations import MechanismEquations


class MechanismOutputs(CoordinateKinematics):
    """The methods of ``Mechanism`` that hand it on."""

    @property
    def _mechanism(self) -> Mechanism:
        return cast("Mechanism", self)

    def simulate_many(
        self,
        tau: ArrayLike,
        phi: ArrayLike,
        qd: ArrayLike,
        duration: float,
        step: float = 1e-3,
        every: int | None = None,
    ) -> ManyMotions:
        """Motions of a batch of closed joints ``phi`` under constant loads ``tau``, by Runge-Kutta steps of ``step`` s.

        States are kept ``every`` so many steps, the first and the last by default.
        """
        return simulate_many(self._mechanism, tau, phi, qd, duration, step, every)

    def write_mjcf(self, path: str | Path) -> None:
        """Write the links and closures as MJCF for MuJoCo; what it cannot say is refused (``mjcf_export``)."""
        write_mjcf(self._mechanism, path)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Parameters of the chains, "chain.m1", "chain.a2": inertial ones about the link frame, lengths and twists."""
        return parameter_names(self._mechanism)

    def sensitivity(
        self,
        phi: ArrayLike,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        parameters: Sequence[str] | None = None,
    ) -> ParameterSensitivity:
        """Exact derivatives of joints, I* and loads to ``parameters`` (all of them by default), q held, at one state.

        A length moves what is beyond it; the inertia of a link stays as it is about the frame of the link.
        """
        zero = np.zeros(self.n)
        names = self.parameter_names if parameters is None else parameters
        return parameter_sensitivity(
            self._mechanism, phi, zero if qd is None else qd, zero if qdd is None else qdd, names
        )

    def equations(self, parameters: Request = "numbers") -> MechanismEquations:
        """The closed form, exact: D, C, G of the chains in the joints, closures, their Jacobian, and I* as quotients.

        ``parameters`` are symbols as of an arm; see ``MechanismEquations``.
        """
        from .mechanism_equations import MechanismEquations

        return MechanismEquations(self._mechanism, parameters)

    def write_c(self, name: str, folder: str | Path, newton: int = NEWTON, dtype: str = "float64") -> list[Path]:
        """Write a function as C99 into ``folder``, with header, test and CMake; the files written.

        "position" (guess, q), "joint_motion" and "inverse_dynamics" (and qd, qdd), "forward_dynamics" (and qd, tau,
        joint_load), "rates" (and qd, tau: joint rates and accelerations of the coordinates, what an integrator needs),
        "mass_matrix", "gravity_load". Each finds the joints by ``newton`` steps from ``guess`` and gives
        them as ``phi``, with the ``residual`` that they leave.
        """
        return write_mechanism_c(self._mechanism, name, folder, newton, dtype)

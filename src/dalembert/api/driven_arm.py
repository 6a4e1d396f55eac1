"""``DrivenArm``: an arm with its drives, and everything that can be asked of both together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.description import listed
from ..arm.drives import DriveTrain, with_locked_rotors
from ..arm.errors import ArmError
from ..arm.inertia import Load
from ..control.gains import linear_at
from ..control.requirements import Requirements, requirements
from ..control.trajectories import Trajectory
from ..drives.approximations import ApproximationError, compare
from ..drives.closed_form import DrivenEquations
from ..drives.driven import Driven
from ..drives.effective_inertia import InertiaRange, effective_inertia, inertia_range
from ..linear.hand import hand_model
from ..linear.joints import driven_model, motor_model
from ..linear.linear_model import LinearModel
from ..simulation.motion import Motion
from ..simulation.plant import DrivenPlant
from ..simulation.simulate import simulate

Array = NDArray[np.float64]

COORDINATES = ("joint", "hand")


class DrivenArm(Driven):
    """An arm with its drives. ``links`` is the arm itself; friction, rotors, motors are all in."""

    @classmethod
    def of(cls, arm: Any, train: DriveTrain, approximation: str = "exact") -> Self:
        """The arm with these drives; rotors that its links do not count yet are added to them."""
        own = train.reduced(arm)
        own.check(arm)
        return cls(with_locked_rotors(arm, own), own, approximation)

    def holding(self, load: Load | None, link: str | None = None) -> Self:
        """The same with ``load`` in the hand."""
        return type(self)(self._arm.holding(load, link), self.train, self.approximation)

    def with_gravity(self, gravity: Sequence[float]) -> Self:
        return type(self)(self._arm.with_gravity(gravity), self.train, self.approximation)

    @property
    def _arm(self) -> Any:
        return self.links

    # -- what the motors feel -------------------------------------------------------------------

    def effective_inertia(self, q: ArrayLike, others: str = "held") -> Array:
        """Inertia at each motor shaft (kg m^2), the other motors "held" or "free"."""
        return effective_inertia(self, q, others)

    def inertia_range(self, others: str = "held", samples: int = 2000) -> InertiaRange:
        """Least and greatest effective inertia of each motor within the joint limits."""
        return inertia_range(self, self._arm.lower, self._arm.upper, others, samples)

    def approximation_errors(
        self, speed: float = 1.0, acceleration: float = 1.0, samples: int = 500
    ) -> dict[str, ApproximationError]:
        """How wrong each approximation of the drives is, over random motions within the joint limits."""
        return compare(self, self._arm.lower, self._arm.upper, speed, acceleration, samples)

    # -- motion ---------------------------------------------------------------------------------

    def simulate(
        self, control: Any, q: ArrayLike, qd: ArrayLike | None = None, duration: float = 1.0, *,
        input: str = "motor torque", currents: ArrayLike | None = None, **options: Any,
    ) -> Motion:  # fmt: skip
        """The motion under ``control``: numbers, or a function of (t, q, qd), one for each motor.

        ``input`` says what they are: "motor torque", "joint torque", "current" or "voltage"; ``currents`` (A) flow at
        the start where voltages drive. The other options are those of ``Arm.simulate``. Friction sticks exactly.
        """
        return simulate(DrivenPlant(self, input, currents), control, q, qd, duration, **options)

    def requirements(self, trajectory: Trajectory, samples: int = 501) -> Requirements:
        """Torques, currents and voltages a trajectory needs, and the limit it meets first."""
        return requirements(self, trajectory, samples)

    def equations(self, parameters: Any = "numbers") -> DrivenEquations:
        """The exact equations of motion with the rotors in them; ``parameters`` as for ``Arm.equations``."""
        return DrivenEquations(self._arm, self.train, parameters, self.approximation)

    def linearize_along(self, trajectory: Trajectory, times: ArrayLike) -> list[LinearModel]:
        """Linear models, inputs motor torques, at these times of a trajectory."""
        return [linear_at(self, trajectory, float(t)) for t in np.atleast_1d(times)]

    def linearize(
        self, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None, *, input: str = "torque",
        coordinates: str | Sequence[str] = "joint", width: float | None = None,
    ) -> LinearModel:  # fmt: skip
        """The linear model about this motion; ``input`` is "torque" of the motors or "voltage" (current as a state).

        ``coordinates`` is "joint", "hand", or the names of hand coordinates; ``width`` makes Coulomb friction smooth.
        """
        place = np.asarray(q, dtype=float)
        speed = np.zeros(self.n) if qd is None else np.asarray(qd, dtype=float)
        rate = np.zeros(self.n) if qdd is None else np.asarray(qdd, dtype=float)
        if input not in ("torque", "voltage"):
            raise ArmError(f'the input of a linear model is "torque" or "voltage", not {input!r}')
        build = driven_model if input == "torque" else motor_model
        return carried(self._arm, build(self, place, speed, rate, width), place, speed, rate, coordinates)


def carried(
    arm: Any, model: LinearModel, q: Array, qd: Array, qdd: Array, coordinates: str | Sequence[str]
) -> LinearModel:
    """``model`` in the coordinates asked for."""
    if coordinates == "joint":
        return model
    if isinstance(coordinates, str) and coordinates != "hand":
        raise ArmError(f"no coordinates {coordinates!r}; there are {listed(COORDINATES)}")
    names = None if coordinates == "hand" else tuple(coordinates)
    return replace(hand_model(arm, model, q, qd, qdd, names), at=model.at)

"""The moving part of ``Arm``: its drives, linear models, simulation. What needs SciPy is imported at the first call."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.description import ArmDescription
from ..arm.drives import DriveTrain, from_joints
from ..arm.errors import ArmError
from ..arm.io.toml_drives import built_in_drives, read_drives_text

if TYPE_CHECKING:
    from ..control.requirements import Requirements
    from ..control.trajectories import Trajectory
    from ..linear.linear_model import LinearModel
    from ..simulation.loads import LoadChange
    from ..simulation.many import Many
    from ..simulation.motion import Motion
    from .driven_arm import DrivenArm

Array = NDArray[np.float64]


class Drives(ArmDescription):
    """The part of ``Arm`` that moves: drives, linear models, simulation."""

    @cached_property
    def drives(self) -> DriveTrain:
        """The drives: of the arm file, of the catalog, or what the joints say (drive tables, armature, friction)."""
        own = getattr(self, "drive_train", None)
        if own is None and self.origin == f"catalog/{self.name}.toml":
            own = built_in_drives(self.name, self)
        return (own if own is not None else from_joints(self)).reduced(self)

    @cached_property
    def driven(self) -> DrivenArm:
        """This arm with its drives."""
        from .driven_arm import DrivenArm

        return DrivenArm.of(self, self.drives)

    def with_drives(self, drives: DriveTrain | str | Path) -> DrivenArm:
        """This arm with other drives: a ``DriveTrain``, or the path of a TOML file with them."""
        from .driven_arm import DrivenArm

        if isinstance(drives, DriveTrain):
            return DrivenArm.of(self, drives)
        try:
            text = Path(drives).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as fault:
            raise ArmError(f"{drives}: cannot be read ({fault}); name a TOML file with drives") from None
        return DrivenArm.of(self, read_drives_text(text, str(drives), self))

    def linearize(
        self, q: ArrayLike, qd: ArrayLike | None = None, tau: ArrayLike | None = None, *,
        coordinates: str | Sequence[str] = "joint",
    ) -> LinearModel:  # fmt: skip
        """The linear model of the links about (q, qd) under torques ``tau`` (those that hold it by default).

        States positions and velocities of the joints, or with ``coordinates="hand"`` of the hand (or name hand
        coordinates, as many as joints); inputs joint torques. ``.state_space()`` hands it to python-control.
        """
        from ..linear.joints import links_model
        from .driven_arm import carried

        arm: Any = self
        place = np.asarray(q, dtype=float)
        speed = np.zeros(self.n) if qd is None else np.asarray(qd, dtype=float)
        torque = arm.bias(place, speed) if tau is None else np.asarray(tau, dtype=float)
        rate = arm.forward_dynamics(place, speed, torque)
        return carried(self, links_model(self, place, speed, torque), place, speed, rate, coordinates)

    def simulate(
        self, control: Any, q: ArrayLike, qd: ArrayLike | None = None, duration: float = 1.0, *,
        times: ArrayLike | None = None, samples: int = 501, start: float = 0.0, method: str = "DOP853",
        rtol: float = 1e-8, atol: float = 1e-10, max_step: float | None = None, stops: bool = False,
        restitution: float = 0.0, changes: Sequence[LoadChange] = (), period: float | None = None,
        progress: bool = False, compiled: bool | None = None, model: Any = None,
    ) -> Motion:  # fmt: skip
        """The motion of the links from (q, qd) over ``duration`` seconds under joint torques.

        ``control`` is an array of torques, or a function ``(t, q, qd)`` that gives them. ``times`` (or ``samples``
        evenly spaced ones) are when to record; ``method`` is one of scipy's, with tolerances ``rtol``, ``atol``.
        ``stops`` makes position limits solid, with this ``restitution``; ``changes`` grip or drop loads; ``period``
        (s) samples and holds the controller. ``compiled`` forces (True) or forbids (False) the loop in machine code,
        which serves constant torques, and computed torque and PD on polynomial trajectories, with "DOP853"; by
        default it is used where it can be. ``model`` moves in place of the exact arm: a reduced one. Friction is in
        ``arm.driven.simulate``.
        """
        from ..simulation.plant import LinkPlant
        from ..simulation.simulate import simulate

        plain = not stops and not changes and period is None and max_step is None and method == "DOP853"
        if compiled is not False:
            from ..control.compiled_loop import run, serves

            reason = "these options need events" if not plain else serves(self, control)
            reason = reason or ("it is not the exact arm that moves" if model is not None else "")
            if not reason:
                found = run(self, control, q, qd, duration, times, samples, start, rtol, atol)
                if found is not None:
                    return found
                reason = "there is no C compiler"
            if compiled:
                raise ArmError(f"this simulation cannot run in machine code: {reason}")
        return simulate(
            LinkPlant(self if model is None else model), control, q, qd, duration, times=times, samples=samples,
            start=start, method=method, rtol=rtol, atol=atol, max_step=max_step, stops=stops, restitution=restitution,
            changes=changes, period=period, progress=progress,
        )  # fmt: skip

    def simulate_many(
        self, torque: ArrayLike, q: ArrayLike, qd: ArrayLike | None = None, duration: float = 1.0, *,
        step: float = 1e-3, every: int | None = None, parameters: ArrayLike | None = None,
    ) -> Many:  # fmt: skip
        """Many arms at once under constant torques, RK4 with a fixed ``step`` (s), in machine code where it can be.

        ``q``, ``qd`` and ``torque`` are ``(arms, n)`` or broadcast to it. ``every`` keeps each so many steps (only
        the last state without it). ``parameters`` ``(arms, 10 n)`` lets the inertial parameters differ.
        """
        from ..simulation.many import simulate_many

        return simulate_many(self, torque, q, qd, duration, step, every, parameters)

    def linearize_along(self, trajectory: Trajectory, times: ArrayLike) -> list[LinearModel]:
        """Linear models of the links at these times of a trajectory."""
        from ..control.gains import linear_at

        return [linear_at(self, trajectory, float(t)) for t in np.atleast_1d(times)]

    def requirements(self, trajectory: Trajectory, samples: int = 501) -> Requirements:
        """Torques a trajectory needs, and the limit it meets first."""
        from ..control.requirements import requirements

        return requirements(self, trajectory, samples)

    def replay(self, motion: Motion, path: str | Path) -> None:
        """Write ``motion`` as a page that plays it in the 3D view of the report."""
        from .replay import write_replay

        write_replay(self, motion, path)

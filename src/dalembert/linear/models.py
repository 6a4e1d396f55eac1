"""The linear model of a system about a state, for the input and the coordinates asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ..arm.description import listed
from ..arm.errors import ArmError
from ..arm.force import Force
from ..systems.arm_kinematics import MovingArm
from ..systems.arrays import one_state
from ..systems.driven import DrivenSystem
from .hand import hand_model
from .joints import OuterForces, driven_model, links_model, motor_model
from .linear_model import LinearModel

COORDINATES = ("joint", "hand")
INPUTS = ("joint torque", "motor torque", "voltage")


def linear_model(
    system: MovingArm,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    input: str | None = None,
    coordinates: str | Sequence[str] = "joint",
    width: float | None = None,
    forces: Sequence[Force] = (),
    disturbances: Sequence[Force] = (),
) -> LinearModel:
    """See ``Arm.linearize``."""
    position = one_state(system.n, "q", q)
    speed = np.zeros(system.n) if qd is None else one_state(system.n, "qd", qd)
    outer = outer_forces(forces, disturbances)
    # about the motion of the model itself: where friction is made smooth, smooth friction decides how it accelerates
    smooth, resisting = system, np.zeros(system.n)
    if width is not None:
        smooth, resisting = system.frictionless(), system.friction_torque(position, speed, width)
    if tau is None:
        rate = np.zeros(system.n)
        torque = smooth.bias(position, speed) + resisting
        if outer.all:
            torque = torque - system.force_load(position, outer.all)
    else:
        torque = one_state(system.n, "tau", tau)
        rate = smooth.forward_dynamics(position, speed, torque - resisting, forces=outer.all)
    input_kind = input or ("motor torque" if isinstance(system, DrivenSystem) else "joint torque")
    if input_kind not in INPUTS:
        raise ArmError(f"no input {input!r} of a linear model; there are {listed(INPUTS)}")
    if input_kind == "joint torque":
        if width is not None:
            raise ArmError("width makes the friction of drives smooth; it belongs to the inputs of motors")
        model = links_model(system, position, speed, torque, outer)
    elif not isinstance(system, DrivenSystem):
        raise ArmError(f"{system.name}: {input_kind} needs an arm with its drives; linearize arm.driven")
    else:
        build = driven_model if input_kind == "motor torque" else motor_model
        model = build(system, position, speed, rate, width, outer)
    if coordinates == "joint":
        return model
    if isinstance(coordinates, str) and coordinates != "hand":
        raise ArmError(f"no coordinates {coordinates!r}; there are {listed(COORDINATES)}")
    names = None if coordinates == "hand" else tuple(coordinates)
    return replace(hand_model(system, model, position, speed, rate, names), at=model.at)


def outer_forces(forces: Sequence[Force], disturbances: Sequence[Force]) -> OuterForces:
    """Steady and disturbing forces, each one vector: a linear model is about one state."""
    for name, group in (("forces", forces), ("disturbances", disturbances)):
        if isinstance(group, Force) or not all(isinstance(force, Force) for force in group):
            raise ArmError(f"{name} of a linear model are a list of Force, such as [Force('hand')]; got {group!r}")
    outer = OuterForces(tuple(forces), tuple(disturbances))
    for force in outer.all:
        if np.ndim(force.force) != 1 or np.ndim(force.moment) != 1:
            raise ArmError(f"the force on link {force.link!r} must be one vector: a linear model is about one state")
    return outer

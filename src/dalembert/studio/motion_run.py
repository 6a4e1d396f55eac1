"""A motion to look at: simulated, with loads gripped and dropped on its way, or read from a file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from ..arm.inertia import Load
from ..simulation.inputs import Control
from ..simulation.loads import LoadChange
from ..simulation.motion import Motion
from ..systems.protocol import System

Array = NDArray[np.float64]
CONTROLLERS = ("computed torque", "PD with gravity", "none: let go")
HELD, GRIPPED, DROPPED, CARRIED = "held throughout", "gripped on the way", "dropped on the way", "gripped and dropped"
PAYLOADS = (HELD, GRIPPED, DROPPED, CARRIED)
"""When a payload that the controller does not know is in the hand."""
INSTANT = 1e-12
"""Difference of times (s) that is none."""
LARGEST_FILE = 50_000_000
"""Largest file of a motion that is taken (bytes)."""


@dataclass(frozen=True)
class MotionRun:
    """``motion`` of ``systems``, each from its time (s) on; ``qdd`` along it, and where they are known the positions
    that were asked for and the torques that were recorded."""

    motion: Motion
    systems: tuple[tuple[float, System], ...]
    qdd: Array
    reference: Array | None = None
    recorded: Array | None = None

    def system_at(self, moment: float) -> System:
        """The system that moves at this time: with what is in the hand then, at a change what was there before it."""
        return [system for k, (start, system) in enumerate(self.systems) if start + INSTANT < moment or not k][-1]

    def stretches(self) -> list[tuple[slice, System]]:
        """The samples of each system; a sample at a change of load is the last of the old."""
        t = np.asarray(self.motion.t)
        starts = [0, *(int(np.searchsorted(t, start + INSTANT)) for start, _ in self.systems[1:])]
        ends = [*starts[1:], len(t)]
        return [(slice(a, b), system) for a, b, (_, system) in zip(starts, ends, self.systems, strict=True) if b > a]

    def acceleration(self, moment: float) -> Array:
        """qdd at a time, between samples by straight lines."""
        return np.array([np.interp(moment, self.motion.t, column) for column in self.qdd.T])


@dataclass(frozen=True)
class Order:
    """What is to be simulated: from ``start`` to ``target`` in ``duration`` seconds, with ``mass`` (kg) in the hand.

    The controller knows ``system`` alone. ``payload`` is one of ``PAYLOADS``, with the times (s) ``grip`` and ``drop``;
    an object that is gripped was at rest, so that momentum is conserved, or moved with the hand (``moves``).
    """

    system: System
    start: Array
    target: Array
    duration: float
    controller: str = CONTROLLERS[0]
    mass: float = 0.0
    payload: str = HELD
    grip: float = 0.0
    drop: float = 0.0
    moves: bool = False

    @property
    def own_load(self) -> Load | None:
        """What the design has in its hand; a payload takes its place for as long as it is held."""
        return dict(getattr(self.system, "loads", ())).get(getattr(self.system, "tool_link", ""))

    def changes(self) -> list[LoadChange]:
        """Grip and drop, in their order."""
        load_changes = []
        if self.mass and self.payload in (GRIPPED, CARRIED):
            load_changes.append(LoadChange(self.grip, Load(mass=self.mass), self.moves))
        if self.mass and self.payload in (DROPPED, CARRIED):
            load_changes.append(LoadChange(self.drop, self.own_load))
        if len(load_changes) == 2 and self.drop <= self.grip:
            raise ArmError(f"the load is gripped at {self.grip:g} s, so it can be dropped only later than that")
        return load_changes


def simulated(order: Order, tell: Callable[[float], object] | None = None) -> MotionRun:
    """The motion of an order; ``tell(t)`` is called as it goes on, and what it raises gives it up."""
    from ..control.controllers import ComputedTorque, PDGravity
    from ..control.simulate_system import simulate_system
    from ..control.trajectories import quintic

    system, changes = order.system, order.changes()
    laden = bool(order.mass) and order.payload in (HELD, DROPPED)
    plant: System = system.holding(Load(mass=order.mass)) if laden else system
    path = quintic([order.start, order.target], order.duration)
    if order.controller == CONTROLLERS[2]:
        law: Control = np.zeros(system.n)
    elif order.controller == CONTROLLERS[0]:
        law = ComputedTorque(system, path)
    else:  # stiffness for 10 rad/s at the inertia of the pose, critically damped
        inertia = np.diagonal(system.mass_matrix(order.start))
        law = PDGravity(system, path, kp=100 * inertia, kd=20 * inertia)
    motion = simulate_system(plant, law, order.start, duration=order.duration, changes=changes, tell=tell)
    systems = ((0.0, plant), *((change.time, system.holding(change.load)) for change in changes))
    reference = None if order.controller == CONTROLLERS[2] else np.asarray(path.position(motion.t))
    return MotionRun(motion, systems, accelerations(motion), reference)


def accelerations(motion: Motion) -> Array:
    """d qd/dt by differences, none of them across an event; a sample at an event is of the motion before it."""
    t, qd = np.asarray(motion.t), np.asarray(motion.qd)
    qdd = np.zeros_like(qd)
    breaks = np.unique(np.searchsorted(t, [event.time + INSTANT for event in motion.events]))
    for piece in np.split(np.arange(len(t)), breaks):
        if len(piece) > 1:
            qdd[piece] = np.gradient(qd[piece], t[piece], axis=0, edge_order=2 if len(piece) > 2 else 1)
    return qdd


def read_run(system: System, name: str, content: bytes) -> MotionRun:
    """A motion from a CSV file, measured or planned, with the torques that it needs.

    Columns are those that ``dalembert simulate`` writes or ``da.Log`` reads: times, positions, and velocities and
    accelerations where they are known; torques of the joints that the file has are kept beside those that are needed.
    """
    from ..identification.log import Log
    from ..simulation.motion_files import read_motion

    if len(content) > LARGEST_FILE:
        raise ArmError(f"{name}: a motion of {len(content) / 1e6:.0f} MB is too long; give at most 50 MB")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "motion.csv")
        path.write_bytes(content)
        try:
            samples = read_motion(system, path)
        except ArmError as fault:
            raise ArmError(str(fault).replace(str(path), name)) from None
        try:
            recorded = Log.read(path).effort
        except ArmError:  # a planned motion has no torques, and one under motors has theirs
            recorded = None
    assert samples.t is not None, "a file of a motion has times"
    t, q, qd, qdd = samples.t, samples.q, samples.qd, samples.qdd
    torque = np.asarray(system.inverse_dynamics(q, qd, qdd))
    friction = np.asarray(system.friction_torque(q, qd))
    motion = Motion(
        name=name, t=t, q=q, qd=qd, u=torque, joint_names=tuple(system.joint_names),
        joint_units=tuple("rad" if joint.kind == "revolute" else "m" for joint in system.moving),
        input_names=tuple(system.joint_names),
        input_units=tuple("N m" if joint.kind == "revolute" else "N" for joint in system.moving),
        kinetic=np.asarray(system.kinetic_energy(q, qd)), potential=np.asarray(system.potential_energy(q)),
        work=_integral(t, (torque * qd).sum(axis=1)), lost=_integral(t, (friction * qd).sum(axis=1)),
    )  # fmt: skip
    fits = recorded is not None and recorded.shape == q.shape
    return MotionRun(motion, ((float(t[0]), system),), qdd, None, recorded if fits else None)


def _integral(t: Array, values: Sequence[float] | Array) -> Array:
    """The integral from the first time on, by trapezoids."""
    from scipy.integrate import cumulative_trapezoid

    return np.asarray(cumulative_trapezoid(values, t, initial=0.0))

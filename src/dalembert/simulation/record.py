"""Recorder of a simulation: states on a time grid, grouped by plant, since a change of payload changes the plant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..systems.driven import MotorSystem
from .motion import Motion

if TYPE_CHECKING:
    from .simulate import Simulation

Array = NDArray[np.float64]


def linear_motors(system: Any) -> tuple[str, ...]:
    """Names of the motors that slide; none where the drives do not count."""
    motors = zip(system.motor_names, system.motor_units, strict=True) if isinstance(system, MotorSystem) else ()
    return tuple(name for name, unit in motors if unit == "N")


@dataclass(frozen=True)
class Sample:
    """A recorded state: time (s), state vector, inputs, and the energy (J) that events have taken up to it."""

    t: float
    x: Array
    u: Array
    jumped: float


class Record:
    """Samples at ``times``; the initial and the final state are always recorded."""

    def __init__(self, plant: Any, times: Array) -> None:
        self.times, self.next = np.asarray(times, dtype=float), 0
        self.groups: list[tuple[Any, list[Sample]]] = [(plant, [])]
        self.cut: list[NDArray[np.bool_]] = []

    def plant_changes(self, plant: Any) -> None:
        """Starts a new group of samples for another plant."""
        self.groups.append((plant, []))

    def due(self, end: float) -> bool:
        """Whether a sample falls into a step that ends there."""
        return self.next < len(self.times) and bool(self.times[self.next] <= end)

    def take(self, path: Any, start: float, end: float, run: Simulation) -> None:
        """Records the samples of one integration step, up to and including ``end``."""
        while self.due(end):
            t = float(self.times[self.next])
            self.next += 1
            if t >= start:
                self.add(t, path(t), run)

    def add(self, t: float, x: Array, run: Simulation) -> None:
        """Records one state and the input there; nothing of it where the controller fails."""
        n = run.n
        u = run.control(t, *run.split(x))
        if run.saturation is not None:
            self.cut.append(run.saturation.reached(x[:n], u))
        self.groups[-1][1].append(Sample(t, x, u, run.jumped))

    def motion(self, run: Simulation, fault: str, interrupted: bool = False) -> Motion:
        """The recorded motion with energies and outputs; after a failure its last state is without an input.

        An interruption may come while a state is being taken over: what counts then is what was recorded before.
        """
        plant, samples = self.groups[-1]
        recorded = any(group for _, group in self.groups)
        if not (interrupted and recorded) and (not samples or samples[-1].t < run.t):
            final = np.concatenate([run.q, run.qd, run.extra, [run.work, run.lost]])
            if fault:
                samples.append(Sample(run.t, final, np.full(len(run.plant.input_names), np.nan), run.jumped))
            else:
                self.add(run.t, final, run)
        n = run.n
        t: list[float] = []
        jumps: list[float] = []
        states, inputs, kinetic, potential = [], [], [], []
        others: dict[str, list[Array]] = {}
        for plant, samples in self.groups:
            if not samples:
                continue
            x, u = np.array([sample.x for sample in samples]), np.array([sample.u for sample in samples])
            t += [sample.t for sample in samples]
            jumps += [sample.jumped for sample in samples]
            states.append(x)
            inputs.append(u)
            kinetic.append(np.atleast_1d(plant.kinetic_energy(x[:, :n], x[:, n : 2 * n])))
            potential.append(np.atleast_1d(plant.potential_energy(x[:, :n])))
            for row, row_inputs in zip(x, u, strict=True):
                # without an input the outputs are unknown as well
                has_input = bool(np.isfinite(row_inputs).all())
                outputs = plant.outputs(row[:n], row[n : 2 * n], row[2 * n : -2], np.nan_to_num(row_inputs))
                for name, values in outputs.items():
                    others.setdefault(name, []).append(values if has_input else np.full(np.shape(values), np.nan))
        state = np.concatenate(states)
        kinds = [joint.kind for joint in run.plant.system.moving]
        return Motion(
            run.plant.name, np.array(t), state[:, :n], state[:, n : 2 * n], np.concatenate(inputs),
            run.plant.joint_names, tuple("rad" if kind == "revolute" else "m" for kind in kinds),
            run.plant.input_names, run.plant.input_units, np.concatenate(kinetic), np.concatenate(potential),
            state[:, -2], state[:, -1], tuple(run.events),
            {name: np.array(values) for name, values in others.items()}, getattr(run.plant.system, "motor_names", ()),
            run.steps, run.evaluations, fault, tuple(run.stepped),
            tuple(np.mean(self.cut, axis=0).tolist()) if self.cut else None, linear_motors(run.plant.system),
            np.array(jumps),
        )  # fmt: skip

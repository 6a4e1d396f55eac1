"""Computed torque on one motion with the exact and the reduced models: what the proved torque error costs in tracking.

The arm is exact; friction, which all models share, is left out. The controller asks its model for tau = ID(q, qd,
qdd_ref + kd e' + kp e); with the exact model the error obeys e'' + kd e' + kp e = 0 and stays zero, so that what
remains is the model's doing. With a load in the hand each model is tried twice: with the load's constants, and with
those of the empty hand, which is what a controller does that is not told of the load.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from ..arm.errors import ArmError
from ..arm.inertia import Load
from ..control.trajectories import Polynomials, quintic
from ..markup.numbers import percent
from ..reduction.graph_edits import table
from ..reduction.reduced_model import ReducedModel
from ..reduction.states import States
from ..systems.arm_system import ArmSystem

Array: TypeAlias = NDArray[np.float64]
KP, KD = 100.0, 20.0
SAMPLES = 161
SHARE = 0.6
"""Part of each joint's range that the motion covers."""


@dataclass(frozen=True, eq=False)
class Tracking:
    """Errors q - q_ref of each model along the motion, (times, joints) each; ``load`` (kg) is in the hand.

    ``knows_load`` says that the models have the constants of the hand as it is, and not those of the empty one.
    """

    times: Array
    duration: float
    errors: Mapping[str, Array]
    load: float = 0.0
    knows_load: bool = True

    def largest(self, name: str, joints: Sequence[int]) -> float:
        """The largest error of a model at some of the joints."""
        return float(np.abs(self.errors[name][:, list(joints)]).max())


@dataclass(frozen=True)
class Row:
    """One run: which arm moves (0 with the hand empty, 1 with the load), and what its controller believes.

    ``model`` is None for the exact one; ``knows_load`` says that the model has the constants of the hand as it is.
    """

    plant: int
    model: ReducedModel | None
    knows_load: bool


def runs(
    empty: ArmSystem, loaded: ArmSystem | None, models: Sequence[ReducedModel], states: States,
    tell: Callable[[str], None] = lambda _text: None,
) -> list[Tracking]:  # fmt: skip
    """The motion with the hand empty; with the load, and models told of it; with the load, and models not told.

    ``models`` are given with the finest first.
    """
    arms = [empty] if loaded is None else [empty, loaded]
    load = dict(loaded.loads).get(loaded.tool_link) if loaded is not None else None
    believed = [("exact", None), *((percent(model.tolerance), model) for model in models)]
    kinds = [(0, True), (1, True), (1, False)][: 3 if load is not None else 1]
    rows = [Row(plant, model, knows_load) for plant, knows_load in kinds for _, model in believed]
    motion = motion_within(states)
    times, errors = tracked(motion, rows, arms, models, load, tell)
    return [
        Tracking(
            times,
            motion.duration,
            {name: errors[:, k * len(believed) + index] for index, (name, _) in enumerate(believed)},
            float(load.body.mass) if plant and load is not None else 0.0,
            knows_load,
        )
        for k, (plant, knows_load) in enumerate(kinds)
    ]


def motion_within(states: States) -> Polynomials:
    """All joints through the middle of their ranges, as fast as the speeds and accelerations allow."""
    # A joint without speed or acceleration stands.
    travel = np.where((states.speed > 0) & (states.acceleration > 0), SHARE * 2 * states.box.half, 0.0)
    if not travel.any():
        raise ArmError(
            "no joint has a speed and an acceleration above zero, so that there is no motion to follow; give some, as "
            "in --speed 1 --acceleration 2"
        )
    # The polynomial's largest speed is 15/8 and its largest acceleration 10/sqrt 3 of the way, in its own time.
    with np.errstate(divide="ignore", invalid="ignore"):
        durations = np.concatenate([1.875 * travel / states.speed, np.sqrt(5.7736 * travel / states.acceleration)])
    duration = float(np.nanmax(np.where(np.isfinite(durations), durations, np.nan)))
    return quintic([states.box.centre - travel / 2, states.box.centre + travel / 2], [0.0, duration])


class Exact:
    """The exact equations of one system, friction left out, for some of the rows."""

    def __init__(self, system: ArmSystem, rows: Sequence[int]) -> None:
        self.system, self.rows = system.frictionless(), np.array(rows, int)

    def __call__(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """Mass matrices and torques at no acceleration."""
        q, qd = q[self.rows], qd[self.rows]
        return self.system.mass_matrix(q), self.system.bias(q, qd)


class Reduced:
    """One reduced program for the rows whose controllers have it, each with its own constants."""

    def __init__(self, model: ReducedModel, rows: Sequence[Row], load: Load | None) -> None:
        self.rows = np.array([k for k, row in enumerate(rows) if row.model is model], int)
        nominal = {name: float(value) for name, value in model.values.items()}
        loaded = model.with_load(load) if load is not None else nominal
        constant_sets = [loaded if rows[k].plant and rows[k].knows_load else nominal for k in self.rows]
        self.constants = {name: np.array([constants[name] for constants in constant_sets]) for name in nominal}
        self.outputs, self.n = model.program.outputs, model.n

    def __call__(self, q: Array, qd: Array, qdd: Array) -> Array:
        values: dict[str, Array] = dict(self.constants)
        for name, array in (("q", q), ("qd", qd), ("qdd", qdd)):
            values |= {f"{name}_{i}": array[self.rows, i] for i in range(self.n)}
        values_by_node = table(self.outputs, values)
        shape = (len(self.rows),)
        return np.stack(
            [np.broadcast_to(np.asarray(values_by_node[x.index], float), shape) for x in self.outputs], axis=-1
        )


class ControlledPlants:
    """All rows at once: each plant under the torque of its own controller."""

    def __init__(
        self, rows: Sequence[Row], arms: Sequence[ArmSystem], models: Sequence[ReducedModel], load: Load | None
    ) -> None:
        self.arm = arms[0]
        exact = {k: row.knows_load for k, row in enumerate(rows) if row.model is None}
        rows_of = [{k for k, row in enumerate(rows) if row.plant == p} for p in range(len(arms))]
        # The empty arm is also what an exact controller believes in that is not told of the load.
        rows_of[0] |= {k for k, knows_load in exact.items() if not knows_load}
        self.plants = [Exact(system, sorted(plant_rows)) for system, plant_rows in zip(arms, rows_of, strict=True)]
        self.informed = np.array([k for k, knows_load in exact.items() if knows_load], int)
        self.programs = [Reduced(model, rows, load) for model in models]

    def accelerations(self, q: Array, qd: Array, commanded: Array) -> Array:
        """qdd ``(rows, n)`` where the controllers command ``commanded``."""
        count, n = q.shape
        matrix, bias, torque = np.zeros((count, n, n)), np.zeros((count, n)), np.zeros((count, n))
        for p, plant in enumerate(self.plants):
            inertia, plant_bias = plant(q, qd)
            if p == 0:
                torque[plant.rows] = (inertia @ commanded[plant.rows][..., None])[..., 0] + plant_bias
            matrix[plant.rows], bias[plant.rows] = inertia, plant_bias
        rows = self.informed
        torque[rows] = (matrix[rows] @ commanded[rows][..., None])[..., 0] + bias[rows]
        for program in self.programs:
            torque[program.rows] = program(q, qd, commanded)
        try:
            return np.asarray(np.linalg.solve(matrix, (torque - bias)[..., None])[..., 0])
        except np.linalg.LinAlgError:
            raise ArmError(
                f"{self.arm.where}the inertia matrix of {self.arm.name} is singular on the way, so that torques do not "
                "say how it moves; give every joint some inertia"
            ) from None


def tracked(
    motion: Polynomials, rows: Sequence[Row], arms: Sequence[ArmSystem], models: Sequence[ReducedModel],
    load: Load | None, tell: Callable[[str], None],
) -> tuple[Array, Array]:  # fmt: skip
    """Times and errors (times, rows, joints) of all rows, in one integration."""
    arm, count, n = arms[0], len(rows), arms[0].n
    plants = ControlledPlants(rows, arms, models, load)
    next_report = 0.0

    def slope(t: float, x: Array) -> Array:
        nonlocal next_report
        if t >= next_report:
            tell(f"{t:.1f} of {motion.duration:.1f} s")
            next_report = t + motion.duration / 12
        q, qd = x.reshape(2, count, n)
        reference_q, reference_qd, reference_qdd = motion.state(t)
        commanded = reference_qdd + KD * (reference_qd - qd) + KP * (reference_q - q)
        return np.stack([qd, plants.accelerations(q, qd, commanded)]).ravel()

    times = np.linspace(0.0, motion.duration, SAMPLES)
    begin = np.stack([np.tile(motion.state(0.0)[0], (count, 1)), np.zeros((count, n))]).ravel()
    solution = solve_ivp(slope, (0.0, motion.duration), begin, t_eval=times, rtol=1e-5, atol=1e-7)
    if not solution.success:
        raise ArmError(
            f"{arm.where}the motion of {arm.name} under computed torque cannot be followed: {solution.message}"
        )
    reference = np.stack([motion.state(t)[0] for t in solution.t])
    return solution.t, solution.y.T.reshape(len(solution.t), 2, count, n)[:, 0] - reference[:, None]

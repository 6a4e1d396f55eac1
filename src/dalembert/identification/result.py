"""``Identification``: the model that was found, how sure it is, and how well it explains a log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from ..arm.drives import Actuator, DriveTrain
from ..arm.errors import ArmError
from ..arm.exact import exact
from ..arm.friction_models.coulomb import COULOMB
from ..arm.friction_models.model import FrictionModel
from ..arm.friction_models.stribeck import Stribeck
from ..arm.inertia import Inertia, Load
from ..arm.lazy_arrays import chunkwise
from ..arm.moving_parts import Rotor
from ..arm.shaft_friction import Friction
from ..systems.arm_system import ArmSystem
from ..systems.driven import DrivenSystem
from .base_columns import BaseColumns
from .estimation import Estimate
from .log import Array, Log
from .log_checks import check_log
from .observations import KnownTorques, Loads, Shape, Unknowns, known_torques, link_torques
from .payload import IdentifiedLoad, identify_load
from .position_noise import PositionNoise, position_noise
from .silent import Silent, silent
from .smoothing import Smoothed, smoothed

SURE = 3.0
"""Standard errors from zero at which a value is determined."""


class Drivable(Protocol):
    """An arm that takes drives."""

    def with_drives(self, drives: DriveTrain) -> DrivenSystem:
        """The same with drives that count."""


@dataclass(frozen=True)
class IdentifiedParameter:
    """A combination that the torques depend on: what it stands for, its value by least squares and standard error."""

    name: str
    combination: str
    value: float
    error: float
    unit: str

    @property
    def determined(self) -> bool:
        """Whether the value is at least three standard errors from zero."""
        return abs(self.value) >= SURE * self.error


@dataclass(frozen=True, eq=False)
class Residual:
    """What a model leaves unexplained of a log: norm of the difference over that of the effort.

    ``joints`` and ``whole`` are of the band that was filtered, joint by joint and in all; ``raw`` is in all, of the
    effort as it was measured. ``t``, ``effort`` and ``predicted`` are those of the band.
    """

    name: str
    joints: Array
    whole: float
    raw: float
    t: Array
    q: Array
    qd: Array
    effort: Array
    predicted: Array


@chunkwise(predict="q qd qdd")
@dataclass(frozen=True, eq=False)
class Identification:
    """A model found from logs.

    ``values`` has one number for each of ``unknowns.names``. ``spread`` is the standard deviation of what is left at
    each joint (N m, N). ``warnings`` say what is doubtful about the logs. ``described`` is the arm as it was given but
    for ``loads``, which it carries besides and which are known, each with its link.
    """

    described: ArmSystem
    unknowns: Unknowns
    base: BaseColumns
    shape: Shape
    values: Array
    physical: bool
    estimate: Estimate
    logs: tuple[Smoothed, ...]
    known: tuple[Array, ...]
    gains: Array | None
    method: str
    robust: bool
    cutoff: float | None
    warnings: tuple[str, ...]
    samples: int
    loads: Loads = ()

    def noting(self, sentences: Sequence[str]) -> Identification:
        """The same with further warnings."""
        return replace(self, warnings=(*self.warnings, *sentences))

    # -- the model -------------------------------------------------------------------------------

    @cached_property
    def arm(self) -> ArmSystem:
        """The arm with the inertias found: each body's at the link its joint moves, links fixed to it massless.

        Loads that the arm was given with are still loads.
        """
        if not self.physical:
            raise ArmError(
                'least squares give the combinations that torques depend on, not bodies; ask for method="consistent"'
            )
        arm = self.described
        bodies = {joint.child: self.values[10 * k : 10 * k + 10] for k, joint in enumerate(arm.all_moving)}
        links = tuple(
            replace(link, inertia=_inertia(bodies[link.name]))
            if link.name in bodies
            else replace(link, inertia=Inertia()) if arm.body_of[link.name][0] >= 0 else link
            for link in arm.links
        )  # fmt: skip
        return replace(arm, links=links, loads=self.loads)

    @cached_property
    def drives(self) -> DriveTrain:
        """Friction and reflected rotor inertias as a drive train.

        Offsets and friction that grows with the load are not part of a drive train: ``predict`` has them, ``left_out``
        names them.
        """
        actuators = []
        friction = []
        for k, joint in enumerate(self.described.moving):
            factors = self.friction_of(k)
            rotor = self.values[self.unknowns.rotor_column(k)] if self.unknowns.rotors else 0.0
            actuators.append(
                Actuator.of(f"motor of {joint.name}", {joint.name: 1}, Rotor(exact(max(float(rotor), 0.0))))
            )
            coulomb, extra = max(factors.get("coulomb", 0.0), 0.0), max(factors.get("stribeck", 0.0), 0.0)
            model: FrictionModel = Stribeck(float(self.shape.stribeck[k])) if extra else COULOMB
            joint_friction = Friction.of(
                coulomb, coulomb + extra if extra else None, max(factors.get("viscous", 0.0), 0.0), model
            )
            friction.append((joint.name, joint_friction))
        return DriveTrain(tuple(actuators), joint_friction=tuple(friction), notes="identified from logs")

    @property
    def left_out(self) -> tuple[str, ...]:
        """Terms of friction that ``system`` cannot have."""
        return tuple(term for term in self.unknowns.friction.names if term in ("offset", "load"))

    @cached_property
    def system(self) -> DrivenSystem:
        """The arm with friction and rotors: a system like any other."""
        return cast(Drivable, self.arm).with_drives(self.drives)

    def friction_of(self, joint: int) -> Mapping[str, float]:
        """The friction terms of a joint (counted from 0)."""
        names = self.unknowns.friction.names
        return {name: float(self.values[self.unknowns.friction_column(joint, k)]) for k, name in enumerate(names)}

    def predict(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Torques (N m, N) at these states; friction, offsets, rotors, loads, springs and dampers included."""
        states = [np.asarray(x, dtype=float) for x in (q, qd, qdd)]
        links = self.described.regressor(*states) @ self.values[: self.unknowns.inertial]
        return self._with_drives(links + self.known_at()(*states), states[1], states[2])

    def known_at(self, load: Load | None = None) -> KnownTorques:
        """What is known of the torques, of q, qd, qdd; with ``load`` in the hand in place of what the arm has there."""
        arm = self.described
        moving = tuple((link, load_held) for link, load_held in self.loads if arm.body_of[link][0] >= 0)
        if load is None:
            return KnownTorques(arm, moving)
        others = tuple((link, load_held) for link, load_held in moving if link != arm.tool_link)
        return KnownTorques(arm, (*others, (arm.tool_link, load)) if load.body else others)

    def _with_drives(self, links: Array, speed: Array, acceleration: Array) -> Array:
        unknowns, n = self.unknowns, self.described.n
        columns = unknowns.friction.columns(speed, self.shape.transition, self.shape.stribeck, links)
        count = len(unknowns.friction.names)
        factors = self.values[unknowns.inertial : unknowns.inertial + n * count].reshape(n, count)
        total = links + (columns * factors).sum(axis=-1)
        if unknowns.rotors:
            total = total + acceleration * self.values[unknowns.rotor_column(0) : unknowns.rotor_column(n)]
        return np.asarray(total)

    # -- how good it is --------------------------------------------------------------------------

    @cached_property
    def parameters(self) -> tuple[IdentifiedParameter, ...]:
        """The base parameters, friction and rotors by least squares, with standard errors."""
        errors = np.sqrt(np.maximum(np.diag(self.estimate.covariance), 0.0))
        names, units = self.unknowns.names, self.unknowns.units
        return tuple(
            IdentifiedParameter(names[column], text, float(value), float(error), units[column])
            for column, text, value, error in zip(
                self.base.columns, self.base.texts, self.estimate.values, errors, strict=True
            )
        )

    @cached_property
    def silent(self) -> tuple[Silent, ...]:
        """What the logs do not tell, each with a motion that would."""
        return silent(self)

    @cached_property
    def noise(self) -> PositionNoise | None:
        """What noise of the positions does to ``parameters``, beyond their errors; None where it is faint."""
        return position_noise(self)

    @property
    def gain_errors(self) -> Array | None:
        """Standard errors of the gains (N m/A), zero for those that were given; None where efforts are torques."""
        return None if self.gains is None else np.abs(self.gains) * self.estimate.gain_errors

    @property
    def gravity(self) -> Array:
        """Gravity in the base frame (m/s^2): as described, or as found."""
        return np.array(self.described.gravity, dtype=float)

    @property
    def gravity_error(self) -> float:
        """Standard error of its direction (rad), zero where it was not looked for."""
        return self.estimate.gravity_error

    @property
    def instrument_shifts(self) -> Array | None:
        """By how many standard errors instruments move each of ``parameters``; None where there are none."""
        if self.estimate.plain is None:
            return None
        shift = self.estimate.values - self.estimate.plain.values[: self.estimate.count]
        return np.asarray(shift / np.sqrt(np.maximum(np.diag(self.estimate.covariance), 1e-300)))

    @property
    def spread(self) -> Array:
        """Standard deviation of what is left of the effort at each joint (N m, N)."""
        return self.estimate.fit.spread

    @property
    def condition(self) -> float:
        """Condition number of the equations of the base parameters, weighted, columns of equal length."""
        return self.estimate.fit.condition

    def residual(self, log: Log, load: Load | None = None, cutoff: float | None = None) -> Residual:
        """How well the model explains a log, best one that was not used.

        ``load`` was in the hand, in place of what the arm was given with; ``Load()`` is none.
        """
        check_log(self.described, log)
        measured = smoothed(log if self.gains is None else log.gained(self.gains), cutoff or self.cutoff)
        inertial = self.values[: self.unknowns.inertial]
        known = self.known_at(load)
        tables: list[tuple[Array, ...]] = []
        for _, piece in measured.pieces():
            links = link_torques(self.described, piece, inertial) + known_torques(known, piece)
            predicted = self._with_drives(links, piece.qd, piece.qdd)
            thin = [piece.thinned(x) for x in (piece.t, piece.q, piece.qd, piece.effort, predicted)]
            tables.append((*thin, piece.reduced(piece.effort), piece.reduced(predicted)))
        t, q, qd, raw_effort, raw_predicted, effort, predicted_reduced = (
            np.concatenate(x) for x in zip(*tables, strict=True)
        )
        joints = np.linalg.norm(effort - predicted_reduced, axis=0) / np.maximum(np.linalg.norm(effort, axis=0), 1e-300)
        raw = float(np.linalg.norm(raw_effort - raw_predicted) / np.linalg.norm(raw_effort))
        total = float(np.linalg.norm(effort - predicted_reduced) / np.linalg.norm(effort))
        return Residual(log.name, joints, total, raw, t, q, qd, effort, predicted_reduced)

    def load(self, log: Log, cutoff: float | None = None) -> IdentifiedLoad:
        """The load that was in the hand during this log, with its errors."""
        return identify_load(self, log, cutoff)


def _inertia(parameters: Array) -> Inertia:
    """Ten numbers as an inertia about the frame of its link."""
    m, mx, my, mz, xx, xy, xz, yy, yz, zz = (exact(float(x)) for x in parameters)
    return Inertia(m, (mx, my, mz), ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))

"""Logs as linear equations: effort = W x, x the inertial parameters, friction and reflected rotor inertias.

    tau_j = Y_j(q, qd, qdd) pi + sum of friction terms of joint j + I_a,j qdd_j

All of it passes the filter of the efforts: Y, which is smooth, at fewer samples, friction, which changes sharply where
a joint turns round, at every one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arm.description import ArmDescription
from ..arm.errors import ArmError
from ..arm.inertia import PARAMETERS, Inertia, Load
from .any_gravity import Regressed
from .friction_terms import FrictionTerms
from .log import Array
from .smoothing import Smoothed

PIECE = 20_000
"""Samples at which a regressor is evaluated at a time."""
KEPT_BYTES = 400_000_000
"""Memory for equations that are used again; what is larger is made anew."""
TRANSITIONS = np.array([1e-4, 1e-3, 3e-3, 6e-3, 1e-2, 2e-2, 3e-2, 5e-2])
"""Speeds (rad/s, m/s) within which the sign of a speed may pass through zero; searched for the best."""
STRIBECK = np.array([0.02, 0.05, 0.1, 0.2, 0.4])
"""Stribeck speeds (rad/s, m/s) searched."""

Loads: TypeAlias = tuple[tuple[str, Load], ...]
"""Known loads, each with the link that carries it: of the hand in the tool frame."""


@dataclass(frozen=True)
class Unknowns:
    """What is estimated: ten inertial parameters a body, friction terms a joint, a reflected inertia a joint."""

    arm: ArmDescription
    friction: FrictionTerms
    rotors: bool

    @property
    def inertial(self) -> int:
        """Number of inertial parameters."""
        return 10 * len(self.arm.bodies)

    def friction_column(self, joint: int, term: int) -> int:
        """Column of a friction term of a joint."""
        return self.inertial + joint * len(self.friction.names) + term

    def rotor_column(self, joint: int) -> int:
        """Column of the reflected inertia of a joint."""
        return self.inertial + self.arm.n * len(self.friction.names) + joint

    @property
    def count(self) -> int:
        """Number of unknowns."""
        return self.rotor_column(self.arm.n if self.rotors else 0)

    def base_matrix(self, columns: Array, smooth: Array, friction: Array, acceleration: Array) -> Array:
        """W ``(..., n, columns)`` of friction ``(..., n, terms)``, accelerations, and Y at its inertial columns."""
        matrix = np.zeros((*friction.shape[:-1], len(columns)))
        count, terms = smooth.shape[-1], friction.shape[-1]
        matrix[..., :count] = smooth
        for k, column in enumerate(columns[count:].tolist(), start=count):
            if column >= self.rotor_column(0):
                joint = column - self.rotor_column(0)
                matrix[..., joint, k] = acceleration[..., joint]
            else:
                joint, term = divmod(column - self.inertial, terms)
                matrix[..., joint, k] = friction[..., joint, term]
        return matrix

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns: m1, mx1, ..., coulomb1, ..., rotor1, ..."""
        system = self.arm
        names = [f"{name}{i + 1}" for i in range(len(system.bodies)) for name in PARAMETERS]
        names += [f"{term}{i + 1}" for i in range(system.n) for term in self.friction.names]
        names += [f"rotor{i + 1}" for i in range(system.n)] if self.rotors else []
        return tuple(names)

    @property
    def units(self) -> tuple[str, ...]:
        """Their units."""
        inertial = ("kg", *("kg m",) * 3, *("kg m^2",) * 6)
        units = [unit for _ in self.arm.bodies for unit in inertial]
        units += [self.friction.units(joint.kind)[term] for joint in self.arm.moving for term in self.friction.names]
        units += ["kg m^2" if joint.kind == "revolute" else "kg" for joint in self.arm.moving] if self.rotors else []
        return tuple(units)


@dataclass(frozen=True, eq=False)
class Shape:
    """The numbers in which friction is not linear, one of each for every joint."""

    transition: Array
    stribeck: Array


class Extra(Protocol):
    """Further unknowns of the equations, beside those of the arm: a load, gains, a tilt."""

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called."""

    def columns(self, piece: Smoothed, log_index: int, rows: slice, base: Array) -> Array:
        """Their columns ``(kept, n, names)`` for a piece of a log; ``base`` are those of the base unknowns."""


@dataclass(frozen=True, eq=False)
class EquationBlock:
    """Equations of a piece of a log: ``rows`` ``(m, n, p)``, ``effort`` ``(m, n)``, instruments like the rows."""

    which: int
    rows: Array
    effort: Array
    instruments: Array | None


class Observations:
    """The equations of all logs in the base unknowns, made in pieces of bounded size."""

    def __init__(
        self,
        system: Regressed,
        unknowns: Unknowns,
        columns: Array,
        logs: Sequence[Smoothed],
        known: Sequence[Array],
        instruments: bool = False,
    ) -> None:
        self.system, self.unknowns, self.base, self.logs, self.known = system, unknowns, columns, logs, known
        self.instruments = instruments
        inertial = columns[columns < unknowns.inertial]
        self._inertial = inertial
        size = 8 * sum(log.kept for log in logs) * system.n * (len(inertial) + 2) * (2 if instruments else 1)
        self._memory: dict[tuple[int, int, bool], tuple[Array, Array]] | None = {} if size <= KEPT_BYTES else None

    def share_memory(self, other: Observations) -> None:
        """Use what another made of the same logs, whose efforts alone differ."""
        self._memory = other._memory

    def __len__(self) -> int:
        return sum(log.kept for log in self.logs)

    def blocks(self, shape: Shape, inertial: Array | None, extras: Sequence[Extra] = ()) -> Iterator[EquationBlock]:
        """All equations, friction of this shape; torques of ``inertial`` parameters are the load on the joints."""
        for log_index, (log, known) in enumerate(zip(self.logs, self.known, strict=True)):
            for rows, piece in log.pieces():
                # the sign of a noisy speed is not the sign of the speed on the average: no instrument mends that, so
                # friction is that of the motion which the reference explains
                steady = piece.along_reference() if self.instruments and piece.reference is not None else piece
                known_rows = known[rows]
                matrix = self._matrix(piece, log_index, rows, shape, inertial, False, steady, known_rows)
                extra_columns = [extra.columns(piece, log_index, rows, matrix) for extra in extras]
                instruments = None
                if self.instruments and piece.reference is not None:
                    guide = piece.along_reference()
                    instruments = self._matrix(guide, log_index, rows, shape, inertial, True, guide, known_rows)
                    instruments = np.concatenate(
                        [instruments, *(e.columns(guide, log_index, rows, instruments) for e in extras)], axis=-1
                    )
                all_columns = np.concatenate([matrix, *extra_columns], axis=-1) if extra_columns else matrix
                yield EquationBlock(log_index, all_columns, piece.reduced(piece.effort - known_rows), instruments)

    def _matrix(
        self, piece: Smoothed, log_index: int, rows: slice, shape: Shape, inertial: Array | None, guided: bool,
        steady: Smoothed, known: Array,
    ) -> Array:  # fmt: skip
        smooth, acceleration = self._smooth(piece, log_index, rows, guided)
        friction = self._friction(steady, shape, inertial, known)
        return self.unknowns.base_matrix(self.base, smooth, friction, acceleration)

    def _smooth(self, piece: Smoothed, log_index: int, rows: slice, guided: bool) -> tuple[Array, Array]:
        """What does not depend on the shape of friction: columns of inertial parameters, and accelerations."""
        key = log_index, rows.start, guided
        if self._memory is not None and key in self._memory:
            return self._memory[key]
        joints, columns = self._nonzero_entries
        nonzero = piece.evaluated(
            lambda q, qd, qdd: self.system.regressor(q, qd, qdd)[:, joints, self._inertial[columns]]
        )
        smooth = np.zeros((len(nonzero), self.system.n, len(self._inertial)))
        smooth[:, joints, columns] = nonzero
        smooth_and_acceleration = smooth, piece.evaluated(lambda q, qd, qdd: qdd)
        if self._memory is not None:
            self._memory[key] = smooth_and_acceleration
        return smooth_and_acceleration

    @cached_property
    def _nonzero_entries(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Joints and columns of the entries of Y that are not zero: a joint does not feel the bodies before it."""
        q, qd, qdd = np.random.default_rng(0).uniform(-2, 2, (3, 20, self.system.n))
        sizes = np.abs(self.system.regressor(q, qd, qdd)[..., self._inertial]).max(axis=0)
        joints, columns = np.nonzero(sizes)
        return joints, columns

    def _friction(self, piece: Smoothed, shape: Shape, inertial: Array | None, known: Array) -> Array:
        """Friction columns ``(kept, n, terms)``; what changes sharply where a joint turns round at every sample.

        Friction that grows with the load grows with all of it: links, what is held, springs.
        """
        terms, load = self.unknowns.friction, None
        if inertial is not None and "load" in terms.names:
            load = link_torques(self.system, piece, inertial) + known
        rows, columns = len(piece.thinned(piece.t)), []
        for name in terms.names:
            if name == "viscous":
                columns.append(piece.evaluated(lambda q, qd, qdd: qd))
            elif name == "offset":
                columns.append(np.ones((rows, self.system.n)))
            else:
                columns.append(piece.reduced(terms.column(name, piece.qd, shape.transition, shape.stribeck, load)))
        return np.stack(columns, axis=-1) if columns else np.zeros((rows, self.system.n, 0))

    def friction(self, shape: Shape, inertial: Array | None) -> Array:
        """Friction columns ``(m, n, terms)`` of all logs alone."""
        columns = []
        for log, known in zip(self.logs, self.known, strict=True):
            for rows, piece in log.pieces():
                guided = self.instruments and piece.reference is not None
                steady = piece.along_reference() if guided else piece
                columns.append(self._friction(steady, shape, inertial, known[rows]))
        return np.concatenate(columns)

    def beginning(self, samples: int) -> Observations:
        """The equations of at most so many samples of each log: enough to choose the shape of friction by."""
        logs = [log.beginning(samples) for log in self.logs]
        known = [torque[:samples] for torque in self.known]
        return Observations(self.system, self.unknowns, self.base, logs, known, self.instruments)

    def plain(self) -> Observations:
        """The same without instruments."""
        without_instruments = Observations(self.system, self.unknowns, self.base, self.logs, self.known)
        without_instruments.share_memory(self)
        return without_instruments


class KnownTorques:
    """What is known of the torques, of q, qd, qdd: loads on links that move, springs and dampers of the description."""

    def __init__(self, system: Regressed, loads: Loads) -> None:
        self.system = system
        self.loads = [
            (LoadRegressor(system, link), np.array([float(x) for x in load.body.parameters])) for link, load in loads
        ]

    def __call__(self, q: Array, qd: Array, qdd: Array) -> Array:
        total = elastic_torques(self.system, q, qd)
        for columns, values in self.loads:
            total = total + columns(q, qd, qdd) @ values
        return total


def known_torques(known: KnownTorques, log: Smoothed) -> Array:
    """What is known of the torques at every sample of a log."""
    return np.concatenate(list(_by_pieces(log, known)))


def elastic_torques(system: Regressed, q: Array, qd: Array) -> Array:
    """What springs and dampers of the description add to the torques, -Q."""
    if not system.elastic:
        return np.zeros_like(q)
    still = np.zeros_like(q)
    return np.asarray(system.inverse_dynamics(q, qd, still) - system.without_elastic().inverse_dynamics(q, qd, still))


class LoadRegressor:
    """The columns of the ten parameters of a load in the tool frame, or in that of another ``link``, of q, qd, qdd."""

    def __init__(self, system: Regressed, link: str | None = None) -> None:
        self.system = system
        name = link or system.tool_link
        body, frame = system.body_of[name]
        if body < 0:
            raise ArmError(
                f"{system.name}: its hand, link {system.tool_link!r}, does not move, so that no motion tells a load "
                f"in it; choose another link with with_tool(...), or --tool"
            )
        self.part = slice(10 * body, 10 * body + 10)
        rows = []
        for k in range(10):
            m, mx, my, mz, xx, xy, xz, yy, yz, zz = (Fraction(int(i == k)) for i in range(10))
            unit = Inertia(m, (mx, my, mz), ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
            rows.append([float(x) for x in unit.placed(frame @ system.load_frame(name)).parameters])
        self.placed = np.array(rows)

    def __call__(self, q: Array, qd: Array, qdd: Array) -> Array:
        return np.asarray(self.system.regressor(q, qd, qdd)[..., self.part] @ self.placed.T)


def _by_pieces(log: Smoothed, function: Callable[[Array, Array, Array], Array]) -> Iterator[Array]:
    """A function of q, qd, qdd at every sample, in pieces that fit into memory."""
    for k in range(0, len(log.t), PIECE):
        yield function(*(x[k : k + PIECE] for x in (log.q, log.qd, log.qdd)))


def link_torques(system: Regressed, log: Smoothed, inertial: Array) -> Array:
    """Torques of links with these parameters at every sample."""
    return np.concatenate(list(_by_pieces(log, lambda q, qd, qdd: system.regressor(q, qd, qdd) @ inertial)))

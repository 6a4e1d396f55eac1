"""Motion of a mechanism in time.

Integrated in the joints, where no choice of coordinates can become singular: at each instant the joints' accelerations
follow from the free directions N of [G^c_phi] (any basis of them is a set of coordinates),

    phi'' = phi''_c + N a,    [G^c] phi''_c = -phi'.[H^c] phi',
    (N^T I* N) a = N^T (T - I* phi''_c - phi'.P* phi' + T^L),

and after each step positions and rates are put back onto the closures, so that these hold to the last digits however
long the motion. The integrator is SciPy's DOP853; where assembly modes meet, ``change_points`` leads past it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import DOP853
from scipy.interpolate import CubicHermiteSpline

from ..arm.errors import ArmError, SimulationError, SimulationInterrupt
from ..arm.force import Force
from ..systems.arrays import one_state, vector_array
from ..systems.time_span import MOST_EVALUATIONS, TOO_FAST, check_span, check_tolerances, rising_times
from . import position, transfer
from .batch import Array
from .change_points import ChangePoints

if TYPE_CHECKING:
    from .mechanism import Forces, Mechanism

FARTHEST_START = 1e-3
"""How far a joint may be put to close the loops at the start (rad or m): a rounding of what somebody typed."""
Drive = Callable[[float, Array, Array], ArrayLike]
"""Loads at the coordinates as a function of time, q and q'."""


@dataclass(frozen=True)
class MechanismMotion:
    """A motion at times ``t``: joints ``phi`` ``(t, m)``, their ``rate``, coordinates ``q`` ``(t, n)`` and ``qd``."""

    t: Array
    phi: Array
    rate: Array
    q: Array
    qd: Array
    energy: Array
    closure_error: Array
    change_points: tuple[float, ...] = ()
    """Times (s) at which it passed a change point, where another assembly mode begins."""


def joint_acceleration(
    mechanism: Mechanism, phi: Array, rate: Array, drive: Array, loads: Sequence[Sequence[Force]]
) -> Array:
    """phi'' ``(m,)`` of the closed mechanism under joint loads ``drive`` ``(m,)``."""
    g, drift, inertia, bias = (table[0] for table in mechanism.joint_state(phi[None], rate[None], loads))
    free, pseudo = mechanism.assembly.null_space(g)
    particular = -pseudo @ drift
    load = bias + inertia @ particular
    try:
        return particular + free @ np.linalg.solve(free.T @ inertia @ free, free.T @ (drive - load))
    except np.linalg.LinAlgError:
        raise ArmError(
            "some motion of the mechanism moves no mass, so its acceleration is not determined; give the links mass"
        ) from None


def simulate(
    mechanism: Mechanism,
    t: ArrayLike,
    phi: ArrayLike,
    qd: ArrayLike,
    drive: Drive | None = None,
    forces: Forces | None = None,
    rtol: float = 1e-10,
    atol: float = 1e-12,
) -> MechanismMotion:
    """The motion from joints ``phi`` and coordinate rates ``qd`` at ``t[0]``, sampled at all times ``t``."""
    times = rising_times(t)
    if len(times) < 2 or not (np.diff(times) > 0).all():
        raise ArmError("times must be at least two, rising")
    check_span(times[-1] - times[0])
    check_tolerances(rtol, atol)
    if mechanism.contacts:
        raise ArmError(
            f"{mechanism.name}: {mechanism.contacts[0].name!r} has Coulomb friction, which sticks and slips; simulate "
            f"the system in its coordinates, da.simulate(mechanism.as_system(), ...), or mechanism.frictionless()"
        )
    loads = mechanism._forces(forces or {})
    assembly, m = mechanism.assembly, mechanism.m
    initial = one_state(m, "phi", phi)
    start, residual = position.newton(assembly, initial[None], None)
    if not position.closed(residual)[0]:
        raise ArmError(position.cannot_close(assembly, start[0], 0))
    moved = start[0] - initial
    if np.abs(moved).max(initial=0.0) > FARTHEST_START:
        raise ArmError(
            f"{mechanism.name}: the loops are open at the start, and to close them "
            f"{position.moved_most(assembly, moved)}; start from closed_near(phi), or from position(q)"
        )
    rate = transfer.times(assembly.carried(start).x, vector_array(mechanism.n, "qd", qd, "coordinate")[None])[0]

    def drive_load(now: float, q: Array, rate: Array) -> ArrayLike:
        try:
            return drive(now, q, rate) if drive is not None else 0.0
        except ArmError:
            raise
        except Exception as fault:
            raise ArmError(f"drive raised {type(fault).__name__}: {fault}") from fault

    def slope(now: float, y: Array) -> Array:
        load = np.zeros(m)
        if drive is not None:
            placed = assembly.chains.place(y[None, :m])
            blocks = assembly.coordinate_blocks(placed, 1)
            g = assembly.jacobian(blocks, 1)[0, : assembly.n]
            q = assembly.value(blocks, 1)[0, : assembly.n]
            load = g.T @ vector_array(mechanism.n, "drive", drive_load(now, q, g @ y[m:]), "coordinate")
        return np.concatenate([y[m:], joint_acceleration(mechanism, y[:m], y[m:], load, loads)])

    return _Integration(mechanism, times, np.concatenate([start[0], rate]), slope, rtol, atol).run()


class _Integration:
    """A motion as it is integrated: steps of DOP853, each put back onto the closures, and passages of change points."""

    def __init__(
        self,
        mechanism: Mechanism,
        times: Array,
        start: Array,
        slope: Callable[[float, Array], Array],
        rtol: float,
        atol: float,
    ) -> None:
        self.mechanism, self.assembly, self.slope = mechanism, mechanism.assembly, slope
        self.times, self.rtol, self.atol = times, rtol, atol
        self.watch = ChangePoints(self.assembly, slope, self.project, start[: mechanism.m], times[0], (rtol, atol))
        self.states = [start]
        self.passages: list[float] = []
        self.evaluations = 0
        self.unpassed = False
        """True while a change point is near that could not be passed: the integrator alone is at work."""

    def run(self) -> MechanismMotion:
        """The motion at all times, or what there is of it, with the sentence that says why it ends."""
        now, state = float(self.times[0]), self.states[0]
        try:
            while len(self.states) < len(self.times):
                now, state = self._advance(now, state)
        except SimulationError:
            raise
        except ArmError as fault:
            # what a law of the user raised stays in sight
            raise SimulationError(str(fault), self._motion()) from fault.__cause__
        except KeyboardInterrupt:
            message = f"interrupted after t = {self.times[len(self.states) - 1]:.6g} s"
            raise SimulationInterrupt(message, self._motion()) from None
        return self._motion()

    def _advance(self, now: float, state: Array) -> tuple[float, Array]:
        """Steps to the end, or to the far side of the next change point."""
        solver = self._solver(now, state, float(self.times[-1]))
        while solver.status == "running":
            before, y_before, slope = solver.t, solver.y, solver.f
            self._step(solver)
            # A cubic through both ends is near enough to look for change points, and costs no evaluation.
            gate = self.watch.gate(
                before, solver.t, CubicHermiteSpline([before, solver.t], [y_before, solver.y], [slope, solver.f])
            )
            if gate is None:
                self.unpassed = False
            elif self.unpassed:
                if self.watch.is_lost(y_before, solver.y):
                    self._stop(
                        before,
                        "it comes to a change point, where assembly modes meet or nearly so, and is too slow there, or "
                        "too near its start, to say in which it goes on",
                    )
            else:
                now, state = self._to_gate(before, y_before, gate)
                passage = self.watch.passed(now, state)
                if passage is not None:
                    self._record(passage.end, passage.between, as_they_are=True)
                    self.passages.append(passage.time)
                    return passage.end, passage.state
                self.unpassed = True
                return now, state
            if self.times[len(self.states)] <= solver.t:
                self._record(solver.t, solver.dense_output())
            # The next step starts on the closures; its first stage is computed anew, as the state has been touched.
            solver.y = self._projected(solver.t, solver.y)
            self._refuse_limits(solver.t, solver.y)
            solver.f = self.slope(solver.t, solver.y)
        return solver.t, solver.y

    def _to_gate(self, now: float, state: Array, end: float) -> tuple[float, Array]:
        """Steps to the gate of a change point."""
        if end > now:
            solver = self._solver(now, state, end)
            while solver.status == "running":
                self._step(solver)
                self._record(solver.t, solver.dense_output())
                solver.y = self._projected(solver.t, solver.y)
                solver.f = self.slope(solver.t, solver.y)
            state = solver.y
        return max(now, end), state

    def _solver(self, now: float, state: Array, end: float) -> Any:
        return DOP853(self.slope, now, state, end, rtol=self.rtol, atol=self.atol)

    def _step(self, solver: Any) -> None:
        """One step of DOP853; a motion that runs away, or takes too many evaluations, is stopped."""
        rate = np.abs(solver.y[self.assembly.m :])
        if not np.isfinite(rate).all() or rate.max(initial=0.0) > TOO_FAST:
            joint = self.assembly.chains.joint_names[int(np.argmax(np.where(np.isfinite(rate), rate, np.inf)))]
            self._stop(solver.t, f"joint {joint!r} is faster than {TOO_FAST:g} rad/s or m/s; check loads and speeds")
        before = solver.nfev
        message = solver.step()
        self.evaluations += solver.nfev - before
        if self.evaluations > MOST_EVALUATIONS:
            self._stop(solver.t, f"{MOST_EVALUATIONS} evaluations are all that one simulation may take")
        if solver.status == "failed":
            self._stop(solver.t, f"{message}; it meets a singular configuration, or the loads are too large")

    def _record(self, until: float, between: Callable[[float], Array], as_they_are: bool = False) -> None:
        while len(self.states) < len(self.times) and self.times[len(self.states)] <= until:
            now = self.times[len(self.states)]
            state = between(now)
            self._refuse_limits(now, state)
            self.states.append(state if as_they_are else self._projected(now, state))

    def _refuse_limits(self, now: float, state: Array) -> None:
        beyond = self.assembly.chains.beyond_limits(state[: self.assembly.m])
        if beyond:
            self._stop(
                now,
                f"{beyond}, and stops are not part of this motion; da.simulate(mechanism.as_system(), ...) has them at "
                f"joints that are coordinates, and a joint without limits turns freely",
            )

    def _stop(self, now: float, why: str) -> NoReturn:
        raise SimulationError(
            f"{self.mechanism.name}: the motion cannot be continued beyond t = {now:.6g} s: {why}; the error's motion "
            f"holds what came before",
            self._motion(),
        )

    def _projected(self, now: float, y: Array) -> Array:
        projected = self.project(y)
        if projected is None:
            self._stop(now, position.cannot_close(self.assembly, y[: self.assembly.m], 0))
        return projected

    def project(self, y: Array) -> Array | None:
        """Joints and rates on the closures; None where there is nothing near to be put on."""
        m, assembly = self.assembly.m, self.assembly
        if not assembly.r:
            return y
        near, residual = position.newton(assembly, y[None, :m], None, 8, near=True)
        if not position.closed(residual)[0]:
            return None
        g = assembly.closure_jacobian(near)[0]
        _, pseudo = assembly.null_space(g)
        return np.concatenate([near[0], y[m:] - pseudo @ (g @ y[m:])])

    def _motion(self) -> MechanismMotion:
        m, states = self.assembly.m, np.array(self.states)
        return _motion_at(self.mechanism, self.times[: len(states)], states[:, :m], states[:, m:], tuple(self.passages))


def _motion_at(
    mechanism: Mechanism, times: Array, phi: Array, rate: Array, passages: tuple[float, ...]
) -> MechanismMotion:
    """The states with q, q' = [G^q_phi] phi', energy and closure error."""
    assembly = mechanism.assembly
    blocks = assembly.coordinate_blocks(assembly.chains.place(phi), 1)
    q = assembly.value(blocks, len(phi))[:, : assembly.n]
    qd = transfer.times(assembly.jacobian(blocks, len(phi))[:, : assembly.n], rate)
    return MechanismMotion(
        times,
        phi,
        rate,
        q,
        qd,
        mechanism.joint_energy(phi, rate),
        np.abs(assembly.closure_error(phi)[0]).max(1, initial=0),
        passages,
    )

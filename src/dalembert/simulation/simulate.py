"""The simulation: scipy's integrators within a mode, events between modes.

Each mode fixes which contacts stick or slide, in which direction, and which joints rest on a stop; within it the
motion is smooth and any of scipy's solvers integrates it. A shaft that comes to rest, a standing one whose holding
force is used up, a joint that meets or leaves its stop, and a load that is gripped or dropped end a mode; the instant
is a root on the solver's own interpolant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import BDF, DOP853, LSODA, RK23, RK45, Radau
from scipy.optimize import brentq

from ..arm.description import listed
from ..arm.errors import ArmError
from ..systems.arrays import vector_array
from .inputs import Control, Held, Input
from .loads import LoadChange, velocity_after
from .modes import Mechanics, Modes
from .motion import Event, Motion, SimulationError
from .plant import Plant
from .record import Record

Array = NDArray[np.float64]

METHODS: dict[str, Any] = {"DOP853": DOP853, "RK45": RK45, "RK23": RK23, "LSODA": LSODA, "Radau": Radau, "BDF": BDF}
MOST_EVENTS = 20_000
AT_ONCE = 100
TOO_FAST = 1e4
"""Speed (rad/s or m/s) beyond which a motion counts as divergent."""


class Simulation:
    """One run of ``simulate``."""

    def __init__(
        self, plant: Plant, control: Control, start: tuple[Array, Array], span: tuple[float, float], times: Array,
        method: str, rtol: float, atol: float, max_step: float | None, stops: bool, restitution: float,
        changes: Sequence[LoadChange], period: float | None,
    ) -> None:  # fmt: skip
        self.plant, self.n = plant, plant.n
        self.input = Input(control, plant.input_names)
        self.held = Held(self.input) if period is not None else None
        self.period = period
        self.t, self.end = span
        self.q, self.qd = (np.array(x, dtype=float) for x in start)
        self.solver = METHODS[method]
        self.rtol, self.atol = rtol, atol
        self.stops, self.restitution = stops, restitution
        self.changes = sorted(changes, key=lambda change: change.time)
        self.lower = plant.lower if stops else np.full(self.n, -np.inf)
        self.upper = plant.upper if stops else np.full(self.n, np.inf)
        jumpy = bool(plant.contacts) or stops
        self.max_step = max_step or ((self.end - self.t) / 100 if jumpy else np.inf)
        self.mechanics = Mechanics(plant, self.lower, self.upper)
        self.record = Record(plant, times)
        self.events: list[Event] = []
        self.steps = self.evaluations = 0
        self.extra = plant.start()
        self.work = self.lost = 0.0

    # -- one mode -------------------------------------------------------------------------------

    def control(self, t: float, q: Array, qd: Array) -> Array:
        """The input u(t, q, qd), or its last sample for a sampled controller."""
        return self.input(t, q, qd) if self.held is None else self.held.value

    def split(self, x: Array) -> tuple[Array, Array, Array]:
        """q, qd and the extra states of a state vector; work and loss (J), its last entries, are left out."""
        return x[: self.n], x[self.n : 2 * self.n], x[2 * self.n : -2]

    def rates(self, t: float, x: Array, modes: Modes) -> Array:
        """dx/dt within a mode: velocities, accelerations, currents, power in, power lost."""
        self.evaluations += 1
        q, qd, extra = self.split(x)
        if not np.isfinite(x).all() or np.abs(qd).max() > TOO_FAST:
            joint = self.plant.joint_names[int(np.argmax(np.where(np.isfinite(qd), np.abs(qd), np.inf)))]
            raise SimulationError(f"the motion diverges at t = {t:.6g} s at joint {joint!r}; check torques and gains")
        u = self.control(t, q, qd)
        torque, rate, braked = self.plant.drive(q, qd, extra, u)
        qdd = self.mechanics.acceleration(q, qd, torque, modes)
        found = np.empty_like(x)
        found[: self.n] = qd
        found[self.n : 2 * self.n] = qdd
        found[2 * self.n : -2] = rate
        found[-2] = qd @ self.plant.supplied(q, qd, extra, u)
        found[-1] = braked
        if self.mechanics.contacts:
            found[-1] -= qd @ self.mechanics.friction(q, modes)
        return found

    def torque(self, t: float, q: Array, qd: Array, extra: Array) -> Array:
        """Joint torque of the input less viscous friction (N m or N), Coulomb friction left out."""
        return self.plant.drive(q, qd, extra, self.control(t, q, qd))[0]

    def watches(self, modes: Modes) -> list[tuple[str, int, Callable[[float, Array], float]]]:
        """Functions that fall through zero where the mode ends."""
        mechanics, n = self.mechanics, self.n
        found: list[tuple[str, int, Callable[[float, Array], float]]] = []
        for c, slides in enumerate(modes.sliding):
            if slides:

                def speed(t: float, x: Array, c: int = c, slides: int = slides) -> float:
                    return slides * float(mechanics.rows(x[:n])[c] @ x[n : 2 * n])

                found.append(("rest", c, speed))
        if modes.held:

            def spare(t: float, x: Array) -> float:
                q, qd, extra = self.split(x)
                return 1.0 - mechanics.share(q, qd, self.torque(t, q, qd, extra), modes)

            found.append(("release", -1, spare))
        if self.stops:
            for j in range(n):
                if not modes.stopped[j]:
                    if np.isfinite(self.lower[j]):
                        found.append(("lower", j, _beyond(j, self.lower[j], 1.0)))
                    if np.isfinite(self.upper[j]):
                        found.append(("upper", j, _beyond(j, self.upper[j], -1.0)))
        return found

    def run_mode(self, modes: Modes, end: float) -> tuple[str, int] | None:
        """Integrate within ``modes`` to ``end`` or to the first event; the event, or None."""
        x = np.concatenate([self.q, self.qd, self.extra, [self.work, self.lost]])
        watched = self.watches(modes)
        before = [watch(self.t, x) for *_, watch in watched]
        solver = self.solver(
            lambda t, x: self.rates(t, x, modes), self.t, x, end, rtol=self.rtol, atol=self.atol, max_step=self.max_step
        )
        while solver.status == "running":
            complaint = solver.step()
            if solver.status == "failed":
                self.take(solver.t, solver.y)
                speed = np.abs(solver.y[self.n : 2 * self.n])
                joint = self.plant.joint_names[int(np.argmax(speed))]
                raise SimulationError(
                    f"the integrator gave up at t = {solver.t:.6g} s at joint {joint!r} ({complaint}); the motion is "
                    f"too fast for these tolerances, or diverges"
                )
            self.steps += 1
            path = solver.dense_output()
            after = [watch(solver.t, solver.y) for *_, watch in watched]
            crossed = [
                k
                for k, (a, b) in enumerate(zip(before, after, strict=True))
                if (a > 0 and b <= 0) or (a <= 0 and b < min(a, 0) - 1e-14)
            ]
            if crossed:
                at, first = min((self.instant(path, watched[k][2], before[k]), k) for k in crossed)
                state = path(at)
                self.record.take(path, self.t, at, self)
                self.take(at, state)
                return watched[first][0], watched[first][1]
            self.record.take(path, self.t, solver.t, self)
            self.take(solver.t, solver.y)
            before = after
            self.show(solver.t)
        return None

    def instant(self, path: Any, watch: Callable[[float, Array], float], before: float) -> float:
        """When ``watch`` reaches zero on the interpolant of a step."""
        start, end = path.t_min, path.t_max
        if before <= 0:
            return start
        return float(brentq(lambda t: watch(t, path(t)), start, end, xtol=1e-15, rtol=1e-14))

    def take(self, t: float, x: Array) -> None:
        """Make x the state of the run at time t."""
        self.t = float(t)
        q, qd, extra = self.split(x)
        self.q, self.qd, self.extra = q.copy(), qd.copy(), extra.copy()
        self.work, self.lost = float(x[-2]), float(x[-1])

    def show(self, t: float) -> None:
        """Replaced by the progress bar where one is asked for."""

    # -- between modes --------------------------------------------------------------------------

    def start_modes(self) -> Modes:
        """Modes at the start: exact rest may stick, a joint at its stop may lean on it."""
        rows = self.mechanics.rows(self.q) if self.mechanics.contacts else np.zeros((0, self.n))
        standing = {c for c in range(len(rows)) if rows[c] @ self.qd == 0}
        leaning = {}
        for j in range(self.n):
            if self.q[j] <= self.lower[j] and self.qd[j] <= 0:
                leaning[j] = -1
            elif self.q[j] >= self.upper[j] and self.qd[j] >= 0:
                leaning[j] = 1
        for j in leaning:
            self.qd[j] = 0.0
        return self.settle(standing, leaning, None)

    def settle(
        self, standing: set[int], leaning: dict[int, int], before: Modes | None, starting: dict[int, int] | None = None
    ) -> Modes:
        """The mode after an event (see ``Mechanics.settle``); velocities are projected onto its constraints."""
        torque = self.torque(self.t, self.q, self.qd, self.extra)
        modes, self.qd = self.mechanics.settle(self.q, self.qd, torque, standing, leaning, starting, before)
        return modes

    def next_modes(self, modes: Modes, kind: str, which: int) -> Modes:
        """The modes after an event."""
        standing = {c for c, s in enumerate(modes.sliding) if not s}
        leaning = {j: s for j, s in enumerate(modes.stopped) if s}
        contacts = self.mechanics.contacts
        if kind == "rest":
            found = self.settle(standing | {which}, leaning, modes)
            self.note("sticks" if not found.sliding[which] else "reverses", contacts[which].name)
            return found
        if kind == "release":
            torque = self.torque(self.t, self.q, self.qd, self.extra)
            go, leave, direction = self.mechanics.release(self.q, self.qd, torque, modes)
            for c in go:
                self.note("slips", contacts[c].name)
            for j in leave:
                self.note("leaves stop", self.plant.joint_names[j])
            rest = {j: s for j, s in leaning.items() if j not in leave}
            return self.settle(standing - go, rest, modes, {c: direction[c] for c in go})
        return self.hit(modes, which, -1 if kind == "lower" else 1, standing, leaning)

    def hit(self, modes: Modes, joint: int, side: int, standing: set[int], leaning: dict[int, int]) -> Modes:
        """A joint meets its stop: an impulse along it, so that its speed comes back by the restitution."""
        self.q[joint] = self.lower[joint] if side < 0 else self.upper[joint]
        before = float(self.plant.kinetic_energy(self.q, self.qd))
        column = np.linalg.solve(self.plant.mass_matrix(self.q), np.eye(self.n)[joint])
        speed = self.qd[joint]
        # a slow touch is no bounce: what is left of it lies within the tolerance of the integration
        back = self.restitution if abs(speed) > 1e-6 else 0.0
        self.qd = self.qd - column * ((1 + back) * speed / column[joint])
        if back == 0.0:
            self.qd[joint] = 0.0
        lost = before - float(self.plant.kinetic_energy(self.q, self.qd))
        self.note("stop", self.plant.joint_names[joint], lost)
        # the impulse moves what stood: friction is bounded and cannot carry it
        rows = self.mechanics.rows(self.q)
        standing = {c for c in standing if abs(rows[c] @ self.qd) < 1e-12}
        for j in list(leaning):
            if abs(self.qd[j]) > 1e-12:
                del leaning[j]
        if back == 0.0:
            leaning = leaning | {joint: side}
        return self.settle(standing, leaning, modes)

    def change_load(self, change: LoadChange) -> Modes:
        """Grip or release a load (Szkodny 1995, eqs 16a-c); the jump in energy is recorded as an event."""
        old = self.plant
        before = float(old.kinetic_energy(self.q, self.qd) + old.potential_energy(self.q))
        new = old.holding(change.load)
        picked = change.load is not None
        self.qd = velocity_after(change, old.mass_matrix(self.q), new.mass_matrix(self.q), self.qd, picked)
        self.plant = new
        self.mechanics = Mechanics(new, self.lower, self.upper)
        self.record.plant_changes(new)
        lost = before - float(new.kinetic_energy(self.q, self.qd) + new.potential_energy(self.q))
        self.note("load", "hand", lost)
        return self.start_modes()

    def note(self, kind: str, name: str, energy: float = 0.0) -> None:
        """Record an event and the energy (J) it dissipates; refuse a motion that chatters."""
        if len(self.events) >= MOST_EVENTS or (
            len(self.events) >= AT_ONCE and self.events[-AT_ONCE].time >= self.t - 1e-12
        ):
            raise SimulationError(
                f"too many events at t = {self.t:.6g} s, the last at {name!r}: the motion chatters; smooth the "
                f"controller, or give the restitution of stops as 0"
            )
        self.events.append(Event(self.t, kind, name, energy))

    # -- the whole ------------------------------------------------------------------------------

    def run(self) -> Motion:
        """The motion over the whole time; a ``SimulationError`` has the motion up to a failure."""
        fault = ""
        try:
            self.go()
        except ArmError as problem:
            fault = str(problem)
            motion = self.motion(fault)
            raise SimulationError(fault, motion) from None
        return self.motion(fault)

    def go(self) -> None:
        """Integrate mode after mode to the end, with samples of the controller and load changes in between."""
        waiting = list(self.changes)
        if self.held is not None:
            self.held.sample(self.t, self.q, self.qd)
        modes = self.start_modes()
        sample = self.t + self.period if self.period is not None else np.inf
        while self.t < self.end:
            until = min(self.end, sample, waiting[0].time if waiting else np.inf)
            event = self.run_mode(modes, until) if until > self.t else None
            if event is not None:
                modes = self.next_modes(modes, *event)
                continue
            if waiting and self.t >= waiting[0].time:
                modes = self.change_load(waiting.pop(0))
            if self.held is not None and self.t >= sample:
                self.held.sample(self.t, self.q, self.qd)
                assert self.period is not None
                sample += self.period
                if modes.held:
                    standing = {c for c, s in enumerate(modes.sliding) if not s}
                    modes = self.settle(standing, {j: s for j, s in enumerate(modes.stopped) if s}, modes)

    def motion(self, fault: str) -> Motion:
        """The recorded motion, and the message of a failure or ""."""
        return self.record.motion(self, fault)


def _beyond(joint: int, limit: float, side: float) -> Callable[[float, Array], float]:
    """How far a joint is from its stop."""
    return lambda t, x: side * float(x[joint] - limit)


def simulate(
    plant: Plant,
    control: Control,
    q: ArrayLike,
    qd: ArrayLike | None,
    duration: float,
    *,
    times: ArrayLike | None = None,
    samples: int = 501,
    start: float = 0.0,
    method: str = "DOP853",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    max_step: float | None = None,
    stops: bool = False,
    restitution: float = 0.0,
    changes: Sequence[LoadChange] = (),
    period: float | None = None,
    progress: bool = False,
) -> Motion:
    """The motion of ``plant`` from (q, qd) over ``duration`` seconds; see ``Arm.simulate`` for the arguments."""
    if method not in METHODS:
        raise ArmError(f"no method {method!r}; there are {listed(METHODS)}")
    if not duration > 0 or not np.isfinite(duration):
        raise ArmError(f"the duration is {duration:g} s; give a time above zero")
    if period is not None and not period > 0:
        raise ArmError(f"the sampling period is {period:g} s; give a time above zero")
    if not 0 <= restitution <= 1:
        raise ArmError(f"the restitution of stops is {restitution:g}; it lies between 0 and 1")
    place = vector_array(plant.n, "q", q)
    speed = np.zeros(plant.n) if qd is None else vector_array(plant.n, "qd", qd)
    if place.shape != (plant.n,) or speed.shape != (plant.n,):
        raise ArmError("a simulation starts from one state; use simulate_many for a batch")
    grid = np.linspace(start, start + duration, samples) if times is None else np.asarray(times, dtype=float)
    run = Simulation(
        plant, control, (place, speed), (start, start + duration), grid, method, rtol, atol, max_step, stops,
        restitution, changes, period,
    )  # fmt: skip
    with _bar(run, duration, start) if progress else nullcontext():
        return run.run()


def _bar(run: Simulation, duration: float, start: float) -> AbstractContextManager[Any]:
    from rich.progress import Progress

    bar = Progress(transient=True)
    task = bar.add_task("simulating", total=duration)
    run.show = lambda t: bar.update(task, completed=t - start)  # type: ignore[method-assign]
    return bar

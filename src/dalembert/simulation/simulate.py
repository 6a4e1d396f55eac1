"""The simulation: smooth motion within a mode, events between modes, time steps where events do not end.

Each mode fixes which contacts stick or slide, in which direction, and which joints rest on a stop; within it the
motion is smooth and any of scipy's solvers integrates it (``integrate.py``). A shaft that comes to rest, a standing one
whose holding force is used up, a joint that meets or leaves its stop, and a load that is gripped or dropped end a mode
(``watches.py``); the instant is a root on the solver's own interpolant, and the next mode is found there
(``transitions.py``). Where modes change without end, or feedback
switches within a mode, time steps with complementarity carry the motion on (``time_steps.py``).
"""

from __future__ import annotations

from collections import deque
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError, SimulationError, SimulationInterrupt, UnreachableError
from ..systems.time_span import TOO_FAST
from .input_table import InputTable, TableReading
from .inputs import Control, Input, NotFinite
from .integrate import Stiffness, solver_for
from .modes import Mechanics, Modes
from .motion import Event, Motion
from .plant import Plant
from .record import Record
from .sampled import Sampled
from .saturation import saturation_of
from .settings import SimulationSettings, start_state
from .time_steps import LONGEST, STRETCH, take_steps
from .transitions import change_load, next_modes, resume, settle
from .watches import Watch, falls, first_crossing, watches

Array = NDArray[np.float64]

WILD = 1e3 * TOO_FAST
"""Speed beyond which a trial stage is not worked out: the step is to be shorter."""
CROWD, WITHIN = 40, 1e-4
"""So many changes of mode within so many seconds are left to time steps."""
CRAWL, ADVANCE = 100, 1e-5
"""So many steps that together advance less than this (s) are left to time steps."""
SETTLING = 0.01
"""Steps through the settling of currents are no crawl: that is less than this share of their shortest time constant."""


class Simulation:
    """One run of ``simulate``."""

    def __init__(
        self, plant: Plant, control: Control, start: tuple[Array, Array], duration: float, settings: SimulationSettings
    ) -> None:
        self.plant, self.n, self.settings = plant, plant.n, settings
        self.t, self.end = settings.span(duration)
        settings.check_changes(duration)
        self.table = TableReading(control, self.t, self.end) if isinstance(control, InputTable) else None
        self.input = Input(control if self.table is None else self.table, plant.input_names, plant.passive)
        if self.input.sees_currents and not plant.extra:
            raise ArmError(
                f"{plant.name}: the controller sees currents, and these are states where voltages drive motors that "
                f'all have inductance; simulate with input="voltage"'
            )
        self.saturation = saturation_of(plant, settings.saturate)
        self.sampled = None if settings.period is None else Sampled(self.input, self.saturation, settings.period)
        self.q, self.qd = (np.array(x, dtype=float) for x in start)
        self.lower = plant.lower if settings.stops else np.full(self.n, -np.inf)
        self.upper = plant.upper if settings.stops else np.full(self.n, np.inf)
        jumpy = bool(plant.contacts) or settings.stops
        self.max_step = settings.max_step or (duration / 100 if jumpy else np.inf)
        self.mechanics = Mechanics(plant, self.lower, self.upper)
        self.record = Record(plant, settings.grid(duration))
        self.events: list[Event] = []
        self.steps = self.evaluations = 0
        self.extra = plant.start()
        self.work = self.lost = self.jumped = 0.0
        self.stiffness = Stiffness()
        self.stepped: list[tuple[float, float]] = []
        self.changed: deque[float] = deque(maxlen=CROWD)
        self.stretch = STRETCH
        self.advance = min(ADVANCE, SETTLING / plant.decay.max()) if plant.decay.any() else ADVANCE
        self.first_step: float | None = None
        self.trial_fault: NotFinite | UnreachableError | None = None

    # -- one mode -------------------------------------------------------------------------------

    def limited_input(self, t: float, q: Array, qd: Array, extra: Array) -> Array:
        """What the controller gives, within the limits of the inputs where they count."""
        u = self.input(t, q, qd, extra)
        return u if self.saturation is None else self.saturation(q, u)

    def control(self, t: float, q: Array, qd: Array, extra: Array) -> Array:
        """The input u(t, q, qd) or u(t, q, qd, i), or its last sample for a sampled controller."""
        return self.limited_input(t, q, qd, extra) if self.sampled is None else self.sampled.value

    @property
    def state(self) -> Array:
        """Positions, velocities, extra states, work and loss (J)."""
        return np.concatenate([self.q, self.qd, self.extra, [self.work, self.lost]])

    def split(self, x: Array) -> tuple[Array, Array, Array]:
        """q, qd and the extra states of a state vector; work and loss (J), its last entries, are left out."""
        return x[: self.n], x[self.n : 2 * self.n], x[2 * self.n : -2]

    def count(self) -> None:
        """Count an evaluation; refuse more than were allowed."""
        self.evaluations += 1
        if self.evaluations > self.settings.most_evaluations:
            fastest = self.plant.joint_names[int(np.argmax(np.abs(self.qd)))]
            raise SimulationError(
                f"{self.settings.most_evaluations} evaluations have brought the motion to t = {self.t:.6g} s only, "
                f"joint {fastest!r} being the fastest there; loosen rtol, smooth the controller, or raise "
                f"most_evaluations"
            )

    def rates(self, t: float, x: Array, modes: Modes) -> Array:
        """dx/dt within a mode: velocities, accelerations, currents, power in, power lost.

        Not finite where a trial stage has gone too far, so that the step is rejected.
        """
        self.count()
        q, qd, extra = self.split(x)
        if not np.isfinite(x).all() or np.abs(qd).max() > WILD:
            return np.full_like(x, np.nan)
        derivative = np.empty_like(x)
        try:
            u = self.control(t, q, qd, extra)
            torque, supplied, rate, braked = self.plant.drive(q, qd, extra, u)
            derivative[self.n : 2 * self.n] = self.mechanics.acceleration(q, qd, torque, modes)
        except (NotFinite, UnreachableError) as fault:
            # a shorter step may not come there; if none does, the fault is raised
            self.trial_fault = fault
            return np.full_like(x, np.nan)
        derivative[: self.n] = qd
        derivative[2 * self.n : -2] = rate
        derivative[-2] = qd @ supplied
        derivative[-1] = braked
        if self.mechanics.contacts:
            derivative[-1] -= qd @ self.mechanics.friction(q, qd, modes.sliding)
        return derivative

    def torque(self, t: float, q: Array, qd: Array, extra: Array) -> Array:
        """Joint torque of the input less viscous friction (N m or N), Coulomb friction left out."""
        return self.plant.drive(q, qd, extra, self.control(t, q, qd, extra))[0]

    def run_mode(self, modes: Modes, end: float) -> Watch | None:
        """Integrate within ``modes`` to ``end`` or to the first event; the event, or None.

        Where steps hardly advance any more, the stretch that follows is left to time steps, and None comes earlier.
        """
        watched = watches(self, modes)
        before = [watch.value(self.t, self.state) for watch in watched]
        solver = self.solver(modes, end)
        recent: deque[float] = deque([self.t], maxlen=CRAWL)
        while solver.status == "running":
            with np.errstate(all="ignore"):
                solver.step()
            if solver.status == "failed" or (len(recent) == CRAWL and solver.t - recent[0] < self.advance):
                if self.trial_fault is not None:
                    raise self.trial_fault
                self.step_on(end)
                return None
            self.steps += 1
            self.trial_fault = None
            recent.append(solver.t)
            self.judge(solver.t, solver.y)
            after = [watch.value(solver.t, solver.y) for watch in watched]
            event = None
            if any(map(falls, before, after)):
                path = solver.dense_output()
                event = first_crossing(watched, before, after, path)
            if event is not None:
                instant, watch = event
                self.record.take(path, self.t, instant, self)
                self.accept(instant, path(instant))
                return watch
            if self.record.due(solver.t):
                self.record.take(solver.dense_output(), self.t, solver.t, self)
            self.accept(solver.t, solver.y)
            before = after
            self.first_step = solver.h_abs if hasattr(solver, "h_abs") else None
            self.show(solver.t)
            if self.settings.method == "auto" and not self.stiffness.is_stiff and self.stiffness.watch(solver):
                self.first_step = None
                solver = self.solver(modes, end) if self.t < end else solver
        return None

    def solver(self, modes: Modes, end: float) -> Any:
        """The solver from the present state on."""
        settings = self.settings
        return solver_for(
            settings.method, self.stiffness.is_stiff, lambda t, x: self.rates(t, x, modes), self.t, self.state, end,
            settings.rtol, settings.atol, self.max_step, self.first_step,
        )  # fmt: skip

    def judge(self, t: float, x: Array) -> None:
        """Refuse a state that has diverged; only states that are reached are judged, never a trial stage."""
        qd = x[self.n : 2 * self.n]
        if not np.isfinite(x).all() or np.abs(qd).max() > TOO_FAST:
            joint = self.plant.joint_names[int(np.argmax(np.where(np.isfinite(qd), np.abs(qd), np.inf)))]
            often = (
                f", or shorten the sampling period of {self.settings.period:g} s" if self.sampled is not None else ""
            )
            raise SimulationError(
                f"the motion diverges at t = {t:.6g} s at joint {joint!r}; check torques and gains{often}"
            )

    def step_on(self, end: float) -> None:
        """Time steps for a stretch; the mode is to be found anew after it."""
        began = self.t
        take_steps(self, min(end, began + self.stretch))
        if self.stepped and self.stepped[-1][1] >= began - 2 * self.stretch:
            # events were tried again too early
            self.stretch = min(2 * self.stretch, LONGEST)
        if self.stepped and self.stepped[-1][1] >= began - WITHIN:
            began = self.stepped.pop()[0]
        self.stepped.append((began, self.t))
        self.changed.clear()
        self.first_step = None

    def accept(self, t: float, x: Array) -> None:
        """Make x the state of the run at time t."""
        self.t = float(t)
        q, qd, extra = self.split(x)
        self.q, self.qd, self.extra = q.copy(), qd.copy(), extra.copy()
        self.work, self.lost = float(x[-2]), float(x[-1])

    def show(self, t: float) -> None:
        """The run has come to time t; with a progress bar, where one is asked for, in place of this."""
        self.settings.report(t)

    # -- what stands, what has changed ----------------------------------------------------------

    def rest_speed(self, qd: Array) -> float:
        """The speed (rad/s or m/s) of a joint that is mere rounding: below it a joint stands."""
        return 1e-14 + 1e-12 * float(np.abs(qd).max(initial=0.0))

    def touched(self, q: Array) -> dict[int, int]:
        """Joints at or beyond their stops at q, and on which side."""
        low = {j: -1 for j in range(self.n) if q[j] <= self.lower[j]}
        return low | {j: 1 for j in range(self.n) if q[j] >= self.upper[j]}

    def standing(self) -> set[int]:
        """Contacts without speed."""
        if not self.mechanics.contacts:
            return set()
        rows = self.mechanics.rows(self.q)
        return set(
            np.flatnonzero(np.abs(rows @ self.qd) <= self.rest_speed(self.qd) * np.abs(rows).max(axis=1)).tolist()
        )

    def note(self, kind: str, name: str, energy: float = 0.0) -> None:
        """Record an event and the energy (J) it dissipates."""
        self.events.append(Event(self.t, kind, name, energy))
        self.jumped += energy

    @property
    def crowded(self) -> bool:
        """Whether modes change faster than they can be told apart."""
        return len(self.changed) == CROWD and self.t - self.changed[0] < WITHIN

    # -- the whole ------------------------------------------------------------------------------

    def run(self) -> Motion:
        """The whole motion; ``SimulationError`` and ``SimulationInterrupt`` have the motion up to there."""
        try:
            self.integrate()
        except ArmError as problem:
            fault = str(problem)
            # what a controller of the user raised stays in sight
            raise SimulationError(fault, self.record.motion(self, fault)) from problem.__cause__
        except KeyboardInterrupt:
            message = f"interrupted at t = {self.t:.6g} s"
            raise SimulationInterrupt(message, self.record.motion(self, message, interrupted=True)) from None
        return self.record.motion(self, "")

    def integrate(self) -> None:
        """Integrate mode after mode to the end, with samples of the controller and load changes in between."""
        waiting = sorted(self.settings.changes, key=lambda change: change.time)
        sample = np.inf
        if self.sampled is not None:
            self.sampled.sample(self.t, self.q, self.qd, self.extra)
            sample = self.t + self.sampled.period
        modes = resume(self)
        while self.t < self.end:
            until = min(
                self.end, sample, waiting[0].time if waiting else np.inf, self.table.next if self.table else np.inf
            )
            if until > self.t:
                event = None
                if self.crowded:
                    self.step_on(until)
                else:
                    event = self.run_mode(modes, until)
                if event is not None:
                    modes = next_modes(self, modes, event)
                    self.first_step = None
                    continue
                if self.stepped and self.stepped[-1][1] == self.t:
                    modes = resume(self, modes)
            if waiting and self.t >= waiting[0].time:
                modes = change_load(self, waiting.pop(0))
            if self.table is not None and self.t >= self.table.next:
                # a table may bend or jump here: what stands may start
                self.table.advance(self.t)
                modes = settle(self, modes, modes.standing, modes.leaning)
            if self.sampled is not None and self.t >= sample:
                self.sampled.sample(self.t, self.q, self.qd, self.extra)
                sample += self.sampled.period
                if modes.held:
                    modes = settle(self, modes, modes.standing, modes.leaning)


def simulate(
    plant: Plant,
    control: Control,
    q: ArrayLike,
    qd: ArrayLike | None,
    duration: float,
    settings: SimulationSettings | None = None,
) -> Motion:
    """The motion of ``plant`` from (q, qd) over ``duration`` seconds; see ``Arm.simulate`` for the arguments."""
    settings = settings or SimulationSettings()
    run = Simulation(plant, control, start_state(plant.n, q, qd), duration, settings)
    with _bar(run, duration) if settings.progress else nullcontext():
        return run.run()


def _bar(run: Simulation, duration: float) -> AbstractContextManager[Any]:
    from rich.progress import Progress

    bar = Progress(transient=True)
    task = bar.add_task("simulating", total=duration)
    start, report = run.t, run.show

    def show(t: float) -> None:
        report(t)
        bar.update(task, completed=t - start)

    run.show = show  # type: ignore[method-assign]
    return bar

"""Closed loops in machine code as they run: what they follow, slices of the integration, and the motion at its end.

The same for arms (``compiled_loop.py``) and mechanisms (``mechanism_loop.py``), whose C has the functions
``settings``, ``dop853`` and ``torques``.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..simulation.dop853 import MEMO, PAUSED
from ..simulation.inputs import Control, Input
from ..simulation.motion import Motion
from ..simulation.settings import SimulationSettings
from ..systems.protocol import System
from ..systems.time_span import TOO_FAST
from .controllers import ComputedTorque, PDGravity
from .trajectories import Polynomials

Array = NDArray[np.float64]

REFERENCE = """\
static __thread const double *knots, *table, *kp, *kd; /* set and used within one call, each thread its own */
static __thread long pieces;
static __thread int degree;

static void reference(double t, double *r, double *rd, double *rdd)
{
  long k = 0;
  const int outside = t < knots[0] || t > knots[pieces];
  if (t < knots[0]) t = knots[0];
  if (t > knots[pieces]) t = knots[pieces];
  while (k + 1 < pieces && t >= knots[k + 1]) k++;
  const double u = t - knots[k];
  for (int j = 0; j < N; j++) {
    double p = 0, v = 0, a = 0;
    for (int d = degree; d >= 0; d--) {
      a = a * u + 2 * v;
      v = v * u + p;
      p = p * u + table[(k * (degree + 1) + d) * N + j];
    }
    r[j] = p;
    rd[j] = outside ? 0 : v;
    rdd[j] = outside ? 0 : a;
  }
}
"""
"""Position, velocity and acceleration of a polynomial trajectory of N joints, held outside its times."""

SLICE = 20_000
"""Evaluations between two looks at whether the run has been interrupted."""
CHEAPER = 20
"""Machine code may take so many times the evaluations that are allowed in Python before a stiff method is tried."""


@dataclass(frozen=True, eq=False)
class LoopInput:
    """What a loop follows, and its gains: knots and coefficients of polynomials, one gain for each joint.

    Of constant loads they stand in the place of the first gains, and nothing is followed; ``model`` is that of the
    controller, None of loads.
    """

    kind: str
    model: object
    knots: Array
    table: Array
    stiffness: Array
    damping: Array

    @classmethod
    def of(cls, control: Control, names: tuple[str, ...], span: tuple[float, float]) -> LoopInput:
        """Of a controller that ``serves`` has looked at, or of loads."""
        n = len(names)
        gains: tuple[ArrayLike, ArrayLike]
        if isinstance(control, ComputedTorque | PDGravity):
            assert isinstance(control.trajectory, Polynomials), "serves() has looked"
            kind, model = "computed torque" if isinstance(control, ComputedTorque) else "pd", control.model
            path, gains = control.trajectory, (control.kp, control.kd)
        else:
            kind, model, path = "torque", None, Polynomials(np.array(span), np.zeros((1, 1, n)))
            gains = (Input(control, names).constant, 0.0)
        knots, table = (np.ascontiguousarray(x, dtype=float) for x in (path.times, path.coefficients))
        stiffness, damping = (np.ascontiguousarray(np.broadcast_to(np.asarray(g, dtype=float), (n,))) for g in gains)
        return cls(kind, model, knots, table, stiffness, damping)

    @property
    def settings(self) -> tuple[Any, ...]:
        """The arguments of ``settings`` of a loop."""
        sizes = ctypes.c_long(len(self.knots) - 1), ctypes.c_int(self.table.shape[1] - 1)
        return (
            double_pointer(self.knots),
            double_pointer(self.table),
            *sizes,
            double_pointer(self.stiffness),
            double_pointer(self.damping),
        )


def advanced(
    loop: Any, drive: LoopInput, end: float, tolerances: tuple[float, float], budget: int, state: Array,
    grid: Array, states: Array, stats: Any, memo: Array,
) -> int:  # fmt: skip
    """One slice of an integration; what ended it."""
    # set anew each time: another run of the same loop may have come in between in this thread
    loop.settings(*drive.settings)
    return int(
        loop.dop853(
            ctypes.c_double(end), *map(ctypes.c_double, tolerances), ctypes.c_double(TOO_FAST), ctypes.c_long(budget),
            ctypes.c_long(SLICE), double_pointer(state), double_pointer(grid), ctypes.c_long(len(grid)),
            double_pointer(states), stats, double_pointer(memo),
        )
    )  # fmt: skip


@dataclass(frozen=True)
class LoopRun:
    """How far an integration came: times and states that were to be kept, the time reached and the state there.

    ``fault`` is what ended it, 0 where nothing did; ``kept`` says how many of the states there are.
    """

    t: Array
    states: Array
    reached: float
    state: Array
    fault: int
    interrupted: bool
    steps: int
    evaluations: int
    kept: int


def integrated(
    loop: Any, drive: LoopInput, settings: SimulationSettings, duration: float, state: Array,
    prepare: Callable[[], object] = lambda: None,
) -> LoopRun:  # fmt: skip
    """The loop from ``state`` on, slice by slice; ``prepare`` is called before each of them."""
    start, end = settings.span(duration)
    grid = settings.grid(duration)
    states = np.empty((len(grid), len(state)))
    stats, memo = (ctypes.c_long * 4)(), np.zeros(MEMO + len(state))
    memo[0] = start
    tolerances, budget = (settings.rtol, settings.atol), CHEAPER * settings.most_evaluations
    fault, interrupted = PAUSED, False
    try:
        while fault == PAUSED:
            prepare()
            fault = advanced(loop, drive, end, tolerances, budget, state, grid, states, stats, memo)
            settings.report(float(memo[0]))
    except KeyboardInterrupt:
        interrupted = True
    return LoopRun(grid, states, float(memo[0]), state, fault, interrupted, stats[0], stats[1], stats[2])


def loop_motion(
    system: System, run: LoopRun, t: Array, states: Array, tau: Array, energies: tuple[Array, Array], fault: str = ""
) -> Motion:
    """The motion of a system that a loop has moved; states begin with q and qd and end with the work (J)."""
    n = system.n
    turning = [joint.kind == "revolute" for joint in system.moving]
    return Motion(
        system.name, t, states[:, :n], states[:, n : 2 * n], tau, system.joint_names,
        tuple("rad" if x else "m" for x in turning), system.joint_names, tuple("N m" if x else "N" for x in turning),
        *energies, states[:, -1], np.zeros(len(t)), steps=run.steps, evaluations=run.evaluations, fault=fault,
    )  # fmt: skip


def double_pointer(array: Array) -> Any:
    """The address of a contiguous array of doubles, as a C function takes it."""
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))

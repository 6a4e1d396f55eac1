"""A mechanism in a closed loop in machine code: trajectory, controller, closures, accelerations, integrator.

The state is (q, q', phi, work). phi' = X q' makes phi a guess of the joints at each q that the integrator tries, and
Newton closes it there, so that loops are closed to rounding at every evaluation and nothing drifts. A state that the
closures refuse (near a singularity, in another assembly mode or far from its guess, beyond a limit of a joint) gets no
rates; where the integrator cannot avoid such states the simulation in Python goes over it, passes it or says why.
"""

from __future__ import annotations

import ctypes
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError, SimulationInterrupt
from ..compile import build
from ..compile.function import Function, Tables
from ..compile.kernel import Kernel
from ..formulations.control_laws import feedback
from ..mechanisms.branches import NEAR
from ..mechanisms.compiled_map import CompiledMap
from ..mechanisms.mechanism import Mechanism
from ..mechanisms.mechanism_functions import mechanism_facts
from ..mechanisms.mechanism_system import MechanismSystem
from ..mechanisms.transfer_over_field import TransferOverField
from ..rings.algebra import add
from ..rings.graph import Graph
from ..rings.ring import Scalar
from ..simulation.dop853 import MEMO, PAUSED, dop853_source
from ..simulation.inputs import Control
from ..simulation.motion import Motion
from ..simulation.native import RecentLibraries, loaded
from ..simulation.settings import SimulationSettings
from ..systems.arrays import vector_array
from .compiled_loop import CHEAPER, REFERENCE, LoopInput, advanced, double_pointer
from .controllers import ComputedTorque, PDGravity
from .trajectories import Polynomials

Array = NDArray[np.float64]

RATES = """\
#include <math.h>
#include <string.h>
#define N {n}
#define M {m}
#define OFF {off}
#define ALIGNED {aligned}
#define SPEEDS N
#define SIZE (2 * N + M + 1)
#define STEPS 8
typedef int (*kernel)(const double *const *in, double *const *out);
static __thread kernel newton_step, closed_loop;
static __thread const double *lower, *upper;
static __thread double largest_spread, largest_miss, mode;
{reference}
/* phi closed at q, in the assembly mode of the start; 0 where Newton does not get there */
static int close_loops(const double *guess, const double *q, double *phi)
{{
  double next[M], off[OFF], spread, side, aligned[ALIGNED];
  double *const out[] = {{next, off, &spread, &side, aligned}};
  double size = 1;
  for (int j = 0; j < N; j++) size = fmax(size, fabs(q[j]));
  memcpy(phi, guess, sizeof next);
  for (int step = 0; step < STEPS; step++) {{
    const double *const in[] = {{phi, q}};
    newton_step(in, out);
    double worst = 0;
    for (int j = 0; j < OFF; j++) worst = off[j] * 0 == 0 ? fmax(worst, fabs(off[j])) : INFINITY;
    memcpy(phi, next, sizeof next);
    if (worst <= 1e-9 * size) {{ /* the step just taken squares what was left */
      for (int j = 0; j < ALIGNED; j++) if (!(aligned[j] > 0)) return 0;
      for (int j = 0; j < M; j++) if (!(phi[j] >= lower[j] && phi[j] <= upper[j])) return 0;
      double miss = 0; /* other modes are as near as a singularity is: the guess must be nearer */
      for (int j = 0; j < M; j++) miss = fmax(miss, fabs(phi[j] - guess[j]));
      return spread < largest_spread && miss * miss * spread < largest_miss && (mode == 0 || mode * side > 0);
    }}
  }}
  return 0;
}}

static int loop(double t, const double *x, double *phi, double *qdd, double *tau, double *rate)
{{
  double r[N], rd[N], rdd[N], spread;
  if (!close_loops(x + 2 * N, x, phi)) return 0;
  reference(t, r, rd, rdd);
  const double *const in[] = {{phi, x, x + N, r, rd, rdd, kp, kd}};
  double *const out[] = {{qdd, tau, rate, &spread}};
  closed_loop(in, out);
  return 1;
}}

static void rates(double t, const double *x, double *f)
{{
  double phi[M], tau[N], power = 0;
  if (!loop(t, x, phi, f + N, tau, f + 2 * N)) {{
    for (int j = 0; j < SIZE; j++) f[j] = NAN;
    return;
  }}
  for (int j = 0; j < N; j++) {{ f[j] = x[N + j]; power += x[N + j] * tau[j]; }}
  f[SIZE - 1] = power;
}}

/* torques and closed joints at states that were told; 0 where one of them does not close */
int torques(const double *times, const double *states, long count, double *tau, double *phi)
{{
  double qdd[N], rate[M];
  for (long i = 0; i < count; i++)
    if (!loop(times[i], states + i * SIZE, phi + i * M, qdd, tau + i * N, rate)) return 0;
  return 1;
}}

void settings(const double *a, const double *b, long c, int d, const double *e, const double *f)
{{
  knots = a; table = b; pieces = c; degree = d; kp = e; kd = f;
}}

void mechanism(kernel a, kernel b, const double *low, const double *high, double spread, double miss, double side)
{{
  newton_step = a; closed_loop = b; lower = low; upper = high; mode = side;
  largest_spread = spread; largest_miss = miss;
}}
"""

MISS = 0.1
"""Of a joint from its guess (rad or m), times the condition of [G^w_phi] against that near which the system is."""
ARGUMENTS = ("q", "qd", "r", "rd", "rdd", "kp", "kd")


def serves(system: MechanismSystem, control: Control) -> str:
    """Why this loop cannot be compiled, or nothing."""
    if system.mechanism.assembly.map is None:
        return "the mechanism is not compiled; take mechanism.compiled()"
    if system.contacts:
        return "Coulomb friction needs events"
    if system.counts_drives or system.has_dampers:
        return "the power that friction and dampers take is accounted for in Python"
    if system.passive_indices and (callable(control) or np.any(np.asarray(control))):
        return "Python sees to it that nobody drives passive coordinates"
    if not callable(control):
        return ""
    if type(control) not in (ComputedTorque, PDGravity):
        return "the controller is a function of Python"
    assert isinstance(control, ComputedTorque | PDGravity)
    model = control.model
    if not isinstance(control.trajectory, Polynomials) or control.trajectory.n != system.n:
        return "the trajectory is not made of polynomials, one for each coordinate"
    if not isinstance(model, MechanismSystem) or not same_kinematics(model.mechanism, system.mechanism):
        return "the model of the controller is not a mechanism that moves as this one does"
    if model.counts_drives:
        return "the friction of drives is fed forward in Python"
    return ""


def same_kinematics(a: Mechanism, b: Mechanism) -> bool:
    """Two mechanisms with the same joints, closures and coordinates; their inertia may differ."""
    return a is b or _kinematics(a) == _kinematics(b)


def _kinematics(mechanism: Mechanism) -> list[object]:
    assembly = mechanism.assembly
    bodies = [
        [(body.joint.kind, body.parent, body.before.exact, body.after.exact) for body in arm.bodies]
        for arm in mechanism.chains.arms.values()
    ]
    return [bodies, [c.facts for c in assembly.closures], [c.facts for c in assembly.coordinates]]


def closed_loop(mechanism: Mechanism, model: Mechanism, kind: str) -> Function:
    """The loop at closed joints as a function: (phi, q, qd, reference, gains) to accelerations, loads and phi'."""
    n, m = mechanism.n, mechanism.m
    facts = [mechanism_facts(part.assembly) for part in (mechanism, model)]
    return Function(
        "closed_loop",
        (("phi", m), *((name, n) for name in ARGUMENTS)),
        (("qdd", (n,)), ("tau", (n,)), ("rate", (m,)), ("spread", (1,))),
        partial(_loop_tables, mechanism, model, kind),
        label=mechanism.name,
        facts="\0".join((kind, *facts)) if all(facts) else "",
    )


def _loop_tables(mechanism: Mechanism, model: Mechanism, kind: str) -> Tables:
    """The loads of the law as in ``compiled_loop`` at closed joints, with qdd, phi' = X qd and the spread of [G^w]."""
    graph = Graph()
    plant = TransferOverField(mechanism.assembly, graph)
    inner = plant if model is mechanism else TransferOverField(model.assembly, graph)
    phi = graph.inputs("phi_", mechanism.m)
    q, qd, r, rd, rdd, kp, kd = (graph.inputs(f"{name}_", mechanism.n) for name in ARGUMENTS)
    pull = [feedback(*row) for row in zip(kp, kd, r, rd, q, qd, strict=True)]
    factors = plant.factors(phi)
    tau: list[Scalar]
    if kind == "torque":
        tau = list(kp)
    elif kind == "computed torque":
        tau = inner.inverse_dynamics(phi, qd, [add(a, p) for a, p in zip(rdd, pull, strict=True)], factors)
    else:
        weight = inner.carried(inner.influence(factors), inner.weight(phi))
        tau = [add(g, p) for g, p in zip(weight, pull, strict=True)]
    qdd, motion = plant.forward_dynamics(phi, qd, tau, [0] * mechanism.m, factors)
    return qdd, tau, motion.rate, [factors.spread]


_libraries = RecentLibraries()


@lru_cache(maxsize=32)
def _law(mechanism: Mechanism, model: Mechanism, kind: str) -> Kernel:
    return Kernel(closed_loop(mechanism, model, kind))


def library(code: CompiledMap) -> Any:
    """The integrator for a mechanism of this size; None without a compiler."""
    assembly = code.assembly
    sizes = assembly.n, assembly.m, assembly.n + assembly.r, max(1, len(assembly.turning))

    def make() -> Any:
        text = RATES.format(n=sizes[0], m=sizes[1], off=sizes[2], aligned=sizes[3], reference=REFERENCE)
        compiled = loaded(text + dop853_source(), f"mechanism loop {sizes}")
        if compiled is not None:
            compiled.dop853.restype = compiled.torques.restype = ctypes.c_int
            compiled.settings.restype = compiled.mechanism.restype = None
        return compiled

    return _libraries.get(sizes, make)


def run(
    system: MechanismSystem, control: Control, q: ArrayLike, qd: ArrayLike | None, duration: float,
    settings: SimulationSettings,
) -> Motion | None:  # fmt: skip
    """The motion; None where the simulation in Python has to look: no compiler, too many steps, a state refused."""
    mechanism, n, m = system.mechanism, system.n, system.mechanism.m
    code = mechanism.assembly.map
    assert code is not None, "serves() has looked"
    position = vector_array(n, "q", q, "coordinate")
    speed = np.zeros(n) if qd is None else vector_array(n, "qd", qd, "coordinate")
    if position.shape != (n,) or speed.shape != (n,):
        raise ArmError("a simulation starts from one state; use simulate_many for a batch")
    start, end = settings.span(duration)
    drive = LoopInput.of(control, system.joint_names, (start, end))
    model = system if drive.model is None else drive.model
    assert isinstance(model, MechanismSystem), "serves() has looked"
    if not build.available() or (loop := library(code)) is None:
        return None
    step, law = code.kernel("newton_step"), _law(mechanism, model.mechanism, drive.kind)
    if step.address() is None or law.address() is None:
        return None
    phi = system.joints(position)
    _, _, start_spread, side, _ = step(phi, position)
    _, _, spread, _, _ = step(system.near, mechanism.coordinates_of(system.near))
    if not start_spread[0] < NEAR**2 * spread[0]:
        return None  # it starts near a singularity
    stops = [c.joint for c in mechanism.assembly.coordinates if c.joint >= 0]  # as in fast_forward_dynamics
    low, high = mechanism.chains.outermost(stops)
    square = n + mechanism.r == m
    grid = settings.grid(duration)
    state = np.concatenate([position, speed, phi, [0.0]])
    states = np.empty((len(grid), len(state)))
    stats, memo = (ctypes.c_long * 4)(), np.zeros(MEMO + len(state))
    memo[0] = start
    mechanism_settings = (
        ctypes.c_void_p(step.address()), ctypes.c_void_p(law.address()), double_pointer(low), double_pointer(high),
        ctypes.c_double(NEAR**2 * spread[0]), ctypes.c_double(MISS**2 * spread[0]),
        ctypes.c_double(side[0] if square else 0.0),
    )  # fmt: skip
    budget, fault, interrupted = CHEAPER * settings.most_evaluations, PAUSED, False
    try:
        while fault == PAUSED:
            loop.mechanism(*mechanism_settings)  # anew each time, as the settings are
            fault = advanced(loop, drive, end, (settings.rtol, settings.atol), budget, state, grid, states, stats, memo)
            settings.report(float(memo[0]))
    except KeyboardInterrupt:
        interrupted = True
    if fault and not interrupted:
        return None
    count = stats[2] if interrupted else len(grid)
    grid, states = grid[:count], states[:count]
    tau, joints = np.empty((count, n)), np.empty((count, m))
    closed = loop.torques(
        double_pointer(grid), double_pointer(states), ctypes.c_long(count), double_pointer(tau), double_pointer(joints)
    )
    if interrupted and not (count and closed):
        raise KeyboardInterrupt  # nothing was kept yet; going on in Python is not what was asked for
    if not closed:
        return None
    motion = _motion(system, grid, states, tau, joints, stats)
    if interrupted:
        message = f"interrupted at t = {float(memo[0]):.6g} s"
        raise SimulationInterrupt(message, replace(motion, fault=message))
    return motion


def _motion(system: MechanismSystem, t: Array, states: Array, tau: Array, phi: Array, stats: Any) -> Motion:
    n, mechanism = system.n, system.mechanism
    q, qd = states[:, :n], states[:, n : 2 * n]
    turning = [coordinate.kind == "revolute" for coordinate in system.moving]
    return Motion(
        system.name, t, q, qd, tau, system.joint_names, tuple("rad" if x else "m" for x in turning),
        system.joint_names, tuple("N m" if x else "N" for x in turning), mechanism.kinetic_energy(phi, qd),
        mechanism.potential_energy(phi), states[:, -1], np.zeros(len(t)), steps=stats[0], evaluations=stats[1],
    )  # fmt: skip

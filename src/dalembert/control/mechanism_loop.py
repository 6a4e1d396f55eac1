"""A mechanism in a closed loop in machine code: trajectory, controller, closures, accelerations, integrator.

The state is (q, q', phi, work). phi' = X q' makes phi a guess of the joints at each q that the integrator tries, and
Newton closes it there, so that loops are closed to rounding at every evaluation and nothing drifts. A state that the
closures refuse (near a singularity, in another assembly mode or far from its guess, beyond a limit of a joint) gets no
rates; where the integrator cannot avoid such states the simulation in Python goes over it, passes it or says why.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import SimulationInterrupt
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
from ..simulation.dop853 import dop853_source
from ..simulation.inputs import Control
from ..simulation.motion import Motion
from ..simulation.native import RecentLibraries, loaded
from ..simulation.settings import SimulationSettings, start_state
from .controllers import ComputedTorque, PDGravity
from .integrated_loop import REFERENCE, LoopInput, double_pointer, integrated, loop_motion
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
    position, speed = start_state(n, q, qd, "coordinate")
    drive = LoopInput.of(control, system.joint_names, settings.span(duration))
    model = system if drive.model is None else drive.model
    assert isinstance(model, MechanismSystem), "serves() has looked"
    if not build.available() or (loop := library(code)) is None:
        return None
    step, law = code.kernel("newton_step"), _law(mechanism, model.mechanism, drive.kind)
    phi = system.joints(position)
    mechanism_settings = _mechanism_settings(system, step, law, position, phi)
    if mechanism_settings is None:
        return None
    state = np.concatenate([position, speed, phi, [0.0]])
    ended = integrated(loop, drive, settings, duration, state, lambda: loop.mechanism(*mechanism_settings))
    if ended.fault and not ended.interrupted:
        return None
    count = ended.kept if ended.interrupted else len(ended.t)
    t, states = ended.t[:count], ended.states[:count]
    tau, joints = np.empty((count, n)), np.empty((count, m))
    closed = loop.torques(
        double_pointer(t), double_pointer(states), ctypes.c_long(count), double_pointer(tau), double_pointer(joints)
    )
    if ended.interrupted and not (count and closed):
        raise KeyboardInterrupt  # nothing was kept yet; going on in Python is not what was asked for
    if not closed:
        return None
    energies = mechanism.kinetic_energy(joints, states[:, n : 2 * n]), mechanism.potential_energy(joints)
    if ended.interrupted:
        message = f"interrupted at t = {ended.reached:.6g} s"
        raise SimulationInterrupt(message, loop_motion(system, ended, t, states, tau, energies, message))
    return loop_motion(system, ended, t, states, tau, energies)


def _mechanism_settings(
    system: MechanismSystem, step: Kernel, law: Kernel, position: Array, phi: Array
) -> tuple[Any, ...] | None:
    """What the loop has to know of the mechanism; None without machine code, or where it starts near a singularity."""
    newton_step, closed_loop = step.address(), law.address()
    if newton_step is None or closed_loop is None:
        return None
    mechanism = system.mechanism
    _, _, start_spread, side, _ = step(phi, position)
    _, _, spread, _, _ = step(system.near, mechanism.coordinates_of(system.near))
    if not start_spread[0] < NEAR**2 * spread[0]:
        return None
    stops = [c.joint for c in mechanism.assembly.coordinates if c.joint >= 0]  # as in fast_forward_dynamics
    low, high = mechanism.chains.outermost(stops)
    square = mechanism.n + mechanism.r == mechanism.m
    return (
        ctypes.c_void_p(newton_step), ctypes.c_void_p(closed_loop), double_pointer(low), double_pointer(high),
        ctypes.c_double(NEAR**2 * spread[0]), ctypes.c_double(MISS**2 * spread[0]),
        ctypes.c_double(side[0] if square else 0.0),
    )  # fmt: skip

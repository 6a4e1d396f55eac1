"""A closed loop as one function in machine code: trajectory, controller, arm, integrator, nothing of Python between.

Serves constant torques, and computed torque and PD with gravity compensation on polynomial trajectories, the arm of
the controller's model being any arm with the same number of joints. The graph holds the whole loop: inverse
dynamics of the model feeds forward dynamics of the arm.
"""

from __future__ import annotations

import ctypes
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp

from ..arm.description import ArmDescription
from ..arm.errors import SimulationError, SimulationInterrupt
from ..compile import build
from ..compile.code_length import MOST_UNASKED, expected_statements
from ..compile.emit_c import Program
from ..compile.emit_single import single_source
from ..compile.function import Function, Tables
from ..compile.functions import determined, system_facts
from ..compile.graph_model import GraphModel, solved, torque
from ..compile.kernel import Kernel
from ..compile.shared_library import CompiledLibrary
from ..formulations.control_laws import feedback
from ..rings.algebra import add
from ..rings.graph import Graph
from ..rings.ring import Scalar
from ..simulation.dop853 import DIVERGED, MEMO, PAUSED, TOO_MANY, dop853_source
from ..simulation.inputs import Control
from ..simulation.motion import Motion
from ..simulation.native import RecentLibraries, loaded
from ..simulation.settings import SimulationSettings, start_state
from ..systems.arm_system import ArmSystem
from .controllers import ComputedTorque, PDGravity
from .integrated_loop import REFERENCE, LoopInput, advanced, double_pointer, integrated, loop_motion
from .trajectories import Polynomials

Array = NDArray[np.float64]

RATES = """\
#define N {n}
#define SPEEDS N
#define SIZE (2 * N + 1)
{reference}
static void loop(double t, const double *x, double *qdd, double *tau)
{{
  double r[N], rd[N], rdd[N];
  reference(t, r, rd, rdd);
  const double *const in[] = {{x, x + N, r, rd, rdd, kp, kd}};
  double *const out[] = {{qdd, tau}};
  kernel_single(in, out);
}}

static void rates(double t, const double *x, double *f)
{{
  double tau[N], power = 0;
  loop(t, x, f + N, tau);
  for (int j = 0; j < N; j++) {{ f[j] = x[N + j]; power += x[N + j] * tau[j]; }}
  f[2 * N] = power;
}}

void torques(const double *times, const double *states, long count, double *tau)
{{
  double qdd[N];
  for (long i = 0; i < count; i++) loop(times[i], states + i * SIZE, qdd, tau + i * N);
}}

void settings(const double *a, const double *b, long c, int d, const double *e, const double *f)
{{
  knots = a; table = b; pieces = c; degree = d; kp = e; kd = f;
}}
"""

MOST_COMPARED = 5_000
"""Evaluations in NumPy after which a new integrator is not compared any longer, and not used."""
ARGUMENTS = ("q", "qd", "r", "rd", "rdd", "kp", "kd")


def serves(arm: ArmSystem, control: Control) -> str:
    """Why this loop cannot be compiled, or nothing."""
    if arm.contacts:
        return "Coulomb friction needs events"
    if expected_statements(arm, "forward_dynamics") > MOST_UNASKED:
        return "the code of so many joints would be too long"
    if arm.counts_drives or any(getattr(part, "damping", 0) for part in arm.elastic):
        return "the power that friction and dampers take is accounted for in Python"
    if not callable(control):
        return ""
    if not isinstance(control, ComputedTorque | PDGravity) or type(control) not in (ComputedTorque, PDGravity):
        return "the controller is a function of Python"
    if not isinstance(control.trajectory, Polynomials):
        return "the trajectory is not made of polynomials"
    if not isinstance(control.model, ArmSystem) or control.model.n != arm.n:
        return "the model of the controller is not an arm with as many joints"
    if control.model.counts_drives:
        return "the friction of drives is fed forward in Python"
    if control.trajectory.n != arm.n:
        return "the trajectory has another number of joints"
    return ""


def closed_loop(arm: ArmDescription, model: ArmDescription, kind: str) -> Function:
    """The loop as a function: (q, qd, reference, gains) to accelerations and torques."""
    n = arm.n
    return Function(
        "closed_loop",
        tuple((name, n) for name in ARGUMENTS),
        (("qdd", (n,)), ("tau", (n,))),
        partial(_loop_tables, arm, model, kind),
        label=arm.name,
        facts=f"{kind} {system_facts(arm)} {system_facts(model)}",
    )


def _loop_tables(arm: ArmDescription, model: ArmDescription, kind: str) -> Tables:
    """tau of the law, and qdd under it.

    Constant, or ID(q, qd, rdd + kp (r - q) + kd (rd - qd)), or G(q) + kp (r - q) + kd (rd - qd) of the model.
    """
    graph = Graph()
    plant, inner = GraphModel(arm, graph), GraphModel(model, graph)
    q, qd, r, rd, rdd, kp, kd = (plant.input(name) for name in ARGUMENTS)
    errors = zip(kp, kd, r, rd, q, qd, strict=True)
    pull = [feedback(*row) for row in errors]
    tau: list[Scalar]
    if kind == "torque":
        tau = list(kp)
    elif kind == "computed torque":
        tau = torque(inner, q, qd, [add(a, p) for a, p in zip(rdd, pull, strict=True)])
    else:
        tau = [add(g, p) for g, p in zip(inner.system.gravity(graph, q, inner.chain), pull, strict=True)]
    return determined(arm, lambda: (solved(plant, q, qd, tau)[0], tau))


_libraries = RecentLibraries()


def _typed(loop: Any) -> Any:
    """The library with the types of what its functions give back."""
    loop.dop853.restype = ctypes.c_int
    loop.torques.restype = loop.settings.restype = None
    return loop


def _matches_numpy(function: Function, compiled: CompiledLibrary) -> bool:
    """A short motion of the loop against SciPy's integrator around the same function in NumPy."""
    loop, kernel = _typed(compiled), Kernel(function)
    n, end = function.arguments[0][1], 0.01
    rng = np.random.default_rng(0)
    start = np.concatenate([rng.uniform(-0.5, 0.5, 2 * n), [0.0]])
    zero, evaluations = np.zeros(n), 0

    def rates(t: float, x: Array, push: Array) -> Array:
        nonlocal evaluations
        evaluations += 1
        if evaluations > MOST_COMPARED:
            raise build.CompileError("a short motion takes too many steps to compare the compiled integrator by it")
        qdd, tau = kernel.in_numpy(x[:n], x[n : 2 * n], zero, zero, zero, push, push)
        return np.concatenate([x[n : 2 * n], qdd, [x[n : 2 * n] @ tau]])

    # 1 N m is nothing for one arm and a blow for another: inputs that accelerate by 1 rad/s^2 or less suit each.
    with np.errstate(all="ignore"):
        blow = float(np.abs(rates(0.0, start, np.ones(n)) - rates(0.0, start, zero))[n : 2 * n].max(initial=0.0))
        gains = np.full(n, 1 / max(1.0, blow))
        if not np.isfinite(gains).all() or not np.isfinite(rates(0.0, start, gains)).all():
            return True  # nothing to compare there; a run of it says what is wrong
    right = solve_ivp(rates, (0.0, end), start, "DOP853", args=(gains,), rtol=1e-8, atol=1e-10).y[:, -1]
    drive = LoopInput("torque", None, np.array([0.0, end]), np.zeros((1, 1, n)), gains, gains)
    state, states, grid = start.copy(), np.empty((1, 2 * n + 1)), np.array([end])
    stats, memo = (ctypes.c_long * 4)(), np.zeros(MEMO + len(state))
    fault = PAUSED
    while fault == PAUSED:
        fault = advanced(loop, drive, end, (1e-8, 1e-10), 100_000, state, grid, states, stats, memo)
    scale = np.maximum(1.0, np.abs(right))
    return not fault and bool((np.abs(states[0] - right) <= 1e-7 * scale).all())


def library(arm: ArmDescription, model: ArmDescription, kind: str) -> Any:
    """The compiled loop, kept for further runs of the same two systems; None without a compiler."""
    if not build.available():
        return None
    loop = closed_loop(arm, model, kind)

    def make() -> Any:
        source = single_source(Program(loop), "float64") + RATES.format(n=arm.n, reference=REFERENCE) + dop853_source()
        compiled = loaded(source, loop.identity, partial(_matches_numpy, loop))
        return compiled if compiled is None else _typed(compiled)

    return _libraries.get(loop.identity, make)


def run(
    arm: ArmSystem, control: Control, q: ArrayLike, qd: ArrayLike | None, duration: float, settings: SimulationSettings
) -> Motion | None:
    """The motion; None where there is no compiler, or where steps become so many that a stiff method is to be tried."""
    n = arm.n
    position, speed = start_state(n, q, qd)
    drive = LoopInput.of(control, arm.joint_names, settings.span(duration))
    model = arm if drive.model is None else drive.model
    assert isinstance(model, ArmSystem), "serves() has looked"
    loop = library(arm, model, drive.kind)
    if loop is None:
        return None
    ended = integrated(loop, drive, settings, duration, np.concatenate([position, speed, [0.0]]))
    if ended.fault == TOO_MANY and not ended.interrupted:
        return None
    states, t = ended.states[: ended.kept], ended.t[: ended.kept]
    if not len(t) or t[-1] < ended.reached:
        states, t = np.vstack([states, ended.state]), np.append(t, ended.reached)
    tau = np.empty((len(t), n))
    loop.torques(double_pointer(t), double_pointer(states), ctypes.c_long(len(t)), double_pointer(tau))
    q_all, qd_all = states[:, :n], states[:, n : 2 * n]
    energies = np.atleast_1d(arm.kinetic_energy(q_all, qd_all)), np.atleast_1d(arm.potential_energy(q_all))
    if ended.interrupted:
        message = f"interrupted at t = {ended.reached:.6g} s"
        raise SimulationInterrupt(message, loop_motion(arm, ended, t, states, tau, energies, message))
    if ended.fault:
        last = ended.state[n : 2 * n]
        joint = arm.joint_names[int(np.argmax(np.where(np.isfinite(last), np.abs(last), np.inf)))]
        cause = "the motion diverges" if ended.fault == DIVERGED else "steps become too short"
        message = f"{cause} at t = {ended.reached:.6g} s at joint {joint!r}; check torques and gains"
        raise SimulationError(message, loop_motion(arm, ended, t, states, tau, energies, message))
    return loop_motion(arm, ended, t, states, tau, energies)

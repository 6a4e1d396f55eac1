"""A mechanism in its coordinates as an ``FmuModel``.

The joints of its chains are states that follow the coordinates, phi' = X q', and are the guess from which Newton
closes the loops at every evaluation, so that nothing drifts (as in ``control/mechanism_loop.py``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..mechanisms.branches import WORSE
from ..mechanisms.continuation import LARGEST_BEND, LARGEST_TURN, SMALLEST_STEP
from ..mechanisms.mechanism_system import MechanismSystem
from ..simulation.plant import Plant
from ..simulation.saturation import saturation_of
from .fmu_model import FmuModel, FmuVariable
from .loop_functions import MechanismFunctions
from .plant_model import bounded, coordinates_of, plant_model
from .variable_names import structured

Array = NDArray[np.float64]

GLUE = """\
/* phi closed at q, in the assembly mode of the start; `first` is what one step from the guess gives; 0 where Newton
   does not get there */
static int close_loops(const Core *me, const double *guess, const double *q, double *phi, double *first)
{{
  static const double lower[] = {{{lower}}}, upper[] = {{{upper}}};
  double next[JOINTS], off[{off}], spread[1], side[1], aligned[{aligned}], size = 1;
  for (int j = 0; j < N; j++) size = fmax(size, fabs(q[j]));
  for (int k = 0; k < JOINTS; k++) phi[k] = guess[k];
  for (int step = 0; step < 10; step++) {{
    double worst = 0;
    arm_newton_step(phi, q, next, off, spread, side, aligned);
    for (int k = 0; k < {off}; k++) worst = off[k] * 0 == 0 ? fmax(worst, fabs(off[k])) : HUGE_VAL;
    for (int k = 0; k < JOINTS; k++) {{
      phi[k] = next[k];
      if (first && step == 0) first[k] = next[k];
    }}
    if (worst <= 1e-9 * size) {{ /* the step just taken squares what was left */
      for (int k = 0; k < {aligned}; k++) if (!(aligned[k] > 0)) return 0;
      for (int k = 0; k < JOINTS; k++) if (!(phi[k] >= lower[k] && phi[k] <= upper[k])) return 0;
      return spread[0] < me->spread && (!{square} || me->side * side[0] > 0);
    }}
  }}
  return 0;
}}

/* the joints at q, on a straight way from home: steps that leave their prediction are halved */
static int model_begin(Core *me)
{{
  static const double home[] = {{{home}}}, home_q[] = {{{home_q}}};
  double phi[JOINTS], found[JOINTS], first[JOINTS], q[N], off[{off}], spread[1], side[1], aligned[{aligned}];
  double done = 0, step = 1;
  memcpy(phi, home, sizeof phi);
  arm_newton_step(phi, home_q, found, off, spread, side, aligned);
  me->spread = {worse} * spread[0];
  me->side = side[0];
  while (done < 1) {{
    double turned = 0, bent = 0;
    if (step > 1 - done) step = 1 - done;
    for (int j = 0; j < N; j++) q[j] = home_q[j] + (done + step) * (me->x[j] - home_q[j]);
    int good = close_loops(me, phi, q, found, first);
    for (int k = 0; k < JOINTS; k++) {{
      turned = fmax(turned, fabs(first[k] - phi[k]));
      bent = fmax(bent, fabs(found[k] - first[k]));
    }}
    good = good && turned < {turn} && bent <= {bend} * turned + 1e-9;
    if (good) {{
      done += step;
      step *= 2;
      memcpy(phi, found, sizeof phi);
    }} else {{
      step /= 2;
      if (step < {smallest}) return 0;
    }}
  }}
  memcpy(me->x + 2 * N + CURRENTS, phi, sizeof phi);
  return 1;
}}

static int model_at(const Core *me, const double *x, Point *at)
{{
  if (!close_loops(me, x + 2 * N + CURRENTS, x, at->joints, NULL)) return 0;
  arm_dynamics(at->joints, x + N, me->p + PHYSICS, at->mass, at->bias, at->rate{contacts}{ratios});
  drive(me, x, at);
  return 1;
}}

static void model_outputs(const Core *me, const double *x, const Point *at, double *out)
{{
  (void)x;
  arm_hand(at->joints, at->rate, me->p + PHYSICS, out, out + 1);
}}

/* The joints follow the coordinates: d phi = X dq, which is their rate where q' is dq. */
static void model_along(const Core *me, const double *x, const Point *at, const double *dx, const double *du, Point *d)
{{
  Point aside;
  arm_dynamics(at->joints, dx, me->p + PHYSICS, aside.mass, aside.bias, d->joints{contacts_aside}{ratios_aside});
  arm_dynamics_along(at->joints, x + N, me->p + PHYSICS, d->joints, dx + N, d->mass, d->bias,
                     d->rate{contacts_along}{ratios_along});
  drive_along(me, x, at, dx, du, d);
}}

static void model_outputs_along(const Core *me, const double *x, const Point *at, const double *dx, const Point *d,
                                double *out)
{{
  (void)x;
  (void)dx;
  arm_hand_along(at->joints, at->rate, me->p + PHYSICS, d->joints, d->rate, out, out + 1);
}}
"""

POINTS = {"": "at->", "_along": "d->", "_aside": "aside."}
"""Where the glue writes what ``arm_dynamics`` and its twin give."""


def mechanism_model(
    plant: Plant, system: MechanismSystem, stops: bool, restitution: float, saturate: bool | None
) -> FmuModel:
    """The model of a plant whose system is a mechanism."""
    functions = MechanismFunctions(system)
    assembly, chains = system.mechanism.assembly, system.mechanism.chains
    home = np.asarray(system.near, dtype=float)
    home_q = assembly.value(assembly.coordinate_blocks(assembly.chains.place(home[None]), 0), 1)[0, : system.n]
    saturation = saturation_of(plant, saturate)
    joints = tuple(
        FmuVariable(f"joint.{name}", "rad" if turns else "m", f"position of joint {label}")
        for name, turns, label in zip(structured(chains.joint_names), chains.revolute, chains.joint_names, strict=True)
    )
    return plant_model(
        plant, functions, coordinates_of(plant, home_q.tolist()), saturation, stops, restitution,
        glue=_glue(plant, functions, home, home_q), outputs=functions.outputs, loads=list(functions.loads.values()),
        joints=joints,
    )  # fmt: skip


def _glue(plant: Plant, functions: MechanismFunctions, home: Array, home_q: Array) -> str:
    assembly = functions.assembly
    stopped = [c.joint for c in assembly.coordinates if c.joint >= 0]
    lower, upper = functions.mechanism.chains.outermost(stopped)
    return GLUE.format(
        lower=_values(lower), upper=_values(upper), home=_values(home), home_q=_values(home_q),
        off=assembly.n + assembly.r, aligned=max(1, len(assembly.turning)),
        square=int(assembly.n + assembly.r == assembly.m), worse=repr(float(WORSE**2)),
        turn=LARGEST_TURN, bend=LARGEST_BEND, smallest=repr(SMALLEST_STEP),
        **{
            f"contacts{end}": f", {point}rows, {point}drift" if plant.contacts else "" for end, point in POINTS.items()
        },
        **{f"ratios{end}": f", {point}ratios" if functions.motors else "" for end, point in POINTS.items()},
    )  # fmt: skip


def _values(row: Array) -> str:
    """Numbers as C literals; limits that are none as large ones."""
    return ", ".join(repr(bounded(float(x))) for x in row)

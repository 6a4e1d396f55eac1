"""Integrators in C around a function of the graph: the loop itself in machine code.

``many``: RK4 over vectors of arms. ``dop853``: the method of scipy's DOP853, with its own coefficients, error
estimate and step control, around a closed loop (``control/compiled_loop.py``).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Hashable
from functools import partial
from textwrap import indent
from typing import Any

import numpy as np

from ..arm.description import ArmDescription
from ..compile import build
from ..compile.code_length import MOST_UNASKED, expected_statements
from ..compile.emit_batch import ANY_VECTOR, ROOT, head
from ..compile.emit_c import VECTOR_SIGN, Program, Style, literal, statements
from ..compile.functions import function, system_facts
from ..compile.integrators import advance
from ..compile.kernel import Kernel
from ..compile.kernel_code import code_digest
from ..compile.shared_library import CompiledLibrary, built_library
from ..compile.sincos import source as sincos_source


def vector_body(program: Program) -> str:
    """C of ``static void body(V *x, V *y)``: early sines taken into x behind the inputs, then all statements."""
    style = Style("V", "", "x[{}]".format, "y[{}]".format, sign=VECTOR_SIGN, constant="(V){{0}} + {value}")
    lines = statements(program, style)
    inputs, pairs = len(program.inputs), len(program.angles)
    near, far = [], []
    for angle, slot in program.angles.items():
        plus = f" + {literal(angle.offset)}" if angle.offset else ""
        arguments = f"x[{program.inputs[angle.input]}]{plus}, &x[{inputs + slot}], &x[{inputs + pairs + slot}]"
        near.append(f"sincos_vector({arguments}, &far);")
        far.append(f"sincos_any({arguments});")
    return f"""\
static void body(V *restrict x, V *restrict y)
{{
  VI far = {{0}};
  {" ".join(near)}
  if (any_lane(far)) {{ {" ".join(far)} }}
  {(chr(10) + "  ").join(lines)}
}}
"""


KEPT = 16
"""Libraries kept loaded: those of the systems simulated last."""

MANY = """\
/* state of a vector of arms: q, qd, tau, parameters, then room for sines and cosines */
#define N {n}
#define P {parameters}
static void rates(const V *q, const V *qd, V *x, V *a)
{{
  for (int j = 0; j < N; j++) {{ x[j] = q[j]; x[N + j] = qd[j]; }}
  V y[{targets}];
  body(x, y);
  static const short where[] = {{{where}}};
  for (int j = 0; j < N; j++) a[j] = y[where[j]];
}}

void many(double *q_all, double *qd_all, const double *tau, const double *parameters, double step, long keep,
          long frames, long arms)
{{
  for (long first = 0; first < arms; first += W) {{
    const long live = arms - first < W ? arms - first : W;
    V x[{room}], q[N], qd[N], a[N];
    for (int i = 0; i < W; i++) {{
      const long arm = first + (i < live ? i : live - 1);
      for (int j = 0; j < N; j++) {{
        q[j][i] = q_all[arm * N + j];
        qd[j][i] = qd_all[arm * N + j];
        x[2 * N + j][i] = tau[arm * N + j];
      }}
      for (int j = 0; j < P; j++) x[3 * N + j][i] = parameters[arm * P + j];
    }}
    for (long frame = 1; frame <= frames; frame++) {{
      for (long count = 0; count < keep; count++) {{
{advance}      }}
      for (int i = 0; i < live; i++)
        for (int j = 0; j < N; j++) {{
          const long at = (frame * arms + first + i) * N + j;
          q_all[at] = q[j][i];
          qd_all[at] = qd[j][i];
        }}
    }}
  }}
}}
"""


def prelude() -> str:
    """Types, sines and roots of vectors, as in the kernels for batches."""
    return f"{head('float64')}\n#define SQRT sqrt\n{sincos_source('float64')}\n{ANY_VECTOR}\n{ROOT}\n"


def many_source(arm: ArmDescription, parameters: bool) -> str:
    """C of ``many`` for this system, its inertial parameters arguments where asked."""
    program = Program(function(arm, "forward_dynamics", "inertial" if parameters else None))
    room = len(program.inputs) + 2 * len(program.angles)
    loop = MANY.format(
        n=arm.n, parameters=10 * len(arm.bodies) if parameters else 0, targets=len(program.targets), room=room,
        where=", ".join(map(str, program.scatter[0])),
        advance=indent(advance("rk4", "rates(q, qd, x, a);", "step", "V", "double", "#pragma GCC unroll 4"), 8 * " "),
    )  # fmt: skip
    return prelude() + vector_body(program) + loop


def loaded(text: str, facts: str, agrees: Callable[[CompiledLibrary], bool] | None = None) -> Any:
    """The library of this source, built once and kept; None, after one line, where nothing can be compiled.

    ``agrees`` says, before it is kept, whether it computes what NumPy does: a compiler that gets it wrong is not used.
    """

    def verify(library: CompiledLibrary) -> None:
        if agrees is not None and not agrees(library):
            raise build.CompileError(
                f"the C compiler {build.find().command[0]} built an integrator that computes wrongly"
            )

    try:
        return CompiledLibrary(built_library(text, ("-O2",), facts, code_digest(), verify=verify))
    except build.CompileError as fault:
        build.warn_slow(fault)
        return None


def _many_matches_numpy(arm: ArmDescription, parameters: bool, library: CompiledLibrary) -> bool:
    """One step of two arms against the same step in NumPy."""
    n, step = arm.n, 1e-3
    kernel = Kernel(function(arm, "forward_dynamics", "inertial" if parameters else None))
    parameter_rows = np.tile(kernel.default_parameters, (2, 1))
    extra = (parameter_rows,) if parameters else ()
    q, qd, tau = np.random.default_rng(0).uniform(-0.5, 0.5, (3, 2, n))
    x, v, mean_speed, mean_acceleration = q.copy(), qd.copy(), np.zeros_like(q), np.zeros_like(q)
    for weight, ahead in ((1, 0.5), (2, 0.5), (2, 1.0), (1, 0.0)):
        a = kernel.in_numpy(x, v, tau, *extra)
        mean_speed, mean_acceleration = mean_speed + weight / 6 * v, mean_acceleration + weight / 6 * a
        x, v = q + ahead * step * v, qd + ahead * step * a
    results = [np.concatenate([start, np.zeros_like(start)]) for start in (q, qd)]
    arguments = [array.ctypes.data_as(ctypes.c_void_p) for array in (*results, tau, parameter_rows)]
    library.many(*arguments, ctypes.c_double(step), ctypes.c_long(1), ctypes.c_long(1), ctypes.c_long(2))
    right = np.concatenate([q + step * mean_speed, qd + step * mean_acceleration])
    usable = np.isfinite(right)
    close = np.abs(np.concatenate([array[2:] for array in results]) - right)[usable]
    return bool((close <= 1e-9 * np.abs(right[usable]).max(initial=1.0)).all())


class RecentLibraries:
    """Libraries kept loaded, those used last: at most ``KEPT``."""

    def __init__(self) -> None:
        self._libraries: dict[Hashable, Any] = {}

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The library of this key, made where it is not there; None where it could not be made, which is not kept."""
        library = self._libraries.pop(key, None)
        if library is None:
            library = make()
        if library is not None:
            for old in list(self._libraries)[: len(self._libraries) - KEPT + 1]:
                self._libraries.pop(old, None)
            self._libraries[key] = library
        return library


_many_libraries = RecentLibraries()


def many_library(arm: ArmDescription, parameters: bool) -> Any:
    """The library with ``many`` of this arm, or None."""
    if not build.available() or expected_statements(arm, "forward_dynamics") > MOST_UNASKED:
        return None
    text = many_source(arm, parameters)
    facts = f"many {parameters} {system_facts(arm)}"

    def make() -> Any:
        library = loaded(text, facts, partial(_many_matches_numpy, arm, parameters))
        if library is not None:
            library.many.restype = None
        return library

    return _many_libraries.get((facts, text), make)

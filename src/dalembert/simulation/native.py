"""Integrators in C around a function of the graph: the loop itself in machine code.

``many``: RK4 over vectors of arms. ``dop853``: the method of scipy's DOP853, with its own coefficients, error
estimate and step control, around a closed loop (``control/compiled_loop.py``).
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from textwrap import indent
from typing import Any

from ..arm.description import ArmDescription
from ..compile import build, cache
from ..compile.emit_batch import ANY_VECTOR, ROOT, head
from ..compile.emit_c import VECTOR_SIGN, Program, Style, literal, statements
from ..compile.functions import function, system_facts
from ..compile.integrators import advance
from ..compile.kernel import code_digest
from ..compile.shared_library import CompiledLibrary
from ..compile.sincos import source as sincos_source


def vector_body(program: Program, name: str = "body") -> str:
    """C of ``static void body(V *x, V *y)``: early sines taken into x behind the inputs, then all statements."""
    style = Style("V", "", "x[{}]".format, "y[{}]".format, sign=VECTOR_SIGN, constant="(V){{0}} + {value}")
    lines = statements(program, style)
    inputs, pairs = len(program.inputs), len(program.angles)
    near, far = [], []
    for angle, place in program.angles.items():
        plus = f" + {literal(angle.offset)}" if angle.offset else ""
        rest = f"x[{program.inputs[angle.input]}]{plus}, &x[{inputs + place}], &x[{inputs + pairs + place}]"
        near.append(f"sincos_vector({rest}, &far);")
        far.append(f"sincos_any({rest});")
    return f"""\
static void {name}(V *restrict x, V *restrict y)
{{
  VI far = {{0}};
  {" ".join(near)}
  if (any_lane(far)) {{ {" ".join(far)} }}
  {(chr(10) + "  ").join(lines)}
}}
"""


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
        n=arm.n, parameters=10 * arm.n if parameters else 0, targets=len(program.targets), room=room,
        where=", ".join(map(str, program.scatter[0])),
        advance=indent(advance("rk4", "rates(q, qd, x, a);", "step", "V", "double", "#pragma GCC unroll 4"), 8 * " "),
    )  # fmt: skip
    return prelude() + vector_body(program) + loop


def loaded(text: str, facts: str) -> Any:
    """The library of this source, built once and kept; None, after one line, where nothing can be compiled."""
    try:
        compiler = build.find()
        key = hashlib.sha256(
            "\0".join((facts, code_digest(), compiler.identity, build.machine(), text)).encode()
        ).hexdigest()
        path = cache.library(key, lambda folder: build.compiled(compiler, text, Path(folder), ("-O2",)))
        return CompiledLibrary(path)
    except build.CompileError as fault:
        build.say_slow(fault)
        return None


@lru_cache(maxsize=16)
def _many(facts: str, parameters: bool, text: str) -> Any:
    library = loaded(text, f"many {parameters} {facts}")
    if library is not None:
        library.many.restype = None
    return library


def many_library(arm: ArmDescription, parameters: bool) -> Any:
    """The library with ``many`` of this arm, or None."""
    if not build.available():
        return None
    return _many(system_facts(arm), parameters, many_source(arm, parameters))

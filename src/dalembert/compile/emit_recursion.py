"""C of the recursions over tables of joints: one library for all arms, built once on a machine.

The physics in it is that of ``recursion_steps.py``, written by the emitter of all other code; here are the loops over
joints and pairs, and the sparse factors of D (``formulations/factor.py``).
"""

from __future__ import annotations

from ..rings.graph import CONST
from .emit_batch import ANY_VECTOR, ROOT, head
from .emit_c import VECTOR_SIGN, Program, Style, destinations, statements
from .function import Function
from .recursion_calls import ENTRIES, ENTRY, RUN
from .recursion_loops import HELPERS, LANES, LOOPS, PAIRS, SINES, STRUCT
from .recursion_solve import SOLVE
from .recursion_steps import FIXED, FORCE, KINDS, LOADS, MOVE, PLACE, SCREWS, SPEED, TABLES, WHOLE, steps
from .sincos import source as sincos_source
from .transpose import source as transpose_source

PARTS = {PLACE: (0, 10), SPEED: (0, 22), FORCE: (22, 28)}
"""Of the numbers of a composite body, those that a kind uses; else all."""

FUNCTIONS = {
    "mass_matrix": ("MASS", 1, 1, True),
    "inverse_mass_matrix": ("INVERSE", 1, 1, True),
    "coriolis_matrix": ("CORIOLIS", 2, 1, True),
    "inverse_dynamics": ("TORQUES", 3, 1, False),
    "inverse_dynamics_derivatives": ("SLOPES", 3, 3, True),
    "forward_dynamics_derivatives": ("ACCELERATIONS", 3, 3, True),
}
"""What is worked out in this way: its name in C, arguments, results, and whether these are matrices."""


def recursion_source(dtype: str) -> str:
    """C of ``NAME_single(recursion, in, out)`` and ``NAME_batch(recursion, ...)``, called as kernels are."""
    suffix = "f" if dtype == "float32" else ""
    sizes = {"FIXED": FIXED, "MOVE": MOVE, "SCREWS": SCREWS, "WHOLE": WHOLE, "LOADS": LOADS}
    text = f"""\
#include <stdlib.h>
{head(dtype)}
#define SQRT {"sqrtf" if dtype == "float32" else "sqrt"}
#define S 1
#define EPSILON {"0x1p-23f" if dtype == "float32" else "0x1p-52"}
{"".join(f"#define {name} {size}{chr(10)}" for name, size in sizes.items())}
{sincos_source(dtype)}
{ANY_VECTOR}
{ROOT}
{transpose_source(dtype)}
{STRUCT}
"""
    text += SINES
    for step in steps():
        if step.name.endswith("_pair"):
            text += _pair(step, "V", suffix)
    for name, tables in TABLES.items():
        kept_entries = " ".join(f"KEPT(e{k}, {k});" for k in range(2 * len(tables)))
        text += _filled(LANES, KIND=name, UP=name.upper(), COUNT=str(len(tables)), KEPT=kept_entries)
    for kind in ("T", "V"):
        text += _filled(HELPERS, X=kind)
        for step in steps():
            if step.name.endswith("_own") or (step.name.endswith("_pair") and kind == "T"):
                text += _pair(step, kind, suffix)
            elif not step.name.endswith("_pair"):
                text += _step(step, kind, suffix)
        for name in KINDS:
            first, last = PARTS.get(name, (0, WHOLE))
            text += _filled(LOOPS, X=kind, KIND=name, FIRST=str(first), LAST=str(last))
            if name in TABLES:
                puts = "\n".join(
                    f"      put_{kind}(t, tables[{k}], i, j, e{2 * k}, e{2 * k + 1});" for k in range(len(TABLES[name]))
                )
                own_entries = "\n".join(
                    f"    own_{kind}(t, tables[{k}], j, e{2 * k});" for k in range(len(TABLES[name]))
                )
                text += _filled(
                    PAIRS, X=kind, KIND=name, UP=name.upper(), COUNT=str(len(TABLES[name])), PUTS=puts, OWN=own_entries
                )
        text += _filled(SOLVE + RUN, X=kind, SPREAD="" if kind == "V" else "(V){0} + ")
    text += ENTRIES
    for name, (macro, inputs, results, matrices) in FUNCTIONS.items():
        values = {"NAME": name, "WHAT": macro, "INPUTS": str(inputs), "RESULTS": str(results)}
        text += _filled(ENTRY, **values, TIMES=" * t->n" if matrices else "")
    return text


def _filled(text: str, **values: str) -> str:
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text


def _style(kind: str, suffix: str, spots: list[str], write: list[str]) -> Style:
    """Numbers, or vectors of them, by the names in ``spots`` (inputs, sine, cosine) and ``write``."""
    if kind == "T":
        return Style("T", suffix, spots.__getitem__, write.__getitem__, sqrt="SQRT({x})")
    return Style(
        "V", suffix, spots.__getitem__, write.__getitem__, sign=VECTOR_SIGN, constant="((V){{0}} + {value})",
        fused="V{form}({a}, {b}, {c})",
    )  # fmt: skip


def _body(program: Program, style: Style) -> list[str]:
    """The statements; zeros are not written, since the memory of a recursion is cleared beforehand."""
    return [line for line in statements(program, style) if not line.startswith("NOWHERE")]


def _targets(program: Program) -> list[str]:
    """Where each computed value goes."""
    zeros = {node.index for node in program.function.nodes if node.op == CONST and not node.value}
    named = zip(program.targets, destinations(program), strict=True)
    return ["NOWHERE" if index in zeros else spots for index, spots in named]


def _step(function: Function, kind: str, suffix: str) -> str:
    """A step as a C function over arrays of numbers of joints; those of the description are the same for all states."""
    program = Program(function, fused=True)
    spots = []
    for name, width in function.arguments:
        spots += [f"((V){{0}} + k[{i}])" if (name, kind) == ("k", "V") else f"{name}[{i}]" for i in range(width)]
    arguments = [f"const {'T' if name == 'k' else kind} *restrict {name}" for name, _ in function.arguments]
    arguments += (
        [f"const {kind} *restrict sine", f"const {kind} *restrict cosine"] if "back" not in function.name else []
    )
    arguments += [f"{kind} *restrict y{i}" for i in range(len(function.results))]
    lines = _body(program, _style(kind, suffix, [*spots, "sine[0]", "cosine[0]"], _targets(program)))
    body = "\n  ".join(lines)
    return f"static __attribute__((noinline)) void {function.name}_{kind}({', '.join(arguments)})\n{{\n  {body}\n}}\n"


def _pair(function: Function, kind: str, suffix: str) -> str:
    """The product of a pair as macros: the loads in variables that stay for all i, and the entries from them."""
    program = Program(function, fused=True)
    used = {program.inputs[node.value] for node in program.nodes if node.op == "input"}
    spots = [f"SCREW({i})" for i in range(SCREWS)] + [f"l{i}" for i in range(LOADS)]
    entries = [" = ".join(f"e{target.split('[')[1][:-1]}" for target in x.split(" = ")) for x in destinations(program)]
    style = _style(kind, suffix, spots, entries)
    name = f"{function.name.upper()}_{kind}"
    load_variables = " ".join(f"const {kind} l{i} = LOAD({i});" for i in range(LOADS) if SCREWS + i in used)
    lines = [f"{kind} {', '.join(f'e{i}' for i in range(function.results[0][1][0]))};", *statements(program, style)]
    body = " \\\n  ".join(lines)
    return f"#define {name}_LOADS {load_variables}\n#define {name} \\\n  {body}\n"

"""CUDA source of a function: one thread for each state, straight-line code from the same emitter as the C.

Rows ``(N, n)`` are read by each thread for itself: a warp reads 32 rows, which are one block of memory, and what one
load leaves of a cache line the next finds there. Results are written through shared memory, a warp's rows as one block:
a line written in parts is written several times. Warps do not wait for each other, so while one loads another
computes. Columns ``(n, N)`` need no staging: neighbouring threads read neighbouring states of one joint.

The text compiles with NVRTC, with nvcc, and (with ``HOST_SHIM`` in front) as plain C++ on the host, where the
phases of a warp run one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from struct import pack, unpack

from ...rings.graph import CONST, INPUT
from ..emit_c import Program, StatementWriter, Style, destinations, literal, statements
from . import device_sine
from .device_code import FETCH, GIVE_ACROSS, HEAD, INVERSE, PREFETCH, PREFETCH_ROWS, RECIPROCAL, ROWS
from .parts import CHUNK, WARP, Part, whole_part
from .slots import ACROSS, Away, Waiting, most_alive

LAYOUTS = ("rows", "columns")
ACCURACIES = ("full", "fast")
MANY_OUTPUTS = 64
"""Outputs of a state from which a block has one warp."""
AHEAD = 1 << 14
"""States by which memory is asked for their numbers before they are read. Half or twice as many serve as well; of
sixteen times as many much has left the cache again."""
BUSY = 10
"""Statements for each number of a state from which that is worth while: with fewer, memory is busy anyway."""
CROWDED, LONG = 200, 2500
"""Numbers alive at a time (4 bytes each), and operations, from which a thread may have all registers there are. Left to
itself the compiler gives some such kernels in float64 32 registers, and writes everything else to memory."""


def spacing(width: int) -> int:
    """Row stride in shared memory (numbers), padded where rows would fall on the same banks."""
    return width + 1 if width % 4 == 0 else width


@dataclass(frozen=True)
class CudaSource:
    """Source text, threads in a block, and shared memory of a block (bytes)."""

    text: str
    block: int
    shared: int


def real_of(dtype: str) -> tuple[str, str, int]:
    """C type, suffix of its constants, bytes."""
    return ("float", "f", 4) if dtype == "float32" else ("double", "", 8)


def warps_in_block(outputs: int) -> int:
    """Warps in a block: two, or one where there are many outputs (by measurement)."""
    return 1 if outputs >= MANY_OUTPUTS else 2


def head(dtype: str) -> str:
    """Types and macros for this dtype."""
    real, suffix, _ = real_of(dtype)
    reciprocal = RECIPROCAL if dtype == "float32" else ""
    return HEAD.format(real=real, fused=f"fma{suffix}") + reciprocal + device_sine.functions(dtype)


def body(
    program: Program,
    dtype: str,
    accuracy: str,
    inputs: list[str],
    outputs: list[str],
    away: tuple[Waiting, Callable[[int], str]] | None = None,
    table: str = "constants",
) -> str:
    """Statements for one state: ``inputs`` are expressions, ``outputs`` the destinations of each computed value.

    ``away`` says which numbers wait outside the registers, and how their places are spelled. ``table`` is the name of
    that of the constants.
    """
    real, suffix, _ = real_of(dtype)
    pairs = len(program.angles)
    angles = [
        (
            inputs[program.inputs[angle.input]] + (f" + {literal(angle.offset, suffix)}" if angle.offset else ""),
            f"sine{number}",
            f"cosine{number}",
        )
        for number, angle in enumerate(program.angles)
    ]
    lines = [f"{real} {sine}, {cosine};" for _, sine, cosine in angles]
    lines += device_sine.of_inputs(dtype, accuracy, angles)

    def read(row: int) -> str:
        if row < len(inputs):
            return inputs[row]
        row -= len(inputs)
        return f"sine{row}" if row < pairs else f"cosine{row - pairs}"

    root = "sqrtf({x})" if dtype == "float32" else "sqrt({x})"
    style = Style(
        real, suffix, read, outputs.__getitem__, device_sine.call(accuracy), root, inverse=INVERSE[dtype],
        named_constants=named_constants(program, dtype, table),
    )  # fmt: skip
    lines += statements(program, style) if away is None else _with_waiting(program, style, *away)
    return "\n  ".join(lines)


def _with_waiting(program: Program, style: Style, plan: Waiting, place: Callable[[int], str]) -> list[str]:
    """The statements, and between them what leaves the registers and comes back."""
    writer = StatementWriter(program, style, {})
    for step in plan.steps:
        if not isinstance(step, Away):
            writer.statement(step)
        elif step.back:
            writer.returns(step.node, place(plan.places[step.node.index]))
        else:
            writer.leaves(step.node, place(plan.places[step.node.index]))
    computed = {node.index for node in program.order}
    for node in program.nodes:
        if node.index in program.targets:
            writer.output(node, computed)
    return writer.lines


def named_constants(program: Program, dtype: str, table: str = "constants") -> dict[Fraction, str]:
    """Constants of float64 that no instruction can hold: all but those whose lower half is zero."""
    if dtype == "float32":
        return {}
    values = sorted({node.value for node in program.nodes if node.op == CONST and _long(float(node.value))})
    return {value: f"{table}[{index}]" for index, value in enumerate(values)}


def _long(value: float) -> bool:
    return bool(unpack("<Q", pack("<d", value))[0] & 0xFFFFFFFF)


def constant_table(program: Program, dtype: str, table: str = "constants") -> str:
    """The table of ``named_constants``, in the memory that instructions read operands from.

    As literals each would be put together in registers by two instructions wherever it is used.
    """
    values = [literal(value) for value in named_constants(program, dtype)]
    return f"CONSTANT real {table}[{len(values)}] = {{{', '.join(values)}}};\n" if values else ""


def launch_bounds(part: Part, dtype: str, threads: int) -> str:
    """The attribute of a kernel that says how many threads a block has, and where it matters, how few blocks do."""
    crowded = most_alive(part.program) * real_of(dtype)[2] > 4 * CROWDED
    crowded = crowded or (dtype == "float64" and len(part.program.order) > LONG)
    return f"__launch_bounds__({threads}{', 1' if crowded else ''})"


def rows_source(part: Part, dtype: str, accuracy: str = "full") -> CudaSource:
    """``kernel(x0, stride0, ..., y0, ..., count)`` on rows of states; what passes between stages lies in columns."""
    if part.plan is not None:
        return waiting_source(part, part.plan, dtype, accuracy)
    program = part.program
    widths = [len(names) for _, names in program.function.inputs]
    between = [name in part.between for name, _ in program.function.inputs]
    staged = part.gathers
    strides = [spacing(w.size) if gathers else 0 for w, gathers in zip(part.windows, staged, strict=True)]
    starts = [sum(strides[:k]) for k in range(len(strides))]
    row = sum(strides)
    warps = warps_in_block(row)
    inputs = _inputs(widths, between)

    def element(index: int, column: int) -> str:
        window = part.windows[index]
        if staged[index]:
            return f"y{index}[{column}]"
        return f"out{window.result}[{(window.start + column) * CHUNK} + first + t]"

    code = body(program, dtype, accuracy, inputs, destinations(program, element))
    declarations = "  const int own = first + (t < rows ? t : 0);\n" + _fetches(program, widths, between)
    declarations += "".join(
        f"  real *__restrict__ const y{k} = shared + {starts[k]} * T + t * {strides[k]};\n"
        for k, gathers in enumerate(staged)
        if gathers
    )
    gives = "".join(
        f"  give<{w.size}, {spacing(w.size)}, {w.whole}>"
        f"(t, row_of(out{w.result}, first, {w.whole}) + {w.start}, shared + {start} * T, rows);\n"
        for w, start, gathers in zip(part.windows, starts, staged, strict=True)
        if gathers
    )
    signature, loaded, passed = _arguments(len(widths), part.results)
    text = f"""\
{head(dtype)}
enum {{ T = {WARP} }};
{ROWS}{FETCH}{PREFETCH}{PREFETCH_ROWS}
{constant_table(program, dtype)}DEVICE void compute({loaded})
{{
{declarations}  {code}
}}

DEVICE void store({loaded})
{{
{gives}}}

#ifndef HOST
extern "C" __global__ void {launch_bounds(part, dtype, warps * WARP)} kernel({signature})
{{
  extern __shared__ __align__(16) unsigned char memory[];
  real *const shared = (real *)memory + (threadIdx.x / T) * (T * {row});
  const int t = threadIdx.x % T;
  const int first = (int)((blockIdx.x * {warps} + threadIdx.x / T) * T);
  if (first >= count) return;
  const int rows = count - first < T ? count - first : T;
  compute(t, {passed});
  __syncwarp();
  store(t, {passed});
}}
#else
extern "C" void kernel({signature})
{{
  static real shared[T * {row} + 1] __attribute__((aligned(16)));
  for (int first = 0; first < count; first += T) {{
    const int rows = count - first < T ? count - first : T;
    for (int t = 0; t < T; t++) compute(t, {passed});
    for (int t = 0; t < T; t++) store(t, {passed});
  }}
}}
#endif
"""
    return CudaSource(text, warps * WARP, warps * WARP * row * real_of(dtype)[2])


def busy(program: Program) -> bool:
    """Whether there is so much to do for each number of a state that memory waits."""
    return len(program.order) >= BUSY * sum(len(names) for _, names in program.function.inputs)


def _fetches(program: Program, widths: Sequence[int], between: Sequence[bool]) -> str:
    """Reads the rows of the arguments and asks for later ones; those between stages are read number by number."""
    rows = [(k, width) for k, width in enumerate(widths) if not between[k]]
    reads = "".join(f"  real x{k}[{width}];\n  fetch<{width}>(x{k}, row_of(in{k}, own, s{k}));\n" for k, width in rows)
    asks = "".join(f"    ask_for_rows<{width}>(t, row_of(in{k}, first + {AHEAD}, s{k}), s{k});\n" for k, width in rows)
    return reads + (f"  if (first + {AHEAD + WARP} <= count) {{\n{asks}  }}\n" if asks and busy(program) else "")


def _inputs(widths: Sequence[int], between: Sequence[bool]) -> list[str]:
    """How the numbers that the kernel takes are spelled; those of arrays between stages are read where used."""
    return [
        f"in{index}[{column} * s{index} + own]" if between[index] else f"x{index}[{column}]"
        for index, width in enumerate(widths)
        for column in range(width)
    ]


def _arguments(inputs: int, results: int) -> tuple[str, str, str]:
    """What the kernel takes, what its two halves take, and what it passes on to them."""
    declarations = [f"const real *__restrict__ in{k}, int s{k}" for k in range(inputs)]
    declarations += [*(f"real *__restrict__ out{k}" for k in range(results)), "int count"]
    names = [*(f"in{k}, s{k}" for k in range(inputs)), *(f"out{k}" for k in range(results)), "count"]
    signature = ", ".join(declarations)
    loaded = "const int t, real *shared, const int first, const int rows, " + signature
    return signature, loaded, "shared, first, rows, " + ", ".join(names)


def waiting_source(part: Part, plan: Waiting, dtype: str, accuracy: str = "full") -> CudaSource:
    """The same where numbers wait outside the registers: each in a place of shared memory that its thread has alone.

    Results gather in such places too. Place k of thread t is at ACROSS k + t.
    """
    program, starts = part.program, part.starts
    widths = [len(names) for _, names in program.function.inputs]
    between = [name in part.between for name, _ in program.function.inputs]

    def spelled(place: int) -> str:
        return f"mine[{place * ACROSS}]" if place < plan.shared else f"far[{place - plan.shared}]"

    inputs = _inputs(widths, between)

    def element(index: int, column: int) -> str:
        window = part.windows[index]
        if part.gathers[index]:
            return spelled(starts[index] + column)
        return f"out{window.result}[{(window.start + column) * CHUNK} + first + t]"

    code = body(program, dtype, accuracy, inputs, destinations(program, element), (plan, spelled))
    declarations = "  const int own = first + (t < rows ? t : 0);\n" + _fetches(program, widths, between)
    declarations += "  volatile real *const mine = shared + t;\n"
    declarations += f"  volatile real far[{plan.far}];\n" if plan.far else ""
    gives = "".join(
        f"  give<{w.size}, {w.whole}>"
        f"(t, row_of(out{w.result}, first, {w.whole}) + {w.start}, shared + {start * ACROSS}, rows);\n"
        for w, start, gathers in zip(part.windows, starts, part.gathers, strict=True)
        if gathers
    )
    signature, loaded, passed = _arguments(len(widths), part.results)
    text = f"""\
{head(dtype)}
enum {{ T = {WARP}, ACROSS = {ACROSS} }};
{FETCH}{PREFETCH}{PREFETCH_ROWS}
{GIVE_ACROSS}
{constant_table(program, dtype)}DEVICE void compute({loaded})
{{
{declarations}  {code}
}}

DEVICE void store({loaded})
{{
{gives}}}

#ifndef HOST
extern "C" __global__ void __launch_bounds__({WARP}, 1) kernel({signature})
{{
  extern __shared__ __align__(16) unsigned char memory[];
  real *const shared = (real *)memory;
  const int t = threadIdx.x;
  const int first = (int)blockIdx.x * T;
  const int rows = count - first < T ? count - first : T;
  compute(t, {passed});
  __syncwarp();
  store(t, {passed});
}}
#else
extern "C" void kernel({signature})
{{
  static real shared[ACROSS * {max(plan.shared, 1)}];
  for (int first = 0; first < count; first += T) {{
    const int rows = count - first < T ? count - first : T;
    for (int t = 0; t < T; t++) compute(t, {passed});
    for (int t = 0; t < T; t++) store(t, {passed});
  }}
}}
#endif
"""
    return CudaSource(text, WARP, part.shared)


def columns_source(part: Part, dtype: str, accuracy: str = "full") -> CudaSource:
    """``kernel(x0, stride0, ..., y0, ..., count)`` on one row for each joint: entry k of state i is at k stride + i."""
    program = part.program
    widths = [len(names) for _, names in program.function.inputs]
    inputs = [f"a{index}_{column}" for index, width in enumerate(widths) for column in range(width)]
    used = {node.value for node in program.nodes if node.op == INPUT}
    reads = "".join(
        f"  const real a{index}_{column} = x{index}[{column} * s{index} + i];\n"
        for index, (_, names) in enumerate(program.function.inputs)
        for column, name in enumerate(names)
        if name in used
    )

    asks = "".join(
        f"  if (lane < {width - first}) ask_for(x{k} + (lane + {first}) * s{k} + ahead);\n"
        for k, width in enumerate(widths)
        for first in range(0, width, WARP)
        if busy(program)
    )

    def element(index: int, column: int) -> str:
        window = part.windows[index]
        return f"y{window.result}[{window.start + column} * count + i]"

    away, room, shared, block = None, "", 0, 256
    if part.plan is not None:
        block, plan = WARP, part.plan
        away = (plan, lambda place: f"mine[{place * WARP}]" if place < plan.shared else f"far[{place - plan.shared}]")
        shared = WARP * plan.shared * real_of(dtype)[2]
        room = f"#ifdef HOST\n  static real mine[{shared}];\n#else\n"
        room += "  extern __shared__ __align__(16) unsigned char memory[];\n"
        room += "  volatile real *const mine = (real *)memory + threadIdx.x;\n#endif\n"
        room += f"  volatile real far[{plan.far}];\n" if plan.far else ""
    code = body(program, dtype, accuracy, inputs, destinations(program, element), away)
    arguments = [f"const real *__restrict__ x{k}, size s{k}" for k in range(len(widths))]
    arguments += [f"real *__restrict__ y{k}" for k in range(part.results)]
    signature = ", ".join([*arguments, "size count"])
    passed = ", ".join([*(f"x{k}, s{k}" for k in range(len(widths))), *(f"y{k}" for k in range(part.results)), "count"])
    text = f"""\
{head(dtype)}{PREFETCH}
{constant_table(program, dtype)}DEVICE void compute(const size i, {signature})
{{
{room}{reads}  {code}
}}

/* The lines of the {WARP} states of a warp, one for each joint. */
DEVICE void ask_for_states(const int lane, const size ahead, {signature})
{{
{asks}}}

#ifndef HOST
extern "C" __global__ void {launch_bounds(part, dtype, block)} kernel({signature})
{{
  const size i = (size)blockIdx.x * {block} + threadIdx.x;
  const int lane = threadIdx.x % {WARP};
  if (i - lane + {AHEAD + WARP} <= count) ask_for_states(lane, i - lane + {AHEAD}, {passed});
  if (i < count) compute(i, {passed});
}}
#else
extern "C" void kernel({signature})
{{
  for (size i = 0; i < count; i++) compute(i, {passed});
}}
#endif
"""
    return CudaSource(text, block, shared)


def source(program: Program | Part, dtype: str, accuracy: str = "full", layout: str = "rows") -> CudaSource:
    """The kernel for one layout, of a whole program or of a part of a function."""
    part = whole_part(program, dtype, layout) if isinstance(program, Program) else program
    if layout == "rows":
        return rows_source(part, dtype, accuracy)
    return columns_source(part, dtype, accuracy)

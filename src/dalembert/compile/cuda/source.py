"""CUDA source of a function: one thread for each state, straight-line code from the same emitter as the C.

Rows ``(N, n)`` are read by each thread for itself: a warp reads 32 rows, which are one block of memory, and what one
load leaves of a cache line the next finds there. Results are written through shared memory, a warp's rows as one block:
a line written in parts is written several times. Warps do not wait for each other, so while one loads another
computes. Columns ``(n, N)`` need no staging: neighbouring threads read neighbouring states of one joint.

The text compiles with NVRTC, with nvcc, and (with ``HOST_SHIM`` in front) as plain C++ on the host, where the
phases of a warp run one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...rings.graph import INPUT
from ..emit_c import Program, Style, literal, statements
from . import device_sine

LAYOUTS = ("rows", "columns")
ACCURACIES = ("full", "fast")
WARP = 32
SHARED_LIMIT = 96 * 1024
"""Most shared memory of a block (bytes), so that two blocks fit on a multiprocessor of the larger devices."""
MANY_OUTPUTS = 64
"""Outputs of a state from which a block has four warps."""

HEAD = """\
#ifdef __CUDACC__
#define DEVICE __device__ __forceinline__
#endif
typedef {real} real;
typedef long long size;
typedef struct {{ real at[{lanes}]; }} __attribute__((aligned(16))) packet;
#define LANES(W) ((W) * sizeof(real) % 16 == 0 ? 16 / sizeof(real) : (W) * sizeof(real) % 8 == 0 ? 8 / sizeof(real) : 1)
"""

HOST_SHIM = """\
#include <math.h>
#include <string.h>
#define DEVICE static inline
#define HOST 1
"""

ROWS = """\
/* The T rows of a warp from shared memory, S numbers from row to row there: as packets of 16 bytes where the rows are
   one piece of memory on both sides, else number by number, neighbouring threads at neighbouring places. */
template <int W, int S> DEVICE void give(int t, real *to, const real *from, int rows)
{
  if (S == W && rows == T && ((size)to & 15) == 0 && (T * W * sizeof(real)) % 16 == 0) {
    const packet *source = (const packet *)from;
    packet *target = (packet *)to;
    #pragma unroll
    for (int e = t; e < (int)(T * W * sizeof(real) / 16); e += T) target[e] = source[e];
  } else {
    for (int e = t, row = t / W, column = t % W; e < rows * W; e += T) {
      to[e] = from[row * S + column];
      row += T / W;
      column += T % W;
      if (column >= W) { column -= W; row++; }
    }
  }
}

/* One row straight from memory, in the widest pieces its width allows; neighbouring rows share their cache lines. */
template <int W> DEVICE void fetch(real *to, const real *from)
{
  typedef struct { real at[LANES(W)]; } __attribute__((aligned(LANES(W) * sizeof(real)))) piece;
  if (((size)from & (sizeof(piece) - 1)) == 0) {
    #pragma unroll
    for (int k = 0; k < W / LANES(W); k++) {
      const piece got = ((const piece *)from)[k];
      #pragma unroll
      for (int l = 0; l < LANES(W); l++) to[k * LANES(W) + l] = got.at[l];
    }
  } else {
    #pragma unroll
    for (int k = 0; k < W; k++) to[k] = from[k];
  }
}
"""


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


def warps_in_block(program: Program, dtype: str) -> int:
    """Warps in a block: four for many outputs if their rows fit, else two (both by measurement)."""
    outputs = sum(len(targets) for targets in program.scatter)
    wanted = (4, 2, 1) if outputs >= MANY_OUTPUTS else (2, 1)
    width = row_width(program) * real_of(dtype)[2] * WARP
    return next((count for count in wanted if count * width <= SHARED_LIMIT), 1)


def row_width(program: Program) -> int:
    """Numbers of one state in shared memory: its outputs."""
    return sum(spacing(len(targets)) for targets in program.scatter)


def head(dtype: str) -> str:
    """Types and macros for this dtype."""
    real, _, size = real_of(dtype)
    return HEAD.format(real=real, lanes=16 // size) + device_sine.functions(dtype)


def body(program: Program, dtype: str, accuracy: str, inputs: list[str], outputs: list[str]) -> str:
    """Statements for one state: ``inputs`` are expressions, ``outputs`` the destinations of each computed value."""
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
    lines += statements(
        program, Style(real, suffix, read, outputs.__getitem__, device_sine.call(dtype, accuracy), root)
    )
    return "\n  ".join(lines)


def places(program: Program, template: str) -> list[str]:
    """For each computed value its destinations, as a chain of assignments."""
    destinations: list[list[str]] = [[] for _ in program.targets]
    for index, targets in enumerate(program.scatter):
        for column, target in enumerate(targets):
            destinations[target].append(template.format(array=index, index=column))
    return [" = ".join(parts) for parts in destinations]


def rows_source(program: Program, dtype: str, accuracy: str = "full", warps: int | None = None) -> CudaSource:
    """``kernel(x0, stride0, ..., y0, ..., count)`` on rows of states."""
    warps = warps or warps_in_block(program, dtype)
    widths = [len(names) for _, names in program.function.inputs]
    out_widths = [len(targets) for targets in program.scatter]
    starts = [sum(spacing(w) for w in out_widths[:k]) for k in range(len(out_widths))]
    row = row_width(program)
    inputs = [f"x{index}[{column}]" for index, width in enumerate(widths) for column in range(width)]
    code = body(program, dtype, accuracy, inputs, places(program, "y{array}[{index}]"))
    own = "".join(
        f"  real x{k}[{w}];\n  fetch<{w}>(x{k}, in{k} + (first + (t < rows ? t : 0)) * s{k});\n"
        for k, w in enumerate(widths)
    ) + "".join(
        f"  real *__restrict__ const y{k} = shared + {starts[k]} * T + t * {spacing(w)};\n"
        for k, w in enumerate(out_widths)
    )
    arguments = [f"const real *__restrict__ in{k}, size s{k}" for k in range(len(widths))]
    arguments += [f"real *__restrict__ out{k}" for k in range(len(out_widths))]
    gives = "".join(
        f"  give<{w}, {spacing(w)}>(t, out{k} + first * {w}, shared + {starts[k]} * T, rows);\n"
        for k, w in enumerate(out_widths)
    )
    signature = ", ".join([*arguments, "size count"])
    loaded = "const int t, real *shared, const size first, const int rows, " + signature
    passed = "shared, first, rows, " + ", ".join(
        [*(f"in{k}, s{k}" for k in range(len(widths))), *(f"out{k}" for k in range(len(out_widths))), "count"]
    )
    text = f"""\
{head(dtype)}
enum {{ T = {WARP} }};
{ROWS}
DEVICE void compute({loaded})
{{
{own}  {code}
}}

DEVICE void store({loaded})
{{
{gives}}}

#ifndef HOST
extern "C" __global__ void __launch_bounds__({warps * WARP}) kernel({signature})
{{
  extern __shared__ __align__(16) unsigned char memory[];
  real *const shared = (real *)memory + (threadIdx.x / T) * (T * {row});
  const int t = threadIdx.x % T;
  const size first = ((size)blockIdx.x * {warps} + threadIdx.x / T) * T;
  if (first >= count) return;
  const int rows = count - first < T ? (int)(count - first) : T;
  compute(t, {passed});
  __syncwarp();
  store(t, {passed});
}}
#else
extern "C" void kernel({signature})
{{
  static real shared[T * {row}] __attribute__((aligned(16)));
  for (size first = 0; first < count; first += T) {{
    const int rows = count - first < T ? (int)(count - first) : T;
    for (int t = 0; t < T; t++) compute(t, {passed});
    for (int t = 0; t < T; t++) store(t, {passed});
  }}
}}
#endif
"""
    return CudaSource(text, warps * WARP, warps * WARP * row * real_of(dtype)[2])


def columns_source(program: Program, dtype: str, accuracy: str = "full", block: int = 256) -> CudaSource:
    """``kernel(x0, stride0, ..., y0, ..., count)`` on one row for each joint: entry k of state i is at k stride + i."""
    widths = [len(names) for _, names in program.function.inputs]
    out_widths = [len(targets) for targets in program.scatter]
    inputs = [f"a{index}_{column}" for index, width in enumerate(widths) for column in range(width)]
    used = {node.value for node in program.nodes if node.op == INPUT}
    reads = "".join(
        f"  const real a{index}_{column} = x{index}[{column} * s{index} + i];\n"
        for index, (_, names) in enumerate(program.function.inputs)
        for column, name in enumerate(names)
        if name in used
    )
    code = body(program, dtype, accuracy, inputs, places(program, "y{array}[{index} * count + i]"))
    arguments = [f"const real *__restrict__ x{k}, size s{k}" for k in range(len(widths))]
    arguments += [f"real *__restrict__ y{k}" for k in range(len(out_widths))]
    signature = ", ".join([*arguments, "size count"])
    passed = ", ".join(
        [*(f"x{k}, s{k}" for k in range(len(widths))), *(f"y{k}" for k in range(len(out_widths))), "count"]
    )
    text = f"""\
{head(dtype)}
DEVICE void compute(const size i, {signature})
{{
{reads}  {code}
}}

#ifndef HOST
extern "C" __global__ void __launch_bounds__({block}) kernel({signature})
{{
  const size i = (size)blockIdx.x * {block} + threadIdx.x;
  if (i < count) compute(i, {passed});
}}
#else
extern "C" void kernel({signature})
{{
  for (size i = 0; i < count; i++) compute(i, {passed});
}}
#endif
"""
    return CudaSource(text, block, 0)


def source(program: Program, dtype: str, accuracy: str = "full", layout: str = "rows") -> CudaSource:
    """The kernel for one layout."""
    if layout == "rows":
        return rows_source(program, dtype, accuracy)
    return columns_source(program, dtype, accuracy)

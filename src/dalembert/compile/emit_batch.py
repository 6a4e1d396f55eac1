"""C of batch kernels: blocks of state rows are transposed to SIMD vectors of one joint each, and back.

A block fits in the first-level cache. Lanes are independent, and the same code serves every state, remainders
included, so a result does not depend on the position of a state in the batch or on the number of threads.
"""

from __future__ import annotations

from .emit_c import LONG, PIECE, VECTOR_SIGN, Program, Style, constants, literal, pieces
from .sincos import source as sincos_source
from .transpose import source as transpose_source

HEAD = """\
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX__)
#define BYTES 32
#else
#define BYTES 16
#endif
typedef {real} T;
typedef {integer} INT;
#define INT_MAX_T {largest}
#define W ((int)(BYTES / sizeof(T)))
typedef T V __attribute__((vector_size(BYTES)));
typedef INT VI __attribute__((vector_size(BYTES)));
typedef double VD __attribute__((vector_size(BYTES * 8 / sizeof(T))));
typedef int64_t VL __attribute__((vector_size(BYTES * 8 / sizeof(T))));

/* a b + c, c - a b and a b - c, rounded once where the processor can: of numbers, and of vectors of them. */
#define FUSED static inline __attribute__((always_inline, unused)) V
#if defined(__FMA__) || defined(__AVX512F__) || defined(__ARM_FEATURE_FMA)
#define MA(a, b, c) {fused}(a, b, c)
#define NMA(a, b, c) {fused}(-(a), b, c)
#define MS(a, b, c) {fused}(a, b, -(c))
#if defined(__clang__) || !defined(__AVX__)
FUSED VMA(V a, V b, V c)
{{
  V r;
  for (int i = 0; i < W; i++) r[i] = {fused}(a[i], b[i], c[i]);
  return r;
}}
#define VNMA(a, b, c) VMA(-(a), b, c)
#define VMS(a, b, c) VMA(a, b, -(c))
/* macros, since a compiler takes longer over as many calls to inline */
#elif defined(__AVX512F__)
#define VMA(a, b, c) ((V)__builtin_ia32_vfmadd{kind}512_mask((V)(a), (V)(b), (V)(c), -1, 4))
#define VNMA(a, b, c) ((V)__builtin_ia32_vfnmadd{kind}512_mask((V)(a), (V)(b), (V)(c), -1, 4))
#define VMS(a, b, c) ((V)__builtin_ia32_vfmsub{kind}512_mask((V)(a), (V)(b), (V)(c), -1, 4))
#else
#define VMA(a, b, c) ((V)__builtin_ia32_vfmadd{kind}256((V)(a), (V)(b), (V)(c)))
#define VNMA(a, b, c) ((V)__builtin_ia32_vfnmadd{kind}256((V)(a), (V)(b), (V)(c)))
#define VMS(a, b, c) ((V)__builtin_ia32_vfmsub{kind}256((V)(a), (V)(b), (V)(c)))
#endif
#else
#define MA(a, b, c) ((a) * (b) + (c))
#define NMA(a, b, c) ((c) - (a) * (b))
#define MS(a, b, c) ((a) * (b) - (c))
#define VMA MA
#define VNMA NMA
#define VMS MS
#endif
"""


QUICKLY = """\
/* A program writes every place of w once before it is read: there are no dead stores to look for. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-dse", "no-dse")
#endif
"""


def head(dtype: str) -> str:
    """C types: T a number, V a vector of W numbers, VI and VL integer vectors of the same width."""
    if dtype == "float32":
        return HEAD.format(
            real="float", integer="int32_t", largest="0x7fffffff", fused="__builtin_fmaf", kind="ps"
        )  # fmt: skip
    return HEAD.format(
        real="double", integer="int64_t", largest="0x7fffffffffffffff", fused="__builtin_fma", kind="pd"
    )  # fmt: skip


ANY_VECTOR = """\
static __attribute__((noinline, unused)) void sincos_any(V x, V *sine, V *cosine)
{
  VI far = {0};
  sincos_vector(x, sine, cosine, &far);
  if (any_lane(far)) sincos_far((const T *)&x, (T *)sine, (T *)cosine, W);
}
"""

ONE_ANGLE = """\
static inline __attribute__((unused)) void sincos_one(T x, T *sine, T *cosine)
{
  V s, c;
  sincos_any((V){0} + x, &s, &c);
  *sine = s[0];
  *cosine = c[0];
}
"""

ROOT = """\
static inline __attribute__((unused)) V sqrt_any(V x)
{
  for (int i = 0; i < W; i++) x[i] = SQRT(x[i]);
  return x;
}
"""


def bodies_of(program: Program, style: Style, name: str, arguments: str) -> tuple[str, list[str]]:
    """The body as one C function, or as several that pass values in ``w``; and the calls, with ARGS for arguments."""
    size = PIECE if len(program.order) > LONG else len(program.order) + 1
    bodies, passed = pieces(program, style, size)
    text, calls = "", [f"{style.type} w[{passed}];"] if passed else []
    for number, lines in enumerate(bodies):
        # noinline, or the compiler would merge the functions again
        attribute = "__attribute__((noinline)) " if passed else ""
        parameter = f", {style.type} *restrict w" if passed else ""
        body = "\n  ".join(lines)
        text += f"static {attribute}void {name}{number}({arguments}{parameter})\n{{\n  {body}\n}}\n"
        calls.append(f"{name}{number}(ARGS{', w' if passed else ''});")
    return text, calls


def watched(rows: str, count: int) -> str:
    """C that leaves NaN in f0 .. f3 if a value in these rows is not finite; four independent sums pipeline."""
    sums = " ".join(f"f{k % 4} = VMA({rows}[{k} * S + v], (V){{0}}, f{k % 4});" for k in range(count))
    return f"    for (int v = 0; v < S; v++) {{ {sums} }}"


def batch_source(program: Program, dtype: str, vectors: int | None = None) -> str:
    """C of ``int kernel_batch(in, rows, columns, out, out_rows, begin, end, count)``.

    It returns 1 if an input or a result was not finite.
    """
    suffix = "f" if dtype == "float32" else ""
    inputs, pairs, targets = len(program.inputs), len(program.angles), len(program.targets)
    if vectors is None:
        # by measurement: one vector at a time uses the least cache; wide results of little work gain from longer
        # stretches of rows
        wide = sum(len(columns) for columns in program.scatter) > 32 and len(program.order) <= 400
        vectors = 2 if wide else 1
    bodies, calls = bodies_of(
        program,
        Style(
            "V", suffix, "x[{} * S]".format, "y[{} * S]".format, sign=VECTOR_SIGN, constant="((V){{0}} + {value})",
            fused="V{form}({a}, {b}, {c})",
        ),
        "body", "const V *restrict x, V *restrict y",
    )  # fmt: skip
    loads, prefetches = _reads(program)
    tables, spreads = _writes(program)
    return f"""\
{QUICKLY if len(program.order) > LONG else ""}{head(dtype)}
#define SQRT {"sqrtf" if dtype == "float32" else "sqrt"}
#define S {vectors}
{sincos_source(dtype)}
{ANY_VECTOR}
{ROOT}
{transpose_source(dtype)}
{chr(10).join(tables)}
{bodies}

int kernel_batch(const char *const *in, const ptrdiff_t *rows, const ptrdiff_t *columns, char *const *out,
                 const ptrdiff_t *out_rows, ptrdiff_t begin, ptrdiff_t end, ptrdiff_t count)
{{
  V x[{inputs + 2 * pairs} * S], y[{max(targets, 1)} * S];
  V f0 = {{0}}, f1 = {{0}}, f2 = {{0}}, f3 = {{0}};
  for (ptrdiff_t first = begin; first < end; first += S * W) {{
{chr(10).join(loads)}
{chr(10).join(prefetches)}
{watched("x", inputs)}
{_sines(program, suffix) if pairs else ""}\
    for (int v = 0; v < S; v++) {{
      {(chr(10) + "      ").join(call.replace("ARGS", "x + v, y + v") for call in calls)}
    }}
{watched("y", targets)}
{chr(10).join(spreads)}
  }}
  STREAM_END;
  T sum = 0;
  f0 += f1 + f2 + f3;
  for (int i = 0; i < W; i++) sum += f0[i];
  return sum != 0;
}}
"""


def _reads(program: Program) -> tuple[list[str], list[str]]:
    """C that brings the rows of a block into ``x``, and that asks memory for those of the next."""
    loads, prefetches, row = [], [], 0
    for index, (_, names) in enumerate(program.function.inputs):
        loads.append(
            f"    gather(in[{index}], rows[{index}], columns[{index}], {len(names)}, first, count, x + {row} * S);"
        )
        prefetches.append(f"    ahead(in[{index}], rows[{index}], {len(names)}, first + S * W, end);")
        row += len(names)
    return loads, prefetches


def _writes(program: Program) -> tuple[list[str], list[str]]:
    """Tables of which entry of ``y`` stands where in a result, and C that writes the rows of a block by them."""
    tables, spreads = [], []
    for index, columns in enumerate(program.scatter):
        tables.append(f"static const int32_t where{index}[] = {constants(columns)};")
        spreads.append(
            f"    spread(out[{index}], out_rows[{index}], {len(columns)}, where{index}, first, end, count, y);"
        )
    return tables, spreads


def _sines(program: Program, suffix: str) -> str:
    """C of the sines and cosines of all angles of a block, behind the inputs in ``x``; far angles one by one."""
    angles = list(program.angles)
    inputs, pairs = len(program.inputs), len(angles)
    angle_rows = [program.inputs[angle.input] for angle in angles]
    offsets = [literal(angle.offset, suffix) for angle in angles]
    shifted = any(angle.offset for angle in angles)
    offset_term = " + offset[k]" if shifted else ""
    shifted_angle = f"V turned[S];\n        for (int v = 0; v < S; v++) turned[v] = x[angle[k] * S + v]{offset_term};"
    return f"""\
    static const short angle[] = {constants(angle_rows)};
    {f"static const T offset[] = {{{', '.join(offsets)}}};" if shifted else ""}
    V *const sine = x + {inputs} * S, *const cosine = x + {inputs + pairs} * S;
    VI far = {{0}};
    for (int k = 0; k < {pairs}; k++)
      for (int v = 0; v < S; v++)
        sincos_vector(x[angle[k] * S + v]{offset_term}, &sine[k * S + v], &cosine[k * S + v], &far);
    if (any_lane(far))
      for (int k = 0; k < {pairs}; k++) {{
        {shifted_angle}
        sincos_far((const T *)turned, (T *)(sine + k * S), (T *)(cosine + k * S), S * W);
      }}
"""

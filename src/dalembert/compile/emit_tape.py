"""C that runs the tables of ``tape.py``: one library for all functions of all arms, built once on a machine."""

from __future__ import annotations

from .emit_batch import ANY_VECTOR, ONE_ANGLE, ROOT, head
from .emit_c import VECTOR_SIGN
from .sincos import source as sincos_source
from .tape import CODES
from .transpose import source as transpose_source

VECTORS = 4
"""Vectors of states in a slot: each operation of the table is read once for all of them."""
ON_STACK = 4096
"""Slots of one state that need no memory of their own."""

STRUCT = """\
typedef struct {
  const int32_t *ops;
  const T *constants;
  const int32_t *widths, *angles;
  const T *offsets;
  const int32_t *sizes, *where;
  int32_t slots, arguments, inputs, pairs, results;
} Tape;
"""

RUN = """\
static __attribute__((noinline)) void {name}(const Tape *t, {type} *r)
{{
  static const void *const label[] = {{{labels}}};
  const T *const constants = t->constants;
  const int32_t *o = t->ops;
#define AT(i) (r + (ptrdiff_t)o[i] * {lanes})
#define EACH(value) {{ \\
    {type} *const d = AT(1); \\
    const {type} *const a = AT(2), *const b = AT(3), *const c = AT(4); \\
    for (int v = 0; v < {lanes}; v++) d[v] = value; \\
    o += 5; \\
    goto *label[*o]; \\
  }}
#define WITH(value) {{ \\
    const {type} k = {splat}; \\
    {type} *const d = AT(1); \\
    const {type} *const b = AT(3), *const c = AT(4); \\
    for (int v = 0; v < {lanes}; v++) d[v] = value; \\
    o += 5; \\
    goto *label[*o]; \\
  }}
  goto *label[*o];
op_ADD: EACH(a[v] + b[v])
op_SUB: EACH(a[v] - b[v])
op_MUL: EACH(a[v] * b[v])
op_NEG: EACH(-a[v])
op_INV: EACH(1 / a[v])
op_SQRT: EACH({sqrt}(a[v]))
op_SIGN: EACH({sign})
op_SINCOS: {{
    {type} *const s = AT(1), *const c = AT(3);
    const {type} *const a = AT(2);
    for (int v = 0; v < {lanes}; v++) {{
      const {type} x = a[v];
      {sincos}(x, &s[v], &c[v]);
    }}
    o += 5;
    goto *label[*o];
  }}
op_SET: WITH(k)
op_ADDK: WITH(k + b[v])
op_KSUB: WITH(k - b[v])
op_MULK: WITH(k * b[v])
op_MA: EACH({fused}MA(a[v], b[v], c[v]))
op_NMA: EACH({fused}NMA(a[v], b[v], c[v]))
op_MS: EACH({fused}MS(a[v], b[v], c[v]))
op_MAK: WITH({fused}MA(k, b[v], c[v]))
op_MSK: WITH({fused}MS(k, b[v], c[v]))
op_END: return;
#undef AT
#undef EACH
#undef WITH
}}
"""

CALLS = """\
int tape_single(const Tape *t, const T *const *in, T *const *out)
{
  T small[ON_STACK];
  T *const r = t->slots <= ON_STACK ? small : malloc((size_t)t->slots * sizeof(T));
  if (!r) return 2;
  T f0 = 0, f1 = 0;
  for (int i = 0, row = 0; i < t->arguments; i++)
    for (int k = 0; k < t->widths[i]; k++, row++) r[row] = in[i][k];
  for (int k = 0; k < t->inputs; k++) f0 = MA(r[k], 0, f0);
  T *const sine = r + t->inputs, *const cosine = sine + t->pairs;
  for (int first = 0; first < t->pairs; first += W) {
    union { T at[W]; V v; } angle = {{0}}, s, c;
    const int some = t->pairs - first < W ? t->pairs - first : W;
    for (int i = 0; i < some; i++) angle.at[i] = r[t->angles[first + i]] + t->offsets[first + i];
    sincos_any(angle.v, &s.v, &c.v);
    memcpy(sine + first, s.at, (size_t)some * sizeof(T));
    memcpy(cosine + first, c.at, (size_t)some * sizeof(T));
  }
  run_one(t, r);
  const int32_t *where = t->where;
  for (int i = 0; i < t->results; i++)
    for (int k = 0; k < t->sizes[i]; k++) {
      const T y = r[*where++];
      out[i][k] = y;
      f1 = MA(y, 0, f1);
    }
  if (r != small) free(r);
  return f0 + f1 != 0;
}

int tape_batch(const Tape *t, const char *const *in, const ptrdiff_t *rows, const ptrdiff_t *columns,
               char *const *out, const ptrdiff_t *out_rows, ptrdiff_t begin, ptrdiff_t end, ptrdiff_t count)
{
  V *const r = aligned_alloc(64, (((size_t)t->slots + 1) * S * sizeof(V) + 63) / 64 * 64);
  if (!r) return 2;
  V f0 = {0}, f1 = {0};
  for (ptrdiff_t first = begin; first < end; first += S * W) {
    for (int i = 0, row = 0; i < t->arguments; row += t->widths[i++])
      gather(in[i], rows[i], columns[i], t->widths[i], first, count, r + (ptrdiff_t)row * S);
    for (int k = 0; k < t->inputs * S; k++) f0 = VMA(r[k], (V){0}, f0);
    V *const sine = r + (ptrdiff_t)t->inputs * S, *const cosine = sine + (ptrdiff_t)t->pairs * S;
    for (int k = 0; k < t->pairs; k++)
      for (int v = 0; v < S; v++)
        sincos_any(r[t->angles[k] * S + v] + t->offsets[k], &sine[k * S + v], &cosine[k * S + v]);
    run_block(t, r);
    const int32_t *where = t->where;
    for (int i = 0; i < t->results; where += t->sizes[i++]) {
      for (int k = 0; k < t->sizes[i]; k++)
        for (int v = 0; v < S; v++) f1 = VMA(r[(ptrdiff_t)where[k] * S + v], (V){0}, f1);
      spread(out[i], out_rows[i], t->sizes[i], where, first, end, count, r);
    }
  }
  STREAM_END;
  free(r);
  T sum = 0;
  f0 += f1;
  for (int i = 0; i < W; i++) sum += f0[i];
  return sum != 0;
}
"""


def tape_source(dtype: str) -> str:
    """C of ``tape_single(tape, in, out)`` and ``tape_batch(tape, ...)``, which else are called as kernels are.

    They return 1 if an input or a result was not finite, 2 if there was no memory.
    """
    labels = ", ".join(f"&&op_{code}" for code in CODES)
    one = RUN.format(
        name="run_one", type="T", lanes="1", labels=labels, splat="constants[o[2]]", sqrt="SQRT",
        sign="(T)((a[v] > 0) - (a[v] < 0))", sincos="sincos_one", fused="",
    )  # fmt: skip
    block = RUN.format(
        name="run_block", type="V", lanes="S", labels=labels, splat="(V){0} + constants[o[2]]", sqrt="sqrt_any",
        sign=VECTOR_SIGN.format(x="a[v]", type="V"), sincos="sincos_any", fused="V",
    )  # fmt: skip
    return f"""\
#include <stdlib.h>
{head(dtype)}
#define SQRT {"sqrtf" if dtype == "float32" else "sqrt"}
#define S {VECTORS}
#define ON_STACK {ON_STACK}
{sincos_source(dtype)}
{ANY_VECTOR}
{ROOT}
{ONE_ANGLE}{transpose_source(dtype)}
{STRUCT}
{one}
{block}
{CALLS}"""

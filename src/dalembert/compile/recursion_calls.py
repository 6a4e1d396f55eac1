"""C of the calls of ``emit_recursion.py``: one function at one state, at a vector of states, and at all of a batch.

@X@ is T for one state and V for a vector of them.
"""

from __future__ import annotations

RUN = """\
/* One of the functions at one state, or at a vector of states. */
static void run_@X@(const Recursion *t, int what, const @X@ *const *in, @X@ *work, @X@ *const *tables)
{
  const int m = t->joints, n = t->n;
  @X@ *q = work, *qd = q + m, *qdd = qd + m, *sine = qdd + m, *cosine = sine + m, *moves = cosine + m;
  @X@ *screws = moves + (m + 1) * MOVE, *wholes = screws + m * SCREWS, *loads = wholes + m * WHOLE;
  @X@ *pivots = loads + m * LOADS, *rest = pivots + n;
  V *block = (V *)(((uintptr_t)(rest + n) + sizeof(V) - 1) & ~(uintptr_t)(sizeof(V) - 1));
  @X@ *lower = (@X@ *)(block + (size_t)COLUMNS * n);
  const int given = what == MASS || what == INVERSE ? 1 : what == CORIOLIS ? 2 : 3;
  joints_@X@(t, in[0], q);
  if (given > 1) joints_@X@(t, in[1], qd);
  if (given > 2 && what != ACCELERATIONS) joints_@X@(t, in[2], qdd);
  sines_@X@(t, q, sine, cosine);
  for (int k = 0; k < MOVE; k++) moves[k] = (@X@){0} + t->rest[k];
  @X@ *const matrix[] = {lower};
#define PASSES t, q, qd, qdd, sine, cosine, moves, screws, wholes, loads
  if (what == MASS) {
    place_passes_@X@(PASSES);
    place_pairs_@X@(t, screws, loads, lower + (ptrdiff_t)n * n, tables);
  } else if (what == INVERSE) {
    place_passes_@X@(PASSES);
    place_pairs_@X@(t, screws, loads, lower + (ptrdiff_t)n * n, matrix);
    factor_@X@(t, loads, lower, pivots);
    inverted_@X@(t, lower, pivots, tables[0], block);
  } else if (what == CORIOLIS) {
    speed_passes_@X@(PASSES);
    speed_pairs_@X@(t, screws, loads, lower + (ptrdiff_t)n * n, tables);
  } else if (what == TORQUES) {
    force_passes_@X@(PASSES);
    torques_@X@(t, loads, tables[0]);
  } else {
    if (what == ACCELERATIONS) {
      for (int j = 0; j < m; j++) qdd[j] = (@X@){0};
      bias_passes_@X@(PASSES);
      torques_@X@(t, loads, rest);
      place_pairs_@X@(t, screws, loads, lower + (ptrdiff_t)n * n, matrix);
      factor_@X@(t, loads, lower, pivots);
      memset(block, 0, sizeof(V) * COLUMNS * (size_t)n);
      const int stride = COLUMNS * (int)(sizeof(V) / sizeof(@X@));
      for (int i = 0; i < n; i++) ((@X@ *)block)[i * stride] = in[2][i] - rest[i];
      solved_@X@(t, lower, pivots, n, block);
      for (int i = 0; i < n; i++) rest[i] = ((@X@ *)block)[i * stride];
      joints_@X@(t, rest, qdd);
    }
    slopes_passes_@X@(PASSES);
    slopes_pairs_@X@(t, screws, loads, lower + (ptrdiff_t)n * n, tables);
    if (what == ACCELERATIONS) {
      accelerations_@X@(t, lower, pivots, tables, block);
      inverted_@X@(t, lower, pivots, tables[2], block);
    }
  }
#undef PASSES
}
"""

ENTRIES = """\
/* Numbers that leave NaN in a sum if one of them is not finite; four sums do not wait for each other. */
static V watched(const V *x, size_t count)
{
  V f0 = {0}, f1 = {0}, f2 = {0}, f3 = {0};
  size_t k = 0;
  for (; k + 4 <= count; k += 4) {
    f0 = VMA(x[k], (V){0}, f0);
    f1 = VMA(x[k + 1], (V){0}, f1);
    f2 = VMA(x[k + 2], (V){0}, f2);
    f3 = VMA(x[k + 3], (V){0}, f3);
  }
  for (; k < count; k++) f0 = VMA(x[k], (V){0}, f0);
  return f0 + f1 + f2 + f3;
}

static T watched_row(const T *x, size_t count)
{
  V f[4] = {{0}}, part;
  T sum = 0;
  size_t k = 0;
  for (; k + 4 * W <= count; k += 4 * W)
    for (int i = 0; i < 4; i++) {
      memcpy(&part, x + k + i * W, sizeof(V));
      f[i] = VMA(part, (V){0}, f[i]);
    }
  for (; k < count; k++) sum = MA(x[k], 0, sum);
  f[0] += f[1] + f[2] + f[3];
  for (int i = 0; i < W; i++) sum += f[0][i];
  return sum;
}

static int single(const Recursion *t, int what, int inputs, int results, size_t size, const T *const *in,
                  T *const *out)
{
  T *const work = aligned_alloc(64, (numbers(t, 1) * sizeof(T) + 63) / 64 * 64);
  if (!work) return 2;
  memset(work + 5 * t->joints + (t->joints + 1) * MOVE, 0, sizeof(T) * SCREWS * (size_t)t->joints);
  run_T(t, what, in, work, out);
  free(work);
  T sum = 0;
  for (int i = 0; i < inputs; i++) sum += watched_row(in[i], (size_t)t->n);
  for (int i = 0; i < results; i++) sum += watched_row(out[i], size);
  return sum != 0;
}

/* Tables of a vector of states that would not stay in the caches: one state after another, with the same bits. */
#define MOST_BYTES ((size_t)1 << 20)
static int one_by_one(const Recursion *t, int what, int inputs, int results, size_t size, const char *const *in,
                      const ptrdiff_t *rows, const ptrdiff_t *columns, char *const *out, const ptrdiff_t *out_rows,
                      ptrdiff_t begin, ptrdiff_t end)
{
  const size_t n = (size_t)t->n;
  T *const x = malloc(3 * n * sizeof(T));
  if (!x) return 2;
  int odd = 0;
  for (ptrdiff_t state = begin; state < end && odd < 2; state++) {
    const T *given[3] = {x, x + n, x + 2 * n};
    T *to[3];
    for (int i = 0; i < inputs; i++)
      for (size_t k = 0; k < n; k++)
        memcpy(x + (size_t)i * n + k, in[i] + state * rows[i] + (ptrdiff_t)k * columns[i], sizeof(T));
    for (int i = 0; i < results; i++) to[i] = (T *)(out[i] + state * out_rows[i]);
    const int found = single(t, what, inputs, results, size, given, to);
    odd = found > odd ? found : odd;
  }
  free(x);
  return odd;
}

static int batch(const Recursion *t, int what, int inputs, int results, int size, const char *const *in,
                 const ptrdiff_t *rows, const ptrdiff_t *columns, char *const *out, const ptrdiff_t *out_rows,
                 ptrdiff_t begin, ptrdiff_t end, ptrdiff_t count)
{
  const size_t n = (size_t)t->n, own = numbers(t, 1);
  if ((size_t)results * (size_t)size * sizeof(V) > MOST_BYTES)
    return one_by_one(t, what, inputs, results, (size_t)size, in, rows, columns, out, out_rows, begin, end);
  V *const work = aligned_alloc(64, (own + 3 * n + (size_t)results * (size_t)size) * sizeof(V));
  if (!work) return 2;
  memset(work + 5 * t->joints + (t->joints + 1) * MOVE, 0, sizeof(V) * SCREWS * (size_t)t->joints);
  V *const x = work + own, *tables[3];
  const V *given[3];
  for (int i = 0; i < 3; i++) {
    given[i] = x + i * n;
    tables[i] = x + 3 * n + (size_t)i * (size_t)size;
  }
  V seen = {0};
  for (ptrdiff_t first = begin; first < end; first += W) {
    for (int i = 0; i < inputs; i++) gather(in[i], rows[i], columns[i], t->n, first, count, x + (size_t)i * n);
    seen += watched(x, (size_t)inputs * n);
    run_V(t, what, given, work, tables);
    for (int i = 0; i < results; i++) {
      seen += watched(tables[i], (size_t)size);
      spread(out[i], out_rows[i], size, t->places, first, end, count, tables[i]);
    }
  }
  STREAM_END;
  free(work);
  T sum = 0;
  for (int i = 0; i < W; i++) sum += seen[i];
  return sum != 0;
}
"""

ENTRY = """\

int @NAME@_single(const Recursion *t, const T *const *in, T *const *out)
{
  return single(t, @WHAT@, @INPUTS@, @RESULTS@, (size_t)t->n@TIMES@, in, out);
}

int @NAME@_batch(const Recursion *t, const char *const *in, const ptrdiff_t *rows, const ptrdiff_t *columns,
                 char *const *out, const ptrdiff_t *out_rows, ptrdiff_t begin, ptrdiff_t end, ptrdiff_t count)
{
  return batch(t, @WHAT@, @INPUTS@, @RESULTS@, t->n@TIMES@, in, rows, columns, out, out_rows, begin, end, count);
}
"""

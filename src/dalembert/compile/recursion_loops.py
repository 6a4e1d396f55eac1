"""The loops of ``emit_recursion.py`` as C: over joints, over pairs of joints, over the columns of a solution.

@X@ is T for one state and V for a vector of them, @KIND@ what is worked out.
"""

from __future__ import annotations

STRUCT = """\
typedef struct {
  const T *fixed;                            /* FIXED numbers of each joint */
  const T *rest;                             /* how the base moves, as a row of MOVE numbers */
  const T *ratios;                           /* what the joints do where the coordinates move, q_J = A q, by rows */
  const int32_t *parent, *revolute, *carried; /* carried: how many bodies stand on one */
  const int32_t *rows, *coordinates;         /* row j of A stands at rows[j] .. rows[j + 1] - 1 */
  const int32_t *above_rows, *above;         /* entries of the factors of D: for each coordinate those before it */
  const int32_t *below_rows, *below;         /* and those after it */
  const int32_t *places;                     /* 0, 1, 2, ... */
  int32_t n, joints;
  int32_t plain, full;                       /* every joint is a coordinate; nothing in the factors of D is zero */
} Recursion;

/* Memory of a call: all that is worked out for the joints, then tables. */
#define PER_JOINT (5 + MOVE + SCREWS + WHOLE + LOADS)
#define COLUMNS 8
static inline size_t numbers(const Recursion *t, int tables)
{
  return (size_t)(t->joints + 1) * PER_JOINT + (size_t)t->n * (4 + COLUMNS * W) + (size_t)tables * t->n * t->n + W;
}
enum { MASS, INVERSE, CORIOLIS, TORQUES, SLOPES, ACCELERATIONS };
#define TNMA NMA
#define TMA MA
"""

HELPERS = """\
/* q_J = A q. */
static void joints_@X@(const Recursion *t, const @X@ *restrict q, @X@ *restrict joints)
{
  if (t->plain) {
    memcpy(joints, q, sizeof(@X@) * (size_t)t->n);
    return;
  }
  for (int j = 0; j < t->joints; j++) {
    @X@ sum = {0};
    for (int k = t->rows[j]; k < t->rows[j + 1]; k++) sum = @X@MA(q[t->coordinates[k]], (@X@){0} + t->ratios[k], sum);
    joints[j] = sum;
  }
}

/* tau = A^T tau_J. */
static void torques_@X@(const Recursion *t, const @X@ *restrict loads, @X@ *restrict tau)
{
  for (int i = 0; i < t->n; i++) tau[i] = (@X@){0};
  for (int j = 0; j < t->joints; j++) {
    const @X@ own = loads[j * LOADS + LOADS - 1];
    if (t->plain) tau[j] = own;
    else
      for (int k = t->rows[j]; k < t->rows[j + 1]; k++)
        tau[t->coordinates[k]] = @X@MA(own, (@X@){0} + t->ratios[k], tau[t->coordinates[k]]);
  }
}

/* Entries ij and ji of a table of joints, as A^T (...) A of coordinates. */
static void spread_@X@(const Recursion *t, @X@ *table, int i, int j, @X@ entry)
{
  for (int a = t->rows[i]; a < t->rows[i + 1]; a++)
    for (int b = t->rows[j]; b < t->rows[j + 1]; b++) {
      @X@ *const at = table + (ptrdiff_t)t->coordinates[a] * t->n + t->coordinates[b];
      *at = @X@MA(entry, (@X@){0} + t->ratios[a] * t->ratios[b], *at);
    }
}

static inline void put_@X@(const Recursion *t, @X@ *table, int i, int j, @X@ forth, @X@ back)
{
  if (t->plain) {
    table[(ptrdiff_t)i * t->n + j] = forth;
    table[(ptrdiff_t)j * t->n + i] = back;
  } else {
    spread_@X@(t, table, i, j, forth);
    spread_@X@(t, table, j, i, back);
  }
}

static inline void own_@X@(const Recursion *t, @X@ *table, int j, @X@ entry)
{
  if (t->plain) table[(ptrdiff_t)j * t->n + j] = entry;
  else spread_@X@(t, table, j, j, entry);
}
"""

SINES = """\
static void sines_V(const Recursion *t, const V *q, V *sine, V *cosine)
{
  for (int j = 0; j < t->joints; j++)
    if (t->revolute[j]) sincos_any(q[j], sine + j, cosine + j);
}

static void sines_T(const Recursion *t, const T *q, T *sine, T *cosine)
{
  for (int first = 0; first < t->joints; first += W) {
    const int some = t->joints - first < W ? t->joints - first : W;
    union { T at[W]; V v; } angle = {{0}}, s, c;
    for (int i = 0; i < some; i++) angle.at[i] = t->revolute[first + i] ? q[first + i] : 0;
    sincos_any(angle.v, &s.v, &c.v);
    memcpy(sine + first, s.at, (size_t)some * sizeof(T));
    memcpy(cosine + first, c.at, (size_t)some * sizeof(T));
  }
}
"""

LOOPS = """\
/* The way out and the way back. */
static void @KIND@_passes_@X@(const Recursion *t, const @X@ *q, const @X@ *qd, const @X@ *qdd, const @X@ *sine,
                              const @X@ *cosine, @X@ *moves, @X@ *screws, @X@ *wholes, @X@ *loads)
{
  const int m = t->joints;
  for (int j = 0; j < m; j++) {
    const @X@ *const before = moves + (t->parent[j] + 1) * MOVE;
    (t->revolute[j] ? @KIND@_turn_@X@ : @KIND@_slide_@X@)(t->fixed + j * FIXED, before, q + j, qd + j, qdd + j,
      sine + j, cosine + j, moves + (j + 1) * MOVE, screws + j * SCREWS);
  }
  for (int j = 0; j < m; j++)
    if (t->carried[j] != 1)
      for (int k = @FIRST@; k < @LAST@; k++) wholes[j * WHOLE + k] = (@X@){0};
  for (int j = m - 1; j >= 0; j--) {
    @X@ own[WHOLE];
    const int on = t->parent[j], alone = on >= 0 && t->carried[on] == 1;
    @X@ *const whole = alone ? wholes + on * WHOLE : own;
    @KIND@_back_@X@(t->fixed + j * FIXED, moves + (j + 1) * MOVE, screws + j * SCREWS, wholes + j * WHOLE, whole,
      loads + j * LOADS);
    if (on >= 0 && !alone)
      for (int k = @FIRST@; k < @LAST@; k++) wholes[on * WHOLE + k] += whole[k];
  }
}
"""

PAIRS = """\
static void @KIND@_pairs_@X@(const Recursion *t, const @X@ *screws, const @X@ *loads, @X@ *const *tables)
{
  if (!t->plain || !t->full)
    for (int k = 0; k < @COUNT@; k++) memset(tables[k], 0, sizeof(@X@) * (size_t)t->n * t->n);
  for (int j = 0; j < t->joints; j++) {
    const @X@ *const load = loads + j * LOADS;
    {
      const @X@ *const screw = screws + j * SCREWS;
      @UP@_OWN_@X@_LOADS
      @UP@_OWN_@X@
@OWN@
    }
    @UP@_PAIR_@X@_LOADS
    for (int i = t->parent[j]; i >= 0; i = t->parent[i]) {
      const @X@ *const screw = screws + i * SCREWS;
      @UP@_PAIR_@X@
@PUTS@
    }
  }
}
"""

SOLVE = """\
/* D = L^T diag(d) L: L in the place of D, also transposed above the diagonal, and the inverses of d. */
static void factor_@X@(const Recursion *t, @X@ *restrict d, @X@ *restrict inverse)
{
  const int n = t->n;
  for (int k = n - 1; k >= 0; k--) {
    @X@ *const row = d + (ptrdiff_t)k * n;
    const int32_t *const above = t->above + t->above_rows[k];
    const int count = t->above_rows[k + 1] - t->above_rows[k];
    inverse[k] = 1 / row[k];
    for (int a = count - 1; a >= 0; a--) {
      @X@ *const other = d + (ptrdiff_t)above[a] * n;
      const @X@ share = row[above[a]] * inverse[k];
      if (t->full)
        for (int j = 0; j <= a; j++) other[j] = @X@NMA(share, row[j], other[j]);
      else
        for (int b = 0; b <= a; b++) other[above[b]] = @X@NMA(share, row[above[b]], other[above[b]]);
      row[above[a]] = other[k] = share;
    }
  }
}

#define LESS(from) \\
  for (; a < end && from[a] < rows; a++) { \\
    const V l = @SPREAD@factors[from[a]]; \\
    const V *const y = x + (ptrdiff_t)from[a] * COLUMNS; \\
    r0 = VNMA(l, y[0], r0); r1 = VNMA(l, y[1], r1); r2 = VNMA(l, y[2], r2); r3 = VNMA(l, y[3], r3); \\
    r4 = VNMA(l, y[4], r4); r5 = VNMA(l, y[5], r5); r6 = VNMA(l, y[6], r6); r7 = VNMA(l, y[7], r7); \\
  }
#define KEEP \\
  own[0] = r0; own[1] = r1; own[2] = r2; own[3] = r3; own[4] = r4; own[5] = r5; own[6] = r6; own[7] = r7;

/* D x = b for some columns at a time: vectors of neighbouring columns of one state, or of one column of many states.
   Where b is zero from ``rows`` on, and no more of x is asked for, the rest is left out. */
static void solved_@X@(const Recursion *t, const @X@ *restrict d, const @X@ *restrict inverse, int rows, V *restrict x)
{
  for (int i = rows - 1; i >= 0; i--) {
    V *const own = x + (ptrdiff_t)i * COLUMNS;
    const @X@ *const factors = d + (ptrdiff_t)i * t->n;
    V r0 = own[0], r1 = own[1], r2 = own[2], r3 = own[3], r4 = own[4], r5 = own[5], r6 = own[6], r7 = own[7];
    int a = t->below_rows[i];
    const int end = t->below_rows[i + 1];
    LESS(t->below)
    KEEP
  }
  for (int i = 0; i < rows; i++) {
    V *const own = x + (ptrdiff_t)i * COLUMNS;
    const @X@ *const factors = d + (ptrdiff_t)i * t->n;
    const V p = @SPREAD@inverse[i];
    V r0 = own[0] * p, r1 = own[1] * p, r2 = own[2] * p, r3 = own[3] * p;
    V r4 = own[4] * p, r5 = own[5] * p, r6 = own[6] * p, r7 = own[7] * p;
    int a = t->above_rows[i];
    const int end = t->above_rows[i + 1];
    LESS(t->above)
    KEEP
  }
}
#undef LESS
#undef KEEP

/* d qdd = -D^-1 d tau, in the place of two tables d tau. */
static void accelerations_@X@(const Recursion *t, const @X@ *d, const @X@ *inverse, @X@ *const *tables, V *block)
{
  const int n = t->n, at_once = COLUMNS * (int)(sizeof(V) / sizeof(@X@));
  @X@ *const x = (@X@ *)block;
  for (int first = 0; first < 2 * n; first += at_once) {
    memset(block, 0, sizeof(V) * COLUMNS * (size_t)n);
    for (int way = 0; way < 2; way++) {
      for (int k = 0; k < 2; k++) {
        const int low = first > k * n ? first : k * n, high = first + at_once < k * n + n ? first + at_once : k * n + n;
        for (int i = 0; i < n && low < high; i++) {
          @X@ *const from = tables[k] + (ptrdiff_t)i * n - k * n, *const to = x + (ptrdiff_t)i * at_once - first;
          if (way == 0)
            for (int c = low; c < high; c++) to[c] = -from[c];
          else
            for (int c = low; c < high; c++) from[c] = to[c];
        }
      }
      if (way == 0) solved_@X@(t, d, inverse, n, block);
    }
  }
}

/* D^-1, whose columns end where the unit vector does: the rest is that of the rows. */
static void inverted_@X@(const Recursion *t, const @X@ *d, const @X@ *inverse, @X@ *table, V *block)
{
  const int n = t->n, at_once = COLUMNS * (int)(sizeof(V) / sizeof(@X@));
  @X@ *const x = (@X@ *)block;
  for (int first = 0; first < n; first += at_once) {
    const int end = first + at_once < n ? first + at_once : n;
    memset(block, 0, sizeof(V) * COLUMNS * (size_t)n);
    for (int c = first; c < end; c++) x[(ptrdiff_t)c * at_once + c - first] = (@X@){0} + 1;
    solved_@X@(t, d, inverse, end, block);
    for (int i = 0; i < end; i++)
      for (int c = i > first ? i : first; c < end; c++)
        table[(ptrdiff_t)i * n + c] = table[(ptrdiff_t)c * n + i] = x[(ptrdiff_t)i * at_once + c - first];
  }
}

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
    place_pairs_@X@(t, screws, loads, tables);
  } else if (what == INVERSE) {
    place_passes_@X@(PASSES);
    place_pairs_@X@(t, screws, loads, matrix);
    factor_@X@(t, lower, pivots);
    inverted_@X@(t, lower, pivots, tables[0], block);
  } else if (what == CORIOLIS) {
    speed_passes_@X@(PASSES);
    speed_pairs_@X@(t, screws, loads, tables);
  } else if (what == TORQUES) {
    force_passes_@X@(PASSES);
    torques_@X@(t, loads, tables[0]);
  } else {
    if (what == ACCELERATIONS) {
      for (int j = 0; j < m; j++) qdd[j] = (@X@){0};
      bias_passes_@X@(PASSES);
      torques_@X@(t, loads, rest);
      place_pairs_@X@(t, screws, loads, matrix);
      factor_@X@(t, lower, pivots);
      memset(block, 0, sizeof(V) * COLUMNS * (size_t)n);
      const int stride = COLUMNS * (int)(sizeof(V) / sizeof(@X@));
      for (int i = 0; i < n; i++) ((@X@ *)block)[i * stride] = in[2][i] - rest[i];
      solved_@X@(t, lower, pivots, n, block);
      for (int i = 0; i < n; i++) rest[i] = ((@X@ *)block)[i * stride];
      joints_@X@(t, rest, qdd);
    }
    slopes_passes_@X@(PASSES);
    slopes_pairs_@X@(t, screws, loads, tables);
    if (what == ACCELERATIONS) {
      accelerations_@X@(t, lower, pivots, tables, block);
      inverted_@X@(t, lower, pivots, tables[2], block);
    }
  }
#undef PASSES
}
"""

ENTRIES = """\
static int single(const Recursion *t, int what, int inputs, int results, size_t size, const T *const *in,
                  T *const *out)
{
  T *const work = aligned_alloc(64, (numbers(t, 1) * sizeof(T) + 63) / 64 * 64);
  if (!work) return 2;
  memset(work, 0, (size_t)(t->joints + 1) * PER_JOINT * sizeof(T));
  run_T(t, what, in, work, out);
  free(work);
  T f0 = 0, f1 = 0;
  for (int i = 0; i < inputs; i++)
    for (int k = 0; k < t->n; k++) f0 = MA(in[i][k], 0, f0);
  for (int i = 0; i < results; i++)
    for (size_t k = 0; k < size; k++) f1 = MA(out[i][k], 0, f1);
  return f0 + f1 != 0;
}

static int batch(const Recursion *t, int what, int inputs, int results, int size, const char *const *in,
                 const ptrdiff_t *rows, const ptrdiff_t *columns, char *const *out, const ptrdiff_t *out_rows,
                 ptrdiff_t begin, ptrdiff_t end, ptrdiff_t count)
{
  const size_t n = (size_t)t->n, own = numbers(t, 1);
  V *const work = aligned_alloc(64, (own + 3 * n + (size_t)results * (size_t)size) * sizeof(V));
  if (!work) return 2;
  memset(work, 0, (size_t)(t->joints + 1) * PER_JOINT * sizeof(V));
  V *const x = work + own, *tables[3];
  const V *given[3];
  for (int i = 0; i < 3; i++) {
    given[i] = x + i * n;
    tables[i] = x + 3 * n + (size_t)i * (size_t)size;
  }
  V f0 = {0}, f1 = {0};
  for (ptrdiff_t first = begin; first < end; first += W) {
    for (int i = 0; i < inputs; i++) gather(in[i], rows[i], columns[i], t->n, first, count, x + (size_t)i * n);
    for (size_t k = 0; k < (size_t)inputs * n; k++) f0 = VMA(x[k], (V){0}, f0);
    run_V(t, what, given, work, tables);
    for (int i = 0; i < results; i++) {
      for (int k = 0; k < size; k++) f1 = VMA(tables[i][k], (V){0}, f1);
      spread(out[i], out_rows[i], size, t->places, first, end, count, tables[i]);
    }
  }
  STREAM_END;
  free(work);
  T sum = 0;
  f0 += f1;
  for (int i = 0; i < W; i++) sum += f0[i];
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

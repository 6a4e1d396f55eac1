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
static inline size_t numbers(const Recursion *t, size_t tables)
{
  const size_t m = (size_t)t->joints, n = (size_t)t->n;
  return (m + 1) * PER_JOINT + n * (4 + COLUMNS * W) + tables * n * n + (SCREWS + 6) * (n + W) + 2 * W;
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

LANES = """\
/* The pairs of a chain without branches at one state: W joints i at a time. */
static void @KIND@_lanes(const Recursion *t, const T *screws, const T *loads, T *spare, T *const *tables)
{
  const int n = t->n, width = (n + W - 1) / W * W;
  T *const lanes = (T *)(((uintptr_t)spare + sizeof(V) - 1) & ~(uintptr_t)(sizeof(V) - 1));
  T *const entries = lanes + SCREWS * width;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < SCREWS; k++) lanes[k * width + i] = screws[i * SCREWS + k];
#define SCREW(k) (*(const V *)(lanes + (k) * width + i))
#define LOAD(k) ((V){0} + load[k])
#define KEPT(e, k) *(V *)(entries + (k) * width + i) = e
  for (int j = 0; j < n; j++) {
    const T *const load = loads + j * LOADS;
    @UP@_PAIR_V_LOADS
    for (int i = 0; i < j; i += W) {
      @UP@_PAIR_V
      @KEPT@
    }
    for (int a = 0; a < @COUNT@; a++) {
      const T *const forth = entries + 2 * a * width, *const back = forth + width;
      memcpy(tables[a] + (ptrdiff_t)j * n, back, sizeof(T) * (size_t)j);
      for (int i = 0; i < j; i++) tables[a][(ptrdiff_t)i * n + j] = forth[i];
    }
  }
#undef SCREW
#undef LOAD
#undef KEPT
}
"""

PAIRS = """\
#define SCREW(k) screw[k]
#define LOAD(k) load[k]
static void @KIND@_pairs_@X@(const Recursion *t, const @X@ *screws, const @X@ *loads, @X@ *spare, @X@ *const *tables)
{
  const int lanes = sizeof(@X@) == sizeof(T) && t->plain && t->full;
  if (lanes) @KIND@_lanes(t, (const T *)screws, (const T *)loads, (T *)spare, (T *const *)tables);
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
    if (lanes) continue;
    @UP@_PAIR_@X@_LOADS
    for (int i = t->parent[j]; i >= 0; i = t->parent[i]) {
      const @X@ *const screw = screws + i * SCREWS;
      @UP@_PAIR_@X@
@PUTS@
    }
  }
}
#undef SCREW
#undef LOAD
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

#define TAKE(r, row, p) V r##0 = row[0] p, r##1 = row[1] p, r##2 = row[2] p, r##3 = row[3] p, \\
  r##4 = row[4] p, r##5 = row[5] p, r##6 = row[6] p, r##7 = row[7] p;
#define KEEP(row, r) row[0] = r##0; row[1] = r##1; row[2] = r##2; row[3] = r##3; \\
  row[4] = r##4; row[5] = r##5; row[6] = r##6; row[7] = r##7;
#define LESS(r, l, y) r##0 = VNMA(l, y##0, r##0); r##1 = VNMA(l, y##1, r##1); r##2 = VNMA(l, y##2, r##2); \\
  r##3 = VNMA(l, y##3, r##3); r##4 = VNMA(l, y##4, r##4); r##5 = VNMA(l, y##5, r##5); r##6 = VNMA(l, y##6, r##6); \\
  r##7 = VNMA(l, y##7, r##7);
#define ROW(i) (x + (ptrdiff_t)(i) * COLUMNS)
#define FACTORS(i) (d + (ptrdiff_t)(i) * t->n)

/* D x = b for some columns at a time: vectors of neighbouring columns of one state, or of one column of many states.
   Where b is zero from ``rows`` on, and no more of x is asked for, the rest is left out. */
static void solved_@X@(const Recursion *t, const @X@ *restrict d, const @X@ *restrict inverse, int rows, V *restrict x)
{
  int i = rows - 1;
  for (; t->full && i > 0; i -= 2) { /* two rows at a time read the rows that they share once */
    const @X@ *const f = FACTORS(i), *const g = FACTORS(i - 1);
    V *const own = ROW(i), *const next = ROW(i - 1);
    TAKE(r, own,) TAKE(s, next,)
    for (int k = i + 1; k < rows; k++) {
      const V l = @SPREAD@f[k], m = @SPREAD@g[k], *const other = ROW(k);
      TAKE(y, other,) LESS(r, l, y) LESS(s, m, y)
    }
    const V m = @SPREAD@g[i];
    LESS(s, m, r) KEEP(own, r) KEEP(next, s)
  }
  for (; i >= 0; i--) {
    const @X@ *const f = FACTORS(i);
    V *const own = ROW(i);
    TAKE(r, own,)
    for (int a = t->below_rows[i]; a < t->below_rows[i + 1] && t->below[a] < rows; a++) {
      const V l = @SPREAD@f[t->below[a]], *const other = ROW(t->below[a]);
      TAKE(y, other,) LESS(r, l, y)
    }
    KEEP(own, r)
  }
  for (i = 0; t->full && i + 1 < rows; i += 2) {
    const @X@ *const f = FACTORS(i), *const g = FACTORS(i + 1);
    const V p = @SPREAD@inverse[i], q = @SPREAD@inverse[i + 1];
    V *const own = ROW(i), *const next = ROW(i + 1);
    TAKE(r, own, * p) TAKE(s, next, * q)
    for (int k = 0; k < i; k++) {
      const V l = @SPREAD@f[k], m = @SPREAD@g[k], *const other = ROW(k);
      TAKE(y, other,) LESS(r, l, y) LESS(s, m, y)
    }
    const V m = @SPREAD@g[i];
    LESS(s, m, r) KEEP(own, r) KEEP(next, s)
  }
  for (; i < rows; i++) {
    const @X@ *const f = FACTORS(i);
    const V p = @SPREAD@inverse[i];
    V *const own = ROW(i);
    TAKE(r, own, * p)
    for (int a = t->above_rows[i]; a < t->above_rows[i + 1]; a++) {
      const V l = @SPREAD@f[t->above[a]], *const other = ROW(t->above[a]);
      TAKE(y, other,) LESS(r, l, y)
    }
    KEEP(own, r)
  }
}
#undef TAKE
#undef KEEP
#undef LESS
#undef ROW
#undef FACTORS

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
    place_pairs_@X@(t, screws, loads, lower + (ptrdiff_t)n * n, tables);
  } else if (what == INVERSE) {
    place_passes_@X@(PASSES);
    place_pairs_@X@(t, screws, loads, lower + (ptrdiff_t)n * n, matrix);
    factor_@X@(t, lower, pivots);
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
      factor_@X@(t, lower, pivots);
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

"""The loops of ``emit_recursion.py`` as C: over joints, and over pairs of joints.

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
#define T_ABOVE(x, least) ((x) > (least) ? (x) : 0)
#define V_ABOVE(x, least) ((V)((VI)(x) & ((x) > (least))))
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

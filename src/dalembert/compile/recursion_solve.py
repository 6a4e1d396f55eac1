"""C of the sparse factors of D (``formulations/factor.py``) and of solutions with them, for ``emit_recursion.py``.

@X@ is T for one state and V for a vector of them.
"""

from __future__ import annotations

SOLVE = """\
/* D = L^T diag(d) L: L in the place of D, also transposed above the diagonal, and the inverses of d. A pivot that the
   rounding of its parts could have made is zero, and its inverse infinite: there the joint moves no inertia. */
static void factor_@X@(const Recursion *t, const @X@ *loads, @X@ *restrict d, @X@ *restrict inverse)
{
  const int n = t->n;
  const T share_of_parts = (T)t->joints * EPSILON;
  for (int k = 0; k < n; k++) inverse[k] = (@X@){0};
  for (int j = 0; j < t->joints; j++) {
    const @X@ parts = loads[j * LOADS + LOADS - 2] * share_of_parts;
    if (t->plain) inverse[j] = parts;
    else
      for (int k = t->rows[j]; k < t->rows[j + 1]; k++)
        inverse[t->coordinates[k]] += parts * (t->ratios[k] * t->ratios[k]);
  }
  for (int k = n - 1; k >= 0; k--) {
    @X@ *const row = d + (ptrdiff_t)k * n;
    const int32_t *const above = t->above + t->above_rows[k];
    const int count = t->above_rows[k + 1] - t->above_rows[k];
    inverse[k] = 1 / @X@_ABOVE(row[k], inverse[k]);
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
   Where b is zero from ``rows`` on, and no more of x is asked for, the rest is left out; rows further out are taken
   from a row first, so that what is zero comes before all else and the sums are the same for any number of rows. */
static void solved_@X@(const Recursion *t, const @X@ *restrict d, const @X@ *restrict inverse, int rows, V *restrict x)
{
  int i = rows - 1;
  for (; t->full && i > 0; i -= 2) { /* two rows at a time read the rows that they share once */
    const @X@ *const f = FACTORS(i), *const g = FACTORS(i - 1);
    V *const own = ROW(i), *const next = ROW(i - 1);
    TAKE(r, own,) TAKE(s, next,)
    for (int k = rows - 1; k > i; k--) {
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
    for (int a = t->below_rows[i + 1] - 1; a >= t->below_rows[i]; a--) {
      if (t->below[a] >= rows) continue;
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
"""

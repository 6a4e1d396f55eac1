/* Small linear systems. */

/* a = P L U in place, rows exchanged; 0 where a pivot is not above `least` times the largest entry of its column */
static int factor(double *a, int n, int *order, double least)
{
  for (int k = 0; k < n; k++) {
    int best = k;
    double size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(a[i * n + k]));
    for (int i = k + 1; i < n; i++) if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    order[k] = best;
    if (!(fabs(a[best * n + k]) > least * size)) return 0;
    for (int j = 0; j < n && best != k; j++) {
      const double swap = a[k * n + j];
      a[k * n + j] = a[best * n + j];
      a[best * n + j] = swap;
    }
    for (int i = k + 1; i < n; i++) {
      const double share = a[i * n + k] /= a[k * n + k];
      for (int j = k + 1; j < n; j++) a[i * n + j] -= share * a[k * n + j];
    }
  }
  return 1;
}

static void solve(const double *a, int n, const int *order, double *b)
{
  for (int k = 0; k < n; k++) {
    const double swap = b[k];
    b[k] = b[order[k]];
    b[order[k]] = swap;
  }
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i; j++) b[i] -= a[i * n + j] * b[j];
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= a[i * n + j] * b[j];
    b[i] /= a[i * n + i];
  }
}

/* All v with C v = right: v = offset + basis y, by elimination, so that joints that stand get exact zeros.
   C has `count` rows and is used up. Gives the number of columns of the basis, which is N by N at most. */
static int free_directions(double c[HELD][N], double *right, int count, double basis[N][N], double *offset)
{
  int pivots[N], rank = 0, is_pivot[N] = {0}, columns = 0;
  for (int i = 0; i < count; i++) {
    double size = 0;
    for (int j = 0; j < N; j++) size = fmax(size, fabs(c[i][j]));
    if (size > 0) {
      for (int j = 0; j < N; j++) c[i][j] /= size;
      right[i] /= size;
    }
  }
  for (; rank < count && rank < N; rank++) {
    int row = rank, column = 0;
    for (int i = rank; i < count; i++)
      for (int j = 0; j < N; j++) if (fabs(c[i][j]) > fabs(c[row][column])) { row = i; column = j; }
    if (fabs(c[row][column]) < 1e-12) break;
    for (int j = 0; j < N; j++) {
      const double swap = c[rank][j];
      c[rank][j] = c[row][j];
      c[row][j] = swap;
    }
    const double moved = right[rank], pivot = c[rank][column];
    right[rank] = right[row] / pivot;
    if (row != rank) right[row] = moved;
    for (int j = 0; j < N; j++) c[rank][j] /= pivot;
    for (int i = 0; i < count; i++) {
      const double share = c[i][column];
      if (i == rank || share == 0) continue;
      for (int j = 0; j < N; j++) c[i][j] -= share * c[rank][j];
      right[i] -= share * right[rank];
    }
    pivots[rank] = column;
    is_pivot[column] = 1;
  }
  for (int j = 0; j < N; j++) offset[j] = 0;
  for (int i = 0; i < rank; i++) offset[pivots[i]] = right[i];
  for (int j = 0; j < N; j++) {
    if (is_pivot[j]) continue;
    for (int i = 0; i < N; i++) basis[i][columns] = i == j ? 1 : 0;
    for (int i = 0; i < rank; i++) basis[pivots[i]][columns] = c[i][j] != 0 ? -c[i][j] : 0;
    columns++;
  }
  return columns;
}

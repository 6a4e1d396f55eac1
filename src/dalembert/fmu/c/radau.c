/* Steps of the method Radau IIA of order 5 for stiff motions (Hairer and Wanner 1996, section IV.8): Z = h A f(x + Z)
   by Newton's method with one Jacobian, error by the embedded formula, interpolant the polynomial of collocation. */
#define NEWTON_TURNS 7
#define ROOT6 2.449489742783178
#define ROOT3 1.4422495703074083    /* of the third power */
#define REAL_EIGENVALUE (3 + ROOT3 * ROOT3 - ROOT3)

static const double RADAU_C[3] = {(4 - ROOT6) / 10, (4 + ROOT6) / 10, 1};
static const double RADAU_A[3][3] = {
  {(88 - 7 * ROOT6) / 360, (296 - 169 * ROOT6) / 1800, (-2 + 3 * ROOT6) / 225},
  {(296 + 169 * ROOT6) / 1800, (88 + 7 * ROOT6) / 360, (-2 - 3 * ROOT6) / 225},
  {(16 - ROOT6) / 36, (16 + ROOT6) / 36, 1.0 / 9}};
static const double RADAU_E[3] = {(-13 - 7 * ROOT6) / 3, (-13 + 7 * ROOT6) / 3, -1.0 / 3};
static const double RADAU_P[3][3] = {
  {(13 + 7 * ROOT6) / 3, (-23 - 22 * ROOT6) / 3, (10 + 15 * ROOT6) / 3},
  {(13 - 7 * ROOT6) / 3, (-23 + 22 * ROOT6) / 3, (10 - 15 * ROOT6) / 3},
  {1.0 / 3, -8.0 / 3, 10.0 / 3}};

/* df/dx by differences; 0 where the model has no rates beside x. Newton needs no more than a few digits of it. */
static int slopes(Core *me, double t, const double *x, const double *f, double *jacobian)
{
  double y[SIZE], g[SIZE];
  memcpy(y, x, sizeof y);
  for (int k = 0; k < SIZE; k++) {
    const double reach = 1.5e-8 * fmax(fabs(x[k]), 1e-3);
    y[k] = x[k] + reach;
    rates(me, t, y, g);
    if (!finite_all(g)) return 0;
    for (int i = 0; i < SIZE; i++) jacobian[i * SIZE + k] = (g[i] - f[i]) / (y[k] - x[k]);
    y[k] = x[k];
  }
  return 1;
}

/* y, the state at t + h, from x with its rates f; those at y go into g, the polynomial into P. Gives the error, which is
   below 1 where the step may be taken, and is no number where Newton does not converge; turns: how often it was run. */
static double radau_step(Core *me, double t, double h, const double *x, const double *f, double *y, double *g,
                         double P[3][SIZE], double rtol, double atol, int rejected, int *turns)
{
  double jacobian[SIZE * SIZE], table[9 * SIZE * SIZE], right[3 * SIZE], Z[3][SIZE], F[3][SIZE], scale[SIZE];
  double old = 0, ratio = 0;
  const double tolerance = fmax(2.2e-15 / rtol, fmin(0.03, sqrt(rtol)));
  int order[3 * SIZE], converged = 0;
  if (!slopes(me, t, x, f, jacobian)) return (double)NAN;
  for (int i = 0; i < 3 * SIZE; i++)
    for (int k = 0; k < 3 * SIZE; k++)
      table[i * 3 * SIZE + k] = (i == k) - h * RADAU_A[i / SIZE][k / SIZE] * jacobian[(i % SIZE) * SIZE + k % SIZE];
  if (!factor(table, 3 * SIZE, order, 0)) return (double)NAN;
  for (int i = 0; i < SIZE; i++) {
    scale[i] = atol + fabs(x[i]) * rtol;
    for (int s = 0; s < 3; s++) Z[s][i] = 0;
  }
  for (*turns = 0; *turns < NEWTON_TURNS && !converged;) {
    double size = 0;
    ++*turns;
    for (int s = 0; s < 3; s++) {
      for (int i = 0; i < SIZE; i++) y[i] = x[i] + Z[s][i];
      rates(me, t + RADAU_C[s] * h, y, F[s]);
      if (!finite_all(F[s])) return (double)NAN;
    }
    for (int s = 0; s < 3; s++)
      for (int i = 0; i < SIZE; i++) {
        right[s * SIZE + i] = -Z[s][i];
        for (int r = 0; r < 3; r++) right[s * SIZE + i] += h * RADAU_A[s][r] * F[r][i];
      }
    solve(table, 3 * SIZE, order, right);
    for (int s = 0; s < 3; s++) {
      for (int i = 0; i < SIZE; i++) Z[s][i] += right[s * SIZE + i];
      size += norm(right + s * SIZE, scale) * norm(right + s * SIZE, scale) / 3;
    }
    size = sqrt(size);
    if (!(size * 0 == 0)) return (double)NAN;
    if (*turns > 1) {
      ratio = size / old;
      if (ratio >= 1) return (double)NAN;
    }
    old = size;
    converged = size == 0 || (*turns > 1 && ratio / (1 - ratio) * size < tolerance);
  }
  if (!converged) return (double)NAN;
  for (int i = 0; i < SIZE; i++) {
    y[i] = x[i] + Z[2][i];
    for (int k = 0; k < 3; k++) P[k][i] = RADAU_P[0][k] * Z[0][i] + RADAU_P[1][k] * Z[1][i] + RADAU_P[2][k] * Z[2][i];
    right[i] = f[i] + (RADAU_E[0] * Z[0][i] + RADAU_E[1] * Z[1][i] + RADAU_E[2] * Z[2][i]) / h;
    right[SIZE + i] = right[i] - f[i];
    scale[i] = atol + fmax(fabs(x[i]), fabs(y[i])) * rtol;
    for (int k = 0; k < SIZE; k++) table[i * SIZE + k] = (i == k) * REAL_EIGENVALUE / h - jacobian[i * SIZE + k];
  }
  rates(me, t + h, y, g);
  if (!finite_all(g) || !factor(table, SIZE, order, 0)) return (double)NAN;
  solve(table, SIZE, order, right);
  double error = norm(right, scale);
  if (rejected && error > 1) {
    /* the estimate without the part that a stiff component adds */
    double moved[SIZE], there[SIZE];
    for (int i = 0; i < SIZE; i++) moved[i] = x[i] + right[i];
    rates(me, t, moved, there);
    if (!finite_all(there)) return error;
    for (int i = 0; i < SIZE; i++) right[i] = there[i] + right[SIZE + i];
    solve(table, SIZE, order, right);
    error = norm(right, scale);
  }
  return error;
}

/* what the step is to be multiplied by after this error, or where Newton gave none */
static double radau_factor(double error, int turns)
{
  const double safety = 0.9 * (2 * NEWTON_TURNS + 1) / (2 * NEWTON_TURNS + turns);
  if (!(error * 0 == 0)) return 0.5;
  return error == 0 ? 10 : fmax(0.2, fmin(10, safety * pow(error, -0.25)));
}

/* the state at the share u of the step from x */
static void radau_between(double P[3][SIZE], const double *x, double u, double *out)
{
  for (int i = 0; i < SIZE; i++) out[i] = x[i] + u * (P[0][i] + u * (P[1][i] + u * P[2][i]));
}

/* Forces of contacts that stand: complementarity. */
#define SWEEPS 2000

static double clip(double x, double low, double high)
{
  return x < low ? low : x > high ? high : x;
}

/* The forces that are inside their limits, solved for; 0 where that breaks a limit or the sign of what is at one. */
static int polished(const double *a, const double *start, const double *low, const double *high, int count,
                    double *force)
{
  double table[HELD * HELD], right[HELD], rate = 0, size = 0, trial[HELD];
  int inside[HELD], order[HELD], many = 0;
  for (int c = 0; c < count; c++) {
    size = fmax(size, fabs(start[c]));
    trial[c] = force[c];
    if (force[c] > low[c] && force[c] < high[c]) inside[many++] = c;
  }
  for (int i = 0; i < many; i++) {
    right[i] = -start[inside[i]];
    for (int c = 0; c < count; c++)
      if (force[c] <= low[c] || force[c] >= high[c]) right[i] -= a[inside[i] * count + c] * force[c];
    for (int j = 0; j < many; j++) table[i * many + j] = a[inside[i] * count + inside[j]];
  }
  if (!factor(table, many, order, 1e-13)) return 0;
  solve(table, many, order, right);
  for (int i = 0; i < many; i++) {
    const int c = inside[i];
    if (!(right[i] >= low[c] && right[i] <= high[c])) return 0;
    trial[c] = right[i];
  }
  for (int c = 0; c < count; c++) {
    rate = start[c];
    for (int d = 0; d < count; d++) rate += a[c * count + d] * trial[d];
    if (low[c] < high[c] && trial[c] <= low[c] && rate < -1e-13 * size) return 0;
    if (low[c] < high[c] && trial[c] >= high[c] && rate > 1e-13 * size) return 0;
  }
  for (int c = 0; c < count; c++) force[c] = trial[c];
  return 1;
}

/* Forces within their limits and accelerations start + a force that go with them: none where a force is inside its
   limits, and against the limit that opposes it otherwise. a = C D^-1 C^T. Gauss-Seidel finds who is at a limit, and
   the others are then solved for. */
static void contact_forces(const double *a, const double *start, const double *low, const double *high, int count,
                           double *force, double *rate)
{
  for (int c = 0; c < count; c++) force[c] = clip(0, low[c], high[c]);
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double change = 0, size = 1;
    for (int c = 0; c < count; c++) {
      double rest = start[c];
      for (int d = 0; d < count; d++) if (d != c) rest += a[c * count + d] * force[d];
      const double old = force[c];
      force[c] = clip(-rest / a[c * count + c], low[c], high[c]);
      change = fmax(change, fabs(force[c] - old));
      size = fmax(size, fabs(force[c]));
    }
    if (change <= 1e-16 * size) break;
    if (sweep % 8 == 7 && polished(a, start, low, high, count, force)) break;
  }
  (void)polished(a, start, low, high, count, force);
  for (int c = 0; c < count; c++) {
    rate[c] = start[c];
    for (int d = 0; d < count; d++) rate[c] += a[c * count + d] * force[d];
  }
}

/* a = C D^-1 C^T and start = C D^-1 push of `count` rows */
static int leverage(const double *mass, double c[HELD][N], int count, const double *push, double *a, double *start)
{
  double table[N * N], column[N];
  int order[N];
  memcpy(table, mass, sizeof table);
  if (!factor(table, N, order, 0)) return 0;
  for (int d = 0; d <= count; d++) {
    for (int j = 0; j < N; j++) column[j] = d < count ? c[d][j] : push[j];
    solve(table, N, order, column);
    for (int i = 0; i < count; i++) {
      double sum = 0;
      for (int j = 0; j < N; j++) sum += c[i][j] * column[j];
      if (d < count) a[i * count + d] = sum; else start[i] = sum;
    }
  }
  return 1;
}

/* How much of their limits contacts use that together give `needed` = C^T force; above 1 something moves. Limits are
   -hold and hold, or 0 and none of a stop. Gives also how well it is known. */
static double holding_share(double c[HELD][N], const double *needed, const double *hold, int count, double *slack)
{
  double gram[HELD * HELD], table[HELD * HELD], pull[HELD], length[HELD], force[HELD], rate[HELD], size = 1, share = 0;
  int order[HELD];
  for (int j = 0; j < N; j++) size = fmax(size, fabs(needed[j]));
  for (int i = 0; i < count; i++) {
    double sum = 0;
    for (int j = 0; j < N; j++) sum += c[i][j] * c[i][j];
    length[i] = sqrt(sum);
  }
  for (int i = 0; i < count; i++) {
    pull[i] = 0;
    for (int j = 0; j < N; j++) pull[i] += c[i][j] * needed[j] / length[i];
    for (int k = 0; k < count; k++) {
      double sum = 0;
      for (int j = 0; j < N; j++) sum += c[i][j] * c[k][j] / (length[i] * length[k]);
      gram[i * count + k] = table[i * count + k] = sum;
    }
  }
  if (count <= N && factor(table, count, order, 1e-10)) {
    *slack = 1e-10;
    solve(table, count, order, pull);
    for (int i = 0; i < count; i++) {
      const double f = pull[i] / length[i];
      share = fmax(share, hold[i] < 0 ? 1 - f / size : hold[i] > 0 ? fabs(f) / hold[i] : 2);
    }
    return share;
  }
  /* rows that depend on each other share the load: the least share with which they can carry it */
  double low[HELD], high[HELD], least = 0, most = 4;
  *slack = 1e-6;
  for (int i = 0; i < count; i++) pull[i] = -pull[i];
  for (int turn = 0; turn < 40; turn++) {
    const double middle = turn == 0 ? most : (least + most) / 2;
    double open = 0;
    for (int i = 0; i < count; i++) {
      high[i] = hold[i] < 0 ? HUGE_VAL : middle * hold[i] * length[i];
      low[i] = hold[i] < 0 ? 0 : -high[i];
    }
    contact_forces(gram, pull, low, high, count, force, rate);
    for (int j = 0; j < N; j++) {
      double left = needed[j];
      for (int i = 0; i < count; i++) left -= c[i][j] * force[i] / length[i];
      open = fmax(open, fabs(left));
    }
    if (open > 1e-9 * size) {
      if (turn == 0) return most;
      least = middle;
    } else {
      most = middle;
    }
  }
  return most;
}

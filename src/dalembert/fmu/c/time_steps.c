/* Time steps with complementarity, where events follow each other without end: over a step h

     D (v+ - v) = h (tau - bias) + C^T p,   |p_c| <= h F_c,  p_s >= 0,  complementary to the speeds C v+

   (Moreau 1988), the same as in dalembert's simulation. The error is of the order of h. */
#define TIME_STEP 1e-5
#define LONG_STRETCH 0.064          /* how long (s) at most before events are tried again */

/* v+ of friction and of stops that joints lean on; the mode says who was held */
static int held_velocity(Core *me, const Point *at, const double *momentum, const int *standing, const int *leaning,
                         double h)
{
  double *qd = me->x + N, c[HELD][N], low[HELD] = {0}, high[HELD] = {0}, a[HELD * HELD], start[HELD] = {0};
  double free_speed[HELD], impulse[HELD], rate[HELD], own[SOME(CONTACTS)] = {0}, speed[SOME(CONTACTS)] = {0};
  double forward[SOME(CONTACTS)] = {0}, backward[SOME(CONTACTS)] = {0}, table[N * N], after[N];
  int which[HELD], order[N], count = 0, contacts = 0;
  for (int k = 0; k < CONTACTS; k++) {
    speed[k] = contact_speed(at, k, qd);
    own[k] = 1;
  }
  if (CONTACTS) model_friction(me, own, speed, forward);
  for (int k = 0; k < CONTACTS; k++) own[k] = -1;
  if (CONTACTS) model_friction(me, own, speed, backward);
  for (int k = 0; k < CONTACTS; k++) {
    if (!me->rubs[k]) continue;
    for (int j = 0; j < N; j++) c[count][j] = at->rows[k * N + j];
    low[count] = h * (standing[k] ? -me->hold[k] : forward[k]);
    high[count] = h * (standing[k] ? me->hold[k] : backward[k]);
    start[count] = h * at->drift[k];
    which[count++] = k;
  }
  contacts = count;
  for (int k = 0; k < N; k++) {
    if (!leaning[k]) continue;
    for (int j = 0; j < N; j++) c[count][j] = j == k ? -leaning[k] : 0;
    high[count] = HUGE_VAL;
    which[count++] = k;
  }
  for (int j = 0; j < N; j++) after[j] = momentum[j];
  if (count) {
    if (!leverage(at->mass, c, count, momentum, a, free_speed)) return 0;
    for (int i = 0; i < count; i++) start[i] += free_speed[i];
    contact_forces(a, start, low, high, count, impulse, rate);
    for (int i = 0; i < count; i++)
      for (int j = 0; j < N; j++) after[j] += c[i][j] * impulse[i];
  }
  memcpy(table, at->mass, sizeof table);
  if (!factor(table, N, order, 0)) return 0;
  solve(table, N, order, after);
  memcpy(qd, after, sizeof after);
  memset(me->stopped, 0, sizeof me->stopped);
  for (int i = 0; i < count; i++) {
    const int free = impulse[i] <= low[i] + ROUNDING * fabs(low[i]) ||
                     (i < contacts && impulse[i] >= high[i] - ROUNDING * high[i]);
    if (i < contacts) me->sliding[which[i]] = free;
    else me->stopped[which[i]] = free ? 0 : leaning[which[i]];
  }
  return project(me, at); /* who is held is held exactly */
}

static int time_step(Core *me, double h)
{
  Point at;
  double *q = me->x, *qd = me->x + N, before[N], gained[N], moved[N], ahead[N], slow[N], momentum[N], table[N * N];
  int order[N], sides[N], leaning[N], standing[SOME(CONTACTS)] = {0}, into = 0;
  if (!model_at(me, me->x, &at)) return 0;
  for (int j = 0; j < N; j++) {
    gained[j] = moved[j] = h * (at.torque[j] - at.bias[j]);
    ahead[j] = q[j] + h * qd[j];
  }
  (void)touched(me, ahead, sides);
  memcpy(table, at.mass, sizeof table);
  if (!factor(table, N, order, 0)) return 0;
  solve(table, N, order, moved);
  for (int j = 0; j < N; j++) {
    /* a touch as slow as what one or two steps give a joint is rest: else it would bounce on by itself */
    slow[j] = fmax(SLOW, 2 * fabs(moved[j]));
    into = into || sides[j] * qd[j] > 0;
  }
  if (into && !impact(me, &at, sides, slow)) return 0;
  memcpy(before, qd, sizeof before);
  stand(me, &at, standing);
  const double rest = rest_speed(qd);
  for (int i = 0; i < N; i++) {
    leaning[i] = fabs(qd[i]) <= rest ? sides[i] : 0;
    momentum[i] = gained[i];
    for (int j = 0; j < N; j++) momentum[i] += at.mass[i * N + j] * qd[j];
  }
  if (!held_velocity(me, &at, momentum, standing, leaning, h)) return 0;
  for (int j = 0; j < N; j++) {
    const double old = q[j];
    q[j] += h * (before[j] + qd[j]) / 2;
    if (!me->stops) continue;
    q[j] = clip(q[j], fmin(old, lower_stop(me, j)), fmax(old, upper_stop(me, j)));
  }
  for (int k = 0; k < CURRENTS; k++) {
    /* implicit: time constants L/R may be far shorter than h */
    const double decay = me->p[CIRCUIT + 2 * MOTORS + k] / me->p[CIRCUIT + 3 * MOTORS + k];
    me->x[2 * N + k] += h * at.current_rate[k] / (1 + h * decay);
  }
  for (int k = 0; k < JOINTS; k++) me->x[2 * N + CURRENTS + k] += h * at.rate[k];
  return finite_all(me->x);
}

/* time steps for a stretch, then the mode anew */
static int step_on(Core *me, double end)
{
  const double began = me->time, stop = fmin(end, began + me->stretch);
  while (me->time < stop) {
    /* steps end at the end itself, without a last one that is mere rounding */
    const double to = stop - me->time < 1.5 * TIME_STEP ? stop : me->time + TIME_STEP;
    if (!time_step(me, to - me->time)) return 0;
    me->time = to;
  }
  if (me->stepped_to >= began - 2 * me->stretch) me->stretch = fmin(2 * me->stretch, LONG_STRETCH);
  me->stepped_to = me->time;
  me->changes = 0;
  me->step = 0;
  return resume(me);
}

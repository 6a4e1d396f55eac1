/* Modes: which contacts stick or slide which way, which joints lean on a stop; the motion within one; from one to the
   next. The laws are those of dalembert's simulation: see its documentation. */
#define ROUNDING 1e-12
#define SLOW 1e-6                   /* a touch below this speed is no bounce */
#define TOO_FAST 1e4                /* a speed beyond which a motion counts as divergent */

static double lower_stop(const Core *me, int j) { return me->p[STOP_LOWER + j]; }
static double upper_stop(const Core *me, int j) { return me->p[STOP_UPPER + j]; }

static double largest_speed(const double *qd)
{
  double most = 0;
  for (int j = 0; j < N; j++) most = fmax(most, fabs(qd[j]));
  return most;
}

/* the speed of a joint that is mere rounding */
static double rest_speed(const double *qd) { return 1e-14 + 1e-12 * largest_speed(qd); }

static double contact_speed(const Point *at, int c, const double *qd)
{
  double speed = 0;
  for (int j = 0; j < N; j++) speed += at->rows[c * N + j] * qd[j];
  return speed;
}

static int any_held(const Core *me)
{
  for (int c = 0; c < CONTACTS; c++) if (me->rubs[c] && !me->sliding[c]) return 1;
  for (int j = 0; j < N; j++) if (me->stopped[j]) return 1;
  return 0;
}

/* Coulomb friction at the coordinates of contacts that slide as `sliding` says */
static void friction(const Core *me, const Point *at, const double *qd, const int *sliding, double *torque)
{
  double direction[SOME(CONTACTS)] = {0}, speed[SOME(CONTACTS)] = {0}, force[SOME(CONTACTS)] = {0};
  for (int j = 0; j < N; j++) torque[j] = 0;
  for (int c = 0; c < CONTACTS; c++) {
    direction[c] = sliding[c];
    speed[c] = contact_speed(at, c, qd);
  }
  if (CONTACTS) model_friction(me, direction, speed, force);
  for (int c = 0; c < CONTACTS; c++)
    for (int j = 0; j < N && sliding[c] && me->rubs[c]; j++) torque[j] += at->rows[c * N + j] * force[c];
}

/* the rows of what is held in this mode, what they are to accelerate at, and their limits (-1: a stop); their number */
static int constraints(const Core *me, const Point *at, double c[HELD][N], double *right, double *hold)
{
  int count = 0;
  for (int k = 0; k < CONTACTS; k++) {
    if (!me->rubs[k] || me->sliding[k]) continue;
    for (int j = 0; j < N; j++) c[count][j] = at->rows[k * N + j];
    right[count] = -at->drift[k];
    hold[count++] = me->hold[k];
  }
  for (int k = 0; k < N; k++) {
    if (!me->stopped[k]) continue;
    for (int j = 0; j < N; j++) c[count][j] = j == k ? -me->stopped[k] : 0;
    right[count] = 0;
    hold[count++] = -1;
  }
  return count;
}

/* v = offset + basis y with basis^T (D v - push) = 0 */
static int reduced_motion(const double *mass, double basis[N][N], int columns, const double *offset, const double *push,
                          double *v)
{
  double table[N * N], right[N], moved[N][N], rest[N];
  int order[N];
  for (int i = 0; i < N; i++) {
    rest[i] = push[i];
    for (int j = 0; j < N; j++) rest[i] -= mass[i * N + j] * offset[j];
    for (int k = 0; k < columns; k++) {
      moved[i][k] = 0;
      for (int j = 0; j < N; j++) moved[i][k] += mass[i * N + j] * basis[j][k];
    }
  }
  for (int i = 0; i < columns; i++) {
    right[i] = 0;
    for (int j = 0; j < N; j++) right[i] += basis[j][i] * rest[j];
    for (int k = 0; k < columns; k++) {
      table[i * columns + k] = 0;
      for (int j = 0; j < N; j++) table[i * columns + k] += basis[j][i] * moved[j][k];
    }
  }
  if (columns && !factor(table, columns, order, 0)) return 0;
  if (columns) solve(table, columns, order, right);
  for (int i = 0; i < N; i++) {
    v[i] = offset[i];
    for (int k = 0; k < columns; k++) v[i] += basis[i][k] * right[k];
  }
  return 1;
}

/* q'' in the present mode, and what its constraints must give, C^T force, where that is asked for */
static int acceleration(const Core *me, const Point *at, const double *qd, double *qdd, double *needed)
{
  double rubbed[N], push[N], c[HELD][N], right[HELD], hold[HELD], basis[N][N], offset[N];
  friction(me, at, qd, me->sliding, rubbed);
  for (int j = 0; j < N; j++) push[j] = at->torque[j] - at->bias[j] + rubbed[j];
  const int count = constraints(me, at, c, right, hold);
  const int columns = free_directions(c, right, count, basis, offset);
  if (!reduced_motion(at->mass, basis, columns, offset, push, qdd)) return 0;
  for (int i = 0; i < N && needed; i++) {
    needed[i] = -push[i];
    for (int j = 0; j < N; j++) needed[i] += at->mass[i * N + j] * qdd[j];
  }
  return 1;
}

/* dx/dt in the present mode; not finite where the model has no answer, so that steps become shorter */
static void rates(Core *me, double t, const double *x, double *f)
{
  Point at;
  const double *qd = x + N;
  (void)t;
  if (!(largest_speed(qd) <= 1e3 * TOO_FAST) || !model_at(me, x, &at) || !acceleration(me, &at, qd, f + N, NULL)) {
    for (int i = 0; i < SIZE; i++) f[i] = (double)NAN;
    return;
  }
  for (int j = 0; j < N; j++) f[j] = qd[j];
  for (int k = 0; k < CURRENTS; k++) f[2 * N + k] = at.current_rate[k];
  for (int k = 0; k < JOINTS; k++) f[2 * N + CURRENTS + k] = at.rate[k];
}

/* What falls through zero where the mode ends: speeds of contacts that slide, what is left of the forces that hold,
   distances to stops. */
static int indicators(const Core *me, const double *x, double *z)
{
  Point at;
  const double *q = x, *qd = x + N;
  double c[HELD][N], right[HELD], hold[HELD], needed[N], qdd[N], slack = 0;
  for (int k = 0; k < INDICATORS; k++) z[k] = 1;
  if (CONTACTS || any_held(me)) {
    if (!model_at(me, x, &at)) return 0;
    for (int k = 0; k < CONTACTS; k++)
      if (me->rubs[k] && me->sliding[k]) z[k] = me->sliding[k] * contact_speed(&at, k, qd);
    if (any_held(me)) {
      if (!acceleration(me, &at, qd, qdd, needed)) return 0;
      const int count = constraints(me, &at, c, right, hold);
      const double share = holding_share(c, needed, hold, count, &slack);
      z[CONTACTS] = 1 + slack - share;
    }
  }
  for (int j = 0; j < N && me->stops; j++) {
    if (me->stopped[j]) continue;
    if (lower_stop(me, j) > -NONE) z[CONTACTS + 1 + 2 * j] = q[j] - lower_stop(me, j);
    if (upper_stop(me, j) < NONE) z[CONTACTS + 2 + 2 * j] = upper_stop(me, j) - q[j];
  }
  return 1;
}

/* the velocity closest to q' in the norm of kinetic energy that the constraints of the mode allow */
static int project(Core *me, const Point *at)
{
  double c[HELD][N], right[HELD], hold[HELD], basis[N][N], offset[N], momentum[N], *qd = me->x + N;
  const int count = constraints(me, at, c, right, hold);
  if (!count) return 1;
  for (int i = 0; i < count; i++) right[i] = 0;
  for (int i = 0; i < N; i++) {
    momentum[i] = 0;
    for (int j = 0; j < N; j++) momentum[i] += at->mass[i * N + j] * qd[j];
  }
  const int columns = free_directions(c, right, count, basis, offset);
  return reduced_motion(at->mass, basis, columns, offset, momentum, qd);
}

/* The mode at the present state: which `standing` contacts and `leaning` joints stay held, and which way others go. A
   contact that starts is braked by its moving friction, which may be less than what held it; that may start others. */
static int settle(Core *me, const int *standing, const int *leaning)
{
  Point at;
  double *qd = me->x + N, c[HELD][N], low[HELD] = {0}, high[HELD] = {0}, a[HELD * HELD], start[HELD] = {0};
  double force[HELD], rate[HELD], rubbed[N], push[N], least[HELD] = {0}, strength, own[SOME(CONTACTS)] = {0};
  double still[SOME(CONTACTS)] = {0}, forward_force[SOME(CONTACTS)] = {0}, backward_force[SOME(CONTACTS)] = {0};
  int which[HELD], count = 0, contacts = 0, started[HELD] = {0}, going[HELD] = {0};
  if (!model_at(me, me->x, &at)) return 0;
  for (int k = 0; k < CONTACTS; k++) {
    me->sliding[k] = standing[k] || !me->rubs[k] ? 0 : contact_speed(&at, k, qd) > 0 ? 1 : -1;
    if (!me->rubs[k] || !standing[k]) continue;
    for (int j = 0; j < N; j++) c[count][j] = at.rows[k * N + j];
    low[count] = -me->hold[k];
    high[count] = me->hold[k];
    start[count] = at.drift[k];
    which[count++] = k;
  }
  contacts = count;
  for (int k = 0; k < N; k++) {
    me->stopped[k] = 0;
    if (!leaning[k]) continue;
    for (int j = 0; j < N; j++) c[count][j] = j == k ? -leaning[k] : 0;
    low[count] = 0;
    high[count] = HUGE_VAL;
    start[count] = 0;
    which[count++] = k;
  }
  if (!count) return 1;
  friction(me, &at, qd, me->sliding, rubbed);
  for (int j = 0; j < N; j++) push[j] = at.torque[j] - at.bias[j] + rubbed[j];
  double free_rate[HELD];
  if (!leverage(at.mass, c, count, push, a, free_rate)) return 0;
  for (int i = 0; i < count; i++) {
    /* an acceleration below this is rounding of what cancels in it */
    strength = i < contacts ? a[i * count + i] * high[i] : 0;
    least[i] = ROUNDING * strength + 1e-14 * fabs(free_rate[i]);
    start[i] += free_rate[i];
  }
  if (CONTACTS) {
    for (int k = 0; k < CONTACTS; k++) own[k] = 1;
    model_friction(me, own, still, forward_force);
    for (int k = 0; k < CONTACTS; k++) own[k] = -1;
    model_friction(me, own, still, backward_force);
  }
  for (int more = 1; more;) {
    more = 0;
    contact_forces(a, start, low, high, count, force, rate);
    for (int i = 0; i < count; i++) {
      const int forward = rate[i] > least[i] && force[i] <= low[i] + ROUNDING * fabs(low[i]);
      const int backward = i < contacts && rate[i] < -least[i] && force[i] >= high[i] - ROUNDING * high[i];
      going[i] = forward - backward;
      if (going[i] && i < contacts && !started[i]) more = started[i] = 1;
    }
    for (int i = 0; i < contacts && more; i++) {
      if (!started[i]) continue;
      low[i] = forward_force[which[i]];
      high[i] = backward_force[which[i]];
    }
  }
  for (int i = 0; i < contacts; i++) me->sliding[which[i]] = going[i];
  for (int i = contacts; i < count; i++) me->stopped[which[i]] = going[i] ? 0 : leaning[which[i]];
  return project(me, &at);
}

static void stand(const Core *me, const Point *at, int *standing)
{
  const double *qd = me->x + N, slow = rest_speed(qd);
  for (int k = 0; k < CONTACTS; k++) {
    double size = 0;
    for (int j = 0; j < N; j++) size = fmax(size, fabs(at->rows[k * N + j]));
    standing[k] = fabs(contact_speed(at, k, qd)) <= slow * size;
  }
}

/* joints at or beyond their stops, and on which side */
static int touched(const Core *me, const double *q, int *sides)
{
  int any = 0;
  for (int j = 0; j < N; j++) {
    sides[j] = 0;
    if (me->stops && lower_stop(me, j) > -NONE && q[j] <= lower_stop(me, j)) sides[j] = -1;
    if (me->stops && upper_stop(me, j) < NONE && q[j] >= upper_stop(me, j)) sides[j] = 1;
    any = any || sides[j];
  }
  return any;
}

/* Impulses at all stops that are touched, together: C v+ + e C v- >= 0, and = 0 where an impulse acts. Friction has
   none. `slow` are speeds below which a touch is no bounce. */
static int impact(Core *me, const Point *at, const int *sides, const double *slow)
{
  double *qd = me->x + N, c[HELD][N], a[HELD * HELD], approach[HELD], start[HELD] = {0}, low[HELD] = {0};
  double high[HELD] = {0}, impulse[HELD], rate[HELD], momentum[N], gained[N] = {0}, table[N * N];
  int which[HELD], order[N], count = 0;
  for (int k = 0; k < N; k++) {
    if (!sides[k] || sides[k] * qd[k] < 0) continue;
    for (int j = 0; j < N; j++) c[count][j] = j == k ? -sides[k] : 0;
    which[count++] = k;
  }
  if (!count) return 1;
  for (int i = 0; i < N; i++) {
    momentum[i] = 0;
    for (int j = 0; j < N; j++) momentum[i] += at->mass[i * N + j] * qd[j];
  }
  if (!leverage(at->mass, c, count, momentum, a, approach)) return 0;
  for (int i = 0; i < count; i++) {
    const double closing = -sides[which[i]] * qd[which[i]];
    start[i] = closing + (closing < -(slow ? slow[which[i]] : SLOW) ? me->p[RESTITUTION] * closing : 0);
    low[i] = 0;
    high[i] = HUGE_VAL;
  }
  contact_forces(a, start, low, high, count, impulse, rate);
  for (int i = 0; i < count; i++) gained[which[i]] = -sides[which[i]] * impulse[i];
  memcpy(table, at->mass, sizeof table);
  if (!factor(table, N, order, 0)) return 0;
  solve(table, N, order, gained);
  const double most = largest_speed(qd);
  for (int j = 0; j < N; j++) qd[j] += gained[j];
  for (int i = 0; i < count; i++) if (fabs(qd[which[i]]) <= 1e-14 * (1 + most)) qd[which[i]] = 0;
  return 1;
}

/* Joints meet their stops. The impulse moves what stood: friction is bounded and cannot carry it. */
static int hit(Core *me, const int *sides)
{
  Point at;
  int all[N], leaning[N], standing[SOME(CONTACTS)] = {0};
  for (int j = 0; j < N; j++) if (sides[j]) me->x[j] = sides[j] < 0 ? lower_stop(me, j) : upper_stop(me, j);
  (void)touched(me, me->x, all);
  for (int j = 0; j < N; j++) if (sides[j]) all[j] = sides[j];
  if (!model_at(me, me->x, &at) || !impact(me, &at, all, NULL)) return 0;
  const double slow = rest_speed(me->x + N);
  for (int j = 0; j < N; j++) leaning[j] = fabs(me->x[N + j]) <= slow ? all[j] : 0;
  stand(me, &at, standing);
  return settle(me, standing, leaning);
}

/* the mode of the present state: what stands may stick, a joint at its stop may lean on it */
static int resume(Core *me)
{
  Point at;
  int leaning[N], into[N], standing[SOME(CONTACTS)] = {0}, any = 0;
  const double *qd = me->x + N, slow = rest_speed(qd);
  if (!model_at(me, me->x, &at)) return 0;
  (void)touched(me, me->x, leaning);
  for (int j = 0; j < N; j++) {
    if (leaning[j] * qd[j] < -slow) leaning[j] = 0;
    into[j] = leaning[j] * qd[j] > slow ? leaning[j] : 0;
    any = any || into[j];
  }
  if (any) return hit(me, into);
  stand(me, &at, standing);
  return settle(me, standing, leaning);
}

/* After the event of indicator `which`, or (-1) after whatever happened at the present state, to within what an
   importer finds of its instant. */
static int event(Core *me, int which)
{
  Point at;
  int standing[SOME(CONTACTS)] = {0}, leaning[N], sides[N] = {0}, hits = 0;
  const double *q = me->x, *qd = me->x + N, near = which < 0 ? 1e-9 : 0, slow = near * (1 + largest_speed(qd));
  if (!model_at(me, me->x, &at)) return 0;
  stand(me, &at, standing);
  for (int k = 0; k < CONTACTS; k++) {
    if (!me->sliding[k] || which == k) standing[k] = 1;
    else if (which < 0 && me->sliding[k] * contact_speed(&at, k, qd) <= slow) standing[k] = 1;
  }
  for (int j = 0; j < N && me->stops; j++) {
    const double close = near * (1 + fabs(q[j]));
    if (me->stopped[j]) continue;
    if (which == CONTACTS + 1 + 2 * j) sides[j] = -1;
    if (which == CONTACTS + 2 + 2 * j) sides[j] = 1;
    if (which < 0 && lower_stop(me, j) > -NONE && q[j] - lower_stop(me, j) <= close && qd[j] < 0) sides[j] = -1;
    if (which < 0 && upper_stop(me, j) < NONE && upper_stop(me, j) - q[j] <= close && qd[j] > 0) sides[j] = 1;
    hits = hits || sides[j];
  }
  if (hits) return hit(me, sides);
  memcpy(leaning, me->stopped, sizeof leaning);
  return settle(me, standing, leaning);
}

/* what follows from parameters and state before a motion: limits of friction, joints of closed loops, the mode */
static int begin(Core *me)
{
  me->step = 0;
  me->changes = 0;
  me->stiff = me->at_edge = me->easy = 0;
  me->stretch = 1e-3;
  me->stepped_to = -HUGE_VAL;
  me->fault = NULL;
  if (CONTACTS) model_hold(me, me->hold);
  for (int c = 0; c < CONTACTS; c++) {
    me->rubs[c] = me->hold[c] > 0;
    me->sliding[c] = 0;
  }
  memset(me->stopped, 0, sizeof me->stopped);
  if (model_begin(me) && resume(me)) return 1;
  me->fault = "the model has no motion from this state: its closed loops do not close there, or a joint has no inertia";
  return 0;
}

/* Derivatives along a direction (dx, du) within the present mode: exact, from the twins of the model's functions. */

/* of what limited() gives */
static double within(double x, double most, double slope)
{
  return x > most || x < -most ? 0 : slope;
}

/* of within_joints(), which solves N^T u = asked where joints may not take all */
static void within_joints_along(const Core *me, const Point *at, const Point *d, double *u, double *du)
{
  double asked[N], slope[N], table[N * N];
  int order[N], cut = 0;
  for (int j = 0; j < N; j++) {
    double sum = 0;
    slope[j] = 0;
    for (int k = 0; k < MOTORS; k++) {
      sum += at->ratios[k * N + j] * u[k];
      slope[j] += at->ratios[k * N + j] * du[k] + d->ratios[k * N + j] * u[k];
    }
    asked[j] = limited(sum, me->p[JOINT_LIMIT + j]);
    slope[j] = within(sum, me->p[JOINT_LIMIT + j], slope[j]);
    cut = cut || asked[j] != sum;
    for (int k = 0; k < MOTORS && k < N; k++) table[j * N + k] = at->ratios[k * N + j];
  }
  if (!cut || !factor(table, N, order, 0)) return;
  solve(table, N, order, asked);
  for (int j = 0; j < N; j++)
    for (int k = 0; k < MOTORS && k < N; k++) slope[j] -= d->ratios[k * N + j] * asked[k];
  solve(table, N, order, slope);
  for (int k = 0; k < MOTORS && k < N; k++) {
    u[k] = asked[k];
    du[k] = slope[k];
  }
}

/* of drive() */
static void drive_along(const Core *me, const double *x, const Point *at, const double *dx, const double *direction,
                        Point *d)
{
  double u[SOME(INPUTS)], du[SOME(INPUTS)];
  for (int k = 0; k < INPUTS; k++) {
    u[k] = me->u[k];
    du[k] = direction[k];
  }
  if (LIMITED_AT_JOINTS) within_joints_along(me, at, d, u, du);
  for (int k = 0; k < INPUTS && LIMITED; k++) {
    du[k] = within(u[k], me->p[INPUT_LIMIT + k], du[k]);
    u[k] = limited(u[k], me->p[INPUT_LIMIT + k]);
  }
  if (INPUT == JOINT_TORQUE) {
    for (int j = 0; j < N && j < INPUTS; j++) d->torque[j] = du[j];
    return;
  }
  if (INPUT == MOTOR_TORQUE) {
    for (int k = 0; k < MOTORS; k++) d->motor_torque[k] = du[k];
  } else {
    double speed[SOME(MOTORS)], faster[SOME(MOTORS)], current[SOME(MOTORS)], more[SOME(MOTORS)];
    for (int k = 0; k < MOTORS; k++) {
      speed[k] = faster[k] = 0;
      for (int j = 0; j < N; j++) {
        speed[k] += at->ratios[k * N + j] * x[N + j];
        faster[k] += at->ratios[k * N + j] * dx[N + j] + d->ratios[k * N + j] * x[N + j];
      }
      current[k] = CURRENTS ? x[2 * N + (CURRENTS ? k : 0)] : 0;
      d->current[k] = INPUT == CURRENT ? du[k] : CURRENTS ? dx[2 * N + (CURRENTS ? k : 0)] : 0;
    }
    if (INPUT == VOLTAGE) {
      for (int k = 0; k < MOTORS; k++) {
        du[k] = within(u[k], me->p[SUPPLY + k], du[k]);
        u[k] = limited(u[k], me->p[SUPPLY + k]);
      }
      model_circuit_along(me, u, speed, current, du, faster, d->current, CURRENTS ? d->current_rate : more);
      for (int k = 0; k < MOTORS && !CURRENTS; k++) d->current[k] = more[k];
    }
    for (int k = 0; k < MOTORS; k++) {
      current[k] = limited(at->current[k], me->p[LARGEST_CURRENT + k]);
      more[k] = within(at->current[k], me->p[LARGEST_CURRENT + k], d->current[k]);
    }
    model_motor_torque_along(me, current, more, d->motor_torque);
  }
  for (int j = 0; j < N; j++) {
    d->torque[j] = 0;
    for (int k = 0; k < MOTORS; k++)
      d->torque[j] += at->ratios[k * N + j] * d->motor_torque[k] + d->ratios[k * N + j] * at->motor_torque[k];
  }
}

/* of friction(), for contacts that slide as the mode says */
static void friction_along(const Core *me, const Point *at, const Point *d, const double *qd, const double *dqd,
                           double *torque)
{
  double direction[SOME(CONTACTS)] = {0}, speed[SOME(CONTACTS)] = {0}, faster[SOME(CONTACTS)] = {0};
  double force[SOME(CONTACTS)] = {0}, more[SOME(CONTACTS)] = {0};
  for (int j = 0; j < N; j++) torque[j] = 0;
  if (!CONTACTS) return;
  for (int c = 0; c < CONTACTS; c++) {
    direction[c] = me->sliding[c];
    speed[c] = contact_speed(at, c, qd);
    faster[c] = contact_speed(at, c, dqd) + contact_speed(d, c, qd);
  }
  model_friction(me, direction, speed, force);
  model_friction_along(me, direction, speed, faster, more);
  for (int c = 0; c < CONTACTS; c++)
    for (int j = 0; j < N && me->sliding[c] && me->rubs[c]; j++)
      torque[j] += at->rows[c * N + j] * more[c] + d->rows[c * N + j] * force[c];
}

/* (dC)^T force, the forces being those with C^T force = needed: of rows that depend on each other any will do, since
   what they differ by does no work along directions that the rows leave free */
static void turned_forces(double c[HELD][N], double dc[HELD][N], int count, const double *needed, double *sum)
{
  double kept[HELD][N], gram[HELD * HELD], force[HELD];
  int which[HELD], order[HELD], rank = 0;
  for (int j = 0; j < N; j++) sum[j] = 0;
  for (int i = 0; i < count && rank < N; i++) {
    double rest[N], size = 0, left = 0;
    for (int j = 0; j < N; j++) {
      rest[j] = c[i][j];
      size += c[i][j] * c[i][j];
    }
    for (int k = 0; k < rank; k++) {
      double share = 0;
      for (int j = 0; j < N; j++) share += rest[j] * kept[k][j];
      for (int j = 0; j < N; j++) rest[j] -= share * kept[k][j];
    }
    for (int j = 0; j < N; j++) left += rest[j] * rest[j];
    if (!(left > 1e-20 * size)) continue;
    for (int j = 0; j < N; j++) kept[rank][j] = rest[j] / sqrt(left);
    which[rank++] = i;
  }
  for (int i = 0; i < rank; i++) {
    force[i] = 0;
    for (int j = 0; j < N; j++) force[i] += c[which[i]][j] * needed[j];
    for (int k = 0; k < rank; k++) {
      gram[i * rank + k] = 0;
      for (int j = 0; j < N; j++) gram[i * rank + k] += c[which[i]][j] * c[which[k]][j];
    }
  }
  if (!rank || !factor(gram, rank, order, 0)) return;
  solve(gram, rank, order, force);
  for (int i = 0; i < rank; i++)
    for (int j = 0; j < N; j++) sum[j] += dc[which[i]][j] * force[i];
}

/* Of acceleration(): D q'' - C^T f = push and C q'' = right, differentiated, so that
   D dq'' - C^T df = dpush - dD q'' + dC^T f,  C dq'' = dright - dC q''. */
static int acceleration_along(const Core *me, const Point *at, const Point *d, const double *qd, const double *dqd,
                              const double *qdd, const double *needed, double *dqdd, double *dneeded)
{
  double rubbed[N], push[N], turned[N], c[HELD][N], dc[HELD][N], right[HELD], hold[HELD], basis[N][N], offset[N];
  friction_along(me, at, d, qd, dqd, rubbed);
  for (int i = 0; i < N; i++) {
    push[i] = d->torque[i] - d->bias[i] + rubbed[i];
    for (int j = 0; j < N; j++) push[i] -= d->mass[i * N + j] * qdd[j];
  }
  const int count = constraints(me, at, c, right, hold);
  int row = 0;
  for (int k = 0; k < CONTACTS; k++) {
    if (!me->rubs[k] || me->sliding[k]) continue;
    right[row] = -d->drift[k];
    for (int j = 0; j < N; j++) {
      dc[row][j] = d->rows[k * N + j];
      right[row] -= dc[row][j] * qdd[j];
    }
    row++;
  }
  for (; row < count; row++) {
    right[row] = 0;
    for (int j = 0; j < N; j++) dc[row][j] = 0;
  }
  turned_forces(c, dc, count, needed, turned);
  for (int i = 0; i < N; i++) push[i] += turned[i];
  const int columns = free_directions(c, right, count, basis, offset);
  if (!reduced_motion(at->mass, basis, columns, offset, push, dqdd)) return 0;
  for (int i = 0; i < N; i++) {
    dneeded[i] = turned[i] - push[i];
    for (int j = 0; j < N; j++) dneeded[i] += at->mass[i * N + j] * dqdd[j];
  }
  return 1;
}

/* of rates() and of the outputs, in the order of `values` in an instance; 0 where the model has none */
static int motion_along(const Core *me, const double *dx, const double *du, double *df, double *out)
{
  Point at, d;
  const double *x = me->x, *qd = me->x + N, *dqd = dx + N;
  double qdd[N], needed[N], dqdd[N], dneeded[N], kinetic = 0, power = 0;
  memset(&at, 0, sizeof at);
  memset(&d, 0, sizeof d);
  if (!model_at(me, x, &at) || !acceleration(me, &at, qd, qdd, needed)) return 0;
  model_along(me, x, &at, dx, du, &d);
  if (!acceleration_along(me, &at, &d, qd, dqd, qdd, needed, dqdd, dneeded)) return 0;
  for (int j = 0; j < N; j++) {
    df[j] = dqd[j];
    df[N + j] = dqdd[j];
  }
  for (int k = 0; k < CURRENTS; k++) df[2 * N + k] = d.current_rate[k];
  for (int k = 0; k < JOINTS; k++) df[2 * N + CURRENTS + k] = d.rate[k];
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) kinetic += qd[i] * (at.mass[i * N + j] * dqd[j] + d.mass[i * N + j] * qd[j] / 2);
    power += qd[i] * d.torque[i] + dqd[i] * at.torque[i];
    *out++ = d.torque[i];
  }
  for (int i = 0; i < N; i++) *out++ = any_held(me) ? dneeded[i] : 0;
  for (int k = 0; k < MOTORS; k++) *out++ = d.motor_torque[k];
  for (int k = 0; k < MOTORS; k++) {
    double faster = 0;
    for (int j = 0; j < N; j++) faster += at.ratios[k * N + j] * dqd[j] + d.ratios[k * N + j] * qd[j];
    *out++ = faster;
  }
  for (int k = 0; k < ELECTRIC; k++) *out++ = d.current[k];
  *out++ = kinetic;
  *out++ = power;
  model_outputs_along(me, x, &at, dx, &d, out);
  return 1;
}

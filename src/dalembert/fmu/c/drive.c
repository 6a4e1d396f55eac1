/* From inputs to torques: limits, motors, transmission. */
enum { JOINT_TORQUE, MOTOR_TORQUE, CURRENT, VOLTAGE };

static double limited(double x, double most)
{
  return x > most ? most : x < -most ? -most : x;
}

/* Limits at the joints of coupled motors: what the joints may not take is taken off all of them. */
static void within_joints(const Core *me, const Point *at, double *u)
{
  double asked[N], table[N * N];
  int order[N], cut = 0;
  for (int j = 0; j < N; j++) {
    double sum = 0;
    for (int k = 0; k < MOTORS; k++) sum += at->ratios[k * N + j] * u[k];
    asked[j] = limited(sum, me->p[JOINT_LIMIT + j]);
    cut = cut || asked[j] != sum;
    for (int k = 0; k < MOTORS && k < N; k++) table[j * N + k] = at->ratios[k * N + j];
  }
  if (!cut || !factor(table, N, order, 0)) return;
  solve(table, N, order, asked);
  for (int k = 0; k < MOTORS && k < N; k++) u[k] = asked[k];
}

static void drive(const Core *me, const double *x, Point *at)
{
  double u[SOME(INPUTS)];
  for (int k = 0; k < INPUTS; k++) u[k] = me->u[k];
  if (LIMITED_AT_JOINTS) within_joints(me, at, u);
  for (int k = 0; k < INPUTS && LIMITED; k++) u[k] = limited(u[k], me->p[INPUT_LIMIT + k]);
  if (INPUT == JOINT_TORQUE) {
    for (int j = 0; j < N && j < INPUTS; j++) at->torque[j] = u[j];
    return;
  }
  if (INPUT == MOTOR_TORQUE) {
    for (int k = 0; k < MOTORS; k++) at->motor_torque[k] = u[k];
  } else {
    double speed[SOME(MOTORS)], carried[SOME(MOTORS)];
    for (int k = 0; k < MOTORS; k++) {
      speed[k] = 0;
      for (int j = 0; j < N; j++) speed[k] += at->ratios[k * N + j] * x[N + j];
      at->current[k] = INPUT == CURRENT ? u[k] : CURRENTS ? x[2 * N + (CURRENTS ? k : 0)] : 0;
    }
    if (INPUT == VOLTAGE) {
      for (int k = 0; k < MOTORS; k++) u[k] = limited(u[k], me->p[SUPPLY + k]);
      model_circuit(me, u, speed, at->current, CURRENTS ? at->current_rate : at->current);
    }
    for (int k = 0; k < MOTORS; k++) carried[k] = limited(at->current[k], me->p[LARGEST_CURRENT + k]);
    model_motor_torque(me, carried, at->motor_torque);
  }
  for (int j = 0; j < N; j++) {
    at->torque[j] = 0;
    for (int k = 0; k < MOTORS; k++) at->torque[j] += at->ratios[k * N + j] * at->motor_torque[k];
  }
}

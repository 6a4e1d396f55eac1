/* One instance behind either version of FMI: its variables by reference, its state as bytes. */
enum { SET_UP, INITIALISING, EVENT, CONTINUOUS, STEPPING, ENDED };

typedef struct {
  Core core;
  Core first;                       /* as it was instantiated */
  int phase, exchanges;             /* exchanges: model exchange, not co-simulation */
  double tolerance;
  double values[OUTPUTS];           /* outputs, rates and indicators at the present state, */
  double f[SIZE], z[INDICATORS];
  int known;                        /* where it is known */
} Instance;

static void instance_start(Instance *me)
{
  memset(me, 0, sizeof *me);
  model_start(&me->core);
  me->first = me->core;
  me->phase = SET_UP;
  me->tolerance = 0;
}

static void changed(Instance *me) { me->known = 0; }

/* The present state; before a motion begins a look ahead that leaves the start values as they were set, but for joints
   that follow from them. NULL where no motion can begin. */
static Core *present(Instance *me, Core *trial)
{
  if (me->phase > INITIALISING) return &me->core;
  *trial = me->core;
  if (!begin(trial)) return NULL;
  memcpy(me->core.x + 2 * N + CURRENTS, trial->x + 2 * N + CURRENTS, JOINTS * sizeof(double));
  memcpy(me->core.sliding, trial->sliding, sizeof trial->sliding);
  memcpy(me->core.stopped, trial->stopped, sizeof trial->stopped);
  return trial;
}

/* outputs, rates and indicators of the present state; 0 where the model has none, or none that is finite */
static int refresh(Instance *me)
{
  Point at;
  Core trial, *core;
  double needed[N], qdd[N], *out = me->values;
  if (me->known) return 1;
  core = present(me, &trial);
  if (!core) return 0;
  const double *qd = core->x + N;
  if (!model_at(core, core->x, &at) || !acceleration(core, &at, qd, qdd, needed)) return 0;
  rates(core, core->time, core->x, me->f);
  if (!indicators(core, core->x, me->z)) return 0;
  double kinetic = 0, power = 0;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) kinetic += qd[i] * at.mass[i * N + j] * qd[j] / 2;
    power += qd[i] * at.torque[i];
    *out++ = at.torque[i];
  }
  for (int i = 0; i < N; i++) *out++ = any_held(core) ? needed[i] : 0;
  for (int k = 0; k < MOTORS; k++) *out++ = at.motor_torque[k];
  for (int k = 0; k < MOTORS; k++) {
    double speed = 0;
    for (int j = 0; j < N; j++) speed += at.ratios[k * N + j] * qd[j];
    *out++ = speed;
  }
  for (int k = 0; k < ELECTRIC; k++) *out++ = at.current[k];
  *out++ = kinetic;
  *out++ = power;
  model_outputs(core, core->x, &at, out);
  me->known = finite_all(core->x) && finite_all(me->f);
  for (int k = 0; k < OUTPUTS; k++) me->known = me->known && me->values[k] * 0 == 0;
  return me->known;
}

/* 0: no such variable, or the model has no value there */
static int get_real(Instance *me, unsigned int reference, double *value)
{
  Core *core = &me->core;
  if (reference >= VR_PARAMETER && reference < VR_PARAMETER + PARAMETERS) *value = core->p[reference - VR_PARAMETER];
  else if (reference >= VR_STATE && reference < VR_STATE + SIZE) {
    /* joints of closed loops follow from the coordinates where a start begins */
    if (me->phase <= INITIALISING && JOINTS > 0 && reference >= VR_STATE + 2 * N + CURRENTS && !refresh(me)) return 0;
    *value = core->x[reference - VR_STATE];
  }
  else if (reference >= VR_INPUT && reference < VR_INPUT + INPUTS) *value = core->u[reference - VR_INPUT];
  else if (reference == VR_TIME) *value = core->time;
  else if (!refresh(me)) return 0;
  else if (reference >= VR_RATE && reference < VR_RATE + SIZE) *value = me->f[reference - VR_RATE];
  else if (reference >= VR_OUTPUT && reference < VR_OUTPUT + OUTPUTS) *value = me->values[reference - VR_OUTPUT];
  else if (reference >= VR_INDICATOR && reference < VR_INDICATOR + INDICATORS) *value = me->z[reference - VR_INDICATOR];
  else return 0;
  return 1;
}

static int set_real(Instance *me, unsigned int reference, double value)
{
  Core *core = &me->core;
  changed(me);
  if (reference >= VR_INPUT && reference < VR_INPUT + INPUTS) core->u[reference - VR_INPUT] = value;
  else if (reference >= VR_PARAMETER && reference < VR_PARAMETER + PARAMETERS && me->phase <= INITIALISING)
    core->p[reference - VR_PARAMETER] = value;
  else if (reference >= VR_STATE && reference < VR_STATE + 2 * N + CURRENTS && me->phase <= INITIALISING)
    core->x[reference - VR_STATE] = value;
  else return 0;
  return 1;
}

static int get_integer(Instance *me, unsigned int reference, int *value)
{
  if (me->phase <= INITIALISING && !refresh(me)) return 0;
  if (reference >= VR_CONTACT && reference < VR_CONTACT + CONTACTS)
    *value = me->core.sliding[CONTACTS ? reference - VR_CONTACT : 0];
  else if (reference >= VR_STOPPED && reference < VR_STOPPED + N) *value = me->core.stopped[reference - VR_STOPPED];
  else return 0;
  return 1;
}

/* Derivatives of rates and outputs along a direction of states and inputs; the sentence that says what is wrong. */
static const char *derivatives(Instance *me, const unsigned int *unknown, size_t n, const unsigned int *known, size_t m,
                               const double *seed, double *found)
{
  Core trial, *core = present(me, &trial);
  double dx[SIZE] = {0}, du[SOME(INPUTS)] = {0}, df[SIZE], out[OUTPUTS];
  for (size_t i = 0; i < m; i++) {
    if (known[i] >= VR_STATE && known[i] < VR_STATE + SIZE) dx[known[i] - VR_STATE] += seed[i];
    else if (known[i] >= VR_INPUT && known[i] < VR_INPUT + INPUTS) du[INPUTS ? known[i] - VR_INPUT : 0] += seed[i];
    else return "derivatives are provided with respect to states and inputs";
  }
  if (!core || !motion_along(core, dx, du, df, out)) return "the model has no value at this state";
  for (size_t i = 0; i < n; i++) {
    if (unknown[i] >= VR_RATE && unknown[i] < VR_RATE + SIZE) found[i] = df[unknown[i] - VR_RATE];
    else if (unknown[i] >= VR_OUTPUT && unknown[i] < VR_OUTPUT + OUTPUTS) found[i] = out[unknown[i] - VR_OUTPUT];
    else if (unknown[i] >= VR_STATE && unknown[i] < VR_STATE + SIZE) found[i] = dx[unknown[i] - VR_STATE];
    else return "derivatives are provided of rates of states and of outputs that are real numbers";
  }
  return NULL;
}

/* parameters that make sense, then the mode of the start; the sentence that says what is wrong otherwise */
static const char *start_motion(Instance *me)
{
  const char *wrong = model_wrong(&me->core);
  if (wrong) return wrong;
  for (int k = 0; k < SIZE; k++) if (me->core.x[k] * 0 != 0) return "a start value is not finite";
  changed(me);
  if (!begin(&me->core)) return me->core.fault;
  return refresh(me) ? NULL : "the model has no motion from this state";
}

/* inputs may have jumped between steps: what is held may start */
static int settle_inputs(Instance *me)
{
  changed(me);
  return !any_held(&me->core) || event(&me->core, CONTACTS);
}

/* the motion up to `end`, and finite results there */
static int advance_to(Instance *me, double end)
{
  const double rtol = me->tolerance > 0 ? me->tolerance : me->core.p[TOLERANCE];
  changed(me);
  for (int k = 0; k < INPUTS; k++)
    if (me->core.u[k] * 0 != 0) {
      me->core.fault = "an input is not finite";
      return 0;
    }
  if (!settle_inputs(me)) {
    me->core.fault = "the model has no motion with these inputs";
    return 0;
  }
  if (!advance(&me->core, end, rtol, rtol / 100)) return 0;
  if (refresh(me)) return 1;
  me->core.fault = "the motion is not finite at the end of this step; check inputs and parameters";
  return 0;
}

/* whatever an importer found to happen; inputs may have jumped too */
static int settle_event(Instance *me)
{
  changed(me);
  return event(&me->core, -1);
}

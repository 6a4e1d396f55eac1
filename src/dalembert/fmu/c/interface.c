/* What FMI 2.0 and 3.0 have in common. The file that includes this one names its standard in these words:

     FMI(name)             a name of the standard, fmi2 or fmi3 before it
     KEEP(verb, rest)      the names of functions about kept states, which are spelled in two ways
     STATUS(name, ...)     a function of the standard, declared and defined in one go
     OK, DISCARD, ERROR    of its status
     Status, Boolean, Byte its types
     Component, failed, allocated, released */
static const char *const UNSETTABLE = "this variable cannot be set now: parameters and start values before "
                                      "initialisation ends, inputs always";

#define SAME_TIME 1e-9              /* a share of the larger of time and step */
#define SERIALIZED (sizeof(Instance) + sizeof(uint64_t))

static Status get_reals(Component *me, const unsigned int *vr, size_t n, double *value)
{
  for (size_t i = 0; i < n; i++) if (!get_real(&me->own, vr[i], &value[i])) return failed(me, ERROR, NULL);
  return OK;
}

static Status set_reals(Component *me, const unsigned int *vr, size_t n, const double *value)
{
  for (size_t i = 0; i < n; i++) if (!set_real(&me->own, vr[i], value[i])) return failed(me, ERROR, UNSETTABLE);
  return OK;
}

static Status get_integers(Component *me, const unsigned int *vr, size_t n, int *value)
{
  for (size_t i = 0; i < n; i++) if (!get_integer(&me->own, vr[i], &value[i])) return failed(me, ERROR, NULL);
  return OK;
}

static Status get_booleans(Component *me, const unsigned int *vr, size_t n, Boolean *value)
{
  for (size_t i = 0; i < n; i++) {
    if (vr[i] != VR_STOPS) return failed(me, ERROR, "there is no such Boolean variable");
    value[i] = me->own.core.stops != 0;
  }
  return OK;
}

static Status set_booleans(Component *me, const unsigned int *vr, size_t n, const Boolean *value)
{
  for (size_t i = 0; i < n; i++) {
    if (vr[i] != VR_STOPS || me->own.phase > INITIALISING)
      return failed(me, ERROR, "this Boolean variable cannot be set now");
    me->own.core.stops = value[i] != 0;
    changed(&me->own);
  }
  return OK;
}

static Status get_derivatives(Component *me, const unsigned int *unknown, size_t n, const unsigned int *known, size_t m,
                              const double *seed, double *value)
{
  const char *wrong = derivatives(&me->own, unknown, n, known, m, seed, value);
  return wrong ? failed(me, ERROR, wrong) : OK;
}

static Status experiment(Component *me, int given, double tolerance, double start)
{
  if (start * 0 != 0) return failed(me, ERROR, "the start time is not finite");
  me->own.tolerance = given && tolerance > 0 && tolerance < 1 ? tolerance : 0;
  me->own.core.time = start;
  return OK;
}

static Status entered(Component *me, int phase)
{
  me->own.phase = phase;
  return OK;
}

/* after an event; whether it changed the states */
static Status settled(Component *me, Boolean *moved)
{
  const Core before = me->own.core;
  if (!settle_event(&me->own)) return failed(me, ERROR, "the model has no motion after an event");
  *moved = memcmp(before.x, me->own.core.x, sizeof before.x) != 0;
  return OK;
}

static Status states_of(Component *me, size_t n)
{
  return n == SIZE ? OK : failed(me, ERROR, "the number of states is another");
}

static Status get_rates(Component *me, double *f, size_t n)
{
  const Status status = states_of(me, n);
  if (status != OK) return status;
  rates(&me->own.core, me->own.core.time, me->own.core.x, f);
  return finite_all(f) ? OK : failed(me, DISCARD, NULL);
}

/* A step begins where the last one ended, to within rounding of how an importer counts; a step of no length lets what
   is held start where inputs jumped. */
static Status stepped(Component *me, double now, double step)
{
  const double at = me->own.core.time;
  if (me->own.phase != STEPPING)
    return failed(me, ERROR, "a step before initialisation has ended well, or after the end");
  if (step < 0) return failed(me, ERROR, "a step back in time");
  if ((now + step) * 0 != 0) return failed(me, ERROR, "the time or the length of a step is not finite");
  if (!(fabs(now - at) <= SAME_TIME * fmax(fmax(fabs(now), fabs(at)), step)))
    return failed(me, ERROR, "a step begins at another time than the last one ended; to go back, set a kept state");
  me->own.core.time = now;
  return advance_to(&me->own, now + step) ? OK : failed(me, ERROR, me->own.core.fault);
}

STATUS(FMI(SetDebugLogging), (void *c, Boolean on, size_t n, const char *const categories[]))
{
  (void)c; (void)on; (void)n; (void)categories;
  return OK;
}

STATUS(FMI(ExitInitializationMode), (void *c))
{
  Component *me = c;
  const char *wrong = start_motion(&me->own);
  if (wrong) return failed(me, ERROR, wrong);
  return entered(me, me->own.exchanges ? EVENT : STEPPING);
}

STATUS(FMI(EnterEventMode), (void *c)) { return entered(c, EVENT); }
STATUS(FMI(EnterContinuousTimeMode), (void *c)) { return entered(c, CONTINUOUS); }
STATUS(FMI(Terminate), (void *c)) { return entered(c, ENDED); }

STATUS(FMI(Reset), (void *c))
{
  Component *me = c;
  me->own.core = me->own.first;
  changed(&me->own);
  return entered(me, SET_UP);
}

STATUS(KEEP(Get, ), (void *c, void **state))
{
  Component *me = c;
  if (!*state) *state = allocated(me, sizeof me->own);
  if (!*state) return failed(me, ERROR, "there is no memory for a state");
  memcpy(*state, &me->own, sizeof me->own);
  return OK;
}

STATUS(KEEP(Set, ), (void *c, void *state))
{
  Component *me = c;
  memcpy(&me->own, state, sizeof me->own);
  return OK;
}

STATUS(KEEP(Free, ), (void *c, void **state))
{
  if (*state) released(c, *state);
  *state = NULL;
  return OK;
}

/* a sum of the bytes of a state (FNV-1a of 64 bits) that begins with the token, so that neither other bytes nor the
   state of another model pass for one */
static uint64_t checksum(const void *bytes)
{
  const unsigned char *own = bytes;
  const char *token = MODEL_GUID;
  uint64_t sum = 14695981039346656037u;
  for (; *token; token++) sum = (sum ^ (unsigned char)*token) * 1099511628211u;
  for (size_t i = 0; i < sizeof(Instance); i++) sum = (sum ^ own[i]) * 1099511628211u;
  return sum;
}

STATUS(KEEP(Serialized, Size), (void *c, void *state, size_t *size))
{
  (void)c; (void)state;
  *size = SERIALIZED;
  return OK;
}

STATUS(KEEP(Serialize, ), (void *c, void *state, Byte bytes[], size_t size))
{
  if (size < SERIALIZED) return failed(c, ERROR, "there is no room for the state");
  memcpy(bytes, state, sizeof(Instance));
  memset(bytes + offsetof(Instance, core) + offsetof(Core, fault), 0, sizeof(const char *));
  const uint64_t sum = checksum(bytes);
  memcpy(bytes + sizeof(Instance), &sum, sizeof sum);
  return OK;
}

STATUS(KEEP(DESERIALIZE, ), (void *c, const Byte bytes[], size_t size, void **state))
{
  Component *me = c;
  uint64_t sum = 0;
  if (size == SERIALIZED) memcpy(&sum, bytes + sizeof(Instance), sizeof sum);
  if (size != SERIALIZED || sum != checksum(bytes)) return failed(me, ERROR, "these bytes are no state of this model");
  if (!*state) *state = allocated(me, sizeof(Instance));
  if (!*state) return failed(me, ERROR, "there is no memory for a state");
  memcpy(*state, bytes, sizeof(Instance));
  return OK;
}

STATUS(FMI(CompletedIntegratorStep), (void *c, Boolean noSet, Boolean *enter, Boolean *terminate))
{
  (void)c; (void)noSet;
  *enter = *terminate = 0;
  return OK;
}

STATUS(FMI(SetTime), (void *c, double time))
{
  Component *me = c;
  if (time * 0 != 0) return failed(me, ERROR, "the time is not finite");
  me->own.core.time = time;
  return OK;
}

STATUS(FMI(SetContinuousStates), (void *c, const double x[], size_t n))
{
  Component *me = c;
  const Status status = states_of(me, n);
  if (status != OK) return status;
  if (!finite_all(x)) return failed(me, DISCARD, "a state is not finite; the states stay as they were");
  changed(&me->own);
  memcpy(me->own.core.x, x, sizeof me->own.core.x);
  return OK;
}

STATUS(FMI(GetContinuousStates), (void *c, double x[], size_t n))
{
  Component *me = c;
  const Status status = states_of(me, n);
  if (status != OK) return status;
  memcpy(x, me->own.core.x, sizeof me->own.core.x);
  return OK;
}

STATUS(FMI(GetEventIndicators), (void *c, double z[], size_t n))
{
  Component *me = c;
  if (n != INDICATORS) return failed(me, ERROR, "the number of event indicators is another");
  return indicators(&me->own.core, me->own.core.x, z) ? OK : failed(me, DISCARD, NULL);
}

STATUS(FMI(GetNominalsOfContinuousStates), (void *c, double x[], size_t n))
{
  (void)c;
  for (size_t i = 0; i < n; i++) x[i] = 1;
  return OK;
}

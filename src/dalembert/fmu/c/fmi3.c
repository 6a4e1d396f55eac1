/* The functions of FMI 3.0 (Modelica Association, Functional Mock-up Interface Specification, version 3.0), declared
   here as the standard has them. */
typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef char fmi3Char;
typedef const fmi3Char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef bool fmi3Clock;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent } fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64, fmi3Boolean, fmi3Boolean,
                                               fmi3Boolean, fmi3Boolean, fmi3Boolean *, fmi3Float64 *);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

#if defined _WIN32
#define EXPORT __declspec(dllexport)
#elif defined __GNUC__
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif
#ifdef FMI3_OVERRIDE_FUNCTION_PREFIX
#define NAME(name) name
#else
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define NAME(name) JOIN(FMI3_FUNCTION_PREFIX, name)
#endif
/* declared and defined in one go */
#define STATUS(name, arguments) \
  EXPORT fmi3Status NAME(name) arguments; \
  fmi3Status NAME(name) arguments

typedef struct {
  Instance own;
  fmi3InstanceEnvironment environment;
  fmi3LogMessageCallback log;
} Component;

static fmi3Status failed(Component *me, fmi3Status status, const char *said)
{
  if (me->log) me->log(me->environment, status, "logStatusError", said ? said : "the model has no value at this state");
  return status;
}

static fmi3Instance instantiated(fmi3String token, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                 int exchanges)
{
  Component *me;
  if (!token || strcmp(token, MODEL_GUID) != 0) {
    if (log)
      log(environment, fmi3Error, "logStatusError",
          "the token is not that of this model: modelDescription.xml and binary are of different FMUs");
    return NULL;
  }
  me = calloc(1, sizeof *me);
  if (!me) return NULL;
  instance_start(&me->own);
  me->own.exchanges = exchanges;
  me->environment = environment;
  me->log = log;
  return me;
}

EXPORT const char *NAME(fmi3GetVersion)(void);
const char *NAME(fmi3GetVersion)(void) { return "3.0"; }

STATUS(fmi3SetDebugLogging, (fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String categories[]))
{
  (void)c; (void)on; (void)n; (void)categories;
  return fmi3OK;
}

EXPORT fmi3Instance NAME(fmi3InstantiateModelExchange)(fmi3String name, fmi3String token, fmi3String resources,
  fmi3Boolean visible, fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log);
fmi3Instance NAME(fmi3InstantiateModelExchange)(fmi3String name, fmi3String token, fmi3String resources,
  fmi3Boolean visible, fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
  (void)name; (void)resources; (void)visible; (void)logging;
  return instantiated(token, environment, log, 1);
}

EXPORT fmi3Instance NAME(fmi3InstantiateCoSimulation)(fmi3String name, fmi3String token, fmi3String resources,
  fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early, const fmi3ValueReference required[],
  size_t n, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update);
fmi3Instance NAME(fmi3InstantiateCoSimulation)(fmi3String name, fmi3String token, fmi3String resources,
  fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early, const fmi3ValueReference required[],
  size_t n, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
  (void)name; (void)resources; (void)visible; (void)logging; (void)early; (void)required; (void)n; (void)update;
  return events ? NULL : instantiated(token, environment, log, 0);
}

EXPORT fmi3Instance NAME(fmi3InstantiateScheduledExecution)(fmi3String name, fmi3String token, fmi3String resources,
  fmi3Boolean visible, fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
  fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock);
fmi3Instance NAME(fmi3InstantiateScheduledExecution)(fmi3String name, fmi3String token, fmi3String resources,
  fmi3Boolean visible, fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
  fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock)
{
  (void)name; (void)token; (void)resources; (void)visible; (void)logging; (void)update; (void)lock; (void)unlock;
  if (log) log(environment, fmi3Error, "logStatusError", "scheduled execution is not provided");
  return NULL;
}

EXPORT void NAME(fmi3FreeInstance)(fmi3Instance c);
void NAME(fmi3FreeInstance)(fmi3Instance c) { free(c); }

STATUS(fmi3EnterInitializationMode, (fmi3Instance c, fmi3Boolean given, fmi3Float64 tolerance, fmi3Float64 start,
  fmi3Boolean ends, fmi3Float64 stop))
{
  Component *me = c;
  (void)ends; (void)stop;
  me->own.tolerance = given && tolerance > 0 && tolerance < 1 ? tolerance : 0;
  me->own.core.time = start;
  me->own.phase = INITIALISING;
  changed(&me->own);
  return fmi3OK;
}

STATUS(fmi3ExitInitializationMode, (fmi3Instance c))
{
  Component *me = c;
  const char *wrong = start_motion(&me->own);
  if (wrong) return failed(me, fmi3Error, wrong);
  me->own.phase = me->own.exchanges ? EVENT : STEPPING;
  return fmi3OK;
}

STATUS(fmi3EnterEventMode, (fmi3Instance c))
{
  Component *me = c;
  me->own.phase = EVENT;
  return fmi3OK;
}

STATUS(fmi3Terminate, (fmi3Instance c))
{
  Component *me = c;
  me->own.phase = ENDED;
  return fmi3OK;
}

STATUS(fmi3Reset, (fmi3Instance c))
{
  Component *me = c;
  me->own.core = me->own.first;
  me->own.phase = SET_UP;
  changed(&me->own);
  return fmi3OK;
}

STATUS(fmi3GetFloat64, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 value[], size_t m))
{
  Component *me = c;
  (void)m;
  for (size_t i = 0; i < n; i++) if (!get_real(&me->own, vr[i], &value[i])) return failed(me, fmi3Error, NULL);
  return fmi3OK;
}

STATUS(fmi3SetFloat64, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 value[], size_t m))
{
  Component *me = c;
  (void)m;
  for (size_t i = 0; i < n; i++)
    if (!set_real(&me->own, vr[i], value[i]))
      return failed(me, fmi3Error, "this variable cannot be set now: parameters and start values before "
                                   "initialisation ends, inputs always");
  return fmi3OK;
}

STATUS(fmi3GetInt32, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Int32 value[], size_t m))
{
  Component *me = c;
  (void)m;
  for (size_t i = 0; i < n; i++) {
    int found = 0;
    if (!get_integer(&me->own, vr[i], &found)) return failed(me, fmi3Error, NULL);
    value[i] = found;
  }
  return fmi3OK;
}

STATUS(fmi3GetBoolean, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Boolean value[], size_t m))
{
  Component *me = c;
  (void)m;
  for (size_t i = 0; i < n; i++) {
    if (vr[i] != VR_STOPS) return failed(me, fmi3Error, "there is no such Boolean variable");
    value[i] = me->own.core.stops != 0;
  }
  return fmi3OK;
}

STATUS(fmi3SetBoolean, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Boolean value[], size_t m))
{
  Component *me = c;
  (void)m;
  for (size_t i = 0; i < n; i++) {
    if (vr[i] != VR_STOPS || me->own.phase > INITIALISING)
      return failed(me, fmi3Error, "this Boolean variable cannot be set now");
    me->own.core.stops = value[i];
    changed(&me->own);
  }
  return fmi3OK;
}

/* types of which there are no variables */
#define NO_VARIABLES(type) \
  STATUS(fmi3Get##type, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3##type value[], size_t m)) \
  { \
    (void)vr; (void)value; (void)m; \
    return n ? failed(c, fmi3Error, "there are no variables of type " #type) : fmi3OK; \
  } \
  NO_SETTING(type)
#define NO_SETTING(type) \
  STATUS(fmi3Set##type, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3##type value[], size_t m)) \
  { \
    (void)vr; (void)value; (void)m; \
    return n ? failed(c, fmi3Error, "no variable of type " #type " can be set") : fmi3OK; \
  }
NO_VARIABLES(Float32)
NO_VARIABLES(Int8)
NO_VARIABLES(UInt8)
NO_VARIABLES(Int16)
NO_VARIABLES(UInt16)
NO_SETTING(Int32)
NO_VARIABLES(UInt32)
NO_VARIABLES(Int64)
NO_VARIABLES(UInt64)
NO_VARIABLES(String)

STATUS(fmi3GetBinary, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, size_t sizes[], fmi3Binary value[],
  size_t m))
{
  (void)vr; (void)sizes; (void)value; (void)m;
  return n ? failed(c, fmi3Error, "there are no variables of type Binary") : fmi3OK;
}

STATUS(fmi3SetBinary, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const size_t sizes[],
  const fmi3Binary value[], size_t m))
{
  (void)vr; (void)sizes; (void)value; (void)m;
  return n ? failed(c, fmi3Error, "there are no variables of type Binary") : fmi3OK;
}

STATUS(fmi3GetClock, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Clock value[]))
{
  (void)vr; (void)value;
  return n ? failed(c, fmi3Error, "there are no clocks") : fmi3OK;
}

STATUS(fmi3SetClock, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Clock value[]))
{
  (void)vr; (void)value;
  return n ? failed(c, fmi3Error, "there are no clocks") : fmi3OK;
}

STATUS(fmi3GetNumberOfVariableDependencies, (fmi3Instance c, fmi3ValueReference vr, size_t *n))
{
  (void)vr; (void)n;
  return failed(c, fmi3Error, "dependencies of elements are not provided");
}

STATUS(fmi3GetVariableDependencies, (fmi3Instance c, fmi3ValueReference dependent, size_t elements[],
  fmi3ValueReference independents[], size_t indices[], fmi3DependencyKind kinds[], size_t n))
{
  (void)dependent; (void)elements; (void)independents; (void)indices; (void)kinds; (void)n;
  return failed(c, fmi3Error, "dependencies of elements are not provided");
}

STATUS(fmi3GetFMUState, (fmi3Instance c, fmi3FMUState *state))
{
  Component *me = c;
  if (!*state) *state = malloc(sizeof me->own);
  if (!*state) return failed(me, fmi3Error, "there is no memory for a state");
  memcpy(*state, &me->own, sizeof me->own);
  return fmi3OK;
}

STATUS(fmi3SetFMUState, (fmi3Instance c, fmi3FMUState state))
{
  Component *me = c;
  memcpy(&me->own, state, sizeof me->own);
  return fmi3OK;
}

STATUS(fmi3FreeFMUState, (fmi3Instance c, fmi3FMUState *state))
{
  (void)c;
  free(*state);
  *state = NULL;
  return fmi3OK;
}

STATUS(fmi3SerializedFMUStateSize, (fmi3Instance c, fmi3FMUState state, size_t *size))
{
  (void)c; (void)state;
  *size = sizeof(Instance);
  return fmi3OK;
}

STATUS(fmi3SerializeFMUState, (fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size))
{
  if (size < sizeof(Instance)) return failed(c, fmi3Error, "there is no room for the state");
  memcpy(bytes, state, sizeof(Instance));
  return fmi3OK;
}

STATUS(fmi3DeserializeFMUState, (fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state))
{
  Component *me = c;
  if (size != sizeof(Instance)) return failed(me, fmi3Error, "these bytes are no state of this model");
  if (!*state) *state = malloc(size);
  if (!*state) return failed(me, fmi3Error, "there is no memory for a state");
  memcpy(*state, bytes, size);
  return fmi3OK;
}

STATUS(fmi3GetDirectionalDerivative, (fmi3Instance c, const fmi3ValueReference unknown[], size_t n,
  const fmi3ValueReference known[], size_t m, const fmi3Float64 seed[], size_t s, fmi3Float64 value[], size_t v))
{
  (void)unknown; (void)n; (void)known; (void)m; (void)seed; (void)s; (void)value; (void)v;
  return failed(c, fmi3Error, "directional derivatives are not provided");
}

STATUS(fmi3GetAdjointDerivative, (fmi3Instance c, const fmi3ValueReference unknown[], size_t n,
  const fmi3ValueReference known[], size_t m, const fmi3Float64 seed[], size_t s, fmi3Float64 value[], size_t v))
{
  (void)unknown; (void)n; (void)known; (void)m; (void)seed; (void)s; (void)value; (void)v;
  return failed(c, fmi3Error, "adjoint derivatives are not provided");
}

STATUS(fmi3EnterConfigurationMode, (fmi3Instance c))
{
  return failed(c, fmi3Error, "there are no structural parameters");
}

STATUS(fmi3ExitConfigurationMode, (fmi3Instance c))
{
  return failed(c, fmi3Error, "there are no structural parameters");
}

STATUS(fmi3GetIntervalDecimal, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 intervals[],
  fmi3IntervalQualifier qualifiers[]))
{
  (void)vr; (void)n; (void)intervals; (void)qualifiers;
  return failed(c, fmi3Error, "there are no clocks");
}

STATUS(fmi3GetIntervalFraction, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3UInt64 counters[],
  fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[]))
{
  (void)vr; (void)n; (void)counters; (void)resolutions; (void)qualifiers;
  return failed(c, fmi3Error, "there are no clocks");
}

STATUS(fmi3GetShiftDecimal, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 shifts[]))
{
  (void)vr; (void)n; (void)shifts;
  return failed(c, fmi3Error, "there are no clocks");
}

STATUS(fmi3GetShiftFraction, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3UInt64 counters[],
  fmi3UInt64 resolutions[]))
{
  (void)vr; (void)n; (void)counters; (void)resolutions;
  return failed(c, fmi3Error, "there are no clocks");
}

STATUS(fmi3SetIntervalDecimal, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 intervals[]))
{
  (void)vr; (void)n; (void)intervals;
  return failed(c, fmi3Error, "there are no clocks");
}

STATUS(fmi3SetIntervalFraction, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3UInt64 counters[],
  const fmi3UInt64 resolutions[]))
{
  (void)vr; (void)n; (void)counters; (void)resolutions;
  return failed(c, fmi3Error, "there are no clocks");
}

STATUS(fmi3SetShiftDecimal, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Float64 shifts[]))
{
  (void)vr; (void)n; (void)shifts;
  return failed(c, fmi3Error, "there are no clocks");
}

STATUS(fmi3SetShiftFraction, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3UInt64 counters[],
  const fmi3UInt64 resolutions[]))
{
  (void)vr; (void)n; (void)counters; (void)resolutions;
  return failed(c, fmi3Error, "there are no clocks");
}

STATUS(fmi3EvaluateDiscreteStates, (fmi3Instance c))
{
  (void)c;
  return fmi3OK;
}

STATUS(fmi3UpdateDiscreteStates, (fmi3Instance c, fmi3Boolean *again, fmi3Boolean *terminate, fmi3Boolean *nominals,
  fmi3Boolean *values, fmi3Boolean *timed, fmi3Float64 *next))
{
  Component *me = c;
  Core before = me->own.core;
  if (!settle_event(&me->own)) return failed(me, fmi3Error, "the model has no motion after an event");
  *again = *terminate = *nominals = *timed = false;
  *values = memcmp(before.x, me->own.core.x, sizeof before.x) != 0;
  *next = 0;
  return fmi3OK;
}

STATUS(fmi3EnterContinuousTimeMode, (fmi3Instance c))
{
  Component *me = c;
  me->own.phase = CONTINUOUS;
  return fmi3OK;
}

STATUS(fmi3CompletedIntegratorStep, (fmi3Instance c, fmi3Boolean noSet, fmi3Boolean *enter, fmi3Boolean *terminate))
{
  (void)c; (void)noSet;
  *enter = *terminate = false;
  return fmi3OK;
}

STATUS(fmi3SetTime, (fmi3Instance c, fmi3Float64 time))
{
  Component *me = c;
  me->own.core.time = time;
  return fmi3OK;
}

STATUS(fmi3SetContinuousStates, (fmi3Instance c, const fmi3Float64 x[], size_t n))
{
  Component *me = c;
  if (n != SIZE) return failed(me, fmi3Error, "the number of states is another");
  changed(&me->own);
  memcpy(me->own.core.x, x, sizeof me->own.core.x);
  return fmi3OK;
}

STATUS(fmi3GetContinuousStateDerivatives, (fmi3Instance c, fmi3Float64 f[], size_t n))
{
  Component *me = c;
  if (n != SIZE) return failed(me, fmi3Error, "the number of states is another");
  rates(&me->own.core, me->own.core.time, me->own.core.x, f);
  return finite_all(f) ? fmi3OK : failed(me, fmi3Discard, NULL);
}

STATUS(fmi3GetEventIndicators, (fmi3Instance c, fmi3Float64 z[], size_t n))
{
  Component *me = c;
  if (n != INDICATORS) return failed(me, fmi3Error, "the number of event indicators is another");
  return indicators(&me->own.core, me->own.core.x, z) ? fmi3OK : failed(me, fmi3Discard, NULL);
}

STATUS(fmi3GetContinuousStates, (fmi3Instance c, fmi3Float64 x[], size_t n))
{
  Component *me = c;
  if (n != SIZE) return failed(me, fmi3Error, "the number of states is another");
  memcpy(x, me->own.core.x, sizeof me->own.core.x);
  return fmi3OK;
}

STATUS(fmi3GetNominalsOfContinuousStates, (fmi3Instance c, fmi3Float64 x[], size_t n))
{
  (void)c;
  for (size_t i = 0; i < n; i++) x[i] = 1;
  return fmi3OK;
}

STATUS(fmi3GetNumberOfEventIndicators, (fmi3Instance c, size_t *n))
{
  (void)c;
  *n = INDICATORS;
  return fmi3OK;
}

STATUS(fmi3GetNumberOfContinuousStates, (fmi3Instance c, size_t *n))
{
  (void)c;
  *n = SIZE;
  return fmi3OK;
}

STATUS(fmi3EnterStepMode, (fmi3Instance c))
{
  Component *me = c;
  me->own.phase = STEPPING;
  return fmi3OK;
}

STATUS(fmi3GetOutputDerivatives, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, const fmi3Int32 orders[],
  fmi3Float64 value[], size_t m))
{
  (void)vr; (void)orders; (void)value; (void)m;
  return n ? failed(c, fmi3Error, "derivatives of outputs are not provided") : fmi3OK;
}

STATUS(fmi3DoStep, (fmi3Instance c, fmi3Float64 now, fmi3Float64 step, fmi3Boolean noSet, fmi3Boolean *event_needed,
  fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *last))
{
  Component *me = c;
  (void)noSet;
  *event_needed = *terminate = *early = false;
  *last = me->own.core.time = now;
  if (!settle_inputs(&me->own)) return failed(me, fmi3Error, "the model has no motion with these inputs");
  const int done = advance_to(&me->own, now + step);
  *last = me->own.core.time;
  return done ? fmi3OK : failed(me, fmi3Error, me->own.core.fault);
}

STATUS(fmi3ActivateModelPartition, (fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time))
{
  (void)clock; (void)time;
  return failed(c, fmi3Error, "there are no clocks");
}

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

#ifdef FMI3_OVERRIDE_FUNCTION_PREFIX
#define NAME(name) name
#else
#define NAME(name) JOIN(FMI3_FUNCTION_PREFIX, name)
#endif
#define FMI(name) JOIN(fmi3, name)
#define KEEP(verb, rest) JOIN(JOIN(JOIN(fmi3, verb), FMUState), rest)
#define DESERIALIZE Deserialize
/* declared and defined in one go */
#define STATUS(name, arguments) \
  EXPORT fmi3Status NAME(name) arguments; \
  fmi3Status NAME(name) arguments
#define OK fmi3OK
#define DISCARD fmi3Discard
#define ERROR fmi3Error
typedef fmi3Status Status;
typedef fmi3Boolean Boolean;
typedef fmi3Byte Byte;

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

static void *allocated(const Component *me, size_t size)
{
  (void)me;
  return malloc(size);
}

static void released(const Component *me, void *memory)
{
  (void)me;
  free(memory);
}

#include "interface.c"

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
  const Status status = experiment(me, given, tolerance, start);
  if (status != fmi3OK) return status;
  changed(&me->own);
  return entered(me, INITIALISING);
}

#define VALUES(name, type, serve) \
  STATUS(name, (fmi3Instance c, const fmi3ValueReference vr[], size_t n, type value[], size_t m)) \
  { \
    (void)m; \
    return serve(c, vr, n, value); \
  }
VALUES(fmi3GetFloat64, fmi3Float64, get_reals)
VALUES(fmi3SetFloat64, const fmi3Float64, set_reals)
VALUES(fmi3GetInt32, fmi3Int32, get_integers)
VALUES(fmi3GetBoolean, fmi3Boolean, get_booleans)
VALUES(fmi3SetBoolean, const fmi3Boolean, set_booleans)

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

STATUS(fmi3GetDirectionalDerivative, (fmi3Instance c, const fmi3ValueReference unknown[], size_t n,
  const fmi3ValueReference known[], size_t m, const fmi3Float64 seed[], size_t s, fmi3Float64 value[], size_t v))
{
  (void)s; (void)v;
  return get_derivatives(c, unknown, n, known, m, seed, value);
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
  *again = *terminate = *nominals = *timed = false;
  *next = 0;
  return settled(c, values);
}

STATUS(fmi3GetContinuousStateDerivatives, (fmi3Instance c, fmi3Float64 f[], size_t n))
{
  return get_rates(c, f, n);
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
  return entered(c, STEPPING);
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
  const Status status = stepped(me, now, step);
  *last = me->own.core.time;
  return status;
}

STATUS(fmi3ActivateModelPartition, (fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time))
{
  (void)clock; (void)time;
  return failed(c, fmi3Error, "there are no clocks");
}

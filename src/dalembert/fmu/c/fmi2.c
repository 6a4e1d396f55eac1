/* The functions of FMI 2.0 (Modelica Association, Functional Mock-up Interface for Model Exchange and Co-Simulation,
   version 2.0), declared here as the standard has them. */
typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char *fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef void (*fmi2CallbackLogger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
typedef void *(*fmi2CallbackAllocateMemory)(size_t, size_t);
typedef void (*fmi2CallbackFreeMemory)(void *);
typedef void (*fmi2StepFinished)(fmi2ComponentEnvironment, fmi2Status);
typedef struct {
  fmi2CallbackLogger logger;
  fmi2CallbackAllocateMemory allocateMemory;
  fmi2CallbackFreeMemory freeMemory;
  fmi2StepFinished stepFinished;
  fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;
typedef struct {
  fmi2Boolean newDiscreteStatesNeeded;
  fmi2Boolean terminateSimulation;
  fmi2Boolean nominalsOfContinuousStatesChanged;
  fmi2Boolean valuesOfContinuousStatesChanged;
  fmi2Boolean nextEventTimeDefined;
  fmi2Real nextEventTime;
} fmi2EventInfo;

#if defined _WIN32
#define EXPORT __declspec(dllexport)
#elif defined __GNUC__
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif
#ifdef FMI2_OVERRIDE_FUNCTION_PREFIX
#define NAME(name) name
#else
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define NAME(name) JOIN(FMI2_FUNCTION_PREFIX, name)
#endif
/* declared and defined in one go */
#define STATUS(name, arguments) \
  EXPORT fmi2Status NAME(name) arguments; \
  fmi2Status NAME(name) arguments

typedef struct {
  Instance own;
  char name[128];
  const fmi2CallbackFunctions *callbacks;
} Component;

static fmi2Status failed(Component *me, fmi2Status status, const char *said)
{
  const char *what = said ? said : "the model has no value at this state";
  if (me->callbacks && me->callbacks->logger)
    me->callbacks->logger(me->callbacks->componentEnvironment, me->name, status, "logStatusError", "%s", what);
  return status;
}

EXPORT const char *NAME(fmi2GetTypesPlatform)(void);
const char *NAME(fmi2GetTypesPlatform)(void) { return "default"; }
EXPORT const char *NAME(fmi2GetVersion)(void);
const char *NAME(fmi2GetVersion)(void) { return "2.0"; }

STATUS(fmi2SetDebugLogging, (fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]))
{
  (void)c; (void)on; (void)n; (void)categories;
  return fmi2OK;
}

EXPORT fmi2Component NAME(fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String guid, fmi2String location,
  const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging);
fmi2Component NAME(fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String guid, fmi2String location,
  const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging)
{
  Component *me;
  (void)location; (void)visible; (void)logging;
  if (!callbacks || !callbacks->allocateMemory || !callbacks->freeMemory) return NULL;
  if (!guid || strcmp(guid, MODEL_GUID) != 0) {
    if (callbacks->logger)
      callbacks->logger(callbacks->componentEnvironment, name, fmi2Error, "logStatusError",
                        "the GUID is not that of this model: modelDescription.xml and binary are of different FMUs");
    return NULL;
  }
  me = callbacks->allocateMemory(1, sizeof *me);
  if (!me) return NULL;
  instance_start(&me->own);
  me->own.exchanges = type == fmi2ModelExchange;
  me->callbacks = callbacks;
  memset(me->name, 0, sizeof me->name);
  for (size_t i = 0; name && name[i] && i + 1 < sizeof me->name; i++) me->name[i] = name[i];
  return me;
}

EXPORT void NAME(fmi2FreeInstance)(fmi2Component c);
void NAME(fmi2FreeInstance)(fmi2Component c)
{
  Component *me = c;
  if (me) me->callbacks->freeMemory(me);
}

STATUS(fmi2SetupExperiment, (fmi2Component c, fmi2Boolean given, fmi2Real tolerance, fmi2Real start,
  fmi2Boolean ends, fmi2Real stop))
{
  Component *me = c;
  (void)ends; (void)stop;
  me->own.tolerance = given && tolerance > 0 && tolerance < 1 ? tolerance : 0;
  me->own.core.time = start;
  return fmi2OK;
}

STATUS(fmi2EnterInitializationMode, (fmi2Component c))
{
  Component *me = c;
  me->own.phase = INITIALISING;
  changed(&me->own);
  return fmi2OK;
}

STATUS(fmi2ExitInitializationMode, (fmi2Component c))
{
  Component *me = c;
  const char *wrong = start_motion(&me->own);
  if (wrong) return failed(me, fmi2Error, wrong);
  me->own.phase = me->own.exchanges ? EVENT : STEPPING;
  return fmi2OK;
}

STATUS(fmi2Terminate, (fmi2Component c))
{
  Component *me = c;
  me->own.phase = ENDED;
  return fmi2OK;
}

STATUS(fmi2Reset, (fmi2Component c))
{
  Component *me = c;
  me->own.core = me->own.first;
  me->own.phase = SET_UP;
  changed(&me->own);
  return fmi2OK;
}

STATUS(fmi2GetReal, (fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]))
{
  Component *me = c;
  for (size_t i = 0; i < n; i++) if (!get_real(&me->own, vr[i], &value[i])) return failed(me, fmi2Error, NULL);
  return fmi2OK;
}

STATUS(fmi2GetInteger, (fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Integer value[]))
{
  Component *me = c;
  for (size_t i = 0; i < n; i++) if (!get_integer(&me->own, vr[i], &value[i])) return failed(me, fmi2Error, NULL);
  return fmi2OK;
}

STATUS(fmi2GetBoolean, (fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Boolean value[]))
{
  Component *me = c;
  for (size_t i = 0; i < n; i++) {
    if (vr[i] != VR_STOPS) return failed(me, fmi2Error, "there is no such Boolean variable");
    value[i] = me->own.core.stops;
  }
  return fmi2OK;
}

STATUS(fmi2GetString, (fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2String value[]))
{
  (void)vr; (void)value;
  return n ? failed(c, fmi2Error, "there are no String variables") : fmi2OK;
}

STATUS(fmi2SetReal, (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]))
{
  Component *me = c;
  for (size_t i = 0; i < n; i++)
    if (!set_real(&me->own, vr[i], value[i]))
      return failed(me, fmi2Error, "this variable cannot be set now: parameters and start values before "
                                   "initialisation ends, inputs always");
  return fmi2OK;
}

STATUS(fmi2SetInteger, (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer value[]))
{
  (void)vr; (void)value;
  return n ? failed(c, fmi2Error, "no Integer variable can be set") : fmi2OK;
}

STATUS(fmi2SetBoolean, (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Boolean value[]))
{
  Component *me = c;
  for (size_t i = 0; i < n; i++) {
    if (vr[i] != VR_STOPS || me->own.phase > INITIALISING)
      return failed(me, fmi2Error, "this Boolean variable cannot be set now");
    me->own.core.stops = value[i] != 0;
    changed(&me->own);
  }
  return fmi2OK;
}

STATUS(fmi2SetString, (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2String value[]))
{
  (void)vr; (void)value;
  return n ? failed(c, fmi2Error, "there are no String variables") : fmi2OK;
}

STATUS(fmi2GetFMUstate, (fmi2Component c, fmi2FMUstate *state))
{
  Component *me = c;
  if (!*state) *state = me->callbacks->allocateMemory(1, sizeof me->own);
  if (!*state) return failed(me, fmi2Error, "there is no memory for a state");
  memcpy(*state, &me->own, sizeof me->own);
  return fmi2OK;
}

STATUS(fmi2SetFMUstate, (fmi2Component c, fmi2FMUstate state))
{
  Component *me = c;
  memcpy(&me->own, state, sizeof me->own);
  return fmi2OK;
}

STATUS(fmi2FreeFMUstate, (fmi2Component c, fmi2FMUstate *state))
{
  Component *me = c;
  if (*state) me->callbacks->freeMemory(*state);
  *state = NULL;
  return fmi2OK;
}

STATUS(fmi2SerializedFMUstateSize, (fmi2Component c, fmi2FMUstate state, size_t *size))
{
  (void)c; (void)state;
  *size = sizeof(Instance);
  return fmi2OK;
}

STATUS(fmi2SerializeFMUstate, (fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size))
{
  if (size < sizeof(Instance)) return failed(c, fmi2Error, "there is no room for the state");
  memcpy(bytes, state, sizeof(Instance));
  ((Instance *)(void *)bytes)->core.fault = NULL;
  return fmi2OK;
}

STATUS(fmi2DeSerializeFMUstate, (fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state))
{
  Component *me = c;
  if (size != sizeof(Instance)) return failed(me, fmi2Error, "these bytes are no state of this model");
  if (!*state) *state = me->callbacks->allocateMemory(1, size);
  if (!*state) return failed(me, fmi2Error, "there is no memory for a state");
  memcpy(*state, bytes, size);
  return fmi2OK;
}

STATUS(fmi2GetDirectionalDerivative, (fmi2Component c, const fmi2ValueReference unknown[], size_t n,
  const fmi2ValueReference known[], size_t m, const fmi2Real dknown[], fmi2Real dunknown[]))
{
  (void)unknown; (void)n; (void)known; (void)m; (void)dknown; (void)dunknown;
  return failed(c, fmi2Error, "directional derivatives are not provided");
}

/* -- model exchange -- */

STATUS(fmi2EnterEventMode, (fmi2Component c))
{
  Component *me = c;
  me->own.phase = EVENT;
  return fmi2OK;
}

STATUS(fmi2NewDiscreteStates, (fmi2Component c, fmi2EventInfo *info))
{
  Component *me = c;
  Core before = me->own.core;
  if (!settle_event(&me->own)) return failed(me, fmi2Error, "the model has no motion after an event");
  info->newDiscreteStatesNeeded = info->terminateSimulation = info->nominalsOfContinuousStatesChanged = 0;
  info->valuesOfContinuousStatesChanged = memcmp(before.x, me->own.core.x, sizeof before.x) != 0;
  info->nextEventTimeDefined = 0;
  info->nextEventTime = 0;
  return fmi2OK;
}

STATUS(fmi2EnterContinuousTimeMode, (fmi2Component c))
{
  Component *me = c;
  me->own.phase = CONTINUOUS;
  return fmi2OK;
}

STATUS(fmi2CompletedIntegratorStep, (fmi2Component c, fmi2Boolean noSet, fmi2Boolean *enter, fmi2Boolean *terminate))
{
  (void)c; (void)noSet;
  *enter = *terminate = 0;
  return fmi2OK;
}

STATUS(fmi2SetTime, (fmi2Component c, fmi2Real time))
{
  Component *me = c;
  me->own.core.time = time;
  return fmi2OK;
}

STATUS(fmi2SetContinuousStates, (fmi2Component c, const fmi2Real x[], size_t n))
{
  Component *me = c;
  if (n != SIZE) return failed(me, fmi2Error, "the number of states is another");
  changed(&me->own);
  memcpy(me->own.core.x, x, sizeof me->own.core.x);
  return fmi2OK;
}

STATUS(fmi2GetDerivatives, (fmi2Component c, fmi2Real f[], size_t n))
{
  Component *me = c;
  if (n != SIZE) return failed(me, fmi2Error, "the number of states is another");
  rates(&me->own.core, me->own.core.time, me->own.core.x, f);
  return finite_all(f) ? fmi2OK : failed(me, fmi2Discard, NULL);
}

STATUS(fmi2GetEventIndicators, (fmi2Component c, fmi2Real z[], size_t n))
{
  Component *me = c;
  if (n != INDICATORS) return failed(me, fmi2Error, "the number of event indicators is another");
  return indicators(&me->own.core, me->own.core.x, z) ? fmi2OK : failed(me, fmi2Discard, NULL);
}

STATUS(fmi2GetContinuousStates, (fmi2Component c, fmi2Real x[], size_t n))
{
  Component *me = c;
  if (n != SIZE) return failed(me, fmi2Error, "the number of states is another");
  memcpy(x, me->own.core.x, sizeof me->own.core.x);
  return fmi2OK;
}

STATUS(fmi2GetNominalsOfContinuousStates, (fmi2Component c, fmi2Real x[], size_t n))
{
  (void)c;
  for (size_t i = 0; i < n; i++) x[i] = 1;
  return fmi2OK;
}

/* -- co-simulation -- */

STATUS(fmi2SetRealInputDerivatives, (fmi2Component c, const fmi2ValueReference vr[], size_t n,
  const fmi2Integer order[], const fmi2Real value[]))
{
  (void)vr; (void)order; (void)value;
  return n ? failed(c, fmi2Error, "inputs are constant within a step") : fmi2OK;
}

STATUS(fmi2GetRealOutputDerivatives, (fmi2Component c, const fmi2ValueReference vr[], size_t n,
  const fmi2Integer order[], fmi2Real value[]))
{
  (void)vr; (void)order; (void)value;
  return n ? failed(c, fmi2Error, "derivatives of outputs are not provided") : fmi2OK;
}

STATUS(fmi2DoStep, (fmi2Component c, fmi2Real now, fmi2Real step, fmi2Boolean noSet))
{
  Component *me = c;
  (void)noSet;
  me->own.core.time = now;
  if (!settle_inputs(&me->own)) return failed(me, fmi2Error, "the model has no motion with these inputs");
  return advance_to(&me->own, now + step) ? fmi2OK : failed(me, fmi2Error, me->own.core.fault);
}

STATUS(fmi2CancelStep, (fmi2Component c))
{
  return failed(c, fmi2Error, "steps are never pending");
}

STATUS(fmi2GetStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Status *value))
{
  (void)kind; (void)value;
  return failed(c, fmi2Discard, "steps are never pending");
}

STATUS(fmi2GetRealStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Real *value))
{
  Component *me = c;
  if (kind != fmi2LastSuccessfulTime) return failed(me, fmi2Discard, "there is no such status");
  *value = me->own.core.time;
  return fmi2OK;
}

STATUS(fmi2GetIntegerStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value))
{
  (void)kind; (void)value;
  return failed(c, fmi2Discard, "there is no such status");
}

STATUS(fmi2GetBooleanStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value))
{
  if (kind != fmi2Terminated) return failed(c, fmi2Discard, "there is no such status");
  *value = 0;
  return fmi2OK;
}

STATUS(fmi2GetStringStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2String *value))
{
  (void)kind; (void)value;
  return failed(c, fmi2Discard, "there is no such status");
}

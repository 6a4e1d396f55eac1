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

#ifdef FMI2_OVERRIDE_FUNCTION_PREFIX
#define NAME(name) name
#else
#define NAME(name) JOIN(FMI2_FUNCTION_PREFIX, name)
#endif
#define FMI(name) JOIN(fmi2, name)
#define KEEP(verb, rest) JOIN(JOIN(JOIN(fmi2, verb), FMUstate), rest)
#define DESERIALIZE DeSerialize
/* declared and defined in one go */
#define STATUS(name, arguments) \
  EXPORT fmi2Status NAME(name) arguments; \
  fmi2Status NAME(name) arguments
#define OK fmi2OK
#define DISCARD fmi2Discard
#define ERROR fmi2Error
typedef fmi2Status Status;
typedef fmi2Boolean Boolean;
typedef fmi2Byte Byte;

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

static void *allocated(const Component *me, size_t size) { return me->callbacks->allocateMemory(1, size); }
static void released(const Component *me, void *memory) { me->callbacks->freeMemory(memory); }

#include "interface.c"

EXPORT const char *NAME(fmi2GetTypesPlatform)(void);
const char *NAME(fmi2GetTypesPlatform)(void) { return "default"; }
EXPORT const char *NAME(fmi2GetVersion)(void);
const char *NAME(fmi2GetVersion)(void) { return "2.0"; }

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
  (void)ends; (void)stop;
  return experiment(c, given, tolerance, start);
}

STATUS(fmi2EnterInitializationMode, (fmi2Component c))
{
  Component *me = c;
  changed(&me->own);
  return entered(me, INITIALISING);
}

#define VALUES(name, type, serve) \
  STATUS(name, (fmi2Component c, const fmi2ValueReference vr[], size_t n, type value[])) \
  { \
    return serve(c, vr, n, value); \
  }
VALUES(fmi2GetReal, fmi2Real, get_reals)
VALUES(fmi2GetInteger, fmi2Integer, get_integers)
VALUES(fmi2GetBoolean, fmi2Boolean, get_booleans)

STATUS(fmi2GetString, (fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2String value[]))
{
  (void)vr; (void)value;
  return n ? failed(c, fmi2Error, "there are no String variables") : fmi2OK;
}

VALUES(fmi2SetReal, const fmi2Real, set_reals)

STATUS(fmi2SetInteger, (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Integer value[]))
{
  (void)vr; (void)value;
  return n ? failed(c, fmi2Error, "no Integer variable can be set") : fmi2OK;
}

VALUES(fmi2SetBoolean, const fmi2Boolean, set_booleans)

STATUS(fmi2SetString, (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2String value[]))
{
  (void)vr; (void)value;
  return n ? failed(c, fmi2Error, "there are no String variables") : fmi2OK;
}

STATUS(fmi2GetDirectionalDerivative, (fmi2Component c, const fmi2ValueReference unknown[], size_t n,
  const fmi2ValueReference known[], size_t m, const fmi2Real dknown[], fmi2Real dunknown[]))
{
  return get_derivatives(c, unknown, n, known, m, dknown, dunknown);
}

/* -- model exchange -- */

STATUS(fmi2NewDiscreteStates, (fmi2Component c, fmi2EventInfo *info))
{
  info->newDiscreteStatesNeeded = info->terminateSimulation = info->nominalsOfContinuousStatesChanged = 0;
  info->nextEventTimeDefined = 0;
  info->nextEventTime = 0;
  return settled(c, &info->valuesOfContinuousStatesChanged);
}

STATUS(fmi2GetDerivatives, (fmi2Component c, fmi2Real f[], size_t n))
{
  return get_rates(c, f, n);
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
  (void)noSet;
  return stepped(c, now, step);
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

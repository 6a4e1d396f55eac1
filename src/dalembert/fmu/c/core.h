/* What a model is to the code that moves it. Sizes and the functions below come from model.h and model.c:

     N coordinates q, JOINTS joints of closed loops that follow from them (0 of an arm), CURRENTS of motors that are
     states, INPUTS, MOTORS, CONTACTS with Coulomb friction, PARAMETERS, OUTPUTS.

   A state x is q, q', currents, joints. */
#define SOME(n) ((n) > 0 ? (n) : 1) /* no array of C is empty */
#define SIZE (2 * N + CURRENTS + JOINTS)
#define HELD (CONTACTS + N)         /* constraints at most: contacts that stick, joints at stops */
#define INDICATORS (CONTACTS + 1 + 2 * N)
#define NONE 1e30                   /* a limit from here on is none */

/* functions that importers call, and names put together */
#if defined _WIN32
#define EXPORT __declspec(dllexport)
#elif defined __GNUC__
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

/* a model at a state: what acts and what resists, Coulomb friction left out */
typedef struct {
  double mass[N * N];               /* D */
  double bias[N];                   /* torques at zero acceleration, viscous friction in */
  double rows[SOME(CONTACTS) * N];  /* speeds of the contacts per unit of q' */
  double drift[SOME(CONTACTS)];     /* their accelerations at constant q' */
  double ratios[SOME(MOTORS) * N];  /* speeds of the motors per unit of q' */
  double joints[SOME(JOINTS)];      /* joints of closed loops at q, */
  double rate[SOME(JOINTS)];        /* and their rates */
  double torque[N];                 /* of the inputs, at the coordinates */
  double motor_torque[SOME(MOTORS)];
  double current[SOME(MOTORS)];
  double current_rate[SOME(CURRENTS)];
} Point;

typedef struct {
  double time;
  double x[SIZE];
  double u[SOME(INPUTS)];
  double p[SOME(PARAMETERS)];
  int stops;                        /* whether limits of joints are solid */
  int sliding[SOME(CONTACTS)];      /* -1 or 1 of a contact that slides, 0 of one that sticks */
  int stopped[N];                   /* -1 or 1 of a joint at a stop, 0 of one that is free */
  double hold[SOME(CONTACTS)];      /* what holds a contact that sticks */
  int rubs[SOME(CONTACTS)];         /* 0 of a contact whose friction was set to zero */
  double spread, side;              /* of closed loops: largest condition, and the assembly mode */
  double step;                      /* of the integrator, 0 where it is to be found */
  int stiff, at_edge, easy;         /* whether the motion has turned out to be stiff, and what was seen of that */
  double changed[40];               /* when modes changed last */
  long changes;
  double stretch, stepped_to;       /* of time steps: how long the next stretch is, and when the last one ended */
  const char *fault;                /* what went wrong last */
} Core;

static void model_start(Core *me);
static int model_begin(Core *me);
static int model_at(const Core *me, const double *x, Point *at);
static void model_hold(const Core *me, double *hold);
static void model_friction(const Core *me, const double *direction, const double *speed, double *force);
static void model_outputs(const Core *me, const double *x, const Point *at, double *out);
static void model_circuit(const Core *me, const double *voltage, const double *speed, const double *current,
                          double *found);
static void model_motor_torque(const Core *me, const double *current, double *torque);
static const char *model_wrong(const Core *me);

/* the same along a direction (dx, du): see tangents.c */
static void model_along(const Core *me, const double *x, const Point *at, const double *dx, const double *du, Point *d);
static void model_friction_along(const Core *me, const double *direction, const double *speed, const double *faster,
                                 double *force);
static void model_outputs_along(const Core *me, const double *x, const Point *at, const double *dx, const Point *d,
                                double *out);
static void model_circuit_along(const Core *me, const double *voltage, const double *speed, const double *current,
                                const double *dvoltage, const double *dspeed, const double *dcurrent, double *found);
static void model_motor_torque_along(const Core *me, const double *current, const double *dcurrent, double *torque);
static void drive_along(const Core *me, const double *x, const Point *at, const double *dx, const double *du, Point *d);

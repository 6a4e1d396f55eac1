/* A step by one of two methods: explicit, or implicit from where the motion turns out to be stiff. An explicit method that
   keeps its tolerance with steps at the edge of its stability meets a stiff problem; Hairer and Wanner 1996, section
   IV.2, see that from two stages at the same instant. */
#define EDGE 6.1                    /* h rho at the edge of stability of the explicit method */
#define STIFF_STEPS 15              /* so many steps at the edge make a motion stiff, */
#define EASY_STEPS 6                /* and so many off it take the suspicion back */
#define MOST_IMPLICIT 64            /* states: the tables of more do not fit every stack */

typedef struct {
  int implicit, turns;
  double t, h, x[SIZE], y[SIZE];    /* from x at t to y at t + h */
  double K[ROWS][SIZE];             /* rates: of x in the first row, of y in row STAGES */
  double P[7][SIZE];                /* the polynomial between them */
} Step;

/* the error of a step of length h to the instant `to`, below 1 where it may be taken */
static double try_step(Core *me, Step *step, double h, double to, double rtol, double atol, int rejected)
{
  step->implicit = me->stiff;
  step->t = me->time;
  step->h = h;
  memcpy(step->x, me->x, sizeof step->x);
  if (!step->implicit) return trial_step(me, me->time, h, to, step->x, step->K, step->y, rtol, atol);
  return radau_step(me, me->time, h, step->x, step->K[0], step->y, step->K[STAGES], step->P, rtol, atol, rejected,
                    &step->turns);
}

/* what the next step is to be multiplied by after one that was taken, */
static double longer(const Step *step, double error, int rejected)
{
  if (!step->implicit) return growth(error, rejected);
  const double factor = radau_factor(error, step->turns);
  return rejected && factor > 1 ? 1 : factor;
}

/* and what this one after a trial that may not be */
static double shorter(const Step *step, double error)
{
  return step->implicit ? fmin(radau_factor(error, step->turns), 0.9) : shrinkage(error);
}

/* the polynomial of a step that was taken */
static void between(Core *me, Step *step)
{
  if (!step->implicit) interpolant(me, step->t, step->h, step->x, step->y, step->K, step->P);
}

static void state_between(Step *step, double share, double *out)
{
  if (step->implicit) radau_between(step->P, step->x, share, out);
  else interpolated(step->P, step->x, share, out);
}

/* judges a step of the explicit method that was taken */
static void watch(Core *me, const Step *step)
{
  double apart = 0, change = 0;
  if (step->implicit) return;
  for (int i = 0; i < SIZE; i++) {
    double last = step->x[i];
    for (int k = 0; k < STAGES - 1; k++) last += step->h * RK_A[STAGES - 1][k] * step->K[k][i];
    apart += (step->y[i] - last) * (step->y[i] - last);
    change += (step->K[STAGES][i] - step->K[STAGES - 1][i]) * (step->K[STAGES][i] - step->K[STAGES - 1][i]);
  }
  if (apart > 0 && step->h * sqrt(change / apart) > EDGE) {
    me->at_edge++;
    me->easy = 0;
  } else if (++me->easy >= EASY_STEPS) {
    me->at_edge = 0;
  }
  me->stiff = SIZE <= MOST_IMPLICIT && me->at_edge >= STIFF_STEPS;
}

/* Motion over a span of time with constant inputs: steps within a mode, events between modes. */
#define LONGEST 0.01                /* a step (s) where something may happen within it */
#define CROWD 40                    /* so many changes of mode */
#define WITHIN 1e-4                 /* within so many seconds have no last one */
#define MOST_STEPS 1000000

static int falls(double before, double after)
{
  return (before > 0 && after <= 0) || (before <= 0 && after < fmin(before, 0) - 1e-14);
}

static double along(Core *me, Step *step, int which, double share)
{
  double x[SIZE], z[INDICATORS];
  state_between(step, share, x);
  return indicators(me, x, z) ? z[which] : -1;
}

/* the share of the step at which an indicator reaches zero, which it has not at its start and has at its end */
static double instant(Core *me, Step *step, int which, double before)
{
  double a = 0, b = 1, fa = before, fb = along(me, step, which, 1);
  if (fb > 0) return 1; /* the interpolant is off by rounding at the very end */
  if (before <= 0) {
    /* from zero it may have risen first, as a joint that bounced does: the fall comes after that */
    double span = 1;
    while (span > 1e-9) {
      span /= 2;
      fa = along(me, step, which, span);
      if (fa > 0) break;
    }
    if (!(fa > 0)) return 0;
    a = span;
    b = 2 * span;
    fb = along(me, step, which, b);
  }
  /* regula falsi with halved weights, and bisection every third time */
  int side = 0;
  for (int turn = 0; turn < 200 && b - a > 4e-16 * b; turn++) {
    double c = turn % 3 == 2 ? (a + b) / 2 : (fb * a - fa * b) / (fb - fa);
    if (!(c > a && c < b)) c = (a + b) / 2;
    const double f = along(me, step, which, c);
    if (f > 0) {
      a = c;
      fa = f;
      if (side > 0) fb /= 2;
      side = 1;
    } else {
      b = c;
      fb = f;
      if (f == 0) break;
      if (side < 0) fa /= 2;
      side = -1;
    }
  }
  return b;
}

static int crowded(const Core *me)
{
  return me->changes >= CROWD && me->time - me->changed[me->changes % CROWD] < WITHIN;
}

/* from the present time to `end`; 0, with a fault, where that cannot be done */
static int advance(Core *me, double end, double rtol, double atol)
{
  Step step;
  double z[INDICATORS], after[INDICATORS], error = 0;
  int fresh = 1, jumpy = CONTACTS || me->stops;
  if (!(end >= me->time)) {
    me->fault = "a step back in time";
    return 0;
  }
  for (long steps = 0; me->time < end; steps++) {
    const double least = 10 * (nextafter(me->time, HUGE_VAL) - me->time);
    int rejected = 0, which = -1;
    double to = end, h = 0, earliest = 1;
    if (end - me->time < least) break;
    if (fresh) rates(me, me->time, me->x, step.K[0]);
    if (fresh && !indicators(me, me->x, z)) {
      me->fault = "the model has no motion from this state; check inputs and parameters";
      return 0;
    }
    if (me->step <= 0) me->step = first_step(me, me->time, end, me->x, step.K[0], rtol, atol);
    fresh = 0;
    for (;;) {
      double want = me->step;
      if (jumpy && want > LONGEST) want = LONGEST;
      if (!(want >= least)) want = rejected ? 0 : least;
      if (want == 0 && jumpy && step_on(me, end)) {
        fresh = 1;
        break;
      }
      if (want == 0 || steps > MOST_STEPS) {
        me->fault = "the motion cannot be integrated: a shorter step of communication, other parameters or a looser "
                    "tolerance may help";
        return 0;
      }
      /* no last step that is mere rounding */
      to = me->time + 1.0000001 * want >= end ? end : me->time + want;
      h = to - me->time;
      error = try_step(me, &step, h, to, rtol, atol, rejected);
      if (error < 1 && finite_all(step.K[STAGES]) && indicators(me, step.y, after)) break;
      me->step = h * shorter(&step, error);
      rejected = 1;
    }
    if (fresh) continue;
    /* the next step is not shorter because this one ended at `end` */
    const double next = h * longer(&step, error, rejected);
    if (h >= me->step || next > me->step) me->step = next;
    if (largest_speed(step.y + N) > TOO_FAST) {
      me->fault = "the motion diverges; check inputs and parameters";
      return 0;
    }
    for (int k = 0; k < INDICATORS; k++) {
      if (!falls(z[k], after[k])) continue;
      if (which < 0) between(me, &step);
      const double share = instant(me, &step, k, z[k]);
      if (which < 0 || share < earliest) {
        earliest = share;
        which = k;
      }
    }
    if (which >= 0) {
      state_between(&step, earliest, me->x);
      me->time = earliest >= 1 ? to : step.t + earliest * h;
      me->changed[me->changes++ % CROWD] = me->time;
      if (!event(me, which)) {
        me->fault = "the model has no motion after an event";
        return 0;
      }
      if (crowded(me) && !step_on(me, end)) {
        me->fault = "the model has no motion where contacts change between sticking and sliding without end";
        return 0;
      }
      me->step = 0;
      fresh = 1;
      continue;
    }
    watch(me, &step);
    memcpy(me->x, step.y, sizeof step.y);
    memcpy(step.K[0], step.K[STAGES], sizeof step.y);
    memcpy(z, after, sizeof z);
    me->time = to;
  }
  me->time = end;
  return 1;
}

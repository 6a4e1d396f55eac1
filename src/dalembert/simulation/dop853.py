"""C source of the explicit Runge-Kutta method of order 8(5,3) of Dormand and Prince.

The method is DOP853 of Hairer, Norsett and Wanner 1993, section II.10. Coefficients are read from
``scipy.integrate.DOP853``; error norm, step-size control, first step and the interpolant of order 7 follow scipy, so
that both take the same steps. Requires ``SIZE`` and ``static void rates(double t, const double *x, double *f)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import DOP853

DIVERGED, TOO_MANY, PAUSED = 2, 3, 4
"""What ``dop853`` returns: a state out of bounds, more calls than allowed, and where it can be called again."""
MEMO = 2
"""Numbers that a pause keeps besides the rates: the time, and the next step."""

STEP = """\
#define STAGES 12
#define ROWS 16
#ifndef SELF /* what is handed on to `rates`, with its comma; nothing where there is one system */
#define SELF
#define SELF_DECLARED
#endif
static const double RK_A[STAGES][STAGES] = {@A@};
static const double RK_B[STAGES] = {@B@}, RK_C[STAGES] = {@C@};
static const double RK_E3[STAGES + 1] = {@E3@}, RK_E5[STAGES + 1] = {@E5@};
static const double RK_AX[3][ROWS] = {@AX@}, RK_CX[3] = {@CX@}, RK_D[4][ROWS] = {@D@};

static double norm(const double *x, const double *scale)
{
  double sum = 0;
  for (int i = 0; i < SIZE; i++) sum += (x[i] / scale[i]) * (x[i] / scale[i]);
  return sqrt(sum / SIZE);
}

static int finite_all(const double *x)
{
  double sum = 0;
  for (int i = 0; i < SIZE; i++) sum += x[i] * 0.0;
  return sum == 0;
}

static double first_step(SELF_DECLARED double t, double end, const double *x, const double *f, double rtol, double atol)
{
  double scale[SIZE], y[SIZE], g[SIZE], d[SIZE];
  const double span = end - t;
  for (int i = 0; i < SIZE; i++) scale[i] = atol + fabs(x[i]) * rtol;
  const double d0 = norm(x, scale), d1 = norm(f, scale);
  double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
  if (h0 > span) h0 = span;
  for (int i = 0; i < SIZE; i++) y[i] = x[i] + h0 * f[i];
  rates(SELF t + h0, y, g);
  for (int i = 0; i < SIZE; i++) d[i] = g[i] - f[i];
  const double d2 = norm(d, scale) / h0;
  const double h1 = d1 <= 1e-15 && d2 <= 1e-15 ? fmax(1e-6, h0 * 1e-3) : pow(0.01 / fmax(d1, d2), 1.0 / 8);
  return fmin(fmin(100 * h0, h1), span);
}

/* y, the state at `to` = t + h, from x with its rates in K[0]; the rates there go into K[STAGES]. Gives the error,
   which is below 1 where the step may be taken. */
static double trial_step(SELF_DECLARED double t, double h, double to, const double *x, double K[ROWS][SIZE], double *y,
                         double rtol, double atol)
{
  double z[SIZE];
  for (int s = 1; s < STAGES; s++) {
    for (int i = 0; i < SIZE; i++) {
      double sum = 0;
      for (int k = 0; k < s; k++) sum += RK_A[s][k] * K[k][i];
      z[i] = x[i] + h * sum;
    }
    rates(SELF t + RK_C[s] * h, z, K[s]);
  }
  for (int i = 0; i < SIZE; i++) {
    double sum = 0;
    for (int k = 0; k < STAGES; k++) sum += RK_B[k] * K[k][i];
    y[i] = x[i] + h * sum;
  }
  rates(SELF to, y, K[STAGES]);
  double e3 = 0, e5 = 0;
  for (int i = 0; i < SIZE; i++) {
    const double scale = atol + fmax(fabs(x[i]), fabs(y[i])) * rtol;
    double a = 0, b = 0;
    for (int k = 0; k <= STAGES; k++) { a += RK_E3[k] * K[k][i]; b += RK_E5[k] * K[k][i]; }
    e3 += (a / scale) * (a / scale);
    e5 += (b / scale) * (b / scale);
  }
  return e3 == 0 && e5 == 0 ? 0 : h * e5 / sqrt((e5 + 0.01 * e3) * SIZE);
}

/* what the step is to be multiplied by after an error below 1 */
static double growth(double error, int rejected)
{
  const double factor = error == 0 ? 10 : fmin(10, 0.9 * pow(error, -1.0 / 8));
  return rejected && factor > 1 ? 1 : factor;
}

/* and after one above, or one that is no number */
static double shrinkage(double error)
{
  return error >= 1 ? fmax(0.2, 0.9 * pow(error, -1.0 / 8)) : 0.2;
}

/* the interpolant of a step from x to y of length h: three more calls of rates */
static void interpolant(SELF_DECLARED double t, double h, const double *x, const double *y, double K[ROWS][SIZE],
                        double F[7][SIZE])
{
  double z[SIZE];
  for (int s = 0; s < 3; s++) {
    for (int i = 0; i < SIZE; i++) {
      double sum = 0;
      for (int k = 0; k < STAGES + 1 + s; k++) sum += RK_AX[s][k] * K[k][i];
      z[i] = x[i] + h * sum;
    }
    rates(SELF t + RK_CX[s] * h, z, K[STAGES + 1 + s]);
  }
  for (int i = 0; i < SIZE; i++) {
    const double delta = y[i] - x[i];
    F[0][i] = delta;
    F[1][i] = h * K[0][i] - delta;
    F[2][i] = 2 * delta - h * (K[STAGES][i] + K[0][i]);
    for (int d = 0; d < 4; d++) {
      double sum = 0;
      for (int k = 0; k < ROWS; k++) sum += RK_D[d][k] * K[k][i];
      F[3 + d][i] = h * sum;
    }
  }
}

/* the state at the share u of the step from x */
static void interpolated(double F[7][SIZE], const double *x, double u, double *out)
{
  for (int i = 0; i < SIZE; i++) {
    double value = 0;
    for (int k = 6; k >= 0; k--) value = (value + F[k][i]) * ((6 - k) % 2 ? 1 - u : u);
    out[i] = value + x[i];
  }
}
"""
"""One step: its trial, its error, its interpolant."""

LOOP = """\
/* 0: done, 1: the step became too small, 2: the state is not finite or beyond `fastest`, 3: more than `most` calls,
   4: `slice` calls since it was entered, so that whoever called can look around; called again it goes on to the bit.
   stats: steps, calls, samples written, whether it has begun; memo: the time, the next step, the rates there. */
int dop853(double end, double rtol, double atol, double fastest, long most, long slice, double *x, const double *times,
           long count, double *out, long *stats, double *memo)
{
  double K[ROWS][SIZE], y[SIZE];
  double t = memo[0], h = memo[1];
  long steps = stats[0], calls = stats[1], next = stats[2];
  int fault = 0;
  if (stats[3]) {
    memcpy(K[0], memo + 2, sizeof y);
  } else {
    stats[3] = 1;
    calls = 2;
    rates(t, x, K[0]);
    while (next < count && times[next] <= t) {
      if (times[next] == t) memcpy(out + next * SIZE, x, sizeof y);
      next++;
    }
    h = first_step(t, end, x, K[0], rtol, atol);
  }
  const long until = calls + slice;
  while (t < end) {
    if (calls > until) { fault = 4; break; }
    const double least = 10 * fabs(nextafter(t, INFINITY) - t);
    int rejected = 0;
    double to = end;
    if (h < least) h = least;
    for (;;) {
      if (h < least) { fault = 1; break; }
      if (calls > most) { fault = 3; break; }
      to = t + h;
      if (to > end) to = end;
      h = to - t;
      const double error = trial_step(t, h, to, x, K, y, rtol, atol);
      calls += STAGES;
      if (error < 1) {
        const double used = h;
        h *= growth(error, rejected);
        steps++;
        if (next < count && times[next] <= to) {
          double F[7][SIZE];
          interpolant(t, used, x, y, K, F);
          calls += 3;
          while (next < count && times[next] <= to) {
            interpolated(F, x, (times[next] - t) / used, out + next * SIZE);
            next++;
          }
        }
        memcpy(x, y, sizeof y);
        memcpy(K[0], K[STAGES], sizeof y);
        break;
      }
      /* a trial that is not finite is no divergence: only states that are reached are judged */
      h *= shrinkage(error);
      rejected = 1;
    }
    if (fault) break;
    t = to;
    double speed = 0;
    for (int i = SPEEDS; i < 2 * SPEEDS; i++) speed = fmax(speed, fabs(x[i]));
    if (!finite_all(x) || speed > fastest) { fault = 2; break; }
  }
  stats[0] = steps;
  stats[1] = calls;
  stats[2] = next;
  memo[0] = t;
  memo[1] = h;
  memcpy(memo + 2, K[0], sizeof y);
  return fault;
}
"""


def dop853_source() -> str:
    """The C source of the integrator with its coefficients."""
    return step_source() + LOOP


def step_source() -> str:
    """The C source of single steps, with the coefficients of the method."""
    method: Any = DOP853
    wide = [np.pad(row, (0, 16 - len(row))) for row in method.A_EXTRA]
    tables = {
        "A": ", ".join(_row(row[:12]) for row in method.A[:12]), "B": _values(method.B), "C": _values(method.C[:12]),
        "E3": _values(method.E3), "E5": _values(method.E5), "AX": ", ".join(_row(row) for row in wide),
        "CX": _values(method.C_EXTRA), "D": ", ".join(_row(row) for row in method.D),
    }  # fmt: skip
    text = STEP
    for name, values in tables.items():
        text = text.replace(f"@{name}@", values)
    return text


def _values(row: Any) -> str:
    """Numbers as a list of C literals."""
    return ", ".join(repr(float(x)) for x in row)


def _row(row: Any) -> str:
    """Numbers as a C initialiser."""
    return "{" + _values(row) + "}"

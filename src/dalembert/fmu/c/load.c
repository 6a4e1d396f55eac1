/* Whether a body can have the load that an importer set: what dalembert refuses of a load it refuses here. */
enum { POSSIBLE, NEGATIVE_MASS, NEGATIVE_MOMENT, NO_TRIANGLE, LARGE_PRODUCTS };
#define LOAD_ROUNDING 1e-12         /* of numbers that were exact before they became binary: a rod has no width */

/* p: mass, mass centre, and xx, xy, xz, yy, yz, zz of the inertia I about it. The second moments tr(I)/2 - I are
   positive semidefinite (Wensing, Kim and Slotine 2018); their diagonal is the triangle inequality. */
static int load_fault(const double *p)
{
  static const int at[3][3] = {{4, 5, 6}, {5, 7, 8}, {6, 8, 9}};
  double s[3][3], size = 0;
  if (p[0] < 0) return NEGATIVE_MASS;
  for (int i = 0; i < 3; i++) if (p[at[i][i]] < 0) return NEGATIVE_MOMENT;
  for (int k = 4; k < 10; k++) size = fmax(size, fabs(p[k]));
  if (!(size > 0)) return POSSIBLE;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      s[i][j] = -p[at[i][j]] / size;
      for (int k = 0; k < 3 && i == j; k++) s[i][j] += p[at[k][k]] / size / 2;
    }
  for (int i = 0; i < 3; i++) {
    s[i][i] += LOAD_ROUNDING;
    if (!(s[i][i] > 0)) return NO_TRIANGLE;
  }
  for (int k = 0; k < 3; k++) {
    if (!(s[k][k] > 0)) return LARGE_PRODUCTS;
    for (int i = k + 1; i < 3; i++)
      for (int j = k + 1; j < 3; j++) s[i][j] -= s[i][k] * s[k][j] / s[k][k];
  }
  return POSSIBLE;
}

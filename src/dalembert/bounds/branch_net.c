/* Nets of branch.c: the problem and the memory of its search, the matrices that halve a net or raise its degree.

   A group holds the m waves of one shape; its net is values by waves, and where some joint is uncut all real parts
   come first and all imaginary parts behind them. Names and steps are those of branch.py, which says what they mean;
   the matrices are those of bernstein.py. Rounding is accounted for as there: rounding + per_halving * halvings. */

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* Compiled with JOINTS, DEGREE (the highest of a joint) and LEVELS (most halvings of a joint): compiled_branch.py
   defines them. */
enum { VALUES = 2 * DEGREE + 1 };          /* most control values along a joint */

typedef struct {
  int waves, size;                         /* m, and control values of one wave */
  int shape[JOINTS], degree[JOINTS];
  const signed char *plain;                /* for each wave */
  long at;                                 /* where its net begins in a box, in doubles */
  int first;                               /* its first wave among all */
} Group;

typedef struct { int source, target, axis, degree, size; int shape[JOINTS]; } Step;   /* of adding nets up */
typedef struct { int buffer; int shape[JOINTS]; } Last;                               /* nets left at its end */

typedef struct {
  int joints, groups, waves, kinks;
  int slides[JOINTS], pieces[JOINTS], top[JOINTS], full[JOINTS];
  double half[JOINTS], centre[JOINTS];     /* of a piece, and of the first piece */
  double rounding, per_halving, cost;
  Group *group;
  const double **basis;                    /* (axis, group, piece): complex, rows by columns, or NULL */
  int steps, lasts, buffers;
  Step *step;
  Last *last;
  const long *buffer_size;
  long full_size;
} Problem;

typedef struct Box {
  struct Box *next;
  double low, *loose, *bend, *rise, *centre, *net;
  int cut, halvings;
  unsigned char level[JOINTS];
} Box;

typedef struct { int *place; unsigned char *zero; int places; } Map;   /* values of a net to those of its cut joints */
typedef struct { long size; int *from; unsigned short *centred; } Spread;   /* values of the sum to those of a Last */

typedef union Block { union Block *next; double room[2]; } Block;   /* before every piece of memory, itself aligned */

typedef struct {
  const Problem *p;
  Box *spare, *stack, root;
  long net_size;
  double best, bound, used, *at, *scratch, *moduli, *total;
  double **buffer;
  int *tips;                               /* (group, corner): values at the corners */
  Spread *spread;
  Map *map, *total_map;                    /* by pattern of cut joints, and group */
  double *halves[JOINTS][DEGREE + 1][LEVELS], *raised[JOINTS][DEGREE + 1][LEVELS];
  union Block *blocks;                  /* all memory of the search */
  jmp_buf out;                          /* where to go when there is no more */
} Search;

/* Memory of the search, in zeros where asked; without any the entry point that was called ends with a failure. */
static void *take(Search *s, size_t bytes, int cleared)
{
  Block *block = cleared ? calloc(1, sizeof(Block) + bytes) : malloc(sizeof(Block) + bytes);
  if (!block) longjmp(s->out, 1);
  block->next = s->blocks;
  s->blocks = block;
  return block + 1;
}

static double choose(int n, int k)
{
  double value = 1;
  for (int i = 0; i < k; i++) value = value * (n - i) / (i + 1);
  return floor(value + 0.5);
}

static void weights(const Problem *p, int axis, int degree, double half, double *w)
{
  if (p->slides[axis]) {
    for (int i = 0; i <= degree; i++) w[i] = choose(degree, i);
    return;
  }
  const double middle = 2 * cos(half);
  int size = 1;
  w[0] = 1;
  for (int d = 0; d < degree; d++, size += 2) {
    w[size] = w[size + 1] = 0;
    for (int i = size + 1; i >= 0; i--)
      w[i] = (i < size ? w[i] : 0) + (i >= 1 && i - 1 < size ? middle * w[i - 1] : 0) + (i >= 2 ? w[i - 2] : 0);
  }
}

static const double *halves(Search *s, int axis, int degree, int level)
{
  double **kept = &s->halves[axis][degree][level];
  if (*kept) return *kept;
  const Problem *p = s->p;
  const int size = p->slides[axis] ? degree : 2 * degree, rows = size + 1;
  double *left = take(s, 2 * rows * rows * sizeof(double), 1), *right = left + rows * rows;
  const double half = ldexp(p->half[axis], -level);
  if (p->slides[axis]) {
    for (int i = 0; i < rows; i++) for (int j = 0; j <= i; j++) left[i * rows + j] = choose(i, j) * ldexp(1, -i);
  } else {
    double whole[VALUES], part[VALUES];
    weights(p, axis, degree, half, whole);
    weights(p, axis, degree, half / 2, part);
    for (int i = 0; i < rows; i++)
      for (int r = 0; i + r < rows; r++)
        left[(i + r) * rows + i] = whole[i] * choose(size - i, r) * pow(2 * cos(half / 2), size - i - r) / part[i + r];
    for (int i = 0; i < rows; i++) {
      double total = 0;
      for (int j = 0; j < rows; j++) total += left[i * rows + j];
      for (int j = 0; j < rows; j++) left[i * rows + j] /= total;
    }
  }
  for (int i = 0; i < rows * rows; i++) right[i] = left[rows * rows - 1 - i];
  return *kept = left;
}

static const double *raised(Search *s, int axis, int degree, int level)
{
  double **kept = &s->raised[axis][degree][level];
  if (*kept) return *kept;
  const Problem *p = s->p;
  const int top = p->top[axis], step = p->slides[axis] ? 1 : 2;
  const int columns = step * degree + 1, rows = step * top + 1, more = step * (top - degree) + 1;
  double *matrix = take(s, rows * columns * sizeof(double), 1), low[VALUES], high[VALUES], one[VALUES];
  const double half = ldexp(p->half[axis], -level);
  weights(p, axis, degree, half, low);
  weights(p, axis, top, half, high);
  weights(p, axis, top - degree, half, one);
  for (int i = 0; i < columns; i++)
    for (int r = 0; r < more; r++) matrix[(i + r) * columns + i] = low[i] * one[r] / high[i + r];
  return *kept = matrix;
}

/* out (+)= matrix along an axis: values before it, rows by columns, values behind it */
static inline void along(const double *restrict in, double *restrict out, const double *restrict matrix, int before,
                         int rows, int columns, int behind, int add)
{
  for (int b = 0; b < before; b++, in += (long)columns * behind, out += (long)rows * behind)
    for (int i = 0; i < rows; i++) {
      double *restrict to = out + (long)i * behind;
      const double *m = matrix + i * columns;
      int j = 0;
      if (!add) {
        const double x = m[0];
        for (int k = 0; k < behind; k++) to[k] = x * in[k];
        j = 1;
      }
      for (; j < columns; j++) {
        const double x = m[j];
        if (x == 0) continue;
        const double *restrict from = in + (long)j * behind;
        for (int k = 0; k < behind; k++) to[k] += x * from[k];
      }
    }
}

/* both halves of a net in one pass */
static inline void split(const double *restrict in, double *restrict low, double *restrict high,
                         const double *restrict both, int before, const int rows, int behind)
{
  const double *l = both, *h = both + rows * rows;
  for (int b = 0; b < before; b++) {
    const long at = (long)b * rows * behind;
    for (int i = 0; i < rows; i++)
      for (int k = 0; k < behind; k++) {
        const double *from = in + at + k;
        double x = 0, y = 0;
        for (int j = 0; j < rows; j++) {
          x += l[i * rows + j] * from[(long)j * behind];
          y += h[i * rows + j] * from[(long)j * behind];
        }
        low[at + (long)i * behind + k] = x;
        high[at + (long)i * behind + k] = y;
      }
  }
}

/* the same along the last axis of a single wave: vectors run over the control values of a half */
static inline void split_last(const double *restrict in, double *restrict low, double *restrict high,
                              const double *restrict both, int before, const int rows)
{
  double l[8][8] = {{0}}, h[8][8] = {{0}};
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++) { l[j][i] = both[i * rows + j]; h[j][i] = both[rows * rows + i * rows + j]; }
  for (int b = 0; b < before; b++, in += rows, low += rows, high += rows) {
    double x[8] = {0}, y[8] = {0};
    for (int j = 0; j < rows; j++) {
      const double v = in[j];
      for (int i = 0; i < 8; i++) { x[i] += v * l[j][i]; y[i] += v * h[j][i]; }
    }
    for (int i = 0; i < rows; i++) { low[i] = x[i]; high[i] = y[i]; }
  }
}

static void split_net(const double *in, double *low, double *high, const double *both, int before, int rows, int behind)
{
  if (behind == 1 && rows <= 8) {
    if (rows == 3) split_last(in, low, high, both, before, 3);
    else if (rows == 5) split_last(in, low, high, both, before, 5);
    else split_last(in, low, high, both, before, rows);
  } else if (rows == 3) split(in, low, high, both, before, 3, behind);
  else if (rows == 5) split(in, low, high, both, before, 5, behind);
  else if (rows == 7) split(in, low, high, both, before, 7, behind);
  else if (rows == 2) split(in, low, high, both, before, 2, behind);
  else split(in, low, high, both, before, rows, behind);
}

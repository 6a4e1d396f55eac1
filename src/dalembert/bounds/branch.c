/* Branch and bound over Bernstein forms, one box at a time: the search of branch.py in machine code.

   A group holds the m waves of one shape; its net is values by waves, and where some joint is uncut all real parts
   come first and all imaginary parts behind them. Names and steps are those of branch.py, which says what they mean; the matrices
   are those of bernstein.py. Rounding is accounted for as there: rounding + per_halving * halvings. */

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* compiled_branch.py defines JOINTS. */
#define LEVELS 128

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
typedef struct { long size; int *from; unsigned short *centred; } Spread;  /* values of the sum to those of a last net */

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
  double *halves[JOINTS][9][LEVELS], *raised[JOINTS][9][LEVELS];
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

/* -- matrices ---------------------------------------------------------------------------------------------------- */

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
    double whole[2 * 9], part[2 * 9];
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
  double *matrix = take(s, rows * columns * sizeof(double), 1), low[2 * 9], high[2 * 9], one[2 * 9];
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

/* -- boxes ------------------------------------------------------------------------------------------------------- */

static Box *new_box(Search *s)
{
  Box *box = s->spare;
  if (box) { s->spare = box->next; return box; }
  const Problem *p = s->p;
  const long n = p->joints, extra = 3 * n + p->waves * n;
  box = take(s, sizeof(Box), 0);
  double *room = take(s, (extra + s->net_size) * sizeof(double), 0);
  box->loose = room;
  box->bend = room + n;
  box->centre = room + 2 * n;
  box->rise = room + 3 * n;
  box->net = room + extra;
  return box;
}

static void drop(Search *s, Box *box) { box->next = s->spare; s->spare = box; }

static void copy_head(const Problem *p, Box *to, const Box *from)
{
  memcpy(to->loose, from->loose, (3 * p->joints + p->waves * p->joints) * sizeof(double));
  memcpy(to->level, from->level, sizeof to->level);
  to->cut = from->cut;
  to->halvings = from->halvings;
}

static int all(const Problem *p) { return (1 << p->joints) - 1; }

static const Map *map_of(Search *s, Map *kept, const int *shape, const int *degree, int size, int cut)
{
  if (kept->place) return kept;
  const int n = s->p->joints;
  kept->zero = take(s, size, 0);
  int *place_of = take(s, size * sizeof(int), 0);
  kept->places = 1;
  for (int a = 0; a < n; a++) if (cut >> a & 1) kept->places *= shape[a];
  for (int v = 0; v < size; v++) {
    int rest = v, place = 0, scale = 1, zero = 1;
    for (int a = n - 1; a >= 0; a--) {
      const int i = rest % shape[a];
      rest /= shape[a];
      if (cut >> a & 1) { place += scale * i; scale *= shape[a]; }
      else if (i != degree[a]) zero = 0;
    }
    place_of[v] = place;
    kept->zero[v] = zero;
  }
  kept->place = place_of;                /* last: a map with it is complete */
  return kept;
}

/* least and greatest value of each wave of a net; uncut joints add at most the moduli of their coefficients */
static void ends(Search *s, const double *net, int waves, int size, const Map *map, double *least, double *most)
{
  for (int w = 0; w < waves; w++) { least[w] = INFINITY; most[w] = -INFINITY; }
  if (!map) {
    if (waves == 1) {
      double a = net[0], b = net[0];
      for (int v = 1; v < size; v++) { a = net[v] < a ? net[v] : a; b = net[v] > b ? net[v] : b; }
      *least = a; *most = b;
      return;
    }
    for (int v = 0; v < size; v++)
      for (int w = 0; w < waves; w++) {
        const double x = net[(long)v * waves + w];
        least[w] = x < least[w] ? x : least[w];
        most[w] = x > most[w] ? x : most[w];
      }
    return;
  }
  const long all_values = (long)size * waves;
  double *reach = s->scratch, *mean = reach + (long)map->places * waves, *modulus = s->moduli;
  memset(reach, 0, (long)map->places * waves * sizeof(double));
  for (long i = 0; i < all_values; i++) modulus[i] = sqrt(net[i] * net[i] + net[i + all_values] * net[i + all_values]);
  for (int v = 0; v < size; v++) {
    const double *from = map->zero[v] ? net : modulus;
    double *to = (map->zero[v] ? mean : reach) + (long)map->place[v] * waves;
    if (map->zero[v]) for (int w = 0; w < waves; w++) to[w] = from[(long)v * waves + w];
    else for (int w = 0; w < waves; w++) to[w] += from[(long)v * waves + w];
  }
  for (int c = 0; c < map->places; c++)
    for (int w = 0; w < waves; w++) {
      const double m = mean[(long)c * waves + w], r = reach[(long)c * waves + w];
      if (m - r < least[w]) least[w] = m - r;
      if (m + r > most[w]) most[w] = m + r;
    }
}

/* the least value of the sum of the waves, each with its sign */
static double added(Search *s, const Box *box, const signed char *sign)
{
  const Problem *p = s->p;
  const int complex = box->cut != all(p), parts = complex ? 2 : 1;
  for (int b = p->groups; b < p->buffers; b++) memset(s->buffer[b], 0, parts * p->buffer_size[b] * sizeof(double));
  for (int g = 0; g < p->groups; g++) {
    const Group *group = p->group + g;
    const signed char *own = sign + group->first;
    const double *net = box->net + (complex ? 2 * group->at : group->at);
    const long rows = (long)parts * group->size;
    double *to = s->buffer[g];
    for (long v = 0; v < rows; v++) {
      double total = 0;
      for (int w = 0; w < group->waves; w++) total += own[w] * net[v * group->waves + w];
      to[v] = total;
    }
  }
  for (int i = 0; i < p->steps; i++) {
    const Step *step = p->step + i;
    const double *from = s->buffer[step->source];
    double *to = s->buffer[step->target];
    if (step->axis < 0) {
      for (long v = 0; v < (long)parts * step->size; v++) to[v] += from[v];
      continue;
    }
    const int axis = step->axis, columns = step->shape[axis], rows = p->full[axis];
    int before = parts, behind = 1;
    for (int a = 0; a < axis; a++) before *= step->shape[a];
    for (int a = axis + 1; a < p->joints; a++) behind *= step->shape[a];
    if (box->cut >> axis & 1) {
      const double *matrix = raised(s, axis, step->degree, box->level[axis]);
      along(from, to, matrix, before, rows, columns, behind, 1);
    } else {
      const int shift = p->top[axis] - step->degree;
      for (int b = 0; b < before; b++)
        for (int j = 0; j < columns; j++)
          for (int k = 0; k < behind; k++)
            to[((long)b * rows + j + shift) * behind + k] += from[((long)b * columns + j) * behind + k];
    }
  }
  double *total = s->total;
  if (p->lasts == 1 && !s->spread[0].from) total = s->buffer[p->last[0].buffer];
  else {
    memset(total, 0, parts * p->full_size * sizeof(double));
    for (int l = 0; l < p->lasts; l++) {
      const Spread *spread = s->spread + l;
      const double *from = s->buffer[p->last[l].buffer];
      if (!spread->from) {
        for (long v = 0; v < parts * p->full_size; v++) total[v] += from[v];
        continue;
      }
      for (long v = 0; v < p->full_size; v++) {
        if (spread->centred[v] & ~box->cut) continue;
        for (int c = 0; c < parts; c++) total[c * p->full_size + v] += from[c * spread->size + spread->from[v]];
      }
    }
  }
  double least, most;
  const Map *map = NULL;
  if (complex) {
    map = map_of(s, s->total_map + box->cut, p->full, p->top, (int)p->full_size, box->cut);
    if (!map) return -INFINITY;
  }
  ends(s, total, 1, (int)p->full_size, map, &least, &most);
  return least;
}

/* low and loose of a box; below ``floor`` a second, tighter bound is tried */
static void bounded(Search *s, Box *box, double floor)
{
  const Problem *p = s->p;
  const int n = p->joints, complex = box->cut != all(p);
  double lower = -(p->rounding + p->per_halving * box->halvings), mixed = lower;
  signed char sign[p->waves];
  double least[p->waves], most[p->waves];
  memcpy(box->loose, box->bend, n * sizeof(double));
  for (int g = 0; g < p->groups; g++) {
    const Group *group = p->group + g;
    const Map *map = NULL;
    if (complex) {
      map = map_of(s, s->map + (long)box->cut * p->groups + g, group->shape, group->degree, group->size, box->cut);
      if (!map) return;
    }
    ends(s, box->net + (complex ? 2 * group->at : group->at), group->waves, group->size, map, least, most);
    for (int w = 0; w < group->waves; w++) {
      const double size = most[w] > -least[w] ? most[w] : -least[w];
      const int wave = group->first + w;
      sign[wave] = group->plain[w] ? 1 : least[w] >= 0 ? -1 : most[w] <= 0 ? 1 : 0;
      lower += group->plain[w] ? least[w] : -size;
      if (p->kinks && sign[wave] == 0) {
        mixed -= size;
        for (int a = 0; a < n; a++) box->loose[a] += box->rise[wave * n + a];
      }
    }
  }
  if (p->kinks && !(lower >= floor)) {
    int any = 0;
    for (int w = 0; w < p->waves; w++) any |= sign[w];
    if (any) {
      const double together = mixed + added(s, box, sign);
      if (together > lower) lower = together;
    }
  }
  box->low = lower == lower ? lower : -INFINITY;   /* what is not a number proves nothing */
}

static void corner(Search *s, const Box *box)
{
  const Problem *p = s->p;
  const int n = p->joints;
  if (box->cut != all(p)) return;
  for (int c = 0; c < 1 << n; c++) {
    double value = 0;
    for (int g = 0; g < p->groups; g++) {
      const Group *group = p->group + g;
      const double *net = box->net + group->at + (long)s->tips[(g << n) + c] * group->waves;
      for (int w = 0; w < group->waves; w++) value += group->plain[w] ? net[w] : -fabs(net[w]);
    }
    if (value < s->best) {
      s->best = value;
      for (int a = 0; a < n; a++)
        s->at[a] = box->centre[a] + (c >> a & 1 ? 1 : -1) * ldexp(p->half[a], -box->level[a]);
    }
  }
}

/* bend and rise of a box along one joint; for one that is not cut the sum of the moduli stands for both */
static void looseness(Search *s, Box *box, int axis)
{
  const Problem *p = s->p;
  const int n = p->joints, complex = box->cut != all(p), parts = complex ? 2 : 1;
  box->bend[axis] = 0;
  for (int g = 0; g < p->groups; g++) {
    const Group *group = p->group + g;
    const int rows = group->shape[axis], waves = group->waves;
    if (rows == 1) {
      for (int w = 0; w < waves; w++) box->rise[(group->first + w) * n + axis] = 0;
      continue;
    }
    const double *net = box->net + (complex ? 2 * group->at : group->at);
    const Map *map = map_of(s, s->map + (long)box->cut * p->groups + g, group->shape, group->degree, group->size,
                            box->cut);
    if (!map) return;
    int before = 1, behind = 1;
    for (int a = 0; a < axis; a++) before *= group->shape[a];
    for (int a = axis + 1; a < n; a++) behind *= group->shape[a];
    for (int w = 0; w < waves; w++) {
      double off = 0, rise = 0;
      if (!(box->cut >> axis & 1)) {
        double *sum = s->scratch;
        memset(sum, 0, map->places * sizeof(double));
        for (int b = 0; b < before; b++)
          for (int i = 0; i < rows; i++)
            for (int k = 0; k < behind && i != group->degree[axis]; k++) {
              const long v = ((long)b * rows + i) * behind + k;
              const double x = net[v * waves + w], y = net[(v + group->size) * waves + w];
              sum[map->place[v]] += sqrt(x * x + y * y);
            }
        for (int c = 0; c < map->places; c++) off = sum[c] > off ? sum[c] : off;
        box->bend[axis] += off;
        box->rise[(group->first + w) * n + axis] = 2 * off;
        continue;
      }
      for (int i = 1; i < rows; i++) {         /* i = rows - 1 stands for the rise */
        const double share = (double)i / (rows - 1);
        double *sum = s->scratch;
        memset(sum, 0, map->places * sizeof(double));
        for (int b = 0; b < before; b++)
          for (int k = 0; k < behind; k++) {
            double square = 0, x = 0;
            for (int c = 0; c < parts; c++) {
              const long first = (long)c * group->size + (long)b * rows * behind + k, step = behind;
              const double low = net[first * waves + w], high = net[(first + (rows - 1) * step) * waves + w];
              x = i == rows - 1 ? high - low
                                : net[(first + i * step) * waves + w] - (1 - share) * low - share * high;
              square += x * x;
            }
            sum[map->place[(long)b * rows * behind + k]] += parts == 1 ? fabs(x) : sqrt(square);
          }
        double largest = 0;
        for (int c = 0; c < map->places; c++) largest = sum[c] > largest ? sum[c] : largest;
        if (i == rows - 1) rise = largest;
        else off = largest > off ? largest : off;
      }
      box->bend[axis] += off;
      box->rise[(group->first + w) * n + axis] = rise;
    }
  }
}

static Box *in_piece(Search *s, const Box *box, int axis, int piece)
{
  const Problem *p = s->p;
  const int n = p->joints, cut = box->cut | 1 << axis, real = cut == all(p);
  Box *child = new_box(s);
  copy_head(p, child, box);
  child->cut = cut;
  child->centre[axis] = p->centre[axis] + 2 * piece * p->half[axis];
  for (int g = 0; g < p->groups; g++) {
    const Group *group = p->group + g;
    const int rows = group->shape[axis], waves = group->waves;
    const double *matrix = p->basis[((long)axis * p->groups + g) * JOINTS + piece];
    const double *in = box->net + 2 * group->at;
    double *out = child->net + (real ? group->at : 2 * group->at);
    int before = 1, behind = 1;
    for (int a = 0; a < axis; a++) before *= group->shape[a];
    for (int a = axis + 1; a < n; a++) behind *= group->shape[a];
    const long row = (long)behind * waves, imaginary = (long)group->size * waves;
    for (int b = 0; b < before; b++)
      for (int i = 0; i < rows; i++) {
        double *restrict re = out + ((long)b * rows + i) * row, *restrict im = re + imaginary;
        for (int j = 0; j < rows; j++) {
          const double x = matrix[2 * (i * rows + j)], y = matrix[2 * (i * rows + j) + 1];
          const double *restrict u = in + ((long)b * rows + j) * row, *restrict v = u + imaginary;
          if (j == 0) {
            for (long k = 0; k < row; k++) re[k] = x * u[k] - y * v[k];
            if (!real) for (long k = 0; k < row; k++) im[k] = x * v[k] + y * u[k];
          } else {
            for (long k = 0; k < row; k++) re[k] += x * u[k] - y * v[k];
            if (!real) for (long k = 0; k < row; k++) im[k] += x * v[k] + y * u[k];
          }
        }
      }
  }
  looseness(s, child, axis);
  return child;
}

static int in_halves(Search *s, const Box *box, int axis, Box **children, double narrowest)
{
  const Problem *p = s->p;
  const int n = p->joints, parts = box->cut == all(p) ? 1 : 2;
  const double width = ldexp(p->half[axis], -box->level[axis]);
  for (int side = 0; side < 2; side++) {
    Box *child = children[side] = new_box(s);
    if (!child) return 0;
    copy_head(p, child, box);
    child->level[axis]++;
    child->halvings++;
    child->centre[axis] += (2 * side - 1) * width / 2;
    child->bend[axis] *= width > narrowest ? 0.25 : 0.0;
    for (int w = 0; w < p->waves; w++) child->rise[w * n + axis] *= width > narrowest ? 0.5 : 0.0;
  }
  for (int g = 0; g < p->groups; g++) {
    const Group *group = p->group + g;
    const long at = parts * group->at, size = (long)parts * group->size * group->waves;
    if (group->degree[axis] == 0) {
      for (int side = 0; side < 2; side++) memcpy(children[side]->net + at, box->net + at, size * sizeof(double));
      continue;
    }
    const double *both = halves(s, axis, group->degree[axis], box->level[axis]);
    if (!both) return 0;
    int before = parts, behind = group->waves;
    for (int a = 0; a < axis; a++) before *= group->shape[a];
    for (int a = axis + 1; a < n; a++) behind *= group->shape[a];
    split_net(box->net + at, children[0]->net + at, children[1]->net + at, both, before, group->shape[axis], behind);
  }
  return 2;
}

/* -- search ------------------------------------------------------------------------------------------------------ */

static int is_open(const Search *s, const Box *box, double gap)
{
  double most = 0;
  for (int a = 0; a < s->p->joints; a++) most = box->loose[a] > most ? box->loose[a] : most;
  return box->low < s->best - gap && most > 0;
}

static void place(Search *s, Box *box, double gap)
{
  bounded(s, box, s->best - gap);
  if (is_open(s, box, gap)) { box->next = s->stack; s->stack = box; return; }
  if (box->low < s->bound) s->bound = box->low;
  drop(s, box);
}

void close_search(Search *s)
{
  if (!s) return;
  for (Block *block = s->blocks; block;) { Block *next = block->next; free(block); block = next; }
  free(s);
}

/* where corners lie in nets, and where values of the sum come from */
static void prepare(Search *s)
{
  const Problem *p = s->p;
  const int n = p->joints;
  s->tips = take(s, ((size_t)p->groups << n) * sizeof(int), 0);
  s->spread = take(s, p->lasts * sizeof(Spread), 1);
  for (int g = 0; g < p->groups; g++)
    for (int c = 0; c < 1 << n; c++) {
      int at = 0;
      for (int a = 0; a < n; a++) at = at * p->group[g].shape[a] + (c >> a & 1 ? p->group[g].shape[a] - 1 : 0);
      s->tips[(g << n) + c] = at;
    }
  for (int l = 0; l < p->lasts; l++) {
    const int *shape = p->last[l].shape;
    if (memcmp(shape, p->full, n * sizeof(int)) == 0) continue;
    s->spread[l].size = 1;
    for (int a = 0; a < n; a++) s->spread[l].size *= shape[a];
    int *from = s->spread[l].from = take(s, p->full_size * sizeof(int), 0);
    unsigned short *centred = s->spread[l].centred = take(s, p->full_size * sizeof(unsigned short), 1);
    for (long v = 0; v < p->full_size; v++) {
      long rest = v, at = 0, scale = 1;
      for (int a = n - 1; a >= 0; a--) {
        const int i = rest % p->full[a];
        rest /= p->full[a];
        if (shape[a] > 1) { at += scale * i; scale *= shape[a]; }
        else if (p->full[a] > 1 && i != p->top[a]) centred[v] |= 1 << a;
      }
      from[v] = (int)at;
    }
  }
}

/* the search over the whole box; 0 where memory is short */
static int opened(Search *s, int cut, const double *net, const double *centre)
{
  if (setjmp(s->out)) return 0;
  const Problem *p = s->p;
  const int n = p->joints, parts = cut == all(p) ? 1 : 2;
  long size = 0, widest = p->full_size;
  for (int g = 0; g < p->groups; g++) {
    const long own = (long)p->group[g].size * p->group[g].waves;
    size += own;
    widest = own > widest ? own : widest;
  }
  s->net_size = parts * size;
  s->map = take(s, ((size_t)p->groups << n) * sizeof(Map), 1);
  s->total_map = take(s, ((size_t)1 << n) * sizeof(Map), 1);
  s->scratch = take(s, 2 * widest * sizeof(double), 0);
  s->moduli = take(s, widest * sizeof(double), 0);
  s->total = take(s, 2 * p->full_size * sizeof(double), 0);
  s->at = take(s, n * sizeof(double), 1);
  s->buffer = take(s, p->buffers * sizeof(double *), 1);
  for (int b = 0; b < p->buffers; b++) s->buffer[b] = take(s, 2 * p->buffer_size[b] * sizeof(double), 0);
  prepare(s);
  s->root = *new_box(s);
  s->root.cut = cut;
  s->root.halvings = 0;
  memset(s->root.level, 0, sizeof s->root.level);
  memcpy(s->root.net, net, s->net_size * sizeof(double));
  memcpy(s->root.centre, centre, n * sizeof(double));
  for (int a = 0; a < n; a++) looseness(s, &s->root, a);
  return 1;
}

Search *open_search(const Problem *p, int cut, const double *net, const double *centre)
{
  Search *s = calloc(1, sizeof(Search));
  if (!s) return NULL;
  s->p = p;
  if (opened(s, cut, net, centre)) return s;
  close_search(s);
  return NULL;
}

/* a proof of this gap begins: the whole box is all there is to look at */
int begin(Search *s, double gap)
{
  if (setjmp(s->out)) return 0;
  while (s->stack) { Box *box = s->stack; s->stack = box->next; drop(s, box); }
  s->bound = INFINITY;
  Box *box = new_box(s);
  copy_head(s->p, box, &s->root);
  memcpy(box->net, s->root.net, s->net_size * sizeof(double));
  place(s, box, gap);
  return 1;
}

/* the bound of the whole box; none where memory is short */
double whole(Search *s)
{
  if (setjmp(s->out)) return -INFINITY;
  bounded(s, &s->root, INFINITY);
  return s->root.low;
}

/* the search goes on until all is proved (0) or this much work is done (1); 2 where memory is short */
int go_on(Search *s, double gap, double until, double narrowest)
{
  const Problem *p = s->p;
  if (setjmp(s->out)) return 2;
  while (s->stack) {
    if (s->used > until) return 1;
    Box *box = s->stack;
    s->stack = box->next;
    if (!is_open(s, box, gap)) {
      if (box->low < s->bound) s->bound = box->low;
      drop(s, box);
      continue;
    }
    corner(s, box);
    int axis = 0, count = 0;
    for (int a = 1; a < p->joints; a++) if (box->loose[a] > box->loose[axis]) axis = a;
    Box *children[JOINTS];
    if (box->cut >> axis & 1) {
      if (box->level[axis] + 1 >= LEVELS) {          /* as narrow as it gets */
        if (box->low < s->bound) s->bound = box->low;
        drop(s, box);
        continue;
      }
      count = in_halves(s, box, axis, children, narrowest);
    } else {
      for (; count < p->pieces[axis]; count++)
        children[count] = in_piece(s, box, axis, count);
    }
    drop(s, box);
    s->used += count * p->cost * (children[0]->cut == all(p) ? 1 : 2);
    for (int c = 0; c < count; c++) place(s, children[c], gap);
  }
  return 0;
}

double best_of(const Search *s) { return s->best; }
double bound_of(const Search *s) { return s->bound; }
double used_of(const Search *s) { return s->used; }
void position_of(const Search *s, double *at) { memcpy(at, s->at, s->p->joints * sizeof(double)); }
void incumbent(Search *s, double best, const double *at) { s->best = best; memcpy(s->at, at, s->p->joints * sizeof(double)); }

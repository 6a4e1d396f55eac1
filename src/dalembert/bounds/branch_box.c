/* Boxes of branch.c: a lower bound of the sum on each, what is to be gained by cutting each joint, and the boxes it is
   cut into. It is compiled with branch_net.c before it. */

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
  if (complex) map = map_of(s, s->total_map + box->cut, p->full, p->top, (int)p->full_size, box->cut);
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
    if (complex)
      map = map_of(s, s->map + (long)box->cut * p->groups + g, group->shape, group->degree, group->size, box->cut);
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

static void in_halves(Search *s, const Box *box, int axis, Box **children, double narrowest)
{
  const Problem *p = s->p;
  const int n = p->joints, parts = box->cut == all(p) ? 1 : 2;
  const double width = ldexp(p->half[axis], -box->level[axis]);
  for (int side = 0; side < 2; side++) {
    Box *child = children[side] = new_box(s);
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
    int before = parts, behind = group->waves;
    for (int a = 0; a < axis; a++) before *= group->shape[a];
    for (int a = axis + 1; a < n; a++) behind *= group->shape[a];
    split_net(box->net + at, children[0]->net + at, children[1]->net + at, both, before, group->shape[axis], behind);
  }
}

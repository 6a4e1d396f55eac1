/* Branch and bound over Bernstein forms, one box at a time: the search of branch.py in machine code. It is compiled
   with branch_net.c and branch_box.c before it. Where memory is short, take() leaves by longjmp to the entry point that
   was called. */

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
      in_halves(s, box, axis, children, narrowest);
      count = 2;
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
void incumbent(Search *s, double best, const double *at)
{
  s->best = best;
  memcpy(s->at, at, s->p->joints * sizeof(double));
}

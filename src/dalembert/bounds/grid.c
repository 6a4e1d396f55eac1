/* Shows that a sum of magnitudes of waves stays below a number, joint by joint: see grid_search.py, whose steps these
   are. It is compiled with grid_net.c before it. */

typedef struct {
    const Question *ask;
    const float *whole;             /* the net of which no joint stands yet */
    float *net[JOINTS + 1], *rows[2], *spare[2];
    double used, limit, guess[JOINTS + 1], here[JOINTS], best, *at;
    double raised[JOINTS + 1];      /* the product of the largest factors of the basis functions so far */
    double record;                  /* the largest value of a raised sum at all joints */
    double failed[JOINTS];          /* where a raised sum was too large */
    int stopped, missed;            /* no work is left; a sum was too large */
} Search;

/* By how much a sum whose waves have the values `net`, and anything beside them, is less than that of magnitudes; with
   the knots only where the corners gain less than `enough`. Where the signs are `hopeless`, since what they attain is
   too much, knots are left alone. `seen` takes what is attained at rest, at the corners and at the knots looked at. */
static double gain(Search *search, const float *net, double enough, int hopeless, double *seen) {
    const Question *ask = search->ask;
    const Products *p = ask->products;
    float free_lanes[LANES] = {0}, fixed_lanes[LANES] = {0};
    for (int w = 0; w < ask->waves; w += LANES)
        for (int i = 0; i < LANES; i++) {
            free_lanes[i] += p->free[w + i] * fabsf(net[w + i]);
            fixed_lanes[i] += p->fixed[w + i] * net[w + i];
        }
    double above = 0.0, below = 0.0;
    const double loose = total(free_lanes), g = total(fixed_lanes);
    const double sum = magnitudes(ask, net), sure = sum - 2.0 * (ask->relative - 1.0) * sum;
    if (hopeless && !(sure - loose - fabs(g) >= enough)) return 0.0;
    float value[TERMS], sums[BLOCK], low, high;
    const int terms = p->pairs + p->speeds;
    for (int t = 0; t < terms; t++) value[t] = p->weight[t] * net[p->lane[t]];
    for (int t = p->pairs; t < terms; t++) {
        if (value[t] > 0) above += value[t];
        else below -= value[t];
    }
    at_corners(p, value, sums, &low, &high);
    search->used += p->pairs * (BLOCK / 8.0);
    const double corner = g + above - below, most = larger(fabs(g), larger(corner + high, -corner - low));
    *seen = loose + most;
    double over, up = g + above + high, down = below - g - low;
    const double room = sure - loose - enough;
    if (!(larger(up, down) <= room) && !(hopeless && most > room)) {
        const float *square = value + p->pairs, little = (float)(LITTLE * sum);
        search->used += BLOCK;
        for (int side = 1; side >= -1; side -= 2) {
            double *bound = side > 0 ? &up : &down;
            if (*bound <= room) continue;
            const double knots = side * g + at_knots(p, sums, (float)side, square, little, &over);
            *bound = smaller(*bound, knots);
            *seen = larger(*seen, loose + knots - over);
        }
    }
    return larger(0.0, sure - loose - larger(up, down));
}

/* Bounds of the sum, whatever the joints from `level` on, and of what counts for grids of `level`; magnitudes will
   do where their sum is at most `enough`. `seen` takes a value that is attained, where it is found on the way. */
static double below(Search *search, int level, const float *net, double raised, double *bent, double enough, double *seen) {
    const Question *ask = search->ask;
    const double rounding = ask->rounding * raised;
    double bound;
    if (level == ask->joints) {
        bound = ask->relative * magnitudes(ask, net) + rounding;
        if (!ask->products) *seen = bound;
    } else {
        collapse(ask, level, net, search->rows[0], bent ? search->rows[1] : NULL);
        if (bent) *bent = ask->heaviest[level] > 0.0
            ? ask->relative * collapsed(ask, level + 1, search->rows[1]) + ask->heaviest[level] * rounding : 0.0;
        bound = ask->relative * collapsed(ask, level + 1, search->rows[0]) + rounding;
    }
    if (ask->products && !(bound <= enough) && bound < INFINITY)
        bound -= gain(search, net, bound - enough, level < ask->joints && enough > 0.0, seen);
    return bound;
}

/* The position of a point. */
static double position(const Question *ask, int level, int choice, int point) {
    return ask->where[level][ask->first[level * ask->counts + choice] + point];
}

/* Keeps the largest value met and its position. */
static void keep(Search *search, const double *at, double value) {
    if (value > search->best) {
        search->best = value;
        memcpy(search->at, at, search->ask->joints * sizeof *search->at);
    }
}

/* The sum at one position of the joints from `level` on, none of them raised; `seen` takes what is attained there. */
static double value_at(Search *search, int level, const float *net, const double *at, double *seen) {
    const Question *ask = search->ask;
    for (int j = level; j < ask->joints; j++) {
        float basis[ask->size[j]];
        basis_at(ask, j, at[j], basis);
        contract(ask, j, basis, net, search->spare[j % 2]);
        search->used += (double)inner(ask, j + 1);
        net = search->spare[j % 2];
    }
    *seen = 0.0;
    return below(search, ask->joints, net, search->raised[level], NULL, -1.0, seen);
}

/* Looks at the place where the joints stand, none of them raised: keeps what is attained there. */
static void look(Search *search) {
    double seen;
    value_at(search, 0, search->whole, search->here, &seen);
    keep(search, search->here, seen);
}

/* Whether the sum is shown to be at most `most`, whatever the joints from `level` on; `top` takes the largest raised
   value met. The raised sum at the points has to be at most `most` less what may lie above them; the grid is chosen so
   that a sum of about `guess` passes. Where one is too large, its value without this joint raised says whether a finer
   grid may do. */
static int shown(Search *search, int level, const float *net, double most, double guess, double bent, double *top) {
    const Question *ask = search->ask;
    const int left = ask->joints - level, begin = level * ask->counts;
    float *child = search->net[level + 1];
    if (bent > ask->curvature[level]) bent = ask->curvature[level];
    for (int tries = 0; tries < TRIES; tries++) {
        if (!(guess < most)) return 0;
        const double allowed = (most - guess) / left;
        int choice = 0;
        while (choice < ask->counts &&
               !(ask->lost[begin + choice] * bent + ask->expected[begin + choice] * guess <= allowed))
            choice++;
        if (choice == ask->counts) return 0;
        const double next = most - ask->lost[begin + choice] * bent;
        const float *table = ask->table[begin + choice];
        int good = 1;
        double met = 0.0;
        search->missed = 0;
        search->raised[level + 1] = search->raised[level] * ask->raised[begin + choice];
        for (int p = 0; p < ask->points[begin + choice] && good; p++) {
            contract(ask, level, table + (long)p * ask->size[level], net, child);
            search->here[level] = position(ask, level, choice, p);
            search->used += (double)inner(ask, level + 1);
            if (search->used > search->limit) {
                search->stopped = 1;
                return 0;
            }
            double curved = 0.0, value = 0.0;
            const double bound =
                below(search, level + 1, child, search->raised[level + 1], left > 1 ? &curved : NULL, next, &value);
            if (left == 1) {
                if (bound > met) met = bound;
                good = bound <= next;
                if (!good) {
                    memcpy(search->failed, search->here, ask->joints * sizeof *search->here);
                    search->missed = 1;
                }
                if (bound > search->record) {
                    search->record = bound;
                    look(search);
                }
            } else if (!(bound <= next)) {
                double seen = 0.0, hope = search->guess[level + 1] * bound;
                if (hope > next) hope = 0.5 * next;
                good = shown(search, level + 1, child, next, hope, curved, &seen);
                if (search->stopped) return 0;
                if (seen > 0.0)
                    search->guess[level + 1] += LEARNING * (seen / bound - search->guess[level + 1]);
                if (seen > met) met = seen;
            }
        }
        if (met > *top) *top = met;
        if (good) return 1;
        double value = 0.0, seen;
        if (search->missed) {
            value = value_at(search, level, net, search->failed, &seen);
            if (!level) keep(search, search->failed, seen);
            if (value >= most) return 0;
        }
        const double higher = value + AHEAD * (most - value);
        guess = higher > guess ? higher : guess + 0.5 * (most - guess);
    }
    return 0;
}

/* Memory for a search from `level` on; 0 where there is none. */
static int begin(Search *search, int level) {
    const Question *ask = search->ask;
    int fine = 1;
    for (int j = level + 1; j <= ask->joints; j++) fine &= !!(search->net[j] = malloc(inner(ask, j) * sizeof(float)));
    for (int i = 0; i < 2; i++) fine &= !!(search->rows[i] = malloc(inner(ask, level + 1) * sizeof(float)));
    for (int i = 0; i < 2; i++) fine &= !!(search->spare[i] = malloc(inner(ask, level + 1) * sizeof(float)));
    return fine;
}

static void end(Search *search) {
    for (int j = 1; j <= JOINTS; j++) free(search->net[j]);
    for (int i = 0; i < 2; i++) free(search->rows[i]), free(search->spare[i]);
}

/* Whether the sum is at most `most`: 1 or 0, and 2 where there is no memory. `guess` (joints + 1) are the parts of the
   bounds without positions that the largest sums come to, in and out; `best`, `at` the largest value met and its
   position; `used` the numbers computed, in and out, at most `limit`. */
int show(const Question *ask, const float *net, double most, double limit, double *guess, double *best, double *at,
         double *used) {
    Search search = {.ask = ask, .used = *used, .limit = limit, .best = *best, .at = at, .raised = {1.0}};
    memcpy(search.guess, guess, (ask->joints + 1) * sizeof *guess);
    search.whole = net;
    search.record = *best;
    int result = 2;
    if (begin(&search, 0)) {
        double bent = 0.0, top = 0.0, value = 0.0;
        const double bound = below(&search, 0, net, 1.0, &bent, most, &value);
        result = bound <= most;
        if (!result) {
            double hope = search.guess[0] * bound;
            if (!(hope < most)) hope = 0.5 * most;
            result = shown(&search, 0, net, most, hope, bent, &top);
        }
        memcpy(guess, search.guess, (ask->joints + 1) * sizeof *guess);
        *used = search.used;
        *best = search.best;
    }
    end(&search);
    return result;
}

/* A large value: joint by joint the `width` nets with the largest bounds go on. 1, or 2 where there is no memory. */
int climb(const Question *ask, const float *net, int choice, int width, double *best, double *at, double *used) {
    Search search = {.ask = ask, .whole = net, .used = *used, .best = *best, .at = at, .raised = {1.0}};
    float *kept = malloc(inner(ask, 0) * sizeof(float)), *next = malloc((width + 1) * inner(ask, 1) * sizeof(float));
    double *bounds = malloc(width * sizeof *bounds), *path = malloc(2 * (width + 1) * JOINTS * sizeof *path);
    int result = 2;
    if (begin(&search, 0) && kept && next && bounds && path) {
        int count = 1;
        double *old = path, *new = path + (width + 1) * JOINTS;
        memcpy(kept, net, inner(ask, 0) * sizeof(float));
        for (int level = 0; level < ask->joints; level++) {
            const long size = inner(ask, level), small = inner(ask, level + 1);
            const int points = ask->points[level * ask->counts + choice];
            int found = 0;
            for (int c = 0; c < count; c++)
                for (int p = 0; p < points; p++) {
                    float *child = search.net[level + 1];
                    float basis[ask->size[level]];
                    basis_at(ask, level, position(ask, level, choice, p), basis);
                    contract(ask, level, basis, kept + c * size, child);
                    search.used += (double)small;
                    double value = 0.0;
                    const double bound = below(&search, level + 1, child, 1.0, NULL, -1.0, &value);
                    if (!(bound >= 0.0) || (found == width && bound <= bounds[found - 1])) continue;
                    int slot = found < width ? found++ : found - 1;
                    for (; slot > 0 && bounds[slot - 1] < bound; slot--) {
                        bounds[slot] = bounds[slot - 1];
                        memcpy(next + slot * small, next + (slot - 1) * small, small * sizeof(float));
                        memcpy(new + slot * JOINTS, new + (slot - 1) * JOINTS, JOINTS * sizeof(double));
                    }
                    bounds[slot] = bound;
                    memcpy(next + slot * small, child, small * sizeof(float));
                    memcpy(new + slot * JOINTS, old + c * JOINTS, JOINTS * sizeof(double));
                    new[slot * JOINTS + level] = position(ask, level, choice, p);
                }
            count = found;
            float *nets = kept;
            double *paths = old;
            if (level == 0) {  /* what was there is one large net, what follows are several small ones */
                free(kept);
                kept = next;
                next = nets = malloc((width + 1) * inner(ask, 1) * sizeof(float));
                if (!nets) break;
            } else {
                kept = next;
                next = nets;
            }
            old = new;
            new = paths;
            if (!count) break;
        }
        if (next && count) {
            memcpy(search.here, old, JOINTS * sizeof(double));
            look(&search);
        }
        *used = search.used;
        *best = search.best;
        result = next ? 1 : 2;
    }
    end(&search);
    free(kept);
    free(next);
    free(bounds);
    free(path);
    return result;
}

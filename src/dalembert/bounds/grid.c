/* Shows that a sum of magnitudes of waves stays below a number, joint by joint: see grid.py, whose steps these are. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define JOINTS 16
#define LANES 16
#define SIGNED 7                    /* most speeds whose signs are told apart */
#define TERMS 28                    /* their products and squares */
#define BLOCK 64                    /* their signs, all but those of the first */
#define ROOM 1458                   /* 2 * 3^6 */
#define LITTLE 0.002                /* squares below this part of the sum of magnitudes may be left out */

/* Which factors the waves have: see products.py. */
typedef struct {
    int speeds, pairs;              /* terms are the pairs of speeds, and then their squares */
    const float *free, *fixed;      /* [waves]: parts with a factor of their own, and with the factor 1 */
    const int *lane;                /* [terms]: the wave of each term, and how much of it that is */
    const float *weight;
    const float *corner;            /* [pairs][BLOCK]: factors of the pairs */
} Products;

typedef struct {
    int joints, waves;              /* waves: one, or a multiple of LANES, the last ones zero */
    int size[JOINTS], slides[JOINTS];
    int counts;                     /* how many grids there are to choose from for each joint, the coarsest first */
    const float *const *table;      /* [joint * counts + choice]: basis functions at the points, raised */
    const double *where[JOINTS];    /* [joint]: positions of all points, grid by grid */
    const int *first, *points;      /* [joint * counts + choice]: where those of a grid begin, and how many they are */
    const double *lost;             /* [joint * counts + choice]: what may lie above the points, for a sum of one */
    const double *raised;           /* [joint * counts + choice]: the largest factor of a basis function, */
    const double *expected;         /*   and by how much a sum is expected to be raised, as a part of it */
    const float *weight[JOINTS];    /* [joint][order]: how much each order counts for what may lie above the points */
    double heaviest[JOINTS];        /* the largest of those */
    double rounding, relative;      /* what a value may be off by: relative * value + rounding is no less */
    const Products *products;       /* null where all factors are free */
} Question;

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

static long inner(const Question *ask, int from) {
    long size = ask->waves;
    for (int j = from; j < ask->joints; j++) size *= ask->size[j];
    return size;
}

/* sum over the basis functions of joint `from` of what they add at most: pairs as sqrt(a^2 + b^2); in `bent` times the
   weights of their orders. */
static void collapse(const Question *ask, int from, const float *restrict net, float *restrict sum,
                     float *restrict bent) {
    const long n = inner(ask, from + 1);
    const int slides = ask->slides[from], orders = slides ? ask->size[from] : (ask->size[from] + 1) / 2;
    for (long i = 0; i < n; i++) sum[i] = fabsf(net[i]);
    if (bent) memset(bent, 0, n * sizeof *bent);
    for (int k = 1; k < orders; k++) {
        const float *a = net + (slides ? k : 2 * k - 1) * n, *b = a + n, weight = ask->weight[from][k];
        if (slides) {
            for (long i = 0; i < n; i++) sum[i] += fabsf(a[i]);
            if (bent && weight > 0.0f) for (long i = 0; i < n; i++) bent[i] += weight * fabsf(a[i]);
        } else if (bent && weight > 0.0f)
            for (long i = 0; i < n; i++) {
                const float size = sqrtf(a[i] * a[i] + b[i] * b[i]);
                sum[i] += size;
                bent[i] += weight * size;
            }
        else
            for (long i = 0; i < n; i++) sum[i] += sqrtf(a[i] * a[i] + b[i] * b[i]);
    }
}

static double larger(double a, double b) { return a > b ? a : b; }

static double smaller(double a, double b) { return a < b ? a : b; }

static float total(float *lanes) {
    for (int i = 0; i < 8; i++) lanes[i] += lanes[8 + i];
    for (int i = 0; i < 4; i++) lanes[i] += lanes[4 + i];
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

/* The sum over the waves of the magnitudes of their values. */
static double magnitudes(const Question *ask, const float *net) {
    if (ask->waves == 1) return fabsf(*net);
    float lanes[LANES] = {0};
    for (int w = 0; w < ask->waves; w += LANES)
        for (int i = 0; i < LANES; i++) lanes[i] += fabsf(net[w + i]);
    return total(lanes);
}

/* The sum over the waves of what is left once all joints from `from` on are collapsed, in place. */
static double collapsed(const Question *ask, int from, float *rows) {
    for (int j = from; j < ask->joints; j++) {
        const long n = inner(ask, j + 1);
        if (ask->slides[j]) {
            for (int p = 1; p < ask->size[j]; p++)
                for (long i = 0; i < n; i++) rows[i] += rows[p * n + i];
            continue;
        }
        for (int k = 1; 2 * k < ask->size[j]; k++) {
            const float *a = rows + (2 * k - 1) * n, *b = a + n;
            for (long i = 0; i < n; i++) rows[i] += sqrtf(a[i] * a[i] + b[i] * b[i]);
        }
    }
    return magnitudes(ask, rows);
}

/* The sums of products at all corners, into `sums`, and the least and the largest of them. */
static void at_corners(const Products *p, const float *restrict value, float *restrict sums, float *low, float *high) {
    for (int i = 0; i < BLOCK; i++) sums[i] = 0.0f;
    for (int t = 0; t < p->pairs; t++) {
        const float *restrict row = p->corner + t * BLOCK, v = value[t];
        for (int i = 0; i < BLOCK; i++) sums[i] += v * row[i];
    }
    float least[BLOCK / 2], most[BLOCK / 2];
    for (int i = 0; i < BLOCK / 2; i++) {
        const float a = sums[i], b = sums[BLOCK / 2 + i];
        least[i] = a < b ? a : b;
        most[i] = a > b ? a : b;
    }
    for (int i = 0; i < BLOCK / 4; i++) {
        const float a = least[BLOCK / 4 + i], b = most[BLOCK / 4 + i];
        least[i] = a < least[i] ? a : least[i];
        most[i] = b > most[i] ? b : most[i];
    }
    for (int i = 0; i < BLOCK / 8; i++) {
        const float a = least[BLOCK / 8 + i], b = most[BLOCK / 8 + i];
        least[i] = a < least[i] ? a : least[i];
        most[i] = b > most[i] ? b : most[i];
    }
    *low = *high = 0.0f;
    for (int i = 0; i < BLOCK / 8; i++) {
        *low = least[i] < *low ? least[i] : *low;
        *high = most[i] > *high ? most[i] : *high;
    }
}

/* The largest value of side * (sum of products + sum_j square_j x_j^2), from the sums of products at the corners. A sum
   is affine in each x_j: at zero it is the mean of those at -1 and 1. Squares that bend downwards are taken at -1, 0
   and 1 and with a quarter of their coefficient, but for the largest one, whose parabola has its top where it has; those
   below `little` are left out. */
static double at_knots(const Products *p, const float *sums, float side, const float *square, float little) {
    const int m = p->speeds;
    float rooms[2][ROOM], *from = rooms[0], *to = rooms[1], bent[SIGNED];
    int size[SIGNED], top = -1, count = 1 << (m - 1);
    double added = 0.0;
    for (int j = 0; j < m; j++) {
        const float c = side * square[j];
        size[j] = j ? 2 : 1;
        bent[j] = 0.0f;
        if (c >= 0.0f) added += c;
        else if (-c >= little) {
            bent[j] = c;
            if (top < 0 || c < bent[top]) top = j;
        }
    }
    for (int i = 0; i < count; i++) from[i] = side * sums[i];
    if (bent[0] < 0.0f) {  /* of the first number only -1 is there: x and -x have the same products */
        for (int i = 0; i < count; i++) from[count + i] = from[count - 1 - i];
        size[0] = 2;
        count *= 2;
    }
    long stride = 1;
    for (int j = m - 1; j >= 0; j--) {
        if (bent[j] < 0.0f && j != top) {
            const long outer = count / (2 * stride);
            const float c = bent[j];
            added -= 0.25 * c;
            for (long o = 0; o < outer; o++) {
                const float *restrict low = from + 2 * o * stride, *restrict high = low + stride;
                float *restrict next = to + 3 * o * stride;
                for (long i = 0; i < stride; i++) {
                    next[i] = low[i] + c;
                    next[stride + i] = high[i] + c;
                    next[2 * stride + i] = 0.5f * (low[i] + high[i]);
                }
            }
            float *old = from;
            from = to;
            to = old;
            count = (int)(3 * outer * stride);
            size[j] = 3;
        }
        stride *= size[j];
    }
    float most = 0.0f;
    if (top < 0)
        for (int i = 0; i < count; i++) most = from[i] > most ? from[i] : most;
    else {
        long step = 1;
        for (int j = top + 1; j < m; j++) step *= size[j];
        const float c = -bent[top], quarter = 0.25f / c;
        for (long o = 0; o < count / (2 * step); o++) {
            const float *low = from + 2 * o * step, *high = low + step;
            for (long i = 0; i < step; i++) {
                const float mean = 0.5f * (low[i] + high[i]), slope = fabsf(0.5f * (high[i] - low[i]));
                const float best = mean + (slope < 2.0f * c ? slope * slope * quarter : slope - c);
                most = best > most ? best : most;
            }
        }
    }
    return added + most;
}

/* By how much a sum whose waves have the values `net`, and anything beside them, is less than that of magnitudes; with
   the knots only where the corners gain less than `enough`. Where the signs are `hopeless`, since what they attain is
   too much, knots are left alone. `seen` takes what is attained at rest and at the corners. */
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
    double up = g + above + high, down = below - g - low;
    const double room = sure - loose - enough;
    if (!(larger(up, down) <= room) && !(hopeless && most > room)) {
        const float *square = value + p->pairs, little = (float)(LITTLE * sum);
        search->used += BLOCK;
        if (!(up <= room)) up = smaller(up, g + at_knots(p, sums, 1.0f, square, little));
        if (!(down <= room)) down = smaller(down, at_knots(p, sums, -1.0f, square, little) - g);
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

/* The net with joint `level` at one point. */
static void contract(const Question *ask, int level, const float *restrict basis, const float *restrict net,
                     float *restrict out) {
    const long n = inner(ask, level + 1);
    const int size = ask->size[level];
    if (size == 7 || size == 5 || size == 3) {
        const float *r0 = net, *r1 = net + n, *r2 = net + 2 * n;
        const float b0 = basis[0], b1 = basis[1], b2 = basis[2];
        if (size == 3) {
            for (long i = 0; i < n; i++) out[i] = b0 * r0[i] + b1 * r1[i] + b2 * r2[i];
            return;
        }
        const float *r3 = net + 3 * n, *r4 = net + 4 * n, b3 = basis[3], b4 = basis[4];
        if (size == 5) {
            for (long i = 0; i < n; i++)
                out[i] = b0 * r0[i] + b1 * r1[i] + b2 * r2[i] + b3 * r3[i] + b4 * r4[i];
            return;
        }
        const float *r5 = net + 5 * n, *r6 = net + 6 * n, b5 = basis[5], b6 = basis[6];
        for (long i = 0; i < n; i++)
            out[i] = b0 * r0[i] + b1 * r1[i] + b2 * r2[i] + b3 * r3[i] + b4 * r4[i] + b5 * r5[i] + b6 * r6[i];
        return;
    }
    for (long i = 0; i < n; i++) out[i] = basis[0] * net[i];
    for (int k = 1; k < size; k++) {
        const float *row = net + k * n, factor = basis[k];
        for (long i = 0; i < n; i++) out[i] += factor * row[i];
    }
}

/* The position of a point. */
static double position(const Question *ask, int level, int choice, int point) {
    return ask->where[level][ask->first[level * ask->counts + choice] + point];
}

/* Keeps the largest value met and its position. */
static void keep(Search *search, double value) {
    if (value > search->best) {
        search->best = value;
        memcpy(search->at, search->here, search->ask->joints * sizeof *search->at);
    }
}

/* The basis functions of a joint at a position, as they are. */
static void basis_at(const Question *ask, int level, double x, float *basis) {
    double power = 1.0;
    basis[0] = 1.0f;
    for (int k = 1; k < ask->size[level]; k++) {
        power *= x;
        const int order = (k + 1) / 2;
        basis[k] = (float)(ask->slides[level] ? power : k % 2 ? cos(order * x) : sin(order * x));
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
    keep(search, seen);
}

/* Whether the sum is shown to be at most `most`, whatever the joints from `level` on; `top` takes the largest raised
   value met. The raised sum at the points has to be at most `most` less what may lie above them; the grid is chosen so
   that a sum of about `guess` passes. Where one is too large, its value without this joint raised says whether a finer
   grid may do. */
static int shown(Search *search, int level, const float *net, double most, double guess, double bent, double *top) {
    const Question *ask = search->ask;
    const int left = ask->joints - level, begin = level * ask->counts;
    float *child = search->net[level + 1];
    for (int tries = 0; tries < 40; tries++) {
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
                    search->guess[level + 1] += 0.03 * (seen / bound - search->guess[level + 1]);
                if (seen > met) met = seen;
            }
        }
        if (met > *top) *top = met;
        if (good) return 1;
        double value = 0.0, seen;
        if (search->missed) {
            value = value_at(search, level, net, search->failed, &seen);
            if (value >= most) return 0;
        }
        const double higher = value + 0.25 * (most - value);
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

/* Exponentials -n .. n along one axis of (outer, 2 n + 1, inner) complex numbers to 1, cos x, sin x, ...:
   c e^(ikx) + d e^(-ikx) = (c + d) cos kx + i (c - d) sin kx. */
int to_real(double *z, long outer, int n, long inner_size) {
    const long row = 2 * inner_size, block = (2 * n + 1) * row;
    double *old = malloc(block * sizeof *old);
    if (!old) return 2;
    for (long o = 0; o < outer; o++) {
        double *at = z + o * block;
        memcpy(old, at, block * sizeof *old);
        memcpy(at, old + n * row, row * sizeof *old);
        for (int k = 1; k <= n; k++) {
            const double *c = old + (n + k) * row, *d = old + (n - k) * row;
            double *cosine = at + (2 * k - 1) * row, *sine = at + 2 * k * row;
            for (long i = 0; i < row; i += 2) {
                cosine[i] = c[i] + d[i];
                cosine[i + 1] = c[i + 1] + d[i + 1];
                sine[i] = -(c[i + 1] - d[i + 1]);
                sine[i + 1] = c[i] - d[i];
            }
        }
    }
    free(old);
    return 1;
}

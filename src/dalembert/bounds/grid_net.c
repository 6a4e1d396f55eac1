/* Nets of grid.c: tables of coefficients by basis functions, the joints that stand taken out of them, bounds whatever the
   others, and the largest sum over the factors of the waves (products.py). */

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Compiled with JOINTS, LANES (16), SIGNED (most speeds whose signs are told apart), TERMS (their products and squares),
   BLOCK (their signs, all but those of the first), ROOM (2 * 3^(SIGNED - 1)), LITTLE (squares below this part of the sum of
   magnitudes may be left out), and of grid.c TRIES, AHEAD and LEARNING: compiled_grid.py defines them. */

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
    double curvature[JOINTS];       /* [joint]: a bound of sums with those weights over the box, or infinity */
    double rounding, relative;      /* what a value may be off by: relative * value + rounding is no less */
    const Products *products;       /* null where all factors are free */
} Question;

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
   below `little` are left out. `over` takes by how much that may be more than what is attained: at the knots themselves
   squares are what they are. */
static double at_knots(const Products *p, const float *sums, float side, const float *square, float little, double *over) {
    const int m = p->speeds;
    float rooms[2][ROOM], *from = rooms[0], *to = rooms[1], bent[SIGNED];
    int size[SIGNED], top = -1, count = 1 << (m - 1);
    double added = 0.0;
    *over = 0.0;
    for (int j = 0; j < m; j++) {
        const float c = side * square[j];
        size[j] = j ? 2 : 1;
        bent[j] = 0.0f;
        if (c >= 0.0f) added += c;
        else if (-c >= little) {
            bent[j] = c;
            if (top < 0 || c < bent[top]) top = j;
        } else *over -= c;
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
            *over -= 0.25 * c;
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

/* Shifts of constants that make the worst error least, by cutting planes: see minimax.py, whose steps these are. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int unknowns, rows, room;
    double *row, *right;   /* [room][unknowns], [room]: row . z <= right */
    double *norm;          /* [room]: squared length of a row */
    double *inverse;       /* [unknowns][unknowns]: of the rows that are met with equality */
    int *basis;            /* [unknowns]: those rows */
    double *z, *y, *cost, *alpha;
} Planes;

static void add_row(Planes *p, double right) {
    double norm = 0.0;
    const double *row = p->row + (long)p->rows * p->unknowns;
    for (int j = 0; j < p->unknowns; j++) norm += row[j] * row[j];
    p->norm[p->rows] = norm > 0 ? norm : 1.0;
    p->right[p->rows++] = right;
}

/* Least cost . z below all planes from the solution without the last ones: the dual simplex method. 1: found. */
static int solve(Planes *p, double tolerance, int most) {
    const int n = p->unknowns;
    for (int pivot = 0; pivot < most; pivot++) {
        int enter = -1, leave = -1;
        double largest = 0.0, by = 0.0, least = INFINITY;
        for (int r = 0; r < p->rows; r++) {
            const double *row = p->row + (long)r * n;
            double over = -p->right[r];
            for (int j = 0; j < n; j++) over += row[j] * p->z[j];
            if (over > tolerance && over * over > largest * p->norm[r]) largest = over * over / p->norm[r], enter = r, by = over;
        }
        if (enter < 0) return 1;
        const double *row = p->row + (long)enter * n;
        memset(p->alpha, 0, n * sizeof(double));
        for (int j = 0; j < n; j++)
            if (row[j] != 0.0)
                for (int k = 0; k < n; k++) p->alpha[k] += row[j] * p->inverse[(long)j * n + k];
        double sharpest = 0.0;
        for (int k = 0; k < n; k++) {
            if (p->alpha[k] <= 1e-9) continue;
            const double ratio = p->y[k] / p->alpha[k];
            if (ratio < least - 1e-12 || (ratio <= least + 1e-12 && p->alpha[k] > sharpest))
                least = ratio < least ? ratio : least, leave = k, sharpest = p->alpha[k];
        }
        if (leave < 0) return 0;
        const double share = 1.0 / p->alpha[leave], step = p->y[leave] * share;
        for (int j = 0; j < n; j++) {
            double *line = p->inverse + (long)j * n;
            const double pivoted = line[leave] * share;
            for (int k = 0; k < n; k++) line[k] -= pivoted * p->alpha[k];
            line[leave] = pivoted;
            p->z[j] -= pivoted * by;
        }
        for (int k = 0; k < n; k++) {
            p->y[k] -= step * p->alpha[k];
            if (p->y[k] < 0) p->y[k] = 0;
        }
        p->y[leave] = step, p->basis[leave] = enter;
    }
    return 0;
}

static double dot(const double *a, const double *b, int n) {
    double sum = 0.0;
    for (int j = 0; j < n; j++) sum += a[j] * b[j];
    return sum;
}

/* error [joints][runs][points], units [count][joints][runs][points], target [joints] -> shifts [count]; see
   minimax.py. 2: no memory. */
int least_worst(int count, int joints, int runs, int points, const double *error, const double *units,
                const double *target, double mean_weight, int enough, int rounds, int at_once, double close, double reach,
                double nudge, double *shifts) {
    const int n = count + joints + 1, room = 2 * count + 2 * joints + 1 + rounds * at_once * joints;
    const long rows = (long)runs * points, each = rows * joints;
    Planes p = {n, 0, room};
    double *numbers = calloc((long)room * (n + 2) + (long)n * n + 4L * n + 3L * count + each + 2L * joints * points + joints,
                             sizeof(double));
    int *basis = malloc(n * sizeof *basis);
    unsigned char *used = calloc((long)count * joints * runs, 1);
    if (!numbers || !basis || !used) {
        free(numbers), free(basis), free(used);
        return 2;
    }
    double *next = numbers;
    p.row = next, next += (long)room * n;
    p.right = next, next += room;
    p.norm = next, next += room;
    p.inverse = next, next += (long)n * n;
    p.z = next, next += n;
    p.y = next, next += n;
    p.cost = next, next += n;
    p.alpha = next, next += n;
    double *size = next, *best = next + count, *now = next + 2 * count;
    next += 3 * count;
    double *residual = next, *sums = next + each, *w = sums + (long)joints * points;
    p.basis = basis;
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < joints; i++)
            for (int r = 0; r < runs; r++) {
                const double *x = units + k * each + i * rows + (long)r * points;
                double most = 0.0;
                for (int q = 0; q < points; q++) most = fabs(x[q]) > most ? fabs(x[q]) : most;
                used[((long)k * joints + i) * runs + r] = most > 0;
                if (most / target[i] > size[k]) size[k] = most / target[i];
            }
        if (size[k] == 0) size[k] = 1.0;
    }
    /* the first basis: shifts at a bound, the errors and their largest at zero */
    for (int j = 0; j < n; j++) {
        p.cost[j] = j < count ? nudge * (1 + (j * 7) % 11) : j < n - 1 ? mean_weight / joints : 1.0;
        p.row[(long)p.rows * n + j] = -1.0;
        p.basis[j] = p.rows;
        p.inverse[(long)j * n + j] = -1.0;
        p.z[j] = j < count ? -reach : 0.0;
        p.y[j] = p.cost[j];
        add_row(&p, j < count ? reach : 0.0);
    }
    for (int j = 0; j < count; j++) p.row[(long)p.rows * n + j] = 1.0, add_row(&p, reach);
    for (int i = 0; i < joints; i++) {
        p.row[(long)p.rows * n + count + i] = 1.0, p.row[(long)p.rows * n + n - 1] = -1.0;
        add_row(&p, 0.0);
    }
    double least = INFINITY;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < joints; i++) {
            double *sum = sums + (long)i * points;
            memset(sum, 0, points * sizeof *sum);
            for (int r = 0; r < runs; r++) {
                double *restrict to = residual + i * rows + (long)r * points;
                memcpy(to, error + i * rows + (long)r * points, points * sizeof *to);
                for (int k = 0; k < count; k++) {
                    if (now[k] == 0 || !used[((long)k * joints + i) * runs + r]) continue;
                    const double *restrict x = units + k * each + i * rows + (long)r * points, d = now[k] / size[k];
                    for (int q = 0; q < points; q++) to[q] += d * x[q];
                }
                for (int q = 0; q < points; q++) sum[q] += fabs(to[q]);
            }
            w[i] = 0.0;
            for (int q = 0; q < points; q++) w[i] = !(sum[q] <= w[i]) ? sum[q] : w[i];
            w[i] /= target[i];
        }
        double worst = 0.0, mean = 0.0;
        for (int i = 0; i < joints; i++) worst = w[i] > worst ? w[i] : worst, mean += w[i] / joints;
        const double objective = worst + mean_weight * mean;
        if (objective < least) least = objective, memcpy(best, now, count * sizeof *best);
        if (enough && worst <= 1.0) break;
        for (int i = 0; i < joints; i++)
            for (int t = 0; t < at_once && t < points; t++) {
                double *sum = sums + (long)i * points;
                int x = 0;
                for (int q = 1; q < points; q++) x = sum[q] > sum[x] ? q : x;
                sum[x] = -1.0;
                double *row = p.row + (long)p.rows * n, right = 0.0;
                for (int r = 0; r < runs; r++) {
                    const double e = residual[i * rows + (long)r * points + x], sign = e > 0 ? 1.0 : e < 0 ? -1.0 : 0.0;
                    if (sign == 0) continue;
                    right -= sign * error[i * rows + (long)r * points + x] / target[i];
                    for (int k = 0; k < count; k++)
                        if (used[((long)k * joints + i) * runs + r])
                            row[k] += sign * units[k * each + i * rows + (long)r * points + x] / target[i] / size[k];
                }
                row[count + i] = -1.0;
                add_row(&p, right);
            }
        if (!solve(&p, 1e-9, 50 * n)) break;
        const double bound = dot(p.cost, p.z, n);
        if (least - bound <= close * least || (enough && bound > 1.0)) break;
        memcpy(now, p.z, count * sizeof *now);
    }
    for (int k = 0; k < count; k++) shifts[k] = best[k] / size[k];
    free(numbers), free(basis), free(used);
    return 0;
}

/* Torques of a program at sample states, their derivatives, and what cuts of the program change: see sweep.py, whose
   steps these are. Positions are taken LANES at a time, one motion after the other. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LANES 32

enum { CONSTANT, STATE, NAMED, ADD, SUB, MUL, NEG, SIN, COS };

typedef struct {
    int slots, outputs, joints, runs, points, room;  /* room: points, padded to a multiple of LANES */
    const int *code, *a, *b;     /* [slots]: operation and operands; slot 0 is zero */
    const double *value;         /* [slots]: of constants */
    const int *still;            /* [slots]: whether the value depends on the position alone */
    const int *out;              /* [outputs] */
    const double *q;             /* [joints][room] */
    const double *qd, *qdd;      /* [runs][joints] */
    const double *named;         /* [constants][room] */
    const double *scale;         /* [outputs] */
    int pairs;
    const int *first, *second;   /* [pairs]: joints that move in the last runs */
} Program;

typedef double Row[LANES];

static void forward(const Program *p, Row *restrict v, int begin, int run, int still) {
    for (int s = 0; s < p->slots; s++) {
        if (p->still[s] != still) continue;
        double *restrict to = v[s];
        const double *x = v[p->a[s]], *y = v[p->b[s]];
        switch (p->code[s]) {
        case CONSTANT: for (int l = 0; l < LANES; l++) to[l] = p->value[s]; break;
        case STATE: {
            const int kind = p->a[s] / p->joints, joint = p->a[s] % p->joints;
            if (kind == 0) memcpy(to, p->q + (long)joint * p->room + begin, sizeof(Row));
            else {
                const double motion = (kind == 1 ? p->qd : p->qdd)[run * p->joints + joint];
                for (int l = 0; l < LANES; l++) to[l] = motion;
            }
            break;
        }
        case NAMED: memcpy(to, p->named + (long)p->a[s] * p->room + begin, sizeof(Row)); break;
        case ADD: for (int l = 0; l < LANES; l++) to[l] = x[l] + y[l]; break;
        case SUB: for (int l = 0; l < LANES; l++) to[l] = x[l] - y[l]; break;
        case MUL: for (int l = 0; l < LANES; l++) to[l] = x[l] * y[l]; break;
        case NEG: for (int l = 0; l < LANES; l++) to[l] = -x[l]; break;
        case SIN: for (int l = 0; l < LANES; l++) to[l] = sin(x[l]); break;
        case COS: for (int l = 0; l < LANES; l++) to[l] = cos(x[l]); break;
        }
    }
}

/* The slots on which an output depends, ascending; their number. With `few` only those that depend on constants. */
static int ancestors(const Program *p, int output, int *marks, int *list, const int *few) {
    memset(marks, 0, p->slots * sizeof *marks);
    marks[p->out[output]] = 1;
    for (int s = p->slots - 1; s > 0; s--) {
        if (!marks[s] || p->code[s] < ADD) continue;
        marks[p->a[s]] = 1;
        if (p->code[s] <= MUL) marks[p->b[s]] = 1;
    }
    int count = 0;
    for (int s = 1; s < p->slots; s++)
        if (marks[s] && (!few || few[s])) list[count++] = s;
    return count;
}

/* Slopes of the slots of a list; those of other slots are left as they are, or added to and never read. */
static void backward(const Program *p, const Row *restrict v, Row *restrict d, int output, const int *list, int count) {
    for (int i = 0; i < count; i++) memset(d[list[i]], 0, sizeof(Row));
    for (int l = 0; l < LANES; l++) d[p->out[output]][l] = 1.0;
    for (int i = count - 1; i >= 0; i--) {
        const int s = list[i], a = p->a[s], b = p->b[s];
        const double *restrict slope = d[s];
        switch (p->code[s]) {
        case ADD:
            for (int l = 0; l < LANES; l++) d[a][l] += slope[l];
            for (int l = 0; l < LANES; l++) d[b][l] += slope[l];
            break;
        case SUB:
            for (int l = 0; l < LANES; l++) d[a][l] += slope[l];
            for (int l = 0; l < LANES; l++) d[b][l] -= slope[l];
            break;
        case MUL:
            for (int l = 0; l < LANES; l++) d[a][l] += slope[l] * v[b][l];
            for (int l = 0; l < LANES; l++) d[b][l] += slope[l] * v[a][l];
            break;
        case NEG: for (int l = 0; l < LANES; l++) d[a][l] -= slope[l]; break;
        }
    }
}

/* Torques (runs, points) of one joint at all motions as shares of the scale that each coefficient contributes. */
static void contributions(const Program *p, double scale, double *t) {
    const long n = p->joints, points = p->points;
    for (long i = 0; i < p->runs * points; i++) t[i] /= scale;
    for (long r = 1; r < p->runs; r++)
        for (long x = 0; x < points; x++) t[r * points + x] -= t[x];
    for (long r = 0; r < p->pairs; r++) {
        const double *one = t + (1 + n + p->first[r]) * points, *two = t + (1 + n + p->second[r]) * points;
        double *both = t + (1 + 2 * n + r) * points;
        for (long x = 0; x < points; x++) both[x] -= one[x] + two[x];
    }
}

/* `torque` [outputs][runs][points] gets the contributions of the program, `unit` [units][outputs][runs][points] those of
   a unit of the constants in the slots `unit_at`. A cut takes sign * (value of slot `removed`) from slot `at`: `most`
   [cuts][outputs] gets the largest torque that each takes, and `effect` [kept][outputs][runs][points] the contributions
   of those whose `place` is not negative. Arrays that are null are left out. 2: no memory. */
int sweep(const Program *p, double *torque, int units, const int *unit_at, double *unit, int cuts, const int *at,
          const int *removed, const double *sign, double *most, const int *place, double *effect) {
    const long rows = (long)p->runs * p->points, each = rows * p->outputs;
    const int slopes = unit != NULL || most != NULL || effect != NULL;
    Row *v = malloc(p->slots * sizeof(Row)), *d = malloc(p->slots * sizeof(Row));
    int *marks = malloc((long)p->outputs * p->slots * sizeof *marks);
    int *list = malloc((long)p->outputs * p->slots * sizeof *list), *count = malloc(p->outputs * sizeof *count);
    int *few = calloc(p->slots, sizeof *few);
    if (!v || !d || !marks || !list || !count || !few) {
        free(v), free(d), free(marks), free(list), free(count), free(few);
        return 2;
    }
    for (int s = 1; s < p->slots; s++)
        few[s] = p->code[s] == NAMED || (p->code[s] >= ADD && (few[p->a[s]] | few[p->b[s]]));
    for (int k = 0; k < units; k++) few[unit_at[k]] = 1;
    for (int o = 0; o < p->outputs; o++)
        count[o] = ancestors(p, o, marks + (long)o * p->slots, list + (long)o * p->slots, cuts ? NULL : few);
    memset(d, 0, p->slots * sizeof(Row));
    if (unit) memset(unit, 0, units * each * sizeof *unit);
    if (most) memset(most, 0, (long)cuts * p->outputs * sizeof *most);
    for (int begin = 0; begin < p->points; begin += LANES) {
        const int lanes = p->points - begin < LANES ? p->points - begin : LANES;
        forward(p, v, begin, 0, 1);
        for (int run = 0; run < p->runs; run++) {
            forward(p, v, begin, run, 0);
            const long here = (long)run * p->points + begin;
            for (int o = 0; o < p->outputs; o++) {
                if (torque) memcpy(torque + o * rows + here, v[p->out[o]], lanes * sizeof(double));
                if (!slopes) continue;
                const int *mark = marks + (long)o * p->slots;
                backward(p, v, d, o, list + (long)o * p->slots, count[o]);
                for (int k = 0; unit && k < units; k++)
                    if (mark[unit_at[k]]) memcpy(unit + k * each + o * rows + here, d[unit_at[k]], lanes * sizeof(double));
                for (int c = 0; most && c < cuts; c++) {
                    if (!mark[at[c]]) continue;
                    const double *restrict x = d[at[c]], *restrict y = v[removed[c]];
                    Row size;
                    for (int l = 0; l < LANES; l++) size[l] = fabs(x[l] * y[l]);
                    double largest = most[c * p->outputs + o];
                    for (int l = 0; l < lanes; l++) if (!(size[l] <= largest)) largest = size[l] == size[l] ? size[l] : INFINITY;
                    most[c * p->outputs + o] = largest;
                }
                for (int c = 0; effect && c < cuts; c++) {
                    if (place[c] < 0) continue;
                    double *restrict to = effect + place[c] * each + o * rows + here;
                    if (!mark[at[c]]) {
                        memset(to, 0, lanes * sizeof(double));
                        continue;
                    }
                    const double *restrict x = d[at[c]], *restrict y = v[removed[c]];
                    const double factor = sign[c];
                    for (int l = 0; l < lanes; l++) to[l] = x[l] * (factor * y[l]);
                }
            }
        }
    }
    for (int o = 0; o < p->outputs; o++) {
        const int *mark = marks + (long)o * p->slots;
        if (torque) contributions(p, p->scale[o], torque + o * rows);
        for (int k = 0; unit && k < units; k++)
            if (mark[unit_at[k]]) contributions(p, p->scale[o], unit + k * each + o * rows);
        for (int c = 0; effect && c < cuts; c++)
            if (place[c] >= 0 && mark[at[c]]) contributions(p, p->scale[o], effect + place[c] * each + o * rows);
    }
    free(v), free(d), free(marks), free(list), free(count), free(few);
    return 0;
}

/* For each of `count` sets of contributions [joints][runs][points], plus `added` where it is not null, and each joint:
   the largest over points of the sum of magnitudes over runs. */
void largest_sums(const double *given, const double *added, long count, int joints, int runs, int points, double *found) {
    for (long row = 0; row < count * joints; row++) {
        const double *x = given + row * runs * points, *y = added ? added + (row % joints) * (long)runs * points : NULL;
        double largest = 0.0;
        for (int begin = 0; begin < points; begin += LANES) {
            const int lanes = points - begin < LANES ? points - begin : LANES;
            Row sum = {0};
            for (int r = 0; r < runs; r++) {
                const double *restrict a = x + (long)r * points + begin, *restrict b = y ? y + (long)r * points + begin : NULL;
                if (lanes == LANES && b) for (int l = 0; l < LANES; l++) sum[l] += fabs(a[l] + b[l]);
                else if (lanes == LANES) for (int l = 0; l < LANES; l++) sum[l] += fabs(a[l]);
                else for (int l = 0; l < lanes; l++) sum[l] += fabs(b ? a[l] + b[l] : a[l]);
            }
            for (int l = 0; l < lanes; l++) if (!(sum[l] <= largest)) largest = sum[l] == sum[l] ? sum[l] : INFINITY;
        }
        found[row] = largest;
    }
}

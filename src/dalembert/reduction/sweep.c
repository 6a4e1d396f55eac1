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

/* One operation in one run. Many speeds and accelerations are zero in a run: operands that are have slot 0, and slots that
   are have no step. `first` and `second` say which operands are given a slope. */
typedef struct { short code, first, second; int slot, a, b; } Step;

/* Whether each slot may be other than zero in a run. */
static void nonzero(const Program *p, int run, char *some) {
    const double *qd = p->qd + (long)run * p->joints, *qdd = p->qdd + (long)run * p->joints;
    for (int s = 0; s < p->slots; s++) {
        const int a = p->a[s], b = p->b[s], n = p->joints;
        switch (p->code[s]) {
        case CONSTANT: some[s] = p->value[s] != 0.0; break;
        case STATE: some[s] = a < n || (a < 2 * n ? qd[a - n] : qdd[a - 2 * n]) != 0.0; break;
        case ADD: case SUB: some[s] = some[a] || some[b]; break;
        case MUL: some[s] = some[a] && some[b]; break;
        case NEG: some[s] = some[a]; break;
        default: some[s] = 1;
        }
    }
}

/* The steps of a run that give values, of what depends on the position alone or of the rest; their number. */
static int values_of(const Program *p, const char *some, int still, Step *list) {
    int count = 0;
    for (int s = 1; s < p->slots; s++) {
        if (p->still[s] != still || !some[s]) continue;
        const int leaf = p->code[s] < ADD, a = p->a[s], b = p->b[s];
        list[count++] = (Step){p->code[s], 0, 0, s, leaf || some[a] ? a : 0, leaf || some[b] ? b : 0};
    }
    return count;
}

/* The steps of a run on which an output depends, the output first; their number. `wanted` are the slots whose slopes are
   asked for, or lead to such. What is zero passes nothing on: of every product below it one factor is zero. */
static int slopes_of(const Program *p, int output, const char *some, const char *wanted, char *marks, Step *list) {
    int count = 0;
    memset(marks, 0, p->slots);
    marks[p->out[output]] = some[p->out[output]] && wanted[p->out[output]];
    for (int s = p->out[output]; s > 0; s--) {
        if (!marks[s]) continue;
        Step step = {p->code[s], 0, 0, s, p->a[s], p->b[s]};
        if (step.code >= ADD && step.code <= NEG) {
            step.first = some[step.a] && wanted[step.a];
            step.second = step.code != NEG && some[step.b] && wanted[step.b];
            if (step.first) marks[step.a] = 1;
            if (step.second) marks[step.b] = 1;
        }
        list[count++] = step;
    }
    return count;
}

static void forward(const Program *p, Row *restrict v, int begin, int run, const Step *list, int count) {
    for (int i = 0; i < count; i++) {
        const Step step = list[i];
        double *restrict to = v[step.slot];
        if (step.code == NAMED) memcpy(to, p->named + (long)step.a * p->room + begin, sizeof(Row));
        else if (step.code == CONSTANT) for (int l = 0; l < LANES; l++) to[l] = p->value[step.slot];
        else if (step.code == STATE) {
            const int kind = step.a / p->joints, joint = step.a % p->joints;
            if (kind == 0) memcpy(to, p->q + (long)joint * p->room + begin, sizeof(Row));
            else {
                const double motion = (kind == 1 ? p->qd : p->qdd)[run * p->joints + joint];
                for (int l = 0; l < LANES; l++) to[l] = motion;
            }
        } else {
            const double *x = v[step.a], *y = v[step.b];
            switch (step.code) {
            case ADD: for (int l = 0; l < LANES; l++) to[l] = x[l] + y[l]; break;
            case SUB: for (int l = 0; l < LANES; l++) to[l] = x[l] - y[l]; break;
            case MUL: for (int l = 0; l < LANES; l++) to[l] = x[l] * y[l]; break;
            case NEG: for (int l = 0; l < LANES; l++) to[l] = -x[l]; break;
            case SIN: for (int l = 0; l < LANES; l++) to[l] = sin(x[l]); break;
            case COS: for (int l = 0; l < LANES; l++) to[l] = cos(x[l]); break;
            }
        }
    }
}

static void backward(const Row *restrict v, Row *restrict d, const Step *list, int count) {
    for (int i = 0; i < count; i++)
        for (int l = 0; l < LANES; l++) d[list[i].slot][l] = i ? 0.0 : 1.0;
    for (int i = 0; i < count; i++) {
        const Step step = list[i];
        const double *restrict slope = d[step.slot];
        for (int operand = 0; operand < 2; operand++) {
            if (!(operand ? step.second : step.first)) continue;
            double *restrict to = d[operand ? step.b : step.a];
            const double *factor = v[operand ? step.a : step.b];
            if (step.code == MUL) for (int l = 0; l < LANES; l++) to[l] += slope[l] * factor[l];
            else if (step.code == NEG || (step.code == SUB && operand)) for (int l = 0; l < LANES; l++) to[l] -= slope[l];
            else for (int l = 0; l < LANES; l++) to[l] += slope[l];
        }
    }
}

/* Torques of one joint in a run as the share of the scale that a coefficient contributes: `to` [runs][points] holds those
   of the runs before. */
static void contribute(const Program *p, double scale, int run, int begin, int lanes, double *to, const double *torque) {
    const long points = p->points;
    double *restrict mine = to + run * points + begin;
    const double *rest = to + begin;
    if (!torque) for (int l = 0; l < lanes; l++) mine[l] = 0.0;
    else for (int l = 0; l < lanes; l++) mine[l] = torque[l] / scale;
    if (run) for (int l = 0; l < lanes; l++) mine[l] -= rest[l];
    if (run > 2 * p->joints) {
        const int pair = run - 1 - 2 * p->joints;
        const double *one = rest + (1 + p->joints + p->first[pair]) * points, *two = rest + (1 + p->joints + p->second[pair]) * points;
        for (int l = 0; l < lanes; l++) mine[l] -= one[l] + two[l];
    }
}

/* All that a sweep needs beside its results. */
typedef struct {
    Row *v, *d;
    char *some, *wanted, *marks;   /* [runs][slots], [slots], [runs][outputs][slots] */
    Step *values, *slopes;         /* [1 + runs][slots], [runs][outputs][slots] */
    int *value_counts, *slope_counts;
} Room;

static void leave(Room *r) {
    free(r->v), free(r->d), free(r->some), free(r->wanted), free(r->marks), free(r->values), free(r->slopes);
    free(r->value_counts), free(r->slope_counts);
}

static int enter(const Program *p, Room *r, int slopes) {
    const long slots = p->slots, runs = p->runs, all = slopes ? runs * p->outputs : 1;
    *r = (Room){malloc(slots * sizeof(Row)), malloc(slots * sizeof(Row)), malloc(runs * slots), calloc(slots, 1),
                malloc(all * slots), malloc((1 + runs) * slots * sizeof(Step)), malloc(all * slots * sizeof(Step)),
                calloc(1 + runs, sizeof(int)), calloc(all, sizeof(int))};
    return r->v && r->d && r->some && r->wanted && r->marks && r->values && r->slopes && r->value_counts && r->slope_counts;
}

/* `torque` [outputs][runs][points] gets the contributions of the program, `unit` [units][outputs][runs][points] those of
   a unit of the constants in the slots `unit_at`. A cut takes sign * (value of slot `removed`) from slot `at`: `most`
   [cuts][outputs] gets the largest torque that each takes, and `effect` [kept][outputs][runs][points] the contributions
   of those whose `place` is not negative. Arrays that are null are left out. 2: no memory. */
int sweep(const Program *p, double *torque, int units, const int *unit_at, double *unit, int cuts, const int *at,
          const int *removed, const double *sign, double *most, const int *place, double *effect) {
    const long rows = (long)p->runs * p->points, each = rows * p->outputs, slots = p->slots;
    const int slopes = unit != NULL || most != NULL || effect != NULL;
    Room r;
    if (!enter(p, &r, slopes)) {
        leave(&r);
        return 2;
    }
    for (int k = 0; unit && k < units; k++) r.wanted[unit_at[k]] = 1;
    for (int c = 0; c < cuts; c++) if (most || place[c] >= 0) r.wanted[at[c]] = 1;
    for (int s = 1; s < slots; s++)
        if (p->code[s] >= ADD && p->code[s] <= NEG) r.wanted[s] |= r.wanted[p->a[s]] | r.wanted[p->b[s]];
    for (int run = 0; run < p->runs; run++) {
        const char *some = r.some + run * slots;
        nonzero(p, run, r.some + run * slots);
        if (!run) r.value_counts[0] = values_of(p, some, 1, r.values);
        r.value_counts[1 + run] = values_of(p, some, 0, r.values + (1 + run) * slots);
        for (int o = 0; slopes && o < p->outputs; o++) {
            const long place_ = run * p->outputs + o;
            r.slope_counts[place_] = slopes_of(p, o, some, r.wanted, r.marks + place_ * slots, r.slopes + place_ * slots);
        }
    }
    memset(r.v[0], 0, sizeof(Row));
    if (most) memset(most, 0, (long)cuts * p->outputs * sizeof *most);
    for (int begin = 0; begin < p->points; begin += LANES) {
        const int lanes = p->points - begin < LANES ? p->points - begin : LANES;
        forward(p, r.v, begin, 0, r.values, r.value_counts[0]);
        for (int run = 0; run < p->runs; run++) {
            const char *some = r.some + run * slots;
            forward(p, r.v, begin, run, r.values + (1 + run) * slots, r.value_counts[1 + run]);
            for (int o = 0; o < p->outputs; o++) {
                const double scale = p->scale[o];
                const int out = p->out[o];
                if (torque) contribute(p, scale, run, begin, lanes, torque + o * rows, some[out] ? r.v[out] : NULL);
                if (!slopes) continue;
                const long place_ = run * p->outputs + o;
                const char *mark = r.marks + place_ * slots;
                backward((const Row *)r.v, r.d, r.slopes + place_ * slots, r.slope_counts[place_]);
                for (int k = 0; unit && k < units; k++) {
                    const int s = unit_at[k];
                    contribute(p, scale, run, begin, lanes, unit + k * each + o * rows, mark[s] ? r.d[s] : NULL);
                }
                for (int c = 0; cuts && c < cuts; c++) {
                    const int there = mark[at[c]] && some[removed[c]];
                    const double *restrict x = r.d[at[c]], *restrict y = r.v[removed[c]];
                    Row taken;
                    if (there) for (int l = 0; l < LANES; l++) taken[l] = x[l] * (sign[c] * y[l]);
                    if (most && there) {
                        double largest = most[c * p->outputs + o];
                        for (int l = 0; l < lanes; l++) {
                            const double size = fabs(taken[l]);
                            if (!(size <= largest)) largest = size == size ? size : INFINITY;
                        }
                        most[c * p->outputs + o] = largest;
                    }
                    if (effect && place[c] >= 0)
                        contribute(p, scale, run, begin, lanes, effect + place[c] * each + o * rows, there ? taken : NULL);
                }
            }
        }
    }
    leave(&r);
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

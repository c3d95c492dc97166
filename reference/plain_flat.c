/* Multicanonical and Wang-Landau simulation of Ising spins, to be read from top to bottom.
 *
 * The N spins s = +1 or -1 are those of a graph, whose bonds, fields, energies and flips are in plain_graph.h: the square lattice of L x L
 * sites with periodic boundaries and couplings 1, or with -G FILE any other. The energy is E = lowest + spacing n of level n, and of the
 * lattice E = - sum over nearest neighbours of s_i s_j = -2 N + 4 n.
 *
 * The levels of a range of energies, all of them as a rule, are divided into windows of equal width that overlap. R walkers in each window
 * flip single spins at random sites; a flip from level n to m is accepted with probability min[1, W(m) / W(n)], where W = 0 outside of the
 * window. Behind each attempt, accepted or not, the level is counted in the histogram H of the window. The weights W, kept as logarithms,
 * make it flat:
 *
 *     multicanonical   W <- W / H behind an iteration; where H = 0, W of the level before, or what it was over that
 *     Wang-Landau      W <- W exp(-H ln f) behind a block of attempts; ln f falls when the histogram is flat, or as 1/t
 *
 * Then the weights are fixed. Steps that are measured follow on those of a thermalisation. The number of states is g = H / W of what is counted
 * in them, and all g add up to 2^N; those of a part of the levels to 1. Behind each such step the magnetisation of each walker is added to the
 * sums of its level.
 *
 * Nothing here is fast. This program prints, byte for byte, columns 1, 2 and 4 to 9 of FH_density.dat that `paising --method
 * multicanonical` or wang-landau writes. Behind "# " it prints the first seven columns of FH_iterations.dat; the first, the fourth and the fifth
 * column of FH_exchanges.dat, of all exchanges with fixed weights; and the round trips.
 *
 *     cc -O2 -ffp-contract=off -o plain_flat plain_flat.c -lm
 *     ./plain_flat -m multicanonical -L 8 -R 8 -t 5 -W 4 -v 0.5 -w 10 -i 50 -n 200 -s 2017 -P 11 */
#include "../paising/base/ieee_math.h" /* exp and log, the same on any machine */
#include "plain_graph.h"
#include <err.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- One simulation --- */

typedef struct {
    int64_t lowest;      /* the window has levels lowest .. lowest + width - 1 */
    double *ln_W;        /* (width) */
    bool *seen;          /* (width) by any walker so far */
    uint64_t *block, *H; /* (width) of the last walk; of the iteration */
    uint64_t *produced;  /* (width) of measured steps */
    double ln_f;
    uint64_t attempts;        /* while weights are found */
    uint64_t tried, accepted; /* exchanges with the window above, with fixed weights */
    uint32_t iteration;
    bool by_time, ready;
} window;

typedef struct {
    int8_t *s;                  /* (N) its spins */
    int64_t level, least, most; /* where it is, and the extreme levels of its last walk */
    char came_from;             /* 'l' the lowest level, 'h' the highest behind it */
} walker;

typedef struct {
    double walkers, M, M2, M4; /* measured at a level, and sums of |M|, M^2 and M^4 over them */
} order_sums;

typedef struct {
    graph g;
    bool lattice;        /* whose ends are known: all spins up, and those of colour 0 */
    int64_t levels;      /* of the graph */
    int64_t first, last; /* the range of all windows */
    int64_t cold, unit;  /* on the way to windows */
    uint32_t windows, width;
    uint64_t R, key;
    uint32_t sweeps, thermalisation, iteration_length, block_attempts; /* a step has `sweeps` */
    double divergence, flatness, last_ln_f;
    bool wang_landau, one_over_t, found;
    int digits;
    window *w;
    walker *walkers;      /* (windows, R) */
    order_sums *order;    /* (levels) */
    uint64_t round_trips; /* from the lowest level to the highest and back, in measured steps */
    uint32_t walk, step, in_iteration;
    double known; /* levels of all windows that were seen before this iteration */
} simulation;

/* Zeros, which live as long as the program. */
static void *make(size_t count, size_t bytes) {
    void *const array = calloc(count, bytes);
    if (!array)
        errx(2, "not enough memory");
    return array;
}

static int64_t level_of(const simulation *p, const int8_t *s) {
    int64_t E, M;
    measure_graph(&p->g, s, &E, &M);
    return (E - p->g.lowest) / p->g.spacing;
}

/* The distance of a level from a window; 0: it is in it. */
static int64_t distance(const simulation *p, const window *w, int64_t n) {
    const int64_t below = w->lowest - n, above = n - (w->lowest + p->width - 1);
    return below > 0 ? below : above > 0 ? above : 0;
}

/* 2^31 times the probability of a flip from level n to m, by the weights at least 1. On the way to the window it is certain if it does not
 * lead away from it; what leads away from outside has the probability 2^(-cold away / unit), or 0 if cold is. */
static uint32_t threshold(const simulation *p, const window *w, int64_t n, int64_t m,
                          bool on_the_way) {
    const uint32_t certain = UINT32_C(1) << 31;
    const int64_t from = distance(p, w, n), away = distance(p, w, m) - from;
    if (on_the_way) {
        const int64_t halvings = p->cold * away / p->unit;
        return m < 0 || m >= p->levels                      ? 0
               : away <= 0                                  ? certain
               : from == 0 || p->cold == 0 || halvings > 31 ? 0
                                                            : certain >> halvings;
    }
    if (distance(p, w, m) > 0)
        return 0;
    const double ln_P = w->ln_W[m - w->lowest] - w->ln_W[n - w->lowest];
    const uint32_t whole = ln_P < 0 ? (uint32_t)(0x1p31 * ieee_exp(ln_P) + 0.5) : certain;
    return whole > 0 ? whole : 1;
}

/* Attempts of walker k of a window. All walkers try the same sites. Four attempts share a call. */
static void walk(simulation *p, window *w, uint32_t k, uint32_t attempts, bool on_the_way) {
    walker *const v = &p->walkers[k];
    four_numbers random = {{0}}, sites = {{0}};
    v->least = p->levels;
    v->most = -1;
    for (uint32_t a = 0; a < attempts; a++) {
        if (a % 4 == 0) {
            use u = {.purpose = WALK, .position = a / 4, .owner = k, .step = p->walk};
            random = philox(p->key, u);
            u.owner = 0;
            u.sweep = 1;
            sites = philox(p->key, u);
        }
        const uint32_t site = (uint32_t)((uint64_t)sites.r[a % 4] * p->g.N >> 32);
        const int64_t to = v->level + flip_energy(&p->g, v->s, site) / p->g.spacing;
        if (random.r[a % 4] >> 1 < threshold(p, w, v->level, to, on_the_way)) {
            v->s[site] = (int8_t)-v->s[site];
            v->level = to;
        }
        v->least = v->level < v->least ? v->level : v->least;
        v->most = v->level > v->most ? v->level : v->most;
        if (!on_the_way)
            w->block[v->level - w->lowest]++;
    }
}

/* Counts walkers that are back at the lowest level that was ever seen, from the highest one. A walk that has both counts as one of them. */
static void count_round_trips(simulation *p, bool counts) {
    int64_t lowest = p->levels, highest = -1;
    for (uint32_t i = 0; i < p->windows; i++)
        for (int64_t n = 0; n < p->width; n++)
            if (p->w[i].seen[n]) {
                lowest = p->w[i].lowest + n < lowest ? p->w[i].lowest + n : lowest;
                highest = p->w[i].lowest + n > highest ? p->w[i].lowest + n : highest;
            }
    for (walker *v = p->walkers; v < p->walkers + p->windows * p->R; v++) {
        const bool low = v->least == lowest && v->came_from != 'l',
                   high = !low && v->most == highest && v->came_from == 'l';
        p->round_trips += counts && low && v->came_from == 'h';
        v->came_from = low ? 'l' : high ? 'h' : v->came_from;
    }
}

/* The next walk of all walkers. */
static void walk_all(simulation *p, uint32_t attempts, bool on_the_way) {
    p->walk++;
    for (uint32_t i = 0; i < p->windows; i++) {
        memset(p->w[i].block, 0, p->width * sizeof *p->w[i].block);
        for (uint64_t r = 0; r < p->R; r++)
            walk(p, &p->w[i], (uint32_t)(i * p->R + r), attempts, on_the_way);
        for (uint32_t n = 0; n < p->width; n++)
            p->w[i].seen[n] |= p->w[i].block[n] > 0;
    }
}

static bool has_all(const simulation *p) {
    return p->last - p->first + 1 == p->levels;
}

/* Walkers of a graph, and with one window of all levels, begin at random. Those of the lattice else begin ordered, in the lower half all up,
 * in the upper half up on one sub-lattice. Then walks of a sweep lead them to their windows; those of a graph cool down in eight stages of
 * ten, again and again. */
static bool begin(simulation *p) {
    const bool at_random = p->windows == 1 && has_all(p);
    for (uint32_t k = 0; k < p->windows * p->R; k++) {
        walker *const v = &p->walkers[k];
        const bool low = 2 * p->w[k / p->R].lowest + p->width <= p->levels;
        randomise_graph(&p->g, v->s, p->key, (use){.purpose = RANDOMISE, .owner = k});
        for (uint32_t i = 0; i < p->g.N && p->lattice && !at_random; i++)
            v->s[i] = low || p->g.colour[i] == 0 ? 1 : -1;
        v->level = level_of(p, v->s);
    }
    bool arrived = at_random;
    for (uint32_t sweeps = 0; sweeps < 10000 && !arrived; sweeps++) {
        p->cold = p->lattice ? 0 : 1 + sweeps / 10 % 8;
        walk_all(p, p->g.N, true);
        arrived = true;
        for (uint32_t k = 0; k < p->windows * p->R; k++)
            arrived = arrived && distance(p, &p->w[k / p->R], p->walkers[k].level) == 0;
    }
    return arrived;
}

/* Exchanges walkers of windows i and i + 1, even and odd i in turn, with probability min(1, product of the new weights over that of the
 * old ones). Two of the walkers of a window share a call. */
static void exchange(simulation *p) {
    for (uint32_t i = p->step % 2; i + 1 < p->windows; i += 2)
        for (uint64_t r = 0; r < p->R; r++) {
            window *const a = &p->w[i], *const b = &p->w[i + 1];
            walker *const v = &p->walkers[i * p->R + r], *const other = v + p->R, old = *v;
            a->tried += p->found;
            if (distance(p, a, other->level) > 0 || distance(p, b, v->level) > 0)
                continue;
            const double ln_P = a->ln_W[other->level - a->lowest] + b->ln_W[v->level - b->lowest] -
                                (a->ln_W[v->level - a->lowest] + b->ln_W[other->level - b->lowest]);
            const use u = {EXCHANGE, i, (uint32_t)(r / 2), .step = p->step};
            const four_numbers random = philox(p->key, u);
            const uint64_t x = (uint64_t)random.r[2 * (r % 2)] << 32 | random.r[2 * (r % 2) + 1];
            if (ln_P < 0 && x >= (uint64_t)(0x1p64 * ieee_exp(ln_P)))
                continue;
            *v = *other;
            *other = old;
            a->accepted += p->found;
        }
}

/* --- Weights --- */

/* Prints numbers as a row. Whole ones keep all digits, and there is no -0. */
static void print_row(const double row[], int count, int digits) {
    for (int n = 0; n < count; n++)
        printf("%.*g%c", row[n] == rint(row[n]) ? 17 : digits, row[n] + 0.0,
               n + 1 < count ? ' ' : '\n');
}

typedef struct {
    double divergence, flatness, levels, lowest, has_ends;
} look;

/* What the histogram of a window says: sum of h ln(h K), smallest count over the mean, K levels seen and the lowest of them. Then whether the
 * ends of all levels were seen that the range has, but of a graph, and levels that a window shares with those beside it. */
static look look_at(const simulation *p, const window *w) {
    look l = {.lowest = (double)(w->lowest + p->width)};
    double sum = 0, least = INFINITY, counted = 0;
    bool low = w == p->w && (p->first > 0 || !p->lattice),
         high = w == p->w + p->windows - 1 && (p->last + 1 < p->levels || !p->lattice);
    const int64_t low_end = w == p->w ? 1 : w[-1].lowest + p->width - w->lowest,
                  high_begin = w == p->w + p->windows - 1 ? p->width - 1 : w[1].lowest - w->lowest;
    for (uint32_t n = 0; n < p->width; n++) {
        sum += (double)w->H[n];
        l.levels += w->seen[n];
        if (w->seen[n]) {
            low = low || n < low_end;
            high = high || n >= high_begin;
            l.lowest = fmin(l.lowest, (double)(w->lowest + n));
            counted += (double)w->H[n];
            least = fmin(least, (double)w->H[n]);
        }
    }
    for (uint32_t n = 0; n < p->width; n++) {
        const double h = (double)w->H[n] / sum;
        if (w->seen[n])
            l.divergence += h > 0 ? h * ieee_log(h * l.levels) : INFINITY;
    }
    l.flatness = counted > 0 ? least * l.levels / counted : 0;
    l.has_ends = low && high;
    return l;
}

static void print_iteration(const simulation *p, const window *w, const look *l) {
    const double row[] = {(double)(w - p->w), w->iteration,  p->step + 1.0, l->levels,
                          l->lowest,          l->divergence, l->flatness};
    printf("# ");
    print_row(row, sizeof row / sizeof *row, p->digits);
}

/* W <- W / H; where H = 0, as seen from the most visited level, W of the level before, times what the ratio of the two was if the level
 * was ever seen. */
static void divide_weights(const simulation *p, window *w) {
    double sum = 0;
    uint32_t top = 0;
    double old[p->width];
    memcpy(old, w->ln_W, sizeof old);
    for (uint32_t n = 0; n < p->width; n++) {
        sum += (double)w->H[n];
        top = w->H[n] > w->H[top] ? n : top;
    }
    for (uint32_t n = 0; n < p->width; n++)
        if (w->H[n] > 0)
            w->ln_W[n] -= ieee_log((double)w->H[n] / sum);
    for (uint32_t n = top + 1; n < p->width; n++)
        if (w->H[n] == 0)
            w->ln_W[n] = w->ln_W[n - 1] + (w->seen[n] ? old[n] - old[n - 1] : 0);
    for (uint32_t n = top; n-- > 0;)
        if (w->H[n] == 0)
            w->ln_W[n] = w->ln_W[n + 1] + (w->seen[n] ? old[n] - old[n + 1] : 0);
}

/* The end of a multicanonical step: one of the thermalisation counts nothing, and the last one of an iteration changes the weights. The next
 * iteration is twice as long if this one saw no new level. */
static void end_multicanonical_step(simulation *p) {
    p->in_iteration++;
    const bool ends = p->in_iteration == p->thermalisation + p->iteration_length;
    bool all_ends = true;
    double seen = 0;
    for (uint32_t i = 0; i < p->windows; i++) {
        window *const w = &p->w[i];
        const look l = look_at(p, w);
        all_ends = all_ends && l.has_ends > 0;
        seen += l.levels;
        if (ends && !w->ready) {
            w->ready = l.has_ends > 0 && l.divergence < p->divergence;
            print_iteration(p, w, &l);
            divide_weights(p, w);
            w->iteration++;
        }
        if (p->in_iteration <= p->thermalisation || ends)
            memset(w->H, 0, p->width * sizeof *w->H);
    }
    if (!ends)
        return;
    if (all_ends && seen == p->known)
        p->iteration_length *= 2;
    p->known = seen;
    p->in_iteration = 0;
}

/* ln g grows by ln f for each count of the last block. Levels that nobody has seen have the smallest ln g there is. */
static void change_weights(const simulation *p, window *w) {
    double most = -INFINITY, levels = 0;
    for (uint32_t n = 0; n < p->width; n++) {
        w->ln_W[n] -= w->ln_f * (double)w->block[n];
        w->attempts += w->block[n];
        levels += w->seen[n];
        most = w->seen[n] ? fmax(most, w->ln_W[n]) : most;
    }
    for (uint32_t n = 0; n < p->width; n++)
        w->ln_W[n] = w->seen[n] ? w->ln_W[n] : most;
    w->ln_f = w->by_time ? levels / (double)w->attempts : w->ln_f;
}

/* The end of a Wang-Landau step: ln f is halved if the histogram is flat. */
static void end_wang_landau_step(simulation *p, window *w) {
    const look l = look_at(p, w);
    const bool flat = !w->by_time && l.has_ends > 0 && l.flatness > p->flatness;
    if (w->ready)
        return;
    w->ready = (flat || w->by_time) && (flat ? w->ln_f / 2 : w->ln_f) < p->last_ln_f;
    if (flat || w->ready)
        print_iteration(p, w, &l);
    if (!flat)
        return;
    w->ln_f /= 2;
    w->iteration++;
    memset(w->H, 0, p->width * sizeof *w->H);
    w->by_time = p->one_over_t && w->ln_f <= l.levels / (double)w->attempts;
}

/* Adds the magnetisation of each walker to the sums of its level. */
static void measure(simulation *p) {
    for (const walker *v = p->walkers; v < p->walkers + p->windows * p->R; v++) {
        int64_t E, M;
        measure_graph(&p->g, v->s, &E, &M);
        const double m = (double)llabs(M);
        order_sums *const o = &p->order[v->level];
        o->walkers++;
        o->M += m;
        o->M2 += m * m;
        o->M4 += m * m * m * m;
    }
}

/* A step of so many sweeps of each walker. `counts`: in the histogram of production. */
static void make_step(simulation *p, bool counts) {
    const uint64_t most = p->wang_landau && !p->found ? p->block_attempts : 1u << 26;
    exchange(p);
    for (uint64_t left = (uint64_t)p->sweeps * p->g.N, now; left > 0; left -= now) {
        now = left < most ? left : most;
        walk_all(p, (uint32_t)now, false);
        if (p->found)
            count_round_trips(p, counts);
        for (uint32_t i = 0; i < p->windows; i++) {
            window *const w = &p->w[i];
            for (uint32_t n = 0; n < p->width; n++) {
                w->H[n] += p->found ? 0 : w->block[n];
                w->produced[n] += counts ? w->block[n] : 0;
            }
            if (p->wang_landau && !p->found && !w->ready)
                change_weights(p, w);
        }
    }
    if (!p->found && !p->wang_landau)
        end_multicanonical_step(p);
    for (uint32_t i = 0; i < p->windows && !p->found && p->wang_landau; i++)
        end_wang_landau_step(p, &p->w[i]);
    if (counts)
        measure(p);
    p->step++;
}

/* --- Numbers of states --- */

/* ln g = ln H - ln W of each level, (levels); NAN where no walker was. A window joins those below it by the mean difference over the levels that
 * both have visited, with the weights H H' / (H + H'). by_weights: of 1 / W alone, as if H were 1 where it was seen. */
static void join(const simulation *p, bool by_weights, double *ln_g, double *total) {
    double top = -INFINITY, sum = 0;
    for (int64_t n = 0; n < p->levels; n++) {
        ln_g[n] = NAN;
        total[n] = 0;
    }
    for (uint32_t i = 0; i < p->windows; i++) {
        const window *const w = &p->w[i];
        double difference = 0, weights = 0;
        for (uint32_t n = 0; n < p->width; n++) {
            const double H = by_weights ? w->seen[n] : (double)w->produced[n],
                         below = total[w->lowest + n];
            if (H == 0 || below == 0)
                continue;
            const double weight = H * below / (H + below);
            difference += weight * (ln_g[w->lowest + n] - (ieee_log(H) - w->ln_W[n]));
            weights += weight;
        }
        for (uint32_t n = 0; n < p->width; n++) {
            const double H = by_weights ? w->seen[n] : (double)w->produced[n];
            double *const below = &total[w->lowest + n], *const x = &ln_g[w->lowest + n];
            if (H == 0)
                continue;
            const double here = ieee_log(H) - w->ln_W[n] + (i > 0 ? difference / weights : 0);
            *x = *below > 0 ? (*below * *x + H * here) / (*below + H) : here;
            *below += H;
        }
    }
    for (int64_t n = 0; n < p->levels; n++)
        top = ln_g[n] > top ? ln_g[n] : top;
    for (int64_t n = 0; n < p->levels; n++)
        sum += ln_g[n] > -INFINITY ? ieee_exp(ln_g[n] - top) : 0;
    for (int64_t n = 0; n < p->levels; n++) /* all g add up to 2^N, or 1 */
        ln_g[n] -= top + ieee_log(sum) - (has_all(p) ? p->g.N * ieee_log(2) : 0);
}

static void print_states(const simulation *p) {
    const size_t levels = (size_t)p->levels;
    double *const ln_g = make(levels, sizeof *ln_g), *const of_weights = make(levels, sizeof *ln_g),
                  *const total = make(levels, sizeof *total);
    join(p, true, of_weights, total);
    join(p, false, ln_g, total);
    printf("# E ln_g ln_g_weights visits |m| m2 m4 measurements\n");
    for (size_t n = 0; n < levels; n++) {
        const order_sums o = p->order[n];
        const double N = p->g.N, N2 = N * N, measured = o.walkers > 0 ? o.walkers : NAN;
        const double E = (double)(p->g.lowest + p->g.spacing * (int64_t)n);
        const double row[] = {E,
                              ln_g[n],
                              of_weights[n],
                              total[n],
                              o.M / measured / N,
                              o.M2 / measured / N2,
                              o.M4 / measured / (N2 * N2),
                              o.walkers};
        if (!isnan(ln_g[n]))
            print_row(row, sizeof row / sizeof *row, p->digits);
    }
}

/* --- The program --- */

static bool whole(double x, double least, double most) {
    return x >= least && x <= most && x == floor(x);
}

/* Reads "-X number" to value['X'], the method, and the name of a file. Returns whether all options are known and their values allowed. */
static bool read_options(int argc, char **argv, double value[128], const char **file) {
    char more;
    opterr = 0;
    for (int letter;
         (letter = getopt(argc, argv, "m:G:L:R:t:W:v:A:B:w:i:I:n:d:x:l:b:y:s:P:")) != -1;)
        if (letter == 'm' && (!strcmp(optarg, "multicanonical") || !strcmp(optarg, "wang-landau")))
            value['m'] = !strcmp(optarg, "wang-landau");
        else if (letter == 'G')
            *file = optarg;
        else if (letter == '?' || letter == 'm' ||
                 sscanf(optarg, "%lf%c", &value[letter], &more) != 1)
            return false;
    return optind == argc && whole(value['L'] / 2, 2, 64) && whole(value['R'], 1, 1e6) &&
           whole(value['t'], 1, 1e6) && whole(value['W'], 1, 1000) && value['v'] >= 0 &&
           value['v'] <= 0.9 && whole(value['w'], 0, 1e6) && whole(value['i'], 1, 1e6) &&
           whole(value['I'], 1, 1e6) && whole(value['n'], 1, 1e6) &&
           whole(value['b'], 1, 1 << 26) && whole(value['y'], 0, 1) &&
           whole(value['s'], 0, 0x1p53) && whole(value['P'], 1, 17);
}

/* A file of the bonds of the lattice; NULL: there is none. */
static FILE *lattice_file(uint32_t L) {
    FILE *const file = tmpfile();
    for (uint32_t y = 0; y < L && file; y++)
        for (uint32_t x = 0; x < L; x++)
            fprintf(file, "%u %u 1\n%u %u 1\n", y * L + x, y * L + (x + 1) % L, y * L + x,
                    (y + 1) % L * L + x);
    if (file)
        rewind(file);
    return file;
}

/* Reads the graph of a file, its levels, and the unit of the way to windows, half of what any flip can cost. */
static bool make_graph(simulation *p, FILE *file) {
    graph *const g = &p->g;
    if (!file || !read_graph(g, file))
        return false;
    colour_graph(g);
    find_levels(g);
    int64_t most = 0;
    for (uint32_t i = 0; i < g->N; i++) {
        int64_t change = 2 * llabs(g->h[i]);
        for (size_t n = 0; n < g->lines; n++)
            change += neighbour(g, n, i) < g->N ? 2 * llabs(g->J[n]) : 0;
        most = change > most ? change : most;
    }
    p->unit = most / g->spacing / 2 > 1 ? most / g->spacing / 2 : 1;
    p->levels = (int64_t)g->levels;
    return fclose(file) == 0;
}

/* Divides the levels into windows: of `width` levels, so that neighbours share the part `overlap`. */
static void make_windows(simulation *p, double overlap) {
    const double all = (double)(p->last - p->first + 1), n = p->windows;
    p->width = (uint32_t)(n == 1 ? all
                                 : fmax(ceil(all / (1 + (n - 1) * (1 - overlap))),
                                        ceil((all - 1) / n) + 1));
    p->w = make(p->windows, sizeof *p->w);
    for (uint32_t i = 0; i < p->windows; i++) {
        window *const w = &p->w[i];
        *w = (window){.lowest = p->first, .ln_f = 1, .iteration = 1};
        if (p->windows > 1)
            w->lowest += (p->last - p->first + 1 - p->width) * i / (p->windows - 1);
        w->ln_W = make(p->width, sizeof *w->ln_W);
        w->seen = make(p->width, sizeof *w->seen);
        w->block = make(p->width, sizeof *w->block);
        w->H = make(p->width, sizeof *w->H);
        w->produced = make(p->width, sizeof *w->produced);
    }
}

static void make_walkers(simulation *p) {
    p->walkers = make(p->windows * p->R, sizeof *p->walkers);
    for (uint64_t k = 0; k < p->windows * p->R; k++)
        p->walkers[k].s = make(p->g.N, sizeof *p->walkers[k].s);
    p->order = make((size_t)p->levels, sizeof *p->order);
}

int main(int argc, char **argv) {
    double value[128] = {
        ['L'] = 8,   ['R'] = 8,    ['t'] = 100,  ['W'] = 1,    ['v'] = 0.5,  ['w'] = 100,
        ['i'] = 100, ['I'] = 1000, ['n'] = 1000, ['d'] = 0.02, ['x'] = 0.8,  ['l'] = 1e-6,
        ['b'] = 100, ['y'] = 1,    ['s'] = 2017, ['P'] = 11,   ['A'] = -1e9, ['B'] = 1e9};
    const char usage[] =
        "usage: plain_flat [-m multicanonical|wang-landau] [-L even edge|-G file of a graph] [-R "
        "walkers of a window] "
        "[-t sweeps of a step] [-W windows] [-v their overlap] [-A lowest energy] [-B highest "
        "energy] [-w steps not counted] [-i steps of "
        "an iteration] [-I iterations] [-n steps with fixed weights] [-d divergence] [-x flatness] "
        "[-l last ln f] [-b attempts of a block] [-y 1: 1/t, 0: halved] [-s seed] [-P digits]";
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return puts(usage) >= 0 && fclose(stdout) == 0 ? 0 : 1;
    const char *file = NULL;
    if (!read_options(argc, argv, value, &file))
        errx(2, "%s", usage);
    static simulation p; /* zero-initialised; its arrays live as long as the program */
    p.lattice = file == NULL;
    if (!make_graph(&p, file ? fopen(file, "r") : lattice_file((uint32_t)value['L'])))
        errx(2, "%s: not a graph", file ? file : "the lattice");
    p.windows = (uint32_t)value['W'], p.R = (uint64_t)value['R'], p.digits = (int)value['P'];
    p.sweeps = (uint32_t)value['t'], p.thermalisation = (uint32_t)value['w'];
    p.iteration_length = (uint32_t)value['i'], p.block_attempts = (uint32_t)value['b'];
    p.divergence = value['d'], p.flatness = value['x'], p.last_ln_f = value['l'];
    p.wang_landau = value['m'] > 0, p.one_over_t = value['y'] > 0;
    const double low = (double)p.g.lowest, step = (double)p.g.spacing, top = (double)p.levels - 1;
    p.first = (int64_t)fmax(0, ceil((value['A'] - low) / step));
    p.last = (int64_t)fmin(top, floor((value['B'] - low) / step));
    if (p.last - p.first < 3)
        errx(2, "%s", usage);
    make_windows(&p, value['v']);
    make_walkers(&p);
    const four_numbers key = philox((uint64_t)value['s'], (use){.purpose = RUN_KEY});
    p.key = (uint64_t)key.r[1] << 32 | key.r[0];

    if (!begin(&p))
        errx(1, "walkers have not come into their windows");
    printf("# window iteration steps levels lowest divergence flatness\n");
    const double most = value['I'] * ((p.wang_landau ? 0 : value['w']) + value['i']);
    while (!p.found) {
        make_step(&p, false);
        p.found = true;
        for (uint32_t i = 0; i < p.windows && p.step < most; i++)
            p.found = p.found && p.w[i].ready;
    }
    for (uint32_t n = 0; n < p.thermalisation + (uint32_t)value['n']; n++)
        make_step(&p, n >= p.thermalisation);
    for (uint32_t i = 0; i + 1 < p.windows; i++)
        printf("# exchanges: %u %llu %llu\n", i, (unsigned long long)p.w[i].tried,
               (unsigned long long)p.w[i].accepted);
    printf("# round trips: %llu\n", (unsigned long long)p.round_trips);
    print_states(&p);
    return fclose(stdout) == 0 ? 0 : 1; /* 1: output was lost */
}

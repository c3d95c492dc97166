/* Population annealing of Ising spins on a graph, to be read from top to bottom: plain.c for any bonds and fields,
 *
 *     E = - sum over bonds of J_ij s_i s_j - sum over sites of h_i s_i,
 *
 * with whole numbers J and h. The file has a line "i j J" for each bond and "i i h" for a field, sites from 0. Steps and
 * equations are those of plain.c, which explains them; sites and levels are new. This program prints, byte for byte, the first
 * ten columns that `paising --graph FILE` writes. With -X Lx -Y Ly, even, the sites are those of a lattice, x + Lx (y + Ly z), of
 * which bonds may be missing: then these are the columns of `paising -c ssc` with open or antiperiodic boundaries, or dilution.
 *
 *     cc -O2 -ffp-contract=off -o plain_graph plain_graph.c -lm
 *     ./plain_graph -R 1000 -t 10 -f 1 -d 0.05 -s 2017 -P 11 FILE */
#include "plain_graph.h"
#include "../paising/base/ieee_math.h" /* exp and log, the same on any machine */
#include <err.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__extension__ typedef __int128 wide; /* for exact sums of integers */

/* --- The graph, in plain_graph.h, and the lattice --- */

/* Those of a lattice: of the even sub-lattice, and of the odd one, whatever bonds there are. */
static void colour_lattice(graph *g, uint32_t Lx, uint32_t Ly) {
    for (uint32_t i = 0; i < g->N; i++)
        g->colour[i] = (i % Lx + i / Lx % Ly + i / Lx / Ly) % 2;
    g->colours = 2;
}

/* --- Sweeps --- */

/* The update, and the inverse temperature. */
typedef struct {
    bool heat_bath; /* or Metropolis */
    double beta;
} flip_rule;

/* The probability of a flip that changes the energy by dE >= 0. Metropolis makes every other flip; in a heat bath
 * P(-dE) = 1 - P(dE). */
static double acceptance(flip_rule rule, int64_t dE) {
    const double beta_dE = rule.beta * (double)dE;
    return rule.heat_bath ? 1 / (1 + ieee_exp(beta_dE)) : ieee_exp(-beta_dE);
}

/* One sweep of single-spin flips. Four sites of a colour share a call. */
static void sweep_graph(const graph *g, int8_t *s, flip_rule rule, uint64_t key, use u) {
    four_numbers random = {{0}};
    uint32_t calls = 0; /* of the colours before */
    for (uint32_t colour = 0; colour < g->colours; colour++) {
        uint32_t n = 0; /* sites of this colour visited */
        for (uint32_t i = 0; i < g->N; i++) {
            if (g->colour[i] != colour)
                continue;
            u.position = calls + n / 4;
            if (n % 4 == 0)
                random = philox(key, u);
            const int64_t dE = flip_energy(g, s, i);
            const uint32_t threshold =
                dE == 0 ? 0x80000000 : round_at_random(acceptance(rule, llabs(dE)), key, u);
            const bool below = random.r[n++ % 4] < threshold,
                       flips = rule.heat_bath ? below != (dE < 0) : below || dE <= 0;
            if (flips)
                s[i] = (int8_t)-s[i];
        }
        calls += (n + 3) / 4;
    }
}

/* --- The population, and the five steps --- */

typedef struct {
    graph g;
    bool heat_bath;    /* the update */
    uint64_t N;        /* sites */
    uint64_t target;   /* R */
    uint64_t capacity; /* most replicas that fit into memory */
    uint64_t key;      /* key of the random numbers */
    uint32_t i;        /* index of the temperature */
    double beta;       /* beta_i */
    double ln_Q;       /* ln Q(beta_i-1, beta_i) */
    double beta_F;     /* beta_i F(beta_i), of the whole graph */
    uint64_t R;        /* R_i replicas */
    int8_t *spins;     /* (R_i, N) */
    int8_t *children;  /* (R_i, N), the next population during resampling */
    int64_t *E;        /* (R_i) energies */
    uint64_t *P;       /* (levels) number of replicas of each level */
    uint64_t *tau_hat; /* (levels) expected children of one such replica, times 2^32 */
} population;

static int8_t *state(const population *p, uint64_t j) {
    return p->spins + j * p->N;
}

static uint64_t level(const population *p, uint64_t j) {
    return (uint64_t)((p->E[j] - p->g.lowest) / p->g.spacing);
}

/* Step 1: random states, as at beta = 0, where Z = 2^N. */
static void randomise(population *p) {
    p->R = p->target;
    p->beta_F = -(double)p->N * ieee_log(2);
    for (uint64_t j = 0; j < p->R; j++)
        randomise_graph(&p->g, state(p, j), p->key,
                        (use){.purpose = RANDOMISE, .owner = (uint32_t)j});
}

/* Step 2, the weights. */
static void weigh(population *p, double beta) {
    const double dbeta = beta - p->beta, step = (double)p->g.spacing;
    memset(p->P, 0, p->g.levels * sizeof *p->P);
    for (uint64_t j = 0; j < p->R; j++)
        p->P[level(p, j)]++;
    uint64_t lowest = 0;
    while (p->P[lowest] == 0)
        lowest++;
    const double E_0 = (double)p->g.lowest + step * (double)lowest;

    double sum = 0; /* over replicas, of exp(-dbeta (E - E_0)): equals R_i-1 Q exp(dbeta E_0) */
    for (uint64_t n = lowest; n < p->g.levels; n++)
        sum += (double)p->P[n] * ieee_exp(-dbeta * (step * (double)(n - lowest)));
    p->ln_Q = ieee_log(sum / (double)p->R) - dbeta * E_0; /* eq. (1) */
    for (uint64_t n = lowest; n < p->g.levels; n++) {     /* eq. (2): (R / R_i-1) tau */
        const double weight = ieee_exp(-dbeta * (step * (double)(n - lowest)));
        p->tau_hat[n] = (uint64_t)(0x1p32 * ((double)p->target * weight / sum) + 0.5);
    }
    p->beta_F -= p->ln_Q; /* eq. (4) */
    p->beta = beta;
}

/* Step 2, the children (eq. 2): a replica gets floor(tau-hat) copies, and one more with probability
 * tau-hat - floor(tau-hat). Returns false if there are no children, or no room for them. */
static bool resample(population *p) {
    uint64_t children = 0;
    four_numbers random = {{0}};
    for (uint64_t j = 0; j < p->R; j++) {
        const use u = {.purpose = RESAMPLE, .owner = (uint32_t)(j / 4), .step = p->i};
        if (j % 4 == 0)
            random = philox(p->key, u);
        const uint64_t tau_hat = p->tau_hat[level(p, j)];
        const uint64_t copies = (tau_hat >> 32) + (random.r[j % 4] < (uint32_t)tau_hat);
        if (copies > p->capacity - children)
            return false;
        for (uint64_t copy = 0; copy < copies; copy++)
            memcpy(p->children + children++ * p->N, state(p, j), p->N);
    }
    int8_t *const parents = p->spins;
    p->spins = p->children;
    p->children = parents;
    p->R = children;
    return children > 0;
}

/* Step 3: theta sweeps of each replica. */
static void equilibrate(population *p, uint32_t theta) {
    const flip_rule rule = {p->heat_bath, p->beta};
    for (uint64_t j = 0; j < p->R; j++) {
        use u = {.purpose = SPINS, .owner = (uint32_t)j, .step = p->i};
        for (u.sweep = 0; u.sweep < theta; u.sweep++)
            sweep_graph(&p->g, state(p, j), rule, p->key, u);
    }
}

/* Step 4: averages over the population (eqs. 3 and 5), printed as a row. Energies are relative to
 * one near their mean; otherwise the variance would be a small difference of large numbers. */
static void measure(population *p, int digits) {
    wide sum_E = 0, sum_abs_M = 0, sum_M2 = 0, sum_M4 = 0, sum_x = 0, sum_x2 = 0;
    for (uint64_t j = 0; j < p->R; j++) {
        int64_t M;
        measure_graph(&p->g, state(p, j), &p->E[j], &M);
        const wide M2 = M * M;
        sum_E += p->E[j];
        sum_abs_M += llabs(M);
        sum_M2 += M2;
        sum_M4 += M2 * M2;
    }
    const int64_t near_mean = (int64_t)(sum_E / (wide)p->R);
    for (uint64_t j = 0; j < p->R; j++) {
        const int64_t x = p->E[j] - near_mean;
        sum_x += x;
        sum_x2 += x * x;
    }
    const double R = (double)p->R, N = (double)p->N, beta = p->beta, beta_f = p->beta_F / N;
    const double mean_x = (double)sum_x / R, variance = (double)sum_x2 / R - mean_x * mean_x;
    const double e = (double)sum_E / R / N;
    const double C = beta * beta / N * variance;
    const double abs_m = (double)sum_abs_M / R / N;
    const double m2 = (double)sum_M2 / R / (N * N);
    const double m4 = (double)sum_M4 / R / (N * N * N * N);
    const double row[10] = {beta, e, C, abs_m, m2, m4, beta_f, beta * e - beta_f, R, p->ln_Q};
    for (int n = 0; n < 10; n++) /* whole numbers keep all digits, and there is no -0 */
        printf("%.*g%c", row[n] == rint(row[n]) ? 17 : digits, row[n] + 0.0, n < 9 ? ' ' : '\n');
}

/* --- The program --- */

static bool whole(double x, double least, double most) {
    return x >= least && x <= most && x == floor(x);
}

/* Reads "-X number" to value['X'], and an update as 0 or 1. Returns whether all options are known and their values
 * allowed, and one word, the file, follows them. */
static bool read_options(int argc, char **argv, double value[128]) {
    char more;
    opterr = 0;
    for (int letter; (letter = getopt(argc, argv, "u:R:t:f:d:s:P:X:Y:")) != -1;)
        if (letter == 'u' && (!strcmp(optarg, "metropolis") || !strcmp(optarg, "heat-bath")))
            value['u'] = !strcmp(optarg, "heat-bath");
        else if (letter == '?' || letter == 'u' ||
                 sscanf(optarg, "%lf%c", &value[letter], &more) != 1)
            return false;
    return optind + 1 == argc && whole(value['R'], 1, 1e9) && whole(value['t'], 1, UINT32_MAX) &&
           value['f'] >= 0 && value['f'] <= 1000 && value['d'] > 0 &&
           value['f'] / value['d'] <= 999999 && whole(value['s'], 0, 0x1p53) &&
           whole(value['P'], 1, 17) && whole(value['X'] / 2, 0, 1536) &&
           whole(value['Y'] / 2, value['X'] > 0, 1536);
}

int main(int argc, char **argv) {
    double value[128] = {
        ['R'] = 20000, ['t'] = 100, ['f'] = 1, ['d'] = 0.005, ['s'] = 2017, ['P'] = 11};
    const char usage[] =
        "usage: plain_graph [-u metropolis|heat-bath] [-R population] [-t sweeps] "
        "[-f last beta] [-d its step] [-s seed] [-P digits] [-X edge -Y edge] FILE";
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return puts(usage) >= 0 && fclose(stdout) == 0 ? 0 : 1;
    if (!read_options(argc, argv, value))
        errx(2, "%s", usage);
    const double beta_end = value['f'], dbeta = value['d'];
    static population p; /* zero-initialised; its arrays live as long as the program */
    FILE *const file = fopen(argv[optind], "r");
    if (!file || !read_graph(&p.g, file))
        errx(2, "%s: not a graph", argv[optind]);
    fclose(file);
    if (value['X'] > 0)
        colour_lattice(&p.g, (uint32_t)value['X'], (uint32_t)value['Y']);
    else
        colour_graph(&p.g);
    find_levels(&p.g);
    p.heat_bath = value['u'] > 0;
    p.N = p.g.N;
    p.target = (uint64_t)value['R'];
    p.capacity = p.target + (uint64_t)ceil(8 * sqrt(value['R'])) + 32;
    p.spins = malloc(p.capacity * p.N);
    p.children = malloc(p.capacity * p.N);
    p.E = malloc(p.capacity * sizeof *p.E);
    p.P = malloc(p.g.levels * sizeof *p.P);
    p.tau_hat = malloc(p.g.levels * sizeof *p.tau_hat);
    if (!p.spins || !p.children || !p.E || !p.P || !p.tau_hat)
        errx(2, "not enough memory");
    const four_numbers key = philox((uint64_t)value['s'], (use){.purpose = RUN_KEY});
    p.key = (uint64_t)key.r[1] << 32 | key.r[0];
    /* Equal steps; the last may be shorter. A rest of less than a millionth of a step is rounding. */
    const double steps = beta_end > 0 ? fmax(1, ceil(beta_end / dbeta - 1e-6)) : 0;
    printf("# beta e C |m| m2 m4 betaF/N S/N R lnQ\n");
    randomise(&p);
    measure(&p, (int)value['P']);
    for (p.i = 1; p.i <= steps; p.i++) { /* step 5 */
        weigh(&p, p.i < steps ? p.i * dbeta : beta_end);
        if (!resample(&p))
            errx(1, "the population died out or outgrew its memory at beta = %g", p.beta);
        equilibrate(&p, (uint32_t)value['t']);
        measure(&p, (int)value['P']);
    }
    return fclose(stdout) == 0 ? 0 : 1; /* 1: output was lost */
}

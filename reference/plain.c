/* Population annealing of the two-dimensional Ising model, to be read from top to bottom.
 *
 * Equations, symbols and steps are those of L. Yu. Barash, M. Weigel, M. Borovsky, W. Janke, L. N.
 * Shchur, Comput. Phys. Commun. 220, 341 (2017). A square lattice with periodic boundaries has N =
 * L x L spins s = +1 or -1, and the energy (J = 1)
 *
 *     E = - sum over nearest neighbours of s_i s_j.                                      (eq. 10)
 *
 * A population of about R replicas is cooled from infinite temperature. At each inverse temperature
 * beta_i it is resampled: the number of children of a replica follows the change of its Boltzmann
 * weight. Then each replica is updated by theta sweeps, by Metropolis' rule or with -u heat-bath by a heat bath.
 * The results are averages over the population, and the free energy.
 *
 * Nothing here is fast. The engines of this project are fast and compute the same: this program
 * prints, byte for byte, the first ten columns that `paising -c ssc` writes. With -c msc it prints
 * those of `paising -c msc`; plain_msc.h explains how multi-spin coding decides flips.
 *
 *     cc -O2 -ffp-contract=off -o plain plain.c -lm
 *     ./plain -L 16 -R 1000 -t 10 -f 1 -d 0.05 -s 2017 -P 11 */
#include "../paising/base/ieee_math.h" /* exp and log, the same on any machine */
#include "plain_random.h"              /* a random number is a function of what it is for */
#include <err.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__extension__ typedef __int128 wide; /* for exact sums of integers */

/* --- One lattice: s[y][x] --- */

/* Draws a random bit for each spin; 128 sites share a call. Sites are visited as on a checkerboard:
 * first those with even x + y, then the others. All neighbours of a site have the other colour. */
static void randomise_lattice(uint32_t L, int8_t s[L][L], uint64_t key, use u) {
    four_numbers random = {{0}};
    uint32_t n = 0; /* sites visited */
    for (uint32_t colour = 0; colour < 2; colour++)
        for (uint32_t y = 0; y < L; y++)
            for (uint32_t x = (y + colour) % 2; x < L; x += 2, n++) {
                u.position = n / 128;
                if (n % 128 == 0)
                    random = philox(key, u);
                s[y][x] = random.r[n / 32 % 4] >> n % 32 & 1 ? 1 : -1;
            }
}

/* The energy dE that a flip of the spin costs. */
static int flip_energy(uint32_t L, int8_t s[L][L], uint32_t y, uint32_t x) {
    const int neighbours =
        s[(y + L - 1) % L][x] + s[(y + 1) % L][x] + s[y][(x + L - 1) % L] + s[y][(x + 1) % L];
    return 2 * s[y][x] * neighbours;
}

/* The update, and the inverse temperature. */
typedef struct {
    bool heat_bath; /* or Metropolis */
    double beta;
} flip_rule;

/* The probability of a flip that changes the energy by dE >= 0. Metropolis makes every other flip; in a heat bath
 * P(-dE) = 1 - P(dE). */
static double acceptance(flip_rule rule, int dE) {
    return rule.heat_bath ? 1 / (1 + ieee_exp(rule.beta * dE)) : ieee_exp(-rule.beta * dE);
}

/* One sweep of single-spin flips. Four sites of a colour share a call. */
static void sweep_lattice(uint32_t L, int8_t s[L][L], flip_rule rule, uint64_t key, use u) {
    const uint32_t calls = (L * L / 2 + 3) / 4; /* per colour */
    uint32_t threshold[9] = {0x80000000};       /* dE = 0 in a heat bath: 1/2 */
    for (int dE = 4; dE <= 8; dE += 4)
        threshold[dE] = round_at_random(acceptance(rule, dE), key, u);
    four_numbers random = {{0}};
    for (uint32_t colour = 0; colour < 2; colour++) {
        uint32_t n = 0; /* sites of this colour visited */
        for (uint32_t y = 0; y < L; y++)
            for (uint32_t x = (y + colour) % 2; x < L; x += 2, n++) {
                u.position = colour * calls + n / 4;
                if (n % 4 == 0)
                    random = philox(key, u);
                const int dE = flip_energy(L, s, y, x);
                const bool below = random.r[n % 4] < threshold[abs(dE)],
                           flips = rule.heat_bath ? below != (dE < 0) : below || dE <= 0;
                if (flips)
                    s[y][x] = (int8_t)-s[y][x];
            }
    }
}

/* Energy and magnetisation. Each site counts its bonds to the right and downwards. */
static void measure_lattice(uint32_t L, int8_t s[L][L], int64_t *E, int64_t *M) {
    *E = *M = 0;
    for (uint32_t y = 0; y < L; y++)
        for (uint32_t x = 0; x < L; x++) {
            *E -= s[y][x] * (s[y][(x + 1) % L] + s[(y + 1) % L][x]);
            *M += s[y][x];
        }
}

#include "plain_msc.h"

/* --- The population, and the five steps of Sec. 2.1 --- */

typedef struct {
    uint32_t L;
    bool msc;          /* multi-spin coding */
    bool heat_bath;    /* the update */
    uint64_t N;        /* L^2 */
    uint64_t target;   /* R */
    uint64_t capacity; /* most replicas that fit into memory */
    uint64_t key;      /* key of the random numbers */
    uint32_t i;        /* index of the temperature */
    double beta;       /* beta_i */
    double ln_Q;       /* ln Q(beta_i-1, beta_i) */
    double beta_F;     /* beta_i F(beta_i), of the whole lattice */
    uint64_t R;        /* R_i replicas */
    int8_t *spins;     /* (R_i, L, L) */
    int8_t *children;  /* (R_i, L, L), the next population during resampling */
    int64_t *E;        /* (R_i) energies */
    uint64_t *P;       /* (N + 1) number of replicas with energy -2N + 4n */
    uint64_t *tau_hat; /* (N + 1) expected children of one such replica, times 2^32 */
} population;

/* Replica j, (L, L). */
static void *lattice(const population *p, uint64_t j) {
    return p->spins + j * p->N;
}

/* The level n of its energy, E = -2N + 4n. */
static uint64_t level(const population *p, uint64_t j) {
    return (uint64_t)(p->E[j] + 2 * (int64_t)p->N) / 4;
}

/* Step 1: random states, as at beta = 0, where Z = 2^N. */
static void randomise(population *p) {
    p->R = p->target;
    p->beta_F = -(double)p->N * ieee_log(2);
    if (p->msc)
        randomise_words(p->L, 1, p->spins, p->R, p->key);
    for (uint64_t j = 0; j < p->R && !p->msc; j++)
        randomise_lattice(p->L, lattice(p, j), p->key,
                          (use){.purpose = RANDOMISE, .owner = (uint32_t)j});
}

/* Step 2, the weights. Replicas of the same energy have the same weight, so that sums over replicas
 * are sums over levels. Energies are relative to E_0, the lowest that occurs, so that exp does not
 * overflow. */
static void weigh(population *p, double beta) {
    const double dbeta = beta - p->beta;
    memset(p->P, 0, (p->N + 1) * sizeof *p->P);
    for (uint64_t j = 0; j < p->R; j++)
        p->P[level(p, j)]++;
    uint64_t lowest = 0;
    while (p->P[lowest] == 0)
        lowest++;
    const double E_0 = 4 * (double)lowest - 2 * (double)p->N;

    double sum = 0; /* over replicas, of exp(-dbeta (E - E_0)): equals R_i-1 Q exp(dbeta E_0) */
    for (uint64_t n = lowest; n <= p->N; n++)
        sum += (double)p->P[n] * ieee_exp(-dbeta * (double)(4 * (n - lowest)));
    p->ln_Q = ieee_log(sum / (double)p->R) - dbeta * E_0; /* eq. (1) */
    for (uint64_t n = lowest; n <= p->N; n++) {           /* eq. (2): (R / R_i-1) tau */
        const double weight = ieee_exp(-dbeta * (double)(4 * (n - lowest)));
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
            memcpy(p->children + children++ * p->N, lattice(p, j), p->N);
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
    if (p->msc)
        sweep_words(p->L, 1, p->spins, p->R, rule, theta, p->key, p->i);
    for (uint64_t j = 0; j < p->R && !p->msc; j++) {
        use u = {.purpose = SPINS, .owner = (uint32_t)j, .step = p->i};
        for (u.sweep = 0; u.sweep < theta; u.sweep++)
            sweep_lattice(p->L, lattice(p, j), rule, p->key, u);
    }
}

/* Step 4: averages over the population (eqs. 3 and 5), printed as a row. Energies are relative to
 * one near their mean; otherwise the variance would be a small difference of large numbers. */
static void measure(population *p, int digits) {
    wide sum_E = 0, sum_abs_M = 0, sum_M2 = 0, sum_M4 = 0, sum_x = 0, sum_x2 = 0;
    for (uint64_t j = 0; j < p->R; j++) {
        int64_t M;
        measure_lattice(p->L, lattice(p, j), &p->E[j], &M);
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

/* Reads "-X number" to value['X'], and a coding or an update as 0 or 1. Returns whether all options are known
 * and their values allowed. */
static bool read_options(int argc, char **argv, double value[128]) {
    char more;
    opterr = 0;
    for (int letter; (letter = getopt(argc, argv, "c:u:L:R:t:f:d:s:P:")) != -1;)
        if (letter == 'c' && (!strcmp(optarg, "ssc") || !strcmp(optarg, "msc")))
            value['c'] = !strcmp(optarg, "msc");
        else if (letter == 'u' && (!strcmp(optarg, "metropolis") || !strcmp(optarg, "heat-bath")))
            value['u'] = !strcmp(optarg, "heat-bath");
        else if (letter == '?' || letter == 'c' || letter == 'u' ||
                 sscanf(optarg, "%lf%c", &value[letter], &more) != 1)
            return false;
    return optind == argc && whole(value['L'] / 2, 2, 1536) && whole(value['R'], 1, 1e9) &&
           whole(value['t'], 1, UINT32_MAX) && value['f'] >= 0 && value['f'] <= 1000 &&
           value['d'] > 0 && value['f'] / value['d'] <= 999999 && whole(value['s'], 0, 0x1p53) &&
           whole(value['P'], 1, 17);
}

int main(int argc, char **argv) {
    double value[128] = {
        ['L'] = 64, ['R'] = 20000, ['t'] = 100, ['f'] = 1, ['d'] = 0.005, ['s'] = 2017, ['P'] = 11};
    const char usage[] = "usage: plain [-c ssc|msc] [-u metropolis|heat-bath] [-L even edge] "
                         "[-R population] "
                         "[-t sweeps] [-f last beta] "
                         "[-d its step] [-s seed] [-P digits]";
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return puts(usage) >= 0 && fclose(stdout) == 0 ? 0 : 1;
    if (!read_options(argc, argv, value))
        errx(2, "%s", usage);
    const double beta_end = value['f'], dbeta = value['d'];
    static population p; /* zero-initialised; its arrays live as long as the program */
    p.L = (uint32_t)value['L'];
    p.msc = value['c'] > 0;
    p.heat_bath = value['u'] > 0;
    p.N = p.L * p.L;
    p.target = (uint64_t)value['R'];
    p.capacity = p.target + (uint64_t)ceil(8 * sqrt(value['R'])) + 32;
    p.spins = malloc(p.capacity * p.N);
    p.children = malloc(p.capacity * p.N);
    p.E = malloc(p.capacity * sizeof *p.E);
    p.P = malloc((p.N + 1) * sizeof *p.P);
    p.tau_hat = malloc((p.N + 1) * sizeof *p.tau_hat);
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

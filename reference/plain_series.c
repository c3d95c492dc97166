/* Canonical simulation and parallel tempering of the two-dimensional Ising model, and tempering with cluster moves of its spin glass,
 * to be read from top to bottom.
 *
 * A square lattice with periodic boundaries has N = L x L spins s = +1 or -1, and the energy (J = 1)
 *
 *     E = - sum over nearest neighbours of J_ij s_i s_j,
 *
 * where every J is 1, and of the glass 1 or -1 at random.
 *
 * R replicas are kept at each of K inverse temperatures beta_0 < beta_1 < ... < beta_K-1. A step is
 *
 *     0. glass only: cluster moves of pairs of replicas at each temperature,
 *     1. tempering only: exchanges of replicas between neighbouring temperatures,
 *     2. theta Metropolis sweeps of each replica at the beta of its place; at beta = 0 a heat bath,
 *     3. a measurement: means over the R replicas of each temperature.
 *
 * The first steps are thermalisation, and are not printed. Canonical simulation is K R independent Markov chains. In tempering,
 * replica number r of all temperatures together is a chain: an exchange is a move of that chain, which keeps the product of its
 * K Boltzmann distributions (K. Hukushima, K. Nemoto, J. Phys. Soc. Jpn. 65, 1604, 1996). A cluster move keeps the sum of two
 * energies (J. Houdayer, Eur. Phys. J. B 22, 479, 2001).
 *
 * Nothing here is fast. This program prints, byte for byte, the rows of MC_series.dat that `paising -c ssc --method canonical`
 * or tempering writes: step beta e e2 |m| m2 m4; and with -m houdayer those of `--model glass2d --method tempering --moves
 * houdayer`, behind which |m| m2 m4 are left out there. After those of tempering come the exchanges, as in MC_exchanges.dat, behind
 * "# ": round trips, and beta beta_next acceptance attempts.
 *
 *     cc -O2 -ffp-contract=off -o plain_series plain_series.c -lm
 *     ./plain_series -m tempering -L 8 -R 32 -t 1 -b 0.3 -f 0.5 -d 0.05 -w 100 -n 1000 -s 2017 -P 11 */
#include "../paising/base/ieee_math.h" /* exp, the same on any machine */
#include "plain_random.h"
#include <err.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- One lattice: s[y][x]; those with even x + y come first, then the others --- */

/* Draws a random bit for each spin; 128 sites share a call. */
static void randomise(uint32_t L, int8_t s[L][L], uint64_t key, use u) {
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

/* The sum of J s over the neighbours of a site. */
static int field_at(uint32_t L, int8_t s[L][L], int8_t J[L][L][2], uint32_t y, uint32_t x) {
    const uint32_t up = (y + L - 1) % L, left = (x + L - 1) % L;
    return J[up][x][1] * s[up][x] + J[y][x][1] * s[(y + 1) % L][x] + J[y][left][0] * s[y][left] +
           J[y][x][0] * s[y][(x + 1) % L];
}

/* Whether a random number makes a flip that costs dE. At beta = 0, where Metropolis' rule makes each flip, and a colour repeats two
 * states for ever, spins are drawn: one that is parallel to its neighbours turns where one that is not would stay. */
static bool is_made(int dE, double beta, const uint32_t threshold[9], uint32_t random) {
    if (beta == 0)
        return (random < 0x80000000) == (dE >= 0);
    return dE <= 0 || random < threshold[dE];
}

/* One Metropolis sweep: a flip that costs dE is accepted with probability min[1, exp(-beta dE)]. Four sites of a colour share a
 * call. */
static void sweep(uint32_t L, int8_t s[L][L], int8_t J[L][L][2], double beta, uint64_t key, use u) {
    const uint32_t calls = (L * L / 2 + 3) / 4; /* a colour */
    uint32_t threshold[9] = {0};
    for (int dE = 4; dE <= 8; dE += 4)
        threshold[dE] = round_at_random(ieee_exp(-beta * dE), key, u);
    four_numbers random = {{0}};
    for (uint32_t colour = 0; colour < 2; colour++) {
        uint32_t n = 0; /* sites of this colour visited */
        for (uint32_t y = 0; y < L; y++)
            for (uint32_t x = (y + colour) % 2; x < L; x += 2, n++) {
                u.position = colour * calls + n / 4;
                if (n % 4 == 0)
                    random = philox(key, u);
                const int dE = 2 * s[y][x] * field_at(L, s, J, y, x);
                if (is_made(dE, beta, threshold, random.r[n % 4]))
                    s[y][x] = (int8_t)-s[y][x];
            }
    }
}

/* Each site counts its bonds to the right and downwards. */
static void measure(uint32_t L, int8_t s[L][L], int8_t J[L][L][2], int64_t *E, int64_t *M) {
    *E = *M = 0;
    for (uint32_t y = 0; y < L; y++)
        for (uint32_t x = 0; x < L; x++) {
            *E -= s[y][x] * (J[y][x][0] * s[y][(x + 1) % L] + J[y][x][1] * s[(y + 1) % L][x]);
            *M += s[y][x];
        }
}

/* --- The glass: bond 2 i + d joins site i = y L + x to the next one in x (d = 0) or y (1) --- */

/* Draws J = 1 or -1 of each bond; two bonds share a call. The key is that of sample 0 of disorder seed 1. */
static void draw_couplings(uint32_t L, int8_t J[L][L][2]) {
    const four_numbers of_seed = philox(1, (use){.purpose = DISORDER});
    const uint64_t key = (uint64_t)of_seed.r[1] << 32 | of_seed.r[0];
    int8_t *const bond = **J;
    for (uint32_t b = 0; b < 2 * L * L; b++) {
        const four_numbers random = philox(key, (use){.purpose = DISORDER, .position = b / 2});
        bond[b] = random.r[2 * (b % 2) + 1] >> 31 ? -1 : 1; /* 64 bits below 2^63, or not */
    }
}

/* Marks the cluster of a site: the sites of the set that can be reached through it. */
static void grow(uint32_t L, uint8_t mark[L][L], uint32_t y, uint32_t x) {
    if (mark[y][x] != 1)
        return;
    mark[y][x] = 2;
    grow(L, mark, (y + 1) % L, x);
    grow(L, mark, (y + L - 1) % L, x);
    grow(L, mark, y, (x + 1) % L);
    grow(L, mark, y, (x + L - 1) % L);
}

/* Step 0 of two replicas. The set is where they differ, or where they agree, if these sites are fewer. A site of the set is drawn, and
 * its cluster is turned over in both: what one gains, the other loses. Sites of the set are counted those with even x + y first. */
static void move_cluster(uint32_t L, int8_t s[L][L], int8_t t[L][L], uint64_t u) {
    uint8_t mark[L][L];
    uint32_t differ = 0;
    for (uint32_t i = 0; i < L * L; i++)
        differ += (*s)[i] != (*t)[i];
    const bool agree = 2 * differ > L * L;
    const uint32_t set = agree ? L * L - differ : differ;
    for (uint32_t i = 0; i < L * L; i++)
        (*mark)[i] = ((*s)[i] == (*t)[i]) == agree;
    __extension__ const uint32_t chosen = (uint32_t)((unsigned __int128)u * set >> 64);
    uint32_t n = 0; /* sites of the set visited */
    for (uint32_t colour = 0; colour < 2 && n <= chosen; colour++)
        for (uint32_t y = 0; y < L && n <= chosen; y++)
            for (uint32_t x = (y + colour) % 2; x < L && n <= chosen; x += 2)
                if (mark[y][x] == 1 && n++ == chosen)
                    grow(L, mark, y, x);
    for (uint32_t i = 0; i < L * L; i++)
        if ((*mark)[i] == 2) {
            (*s)[i] = (int8_t) - (*s)[i];
            (*t)[i] = (int8_t) - (*t)[i];
        }
}

/* --- All replicas --- */

typedef struct {
    uint32_t L;
    uint64_t N;     /* L^2 */
    uint64_t R;     /* replicas at each temperature */
    uint64_t key;   /* of the random numbers */
    int digits;     /* printed */
    uint32_t K;     /* temperatures */
    double *beta;   /* (K) */
    int8_t **s;     /* (K, R) the lattices, (L, L) each: replica r of temperature k is s[k R + r] */
    int64_t *E;     /* (K, R) their energies, */
    int64_t *M;     /* (K, R) and magnetisations */
    double *shares; /* (K - 1) sums of the shares of accepted exchanges */
    uint64_t *attempts; /* (K - 1) of R chains each */
    int8_t *spins;      /* (K, R, L, L) */
    /* (K, R) of the replica in these spins: 0, or of which end of the temperatures it has been last */
    uint8_t *way;
    uint64_t round_trips;
    bool glass;
    int8_t *J; /* (L, L, 2) */
} replicas;

/* Prints numbers as a row. Whole ones keep all digits, and there is no -0. */
static void print_row(const double row[], int count, int digits) {
    for (int n = 0; n < count; n++)
        printf("%.*g%c", row[n] == rint(row[n]) ? 17 : digits, row[n] + 0.0,
               n + 1 < count ? ' ' : '\n');
}

/* Whether chain r accepts the exchange of its replicas at temperatures k and k + 1, which changes the weight of both by the
 * factor w = exp[(beta_k - beta_k+1) (E_k - E_k+1)]: with probability min(1, w). Two chains share a call. */
static bool is_accepted(const replicas *p, uint32_t k, uint64_t r, uint32_t exchange) {
    const int64_t dE = p->E[k * p->R + r] - p->E[(k + 1) * p->R + r];
    const double w = ieee_exp((p->beta[k] - p->beta[k + 1]) * (double)dE);
    const four_numbers random = philox(
        p->key,
        (use){.purpose = EXCHANGE, .position = k, .owner = (uint32_t)(r / 2), .step = exchange});
    const uint64_t u = (uint64_t)random.r[2 * (r % 2)] << 32 | random.r[2 * (r % 2) + 1];
    return w >= 1 || u < (uint64_t)(0x1p64 * w);
}

/* Counts replicas that come back to the lowest temperature from the highest. */
static void count_round_trips(replicas *p, bool counted) {
    enum { LOWEST = 1, HIGHEST };
    for (uint64_t r = 0; r < p->R; r++) {
        uint8_t *const low = &p->way[(uint64_t)(p->s[r] - p->spins) / p->N],
                       *const high =
                           &p->way[(uint64_t)(p->s[(p->K - 1) * p->R + r] - p->spins) / p->N];
        if (*low == HIGHEST && counted)
            p->round_trips++;
        *low = LOWEST;
        if (*high == LOWEST)
            *high = HIGHEST;
    }
}

/* Step 1: tries all pairs (k, k + 1) with even k before even steps, and those with odd k before odd ones. */
static void exchange_replicas(replicas *p, uint32_t step, bool counted) {
    for (uint32_t k = step % 2; k + 1 < p->K; k += 2) {
        uint64_t accepted = 0;
        for (uint64_t r = 0; r < p->R; r++) {
            if (!is_accepted(p, k, r, step))
                continue;
            int8_t **const low = &p->s[k * p->R + r], **const high = &p->s[(k + 1) * p->R + r];
            int8_t *const moved = *low;
            *low = *high;
            *high = moved;
            accepted++;
        }
        if (counted) {
            p->shares[k] += (double)accepted / (double)p->R;
            p->attempts[k]++;
        }
    }
    count_round_trips(p, counted);
}

static void measure_replicas(replicas *p) {
    for (uint64_t j = 0; j < p->K * p->R; j++)
        measure(p->L, (void *)p->s[j], (void *)p->J, &p->E[j], &p->M[j]);
}

/* Step 0: chains r and r + R/2 are a pair. Only the energies are needed before the sweeps. */
static void move_clusters(replicas *p, uint32_t step) {
    for (uint32_t k = 0; k < p->K; k++)
        for (uint32_t r = 0; r < p->R / 2; r++) {
            int8_t **const one = &p->s[k * p->R + r];
            const four_numbers random = philox(
                p->key,
                (use){.purpose = EXCHANGE, .position = k, .owner = r, .sweep = 1, .step = step});
            move_cluster(p->L, (void *)one[0], (void *)one[p->R / 2],
                         (uint64_t)random.r[0] << 32 | random.r[1]);
        }
    measure_replicas(p);
}

/* Step 2. Random numbers belong to places, (k, r), not to the replicas that are there. */
static void sweep_replicas(replicas *p, uint32_t theta, uint32_t step) {
    for (uint64_t j = 0; j < p->K * p->R; j++) {
        use u = {.purpose = SPINS, .owner = (uint32_t)j, .step = step + 1};
        for (u.sweep = 0; u.sweep < theta; u.sweep++)
            sweep(p->L, (void *)p->s[j], (void *)p->J, p->beta[j / p->R], p->key, u);
    }
}

/* Step 3: prints the means over the replicas of each temperature. Sums of whole numbers are exact. */
static void print_means(const replicas *p, uint32_t number) {
    __extension__ typedef __int128 wide;
    for (uint32_t k = 0; k < p->K; k++) {
        wide E = 0, E2 = 0, abs_M = 0, M2 = 0, M4 = 0;
        for (uint64_t j = k * p->R; j < (k + 1) * p->R; j++) {
            const wide square = p->M[j] * p->M[j];
            E += p->E[j];
            E2 += p->E[j] * p->E[j];
            abs_M += llabs(p->M[j]);
            M2 += square;
            M4 += square * square;
        }
        const double R = (double)p->R, N = (double)p->N;
        const double row[] = {number,
                              p->beta[k],
                              (double)E / R / N,
                              (double)E2 / R / (N * N),
                              (double)abs_M / R / N,
                              (double)M2 / R / (N * N),
                              (double)M4 / R / (N * N * N * N)};
        print_row(row, p->glass ? 4 : sizeof row / sizeof *row, p->digits);
    }
}

static void print_exchanges(const replicas *p) {
    printf("# round trips: %llu\n# beta beta_next acceptance attempts\n",
           (unsigned long long)p->round_trips);
    for (uint32_t k = 0; k + 1 < p->K; k++) {
        const double n = (double)p->attempts[k], R = (double)p->R;
        const double row[] = {p->beta[k], p->beta[k + 1], n > 0 ? p->shares[k] / n : NAN, n * R};
        printf("# ");
        print_row(row, sizeof row / sizeof *row, p->digits);
    }
}

/* --- The program --- */

static bool whole(double x, double least, double most) {
    return x >= least && x <= most && x == floor(x);
}

enum { TEMPERING = 1, HOUDAYER }; /* value['m']; 0: canonical */

/* Reads "-X number" to value['X'], and the method. Returns whether all options are known and their values
 * allowed. */
static bool read_options(int argc, char **argv, double value[128]) {
    char more;
    opterr = 0;
    for (int letter; (letter = getopt(argc, argv, "m:L:R:t:b:f:d:w:n:s:P:")) != -1;)
        if (letter == 'm' && (!strcmp(optarg, "canonical") || !strcmp(optarg, "tempering") ||
                              !strcmp(optarg, "houdayer")))
            value['m'] = *optarg == 'h' ? HOUDAYER : *optarg == 't';
        else if (letter == '?' || letter == 'm' ||
                 sscanf(optarg, "%lf%c", &value[letter], &more) != 1)
            return false;
    return optind == argc && whole(value['L'] / 2, 2, 1536) && whole(value['R'], 1, 1e9) &&
           whole(value['t'], 1, UINT32_MAX) && value['b'] >= 0 && value['f'] >= value['b'] &&
           value['f'] <= 1000 && value['d'] > 0 && value['f'] / value['d'] <= 999999 &&
           (value['m'] == 0 || value['f'] > value['b']) &&
           (value['m'] < HOUDAYER || (whole(value['R'] / 2, 1, 1e9) && value['L'] <= 256)) &&
           whole(value['w'], 0, 1e8) && whole(value['n'], 1, 1e8) && whole(value['s'], 0, 0x1p53) &&
           whole(value['P'], 1, 17);
}

/* Makes room for all replicas. Returns false without memory. */
static bool allocate(replicas *p) {
    const size_t all = (size_t)p->K * p->R;
    p->beta = calloc(p->K, sizeof *p->beta);
    p->s = calloc(all, sizeof *p->s);
    p->E = calloc(all, sizeof *p->E);
    p->M = calloc(all, sizeof *p->M);
    p->shares = calloc(p->K, sizeof *p->shares);
    p->attempts = calloc(p->K, sizeof *p->attempts);
    p->spins = malloc(all * p->N);
    p->way = calloc(all, sizeof *p->way);
    p->J = malloc(2 * p->N);
    if (!p->beta || !p->s || !p->E || !p->M || !p->shares || !p->attempts || !p->spins || !p->way ||
        !p->J)
        return false;
    memset(p->J, 1, 2 * p->N);
    for (size_t j = 0; j < all; j++)
        p->s[j] = p->spins + j * p->N;
    return true;
}

int main(int argc, char **argv) {
    double value[128] = {['L'] = 64,  ['R'] = 20000, ['t'] = 100,  ['f'] = 1, ['d'] = 0.005,
                         ['w'] = 100, ['n'] = 1000,  ['s'] = 2017, ['P'] = 11};
    const char usage[] =
        "usage: plain_series [-m canonical|tempering|houdayer] [-L even edge] [-R replicas] [-t "
        "sweeps] "
        "[-b first beta] [-f last beta] [-d its step] [-w steps not measured] [-n steps measured] "
        "[-s seed] [-P digits]";
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return puts(usage) >= 0 && fclose(stdout) == 0 ? 0 : 1;
    if (!read_options(argc, argv, value))
        errx(2, "%s", usage);
    static replicas p; /* zero-initialised; its arrays live as long as the program */
    const uint32_t before = (uint32_t)value['w'], measured = (uint32_t)value['n'];
    const double spans = ceil((value['f'] - value['b']) / value['d'] - 1e-6);
    p.L = (uint32_t)value['L'];
    p.N = p.L * p.L;
    p.R = (uint64_t)value['R'];
    p.digits = (int)value['P'];
    p.K = 1 + (value['f'] > value['b'] ? (uint32_t)fmax(1, spans) : 0);
    p.glass = value['m'] == HOUDAYER;
    if (!allocate(&p))
        errx(2, "not enough memory");
    for (uint32_t k = 0; k < p.K; k++) /* equal steps; the last may be shorter */
        p.beta[k] = k + 1 < p.K ? value['b'] + k * value['d'] : value['f'];
    const four_numbers key = philox((uint64_t)value['s'], (use){.purpose = RUN_KEY});
    p.key = (uint64_t)key.r[1] << 32 | key.r[0];

    if (p.glass)
        draw_couplings(p.L, (void *)p.J);
    printf("# step beta e e2%s\n", p.glass ? "" : " |m| m2 m4");
    for (uint64_t j = 0; j < p.K * p.R; j++)
        randomise(p.L, (void *)p.s[j], p.key, (use){.purpose = RANDOMISE, .owner = (uint32_t)j});
    measure_replicas(&p);
    for (uint32_t step = 0; step < before + measured; step++) {
        if (p.glass)
            move_clusters(&p, step);
        if (value['m'] > 0)
            exchange_replicas(&p, step, step >= before);
        sweep_replicas(&p, (uint32_t)value['t'], step);
        measure_replicas(&p);
        if (step >= before)
            print_means(&p, step - before + 1);
    }
    if (value['m'] > 0)
        print_exchanges(&p);
    return fclose(stdout) == 0 ? 0 : 1; /* 1: output was lost */
}

/* Canonical simulation of models whose spins are not Ising's, to be read from top to bottom.
 *
 *     potts        E = - sum over nearest neighbours of delta(s, s'),  s = 0 .. q - 1    square or cubic lattice
 *     blume-capel  E = - sum over nearest neighbours of S S' + D sum of S^2,  S = -1, 0, 1      the same
 *     baxter-wu    E = - sum over triangles of S S' S'',  S = -1, 1                     triangular lattice
 *
 * The lattice has L^d sites and periodic boundaries. Site x, y of the triangular lattice has the neighbours x + 1, y; x, y + 1;
 * x - 1, y + 1; and the three opposite ones. R replicas are kept at the inverse temperature beta. A step is theta updates of all
 * sites of each replica, and a measurement: means over the R replicas. The first steps are thermalisation, and are not printed.
 *
 *     heat-bath      a site takes state s with the probability exp(-beta E(s)) / sum over s' of exp(-beta E(s'))
 *     metropolis     another state is proposed, and taken with the probability min(1, exp(-beta dE)); at beta = 0 as heat-bath
 *     swendsen-wang  Potts: bonds between equal spins are set with the probability 1 - exp(-beta), and each cluster of sites that set
 *                    bonds connect takes any state (R. H. Swendsen, J.-S. Wang, Phys. Rev. Lett. 58, 86, 1987)
 *     wolff          the cluster of a random site takes another state (U. Wolff, Phys. Rev. Lett. 62, 361, 1989)
 *
 * Nothing here is fast. This program prints, byte for byte, the rows of MC_series.dat that `paising --method canonical` writes: step
 * beta e e2 |m| m2 m4.
 *
 *     cc -O2 -ffp-contract=off -o plain_states plain_states.c -lm
 *     ./plain_states -m potts -q 10 -u heat-bath -D 2 -L 16 -R 10 -t 1 -b 1.4 -w 100 -n 1000 -s 2017 -P 11 */
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

__extension__ typedef unsigned __int128 wide;

/* --- Random numbers --- */

/* A number of 64 bits, from two of 32. */
static uint64_t number_of_two(const uint32_t r[2]) {
    return (uint64_t)r[1] << 32 | r[0];
}

/* A whole number below n: floor(x n / 2^64). */
static uint64_t below(uint64_t n, uint64_t x) {
    return (uint64_t)((wide)x * n >> 64);
}

/* A probability in units of 2^-64, and the weight of a heat bath in units of 2^-56. */
static uint64_t probability(double p) {
    return p < 1 ? (uint64_t)(0x1p64 * p) : UINT64_MAX;
}

static uint64_t weight(double beta, uint32_t d) {
    return (uint64_t)(0x1p56 * ieee_exp(-beta * d));
}

/* --- One lattice: state s[i] of site i = (z L + y) L + x --- */

typedef enum { POTTS, BLUME_CAPEL, BAXTER_WU } model;
typedef enum { HEAT_BATH, METROPOLIS, SWENDSEN_WANG, WOLFF } update_kind;

typedef struct {
    model m;
    uint32_t q;  /* states */
    double D, U; /* crystal field D / U */
    uint32_t d, L, N;
    uint32_t z; /* neighbours of a site */
    uint32_t (*neighbour)
        [6]; /* (N) the next one in x and the one before, in y, in z; of baxter-wu once around the site */
    uint32_t *colour, colours; /* (N) a site's colour, which none of its neighbours has */
    bool (*bond)[3];           /* (N) whether a site's bonds to the next ones are set */
    uint32_t *queue;           /* (N) sites of a cluster */
    bool *seen;                /* (N) whether a site's cluster is known */
} lattice;

static void number_square(lattice *l) {
    l->z = 2 * l->d;
    l->colours = l->L % 2 == 1 ? 3 : 2;
    for (uint32_t i = 0; i < l->N; i++) {
        uint32_t sum = 0;
        for (uint32_t d = 0, step = 1; d < l->d; d++, step *= l->L) {
            const uint32_t x = i / step % l->L; /* the coordinate in direction d */
            l->neighbour[i][2 * d] = x + 1 < l->L ? i + step : i - x * step;
            l->neighbour[i][2 * d + 1] = x > 0 ? i - step : i + (l->L - 1) * step;
            sum += l->L % 2 == 1 && x == l->L - 1 ? 2 : x % 2;
        }
        l->colour[i] = sum % l->colours;
    }
}

static void number_triangular(lattice *l) {
    static const int around[6][2] = {{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}};
    l->z = 6;
    l->colours = 3;
    for (uint32_t i = 0; i < l->N; i++) {
        const uint32_t x = i % l->L, y = i / l->L;
        l->colour[i] = (x + 2 * y) % 3;
        for (int n = 0; n < 6; n++)
            l->neighbour[i][n] = (y + l->L + (uint32_t)around[n][1]) % l->L * l->L +
                                 (x + l->L + (uint32_t)around[n][0]) % l->L;
    }
}

/* Draws the state of each site; two sites share a call. */
static void randomise(const lattice *l, uint8_t *s, uint64_t key, use u) {
    for (uint32_t i = 0; i < l->N; i++) {
        u.position = i / 2;
        const four_numbers random = philox(key, u);
        s[i] = (uint8_t)below(l->q, number_of_two(random.r + i % 2 * 2));
    }
}

/* --- Updates of single sites --- */

/* How many neighbours of site i, of the first `end`, are in state t. */
static uint32_t equal_neighbours(const lattice *l, const uint8_t *s, uint32_t i, uint32_t end,
                                 uint32_t t) {
    uint32_t count = 0;
    for (uint32_t n = 0; n < end; n++)
        count += s[l->neighbour[i][n]] == t;
    return count;
}

/* Potts. A state with n of the neighbours has the weight exp(beta n), or exp(-beta (most - n)) with the largest n. On the line
 * of all weights come first, neighbour by neighbour, what the k-th neighbour in a state adds: its weight with k neighbours less that with k - 1.
 * Then, for each of the q states, comes the weight of no neighbour. */
static uint32_t potts_heat_bath(const lattice *l, const uint8_t *s, uint32_t i, double beta,
                                uint64_t x) {
    uint32_t most = 0;
    uint64_t part[6], total = 0;
    for (uint32_t t = 0; t < l->q; t++)
        most = (uint32_t)fmax(most, equal_neighbours(l, s, i, l->z, t));
    for (uint32_t n = 0; n < l->z; n++) {
        const uint32_t k = 1 + equal_neighbours(l, s, i, n, s[l->neighbour[i][n]]);
        part[n] = weight(beta, most - k) - weight(beta, most - k + 1);
        total += part[n];
    }
    total += l->q * weight(beta, most);
    uint64_t place = below(total, x);
    for (uint32_t n = 0; n < l->z; n++) {
        if (place < part[n])
            return s[l->neighbour[i][n]];
        place -= part[n];
    }
    return (uint32_t)(place / weight(beta, most));
}

/* The energy of site i in state t, with its neighbours. */
static double site_energy(const lattice *l, const uint8_t *s, uint32_t i, uint32_t t) {
    double E = 0;
    if (l->m == POTTS)
        return -(double)equal_neighbours(l, s, i, l->z, t);
    for (uint32_t n = 0; n < l->z; n++) {
        const int S = s[l->neighbour[i][n]], next = s[l->neighbour[i][(n + 1) % l->z]];
        E -= l->m == BLUME_CAPEL ? ((int)t - 1) * (S - 1)
                                 : (2 * (int)t - 1) * (2 * S - 1) * (2 * next - 1);
    }
    return l->m == BLUME_CAPEL && t != 1 ? E + l->D / l->U : E;
}

/* Blume-Capel and Baxter-Wu: a number below the probability of the first state, or of the first two. Of two states the second one is first. */
static uint32_t heat_bath(const lattice *l, const uint8_t *s, uint32_t i, double beta, uint64_t x) {
    double E[3], w[3], lowest = INFINITY;
    for (uint32_t t = 0; t < l->q; t++) {
        E[t] = site_energy(l, s, i, t);
        lowest = fmin(lowest, E[t]);
    }
    if (l->q == 2)
        return x < probability(1 / (1 + ieee_exp(beta * (E[1] - E[0]))));
    for (uint32_t t = 0; t < 3; t++)
        w[t] = ieee_exp(-beta * (E[t] - lowest));
    const double sum = w[0] + w[1] + w[2];
    return x < probability(w[0] / sum) ? 0 : x < probability((w[0] + w[1]) / sum) ? 1 : 2;
}

/* Another state is x (q - 1) / 2^64, before the point; what is behind it decides. */
static uint32_t metropolis(const lattice *l, const uint8_t *s, uint32_t i, double beta,
                           uint64_t x) {
    const uint32_t other = (uint32_t)below(l->q - 1, x), to = other + (other >= s[i]);
    const double dE = site_energy(l, s, i, to) - site_energy(l, s, i, s[i]);
    const uint64_t behind = x * (l->q - 1);
    return behind < probability(dE > 0 ? ieee_exp(-beta * dE) : 1) || dE <= 0 ? to : s[i];
}

/* A sweep, colour by colour. Of four sites in a row the first and third share a call, and the others. */
static void sweep(const lattice *l, uint8_t *s, update_kind kind, double beta, uint64_t key,
                  use u) {
    u.purpose = SPINS;
    for (uint32_t colour = 0; colour < l->colours; colour++)
        for (uint32_t i = 0; i < l->N; i++) {
            if (l->colour[i] != colour)
                continue;
            u.position = i / 4 * 2 + i % 2;
            const four_numbers random = philox(key, u);
            const uint64_t x = number_of_two(random.r + (i % 4 >= 2 ? 2 : 0));
            s[i] = (uint8_t)(kind == METROPOLIS ? metropolis(l, s, i, beta, x)
                             : l->m == POTTS    ? potts_heat_bath(l, s, i, beta, x)
                                                : heat_bath(l, s, i, beta, x));
        }
}

/* --- Clusters of the Potts model --- */

/* A bond is left out with the probability exp(-beta) if its number says so, and for sure between different spins. */
static void set_bonds(const lattice *l, const uint8_t *s, double beta, uint64_t key, use u) {
    const uint32_t left_out = round_at_random(ieee_exp(-beta), key, u);
    u.purpose = BONDS;
    for (uint32_t i = 0; i < l->N; i++) {
        u.position = i;
        const four_numbers random = philox(key, u);
        for (uint32_t d = 0; d < l->d; d++)
            l->bond[i][d] = s[i] == s[l->neighbour[i][2 * d]] && random.r[d] >= left_out;
    }
}

/* Adds a site to the cluster in the queue, which has `count` sites, unless it is there. Returns how many it then has. */
static uint32_t add(const lattice *l, uint32_t site, uint32_t count) {
    if (l->seen[site])
        return count;
    l->seen[site] = true;
    l->queue[count] = site;
    return count + 1;
}

/* Lists the cluster of a site in the queue, by going from each of its sites along all set bonds. Returns how many sites it has. */
static uint32_t list_cluster(const lattice *l, uint32_t site) {
    uint32_t count = add(l, site, 0);
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t i = l->queue[n];
        for (uint32_t d = 0; d < l->d; d++) {
            const uint32_t next = l->neighbour[i][2 * d], before = l->neighbour[i][2 * d + 1];
            if (l->bond[i][d])
                count = add(l, next, count);
            if (l->bond[before][d])
                count = add(l, before, count);
        }
    }
    return count;
}

static void paint_listed(const lattice *l, uint8_t *s, uint32_t count, uint32_t state) {
    for (uint32_t n = 0; n < count; n++)
        s[l->queue[n]] = (uint8_t)state;
}

/* The call of a cluster's first site has its new state. */
static void flip_clusters(const lattice *l, uint8_t *s, bool wolff, double beta, uint64_t key,
                          use u) {
    set_bonds(l, s, beta, key, u);
    memset(l->seen, 0, l->N * sizeof *l->seen);
    u.purpose = SITE;
    const uint32_t chosen = (uint32_t)((uint64_t)philox(key, u).r[0] * l->N >> 32);
    bool is_chosen = false;
    for (u.position = 0; u.position < l->N; u.position++) {
        if (l->seen[u.position])
            continue;
        const uint32_t count = list_cluster(l, u.position);
        const uint64_t x = number_of_two(philox(key, u).r + 2);
        const uint32_t other = (uint32_t)below(l->q - 1, x), here = s[u.position];
        if (!wolff)
            paint_listed(l, s, count, (uint32_t)below(l->q, x));
        else if (!is_chosen && l->seen[chosen]) {
            paint_listed(l, s, count, other + (other >= here));
            is_chosen = true;
        }
    }
}

/* --- Measurements --- */

/* E in units of 1 / U, and M, which is at most N order. */
static void measure(const lattice *l, const uint8_t *s, int64_t *E, int64_t *M) {
    uint32_t sites[64] = {0}, most = 0;
    *E = 0;
    for (uint32_t i = 0; i < l->N; i++) {
        const int S = s[i];
        sites[S]++;
        for (uint32_t d = 0; d < l->d; d++) {
            const int next = s[l->neighbour[i][l->m == BAXTER_WU ? d : 2 * d]];
            if (l->m == POTTS)
                *E -= S == next;
            else if (l->m == BLUME_CAPEL)
                *E -= (S - 1) * (next - 1) * (int64_t)l->U;
            else
                *E -= (2 * S - 1) * (2 * next - 1) * (2 * s[l->neighbour[i][d + 1]] - 1);
        }
        *E += l->m == BLUME_CAPEL && S != 1 ? (int64_t)l->D : 0;
    }
    for (uint32_t t = 0; t < l->q; t++)
        most = sites[t] > most ? sites[t] : most;
    *M = l->m == POTTS ? (int64_t)l->q * most - l->N : llabs((int64_t)sites[l->q - 1] - sites[0]);
}

/* Prints the means over R replicas as a row. Sums of whole numbers are exact; whole numbers keep all digits, and there is no -0. */
static void print_means(const lattice *l, const uint8_t *spins, uint64_t replicas, double number,
                        double beta, int digits) {
    __extension__ typedef __int128 sum;
    sum sum_E = 0, sum_E2 = 0, sum_M = 0, sum_M2 = 0, sum_M4 = 0;
    for (uint64_t r = 0; r < replicas; r++) {
        int64_t E, M;
        measure(l, spins + r * l->N, &E, &M);
        const sum square = M * M;
        sum_E += E;
        sum_E2 += E * E;
        sum_M += M;
        sum_M2 += square;
        sum_M4 += square * square;
    }
    const double R = (double)replicas, N = (double)l->N, U = l->U,
                 most = l->m == POTTS ? N * (l->q - 1) : N;
    const double row[] = {number,
                          beta,
                          (double)sum_E / R / U / N,
                          (double)sum_E2 / R / (U * U) / (N * N),
                          (double)sum_M / R / most,
                          (double)sum_M2 / R / (most * most),
                          (double)sum_M4 / R / (most * most * most * most)};
    for (int n = 0; n < 7; n++)
        printf("%.*g%c", row[n] == rint(row[n]) ? 17 : digits, row[n] + 0.0, n < 6 ? ' ' : '\n');
}

/* --- The program --- */

static bool whole(double x, double least, double most) {
    return x >= least && x <= most && x == floor(x);
}

/* The number of a word in a list of words that NULL ends; that of NULL if it is not there. */
static int word_number(const char *const words[], const char *word) {
    int n = 0;
    while (words[n] != NULL && strcmp(words[n], word) != 0)
        n++;
    return n;
}

/* Reads "-X number" to value['X'], and words as their numbers. Returns whether all options are known and their values allowed. */
static bool read_options(int argc, char **argv, double value[128]) {
    static const char *const models[] = {"potts", "blume-capel", "baxter-wu", NULL};
    static const char *const updates[] = {"heat-bath", "metropolis", "swendsen-wang", "wolff",
                                          NULL};
    char more;
    opterr = 0;
    for (int letter; (letter = getopt(argc, argv, "m:u:q:F:U:D:L:R:t:b:w:n:s:P:")) != -1;)
        if (letter == 'm')
            value['m'] = word_number(models, optarg);
        else if (letter == 'u')
            value['u'] = word_number(updates, optarg);
        else if (letter == '?' || sscanf(optarg, "%lf%c", &value[letter], &more) != 1)
            return false;
    return optind == argc && value['m'] <= BAXTER_WU && value['u'] <= WOLFF &&
           (value['m'] == POTTS || value['u'] <= METROPOLIS) && whole(value['q'], 2, 64) &&
           whole(value['F'], -10000, 10000) && whole(value['U'], 1, 10000) &&
           whole(value['D'], 2, 3) &&
           (value['m'] != BAXTER_WU || (value['D'] == 2 && whole(value['L'] / 3, 1, 1e9))) &&
           whole(value['L'], 3, value['D'] > 2 ? 210 : 3072) && whole(value['R'], 1, 1e9) &&
           whole(value['t'], 1, UINT32_MAX) && value['b'] >= 0 && value['b'] <= 1000 &&
           whole(value['w'], 0, 1e8) && whole(value['n'], 1, 1e8) && whole(value['s'], 0, 0x1p53) &&
           whole(value['P'], 1, 17);
}

/* Makes a lattice of these values. Returns false without memory. */
static bool make_lattice(lattice *l, const double value[128]) {
    const uint32_t L = (uint32_t)value['L'];
    l->m = (model)value['m'];
    l->q = l->m == POTTS ? (uint32_t)value['q'] : l->m == BLUME_CAPEL ? 3 : 2;
    l->D = value['F'];
    l->U = l->m == BLUME_CAPEL ? value['U'] : 1;
    l->d = (uint32_t)value['D'];
    l->L = L;
    l->N = l->d == 2 ? L * L : L * L * L;
    l->neighbour = calloc(l->N, sizeof *l->neighbour);
    l->colour = calloc(l->N, sizeof *l->colour);
    l->bond = calloc(l->N, sizeof *l->bond);
    l->queue = calloc(l->N, sizeof *l->queue);
    l->seen = calloc(l->N, sizeof *l->seen);
    if (!l->neighbour || !l->colour || !l->bond || !l->queue || !l->seen)
        return false;
    if (l->m == BAXTER_WU)
        number_triangular(l);
    else
        number_square(l);
    return true;
}

int main(int argc, char **argv) {
    double value[128] = {['q'] = 3, ['F'] = 0, ['U'] = 1,   ['D'] = 2,    ['L'] = 64,   ['R'] = 10,
                         ['t'] = 1, ['b'] = 1, ['w'] = 100, ['n'] = 1000, ['s'] = 2017, ['P'] = 11};
    const char usage[] = "usage: plain_states [-m potts|blume-capel|baxter-wu] [-q states of "
                         "potts] [-F crystal field of blume-capel] "
                         "[-U its unit, -F 13 -U 10: 1.3] [-u "
                         "heat-bath|metropolis|swendsen-wang|wolff, the last two of potts] "
                         "[-D dimension, 2 or 3] [-L edge] [-R replicas] [-t updates of a step] "
                         "[-b beta] [-w steps not measured] "
                         "[-n steps measured] [-s seed] [-P digits]";
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return puts(usage) >= 0 && fclose(stdout) == 0 ? 0 : 1;
    if (!read_options(argc, argv, value))
        errx(2, "%s", usage);
    lattice l = {.N = 0}; /* it and the spins live as long as the program */
    const bool made = make_lattice(&l, value);
    const uint64_t R = (uint64_t)value['R'];
    const uint32_t before = (uint32_t)value['w'], steps = before + (uint32_t)value['n'];
    const bool drawn =
        value['u'] == METROPOLIS && value['b'] == 0; /* whose flips repeat themselves */
    const update_kind kind = drawn ? HEAT_BATH : (update_kind)value['u'];
    uint8_t *const spins = made ? malloc(R * l.N) : NULL; /* (R, N) */
    if (spins == NULL)
        errx(2, "not enough memory");
    const uint64_t key = number_of_two(philox((uint64_t)value['s'], (use){.purpose = RUN_KEY}).r);

    printf("# step beta e e2 |m| m2 m4\n");
    for (uint64_t r = 0; r < R; r++)
        randomise(&l, spins + r * l.N, key, (use){.purpose = RANDOMISE, .owner = (uint32_t)r});
    for (uint32_t step = 1; step <= steps; step++) {
        for (uint64_t r = 0; r < R; r++) {
            use u = {.owner = (uint32_t)r, .step = step};
            for (u.sweep = 0; u.sweep < value['t']; u.sweep++)
                if (kind <= METROPOLIS)
                    sweep(&l, spins + r * l.N, kind, value['b'], key, u);
                else
                    flip_clusters(&l, spins + r * l.N, kind == WOLFF, value['b'], key, u);
        }
        if (step > before)
            print_means(&l, spins, R, step - before, value['b'], (int)value['P']);
    }
    return fclose(stdout) == 0 ? 0 : 1; /* 1: output was lost */
}

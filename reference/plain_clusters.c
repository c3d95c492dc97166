/* Canonical simulation of the Ising model by cluster updates, to be read from top to bottom.
 *
 * A square or cubic lattice with periodic boundaries has N = L^d spins s = +1 or -1, and the energy (J = 1)
 *
 *     E = - sum over nearest neighbours of s_i s_j.
 *
 * R replicas are kept at the inverse temperature beta. A step is theta cluster updates of each replica, and a measurement: means
 * over the R replicas. The first steps are thermalisation, and are not printed.
 *
 * In a cluster update each bond between parallel spins is set with the probability p = 1 - exp(-2 beta). Bonds between
 * antiparallel spins are not set. Sites that are connected by set bonds are a cluster. All spins of a cluster flip together:
 *
 *     swendsen-wang   each cluster with the probability 1/2  (R. H. Swendsen, J.-S. Wang, Phys. Rev. Lett. 58, 86, 1987)
 *     wolff           that of a random site                  (U. Wolff, Phys. Rev. Lett. 62, 361, 1989)
 *
 * Both keep the Boltzmann distribution: a bond across the edge of a cluster, whose energy changes by 2 if the cluster flips,
 * was not set with the probability exp(-2 beta) if it was satisfied, and with 1 if not. The ratio is that of the Boltzmann
 * weights.
 *
 * Nothing here is fast. This program prints, byte for byte, the rows of MC_series.dat that `paising -c ssc --method canonical`
 * writes: step beta e e2 |m| m2 m4.
 *
 *     cc -O2 -ffp-contract=off -o plain_clusters plain_clusters.c -lm
 *     ./plain_clusters -u wolff -D 2 -L 16 -R 10 -t 1 -b 0.44 -w 100 -n 1000 -s 2017 -P 11 */
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

/* --- One lattice: spin s[i] of site i = (z L + y) L + x --- */

typedef struct {
    uint32_t d, L, N;
    uint32_t (*neighbour)[6]; /* (N) the next sites in x, y, z, and the ones before */
    bool (*bond)[3];          /* (N) whether a site's bonds to the next ones are set */
    uint32_t *queue;          /* (N) sites of a cluster */
    bool *seen;               /* (N) whether a site's cluster is known */
} lattice;

static void number_neighbours(lattice *l) {
    for (uint32_t i = 0; i < l->N; i++)
        for (uint32_t d = 0, step = 1; d < l->d; d++, step *= l->L) {
            const uint32_t x = i / step % l->L; /* the coordinate in direction d */
            l->neighbour[i][d] = x + 1 < l->L ? i + step : i - x * step;
            l->neighbour[i][3 + d] = x > 0 ? i - step : i + (l->L - 1) * step;
        }
}

/* Draws a random bit for each spin, those of the even sub-lattice first; 128 sites share a call. */
static void randomise(const lattice *l, int8_t *s, uint64_t key, use u) {
    four_numbers random = {{0}};
    uint32_t n = 0; /* sites visited */
    for (uint32_t colour = 0; colour < 2; colour++)
        for (uint32_t i = 0; i < l->N; i++) {
            if ((i % l->L + i / l->L % l->L + i / l->L / l->L) % 2 != colour)
                continue;
            u.position = n / 128;
            if (n % 128 == 0)
                random = philox(key, u);
            s[i] = random.r[n / 32 % 4] >> n % 32 & 1 ? 1 : -1;
            n++;
        }
}

/* Sets bonds. A site's call has the numbers of its bonds to the next sites in x, y and z. A bond is left out with the probability
 * exp(-2 beta) if its number says so, and for sure if its spins are antiparallel. */
static void set_bonds(const lattice *l, const int8_t *s, double beta, uint64_t key, use u) {
    const uint32_t left_out = round_at_random(ieee_exp(-2 * beta), key, u);
    u.purpose = BONDS;
    for (uint32_t i = 0; i < l->N; i++) {
        u.position = i;
        const four_numbers random = philox(key, u);
        for (uint32_t d = 0; d < l->d; d++)
            l->bond[i][d] = s[i] == s[l->neighbour[i][d]] && random.r[d] >= left_out;
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
            const uint32_t next = l->neighbour[i][d], before = l->neighbour[i][3 + d];
            if (l->bond[i][d])
                count = add(l, next, count);
            if (l->bond[before][d])
                count = add(l, before, count);
        }
    }
    return count;
}

static void flip_listed(const lattice *l, int8_t *s, uint32_t count) {
    for (uint32_t n = 0; n < count; n++)
        s[l->queue[n]] = (int8_t)-s[l->queue[n]];
}

/* One cluster update. The last number of the call of a cluster's first site has the decision of Swendsen and Wang in its
 * highest bit. */
static void update(const lattice *l, int8_t *s, bool wolff, double beta, uint64_t key, use u) {
    set_bonds(l, s, beta, key, u);
    memset(l->seen, 0, l->N * sizeof *l->seen);
    u.purpose = wolff ? SITE : BONDS;
    if (wolff) {
        const uint64_t site = (uint64_t)philox(key, u).r[0] * l->N >> 32;
        flip_listed(l, s, list_cluster(l, (uint32_t)site));
        return;
    }
    for (u.position = 0; u.position < l->N; u.position++) {
        if (l->seen[u.position])
            continue;
        const uint32_t count = list_cluster(l, u.position);
        if (philox(key, u).r[3] >> 31)
            flip_listed(l, s, count);
    }
}

/* Each site counts its bonds to the next ones. */
static void measure(const lattice *l, const int8_t *s, int64_t *E, int64_t *M) {
    *E = *M = 0;
    for (uint32_t i = 0; i < l->N; i++) {
        for (uint32_t d = 0; d < l->d; d++)
            *E -= s[i] * s[l->neighbour[i][d]];
        *M += s[i];
    }
}

/* Prints the means over R replicas as a row. Sums of whole numbers are exact; whole numbers keep all digits, and there is no -0. */
static void print_means(const lattice *l, const int8_t *spins, uint64_t replicas, double number,
                        double beta, int digits) {
    __extension__ typedef __int128 wide;
    wide sum_E = 0, sum_E2 = 0, sum_abs_M = 0, sum_M2 = 0, sum_M4 = 0;
    for (uint64_t r = 0; r < replicas; r++) {
        int64_t E, M;
        measure(l, spins + r * l->N, &E, &M);
        const wide square = M * M;
        sum_E += E;
        sum_E2 += E * E;
        sum_abs_M += llabs(M);
        sum_M2 += square;
        sum_M4 += square * square;
    }
    const double R = (double)replicas, N = (double)l->N;
    const double row[] = {number,
                          beta,
                          (double)sum_E / R / N,
                          (double)sum_E2 / R / (N * N),
                          (double)sum_abs_M / R / N,
                          (double)sum_M2 / R / (N * N),
                          (double)sum_M4 / R / (N * N * N * N)};
    for (int n = 0; n < 7; n++)
        printf("%.*g%c", row[n] == rint(row[n]) ? 17 : digits, row[n] + 0.0, n < 6 ? ' ' : '\n');
}

/* --- The program --- */

static bool whole(double x, double least, double most) {
    return x >= least && x <= most && x == floor(x);
}

/* Reads "-X number" to value['X'], and the update as 0 or 1. Returns whether all options are known and their values allowed. */
static bool read_options(int argc, char **argv, double value[128]) {
    char more;
    opterr = 0;
    for (int letter; (letter = getopt(argc, argv, "u:D:L:R:t:b:w:n:s:P:")) != -1;)
        if (letter == 'u' && (!strcmp(optarg, "swendsen-wang") || !strcmp(optarg, "wolff")))
            value['u'] = !strcmp(optarg, "wolff");
        else if (letter == '?' || letter == 'u' ||
                 sscanf(optarg, "%lf%c", &value[letter], &more) != 1)
            return false;
    return optind == argc && whole(value['D'], 2, 3) &&
           whole(value['L'] / 2, 2, value['D'] > 2 ? 203 : 4096) && whole(value['R'], 1, 1e9) &&
           whole(value['t'], 1, UINT32_MAX) && value['b'] >= 0 && value['b'] <= 1000 &&
           whole(value['w'], 0, 1e8) && whole(value['n'], 1, 1e8) && whole(value['s'], 0, 0x1p53) &&
           whole(value['P'], 1, 17);
}

/* Makes a lattice. Returns false without memory. */
static bool make_lattice(lattice *l, uint32_t d, uint32_t L) {
    l->d = d;
    l->L = L;
    l->N = d == 2 ? L * L : L * L * L;
    l->neighbour = calloc(l->N, sizeof *l->neighbour);
    l->bond = calloc(l->N, sizeof *l->bond);
    l->queue = calloc(l->N, sizeof *l->queue);
    l->seen = calloc(l->N, sizeof *l->seen);
    if (!l->neighbour || !l->bond || !l->queue || !l->seen)
        return false;
    number_neighbours(l);
    return true;
}

int main(int argc, char **argv) {
    double value[128] = {['D'] = 2,   ['L'] = 64,   ['R'] = 10,   ['t'] = 1, ['b'] = 0.44,
                         ['w'] = 100, ['n'] = 1000, ['s'] = 2017, ['P'] = 11};
    const char usage[] =
        "usage: plain_clusters [-u swendsen-wang|wolff] [-D dimension, 2 or 3] [-L even edge] "
        "[-R replicas] [-t updates of a step] [-b beta] [-w steps not measured] "
        "[-n steps measured] [-s seed] [-P digits]";
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return puts(usage) >= 0 && fclose(stdout) == 0 ? 0 : 1;
    if (!read_options(argc, argv, value))
        errx(2, "%s", usage);
    lattice l; /* it and the spins live as long as the program */
    const bool made = make_lattice(&l, (uint32_t)value['D'], (uint32_t)value['L']);
    const uint64_t R = (uint64_t)value['R'];
    const uint32_t before = (uint32_t)value['w'], steps = before + (uint32_t)value['n'];
    int8_t *const spins = made ? malloc(R * l.N) : NULL; /* (R, N) */
    if (spins == NULL)
        errx(2, "not enough memory");
    const four_numbers random = philox((uint64_t)value['s'], (use){.purpose = RUN_KEY});
    const uint64_t key = (uint64_t)random.r[1] << 32 | random.r[0];

    printf("# step beta e e2 |m| m2 m4\n");
    for (uint64_t r = 0; r < R; r++)
        randomise(&l, spins + r * l.N, key, (use){.purpose = RANDOMISE, .owner = (uint32_t)r});
    for (uint32_t step = 1; step <= steps; step++) {
        for (uint64_t r = 0; r < R; r++) {
            use u = {.owner = (uint32_t)r, .step = step};
            for (u.sweep = 0; u.sweep < value['t']; u.sweep++)
                update(&l, spins + r * l.N, value['u'] > 0, value['b'], key, u);
        }
        if (step > before)
            print_means(&l, spins, R, step - before, value['b'], (int)value['P']);
    }
    return fclose(stdout) == 0 ? 0 : 1; /* 1: output was lost */
}

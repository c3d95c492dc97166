/* Canonical simulation of the Ising model in other orders of sites than the checkerboard, to be read from top to bottom.
 *
 * A square or cubic lattice with periodic boundaries has N = L^d spins s = +1 or -1, and the energy (J = 1)
 *
 *     E = - sum over nearest neighbours of s_i s_j.
 *
 * R replicas are kept at the inverse temperature beta. A step is theta updates of each replica, and a measurement: means
 * over the R replicas. The first steps are thermalisation, and are not printed.
 *
 * An attempt at site i flips its spin with the probability min(1, exp(-beta dE)) (metropolis) or 1 / (1 + exp(beta dE))
 * (heat-bath, and either at beta = 0), where dE = 2 s_i (sum of its neighbours). Each attempt keeps the Boltzmann
 * distribution, whatever site it is at, as long as the choice of the site does not look at the spins. So any order of sites
 * will do. An update is k sweeps of N attempts:
 *
 *     tiles          The lattice is cut into tiles of edge T, coloured like a checkerboard: those with even (x + y + z) / T, then
 *                    the others, each k times: first the sites with even x + y + z, then the others. With -p the second half of an
 *                    update is the first one backwards.
 *     sequential     row by row; k = 1
 *     random         N random sites; k = 1
 *     double-tiling  Each tile has 2^d parts of edge T/2. In a random order of these parts, each tile makes k (T/2)^d attempts at
 *                    random sites of its part.
 *     dead-border    Tiles begin at a random origin; each makes k T^d attempts at random sites that are not at its border.
 *
 * Nothing here is fast, and nothing is done at a time. This program prints, byte for byte, the rows of MC_series.dat that
 * `paising -c ssc --method canonical` writes: step beta e e2 |m| m2 m4.
 *
 *     cc -O2 -ffp-contract=off -o plain_visits plain_visits.c -lm
 *     ./plain_visits -u tiles -T 4 -k 3 -D 2 -L 16 -R 10 -t 1 -b 0.44 -w 100 -n 1000 -s 2017 -P 11 */
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
    uint32_t d, L, N, edge[3]; /* edges L, and 1 beyond the dimension */
    bool heat_bath, palindrome, common;
    uint32_t T, k;
    double beta;
    uint64_t key;
} lattice;

static uint32_t site(const lattice *l, const uint32_t at[3]) {
    return (at[2] * l->edge[1] + at[1]) * l->edge[0] + at[0];
}

/* Draws a random bit for each spin, those of the even sub-lattice first; 128 sites share a call. */
static void randomise(const lattice *l, int8_t *s, use u) {
    four_numbers random = {{0}};
    uint32_t n = 0; /* sites visited */
    for (uint32_t colour = 0; colour < 2; colour++)
        for (uint32_t i = 0; i < l->N; i++) {
            if ((i % l->L + i / l->L % l->L + i / l->L / l->L) % 2 != colour)
                continue;
            u.position = n / 128;
            if (n % 128 == 0)
                random = philox(l->key, u);
            s[i] = random.r[n / 32 % 4] >> n % 32 & 1 ? 1 : -1;
            n++;
        }
}

/* Whether a random number makes a flip that costs dE. Metropolis makes all flips with dE <= 0. The heat bath makes those
 * with dE < 0 where it would not make those with -dE; with dE = 0 half of them. */
static bool flips(const lattice *l, int dE, uint32_t random, use u) {
    if (!l->heat_bath)
        return dE <= 0 || random < round_at_random(ieee_exp(-l->beta * dE), l->key, u);
    if (dE == 0)
        return random < UINT32_C(1) << 31;
    const double p = 1 / (1 + ieee_exp(l->beta * abs(dE)));
    return (random < round_at_random(p, l->key, u)) != (dE < 0);
}

static void attempt(const lattice *l, int8_t *s, const uint32_t at[3], uint32_t random, use u) {
    int field = 0;
    for (uint32_t d = 0; d < l->d; d++)
        for (uint32_t step = 1; step < l->L;
             step += l->L - 2) { /* to the next site, and to the one before */
            uint32_t to[3] = {at[0], at[1], at[2]};
            to[d] = (at[d] + step) % l->L;
            field += s[site(l, to)];
        }
    int8_t *const spin = s + site(l, at);
    if (flips(l, 2 * *spin * field, random, u))
        *spin = (int8_t) - *spin;
}

/* --- Orders in which each site has a number of its own --- */

/* Makes an attempt with the number of the site. Four successive sites of a sub-lattice, in the order of their index, share a
 * call. */
static void attempt_at_site(const lattice *l, int8_t *s, const uint32_t at[3], use u) {
    const uint32_t odd = (at[0] + at[1] + at[2]) % 2, index = site(l, at) / 2;
    u.purpose = SPINS;
    u.position = odd * ((l->N / 2 + 3) / 4) + index / 4;
    attempt(l, s, at, philox(l->key, u).r[index % 4], u);
}

static void update_in_sequence(const lattice *l, int8_t *s, use u) {
    uint32_t at[3];
    for (at[2] = 0; at[2] < l->edge[2]; at[2]++)
        for (at[1] = 0; at[1] < l->edge[1]; at[1]++)
            for (at[0] = 0; at[0] < l->edge[0]; at[0]++)
                attempt_at_site(l, s, at, u);
}

/* Updates the sites of one sub-lattice in all tiles of a colour. */
static void update_tiles(const lattice *l, int8_t *s, uint32_t colour, uint32_t odd, use u) {
    uint32_t at[3];
    for (at[2] = 0; at[2] < l->edge[2]; at[2]++)
        for (at[1] = 0; at[1] < l->edge[1]; at[1]++)
            for (at[0] = 0; at[0] < l->edge[0]; at[0]++)
                if ((at[0] / l->T + at[1] / l->T + at[2] / l->T) % 2 == colour &&
                    (at[0] + at[1] + at[2]) % 2 == odd)
                    attempt_at_site(l, s, at, u);
}

/* Hits first .. end - 1 of the tiles of a colour. */
static void hit_tiles(const lattice *l, int8_t *s, uint32_t colour, uint32_t first, uint32_t end,
                      bool backwards, use u) {
    const uint32_t update = u.sweep;
    for (uint32_t hit = first; hit < end; hit++) {
        u.sweep = update * l->k + hit;
        update_tiles(l, s, colour, backwards, u);
        update_tiles(l, s, colour, !backwards, u);
    }
}

static void update_by_tiles(const lattice *l, int8_t *s, use u) {
    const uint32_t half = l->palindrome ? l->k / 2 : l->k;
    hit_tiles(l, s, 0, 0, half, false, u);
    hit_tiles(l, s, 1, 0, half, false, u);
    hit_tiles(l, s, 1, half, l->k, true, u);
    hit_tiles(l, s, 0, half, l->k, true, u);
}

/* --- Orders of random sites --- */

static uint32_t power(uint32_t x, uint32_t d) {
    return d == 2 ? x * x : x * x * x;
}

static uint32_t below(uint32_t most, uint32_t random) {
    return (uint32_t)((uint64_t)random * most >> 32);
}

/* Makes the attempts of one sweep, numbers first .. first + count - 1 of it, at random sites of a cube with this corner and edge. */
static void attempt_in_cube(const lattice *l, int8_t *s, const uint32_t corner[3], uint32_t edge,
                            uint32_t first, uint32_t count, use u) {
    for (uint32_t n = first; n < first + count; n++) {
        use of_site = u;
        u.purpose = SPINS;
        of_site.purpose = SITE;
        u.position = of_site.position = n / 4;
        of_site.owner = l->common ? 0 : u.owner;
        uint32_t at[3] = {0, 0, 0},
                 index = below(power(edge, l->d), philox(l->key, of_site).r[n % 4]);
        for (uint32_t d = 0; d < l->d; d++, index /= edge)
            at[d] = (corner[d] + index % edge) % l->L;
        attempt(l, s, at, philox(l->key, u).r[n % 4], u);
    }
}

/* What an update draws besides: at the position behind those of its attempts. */
static four_numbers drawn(const lattice *l, use u) {
    u.purpose = SITE;
    u.position = (l->N + 3) / 4;
    u.owner = l->common ? 0 : u.owner;
    u.sweep *= l->k;
    return philox(l->key, u);
}

/* The corner of a tile, tiles counted by x, then y, then z. */
static void find_corner(const lattice *l, uint32_t tile, uint32_t corner[3]) {
    for (uint32_t d = 0; d < 3; d++, tile /= l->L / l->T)
        corner[d] = d < l->d ? tile % (l->L / l->T) * l->T : 0;
}

/* Makes k times `count` attempts in a cube, of which those of a sweep are numbered from cube * count on. */
static void hit_cube(const lattice *l, int8_t *s, const uint32_t corner[3], uint32_t edge,
                     uint32_t cube, uint32_t count, use u) {
    const uint32_t update = u.sweep;
    for (uint32_t hit = 0; hit < l->k; hit++) {
        u.sweep = update * l->k + hit;
        attempt_in_cube(l, s, corner, edge, cube * count, count, u);
    }
}

static void update_by_double_tiling(const lattice *l, int8_t *s, use u) {
    const uint32_t parts = power(2, l->d), half = l->T / 2;
    uint32_t part[8] = {0, 1, 2, 3, 4, 5, 6, 7}, random = drawn(l, u).r[3];
    for (uint32_t left = parts; left > 1; left--) { /* R. Durstenfeld, Commun. ACM 7, 420 (1964) */
        const uint32_t other = below(left, random), last = part[left - 1];
        part[left - 1] = part[other];
        part[other] = last;
        random *= left; /* what is left of it, modulo 2^32 */
    }
    for (uint32_t n = 0; n < parts; n++)
        for (uint32_t tile = 0; tile < l->N / power(l->T, l->d); tile++) {
            uint32_t corner[3];
            find_corner(l, tile, corner);
            for (uint32_t d = 0; d < l->d; d++)
                corner[d] += (part[n] >> d & 1) * half;
            hit_cube(l, s, corner, half, tile * parts + part[n], power(half, l->d), u);
        }
}

static void update_inside_borders(const lattice *l, int8_t *s, use u) {
    const four_numbers origin = drawn(l, u);
    for (uint32_t tile = 0; tile < l->N / power(l->T, l->d); tile++) {
        uint32_t corner[3];
        find_corner(l, tile, corner);
        for (uint32_t d = 0; d < l->d; d++)
            corner[d] = (corner[d] + 1 + below(l->L, origin.r[d])) % l->L;
        hit_cube(l, s, corner, l->T - 2, tile, power(l->T, l->d), u);
    }
}

static void update_at_random(const lattice *l, int8_t *s, use u) {
    const uint32_t corner[3] = {0, 0, 0};
    hit_cube(l, s, corner, l->L, 0, l->N, u);
}

/* --- The program --- */

static const struct {
    const char *name;
    void (*update)(const lattice *, int8_t *, use);
    uint32_t least_tile; /* 0: it has no tiles */
} orders[] = {{"tiles", update_by_tiles, 2},
              {"sequential", update_in_sequence, 0},
              {"random", update_at_random, 0},
              {"double-tiling", update_by_double_tiling, 4},
              {"dead-border", update_inside_borders, 4}};

/* Each site counts its bonds to the next ones. */
static void measure(const lattice *l, const int8_t *s, int64_t *E, int64_t *M) {
    uint32_t at[3];
    *E = *M = 0;
    for (at[2] = 0; at[2] < l->edge[2]; at[2]++)
        for (at[1] = 0; at[1] < l->edge[1]; at[1]++)
            for (at[0] = 0; at[0] < l->edge[0]; at[0]++) {
                for (uint32_t d = 0; d < l->d; d++) {
                    uint32_t to[3] = {at[0], at[1], at[2]};
                    to[d] = (at[d] + 1) % l->L;
                    *E -= s[site(l, at)] * s[site(l, to)];
                }
                *M += s[site(l, at)];
            }
}

/* Prints the means over R replicas as a row. Sums of whole numbers are exact; whole numbers keep all digits, and there is no -0. */
static void print_means(const lattice *l, const int8_t *spins, uint64_t replicas, double number,
                        int digits) {
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
                          l->beta,
                          (double)sum_E / R / N,
                          (double)sum_E2 / R / (N * N),
                          (double)sum_abs_M / R / N,
                          (double)sum_M2 / R / (N * N),
                          (double)sum_M4 / R / (N * N * N * N)};
    for (int n = 0; n < 7; n++)
        printf("%.*g%c", row[n] == rint(row[n]) ? 17 : digits, row[n] + 0.0, n < 6 ? ' ' : '\n');
}

static bool whole(double x, double least, double most) {
    return x >= least && x <= most && x == floor(x);
}

/* Reads "-X number" to value['X'], and the update and its acceptance as numbers. Returns whether all options are known. */
static bool read_options(int argc, char **argv, double value[128]) {
    char more;
    opterr = 0;
    for (int letter; (letter = getopt(argc, argv, "u:a:pcT:k:D:L:R:t:b:w:n:s:P:")) != -1;) {
        uint32_t order = 0;
        while (letter == 'u' && order < 5 && strcmp(optarg, orders[order].name) != 0)
            order++;
        if (letter == 'u')
            value['u'] = order;
        else if (letter == 'a' && (!strcmp(optarg, "metropolis") || !strcmp(optarg, "heat-bath")))
            value['a'] = !strcmp(optarg, "heat-bath");
        else if (letter == 'p' || letter == 'c')
            value[letter] = 1;
        else if (letter == '?' || letter == 'a' ||
                 sscanf(optarg, "%lf%c", &value[letter], &more) != 1)
            return false;
    }
    return optind == argc && value['u'] < 5;
}

/* Whether tiles divide the lattice. */
static bool fits(const double value[128]) {
    const uint32_t least = orders[(int)value['u']].least_tile;
    const double T = value['T'], L = value['L'], unit = value['u'] == 0 ? 2 * T : T;
    return least == 0 ? value['k'] == 1
                      : whole(T / 2, least / 2, 512) && (T == L || whole(L / unit, 1, L));
}

static bool allowed(const double value[128]) {
    return whole(value['D'], 2, 3) && whole(value['L'] / 2, 2, value['D'] > 2 ? 203 : 4096) &&
           whole(value['k'], 1, 1e6) && whole(value['R'], 1, 1e9) &&
           whole(value['t'], 1, UINT32_MAX / value['k']) && value['b'] >= 0 && value['b'] <= 1000 &&
           whole(value['w'], 0, 1e8) && whole(value['n'], 1, 1e8) && whole(value['s'], 0, 0x1p53) &&
           whole(value['P'], 1, 17) && fits(value) &&
           (!value['p'] || (value['u'] == 0 && whole(value['k'] / 2, 1, 1e6))) &&
           (!value['c'] || value['u'] > 1);
}

int main(int argc, char **argv) {
    double value[128] = {
        ['T'] = 16,   ['k'] = 1,   ['D'] = 2,    ['L'] = 64,   ['R'] = 10, ['t'] = 1,
        ['b'] = 0.44, ['w'] = 100, ['n'] = 1000, ['s'] = 2017, ['P'] = 11};
    const char usage[] =
        "usage: plain_visits [-u tiles|sequential|random|double-tiling|dead-border] [-a "
        "metropolis|heat-bath] [-T tile] [-k hits] [-p (palindrome)] [-c (common sites)] [-D "
        "dimension, 2 or 3] [-L even edge] [-R replicas] [-t updates of a step] [-b beta] [-w "
        "steps "
        "not measured] [-n steps measured] [-s seed] [-P digits]";
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return puts(usage) >= 0 && fclose(stdout) == 0 ? 0 : 1;
    if (!read_options(argc, argv, value) || !allowed(value))
        errx(2, "%s", usage);
    const uint32_t d = (uint32_t)value['D'], L = (uint32_t)value['L'];
    const four_numbers random = philox((uint64_t)value['s'], (use){.purpose = RUN_KEY});
    const lattice l = {.d = d,
                       .L = L,
                       .N = power(L, d),
                       .edge = {L, L, d < 3 ? 1 : L},
                       .heat_bath = value['a'] > 0 || value['b'] == 0,
                       .palindrome = value['p'] > 0,
                       .common = value['c'] > 0,
                       .T = (uint32_t)value['T'],
                       .k = (uint32_t)value['k'],
                       .beta = value['b'],
                       .key = (uint64_t)random.r[1] << 32 | random.r[0]};
    const uint64_t R = (uint64_t)value['R'];
    const uint32_t before = (uint32_t)value['w'], steps = before + (uint32_t)value['n'];
    int8_t *const spins = malloc(R * l.N); /* (R, N), as long as the program lives */
    if (spins == NULL)
        errx(2, "not enough memory");

    printf("# step beta e e2 |m| m2 m4\n");
    for (uint64_t r = 0; r < R; r++)
        randomise(&l, spins + r * l.N, (use){.purpose = RANDOMISE, .owner = (uint32_t)r});
    for (uint32_t step = 1; step <= steps; step++) {
        for (uint64_t r = 0; r < R; r++) {
            use u = {.owner = (uint32_t)r, .step = step};
            for (u.sweep = 0; u.sweep < value['t']; u.sweep++)
                orders[(int)value['u']].update(&l, spins + r * l.N, u);
        }
        if (step > before)
            print_means(&l, spins, R, step - before, (int)value['P']);
    }
    return fclose(stdout) == 0 ? 0 : 1; /* 1: output was lost */
}
